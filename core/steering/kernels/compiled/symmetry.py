# SPDX-License-Identifier: GPL-3.0-or-later
"""Step to the right of whom one would run into: numba kernel."""

from __future__ import annotations

import math

import numpy as np

from ....compiled.compiling import entry, part, run_over
from ..arrays import Float64, Int64, SortedAgents, Turn


def break_symmetry(agents: SortedAgents, neighbours: Int64, turn: Turn) -> Float64:
    """Preferred velocities turned the more, the sooner they would lead into somebody; see `reference`."""
    result = np.empty_like(agents.preferred)
    run_over(result.shape[0], _turn, agents, neighbours, turn, result)
    return result


@entry
def _turn(begin, end, agents, neighbours, turn, result):
    for agent in range(begin, end):
        time = math.inf
        for rank in range(neighbours.shape[0]):
            other = neighbours[rank, agent]
            if other < 0:
                break
            time = min(time, _time_to_contact(agents, agent, other, turn.alike))
        share = (turn.none - time) / (turn.none - turn.full)
        share = 0.0 if share < 0.0 else min(share, 1.0)
        x, y = agents.preferred[agent, 0], agents.preferred[agent, 1]
        turned_x, turned_y = x * turn.cos - y * turn.sin, x * turn.sin + y * turn.cos
        result[agent, 0], result[agent, 1] = x + share * (turned_x - x), y + share * (turned_y - y)


@part
def _time_to_contact(agents, agent, other, most_alike):
    """When an agent touches another, if both got their way; inf if never or not opposed."""
    own_x, own_y = agents.preferred[agent, 0], agents.preferred[agent, 1]
    wish_x, wish_y = agents.preferred[other, 0], agents.preferred[other, 1]
    alike = own_x * wish_x + own_y * wish_y
    lengths2 = (own_x * own_x + own_y * own_y) * (wish_x * wish_x + wish_y * wish_y)
    if alike > 0.0 and alike * alike > most_alike * lengths2:
        return math.inf
    gap_x = agents.position[other, 0] - agents.position[agent, 0]
    gap_y = agents.position[other, 1] - agents.position[agent, 1]
    closing_x = own_x - wish_x
    closing_y = own_y - wish_y
    reach = agents.radius[other] + agents.radius[agent]
    speed2 = closing_x * closing_x + closing_y * closing_y
    along = gap_x * closing_x + gap_y * closing_y
    outside = gap_x * gap_x + gap_y * gap_y - reach * reach
    discriminant = along * along - speed2 * outside
    if along > 0.0 and discriminant > 0.0:
        return (along - math.sqrt(discriminant)) / speed2
    return math.inf
