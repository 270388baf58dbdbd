# SPDX-License-Identifier: GPL-3.0-or-later
"""From recorded activities to clips: which, when, and how much of what is seen each is."""

from itertools import pairwise, zip_longest

import numpy as np
import pytest

from core.motion.acting.cue_planning import Actor, plan_cues
from core.motion.acting.cues import ACTING
from core.motion.acting.elbow_room import step_of
from core.motion.acting.seats import find_seats, hold_seated, settle
from core.motion.acting.variants import VARIANTS

NAMES = ("none", "stand", "talk", "sit", "phone")
SECONDS = {"stand_1": 10.0, "stand_2": 10.0, "talk_1": 6.0, "talk_2": 6.0, "sit_1": 10.0, "sit_down": 1.6}
SECONDS |= {"stand_up": 1.5, "phone_1": 8.0}
FPS = 24.0


def planned(told, *, still=None, present=None, lot=0.3, variants=(), seconds=SECONDS):
    """Cues of somebody who does what is told for so many frames each; `variants`: at each moment."""
    activity = np.repeat([NAMES.index(name) for name, _ in told], [count for _, count in told]).astype(np.int8)
    everywhere = np.ones(len(activity), dtype=bool)
    still = activity > 0 if still is None else np.broadcast_to(still, activity.shape)
    present = everywhere if present is None else present
    person = Actor(FPS, seconds, lot, variants=np.array(variants, dtype=np.int16))
    return plan_cues(activity, NAMES, still, present, person)


def test_who_stops_walking_is_blended_into_a_clip_and_out_again():
    (cue,) = planned([("none", 30), ("talk", 120), ("none", 30)])
    assert (cue.first, cue.last) == (30, 149)
    assert cue.act in {"talk_1", "talk_2"}
    assert cue.weight[0] == cue.weight[-1] == 0.0
    assert cue.weight[30:90].tolist() == [1.0] * 60
    assert np.abs(np.diff(cue.weight)).max() < 0.13  # of a half second


def test_who_comes_to_a_stop_begins_to_act_when_they_stand():
    """Runners stood, and skated to their stop with stretched legs."""
    comes, stands = [("none", 30), ("talk", 120)], np.arange(150) >= 55
    (cue,) = planned(comes, still=stands)
    assert cue.first == 55
    later = stands & (np.arange(150) != 90)  # somebody makes a step aside
    assert [each.first for each in planned(comes, still=later)] == [55]
    assert [each.act for each in planned([("none", 30), ("sit", 120)], still=stands)] == ["sit_down", "sit_1"]


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
    for variant in (0, 13, 35):
        down, _, up = planned(told, variants=[variant] * 47)
        assert down.start == up.start == 0.0
        assert down.rate == up.rate == pytest.approx(1.0, abs=0.251)
        assert (up.last, up.last - up.first) == (239, round(1.5 * FPS / up.rate))
    rates = [planned(told, variants=[variant] * 47)[2].rate for variant in range(12)]
    assert len(set(rates)) == 12, "they do not rise as one"
    assert np.diff(np.sort(rates[:6])).min() > 0.04, "nor nearly so with another clip each"


def test_short_activities_and_short_stands_are_left_out():
    assert not planned([("none", 40), ("talk", 15), ("none", 40)])
    assert not planned([("none", 30)], still=True)
    assert planned([("none", 90)], still=True)
    assert not planned([("talk", 90), ("phone", 20), ("none", 40)])[1:], "no hand flies to the ear and back"
    assert planned([("none", 40), ("phone", 40), ("none", 40)])
    (cue,) = planned([("phone", 24)])
    assert cue.weight.tolist() == [1.0] * 24, "who is seen for a second does it all the time"


def test_who_stands_for_a_moment_does_not_cross_the_arms_and_differs_from_the_neighbour():
    told, still = [("none", 130)], np.repeat([False, True, False], [50, 50, 30])
    stands = [planned(told, still=still, variants=[number] * 17)[0] for number in (0, 1, 2, 5)]
    assert {cue.act for cue in stands} == {"stand_1"}
    starts = np.array([cue.start for cue in stands])
    assert np.diff(np.sort(starts)).min() > 0.15
    assert starts.max() < 1.0


def test_who_goes_on_standing_moves_the_arms_slowly_and_who_sets_off_does_not_wait():
    each = FPS / step_of(FPS)
    variants = np.repeat([0, 1], int(10 * each))
    one, other = planned([("stand", len(variants) * step_of(FPS)), ("none", 40)], variants=variants)
    assert one.last - other.first == other.fade_in == round(ACTING.fade_in_place * FPS)
    assert other.fade_out == round(0.5 * FPS)


def test_who_does_something_for_a_moment_moves_the_hands_less_far_and_not_faster():
    fastest = []
    for count in (300, 68, 36):
        (cue,) = planned([("none", 30), ("phone", count), ("none", 30)])
        fastest.append(np.abs(np.diff(cue.weight)).max())
        assert (cue.weight.max() < 1.0) == (count < 68)
    assert max(fastest) < 1.25 * fastest[0]


def test_who_goes_on_sitting_moves_the_hands_slowly():
    told, seconds = [("sit", 900)], SECONDS | {"sit_2": 10.0}
    cues = planned(told, variants=[0] * 75 + [1] * 76, seconds=seconds)
    assert [cue.act for cue in cues] == ["sit_1", "sit_2"]
    assert np.abs(np.diff(cues[1].weight)).max() < 0.012, "over more than 5 s"


def test_each_turn_plays_its_variant_from_its_part_on():
    """The remainder chooses the clip, the quotient the part; what is shorter than a turn is left out."""
    each = FPS / step_of(FPS)
    variants = np.repeat([6, 9, 0, 25], [int(10 * each), int(10 * each), 2, int(10 * each)])
    cues = planned([("stand", len(variants) * step_of(FPS))], variants=variants)
    assert [cue.act for cue in cues] == ["stand_1", "stand_2", "stand_2"], "9 and 25 are odd"
    parts = [VARIANTS.part_of(number, "stand") for number in (6, 9, 25)]
    assert [cue.start for cue in cues] == pytest.approx(parts, abs=0.05)
    assert {cue.rate for cue in cues} == {1.0}, "who has to share a clip stays apart in it"


def test_who_only_stands_for_a_moment_as_they_appear_begins_at_once():
    (talk,) = planned([("stand", 10), ("talk", 120)])
    assert (talk.first, talk.weight[0]) == (0, 1.0)
    stand, _ = planned([("stand", 60), ("talk", 120)])
    assert stand.first == 0


def test_nobody_drops_the_arms_for_a_moment_between_two_activities():
    phone, talk = planned([("phone", 120), ("stand", 20), ("talk", 120)])
    assert talk.first == 140
    assert phone.last > talk.first
    assert len(planned([("phone", 120), ("talk", 30), ("none", 60)])) == 1, "no other thing is begun either"


def test_who_does_something_else_shortly_does_it_wholly():
    """Under a clip that is shown in part, the one before would end with a jump."""
    cues = planned([("talk", 120), ("phone", 72), ("talk", 120)])
    assert [cue.most for cue in cues] == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("rows", [40, 60, 78, 140])
def test_who_sits_for_a_moment_sits_down_and_stands_up(rows):
    cues = planned([("none", 40), ("sit", rows), ("none", 40)])
    acts = [cue.act for cue in cues]
    if rows == 40:
        assert "sit_down" not in acts, "too short for both"
        return
    assert acts == (["sit_down", "sit_1", "stand_up"] if rows == 140 else ["sit_down", "stand_up"])
    assert all(one.last >= other.first for one, other in pairwise(cues))
    assert [cue.act for cue in planned([("none", 40), ("sit", 30)])] == ["sit_down"], "the last frame comes before"


def test_nobody_hurries_down_to_a_seat_who_has_no_clip_for_standing_up():
    given = {name: seconds for name, seconds in SECONDS.items() if name != "stand_up"}
    assert planned([("none", 40), ("sit", 20), ("none", 40)], seconds=given) == ()
    long = planned([("none", 40), ("sit", 140), ("none", 40)], seconds=given)
    assert [cue.act for cue in long] == ["sit_down", "sit_1"]


def test_every_clip_is_wholly_there_before_the_next_one_begins_and_gone_before_it_ends():
    """Random days of somebody: no clip vanishes or appears while it is partly seen."""
    rng = np.random.default_rng(5)
    for _ in range(300):
        count = int(rng.integers(2, 7))
        told = list(zip(rng.choice(NAMES, count), rng.integers(6, 200, count), strict=True))
        cues = planned([(str(name), int(rows)) for name, rows in told])
        end = sum(int(rows) for _, rows in told) - 1
        for cue, after in zip_longest(cues, cues[1:]):
            assert cue.fade_in + max(cue.fade_out, cue.covered) <= cue.last - cue.first
            assert cue.first == 0 or cue.fade_in > 1
            if after is not None and after.first <= cue.last:
                assert cue.weight[after.first - cue.first] == cue.most == 1.0
                assert after.weight[cue.last - after.first] == pytest.approx(1.0)
            else:
                assert cue.last == end or cue.weight[-1] == 0.0


def test_who_has_no_time_to_sit_goes_on_with_what_they_did():
    """Nor is sitting down begun that the last frame interrupts, by who has to lower the arms for it."""
    for told in ([("phone", 120), ("sit", 40), ("phone", 120)], [("phone", 120), ("sit", 30)]):
        cues = planned(told)
        assert {cue.act for cue in cues} == {"phone_1"}
        assert cues[-1].last == sum(rows for _, rows in told) - 1
        assert all(one.last >= other.first for one, other in pairwise(cues))
    assert not planned([("none", 40), ("sit", 50), ("none", 40)])


def test_who_stands_up_to_do_something_begins_with_it_while_they_rise_and_each_at_another_moment():
    told = [("sit", 200), ("phone", 200)]
    begins = []
    for lot in np.linspace(0.0, 0.99, 34):
        rising, phoning = planned(told, lot=lot, variants=[3] * 101)[-2:]
        assert (rising.act, phoning.act, rising.first + rising.fade_in <= phoning.first) == (
            "stand_up",
            "phone_1",
            True,
        )
        begins.append(phoning.first - rising.first)
    assert max(begins) < round(SECONDS["stand_up"] * FPS)
    assert np.ptp(begins) > 0.3 * FPS
    assert planned([("sit", 200), ("stand", 200)], variants=[3] * 101)[-1].first > 198


def test_who_lowers_the_arms_sits_down_more_slowly():
    told = [[(name, 120), ("sit", 200), ("none", 40)] for name in ("none", "stand", "phone")]
    acts = [planned(each, variants=[35] * 61) for each in told]
    rates = [next(cue.rate for cue in cues if cue.act == "sit_down") for cues in acts]
    assert rates[0] == rates[1] > 1.15 * rates[2]
    (raised,) = [cue for cue in acts[2] if cue.act == "sit_down"]
    assert raised.fade_in == round(ACTING.arms_down * 1.4 * FPS)


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
        variants = (np.arange(len(room)) // 40 + number).astype(np.int16)
        actor = Actor(FPS, seconds, 0.3, {"stand_2": 0.48}, room, variants)
        with_room, without = (
            [cue for cue in plan_cues(stands, NAMES, everywhere, everywhere, each) if cue.act == "stand_2"]
            for each in (actor, actor._replace(reach={}))
        )
        assert with_room
        assert all(cue.last < 1000 or cue.first >= 2000 for cue in with_room)
        held_anyway += any(cue.last >= 1000 and cue.first < 2000 for cue in without)
    assert held_anyway
