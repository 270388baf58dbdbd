# SPDX-License-Identifier: GPL-3.0-or-later
"""The Frenet state on the reference path in which the next plan of a person starts."""

from __future__ import annotations

import numpy as np

from ...array_types import Float64, Int64
from ...geometry.reproducible_math import arctan2, cos_sin, tangent
from ...planning import PlannerInput, Plans, ReferenceSet
from ..settings.guidance_settings import GUIDANCE, PathTrackingSettings
from ..world.agents import Agents


def planner_input(
    agents: Agents,
    rows: Int64,
    references: ReferenceSet,
    plans: Plans,
    elapsed: Float64,
    settings: PathTrackingSettings = GUIDANCE.path_tracking,
) -> PlannerInput:
    """Return the planner's input for some people.

    Who has followed the last plan continues smoothly from it. Who was pushed off it starts from the present velocity,
    with d' = (1 - kappa d) tan(heading error) and without acceleration.

    Args:
        agents: all agents.
        rows: int64 (R,), who needs a plan.
        references: the reference paths.
        plans: the last plans of all agents.
        elapsed: float64 (R,), time since these plans were made [s]; infinite where there is none.
        settings: who counts as pushed off the plan.
    """
    path, s, d = agents.path[rows], agents.s[rows], agents.d[rows]
    along, across, stretch = _velocity_in_frame(agents, rows, references)
    speed = np.hypot(along, across)
    greatest = settings.greatest_heading_error
    error = np.clip(arctan2(across, along), -greatest, greatest)
    s_dot = np.maximum(along, 0.0) / stretch
    d_prime = np.where(speed > 1e-6, stretch * tangent(error), 0.0)
    s_ddot, d_second = np.zeros(len(rows)), np.zeros(len(rows))

    known = np.flatnonzero(np.isfinite(elapsed))
    if len(known):
        position, velocity, *_ = plans.at(rows[known], elapsed[known])
        state = plans.state(rows[known], elapsed[known])
        off = np.hypot(*(position - agents.position[rows[known]]).T)
        slip = np.hypot(*(velocity - agents.velocity[rows[known]]).T)
        on_plan = (off < settings.on_plan_distance) & (slip < settings.on_plan_velocity)
        kept = known[on_plan]
        s_dot[kept], s_ddot[kept] = state.s_dot[on_plan], state.s_ddot[on_plan]
        d_prime[kept], d_second[kept] = state.d_prime[on_plan], state.d_second[on_plan]
    return PlannerInput(
        path=path,
        s=s,
        s_dot=s_dot,
        s_ddot=s_ddot,
        d=d,
        d_prime=d_prime,
        d_second=d_second,
        wanted_speed=agents.pace[rows],
        wanted_offset=agents.wanted_offset[rows] + agents.beside[rows],
        radius=agents.radius[rows],
        stop_at_end=~agents.leaves[rows] & np.isfinite(agents.end[rows]),
    )


def project(agents: Agents, rows: Int64, references: ReferenceSet, dt: float) -> None:
    """Project people onto their reference paths, near where their velocity has brought them: sets `s` and `d`."""
    along, _, stretch = _velocity_in_frame(agents, rows, references)
    predicted = agents.s[rows] + along / stretch * dt
    agents.s[rows], agents.d[rows] = references.to_frenet(agents.path[rows], agents.position[rows], predicted)


def _velocity_in_frame(agents: Agents, rows: Int64, references: ReferenceSet) -> tuple[Float64, Float64, Float64]:
    """Return velocities along and across the reference [m/s], and 1 - kappa d, kept away from 0."""
    heading, curvature = references.heading(agents.path[rows], agents.s[rows])
    cos, sin = cos_sin(heading)
    x, y = agents.velocity[rows].T
    return x * cos + y * sin, y * cos - x * sin, np.maximum(1.0 - curvature * agents.d[rows], 0.2)
