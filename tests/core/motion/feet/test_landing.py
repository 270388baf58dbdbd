# SPDX-License-Identifier: GPL-3.0-or-later
"""Free feet go to where they land, and neither beyond nor back."""

from dataclasses import replace

import numpy as np
import pytest

from core.motion.feet.body_motion import BodyMotion, turned
from core.motion.feet.foot_contacts import Stance, Window
from core.motion.feet.foot_planting import FootCorrection
from core.motion.feet.landing import LANDING, clear_the_ground, end_swings_where_feet_land

FPS, LEG = 24.0, 0.9
STANDS, SWINGS = 10, 14
STEP = 0.5  # [m]
LEVEL = np.zeros(3)  # at the contacts of a foot


def stepping(share, heading):
    """A foot that stands, swings through shares of a step, and stands a step further; before and after it swings."""
    free = np.concatenate([np.zeros(4, dtype=bool), np.ones(STANDS, dtype=bool)])
    planted = np.concatenate([free, np.zeros(len(share), dtype=bool), free[::-1]])[None]
    along = np.concatenate(
        [np.linspace(-0.3, -0.02, 4), np.zeros(STANDS), share, np.ones(STANDS), [1.1, 0.9, 1.3, 1.4]]
    )
    cos, sin = np.cos(heading), np.sin(heading)
    place = (STEP * along[:, None] * (cos, sin) + 0.07 * np.array([-sin, cos]))[None]
    frames = planted.shape[1]
    one = np.ones((1, frames))
    body = (0.04 * np.arange(frames)[:, None] * (cos, sin))[None]
    motion = BodyMotion(body, heading * one, 0.03 * np.cumsum(one, axis=1), one, one > 0.0, FPS)
    ball = np.tile((0.05, 0.07, 0.02), (1, frames, 1))
    shift = turned(place - body, *(motion.towards[0], -motion.towards[1])) - ball[..., :2]
    contact = np.where(planted, np.arange(frames) > 4 + STANDS, -1)
    foot = FootCorrection(shift, np.zeros((1, frames)), np.zeros((1, frames)), planted, contact)
    return motion, ball, foot


def places(motion, ball, foot):
    """Where the foot is along the way of its step and across it, float64 (F, 2)."""
    seen = motion.position + turned(ball[..., :2] + foot.shift, *motion.towards)
    return turned(seen, motion.towards[0], -motion.towards[1])[0]


@pytest.mark.parametrize("heading", [0.0, 2.2])
def test_a_foot_goes_no_further_than_to_where_it_lands(heading):
    """It would be set down 15 cm short of where it has been, and begins with 5 cm the other way."""
    swing = np.interp(np.linspace(0.0, 1.0, SWINGS), [0.0, 0.2, 0.7, 1.0], [-0.02, -0.1, 1.3, 1.02])
    motion, ball, foot = stepping(swing, heading)
    along, across = places(motion, ball, end_swings_where_feet_land(motion, ball, foot, LEVEL, leg=LEG)).T
    begin, end = 4 + STANDS, 4 + STANDS + SWINGS
    assert np.diff(along[begin - 1 : end + 1]).min() > -1e-9
    np.testing.assert_allclose(along[begin:end], STEP * np.clip(swing, 0.0, 1.0), atol=1e-9)
    np.testing.assert_allclose(across, 0.07, atol=1e-9)


def test_other_swings_and_contacts_stay():
    """Those of a usual step, before the first contact and after the last, and of steps that are hardly any."""
    motion, ball, foot = stepping(np.linspace(0.05, 0.95, SWINGS), 0.7)
    usual = end_swings_where_feet_land(motion, ball, foot, LEVEL, leg=LEG)
    np.testing.assert_allclose(usual.shift, foot.shift, atol=1e-12)
    swing = np.interp(np.linspace(0.0, 1.0, SWINGS), [0.0, 0.7, 1.0], [0.0, 1.3, 1.02])
    motion, ball, foot = stepping(swing, 0.0)
    short = end_swings_where_feet_land(motion, ball, foot, LEVEL, leg=1.1 * STEP / LANDING.shortest)
    np.testing.assert_array_equal(short.shift, foot.shift)


@pytest.mark.parametrize(("drop", "changes"), [(0.9, True), (0.3, True), (0.15, False), (-0.15, False)])
def test_a_foot_that_steps_down_leaves_its_tread_at_once_and_does_not_wait_in_the_air(drop, changes):
    """It would stay for a third of its time, go all its way within another, and hang over where it lands."""
    swing = np.interp(np.linspace(0.0, 1.0, SWINGS), [0.0, 0.3, 0.6, 1.0], [0.0, 0.02, 1.0, 1.0])
    motion, ball, foot = stepping(swing, 0.4)
    ended = end_swings_where_feet_land(motion, ball, foot, np.array([drop * STEP, 0.0]), leg=LEG)
    begin, end = 4 + STANDS, 4 + STANDS + SWINGS
    along, across = places(motion, ball, ended)[begin - 1 : end + 1].T / STEP
    if not changes:
        np.testing.assert_allclose(along[1:-1], swing, atol=1e-9)
        return
    steps = np.diff(along)
    assert steps.min() > 0.0
    assert steps.max() < 0.18 < np.diff(swing).max()
    assert along[5] > 0.45
    assert along[-5] < 0.99
    np.testing.assert_allclose(across, 0.07 / STEP, atol=1e-9)


def test_a_foot_that_steps_up_goes_straight_and_half_of_its_way_in_half_of_the_time():
    """It would stay for half of its time, and flick over two treads in what is left."""
    swing = np.interp(np.linspace(0.0, 1.0, SWINGS), [0.0, 0.5, 0.8, 1.0], [0.0, 0.02, 1.0, 1.0])
    motion, ball, foot = stepping(swing, 0.4)
    ended = end_swings_where_feet_land(motion, ball, foot, np.array([0.0, 0.6 * STEP]), leg=LEG)
    begin, end = 4 + STANDS, 4 + STANDS + SWINGS
    along = places(motion, ball, ended)[begin - 1 : end + 1, 0] / STEP
    np.testing.assert_allclose(along + along[::-1], 1.0, atol=1e-9)
    assert np.diff(along).max() * (SWINGS + 1) < 1.9 < np.diff(swing).max() * (SWINGS + 1)
    assert along[1] < 0.01  # gently


NEVER, ALWAYS = (Stance((Window(0.0, share),), floor=(0.02, 0.02)) for share in (1e-9, 1.0))


@pytest.mark.parametrize(("gait", "stance", "height"), [(0.2, NEVER, 0.8), (1.0, NEVER, 0.0), (1.0, ALWAYS, 1.0)])
def test_a_foot_that_steps_while_its_clips_have_it_on_the_ground_does_not_drag(gait, stance, height):
    """As of people who turn while they hardly move, and of those whose leg did not reach; a walk lifts its own feet."""
    motion, ball, foot = stepping(np.linspace(0.05, 0.95, SWINGS), 0.7)
    motion = replace(motion, gait=gait * motion.gait)
    raised = clear_the_ground(motion, ball, foot, stance, leg=LEG)
    begin, end = 4 + STANDS, 4 + STANDS + SWINGS
    lift = raised.lift[0, begin - 1 : end + 1]
    assert lift.max() == pytest.approx(height * LANDING.clear * LEG)
    np.testing.assert_allclose(lift, lift[::-1], atol=1e-9)
    assert (raised.lift[foot.planted] == 0.0).all()
    already = replace(foot, lift=foot.lift + 0.5)
    np.testing.assert_array_equal(clear_the_ground(motion, ball, already, stance, leg=LEG).lift, already.lift)
