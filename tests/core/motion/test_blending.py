# SPDX-License-Identifier: GPL-3.0-or-later
"""Standing and walking by speed, and the stride between them."""

import numpy as np
import pytest

from core.motion.blending import (
    GAIT,
    RUNS,
    WALKS,
    Strides,
    blended_phase,
    find_gait,
    running_speed,
    smooth_speed,
    stride_of,
)

FPS = 24.0
STRIDE = 1.4
WALKER, RUNNER = Strides(STRIDE), Strides(STRIDE, 1.95)


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
    share = find_gait(np.array([0.0, 0.03, GAIT.walk_cadence * STRIDE, 3.0]), WALKER, FPS)
    assert share.tolist() == [0.0, 0.0, 1.0, 1.0]


def test_stride_and_cadence_both_grow_with_the_root_of_the_speed():
    speed = np.array([0.3, 0.6, 1.2])
    share = find_gait(speed, WALKER, FPS)
    cadence = speed / (share * STRIDE)
    assert share[2] / share[1] == pytest.approx(np.sqrt(2.0), rel=0.06)
    assert cadence[2] / cadence[1] == pytest.approx(np.sqrt(2.0), rel=0.06)


def test_in_full_the_stride_is_bound_to_the_way_alone():
    walked = np.linspace(0.0, 10.0, 100)
    assert blended_phase(walked, np.ones(100), WALKER, 0.3) == pytest.approx(walked / STRIDE + 0.3)


def test_from_standing_to_standing_the_stride_never_leaps_nor_goes_on_without_a_way():
    walked = start_and_stop()
    share = find_gait(smooth_speed(walked, FPS), WALKER, FPS)
    runs = blended_phase(walked, share, WALKER, 0.1)
    assert share[0] == share[-1] == 0.0
    assert share.max() == 1.0
    assert np.abs(np.diff(share)).max() < 0.15
    assert np.diff(runs).max() < 0.06
    assert np.all(np.diff(runs)[np.diff(walked) == 0.0] == 0.0)


def test_many_are_blended_as_one_by_one():
    walked = np.stack([start_and_stop(most=most) for most in (0.5, 1.0, 1.6, 3.0)], axis=1)
    strides = Strides(
        np.array([1.2, 1.4, 1.6, 1.4]), np.array([0.0, 1.9, 2.1, 1.9]), np.array([True, True, False, True])
    )
    gait = find_gait(smooth_speed(walked, FPS), strides, FPS)
    runs = blended_phase(walked, gait, strides, np.zeros(4))
    for k in range(4):
        alone = Strides(strides.walk[k], strides.run[k], strides.stands[k])
        own = find_gait(smooth_speed(walked[:, k], FPS), alone, FPS)
        assert np.array_equal(own, gait[:, k])
        assert np.array_equal(blended_phase(walked[:, k], own, alone, 0.0), runs[:, k])
    assert gait[:, 3].max() == pytest.approx(RUNS)


def test_grown_people_run_from_two_metres_a_second_on_and_children_sooner():
    assert running_speed(STRIDE) == pytest.approx(2.03, abs=0.01)
    assert running_speed(STRIDE / 2) == pytest.approx(2.03 / np.sqrt(2.0), abs=0.01)


def test_from_walking_to_running_people_change_once_and_within_a_step():
    seconds = np.arange(240) / FPS
    speed = 1.5 + 0.12 * seconds + 0.04 * np.sin(20.0 * seconds)  # passes the change several times
    gait = find_gait(speed, RUNNER, FPS)
    assert gait[0] == WALKS
    assert np.all(np.diff(gait) > -0.05)
    between = np.flatnonzero((gait > 1.02) & (gait < 1.7))
    assert 1 <= len(between) <= 9
    assert np.ptp(between) == len(between) - 1


def test_who_has_no_run_walks_at_any_speed():
    assert find_gait(np.full(50, 4.0), WALKER, FPS).tolist() == [WALKS] * 50


def test_the_stride_of_a_run_is_longer_and_that_of_a_slow_run_between():
    gait = np.array([WALKS, 1.5, RUNS])
    assert stride_of(gait, RUNNER) == pytest.approx([STRIDE, (STRIDE + 1.95) / 2, 1.95])
    assert stride_of(gait, WALKER) == pytest.approx([STRIDE] * 3)


@pytest.mark.parametrize("speed", [0.3, 0.6, 1.2])
def test_who_does_not_go_where_the_body_faces_takes_shorter_steps_and_who_goes_back_walks(speed):
    facing = np.linspace(0.0, np.pi, 181)
    speeds = np.full(181, speed)
    share = find_gait(speeds, WALKER, FPS, speed * np.cos(facing))
    usual = find_gait(speeds, WALKER, FPS)
    assert (share[:20] == usual[:20]).all()  # up to some 20 degrees nothing changes
    assert (np.diff(share[:91]) <= 1e-12).all()
    assert share[90] < 0.15  # straight to the side hardly more than the small steps of who stands
    np.testing.assert_allclose(share, share[::-1], atol=1e-12)
    assert np.abs(np.diff(share)).max() < 0.04
    assert (find_gait(np.zeros(3), WALKER, FPS, np.zeros(3)) == 0.0).all()


@pytest.mark.parametrize("speed", [0.3, 0.6, 1.2])
def test_who_turns_takes_shorter_steps_and_turns_on_the_spot_by_small_ones(speed):
    turning = np.linspace(0.0, 8.0, 200)
    speeds = np.full(200, speed)
    share, usual = (find_gait(speeds, WALKER, FPS, speeds, rate) for rate in (turning, 0.0 * turning))
    assert (np.diff(share) <= 1e-12).all()
    assert share[0] == usual[0]
    assert share[-1] == pytest.approx(0.0 if speed < 1.0 else share[-1])
    walks = share > 0.2  # a quarter of a turn in a stride, then, as the stride is shortened with the share
    assert (turning / (speed / (share * STRIDE + 1e-9)))[walks].max() < 1.7
    np.testing.assert_array_equal(share, find_gait(speeds, WALKER, FPS, speeds, -turning))


@pytest.mark.parametrize("size", [0.25, 2.0, 3.0])
def test_bodies_of_all_sizes_walk_alike_at_the_same_froude_number(size):
    """Alexander 1989: speeds in proportion to the root of the length."""
    speed = np.array([0.5, 0.8, 1.1])
    usual, other = (find_gait(np.sqrt(own) * speed, Strides(own * STRIDE), FPS) for own in (1.0, size))
    assert other == pytest.approx(usual, abs=0.02)
    assert float(running_speed(size * STRIDE)) == pytest.approx(np.sqrt(size) * float(running_speed(STRIDE)))


def test_a_giant_walks_slowly_rather_than_half():
    share = find_gait(np.array([1.3]), Strides(3.0 * STRIDE), FPS)
    assert 0.7 < share[0] < 0.8
