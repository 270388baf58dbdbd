# SPDX-License-Identifier: GPL-3.0-or-later
"""From the crowds of a scene to all people, each with a reference path of their own or shared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import Fault, NoRoute, SceneError
from ...geometry.reproducible_math import heading_vector
from ...planning import ReferencePath, ReferenceSet
from ...planning.paths.path_tables import PathTable
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
    Route,
    Scene,
)
from .. import randomness
from ..settings.population_settings import POPULATION, PopulationSettings
from ..world.agents import ARRIVAL_DISTANCE, OUTSIDE, Agents
from ..world.environment import Environment
from .closed_goals import name_what_closes
from .covered_starts import tell_of_covered_start
from .entry_places import entry_times, goals_in_area, place_in_area, place_on_route, spread_along
from .free_places import find_room, tell_of_moves
from .groups import first_of, own_offsets, parties_of
from .personal_routes import Travellers, find_ways_or_wait, tell_of_ways
from .placing import Gathering

Float64 = NDArray[np.float64]


@dataclass(eq=False)
class _Members:
    """One crowd's people: arrays of N."""

    path: NDArray[np.int64]
    s: Float64
    d: Float64
    entry_time: Float64
    end: Float64
    goal: Float64
    radius: Float64
    speed: Float64
    refused: Sequence[NoRoute | None]
    waits: NDArray[np.bool_]
    lane: Float64
    party: NDArray[np.int64]


class Told(NamedTuple):
    """What is reported of the start: `notices`, and the reason of each who has no route, by its number."""

    notices: list[str]
    refused: dict[int, str]


def gather_people(
    scene: Scene, environment: Environment, horizon: float, settings: PopulationSettings = POPULATION
) -> tuple[Agents, ReferenceSet, Told]:
    """Return everybody of a scene, before anyone has entered, their reference paths, and notices for the user.

    Args:
        scene: what the user asks for.
        environment: obstacles, movers and heroes.
        horizon: movers that come to rest within this time count as at rest [s].
        settings: how people are placed and find routes.

    Raises:
        SceneError: a crowd has no room, or asks for what this version cannot do.
    """
    _refuse_what_cannot_be(scene, settings.longest_route)
    used = {crowd.route for crowd in scene.crowds if crowd.kind != VEHICLE}
    routes = [route for route in scene.routes if route.name in used]
    tables = _tables_of(routes)
    gathering = Gathering(scene, environment, settings, routes, tables, horizon)
    faults: list[Fault] = []
    members = []
    _place_listed(gathering)
    for number, crowd in enumerate(scene.crowds):
        try:
            members.append(_members(gathering, crowd, f"crowds[{number}]"))
        except SceneError as error:
            faults += error.faults
    if faults:
        raise SceneError(faults)
    if not gathering.tables:  # where nobody walks, the tables still need a row
        gathering.tables.append(ReferencePath.from_points([[0.0, 0.0], [1.0, 0.0]]).table)
    references = ReferenceSet(gathering.tables)
    reasons = [reason for part in members for reason in part.refused]
    refused = {row: str(reason) for row, reason in enumerate(reasons) if reason is not None}
    return (
        _to_agents(scene, members, references, settings.placement.group_gap),
        references,
        Told(gathering.notices, refused),
    )


def _tables_of(routes: Sequence[Route]) -> list[PathTable]:
    """Return the paths of drawn routes, all made at once: several times faster than one by one."""
    if not routes:
        return []
    lines, closed = [route.points for route in routes], [route.closed for route in routes]
    return list(ReferenceSet.from_polylines(lines, closed, [route.width / 2 for route in routes]).tables)


def _place_listed(gathering: Gathering) -> None:
    """Place those whose starts are given, before all others: out of obstacles and of each other."""
    scene = gathering.scene
    crowds = [crowd for crowd in scene.crowds if crowd.agents]
    starts = [np.array([agent.start for agent in crowd.agents], dtype=np.float64) for crowd in crowds]
    radii = [_bodies(scene.seed, crowd, gathering.settings.slowest_share)[0] for crowd in crowds]
    gathering.listed = {crowd.name: start for crowd, start in zip(crowds, starts, strict=True)}
    at_once = [k for k, crowd in enumerate(crowds) if crowd.spawn.mode != FLOW]
    if not at_once:
        return
    mind = np.repeat([crowds[k].avoidance_rule != NO_AVOIDANCE for k in at_once], [len(starts[k]) for k in at_once])
    wanted, radius = np.concatenate([starts[k] for k in at_once]), np.concatenate([radii[k] for k in at_once])
    environment = gathering.environment
    found = find_room(
        wanted,
        radius,
        mind,
        gathering.free,
        lambda points: environment.push_out(points, radius, 0.0),
        gathering.settings.placement,
    )
    ends = np.cumsum([len(starts[k]) for k in at_once])
    for k, stand, moved in zip(
        at_once, np.split(found.points, ends[:-1]), np.split(found.moved, ends[:-1]), strict=True
    ):
        gathering.listed[crowds[k].name] = stand
        gathering.notices += tell_of_moves(crowds[k], moved)
    gathering.take(found.points, radius)


def goal_areas(scene: Scene) -> list[tuple[int, Float64]]:
    """Return the crowds that go to an area, with its outline: people inside have arrived."""
    outlines = {area.name: area.outline for area in scene.areas}
    return [(number, outlines[crowd.goal]) for number, crowd in enumerate(scene.crowds) if crowd.goal is not None]


def _refuse_what_cannot_be(scene: Scene, longest: float) -> None:
    """Refuse routes longer than a limit [m]: valid, yet no machine can simulate them."""
    faults = []
    for number, route in enumerate(scene.routes):
        length = float(np.sqrt((np.diff(route.points[:, :2], axis=0) ** 2).sum(axis=1)).sum())
        if length > longest:
            kilometres = f"{length / 1000:.0f} km long, and the limit is {longest / 1000:.0f} km"
            faults.append(
                Fault(f"routes[{number}].points", f"the route is {kilometres}; check that its points are in metres")
            )
    outlines = {area.name: area.outline for area in scene.areas}
    for number, crowd in enumerate(scene.crowds):
        for place, start, goal in _journeys(crowd, outlines):
            way = float(np.sqrt(((goal - start) ** 2).sum()))
            if way > longest:
                kilometres = f"{way / 1000:.0f} km away, and the limit is {longest / 1000:.0f} km"
                faults.append(
                    Fault(f"crowds[{number}].{place}", f"the goal is {kilometres}; check that it is in metres")
                )
    if faults:
        raise SceneError(faults)


def _journeys(crowd: Crowd, outlines: dict[str, Float64]) -> list[tuple[str, Float64, Float64]]:
    """Return, of those with routes of their own, the goals' places in the scene file, starts and goals [m]."""
    if crowd.start is not None and crowd.goal is not None:
        return [("goal", outlines[crowd.start].mean(axis=0), outlines[crowd.goal].mean(axis=0))]
    each = enumerate(crowd.agents)
    return [(f"agents[{k}].goal", np.array(agent.start, float), np.array(agent.goal, float)) for k, agent in each]


def _members(gathering: Gathering, crowd: Crowd, place: str) -> _Members:
    """Place one crowd; vehicles are placed elsewhere."""
    if crowd.kind == VEHICLE:
        return _on_own_way(gathering, replace(crowd, count=0), place, np.zeros((0, 2)), np.zeros((0, 2)))
    if crowd.route is not None:
        return _on_route(gathering, crowd, place)
    if crowd.agents:
        starts = gathering.listed[crowd.name]
        goals = np.array([agent.goal for agent in crowd.agents], dtype=np.float64)
    elif crowd.count == 0 or crowd.start is None:
        starts = goals = np.zeros((0, 2))
    else:
        starts, goals = _between_areas(gathering, crowd, place)
    return _on_own_way(gathering, crowd, place, starts, goals)


def _on_route(gathering: Gathering, crowd: Crowd, place: str) -> _Members:
    """Place a crowd on its route."""
    index = next(number for number, route in enumerate(gathering.routes) if route.name == crowd.route)
    route, path = gathering.routes[index], ReferencePath(gathering.tables[index])
    seed, taken, placement = gathering.scene.seed, gathering.taken, gathering.settings.placement
    placed = gathering.place(
        crowd,
        lambda free: place_on_route(crowd, place, route, path, seed=seed, free=free, taken=taken, settings=placement),
        lambda placed: path.to_cartesian(placed.s, placed.d),
    )
    gathering.notices += tell_of_covered_start(crowd, route, placed.s, gathering.environment)
    if crowd.spawn.mode != FLOW:
        gathering.take(path.to_cartesian(placed.s, placed.d), crowd.radius[1])
    endless = crowd.arrival_rule == LOOP and route.closed
    radius, speed = _bodies(gathering.scene.seed, crowd, gathering.settings.slowest_share)
    return _Members(
        path=np.full(crowd.count, index),
        s=placed.s,
        d=placed.d,
        entry_time=placed.entry_time,
        end=np.full(crowd.count, np.inf if endless else path.length),
        goal=np.full((crowd.count, 2), np.nan),
        radius=radius,
        speed=speed,
        refused=[None] * crowd.count,
        waits=np.zeros(crowd.count, dtype=bool),
        lane=np.zeros(crowd.count),
        party=parties_of(gathering.scene.seed, crowd),
    )


def _between_areas(gathering: Gathering, crowd: Crowd, place: str) -> tuple[Float64, Float64]:
    """Return float64 (N, 2) starts and goals in a crowd's two areas."""
    outlines = {area.name: area.outline for area in gathering.scene.areas}
    assert crowd.start is not None
    assert crowd.goal is not None
    seed = gathering.scene.seed
    name, taken, placement = crowd.start, gathering.taken, gathering.settings.placement
    starts = gathering.place(
        crowd,
        lambda free: place_in_area(
            crowd, place, name, outlines[name], seed=seed, free=free, taken=taken, settings=placement
        ),
        lambda starts: starts,
    )
    if crowd.spawn.mode == AT_ONCE:
        gathering.take(starts, crowd.radius[1])
    goals = goals_in_area(crowd, outlines[crowd.goal], seed=seed, free=gathering.free, settings=placement)
    room = len(np.unique(goals, axis=0))
    if crowd.arrival_rule == STOP and room < crowd.count:
        few = f"{crowd.name}: the goal '{crowd.goal}' has room for {room} of {crowd.count} who stop there"
        gathering.notices.append(f"{few}: the others stop around it. Enlarge it, or let them leave.")
    return starts, goals


def _on_own_way(gathering: Gathering, crowd: Crowd, place: str, starts: Float64, goals: Float64) -> _Members:
    """Give each of a crowd a route of their own."""
    settings, seed = gathering.settings, gathering.scene.seed
    first, count = len(gathering.tables), len(starts)
    radius, speed = _bodies(gathering.scene.seed, crowd, gathering.settings.slowest_share)
    # Who starts at the goal still needs a direction to face: a short path that ends there.
    at_goal = np.sqrt(((goals - starts) ** 2).sum(axis=1)) < settings.shortest_route
    begins = np.where(at_goal[:, None], goals - (2 * settings.shortest_route, 0.0), starts)
    environment = gathering.environment
    closed = environment.passages_at(0.0, gathering.horizon)
    party = parties_of(seed, crowd)
    lane = settings.routes.lines.used_share * randomness.uniform(seed, crowd.identity, "lane", count)[first_of(party)]
    people = Travellers(begins, goals, radius, lane, meets=_share_under_way(crowd, settings.flow_duration), party=party)
    ways, waits = find_ways_or_wait(people, closed, environment.for_good(0.0, gathering.horizon), settings.routes)
    name_what_closes(environment, gathering.horizon, people, ways, settings)
    gathering.notices += tell_of_ways(crowd, ways)
    own = environment.paths.from_polylines(ways.lines, left=ways.left, right=ways.right) if count else None
    gathering.tables += own.tables if own else ()
    ends = own.lengths if own else np.zeros(0)
    s = np.where(at_goal, ends, 0.0)
    if own and crowd.spawn.mode == SPREAD and not crowd.agents:
        s = gathering.place(
            crowd,
            lambda free: spread_along(
                crowd, place, own, seed=seed, free=free, taken=gathering.taken, settings=settings.placement
            ),
            lambda s: own.to_cartesian(np.arange(count), s, np.zeros(count)),
        )
        gathering.take(own.to_cartesian(np.arange(count), s, np.zeros(count)), crowd.radius[1])
    return _Members(
        path=np.arange(first, first + count),
        s=s,
        d=np.zeros(count),
        entry_time=entry_times(crowd, seed),
        end=ends,
        goal=goals,
        radius=radius,
        speed=speed,
        refused=ways.reasons,
        waits=waits,
        lane=lane,
        party=party,
    )


def _share_under_way(crowd: Crowd, duration: float) -> float:
    """Return the rough share of a crowd, 0 to 1, who walk at the same time if each walks for a duration [s]."""
    if crowd.spawn.mode != FLOW or crowd.count == 0:
        return 1.0
    return min(1.0, crowd.spawn.rate * duration / crowd.count)


def _bodies(seed: int, crowd: Crowd, slowest_share: float) -> tuple[Float64, Float64]:
    """Return float64 (N,) radii [m] and wanted speeds, no lower than a share of the mean, drawn for each [m/s]."""
    count = crowd.count
    low, high = crowd.radius
    radius = low + (high - low) * randomness.uniform(seed, crowd.identity, "radius", count)
    drawn = crowd.speed.mean + crowd.speed.sd * randomness.normal(seed, crowd.identity, "speed", count)
    speed = np.maximum(drawn, slowest_share * crowd.speed.mean)
    for number, agent in enumerate(crowd.agents):
        radius[number] = radius[number] if agent.radius is None else agent.radius
        speed[number] = speed[number] if agent.speed is None else agent.speed
    party = parties_of(seed, crowd)
    slowest = np.full(count, np.inf)
    np.minimum.at(slowest, party, speed)
    return radius, slowest[party]


def _groups(members: list[_Members]) -> NDArray[np.int64]:
    """Return int64 (A,), the number of each one's group in the whole scene; -1 for those who walk alone."""
    begin = np.cumsum([0, *(len(part.party) for part in members)])
    party = np.concatenate(
        [np.zeros(0, dtype=np.int64), *(part.party + first for part, first in zip(members, begin, strict=False))]
    )
    return np.where(np.bincount(party, minlength=1)[party] > 1, party, -1)


def _precedence(scene: Scene) -> Float64:
    """Return float64 (A,), from -1 to 1, higher goes first: drawn for each."""
    draws = [randomness.uniform(scene.seed, crowd.identity, "precedence", crowd.count) for crowd in scene.crowds]
    return 2.0 * np.concatenate([np.zeros(0), *draws]) - 1.0


def _absent(scene: Scene) -> NDArray[np.bool_]:
    """Return bool (A,), who is absent."""
    people = [crowd for crowd in scene.crowds if crowd.kind != VEHICLE]
    stays = [np.isin(np.arange(crowd.count), crowd.absent) for crowd in people]
    return np.concatenate([np.zeros(0, dtype=bool), *stays])


def _to_agents(scene: Scene, members: list[_Members], references: ReferenceSet, gap: float) -> Agents:
    """Join the crowds into one set of arrays."""

    def joined(name: str) -> NDArray:
        parts = [getattr(part, name) for part in members]
        return np.concatenate(parts) if parts else np.zeros((0, 2) if name == "goal" else 0)

    crowd = np.repeat(np.arange(len(members)), [len(part.path) for part in members]).astype(np.int64)
    path, s, d, speed = joined("path").astype(np.int64), joined("s"), joined("d"), joined("speed")
    spread = np.array([c.spawn.mode != AT_ONCE for c in scene.crowds], dtype=bool)[crowd]
    _, heading, _, _ = references.pose(path, s)
    tangent = heading_vector(heading)
    number = {name: place for place, name in enumerate(MODEL_NAMES)}
    group, on_route = _groups(members), np.isnan(joined("goal")[:, 0])
    offset = own_offsets(d, group, joined("radius"), references.half_widths[path], gap)
    # Alone and unhindered, the path is done where arrival counts: a little before its end.
    way = np.maximum(joined("end") - np.maximum(ARRIVAL_DISTANCE, joined("radius")) - s, 0.0)
    return Agents(
        crowd=crowd,
        path=path,
        radius=joined("radius"),
        wanted_speed=speed,
        wanted_offset=np.where(on_route, offset, 0.0),
        entry_time=np.where(_absent(scene), np.inf, joined("entry_time")),
        end=joined("end"),
        goal=joined("goal"),
        leaves=np.array([c.arrival_rule == LEAVE for c in scene.crowds], dtype=bool)[crowd],
        avoids=np.array([c.avoidance_rule != NO_AVOIDANCE for c in scene.crowds], dtype=bool)[crowd],
        refused=np.array([reason is not None for part in members for reason in part.refused], dtype=bool),
        status=np.full(len(crowd), OUTSIDE, dtype=np.int8),
        position=references.to_cartesian(path, s, d),
        # Who is spread over the path or enters it is already walking; who stands at the start begins to walk.
        velocity=tangent * np.where(spread, speed, 0.0)[:, None],
        heading=heading,
        s=s,
        d=d,
        precedence=_precedence(scene),
        model=np.array([number.get(c.avoidance_rule, 0) for c in scene.crowds], dtype=np.int8)[crowd],
        unhindered_time=np.where(np.isfinite(way), way / np.maximum(speed, 1e-9), np.nan),
        waits=joined("waits").astype(bool),
        lane=joined("lane"),
        pace=speed.copy(),
        group=group,
        rolls=np.array([c.body == WHEELS for c in scene.crowds], dtype=bool)[crowd],
        beside=np.zeros(len(crowd)),
        waited=np.zeros(len(crowd)),
        delay=np.array([c.delay for c in scene.crowds], dtype=np.float64)[crowd],
    )
