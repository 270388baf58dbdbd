# SPDX-License-Identifier: GPL-3.0-or-later
"""Roads that go round and round: where a lap begins nothing changes, and whoever comes onto them gets in."""

import numpy as np
import pytest

from core.scene import Crowd, Route, Spawn, Speed
from core.steering.traffic.lane_order import LaneBodies

from .test_vehicles import circle, drive, line, overlapping, start

pytestmark = pytest.mark.once

RADIUS = 14.0


def turned(points, degrees):
    """A line turned to the left about the origin."""
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return points @ np.array([[cos, sin, 0], [-sin, cos, 0], [0, 0, 1]])


def round_about(arm, degrees):
    """From an arm [degrees] onto a ring, round so much of it, and out."""
    angle = np.radians(np.linspace(22, degrees - 22, round(degrees / 10)))
    arc = RADIUS * np.stack((np.cos(angle), np.sin(angle), 0 * angle), axis=1)
    way_in, way_out = line((60, 1.75), (30, 1.75), (24, 1.75)), line((24, -1.75), (30, -1.75), (60, -1.75))
    return turned(np.concatenate((way_in, arc, turned(way_out, degrees))), arm)


def looping(name, count):
    spread = {"spawn": Spawn("spread"), "arrival": "loop", "speed": Speed(8.0, 0.5)}
    return Crowd(name, "vehicle", count, name, **spread)


def coming(name, count, rate=0.1):
    return Crowd(name, "vehicle", count, name, spawn=Spawn("flow", rate=rate, headway=2.0), speed=Speed(8.0, 0.5))


@pytest.mark.parametrize("onward", [1, -1])
@pytest.mark.parametrize("two_way", [False, True])
def test_a_road_of_many_lanes_does_not_cross_itself_where_a_lap_begins(onward, two_way):
    road = Route("Road", circle(60.0)[::onward], closed=True, lanes=3 if two_way else 4, two_way=two_way)
    traffic = start((road,), (looping("Road", 2),))
    assert len(traffic.crossings) == len(traffic.joins) == 0


@pytest.mark.parametrize("degrees", [180, 360])
@pytest.mark.parametrize("begins", [0, 22, 40, 90, 200])
def test_wherever_a_lap_begins_others_come_onto_it_at_one_place(begins, degrees):
    ring = Route("Ring", turned(circle(RADIUS), begins), closed=True)
    traffic = start((ring, Route("Arm", round_about(0, degrees))), (looping("Ring", 1), coming("Arm", 1)))
    found = traffic.crossings.stretches
    np.testing.assert_array_equal(found.lane, [0, 1])
    assert np.all(found.end - found.start < 8.0)
    angle = np.degrees(found.start[0] / RADIUS) + begins
    assert 5 < angle % 360 < 22
    joins = traffic.joins
    assert np.count_nonzero(joins.lane == 1) == 1
    assert np.ptp(joins.start[joins.lane == 0]) == pytest.approx(2 * traffic.roads.lap[0])


@pytest.mark.parametrize("begins", [0, 90, 183])
def test_two_roads_on_one_circle_are_one_wherever_their_laps_begin(begins):
    routes = Route("One", circle(30.0), closed=True), Route("Other", turned(circle(30.0, 100), begins), closed=True)
    traffic = start(routes, (looping("One", 5), looping("Other", 5)))
    assert len(traffic.crossings) == 0
    vehicles, seen = traffic.vehicles, []

    def look(traffic, step):
        seen.append(vehicles.acceleration.min())
        if step % 20 == 0:
            assert overlapping(traffic) == 0

    drive(traffic, 20.0, look)
    assert min(seen) > -2.5
    assert vehicles.speed.min() > 5.0


def test_cars_that_go_round_a_ring_go_first_and_whoever_waits_long_for_them_gets_in():
    """Cars follow each other round the ring by 4 s: there is never the gap of about 5 s that it takes to come in."""
    ring = Route("Ring", circle(18.0), closed=True)
    arms = tuple(Route(f"Arm {k}", round_about(90 * k, 180) * (18.0 / RADIUS)) for k in range(4))
    traffic = start((ring, *arms), (looping("Ring", 6), *(coming(arm.name, 3) for arm in arms)))
    vehicles, waited, hardest = traffic.vehicles, np.zeros(18), []

    def look(traffic, step):
        np.maximum(waited, vehicles.waited, out=waited)
        hardest.append(vehicles.acceleration[vehicles.present].min())
        if step % 20 == 0:
            assert overlapping(traffic) == 0

    drive(traffic, 70.0, look)
    assert waited[:6].max() < 5.0
    assert 20.0 < waited[6:].max() < 30.0
    come_in = (vehicles.s > 65.0) | (vehicles.status == 3)
    assert np.count_nonzero(come_in[6:]) >= 8
    assert min(hardest) > -4.0


def test_who_waits_to_come_onto_a_road_does_not_brake_for_the_tail_of_who_comes_before_them():
    ring, arm = Route("Ring", circle(RADIUS), closed=True), Route("Arm", round_about(0, 180))
    traffic = start((ring, arm), (looping("Ring", 1), coming("Arm", 1)))
    joins = traffic.joins
    piece = np.flatnonzero(joins.lane == 1)[0]
    front = joins.start[piece] + 1.0
    one, none = np.ones(1), np.zeros(1)
    body = LaneBodies(np.array([1]), one * (front - 4.5), one * front, -one, one, none, none, np.zeros(1, dtype=int))
    image = joins.images(body)
    begins = joins.start[joins.lane == 0]
    assert np.abs(begins - image.rear[0]).min() < 0.5
