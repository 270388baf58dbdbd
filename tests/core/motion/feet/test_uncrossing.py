# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet of people who swerve are set down beside each other, not across."""

import numpy as np
import pytest

from core.motion.feet.body_motion import BodyMotion, turned
from core.motion.feet.foot_contacts import Stance, Window
from core.motion.feet.foot_planting import plant
from core.motion.feet.uncrossing import UNCROSSING, find_crossed, lead_round, uncross

FPS, FRAMES, LEG = 24.0, 96, 0.9
STANCES = [Stance((Window(start, 0.5),), floor=(0.02, 0.02)) for start in (0.0, 0.5)]


def swerving(aside):
    """Somebody who walks along +X with the face ahead, and slips to one side and back meanwhile."""
    frames = np.arange(FRAMES)
    place = np.stack([0.04 * frames, aside * np.sin(2 * np.pi * frames / 24)], axis=1)[None]
    phase, full = (0.03 * frames)[None], np.ones((1, FRAMES))
    return BodyMotion(place, np.zeros((1, FRAMES)), phase, full, full > 0.0, FPS)


def feet_of(way):
    balls = []
    for lag, side in ((0.0, 1.0), (0.5, -1.0)):
        ahead = 0.3 * np.cos(2 * np.pi * (way.phase + lag - 0.05))
        balls.append(np.stack([ahead, np.full(ahead.shape, 0.06 * side), np.full(ahead.shape, 0.02)], axis=-1))
    feet = [plant(way, ball, stance, leg=LEG, order=0) for ball, stance in zip(balls, STANCES, strict=True)]
    return balls, feet


def across(balls, feet):
    left, right = (ball[0, :, 1] + foot.shift[0, :, 1] for ball, foot in zip(balls, feet, strict=True))
    return left - right


def test_feet_that_cross_are_set_down_further_out_and_still_stand():
    way = swerving(0.16)
    balls, feet = feet_of(way)
    assert across(balls, feet).min() < -0.11  # they cross
    done = uncross(way, balls, feet, leg=LEG)
    assert across(balls, done).min() > -0.05
    for ball, foot, before in zip(balls, done, feet, strict=True):
        place = way.position + turned(ball[..., :2] + foot.shift, *way.towards)
        for number in range(foot.contact.max() + 1):
            assert np.ptp(place[foot.contact == number], axis=0).max() < 1e-9
        off = np.linalg.norm(foot.shift - before.shift, axis=-1)
        assert off.max() <= UNCROSSING.furthest * LEG + 1e-9
        assert np.abs(np.diff(foot.shift[0], axis=0)).max() < 0.1
        np.testing.assert_array_equal(foot.planted, before.planted)


def test_of_two_feet_that_cross_each_moves_by_half():
    way, balls, feet = running_with_crossed_feet(0)
    for foot, side in zip(feet, (-1.0, 1.0), strict=True):
        foot.shift[..., 1] = 0.1 * side
        foot.planted[:] = (np.arange(FRAMES) >= 10) & (np.arange(FRAMES) < 20)
    assert across(balls, feet)[10:20] == pytest.approx(-0.08)
    for foot, done in zip(feet, uncross(way, balls, feet, leg=LEG), strict=True):
        np.testing.assert_allclose(np.abs(done.shift - foot.shift)[0, 10:20, 1], 0.04)


def test_feet_that_do_not_cross_stay():
    way = swerving(0.0)
    balls, feet = feet_of(way)
    for foot, before in zip(uncross(way, balls, feet, leg=LEG), feet, strict=True):
        np.testing.assert_array_equal(foot.shift, before.shift)


def test_legs_that_are_crossed_too_far_to_stand_on_are_found():
    way = swerving(0.16)
    balls, feet = feet_of(way)
    crossed = find_crossed(balls, feet, leg=LEG)
    np.testing.assert_array_equal(crossed[0], across(balls, feet) < -UNCROSSING.crossed * LEG)
    assert 0 < crossed.sum() < 0.2 * crossed.size
    assert not find_crossed(balls[:1], feet[:1], leg=LEG).any()


def test_one_leg_or_legs_on_one_side_are_left_alone():
    way = swerving(0.16)
    balls, feet = feet_of(way)
    assert uncross(way, balls[:1], feet[:1], leg=LEG)[0] is feet[0]
    assert uncross(way, [balls[0], balls[0]], [feet[0], feet[0]], leg=LEG)[1] is feet[0]


def test_agents_together_are_as_each_alone():
    ways = [swerving(aside) for aside in (0.16, 0.1, 0.0)]
    both = BodyMotion(*(np.concatenate([getattr(way, key) for way in ways]) for key in
                        ("position", "heading", "phase", "gait", "present")), FPS)  # fmt: skip
    balls, feet = feet_of(both)
    done = uncross(both, balls, feet, leg=LEG)
    for agent, way in enumerate(ways):
        alone = uncross(way, *feet_of(way), leg=LEG)
        for foot, own in zip(done, alone, strict=True):
            np.testing.assert_allclose(foot.shift[agent], own.shift[0], atol=1e-12)


def turning_in_a_step(side):
    """Both feet stand, one steps to where it is beside the other only when the body has turned, and stands again."""
    there = np.ones((1, FRAMES))
    way = BodyMotion(np.zeros((1, FRAMES, 2)), 0.0 * there, 0.0 * there, there, there > 0.0, FPS)
    balls, feet = feet_of(way)
    for number, foot in enumerate(feet):
        steps = number == side
        foot.shift[:] = 0.0
        foot.planted[:] = True
        if steps:
            foot.planted[0, 20:40] = False
            foot.shift[0, 20:40, 1] = (-1.0 if number == 0 else 1.0) * 0.3 * np.sin(np.pi * np.arange(20) / 20.0)
    return way, balls, feet


def test_a_foot_in_the_air_goes_round_the_one_on_the_ground():
    for side in (0, 1):
        way, balls, feet = turning_in_a_step(side)
        assert across(balls, feet).min() < -0.15
        done = lead_round(way, balls, feet, leg=LEG)
        assert across(balls, done).min() > 0.05
        assert np.abs(np.diff(done[side].shift[0, :, 1])).max() < 0.05
        np.testing.assert_array_equal(done[1 - side].shift, feet[1 - side].shift)
        np.testing.assert_array_equal(done[side].shift[feet[side].planted], feet[side].shift[feet[side].planted])


def running_with_crossed_feet(flight):
    """Each foot stands for five frames, and both are in the air before and after; they have come over each other."""
    frames = np.arange(FRAMES)
    there = np.ones((1, FRAMES))
    way = BodyMotion(np.zeros((1, FRAMES, 2)), 0.0 * there, 0.0 * there, 2.0 * there, there > 0.0, FPS)
    balls, feet = feet_of(way)
    for foot, lag, side in zip(feet, (0, 5 + flight), (-1.0, 1.0), strict=True):
        foot.shift[:] = 0.0
        foot.shift[..., 1] = 0.12 * side
        foot.planted[:] = (frames - lag) % (10 + 2 * flight) < 5
    return way, balls, feet


def test_a_foot_in_the_air_does_not_jump_aside_when_the_other_one_lands():
    way, balls, feet = running_with_crossed_feet(4)
    for foot, done in zip(feet, lead_round(way, balls, feet, leg=LEG), strict=True):
        led = np.abs(done.shift - foot.shift)[0, 10:-10, 1]
        assert led.max() > 0.1
        assert np.abs(np.diff(led)).max() < 0.3 * led.max()


def test_two_feet_in_the_air_are_led_round_each_other_by_half_each():
    way, balls, feet = running_with_crossed_feet(19)
    apart = across(balls, lead_round(way, balls, feet, leg=LEG))
    assert not (feet[0].planted | feet[1].planted)[0, 14]
    np.testing.assert_allclose(apart[14], UNCROSSING.passes * LEG)


def test_legs_are_crossed_too_far_to_stand_on_only_where_both_stand():
    _, balls, feet = turning_in_a_step(0)
    assert not find_crossed(balls, feet, leg=LEG).any()
    feet[0].planted[:] = True
    assert find_crossed(balls, feet, leg=LEG)[0, 30]
