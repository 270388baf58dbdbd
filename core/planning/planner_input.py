# SPDX-License-Identifier: GPL-3.0-or-later
"""What the planner is asked: agents, their states along paths and their preferences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..array_types import Bool, Float64, Int64
from .candidates.path_ahead import StartState
from .candidates.preferences import PlannerPreferences
from .candidates.settings import PlannerSettings
from .paths.frenet import course_geometry
from .paths.reference_path import ReferenceSet


@dataclass(frozen=True, eq=False)
class PlannerInput:
    """A agents to plan for; float64 (A,) each but `path` and `stop_at_end`.

    Attributes:
        path: int (A,), number of the path in the set.
        s: arc length along it; past `length` on closed paths, lap after lap [m].
        s_dot: its speed, not negative [m/s].
        s_ddot: its acceleration, 0 where not known [m/s2].
        d: offset, positive to the left [m].
        d_prime: dd/ds.
        d_second: d2d/ds2, 0 where not known [1/m].
        wanted_speed: preferred speed [m/s].
        wanted_offset: preferred offset from the path [m].
        radius: of the body [m].
        stop_at_end: bool (A,), stop at s = `length` of an open path; otherwise continue past it.
        preferences: limits and weights of each; None where all have those of the planner's settings.
    """

    path: NDArray[np.integer]
    s: Float64
    s_dot: Float64
    s_ddot: Float64
    d: Float64
    d_prime: Float64
    d_second: Float64
    wanted_speed: Float64
    wanted_offset: Float64
    radius: Float64
    stop_at_end: Bool
    preferences: PlannerPreferences | None = None

    def rows(self, rows: Int64 | Bool) -> PlannerInput:
        """These agents alone."""
        own = {name: getattr(self, name)[rows] for name in self.__dataclass_fields__ if name != "preferences"}
        return PlannerInput(**own, preferences=self.preferences and self.preferences.rows(rows))


def start_states(agents: PlannerInput, references: ReferenceSet, settings: PlannerSettings) -> StartState:
    """Bring the agents' states into the range from which plans can be made.

    Args:
        agents: A agents.
        references: the paths that they are on.
        settings: the limits of that range, and the preferences of agents that have none of their own.

    Returns:
        Their states, with speed and acceleration along the walked course.
    """
    limits, path = settings.start, np.asarray(agents.path, dtype=np.int64)
    bend, bend_rate = references.curvature(path, agents.s)
    rate = np.sqrt(np.maximum(1.0 - bend * agents.d, 0.0) ** 2 + agents.d_prime**2)
    to_centre = (1.0 - settings.courses.least_scale) / np.maximum(np.abs(bend), 1e-9)
    d = np.where(bend > 0.0, np.minimum(agents.d, to_centre), np.maximum(agents.d, -to_centre))
    scale = 1.0 - bend * d
    s_dot = np.maximum(agents.s_dot, 0.0)
    speed = s_dot * rate
    standing = speed < limits.standing_speed
    steepest, sharpest = limits.max_slope * scale, limits.max_turn * scale
    d_prime = np.where(standing, 0.0, np.clip(agents.d_prime, -steepest, steepest))
    d_second = np.where(standing, 0.0, np.clip(agents.d_second, -sharpest, sharpest))
    geometry = course_geometry(bend, bend_rate, d, d_prime, d_second)
    acceleration = agents.s_ddot * geometry.rate + s_dot * s_dot * geometry.rate_prime
    preferences = agents.preferences or PlannerPreferences.alike(settings, len(path))
    hardest = np.minimum(preferences.max_deceleration, speed / limits.stopping_time)
    stops = np.asarray(agents.stop_at_end) & ~references.closed[path]
    return StartState(
        path=path,
        s=np.asarray(agents.s, dtype=np.float64),
        d=d,
        d_prime=d_prime,
        d_second=d_second,
        speed=speed,
        acceleration=np.clip(acceleration, -hardest, preferences.max_acceleration),
        wanted_speed=np.maximum(agents.wanted_speed, 0.0),
        wanted_offset=np.asarray(agents.wanted_offset, dtype=np.float64),
        radius=np.asarray(agents.radius, dtype=np.float64),
        stop_at=np.where(stops, references.lengths[path], np.inf),
        preferences=preferences,
    )
