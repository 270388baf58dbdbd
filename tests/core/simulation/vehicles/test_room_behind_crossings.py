# SPDX-License-Identifier: GPL-3.0-or-later
"""Nobody stands on a marked crossing where there is too little room behind it to wait."""

import numpy as np
import pytest

from core.scene import Area, Route, Speed
from tests.sweeps import sweep

from .test_people_on_roads import people_at
from .test_vehicles import DT, NOBODY, box, cars, drive, flow, line, overlapping, start

pytestmark = pytest.mark.once

CAR, VAN = {}, {"length": 5.9, "width": 2.0, "turning_radius": 6.5}
BUS = {"length": 12.0, "width": 2.5, "turning_radius": 10.0}
LINE = 85.0  # [m]: about where vehicles wait on the side street


def side_street(kind, room, count=1, seed=0):
    """A side street that gives way to a busy main road, with a marked crossing that ends so far before its line [m]."""
    routes = (Route("Main", line((-80, 0), (80, 0)), two_way=True, priority="main"),)
    routes += (Route("Side", line((1.75, -90), (1.75, 60))),)
    end = LINE - 90.0 - room
    main = cars("Main", "Main cars", count=60, spawn=flow(0.6), speed=Speed(9.0, 1.0))
    side = cars("Side", "Side", count=count, spawn=flow(0.6), speed=Speed(8.0, 0.4), **kind)
    zebra = (Area("Zebra", box(-3.6, end - 4.0, 7.1, end)),)
    return start(routes, (main, side), crossings=zebra, seed=seed)


def drive_along(traffic, seconds):
    """How many steps some vehicle stood on a crossing, and how many overlaps there were."""
    stood, overlaps = 0, 0
    walks, vehicles = traffic.crosswalks, traffic.vehicles

    def look(traffic, step):
        nonlocal stood, overlaps
        stands = vehicles.present & (vehicles.speed < 0.05)
        front, rear = vehicles.s + 0.5 * vehicles.length, vehicles.s - 0.5 * vehicles.length
        on = (front[:, None] > walks.start + 0.01) & (rear[:, None] < walks.end - 0.01)
        stood += int((stands[:, None] & on & (vehicles.lane[:, None] == walks.lane)).any())
        overlaps += overlapping(traffic) if step % 10 == 0 else 0

    drive(traffic, seconds, look)
    return stood, overlaps


@pytest.mark.parametrize(
    ("kind", "room", "count"),
    sweep([(BUS, 8.0, 1), (VAN, 4.0, 2), (CAR, 9.0, 3), (BUS, 5.0, 1), (CAR, 4.0, 3)], usual=3),
)
def test_who_gives_way_waits_before_a_marked_crossing_and_then_passes_it_in_one_go(kind, room, count):
    traffic = side_street(kind, room, count)
    stood, overlaps = drive_along(traffic, 55.0)
    side = traffic.vehicles.crowd == 1
    assert (stood, overlaps) == (0, 0)
    assert (traffic.vehicles.s[side] > LINE + 10.0).any()
    assert traffic.vehicles.speed[~side].max() > 5.0  # and the main road is not closed


def test_the_main_road_lets_in_who_has_waited_too_long_before_a_crossing_as_soon_as_people_are_past():
    traffic = side_street(BUS, 8.0)
    main = traffic.vehicles.crowd == 0
    drive(traffic, 38.0, people=people_at((-0.85, -15.0, 0.0)))  # waits at the edge of the lane
    assert 20.0 < traffic.vehicles.waited[~main] < 30.0
    assert traffic.vehicles.waited[main].max() > 1.0
    drive(traffic, 12.0)
    assert traffic.vehicles.s[~main] > LINE


@pytest.mark.parametrize(("room", "holds"), [(5.0, True), (11.0, True), (13.0, False), (30.0, False)])
def test_only_who_has_too_little_room_behind_a_crossing_waits_before_it(room, holds):
    traffic = side_street(BUS, room)
    walks, bus = traffic.crosswalks, np.flatnonzero(traffic.vehicles.crowd == 1)
    lane = int(np.flatnonzero(traffic.roads.route == 1)[0])
    traffic.vehicles.lane[bus], traffic.vehicles.s[bus], traffic.vehicles.speed[bus] = lane, 30.0, 8.0
    who, nowhere = traffic._approaching(bus), np.array([np.inf])
    to_line = traffic.crossings.stop_at(who) - who.front
    expected = walks.start - 1.0 if holds else nowhere
    np.testing.assert_allclose(walks.hold_at(who, to_line, nowhere), expected)
    np.testing.assert_allclose(walks.hold_at(who, nowhere, to_line), expected)


def test_who_waits_very_long_before_a_crossing_drives_onto_it():
    """Somebody stands at the edge of a second crossing, 3 m behind the first."""
    zebras = (Area("One", box(60.0, -3.0, 64.0, 3.0)), Area("Two", box(67.0, -3.0, 71.0, 3.0)))
    traffic = start((Route("Road", line((0, 0), (150, 0))),), (cars(speed=Speed(8.0, 0.0)),), crossings=zebras)
    front = []
    drive(traffic, 60.0, lambda traffic, _: front.append(traffic.vehicles.s[0] + 2.25), people_at((69.0, -2.6, 0.0)))
    waits = np.abs(np.array(front) - 59.0) < 0.75
    assert 30.0 < np.count_nonzero(waits) * DT < 36.0
    assert 65.0 < front[-1] < 67.0
    assert drive(traffic, 10.0, people=NOBODY).vehicles.s[0] > 80.0
