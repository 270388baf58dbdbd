# SPDX-License-Identifier: GPL-3.0-or-later
"""A leg that has to reach lower ground, and one between two clips."""

from typing import NamedTuple

import numpy as np
import pytest

from core.geometry.reproducible_math import cos_sin
from core.motion.legs import STRAIGHT_STANCE, LegTable, Move, bend, blend_leg, too_far
from core.motion.pose_tables import Posture
from core.motion.quaternions import about, times, turned

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


class Pose(NamedTuple):
    """A leg whose bones bend about the axis to the left, by angles [rad] of all that it hangs on, on the ground."""

    hips: float
    thigh: float
    shin: float
    foot: float = 0.0

    def posture(self):
        """Its joints, float64 (5, 3, 1), and turns, float64 (4, 4, 1), with the ankle over the origin."""
        turns = [about(np.array([[0.0], [1.0], [0.0]]), np.array([angle])) for angle in self]
        along = ((0.0, 0.0, -0.45), (0.0, 0.0, -0.43), (0.12, 0.0, -0.09), (0.15, 0.0, -0.11))
        upper, lower, ball, tip = (
            turned(turns[k], np.array(v)[:, None]) for k, v in zip((1, 2, 3, 3), along, strict=True)
        )
        ankle = np.array([[0.0], [0.0], [0.09]])
        return Posture(
            np.stack([ankle - lower - upper, ankle - lower, ankle, ankle + ball, ankle + tip]), np.stack(turns)
        )


STANDING, SEATED = Pose(0.02, -0.05, 0.03), Pose(-0.3, -1.5, 0.1)


def lengths(joints):
    return np.linalg.norm(np.diff(joints[:4], axis=0), axis=1)


@pytest.mark.parametrize("weight", [0.2, 0.5, 0.8])
def test_between_two_postures_with_the_foot_in_one_place_a_leg_is_bent_to_have_it_there(weight):
    """Bones keep their lengths, so that the foot leaves its place by centimetres, and is put back."""
    seen, other, astray = STANDING.posture(), SEATED.posture(), np.zeros((3, 1))
    there = seen.joints[2:].copy()
    np.testing.assert_allclose(other.joints[2:], there, atol=1e-12)
    blend_leg(seen, astray, other, np.array([0]), np.array([weight]))
    np.testing.assert_allclose(lengths(seen.joints), lengths(other.joints), atol=1e-12)
    assert np.linalg.norm(astray) > 0.03
    np.testing.assert_allclose(seen.joints[2:] + astray, there, atol=1e-12)

    none = np.zeros(1)
    table = LegTable(np.ones(1), np.zeros((1, 2, 5, 3)), np.zeros((1, 2, 4, 3, 3)), None, np.array([np.eye(3)] * 3))
    turns, miss = bend(table, seen, Move(astray[:2].T, astray[2], none, none))
    hips, place = seen.turns[0], seen.joints[0]
    for own, along in zip(turns, ((0.0, 0.0, -0.45), (0.0, 0.0, -0.43), (0.12, 0.0, -0.09)), strict=True):
        hips = times(hips, own)
        place = place + turned(hips, np.array(along)[:, None])
    assert miss[0] < 1e-9
    np.testing.assert_allclose(place, there[1], atol=1e-9)


def test_bones_are_blended_in_their_parents_as_clips_are():
    """Thigh and shin that turn by as much as the hips turn the other way keep their turn from them halfway."""
    seen, other = Pose(0.4, -0.3, 0.2).posture(), Pose(-0.4, -0.1, -0.6).posture()
    blend_leg(seen, np.zeros((3, 1)), other, np.array([0]), np.array([0.5]))
    angles = (0.0, -0.2, -0.2)  # of the hips, and halfway between -0.7 and 0.3 from them, 0.5 and -0.5 from that
    for turn, angle in zip(seen.turns, angles, strict=False):
        cos, sin = cos_sin(angle / 2.0)
        np.testing.assert_allclose(turn[:, 0], (cos, 0.0, sin, 0.0), atol=1e-12)


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_at_both_ends_a_blended_leg_is_as_in_one_of_its_clips(weight):
    seen, astray = STANDING.posture(), np.full((3, 1), 0.01)
    blend_leg(seen, astray, SEATED.posture(), np.array([0]), np.array([weight]))
    expected = (STANDING, SEATED)[int(weight)].posture()
    np.testing.assert_allclose(seen.joints, expected.joints, atol=1e-12)
    np.testing.assert_allclose(seen.turns, expected.turns, atol=1e-12)
    np.testing.assert_allclose(astray, 0.01 * (1.0 - weight), atol=1e-12)
