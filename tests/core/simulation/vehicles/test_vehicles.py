# SPDX-License-Identifier: GPL-3.0-or-later
"""Vehicles in a scene: rings, queues, blockages, crossings, people on foot, and roads that cannot be driven on."""

import numpy as np
import pytest

from core import SceneError, simulate
from core.geometry.boxes import overlap_depth
from core.report import make_report
from core.scene import Agent, Area, Crowd, Motion, Obstacle, Route, Scene, Spawn, Speed
from core.simulation.vehicles.traffic import start_traffic
from core.simulation.world.agents import PeopleOnFoot
from core.simulation.world.environment import Environment
from core.steering.neighbours import close_pairs
from core.steering.traffic.car_following import equilibrium_speed
from core.steering.traffic.settings import TrafficSettings
from tests.sweeps import sweep

pytestmark = pytest.mark.once

DT = 0.05
NOBODY = PeopleOnFoot(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0), np.zeros(0))


def line(*points):
    return np.array([[*point, 0.0] for point in points], dtype=float)


def circle(radius, count=256):
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
    return np.stack((radius * np.cos(angle), radius * np.sin(angle), 0 * angle), axis=1)


def box(x0, y0, x1, y1):
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], dtype=float)


def cars(route="Road", name="Cars", **more):
    settings = {"count": 1, "speed": Speed(13.0, 0.0), "spawn": Spawn("at_once")} | more
    return Crowd(name, kind="vehicle", route=route, **settings)


def flow(rate, headway=1.0):
    return Spawn("flow", rate=rate, headway=headway)


def start(routes, crowds, **more):
    scene = Scene(routes=routes, crowds=crowds, **more)
    return start_traffic(scene, Environment(scene), NOBODY, TrafficSettings())


def drive(traffic, seconds, look=None, people=NOBODY):
    for step in range(round(seconds / DT)):
        traffic.advance(step * DT, DT, people)
        if look is not None:
            look(traffic, step)
    return traffic


def overlapping(traffic):
    boxes = traffic.vehicles.boxes(np.flatnonzero(traffic.vehicles.present), traffic.roads)
    if len(boxes.x) < 2:
        return 0
    reach = np.hypot(boxes.half_length, boxes.half_width)
    first, second = close_pairs(np.stack((boxes.x, boxes.y), axis=1), reach).T
    return int(np.count_nonzero(overlap_depth(boxes.take(first), boxes.take(second)) > 1e-6))


def for_other_lanes(traffic):
    """How many brake for somebody who is on another lane and stays there."""
    vehicles = traffic.vehicles
    rows = np.flatnonzero((vehicles.leader >= 0) & (vehicles.acceleration < -0.05) & vehicles.present)
    own, other = vehicles.lane[rows], vehicles.lane[vehicles.leader[rows]]
    leaving = (vehicles.from_lane[rows] == other) | (vehicles.from_lane[vehicles.leader[rows]] == own)
    return int(np.count_nonzero((own != other) & ~leaving))


def gaps(traffic, lane):
    vehicles = traffic.vehicles
    on = np.flatnonzero((vehicles.lane == lane) & (vehicles.from_lane < 0) & vehicles.present)
    on = on[np.argsort(vehicles.s[on])]
    ahead = np.append(vehicles.s[on[1:]], vehicles.s[on[0]] + traffic.roads.lap[lane])
    return ahead - vehicles.s[on] - vehicles.length[on]


@pytest.mark.parametrize(("count", "seconds"), sweep([(40, 125.0), (60, 185.0)], usual=1))
def test_a_braking_wave_fades_along_a_platoon(count, seconds):
    traffic = start((Route("Road", line((0, 0), (3000, 0))),), (cars(count=count, speed=Speed(14.0, 0.0)),))
    vehicles = traffic.vehicles
    order = np.argsort(-vehicles.s)
    vehicles.s[order] = 1600.0 - 24.0 * np.arange(count)
    vehicles.speed[:] = equilibrium_speed(vehicles.drivers, np.full(count, 19.5), 2.0)
    cruising, leader = vehicles.speed[0], order[0]
    slowest = np.full(count, np.inf)

    def look(traffic, step):
        wanted = 3.0 if 5.0 < step * DT < 9.0 else cruising
        vehicles.drivers.wanted_speed[leader] = wanted
        slowest[:] = np.minimum(slowest, vehicles.speed)

    drive(traffic, seconds, look)
    dips = cruising - slowest[order]
    assert dips[1] > 3.0
    assert dips[-1] <= dips[1]
    assert dips[-1] < 1.0
    assert vehicles.speed[order[-1]] > cruising - 0.75 * dips[-1]  # the wave has reached the last one


@pytest.mark.parametrize("lanes", sweep([1, 2], usual=1))
def test_a_vehicle_stops_before_what_closes_the_road(lanes):
    wall = Obstacle("Wall", box(100, -8, 103, 8))
    traffic = start((Route("Road", line((0, 0), (200, 0)), lanes=lanes),), (cars(),), obstacles=(wall,))
    drive(traffic, 25)
    assert traffic.vehicles.speed[0] == 0.0
    assert 1.0 <= 100.0 - traffic.vehicles.s[0] - 2.25 <= 4.0


def test_who_stands_does_not_accelerate():
    van = Obstacle("Van", box(60, -1, 65, 1))
    vehicles = drive(start((Route("Road", line((0, 0), (100, 0))),), (cars(count=3),), obstacles=(van,)), 30.0).vehicles
    assert vehicles.speed.max() == 0.0
    assert np.abs(vehicles.acceleration).max() == 0.0


@pytest.mark.parametrize(("seconds", "least"), sweep([(35.0, 4), (110.0, 20)], usual=1))
def test_everybody_gets_past_a_broken_down_van_and_nobody_is_lost(seconds, least):
    van = Obstacle("Van", box(80, -3.0, 86, -0.6))
    crowd = cars(count=400, speed=Speed(13.0, 1.3), spawn=flow(2.0))
    traffic = start((Route("Road", line((0, 0), (150, 0)), lanes=2),), (crowd,), obstacles=(van,))
    seen = {"overlaps": 0, "lost": 0}

    def look(traffic, step):
        if step % 5 == 0:
            seen["overlaps"] += overlapping(traffic)
        seen["lost"] += int(np.count_nonzero(np.diff(np.flatnonzero(traffic.vehicles.status == 0)) != 1))

    drive(traffic, seconds, look)
    gone, here, outside = (int(np.count_nonzero(traffic.vehicles.status == status)) for status in (3, 1, 0))
    assert seen["overlaps"] == 0
    assert gone + here + outside == 400
    assert gone > least
    assert any("no room at the start" in sentence for sentence in traffic.notices((crowd,), seconds))


def test_who_comes_up_behind_a_slow_vehicle_changes_lanes_and_passes_it():
    crowds = (cars(name="Slow", speed=Speed(4.0, 0.0)), cars(name="Fast"))
    traffic = start((Route("Road", line((0, 0), (400, 0)), lanes=2),), crowds)
    vehicles = traffic.vehicles
    vehicles.lane[:], vehicles.s[:] = 0, (80.0, 20.0)
    overlaps, lanes = [], set()

    def look(traffic, step):
        overlaps.append(overlapping(traffic))
        lanes.add(int(vehicles.lane[1]))

    drive(traffic, 16.0, look)
    assert vehicles.s[1] > vehicles.s[0] + 10.0
    assert lanes == {0, 1}
    assert not any(overlaps)


def test_oncoming_vehicles_on_a_bend_do_not_brake_for_each_other():
    angle = np.linspace(0, np.pi, 60)
    arc = np.stack((15 * np.cos(angle), 15 * np.sin(angle), 0 * angle), axis=1)
    route = Route("Road", np.concatenate((line((15, -60)), arc, line((-15, -60)))), two_way=True)
    traffic = start((route,), (cars(count=40, spawn=flow(0.5)),))
    met = []

    def look(traffic, step):
        vehicles = traffic.vehicles
        rows = np.flatnonzero(vehicles.leader >= 0)
        met.append(np.count_nonzero(vehicles.forward[rows] != vehicles.forward[vehicles.leader[rows]]))

    drive(traffic, 40, look)
    assert sum(met) == 0
    assert overlapping(traffic) == 0
    assert np.count_nonzero(traffic.vehicles.status == 3) > 3


def test_vehicles_stop_for_people_on_a_marked_crossing_and_overlap_nobody():
    people = Crowd("People", count=8, start="North", goal="South")
    scene = Scene(
        frames=(1, 400),
        routes=(Route("Road", line((0, 0), (120, 0)), two_way=True),),
        areas=(Area("North", box(58, 6, 62, 12)), Area("South", box(58, -12, 62, -6))),
        crossings=(Area("Zebra", box(56, -5, 64, 5)),),
        crowds=(people, cars(count=12, spawn=flow(0.6), speed=Speed(11.0, 1.0))),
    )
    made = simulate(scene)
    report = make_report(made, scene)
    assert report["total"]["deepest_overlap"] < 0.02
    assert report["crowds"]["People"]["arrived"] == 8
    assert report["crowds"]["Cars"]["stopped_share"] > 0.0
    assert not any(each["kind"] == "frozen" for each in report["events"])
    assert made.box[:8].max() == 0.0
    np.testing.assert_array_equal(made.box[8:], [[4.5, 1.8]] * 12)


def test_nobody_who_stands_on_the_road_is_run_over():
    scene = Scene(
        frames=(1, 360),
        bounds=box(-10, -20, 160, 20),
        routes=(Route("Road", line((0, 0), (150, 0))),),
        crowds=(
            Crowd("One", agents=(Agent((80.0, 0.0), (80.5, 0.0)),), count=1, avoidance="none"),
            cars(count=3, spawn=flow(0.3)),
        ),
    )
    made = simulate(scene)
    assert make_report(made, scene)["total"]["deepest_overlap"] == 0.0
    front = made.position[-1, 1, 0] + 2.25
    assert 76.0 < front < 80.0
    assert np.hypot(*made.velocity[-1, 1]) < 0.05


@pytest.mark.parametrize(
    ("from_front", "drives_on"), sweep([(0.1, False), (-0.1, True), (1.0, False), (-3.0, True)], usual=2)
)
def test_who_stands_beside_a_vehicle_lets_it_drive_on(from_front, drives_on):
    """Each would wait for the other for ever; whose middle is ahead of its front is waited for."""
    traffic = start((Route("Road", line((0, 0), (150, 0))),), (cars(),))

    def somebody(x, y):
        return PeopleOnFoot(np.array([[x, y]]), np.zeros((1, 2)), np.array([0.25]), np.zeros(1))

    drive(traffic, 20.0, people=somebody(60.0, 0.0))
    stood = traffic.vehicles.s[0]
    assert traffic.vehicles.speed[0] < 0.01
    drive(traffic, 5.0, people=somebody(stood + 2.25 + from_front, 1.16))
    assert (traffic.vehicles.s[0] > stood + 5.0) is np.bool_(drives_on)


def test_nobody_enters_over_somebody_who_stands_where_the_road_begins():
    traffic = start((Route("Road", line((0, 0), (300, 0))),), (cars(count=3, spawn=flow(10.0)),))
    somebody = PeopleOnFoot(np.array([[2.0, 0.0]]), np.zeros((1, 2)), np.array([0.25]), np.zeros(1))
    drive(traffic, 8.0, people=somebody)
    assert np.count_nonzero(traffic.vehicles.present) <= 1  # who was there at the first frame


@pytest.mark.parametrize("walks", sweep([1.3, 1.6], usual=1))
def test_nobody_changes_lanes_into_somebody_who_walks_beside_them(walks):
    crowds = (cars(name="A"), cars(name="B", speed=Speed(1.2, 0.0)))
    traffic = start((Route("Road", line((0, 0), (300, 0)), lanes=2),), crowds)
    vehicles, away = traffic.vehicles, []
    vehicles.lane[:], vehicles.s[:], vehicles.speed[:] = 0, (12.0, 20.5), (1.5, 1.2)
    for step in range(round(20.0 / DT)):
        place = np.array([[13.0 + walks * step * DT, -1.75]])
        box = vehicles.boxes(np.array([0]), traffic.roads)
        x, y = place[0] - (box.x[0], box.y[0])
        along, aside = x * box.cos[0] + y * box.sin[0], y * box.cos[0] - x * box.sin[0]
        off = max(abs(along) - box.half_length[0], 0.0), max(abs(aside) - box.half_width[0], 0.0)
        away.append(np.hypot(*off))
        traffic.advance(step * DT, DT, PeopleOnFoot(place, np.array([[walks, 0.0]]), np.array([0.25]), np.zeros(1)))
    assert min(away) > 0.5


def test_a_vehicle_brakes_for_an_obstacle_that_crosses_its_lane():
    motion = Motion(*(np.array(values, dtype=float) for values in ([1, 240], [60, 60], [-12, 12], [0, 0])))
    tram = Obstacle("Tram", box(-1.5, -3, 1.5, 3), motion=motion)
    scene = Scene(frames=(1, 480), routes=(Route("Road", line((0, 0), (120, 0))),), obstacles=(tram,), crowds=(cars(),))
    report = make_report(simulate(scene), scene)
    assert report["total"]["deepest_wall_penetration"] == 0.0
    assert report["total"]["arrived"] == 1


def test_the_same_scene_gives_the_same_bytes_and_rows_stand_in_the_order_of_crowds():
    scene = Scene(
        frames=(1, 60),
        routes=(Route("Road", line((0, 0), (150, 0)), lanes=2, two_way=True),),
        crowds=(
            cars(name="First", count=8, spawn=Spawn("spread")),
            Crowd("Walkers", count=3, agents=tuple(Agent((k, 20.0), (k, 30.0)) for k in (0.0, 2.0, 4.0))),
            cars(name="Second", count=4, spawn=flow(2.0), length=12.0, width=2.5, turning_radius=10.0),
        ),
    )
    one, other = simulate(scene, backend="numpy"), simulate(scene)
    for name in ("position", "heading", "velocity", "present", "arrived_frame", "radius", "crowd", "box"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    np.testing.assert_array_equal(one.crowd, [0] * 8 + [1] * 3 + [2] * 4)
    np.testing.assert_allclose(one.position[0, 8:11, 0], [0, 2, 4])


def test_vehicles_that_stop_at_the_end_queue_there_and_have_arrived():
    traffic = start((Route("Road", line((0, 0), (120, 0))),), (cars(count=4),))
    drive(traffic, 35)
    assert traffic.arrived().all()
    fronts = np.sort(traffic.vehicles.s + 2.25)[::-1]
    assert fronts[0] == pytest.approx(120.0, abs=0.3)
    assert np.all((fronts[:-1] - fronts[1:] - 4.5 > 1.5) & (fronts[:-1] - fronts[1:] - 4.5 < 3.0))


@pytest.mark.parametrize(
    ("route", "crowd", "message"),
    [
        (
            Route("Road", line((0, 0), (40, 0), (40, 5), (0, 5)), lanes=2, two_way=True),
            cars(),
            r"routes\[0\].points: the road has a bend of radius .* and 2 lanes in each direction of 3.5 m need",
        ),
        (
            Route("Road", circle(8), closed=True, lane_width=20.0),
            cars(),
            r"bend of radius 8.0 m .* 1 lane of 20 m need 11.0 m",
        ),
        (
            Route("Road", circle(14), closed=True, lanes=2, lane_width=3.0),
            cars(length=12.0, width=2.5, turning_radius=10.0),
            r"bend of radius 13.9 m .* 2 lanes of 3 m need 45.1 m for vehicles of 12 m to pass each other",
        ),
        (
            Route("Road", line((0, 0), (10, 0))),
            cars(length=12.0),
            r"crowds\[0\].length: is 12 m, longer than the road 'Road'",
        ),
        (
            Route("Road", line((0, 0), (90, 0)), lane_width=1.5),
            cars(),
            r"crowds\[0\].width: is 1.8 m, wider than the lanes of",
        ),
        (Route("Road", line((0, 0), (90, 0))), cars(count=50), r"crowds\[0\].count: .*'Road' has room for 14 at once"),
    ],
)
def test_roads_that_cannot_be_driven_on_are_refused_in_clear_words(route, crowd, message):
    with pytest.raises(SceneError, match=message):
        simulate(Scene(frames=(1, 2), routes=(route,), crowds=(crowd,)))


def test_an_entry_that_is_wholly_blocked_is_told():
    wall = Obstacle("Wall", box(-1, -3, 6, 3))
    scene = Scene(
        frames=(1, 24),
        routes=(Route("Road", line((0, 0), (90, 0))),),
        obstacles=(wall,),
        crowds=(cars(count=2, spawn=flow(5.0, 0.0)),),
    )
    made = simulate(scene)
    assert not made.present.any()
    assert "Cars: 2 of 2 could not enter: there is no room at the start of the road." in made.notices


@pytest.mark.thorough
def test_headway_zero_overlaps_nobody():
    crowd = cars(count=80, time_headway=0.0, spawn=flow(3.0, 0.0), speed=Speed(13.0, 2.0))
    traffic = start((Route("Road", line((0, 0), (200, 0))),), (crowd,))
    seen = []
    drive(traffic, 45, lambda traffic, step: seen.append(overlapping(traffic)))
    assert sum(seen) == 0
    assert np.count_nonzero(traffic.vehicles.status == 3) > 15


def test_a_sharp_corner_is_rounded_and_told():
    crowds = (cars(count=2), cars(name="Coach", length=11.0, width=2.4))
    traffic = start((Route("Road", line((0, 0), (90, 0), (90, 90)), two_way=True),), crowds)
    (told,) = (sentence for sentence in traffic.notices(crowds, 0.0) if "bends are rounded" in sentence)
    assert "as 'Coach' with vehicles of 11 m needs" in told
    crowds = (cars(count=2),)
    traffic = start((Route("Road", line((0, 0), (60, 0), (60, 60)), two_way=True),), crowds)
    assert any("'Cars' with vehicles of 4.5 m" in sentence for sentence in traffic.notices(crowds, 0.0))
    _, _, curvature, _ = traffic.roads.paths.pose(traffic.roads.samples.lane, traffic.roads.samples.s)
    assert np.abs(curvature).max() <= 1.0 / 5.5


@pytest.mark.parametrize(("height", "minded"), [(0.0, False), (5.0, True), (np.nan, True)])
def test_on_a_bridge_nobody_beneath_is_minded(height, minded):
    bridge = Route("Road", np.array([[0.0, 0.0, 5.0], [100.0, 0.0, 5.0]]))
    somebody = PeopleOnFoot(np.array([[60.0, 0.0]]), np.zeros((1, 2)), np.array([0.3]), np.array([height]))
    sees = []
    traffic = start((bridge,), (cars(spawn=flow(600.0)),))
    drive(traffic, 14.0, lambda traffic, _: sees.append(traffic.seen_by(somebody) is not None), people=somebody)
    assert any(sees) is minded
    assert (traffic.states(np.array([0]))[0, 0] < 60.0) is np.bool_(minded)


@pytest.mark.thorough
def test_buses_pass_each_other_in_a_bend_of_two_lanes():
    corner = line((0, 0), (90, 0), (90, 90))
    bus = {"length": 12.0, "width": 2.5, "turning_radius": 10.0, "max_acceleration": 1.0}
    crowd = cars(count=40, spawn=flow(0.5), speed=Speed(9.0, 0.5), **bus)
    traffic = start((Route("Road", corner, two_way=True),), (crowd,))
    seen = []
    drive(traffic, 60, lambda traffic, _: seen.append(overlapping(traffic)))
    assert sum(seen) == 0
    assert np.count_nonzero(traffic.vehicles.status == 3) >= 4
