# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether plans still hold, and the Frenet state on the reference path in which the next plan of a person starts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import arctan2, cos_sin, length2, tangent
from ...planning import PlannerInput, Plans, ReferenceSet
from ...planning.paths.frenet import FrenetState
from ..settings.guidance_settings import GUIDANCE, PathTrackingSettings
from ..world.agents import Agents

LEAST_STRETCH = 0.2  # a bend is not shorter than this share of the line, for who walks inside of it


class Wants(NamedTuple):
    """What plans were made for, or would be now: `path` int64 (R,), and float64 (R,) each.

    Attributes:
        path: its number.
        stop: where on it they stop; infinite where they do not [m].
        pace: wanted speed [m/s].
        offset: wanted [m].
    """

    path: Int64
    stop: Float64
    pace: Float64
    offset: Float64

    @classmethod
    def of(cls, agents: Agents, rows: Int64) -> Wants:
        """Return what some people want now."""
        stop = np.where(agents.leaves[rows], np.inf, agents.end[rows])
        return cls(agents.path[rows], stop, agents.pace[rows], agents.wanted_offset[rows] + agents.beside[rows])

    def put(self, rows: Int64, others: Wants) -> None:
        """Replace some rows."""
        for own, other in zip(self, others, strict=True):
            own[rows] = other

    def hold(self, rows: Int64, now: Wants, settings: PathTrackingSettings) -> Bool:
        """Return bool (R,), for whom of some rows it is much the same as what they want now."""
        same = (self.path[rows] == now.path) & (self.stop[rows] == now.stop)
        same &= np.abs(self.pace[rows] - now.pace) < settings.kept_pace
        return same & (np.abs(self.offset[rows] - now.offset) < settings.kept_offset)


class Tracked(NamedTuple):
    """Where N people should be by their plans, `state`, and who has followed them, or nearly so, bool (N,) each."""

    state: FrenetState
    on_plan: Bool
    near_plan: Bool


def track(agents: Agents, rows: Int64, plans: Plans, elapsed: Float64, settings: PathTrackingSettings) -> Tracked:
    """Compare people with their plans.

    Args:
        agents: all agents.
        rows: int64 (N,), people with plans.
        plans: of all agents.
        elapsed: float64 (N,), time since they were made [s].
        settings: when a person counts as pushed off the plan, and so far that another is needed.
    """
    position, velocity, state = plans.motion(rows, elapsed)
    off, slip = length2(position - agents.position.take(rows, 0)), length2(velocity - agents.velocity.take(rows, 0))
    on_plan, near_plan = (
        (off < distance**2) & (slip < speed**2)
        for distance, speed in (
            (settings.on_plan_distance, settings.on_plan_velocity),
            (settings.kept_distance, settings.kept_velocity),
        )
    )
    return Tracked(state, on_plan, near_plan)


def planner_input(
    agents: Agents,
    rows: Int64,
    references: ReferenceSet,
    settings: PathTrackingSettings = GUIDANCE.path_tracking,
    known: Int64 | None = None,
    tracked: Tracked | None = None,
) -> PlannerInput:
    """Return the planner's input for some people.

    People who followed their last plan continue smoothly from it. People pushed off it start from the present velocity,
    with d' = (1 - kappa d) tan(heading error) and without acceleration.

    Args:
        agents: all agents.
        rows: int64 (R,), the people who need a plan.
        references: the reference paths.
        settings: how the state is found.
        known: int64 (K,), those of the rows that have had a plan, by their numbers among them; None for nobody.
        tracked: how they follow it.
    """
    path, s, d = agents.path[rows], agents.s[rows], agents.d[rows]
    along, across, stretch = _velocity_in_frame(agents, rows, references)
    speed = np.sqrt(along**2 + across**2)
    greatest = settings.greatest_heading_error
    error = np.clip(arctan2(across, along), -greatest, greatest)
    s_dot = np.maximum(along, 0.0) / stretch
    d_prime = np.where(speed > 1e-6, stretch * tangent(error), 0.0)
    s_ddot, d_second = np.zeros(len(rows)), np.zeros(len(rows))

    if known is not None and tracked is not None:
        state, on_plan, _ = tracked
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
    agents.s[rows], agents.d[rows] = references.to_frenet(agents.path[rows], agents.position.take(rows, 0), predicted)


def _velocity_in_frame(agents: Agents, rows: Int64, references: ReferenceSet) -> tuple[Float64, Float64, Float64]:
    """Return velocities along and across the reference [m/s], and 1 - kappa d, kept away from 0."""
    heading, curvature = references.heading(agents.path[rows], agents.s[rows])
    cos, sin = cos_sin(heading)
    x, y = agents.velocity.take(rows, 0).T
    return x * cos + y * sin, y * cos - x * sin, np.maximum(1.0 - curvature * agents.d[rows], LEAST_STRETCH)
