# SPDX-License-Identifier: GPL-3.0-or-later
"""Half planes of one agent against others: numba kernel."""

from __future__ import annotations

import math

from ....compiled.compiling import part


@part
def agent_plane(agents, agent, other, inverse_step, inverse_horizon, line):
    """Write the half plane that an agent owes to another: point x, y and direction x, y."""
    gap_x = agents.position[other, 0] - agents.position[agent, 0]
    gap_y = agents.position[other, 1] - agents.position[agent, 1]
    velocity_x = agents.velocity[agent, 0] - agents.velocity[other, 0]
    velocity_y = agents.velocity[agent, 1] - agents.velocity[other, 1]
    reach = agents.radius[other] + agents.radius[agent]
    distance2, reach2 = gap_x * gap_x + gap_y * gap_y, reach * reach
    touching = distance2 <= reach2
    inverse = inverse_step if touching else inverse_horizon
    off_x, off_y = velocity_x - inverse * gap_x, velocity_y - inverse * gap_y
    off2 = off_x * off_x + off_y * off_y
    toward = off_x * gap_x + off_y * gap_y
    if touching or (toward < 0.0 and toward * toward > reach2 * off2):
        length = math.sqrt(off2)
        if length == 0.0:
            unit_x, unit_y = (1.0 if agent < other else -1.0), 0.0
        else:
            unit_x, unit_y = off_x / length, off_y / length
        missing = reach * inverse - length
        change_x, change_y = missing * unit_x, missing * unit_y
        line[2], line[3] = unit_y, -unit_x
    else:
        leg = math.sqrt(max(distance2 - reach2, 0.0))
        if not gap_x * off_y > gap_y * off_x:
            leg = -leg
        along_x, along_y = (gap_x * leg - gap_y * reach) / distance2, (gap_y * leg + gap_x * reach) / distance2
        along = velocity_x * along_x + velocity_y * along_y
        change_x, change_y = along_x * along - velocity_x, along_y * along - velocity_y
        line[2], line[3] = along_x, along_y
    share = min(agents.share[other] + (agents.precedence[other] - agents.precedence[agent]), 1.0)
    line[0] = share * change_x + agents.velocity[agent, 0]
    line[1] = share * change_y + agents.velocity[agent, 1]
