# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet lie on the slope on which they stand."""

import numpy as np
import pytest

from core.motion.feet.body_motion import BodyMotion
from core.motion.feet.slopes import SLOPES, Soles, lay_soles, push_off, rest_soles

LEG, TOE = 0.9, 0.07


def walking(heading):
    """One step of somebody who walks, with the foot on the ground from frame 2 to 7, from ahead to behind the hip."""
    frames = 12
    ahead = np.array([np.cos(heading), np.sin(heading)])
    place = (0.06 * np.arange(frames)[:, None] * ahead)[None]
    there = np.ones((1, frames))
    motion = BodyMotion(place, np.full((1, frames), heading), np.zeros((1, frames)), there, there > 0.0, 24.0)
    planted = np.zeros((1, frames), dtype=bool)
    planted[0, 2:8] = True
    foot = np.zeros((1, frames, 2))
    foot[0, :, 0] = np.interp(np.arange(frames), [2, 7], [0.3, -0.3])
    return motion, foot, planted


@pytest.mark.parametrize("heading", [0.0, 0.8, -2.5])
def test_the_sole_is_parallel_to_the_ground_whichever_way_the_body_faces(heading):
    motion, foot, planted = walking(heading)
    ground = np.array([0.05, -0.12])
    tilt = lay_soles(motion, foot, planted, ground[None], leg=LEG, toe=TOE).tilt
    cos, sin = np.cos(heading), np.sin(heading)
    ahead, left = cos * ground[0] + sin * ground[1], cos * ground[1] - sin * ground[0]
    np.testing.assert_allclose(tilt[0, 2:5], [[ahead, left]] * 3)
    np.testing.assert_allclose(tilt[0, 2:8, 1], left)


def test_uphill_the_heel_rises_behind_the_body_and_the_toes_stay_on_the_ground():
    motion, foot, planted = walking(0.0)
    tilt, lift = lay_soles(motion, foot, planted, np.array([[0.12, 0.0]]), leg=LEG, toe=TOE)
    assert tilt[0, 7, 0] == pytest.approx(-SLOPES.heel_rise * 0.12)
    assert (np.diff(tilt[0, 2:8, 0]) <= 0.0).all()
    tip = lift[0, 2:8] + TOE * (tilt[0, 2:8, 0] - 0.12)  # over the ground below it
    np.testing.assert_allclose(tip, 0.0, atol=1e-12)


def test_downhill_the_sole_stays_on_the_ground():
    motion, foot, planted = walking(0.0)
    tilt, lift = lay_soles(motion, foot, planted, np.array([[-0.12, 0.0]]), leg=LEG, toe=TOE)
    np.testing.assert_allclose(tilt[0, :, 0], -0.12)
    assert not lift.any()


def test_a_leg_that_is_too_short_behind_its_body_raises_its_heel_and_stands_on_its_toes():
    foot = np.array([[[0.2, 0.1], [-0.1, 0.1], [-0.2, 0.1], [-0.3, 0.1]]])
    soles = Soles(np.full((1, 4, 2), 0.05), np.full((1, 4), 0.01))
    far, length = np.array([[0.03, 0.0, 0.03, 0.3]]), 0.2
    tilt, lift = push_off(soles, far, foot, length=length, toe=TOE)
    raised = np.array([0.0, 0.0, 0.15, SLOPES.most_push])
    np.testing.assert_allclose(tilt[0, :, 0], 0.05 - raised)
    np.testing.assert_allclose(tilt[0, :, 1], 0.05)
    np.testing.assert_allclose(lift[0], 0.01 + TOE * raised)


def test_heels_rise_softly_while_feet_come_under_the_body():
    """Who creeps up a step moves by millimetres a frame, and the leg is far too short already."""
    foot = np.stack([np.linspace(0.1, -0.1, 51), np.full(51, 0.1)], axis=1)[None]
    soles = Soles(np.zeros((1, 51, 2)), np.zeros((1, 51)))
    tilt = push_off(soles, np.full((1, 51), 0.12), foot, length=0.2, toe=TOE).tilt[0, :, 0]
    assert tilt[[0, -1]] == pytest.approx([0.0, -SLOPES.most_push])
    assert np.abs(np.diff(tilt)).max() < 0.1 * SLOPES.most_push


POINTS = np.array([-0.2, -0.1, 0.0, 0.05, 0.1])


@pytest.mark.parametrize(
    ("ground", "slope", "over"),
    [
        ([0.0, 0.0, 0.0, 0.0, 0.0], 0.0, 0.0),
        ([-0.02, -0.01, 0.0, 0.005, 0.01], 0.1, 0.0),  # a ramp
        ([0.04, 0.02, 0.0, 0.005, 0.01], -0.1, 0.02),  # a hollow under the ball: on heel and toes
        ([-0.06, -0.03, 0.0, -0.015, -0.03], 0.1, 0.0),  # a bump under the ball
        ([0.16, 0.0, 0.0, 0.0, 0.0], 0.0, 0.0),  # the next step of stairs is no bump
        ([0.03, 0.0, 0.0, 0.0, 0.0], -0.1, 0.01),
        ([0.0, 0.0, 0.0, 0.04, 0.04], 0.0, 0.04),  # a low edge is stepped on
    ],
)
def test_soles_rest_on_rough_ground_from_heel_to_toes(ground, slope, over):
    for along in (np.array([[1.0, 0.0]]), np.array([[0.6, -0.8]])):
        found, higher = rest_soles(np.zeros((1, 2)), along, 3.0 + np.array([ground]), POINTS, leg=LEG)
        np.testing.assert_allclose(found, slope * along, atol=1e-12)
        np.testing.assert_allclose(higher, [over], atol=1e-12)


def test_on_the_edge_of_a_step_a_foot_stays_level():
    slope, over = rest_soles(np.array([[1.7, 0.0]]), np.array([[1.0, 0.0]]), np.zeros((1, 5)), POINTS, leg=LEG)
    assert not slope.any()
    assert not over.any()


def test_where_heel_toes_and_sides_together_are_too_steep_a_sole_is_tilted_less_and_higher():
    """Both slopes are those of ramps: a level sole would reach centimetres into the ground."""
    along, ground = np.array([[1.0, 0.0]]), 0.4 * POINTS[None]
    slope, over = rest_soles(np.array([[0.35, 0.48]]), along, ground, POINTS, leg=LEG)
    np.testing.assert_allclose(slope, [[0.4, 0.48]] / np.hypot(0.4, 0.48) * SLOPES.steepest)
    np.testing.assert_allclose(over, (ground - slope[0, 0] * POINTS).max())
    motion, foot, planted = walking(0.0)
    tilt, lift = lay_soles(motion, foot, planted, slope, over, leg=LEG, toe=TOE)
    np.testing.assert_allclose(tilt[0, 2], slope[0])
    np.testing.assert_allclose(lift[0, 2], over[0])


def test_a_sole_on_a_bump_is_higher_until_it_leaves():
    motion, foot, planted = walking(0.0)
    lift = lay_soles(motion, foot, planted, np.zeros((1, 2)), np.array([0.02]), leg=LEG, toe=TOE).lift
    np.testing.assert_allclose(lift[planted], 0.02)
