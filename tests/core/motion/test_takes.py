# SPDX-License-Identifier: GPL-3.0-or-later
"""One stride is cut out of a take that is no cycle, where somebody walks straight ahead in it."""

import numpy as np
import pytest

from core.motion.takes import cut_pause, cut_stride

HEIGHT, STRIDE, PERIOD = 1.7, 1.4, 40  # metres, and moments of a stride


def walker(phase, root, heading=0.0):
    """Hips, head, knees and feet of somebody who swings legs and arms: float64 (T, P, 3)."""
    swing = np.sin(2.0 * np.pi * phase)[:, None] * [0.0, 0.0, 0.2, -0.2, 0.4, -0.4, -0.2, 0.2]
    lift = np.maximum(0.0, np.cos(2.0 * np.pi * phase)[:, None] * [0.0, 0.0, 0.1, -0.1, 0.15, -0.15, 0.0, 0.0])
    heights = np.array([0.9, HEIGHT, 0.5, 0.5, 0.05, 0.05, 1.0, 1.0])
    aside = np.array([0.0, 0.0, 0.1, -0.1, 0.1, -0.1, 0.2, -0.2])
    heading = np.broadcast_to(heading, phase.shape)[:, None]
    x, y = swing * np.cos(heading) - aside * np.sin(heading), swing * np.sin(heading) + aside * np.cos(heading)
    points = np.stack([x, y, heights + lift], axis=2)
    points[..., :2] += root[:, None]
    return points


def along_x(distance):
    return np.stack([distance, np.zeros(len(distance))], axis=1)


def take(moments, still=0):
    """Somebody who stands for a while and walks then."""
    walked = np.maximum(np.arange(moments) - still, 0.0) / PERIOD
    return walker(np.where(walked > 0.0, walked, 0.0), along_x(STRIDE * walked))


@pytest.mark.parametrize("moments", [PERIOD + 1, 2 * PERIOD + 1, PERIOD])
def test_a_cycle_stays_whole_also_without_its_last_moment(moments):
    assert cut_stride(take(moments)) is None


@pytest.mark.parametrize(("moments", "still"), [(90, 0), (100, 0), (150, 30)])
def test_one_stride_is_cut_out_of_a_take(moments, still):
    first, last = cut_stride(take(moments, still))
    assert first >= still - 3  # who stands has the pose of a walk here
    assert last - first == pytest.approx(PERIOD, abs=3)


def test_who_stands_at_both_ends_is_cut_out_between_them():
    walked = np.clip(np.arange(160) - 30, 0, 2 * PERIOD) / PERIOD
    first, last = cut_stride(walker(walked, along_x(STRIDE * walked)))
    assert first >= 27
    assert last <= 113
    assert last - first == pytest.approx(PERIOD, abs=3)


def test_nothing_is_cut_out_of_a_take_in_place_or_in_which_nothing_repeats():
    assert cut_stride(walker(np.arange(90) / PERIOD, np.zeros((90, 2)))) is None
    assert cut_stride(walker(0.4 * np.arange(90) / PERIOD, along_x(STRIDE * np.arange(90) / PERIOD))) is None


def test_where_somebody_turns_no_stride_is_cut_out():
    phase = np.arange(150) / PERIOD
    heading = np.clip(np.arange(150) - 60, 0, 90) * np.pi / 90.0
    steps = STRIDE / PERIOD * np.stack([np.cos(heading), np.sin(heading)], axis=1)
    _, last = cut_stride(walker(phase, np.cumsum(steps, axis=0), heading))
    assert last <= 70


def test_only_the_part_of_a_clip_that_moves_is_played_where_it_stands_still_at_its_ends():
    phase = np.clip(np.arange(100) - 12, 0, PERIOD) / PERIOD
    assert cut_pause(walker(phase, np.zeros((100, 2)))) == (12, 12 + PERIOD)
    assert cut_pause(walker(np.arange(PERIOD + 1) / PERIOD, np.zeros((PERIOD + 1, 2)))) is None
    assert cut_pause(walker(np.zeros(60), np.zeros((60, 2)))) is None  # a pose
