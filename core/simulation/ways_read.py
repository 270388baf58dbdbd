# SPDX-License-Identifier: GPL-3.0-or-later
"""How far along their ways people have looked: what lies beyond could lie otherwise, and nothing would be another.

A way that is the same for its first metres only is as good as the same one until somebody looks farther. So for every
path that people set out on it is written down how far along it anything has been looked up.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..planning import ReferenceSet
from ..planning.tables import PathTable
from .glances import NotSeen

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

_COLUMNS = ("place", "heading", "curvature", "height", "room_left", "room_right")
_OF_BENDS = ("left", "right")  # these tell of bends some metres ahead

MOST_UNSEEN = 400_000
"""So many places that were not in sight are kept at most, of about 150 bytes each."""


class WaysRead:
    """How far along each path of a set somebody has looked by now.

    Args:
        references: the paths that people set out on.

    Attributes:
        tables: of these paths.
        reach: float64 (P,), of each of them [m]; minus infinity where nobody has looked.
        reach_of_bends: likewise, how far it was asked what bends allow [m].
        unseen: places farther along that were looked for, and were not in sight, and where there was no door, the first
            ones first.
        unseen_on: the paths that these lie on. They are others than those of `tables` in a state that was kept and has
            been taken over: nobody has noticed that their path is another, but what is not in sight is known of it.
        room: so many such places more may be put there.
    """

    def __init__(self, references: ReferenceSet) -> None:
        self.tables = references.tables
        self.reach = np.full(len(self.tables), -np.inf)
        self.reach_of_bends = self.reach.copy()
        self.unseen: list[NotSeen] = []
        self.unseen_on: Sequence[PathTable] = self.tables
        self.room = MOST_UNSEEN
        self._known = self.reach.copy()  # of all paths there are now; those that came later count as known

    def __deepcopy__(self, memo: object) -> WaysRead:
        """A copy to go on writing apart from this one; the paths themselves never change."""
        other = WaysRead.__new__(WaysRead)
        other.tables, other.room = self.tables, self.room
        other.unseen, other.unseen_on = list(self.unseen), self.unseen_on
        other.reach, other._known = self.reach.copy(), self._known.copy()
        other.reach_of_bends = self.reach_of_bends.copy()
        return other

    @property
    def on_first(self) -> NDArray[np.bool_]:
        """Bool (Q,), which of all paths there are now are those that people set out on."""
        return self._known < np.inf

    def put(self, unseen: NotSeen) -> None:
        """Write down places that were not in sight; there must be room for them."""
        self.unseen.append(unseen)
        self.room -= len(unseen.sought)

    def take_unseen(self, unseen: Sequence[NotSeen], on: Sequence[PathTable]) -> None:
        """Know of the same places, as they lie where people's paths are these, that they were not in sight."""
        self.unseen, self.unseen_on = list(unseen), on

    def keeps_within(self, other: WaysRead, likeness: Likeness) -> bool:
        """Tell whether nobody has looked farther than the paths are the same as other ones."""
        alike, bends = (likeness.of(self.tables, other.tables, bends=each) for each in (False, True))
        return bool((self.reach < alike).all() and (self.reach_of_bends < bends).all())

    def follow(self, references: ReferenceSet) -> None:
        """Watch other paths from now on: of those that people set out on, the ones that are still among them."""
        known = np.full(len(references.tables), np.inf)
        for number, (own, now) in enumerate(zip(self.tables, references.tables, strict=False)):
            if own is now:
                known[number] = self.reach[number]
        self._known = known
        references.watch = self

    def note(self, path: Int64, way: Float64) -> None:
        """Write down that somebody looks at places.

        Args:
            path: int64 (...), on which paths.
            way: float64 (...), how far along them; the two broadcast [m].
        """
        farther = way > self._known[path]
        if farther.any():
            path, way = (each[farther] for each in np.broadcast_arrays(path, way))
            np.maximum.at(self._known, path, way)
            np.maximum.at(self.reach, path, way)

    def note_bends(self, path: Int64, way: Float64) -> None:
        """Write down that somebody asks what bends allow at places, as for `note`; on whatever paths these are now."""
        path, way = np.broadcast_arrays(path, way)
        own = path < len(self.tables)
        farther = own & (way > np.append(self.reach_of_bends, np.inf)[np.where(own, path, -1)])
        np.maximum.at(self.reach_of_bends, path[farther], way[farther])


class Likeness:
    """How far paths are the same as others; each two are compared once."""

    def __init__(self) -> None:
        self._known: dict[tuple[PathTable, PathTable, bool], float] = {}

    def of(self, ones: Sequence[PathTable], others: Sequence[PathTable], *, bends: bool = False) -> Float64:
        """Return float64 (P,), how far each of some paths is the same as another one, see `alike_for` [m]."""
        return np.array([self._between(*pair, bends) for pair in zip(ones, others, strict=True)])

    def _between(self, one: PathTable, other: PathTable, bends: bool) -> float:
        pair = one, other, bends
        if pair not in self._known:
            self._known[pair] = alike_for(one, other, bends=bends)
        return self._known[pair]


def alike_for(one: PathTable, other: PathTable, *, bends: bool = False) -> float:
    """Return how far two paths are the same, bit for bit, for all who look no farther [m].

    Args:
        one: a path.
        other: the other one.
        bends: for those who ask what bends near by allow.

    Returns:
        Infinite for paths that are the same; minus infinity where they differ at their beginning, or as wholes.
    """
    if one is other:
        return np.inf
    whole = (one.cell, one.closed, one.half_width) == (other.cell, other.closed, other.half_width)
    if not whole:
        return -np.inf
    count = min(len(one.place), len(other.place))
    differs = np.zeros(count, dtype=bool)
    for name in _OF_BENDS if bends else _COLUMNS:
        columns = (np.ascontiguousarray(getattr(table, name)[:count]) for table in (one, other))
        a, b = (column.view(np.int64).reshape(count, -1) for column in columns)  # tells 0 from -0
        differs |= (a != b).any(axis=1)
    if not differs.any() and len(one.place) == len(other.place) and one.length == other.length:
        return np.inf
    if one.closed:  # what is ahead is behind, too
        return -np.inf
    first = int(np.argmax(differs)) if differs.any() else count
    # A place between two nodes is told from both, and from the slopes between them.
    return min((first - 2) * one.cell, one.length, other.length)
