# SPDX-License-Identifier: GPL-3.0-or-later
"""Half planes of velocities that keep clear of other agents: numpy kernel.

Source: van den Berg et al. 2011, section 4.
"""

from __future__ import annotations

import numpy as np

from .arrays import Agents, Float64, Horizons, Int64
from .linear_program_numpy import NO_LINE


def agent_planes(agents: Agents, rows: Int64, neighbours: Int64, horizons: Horizons) -> Float64:
    """The half planes that `rows` of the agents owe to their neighbours, each taking half of the change.

    Args:
        agents: everybody.
        rows: int64 (N,), whose half planes.
        neighbours: int64 (K, N), nearest first, -1 where there is none.
        horizons: looked ahead [s].

    Returns:
        float64 (4, K, N): point x, y and direction x, y.
    """
    nobody = neighbours < 0
    x, y = agents.position.T
    vx, vy = agents.velocity.T
    own_vx, own_vy = vx[rows], vy[rows]
    rx, ry = x[neighbours] - x[rows], y[neighbours] - y[rows]  # (K, N)
    ux, uy = own_vx - vx[neighbours], own_vy - vy[neighbours]
    reach = agents.radius[rows] + agents.radius[neighbours]
    earlier = np.where(rows < neighbours, 1.0, -1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        change_x, change_y, along_x, along_y = _smallest_change(rx, ry, ux, uy, reach, earlier, horizons)
    lines = np.stack((own_vx + 0.5 * change_x, own_vy + 0.5 * change_y, along_x, along_y))
    lines[:, nobody] = NO_LINE[:, None]
    return lines


def _smallest_change(
    rx: Float64, ry: Float64, ux: Float64, uy: Float64, reach: Float64, earlier: Float64, horizons: Horizons
) -> tuple[Float64, Float64, Float64, Float64]:
    """The least change u of the relative velocity that leaves the velocity obstacle, and the tangent there."""
    distance2 = rx * rx + ry * ry
    reach2 = reach * reach
    touching = distance2 <= reach2
    inverse = np.where(touching, 1.0 / horizons.step, 1.0 / horizons.agents)
    wx, wy = ux - inverse * rx, uy - inverse * ry
    w2 = wx * wx + wy * wy
    toward = wx * rx + wy * ry
    round_end = touching | ((toward < 0.0) & (toward * toward > reach2 * w2))

    w = np.sqrt(w2)
    still = w2 == 0.0
    unit_x, unit_y = np.where(still, earlier, wx / w), np.where(still, 0.0, wy / w)
    missing = reach * inverse - w

    leg = np.sqrt(np.where(touching, 0.0, distance2 - reach2))
    leg = np.where(rx * wy - ry * wx > 0.0, leg, -leg)
    leg_x, leg_y = (rx * leg - ry * reach) / distance2, (rx * reach + ry * leg) / distance2
    along = ux * leg_x + uy * leg_y

    return (
        np.where(round_end, missing * unit_x, along * leg_x - ux),
        np.where(round_end, missing * unit_y, along * leg_y - uy),
        np.where(round_end, unit_y, leg_x),
        np.where(round_end, -unit_x, leg_y),
    )
