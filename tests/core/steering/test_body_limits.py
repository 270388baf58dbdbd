# SPDX-License-Identifier: GPL-3.0-or-later
"""What bodies can and cannot do from one step to the next."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.steering import body_limits

BODY = {"max_acceleration": 3.0, "max_deceleration": 4.0, "max_turn_rate": 2.5, "dt": 0.05}
STILL = 0.1


def heading(velocity):
    return np.arctan2(velocity[:, 1], velocity[:, 0])


def turned(before, after):
    """The angle between two directions, without sign."""
    return np.abs((after - before + math.pi) % (2.0 * math.pi) - math.pi)


def draw(count, seed):
    rng = np.random.default_rng(seed)
    angle, speed = rng.uniform(-math.pi, math.pi, (2, count)), rng.uniform(0.0, 2.0, (2, count)) ** 2
    return np.stack((speed * np.cos(angle), speed * np.sin(angle)), axis=-1)


def test_every_limit_holds_for_every_wish():
    velocity, wanted = draw(5000, seed=50)
    found = body_limits.limit_velocity(velocity, wanted, **BODY)
    before, after = np.linalg.norm(velocity, axis=1), np.linalg.norm(found, axis=1)
    assert (after <= before + BODY["max_acceleration"] * BODY["dt"] + 1e-12).all()
    assert (after >= before - BODY["max_deceleration"] * BODY["dt"] - 1e-12).all()
    moving = (before >= STILL) & (after > 1e-9)
    angle = turned(heading(velocity), heading(found))[moving]
    most = BODY["max_turn_rate"] * BODY["dt"]
    assert (angle <= most + 1e-12).all()
    assert (angle > most - 1e-9).sum() > 100  # it does bite


def test_what_can_be_reached_is_reached():
    velocity, wish = draw(2000, seed=51)
    within = body_limits.limit_velocity(velocity, wish, **BODY)
    np.testing.assert_allclose(body_limits.limit_velocity(velocity, within, **BODY), within, atol=1e-12)


def test_result_is_the_reachable_velocity_nearest_to_the_wanted_one():
    velocity, wanted = draw(300, seed=52)
    found = body_limits.limit_velocity(velocity, wanted, **BODY)
    speed = np.linalg.norm(velocity, axis=1)
    sample_speed = np.linspace(-BODY["max_deceleration"], BODY["max_acceleration"], 40) * BODY["dt"]
    for agent in np.flatnonzero(speed >= STILL):
        turn = np.linspace(-1.0, 1.0, 41) * BODY["max_turn_rate"] * BODY["dt"] + heading(velocity[[agent]])
        reachable = np.maximum(speed[agent] + sample_speed, 0.0)[:, None, None] * np.stack(
            (np.cos(turn), np.sin(turn)), axis=-1
        )
        least = np.linalg.norm(reachable - wanted[agent], axis=-1).min()
        assert np.linalg.norm(found[agent] - wanted[agent]) <= least + 1e-9


def test_braking_is_always_possible():
    velocity = np.array([[1.5, 0.0], [0.0, -0.15], [0.05, 0.0], [0.0, 0.0]])
    stopped = body_limits.limit_velocity(velocity, np.zeros((4, 2)), **BODY)
    np.testing.assert_allclose(stopped, [[1.3, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]], atol=1e-15)
    reverse = body_limits.limit_velocity(velocity[:1], -velocity[:1], **BODY)
    np.testing.assert_allclose(np.linalg.norm(reverse), 1.3, atol=1e-12)


def test_who_hardly_moves_turns_on_the_spot():
    found = body_limits.limit_velocity(np.array([[0.05, 0.0]]), np.array([[-1.0, 0.0]]), **BODY)
    np.testing.assert_allclose(found, [[-0.2, 0.0]], atol=1e-12)


def test_limits_may_differ_between_agents():
    velocity = np.ones((2, 2))
    found = body_limits.limit_velocity(
        velocity, 9.0 * velocity, max_acceleration=[1.0, 2.0], max_deceleration=1.0, max_turn_rate=1.0, dt=0.1
    )
    np.testing.assert_allclose(np.linalg.norm(found, axis=1) - math.sqrt(2.0), [0.1, 0.2])


def test_turning_and_braking_together_stay_within_the_grip():
    velocity, wanted = draw(5000, seed=53)
    free = body_limits.limit_velocity(velocity, wanted, **BODY)
    found = body_limits.limit_velocity(velocity, wanted, **BODY, grip=3.0)
    free_change, change = free - velocity, found - velocity
    size, free_size = np.linalg.norm(change, axis=1), np.linalg.norm(free_change, axis=1)
    assert (size <= 3.0 * BODY["dt"] + 1e-12).all()
    np.testing.assert_allclose(size, np.minimum(free_size, 3.0 * BODY["dt"]), atol=1e-12)
    assert (free_size > 4.0 * BODY["dt"] + 0.1).sum() > 100  # turning hard at speed is more than any of the limits
    across = change[:, 0] * free_change[:, 1] - change[:, 1] * free_change[:, 0]
    np.testing.assert_allclose(across, 0.0, atol=1e-12)  # in the same direction
    assert ((change * free_change).sum(axis=1) >= 0.0).all()


def test_heading_follows_the_motion_no_faster_than_the_body_turns():
    now = np.zeros(1)
    velocity = np.array([[0.0, 1.0]])
    angles = []
    for _ in range(20):
        now = body_limits.turn_towards(now, velocity, max_turn_rate=2.0, dt=0.05)
        angles.append(now[0])
    np.testing.assert_allclose(angles, np.minimum(0.1 * np.arange(1, 21), math.pi / 2), atol=1e-12)


def test_heading_is_continuous_over_full_turns():
    """Walking in circles, three times round: no jump, and the turns are counted."""
    time = np.arange(0.0, 30.0, 0.05)
    course = 2.0 * math.pi / 10.0 * time
    now, all_headings = np.zeros(1), []
    for angle in course:
        now = body_limits.turn_towards(now, np.array([[math.cos(angle), math.sin(angle)]]), max_turn_rate=2.0, dt=0.05)
        all_headings.append(now[0])
    np.testing.assert_allclose(all_headings, course, atol=1e-9)


def test_who_stands_keeps_the_heading():
    found = body_limits.turn_towards(
        np.array([7.0, 7.0]), np.array([[0.0, 0.0], [0.05, 0.0]]), max_turn_rate=2.0, dt=0.05, still_speed=0.1
    )
    np.testing.assert_array_equal(found, 7.0)


def test_a_body_with_weight_comes_to_face_its_aim_without_passing_it():
    """Independent of the step: the time is that of speeding up, turning on and slowing down, as in the text books."""
    aim = np.array([0.05, -0.4, 1.0, 3.0])
    for dt in (1 / 24, 1 / 60, 1 / 240):
        now, rate, angles = np.zeros(4), np.zeros(4), [np.zeros(4)]
        for _ in range(round(3.0 / dt)):
            now, rate = body_limits.swing_towards(
                now, rate, aim, np.zeros(4), max_turn_rate=2.0, max_change=10.0, dt=dt
            )
            angles.append(now)
        seen = np.array(angles)
        np.testing.assert_allclose(seen[-1], aim, atol=1e-9)
        np.testing.assert_allclose(rate, 0.0, atol=1e-9)
        assert (np.abs(seen) <= np.abs(aim) + 1e-9).all()
        assert np.abs(np.diff(seen, axis=0)).max() <= 2.0 * dt + 1e-12
        assert np.abs(np.diff(seen, 2, axis=0)).max() <= 10.0 * dt**2 + 1e-12
        arrives = (np.abs(seen - aim) > 1e-3).sum(axis=0) * dt
        whole = np.where(np.abs(aim) > 0.4, np.abs(aim) / 2.0 + 0.2, 2.0 * np.sqrt(np.abs(aim) / 10.0))
        np.testing.assert_allclose(arrives, whole, atol=3.0 * dt)


def test_a_body_with_weight_keeps_up_with_an_aim_that_turns_evenly():
    dt, even = 1 / 24, np.array([0.9])
    now, rate = np.array([3.0]), np.zeros(1)
    for step in range(1, 60):
        now, rate = body_limits.swing_towards(
            now, rate, 3.2 + even * dt * step, even, max_turn_rate=3.0, max_change=10.0, dt=dt
        )
    np.testing.assert_allclose(now, 3.2 + even * dt * 59, atol=1e-9)


@pytest.mark.parametrize("agents", [0, 1])
def test_few_or_none_are_no_exception(agents):
    nothing = np.zeros((agents, 2))
    assert body_limits.limit_velocity(nothing, nothing, **BODY).shape == (agents, 2)
    assert body_limits.turn_towards(np.zeros(agents), nothing, max_turn_rate=1.0, dt=0.1).shape == (agents,)
