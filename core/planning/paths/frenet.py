# SPDX-License-Identifier: GPL-3.0-or-later
"""States along a path, and how a course d(s) lies in the plane, exactly.

With D = 1 - kappa_r d and d' = dd/ds the distance walked per metre of path is q = hypot(D, d'), and no tangent is
needed:

    v = s' q,  heading error = atan2(d', D),  kappa = ((d'' D + (kappa_r' d + kappa_r d') d') / q^2 + kappa_r) / q

Source: Werling et al. 2010, appendix I, written with d(s) so that standing still is no special case.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...array_types import Float64


@dataclass(frozen=True, eq=False)
class FrenetState:
    """States along paths, float64 (N,) each.

    Attributes:
        s: arc length [m].
        s_dot: its speed [m/s].
        s_ddot: its acceleration [m/s2].
        d: offset, positive to the left [m].
        d_prime: dd/ds.
        d_second: d2d/ds2 [1/m].
    """

    s: Float64
    s_dot: Float64
    s_ddot: Float64
    d: Float64
    d_prime: Float64
    d_second: Float64


@dataclass(frozen=True, eq=False)
class CourseGeometry:
    """How a course d(s) lies in the plane, float64 (...) each.

    Attributes:
        scale: D = 1 - kappa_r d, distance per metre of path at constant offset.
        narrowing: -dD/ds [1/m].
        rate: q, distance walked per metre of path.
        curvature: of the course [1/m].
        slopes: d' and d'' [1/m] of the course.
    """

    scale: Float64
    narrowing: Float64
    rate: Float64
    curvature: Float64
    slopes: tuple[Float64, Float64]

    @property
    def rate_prime(self) -> Float64:
        """dq/ds, float64 (...) [1/m]."""
        d_prime, d_second = self.slopes
        return (d_prime * d_second - self.scale * self.narrowing) / self.rate


def course_geometry(
    bend: Float64, bend_rate: Float64, d: Float64, d_prime: Float64, d_second: Float64
) -> CourseGeometry:
    """Return how a course d(s) along a line lies in the plane.

    Args:
        bend: float64 (...), curvature of the line [1/m].
        bend_rate: float64 (...), its change along the line [1/m2].
        d: float64 (...) [m].
        d_prime: float64 (...).
        d_second: float64 (...) [1/m].
    """
    scale = 1.0 - bend * d
    narrowing = bend_rate * d
    narrowing += bend * d_prime
    rate = scale * scale
    rate += d_prime * d_prime
    rate = np.sqrt(rate)
    turning = d_second * scale
    turning += narrowing * d_prime
    turning /= rate * rate
    turning += bend
    turning /= rate
    return CourseGeometry(scale, narrowing, rate, turning, (d_prime, d_second))
