# SPDX-License-Identifier: GPL-3.0-or-later
"""Uphill and steeply downhill people walk more slowly.

Sources: Irmischer and Clarke 2018, "Measuring and modeling the speed of human navigation" (men, on paths): speed falls
off as a bell curve with the distance of the slope from a gentle descent of 5 %. A ramp of 10 % leaves 0.9 of the speed
on the level; the rule of Tobler (1993), made for hikers, would leave 0.7. Slopes too steep for walking count as stairs:
there the horizontal speed is 0.61 m/s up and 0.69 m/s down (Weidmann 1993, "Transporttechnik der Fussgaenger"), of
1.34 m/s on the level. Steps of a mesh count by their average slope, and people slow down before they reach them.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Float64, Int64
from ...geometry.reproducible_math import exp, heading_vector
from ...scene.basics.terrain import Terrain
from ..settings.behaviour_settings import SlopeSpeedSettings
from .behaviour import Step


def share_on_slope(slope: Float64, settings: SlopeSpeedSettings) -> Float64:
    """Return the share of the speed on the level at which people walk on a slope.

    Args:
        slope: float64 (...), rise over horizontal distance, positive uphill.
        settings: how slopes slow people down.

    Returns:
        float64 (...), 1 on the level.
    """
    walked = _walking_speed(slope, settings) / _walking_speed(np.zeros(1), settings)
    return np.maximum(walked, np.where(slope > 0.0, settings.stairs_up, settings.stairs_down))


def _walking_speed(slope: Float64, settings: SlopeSpeedSettings) -> Float64:
    """Return float64 (...), the speed on slopes [m/s] (Irmischer and Clarke 2018)."""
    off = (slope - settings.fastest_slope) / settings.slope_spread
    return settings.least_speed + exp(-0.5 * off * off)


class SlopeSpeed:
    """Slows people down on the slopes of their paths.

    Args:
        settings: how slopes slow people down.
    """

    def __init__(self, settings: SlopeSpeedSettings) -> None:
        self._settings = settings
        self._marks = settings.length * np.arange(-1.0, settings.lengths_ahead + 1.0)

    def act(self, step: Step) -> None:
        """Slow down the pace of people on slopes."""
        agents, rows, paths, marks = step.agents, step.rows, step.paths, self._marks
        effect, terrain, own_route = agents.slope_effect, step.world.terrain, np.isfinite(agents.goal[:, 0])
        on_slopes = effect.any() and not paths.is_level
        if not on_slopes and (terrain is None or not effect[own_route].any()):
            return
        path, s, end = agents.path[rows], agents.s[rows], agents.end[rows]
        first = np.maximum(np.minimum(s + marks[0], end - (marks[-1] - marks[0])), 0.0)
        places = np.minimum(first[:, None] + (marks - marks[0]), np.maximum(end, s)[:, None])
        height = paths.height(np.repeat(path, len(marks)), places.ravel()).reshape(places.shape)
        slope = np.diff(height, axis=1) / np.maximum(np.diff(places, axis=1), 1e-9)
        if terrain is not None:
            slope[own_route[rows]] = _slopes_of(terrain, step, rows[own_route[rows]], marks)
        share = share_on_slope(slope, self._settings)
        share = np.maximum(share[:, 1:], share[:, :-1]).min(axis=1)  # a kerb is steep over one length only
        step.pace_shares.append(1.0 + effect[rows] * (share - 1.0))


def _slopes_of(terrain: Terrain, step: Step, rows: Int64, marks: Float64) -> Float64:
    """Return float64 (N, K - 1), the slopes of the ground between K marks ahead of people, in which their paths go."""
    agents = step.agents
    heading, _ = step.paths.heading(agents.path[rows], agents.s[rows])
    places = agents.position.take(rows, 0)[:, None] + marks[:, None] * heading_vector(heading)[:, None]
    height = terrain.height(places.reshape(-1, 2)).reshape(places.shape[:2])
    return np.diff(height, axis=1) / np.diff(marks)
