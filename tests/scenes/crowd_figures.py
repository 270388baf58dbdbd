# SPDX-License-Identifier: GPL-3.0-or-later
"""What crowds in the standard scenes are judged by: figures of the report, flow through a gate, Weidmann's speeds."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from core import simulate
from core.report import make_report
from core.trajectories import Trajectories

from .crowd_scenes import Gate, Standard


def flow_by_width(trajectories: Trajectories, gate: Gate) -> float | None:
    """Return people per second and metre who pass a gate, between the tenth part of them and the last tenth [1/m/s].

    Args:
        trajectories: of everybody.
        gate: where they are counted.
    """
    first, second = np.array(gate.first), np.array(gate.second)
    along = second - first
    away = trajectories.position[:, :, :2] - first
    side = along[0] * away[..., 1] - along[1] * away[..., 0]
    share = (away @ along) / (along @ along)
    through = (side[:-1] > 0) & (side[1:] <= 0) & (share[1:] > 0) & (share[1:] < 1)
    through |= (side[:-1] < 0) & (side[1:] >= 0) & (share[1:] > 0) & (share[1:] < 1)
    times = np.sort(np.flatnonzero(through.any(axis=1)).repeat(through.sum(axis=1)[through.any(axis=1)]))
    begin, end = len(times) // 10, len(times) - 1 - len(times) // 10
    if end - begin < 5:
        return None
    return float((end - begin) / (times[end] - times[begin]) * trajectories.fps / gate.width)


def figures_of(standard: Standard, backend: str = "auto") -> dict[str, Any]:
    """Simulate a scene and return the figures of its report, with `flow` and `seconds` of processor time."""
    begun = time.process_time()
    made = simulate(standard.scene, backend=backend)
    taken = time.process_time() - begun
    figures = make_report(made, standard.scene)["total"]
    figures["flow"] = None if standard.gate is None else flow_by_width(made, standard.gate)
    figures["seconds"] = taken
    return figures


def weidmann(density: float) -> float:
    """Return the mean walking speed at a density [m/s].

    Args:
        density: [1/m2].

    Source: Weidmann 1993, Transporttechnik der Fussgaenger, the fundamental diagram.
    """
    return 1.34 * (1.0 - np.exp(-1.913 * (1.0 / density - 1.0 / 5.4)))
