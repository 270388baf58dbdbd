# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded motion is smoothed without delay, cuts no bend, and moves nobody into others or into walls."""

import numpy as np

from core.simulation.movement.smoothing import clearance_to_boxes, shift_where_free, smooth_motion
from core.simulation.settings.pedestrian_settings import SmoothingSettings

SETTINGS, FPS = SmoothingSettings(), 24.0


def smoothed(motion, *, some=None, radius=0.25, clearance=None):
    """`smooth_motion` of float64 (F, A, 2), in the open by default."""
    agents = motion.shape[1]
    return smooth_motion(
        motion,
        np.ones(agents, dtype=bool) if some is None else some,
        np.full(agents, radius),
        FPS,
        clearance or (lambda frame, points: np.full(len(points), np.inf)),
        SETTINGS,
    )


def zigzag(agents=1, frames=96, noise=0.01):
    """People on straight lines, 2 m apart, who shake."""
    rng = np.random.default_rng(4)
    x = np.arange(frames)[:, None] * 1.3 / FPS + rng.normal(0.0, noise, (frames, agents))
    y = 2.0 * np.arange(agents) + rng.normal(0.0, noise, (frames, agents))
    return np.stack((x, y), axis=2)


def test_shaking_is_taken_out_and_nobody_begins_or_ends_elsewhere():
    motion = zigzag()
    found = smoothed(motion)
    np.testing.assert_array_equal(found[[0, -1]], motion[[0, -1]])
    before, after = (np.abs(np.diff(each[20:-20], n=3, axis=0)).max() for each in (motion, found))
    assert after < 0.1 * before
    assert np.hypot(*(found - motion).reshape(-1, 2).T).max() <= SETTINGS.greatest_shift


def test_shaking_is_taken_out_from_where_people_appear_to_where_they_disappear():
    motion = zigzag(20)
    found = smoothed(motion)
    for some in (slice(0, 10), slice(-10, None)):
        before, after = (np.abs(np.diff(each[some], n=3, axis=0)).mean() for each in (motion, found))
        assert after < 0.1 * before


def test_who_stands_before_they_disappear_is_not_moved():
    motion = zigzag(frames=144, noise=0.0)
    motion[96:] = motion[96]
    np.testing.assert_array_equal(smoothed(motion)[116:], motion[116:])


def test_who_would_be_moved_into_a_wall_is_led_round_it_smoothly():
    motion = np.zeros((96, 1, 2))
    motion[:, 0, 0], motion[:, 0, 1] = np.arange(96) / FPS, 0.3
    shift = np.zeros(motion.shape)
    shift[28:69, 0, 1] = -0.09 * (1.0 - (np.arange(-20, 21) / 21.0) ** 2) ** 2
    found = shift_where_free(motion, shift, np.array([0.25]), FPS, lambda frame, points: points[:, 1], SETTINGS)
    assert (found[..., 1] >= 0.25 - 2.0 * SETTINGS.tolerance).all()
    assert np.abs(np.diff(found, n=3, axis=0)).max() * FPS**3 < 25.0  # jerk [m/s3]


def test_a_bend_at_2_metres_a_second_squared_is_not_cut():
    angle = np.arange(96) / FPS * 2.0 / 1.4  # 1.4 m/s
    radius = 1.4 * 1.4 / 2.0
    motion = radius * np.stack((np.cos(angle), np.sin(angle)), axis=1)[:, None]
    assert np.abs(np.hypot(*(smoothed(motion)[20:-20, 0]).T) - radius).max() < 0.015


def test_who_is_not_to_be_smoothed_and_who_is_absent_stay_as_they_are():
    motion = zigzag(3)
    motion[:30, 2] = np.nan
    found = smoothed(motion, some=np.array([True, False, True]))
    np.testing.assert_array_equal(found[:, 1], motion[:, 1])
    assert np.isnan(found[:30, 2]).all()
    np.testing.assert_array_equal(found[30, 2], motion[30, 2])


def test_nobody_is_moved_into_somebody_or_into_a_wall():
    rng = np.random.default_rng(7)
    walk = np.cumsum(rng.normal(0.0, 0.02, (120, 30, 2)), axis=0) + rng.uniform(0.0, 4.0, (30, 2))

    def gaps(motion):
        apart = motion[:, :, None] - motion[:, None]
        distance = np.hypot(apart[..., 0], apart[..., 1])
        return np.where(np.eye(30, dtype=bool), np.inf, distance)

    def wall(frame, points):
        return points[:, 0] - 0.02 * frame  # it moves

    found = smoothed(walk, radius=0.15, clearance=wall)
    assert (np.hypot(*(found - walk).reshape(-1, 2).T) > 0.001).mean() > 0.1
    before, after = gaps(walk), gaps(found)
    assert (after >= np.minimum(before, 0.3) - 2.0 * SETTINGS.tolerance).all()
    frames = np.broadcast_to(np.arange(120)[:, None], walk.shape[:2]).ravel()
    free_before, free = (wall(frames, each.reshape(-1, 2)) for each in (walk, found))
    assert (free >= np.minimum(free_before, 0.15) - 2.0 * SETTINGS.tolerance).all()


def test_who_touch_somebody_or_a_wall_are_smoothed_too_and_touch_no_deeper():
    rng = np.random.default_rng(3)
    x = np.arange(120)[:, None] * 0.5 / FPS + rng.normal(0.0, 0.005, (120, 2))
    y = np.stack((np.full(120, 0.25), np.full(120, 0.75)), axis=1) + np.abs(rng.normal(0.0, 0.005, (120, 2)))
    motion = np.stack((x, y), axis=2)  # the wall is at y = 0
    found = smoothed(motion, clearance=lambda frame, points: points[:, 1])
    before, after = (np.abs(np.diff(each[20:-20], n=3, axis=0)).max() for each in (motion, found))
    assert after < 0.15 * before
    apart = [np.hypot(*(each[:, 1] - each[:, 0]).T) for each in (motion, found)]
    assert (apart[1] >= np.minimum(apart[0], 0.5) - 2.0 * SETTINGS.tolerance).all()
    assert (found[..., 1] >= 0.25 - 2.0 * SETTINGS.tolerance).all()


def test_distances_to_moving_boxes_are_signed_and_of_their_frame():
    states = np.array([[[0.0, 0.0, 0.0]], [[10.0, 0.0, np.pi / 2]], [[np.nan, np.nan, np.nan]]])
    points = np.array([[3.0, 0.0], [10.0, 3.0], [0.5, 0.0], [0.0, 0.0]])
    found = clearance_to_boxes(np.array([0, 1, 0, 2]), points, states, np.array([[4.0, 2.0]]))
    np.testing.assert_allclose(found, (1.0, 1.0, -1.0, np.inf))
