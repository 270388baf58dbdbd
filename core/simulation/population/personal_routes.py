# SPDX-License-Identifier: GPL-3.0-or-later
"""The way of somebody who is told only where to go: straight where that is free, else through the corridor map."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ...errors import NoRoute
from ...geometry.distances import Distances
from ...geometry.segments import length_of
from ...planning import ReferenceSet
from ...routing import CorridorMap, RecordedMap, direct_clearance, points_between
from ...scene import Crowd
from ..world.static_ground import Still
from .preferred_lines import HALF_WIDTH, own_lines, resampled

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

ROOM, LEAST_ROOM = 0.15, 0.03
"""Room beyond the radius that a way should have, and must have [m]."""

PARTS, LEAST_TOGETHER = 6, 8
"""People look for their ways in so many parts, of so many at least: the later ones know how many go where."""

LONGEST_WAY_ROUND = 1.3
"""Nobody goes round a crowd by a way more than so many times as long as the shortest."""

GOLDEN = 0.6180339887498949
"""Multiples of it, without their whole part, are spread evenly: where on their ways people are likely to be."""


@dataclass(frozen=True, eq=False)
class PersonalRoutes:
    """The ways of N people.

    Attributes:
        lines: float64 (P, 2) each, from start to goal [m]; the straight one where there is none.
        left, right: float64 (P,) each, the free room beside them [m].
        reasons: for each why there is none, or None.
        straight: how many go straight through what closes their way, as no map can be made.
        missing: and why; empty where a map can be made, or none is needed.
    """

    lines: list[Float64]
    left: list[Float64]
    right: list[Float64]
    reasons: list[NoRoute | None]
    straight: int = 0
    missing: str = ""

    @property
    def refused(self) -> NDArray[np.bool_]:
        """Bool (N,), for whom there is none."""
        return np.array([reason is not None for reason in self.reasons], dtype=bool)

    def walkable(self, rows: Sequence[int]) -> ReferenceSet:
        """Return the ways of some as paths to plan along."""
        chosen = [[values[row] for row in rows] for values in (self.lines, self.left, self.right)]
        return ReferenceSet.from_polylines(chosen[0], left=chosen[1], right=chosen[2])

    def put(self, row: int, way: tuple[Float64, Float64, Float64]) -> None:
        """Give somebody a way: its line, and the room left and right."""
        self.lines[row], self.left[row], self.right[row] = way
        self.reasons[row] = None


@dataclass(frozen=True, eq=False)
class Travellers:
    """N people who look for ways.

    Attributes:
        starts, goals: float64 (N, 2) [m].
        radius: float64 (N,) [m].
        lane: float64 (N,), the share of a corridor's free width that each likes to walk at, from the right.
        others: float64 (M, 2), where other people are, whose corridors count as longer [m].
        meets: the share of these N who are on their ways at the same time.
        party: int64 (N,), whose group, who go the same way, -1 for those alone; None where there are no groups.
    """

    starts: Float64
    goals: Float64
    radius: Float64
    lane: Float64
    others: Float64 = field(default_factory=lambda: np.zeros((0, 2)))
    meets: float = 1.0
    party: Int64 | None = None

    def rows(self, rows: Int64) -> Travellers:
        """Some of them."""
        return replace(
            self,
            starts=self.starts[rows],
            goals=self.goals[rows],
            radius=self.radius[rows],
            lane=self.lane[rows],
            party=None if self.party is None else self.party[rows],
        )


def find_ways(people: Travellers, still: Still) -> PersonalRoutes:
    """Return a way for each of some people.

    Args:
        people: who.
        still: what stands in the way.
    """
    count = len(people.radius)
    lines = list(np.stack([people.starts, people.goals], axis=1))
    ways = PersonalRoutes(lines, [np.full(2, HALF_WIDTH)] * count, [np.full(2, HALF_WIDTH)] * count, [None] * count)
    room = people.radius + ROOM
    blocked = np.flatnonzero(~_may_go_straight(people.starts, people.goals, room, still))
    if len(blocked) == 0:
        return ways
    if still.corridors is None:
        return replace(ways, straight=len(blocked), missing=still.missing)
    found = _through(still.corridors, people.rows(blocked))
    if people.party is not None:
        found = _together(found, people.rows(blocked), still.field)
    led = {}
    for row, way in zip(blocked.tolist(), found, strict=True):
        if isinstance(way, NoRoute):
            ways.reasons[row] = way
        else:
            led[row] = way
    rows = list(led)
    lines = own_lines(list(led.values()), people.lane[rows], people.radius[rows], still.corridors)
    for row, line in zip(rows, lines, strict=True):
        ways.put(row, line)
    return ways


def _may_go_straight(starts: Float64, goals: Float64, room: Float64, still: Still) -> NDArray[np.bool_]:
    """Tell whose straight way has room, float64 (N,), beside it [m].

    Where somebody may not go straight, it is written down only where their way is most closed: whatever stands
    elsewhere on it, they may not.
    """
    points, whose = points_between(starts, goals)
    with nullcontext() if still.notes is None else still.notes.unnoted():
        distance = still.field.signed_distance(points, float(room.max(initial=0.0)))
    least = np.full(len(starts), np.inf)
    np.minimum.at(least, whose, distance)
    free = least >= room
    if still.notes is not None:
        on_free = free[whose]
        still.notes.note(points[on_free], room[whose[on_free]])
        closed = np.flatnonzero(~on_free & (distance == least[whose]))
        there = closed[np.unique(whose[closed], return_index=True)[1]]
        still.notes.note(points[there], np.abs(distance[there]))
    return free


def find_ways_or_wait(people: Travellers, still: Still, for_good: Still) -> tuple[PersonalRoutes, NDArray[np.bool_]]:
    """Return a way for each, also for those who have to wait until something on it opens.

    Args:
        people: who.
        still: what stands in the way now.
        for_good: what will never open.

    Returns:
        The ways; and bool (N,), who has to wait.
    """
    ways = find_ways(people, still)
    rows = np.flatnonzero(ways.refused)
    waits = np.zeros(len(ways.lines), dtype=bool)
    if len(rows) == 0 or for_good is still:
        return ways, waits
    later = find_ways(people.rows(rows), for_good)
    for k, row in enumerate(rows.tolist()):
        if later.reasons[k] is None:
            ways.put(row, (later.lines[k], later.left[k], later.right[k]))
            waits[row] = True
    return ways, waits


def tell_of_ways(crowd: Crowd, ways: PersonalRoutes) -> list[str]:
    """Return sentences for the user about those of a crowd who have no way.

    Args:
        crowd: whose ways they are.
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


def _through(corridors: RecordedMap, people: Travellers) -> list[Float64 | NoRoute]:
    """Return ways through the map; each knows where those before, and others, are likely to be, and may go round."""
    shortest = _with_room(corridors, people)
    found: list[Float64 | NoRoute] = []
    likely = [people.others]
    together = max(LEAST_TOGETHER, -(-len(people.radius) // PARTS))
    for first in range(0, len(people.radius), together):
        some = people.rows(np.arange(first, min(first + together, len(people.radius))))
        there = np.concatenate(likely)
        crowded = corridors.is_crowded(there)
        found += _with_room(corridors, some, there) if crowded else shortest[first:][:together]
        for number in range(first, len(found)):
            found[number] = _worth_going(found[number], shortest[number])
        met = {
            number: way
            for number, way in enumerate(found[first:], start=first)
            if int((number + 1) * people.meets) > int(number * people.meets) and not isinstance(way, NoRoute)
        }
        likely.append(_likely_places(met, corridors))
    return found


def _together(found: list[Float64 | NoRoute], people: Travellers, field: Distances) -> list[Float64 | NoRoute]:
    """Return ways that those of a group share between their own starts and goals, as far as these are in sight."""
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
            way = joined if (room >= people.radius[number] + LEAST_ROOM).all() else way  # noqa: PLW2901
        elif not isinstance(way, NoRoute):
            firsts[party] = way
        ways.append(way)
    return ways


def _worth_going(way: Float64 | NoRoute, shortest: Float64 | NoRoute) -> Float64 | NoRoute:
    """Return a way, or the shortest one where it is too long a way round a crowd."""
    if isinstance(way, NoRoute) or isinstance(shortest, NoRoute):
        return shortest
    return way if length_of(way) <= LONGEST_WAY_ROUND * length_of(shortest) else shortest


def _likely_places(ways: dict[int, Float64], corridors: RecordedMap) -> Float64:
    """Return where people are likely to be met on their ways: anywhere, and one in two before the narrowest place.

    Args:
        ways: float64 (P, 2) of each, by their numbers [m].
        corridors: the map.

    Returns:
        float64 (N, 2) [m].
    """
    lines = {number: resampled(way)[0] for number, way in ways.items()}
    odd = [number for number in lines if number % 2]
    sizes = np.zeros(len(odd)), np.full(len(odd), HALF_WIDTH)
    rooms = corridors.corridors([lines[number] for number in odd], *sizes)
    width = {number: left + right for number, (left, right) in zip(odd, rooms, strict=True)}
    places = [_likely_place(points, number, width.get(number)) for number, points in lines.items()]
    return np.array(places).reshape(-1, 2)


def _likely_place(points: Float64, number: int, width: Float64 | None) -> Float64:
    """Return where somebody is likely to be met among points of a way, float64 (2,): where it is narrow, if known."""
    if width is not None:
        narrowest = int(np.argmin(width))
        if width[narrowest] < 2.0 * HALF_WIDTH:
            return points[narrowest]
    return points[int(((number * GOLDEN) % 1.0) * len(points))]


def ways_alone(
    corridors: CorridorMap,
    starts: Float64,
    goals: Float64,
    radius: Float64,
    *,
    rooms: Sequence[float],
    quick: bool = False,
) -> list[Float64 | None]:
    """Return ways of people, each as if alone, with the first of some rooms beside the body that there is.

    Args:
        corridors: the map.
        starts: float64 (N, 2) [m].
        goals: float64 (N, 2) [m].
        radius: float64 (N,) [m].
        rooms: beside the body, what is wanted most first [m].
        quick: see `CorridorMap.own_paths`.

    Returns:
        For each float64 (P, 2) [m], or None where there is no way.
    """
    ways: list[Float64 | None] = [None] * len(radius)
    for room in rooms:
        left = [row for row, way in enumerate(ways) if way is None]
        if left:
            found = corridors.own_paths(starts[left], goals[left], radius[left] + room, quick=quick)
            for row, way in zip(left, found, strict=True):
                ways[row] = way
    return ways


def _with_room(corridors: RecordedMap, people: Travellers, crowded_by: Float64 | None = None) -> list[Float64 | NoRoute]:
    """Return ways with as much room as there is, in the crowd that others make."""
    found = corridors.paths(people.starts, people.goals, people.radius + ROOM, crowded_by=crowded_by)
    narrow = np.array([k for k, way in enumerate(found) if isinstance(way, NoRoute)], dtype=np.int64)
    if len(narrow):
        rest = people.rows(narrow)
        closer = corridors.paths(rest.starts, rest.goals, rest.radius + LEAST_ROOM, crowded_by=crowded_by)
        for k, way in zip(narrow.tolist(), closer, strict=True):
            found[k] = way
    return found
