# SPDX-License-Identifier: GPL-3.0-or-later
"""From the crowds of a scene to all people, each with a reference path of their own or shared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...array_types import Bool, Float64, Int64, UInt64
from ...errors import Fault, NoRoute, SceneError
from ...geometry.reproducible_math import heading_vector, length
from ...planning import ReferencePath, ReferenceSet
from ...planning.paths.path_tables import LINES_AT_ONCE, AnyPath
from ...scene import (
    AT_ONCE,
    FLOW,
    LEAVE,
    LOOP,
    MODEL_NAMES,
    NO_AVOIDANCE,
    SPREAD,
    STOP,
    VEHICLE,
    WHEELS,
    Crowd,
    Scene,
)
from ..settings import SimulationSettings
from ..world.agents import ARRIVAL_DISTANCE, OUTSIDE, Agents
from ..world.environment import Environment
from .closed_goals import name_what_closes
from .drawn_crowd import DrawnCrowd, draw_crowds
from .drawn_routes import paths_of_routes, tell_of_covered_start, tell_of_departure, walked_routes
from .entry_places import goals_in_area, place_in_area, place_on_route, spread_along
from .free_places import find_room, tell_of_moves
from .groups import own_offsets
from .long_journeys import refuse_long_journeys
from .personal_routes import Travellers, find_routes_or_wait, report_routes
from .placing import Gathering
from .planner_preferences import preferences_of


class PeopleAtStart:
    """The people of a scene before anyone has entered.

    Args:
        scene: what the user asks for.
        environment: obstacles, movers and heroes.
        settings: how people are placed, find routes and plan.
        find_bystanders: returns where the bystanders among the crowds are, and their radii, float64 (T, 3) [m]: nobody
            else starts there.

    Attributes:
        drawn: their crowds, in the order of the scene; there is nobody in those of vehicles.
        agents: everybody.
        references: their paths.
        preferences: what they plan with.
        goal_areas: the numbers of the crowds that go to an area, with its outline: people inside have arrived.
        notices: sentences for the user.
        refused: why somebody has no route, by the number of the agent.

    Raises:
        SceneError: a crowd has no room, or asks for what this version cannot do.
    """

    def __init__(
        self,
        scene: Scene,
        environment: Environment,
        settings: SimulationSettings,
        find_bystanders: Callable[[Sequence[DrawnCrowd]], Float64],
    ) -> None:
        own = settings.population
        refuse_long_journeys(scene, environment.areas, own.longest_route)
        self.drawn, routes = draw_crowds(scene, own.slowest_share), walked_routes(scene)
        taken = find_bystanders(self.drawn)
        gathering = Gathering(
            environment, own, routes, paths_of_routes(routes, own.preferences), settings.planning_horizon, taken
        )
        members = _all_members(gathering, self.drawn)
        self.references = ReferenceSet(gathering.tables)
        gap_factor = 1.0 + settings.pedestrians.headway.spread * self._signed("time_gap")
        self.agents = _to_agents(
            members, self.references, self._signed("precedence"), gap_factor, own.placement.group_gap
        )
        self.preferences = preferences_of(self.crowds, self.agents.crowd, settings.planner, own.preferences)
        self.goal_areas, self.notices = gathering.goal_areas(self.crowds), gathering.notices
        reasons = [reason for part in members for reason in part.refused]
        self.refused = {row: str(reason) for row, reason in enumerate(reasons) if reason is not None}

    @property
    def crowds(self) -> list[Crowd]:
        """The crowds as the user asks for them, but nobody in those of vehicles."""
        return [drawn.crowd for drawn in self.drawn]

    def uniform(self, attribute: str) -> Float64:
        """Return float64 (A,) in [0, 1): the draws for one attribute of everybody."""
        return np.concatenate([np.zeros(0), *(drawn.uniform(attribute) for drawn in self.drawn)])

    def keys(self, attribute: str) -> UInt64:
        """Return uint64 (A,), everybody's keys for draws at any time: see `randomness.mixed`."""
        return np.concatenate([np.zeros(0, dtype=np.uint64), *(drawn.keys(attribute) for drawn in self.drawn)])

    def _signed(self, attribute: str) -> Float64:
        """Return float64 (A,), numbers from -1 to 1 that are drawn for everybody."""
        return 2.0 * self.uniform(attribute) - 1.0


@dataclass(frozen=True, eq=False)
class _Members:
    """One crowd's people with their paths: arrays of N."""

    drawn: DrawnCrowd
    path: Int64
    s: Float64
    d: Float64
    end: Float64
    goal: Float64
    refused: Sequence[NoRoute | None]
    waits: Bool
    lane: Float64


def _all_members(gathering: Gathering, everybody: Sequence[DrawnCrowd]) -> list[_Members]:
    """Place all crowds; of those without room, all are reported."""
    faults: list[Fault] = []
    members = []
    _place_listed(gathering, everybody)
    for drawn in everybody:
        try:
            members.append(_members(gathering, drawn))
        except SceneError as error:
            faults += error.faults
    if faults:
        raise SceneError(faults)
    if not gathering.tables:  # where nobody walks, the tables still need a row
        gathering.tables.append(ReferencePath.from_points([[0.0, 0.0], [1.0, 0.0]]).table)
    return members


def _place_listed(gathering: Gathering, everybody: Sequence[DrawnCrowd]) -> None:
    """Place those whose starts are given, before all others: out of obstacles and of each other."""
    some = [drawn for drawn in everybody if drawn.crowd.agents]
    crowds = [drawn.crowd for drawn in some]
    starts = [np.array([agent.start for agent in crowd.agents], dtype=np.float64) for crowd in crowds]
    gathering.listed = {crowd.name: start for crowd, start in zip(crowds, starts, strict=True)}
    at_once = [np.flatnonzero(~drawn.comes_later) for drawn in some]
    if not any(map(len, at_once)):
        return
    ends = np.cumsum([len(rows) for rows in at_once])[:-1]
    solid = np.repeat([crowd.avoidance_rule != NO_AVOIDANCE for crowd in crowds], [len(rows) for rows in at_once])
    wanted = np.concatenate([start[rows] for start, rows in zip(starts, at_once, strict=True)])
    radius = np.concatenate([drawn.radius[rows] for drawn, rows in zip(some, at_once, strict=True)])
    environment = gathering.environment
    found = find_room(
        wanted,
        radius,
        solid,
        gathering.free,
        lambda points: environment.push_out(points, radius, 0.0),
        gathering.taken,
        gathering.settings.placement,
    )
    placed = zip(crowds, at_once, np.split(found.points, ends), np.split(found.moved, ends), strict=True)
    for crowd, rows, stand, moved in placed:
        gathering.listed[crowd.name][rows] = stand
        gathering.notices += tell_of_moves(crowd, moved)
    gathering.take(found.points, radius)


def _members(gathering: Gathering, drawn: DrawnCrowd) -> _Members:
    """Place one crowd; vehicles are placed elsewhere."""
    crowd = drawn.crowd
    if crowd.route is not None and crowd.kind != VEHICLE:
        return _on_route(gathering, drawn)
    if crowd.place is not None:
        return _at_place(gathering, drawn)
    if crowd.agents:
        starts = gathering.listed[crowd.name]
        goals = np.array([agent.goal for agent in crowd.agents], dtype=np.float64)
    elif crowd.count == 0 or crowd.start is None:
        starts = goals = np.zeros((0, 2))
    else:
        starts, goals = _between_areas(gathering, drawn)
    return _on_own_routes(gathering, drawn, starts, goals)


def _on_route(gathering: Gathering, drawn: DrawnCrowd) -> _Members:
    """Place a crowd on its route."""
    crowd = drawn.crowd
    assert crowd.route is not None
    walked = crowd.route, crowd.following.keep_to_line
    index, route = list(gathering.routes).index(walked), gathering.routes[walked]
    path = ReferencePath(gathering.tables[index])
    taken, placement = gathering.taken, gathering.settings.placement
    s, d = gathering.place(
        drawn,
        lambda free: place_on_route(drawn, route, path, free=free, taken=taken, settings=placement),
        lambda placed: path.to_cartesian(*placed),
    )
    gathering.notices += tell_of_covered_start(crowd, route, s, gathering.environment)
    gathering.notices += tell_of_departure(crowd, route, path, placement.reported_departure)
    if crowd.spawn.mode != FLOW:
        gathering.take(path.to_cartesian(s, d), crowd.radius[1])
    endless = crowd.arrival_rule == LOOP and route.closed
    return _Members(
        drawn=drawn,
        path=np.full(crowd.count, index),
        s=s,
        d=d,
        end=np.full(crowd.count, np.inf if endless else path.length),
        goal=np.full((crowd.count, 2), np.nan),
        refused=[None] * crowd.count,
        waits=np.zeros(crowd.count, dtype=bool),
        lane=np.zeros(crowd.count),
    )


def _at_place(gathering: Gathering, drawn: DrawnCrowd) -> _Members:
    """Give bystanders a path that nobody walks."""
    count, number = drawn.crowd.count, len(gathering.tables)
    gathering.tables.append(ReferencePath.from_points([[0.0, 0.0], [1.0, 0.0]]).table)
    return _Members(
        drawn=drawn,
        path=np.full(count, number),
        s=np.zeros(count),
        d=np.zeros(count),
        end=np.full(count, np.inf),
        goal=np.full((count, 2), np.nan),
        refused=[None] * count,
        waits=np.zeros(count, dtype=bool),
        lane=np.zeros(count),
    )


def _between_areas(gathering: Gathering, drawn: DrawnCrowd) -> tuple[Float64, Float64]:
    """Return float64 (N, 2) starts and goals in a crowd's two areas."""
    crowd = drawn.crowd
    assert crowd.start is not None
    assert crowd.goal is not None
    areas, taken, placement = gathering.environment.areas, gathering.taken, gathering.settings.placement
    start = areas[crowd.start]
    starts = gathering.place(
        drawn,
        lambda free: place_in_area(drawn, start, free=free, taken=taken, settings=placement),
        lambda starts: starts,
    )
    if crowd.spawn.mode == AT_ONCE:
        gathering.take(starts, crowd.radius[1])
    goals = goals_in_area(drawn, areas[crowd.goal], free=gathering.free, settings=placement)
    room = len(np.unique(goals, axis=0))
    if crowd.arrival_rule == STOP and room < crowd.count:
        few = f"{crowd.name}: the goal '{crowd.goal}' has room for {room} of {crowd.count} who stop there"
        gathering.notices.append(f"{few}: the others stop around it. Enlarge it, or let them leave.")
    return starts, goals


def _on_own_routes(gathering: Gathering, drawn: DrawnCrowd, starts: Float64, goals: Float64) -> _Members:
    """Give each of a crowd a route of their own."""
    crowd, settings = drawn.crowd, gathering.settings
    first, count = len(gathering.tables), len(starts)
    # Who starts at the goal still needs a direction to face: a short path that ends there.
    at_goal = length(goals - starts) < settings.shortest_route
    begins = np.where(at_goal[:, None], goals - (2 * settings.shortest_route, 0.0), starts)
    environment = gathering.environment
    closed = environment.passages_at(0.0, gathering.horizon)
    lane = settings.routes.lines.used_share * drawn.uniform("lane", count)[drawn.first]
    meets = drawn.share_under_way(settings.flow_duration)
    people = Travellers(begins, goals, drawn.radius, lane, meets=meets, party=drawn.party, reach=crowd.reach)
    routes, waits = find_routes_or_wait(people, closed, environment.for_good(0.0, gathering.horizon), settings.routes)
    if crowd.spawn.mode != FLOW:
        least = settings.placement.reported_move
        stands = ~drawn.comes_later | (environment.still.field.signed_distance(starts) >= drawn.radius)
        routes.stretch_to(starts, np.flatnonzero(~at_goal & stands), start=True, least=least)
        routes.stretch_to(starts, np.flatnonzero(at_goal & stands), start=False, least=least)
    name_what_closes(environment, gathering.horizon, people, routes, settings)
    gathering.notices += report_routes(crowd, routes)
    tables: list[AnyPath] = []
    for lines, left, right in routes.hand_over(LINES_AT_ONCE):
        tables += environment.paths.tables_of(lines, left=left, right=right)
    gathering.tables += tables
    ends = np.array([table.length for table in tables], dtype=np.float64)
    s = np.where(at_goal, ends, 0.0)
    if count and crowd.spawn.mode == SPREAD and not crowd.agents:
        own = ReferenceSet(tables)
        s = gathering.place(
            drawn,
            lambda free: spread_along(drawn, own, free=free, taken=gathering.taken, settings=settings.placement),
            lambda s: own.to_cartesian(np.arange(count), s, np.zeros(count)),
        )
        gathering.take(own.to_cartesian(np.arange(count), s, np.zeros(count)), crowd.radius[1])
    return _Members(
        drawn=drawn,
        path=np.arange(first, first + count),
        s=s,
        d=np.zeros(count),
        end=ends,
        goal=goals,
        refused=routes.reasons,
        waits=waits,
        lane=lane,
    )


def _groups(everybody: Sequence[DrawnCrowd]) -> Int64:
    """Return int64 (A,), the number of each one's group in the whole scene; -1 for those who walk alone."""
    parties = [drawn.party for drawn in everybody]
    begin = np.cumsum([0, *map(len, parties)])
    party = np.concatenate(
        [np.zeros(0, dtype=np.int64), *(party + first for party, first in zip(parties, begin, strict=False))]
    )
    return np.where(np.bincount(party, minlength=1)[party] > 1, party, -1)


def _to_agents(
    members: list[_Members], references: ReferenceSet, precedence: Float64, gap_factor: Float64, gap: float
) -> Agents:
    """Join the crowds into one set of arrays.

    Args:
        members: of each crowd.
        references: the paths of all.
        precedence: float64 (A,), from -1 to 1, higher goes first.
        gap_factor: float64 (A,), of the time gap of each.
        gap: between two who walk abreast [m].
    """
    everybody = [part.drawn for part in members]
    crowds = [drawn.crowd for drawn in everybody]

    def joined(name: str, parts: Sequence[_Members | DrawnCrowd] = members) -> NDArray:
        values = [getattr(part, name) for part in parts]
        return np.concatenate(values) if values else np.zeros((0, 2) if name == "goal" else 0)

    crowd = np.repeat(np.arange(len(members)), [len(part.path) for part in members]).astype(np.int64)
    path, s, d, speed = joined("path").astype(np.int64), joined("s"), joined("d"), joined("speed", everybody)
    entry_time, sets_off = joined("entry_time", everybody), joined("sets_off", everybody)
    moves = np.array([c.spawn.mode != AT_ONCE for c in crowds], dtype=bool)[crowd] | (entry_time > 0.0)
    absent = np.concatenate([np.zeros(0, dtype=bool), *(np.isin(np.arange(c.count), c.absent) for c in crowds)])
    heading, _ = references.heading(path, s)
    tangent = heading_vector(heading)
    number = {name: place for place, name in enumerate(MODEL_NAMES)}
    group, on_route, radius = _groups(everybody), np.isnan(joined("goal")[:, 0]), joined("radius", everybody)
    offset = own_offsets(d, group, radius, references.half_widths[path], gap)
    # Alone and unhindered, the path is done where arrival counts: a little before its end.
    distance = np.maximum(joined("end") - np.maximum(ARRIVAL_DISTANCE, radius) - s, 0.0)
    return Agents(
        crowd=crowd,
        path=path,
        radius=radius,
        wanted_speed=speed,
        wanted_offset=np.where(on_route, offset, 0.0),
        entry_time=np.where(absent, np.inf, entry_time),
        sets_off=sets_off,
        end=joined("end"),
        goal=joined("goal"),
        leaves=np.array([c.arrival_rule == LEAVE for c in crowds], dtype=bool)[crowd],
        avoids=np.array([c.avoidance_rule != NO_AVOIDANCE for c in crowds], dtype=bool)[crowd],
        refused=np.array([reason is not None for part in members for reason in part.refused], dtype=bool),
        status=np.full(len(crowd), OUTSIDE, dtype=np.int8),
        position=references.to_cartesian(path, s, d),
        # Who is spread over the path or enters it is already walking; who stands at the start begins to walk.
        velocity=tangent * np.where(moves, speed, 0.0)[:, None],
        heading=heading,
        s=s,
        d=d,
        precedence=precedence,
        model=np.array([number.get(c.avoidance_rule, 0) for c in crowds], dtype=np.int8)[crowd],
        unhindered_time=np.where(np.isfinite(distance), sets_off + distance / np.maximum(speed, 1e-9), np.nan),
        waits=joined("waits").astype(bool),
        lane=joined("lane"),
        pace=speed.copy(),
        group=group,
        rolls=np.array([c.body == WHEELS for c in crowds], dtype=bool)[crowd],
        beside=np.zeros(len(crowd)),
        waited=np.zeros(len(crowd)),
        delay=np.array([c.delay for c in crowds], dtype=np.float64)[crowd],
        slope_effect=np.array([c.slope_effect for c in crowds], dtype=np.float64)[crowd],
        time_gap=np.array([c.time_gap for c in crowds], dtype=np.float64)[crowd] * gap_factor,
        personal_space=np.array([c.personal_space for c in crowds], dtype=np.float64)[crowd],
        reach=np.array([c.reach for c in crowds], dtype=np.float64)[crowd],
    )
