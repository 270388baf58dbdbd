# SPDX-License-Identifier: GPL-3.0-or-later
"""Uphill and steeply downhill people walk more slowly.

Sources: Tobler 1993, "Three presentations on geographical analysis and modeling": speed falls off exponentially with
the distance of the slope from a gentle descent of 5 %. So steep that nobody walks it so, a slope is taken for a stair:
there the horizontal speed is 0.61 m/s up and 0.69 m/s down (Weidmann 1993, "Transporttechnik der Fussgaenger"), of
1.34 m/s on the level.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...geometry.reproducible_math import exp, heading_vector
from ...planning.paths.reference_path import ReferenceSet
from ...scene import Scene
from ...scene.terrain import Terrain
from ..world.agents import Agents

Float64 = NDArray[np.float64]

STEEPNESS = 3.5
"""How fast speed falls with the slope (Tobler 1993)."""

EASIEST = -0.05
"""The slope on which people are fastest, a gentle descent (Tobler 1993)."""

STAIRS_UP, STAIRS_DOWN = 0.61 / 1.34, 0.69 / 1.34
"""Shares of the level's speed on stairs (Weidmann 1993)."""

_STEP = 0.5  # [m], to both sides, over which a slope is taken


def share_on_slope(slope: Float64) -> Float64:
    """The share of the level's speed at which people walk on a slope.

    Args:
        slope: float64 (...), rise over way, positive uphill.

    Returns:
        float64 (...), 1 on the level.
    """
    walked = exp(STEEPNESS * (abs(EASIEST) - np.abs(slope - EASIEST)))
    return np.maximum(walked, np.where(slope > 0.0, STAIRS_UP, STAIRS_DOWN))


class Slopes:
    """What the slopes of their ways do to the speeds of people.

    Args:
        scene: whose routes or ground they walk on, and whose crowds mind slopes more or less.
    """

    def __init__(self, scene: Scene) -> None:
        self._effect = np.array([crowd.slope_effect for crowd in scene.crowds])
        heights = (route.points[:, 2] for route in scene.routes if route.points.shape[1] > 2)
        level = all(np.ptp(each) == 0.0 for each in heights)
        self._terrain = scene.terrain
        self._on_terrain = np.array([crowd.route is None for crowd in scene.crowds], dtype=bool)
        on_level = self._terrain is None or not (self._on_terrain & (self._effect > 0.0)).any()
        self._level = not self._effect.any() or (level and on_level)

    def share(self, agents: Agents, rows: NDArray[np.int64], references: ReferenceSet) -> Float64 | None:
        """Share of their speed on the level at which people walk where they are.

        Args:
            agents: everybody.
            rows: int64 (R,), of whom it is asked.
            references: what they follow.

        Returns:
            float64 (R,); None where everything is level.
        """
        if self._level:
            return None
        path, s = agents.path[rows], agents.s[rows]
        behind, ahead = np.maximum(s - _STEP, 0.0), np.minimum(s + _STEP, np.maximum(agents.end[rows], s))
        rise = references.height(path, ahead) - references.height(path, behind)
        slope = rise / np.maximum(ahead - behind, 1e-9)
        if self._terrain is not None:
            own = np.flatnonzero(self._on_terrain[agents.crowd[rows]])
            slope[own] = _slope_of(self._terrain, agents, rows[own], references)
        return 1.0 + self._effect[agents.crowd[rows]] * (share_on_slope(slope) - 1.0)


def _slope_of(terrain: Terrain, agents: Agents, rows: NDArray[np.int64], references: ReferenceSet) -> Float64:
    """The slope of the ground under some people, the way that theirs leads, float64 (R,)."""
    _, heading, _, _ = references.pose(agents.path[rows], agents.s[rows])
    step = _STEP * heading_vector(heading)
    place = agents.position[rows]
    return (terrain.height(place + step) - terrain.height(place - step)) / (2.0 * _STEP)
