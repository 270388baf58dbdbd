# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots on wheels: they go where they face, turn no faster than they can, and keep off each other all the same."""

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest

from core.errors import SceneError
from core.report import make_report
from core.scene import Crowd, Route, Scene, Speed
from core.simulation import Simulation, simulate
from core.simulation.movement.actuation_delay import ActuationDelay
from core.simulation.settings import SimulationSettings
from core.steering.body_limits import roll_towards
from tests.scenes.crowd_scenes import ring, two_way_corridor
from tests.scenes.whole_walks import walk_to_the_end
from tests.sweeps import sweep

pytestmark = pytest.mark.once

STREET = Route("Street", np.array([[0.0, 0, 0], [6, 0, 0], [9, 5, 0], [14, 5, 0]]), width=3.0)
MOST = SimulationSettings().max_turn_rate


def on_wheels(scene, frames):
    robots = {"body": "wheels", "radius": (0.3, 0.3), "speed": Speed(1.2, 0.0)}
    return replace(scene, frames=(1, frames), crowds=tuple(replace(crowd, **robots) for crowd in scene.crowds))


@pytest.mark.parametrize(
    "scene",
    sweep(
        [
            on_wheels(ring(8).scene, 300),
            on_wheels(Scene(routes=(STREET,), crowds=(Crowd("Robots", count=5, route="Street"),)), 500),
            on_wheels(two_way_corridor(6, 3.0).scene, 800),
        ],
        usual=2,
    ),
    ids=["ring", "route", "corridor"],
)
def test_robots_go_where_they_face_and_all_arrive(scene):
    made = walk_to_the_end(scene)
    found = make_report(made, scene)["total"]
    assert found["arrived"] == found["agents"]
    assert found["deepest_overlap"] <= 0.01
    assert found["turn_rate_max"] <= MOST + 1e-6
    heading = 0.5 * (made.heading[1:] + made.heading[:-1])
    step = np.diff(made.position[..., :2], axis=0) * made.fps
    sideways = np.abs(step[..., 1] * np.cos(heading) - step[..., 0] * np.sin(heading))
    assert np.nanpercentile(sideways, 99) <= 0.05


def test_robots_with_a_goal_behind_them_turn_before_they_move():
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


def late(scene, delay):
    return replace(scene, crowds=tuple(replace(crowd, delay=delay) for crowd in scene.crowds))


def test_robots_that_carry_out_late_what_they_decide_arrive_all_the_same():
    scene = late(on_wheels(ring(8).scene, 300), 0.25)
    found = make_report(simulate(scene), scene)["total"]
    assert found["arrived"] == 8
    assert found["time_ratio_p95"] <= 1.35
    assert found["deepest_overlap"] <= 0.01
    assert found["turn_rate_max"] <= MOST + 1e-6


def lone_robot(delay, frames=300):
    scene = on_wheels(Scene(routes=(STREET,), crowds=(Crowd("Robot", route="Street"),)), frames)
    return simulate(late(scene, delay))


def test_a_robot_with_a_delay_stays_on_its_path_since_it_decides_from_its_predicted_state(monkeypatch):
    def astray(made):
        line = np.column_stack([np.interp(np.linspace(0, 3, 3001), range(4), STREET.points[:, k]) for k in (0, 1)])
        place = made.position[np.isfinite(made.position[:, 0, 0]), 0, :2]
        return float(np.sqrt(((place[:, None] - line) ** 2).sum(axis=2)).min(axis=1).max())

    foresees = astray(lone_robot(0.4))
    monkeypatch.setattr(ActuationDelay, "predicted", lambda *_: nullcontext())
    assert foresees <= 0.6
    assert astray(lone_robot(0.4)) >= 1.5 * foresees


def test_predicted_states_come_true():
    bend = Route("Bend", np.array([[0.0, 0, 0], [6, 0, 0], [9, 2, 0], [12, 7, 0]]), width=3.0)
    robot = Crowd("Robot", route="Bend", body="wheels", delay=0.25, speed=Speed(1.2, 0.0))
    simulation, foretold = Simulation(Scene(routes=(bend,), crowds=(robot,), frames=(1, 200))), []
    walkers, agents, rows, dt = simulation._pedestrians, simulation.agents, np.zeros(1, dtype=np.int64), 1.0 / 24.0
    while not simulation.done:
        with walkers._movement.delay.predicted(agents, rows, walkers._movement.limits(rows, dt)):
            foretold.append((*agents.position[0], agents.heading[0]))
        simulation.step()
    made = simulation.result()
    came = np.column_stack((made.position[:, 0, :2], made.heading[:, 0]))
    assert np.ptp(came[:, 2]) > 0.5
    assert np.array(foretold)[1:-6] == pytest.approx(came[7:-1], abs=1e-9)


def test_a_robot_with_a_delay_starts_as_much_later():
    made = [lone_robot(delay, frames=30).velocity[:, 0] for delay in (0.0, 0.5)]
    first = [np.flatnonzero(np.any(velocity != 0.0, axis=1))[0] for velocity in made]
    assert first[1] - first[0] == 12


@pytest.mark.parametrize(
    ("settings", "said"), [({"delay": -0.1}, "0"), ({"delay": 3.0}, "1"), ({"body": "person"}, "wheels")]
)
def test_a_delay_that_cannot_be_is_refused(settings, said):
    with pytest.raises(SceneError, match=rf"delay.*{said}"):
        Scene(
            routes=(STREET,), crowds=(Crowd("Robots", route="Street", **({"body": "wheels", "delay": 0.2} | settings)),)
        )
