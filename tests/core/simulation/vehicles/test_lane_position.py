# SPDX-License-Identifier: GPL-3.0-or-later
"""The sides of roads: bicycles at the kerb, who passes them, and traffic that keeps left."""

from dataclasses import replace

import numpy as np
import pytest

from core.geometry.boxes import overlap_depth
from core.scene import Crowd, Obstacle, Route, Scene, Spawn, Speed
from core.scene.basics.vehicle_kinds import BICYCLE
from core.simulation.vehicles.traffic import start_traffic
from core.simulation.world.agents import PeopleOnFoot
from core.simulation.world.environment import Environment
from core.steering.traffic.settings import TrafficSettings

pytestmark = pytest.mark.once

DT = 0.05
LOOK = 4  # steps from one look at the distances to the next: who passes moves by less than 2 m beside the other
NOBODY = PeopleOnFoot(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0), np.zeros(0))


def flow(rate):
    return Spawn("flow", rate=rate, headway=1.0)


def cars(**more):
    return Crowd("Cars", kind="vehicle", route="Road", **({"speed": Speed(13.0, 0.0)} | more))


def bicycles(**more):
    size = {"length": 1.8, "width": 0.6, "turning_radius": 2.0, "max_acceleration": 0.9, "time_headway": 1.0}
    return Crowd(
        "Bicycles", kind="vehicle", vehicle=BICYCLE, route="Road", **(size | {"speed": Speed(4.8, 0.3)} | more)
    )


def start(points, crowds, **road):
    more = {key: road.pop(key) for key in ("keep_left", "obstacles") if key in road}
    routes = (Route("Road", np.array([[*point, 0.0] for point in points]), **road),)
    scene = Scene(routes=routes, crowds=crowds, **more)
    return start_traffic(scene, Environment(scene), NOBODY, TrafficSettings())


def drive(traffic, seconds):
    """The states at every step, float64 (steps, N, 6), NaN where somebody is not there; and the least distance."""
    states, nearest = [], np.inf
    for step in range(round(seconds / DT)):
        traffic.advance(step * DT, DT, NOBODY)
        there = np.flatnonzero(traffic.vehicles.present)
        states.append(np.full((len(traffic), 6), np.nan))
        states[-1][there] = traffic.states(there)
        if step % LOOK:
            continue
        boxes = traffic.vehicles.boxes(there, traffic.roads)
        first, second = np.triu_indices(len(there), 1)
        nearest = min(nearest, np.min(-overlap_depth(boxes.take(first), boxes.take(second)), initial=np.inf))
    return np.array(states), nearest


BEND = ((0, 0), (80, 0), (140, 25), (200, 80))


def test_cars_pass_bicycles_at_the_kerb_of_a_lane_that_is_wide_enough():
    crowds = (bicycles(count=4, spawn=flow(0.25)), cars(count=6, spawn=flow(0.3)))
    wide, nearest = drive(start(((0, 0), (200, 0)), crowds, lane_width=4.2, two_way=True), 32.0)
    assert nearest > 0.5
    assert np.nanmax(wide[:, :4:2, 1]) == pytest.approx(-3.5, abs=1e-6)  # 0.4 m from the edge, at 4.2 m
    assert np.nanmin(wide[:, 4::2, 4]) > 8.0  # no car on this side is held up by a bicycle
    narrow, nearest = drive(start(((0, 0), (200, 0)), crowds, lane_width=3.5, two_way=True), 32.0)
    assert nearest > 0.5
    assert np.nanmin(narrow[:, 4::2, 4]) < 6.5  # behind a bicycle
    assert np.nanmax(narrow[:, 4:, 1]) == pytest.approx(1.75)


@pytest.mark.thorough
def test_nobody_touches_a_bicycle_in_a_bend():
    crowds = (bicycles(count=6, spawn=flow(0.3)), cars(count=8, spawn=flow(0.3), length=12.0, width=2.5))
    _, nearest = drive(start(BEND, crowds, lane_width=5.0, two_way=True), 60.0)
    assert nearest > 0.25


def test_bicycles_leave_the_lane_at_the_kerb_only_for_what_stands_there():
    van = Obstacle("Van", np.array([[60.0, -3.4], [65.5, -3.4], [65.5, -0.4], [60.0, -0.4]]))
    crowds = (bicycles(count=4, spawn=flow(0.4), speed=Speed(4.8, 0.0)),)
    there, nearest = drive(start(((0, 0), (200, 0)), crowds, lanes=2, obstacles=(van,)), 46.0)
    x, y = there[..., 0], there[..., 1]
    assert nearest > 0.5
    assert np.nanmax(x) > 180.0
    assert np.nanmin(y[(x > 60.0) & (x < 65.5)]) > 0.2  # past the van
    assert np.nanmax(y[(x < 15.0) | (x > 170.0)]) < -2.5  # and at the kerb before and after


def test_traffic_that_keeps_left_is_the_mirror_image_of_traffic_that_keeps_right():
    van = np.array([[60.0, -6.6], [65.5, -6.6], [65.5, -4.6], [60.0, -4.6]])
    crowds = (cars(count=10, spawn=flow(0.6)), replace(cars(count=6, spawn=flow(0.4)), name="Across", route="Street"))
    crowds += (bicycles(count=4, spawn=flow(0.3)),)

    def states(side):
        points = np.array([[0.0, 0.0, 0.0], [80.0, 0.0, 0.0], [150.0, 30.0, 0.0]]) * (1.0, side, 1.0)
        across = np.array([[110.0, -60.0, 0.0], [110.0, 90.0, 0.0]]) * (1.0, side, 1.0)
        routes = (Route("Road", points, lanes=2, two_way=True), Route("Street", across, two_way=True))
        standing = (Obstacle("Van", (van * (1.0, side))[:: int(side)]),)
        scene = Scene(routes=routes, crowds=crowds, obstacles=standing, keep_left=side < 0.0)
        return drive(start_traffic(scene, Environment(scene), NOBODY, TrafficSettings()), 17.0)[0]

    right, left = states(1.0), states(-1.0)
    np.testing.assert_allclose(left * (1, -1, 1, -1, 1, -1), right, atol=1e-6)
    assert np.nanmin(right[:, ::2, 1]) < -5.0
