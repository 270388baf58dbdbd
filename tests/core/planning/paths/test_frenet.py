# SPDX-License-Identifier: GPL-3.0-or-later
"""States along paths and in the plane."""

from __future__ import annotations

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

from core.planning import ReferenceSet
from core.planning.paths import frenet


@pytest.fixture(scope="module")
def references(curves):
    lines, closed = zip(*curves.values(), strict=True)
    return ReferenceSet.from_polylines(lines, closed)


def random_states(references, count, seed, only=None):
    rng = np.random.default_rng(seed)
    path = rng.integers(0, len(references), count) if only is None else np.full(count, only)
    s = rng.random(count) * references.lengths[path]
    right, left = references.limits(path, s)
    d = right + (left - right) * rng.random(count)
    _, _, bend, _ = references.pose(path, s)
    across = 1.0 - bend * d
    state = frenet.FrenetState(
        s=s,
        s_dot=rng.uniform(0.0, 2.0, count),
        s_ddot=rng.normal(0.0, 1.0, count),
        d=d,
        d_prime=across * np.tan(rng.uniform(-1.2, 1.2, count)),
        d_second=rng.normal(0.0, 1.0, count),
    )
    return path, state


@pytest.mark.once
@pytest.mark.parametrize("number", range(10))
def test_round_trip_through_the_plane(references, number):
    path, state = random_states(references, 100_000, number, number)
    world = frenet.to_world(references, path, state)
    back = frenet.to_frenet(references, path, world, state.s + 0.05)
    again = frenet.to_world(references, path, back)
    np.testing.assert_allclose(again.position, world.position, atol=1e-9)
    np.testing.assert_allclose(again.curvature, world.curvature, atol=1e-9, rtol=1e-9)
    np.testing.assert_allclose(back.d, state.d, atol=1e-8)
    np.testing.assert_allclose(back.s_dot, state.s_dot, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(back.s_ddot, state.s_ddot, rtol=1e-5, atol=1e-5)


def test_speed_heading_curvature_and_acceleration_are_those_of_the_motion(references):
    path, state = random_states(references, 4000, 2)
    step = 1e-4

    def moved(time):
        """The state after some time, s'' and d'' held."""
        way = state.s_dot * time + 0.5 * state.s_ddot * time**2
        return frenet.FrenetState(
            s=state.s + way,
            s_dot=state.s_dot + state.s_ddot * time,
            s_ddot=state.s_ddot,
            d=state.d + way * (state.d_prime + 0.5 * way * state.d_second),
            d_prime=state.d_prime + way * state.d_second,
            d_second=state.d_second,
        )

    before, now, after = (frenet.to_world(references, path, moved(time)) for time in (-step, 0.0, step))
    velocity = (after.position - before.position) / (2 * step)
    direction = np.stack((np.cos(now.heading), np.sin(now.heading)), axis=-1)
    np.testing.assert_allclose(velocity, now.speed[:, None] * direction, atol=1e-4)
    fast = now.speed > 0.2
    gained = (after.speed - before.speed) / (2 * step)
    turned = (after.heading - before.heading)[fast] / (2 * step)
    # where the step passes a node, at which the rate of the line's curvature changes, differences are off
    assert np.quantile(np.abs(gained - now.acceleration), 0.995) < 1e-3
    assert np.quantile(np.abs(turned - (now.speed * now.curvature)[fast]), 0.995) < 1e-3


small, shares = st.floats(-3.0, 3.0), st.floats(-0.8, 0.8)


@hypothesis.given(small, small, shares, small, small)
def test_stretch_and_its_slope_are_those_of_any_way_along_any_bend(bend, bend_rate, share, d_prime, d_second):
    step, d = 1e-5, share / max(abs(bend), 1.0)

    def at(way):
        """The stretch a little on, with bend_rate and d'' held."""
        offset = d + way * (d_prime + 0.5 * way * d_second)
        slope = d_prime + way * d_second
        return frenet.stretch(bend + way * bend_rate, bend_rate, offset, slope, d_second), slope

    (before, slope_before), (now, _), (after, slope_after) = (at(way) for way in (-step, 0.0, step))
    assert (after.rate - before.rate) / (2 * step) == pytest.approx(now.rate_prime, abs=1e-4, rel=1e-4)
    error = [np.arctan2(slope, lay.across) for slope, lay in ((slope_before, before), (slope_after, after))]
    turned = bend + (error[1] - error[0]) / (2 * step)
    assert turned / now.rate == pytest.approx(now.curvature, abs=1e-4, rel=1e-4)


def test_standing_still_is_nothing_special(references):
    path = np.zeros(1, dtype=np.int64)
    still = frenet.WorldState(np.array([[3.0, 0.4]]), np.array([0.3]), np.zeros(1), np.zeros(1), np.zeros(1))
    state = frenet.to_frenet(references, path, still, np.array([3.0]))
    assert state.s_dot[0] == 0.0
    assert np.isfinite([state.d_prime[0], state.d_second[0], state.s_ddot[0]]).all()
    np.testing.assert_allclose(state.d_prime, np.tan(0.3), atol=1e-9)
