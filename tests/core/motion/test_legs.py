# SPDX-License-Identifier: GPL-3.0-or-later
"""A leg that has to reach lower ground."""

import numpy as np
import pytest

from core.motion.legs import STRAIGHT_STANCE, too_far

LEVEL = np.zeros((1, 2))


def leg(foot_behind, bend=0.98, length=0.9):
    """Hip, knee, ankle and ball of a leg whose foot is behind, at a share of its length, float64 (4, 3, 1)."""
    down = np.sqrt((bend * length) ** 2 - foot_behind**2)
    joints = np.array(
        [(0.0, 0.0, 1.0), (0.1, 0.0, 0.5), (-foot_behind, 0.0, 1.0 - down), (0.1 - foot_behind, 0.0, 0.0)]
    )
    return joints[..., None]


@pytest.mark.parametrize("behind", [0.0, 0.3])
def test_a_hip_sinks_only_until_the_leg_is_straight(behind):
    joints = leg(behind)
    drop = too_far(joints, np.array([-0.1]), LEVEL, 0.9)
    foot = joints[2, :, 0] + (0.0, 0.0, -0.1)
    hip = joints[0, :, 0] - (0.0, 0.0, drop[0])
    assert np.linalg.norm(foot - hip) == pytest.approx(STRAIGHT_STANCE * 0.9)
    assert 0.0 < drop[0] < 0.1


def test_a_leg_that_reaches_needs_no_lower_hip():
    lifts = np.array([-0.004, 0.0, 0.1])
    assert too_far(np.repeat(leg(0.2), 3, axis=2), lifts, LEVEL, 0.9).tolist() == [0.0, 0.0, 0.0]


def test_a_clip_may_stretch_its_legs_further():
    assert too_far(leg(0.2, bend=1.05), np.zeros(1), LEVEL, 0.9) == pytest.approx(0.0)


def test_a_raised_heel_spares_the_hip():
    """A sole that falls towards its tip has its ankle higher."""
    joints = leg(0.3)
    joints[3] = joints[2] + np.array([[0.15], [0.0], [-0.08]])
    flat, raised = (too_far(joints, np.array([-0.1]), np.array([[slope, 0.0]]), 0.9)[0] for slope in (0.0, -0.2))
    turn = np.arctan(0.2)
    up = 0.15 * np.sin(turn) - 0.08 * (1.0 - np.cos(turn))  # of the ankle, turned about the ball
    ahead = 0.15 * (1.0 - np.cos(turn)) + 0.08 * np.sin(turn)
    level = 0.3 - ahead
    lower = np.sqrt((STRAIGHT_STANCE * 0.9) ** 2 - 0.3**2) - np.sqrt((STRAIGHT_STANCE * 0.9) ** 2 - level**2)
    assert flat - raised == pytest.approx(up - lower, abs=1e-9)
