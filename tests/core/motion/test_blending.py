# SPDX-License-Identifier: GPL-3.0-or-later
"""Standing and walking by speed, and the stride between them."""

import numpy as np
import pytest

from core.motion.blending import FULL_STRIDES, blended_phase, smooth_speed, walk_share

FPS = 24.0
STRIDE = 1.4


def start_and_stop(frames=240, most=1.4):
    """The way of somebody who stands, walks off, and comes to a stand again [m]."""
    seconds = np.arange(frames) / FPS
    speed = most * np.clip(np.minimum(seconds - 2.0, 8.0 - seconds), 0.0, 1.0)
    return np.concatenate([[0.0], np.cumsum((speed[1:] + speed[:-1]) / 2) / FPS])


def test_the_speed_of_an_even_walk_is_its_speed():
    walked = 1.3 * np.arange(50)[:, None] / FPS * np.ones(3)
    assert smooth_speed(walked, FPS) == pytest.approx(np.full((50, 3), 1.3))


def test_a_single_frame_has_no_speed():
    assert smooth_speed(np.zeros((1, 2)), FPS) == pytest.approx(0.0)


def test_who_stands_does_not_walk_and_who_walks_at_full_speed_does_nothing_else():
    share = walk_share(np.array([0.0, 0.03, FULL_STRIDES * STRIDE, 3.0]), STRIDE)
    assert share.tolist() == [0.0, 0.0, 1.0, 1.0]


def test_stride_and_cadence_both_grow_with_the_root_of_the_speed():
    speed = np.array([0.3, 0.6, 1.2])
    share = walk_share(speed, STRIDE)
    cadence = speed / (share * STRIDE)
    assert share[2] / share[1] == pytest.approx(np.sqrt(2.0), rel=0.06)
    assert cadence[2] / cadence[1] == pytest.approx(np.sqrt(2.0), rel=0.06)


def test_in_full_the_stride_is_bound_to_the_way_alone():
    walked = np.linspace(0.0, 10.0, 100)
    assert blended_phase(walked, np.ones(100), STRIDE, 0.3) == pytest.approx(walked / STRIDE + 0.3)


def test_from_standing_to_standing_the_stride_never_leaps_nor_goes_on_without_a_way():
    walked = start_and_stop()
    share = walk_share(smooth_speed(walked, FPS), STRIDE)
    runs = blended_phase(walked, share, STRIDE, 0.1)
    assert share[0] == share[-1] == 0.0
    assert share.max() == 1.0
    assert np.abs(np.diff(share)).max() < 0.15
    assert np.diff(runs).max() < 0.06
    assert np.all(np.diff(runs)[np.diff(walked) == 0.0] == 0.0)


def test_many_are_blended_as_one_by_one():
    walked = np.stack([start_and_stop(most=most) for most in (0.5, 1.0, 1.6)], axis=1)
    stride = np.array([1.2, 1.4, 1.6])
    share = walk_share(smooth_speed(walked, FPS), stride)
    runs = blended_phase(walked, share, stride, np.zeros(3))
    for k in range(3):
        own = walk_share(smooth_speed(walked[:, k], FPS), stride[k])
        assert np.array_equal(own, share[:, k])
        assert np.array_equal(blended_phase(walked[:, k], own, stride[k], 0.0), runs[:, k])
