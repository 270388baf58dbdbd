# SPDX-License-Identifier: GPL-3.0-or-later
"""From recorded activities to clips: which, when, and how much of what is seen each is."""

import itertools

import numpy as np
import pytest

from core.motion.acting.cue_planning import Actor, plan_cues
from core.motion.acting.elbow_room import step_of
from core.motion.acting.seats import find_seats, hold_seated, settle

NAMES = ("none", "stand", "talk", "sit", "phone")
SECONDS = {"stand_1": 10.0, "stand_2": 10.0, "talk_1": 6.0, "talk_2": 6.0, "sit_1": 10.0, "sit_down": 1.6}
SECONDS |= {"stand_up": 1.5, "phone_1": 8.0}
FPS = 24.0


def planned(told, *, still=None, present=None, lot=0.3, number=0, place=(0.0, 0.0), seconds=SECONDS):
    """Cues of somebody who does what is told for so many frames each."""
    activity = np.repeat([NAMES.index(name) for name, _ in told], [count for _, count in told]).astype(np.int8)
    everywhere = np.ones(len(activity), dtype=bool)
    still = activity > 0 if still is None else np.full(len(activity), still)
    present = everywhere if present is None else present
    person = Actor(FPS, seconds, lot, number, np.tile(place, (len(activity), 1)))
    return plan_cues(activity, NAMES, still, present, person)


def test_who_stops_walking_is_blended_into_a_clip_and_out_again():
    (cue,) = planned([("none", 30), ("talk", 120), ("none", 30)])
    assert (cue.first, cue.last) == (30, 149)
    assert cue.act in {"talk_1", "talk_2"}
    assert cue.weight[0] == cue.weight[-1] == 0.0
    assert cue.weight[30:90].tolist() == [1.0] * 60
    assert np.abs(np.diff(cue.weight)).max() < 0.13  # of a half second


def test_one_activity_is_blended_over_the_one_before():
    talk, phone = planned([("talk", 100), ("phone", 100)])
    assert talk.weight[0] == phone.weight[-1] == 1.0  # from the first frame to the last
    assert talk.last > phone.first
    assert talk.weight[-1] == 1.0  # until the other has taken over
    assert phone.weight[talk.last - phone.first] == pytest.approx(1.0)


def test_sitting_begins_and_ends_with_clips_of_their_own():
    acts = [cue.act for cue in planned([("none", 40), ("sit", 200), ("none", 40)])]
    assert acts == ["sit_down", "sit_1", "stand_up"]
    assert [cue.act for cue in planned([("sit", 200)])] == ["sit_1"]
    assert [cue.act for cue in planned([("sit", 200), ("none", 40)])] == ["sit_1", "stand_up"]
    told = [("none", 40), ("sit", 200), ("none", 40)]
    for lot in (0.1, 0.3, 0.9):
        down, _, up = planned(told, lot=lot)
        assert down.start == up.start == 0.0
        assert down.rate == up.rate == pytest.approx(1.0, abs=0.15)
        assert (up.last, up.last - up.first) == (239, round(1.5 * FPS / up.rate))
    assert planned(told, lot=0.1)[2].rate != planned(told, lot=0.9)[2].rate


def test_short_activities_and_short_stands_are_left_out():
    assert not planned([("none", 40), ("talk", 15), ("none", 40)])
    assert not planned([("none", 60)], still=True)
    assert planned([("none", 90)], still=True)
    assert not planned([("talk", 90), ("phone", 20), ("none", 40)])[1:], "no hand flies to the ear and back"
    assert planned([("none", 40), ("phone", 40), ("none", 40)])


def test_who_stands_for_long_stands_in_several_ways():
    cues = planned([("none", 2000)], still=True)
    assert len(cues) > 4
    assert all(one.act != other.act for one, other in itertools.pairwise(cues))
    assert min(cue.last - cue.first for cue in cues) > 4 * FPS


def test_people_in_a_row_are_out_of_step():
    """No two of forty are within a hundredth of a clip of each other."""
    starts = np.array([planned([("stand", 240)], number=number)[0].start for number in range(40)])
    apart = np.abs(starts[:, None] - starts)
    apart = np.minimum(apart, 1.0 - apart)[~np.eye(40, dtype=bool)]
    assert apart.min() > 0.01


@pytest.mark.parametrize("step", [(0.5, 0.0), (0.8, 0.0), (0.95, 0.0), (0.0, 0.6), (0.0, -1.0), (0.4, 0.4)])
def test_no_two_neighbours_ever_sit_in_the_same_way(step):
    """Twenty in a row, who sit from other frames on, for a minute and a half."""
    seconds = {f"sit_{number}": 10.0 for number in range(1, 7)}
    rows, frames = [], 2160
    for number in range(20):
        place, late = 3.3 + number * np.array(step), 7 * number
        cues = planned([("none", late), ("sit", frames - late)], place=place, seconds=seconds, lot=0.05 * number)
        ways = np.full(frames, -number - 1)
        for cue in cues:
            ways[cue.first : cue.last + 1] = int(cue.act[-1])
        rows.append(ways)
        assert len({cue.act for cue in cues}) == 6
    same = np.array(rows[:-1]) == np.array(rows[1:])
    assert not same.any()


def test_nothing_is_played_while_somebody_is_absent():
    present = np.ones(200, dtype=bool)
    present[:50] = present[150:] = False
    (cue,) = planned([("talk", 200)], present=present)
    assert (cue.first, cue.last, cue.fade_in, cue.fade_out) == (50, 149, 0, 0)


@pytest.fixture
def sitter():
    """Somebody who walks up, slides onto a seat 0.4 m behind, and leaves again."""
    frames = 200
    x = np.concatenate([np.linspace(0.0, 3.0, 60), np.full(100, 3.0), np.linspace(3.0, 5.0, 40)])
    part = np.clip(np.minimum(np.arange(frames) - 60, 159 - np.arange(frames)) / 28.0, 0.0, 1.0)
    position = np.column_stack([x, -0.4 * part, np.zeros(frames)])
    sits = (np.arange(frames) >= 60) & (np.arange(frames) < 160)
    return position, sits


def test_the_body_does_not_slide_onto_the_seat(sitter):
    position, sits = sitter
    held = hold_seated(position[:, None], sits[:, None], np.ones((200, 1), dtype=bool))[:, 0]
    assert np.ptp(held[60:160], axis=0).max() == 0.0
    np.testing.assert_array_equal(held[~sits], position[~sits])
    always = hold_seated(position[60:160, None], sits[60:160, None], np.ones((100, 1), dtype=bool))[:, 0]
    np.testing.assert_array_equal(always, position[60:160])  # who sits from first to last has nowhere to stand


def test_a_seat_is_where_somebody_sits_in_the_middle(sitter):
    position, sits = sitter
    everywhere = np.ones(200, dtype=bool)
    (seat,) = find_seats(sits, position, np.full(200, 0.45), np.zeros(200), everywhere)
    assert (seat.first, seat.last, seat.from_start, seat.to_end) == (60, 159, False, False)
    np.testing.assert_allclose(seat.place, (3.0, -0.4, 0.45))


def test_the_seat_is_found_of_who_still_rises_at_the_last_frame(sitter):
    position, sits = sitter
    here = slice(0, 155)  # they have stood up at frame 160
    seats = find_seats(sits[here], position[here], np.full(155, 0.45), np.zeros(155), np.ones(155, dtype=bool))
    np.testing.assert_allclose(seats[0].place, (3.0, -0.4, 0.45))


def test_people_step_to_where_they_reach_the_seat_without_a_jump(sitter):
    position, sits = sitter
    everywhere = np.ones(200, dtype=bool)
    seats = find_seats(sits, position, np.full(200, 0.45), np.zeros(200), everywhere)
    held = hold_seated(position[:, None], sits[:, None], everywhere[:, None])[:, 0]
    target = np.array([3.05, 0.06, 0.0])
    settled = settle(held, seats, [target], FPS)
    np.testing.assert_array_equal(settled[60:160], np.broadcast_to(target, (100, 3)))
    np.testing.assert_array_equal(settled[:28], position[:28])
    added = np.diff(settled - held, axis=0)
    assert np.abs(added).max() < 0.008  # a frame
    held[160:] += (0.05, -0.03, 0.0)  # they stand up elsewhere than they have stood before
    elsewhere = settle(held, seats, [target], FPS)
    np.testing.assert_array_equal(elsewhere[:160], settled[:160])
    np.testing.assert_array_equal(elsewhere[-12:], held[-12:])
    assert np.abs(np.diff(elsewhere[155:], axis=0)).max() < 0.07  # they walk on at 1.2 m/s, and no faster


def test_no_arm_is_held_out_where_somebody_stands():
    """The nearest other is 0.7 m away for some seconds, in which the elbow of one clip of three would be in them."""
    seconds, frames = {f"stand_{number}": 10.0 for number in range(1, 4)}, 4000
    everywhere, stands = np.ones(frames, dtype=bool), np.zeros(frames, dtype=np.int8)
    room = np.full(-(-frames // step_of(FPS)), np.inf, dtype=np.float32)
    near = slice(1000 // step_of(FPS), 2000 // step_of(FPS))
    room[near] = 0.7
    held_anyway = 0
    for number in range(10):
        actor = Actor(FPS, seconds, 0.3, number, np.zeros((frames, 2)), {"stand_2": 0.48}, room)
        with_room, without = (
            [cue for cue in plan_cues(stands, NAMES, everywhere, everywhere, each) if cue.act == "stand_2"]
            for each in (actor, actor._replace(reach={}))
        )
        assert with_room
        assert all(cue.last < 1000 or cue.first >= 2000 for cue in with_room)
        held_anyway += any(cue.last >= 1000 and cue.first < 2000 for cue in without)
    assert held_anyway
