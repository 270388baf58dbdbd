# SPDX-License-Identifier: GPL-3.0-or-later
"""The drawn line, prepared to be followed: cleaned, sampled evenly, lightly smoothed, extended past its ends."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from ...array_types import Bool, Complex128, Float64
from ...errors import GeometryError
from ...geometry.reproducible_math import exp, length, modulus, weighted
from .reference_settings import ReferenceSettings

SAMPLE_SPACING = 0.05
"""Distance along a drawn line between two samples [m]."""

_POINT_TOLERANCE = 1e-6  # [m]


@dataclass(frozen=True, eq=False)
class DrawnLine:
    """A drawn line sampled by its arc length u, from `first` to past its end.

    Attributes:
        samples: complex128 (M,), x + iy at u = first + SAMPLE_SPACING * k [m].
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
    first: float
    length: float
    drawn_u: Float64
    drawn_height: Float64
    drawn_width: Float64
    end: complex
    middle: complex
    closed: bool


def clean_points(points: ArrayLike, width: ArrayLike, *, closed: bool) -> tuple[Float64, Float64]:
    """Drop points that are not finite or repeat the previous one.

    Args:
        points: float64 (P, 2) or (P, 3) [m].
        width: float64 (P, 2), free width left and right of the line at each point [m].
        closed: the last point joins the first; a last point that repeats the first is dropped too.

    Returns:
        float64 (Q, 3) [m], Q >= 2; z is 0 where none was given. And float64 (Q, 2), the free width at those [m].

    Raises:
        GeometryError: fewer than two distinct places.
    """
    given = np.asarray(points, dtype=np.float64)
    if given.ndim != 2 or given.shape[1] not in {2, 3}:
        raise GeometryError(f"A path needs rows of x, y or x, y, z; this array has the shape {given.shape}.")
    rows = np.flatnonzero(np.isfinite(given).all(axis=1))
    finite = given[rows]
    if finite.shape[1] == 2:
        finite = np.concatenate((finite, np.zeros((len(finite), 1))), axis=1)
    moves = _moves(finite)
    kept, rows = finite[moves], rows[moves]
    if closed and len(kept) > 1 and np.max(np.abs(kept[-1] - kept[0])) <= _POINT_TOLERANCE:
        kept, rows = kept[:-1], rows[:-1]
    if len(kept) == 0 or np.max(length((kept - kept[0])[:, :2])) <= _POINT_TOLERANCE:
        raise GeometryError(f"A path needs two points that differ in x or y; the {len(given)} given do not.")
    return kept, np.asarray(width, dtype=np.float64)[rows]


def _moves(points: Float64) -> Bool:
    """Which points differ from the previous one; one straight above it does, so that heights may jump."""
    moves = np.ones(len(points), dtype=bool)
    moves[1:] = np.max(np.abs(np.diff(points, axis=0)), axis=1) > _POINT_TOLERANCE
    return moves


def sample_line(points: Float64, width: Float64, settings: ReferenceSettings, *, closed: bool, run: float) -> DrawnLine:
    """Sample a line evenly, smooth it, and extend it straight past its end (or round again).

    Args:
        points: float64 (Q, 3), from `clean_points` [m].
        width: float64 (Q, 2), from there too [m].
        settings: how it is smoothed and extended.
        closed: the last point joins the first.
        run: extension past the end; a closed line also starts whole laps early, by at least this much [m].

    Returns:
        The sampled line.
    """
    ring = np.concatenate((points, points[:1])) if closed else points
    corners = ring[:, 0] + 1j * ring[:, 1]
    drawn_u = np.concatenate(([0.0], np.cumsum(modulus(np.diff(corners)))))
    length = float(drawn_u[-1])
    weights = _gaussian(settings.smoothing)
    early = length * np.ceil(run / length) if closed else 0.0
    border = len(weights) // 2
    count = int(np.ceil((early + length + run) / SAMPLE_SPACING)) + 2
    u: Float64 = SAMPLE_SPACING * np.arange(-border, count + border, dtype=np.float64) - early
    along = np.mod(u, length) if closed else u
    raw = np.interp(along, drawn_u, corners)
    if not closed:
        raw = raw + _extension(u, drawn_u, corners, settings.end_chord)
    samples = weighted(raw, weights)
    box = 0.5 * (ring.min(axis=0) + ring.max(axis=0))
    return DrawnLine(
        samples=samples,
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
def _gaussian(deviation: float) -> Float64:
    """Weights over the samples within three deviations; one sample alone for no smoothing."""
    reach = int(np.ceil(3.0 * deviation / SAMPLE_SPACING))
    weights = exp(-0.5 * (SAMPLE_SPACING * np.arange(-reach, reach + 1) / max(deviation, 1e-9)) ** 2)
    return weights / np.sum(weights)


def _unit(first: complex, second: complex) -> complex:
    """The direction of the first vector, or of the second where the first has none."""
    vector = first if modulus(first) > _POINT_TOLERANCE else second
    return vector / float(modulus(vector))
