# SPDX-License-Identifier: GPL-3.0-or-later
"""What people do at stops besides standing: they talk in rings, sit, wait for something, play clips, and leave."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.report import make_report
from core.scene import Crowd, Scene, Spawn
from core.simulation import Simulation
from core.simulation.settings.stop_settings import SeatSettings
from core.simulation.world.doing import Doing
from core.trajectories import Trajectories
from tests.scenes.whole_walks import walk_to_the_end
from tests.sweeps import sweep

from ..runs import differences, run
from ..stop_scenes import longest_halt, scene, time_of

FLOW = {"mode": "flow", "rate": 2.0}
FIELD = {"name": "Field", "outlines": [[[5, 2], [15, 2], [15, 9], [5, 9]]]}
SEATS = {"name": "Bench", "points": [[6 + 0.8 * k, 3.0] for k in range(8)], "headings": [-0.5 * np.pi] * 8}
BENCH = {"name": "Bench", "outline": [[5.6, 2.8], [12, 2.8], [12, 3.25], [5.6, 3.25]]}


def at_stop(stop: dict[str, Any], *, frames: int, count: int = 3, **others: Any) -> Trajectories:
    """What people who enter one by one do at a point beside their route."""
    crowd = {"count": count, "spawn": FLOW, "stops": [{"place": "Spot", "duration": {"mean": 1.0, "sd": 0.3}} | stop]}
    return run(scene(crowd, [{"name": "Spot", "points": [[10, 2.5]]}], frames=frames, **others)).result()


def shown(made: Trajectories, *names: str) -> np.ndarray:
    """Who is seen to do one of some activities, bool (F, A)."""
    return np.isin(made.activity, [made.activity_names.index(name) for name in names])


def turned_from(made: Trajectories, points: np.ndarray, rows: np.ndarray, agents: np.ndarray) -> np.ndarray:
    """By how much some people face away from points, float64 (N, 2) [rad]."""
    apart = points - made.position[rows, agents, :2]
    off = made.heading[rows, agents] - np.arctan2(apart[:, 1], apart[:, 0])
    return np.abs(np.arctan2(np.sin(off), np.cos(off)))


def rings_at(made: Trajectories, row: int) -> list[list[int]]:
    """The rings of people who talk at a frame, by who looks at whom."""
    people = np.flatnonzero(shown(made, "talk", "listen")[row])
    if not len(people):
        return []
    place = made.position[row, people, :2]
    looks_at = np.hypot(*np.moveaxis(made.gaze[row, people, None, :2] - place, -1, 0)).argmin(axis=1)
    ring = np.arange(len(people))
    for _ in people:
        ring = np.minimum(ring, ring[looks_at])
        np.minimum.at(ring, looks_at, ring)
    return [people[ring == number].tolist() for number in np.unique(ring)]


def some_talkers(count: int, seed: int) -> Trajectories:
    """People who talk on a field."""
    crowd = {
        "count": count,
        "spawn": FLOW,
        "stops": [{"place": "Field", "do": "talk", "duration": {"mean": 15, "sd": 2}}],
    }
    return run(replace(scene(crowd, [FIELD], frames=360 + 12 * count), seed=seed)).result()


@pytest.fixture(scope="module")
def talkers() -> Trajectories:
    return some_talkers(18, 0)


@pytest.mark.parametrize(("count", "seed"), sweep([(18, 0), (30, 0), (30, 9), (30, 12)], usual=1))
def test_talkers_stand_in_rings_and_face_each_other(count: int, seed: int, request: pytest.FixtureRequest) -> None:
    """Also those who stood in each other's way to their places, as with the later seeds."""
    talkers = request.getfixturevalue("talkers") if count == 18 else some_talkers(count, seed)
    talking = shown(talkers, "talk", "listen")
    assert talking.any(axis=0).sum() >= 0.9 * count  # the last ones have to walk round those who stand
    settled = np.lib.stride_tricks.sliding_window_view(talking, 60, axis=0).all(axis=2)  # 3 s ago, too
    slow = np.hypot(*np.moveaxis(talkers.velocity[..., :2], -1, 0)) < 0.02
    stood = np.lib.stride_tricks.sliding_window_view(slow, 20, axis=0).all(axis=2)  # for 1 s: newcomers turn
    faces = []
    for row in range(100, len(talkers.frames), 25):
        for ring in rings_at(talkers, row):
            same = ring in rings_at(talkers, row - 59)
            if same and settled[row - 59, ring].all() and stood[row - 19, ring].all():
                middle = np.tile(talkers.position[row, ring, :2].mean(axis=0), (len(ring), 1))
                faces += turned_from(talkers, middle, np.full(len(ring), row), np.array(ring)).tolist()
    assert len(faces) > 40
    assert max(faces) < np.radians(15.0)


def test_in_a_ring_one_talks_and_the_others_look_at_them(talkers: Trajectories) -> None:
    row = int(shown(talkers, "talk").sum(axis=1).argmax())
    talks, listens = (np.flatnonzero(shown(talkers, name)[row]) for name in ("talk", "listen"))
    assert len(listens) >= len(talks) >= 3
    gaze = talkers.gaze[row, listens, :2]
    off = np.hypot(*np.moveaxis(gaze[:, None] - talkers.position[row, talks, :2], -1, 0)).min(axis=1)
    assert off.max() < 0.1  # looked at where they were in the last step
    assert talkers.gaze[row, listens, 2] == pytest.approx(np.full(len(listens), 1.6))
    changes = np.diff(shown(talkers, "talk").astype(int), axis=0)
    # They take turns, so that some talk again; who comes late has one at most.
    assert (changes == 1).sum() > shown(talkers, "talk").any(axis=0).sum()


def ring_of_three(seconds: list[float], frames: int) -> Simulation:
    """Three who come to talk from three sides, and for how long each of them does."""
    starts, place = [[8.0, 5.0], [12.0, 5.0], [10.0, 7.0]], {"name": "Chat", "points": [[10.0, 5.0]]}
    crowds = [
        {
            "name": f"Talker {number}",
            "agents": [{"start": start, "goal": [20.0, 4.0 + number]}],
            "stops": [{"place": "Chat", "do": "talk", "room": 4, "duration": {"mean": mean, "sd": 0.0}}],
        }
        for number, (start, mean) in enumerate(zip(starts, seconds, strict=True))
    ]
    return Simulation(scene({}, [place], frames=frames, crowds=crowds, seed=1))


def test_a_ring_closes_when_somebody_leaves_and_the_last_one_does_not_stay_alone() -> None:
    simulation = ring_of_three([2.0, 4.0, 60.0], 200)
    while not simulation.done:
        simulation.step()
    made = simulation.result()
    talks = (made.doing == Doing.TALKING).T
    first, second, last = (int(np.flatnonzero(each)[-1]) for each in talks)
    assert talks[:, first].all()
    row = second - 5
    assert row > first + 30
    others = made.position[row, [2, 1], :2]
    assert turned_from(made, others, np.array([row, row]), np.array([1, 2])).max() < np.radians(10.0)
    assert second < last < second + 3.0 * made.fps


def test_two_of_a_ring_who_were_pressed_past_each_other_stay_there_and_face_the_others() -> None:
    """Else they would have to pass each other inside the ring."""
    simulation = ring_of_three([90.0] * 3, 140)
    while not simulation.done:
        simulation.step()
        if simulation.frame == 100:
            simulation.agents.position[:2] = simulation.agents.position[[1, 0]]
    made = simulation.result()
    assert (made.doing[-40:] == Doing.TALKING).all()
    middle = np.tile(made.position[-1, :, :2].mean(axis=0), (3, 1))
    assert turned_from(made, middle, np.full(3, -1), np.arange(3)).max() < np.radians(15.0)


@pytest.fixture(scope="module")
def seated() -> tuple[Scene, Trajectories]:
    """Ten people and a bench with eight seats, which is an obstacle."""
    crowd = {"count": 10, "spawn": FLOW, "stops": [{"place": "Bench", "do": "sit", "duration": {"mean": 6, "sd": 1}}]}
    made = scene(crowd, [SEATS], frames=720, obstacles=[BENCH])
    return made, walk_to_the_end(made)


@pytest.mark.parametrize("start", [[10.0, 5.0], [10.0, 5.5], [10.3, 5.4]])
@pytest.mark.parametrize("does", ["talk", "stand"])
def test_who_starts_where_they_stop_stays_there_and_goes_on(start: list[float], does: str) -> None:
    stop = {"place": "Chat", "do": does, "duration": {"mean": 2, "sd": 0}}
    crowd = {"agents": [{"start": start, "goal": [13, 5]}], "stops": [stop]}
    made = run(scene(crowd, [{"name": "Chat", "points": [[10.0, 5.0]]}], frames=120)).result()
    off = np.hypot(*(made.position[:, 0, :2] - start).T)
    assert off[30] < 1.2
    assert np.nanmax(off) > 2.0, "and on to the goal"


def test_people_walk_round_a_ring_and_not_through_it() -> None:
    """A stream of people meets a ring of four while it forms."""
    starts = [{"start": [5.0 + 1.2 * k, 8.0 + 0.5 * (k % 2)], "goal": [19.0, 8.0]} for k in range(4)]
    stop = {"place": "Chat", "do": "talk", "room": 4, "duration": {"mean": 30.0, "sd": 0.0}}
    ends = {"South": 0.0, "North": 15.0}
    areas = [{"name": name, "outline": [[8.5, y], [11.5, y], [11.5, y + 1], [8.5, y + 1]]} for name, y in ends.items()]
    others: dict[str, Any] = {"areas": areas, "bounds": [[0, -1], [20, -1], [20, 17], [0, 17]], "seed": 4}
    chat = scene({"agents": starts, "stops": [stop]}, [{"name": "Chat", "points": [[10.0, 8.0]]}], frames=440, **others)
    flow = Spawn("flow", rate=1.5)
    stream = Crowd("Stream", start="South", goal="North", count=14, spawn=flow, arrival="leave")
    made = run(replace(chat, crowds=(*chat.crowds, stream))).result()
    talk = made.doing[:, :4] == Doing.TALKING
    middle = np.where(talk[..., None], made.position[:, :4, :2], np.nan)[talk.sum(axis=1) > 2]
    off = made.position[talk.sum(axis=1) > 2, 4:, :2] - np.nanmean(middle, axis=1)[:, None]
    assert np.nanmin(np.hypot(off[..., 0], off[..., 1])) > 0.45


def test_each_seat_is_taken_once_at_a_time_with_the_hips_on_it(seated: tuple[Scene, Trajectories]) -> None:
    result, own = seated[1], SeatSettings()
    sits, seats = shown(result, "sit"), np.array(SEATS["points"])
    assert sits.any(axis=0).sum() >= 8
    down, up = round(own.sit_down_time * result.fps) + 1, round(own.stand_up_time * result.fps) + 1
    taken = []
    for agent in np.flatnonzero(sits.any(axis=0)):
        frames = np.flatnonzero(sits[:, agent])
        assert np.array_equal(frames, np.arange(frames[0], frames[-1] + 1))
        middle = frames[down:-up]
        off = np.hypot(*np.moveaxis(result.position[middle, agent, None, :2] - seats, -1, 0))
        seat = int(off[0].argmin())
        assert off[:, seat].max() < 0.03
        taken.append((seat, frames[0], frames[-1]))
        turned = result.heading[middle, agent] + 0.5 * np.pi
        assert np.abs(np.arctan2(np.sin(turned), np.cos(turned))).max() < np.radians(3.0)
        pace = np.hypot(*np.diff(result.position[frames, agent, :2], axis=0).T) * result.fps
        assert pace.max() < 1.0
        steps = np.diff(result.position[frames[0] - 4 : frames[-1], agent, :2], axis=0)  # from before they sit down
        assert np.abs(np.diff(steps, axis=0)).max() * result.fps**2 < 4.5  # [m/s2]
    assert len({seat for seat, _, _ in taken}) >= 7
    for seat, first, last in taken:
        assert not [1 for other, begin, end in taken if other == seat and first < begin <= last]
    assert np.array_equal(np.isfinite(result.seat_height), sits)
    assert np.nanmax(result.seat_height) == pytest.approx(0.45)


def test_who_sits_down_does_not_walk_backwards_in_the_report(seated: tuple[Scene, Trajectories]) -> None:
    scene, result = seated
    assert not [each for each in make_report(result, scene)["events"] if each["kind"] == "backwards"]


def test_who_finds_no_seat_walks_on_and_is_reported(seated: tuple[Scene, Trajectories]) -> None:
    result = seated[1]
    missing = 10 - int(shown(result, "sit").any(axis=0).sum())
    assert any(f"{missing} of 10 found no room at the stop 'Bench' and walked on" in each for each in result.notices)
    assert (result.arrived_frame > 0).all()
    assert longest_halt(result) < 5.0


@pytest.mark.parametrize("order", sweep([[1, 0, 2, 3], [3, 0, 1, 2]], usual=1))
def test_a_seat_between_two_who_sit_is_reached_from_before_it(order: list[int]) -> None:
    places = [{"name": f"Seat {k}", "points": [[9.175 + 0.55 * k, 3.0]], "headings": [-0.5 * np.pi]} for k in range(4)]
    bench = {"name": "Bench", "outline": [[8.8, 2.79], [11.2, 2.79], [11.2, 3.3], [8.8, 3.3]]}
    stops = [[{"place": f"Seat {seat}", "do": "sit", "duration": {"mean": 90}}] for seat in order]
    agents = [{"start": [0, 0], "goal": [20, -8], "enters": 2.0 * turn} for turn in range(4)]
    crowds = [
        {"name": f"Sitter {turn}", "count": 1, "agents": [agent], "stops": stop}
        for turn, (agent, stop) in enumerate(zip(agents, stops, strict=True))
    ]
    bounds = [[-5, -10], [25, -10], [25, 15], [-5, 15]]
    made = run(scene({}, places, frames=400, crowds=crowds, obstacles=[bench], bounds=bounds)).result()
    sits, speed = shown(made, "sit"), np.hypot(made.velocity[..., 0], made.velocity[..., 1])
    assert sits[-1].all()
    waits = made.present & (speed < 0.15) & (np.cumsum(sits, axis=0) == 0)
    assert waits.sum(axis=0).max() < 2.0 * made.fps


def test_a_rebake_goes_on_where_people_sit(seated: tuple[Scene, Trajectories]) -> None:
    made = replace(seated[0], frames=(1, 240))
    first = run(made, remembers=True)
    assert 0 < shown(first.result(), "sit")[-1].sum() < 8  # and others are about to
    again = run(replace(made, frames=(1, 250)), remembers=True, earlier=first)
    assert again.taken_over == 240, again.why_anew
    assert differences(again, run(replace(made, frames=(1, 250)))) == []


@pytest.mark.parametrize(
    ("awaits", "begin"),
    [
        ({"what": "frame", "frame": 250}, 250),
        ({"what": "comes", "mark": "Bus", "distance": 5.0}, 240),
        ({"what": "moves", "mark": "Bus", "distance": 5.0}, 207),
    ],
)
def test_people_wait_until_it_happens(awaits: dict[str, Any], begin: int) -> None:
    bus = {"name": "Bus", "motion": {"frames": [1, 200, 240], "x": [-20, -20, 10], "y": [5, 5, 5]}}
    made = at_stop({"do": "wait_until", "awaits": awaits}, frames=300, marks=[bus])
    waits = made.doing == Doing.WAITING_FOR_EVENT
    assert waits.any(axis=0).all()
    last = [int(made.frames[np.flatnonzero(column)[-1]]) for column in waits.T]
    assert begin <= min(last) <= max(last) <= begin + 40  # and a second, as drawn


@pytest.mark.parametrize(
    ("frames", "x", "begin"),
    [
        ([1, 20, 34], [0, 0, 1], 0),  # a door that was opened before they come, and stays open,
        ([1, 20, 34, 380, 399], [0, 0, 1, 1, 0], 0),  # shuts while they could still wait, or opens farther,
        ([1, 20, 34, 380, 399], [0, 0, 1, 1, 2], 0),
        ([1, 20, 100, 300, 399], [-50, -50, 0, 0, 50], 302),  # a bus that stands there and drives on
    ],
    ids=["open", "shuts", "opens", "bus"],
)
def test_who_comes_to_an_open_door_goes_on_and_who_comes_to_a_bus_waits_until_it_leaves(frames, x, begin) -> None:
    mark = {"name": "Mark", "motion": {"frames": frames, "x": x, "y": [6.0] * len(x)}}
    awaits = {"what": "moves", "mark": "Mark", "distance": 0.5}
    made = at_stop({"do": "wait_until", "awaits": awaits}, frames=400, count=1, marks=[mark])
    came, *_, last = made.frames[np.flatnonzero(made.doing[:, 0] == Doing.WAITING_FOR_EVENT)]
    assert came > 110
    assert begin <= last < max(begin, came) + 50


def test_who_waits_in_vain_is_reported_with_the_way_out() -> None:
    mark = {"name": "Gate", "motion": {"frames": [1], "x": [0], "y": [6]}}
    made = at_stop(
        {"do": "wait_until", "awaits": {"what": "moves", "mark": "Gate", "distance": 0.5}}, frames=300, marks=[mark]
    )
    told = [each for each in made.notices if "still wait" in each]
    assert len(told) == 1
    assert told[0].startswith("Walkers: 3 of 3 still wait at the stop 'Spot': 'Gate' has not moved by 0.5 m since they")
    assert "Raise the end frame" in told[0]


@pytest.mark.parametrize("does", ["arrives", "stops", "reacts", "passes"])
def test_people_wait_for_what_another_crowd_does(does: str) -> None:
    stop = {"place": "Spot", "do": "wait_until", "duration": {"mean": 0.5, "sd": 0.0}}
    stop["awaits"] = {"what": "crowd", "crowd": "Others", "does": does, "distance": 3.5}
    walkers = {"name": "Walkers", "agents": [{"start": [9, 3], "goal": [20, 3]}], "stops": [stop]}
    pause = {"place": "Rest", "duration": {"mean": 2.0, "sd": 0.0}}
    others = {"name": "Others", "agents": [{"start": [0, 6], "goal": [20, 6]}], "stops": [pause]}
    trigger = {"name": "Run", "when": {"what": "frame", "frames": [201]}, "then": "run", "crowds": ["Others"]}
    places = [{"name": "Spot", "points": [[10, 3]]}, {"name": "Rest", "points": [[3, 6]]}]
    result = walk_to_the_end(scene({}, places, frames=480, crowds=[walkers, others], triggers=[trigger]))
    off = np.hypot(*(result.position[:, 1, :2] - (10.0, 3.0)).T)
    begins = {
        "arrives": result.arrived_frame[1] - 1,
        "stops": (result.doing[:, 1] == Doing.AT_STOP).argmax(),
        "reacts": 200,
        "passes": (off < 3.5).argmax(),
    }
    went_on = np.flatnonzero(result.doing[:, 0] == Doing.WAITING_FOR_EVENT)[-1]
    assert begins[does] > 40
    assert went_on == pytest.approx(begins[does] + 15, abs=10)


def test_who_waits_for_their_own_crowd_to_pass_does_not_pass_themself() -> None:
    stop = {"place": "Spot", "do": "wait_until", "duration": {"mean": 0.5, "sd": 0.0}}
    stop["awaits"] = {"what": "crowd", "crowd": "Walkers", "does": "passes", "distance": 2.5}
    agents = [{"start": [8.5, y], "goal": [20, y]} for y in (2.5, 3.5)]
    walkers = {"name": "Walkers", "agents": agents, "stops": [stop]}
    spots = [{"name": "Spot", "points": [[10, 2.5], [10, 3.5]]}]
    doing = run(scene({}, spots, frames=120, crowds=[walkers])).result().doing
    assert (doing[-30:] == Doing.WAITING_FOR_EVENT).all()


@pytest.mark.parametrize(
    ("does", "mark"), sweep([("passes", "Gate"), ("stops", ""), ("passes", ""), ("arrives", "")], usual=2)
)
def test_people_wait_for_a_vehicle(does: str, mark: str) -> None:
    awaits = {"what": "crowd", "crowd": "Buses", "does": does, "distance": 6.0} | ({"mark": mark} if mark else {})
    stop = {"place": "Spot", "do": "wait_until", "duration": {"mean": 0.5, "sd": 0.0}, "awaits": awaits}
    walkers = {"name": "Walkers", "agents": [{"start": [8, 3], "goal": [12, 5]}], "stops": [stop]}
    gate = {"name": "Gate", "motion": {"frames": [1], "x": [40], "y": [0]}}
    road = {"name": "Road", "points": [[-20, 0], [60, 0]], "width": 3.5}
    buses = {"name": "Buses", "kind": "vehicle", "count": 1, "route": "Road", "avoidance": "traffic"}
    if does == "stops":
        buses["spawn"] = {"mode": "at_once"}  # who sets out has not stopped
    crowds, spot = [walkers, buses], {"name": "Spot", "points": [[10, 3]]}
    result = walk_to_the_end(scene({}, [spot], frames=420, marks=[gate], routes=[road], crowds=crowds))
    ahead = result.position[:, 1, 0] - (40.0 if mark else 10.0)
    begin = int((ahead > -10.0).argmax()) if does == "passes" else int(result.arrived_frame[1])
    went_on = np.flatnonzero(result.doing[:, 0] == Doing.WAITING_FOR_EVENT)[-1]
    assert begin > 40
    assert went_on == pytest.approx(begin + 10, abs=25)
    assert result.arrived_frame[0] > 0


def test_people_play_a_clip_and_go_back_to_where_they_came_from() -> None:
    made = at_stop({"do": "play_clip", "clip": "Dance", "then": "back"}, frames=400)
    plays = shown(made, "play_clip:Dance")
    assert plays.any(axis=0).all()
    assert (made.arrived_frame > 0).all()
    assert np.abs([made.position[made.present[:, k], k, 0][-1] for k in range(3)]).max() < 0.6
    assert made.notices == ()


def test_people_disappear_where_they_are_told_to() -> None:
    made = at_stop({"then": "leave", "activities": ["phone"]}, frames=280)
    assert not made.present[-1].any()
    assert (made.arrived_frame > 0).all()
    for agent in range(3):
        assert np.hypot(*(made.position[made.present[:, agent], agent, :2][-1] - (10, 2.5))) < 1.5
    assert time_of(made, Doing.AT_STOP).min() > 0.3
    assert not shown(made, "stand").any()


def test_neighbours_do_the_same_at_different_times() -> None:
    stop = {"activities": ["phone", "look_round", "stand"], "duration": {"mean": 30, "sd": 0}}
    made = at_stop(stop, frames=640, count=6)
    here = (made.activity > 0).all(axis=1)
    assert here.sum() > 200
    changes = np.diff(made.activity[here].astype(int), axis=0) != 0
    assert changes.any(axis=0).all()
    assert (changes.sum(axis=1) <= 2).all()  # of six people never three in one frame
