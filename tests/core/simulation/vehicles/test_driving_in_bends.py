# SPDX-License-Identifier: GPL-3.0-or-later
"""Vehicles in bends, judged by their places alone: slow enough where the bend begins, no jolt as they change lanes."""

import numpy as np
import pytest

from core.scene import Route, Speed

from .test_vehicles import DT, cars, circle, drive, line, start

pytestmark = pytest.mark.once


def driven(traffic, seconds):
    """Places and velocities of all vehicles that are there all the time, by differences, float64 (F, N, 2)."""
    rows, places = np.arange(len(traffic.vehicles)), []
    drive(traffic, seconds, lambda traffic, _: places.append(traffic.states(rows)[:, :2]))
    places = np.array(places)
    return places, np.diff(places, axis=0) / DT


@pytest.mark.parametrize("radius", [12.0, 30.0])
def test_who_comes_to_a_bend_is_slow_enough_where_it_begins(radius):
    """2.5 m/s2 sideways at most, and no harder braking than is comfortable."""
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 60)
    arc = np.stack((80 + radius * np.cos(angle), radius * np.sin(angle), 0 * angle), axis=1)
    road = np.concatenate((line((0, -radius), (40, -radius)), arc, line((40, radius), (-40, radius))))
    _, velocity = driven(start((Route("Road", road),), (cars(),)), 17.0)
    velocity = velocity[:, 0]
    speed, change = np.linalg.norm(velocity, axis=1)[1:], np.diff(velocity, axis=0) / DT
    aside = np.abs(velocity[1:, 0] * change[:, 1] - velocity[1:, 1] * change[:, 0]) / speed
    assert 2.2 < aside.max() < 2.7
    assert 1.3 < -np.diff(speed).min() / DT < 2.1
    assert speed.max() > speed.min() + 2.0


@pytest.mark.parametrize(("length", "axle", "two_way"), [(4.5, 1.32, True), (4.5, 1.32, False), (5.9, 1.75, False)])
def test_rear_wheels_roll_through_a_bend_and_do_not_slide_sideways(length, axle, two_way):
    """The axles are those of the built-in car and van."""
    angle = np.linspace(-0.5 * np.pi, 0.0, 30)
    arc = np.stack((40 + 10 * np.cos(angle), 10 * np.sin(angle), 0 * angle), axis=1)
    road = np.concatenate((line((0, -10), (39, -10)), arc, line((50, 1), (50, 40))))
    crowd = cars(length=length, width=1.9, turning_radius=6.0, speed=Speed(8.0, 0.0))
    traffic = start((Route("Road", road, two_way=two_way),), (crowd,))
    states = []
    drive(traffic, 14.0, lambda traffic, _: states.append(traffic.states(np.array([0]))[0]))
    place, heading = np.array(states)[:, :2], np.array(states)[:, 3]
    forward = np.stack((np.cos(heading), np.sin(heading)), axis=1)
    rear = np.diff(place - axle * forward, axis=0)
    between = forward[1:] + forward[:-1]
    along = (rear * between).sum(axis=1)
    aside = rear[:, 1] * between[:, 0] - rear[:, 0] * between[:, 1]
    slides = np.degrees(np.abs(np.arctan2(aside, along)))[along > 0.1]
    assert slides.max() < 0.6
    assert heading[-1] - heading[0] == pytest.approx(0.5 * np.pi, abs=0.02)
    assert np.abs(np.diff(heading)).max() / DT < 1.2  # without jumps
    assert np.abs(np.diff(heading, n=2)).max() / DT**2 < 1.5


def test_who_changes_lanes_in_a_bend_keeps_their_speed():
    """The outer lane is longer: whose place along it is advanced as far as they drive gain speed as they begin."""
    crowds = (cars(name="Slow", speed=Speed(3.0, 0.0)), cars(name="Fast", speed=Speed(7.0, 0.0)))
    traffic = start((Route("Road", circle(30.0), closed=True, lanes=2),), crowds)
    vehicles, lanes = traffic.vehicles, set()
    vehicles.lane[:], vehicles.s[:], vehicles.speed[:] = 0, (110.0, 20.0), (3.0, 7.0)
    rows, places = np.arange(2), []

    def look(traffic, _):
        lanes.add(int(vehicles.lane[1]))
        places.append(traffic.states(rows)[:, :2])

    drive(traffic, 20.0, look)
    assert lanes == {0, 1}
    speed = np.linalg.norm(np.diff(places, axis=0), axis=2) / DT
    assert np.abs(np.diff(speed[:, 1])).max() / DT < 2.5
