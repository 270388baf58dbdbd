# SPDX-License-Identifier: GPL-3.0-or-later
"""People who are simply at a place: on seats, in rings, along a line; they do not walk, and others walk round them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.report.measure import make_report
from core.scene import Scene
from core.scene.file import scene_from_json
from core.simulation.world.doing import Doing
from core.trajectories import Trajectories
from tests.sweeps import sweep

from ..overlaps import deepest_between_people
from ..runs import differences, run

ROWS, COLUMNS = 12, 25
SEATS = [[0.5 * x, 10.0 + 0.8 * y] for y in range(ROWS) for x in range(COLUMNS)]
HEIGHTS = [0.45 + 0.4 * y for y in range(ROWS) for _ in range(COLUMNS)]
STAND = {"name": "Stand", "points": SEATS, "headings": [-0.5 * np.pi] * len(SEATS), "heights": HEIGHTS}
PLAZA = {"name": "Plaza", "outlines": [[[4, -3], [16, -3], [16, 3], [4, 3]]]}
PATH = {"name": "Path", "points": [[0, 0], [20, 0]]}


def scene(
    *crowds: dict[str, Any], frames: int, places: tuple[dict[str, Any], ...] = (STAND, PLAZA), **others: Any
) -> Scene:
    data = {"footfall_scene": 1, "fps": 20, "frames": [1, frames], "places": list(places), "routes": [PATH]}
    return scene_from_json(data | {"crowds": list(crowds)} | others)


@pytest.fixture(scope="module")
def fans() -> Trajectories:
    """More fans than a stand has seats, who sit, cheer and clap."""
    crowd = {"name": "Fans", "place": "Stand", "count": len(SEATS) + 5, "activities": ["sit", "cheer", "clap"]}
    return run(scene(crowd, frames=240)).result()


def test_each_seat_is_taken_once_and_the_rest_is_absent_and_reported(fans: Trajectories) -> None:
    assert fans.present.sum(axis=1).tolist() == [len(SEATS)] * 240
    assert fans.notices == (
        "Fans: 5 of 305 are not there: 'Stand' has 300 seats. Lower Count, or give it more of them.",
    )
    sits = fans.activity == fans.activity_names.index("sit")
    seats = {tuple(each) for each in np.array(SEATS).round(3)}
    settled = np.lib.stride_tricks.sliding_window_view(sits, 92, axis=0).all(
        axis=2
    )  # neither sit down nor stand up soon
    rows, agents = np.nonzero(settled)
    assert len(rows) > 1000
    assert {tuple(each) for each in fans.position[rows + 46, agents, :2].round(3)} <= seats
    here = np.flatnonzero(fans.present[0])
    assert len({tuple(each) for each in fans.position[0, here, :2].round(1)}) == len(SEATS)
    assert fans.seat_height[0, here][sits[0, here]] - fans.position[0, here, 2][sits[0, here]] == pytest.approx(0.45)
    assert fans.keeps_height[here].all()


def test_they_sit_and_stand_up_each_at_times_of_their_own(fans: Trajectories) -> None:
    here = fans.present[0]
    activity = fans.activity[:, here]
    for name in ("sit", "cheer", "clap"):
        share = (activity == fans.activity_names.index(name)).mean()
        assert 0.1 < share < 0.75, name
    changes = (np.diff(activity.astype(int), axis=0) != 0).mean(axis=1)
    assert changes.max() < 0.03
    speed = np.hypot(*np.moveaxis(np.diff(fans.position[:, here, :2], axis=0), -1, 0)) * fans.fps
    assert speed.max() < 1.0  # they rise from their seats
    assert (np.isin(fans.doing[:, here], (Doing.SITTING, Doing.STANDING))).all()


def test_people_talk_in_rings_on_a_square_and_others_walk_round_them() -> None:
    talkers = {"name": "Talkers", "place": "Plaza", "count": 20, "activities": ["talk"]}
    walkers = {"name": "Walkers", "route": "Path", "count": 3, "spawn": {"mode": "flow", "rate": 1.0}}
    made = run(scene(talkers, walkers, frames=470)).result()
    talks = np.isin(made.activity[:, :20], [made.activity_names.index(name) for name in ("talk", "listen")])
    assert talks.mean() > 0.85
    speaks = made.activity[100, :20] == made.activity_names.index("talk")
    assert 5 <= speaks.sum() <= 10
    apart = made.gaze[100, :20, :2] - made.position[100, :20, :2]
    off = np.arctan2(apart[:, 1], apart[:, 0]) - made.heading[100, :20]
    assert np.nanmedian(np.abs(np.arctan2(np.sin(off), np.cos(off)))) < np.radians(15.0)
    assert (made.arrived_frame[20:] > 0).all(), made.notices
    gap = made.position[:, 20:, None, :2] - made.position[:, None, :20, :2]
    assert np.nanmin(np.sqrt((gap * gap).sum(axis=3))) > 0.4


@pytest.mark.parametrize("count", [2, 3, 5, 7, 8])
def test_rings_are_even_also_where_the_last_is_not_full(count: int) -> None:
    talkers = {"name": "Talkers", "place": "Plaza", "count": count, "activities": ["talk"]}
    made = run(scene(talkers, frames=2)).result()
    place, heading = made.position[0, :, :2], made.heading[0]
    ahead = place + 0.55 * np.column_stack((np.cos(heading), np.sin(heading)))
    apart = np.sqrt(((ahead[:, None] - ahead) ** 2).sum(axis=2))
    ring = np.where(apart < 0.6, np.arange(count), count).min(axis=1)
    assert np.bincount(ring)[ring].min() >= 2
    middle = np.array([place[ring == own].mean(axis=0) for own in ring])
    to_middle = np.arctan2(*(middle - place).T[::-1])
    assert np.abs(np.sin(0.5 * (to_middle - heading))).max() < 1e-3


def test_two_crowds_share_the_seats_and_those_who_walk_take_free_ones() -> None:
    few = {"name": "Bench", "points": [[4, 2], [5, 2], [6, 2]], "headings": [-0.5 * np.pi] * 3}
    first = {"name": "First", "place": "Bench", "count": 1, "activities": ["sit"]}
    second = {"name": "Second", "place": "Bench", "count": 4, "activities": ["sit"]}
    far = {"name": "Sofa", "points": [[14, 2], [15, 2]], "headings": [-0.5 * np.pi] * 2}
    third = {"name": "Third", "place": "Sofa", "count": 3, "activities": ["sit"]}
    made = run(scene(first, second, third, frames=3, places=(few, far))).result()
    assert made.present[0].sum() == 5
    assert "Third: 1 of 3 are not there: 'Sofa' has 2 seats. Lower Count" in made.notices[1]
    assert "Second: 2 of 4 are not there: 'Bench' has 2 seats, without those of other crowds." in made.notices[0]
    stop = {"place": "Bench", "do": "sit", "duration": {"mean": 1, "sd": 0}}
    walkers = {"name": "Walkers", "route": "Path", "count": 3, "stops": [stop]}
    made = run(scene({**first, "count": 2}, walkers, frames=240, places=(few,))).result()
    assert any("2 of 3 found no room" in each for each in made.notices), made.notices
    sits = made.activity[:, 2:] == made.activity_names.index("sit")
    assert sits.any(axis=0).sum() == 1


def test_more_people_and_another_crowd_change_nobody_else_and_a_rebake_is_the_same() -> None:
    fans = {"name": "Fans", "place": "Stand", "count": 100, "activities": ["sit", "cheer"]}
    other = {"name": "Guests", "place": "Plaza", "count": 10, "look_at": [10, 20]}
    made = scene(fans, frames=60)
    alone, both = run(made, remembers=True), run(scene(other, {**fans, "count": 120}, frames=60)).result()
    assert np.array_equal(alone.result().position, both.position[:, 10:110])
    assert np.array_equal(alone.result().activity, both.activity[:, 10:110])
    looks = np.arctan2(20 - both.position[0, :10, 1], 10 - both.position[0, :10, 0]) - both.heading[0, :10]
    assert np.abs(np.arctan2(np.sin(looks), np.cos(looks))).max() < 0.35
    longer = scene(fans, frames=70)
    again = run(longer, remembers=True, earlier=alone)
    assert again.taken_over == 60, again.why_anew
    assert differences(again, run(longer)) == []


BANG = {"name": "Bang", "motion": {"frames": [1], "x": [4], "y": [20]}}
HALL = {"name": "Hall", "points": [[0.8 * x, 12 + 0.9 * y] for y in range(3) for x in range(8)]}
HALL |= {"headings": [-0.5 * np.pi] * 24, "heights": [0.45 + 0.3 * (k // 8) for k in range(24)]}
AT_2_S = {"what": "frame", "frames": [41]}
BENCH = {"name": "Bench", "lines": [[[9, 8], [10.5, 8]]]}


def after(then: str, crowd: dict[str, Any], frames: int = 260, **others: Any) -> Trajectories:
    """People who are simply there, and something that happens after 2 s."""
    trigger = {"name": "Alarm", "when": AT_2_S, "then": then, "delay": {"mean": 0.3, "sd": 0.1}} | others
    there = {"name": "Guests", "count": 12, "place": "Plaza"} | crowd
    data = {"footfall_scene": 1, "fps": 20, "frames": [1, frames], "places": [PLAZA, HALL, BENCH], "marks": [BANG]}
    data |= {"areas": [{"name": "Exit", "outline": [[-6, 0], [-4, 0], [-4, 6], [-6, 6]]}]}
    data |= {"bounds": [[-12, -12], [32, -12], [32, 32], [-12, 32]]}
    return run(scene_from_json(data | {"crowds": [there], "triggers": [trigger]})).result()


@pytest.mark.parametrize("place", ["Plaza", "Hall"])
def test_who_is_simply_there_gets_up_and_flees_without_a_jump(place: str) -> None:
    crowd = {"place": place, "activities": ["sit"] if place == "Hall" else ["talk"]}
    made = after("flee", crowd, mark="Bang", within=30)
    distance = np.hypot(*np.moveaxis(made.position[..., :2] - (4, 20), -1, 0))
    assert (distance[-1] > distance[0] + 3.0).all()
    step = np.diff(made.position, axis=0)
    assert np.hypot(step[..., 0], step[..., 1]).max() * made.fps < 4.5
    assert np.abs(step[..., 2]).max() * made.fps < 2.5  # they climb down from their tier
    assert made.position[-1, :, 2] == pytest.approx(np.zeros(12), abs=0.01)
    sits = made.activity == made.activity_names.index("sit")
    runs = np.hypot(*np.moveaxis(made.velocity, -1, 0)) > 1.0
    assert not (sits & runs).any()
    first = runs.argmax(axis=0) / made.fps
    assert first.max() < 2.0 + 0.9 + (2.5 if place == "Hall" else 1.1)  # they stand up, or turn first
    assert np.isin(made.doing[120], (Doing.FLEEING, Doing.HELD_UP, Doing.MAKING_WAY)).mean() > 0.8
    assert made.notices == ()


@pytest.mark.parametrize(
    ("then", "to"), sweep([("gather", "Hall"), ("leave", "Exit"), ("go_to", "Exit"), ("leave", "")], usual=3)
)
def test_who_is_simply_there_leaves_and_gathers(then: str, to: str) -> None:
    made = after(then, {}, frames=440 if to else 700, to=to, share=0.5)
    went = np.hypot(*(np.nanmax(np.abs(made.position - made.position[0]), axis=0)[:, :2].T)) > 1.0
    assert 2 <= went.sum() <= 10
    assert made.present[:, ~went].all()
    assert (made.arrived_frame[~went] == 1).all()
    since = made.arrived_frame[went]  # they are not there before they have gone there
    assert (since[since > 0] > 60).all()
    assert (since > 0).any()
    told = make_report(made, Scene())
    assert told["total"]["arrived_elsewhere"] == (since > 0).sum()
    assert not [each for each in told["events"] if each["kind"] == "stuck" and each["frame"] < 60]
    last = np.array([made.position[made.present[:, k], k, :2][-1] for k in np.flatnonzero(went)])
    if then == "leave":
        assert not made.present[-1, went].any()
    if to == "Exit":
        assert (last[:, 0] < -3.3).all()
    elif to == "Hall":
        assert (last[:, 1] > 11.0).all()
    else:
        assert (np.abs(last - 10.0).max(axis=1) > 20.5).all()


def test_nobody_walks_into_who_gets_up_from_the_next_seat() -> None:
    seats = [[0.75 * x - 4.5, 2.0 + 1.5 * y] for y in range(4) for x in range(13)]
    rows = {"name": "Rows", "points": seats, "headings": [-0.5 * np.pi] * 52, "heights": [0.45] * 52}
    street = {"name": "Street", "outline": [[9, 0], [11.5, 0], [11.5, 8], [9, 8]]}
    leave = {"name": "Alarm", "when": AT_2_S, "then": "leave", "to": "Street", "delay": {"mean": 0.8, "sd": 0.5}}
    crowd = {"name": "Audience", "place": "Rows", "count": 40, "activities": ["sit"]}
    around = {"bounds": [[-7, -2], [12, -2], [12, 10], [-7, 10]], "areas": [street], "seed": 1}
    made = run(scene(crowd, frames=240, places=(rows,), triggers=[leave | {"pace": 1.5}], **around)).result()
    assert deepest_between_people(made).depth < 0.01


def test_who_finds_no_room_where_others_gather_stands_where_they_were() -> None:
    made = after("gather", {}, frames=300, to="Bench")
    moved = np.hypot(*np.moveaxis(made.position[-1] - made.position[0], -1, 0)[:2])
    gathered = (made.doing[-1] == Doing.AT_STOP) & (made.position[-1, :, 1] > 7.0)
    assert 1 <= gathered.sum() <= 4
    assert [f"Alarm: {12 - gathered.sum()} of 12 found no room" in each for each in made.notices] == [True]
    assert moved[~gathered].max() < 1.0
    assert (made.doing[-1, ~gathered] == Doing.ARRIVED).all()
    assert (made.arrived_frame[~gathered] >= 1).all()


def test_who_is_simply_there_turns_to_a_mark_and_back() -> None:
    made = after("turn_to", {"look_at": [10, -9]}, mark="Bang", duration={"mean": 5, "sd": 0}, frames=240)
    apart = made.position[0, :, :2] - (4, 20)
    off = np.arctan2(-apart[:, 1], -apart[:, 0]) - made.heading
    off = np.abs(np.arctan2(np.sin(off), np.cos(off)))
    assert off[0].min() > 1.5
    assert off[100].max() < 0.1
    assert made.gaze[100, :, :2] == pytest.approx(np.tile((4.0, 20.0), (12, 1)))
    assert np.abs(np.diff(made.heading, axis=0)).max() * made.fps < 4.0
    assert made.heading[-1] == pytest.approx(made.heading[0], abs=0.1)
    seated = after("turn_to", {"place": "Hall", "activities": ["sit"]}, mark="Bang", frames=100)
    assert (seated.activity == seated.activity_names.index("sit")).all()


def test_a_rebake_while_others_get_up_is_the_same() -> None:
    walkers = {"name": "Walkers", "route": "Path", "count": 3, "spawn": {"mode": "flow", "rate": 1.0}}
    guests = {"name": "Guests", "place": "Plaza", "count": 8}
    flee = {"name": "Alarm", "when": AT_2_S, "then": "leave", "crowds": ["Guests"], "share": 0.5}
    made = scene(guests, walkers, frames=60, triggers=[flee])
    first, longer = run(made, remembers=True), replace(made, frames=(1, 110))
    again = run(longer, remembers=True, earlier=first)
    assert again.taken_over == 60, again.why_anew
    assert differences(again, run(longer)) == []


@pytest.mark.parametrize("mode", ["spread", "at_once", "one by one"])
def test_nobody_starts_where_somebody_simply_is(mode: str) -> None:
    row = {"name": "Row", "points": [[1.5 * k - 4.0, 0.0] for k in range(15)], "headings": [0.0] * 15}
    ends = {"West": [[-5, -3], [-2, -3], [-2, 3], [-5, 3]], "East": [[22, -1], [24, -1], [24, 1], [22, 1]]}
    areas = [{"name": name, "outline": outline} for name, outline in ends.items()]
    walkers: dict[str, Any] = {"name": "Walkers", "count": 20, "spawn": {"mode": mode}, "start": "West", "goal": "East"}
    if mode == "one by one":
        agents = [{"start": [x, y], "goal": [23, 0]} for x, y in (row["points"][::-1] + row["points"][:5])]
        walkers = {"name": "Walkers", "count": 20, "agents": agents}
    standing = {"name": "Standing", "place": "Row", "count": 15}
    bounds = [[-6, -4], [26, -4], [26, 4], [-6, 4]]
    made = run(scene(walkers, standing, frames=1, places=(row,), areas=areas, bounds=bounds)).result()
    apart = made.position[0, :20, None, :2] - made.position[0, None, :, :2]
    gap = np.hypot(*np.moveaxis(apart, -1, 0)) - made.radius[:20, None] - made.radius
    np.fill_diagonal(gap, np.inf)
    assert made.present.all()
    assert gap.min() >= -0.01
    if mode == "one by one":
        assert "Walkers: 20 of 20 started on top of others and were moved apart." in made.notices
