# SPDX-License-Identifier: GPL-3.0-or-later
"""Optimal reciprocal collision avoidance, agent by agent: numba kernel."""

from __future__ import annotations

import numpy as np

from ....compiled.compiling import each_row, run_over
from ..arrays import Float64, Horizons, Int64, Ragged, Segments, SortedAgents
from .linear_program import solve
from .obstacle_planes import obstacle_planes
from .planes import agent_plane


def new_velocity(
    agents: SortedAgents, neighbours: Int64, edges: Ragged, segments: Segments, horizons: Horizons
) -> Float64:
    """New velocities of the first N agents; see `reference`."""
    result = np.empty((neighbours.shape[1], 2))
    run_over(neighbours.shape[1], _steer, agents, neighbours, edges, segments, horizons, result)
    return result


@each_row(takes=0.4)
def _steer(begin, end, agents, neighbours, edges, segments, horizons, result):
    most = neighbours.shape[0]
    for agent in range(begin, end):
        most = max(most, neighbours.shape[0] + edges.first[agent + 1] - edges.first[agent])
    lines, spare = np.empty((most, 4)), np.empty((most, 4))
    inverse_step, inverse_horizon = 1.0 / horizons.step, 1.0 / horizons.agents
    for agent in range(begin, end):
        near = edges.items[edges.first[agent] : edges.first[agent + 1]]
        hard, count = 0, 0
        if near.size:
            hard, count = obstacle_planes(agents, agent, near, segments, 1.0 / horizons.obstacles, lines)
        for rank in range(neighbours.shape[0]):
            other = neighbours[rank, agent]
            if other < 0:
                break
            agent_plane(agents, agent, other, inverse_step, inverse_horizon, lines[count])
            count += 1
        preferred = agents.preferred[agent]
        x, y = solve(lines, count, hard, preferred[0], preferred[1], agents.max_speed[agent], spare)
        result[agent, 0], result[agent, 1] = x + 0.0, y + 0.0  # no negative zeros
