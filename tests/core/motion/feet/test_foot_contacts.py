# SPDX-License-Identifier: GPL-3.0-or-later
"""When feet stand, found in clips of one stride and of several."""

import numpy as np
import pytest

from core.motion.feet.foot_contacts import CONTACT, FootPath, Stance, Window, find_contacts, match, roll_over

STRIDE = 1.4


def clip_ball(phase, duty=0.5):
    """A foot that goes back with the ground for a part of the stride and comes forward through the air in the rest."""
    phase = np.mod(phase, 1.0)
    swing = np.clip((phase - duty) / (1.0 - duty), 0.0, 1.0)
    ahead = np.where(phase < duty, -STRIDE * phase, STRIDE * duty * (swing - 1.0))
    return np.stack([ahead, 0.1 + 0.0 * phase, 0.02 + 0.2 * np.sin(np.pi * swing)], axis=-1)


def clip_foot(phase, strides=1, duty=0.5):
    """The path of such a foot without toes."""
    ball = clip_ball(phase, duty)
    return FootPath(ball, ball, strides * STRIDE)


def test_the_contact_of_a_clip_is_found():
    (window,) = find_contacts(clip_foot(np.linspace(0.3, 1.3, 49)))
    assert window.start == pytest.approx(0.7, abs=0.03)  # as the clip begins at 0.3
    assert window.length == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("strides", [2, 3, 5])
def test_every_contact_of_a_clip_of_several_strides_is_found(strides):
    found = find_contacts(clip_foot(np.linspace(0.2, 0.2 + strides, 48 * strides + 1), strides))
    assert len(found) == strides
    assert np.diff([window.middle for window in found]) == pytest.approx(np.full(strides - 1, 1.0 / strides), abs=0.01)


def test_a_foot_that_never_stands_has_no_contact():
    still = np.tile([0.1, 0.1, 0.02], (25, 1))
    assert find_contacts(FootPath(still, still, STRIDE)) == ()


def test_a_foot_that_only_touches_the_ground_has_no_contact():
    """As the paws of an animal in a gallop: for fewer moments than a contact has at least."""
    assert find_contacts(clip_foot(np.linspace(0.0, 1.0, 49), duty=0.04)) == ()


def test_in_a_run_both_feet_are_in_the_air_at_times():
    running = find_contacts(clip_foot(np.linspace(0.0, 1.0, 49), duty=0.35))
    left = Stance((Window(0.0, 0.6),), match((Window(0.0, 0.6),), running))
    right = Stance((Window(0.5, 0.6),), tuple(Window(start + 0.5, length) for start, length in left.running))
    phase, gait = np.linspace(0.0, 1.0, 200), np.full(200, 2.0)
    stands = np.stack([left.holds(phase, gait), right.holds(phase, gait)])
    assert not stands.all(axis=0).any()
    assert (~stands).all(axis=0).mean() == pytest.approx(0.3, abs=0.1)


@pytest.mark.parametrize(("duty", "length"), [(0.3, CONTACT.usual_share), (0.6, 0.6)])
def test_contacts_that_are_too_short_for_a_walk_are_lengthened(duty, length):
    foot = clip_foot(np.linspace(0.0, 2.0, 97), strides=2, duty=duty)
    found = find_contacts(foot, least_share=CONTACT.least_share)
    assert [2.0 * window.length for window in found] == pytest.approx([length] * 2, abs=0.06)
    assert [window.length for window in find_contacts(foot)] == pytest.approx([duty / 2] * 2, abs=0.03)


def test_a_foot_that_slips_for_a_moment_stands_on():
    """As hind paws do in the middle of a contact."""
    phase = np.linspace(0.0, 1.0, 49)
    foot = clip_foot(phase, duty=0.6)
    slips = foot.ball.copy()
    slips[13:17, 2] += 0.5 * np.ptp(slips[:, 2])
    (window,) = find_contacts(FootPath(slips, slips, STRIDE))
    assert window.length == pytest.approx(0.6, abs=0.05)


def test_a_foot_rolls_over_its_tip():
    phase = np.linspace(0.0, 1.0, 97)
    ball, tip = clip_ball(phase), clip_ball(phase, duty=0.6) + np.array([0.1, 0.0, 0.0])
    foot = FootPath(ball, tip, STRIDE)
    (window,) = find_contacts(foot)
    assert window.start + window.length == pytest.approx(0.6, abs=0.03)
    stands_on = ball[:, :2] + roll_over(foot, [window])
    over_ground = stands_on + np.outer(phase, (STRIDE, 0.0))
    assert np.ptp(over_ground[2:56], axis=0).max() < 1e-9  # while the ball alone has gone
    assert np.ptp((ball[:, 0] + STRIDE * phase)[2:56]) > 0.1


@pytest.mark.parametrize("rolls", [True, False])
def test_a_foot_without_toes_rolls_over_the_lowest_point_of_its_sole(rolls):
    """It is set down by its heel, which rises over the front; in its clip it rolls, or turns about a standing ankle."""
    phase = np.linspace(0.0, 1.0, 97)
    pitch = np.clip(4.0 * (phase - 0.35), 0.0, 1.0) - np.clip(0.6 - 4.0 * phase, 0.0, 1.0)
    sole = np.array([[-0.05, -0.1], [0.15, -0.1], [0.2, -0.07]])  # heel, ball and tip: ahead of and above the ankle
    ahead = sole[:, 0] * np.cos(pitch)[:, None] + sole[:, 1] * np.sin(pitch)[:, None]
    above = sole[:, 1] * np.cos(pitch)[:, None] - sole[:, 0] * np.sin(pitch)[:, None]
    lowest = (above[1:] + above[:-1]).argmin(axis=1)
    ankle = clip_ball(phase, duty=0.6)
    away = np.diff(ahead, axis=0)[np.arange(96), lowest]
    if rolls:
        ankle[1:, 0] -= np.cumsum(away)
    points = ankle[:, None] + np.stack([ahead, 0.0 * ahead, above], axis=-1)
    window = Window(0.0, 0.6)
    rolled = roll_over(FootPath(ankle, ankle, STRIDE), [window], points)
    frames = np.arange(1, 56)
    assert set(lowest[frames].tolist()) == {0, 1, 2}
    assert np.abs(away[frames]).max() > 5e-3
    np.testing.assert_allclose(np.diff(rolled[:, 0])[frames], away[frames], atol=1e-9)
    assert rolled[29] == pytest.approx(0.0, abs=1e-9)  # where the ankle stands under the body


def test_between_walk_and_run_a_contact_goes_over_from_one_to_the_other():
    stance = Stance((Window(0.95, 0.6),), match((Window(0.95, 0.6),), (Window(0.05, 0.3),)), (0.02, 0.06))
    phase = np.linspace(0.0, 1.0, 1001)[:-1]
    for gait, start, length in ((1.0, 0.95, 0.6), (1.5, 1.0, 0.45), (2.0, 1.05, 0.3)):
        gaits = np.full(1000, gait)
        assert stance.holds(phase, gaits).mean() == pytest.approx(length, abs=0.003)
        assert phase[np.argmin(stance.off_middle(phase, gaits))] == pytest.approx((start + length / 2) % 1.0, abs=2e-3)
    assert stance.height(np.array([0.5, 1.5])) == pytest.approx([0.02, 0.04])


@pytest.mark.parametrize(("gait", "under"), [(1.0, 0.15), (2.0, 0.2)])
def test_a_foot_may_be_under_its_body_earlier_than_in_the_middle_of_its_contact_of_the_walk(gait, under):
    stance = Stance((Window(0.95, 0.6),), match((Window(0.95, 0.6),), (Window(0.05, 0.3),)), late=-0.1)
    phase = np.linspace(0.0, 1.0, 1001)[:-1]
    assert phase[np.argmin(stance.off_middle(phase, np.full(1000, gait)))] == pytest.approx(under, abs=2e-3)


def test_contacts_of_a_run_stand_beside_those_of_the_walk():
    walking = (Window(0.1, 0.3), Window(0.6, 0.3))
    running = match(walking, (Window(0.02, 0.2), Window(0.52, 0.2)))
    assert [window.start for window in running] == pytest.approx([0.02, 0.52])
    (beside,) = match((Window(0.9, 0.4),), (Window(0.05, 0.2),))
    assert beside.start == pytest.approx(1.05)
    assert match(walking, (Window(0.0, 0.3),)) == ()


def test_a_run_whose_contacts_do_not_match_plants_no_foot():
    stance = Stance((Window(0.0, 0.6),))
    phase = np.full(3, 0.3)
    assert stance.holds(phase, np.array([1.0, 1.4, 2.0])).tolist() == [True, True, False]
