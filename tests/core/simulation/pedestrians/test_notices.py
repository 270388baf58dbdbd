# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user is told when something did not come about."""

import re
from dataclasses import replace

import numpy as np
import pytest

from core.geometry.segments import nearest_on_segments
from core.scene import Area, Crowd, Motion, Obstacle, Place, Route, Scene, Spawn, Speed, Stop, StopDuration
from core.scene.basics.clock import Clock
from core.simulation import Simulation, simulate
from core.simulation.pedestrians.notices import report_few_frames
from core.simulation.settings import SimulationSettings
from core.simulation.world.agents import STOPPED, WALKING
from core.simulation.world.doing import Decisions
from core.simulation.world.recording import Recording
from core.trajectories import Trajectories
from tests.sweeps import sweep

from ..runs import box

pytestmark = pytest.mark.once

ROAD = Route("Road", np.array([[0.0, 0, 0], [20, 0, 0]]), width=3.0)


def test_a_blocked_entry_is_reported():
    box = Obstacle("Box", np.array([[-1.0, -3], [1, -3], [1, 3], [-1, 3]]))
    crowd = Crowd("Walkers", count=8, route="Road", spawn=Spawn("flow", rate=2.0))
    made = simulate(Scene(frames=(1, 150), routes=(ROAD,), obstacles=(box,), crowds=(crowd,)))
    assert not made.present.any()
    assert "Walkers: 8 of 8 could not enter: there is no room at the start." in made.notices


def test_who_has_arrived_where_others_enter_is_named():
    """Those of the other crowd who stand elsewhere, or still walk, are not."""
    back = Route("Back", ROAD.points[::-1], width=3.0)
    east = Crowd("East", count=6, route="Road", spawn=Spawn("spread"))
    west = Crowd("West", count=8, route="Back", spawn=Spawn("flow", rate=0.5))
    made = simulate(Scene(frames=(1, 500), routes=(ROAD, back), crowds=(east, west)))
    told = " ".join(made.notices)
    assert re.search(r"West: [1-8] of 8 could not enter", told)
    assert re.search(r"East: ([2-6]) of 6 have arrived and stand where 'West' enters. Let them leave", told)
    assert "of 8 have arrived and stand" not in told
    leaving = replace(east, arrival="leave")
    made = simulate(Scene(frames=(1, 500), routes=(ROAD, back), crowds=(leaving, west)))
    assert not [each for each in made.notices if "enter" in each]


def test_a_line_is_walked_within_65_cm_or_its_notice_says_that_it_cannot_be():
    """A circle of half a metre and sharp turns are walked; a loop of narrow teeth is not."""
    angle = 2.0 * np.pi * np.arange(32) / 32
    circle = np.stack((0.5 * np.cos(angle), 0.5 * np.sin(angle)), axis=1)
    zigzag = np.stack((0.7 * np.arange(8), 1.2 * (np.arange(8) % 2)), axis=1)
    teeth = np.stack((0.02 * np.arange(23), 3.0 * (np.arange(23) % 2)), axis=1)
    for points, closed, walked in ((circle, True, True), (zigzag, False, True), (teeth, True, False)):
        line = np.concatenate((points, np.zeros((len(points), 1))), axis=1)
        route = Route("Scribble", line, closed=closed, width=0.4)
        made = simulate(Scene(frames=(1, 120), routes=(route,), crowds=(Crowd("Alone", count=1, route="Scribble"),)))
        drawn = np.concatenate((points, points[:1])) if closed else points
        away = nearest_on_segments(made.position[made.present][:, :2], drawn[:-1], drawn[1:])[0]
        assert walked != any("'Scribble' turns too sharply to be walked" in notice for notice in made.notices)
        assert away.max() < 0.65 or not walked


def test_a_route_that_begins_inside_an_obstacle_is_reported_with_its_name_and_the_remedy():
    box = Obstacle("Box", np.array([[-1.0, -3], [1, -3], [1, 3], [-1, 3]]))
    court = Obstacle(
        "Court",
        np.array([[-6.0, -6], [40, -6], [40, 6], [-6, 6]]),
        holes=(np.array([[-5.0, -5], [39, -5], [39, 5], [-5, 5]]),),
    )
    flow, stand = (Crowd("Walkers", count=2, route="Road", spawn=spawn) for spawn in (Spawn("flow"), Spawn()))
    told = [
        simulate(Scene(frames=(1, 2), routes=(ROAD,), obstacles=obstacles, crowds=(crowd,))).notices
        for obstacles, crowd in (((court, box), flow), ((court, box), stand), ((court,), stand))
    ]
    assert any(
        notice.startswith("Walkers: 'Road' begins inside 'Box', so nobody can enter. Move the first point out")
        for notice in told[0]
    )
    place = next(notice for notice in told[1] if "begins inside 'Box': they start" in notice)
    assert 1.2 < float(place.split("they start ")[1].split(" m")[0]) < 2.5
    assert not any("begins inside" in notice for notice in told[2])


def test_lanes_that_are_driven_more_slowly_than_preferred_are_reported_with_the_place():
    corner = np.array([[0.0, 0, 0], [60, 0, 0], [60, 60, 0]])
    told = []
    for speed in (14.0, 2.0):
        cars = Crowd(
            "Cars", kind="vehicle", count=2, route="Street", speed=Speed(speed, 0.0), spawn=Spawn("flow", rate=0.5)
        )
        route = Route("Street", corner, width=8.0, lanes=1)
        told.append(simulate(Scene(frames=(1, 2), routes=(route,), crowds=(cars,))).notices)
    slowed = next(notice for notice in told[0] if "slowed by" in notice)
    found = re.fullmatch(
        r"Cars: slowed by bends of 'Street', most at \((.+), (.+)\): from 14.00 to (.+) m/s. Draw wider bends.", slowed
    )
    assert found
    x, y, slowest = (float(part) for part in found.groups())
    assert np.hypot(x - 60.0, y) < 8.0
    assert 2.5 < slowest < 9.0
    assert not any("slowed by" in notice for notice in told[1])


def after(walking: Simulation, frame: int) -> Trajectories:
    """What has been made at a frame of a simulation under way."""
    while not walking.done and walking.frame < frame:
        walking.step()
    return walking.result()


def until_all_are_there(walking: Simulation) -> Trajectories:
    """What has been made when nobody is on the way any more, or at the last frame."""
    while not walking.done and np.isin(walking.agents.status, (WALKING, STOPPED)).any():
        walking.step()
    return walking.result()


def frames_told(notices) -> tuple[int, int]:
    """The least frame that a notice tells of, and that at the pace so far."""
    (told,) = [notice for notice in notices if "not arrived at frame" in notice]
    at_this_pace = re.search(r"about frame (\d+)", told)
    held_up = re.search(r"at least until frame (\d+), about frame \d+ at the pace so far, \d+% of their", told)
    assert at_this_pace
    return int((held_up or at_this_pace)[1]), int(at_this_pace[1])


def test_a_crowd_that_waits_for_each_other_is_reported_with_the_frame_it_needs_at_its_pace():
    route = Route("Road", np.array([[0.0, 0, 0], [16, 0, 0]]), width=3.0)
    posts = tuple(Obstacle("Post", box(10.0, y, 0.3, 4.0)) for y in (-4.35, 4.35))  # 0.7 m between them
    crowd = Crowd("Walkers", count=18, route="Road")
    walking = Simulation(Scene(frames=(1, 1000), routes=(route,), obstacles=posts, crowds=(crowd,)))
    least, about = frames_told(after(walking, 120).notices)
    later = after(walking, least)
    assert int(np.count_nonzero(later.arrived_frame < 0)) > 9  # each alone would be there
    assert about > 1.2 * least


@pytest.mark.parametrize("opens", sweep([200, 400], usual=1))
def test_waiting_at_a_door_is_included_in_the_reported_frame(opens: int):
    shut = Motion(np.array([1.0, opens, opens + 20]), np.full(3, 10.0), np.array([0.0, 0, 9]), np.zeros(3))
    door = Obstacle("Door", box(0.0, 0.0, 0.2, 4.0), motion=shut)
    walls = tuple(Obstacle("Wall", box(10.0, y, 0.2, 6.0)) for y in (-10.0, 10.0))
    route = Route("Road", np.array([[0.0, 0, 0], [25, 0, 0]]), width=3.0)
    crowd = Crowd("Walkers", count=6, route="Road", speed=Speed(1.3, 0.0))
    walking = Simulation(Scene(frames=(1, 1300), routes=(route,), obstacles=(door, *walls), crowds=(crowd,)))
    least, about = frames_told(after(walking, opens - 5).notices)
    whole = until_all_are_there(walking).arrived_frame
    assert least < whole.max()
    assert about > least
    assert abs(about - whole.max()) < 0.15 * whole.max()


def test_a_flow_that_outlasts_the_frames_is_reported():
    crowd = Crowd("Walkers", count=200, route="Road", spawn=Spawn("flow", rate=1.0))
    made = simulate(Scene(frames=(1, 49), routes=(ROAD,), crowds=(crowd,)))
    waiting = 200 - int(made.present.any(axis=0).sum())
    assert any("of 200 have not entered by the last frame" in notice for notice in made.notices)
    assert waiting > 190


@pytest.mark.parametrize(("kind", "count", "length"), [("pedestrian", 3, 10.0), ("vehicle", 1, 14.5)])
def test_too_few_frames_for_the_route_are_reported_with_about_how_many_are_needed(kind: str, count: int, length: float):
    """Cars have ten metres ahead of them, too: they stop with their fronts at the end of the road."""
    short = Route("Road", np.array([[0.0, 0, 0], [length, 0, 0]]), width=3.0)
    crowd = Crowd("Walkers", kind=kind, count=count, route="Road", speed=Speed(1.0, 0.0))

    def run(last: int) -> tuple[np.ndarray, list[str]]:
        made = simulate(Scene(frames=(11, last), routes=(short,), crowds=(crowd,)))
        return made.arrived_frame, [told for told in made.notices if "not arrived at frame" in told]

    arrived, (told,) = run(70)
    assert (arrived < 0).all()
    assert told.startswith(f"{crowd.name}: {crowd.count} of {crowd.count} have not arrived at frame 70; the last ")
    least, about = frames_told([told])  # they have just set out
    assert 11 + 24 * 7 < least <= about < 11 + 24 * 18
    _, (later,) = run(150)
    needed, _ = frames_told([later])
    assert "the last needs at least until " in later
    assert abs(needed - least) < 36
    arrived, told_of_enough = run(max(about, needed) + 36)
    assert told_of_enough == []
    assert arrived.min() > 0
    assert arrived.max() <= min(about, needed) + 36


@pytest.mark.parametrize(
    ("frame", "then"),
    sweep(
        [
            *((60, "on"), (300, "leave"), (760, "back")),
            *((60, "leave"), (60, "back"), (300, "on"), (300, "back"), (760, "on"), (760, "leave")),
        ],
        usual=3,
    ),
)
def test_time_at_a_stop_is_no_slow_progress_and_part_of_the_frames_needed_until_it_is_done(frame: int, then: str):
    """Before the stop, at it, and on the way after it."""
    route = Route("Road", np.array([[0.0, 0, 0], [30, 0, 0]]), width=3.0)
    bench = Stop("Bench", duration=StopDuration(20.0, 0.0), then=then)
    crowd = Crowd("Walkers", count=1, route="Road", speed=Speed(1.3, 0.0), stops=(bench,))
    scene = Scene(frames=(1, 1300), routes=(route,), crowds=(crowd,), places=(Place("Bench", np.array([[8.0, 2.0]])),))
    walking = Simulation(scene)
    told = after(walking, frame).notices
    needed = int(until_all_are_there(walking).arrived_frame.max())
    assert needed > 0, "somebody who never arrives is reported"
    if needed <= frame:
        assert told == ()  # gone
        return
    least, about = frames_told(told)
    assert least == pytest.approx(needed, rel=0.06)
    assert frame < 760 or about == pytest.approx(needed, rel=0.04)


def test_more_frames_are_not_asked_for_where_a_wall_blocks_the_path_of_some():
    long = Route("Road", np.array([[0.0, 0, 0], [90, 0, 0]]), width=3.0)
    wall = Obstacle("Long", np.array([[9.0, -50], [9.5, -50], [9.5, 50], [9, 50]]))
    crowd = Crowd("Walkers", count=12, route="Road", speed=Speed(1.3, 0.0))
    made = simulate(Scene(frames=(1, 200), routes=(long,), obstacles=(wall,), crowds=(crowd,)))
    stand = next(told for told in made.notices if "stand still because" in told)
    assert not stand.startswith("Walkers: 12 of 12")  # others wait behind them
    (told,) = [told for told in made.notices if "not arrived at frame" in told]
    assert told.endswith(" of 12 have not arrived at frame 200, not counting those who are blocked.")
    assert accounted(made, 12) == 12


def accounted(made: Trajectories, count: int) -> int:
    """How many have arrived or are told of as not; who waits is on the way."""
    told = [re.match(rf"Walkers: (\d+) of {count} (?!wait for an obstacle)", notice) for notice in made.notices]
    return int((made.arrived_frame >= 0).sum()) + sum(int(found[1]) for found in told if found)


@pytest.mark.parametrize(
    ("count", "spawn", "groups", "last"),
    sweep(
        [
            (15, Spawn("flow", rate=1.0), (1, 1), 120),  # nobody arrives
            (12, Spawn(), (1, 1), 480),  # most are there
            (15, Spawn("flow", rate=1.0), (1, 1), 560),  # some do, and some have not come in
            (15, Spawn("flow", rate=1.0), (1, 1), 700),
            (21, Spawn("flow", rate=1.5), (3, 3), 600),
        ],
        usual=2,
    ),
)
def test_all_who_have_not_arrived_are_reported(count: int, spawn: Spawn, groups: tuple[int, int], last: int):
    crowd = Crowd("Walkers", count=count, route="Road", spawn=spawn, speed=Speed(1.0, 0.15), groups=groups)
    made = simulate(Scene(frames=(1, last), routes=(ROAD,), crowds=(crowd,)))
    assert accounted(made, count) == count
    (told,) = [told for told in made.notices if "not arrived at frame" in told]
    few = 2 * int(told.split()[1]) <= count
    assert told.endswith(("raise the end frame.", "or shorten the path.")) != few
    assert int(told.split("about frame ")[1].split(" ")[0].rstrip(".")) > last


def test_who_waits_for_something_to_open_is_said_to_be_among_those_on_the_way():
    scene = Scene(frames=(1, 24), routes=(ROAD,), crowds=(Crowd("Walkers", count=2, route="Road"),))
    made = Recording(Clock(1, 24, 24.0), 2)
    nobody, decisions = np.zeros(2, dtype=bool), Decisions.none(2)
    for _ in range(24):
        made.note(np.ones(2, dtype=bool), np.zeros((2, 3)), np.zeros(2), np.zeros((2, 2)), nobody, decisions)
    cars = (replace(scene.crowds[0], kind="vehicle"),)
    for waits, crowds, said, remedy in (
        (True, scene.crowds, ", including those who wait; they have", "Give them more room, or raise the end frame."),
        (False, scene.crowds, "; they have", ". Give them more room."),
        (False, cars, "; they have", "shorten the road."),
    ):
        (told,) = report_few_frames(
            crowds,
            made,
            np.zeros(2, dtype=np.int64),
            time_ahead=np.full(2, 20.0),
            wanted_speed=np.ones(2),
            waits=np.array([False, waits]),
            refused=(),
            settings=SimulationSettings().pedestrians.notices,
        )
        assert told.startswith(f"Walkers: 2 of 2 have not arrived at frame 24{said} hardly advanced")
        assert told.endswith(remedy)


@pytest.mark.parametrize(
    ("passage", "remedy"),
    [
        (False, ". Raise the end frame, or shorten the path."),
        (True, ". Give them more room, or raise the end frame."),
    ],
)
@pytest.mark.thorough
def test_more_frames_are_the_remedy_of_the_unhindered_and_more_room_of_the_hindered(passage: bool, remedy: str):
    road = Route("Road", np.array([[0.0, 0, 0], [14 if passage else 40, 0, 0]]), width=8.0)
    sides = [Obstacle("Wall", box(9.25, sign * 20.5, 0.25, 20.0)) for sign in (-1, 1)] if passage else []
    crowd = Crowd("Walkers", count=60 if passage else 6, route="Road")
    # Whoever is stopped right before a wall at the last frame has a notice of their own: nobody is with this seed.
    made = simulate(Scene(seed=2, frames=(1, 400), routes=(road,), obstacles=tuple(sides), crowds=(crowd,)))
    (told,) = [told for told in made.notices if "not arrived at frame" in told]
    assert told.endswith(remedy)


def test_of_those_who_go_round_for_ever_nobody_is_said_to_be_on_the_way():
    ring = Route("Ring", np.array([[0.0, 0, 0], [12, 0, 0], [12, 12, 0], [0, 12, 0]]), closed=True)
    crowd = Crowd("Walkers", count=4, route="Ring", arrival="loop", spawn=Spawn("spread"))
    made = simulate(Scene(frames=(1, 60), routes=(ring,), crowds=(crowd,)))
    assert (made.arrived_frame < 0).all()
    assert not any("not arrived at frame" in told for told in made.notices)


@pytest.mark.parametrize(("middle", "open_there"), [(3.0, True), (60.0, False)])
def test_a_route_that_is_short_and_free_is_not_reported_as_too_long(middle: float, open_there: bool):
    """Somebody who is to join a road where it ends, past a wall that reaches from far below to 3 or 60 m."""
    wall = Obstacle("Gate", np.array([[9.5, -60.0], [10.0, -60.0], [10.0, middle], [9.5, middle]]))
    crowd = Crowd("Walkers", count=2, route="Road", radius=(0.24, 0.24))
    simulation = Simulation(Scene(frames=(1, 3), routes=(ROAD,), obstacles=(wall,), crowds=(crowd,)))
    walkers = simulation._pedestrians
    agents, references, detours = walkers.agents, walkers._guidance.references, walkers._guidance.detours
    still = simulation._environment.still_at(0.0)
    agents.position[0] = 8.8, 0.0
    detours.on_detour[0], detours._home_path[0], detours._rejoin_at[0], detours._unfinished[0] = True, 0, 20.0, 3
    detours._home_end[0] = references.lengths[0]
    detours._retry_time[0] = 1.0
    detours.without_detour[0] = True
    assert still.corridors is not None
    detours._find_reason(agents, 0, references, still.corridors)
    (told,) = [each for each in simulation.result().notices if each.startswith("Walkers: 1 of 2") and "'Gate'" in each]
    reason = simulation.refused[0]
    if open_there:
        length = detours.free_length[0]
        assert 11.0 < length < 15.0
        assert (
            f"are stopped before 'Gate' at (9.5, 0.0) at the last frame: there is a free route of {length:.0f} m"
            in told
        )
        assert reason.startswith("Stopped before 'Gate'")
        assert "longer than" not in told + reason
    else:
        assert "stand still because their path is blocked. The obstacle is 'Gate'" in told
        assert "longer than people on a path take" in reason


def test_the_frame_that_people_need_is_that_of_the_route_which_an_opened_door_makes_shorter():
    opens = Motion(np.array([1.0, 60, 70]), np.full(3, 8.0), np.array([0.0, 0, 9]), np.zeros(3))
    door = Obstacle("Door", box(0.0, 0.0, 0.1, 0.7), motion=opens)
    walls = tuple(Obstacle("Wall", box(8.0, y, 0.1, 10.0)) for y in (-10.7, 10.7))
    bounds = np.array([[-2.0, -24], [18, -24], [18, 24], [-2, 24]])
    crowd = Crowd("Walkers", count=3, start="In", goal="Out", speed=Speed(1.3, 0.0))
    areas = tuple(
        Area(name, np.array([[x, -1.0], [x + 1, -1], [x + 1, 1], [x, 1]])) for name, x in (("In", 0), ("Out", 15))
    )
    scene = Scene(frames=(1, 700), bounds=bounds, obstacles=(door, *walls), areas=areas, crowds=(crowd,))
    walking = Simulation(scene)
    _, about = frames_told(after(walking, 160).notices)
    last = int(until_all_are_there(walking).arrived_frame.max())
    assert last > 160
    assert abs(about - last) < 0.2 * last
