# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots on wheels: they go where they face, turn no faster than they can, and keep off each other all the same."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.crowd_scenes import ring, two_way_corridor
from core.report import make_report
from core.scene import Crowd, Route, Scene, Speed
from core.simulation import simulate
from core.simulation.settings import SimulationSettings
from core.steering.limits import roll_towards

STREET = Route("Street", np.array([[0.0, 0, 0], [6, 0, 0], [9, 5, 0], [14, 5, 0]]), width=3.0)
MOST = SimulationSettings().max_turn_rate


def on_wheels(scene, frames):
    robots = {"body": "wheels", "radius": (0.3, 0.3), "speed": Speed(1.2, 0.0)}
    return replace(scene, frames=(1, frames), crowds=tuple(replace(crowd, **robots) for crowd in scene.crowds))


@pytest.mark.parametrize(
    "scene",
    [
        on_wheels(ring(8).scene, 300),
        on_wheels(two_way_corridor(6, 3.0).scene, 800),
        on_wheels(Scene(routes=(STREET,), crowds=(Crowd("Robots", count=5, route="Street"),)), 500),
    ],
    ids=["ring", "corridor", "route"],
)
def test_robots_go_where_they_face_and_all_arrive(scene):
    made = simulate(scene)
    found = make_report(made, scene)["total"]
    assert found["arrived"] == found["agents"]
    assert found["deepest_overlap"] <= 0.01
    assert found["turn_rate_max"] <= MOST + 1e-6
    heading = 0.5 * (made.heading[1:] + made.heading[:-1])
    step = np.diff(made.position[..., :2], axis=0) * made.fps
    sideways = np.abs(step[..., 1] * np.cos(heading) - step[..., 0] * np.sin(heading))
    assert np.nanpercentile(sideways, 99) <= 0.05


def test_whoever_is_wanted_behind_turns_before_it_goes():
    velocity, heading = np.zeros((1, 2)), np.zeros(1)
    limits = {"max_acceleration": 1.0, "max_deceleration": 2.0, "max_turn_rate": 2.0, "dt": 0.05}
    turned = []
    for _ in range(60):
        velocity, heading = roll_towards(velocity, heading, np.array([[-1.0, 1e-6]]), **limits)
        turned.append((float(heading[0]), float(np.linalg.norm(velocity))))
    heading_of, speed = np.array(turned).T
    assert (np.abs(np.diff(heading_of)) <= 0.1 + 1e-12).all()
    assert speed[heading_of < 1.5].max() == 0.0
    assert velocity[0] == pytest.approx([-1.0, 0.0], abs=1e-3)


def test_a_robot_that_is_to_stand_keeps_its_heading_and_brakes():
    limits = {"max_acceleration": 1.0, "max_deceleration": 2.0, "max_turn_rate": 2.0, "dt": 0.1}
    velocity, heading = roll_towards(np.array([[1.0, 0.0]]), np.zeros(1), np.array([[0.0, 0.01]]), **limits)
    assert heading[0] == 0.0
    assert velocity[0] == pytest.approx([0.8, 0.0])
