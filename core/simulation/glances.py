# SPDX-License-Identifier: GPL-3.0-or-later
"""What people look for on their ways and do not see: where it lies does not matter as long as it is out of sight.

Whoever is to know how far along a way somebody has looked, and over which ground, need not count what no one saw.
It is written down from where it was looked for, so that this can be asked again when something is another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from ..geometry.distances import Distances
from ..planning import ReferenceSet
from ..routing import direct_clearance, points_between
from .ground_read import TOUCH, GroundRead

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]
Bool = NDArray[np.bool_]
FieldAt = Callable[[float], Distances]


@dataclass(frozen=True, eq=False)
class Sight:
    """Places on their ways that N people look for.

    Attributes:
        path: int64 (N,), whose way.
        place: float64 (N,), how far along it, at its end at most [m].
        point: float64 (N, 2), where that is; at the end of the way it is the goal [m].
        goal: float64 (N, 2) [m].
        position: float64 (N, 2), from where they look [m].
        room: float64 (N,), that the straight line there must have beside the body [m].
    """

    path: Int64
    place: Float64
    point: Float64
    goal: Float64
    position: Float64
    room: Float64

    def is_seen(self, field: Distances, at_most: float) -> Bool:
        """Return bool (N,), who sees theirs.

        Args:
            field: distances to what stands.
            at_most: more room need not be known [m].
        """
        return direct_clearance(self.position, self.point, field, at_most) >= self.room

    def rows(self, rows: Bool) -> Sight:
        """Some of them."""
        return Sight(*(getattr(self, field.name)[rows] for field in fields(self)))


@dataclass(frozen=True, eq=False)
class Unseen:
    """Places that were not in `sight` at a `time` [s].

    Attributes:
        time, sight: see there.
        sought: float64 (N,), how far along their ways they would be if these were long enough [m].
        at_most: as for `Sight.is_seen`.
    """

    time: float
    sight: Sight
    sought: Float64
    at_most: float


class Glances:
    """What people look for in one moment, and who sees it.

    Args:
        time: [s].
        references: their ways, under watch.
        ground: where it is written down which ground is looked at.
        unseen: where to put what is not seen.
    """

    def __init__(self, time: float, references: ReferenceSet, ground: GroundRead, unseen: list[Unseen]) -> None:
        self._time, self._references, self._ground, self._unseen = time, references, ground, unseen

    def see(self, sight: Sight, sought: Float64, field: Distances) -> Bool:
        """Return bool (N,), who sees what they look for: these know that place on their way, and the ground up to it.

        Args:
            sight: what they look for.
            sought: float64 (N,), see `Unseen` [m].
            field: distances to what stands.
        """
        at_most = float(sight.room.max())
        with self._ground.unnoted():
            seen = sight.is_seen(field, at_most)
        watch = self._references.watch
        if watch is not None and seen.any():
            watch.note(sight.path[seen], sight.place[seen])
            self._ground.note(points_between(sight.position[seen], sight.point[seen])[0], at_most)
        if not seen.all():
            self._unseen.append(Unseen(self._time, sight.rows(~seen), sought[~seen], at_most))
        return seen


def sights_elsewhere(
    unseen: Sequence[Unseen], lines: Sequence[Float64], references: ReferenceSet, alike: Float64, field_at: FieldAt
) -> list[Unseen]:
    """Return what is not in sight where something else stands, up to the first moment in which something is.

    Args:
        unseen: what was not in sight.
        lines: float64 (V, 2) each, the corners of what stands in one place only [m].
        references: the ways that the same people have there.
        alike: float64 (P,), how far these are the same as those that they had [m].
        field_at: returns distances to what stands there at a time [s].

    Returns:
        As many as are given if nothing comes in sight, with the places as they are there.
    """
    boxes = [(line.min(axis=0), line.max(axis=0)) for line in lines]
    found = []
    for moment in unseen:
        sight = moment.sight
        moved = moment.sought >= alike[sight.path] if len(alike) else np.zeros(len(sight.path), dtype=bool)
        if moved.any():
            sight = replace(sight, place=sight.place.copy(), point=sight.point.copy())
            path, sought = sight.path[moved], moment.sought[moved]
            sight.place[moved] = np.minimum(sought, references.lengths[path])
            point = references.to_cartesian(path, sight.place[moved], np.zeros(len(path)))
            at_end = sight.place[moved] >= references.lengths[path]
            sight.point[moved] = np.where(at_end[:, None], sight.goal[moved], point)
        some = moved | _pass_by(sight, moment.at_most + TOUCH, boxes)
        if some.any() and sight.rows(some).is_seen(field_at(moment.time), moment.at_most).any():
            break
        found.append(moment if sight is moment.sight else replace(moment, sight=sight))
    return found


def _pass_by(sight: Sight, reach: float, boxes: Sequence[tuple[Float64, Float64]]) -> Bool:
    """Bool (N,), whose straight lines may come as near as this to one of some boxes [m]."""
    low, high = np.minimum(sight.position, sight.point) - reach, np.maximum(sight.position, sight.point) + reach
    near = np.zeros(len(low), dtype=bool)
    for begin, end in boxes:
        near |= ((low <= end) & (high >= begin)).all(axis=1)
    return near
