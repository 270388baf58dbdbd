# SPDX-License-Identifier: GPL-3.0-or-later
"""ORCA beside the velocities that the authors' library computes in double precision.

The files hold recorded steps of three scenes (100 agents changing places on a circle, in a square, and between four
blocks), each with its settings; every step is computed from the recorded state.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from core.steering import orca

DATA = Path(__file__).parents[3] / "data"
TOLERANCE = 1e-8
STRIDE = 10 if os.environ.get("NUMBA_DISABLE_JIT", "0") == "1" else 1  # without its compiler numba is slow


@pytest.mark.parametrize("scene", ["circle", "square", "blocks"])
def test_velocities_agree_with_the_authors_library(scene, backend):
    with np.load(DATA / f"orca_{scene}.npz") as file:
        recorded = dict(file)
    settings = {
        name: float(recorded[name]) for name in ("dt", "time_horizon", "time_horizon_obstacles", "neighbour_distance")
    }
    obstacles = orca.prepare_obstacles(recorded["obstacles"])
    steps = recorded["new_velocity"].shape[0]
    assert steps == 50
    for step in range(0, steps, STRIDE if backend == "numba" else 1):
        found = orca.new_velocity(
            recorded["position"][step],
            recorded["velocity"][step],
            recorded["preferred_velocity"][step],
            recorded["radius"],
            recorded["max_speed"],
            max_neighbours=int(recorded["max_neighbours"]),
            obstacles=obstacles,
            backend=backend,
            **settings,
        )
        np.testing.assert_allclose(
            found, recorded["new_velocity"][step], rtol=0.0, atol=TOLERANCE, err_msg=f"step {step}"
        )
