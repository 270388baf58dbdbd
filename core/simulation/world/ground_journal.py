# SPDX-License-Identifier: GPL-3.0-or-later
"""Which ground a simulation has looked at, and when first: what stands anywhere else could stand otherwise.

Whoever asks how far it is to something gets an answer that only depends on what stands within that distance. So each
question is written down as a disc: with every disc that a change of the ground does not touch, all answers, and with
them all frames, stay what they are, bit for bit.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...geometry.distance_field import ObstacleField
from ...geometry.reproducible_math import ceil_log2, power
from ...routing import Question
from .moving_obstacles import Resting

Float64 = NDArray[np.float64]

FINEST, MOST_CELLS = 0.25, 1024
"""Side of a cell [m], and how many there are along the ground at most: on large ground they are larger."""

NOT_YET = np.iinfo(np.int32).max

TOUCH = 1e-6
"""What is nearer than this to a disc touches it, however it was reckoned [m]."""

_LEAST_REACH = 0.25  # [m]
_CLASSES = 8, 4  # in so many discs become twice as wide, on small ground and on large
_SMALL = 1 << 19  # cells


@dataclass(frozen=True, eq=False)
class Shown:
    """For a `frame` the corridor map came to show `resting` movers, on a grid with this `lattice`."""

    frame: int
    resting: Resting
    lattice: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Asked:
    """For a `frame` the map was asked a `question`."""

    frame: int
    question: Question


MapEvent = Shown | Asked


class GroundJournal:
    """When first a disc of some width was laid round any place; widths are rounded up.

    Args:
        outline: float64 (V, 2), of the ground; what lies farther out counts as lying on its border [m].

    Attributes:
        now: number of the frame that is being made.
        maps: what the corridor map showed and told, in this order.
    """

    def __init__(self, outline: Float64) -> None:
        self.low, self.high = outline.min(axis=0), outline.max(axis=0)
        span = np.maximum(self.high - self.low, FINEST)
        self._size = max(FINEST, float(span.max()) / MOST_CELLS)
        self._columns, self._rows = (int(number) for number in np.ceil(span / self._size))
        self._classes = _CLASSES[self._columns * self._rows > _SMALL]
        self._first: dict[int, NDArray[np.int32]] = {}
        self._at_first: dict[int, NDArray[np.int32]] = {}  # the same for the first frame, which is often made anew
        self._everything = NOT_YET
        self._is_told = True
        self.now = 0
        self.maps: list[MapEvent] = []

    def note(self, points: Float64, reach: ArrayLike) -> None:
        """Write down discs that somebody looks at now.

        Args:
            points: float64 (N, 2), their middles; what is not a number counts for nothing [m].
            reach: float64 (N,) or one for all, how far round them things matter [m].
        """
        if not len(points) or not self._is_told:
            return
        widths = np.maximum(np.asarray(reach, dtype=np.float64), _LEAST_REACH)
        if not np.all(np.isfinite(widths)):
            self.note_everything()
            return
        known = np.isfinite(points[:, 0]) & np.isfinite(points[:, 1])
        level = ceil_log2(power(widths / _LEAST_REACH, self._classes))
        if level.ndim == 0:
            self._mark(int(level), self._cells(points[known]))
            return
        cells = self._cells(points)
        for each in np.unique(level):
            self._mark(int(each), cells[known & (level == each)])

    @contextmanager
    def unnoted(self) -> Generator[None]:
        """Write nothing down meanwhile."""
        before, self._is_told = self._is_told, False
        try:
            yield
        finally:
            self._is_told = before

    def note_everything(self) -> None:
        """Write down that what is done now may depend on whatever stands anywhere."""
        self._everything = min(self._everything, self.now)

    def note_question(self, question: Question) -> None:
        """Write down what the corridor map was asked."""
        self.maps.append(Asked(self.now, question))

    def note_shown(self, resting: Resting, lattice: tuple[float, ...]) -> None:
        """Write down which movers the corridor map shows from now on."""
        last = next((event for event in reversed(self.maps) if isinstance(event, Shown)), None)
        if last is None or last.resting != resting:
            self.maps.append(Shown(self.now, resting, lattice))

    @property
    def lattice_at_first(self) -> tuple[float, ...] | None:
        """On which grid the map of the first frame was built; None where nothing was asked of it then."""
        return next((event.lattice for event in self.maps if isinstance(event, Shown) and not event.frame), None)

    def first_touch(self, changes: ObstacleField) -> int | None:
        """Return the first frame for which one of some solids and walls lay in a disc; None where none ever did.

        Args:
            changes: what stood and stands no more, and what stands now.
        """
        begun = self._first_touch(self._at_first, changes)
        return begun if begun is not None else self.next_touch(changes)

    def next_touch(self, changes: ObstacleField) -> int | None:
        """As `first_touch`, of all frames but the first one."""
        return self._first_touch(self._first, changes)

    def _first_touch(self, looked: dict[int, NDArray[np.int32]], changes: ObstacleField) -> int | None:
        first = self._everything
        half_diagonal = np.sqrt(0.5) * self._size
        for level, marks in looked.items():
            cells = np.flatnonzero(marks < first)
            x, y = cells % self._columns, cells // self._columns
            middles = self.low + self._size * (np.stack((x, y), axis=1) + 0.5)
            reach = _LEAST_REACH * 2.0 ** (level / self._classes) + half_diagonal + TOUCH
            near = changes.signed_distance(middles, reach) < reach
            first = min(first, int(marks[cells[near]].min(initial=NOT_YET)))
        return None if first == NOT_YET else first

    def forget_from(self, frame: int) -> None:
        """Go on from a frame as if nothing had been looked at for it, or for those after it."""
        for marks in self._first.values():
            marks[marks >= frame] = NOT_YET
        if self._everything >= frame:
            self._everything = NOT_YET
        self.maps = [event for event in self.maps if event.frame < frame]
        self.now = frame

    def follow(self, other: GroundJournal) -> None:
        """Take over the notes of another simulation on the same ground, of all frames but the first one."""
        self._first = {level: marks.copy() for level, marks in other._first.items()}
        self._everything = min(self._everything, other._everything)
        self.maps += [event for event in other.maps if event.frame]

    def blank(self) -> GroundJournal:
        """Notes on the same ground, with nothing in them."""
        return GroundJournal(np.stack((self.low, self.high)))

    def copy(self) -> GroundJournal:
        """The same notes, to go on writing apart from these."""
        other = self.blank()
        other._first, other._at_first = (
            {level: marks.copy() for level, marks in looked.items()} for looked in (self._first, self._at_first)
        )
        other._everything, other.now, other.maps = self._everything, self.now, list(self.maps)
        return other

    def _cells(self, points: Float64) -> NDArray[np.int64]:
        place = (points - self.low) / self._size
        column = np.fmin(np.fmax(place[:, 0], 0.0), self._columns - 1.0).astype(np.int64)
        return np.fmin(np.fmax(place[:, 1], 0.0), self._rows - 1.0).astype(np.int64) * self._columns + column

    def _mark(self, level: int, cells: NDArray[np.int64]) -> None:
        looked = self._first if self.now else self._at_first
        if level not in looked:
            looked[level] = np.full(self._columns * self._rows, NOT_YET, dtype=np.int32)
        marks = looked[level]
        marks[cells] = np.minimum(marks[cells], self.now)


class RecordedField:
    """An obstacle field that writes down where it is asked, and how far round its answers could be others.

    Answers what `core.geometry.distances.Distances` asks for.
    """

    def __init__(self, field: ObstacleField, ground: GroundJournal) -> None:
        self.empty = field.empty
        self._field, self._ground = field, ground

    def signed_distance(self, points: ArrayLike, at_most: float = np.inf) -> Float64:
        """See `ObstacleField.signed_distance`: as far as the answer, nothing else stands."""
        distance = self._field.signed_distance(points, at_most)
        self._ground.note(_rows(points), np.abs(distance))
        return distance

    def about(self, points: ArrayLike, at_most: ArrayLike) -> Float64:
        """See `ObstacleField.about`."""
        points = _rows(points)
        distance, reach = self._field.about_and_reach(points, at_most)
        self._ground.note(points, reach)
        return distance

    def may_be_within(self, points: ArrayLike, distance: ArrayLike) -> NDArray[np.bool_]:
        """See `ObstacleField.may_be_within`.

        Where the answer is True, who asks looks closer, and that is noted. Where it is False, nothing stands within the
        distance: as long as that is so, to look closer would come to the same.
        """
        points = _rows(points)
        may_be = self._field.may_be_within(points, distance)
        clear = ~may_be
        self._ground.note(points[clear], np.broadcast_to(distance, may_be.shape)[clear])
        return may_be

    def any_may_be_within(self, points: Float64, distance: Float64) -> NDArray[np.bool_]:
        """See `ObstacleField.any_may_be_within`: where something may be, one thing alone is enough for that."""
        guess = self._field.guess(points, distance)
        found = np.any(guess.may_be, axis=1)
        some, which = np.flatnonzero(found), np.argmax(guess.may_be, axis=1)[found]
        self._ground.note(guess.middle[some, which], guess.clear[some, which])
        self._ground.note(_rows(guess.middle[~found]), guess.looked[~found].ravel())
        return found

    def nearest(self, points: ArrayLike) -> tuple[Float64, Float64]:
        """See `ObstacleField.nearest`."""
        distance, closest = self._field.nearest(points)
        self._ground.note(_rows(points), distance)
        return distance, closest


def _rows(points: ArrayLike) -> Float64:
    return np.asarray(points, dtype=np.float64).reshape(-1, 2)
