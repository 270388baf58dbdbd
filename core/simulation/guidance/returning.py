# SPDX-License-Identifier: GPL-3.0-or-later
"""People carried out of a sharp bend walk straight back to their line, and people beside the end of it to their goal.

There a metre of the line is many metres of walking. A plan begins in the direction in which the body moves, and
turns back within some metres of the line: far beyond where the next plan begins, again in the direction of the body.
Pushed out by others, people would circle away for as long as the line bends.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.distances import Distances
from ...geometry.reproducible_math import length
from ...planning import ReferenceSet
from ...routing import are_free
from ..settings.guidance_settings import ReturningSettings
from ..world.agents import ARRIVAL_DISTANCE, Agents


def return_to_line(
    agents: Agents,
    rows: Int64,
    preferred: Float64,
    references: ReferenceSet,
    obstacles: Distances,
    settings: ReturningSettings,
) -> Float64:
    """Return float64 (R, 2), velocities of which those outside a bend lead straight to the line, if nothing is between.

    Args:
        agents: all agents.
        rows: int64 (R,), people on drawn routes.
        preferred: float64 (R, 2), by their plans: so fast they return [m/s].
        references: the reference paths.
        obstacles: distances to obstacles that stand.
        settings: who returns, and where to.
    """
    which = _are_outside_bend(agents, rows, references, settings).nonzero()[0]
    if not len(which):
        return preferred
    some = rows[which]
    s = np.minimum(agents.s[some] + settings.ahead, agents.end[some])
    place = references.to_cartesian(agents.path[some], s, agents.wanted_offset[some])
    free = are_free(agents.position[some], place, agents.radius[some], obstacles)
    which, to_place = which[free], (place - agents.position[some])[free]
    wish = preferred.copy()
    wish[which] = to_place * (length(preferred[which]) / np.maximum(length(to_place), 1e-9))[:, None]
    return wish


def _are_outside_bend(agents: Agents, rows: Int64, references: ReferenceSet, settings: ReturningSettings) -> Bool:
    """Return bool (R,), who of some people is beyond the width of the path, on the outer side of a sharp bend."""
    path, d = agents.path[rows], agents.d[rows]
    outside = np.abs(d) > references.half_widths[path]
    if outside.any():
        curvature, _ = references.curvature(path[outside], agents.s[rows[outside]])
        outside[outside] = 1.0 - curvature * d[outside] > settings.outer_scale
    return outside


def last_steps(agents: Agents, rows: Int64, preferred: Float64, speed: float) -> Float64:
    """Return float64 (R, 2), velocities with which people at the end of the path, but beside the goal, reach it [m/s].

    A plan d(s) leaves or rejoins the line only while it moves along it, and at the end of the line it stands.

    Args:
        agents: all agents.
        rows: int64 (R,), people at the end of their paths.
        preferred: float64 (R, 2), by their plans [m/s]; on drawn routes it stays.
        speed: of the others [m/s].
    """
    to_goal = agents.goal[rows] - agents.position[rows]
    apart = length(to_goal)[:, None]
    beside = apart > np.maximum(ARRIVAL_DISTANCE, agents.radius[rows])[:, None]  # False where the goal is NaN
    return np.where(beside, to_goal * (speed / np.maximum(apart, 1e-9)), preferred)
