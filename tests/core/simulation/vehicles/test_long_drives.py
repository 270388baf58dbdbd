# SPDX-License-Identifier: GPL-3.0-or-later
"""Half a minute of traffic on rings up to 97% of jam density, and one on crossings of streets; ten in a thorough run.

All of them are simulated at once, far apart: that costs hardly more than one, since most of the cost of a step is
fixed. The open road over capacity and all the figures are in `benchmarks/traffic.py`.
"""

import numpy as np
import pytest

from core.scene import Crowd, Route, Scene, Spawn, Speed
from core.simulation.vehicles.traffic import start_traffic
from core.simulation.world.environment import Environment
from core.steering.traffic.car_following import equilibrium_speed
from core.steering.traffic.settings import TrafficSettings
from tests.sweeps import sweep

from .test_vehicles import DT, NOBODY, circle, drive, flow, for_other_lanes, gaps, line, overlapping

pytestmark = pytest.mark.once

RADIUS, LANES = 60.0, 3
DENSITIES = (0.3, 0.6, 0.9, 0.97)
JAM = LANES * 2 * np.pi * RADIUS / 6.5  # cars of 4.5 m, 2 m from each other
LOOK = 20  # steps from one look at all bodies to the next: a car at 13 m/s takes 7 of them to pass another's length


@pytest.fixture(scope="module", params=sweep([0.5, 10], usual=1))
def minutes(request):
    """How long is driven."""
    return request.param


@pytest.fixture(scope="module")
def rings(minutes):
    """Four rings; the mean speed of each in the second half of the time, and what was seen."""
    routes = tuple(
        Route(f"{density}", circle(RADIUS) + np.array([400.0 * k, 0.0, 0.0]), closed=True, lanes=LANES)
        for k, density in enumerate(DENSITIES)
    )
    crowds = tuple(
        Crowd(
            name=route.name,
            kind="vehicle",
            count=int(density * JAM),
            route=route.name,
            spawn=Spawn("spread"),
            arrival="loop",
            speed=Speed(13.0, 0.0),
        )
        for route, density in zip(routes, DENSITIES, strict=True)
    )
    scene = Scene(routes=routes, crowds=crowds)
    traffic = start_traffic(scene, Environment(scene), NOBODY, TrafficSettings())
    vehicles = traffic.vehicles
    vehicles.speed[::7] *= 0.3  # a disturbance to be got over
    speeds, counts = [], np.bincount(vehicles.crowd)
    seen = {"overlaps": 0, "braking": 0, "gap": np.inf}

    def look(traffic, step):
        seen["braking"] += for_other_lanes(traffic)
        if step * DT > 30 * minutes:
            speeds.append(np.bincount(vehicles.crowd, vehicles.speed) / counts)
        if step % LOOK == 0:
            seen["overlaps"] += overlapping(traffic)
            seen["gap"] = min(seen["gap"], *(gaps(traffic, lane).min() for lane in range(LANES * len(routes))))

    drive(traffic, 60 * minutes, look)
    return traffic, counts, np.mean(speeds, axis=0), seen


def test_nobody_overlaps_or_comes_too_near_on_rings(rings):
    _, _, _, seen = rings
    assert seen["overlaps"] == 0
    assert seen["gap"] >= 1.5


def test_nobody_on_rings_brakes_for_somebody_who_stays_on_another_lane(rings):
    _, _, _, seen = rings
    assert seen["braking"] == 0


@pytest.mark.parametrize("number", range(len(DENSITIES) - 1))
def test_rings_flow_as_the_equilibrium_of_the_model_says(rings, number):
    traffic, counts, speeds, _ = rings
    length = traffic.roads.length[traffic.roads.route == number].sum()
    gap = np.array([length / counts[number] - 4.5])
    expected = equilibrium_speed(traffic.vehicles.drivers.take(np.array([0])), gap, 2.0)[0]
    assert speeds[number] == pytest.approx(expected, rel=0.1)


def test_a_ring_with_less_room_than_drivers_leave_where_they_stop_comes_to_rest(rings):
    _, _, speeds, _ = rings
    assert speeds[-1] == 0.0


@pytest.fixture(scope="module")
def streets(minutes):
    """Three crossings with other rules each; what was seen, and in how long a drive."""
    routes, crowds, minutes = [], [], max(minutes, 1)
    for k, (first, second) in enumerate((("equal", "equal"), ("main", "equal"), ("stop", "stop"))):
        apart = np.array([600.0 * k, 0.0, 0.0])
        routes += [
            Route(f"Avenue {k}", line((-90, 0), (90, 0)) + apart, lanes=2, two_way=True, priority=first),
            Route(f"Street {k}", line((0, -90), (0, 90)) + apart, two_way=True, priority=second),
        ]
        for name, rate in ((f"Avenue {k}", 0.25), (f"Street {k}", 0.1)):
            speed, count = Speed(11.0, 1.0), round(60 * minutes * rate)
            crowds.append(Crowd(name, "vehicle", count, name, spawn=flow(rate), speed=speed))
    scene = Scene(routes=tuple(routes), crowds=tuple(crowds))
    traffic = start_traffic(scene, Environment(scene), NOBODY, TrafficSettings())
    seen = {"overlaps": 0, "waited": 0.0}

    def look(traffic, step):
        if step % 10 == 0:
            seen["overlaps"] += overlapping(traffic)
            seen["waited"] = max(seen["waited"], traffic.vehicles.waited.max())

    drive(traffic, 60 * minutes, look)
    return traffic, seen, minutes


def test_nobody_overlaps_where_streets_cross(streets):
    _, seen, _ = streets
    assert seen["overlaps"] == 0


def test_everybody_gets_over_the_crossing(streets):
    traffic, seen, minutes = streets
    vehicles = traffic.vehicles
    asked = np.bincount(vehicles.crowd)
    asked_in_time = asked * max(minutes - 1, 0.3) / minutes
    assert seen["waited"] < min(60.0, 40.0 * minutes)
    gone, on_the_road = (np.bincount(vehicles.crowd[vehicles.status == at], minlength=len(asked)) for at in (3, 1))
    assert np.all(gone >= 0.75 * asked_in_time)
    assert on_the_road.max() <= 20
