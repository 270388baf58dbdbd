# SPDX-License-Identifier: GPL-3.0-or-later
"""Roads that run together for a while: they come together, part, share a roundabout, or lie on one line."""

import numpy as np
import pytest

from core.scene import Crowd, Route, Scene, Spawn, Speed
from core.simulation.vehicles.traffic import start_traffic
from core.simulation.world.environment import Environment
from core.steering.traffic.settings import TrafficSettings
from tests.sweeps import sweep

from .test_vehicles import DT, NOBODY, circle, drive, line, overlapping

pytestmark = pytest.mark.once

STRAIGHT = line((-120, 0), (120, 0))
ON_RAMP = line((-120, -40), (-60, -20), (-20, -4), (-5, -0.5), (5, 0), (120, 0))
OFF_RAMP = ON_RAMP[::-1] * (-1, 1, 1)
APART = np.array([0.0, 400.0, 0.0])


def through_the_roundabout(quarter):
    """From outside into a ring of 18 m, along a third of it, and out."""
    turn = np.radians(np.linspace(-30, 100, 60))
    arc = np.stack((18 * np.cos(turn), 18 * np.sin(turn), 0 * turn), axis=1)
    way = np.concatenate((line((80, -28), (50, -25), (30, -22)), arc, line((-18, 30), (-22, 80))))
    cos, sin = np.cos(np.pi / 2 * quarter), np.sin(np.pi / 2 * quarter)
    return way @ np.array([[cos, sin, 0], [-sin, cos, 0], [0, 0, 1]])


PLACES = {  # name: lines of roads, the priority of the first, vehicles a second on each
    "on-ramp of equals": ((STRAIGHT, ON_RAMP), "equal", (0.3, 0.15)),
    "on-ramp of a main road": ((STRAIGHT, ON_RAMP), "main", (0.2, 0.1)),
    "off-ramp": ((STRAIGHT, OFF_RAMP), "equal", (0.3, 0.15)),
    "one line drawn twice": ((STRAIGHT, STRAIGHT), "equal", (0.15, 0.15)),
    "against each other": ((STRAIGHT, STRAIGHT[::-1]), "equal", (0.1, 0.1)),
    "roundabout": ((circle(18), *(through_the_roundabout(k) for k in range(4))), "main", (0.0, *4 * (0.08,))),
}


def crowd(name, rate):
    """Cars that come in one by one; or three that go round for ever."""
    speed = Speed(11.0, 1.0)
    if rate:
        return Crowd(name, "vehicle", 200, name, spawn=Spawn("flow", rate=rate, headway=1.0), speed=speed)
    return Crowd(name, "vehicle", 3, name, spawn=Spawn("spread"), arrival="loop", speed=speed)


@pytest.fixture(scope="module", params=sweep([65, 150], usual=1))
def seconds(request):
    """How long is driven."""
    return request.param


@pytest.fixture(scope="module")
def driven(seconds):
    """All the places at once, 400 m from each other: overlaps and who has left, by place."""
    routes, crowds, place_of = [], [], []
    for number, (place, (lines, priority, rates)) in enumerate(PLACES.items()):
        for k, (points, rate) in enumerate(zip(lines, rates, strict=True)):
            name, closed = f"{place} {k}", rate == 0.0
            rank = "equal" if k else priority
            routes.append(Route(name, points + number * APART, closed=closed, priority=rank))
            crowds.append(crowd(name, rate))
            place_of.append(number)
    scene = Scene(routes=tuple(routes), crowds=tuple(crowds))
    traffic = start_traffic(scene, Environment(scene), NOBODY, TrafficSettings())
    overlaps = []

    def look(traffic, step):
        if step % 4 == 0:
            overlaps.append(overlapping(traffic))

    drive(traffic, seconds, look)
    gone = traffic.vehicles.status == 3
    return sum(overlaps), np.bincount(np.array(place_of)[traffic.vehicles.crowd[gone]], minlength=len(PLACES)), traffic


def test_nobody_overlaps_where_roads_run_together(driven):
    overlaps, _, _ = driven
    assert overlaps == 0


@pytest.mark.parametrize(("place", "least"), list(zip(PLACES, (32, 24, 36, 28, 9, 22), strict=True)))
def test_traffic_flows_where_roads_run_together(driven, seconds, place, least):
    _, gone, _ = driven
    assert gone[list(PLACES).index(place)] >= least * (seconds - 25) / 125  # of those who have had the time


def test_nobody_waits_for_ever_to_come_onto_another_road(driven, seconds):
    _, _, traffic = driven
    assert traffic.vehicles.waited.max() < min(60.0, 0.5 * seconds)


def test_who_follows_somebody_of_another_road_keeps_a_gap():
    routes = (Route("One", STRAIGHT), Route("Other", OFF_RAMP))
    slow = Crowd("Slow", "vehicle", 1, "One", spawn=Spawn("flow", rate=1.0), speed=Speed(4.0, 0.0))
    fast = Crowd("Fast", "vehicle", 1, "Other", spawn=Spawn("flow", rate=0.4), speed=Speed(13.0, 0.0), time_headway=1.0)
    scene = Scene(routes=routes, crowds=(slow, fast))
    traffic = start_traffic(scene, Environment(scene), NOBODY, TrafficSettings())
    drive(traffic, 25.0)
    vehicles = traffic.vehicles
    assert vehicles.leader[1] == 0
    assert vehicles.speed[1] == pytest.approx(4.0, abs=0.3)
    assert 5.0 < vehicles.s[0] - vehicles.s[1] - 4.5 < 8.0
    for step in range(round(20.0 / DT)):
        traffic.advance(25.0 + step * DT, DT, NOBODY)
    assert vehicles.speed[1] > 8.0 or vehicles.status[1] == 3


@pytest.mark.thorough
def test_nobody_brakes_hard_where_roads_come_together():
    lines, _, rates = PLACES["on-ramp of a main road"]
    names = ("Main", "Ramp")
    routes = tuple(Route(n, line, priority=p) for n, line, p in zip(names, lines, ("main", "equal"), strict=True))
    crowds = tuple(crowd(name, rate) for name, rate in zip(names, rates, strict=True))
    scene = Scene(routes=routes, crowds=crowds)
    traffic = start_traffic(scene, Environment(scene), NOBODY, TrafficSettings())
    vehicles, hardest = traffic.vehicles, []
    drive(traffic, 60.0, lambda *_: hardest.append(vehicles.acceleration[vehicles.present].min(initial=0.0)))
    assert -3.5 < min(hardest) < -1.0


@pytest.mark.thorough
def test_vehicles_that_are_spread_over_two_roads_on_one_line_stand_apart():
    ring = circle(40)
    routes = (Route("One", ring, closed=True), Route("Other", ring[::2].copy(), closed=True))
    crowds = tuple(
        Crowd(name, "vehicle", 12, name, spawn=Spawn("spread"), arrival="loop", speed=Speed(11.0, 1.0))
        for name in ("One", "Other")
    )
    scene = Scene(routes=routes, crowds=crowds)
    traffic = start_traffic(scene, Environment(scene), NOBODY, TrafficSettings())
    assert overlapping(traffic) == 0
    seen = []
    drive(traffic, 30.0, lambda traffic, _: seen.append(overlapping(traffic)))
    assert sum(seen) == 0
    assert traffic.vehicles.speed.min() > 1.0


def half_round(quarter, keep_left):
    """From the middle of an arm into a ring of 14 m, half round it, and out on the other side."""
    turn = np.radians(np.linspace(22, 158, 16))
    arc = np.stack((14 * np.cos(turn), 14 * np.sin(turn), 0 * turn), axis=1)
    way = np.concatenate((line((60, 1.75), (30, 1.75), (24, 1.75)), arc, line((-24, 1.75), (-30, 1.75), (-60, 1.75))))
    cos, sin = np.cos(np.pi / 2 * quarter), np.sin(np.pi / 2 * quarter)
    return way @ np.array([[cos, sin, 0], [-sin, cos, 0], [0, 0, 1]]) * (1, -1 if keep_left else 1, 1)


@pytest.mark.parametrize("keep_left", [False, True])
def test_who_goes_round_a_roundabout_goes_first_and_the_ring_never_fills_up(keep_left):
    routes = tuple(Route(f"Arm {k}", half_round(k, keep_left)) for k in range(4))
    flow = Spawn("flow", rate=0.15, headway=2.0)
    crowds = tuple(Crowd(f"Cars {k}", "vehicle", 6, f"Arm {k}", spawn=flow, speed=Speed(9.0, 0.5)) for k in range(4))
    bus = {"length": 12.0, "width": 2.5, "turning_radius": 10.0, "speed": Speed(8.0, 0.0)}
    crowds += (Crowd("Bus", "vehicle", 1, "Arm 1", spawn=flow, **bus),)
    scene = Scene(routes=routes, crowds=crowds, keep_left=keep_left)
    traffic = start_traffic(scene, Environment(scene), NOBODY, TrafficSettings())
    stood, overlaps = [], []

    def look(traffic, step):
        there = traffic.vehicles.present & (traffic.vehicles.speed < 0.2)
        place, _ = traffic.vehicles.poses(np.arange(len(traffic)), traffic.roads)
        stood.append(there & (np.hypot(place[:, 0], place[:, 1]) < 15.0))
        if step % 10 == 0:
            overlaps.append(overlapping(traffic))

    drive(traffic, 80.0, look)
    assert np.array(stood).sum(axis=0).max() * DT < 3.0  # nobody stands on the ring, but for who comes in before them
    assert np.count_nonzero(traffic.vehicles.status == 3) >= 23
    assert sum(overlaps) == 0


def crossings_of(*routes):
    """The crossings of roads with one car each."""
    crowds = tuple(Crowd(each.name, "vehicle", 1, each.name) for each in routes)
    scene = Scene(routes=routes, crowds=crowds)
    return start_traffic(scene, Environment(scene), NOBODY, TrafficSettings()).crossings


@pytest.mark.parametrize(("priority", "on_ring"), [("equal", 4), ("stop", 4), ("main", 3)])
def test_to_a_main_road_a_ring_gives_way_where_it_comes_in(priority, on_ring):
    routes = (Route(f"Arm {k}", half_round(k, False), priority="equal" if k else priority) for k in range(4))
    assert crossings_of(*routes).stretches.circulates.sum() == on_ring


def test_a_tram_that_runs_across_a_ring_is_a_crossing_like_any_other():
    tram = Route("Tram", line((-80, -60), (80, 60)))
    found = crossings_of(*(Route(f"Arm {k}", half_round(k, False)) for k in range(4)), tram)
    on_tram = np.flatnonzero(found.stretches.lane == 4)
    across = np.concatenate([found.against(int(number)) for number in on_tram])
    assert len(across) >= 4
    assert not found.stretches.circulates[[*on_tram, *across]].any()
    assert found.stretches.circulates.any()


BEND = circle(9.0)[:64] - (7.25, 7.25, 0)
TURNING_LEFT = np.concatenate((line((1.75, -60), (1.75, -10)), BEND, line((-9, 1.75), (-60, 1.75))))


def winding(*bends):
    """A line that goes 40 m, and then round bends of an angle [rad] and a radius [m] each, and on for 40 m."""
    steps, turns = [np.ones(40)], [np.zeros(40)]
    for angle, radius in bends:
        count = max(round(abs(angle) * radius), 2)
        steps.append(np.full(count, abs(angle) * radius / count))
        turns.append(np.full(count, angle / count))
    heading = np.cumsum(np.concatenate((*turns, np.zeros(40))))
    run = np.concatenate((*steps, np.ones(40)))
    places = np.cumsum(run[:, None] * np.stack((np.cos(heading), np.sin(heading)), axis=1), axis=0)
    return np.column_stack((places, np.zeros(len(places))))


BENDING = winding((-0.2, 40.0), (1.2, 40.0))  # to the kerb's side, and then to the other
FROM_THE_SIDE = np.array([[-8.0, -40.0, 0.0], [-6.0, -14.0, 0.0], [-2.5, -4.0, 0.0]])
SIDE_STREET = np.concatenate((FROM_THE_SIDE + BENDING[74], BENDING[76:]))


@pytest.mark.parametrize(
    "lines",
    [(STRAIGHT, ON_RAMP), (STRAIGHT, OFF_RAMP), (line((60, 1.75), (-60, 1.75)), TURNING_LEFT), (BENDING, SIDE_STREET)],
)
def test_where_roads_only_come_together_nobody_goes_round(lines):
    found = crossings_of(*(Route(f"Road {k}", points) for k, points in enumerate(lines)))
    assert not found.stretches.circulates.any()
