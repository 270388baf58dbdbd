# SPDX-License-Identifier: GPL-3.0-or-later
"""How vehicles drive where people come to cross the road, on marked crossings and elsewhere."""

import numpy as np
import pytest

from core import simulate
from core.scene import Area, Crowd, Route, Scene, Speed
from core.simulation.world.agents import PeopleOnFoot
from tests.sweeps import sweep

from .test_vehicles import DT, box, cars, flow, line, start

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
