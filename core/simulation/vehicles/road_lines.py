# SPDX-License-Identifier: GPL-3.0-or-later
"""The line that a road follows: the drawn one, with bends rounded as far as its lanes and vehicles need."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...array_types import Float64
from ...geometry.reproducible_math import arctan2, dot, exp, length2, weighted
from ...geometry.segments import lengths_along

LINE_STEP = 0.5
"""Distance between places of a road's line [m]."""

_SMOOTHING = (0.1, 0.2, 0.35, 0.5, 0.7, 0.9, 1.2)  # tried one after the other, as shares of the radius needed
_CURVATURE_TOLERANCE = 1.0e-6  # [1/m]: less is straight
_SAMPLING_FACTOR = 1.02  # what sampling adds to a curvature


class RoadLine(NamedTuple):
    """M places along a road at even steps; on a closed road the first does not stand there again at the end.

    Attributes:
        points: float64 (M, 3) [m].
        normal: float64 (M, 2), unit vectors to the left.
        s: float64 (M,), arc length along the line [m].
        length: of the line, or of a lap [m].
        rounded: by how much the line leaves the drawn one at most [m]; rounded_at: where, (x, y) [m].
    """

    points: Float64
    normal: Float64
    s: Float64
    length: float
    rounded: float
    rounded_at: Float64

    def beside(self, offset: float) -> Float64:
        """The line at an offset to the left, float64 (M, 3) [m]."""
        moved = self.points.copy()
        moved[:, :2] += offset * self.normal
        return moved

    def bends_no_sharper(self, radius: float, *, closed: bool) -> RoadLine | TooSharp:
        """The line itself, or its sharpest bend if that is sharper than a radius [m]."""
        bend = _curvature(self.points, closed=closed)
        sharpest = int(np.argmax(bend))
        if bend[sharpest] <= _SAMPLING_FACTOR / radius + _CURVATURE_TOLERANCE:
            return self
        return TooSharp(1.0 / float(bend[sharpest]), self.points[sharpest, :2])


class TooSharp(NamedTuple):
    """Why there is no such line: the `radius` [m] of the bend at `place` (x, y) [m] cannot be widened enough."""

    radius: float
    place: Float64


def road_line(points: Float64, *, closed: bool, radius: float, rounding_share: float) -> RoadLine | TooSharp:
    """Round a drawn line until no bend is sharper than a radius.

    Args:
        points: float64 (P, 3), as drawn [m].
        closed: the last point joins the first.
        radius: of the sharpest bend [m].
        rounding_share: a bend may be rounded by this share of the radius, 0 to 1.

    Returns:
        The line; or the bend that is too sharp to be rounded without leaving the drawn line by far.
    """
    drawn, length = _resampled(points, closed=closed)
    drawn_bend = _curvature(_smoothed(drawn, LINE_STEP, closed=closed), closed=closed)
    sharpest = int(np.argmax(drawn_bend))
    for share in (LINE_STEP / radius, *_SMOOTHING):
        smooth = _smoothed(drawn, share * radius, closed=closed)
        off = np.sqrt(length2((smooth - drawn)[:, :2]))
        if np.max(_curvature(smooth, closed=closed), initial=0.0) <= _SAMPLING_FACTOR / radius:
            worst = int(np.argmax(off))
            if off[worst] <= max(rounding_share * radius, LINE_STEP):
                return _line(smooth, float(off[worst]), drawn[worst, :2], closed=closed, length=length)
            break
    return TooSharp(float(1.0 / max(drawn_bend[sharpest], 1e-9)), drawn[sharpest, :2])


def _line(smooth: Float64, rounded: float, rounded_at: Float64, *, closed: bool, length: float) -> RoadLine:
    ring = np.concatenate((smooth, smooth[:1])) if closed else smooth
    s = lengths_along(ring[:, :2])
    tangent = _tangents(smooth[:, :2], closed=closed)
    normal = np.stack((-tangent[:, 1], tangent[:, 0]), axis=1)
    return RoadLine(smooth, normal, s[: len(smooth)], float(s[-1]) or length, rounded, rounded_at)


def _resampled(points: Float64, *, closed: bool) -> tuple[Float64, float]:
    """Even steps along a drawn line."""
    ring = np.concatenate((points, points[:1])) if closed else points
    u = lengths_along(ring[:, :2])
    count = max(4, int(np.ceil(u[-1] / LINE_STEP)))
    at = np.linspace(0.0, u[-1], count + 1)[: count if closed else None]
    return np.stack([np.interp(at, u, column) for column in ring.T], axis=1), float(u[-1])


def _smoothed(points: Float64, deviation: float, *, closed: bool) -> Float64:
    """Gaussian smoothing along a line; open ends stay where they are."""
    reach = int(np.ceil(3.0 * deviation / LINE_STEP))
    weights = exp(-0.5 * (LINE_STEP * np.arange(-reach, reach + 1) / deviation) ** 2)
    weights /= weights.sum()
    if closed:
        rows = np.arange(-reach, len(points) + reach) % len(points)
        padded = points[rows]
    else:  # turned about the ends, so that the line neither shrinks nor bends there
        rows = np.minimum(np.arange(reach, 0, -1), len(points) - 1)
        padded = np.concatenate((2 * points[0] - points[rows], points, 2 * points[-1] - points[::-1][rows[::-1]]))
    return np.stack([weighted(column, weights) for column in padded.T], axis=1)


def _tangents(points: Float64, *, closed: bool) -> Float64:
    along = np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0) if closed else np.gradient(points, axis=0)
    return along / np.maximum(np.sqrt(length2(along)), 1e-12)[:, None]


def _curvature(points: Float64, *, closed: bool) -> Float64:
    """How sharply a line bends at its places, float64 (M,) [1/m]; a sharp turn back counts as endless."""
    ring = np.concatenate((points[-1:], points, points[:1])) if closed else points
    steps = np.diff(ring[:, :2], axis=0)
    length = np.sqrt(length2(steps))
    cross = steps[:-1, 0] * steps[1:, 1] - steps[:-1, 1] * steps[1:, 0]
    along = dot(steps[:-1], steps[1:])
    bend = np.abs(arctan2(cross, along)) / np.maximum(0.5 * (length[:-1] + length[1:]), 0.1 * LINE_STEP)
    return bend if closed else np.concatenate(([0.0], bend, [0.0]))
