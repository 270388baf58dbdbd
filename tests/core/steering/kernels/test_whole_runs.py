# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole runs: the same bits with numpy and numba, on one thread and on two, and in any order of the agents."""

from __future__ import annotations

import numpy as np
import pytest

from core.steering import human_like, orca, power_law
from core.steering.bodies import Bodies
from core.steering.body_limits import limit_velocity

DT = 0.05
VIEW = human_like.Vision(time_horizon=3.0, neighbour_distance=4.0, max_neighbours=10, max_turn_rate=3.0)
MODELS = {
    "orca": lambda backend: orca.Orca(orca.OrcaSettings(2.0, 1.0, 4.0, 10, orca.SymmetryBreaking()), backend),
    "human_like": lambda backend: human_like.HumanLike(VIEW, symmetry=orca.SymmetryBreaking(), backend=backend),
    "power_law": lambda backend: power_law.PowerLaw(power_law.PowerLawSettings(), backend),
}


def places_after(name, start, goal, *, steps, backend):
    """Where people are who cross a square with two blocks in it, with limits behind their avoidance."""
    model = MODELS[name](backend)
    blocks = orca.prepare_obstacles(
        [[[-1.0, -1.0], [1.0, -1.2], [1.0, 0.8], [-0.8, 1.0]], [[3.0, 2.0], [4.0, 2.0], [4.0, 3.5]]]
    )
    position, velocity = start, np.zeros_like(start)
    for _ in range(steps):
        gap = goal - position
        distance = np.sqrt((gap * gap).sum(axis=1, keepdims=True))
        wish = gap / np.maximum(distance, 1e-9) * np.minimum(1.3, distance)
        wanted = model.new_velocity(Bodies(position, velocity, wish, 0.25, 1.8), blocks, DT)
        velocity = limit_velocity(
            velocity, wanted, max_acceleration=3.0, max_deceleration=4.0, max_turn_rate=3.0, dt=DT
        )
        position = position + DT * velocity
    return position


@pytest.mark.parametrize("name", MODELS)
def test_whole_runs_have_the_same_bits(name, numba, few, monkeypatch):
    from core.compiled import compiling

    rng = np.random.default_rng(12)
    start = np.stack((rng.uniform(-9.0, -4.0, 40), rng.uniform(-5.0, 5.0, 40)), axis=1) * rng.choice([-1, 1], (40, 1))
    goal, steps = -start, 5 if few else 80
    expected = places_after(name, start, goal, steps=steps, backend="numpy")
    order = rng.permutation(40)
    monkeypatch.setattr(compiling, "HAND_OVER", 1e-6)
    for threads in ("1", "2"):
        monkeypatch.setenv("FOOTFALL_THREADS", threads)
        found = places_after(name, start[order], goal[order], steps=steps, backend=numba)
        assert found.tobytes() == expected[order].tobytes()
    assert few or (np.linalg.norm(expected - goal, axis=1) < np.linalg.norm(start - goal, axis=1)).all()
