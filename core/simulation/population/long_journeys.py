# SPDX-License-Identifier: GPL-3.0-or-later
"""Routes and journeys that are too long for any machine."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...array_types import Float64
from ...errors import Fault, SceneError
from ...geometry.segments import length_of
from ...scene import Crowd, Scene


def refuse_long_journeys(scene: Scene, areas: Mapping[str, Float64], longest: float) -> None:
    """Refuse routes that are too long: valid, yet no machine can simulate them.

    Args:
        scene: with the routes and crowds.
        areas: float64 (V, 2), the outlines of areas, by their names [m].
        longest: the limit [m].
    """
    faults = []
    for number, route in enumerate(scene.routes):
        length = length_of(route.points[:, :2])
        if length > longest:
            kilometres = f"{length / 1000:.0f} km long, and the limit is {longest / 1000:.0f} km"
            faults.append(
                Fault(f"routes[{number}].points", f"the route is {kilometres}; check that its points are in metres")
            )
    for number, crowd in enumerate(scene.crowds):
        for place, start, goal in _journeys(crowd, areas):
            length = float(np.sqrt(((goal - start) ** 2).sum()))
            if length > longest:
                kilometres = f"{length / 1000:.0f} km away, and the limit is {longest / 1000:.0f} km"
                faults.append(
                    Fault(f"crowds[{number}].{place}", f"the goal is {kilometres}; check that it is in metres")
                )
    if faults:
        raise SceneError(faults)


def _journeys(crowd: Crowd, areas: Mapping[str, Float64]) -> list[tuple[str, Float64, Float64]]:
    """Return, of those with routes of their own, the goals' places in the scene file, starts and goals [m]."""
    if crowd.start is not None and crowd.goal is not None:
        return [("goal", areas[crowd.start].mean(axis=0), areas[crowd.goal].mean(axis=0))]
    return [
        (f"agents[{k}].goal", np.array(agent.start, float), np.array(agent.goal, float))
        for k, agent in enumerate(crowd.agents)
    ]
