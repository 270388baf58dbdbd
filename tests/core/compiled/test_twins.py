# SPDX-License-Identifier: GPL-3.0-or-later
"""What is warmed up is what runs, and nothing is compiled unless it is wanted."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from core import Simulation
from core.compiled import twins
from core.compiled.twins import compiled
from core.scene import Agent, Crowd, Obstacle, Route, Scene, Spawn
from core.steering import warm_up

pytest.importorskip("numba")


def walks():
    """People on a drawn line beside a block, and others with goals behind it."""
    agents = tuple(Agent((float(x), -6.0), (float(x), 6.0)) for x in range(8))
    return Scene(
        frames=(1, 12),
        obstacles=(Obstacle("Block", np.array([[1.0, -1.0], [6.0, -1.0], [6.0, 1.5], [1.0, 1.5]])),),
        routes=(Route("Line", np.array([[-2.0, 2.5, 0.0], [4.0, 3.0, 0.5], [9.0, 2.5, 0.0]])),),
        crowds=(Crowd("Own", agents=agents), Crowd("Drawn", count=6, route="Line", spawn=Spawn("spread"))),
    )


def run(backend):
    simulation = Simulation(walks(), backend=backend, remembers=True)  # as for a bake, which may be baked again
    while not simulation.done:
        simulation.step()
    return simulation.result().position


def test_kernels_that_are_warmed_up_are_those_that_run():
    warm_up("numba")
    kernels = [
        function
        for name in twins.ALL
        for _, function in inspect.getmembers(twins._kernels(name), lambda each: hasattr(each, "signatures"))
    ]
    if not any(kernel.signatures for kernel in kernels):
        pytest.skip("numba's compiler is off")
    before = [list(kernel.signatures) for kernel in kernels]
    found = run("numba")
    assert [list(kernel.signatures) for kernel in kernels] == before
    assert found.tobytes() == run("numpy").tobytes()


def test_nothing_is_compiled_unless_it_is_wanted():
    assert twins.twin(twins.FRAMES) is None
    with compiled(True):
        assert twins.twin(twins.FRAMES) is not None
        with compiled(False):
            assert twins.twin(twins.FRAMES) is None
        assert twins.twin(twins.FRAMES) is not None
    assert twins.twin(twins.FRAMES) is None
