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
