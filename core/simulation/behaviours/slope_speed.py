# SPDX-License-Identifier: GPL-3.0-or-later
"""Uphill and steeply downhill people walk more slowly.

Sources: Irmischer and Clarke 2018, "Measuring and modeling the speed of human navigation" (men, on paths): speed falls
off as a bell curve with the distance of the slope from a gentle descent of 5 %. A ramp of 10 % leaves 0.9 of the speed
on the level; the rule of Tobler (1993), made for hikers, would leave 0.7. Slopes too steep for walking count as stairs:
there the horizontal speed is 0.61 m/s up and 0.69 m/s down (Weidmann 1993, "Transporttechnik der Fussgaenger"), of
1.34 m/s on the level.
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

    def act(self, step: Step) -> None:
        """Slow down the pace of people on slopes."""
        agents, rows, paths, half = step.agents, step.rows, step.paths, self._settings.half_length
        effect, terrain, own_route = agents.slope_effect, step.world.terrain, np.isfinite(agents.goal[:, 0])
        on_slopes = effect.any() and not paths.is_level
        if not on_slopes and (terrain is None or not effect[own_route].any()):
            return
        path, s = agents.path[rows], agents.s[rows]
        behind, ahead = np.maximum(s - half, 0.0), np.minimum(s + half, np.maximum(agents.end[rows], s))
        rise = paths.height(path, ahead) - paths.height(path, behind)
        slope = rise / np.maximum(ahead - behind, 1e-9)
        if terrain is not None:
            slope[own_route[rows]] = _slope_of(terrain, step, rows[own_route[rows]], half)
        step.pace_shares.append(1.0 + effect[rows] * (share_on_slope(slope, self._settings) - 1.0))


def _slope_of(terrain: Terrain, step: Step, rows: Int64, half: float) -> Float64:
    """Return float64 (N,), the slope of the ground under some people, in the direction of their paths."""
    agents = step.agents
    heading, _ = step.paths.heading(agents.path[rows], agents.s[rows])
    ahead = half * heading_vector(heading)
    place = agents.position.take(rows, 0)
    return (terrain.height(place + ahead) - terrain.height(place - ahead)) / (2.0 * half)
