# SPDX-License-Identifier: GPL-3.0-or-later
"""Routes of people of whom only the goal is given: straight where that is free, else through the corridor map."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...errors import NoRoute
from ...geometry.distances import Distances
from ...geometry.ragged import cumulative_sums
from ...geometry.reproducible_math import dot, length, length2
from ...geometry.segments import lengths_of
from ...planning import ReferenceSettings
from ...planning.paths.path_tables import walk_open_lines
from ...planning.paths.walked_path import WalkedPath
from ...routing import RecordedMap, direct_clearance, parts_of_length, points_between
from ...scene import Crowd
from ..settings.population_settings import POPULATION, PreferredLineSettings, RouteSettings
from ..world.static_ground import StaticGround
from .preferred_lines import own_lines, resampled

ROUTES_AT_ONCE = 256
"""People whose own lines are found together, to bound memory."""

GOLDEN = 0.6180339887498949
"""Multiples of it, without their whole part, are spread evenly: where on their routes people are likely to be."""

_NOTHING = np.zeros(0)  # instead of a line that is not kept

_TURNS_BACK = 0.999
"""Minus the cosine of the angle from which on a route turns back on itself: within 3 degrees, a rounded U-turn."""


@dataclass(frozen=True, eq=False)
class PersonalRoutes:
    """The routes of N people.

    Attributes:
        lines: float64 (P, 2) each, from start to goal [m]; the straight one where there is none.
        left, right: float64 (P,) each, the free room beside them [m].
        reasons: for each why there is no route, or None.
        straight: how many go straight through obstacles, as no map can be made.
        missing: and why; empty where a map can be made, or none is needed.
    """

    lines: list[Float64]
    left: list[Float64]
    right: list[Float64]
    reasons: list[NoRoute | None]
    straight: int = 0
    missing: str = ""

    @property
    def refused(self) -> Bool:
        """Bool (N,), for whom there is none."""
        return np.array([reason is not None for reason in self.reasons], dtype=bool)

    def walkable(self, rows: Sequence[int]) -> list[WalkedPath]:
        """Return the routes of some as paths to plan along."""
        sides = [(self.left[row], self.right[row]) for row in rows]
        return walk_open_lines([self.lines[row] for row in rows], sides, ReferenceSettings())

    def hand_over(self, count: int) -> Generator[tuple[list[Float64], list[Float64], list[Float64]]]:
        """Yield the lines, and the room left and right, of so many people at a time; they are not kept here."""
        for first in range(0, len(self.lines), count):
            some = slice(first, first + count)
            yield self.lines[some], self.left[some], self.right[some]
            for values in (self.lines, self.left, self.right):
                values[some] = [_NOTHING] * len(values[some])

    def put(self, row: int, way: tuple[Float64, Float64, Float64]) -> None:
        """Give somebody a route: its line, and the room left and right."""
        self.lines[row], self.left[row], self.right[row] = way
        self.reasons[row] = None

    def stretch_to(self, places: Float64, rows: Int64, *, start: bool, least: float) -> None:
        """Extend routes to where people stand at their start or end: beside a wall a route keeps more clearance.

        Args:
            places: float64 (N, 2), of everybody [m].
            rows: int64 (M,), whose routes.
            start: whether they stand at the start, else at the end.
            least: routes that are off by less stay [m].
        """
        end = 0 if start else -1
        off = np.array([self.lines[row][end] for row in rows.tolist()]).reshape(-1, 2) - places[rows]
        for row in rows[length2(off) > least * least].tolist():
            if self.reasons[row] is None:
                at = 0 if start else len(self.lines[row])
                self.lines[row] = np.insert(self.lines[row], at, places[row], axis=0)
                self.left[row] = np.insert(self.left[row], at, self.left[row][end])
                self.right[row] = np.insert(self.right[row], at, self.right[row][end])


@dataclass(frozen=True, eq=False)
class Travellers:
    """N people who need routes.

    Attributes:
        starts, goals: float64 (N, 2) [m].
        radius: float64 (N,) [m].
        lane: float64 (N,), the share of a corridor's free width that each likes to walk at, from the right.
        others: float64 (M, 2), where other people are, whose corridors count as longer [m].
        meets: the share of these N who walk at the same time.
        party: int64 (N,), the group of each, which shares a route, -1 for those alone; None where there are no groups.
        reach: float64 (N,) or one for all, of arms beyond the body: so much more room a route should have [m].
    """

    starts: Float64
    goals: Float64
    radius: Float64
    lane: Float64
    others: Float64 = field(default_factory=lambda: np.zeros((0, 2)))
    meets: float = 1.0
    party: Int64 | None = None
    reach: Float64 | float = 0.0

    def rows(self, rows: Int64) -> Travellers:
        """Some of them."""
        return replace(
            self,
            starts=self.starts[rows],
            goals=self.goals[rows],
            radius=self.radius[rows],
            lane=self.lane[rows],
            party=None if self.party is None else self.party[rows],
            reach=np.broadcast_to(self.reach, self.radius.shape)[rows],
        )


def find_routes(people: Travellers, still: StaticGround, settings: RouteSettings = POPULATION.routes) -> PersonalRoutes:
    """Return a route for each of some people.

    Args:
        people: the travellers.
        still: the obstacles.
        settings: how routes are searched.
    """
    width = settings.lines.half_width
    count = len(people.radius)
    lines = list(np.stack([people.starts, people.goals], axis=1))
    ways = PersonalRoutes(lines, [np.full(2, width)] * count, [np.full(2, width)] * count, [None] * count)
    wide = people.radius + people.reach
    room = wide + settings.clearance
    straight = [
        _may_go_straight(people.starts[some], people.goals[some], room[some], still)
        for some in parts_of_length(people.starts, people.goals)
    ]
    blocked = np.flatnonzero(~np.concatenate([np.zeros(0, dtype=bool), *straight]))
    if len(blocked) == 0:
        return ways
    if still.corridors is None:
        return replace(ways, straight=len(blocked), missing=still.missing)
    found = _through(still.corridors, people.rows(blocked), still.field, settings)
    if people.party is not None:
        found = _together(found, people.rows(blocked), still.field, settings.least_clearance)
    led = {}
    for row, way in zip(blocked.tolist(), found, strict=True):
        if isinstance(way, NoRoute):
            ways.reasons[row] = way
        else:
            led[row] = way
    rows = list(led)
    for first in range(0, len(rows), ROUTES_AT_ONCE):
        some = rows[first : first + ROUTES_AT_ONCE]
        routes = [led[row] for row in some]
        lines = own_lines(routes, people.lane[some], wide[some], still.corridors, settings.lines)
        for row, line in zip(some, lines, strict=True):
            ways.put(row, line)
    return ways


def _may_go_straight(starts: Float64, goals: Float64, room: Float64, still: StaticGround) -> Bool:
    """Return bool (N,), whose straight path has room, float64 (N,), on both sides [m].

    Of a blocked path only its narrowest place is noted in the journal: obstacles elsewhere cannot unblock it.
    """
    points, whose = points_between(starts, goals)
    with still.unrecorded():
        distance = still.field.signed_distance(points, float(room.max(initial=0.0)))
    least = np.full(len(starts), np.inf)
    np.minimum.at(least, whose, distance)
    free = least >= room
    on_free = free[whose]
    still.note_disc(points[on_free], room[whose[on_free]])
    closed = np.flatnonzero(~on_free & (distance == least[whose]))
    there = closed[np.unique(whose[closed], return_index=True)[1]]
    still.note_disc(points[there], np.abs(distance[there]))
    return free


def find_routes_or_wait(
    people: Travellers, still: StaticGround, for_good: StaticGround, settings: RouteSettings = POPULATION.routes
) -> tuple[PersonalRoutes, Bool]:
    """Return a route for each, also for those who have to wait until a door on it opens.

    Args:
        people: the travellers.
        still: the obstacles now.
        for_good: those that will never open.
        settings: how routes are searched.

    Returns:
        The routes; and bool (N,), whether each has to wait.
    """
    ways = find_routes(people, still, settings)
    rows = np.flatnonzero(ways.refused)
    waits = np.zeros(len(ways.lines), dtype=bool)
    if len(rows) == 0 or for_good is still:
        return ways, waits
    later = find_routes(people.rows(rows), for_good, settings)
    for k, row in enumerate(rows.tolist()):
        if later.reasons[k] is None:
            ways.put(row, (later.lines[k], later.left[k], later.right[k]))
            waits[row] = True
    return ways, waits


def report_routes(crowd: Crowd, ways: PersonalRoutes) -> list[str]:
    """Return notices about those of a crowd who have no route.

    Args:
        crowd: whose routes they are.
        ways: of all of it.
    """
    count = len(ways.lines)
    if ways.missing:
        return [f"{crowd.name}: {ways.straight} of {count} walk straight ahead. {ways.missing}"]
    reasons = [reason for reason in ways.reasons if reason is not None]
    if not reasons:
        return []
    between = "to their goal" if crowd.goal is None else f"from '{crowd.start}' to '{crowd.goal}'"
    way_out = "Move the obstacle" if reasons[0].gap is None else "Widen the gap or choose a smaller body radius"
    stay = f"{len(reasons)} of {count} have no route {between} and stay where they are"
    return [f"{crowd.name}: {stay}. {reasons[0]} {way_out}."]


def _through(
    corridors: RecordedMap, people: Travellers, field: Distances, settings: RouteSettings
) -> list[Float64 | NoRoute]:
    """Return routes through the map; each may lead round where earlier people, and others, are likely to be."""
    shortest = _with_room(corridors, people, settings)
    found: list[Float64 | NoRoute] = []
    likely = [people.others]
    together = max(settings.smallest_batch, -(-len(people.radius) // settings.batches))
    for first in range(0, len(people.radius), together):
        some = people.rows(np.arange(first, min(first + together, len(people.radius))))
        there = np.concatenate(likely)
        crowded = corridors.is_crowded(there)
        found += _with_room(corridors, some, settings, there) if crowded else shortest[first:][:together]
        room = some.radius + settings.least_clearance
        ways = [without_dead_ends(*each, field) for each in zip(found[first:], room.tolist(), strict=True)]
        found[first:] = _worth_going(ways, shortest[first : len(found)], settings)
        met = {
            number: way
            for number, way in enumerate(found[first:], start=first)
            if int((number + 1) * people.meets) > int(number * people.meets) and not isinstance(way, NoRoute)
        }
        likely.append(_likely_places(met, corridors, settings.lines))
    return found


def _together(
    found: list[Float64 | NoRoute], people: Travellers, field: Distances, clearance: float
) -> list[Float64 | NoRoute]:
    """Return routes that groups share between the members' own starts and goals, as far as these are in sight."""
    assert people.party is not None
    ways: list[Float64 | NoRoute] = []
    firsts: dict[int, Float64] = {}
    for number, way in enumerate(found):
        party = int(people.party[number])
        shared = firsts.get(party) if party >= 0 else None
        if shared is not None and not isinstance(way, NoRoute):
            joined = np.concatenate([people.starts[number][None], shared[1:-1], people.goals[number][None]])
            ends = np.array([0, len(joined) - 2])
            room = direct_clearance(joined[ends], joined[ends + 1], field)
            way = joined if (room >= people.radius[number] + clearance).all() else way  # noqa: PLW2901
        elif not isinstance(way, NoRoute):
            firsts[party] = way
        ways.append(way)
    return ways


def _worth_going(
    ways: Sequence[Float64 | NoRoute], shortest: Sequence[Float64 | NoRoute], settings: RouteSettings
) -> list[Float64 | NoRoute]:
    """Return routes, or the shortest ones where they are much longer than those, or begin by turning back."""
    chosen = [short if isinstance(way, NoRoute) else way for way, short in zip(ways, shortest, strict=True)]
    both = [
        (k, way, short)
        for k, (way, short) in enumerate(zip(chosen, shortest, strict=True))
        if not isinstance(way, NoRoute) and not isinstance(short, NoRoute) and not np.array_equal(way, short)
    ]
    if not both:
        return chosen
    rows, longer, shorter = zip(*both, strict=True)
    too_long = lengths_of(longer) > settings.longest_detour * lengths_of(shorter)
    usual = np.minimum(settings.cos_turning_back, _cos_to_goals(shorter, settings.first_leg))
    turns_back = _cos_to_goals(longer, settings.first_leg) < usual
    for number in np.flatnonzero(too_long | turns_back).tolist():
        chosen[rows[number]] = shorter[number]
    return chosen


def _cos_to_goals(ways: Sequence[Float64], first_leg: float) -> Float64:
    """Return the cosines between the first metres of routes, float64 (P, 2) each, and the lines to their goals."""
    points, counts = np.concatenate(ways), np.array([len(way) for way in ways])
    first = np.append(0, np.cumsum(counts))
    run = np.diff(points, axis=0, append=points[-1:])
    apart = length(run)
    apart[first[1:] - 1] = 0.0
    along = cumulative_sums(apart, first)  # at the end of each step
    step = np.minimum(np.add.reduceat((along < first_leg).astype(np.int64), first[:-1]), counts - 2) + first[:-1]
    share = np.minimum(1.0 + (first_leg - along[step]) / np.maximum(apart[step], 1e-9), 1.0)
    leg = points[step] + share[:, None] * run[step] - points[first[:-1]]
    straight = points[first[1:] - 1] - points[first[:-1]]
    return dot(leg, straight) / np.maximum(length(leg) * length(straight), 1e-9)


def without_dead_ends(way: Float64 | NoRoute, room: float, field: Distances) -> Float64 | NoRoute:
    """Return a route, float64 (P, 2), without corners at which it turns back on itself and need not [m].

    Args:
        way: the route.
        room: that the straight line past the corner has to have on both sides [m].
        field: distances to obstacles.
    """
    while not isinstance(way, NoRoute) and len(way) > 2:
        run = np.diff(way, axis=0)
        lengths = length(run)
        along = dot(run[:-1], run[1:])
        back = np.flatnonzero(along < -_TURNS_BACK * lengths[:-1] * lengths[1:])
        back = back[direct_clearance(way[back], way[back + 2], field, room) >= room]
        if not len(back):
            break
        way = np.delete(way, back[0] + 1, axis=0)
    return way


def _likely_places(ways: dict[int, Float64], corridors: RecordedMap, lines_of: PreferredLineSettings) -> Float64:
    """Return where people are likely to be met on their routes: anywhere, and every second at the narrowest place.

    Args:
        ways: float64 (P, 2) of each, by their numbers [m].
        corridors: the map.
        lines_of: how people spread over corridors.

    Returns:
        float64 (N, 2) [m].
    """
    if not ways:
        return np.zeros((0, 2))
    lines = dict(zip(ways, resampled(list(ways.values()), lines_of.spacing)[0], strict=True))
    odd = [number for number in lines if number % 2]
    sizes = np.zeros(len(odd)), np.full(len(odd), lines_of.half_width)
    rooms = corridors.corridors([lines[number] for number in odd], *sizes)
    width = {number: left + right for number, (left, right) in zip(odd, rooms, strict=True)}
    places = [
        _likely_place(points, number, width.get(number), 2.0 * lines_of.half_width) for number, points in lines.items()
    ]
    return np.array(places).reshape(-1, 2)


def _likely_place(points: Float64, number: int, width: Float64 | None, wide: float) -> Float64:
    """Return the point of a route where its walker is likely to be met, float64 (2,): where it is narrow, if known."""
    if width is not None:
        narrowest = int(np.argmin(width))
        if width[narrowest] < wide:
            return points[narrowest]
    return points[int(((number * GOLDEN) % 1.0) * len(points))]


def _with_room(
    corridors: RecordedMap, people: Travellers, settings: RouteSettings, crowded_by: Float64 | None = None
) -> list[Float64 | NoRoute]:
    """Return routes with the full clearance, or with the least where others are not worth going, round the crowd."""
    room = people.radius + people.reach + settings.clearance
    found = corridors.paths(people.starts, people.goals, room, crowded_by=crowded_by)
    straight = list(np.stack((people.starts, people.goals), axis=1))
    alone = crowded_by is None  # in a crowd nobody goes far round anyway: see `_through`
    far = [
        k
        for k, (way, near) in enumerate(zip(found, _worth_going(found, straight, settings), strict=True))
        if isinstance(way, NoRoute) or (alone and near is not way)
    ]
    if far:
        rest = people.rows(np.array(far))
        closer = corridors.paths(rest.starts, rest.goals, rest.radius + settings.least_clearance, crowded_by=crowded_by)
        for k, way in zip(far, _worth_going([found[k] for k in far], closer, settings), strict=True):
            found[k] = way
    return found
