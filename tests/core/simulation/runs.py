# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulations from their first frame to their last, and what is not the same in two of them."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from core.scene import Scene
from core.simulation import Simulation


def run(scene: Scene, **settings: object) -> Simulation:
    simulation = Simulation(scene, **settings)
    while not simulation.done:
        simulation.step()
    return simulation


def differences(one: Simulation, other: Simulation) -> list[str]:
    """The names of what is not the same in two results, bit for bit."""
    results = one.result(), other.result()
    names = [field.name for field in fields(results[0])]
    return [name for name in names if not _is_same(*(getattr(result, name) for result in results))]


def _is_same(one: object, other: object) -> bool:
    if not isinstance(one, np.ndarray):
        return one == other
    return isinstance(other, np.ndarray) and one.shape == other.shape and one.tobytes() == other.tobytes()


def box(x: float, y: float, half: float, half_y: float | None = None) -> np.ndarray:
    """The corners of a box about a place, so far to each side; float64 (4, 2) [m]."""
    up = half if half_y is None else half_y
    return np.array([[x - half, y - up], [x + half, y - up], [x + half, y + up], [x - half, y + up]])
