# SPDX-License-Identifier: GPL-3.0-or-later
"""Polynomials of fifth degree, given by six numbers: twins of `core.planning.candidates.polynomials`."""

from __future__ import annotations

from .compiling import part


@part
def quintic(start, end, t):
    """The coefficients of the polynomial from one state to another within a span."""
    (x0, v0, a0), (x1, v1, a1) = start, end
    x = x1 - (x0 + t * (v0 + 0.5 * t * a0))
    v = t * (v1 - (v0 + t * a0))
    a = t * t * (a1 - a0)
    t3 = t * t * t
    third, fourth = (10.0 * x - 4.0 * v + 0.5 * a) / t3, (-15.0 * x + 7.0 * v - a) / (t3 * t)
    return x0, v0, 0.5 * a0, third, fourth, (6.0 * x - 3.0 * v + 0.5 * a) / (t3 * t * t)


@part
def value_and_slopes(coefficients, x):
    """Value, slope and second derivative."""
    c0, c1, c2, c3, c4, c5 = coefficients
    value = c0 + x * (c1 + x * (c2 + x * (c3 + x * (c4 + x * c5))))
    slope = c1 + x * (2.0 * c2 + x * (3.0 * c3 + x * (4.0 * c4 + x * (5.0 * c5))))
    return value, slope, 2.0 * c2 + x * (6.0 * c3 + x * (12.0 * c4 + x * (20.0 * c5)))


@part
def squared_jerk(coefficients, t):
    """Integral of the squared third derivative from 0 to t."""
    _, _, _, c3, c4, c5 = coefficients
    a, b, c = 6.0 * c3, 24.0 * c4, 60.0 * c5
    return t * (a * a + t * (a * b + t * ((b * b + 2.0 * a * c) / 3.0 + t * (0.5 * b * c + t * (c * c / 5.0)))))


@part
def squared_difference(coefficients, wanted, t):
    """Integral of the squared difference between the slope and a target, from 0 to t."""
    _, c1, c2, c3, c4, c5 = coefficients
    a, b, c = c1 - wanted, 2.0 * t * c2, 3.0 * t * t * c3
    d, e = 4.0 * t * t * t * c4, 5.0 * t * t * t * t * c5
    even = a * a + (b * b + 2.0 * a * c) / 3.0 + (c * c + 2.0 * (a * e + b * d)) / 5.0 + (d * d + 2.0 * c * e) / 7.0
    odd = a * b + 0.5 * (a * d + b * c) + (b * e + c * d) / 3.0 + 0.25 * d * e
    return t * (even + e * e / 9.0 + odd)
