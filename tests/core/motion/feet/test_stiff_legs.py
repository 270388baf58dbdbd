# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs of a single bone: where their feet go is checked against matrices."""

import numpy as np
import pytest

from core.motion.feet.stiff_legs import StiffLegTable, swing_leg
from core.motion.legs import Move

from .test_foot_controls import CONTROL, LOCATION_AXES, SCALE, TURN, matrix_of, turn

HIP, BALL, ORIGIN = np.array([[0.02, 0.1, 0.5], [0.05, 0.1, 0.02], [0.01, 0.09, 0.52]])
LENGTH, FOOT = float(np.linalg.norm(BALL - HIP)), turn(2, 0.2)


def swung(shift, *, lift=0.0, twist=0.0, lean=0.0, soft=0.0, floor=BALL[2], slide=0.25):
    """Where the ball goes, how leg and foot are turned, how far the leg is moved along itself, and the miss."""
    joints = np.tile([HIP, HIP, BALL, BALL, HIP, ORIGIN, BALL], (1, 2, 1, 1))
    turns = np.tile([CONTROL, LOCATION_AXES, TURN, FOOT], (1, 2, 1, 1, 1))
    table = StiffLegTable(np.ones(1), joints, turns, None, LENGTH, SCALE, np.stack([np.eye(3)] * 3), floor, slide)
    posture = table.posture(np.ones(1), np.zeros(1), np.zeros(1))
    move = Move(*(np.array([each]) for each in (shift, lift, twist, lean, soft)))
    location, leg, foot, miss = swing_leg(table, posture, move)
    body = turn(0, -lean)
    head = body @ (ORIGIN + SCALE * LOCATION_AXES @ location[:, 0])
    carried = body @ TURN @ matrix_of(leg[:, 0])
    ball = head + carried @ CONTROL.T @ (BALL - HIP)
    return ball, carried @ matrix_of(foot[:, 0]), np.linalg.norm(head - body @ HIP), miss[0]


@pytest.mark.parametrize("lean", [0.0, 0.1])
def test_the_foot_is_where_it_was_sent_and_turned_as_it_was_sent(lean):
    ball, foot, _, miss = swung((0.1, -0.04), lift=0.02, twist=0.3, lean=lean)
    assert miss == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(ball, BALL + np.array([0.1, -0.04, 0.02]), atol=1e-12)
    np.testing.assert_allclose(foot, turn(2, 0.3) @ FOOT, atol=1e-12)


def test_the_leg_is_pulled_out_no_further_than_it_may_and_misses_by_the_rest():
    _, _, moved, miss = swung((0.5, 0.0), slide=0.1)
    assert moved == pytest.approx(0.1 * LENGTH, abs=1e-12)
    target = BALL - HIP + (0.5, 0.0, 0.0)
    assert miss == pytest.approx(np.linalg.norm(target) - 1.1 * LENGTH, abs=1e-12)


def test_a_foot_that_stands_is_on_the_ground_and_one_in_the_air_where_its_clip_has_it():
    floor = BALL[2] - 0.1
    stands, *_ = swung((-0.05, 0.0), floor=floor)
    np.testing.assert_allclose(stands, [*(BALL[:2] + np.array([-0.05, 0.0])), floor], atol=1e-12)
    flies, *_ = swung((-0.05, 0.0), floor=floor, soft=0.05)
    assert flies[2] == pytest.approx(BALL[2], abs=1e-12)


def test_a_foot_in_the_air_is_lifted_over_the_ground():
    ball, *_ = swung((0.0, 0.0), soft=0.05)
    assert ball[2] == pytest.approx(BALL[2] + 0.1 * LENGTH, abs=1e-12)
