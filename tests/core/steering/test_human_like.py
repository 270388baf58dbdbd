# SPDX-License-Identifier: GPL-3.0-or-later
"""What looking along headings does for people."""

from __future__ import annotations

import numpy as np
import pytest

from core.steering import human_like, orca
from core.steering.kernels import human_like_numpy, walls_numpy

VIEW = {"time_horizon": 3.0, "neighbour_distance": 6.0, "max_neighbours": 10}


def street(side):
    """A bent block, one that drifts, and a wall."""
    block = [[0.1, 0.1], [0.4, 0.12], [0.3, 0.2], [0.35, 0.4], [0.1, 0.4]]
    return orca.prepare_obstacles(
        [side * np.array(block), side * np.array([[0.6, 0.6], [0.8, 0.6], [0.7, 0.8]])],
        walls=[side * np.array([[0.0, 0.5], [0.5, 0.52], [0.9, 0.45]])],
        velocities=[None, [0.4, -0.3]],
    )


def varied(state, seed):
    """All arguments that may differ from agent to agent."""
    agents = len(state[0])
    rng = np.random.default_rng(seed)
    return {
        **VIEW,
        "time_horizon": rng.uniform(1.0, 4.0, agents),
        "reaction_time": rng.uniform(0.3, 0.7, agents),
        "max_turn_rate": np.where(np.arange(agents) % 3 == 0, np.inf, rng.uniform(0.5, 4.0, agents)),
        "heading": rng.uniform(-9.0, 9.0, agents),
        "target": state[0] + rng.normal(0.0, 5.0, (agents, 2)),
        "flees": np.arange(agents) % 5 == 0,
        "avoids": np.arange(agents) % 7 > 0,
        "symmetry": orca.SymmetryBreaking(),
    }


@pytest.mark.parametrize("density", [0.3, 1.5, 6.0])
def test_twins_give_the_same_bits(density, numba, crowd, few):
    agents = 60 if few else 500
    position, velocity, *rest = crowd(agents, density=density, seed=3)
    position[1] = position[0]
    options = varied((position,), seed=4)
    obstacles = street(np.sqrt(agents / density))
    for _ in range(1 if few else 10):
        found = [
            human_like.new_velocity(position, velocity, *rest, obstacles=obstacles, backend=name, **options)
            for name in ("numpy", numba)
        ]
        assert found[0].tobytes() == found[1].tobytes()
        velocity = found[0]
        position = position + 0.05 * velocity


@pytest.mark.parametrize("threads", ["1", "2", "3"])
def test_neither_threads_nor_chunks_nor_order_change_a_bit(threads, numba, crowd, monkeypatch, few):
    from core.steering.kernels import compiling

    agents = 50 if few else 300
    state, obstacles = crowd(agents, density=1.5, seed=5), street(14.0)
    options = varied(state, seed=6)
    expected = human_like.new_velocity(*state, obstacles=obstacles, backend="numpy", **options)
    monkeypatch.setenv("FOOTFALL_THREADS", threads)
    monkeypatch.setattr(compiling, "SERIAL_BELOW", 10)
    monkeypatch.setattr(human_like_numpy, "CHUNK", 37)
    monkeypatch.setattr(walls_numpy, "CHUNK", 41)
    order = np.random.default_rng(int(threads)).permutation(agents)
    each = {name: value[order] if isinstance(value, np.ndarray) else value for name, value in options.items()}
    for name in ("numpy", numba):
        found = human_like.new_velocity(*(part[order] for part in state), obstacles=obstacles, backend=name, **each)
        assert found.tobytes() == expected[order].tobytes()
