# SPDX-License-Identifier: GPL-3.0-or-later
"""Detours: the corridor map leads people round an obstacle that neither a plan nor a step aside gets them past.

A detour is a reference path of its own, from the position of a person to a place farther along the route, where the
person rejoins the route.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...errors import NoRoute
from ...geometry.distances import Distances
from ...geometry.reproducible_math import length
from ...geometry.segments import length_of
from ...planning import ReferenceSet
from ...routing import RecordedMap
from ..population.narrow_gaps import Gap, gap_on_route
from ..settings.guidance_settings import BypassSettings, DetourSettings
from ..settings.population_settings import RouteSettings
from ..world.agents import ARRIVAL_DISTANCE, Agents
from ..world.static_ground import StaticGround
from .bypasses import bypass_with_room


class Detours:
    """Blocked people, since when, and people on a detour, from which route.

    Args:
        count: A, how many agents there are.
        settings: when people take detours.
        route_settings: how gaps are measured that are too narrow.
        bypasses: how people bypass others who stand.

    Attributes:
        on_detour: bool (A,), whether each is on a detour.
        without_detour: bool (A,), whether each is blocked and has found no detour.
        map_error: why there is no corridor map; empty where there is one.
        no_route: agents without detour who cannot reach the end of their route at all, and the sentence that says why.
        detour_length: length of the shortest route of the others to the end of their route [m].
        free_length: length of a route that is short enough and free, for agents who are stopped all the same [m].
        narrow_gap: the gap that is too narrow for agents who would have a route through it that is short enough.
    """

    def __init__(
        self, count: int, settings: DetourSettings, route_settings: RouteSettings, bypasses: BypassSettings
    ) -> None:
        self._settings, self._route_settings, self._bypasses = settings, route_settings, bypasses
        self.on_detour = np.zeros(count, dtype=bool)
        self.without_detour = np.zeros(count, dtype=bool)
        self.map_error = ""
        self.no_route: dict[int, str] = {}
        self.detour_length: dict[int, float] = {}
        self.free_length: dict[int, float] = {}
        self.narrow_gap: dict[int, Gap] = {}
        self._blocked_since = np.full(count, np.inf)
        self._next_search = np.full(count, -np.inf)
        self._retry_time = np.full(count, settings.retry_time)
        self._home_path = np.zeros(count, dtype=np.int64)
        self._home_end = np.zeros(count)
        self._home_offset = np.zeros(count)
        self._rejoin_at = np.zeros(count)
        self._stopped_since = np.full(count, np.inf)  # because every plan hits an obstacle [s]
        self._unfinished = np.zeros(count, dtype=np.int64)  # detours in a row that did not reach the route

    def start_detours(
        self,
        agents: Agents,
        who: tuple[Int64, Int64],
        time: float,
        references: ReferenceSet,
        ground: StaticGround,
        field: Distances,
    ) -> tuple[ReferenceSet, list[int]]:
        """Start detours of people who have been blocked for long, or will be.

        Args:
            agents: all agents; `path`, `s`, `d`, `end` and `wanted_offset` of those who start a detour are changed.
            who: int64 (E,), people who search before they come to where they would be blocked; int64 (B,), the people
                blocked now.
            time: [s].
            references: the reference paths.
            ground: the obstacles that stand now.
            field: distances to these and to people who stand.

        Returns:
            The paths with those of the detours, and who of the former has just searched in vain.
        """
        (early, blocked), settings, since = who, self._settings, np.full(len(agents), np.inf)
        in_vain: list[int] = []
        if not len(blocked) and not len(early):
            self._blocked_since, self.without_detour[:] = since, False
            return references, in_vain
        since[blocked] = np.minimum(self._blocked_since[blocked], time)
        self._blocked_since = since
        self.without_detour &= np.isfinite(since)
        late = time - since >= settings.patience
        searches = late.copy()
        searches[early] = True
        searching = np.flatnonzero(searches & (time >= self._next_search))
        impatient = searching[late[searching]]
        corridors = ground.corridors if len(searching) else None
        if corridors is None:
            self.without_detour[impatient] = True
            for row in impatient.tolist():
                self._clear_reasons(row)  # they are of a map of other obstacles
            self.map_error = ground.missing if len(impatient) else self.map_error
            return references, in_vain
        found, lines = [], []
        for row in searching.tolist():  # few: each searches a route of its own in the map
            line = self._find_detour(agents, row, references, corridors, ground.field, field)
            if line is not None:
                found.append(row)
                lines.append(line)
            elif late[row]:
                self.without_detour[row] = True
                self._find_reason(agents, row, references, corridors)
                self._next_search[row] = time + self._retry_time[row]
                self._retry_time[row] *= 2.0
            else:
                self._next_search[row] = time + settings.patience
                in_vain.append(row)
        if not found:
            return references, in_vain
        paths = ReferenceSet.from_polylines(lines, half_width=settings.half_width)
        self._start_people(agents, np.array(found), len(references), time)
        return ReferenceSet([*references.tables, *paths.tables], references), in_vain

    def end_detours(self, agents: Agents, rows: Int64) -> Int64:
        """End the detours of those of some people who are on one, and return int64 (R,), the paths of their routes."""
        home = np.where(self.on_detour[rows], self._home_path[rows], agents.path[rows])
        self.on_detour[rows] = False
        self.without_detour[rows] = False
        self._blocked_since[rows] = np.inf
        return home

    def remaining_stretches(self, agents: Agents, row: int, references: ReferenceSet) -> list[tuple[int, float, float]]:
        """Return the stretches of paths that an agent still has to walk: path, first and last arc length [m].

        Args:
            agents: all agents.
            row: an agent on a route that has an end.
            references: the reference paths.
        """
        path, s = int(agents.path[row]), float(agents.s[row])
        if not self.on_detour[row]:
            return [(path, s, float(min(agents.end[row], references.lengths[path])))]
        run_in = self._settings.run_in
        home, joined = int(self._home_path[row]), max(s, float(references.lengths[path]) - run_in)
        end = float(min(self._home_end[row], references.lengths[home]))
        begin = float(self._rejoin_at[row]) + joined - (float(references.lengths[path]) - run_in)
        return [(path, s, joined), (home, min(begin, end), end)]

    def left_of_route(self, agents: Agents, rows: Int64, references: ReferenceSet) -> Float64:
        """Return float64 (R,), how far people are from the end of their route; from a detour straight there [m]."""
        left = agents.end[rows] - agents.s[rows]
        away = self.on_detour[rows].nonzero()[0]
        if len(away):
            some, end = rows[away], self._home_end[rows[away]]
            known = np.isfinite(end)
            ends = references.to_cartesian(self._home_path[some], np.where(known, end, 0.0), self._home_offset[some])
            left[away] = np.where(known, length(ends - agents.position[some]), np.inf)
        return left

    def are_lost(self, agents: Agents, rows: Int64, references: ReferenceSet, sees: Bool) -> Bool:
        """Return bool (R,), whether each is so far from the path that an obstacle may lie between them and it.

        Args:
            agents: all agents.
            rows: int64 (R,), people who walk.
            references: the reference paths.
            sees: bool (R,), False for people with routes of their own who see no place ahead on it.
        """
        settings = self._settings
        on_route = references.half_widths[agents.path[rows]] + settings.lost_distance
        reach = np.where(self.on_detour[rows] | ~sees, settings.lost_on_detour_distance, on_route)
        return np.abs(agents.d[rows]) > reach

    def are_impatient(self, rows: Int64, stopped: Bool, time: float) -> Bool:
        """Return bool (R,), who has found only plans that hit an obstacle for so long that others count no more.

        Two at a wall, the one behind held up by the one in front, would else wait for each other for ever.

        Args:
            rows: int64 (R,), all who walk.
            stopped: bool (R,), whose every plan hits an obstacle.
            time: [s].
        """
        since = np.where(stopped, np.minimum(self._stopped_since[rows], time), np.inf)
        self._stopped_since[:] = np.inf
        self._stopped_since[rows] = since
        return time - since >= self._settings.patience_in_company

    def rejoin_routes(self, agents: Agents, references: ReferenceSet) -> None:
        """Return people who have reached the end of their detour, or of their route, to their route."""
        rows = self.on_detour.nonzero()[0]
        if len(rows) == 0:
            return
        run_in = self._settings.run_in
        left = references.lengths[agents.path[rows]] - agents.s[rows]
        near = self._rejoin_at[rows] + run_in - left
        home = self._home_path[rows]
        done = left <= 0.5 * run_in
        done |= ~references.closed[home] & (near >= references.lengths[home] - ARRIVAL_DISTANCE)
        rows, near = rows[done], near[done]
        agents.path[rows], agents.end[rows] = self._home_path[rows], self._home_end[rows]
        agents.wanted_offset[rows] = self._home_offset[rows]
        agents.s[rows], agents.d[rows] = references.to_frenet(agents.path[rows], agents.position[rows], near)
        self.on_detour[rows] = False

    def _start_people(self, agents: Agents, rows: Int64, first_path: int, time: float) -> None:
        """Store the routes of some agents, and place them at the start of their detours."""
        home = rows[~self.on_detour[rows]]
        self._home_path[home], self._home_end[home] = agents.path[home], agents.end[home]
        self._home_offset[home] = agents.wanted_offset[home]
        self._unfinished[rows] += 1
        self._unfinished[home] = 0
        self.on_detour[rows] = True
        agents.path[rows] = first_path + np.arange(len(rows))
        agents.s[rows], agents.d[rows], agents.end[rows], agents.wanted_offset[rows] = 0.0, 0.0, np.inf, 0.0
        self._blocked_since[rows] = np.inf
        self._next_search[rows] = time + self._settings.retry_time
        self._retry_time[rows] = self._settings.retry_time

    def _find_detour(
        self,
        agents: Agents,
        row: int,
        references: ReferenceSet,
        corridors: RecordedMap,
        obstacles: Distances,
        field: Distances,
    ) -> Float64 | None:
        """Return float64 (P, 3), the first detour that is short enough and rejoins where nothing stands on the route.

        None where there is none.
        """
        settings = self._settings
        radius = float(agents.radius[row])
        least = radius + settings.least_clearance
        held_up = self._retry_time[row] > settings.retry_time  # has searched in vain
        stands = obstacles if held_up else field
        route, s, offset = agents.path[row], agents.s[row], agents.wanted_offset[row]
        if self.on_detour[row]:
            # After several unfinished detours the next rejoins farther along: people must not walk in circles.
            again = settings.rejoin_distances[0] if self._unfinished[row] < settings.unfinished_detours else 0.0
            route, offset = self._home_path[row], self._home_offset[row]
            # Others may have carried them past where they were to rejoin.
            abreast, _ = references.to_frenet([route], agents.position[[row]], self._rejoin_at[[row]])
            s = max(self._rejoin_at[row] - again, float(abreast[0]))
        end = np.inf if references.closed[route] else references.lengths[route]
        for ahead in settings.rejoin_distances:
            rejoin = min(s + ahead, end)
            places = rejoin + np.linspace(0.0, settings.run_in, 7)
            tail = references.to_cartesian(np.full(7, route), places, np.full(7, offset))
            if rejoin < end and (stands.signed_distance(tail, least) < least).any():
                continue
            path = self._find_path(corridors, agents.position[row], tail[0], radius)
            if path is not None:
                room = settings.pressed_radius_share * radius, least, radius + settings.beside_people
                round_people = bypass_with_room(path, *room, field, self._bypasses)
                # Between people who stand and a wall nobody waits for ever: they squeeze past.
                path = path if round_people is None and held_up else round_people
            if path is not None and length_of(path) <= settings.greatest_length(ahead):
                self._rejoin_at[row] = rejoin
                line = np.concatenate([path, tail[1:]])
                height = references.height(np.full(2, route), np.array([s, rejoin]))
                return np.column_stack([line, np.linspace(height[0], height[1], len(line))])
            if rejoin == end:
                break
        return None

    def _find_path(self, corridors: RecordedMap, start: Float64, goal: Float64, radius: float) -> Float64 | None:
        """Return the shortest path of a body with the clearance there is; None where it does not fit through."""
        for clearance in (self._settings.clearance, self._settings.least_clearance):
            try:
                return corridors.path(start, goal, radius + clearance)
            except NoRoute:
                continue
        return None

    def _clear_reasons(self, row: int) -> None:
        for known in (self.no_route, self.detour_length, self.free_length, self.narrow_gap):
            known.pop(row, None)

    def _find_reason(self, agents: Agents, row: int, references: ReferenceSet, corridors: RecordedMap) -> None:
        """Find out why an agent has no detour: no route to the end, a narrow gap, a long route, or other people."""
        settings = self._settings
        route = int(self._home_path[row] if self.on_detour[row] else agents.path[row])
        self._clear_reasons(row)
        radius = float(agents.radius[row]) + settings.least_clearance
        s = float(self._rejoin_at[row] if self.on_detour[row] else agents.s[row])
        farthest = s + settings.rejoin_distances[-1]
        rejoin = farthest if references.closed[route] else min(farthest, float(references.lengths[route]))
        goal = references.to_cartesian([route], [rejoin], [0.0])[0]
        if self._find_free_route(agents.position[row], goal, row, radius, corridors):
            return
        gap = gap_on_route(
            corridors,
            agents.position[row],
            goal,
            radius=radius,
            longest=settings.greatest_length(rejoin - s),
            settings=self._route_settings,
        )
        if gap is not None:
            self.narrow_gap[row] = gap
        if references.closed[route]:
            return
        end = references.to_cartesian([route], references.lengths[[route]], [0.0])[0]
        try:
            path = corridors.path(agents.position[row], end, radius)
            self.detour_length[row] = length_of(path)
        except NoRoute as reason:
            self.no_route[row] = str(reason)  # not the exception, whose traceback would keep much alive

    def _find_free_route(self, place: Float64, goal: Float64, row: int, radius: float, corridors: RecordedMap) -> bool:
        """Store the length of an agent's route to where the agent is to rejoin, and return whether it is short enough.

        After several unfinished detours an agent is to rejoin farther and farther along, until the next one would save
        little although the route is free: other people stand in it.
        """
        apart = goal - place
        try:
            free = length_of(corridors.path(place, goal, radius))
        except NoRoute:
            return False
        if free > self._settings.greatest_length(float(np.sqrt((apart * apart).sum()))):
            return False
        self.free_length[row] = free
        return True


def follow_line(agents: Agents, rows: Int64, references: ReferenceSet, settings: DetourSettings) -> Float64:
    """Return float64 (R, 2), velocities along the line of a detour itself, which is free where no plan is [m/s].

    Args:
        agents: all agents.
        rows: int64 (R,), people on a detour without a plan.
        references: the reference paths.
        settings: how fast they walk.
    """
    ahead = agents.s[rows] + 2 * settings.clearance
    to_target = references.to_cartesian(agents.path[rows], ahead, np.zeros(len(rows))) - agents.position[rows]
    apart = np.sqrt((to_target * to_target).sum(axis=1, keepdims=True))
    return to_target * (np.minimum(settings.line_speed, settings.approach_rate * apart) / np.maximum(apart, 1e-9))
