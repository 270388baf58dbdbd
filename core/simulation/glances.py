# SPDX-License-Identifier: GPL-3.0-or-later
"""What people look for on their ways and do not see: where it lies does not matter as long as it is out of sight.

Whoever is to know how far along a way somebody has looked, and over which ground, need not count what no one saw.
It is written down from where it was looked for, so that this can be asked again when something is another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..geometry.distances import Distances
from ..planning import ReferenceSet
from ..planning.tables import PathTable
from ..routing import direct_clearance, points_between
from .doorways import NoDoor, doors_elsewhere
from .ground_read import TOUCH, GroundRead

if TYPE_CHECKING:
    from .ways_read import WaysRead

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]
Bool = NDArray[np.bool_]
FieldAt = Callable[[float], Distances]

CUT = 0.3
"""By so much at most people cut across a bend of their way [m]. If all took the shortest way round a corner, those who
come from both sides would meet at its inner edge and block each other there."""

NARROW = 1.3
"""Through what is narrower than this people pass one after another, and there is no side to keep [m]."""

NEVER_CUT = 1.0
"""An aim so far ahead is taken whatever is cut: nobody who gets aside shall be without one [m]."""

BETWEEN = (0.2, 0.4, 0.6, 0.8)
"""Shares of the way to the aim at which it is looked at how much is cut."""

STEP = 0.25
"""The room beside a way is looked at in places so far apart [m]."""

NEAR_WAY = 3.0
"""What stands farther beside a way than this does not change how narrow that is [m]."""


@dataclass(frozen=True, eq=False)
class Sight:
    """Places on their ways that N people look for.

    Attributes:
        path: int64 (N,), whose way.
        start: float64 (N,), how far along it they are [m].
        place: float64 (N,), how far along it that is, at its end at most [m].
        point: float64 (N, 2), where that is; at the end of the way it is the goal [m].
        goal: float64 (N, 2) [m].
        position: float64 (N, 2), from where they look [m].
        room: float64 (N,), that the straight line there must have beside the body [m].
    """

    path: Int64
    start: Float64
    place: Float64
    point: Float64
    goal: Float64
    position: Float64
    room: Float64

    def is_aim(
        self, references: ReferenceSet, field: Distances, at_most: float, ahead: float
    ) -> tuple[Bool, Bool, Bool]:
        """Tell who sees their place, and may walk straight there.

        Args:
            references: the ways.
            field: distances to what stands.
            at_most: more room need not be known [m].
            ahead: so far ahead they look [m].

        Returns:
            bool (N,) each: who may; who sees it, though they may not; and for whom the way there was looked at.
        """
        seen = direct_clearance(self.position, self.point, field, at_most) >= self.room
        may, bulging = seen.copy(), np.zeros(len(seen), dtype=bool)
        if ahead > NEVER_CUT:
            rows = np.flatnonzero(seen)
            rows = rows[_cut(self, rows, references) > CUT]
            bulging[rows] = True
            may[rows] = _narrowest(self, rows, references, field, ahead) < NARROW
        return may, seen, bulging

    def rows(self, rows: Bool | Int64) -> Sight:
        """Some of them."""
        return Sight(*(getattr(self, field.name)[rows] for field in fields(self)))


@dataclass(frozen=True, eq=False)
class Unseen:
    """Places that were not in `sight` at a `time` [s].

    Attributes:
        time, sight: see there.
        sought: float64 (N,), how far along their ways they would be if these were long enough [m].
        ways: what `sight.path` counts, where people are not on the ways that they set out on; empty where they are.
        along: bool (N,), who sees it, so that it matters what stands beside the way there, too.
        at_most, ahead: as for `Sight.is_aim`.
    """

    time: float
    sight: Sight
    sought: Float64
    ways: tuple[PathTable, ...]
    along: Bool
    at_most: float
    ahead: float


NotSeen = Unseen | NoDoor
"""What people have looked for on their ways and have not seen."""


class Glances:
    """What people look for in one moment, and who sees it.

    Args:
        time: [s].
        references: their ways, under watch.
        ground: where it is written down which ground is looked at.
        read: where to put what is not seen; what there is no room for counts as seen.
    """

    def __init__(self, time: float, references: ReferenceSet, ground: GroundRead, read: WaysRead) -> None:
        self._time, self._references, self._ground, self._read = time, references, ground, read

    def see(self, sight: Sight, sought: Float64, field: Distances, ahead: float) -> Bool:
        """Return bool (N,), who has an aim there: these know that place on their way, and the ground up to it.

        Args:
            sight: what they look for.
            sought: float64 (N,), see `Unseen` [m].
            field: distances to what stands.
            ahead: so far ahead they look [m].
        """
        at_most, watch = float(sight.room.max()), self._references.watch
        with self._ground.unnoted(), self._references.unwatched():
            may, seen, bulging = sight.is_aim(self._references, field, at_most, ahead)
        noted = may
        if self._read.room < len(may):
            noted = np.ones(len(may), dtype=bool)
        if watch is not None and noted.any():
            watch.note(sight.path[noted], np.where(may, sight.place, sought)[noted])
            self._ground.note(points_between(sight.position[noted], sight.point[noted])[0], at_most)
            _narrowest(sight, np.flatnonzero(noted & bulging), self._references, field, ahead)  # once more, to be noted
        for on_first in (True, False):
            rows = np.flatnonzero(~noted & (self._read.on_first[sight.path] == on_first))
            if len(rows):
                known, ways = sight.rows(rows), ()
                if not on_first:
                    numbers, path = np.unique(known.path, return_inverse=True)
                    known = replace(known, path=path)
                    ways = tuple(self._references.tables[number] for number in numbers.tolist())
                self._read.put(Unseen(self._time, known, sought[rows], ways, seen[rows], at_most, ahead))
        return may


def sights_elsewhere(
    unseen: Sequence[NotSeen],
    lines: Sequence[Float64],
    references: ReferenceSet,
    alike: Float64,
    field_at: FieldAt,
) -> list[NotSeen]:
    """Return what is not in sight where something else stands, up to the first moment in which something is.

    Args:
        unseen: what was not in sight, and where there was no door.
        lines: float64 (V, 2) each, the corners of what stands in one place only [m].
        references: the ways that the same people have there.
        alike: float64 (P,), how far these are the same as those that this was last looked for on [m].
        field_at: returns distances to what stands there at a time [s].

    Returns:
        As many as are given if nothing comes in sight, with the places as they are there.
    """
    boxes = [(line.min(axis=0), line.max(axis=0)) for line in lines]
    unseen = unseen[: _first_door(unseen, references, alike)]
    places = [each for each in unseen if isinstance(each, Unseen)]
    again = iter(_asked_again(places, boxes, references, alike))
    found: list[NotSeen] = []
    for moment in unseen:
        if isinstance(moment, NoDoor) or not (asked := next(again)).any():
            found.append(moment)
            continue
        sight, along = moment.sight, moment.along.copy()
        ways = ReferenceSet(moment.ways) if moment.ways else references
        if not moment.ways:
            sight = _where_it_is_now(sight, moment.sought >= alike[sight.path], moment.sought, references)
        may, along[asked], _ = sight.rows(asked).is_aim(ways, field_at(moment.time), moment.at_most, moment.ahead)
        if may.any():
            break
        found.append(replace(moment, sight=sight, along=along))
    return found


def _first_door(unseen: Sequence[NotSeen], references: ReferenceSet, alike: Float64) -> int:
    """Return the number of the first moment in which a door is seen elsewhere; how many there are for none."""
    looked = [(number, each) for number, each in enumerate(unseen) if isinstance(each, NoDoor)]
    seen = doors_elsewhere([each for _, each in looked], references, alike)
    return next((number for (number, _), door in zip(looked, seen, strict=True) if door), len(unseen))


def _asked_again(
    unseen: Sequence[Unseen], boxes: Sequence[tuple[Float64, Float64]], references: ReferenceSet, alike: Float64
) -> list[Bool]:
    """Bool (N,) for each moment, who may see more where something else stands: boxes round it, and other ways."""
    asked = [np.zeros(len(moment.sought), dtype=bool) for moment in unseen]
    together: dict[tuple[bool, float], list[int]] = {}
    for number, moment in enumerate(unseen):
        together.setdefault((not moment.ways, moment.ahead), []).append(number)
    for (on_first, ahead), numbers in together.items():
        moments = [unseen[number] for number in numbers]
        sight, ways = _joined(moments, references if on_first else None)
        far = np.repeat([moment.at_most + TOUCH for moment in moments], [len(moment.sought) for moment in moments])
        again = _pass_by((sight.position, sight.point), far, boxes)
        if on_first:
            again |= np.concatenate([moment.sought for moment in moments]) >= alike[sight.path]
        rows = np.flatnonzero(~again & np.concatenate([moment.along for moment in moments]))
        again[rows] = _ways_pass_by(sight.rows(rows), ways, ahead, boxes)
        ends = np.cumsum([len(moment.sought) for moment in moments])
        for number, part in zip(numbers, np.split(again, ends[:-1]), strict=True):
            asked[number] = part
    return asked


def _joined(moments: Sequence[Unseen], references: ReferenceSet | None) -> tuple[Sight, ReferenceSet]:
    """What was not in sight at some moments, as one; and the ways that this counts: these, or those of the moments."""
    parts = [[getattr(moment.sight, field.name) for moment in moments] for field in fields(Sight)]
    sight = Sight(*map(np.concatenate, parts))
    if references is not None:
        return sight, references
    tables = {id(table): table for moment in moments for table in moment.ways}
    number = {each: place for place, each in enumerate(tables)}
    own = [np.array([number[id(table)] for table in moment.ways])[moment.sight.path] for moment in moments]
    return replace(sight, path=np.concatenate(own)), ReferenceSet(list(tables.values()))


def _where_it_is_now(sight: Sight, moved: Bool, sought: Float64, references: ReferenceSet) -> Sight:
    """What people look for, with the places of some as they are on other ways."""
    if not moved.any():
        return sight
    sight = replace(sight, place=sight.place.copy(), point=sight.point.copy())
    path, sought = sight.path[moved], sought[moved]
    sight.place[moved] = np.minimum(sought, references.lengths[path])
    point = references.to_cartesian(path, sight.place[moved], np.zeros(len(path)))
    at_end = sight.place[moved] >= references.lengths[path]
    sight.point[moved] = np.where(at_end[:, None], sight.goal[moved], point)
    return sight


def _pass_by(ends: tuple[Float64, Float64], reach: Float64, boxes: Sequence[tuple[Float64, Float64]]) -> Bool:
    """Bool (N,), whose lines from end to end may come as near as this, float64 (N,), to one of some boxes [m]."""
    low, high = np.minimum(*ends) - reach[:, None], np.maximum(*ends) + reach[:, None]
    near = np.zeros(len(low), dtype=bool)
    for begin, end in boxes:
        near |= ((low <= end) & (high >= begin)).all(axis=1)
    return near


def _ways_pass_by(
    sight: Sight, references: ReferenceSet, ahead: float, boxes: Sequence[tuple[Float64, Float64]]
) -> Bool:
    """Bool (N,), whose ways to the place have one of some boxes beside them."""
    beside, everybody = NEAR_WAY + TOUCH, np.arange(len(sight.path))
    first, last = _on_the_way(sight, everybody, references, np.array((0.0, 1.0)))
    passing = _pass_by((first, last), 0.5 * (sight.place - sight.start) + beside, boxes)  # no way is farther from them
    rows = np.flatnonzero(passing)
    if len(rows):
        points = _on_the_way(sight, rows, references, _shares(ahead))
        near = [((points >= begin - beside) & (points <= end + beside)).all(axis=2).any(axis=0) for begin, end in boxes]
        passing[rows] = np.any(near, axis=0)
    return passing


def _cut(sight: Sight, rows: Int64, references: ReferenceSet) -> Float64:
    """Return float64 (R,), how far ways of some bulge from the straight line from where they are to the place [m]."""
    points = _on_the_way(sight, rows, references, np.array((0.0, *BETWEEN, 1.0)))
    chord, away = points[-1] - points[0], points[1:-1] - points[0]
    across = chord[:, 0] * away[..., 1] - chord[:, 1] * away[..., 0]
    length = np.sqrt((chord * chord).sum(axis=1))
    return np.abs(across).max(axis=0) / np.maximum(length, 1e-9)


def _narrowest(sight: Sight, rows: Int64, references: ReferenceSet, field: Distances, ahead: float) -> Float64:
    """Return float64 (R,), how wide the narrowest place is on ways of some from where they are to the place [m].

    That is across the place of the way that is nearest to something; from `NARROW` on it is not looked at further.
    """
    if not len(rows):
        return np.zeros(0)
    points = _on_the_way(sight, rows, references, _shares(ahead))
    room = field.signed_distance(points.reshape(-1, 2), 0.5 * NARROW).reshape(points.shape[:2])
    width = 2.0 * room.min(axis=0)
    close = np.flatnonzero(width < NARROW)
    nearest = points[room.argmin(axis=0)[close], close]
    beyond = 2.0 * nearest - field.nearest(nearest)[1]  # as far away on the other side
    width[close] += np.maximum(field.signed_distance(beyond, NARROW), 0.0)
    return width


def _shares(ahead: float) -> Float64:
    """Float64 (K,), the shares of a way at which it is looked at beside it, however many look at once."""
    return np.linspace(0.0, 1.0, 1 + int(np.ceil(ahead / STEP)))


def _on_the_way(sight: Sight, rows: Int64, references: ReferenceSet, shares: Float64) -> Float64:
    """Float64 (K, R, 2), at these shares of the ways of some to the place [m]."""
    start = sight.start[rows]
    places = start + shares[:, None] * (sight.place[rows] - start)  # (K, R)
    path = np.broadcast_to(sight.path[rows], places.shape).ravel()
    return references.to_cartesian(path, places.ravel(), np.zeros(places.size)).reshape(*places.shape, 2)
