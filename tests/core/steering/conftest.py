# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of steering share."""

from __future__ import annotations

import os

import numpy as np
import pytest

from core.steering import available_backends

SETTINGS = {
    "dt": 0.05,
    "time_horizon": 2.0,
    "time_horizon_obstacles": 1.0,
    "neighbour_distance": 4.0,
    "max_neighbours": 10,
}


@pytest.fixture(params=["numpy", "numba"])
def backend(request):
    """Each backend in turn; numba's is skipped where numba cannot be imported."""
    if request.param not in available_backends():
        pytest.skip("numba is not installed")
    return request.param


@pytest.fixture
def numba():
    """The numba backend; skipped where numba cannot be imported."""
    if "numba" not in available_backends():
        pytest.skip("numba is not installed")
    return "numba"


@pytest.fixture
def few():
    """Whether to take small cases: without its compiler numba is slow."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") == "1"


@pytest.fixture
def settings():
    """Keyword arguments of `orca.new_velocity` as for people in a street."""
    return dict(SETTINGS)


@pytest.fixture
def crowd():
    """A function that draws positions, velocities, preferred velocities, radii and speeds of a crowd."""

    def draw(agents, *, density, seed):
        rng = np.random.default_rng(seed)
        side = np.sqrt(agents / density)
        return (
            rng.uniform(0.0, side, (agents, 2)),
            rng.normal(0.0, 0.8, (agents, 2)),
            rng.normal(0.0, 1.0, (agents, 2)),
            rng.uniform(0.2, 0.3, agents),
            rng.uniform(0.8, 2.0, agents),
        )

    return draw
