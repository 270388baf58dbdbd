# SPDX-License-Identifier: GPL-3.0-or-later
"""Quintics: what they join, and their integrals against sums."""

from __future__ import annotations

import numpy as np

from core.planning.candidates import polynomials


def random_quintics(seed, count=50):
    rng = np.random.default_rng(seed)
    start, end = rng.normal(size=(2, 3, count))
    span = rng.uniform(0.3, 4.0, count)
    return start, end, span, polynomials.quintic(tuple(start), tuple(end), span)


def test_a_quintic_joins_its_states():
    start, end, span, quintics = random_quintics(1)
    np.testing.assert_allclose(polynomials.evaluate(quintics, 0.0), start, atol=1e-12)
    np.testing.assert_allclose(polynomials.evaluate(quintics, span), end, atol=1e-9)


def test_slopes_agree_with_differences():
    _, _, span, quintics = random_quintics(2)
    at, step = 0.37 * span, 1e-6
    before, here, after = (polynomials.evaluate(quintics, at + k * step) for k in (-1, 0, 1))
    np.testing.assert_allclose((after[0] - before[0]) / (2 * step), here[1], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose((after[1] - before[1]) / (2 * step), here[2], rtol=1e-5, atol=1e-6)


def test_integrals_agree_with_sums():
    _, _, span, quintics = random_quintics(3)
    middle = (np.arange(4000) + 0.5) / 4000 * span[:, None]
    _, slope, _ = polynomials.evaluate(quintics[..., None], middle)
    c3, c4, c5 = (quintics[k][:, None] for k in (3, 4, 5))
    third = 6.0 * c3 + 24.0 * c4 * middle + 60.0 * c5 * middle**2
    np.testing.assert_allclose(polynomials.squared_jerk(quintics, span), np.mean(third**2, axis=1) * span, rtol=1e-5)
    wanted = np.linspace(-1.0, 2.0, len(span))
    off = np.mean((slope - wanted[:, None]) ** 2, axis=1) * span
    np.testing.assert_allclose(polynomials.squared_difference(quintics, wanted, span), off, rtol=1e-5)


def test_among_smooth_ways_to_a_speed_that_is_held_the_planned_one_has_least_jerk():
    speed, acceleration, end_speed, span = 0.4, -0.3, 1.3, 1.7
    way = polynomials.reached_cruising(speed, acceleration, end_speed, span)
    ways = np.array([way - 0.01, way, way + 0.01])
    jerk = polynomials.squared_jerk(polynomials.quintic((0.0, speed, acceleration), (ways, end_speed, 0.0), span), span)
    assert jerk[1] < min(jerk[0], jerk[2])
