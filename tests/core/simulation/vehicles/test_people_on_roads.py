# SPDX-License-Identifier: GPL-3.0-or-later
"""How vehicles drive where people come to cross the road, on marked crossings and elsewhere."""

import numpy as np
import pytest

from core import simulate
from core.scene import Agent, Area, Crowd, Obstacle, Route, Scene, Speed
from core.simulation.vehicles.crosswalks import Occupied
from core.simulation.world.agents import PeopleOnFoot
from core.steering.traffic.settings import TrafficSettings
from tests.sweeps import sweep

from .test_vehicles import DT, box, cars, drive, flow, line, start

pytestmark = pytest.mark.once

ZEBRA = (Area("Zebra", box(148.0, -3.0, 152.0, 3.0)),)


@pytest.mark.parametrize(
    ("seed", "marked"), sweep([(11, True), (11, False), (4, True), (4, False), (6, True), (6, False)], usual=2)
)
def test_nobody_brakes_in_alarm_for_people_who_come_to_cross_the_road(seed, marked):
    """As hard as 8 m/s2, though 3.2 was enough: taken for an obstacle that nobody saw before."""
    routes = (
        Route("Road", line((-85, 0), (85, 0)), two_way=True),
        Route("North", line((0.5, -12), (0.5, 12)), width=1.4),
        Route("South", line((-0.5, 12), (-0.5, -12)), width=1.4),
    )
    people = [Crowd(f"To {way}", count=3, route=way, spawn=flow(0.15), arrival="leave") for way in ("North", "South")]
    crowds = (cars(count=16, spawn=flow(0.5), speed=Speed(11.0, 1.0)), *people)
    zebra = (Area("Zebra", box(-1.5, -3.6, 1.5, 3.6)),)
    made = simulate(Scene(frames=(1, 400), routes=routes, crossings=zebra if marked else (), crowds=crowds, seed=seed))
    speed = np.linalg.norm(made.velocity[:, :16, :2], axis=2)
    braking = np.where(speed[:-1] > 1.0, -np.diff(speed, axis=0) * made.fps, 0.0)
    assert 1.0 < np.nanmax(braking) < 4.5
    assert (made.doing[:, :16] == made.doing_names.index("stopping for people")).any()


def test_nobody_comes_to_stand_on_a_marked_crossing_in_a_queue():
    """The first waits behind a wall, the second before it or behind the crossing, where it has no room beyond."""
    wall = Obstacle("Wall", box(166, -4, 168, 4))
    road = (Route("Road", line((0, 0), (200, 0))),)
    crowd = cars(count=6, spawn=flow(0.5), speed=Speed(11.0, 1.0))
    traffic, stood = start(road, (crowd,), crossings=ZEBRA, obstacles=(wall,)), 0

    def look(traffic, _):
        nonlocal stood
        vehicles = traffic.vehicles
        front, rear = vehicles.s + 0.5 * vehicles.length, vehicles.s - 0.5 * vehicles.length
        stood += int((vehicles.present & (vehicles.speed < 0.05) & (front > 148.0) & (rear < 152.0)).sum())

    drive(traffic, 45.0, look)
    fronts = np.sort(traffic.vehicles.s[traffic.vehicles.speed == 0.0] + 2.25)[::-1]
    assert len(fronts) == 6
    assert (fronts[:2] > 154.0).all()
    assert 145.0 < fronts[2] <= 148.0
    assert stood == 0


def pass_a_person(speed, front, at, comes_in, crossings):
    """Return the speed of a car at each step, while somebody walks onto its lane who comes to it after so long [s]."""
    traffic = start((Route("Road", line((0, 0), (300, 0))),), (cars(speed=Speed(15.8, 0.0)),), crossings=crossings)
    vehicles, walks, speeds = traffic.vehicles, 1.4, []
    vehicles.s[0], vehicles.speed[0] = front - 2.25, speed
    for step in range(round((comes_in + 3.0) / DT)):
        y = -1.45 - walks * (comes_in - step * DT)
        somebody = PeopleOnFoot(np.array([[at, y]]), np.array([[0.0, walks]]), np.array([0.25]), np.zeros(1))
        speeds.append(float(vehicles.speed[0]))
        traffic.advance(step * DT, DT, somebody)
    return np.array(speeds)


@pytest.mark.parametrize("crossings", [ZEBRA, ()])
def test_who_is_past_before_somebody_steps_onto_the_lane_does_not_brake(crossings):
    speeds = pass_a_person(15.8, 128.0, 150.0, 2.3, crossings)
    assert speeds.min() > 15.5


@pytest.mark.parametrize("comes_in", sweep([3.4, 3.0, 3.8, 4.2, 4.6], usual=2))
@pytest.mark.parametrize("crossings", [ZEBRA, ()])
def test_who_waits_for_people_does_not_creep_and_stop_hard(comes_in, crossings):
    speeds = pass_a_person(0.0, 147.0, 150.0, comes_in, crossings)
    assert np.diff(speeds).min() / DT > -2.5


def speed_after_a_step(front, speed, comes_in, *, length=4.5, at=150.0, walks=1.3):
    """Of a vehicle, when somebody comes to the edge of where it drives after so long [m/s]."""
    routes = (Route("Road", line((0, 0), (300, 0))),)
    traffic = start(routes, (cars(length=length, speed=Speed(max(speed, 8.0), 0.0)),))
    traffic.vehicles.s[0], traffic.vehicles.speed[0] = front - 0.5 * length, speed
    traffic.advance(0.0, DT, people_at((at, -0.9 - 0.3 - 0.25 - walks * comes_in, walks)))
    return traffic.vehicles.speed[0]


@pytest.mark.parametrize(("comes_in", "starts"), [(1.0, False), (3.0, False), (3.5, True)])
@pytest.mark.parametrize("length", [4.5, 12.0])
def test_whoever_comes_a_second_after_the_front_lets_long_vehicles_pass_too(length, comes_in, starts):
    """From rest the front is there after 1.7 s, give or take 0.5 s; a bus is past only after 4.9 s."""
    assert (speed_after_a_step(148.0, 0.0, comes_in, length=length, walks=0.7) > 0.0) is np.bool_(starts)


@pytest.mark.parametrize(("comes_in", "brakes"), [(0.5, True), (3.0, True), (5.0, False)])
def test_drivers_brake_in_time_for_people_who_are_not_on_the_lane_yet(comes_in, brakes):
    """At 12 m/s it is there after 2.6 s, give or take 0.8 s."""
    after = speed_after_a_step(114.0, 12.0, comes_in, walks=1.3 if comes_in > 1.0 else 0.1)
    assert (after < 12.0 - 0.8 * DT) is np.bool_(brakes)


def test_a_vehicle_whose_front_is_in_the_line_of_people_clears_it():
    """Somebody comes to its flank in half a second; standing there, it would be in everybody's way."""
    traffic = start((Route("Road", line((0, 0), (300, 0))),), (cars(length=12.0),))
    vehicles = traffic.vehicles
    vehicles.s[0], vehicles.speed[0] = 144.0, 2.0
    comes = PeopleOnFoot(np.array([[149.7, -2.1]]), np.array([[0.0, 1.3]]), np.array([0.25]), np.zeros(1))
    traffic.advance(0.0, DT, comes)
    assert vehicles.speed[0] > 2.0


def people_at(*rows):
    """People from rows of x, y and the velocity across the road."""
    table = np.array(rows, dtype=float)
    velocity = np.stack((np.zeros(len(table)), table[:, 2]), axis=1)
    return PeopleOnFoot(table[:, :2], velocity, np.full(len(table), 0.25), np.zeros(len(table)))


def crossed_both_ways():
    """A road of one lane each way, 3.5 m wide; lane 0 is the southern one. The crossing goes from kerb to kerb."""
    zebra = (Area("Zebra", box(148.0, -3.5, 152.0, 3.5)),)
    routes = (Route("Road", line((0, 0), (300, 0)), two_way=True),)
    return start(routes, (cars(count=2),), crossings=zebra)


@pytest.mark.parametrize(
    ("y", "walks", "south", "north"),
    [
        (-1.75, 1.0, (0.0, 2.0), (1.5, 5.5)),  # in the middle of the southern lane, towards the other one
        (-1.75, -1.0, (0.0, 2.0), None),  # walks off the road: nobody has to wait in the other lane
        (1.75, 1.0, None, (0.0, 2.0)),  # on the far half, and away from the southern lane
        (1.75, -1.0, (1.5, 5.5), (0.0, 2.0)),
        (-1.75, 0.0, (0.0, np.inf), (0.0, np.inf)),  # stands, and waits to go on
        (-6.2, 1.0, (2.45, 6.45), (5.95, 9.95)),  # will be on the crossing within 3 s, and in the lanes within 6
        (-2.25, -1.0, (0.0, 1.5), None),  # almost off the road
        (-5.5, 0.8, (2.19, 7.19), None),  # in the other lane only after 6.6 s
        (-6.8, 1.0, None, None),
        (-6.8, 1.2, (2.54, 5.88), (5.46, 8.79)),
    ],
)
def test_people_on_a_crossing_are_on_each_lane_from_when_until_when(y, walks, south, north):
    traffic = crossed_both_ways()
    walks_there = traffic.crosswalks.occupied(people_at((150.0, y, walks)))
    for direction, expected in ((1.0, south), (-1.0, north)):
        lane = [traffic.roads.paths.heading(traffic.crosswalks.lane[[k]], np.ones(1))[0][0] for k in walks_there.number]
        rows = np.flatnonzero(np.cos(lane) * direction > 0.0)
        found = [(walks_there.start[k], walks_there.end[k]) for k in rows]
        assert found == ([] if expected is None else [pytest.approx(expected, abs=0.02)])


@pytest.mark.parametrize(
    ("speed", "distance", "times", "stops_in"),
    [
        (10.0, 40.0, (0.0, 9.0), 39.0),  # a metre before the crossing
        (10.0, 40.0, (0.0, 2.2), None),  # has left it before the car comes
        (10.0, 40.0, (0.0, 2.5), 39.0),  # or just so
        (10.0, 40.0, (5.1, 9.0), None),  # comes when the car is past
        (10.0, 40.0, (4.8, 9.0), 39.0),
        (10.0, 9.0, (0.0, 9.0), None),  # too late to stop
        (1.0, 1.1, (0.0, 9.0), 0.25),  # beyond the line, at ease
        (2.0, 0.9, (0.0, 9.0), 0.9),
        (0.0, 0.0, (0.0, 9.0), 0.0),
    ],
)
def test_vehicles_stop_before_a_crossing_for_whoever_is_on_their_lane_when_they_come(speed, distance, times, stops_in):
    traffic = start((Route("Road", line((0, 0), (300, 0))),), (cars(),), crossings=ZEBRA)
    walks, vehicles = traffic.crosswalks, traffic.vehicles
    vehicles.s[0], vehicles.speed[0] = walks.start[0] - distance - 2.25, speed
    vehicles.drivers.deceleration[0] = 2.0
    there = Occupied(np.zeros(1, dtype=np.int64), *(np.array([time]) for time in times))
    stop = walks.stop_at(there, traffic._approaching(np.zeros(1, dtype=np.int64)), TrafficSettings())
    to_stop = stop[0] - (vehicles.s[0] + 2.25)
    assert to_stop == (np.inf if stops_in is None else pytest.approx(stops_in, abs=0.01))


def test_nobody_waits_at_a_crossing_for_people_who_walk_away_on_the_far_half():
    traffic = crossed_both_ways()
    south = np.flatnonzero(np.cos(traffic.roads.paths.heading(traffic.vehicles.lane, np.ones(2))[0]) > 0.0)[0]
    traffic.vehicles.s[south], traffic.vehicles.speed[south] = 120.0, 12.0
    traffic.vehicles.status[1 - south] = 3
    slowest = []
    for step in range(round(3.0 / DT)):
        traffic.advance(step * DT, DT, people_at((150.0, 0.6 + 0.8 * step * DT, 0.8)))
        slowest.append(traffic.vehicles.speed[south])
    assert min(slowest) > 11.9


@pytest.mark.parametrize(("ahead", "brakes"), [(25.0, False), (4.0, True)])
def test_who_changes_lanes_brakes_for_people_on_the_old_lane_only_if_the_change_does_not_lead_past_them(ahead, brakes):
    """A quarter over, at 10 m/s: the rest of the change takes 30 m."""
    traffic = start((Route("Road", line((0, 0), (300, 0)), lanes=2),), (cars(speed=Speed(10.0, 0.0)),))
    vehicles, roads = traffic.vehicles, traffic.roads
    right = int(np.flatnonzero(roads.left >= 0)[0])
    left = int(roads.left[right])
    vehicles.lane[0], vehicles.from_lane[0], vehicles.s[0], vehicles.speed[0] = left, right, 100.0, 10.0
    vehicles.change_start[0], vehicles.change_length[0] = 90.0, 40.0
    vehicles.change_offset[0] = roads.offset[right] - roads.offset[left]
    y = roads.paths.to_cartesian(np.array([right]), np.array([100.0]), np.zeros(1))[0, 1]
    traffic.advance(0.0, DT, people_at((102.25 + ahead, y + 0.15, 0.0)))
    assert (vehicles.speed[0] < 10.0 - 0.5 * DT) is np.bool_(brakes)


@pytest.mark.parametrize("drawn", [False, True])
def test_people_walk_round_a_car_that_stands_in_their_way(drawn):
    """With avoidance alone they stood before its door for ever."""
    way = line((-1.8, -12), (-1.8, 8))
    routes = (Route("Road", line((-30, 0), (0, 0))), Route("Way", way, width=1.5))
    walkers = {"agents": (Agent((-1.8, -12.0), (-1.8, 8.0), 0.23, 1.3),)} if not drawn else {"route": "Way"}
    walker = Crowd("Walker", speed=Speed(1.3, 0.0), arrival="leave", **walkers)
    car = cars(count=1, speed=Speed(7.0, 0.0), arrival="stop")
    made = simulate(Scene(frames=(1, 600), routes=routes, crowds=(car, walker)))
    assert np.allclose(made.position[200:, 0, 1], 0.0)
    assert np.hypot(*made.velocity[200:, 0].T).max() == 0.0
    assert made.arrived_frame[1] > 0
