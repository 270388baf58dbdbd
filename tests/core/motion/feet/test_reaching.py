# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet leave the ground, and land, where their legs reach."""

from dataclasses import replace

import numpy as np
import pytest

from core.motion.feet.foot_contacts import Stance, Window
from core.motion.feet.foot_planting import FootCorrection
from core.motion.feet.reaching import (
    REACH,
    fade_near_contacts,
    find_folded,
    find_out_of_reach,
    keep_one_on_ground,
    lift_to_ground,
    sink_to_feet,
)

FRAMES = 40


def contact(first, last):
    planted = np.zeros((1, FRAMES), dtype=bool)
    planted[0, first:last] = True
    none = np.zeros((1, FRAMES))
    return FootCorrection(np.zeros((1, FRAMES, 2)), none, none, planted, np.where(planted, 0, -1))


def found(miss, stands=(), planted=(10, 30), lift=0.0, span=1.0):
    missing, who = np.zeros((1, FRAMES)), np.zeros((1, FRAMES), dtype=bool)
    for frame, value in miss.items():
        missing[0, frame] = value
    who[0, list(stands)] = True
    folded = find_folded(np.full_like(missing, lift), np.broadcast_to(span, missing.shape), leg=1.0)
    return np.flatnonzero(find_out_of_reach(contact(*planted), missing, who, leg=1.0, folded=folded)[0]).tolist()


def test_a_foot_lands_later_and_leaves_earlier_where_the_leg_is_too_short():
    assert found({10: 0.05, 12: 0.03, 27: 0.03, 29: 0.08}) == [10, 11, 12, 27, 28, 29]


def test_a_foot_in_reach_stays_for_the_whole_contact():
    assert found({10: 0.9 * REACH.slack, 5: 1.0}) == []


def test_the_middle_of_a_contact_and_feet_of_people_who_stand_stay():
    assert found({18: 0.3, 21: 0.3}) == [*range(10, 19), *range(21, 30)]
    assert found({10: 0.1, 29: 0.1}, stands=range(10, 15)) == [29]


def test_a_foot_that_is_out_of_reach_for_long_between_two_places_in_reach_takes_a_step():
    assert found(dict.fromkeys(range(17, 25), 0.1)) == list(range(17, 25))


def test_a_body_sinks_until_its_legs_reach_and_no_deeper():
    aside = np.full((1, FRAMES, 2), 0.2)
    foot, miss = replace(contact(10, 30), shift=aside), np.zeros((1, FRAMES))
    miss[0, 15:25] = 0.04
    free = np.ones((1, FRAMES))
    sunk = sink_to_feet([foot], [miss], free, leg=1.0, half=2)
    np.testing.assert_allclose(sunk[0, 15:25], 0.04)
    assert not sunk[0, [0, -1]].any()
    assert np.abs(np.diff(sunk[0], n=2)).max() < 0.002  # softly
    np.testing.assert_allclose(sink_to_feet([foot], [9.0 * miss], free, leg=1.0, half=2).max(), REACH.deepest)
    for case in (
        ([replace(contact(30, 35), shift=aside)], [miss], free),
        ([contact(10, 30)], [miss], free),
        ([foot], [miss], 0.0 * free),
        ([foot], [0.4 * miss], free),
    ):
        assert not sink_to_feet(*case, leg=1.0, half=2).any()


def held(leaves, lands, miss):
    """Of a foot on the ground from frame 5 to 20 and one from 18 to 35, of which one leaves early, one lands late."""
    feet, aloft = [contact(5, 20), contact(18, 35)], [np.zeros((1, FRAMES), dtype=bool) for _ in range(2)]
    aloft[0][0, leaves:20] = aloft[1][0, 18:lands] = True
    missing = [np.zeros((1, FRAMES)), np.full((1, FRAMES), miss)]
    walks = np.ones((1, FRAMES), dtype=bool)
    found = keep_one_on_ground(feet, aloft, missing, walks, leg=1.0)
    still = keep_one_on_ground(feet, aloft, missing, ~walks, leg=1.0)
    np.testing.assert_array_equal(still, [-own.astype(int) for own in aloft])
    stand = [np.flatnonzero((foot.planted & (own == 0)) | (own > 0)) for foot, own in zip(feet, found, strict=True)]
    assert all((np.diff(own) == 1).all() for own in stand)  # each stands once
    return [(int(own[0]), int(own[-1])) for own in stand]


def test_a_foot_stays_on_the_ground_until_the_other_has_landed():
    assert held(18, 18, 0.0) == [(5, 17), (18, 34)]
    assert held(16, 18, 0.0) == [(5, 17), (18, 34)]  # its knee folds, and yet
    assert held(20, 24, REACH.deepest) == [(5, 19), (20, 34)]  # the body sinks to it
    assert held(20, 24, 2.0 * REACH.deepest) == [(5, 23), (24, 34)]  # no body sinks so deep
    assert held(15, 24, 2.0 * REACH.deepest) == [(5, 23), (24, 34)]


def test_a_body_sinks_to_its_only_foot_on_the_ground():
    feet, miss = [contact(10, 30), contact(25, 39)], np.zeros((1, FRAMES))
    miss[0, 15:30] = 0.04
    none = np.zeros((1, FRAMES), dtype=np.int8)
    sunk = sink_to_feet(feet, [miss, 0.0 * miss], np.ones((1, FRAMES)), leg=1.0, half=1, held=[none, none])
    np.testing.assert_allclose(sunk[0, 15:25], 0.04)
    assert not sunk[0, 29:].any()
    sunk = sink_to_feet(feet, [9.0 * miss, 0.0 * miss], np.ones((1, FRAMES)), leg=1.0, half=1, held=[none, none])
    np.testing.assert_allclose(sunk[0, 15:25], 2.0 * REACH.deepest)  # deeper than to one of two feet


def test_who_begins_in_the_air_is_not_held_where_the_one_before_ends():
    """Agents lie one after the other in the arrays: the foot of the first stands in the last frame of its own."""
    stood, late = contact(0, FRAMES), contact(0, 30)
    foot = FootCorrection(*(np.concatenate([own, vars(late)[name]]) for name, own in vars(stood).items()))
    both = [foot, replace(foot, planted=np.zeros((2, FRAMES), dtype=bool))]
    aloft = [np.zeros((2, FRAMES), dtype=bool) for _ in both]
    aloft[0][1, :10] = True
    missing = [np.where(each, 3.0 * REACH.deepest, 0.0) for each in aloft]
    held, _ = keep_one_on_ground(both, aloft, missing, np.ones((2, FRAMES), dtype=bool), leg=1.0)
    np.testing.assert_array_equal(held[1], -aloft[0][1].astype(int))


def test_a_foot_leaves_the_step_behind_before_its_knee_folds():
    """The body sinks from step to step; on level ground, and where a step is climbed, legs may be bent as well."""
    sinks = np.interp(np.arange(FRAMES), [10, 20, 30], [0.98, 0.95, 0.7])
    first = int(np.argmax(sinks < REACH.folded))
    assert found({}, lift=0.15, span=sinks) == [*range(first, 30)]
    assert found({}, lift=0.15, span=sinks[::-1]) == []
    assert found({}, lift=0.0, span=sinks) == []
    assert found({}, lift=0.15, span=sinks, stands=range(FRAMES)) == []


def test_between_contacts_a_weight_rises_and_falls():
    planted = np.array([[True] * 3 + [False] * 7 + [True] * 2])
    weight = fade_near_contacts(planted, 4)[0]
    np.testing.assert_allclose(weight, [0, 0, 0, 0.25, 0.5, 0.75, 1, 0.75, 0.5, 0.25, 0, 0])


@pytest.mark.parametrize("length", [1, 2, 3, 5, 7, 9])
def test_no_contact_is_left_out_as_a_whole_however_short_it_is(length):
    """Of five frames none was left, and a foot that had stepped ahead swung back through the air."""
    assert len(found(dict.fromkeys(range(10, 10 + length), 1.0), planted=(10, 10 + length))) < length


def test_planted_feet_are_lowered_to_the_ground_and_no_foot_goes_lower():
    """A clip bounces: its foot is planted in the air for half of the frames, and dips into the ground in its swing."""
    planted = np.array([[True] * 6 + [False] * 6 + [True] * 6])
    lowest = np.where(planted, 0.12, 0.3)
    lowest[0, 8] = -0.05
    still, none = np.zeros((1, 18, 2)), np.zeros((1, 18))
    foot = FootCorrection(still, none, none, planted, np.zeros((1, 18), dtype=np.int64))
    stance = Stance((Window(0.0, 0.6),), lowest=0.02, has_sole=True)
    height = lowest + lift_to_ground(stance, lowest, foot, leg=0.9)
    np.testing.assert_allclose(height[planted], 0.02 + 0.9 * REACH.hover)
    assert height.min() == pytest.approx(0.02)
    np.testing.assert_allclose(
        height[0, [7, 10]], 0.2 + 0.9 * REACH.hover
    )  # in between it is lowered as much as before and after
    without = lowest + lift_to_ground(replace(stance, has_sole=False), lowest, foot, leg=0.9)
    np.testing.assert_allclose(without, np.maximum(lowest, 0.02))
