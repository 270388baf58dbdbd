# SPDX-License-Identifier: GPL-3.0-or-later
"""Optimal reciprocal collision avoidance for everybody at once: numpy kernel.

Source: van den Berg et al. 2011.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Float64, Horizons, Int64, Ragged, Segments, SortedAgents
from .linear_program import solve
from .obstacle_planes import obstacle_planes
from .planes import agent_planes

CHUNK = 8192

# On Linux, freed arrays of these sizes go back to the system at once, and taking them anew costs a page fault every
# 4 kB: half of the time of a step of 1,000 agents. The C library stops that after it has seen one large block go.
np.empty(2**21)


def new_velocity(
    agents: SortedAgents, neighbours: Int64, edges: Ragged, segments: Segments, horizons: Horizons
) -> Float64:
    """New velocities of the first N agents.

    Args:
        agents: everybody.
        neighbours: int64 (K, N), nearest first, -1 where there is none.
        edges: for each of these agents the obstacle edges to avoid, those that stand still first, then nearest first.
        segments: all edges.
        horizons: looked ahead [s].

    Returns:
        float64 (N, 2) [m/s].
    """
    count = neighbours.shape[1]
    result = np.empty((count, 2))
    for begin in range(0, count, CHUNK):
        rows = slice(begin, min(begin + CHUNK, count))
        lines, hard = agent_planes(agents, rows, neighbours[:, rows], horizons), 0
        if edges.first[rows.stop] > edges.first[rows.start]:
            walls, hard = obstacle_planes(agents, rows, edges, segments, horizons)
            lines = np.concatenate((walls, lines), axis=1)
        result[rows] = solve(lines, hard, agents.preferred[rows].T, agents.max_speed[rows]).T
    return result + 0.0  # no negative zeros
