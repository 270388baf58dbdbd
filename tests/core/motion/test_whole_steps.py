# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

from core.motion.blending import Strides, blended_phase, find_gait, smooth_speed
from core.motion.whole_steps import Cycles, take_steps


def steps_of(speed, *, heading=None, stands=True, fps=24.0):
    """Phases and gaits of who walks at these speeds [m/s], back where negative, in whole steps; a stride is 1.4 m."""
    way = np.concatenate([[0.0], np.cumsum(np.asarray(speed)[1:] / fps)])[:, None]
    walked = np.concatenate([[0.0], np.cumsum(np.abs(np.asarray(speed)[1:]) / fps)])[:, None]
    strides = Strides(np.array([1.4]), np.array([0.0]), np.array([stands]))
    gait = find_gait(smooth_speed(walked, fps), strides, fps)
    phase = blended_phase(way, gait, strides, np.array([0.3]))
    heading = np.zeros_like(phase) if heading is None else heading[:, None]
    places = np.stack([way, 0.0 * way, 0.0 * way], axis=-1)
    motion = places, heading, np.ones(phase.shape, dtype=bool)
    take_steps(phase, gait, motion, Cycles(strides, np.array([0.5]), np.array([0.2])), fps)
    return walked[:, 0], phase[:, 0], gait[:, 0]


def test_a_step_has_one_gait_and_its_stride():
    speed = np.concatenate([np.linspace(1.3, 0.7, 60), np.linspace(0.7, 1.2, 60)])
    walked, phase, gait = steps_of(speed)
    np.testing.assert_array_equal(gait % 0.25, 0.0)
    assert len(set(gait)) > 1
    changes = np.flatnonzero(np.diff(gait)) + 1
    way = np.diff(walked) / (1.4 * gait[:-1])
    same = np.delete(np.arange(len(way)), changes - 1)
    np.testing.assert_allclose(np.diff(phase)[same], way[same], atol=1e-9)
    off = (phase[changes] - 0.2 + 0.25) % 0.5 - 0.25
    assert np.abs(off).max() < 1.5 * way.max()  # in the first frame after a foot has passed the other


def test_who_steps_back_walks_backwards():
    speed = np.concatenate([np.zeros(24), np.full(72, -0.5), np.zeros(24)])
    walked, phase, gait = steps_of(speed)
    goes = np.diff(walked) > 0.0
    assert (np.diff(phase)[24:90] < 0.0).all()
    assert (np.diff(phase)[goes] <= 1e-9).mean() > 0.9  # all but the frame in which a foot is put down beside the other
    ahead = steps_of(-speed)
    assert phase[0] - phase[-1] == pytest.approx(ahead[1][-1] - ahead[1][0], abs=0.5)
    assert gait[-1] == 0.0


def test_who_stops_ends_the_step_and_stands_with_feet_side_by_side():
    _, phase, gait = steps_of(np.concatenate([np.full(40, 1.2), np.linspace(1.2, 0.0, 20), np.zeros(40)]))
    assert gait[-1] == 0.0
    assert (phase[-1] - 0.2) % 0.5 == pytest.approx(0.0, abs=1e-9) or (phase[-1] - 0.2) % 0.5 == pytest.approx(0.5)
    assert np.diff(phase).max() < 0.06  # it does not jump there


def test_who_stands_and_turns_takes_steps():
    still = np.zeros(72)
    assert not steps_of(still)[2].any()
    _, phase, gait = steps_of(still, heading=np.arange(72) / 24.0)
    assert set(gait) == {0.25}
    assert 2.0 < phase[-1] - phase[0] < 3.0


def test_who_cannot_stand_walks_on_in_place():
    _, phase, gait = steps_of(np.zeros(20), stands=False)
    assert set(gait) == {1.0}
    np.testing.assert_array_equal(phase, phase[0])
