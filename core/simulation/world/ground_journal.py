# SPDX-License-Identifier: GPL-3.0-or-later
"""Which ground a run depends on, and since which frame: the only trace of re-bakes outside `resuming`.

The answer to a distance query depends only on obstacles within that distance. So each query is noted as a disc: where a
change of the scene touches no disc, all answers, and with them all frames, stay the same, bit for bit. Questions to the
corridor map depend on ground far away; they are noted whole, to be asked again.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...array_types import Bool, Float64, Int64
from ...compiled import twins
from ...geometry.distance_field import ObstacleField
from ...geometry.distances import KernelGrid
from ...geometry.reproducible_math import ceil_log2, power, real_power
from ...routing import Question
from .moving_obstacles import Resting

NEVER = np.iinfo(np.int32).max

_SPARE_LEVELS = 8  # for so many levels of radii room is made at a time

TOUCH_TOLERANCE = 1e-6
"""An obstacle nearer than this to a disc touches it: covers rounding [m]."""


@dataclass(frozen=True)
class JournalResolution:
    """How finely discs are noted: coarser costs less memory and time, and reuses fewer frames; the result is the same.

    Attributes:
        finest_cell: least side of a cell of the grid of disc centres [m]; chosen: half a body.
        max_cells: cells along the longer side of the ground at most; larger ground has larger cells.
        least_radius: smaller discs count as this large [m]; chosen as `finest_cell`.
        classes_small, classes_large: radii are rounded up to so many steps within each doubling, on ground of few and
            of many cells; chosen for at most some 100 MB.
        many_cells: from how many cells on ground counts as large.
    """

    finest_cell: float = 0.25
    max_cells: int = 1024
    least_radius: float = 0.25
    classes_small: int = 8
    classes_large: int = 4
    many_cells: int = 1 << 19


@dataclass(frozen=True, eq=False)
class Shown:
    """From a `frame` on the corridor map showed `resting` movers, on a grid with this `lattice`."""

    frame: int
    resting: Resting
    lattice: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Asked:
    """In a `frame` the map was asked a `question`."""

    frame: int
    question: Question


MapEvent = Shown | Asked


class GroundJournal:
    """The first frame in which a disc of each radius lay round each place; radii are rounded up.

    Args:
        outline: float64 (V, 2), of the ground; a place farther out counts as its nearest place on the border [m].
        resolution: of places and radii.

    Attributes:
        now: number of the frame that is being made.
        map_events: what the corridor map showed and was asked, in order.
    """

    def __init__(self, outline: Float64, resolution: JournalResolution | None = None) -> None:
        self._resolution = resolution = resolution or JournalResolution()
        self.low, self.high = outline.min(axis=0), outline.max(axis=0)
        span = np.maximum(self.high - self.low, resolution.finest_cell)
        self._size = max(resolution.finest_cell, float(span.max()) / resolution.max_cells)
        self._columns, self._rows = (int(number) for number in np.ceil(span / self._size))
        is_large = self._columns * self._rows > resolution.many_cells
        self._classes = resolution.classes_large if is_large else resolution.classes_small
        self._first = _FirstFrames(self._columns * self._rows)
        self._at_first = _FirstFrames(self._columns * self._rows)  # of the first frame, which is often made again
        self._everything = NEVER
        self._is_paused = False
        self.now = 0
        self.map_events: list[MapEvent] = []

    def note_disc(self, points: Float64, reach: ArrayLike) -> None:
        """Note discs on whose obstacles the current frame depends.

        Args:
            points: float64 (N, 2), their centres; NaN is ignored [m].
            reach: float64 (N,) or one for all, their radii [m].
        """
        if not len(points) or self._is_paused:
            return
        least, reach = self._resolution.least_radius, np.asarray(reach, dtype=np.float64)
        if not np.isfinite(reach).all():
            self.note_everything()
            return
        widths, marks = np.empty(len(points)), self._first if self.now else self._at_first
        widths[:] = np.maximum(reach, least)
        if (kernels := twins.twin(twins.ROOM_BESIDE)) is not None:
            grid = np.array((*self.low, self._size, self._columns, self._rows, least))
            numbers, points = (self._classes, self.now), np.ascontiguousarray(points)
            while (level := kernels.mark_discs(points, widths, grid, numbers, marks.row_of, marks.frames)) >= 0:
                marks.add(level)
            return
        level = ceil_log2(power(widths / least, self._classes))
        known = np.isfinite(points).all(axis=1)
        if not known.all():
            level, points = level[known], points[known]
        marks.mark(level, self._cells(points), self.now)

    @contextmanager
    def paused(self) -> Generator[None]:
        """Note no discs meanwhile."""
        before, self._is_paused = self._is_paused, True
        try:
            yield
        finally:
            self._is_paused = before

    def note_everything(self) -> None:
        """Note that the current frame may depend on any obstacle anywhere."""
        self._everything = min(self._everything, self.now)

    def note_question(self, question: Question) -> None:
        """Note what the corridor map was asked."""
        self.map_events.append(Asked(self.now, question))

    def note_shown(self, resting: Resting, lattice: tuple[float, ...]) -> None:
        """Note which movers the corridor map shows from now on."""
        last = next((event for event in reversed(self.map_events) if isinstance(event, Shown)), None)
        if last is None or last.resting != resting:
            self.map_events.append(Shown(self.now, resting, lattice))

    @property
    def lattice_at_first(self) -> tuple[float, ...] | None:
        """The grid on which the map of the first frame was built; None where it was not used then."""
        return next((event.lattice for event in self.map_events if isinstance(event, Shown) and not event.frame), None)

    def first_touched(self, changed: ObstacleField) -> int | None:
        """Return the first frame of which a disc touches a changed obstacle; None where none does.

        Args:
            changed: obstacles and walls that were removed, and those that were added.
        """
        at_start = self._first_touched(self._at_first, changed)
        return at_start if at_start is not None else self.first_touched_later(changed)

    def first_touched_later(self, changed: ObstacleField) -> int | None:
        """As `first_touched`, of all frames but the first one."""
        return self._first_touched(self._first, changed)

    def _first_touched(self, discs: _FirstFrames, changed: ObstacleField) -> int | None:
        first = self._everything
        half_diagonal = np.sqrt(0.5) * self._size
        for level, marks in discs.by_level():
            cells = np.flatnonzero(marks < first)
            x, y = cells % self._columns, cells // self._columns
            middles = self.low + self._size * (np.stack((x, y), axis=1) + 0.5)
            radius = self._resolution.least_radius * float(real_power(2.0, level / self._classes))
            reach = radius + half_diagonal + TOUCH_TOLERANCE
            near = changed.signed_distance(middles, reach) < reach
            first = min(first, int(marks[cells[near]].min(initial=NEVER)))
        return None if first == NEVER else first

    def forget_from(self, frame: int) -> None:
        """Continue from a frame: drop what was noted in it and later."""
        self._first.frames[self._first.frames >= frame] = NEVER
        if self._everything >= frame:
            self._everything = NEVER
        self.map_events = [event for event in self.map_events if event.frame < frame]
        self.now = frame

    def append_later(self, other: GroundJournal) -> None:
        """Add what another run on the same ground noted after the first frame."""
        self._first = other._first.copy()
        self._everything = min(self._everything, other._everything)
        self.map_events += [event for event in other.map_events if event.frame]

    def blank(self) -> GroundJournal:
        """Return an empty journal of the same ground."""
        return GroundJournal(np.stack((self.low, self.high)), self._resolution)

    def copy(self) -> GroundJournal:
        """Return a copy that can be continued independently."""
        other = self.blank()
        other._first, other._at_first = self._first.copy(), self._at_first.copy()
        other._everything, other.now, other.map_events = self._everything, self.now, list(self.map_events)
        return other

    def _cells(self, points: Float64) -> Int64:
        column, row = ((points[:, axis] - self.low[axis]) / self._size for axis in (0, 1))
        column.clip(0.0, self._columns - 1.0, out=column)
        row.clip(0.0, self._rows - 1.0, out=row)
        cell = row.astype(np.int64)
        cell *= self._columns
        cell += column.astype(np.int64)
        return cell


class _FirstFrames:
    """For each level of radii that there is, the first frame in which such a disc lay round each cell.

    Attributes:
        row_of: int64 (L,), where the frames of a level stand; -1 where there is none.
        frames: int32 (M, cells), a row for each such level, and some to spare.
    """

    def __init__(self, cells: int) -> None:
        self.row_of = np.full(1, -1)
        self.frames: NDArray[np.int32] = np.full((0, cells), NEVER, dtype=np.int32)

    def add(self, level: int) -> None:
        """Have a row for one more level."""
        missing = level + 1 - len(self.row_of)
        self.row_of = np.concatenate((self.row_of, np.full(max(missing, 0), -1)))
        row = int(self.row_of.max()) + 1
        if row == len(self.frames):
            more = np.full((_SPARE_LEVELS, self.frames.shape[1]), NEVER, dtype=np.int32)
            self.frames = np.concatenate((self.frames, more))
        self.row_of[level] = row

    def mark(self, level: Int64, cell: Int64, now: int) -> None:
        """Note discs of some levels, int64 (N,), round some cells, int64 (N,), in a frame not before any other."""
        if not len(level):
            return
        top = int(level.max())
        if top >= len(self.row_of) or (self.row_of[level] < 0).any():
            for each in np.unique(level).tolist():
                if each >= len(self.row_of) or self.row_of[each] < 0:
                    self.add(each)
        at, frames = self.row_of[level] * self.frames.shape[1] + cell, self.frames.reshape(-1)
        frames[at[frames[at] > now]] = now

    def by_level(self) -> list[tuple[int, NDArray[np.int32]]]:
        """Return the levels that there are, and int32 (cells,), the frames of each."""
        return [(int(level), self.frames[self.row_of[level]]) for level in np.flatnonzero(self.row_of >= 0)]

    def copy(self) -> _FirstFrames:
        """Return a copy that can be continued independently."""
        other = _FirstFrames(self.frames.shape[1])
        other.row_of, other.frames = self.row_of.copy(), self.frames.copy()
        return other


class RecordedField:
    """An obstacle field that notes each query as the disc on whose obstacles its answer depends.

    Implements `core.geometry.distances.Distances`.
    """

    def __init__(self, field: ObstacleField, journal: GroundJournal) -> None:
        self.empty = field.empty
        self._field, self._journal = field, journal

    @property
    def kernel_grid(self) -> KernelGrid | None:
        """See `ObstacleField.kernel_grid`."""
        asked = self._field.kernel_grid
        return asked and asked._replace(note=self._journal.note_disc)

    def signed_distance(self, points: ArrayLike, at_most: float = np.inf) -> Float64:
        """See `ObstacleField.signed_distance`: nearer than the answer there is no obstacle."""
        distance = self._field.signed_distance(points, at_most)
        self._journal.note_disc(_rows(points), np.abs(distance))
        return distance

    def about(self, points: ArrayLike, at_most: ArrayLike) -> Float64:
        """See `ObstacleField.about`."""
        points = _rows(points)
        distance, reach = self._field.about_and_reach(points, at_most)
        self._journal.note_disc(points, reach)
        return distance

    def may_be_within(self, points: ArrayLike, distance: ArrayLike) -> Bool:
        """See `ObstacleField.may_be_within`.

        Where the answer is True, the caller makes an exact query, and that is noted. Where it is False, no obstacle is
        within the distance: as long as that holds, an exact query would give the same.
        """
        points = _rows(points)
        may_be = self._field.may_be_within(points, distance)
        clear = ~may_be
        self._journal.note_disc(points[clear], np.broadcast_to(distance, may_be.shape)[clear])
        return may_be

    def any_may_be_within(self, points: Float64, distance: Float64) -> Bool:
        """See `ObstacleField.any_may_be_within`: where the answer is True, one obstacle is enough for it."""
        guess = self._field.guess(points, distance)
        found = np.any(guess.may_be, axis=1)
        some, which = np.flatnonzero(found), np.argmax(guess.may_be, axis=1)[found]
        self._journal.note_disc(guess.middle[some, which], guess.clear[some, which])
        self._journal.note_disc(_rows(guess.middle[~found]), guess.looked[~found].ravel())
        return found

    def nearest(self, points: ArrayLike) -> tuple[Float64, Float64]:
        """See `ObstacleField.nearest`."""
        distance, closest = self._field.nearest(points)
        self._journal.note_disc(_rows(points), distance)
        return distance, closest


def _rows(points: ArrayLike) -> Float64:
    return np.asarray(points, dtype=np.float64).reshape(-1, 2)
