# SPDX-License-Identifier: GPL-3.0-or-later
"""Polynomials of fifth degree between two states: of all smooth motions those with the least squared jerk.

Coefficients stand first: float64 (6, ...), lowest power first, so that each is one contiguous array.

Source: Werling et al. 2010, section III; Takahashi et al. 1989.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...array_types import Float64
from ...geometry.reproducible_math import horner


def quintic(start: tuple[ArrayLike, ...], end: tuple[ArrayLike, ...], span: ArrayLike) -> Float64:
    """The polynomial from one state to another.

    Args:
        start: value, slope and second derivative at 0, float64 (...) each.
        end: the same at `span`.
        span: float64 (...), positive.

    Returns:
        float64 (6, ...), coefficients.
    """
    x0, v0, a0, x1, v1, a1, t = (np.asarray(part, dtype=np.float64) for part in (*start, *end, span))
    x = x1 - (x0 + t * (v0 + 0.5 * t * a0))
    v = t * (v1 - (v0 + t * a0))
    a = t * t * (a1 - a0)
    t3 = t * t * t
    fifth = (6.0 * x - 3.0 * v + 0.5 * a) / (t3 * t * t)
    found = np.empty((6, *np.shape(fifth)))
    found[0], found[1], found[2] = x0, v0, 0.5 * a0
    found[3] = (10.0 * x - 4.0 * v + 0.5 * a) / t3
    found[4] = (-15.0 * x + 7.0 * v - a) / (t3 * t)
    found[5] = fifth
    return found


def reached_cruising(speed: ArrayLike, acceleration: ArrayLike, end_speed: ArrayLike, span: ArrayLike) -> Float64:
    """Return the distance covered with least jerk until a speed that is then held: the end value for `quintic`.

    With it the coefficient of the fifth power is zero.

    Args:
        speed: float64 (...), at the start.
        acceleration: float64 (...), at the start.
        end_speed: float64 (...), reached with no acceleration.
        span: float64 (...), time it takes.

    Returns:
        float64 (...), distance.
    """
    speed, acceleration, end_speed, span = (np.asarray(v) for v in (speed, acceleration, end_speed, span))
    return span * (0.5 * (speed + end_speed) + span * acceleration / 12.0)


def evaluate(coefficients: Float64, at: ArrayLike) -> tuple[Float64, Float64, Float64]:
    """Value, slope and second derivative.

    Args:
        coefficients: float64 (6, ...).
        at: float64 (...), broadcasting.

    Returns:
        float64 (...) each.
    """
    c0, c1, c2, c3, c4, c5 = coefficients
    x = np.asarray(at, dtype=np.float64)
    value = horner((c5, c4, c3, c2, c1, c0), x)
    slope = horner((5.0 * c5, 4.0 * c4, 3.0 * c3, 2.0 * c2, c1), x)
    return value, slope, horner((20.0 * c5, 12.0 * c4, 6.0 * c3, 2.0 * c2), x)


def squared_jerk(coefficients: Float64, span: ArrayLike) -> Float64:
    """Integral of the squared third derivative from 0 to `span`.

    Args:
        coefficients: float64 (6, ...).
        span: float64 (...).

    Returns:
        float64 (...).
    """
    _, _, _, c3, c4, c5 = coefficients
    t = np.asarray(span, dtype=np.float64)
    a, b, c = 6.0 * c3, 24.0 * c4, 60.0 * c5
    return t * (a * a + t * (a * b + t * ((b * b + 2.0 * a * c) / 3.0 + t * (0.5 * b * c + t * (c * c / 5.0)))))


def squared_difference(coefficients: Float64, wanted: ArrayLike, span: ArrayLike) -> Float64:
    """Integral of the squared difference between the slope and a target, from 0 to `span`.

    Args:
        coefficients: float64 (6, ...).
        wanted: float64 (...).
        span: float64 (...).

    Returns:
        float64 (...).
    """
    _, c1, c2, c3, c4, c5 = coefficients
    t = np.asarray(span, dtype=np.float64)
    # the slope as a polynomial in the share of the span, whose powers then integrate to 1 / (power + 1)
    a = c1 - np.asarray(wanted, dtype=np.float64)
    b = 2.0 * t * c2
    c = 3.0 * t * t * c3
    d = 4.0 * t * t * t * c4
    e = 5.0 * t * t * t * t * c5
    even = a * a + (b * b + 2.0 * a * c) / 3.0 + (c * c + 2.0 * (a * e + b * d)) / 5.0 + (d * d + 2.0 * c * e) / 7.0
    odd = a * b + 0.5 * (a * d + b * c) + (b * e + c * d) / 3.0 + 0.25 * d * e
    return t * (even + e * e / 9.0 + odd)
