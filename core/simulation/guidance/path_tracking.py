# SPDX-License-Identifier: GPL-3.0-or-later
"""Where somebody stands in the frame of the reference path when the next plan is made."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...geometry.reproducible_math import arctan2, cos_sin, tangent
from ...planning import PlannerInput, Plans, ReferenceSet
from ..world.agents import Agents

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

MOST_HEADING_ERROR = 1.0
"""Beyond this the slope of d over s says nothing of use any more [rad]."""

ON_PLAN_DISTANCE, ON_PLAN_VELOCITY = 0.03, 0.1
"""Who is nearer to the plan than this [m, m/s] was not pushed off it, and keeps its accelerations."""


def planner_input(
    agents: Agents, rows: Int64, references: ReferenceSet, plans: Plans, elapsed: Float64
) -> PlannerInput:
    """Return what the planner needs to know of some agents.

    Who has followed the last plan goes on smoothly from it. Who was pushed off it starts from the velocity there is,
    with d' = (1 - kappa d) tan(heading error) and without acceleration.

    Args:
        agents: everybody.
        rows: int64 (R,), who needs a plan.
        references: the reference paths.
        plans: the last plan of everybody.
        elapsed: float64 (R,), time since that plan was made [s]; infinite where there is none.
    """
    path, s, d = agents.path[rows], agents.s[rows], agents.d[rows]
    along, across, stretch = _velocity_in_frame(agents, rows, references)
    speed = np.hypot(along, across)
    error = np.clip(arctan2(across, along), -MOST_HEADING_ERROR, MOST_HEADING_ERROR)
    s_dot = np.maximum(along, 0.0) / stretch
    d_prime = np.where(speed > 1e-6, stretch * tangent(error), 0.0)
    s_ddot, d_second = np.zeros(len(rows)), np.zeros(len(rows))

    known = np.flatnonzero(np.isfinite(elapsed))
    if len(known):
        position, velocity, *_ = plans.at(rows[known], elapsed[known])
        state = plans.state(rows[known], elapsed[known])
        off = np.hypot(*(position - agents.position[rows[known]]).T)
        slip = np.hypot(*(velocity - agents.velocity[rows[known]]).T)
        on_plan = (off < ON_PLAN_DISTANCE) & (slip < ON_PLAN_VELOCITY)
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
    """Find some agents again on their references, near where their velocity has brought them: sets `s` and `d`."""
    along, _, stretch = _velocity_in_frame(agents, rows, references)
    predicted = agents.s[rows] + along / stretch * dt
    agents.s[rows], agents.d[rows] = references.to_frenet(agents.path[rows], agents.position[rows], predicted)


def _velocity_in_frame(agents: Agents, rows: Int64, references: ReferenceSet) -> tuple[Float64, Float64, Float64]:
    """Return velocities along and across the reference [m/s], and 1 - kappa d, kept away from 0."""
    _, heading, curvature, _ = references.pose(agents.path[rows], agents.s[rows])
    cos, sin = cos_sin(heading)
    x, y = agents.velocity[rows].T
    return x * cos + y * sin, y * cos - x * sin, np.maximum(1.0 - curvature * agents.d[rows], 0.2)
