# SPDX-License-Identifier: GPL-3.0-or-later
"""A leg that has to reach lower ground."""

import numpy as np
import pytest

from core.motion.legs import STRAIGHT_STANCE, too_far


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
    drop = too_far(joints, np.array([-0.1]), 0.9)
    foot = joints[2, :, 0] + (0.0, 0.0, -0.1)
    hip = joints[0, :, 0] - (0.0, 0.0, drop[0])
    assert np.linalg.norm(foot - hip) == pytest.approx(STRAIGHT_STANCE * 0.9)
    assert 0.0 < drop[0] < 0.1


def test_a_leg_that_reaches_needs_no_lower_hip():
    lifts = np.array([-0.004, 0.0, 0.1])
    assert too_far(np.repeat(leg(0.2), 3, axis=2), lifts, 0.9).tolist() == [0.0, 0.0, 0.0]


def test_a_clip_may_stretch_its_legs_further():
    assert too_far(leg(0.2, bend=1.05), np.zeros(1), 0.9) == pytest.approx(0.0)
