# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

from core.motion.stride import ground_travel, travel

STANCE = 0.6  # of the cycle, as people walk


def walking_points(stride, direction, samples=48, height=1.75):
    """Points of a body that walks in place: two ankles, two toes, hips, head, and a knee control that stands still.

    While planted, an ankle goes back evenly by stride x STANCE; in the swing it comes forward on a smooth arc.
    """
    times = np.linspace(0.0, 1.0, samples + 1)
    forward = np.array(direction, dtype=float) / np.linalg.norm(direction)
    columns = []
    for shift in (0.0, 0.5):
        phase = (times + shift) % 1.0
        swing = np.clip((phase - STANCE) / (1.0 - STANCE), 0.0, 1.0)
        reach = stride * STANCE
        ahead = np.where(
            phase < STANCE, reach / 2 - stride * phase, -reach / 2 + reach * swing**2 * (3.0 - 2.0 * swing)
        )
        lift = 0.2 * np.sin(np.pi * swing) ** 2
        ankle = np.column_stack([ahead[:, None] * forward, 0.08 + lift])
        toe = np.column_stack([(ahead[:, None] + 0.15) * forward, 0.01 + 0.3 * lift])
        columns += [ankle, toe]
    hips = np.column_stack([np.zeros((len(times), 2)), 0.9 + 0.02 * np.cos(4 * np.pi * times)])
    head = np.column_stack([np.zeros((len(times), 2)), np.full(len(times), height)])
    control = np.tile([0.3, 0.0, 0.05], (len(times), 1))
    return np.stack([*columns, hips, head, control], axis=1)


@pytest.mark.parametrize("stride", [0.9, 1.4, 1.9])
@pytest.mark.parametrize("direction", [(0, -1), (1, 0), (-0.6, 0.8)])
def test_ground_travel_is_the_stride(stride, direction):
    found = ground_travel(walking_points(stride, direction))
    assert found.stride == pytest.approx(stride, rel=0.02)
    np.testing.assert_allclose(found.direction, direction, atol=0.02)


def test_ground_travel_does_not_depend_on_the_units():
    metres = walking_points(1.4, (0, -1))
    small, large = ground_travel(metres), ground_travel(metres * 100.0)
    assert large.stride == pytest.approx(100.0 * small.stride)
    np.testing.assert_allclose(large.direction, small.direction)


def pendulum_points(samples, start, lead=0.0):
    """Straight legs that swing to and fro about the hips, 0.5 rad each way, with toes `lead` ahead of the ankles."""
    times = np.linspace(0.0, 1.0, samples + 1)
    columns = [np.tile([0.0, 0.0, 1.8], (samples + 1, 1))]
    for shift in (0.0, 0.5):
        swing = 0.5 * np.sin(2.0 * np.pi * (times + start + shift))
        angles = (swing, swing + lead)
        columns += [np.column_stack([np.zeros_like(times), np.sin(angle), 1.0 - np.cos(angle)]) for angle in angles]
    return np.stack(columns, axis=1)


@pytest.mark.parametrize("samples", [24, 25, 40])
@pytest.mark.parametrize("start", [0.0, 0.1, 0.25])
@pytest.mark.parametrize("lead", [0.0, 0.15])
def test_legs_that_only_swing_to_and_fro_have_a_stride_and_no_direction(samples, start, lead):
    found = ground_travel(pendulum_points(samples, start, lead))
    assert found.direction is None
    assert 0.5 * 4 * np.sin(0.5) < found.stride < 2.0 * 4 * np.sin(0.5)


@pytest.mark.parametrize("start", [0.0, 0.1, 0.25])
def test_a_little_lift_on_the_way_forth_tells_the_direction(start):
    points = pendulum_points(48, start)
    forth = np.gradient(points[..., 1], axis=0) > 0.0
    points[..., 2] += 0.03 * forth * np.cos(points[..., 1] * np.pi)
    np.testing.assert_allclose(ground_travel(points).direction, (0.0, 1.0), atol=0.02)


def test_who_stands_still_has_no_ground_travel():
    still = np.tile(walking_points(1.4, (0, -1))[:1], (30, 1, 1))
    assert ground_travel(still) is None


def test_waving_arms_are_no_feet():
    points = walking_points(1.4, (0, -1))
    points[:, :4] = points[:1, :4]  # the feet rest
    points[:, 4, 0] = np.sin(np.linspace(0, 2 * np.pi, len(points)))  # what is high up swings
    assert ground_travel(points) is None


def test_hands_that_hang_low_and_swing_wider_than_feet_are_none():
    """As of an animal that swaggers: its fingers hang at its knees, nearly as low as its ankles."""
    walk = walking_points(1.4, (0, -1))
    times = np.linspace(0.0, 2.0 * np.pi, len(walk))
    hands = [
        np.column_stack([0.0 * times, 1.0 * np.sin(times + start), 0.15 + 0.1 * np.sin(times + start) ** 2])
        for start in (0.0, np.pi)
    ]
    found = ground_travel(np.concatenate([walk, np.stack(hands, axis=1)], axis=1))
    assert found.stride == pytest.approx(1.4, rel=0.02)
    np.testing.assert_allclose(found.direction, (0, -1), atol=0.02)


def test_a_single_point_without_height_has_no_ground_travel():
    assert ground_travel(np.zeros((10, 1, 3))) is None


def test_travel_is_the_way_of_the_whole_skeleton():
    points = walking_points(1.4, (0, -1))
    times = np.linspace(0.0, 1.0, len(points))
    moved = points + times[:, None, None] * np.array([0.3, -1.4, 0.1])
    np.testing.assert_allclose(travel(moved), [0.3, -1.4, 0.1], atol=1e-12)
    np.testing.assert_allclose(travel(points), 0.0, atol=1e-12)


def test_a_control_that_stays_behind_does_not_count():
    points = walking_points(1.4, (0, -1))
    points[-1, :-1] += (0.0, -1.4, 0.0)
    np.testing.assert_allclose(travel(points), [0.0, -1.4, 0.0], atol=1e-12)


def test_the_swing_of_the_feet_is_how_far_they_go_from_front_to_back():
    assert ground_travel(walking_points(1.4, (0, -1))).swing == pytest.approx(STANCE * 1.4, rel=0.01)
