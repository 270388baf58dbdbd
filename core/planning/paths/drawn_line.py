# SPDX-License-Identifier: GPL-3.0-or-later
"""The drawn line, prepared to be followed: cleaned, sampled evenly, rounded, smoothed, extended past its ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from ...array_types import Bool, Complex128, Float64, Int64
from ...errors import GeometryError
from ...geometry.reproducible_math import exp, length, modulus, weighted
from .reference_settings import ReferenceSettings
from .rounded_corners import arcs_at_corners, rounded

SAMPLE_SPACING = 0.05
"""Distance along a drawn line between two samples [m]."""

_POINT_TOLERANCE = 1e-6  # [m]


@dataclass(frozen=True, eq=False)
class DrawnLine:
    """A drawn line sampled by its arc length u, from `first` to past its end.

    Attributes:
        samples: complex128 (M,), x + iy at u = first + SAMPLE_SPACING * k [m].
        as_drawn: complex128 (M,), the same with corners that are not rounded [m].
        first: u of the first sample, 0 or less [m].
        length: arc length of the drawn line, of one lap where it is closed [m].
        drawn_u: float64 (Q,), arc length at the remaining drawn points [m].
        drawn_height: float64 (Q,), their z [m].
        drawn_width: float64 (Q, 2), free width left and right of the line there [m].
        end: x + iy of the last drawn point, the first where closed [m].
        middle: x + iy of the middle of the drawn points' box [m].
        closed: u continues lap after lap.
    """

    samples: Complex128
    as_drawn: Complex128
    first: float
    length: float
    drawn_u: Float64
    drawn_height: Float64
    drawn_width: Float64
    end: complex
    middle: complex
    closed: bool


@dataclass(frozen=True, eq=False)
class CleanLines:
    """The points of N drawn lines, one behind the other; each line has two different places at least.

    Attributes:
        points: float64 (Q, 3) [m].
        width: float64 (Q, 2), free width left and right of the line there [m].
        first: int64 (N + 1,), the first point of each line, and all points.
        closed: bool (N,), whether the last point joins the first.
    """

    points: Float64
    width: Float64
    first: Int64
    closed: Bool

    def __len__(self) -> int:
        return len(self.closed)

    def some(self, lines: Sequence[int]) -> CleanLines:
        """Return some of the lines."""
        rows = [np.arange(self.first[line], self.first[line + 1]) for line in lines]
        chosen, first = np.concatenate(rows), np.cumsum([0, *map(len, rows)])
        return CleanLines(self.points[chosen], self.width[chosen], first, self.closed[list(lines)])

    @property
    def each(self) -> Iterator[tuple[Float64, Float64, bool]]:
        """Points and widths of each line, and whether it is closed."""
        for low, high, closed in zip(self.first[:-1], self.first[1:], self.closed.tolist(), strict=True):
            yield self.points[low:high], self.width[low:high], closed


def clean_lines(lines: Sequence[ArrayLike], widths: Sequence[ArrayLike], closed: Sequence[bool]) -> CleanLines:
    """Drop points that are not finite or repeat the previous one.

    Args:
        lines: float64 (P, 2) or (P, 3) each, at least one line; without a third number z is 0 [m].
        widths: float64 (P, 2) each, free width left and right of the line at each point [m].
        closed: whether the last point joins the first; a last point that repeats the first is dropped too.

    Raises:
        GeometryError: a line has fewer than two distinct places.
    """
    given = [_three_columns(np.asarray(line, dtype=np.float64)) for line in lines]
    counts = np.array([len(line) for line in given])
    points, width = np.concatenate(given), np.concatenate([np.asarray(each, dtype=np.float64) for each in widths])
    whose, loops = np.repeat(np.arange(len(given)), counts), np.asarray(closed, dtype=bool)
    rows = np.flatnonzero(np.isfinite(points).all(axis=1))
    rows = rows[_moves(points[rows], whose[rows])]
    first = np.searchsorted(whose[rows], np.arange(len(given) + 1))
    if not np.diff(first).all():
        raise _too_few(counts[np.argmin(np.diff(first))])
    begin, last = rows[first[:-1]], rows[first[1:] - 1]
    joins = loops & (np.diff(first) > 1) & (np.abs(points[last] - points[begin]).max(axis=1) <= _POINT_TOLERANCE)
    rows = np.delete(rows, first[1:][joins] - 1)
    first = np.searchsorted(whose[rows], np.arange(len(given) + 1))
    away = length((points[rows] - points[begin[whose[rows]]])[:, :2])
    farthest = np.maximum.reduceat(away, first[:-1])
    if (farthest <= _POINT_TOLERANCE).any():
        raise _too_few(counts[np.argmax(farthest <= _POINT_TOLERANCE)])
    return CleanLines(points[rows], width[rows], first, loops)


def _too_few(points: int) -> GeometryError:
    return GeometryError(f"A path needs two points that differ in x or y; the {points} given do not.")


def _three_columns(line: Float64) -> Float64:
    """A line with heights: 0 where none are given."""
    if line.ndim != 2 or line.shape[1] not in {2, 3}:
        raise GeometryError(f"A path needs rows of x, y or x, y, z; this array has the shape {line.shape}.")
    return line if line.shape[1] == 3 else np.concatenate((line, np.zeros((len(line), 1))), axis=1)


def _moves(points: Float64, whose: Int64) -> Bool:
    """Which points differ from the previous one; one straight above it does, so that heights may jump."""
    moves = np.ones(len(points), dtype=bool)
    moves[1:] = (np.abs(np.diff(points, axis=0)).max(axis=1) > _POINT_TOLERANCE) | (whose[1:] != whose[:-1])
    return moves


def sample_line(points: Float64, width: Float64, settings: ReferenceSettings, *, closed: bool, run: float) -> DrawnLine:
    """Sample a line evenly, round its corners, smooth it, and extend it straight past its end (or round again).

    Args:
        points: float64 (Q, 3), from `clean_lines` [m].
        width: float64 (Q, 2), from there too [m].
        settings: how it is rounded, smoothed and extended.
        closed: the last point joins the first.
        run: extension past the end; a closed line also starts whole laps early, by at least this much [m].

    Returns:
        The sampled line.
    """
    ring = np.concatenate((points, points[:1])) if closed else points
    corners = ring[:, 0] + 1j * ring[:, 1]
    drawn_u = np.concatenate(([0.0], np.cumsum(modulus(np.diff(corners)))))
    length = float(drawn_u[-1])
    weights = gaussian(settings.smoothing)
    early = length * np.ceil(run / length) if closed else 0.0
    border = len(weights) // 2
    count = int(np.ceil((early + length + run) / SAMPLE_SPACING)) + 2
    u: Float64 = SAMPLE_SPACING * np.arange(-border, count + border, dtype=np.float64) - early
    along = np.mod(u, length) if closed else u
    raw = np.interp(along, drawn_u, corners)
    if not closed:
        raw = raw + _extension(u, drawn_u, corners, settings.end_chord)
    samples = as_drawn = weighted(raw, weights)
    if settings.corner_rounding > 0.0:
        arcs = arcs_at_corners(drawn_u, corners, settings.corner_rounding, settings.look_ahead, closed=closed)
        samples = weighted(rounded(raw, along, arcs), weights)
    box = 0.5 * (ring.min(axis=0) + ring.max(axis=0))
    return DrawnLine(
        samples=samples,
        as_drawn=as_drawn,
        first=-early,
        length=length,
        drawn_u=drawn_u,
        drawn_height=ring[:, 2].copy(),  # a view would keep x and y
        drawn_width=np.concatenate((width, width[:1])) if closed else width,
        end=complex(corners[-1]),
        middle=complex(box[0], box[1]),
        closed=closed,
    )


def _extension(u: Float64, drawn_u: Float64, corners: Complex128, end_chord: float) -> Complex128:
    """The offset before the start and after the end that extends the line straight."""
    length = float(drawn_u[-1])
    chord = min(end_chord, length)
    apart = corners[np.append(True, modulus(np.diff(corners)) > 0.0)]
    out = _unit(np.interp(chord, drawn_u, corners) - corners[0], apart[1] - apart[0])
    on = _unit(corners[-1] - np.interp(length - chord, drawn_u, corners), apart[-1] - apart[-2])
    return np.minimum(u, 0.0) * out + np.maximum(u - length, 0.0) * on


@cache
def gaussian(deviation: float) -> Float64:
    """Weights over the samples within three deviations; one sample alone for no smoothing."""
    reach = int(np.ceil(3.0 * deviation / SAMPLE_SPACING))
    weights = exp(-0.5 * (SAMPLE_SPACING * np.arange(-reach, reach + 1) / max(deviation, 1e-9)) ** 2)
    return weights / np.sum(weights)


def _unit(first: complex, second: complex) -> complex:
    """The direction of the first vector, or of the second where the first has none."""
    vector = first if modulus(first) > _POINT_TOLERANCE else second
    return vector / float(modulus(vector))
