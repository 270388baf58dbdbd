# SPDX-License-Identifier: GPL-3.0-or-later
"""Triggers: when something happens, people run, stop, turn, flee, gather, leave or perform something."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core import SceneError, simulate
from core.report import make_report
from core.scene import Scene
from core.scene.file import scene_from_json
from core.simulation.world.doing import Doing
from core.trajectories import Trajectories
from tests.scenes.whole_walks import walk_to_the_end
from tests.sweeps import sweep

from ..runs import differences, run

FPS = 20
AT_3_S = {"what": "frame", "frames": [61]}
BANG = {"name": "Bang", "motion": {"frames": [1], "x": [10], "y": [0]}}
PLACES = [{"name": "Plaza", "outlines": [[[5, -6], [15, -6], [15, -2], [5, -2]]]}]
AREAS = [
    {"name": "Zone", "outline": [[9, -3], [12, -3], [12, 3], [9, 3]]},
    {"name": "Exit", "outline": [[2, 6], [6, 6], [6, 9], [2, 9]]},
]
WALKERS = {"name": "Walkers", "route": "Path", "count": 8, "spawn": {"mode": "flow", "rate": 2.0}}
TALK = {"place": "Plaza", "do": "talk", "duration": {"mean": 30, "sd": 0}}


def scene(
    *triggers: dict[str, Any], frames: int, crowds: tuple[dict[str, Any], ...] = (WALKERS,), **others: Any
) -> Scene:
    bounds = [[-30, -30], [50, -30], [50, 40], [-30, 40]]
    data = {"footfall_scene": 1, "fps": FPS, "frames": [1, frames], "bounds": bounds, "crowds": list(crowds)}
    named = [{"name": f"Trigger {number}"} | trigger for number, trigger in enumerate(triggers)]
    data |= {"routes": [{"name": "Path", "points": [[0, 0], [20, 0]]}], "marks": [BANG], "areas": AREAS}
    return scene_from_json(data | {"places": PLACES, "triggers": named} | others)


def result(*triggers: dict[str, Any], frames: int, **others: Any) -> Trajectories:
    return run(scene(*triggers, frames=frames, **others)).result()


def speed_of(made: Trajectories) -> np.ndarray:
    return np.hypot(made.velocity[..., 0], made.velocity[..., 1])


def seen(made: Trajectories, name: str) -> np.ndarray:
    return made.activity == made.activity_names.index(name)


@pytest.fixture(scope="module")
def panic() -> tuple[Scene, Trajectories]:
    """People who walk, and others who talk, flee from a point in all directions, round a box."""
    talkers = {**WALKERS, "name": "Talkers", "stops": [TALK]}
    box = {"name": "Box", "outline": [[4, -9], [12, -9], [12, -7.5], [4, -7.5]]}
    flee = {"when": {"what": "frame", "frames": [121]}, "then": "flee", "mark": "Bang", "within": 12}
    made = scene(flee, frames=260, crowds=(WALKERS, talkers), obstacles=[box])
    return made, run(made, remembers=True).result()


def test_all_in_range_flee_within_a_second_and_nobody_else(panic: tuple[Scene, Trajectories]) -> None:
    made = panic[1]
    off = made.position[..., :2] - (10, 0)
    distance = np.hypot(off[..., 0], off[..., 1])
    near = made.present[120] & (distance[120] < 12.0)
    assert near.sum() >= 10
    soon = 120 + int(1.4 * FPS)  # the delay, and a second
    velocity = made.velocity[soon]
    away = (off[soon] * velocity).sum(axis=1) / np.maximum(distance[soon] * speed_of(made)[soon], 1e-9)
    flees = (speed_of(made)[soon] > 0.2) & (away > 0.5)
    assert (near & ~flees).sum() <= 1  # one who walked towards it is turning round
    assert np.median(away[near]) > 0.9
    assert speed_of(made)[soon + FPS, near].mean() > 1.5
    assert (distance[-1, near] > np.maximum(9.0, distance[120, near] + 3.0)).all()
    assert np.isin(made.doing[soon, near], (Doing.FLEEING, Doing.HELD_UP)).all()
    inside = (made.position[..., 0] > 4) & (made.position[..., 0] < 12)
    assert not (inside & (made.position[..., 1] > -9) & (made.position[..., 1] < -7.5)).any()


def test_a_panic_is_the_same_with_both_backends_and_when_it_is_baked_again(panic: tuple[Scene, Trajectories]) -> None:
    made = replace(panic[0], frames=(1, 150))
    first = run(made, remembers=True)
    assert first.result().digest() == simulate(made).digest()
    again = run(replace(made, frames=(1, 160)), remembers=True, earlier=first)
    assert again.taken_over == 150, again.why_anew
    assert differences(again, run(replace(made, frames=(1, 160)))) == []


def test_people_run_and_walk_again() -> None:
    run_on, walk_on = {"when": AT_3_S, "then": "run"}, {"when": {"what": "frame", "frames": [121]}, "then": "walk"}
    few = {**WALKERS, "count": 2, "spawn": {"mode": "flow", "rate": 0.5}}
    made = result(run_on, walk_on, frames=180, crowds=(few,))
    pace = np.nanmean(speed_of(made)[:, :1], axis=1)
    assert pace[110] > 1.7 * pace[50]
    assert pace[170] == pytest.approx(pace[50], rel=0.15)
    assert (made.doing[100] == Doing.RUNNING).any()


@pytest.mark.parametrize("reaction", [{"then": "run"}, {"then": "flee", "mark": "Bang", "within": 40}])
def test_who_has_not_set_off_yet_reacts_as_others_do(reaction: dict[str, Any]) -> None:
    waiting = {**WALKERS, "spawn": {"mode": "at_once", "sets_off_within": 8.0}}
    made = result({"when": {"what": "frame", "frames": [7]}} | reaction, frames=60, crowds=(waiting,))
    assert np.count_nonzero(made.doing[4] == Doing.NOT_SET_OFF) >= 6
    assert not (made.doing[45] == Doing.NOT_SET_OFF).any()
    assert np.median(speed_of(made)[45]) > 0.5


def test_people_stop_turn_to_a_mark_and_go_on() -> None:
    made = result({"when": AT_3_S, "then": "turn_to", "mark": "Bang", "duration": {"mean": 3, "sd": 0}}, frames=160)
    here = made.present[60]
    row = 60 + int(2.2 * FPS)  # then somebody who comes later squeezes through between two of them
    assert speed_of(made)[row, here].max() < 0.1
    apart = np.array((10, 0)) - made.position[row, here, :2]
    off = np.arctan2(apart[:, 1], apart[:, 0]) - made.heading[row, here]
    assert np.abs(np.arctan2(np.sin(off), np.cos(off))).max() < np.radians(15.0)
    assert made.gaze[row, here, :2] == pytest.approx(np.tile((10.0, 0.0), (here.sum(), 1)))
    assert speed_of(made)[155, here].min() > 0.25  # not faster: they return to their line at a gentle angle


def test_who_flees_and_can_go_no_further_turns_round_to_what_they_fled_from() -> None:
    bounds = [[-4, -4], [24, -4], [24, 4], [-4, 4]]
    flee = {"when": AT_3_S, "then": "flee", "mark": "Bang", "within": 40}
    made = result(flee, frames=400, bounds=bounds)
    stands = made.present[-1] & (speed_of(made)[-40:] < 0.1).all(axis=0)
    assert stands.sum() >= 3
    apart = np.array((10, 0)) - made.position[-1, stands, :2]
    off = np.arctan2(apart[:, 1], apart[:, 0]) - made.heading[-1, stands]
    assert np.abs(np.arctan2(np.sin(off), np.cos(off))).max() < np.radians(20.0)
    started = made.present[60] & (speed_of(made)[60] > 0.5)
    assert (np.abs(np.diff(np.unwrap(made.heading[60:70, started], axis=0), axis=0)) < 0.5).all()


def test_who_enters_a_zone_waves_there_and_each_once() -> None:
    made = result({"when": {"what": "zone", "area": "Zone"}, "then": "perform", "activity": "wave"}, frames=240)
    waves = seen(made, "wave")
    came = (made.position[..., 0] > 9).argmax(axis=0)
    began = waves.argmax(axis=0)
    some = np.flatnonzero(waves.any(axis=0))
    assert len(some) >= 5
    assert (began[some] - came[some]).max() <= 1.2 * FPS
    assert ((np.diff(waves.astype(int), axis=0) == 1).sum(axis=0) <= 1).all()


def test_who_is_near_a_mark_plays_a_clip() -> None:
    near = {"what": "near", "mark": "Bang", "distance": 2.0}
    made = result({"when": near, "then": "perform", "clip": "Duck"}, frames=220)
    ducks = seen(made, "play_clip:Duck")
    assert ducks.any(axis=0).sum() >= 4
    off = np.hypot(*np.moveaxis(made.position[..., :2] - (10, 0), -1, 0))
    assert off[ducks].max() < 2.5


def test_people_gather_leave_and_go_elsewhere_and_their_share_is_drawn() -> None:
    made = result({"when": AT_3_S, "then": "gather", "to": "Plaza", "share": 0.5}, frames=280)
    stand = (made.stop[-1] >= 0) & (made.doing[-1] == Doing.AT_STOP)
    assert 1 <= stand.sum() <= 5
    assert made.stop_names == ("Plaza",)
    assert (made.position[-1, stand, 1] < -1.5).all()
    here = made.present[60]
    made = result({"when": AT_3_S, "then": "leave", "to": "Exit", "pace": 2.0}, frames=260)
    assert not made.present[-1, here].any()
    last = [made.position[made.present[:, k], k, :2][-1] for k in np.flatnonzero(here)]
    assert (np.array(last)[:, 1] > 5.5).all()
    made = result({"when": AT_3_S, "then": "go_to", "to": "Exit"}, frames=320, crowds=({**WALKERS, "arrival": "stop"},))
    assert (made.position[-1, here, 1] > 5.5).all()
    assert not any("not arrived" in each and "8 of 8" in each for each in made.notices)


def test_who_has_arrived_and_is_sent_on_was_not_held_up_before() -> None:
    walkers, short = {**WALKERS, "count": 6, "arrival": "stop"}, [{"name": "Path", "points": [[0, 0], [6, 0]]}]
    sent = {"when": {"what": "frame", "frames": [241]}, "then": "go_to", "to": "Exit"}
    made = result(sent, frames=500, crowds=(walkers,), routes=short)
    assert made.arrived[230].all()
    assert not made.arrived[290].any()
    assert (made.arrived_frame > 260).all()
    told = make_report(made, Scene())
    assert told["total"]["arrived_elsewhere"] == 6
    assert told["total"]["longest_stop"] < 1.0
    assert not [each for each in told["events"] if each["kind"] in ("stuck", "creeping")]


@pytest.mark.parametrize(("frames", "late"), sweep([(140, True), (330, False), (400, False)], usual=2))
def test_bystanders_who_are_not_yet_where_a_trigger_sends_them_are_reported(frames: int, late: bool) -> None:
    there = {"name": "Waiting", "count": 4, "place": "Plaza"}
    made = result({"when": AT_3_S, "then": "go_to", "to": "Exit"}, frames=frames, crowds=(there,))
    told = [each for each in made.notices if "have not reached 'Exit'" in each]
    assert len(told) == late
    assert all(
        each.startswith("Trigger 0: ") and f"of 4 people have not reached 'Exit' at frame {frames}." in each
        for each in told
    )


def test_who_is_called_away_from_a_detour_leaves_the_drawn_route_to_the_others() -> None:
    """Two walk round a wall that bars their route when one of them is sent elsewhere."""
    wall = {"name": "Wall", "outline": [[9.5, -4], [10, -4], [10, 4], [9.5, 4]]}
    away = {"name": "Away", "outline": [[0, 8], [2, 8], [2, 10], [0, 10]]}
    call = {"name": "Call", "when": {"what": "frame", "frames": [210]}, "then": "leave", "to": "Away", "share": 0.5}
    route = {"name": "Path", "points": [[0, 0], [20, 0]], "width": 2.0}
    two = {"name": "Two", "route": "Path", "count": 2, "speed": {"mean": 1.34, "sd": 0.0}}
    data = {"footfall_scene": 1, "fps": 20, "frames": [1, 600], "routes": [route], "obstacles": [wall]}
    made = walk_to_the_end(scene_from_json(data | {"areas": [away], "triggers": [call], "crowds": [two]}))
    assert (made.doing[208] == Doing.ON_DETOUR).all()
    called = int(np.argmax((made.doing == Doing.GOING_ELSEWHERE).any(axis=0)))
    other = made.position[:, 1 - called]
    assert 0 < made.arrived_frame[1 - called] < 600
    assert np.abs(other[:, 1]).max() < 6.0
    assert other[-1, 0] > 19.0


def test_one_trigger_sets_off_another() -> None:
    first = {"when": AT_3_S, "then": "run", "crowds": ["Others"]}
    second = {"when": {"what": "crowd", "crowd": "Others", "does": "reacts"}, "then": "stop", "crowds": ["Walkers"]}
    made = result(first, second, frames=110, crowds=(WALKERS, {**WALKERS, "name": "Others"}))
    stopped = (made.doing == Doing.REACTING).any(axis=0)
    assert stopped[:8].sum() >= 4
    assert not stopped[8:].any()


def test_a_wave_passes_through_a_thousand_seats_at_its_speed() -> None:
    seats = [[0.5 * x, 20 + 0.8 * y] for y in range(20) for x in range(50)]
    stand = {"name": "Stand", "points": seats, "headings": [-0.5 * np.pi] * 1000}
    fans = {"name": "Fans", "place": "Stand", "count": 1000, "activities": ["sit"]}
    start = {"name": "Start", "motion": {"frames": [1], "x": [0], "y": [28]}}
    none = {"mean": 0, "sd": 0}
    wave = {"when": {"what": "frame", "frames": [21]}, "then": "perform", "activity": "cheer", "mark": "Start"}
    wave |= {"spreads": 12.0, "delay": none, "duration": {"mean": 1.0, "sd": 0}}
    made = result(wave, frames=130, crowds=(fans,), places=[stand], marks=[start])
    cheers = seen(made, "cheer")
    assert cheers.any(axis=0).all()
    distance = np.hypot(*np.moveaxis(made.position[0, :, :2] - (0, 28), -1, 0))
    pace, _ = np.polyfit(distance, cheers.argmax(axis=0) / FPS, 1)
    assert 1.0 / pace == pytest.approx(12.0, rel=0.02)
    assert cheers.sum(axis=0) / FPS == pytest.approx(1.0, abs=0.11)


def test_one_more_trigger_changes_nobody_who_does_not_react() -> None:
    run_on = {"when": AT_3_S, "then": "stop", "crowds": ["Walkers"], "share": 0.5, "duration": {"mean": 1, "sd": 0.5}}
    more = {"name": "Never", "when": {"what": "frame", "frames": [10_000]}, "then": "run"}
    first, second = result(run_on, frames=120), result({**run_on, "name": "Trigger 0"}, more, frames=120)
    assert first.digest() == second.digest()


@pytest.mark.parametrize(
    ("trigger", "message"),
    [
        ({"when": {"what": "zone", "area": "Zoo"}, "then": "run"}, "no area is named 'Zoo'"),
        ({"when": AT_3_S, "then": "flee"}, "mark: is missing: people need something to flee"),
        ({"when": AT_3_S, "then": "flee", "mark": "Bing"}, "no mark is named 'Bing'"),
        ({"when": AT_3_S, "then": "gather"}, "to: is missing: people need somewhere to gather"),
        ({"when": AT_3_S, "then": "perform"}, "is missing: people perform an activity or a clip"),
        ({"when": AT_3_S, "then": "run", "crowds": ["Nobody"]}, "no crowd is named 'Nobody'"),
        ({"when": {"what": "moon"}, "then": "run"}, "must be one of"),
    ],
)
def test_what_is_wrong_with_a_trigger_is_told(trigger: dict[str, Any], message: str) -> None:
    with pytest.raises(SceneError, match=message):
        scene(trigger, frames=10)
