# SPDX-License-Identifier: GPL-3.0-or-later
"""Keep with one's herd: numba kernel."""

from __future__ import annotations

import math

import numpy as np

from ....compiled.compiling import each_row, part, run_over
from ..arrays import Float64, Herds, Int64, SortedAgents


def keep_together(agents: SortedAgents, herds: Herds, neighbours: Int64) -> Float64:
    """Preferred velocities shifted by what the nearest of one's herd do; see `reference`."""
    result = np.empty_like(agents.preferred)
    run_over(result.shape[0], _keep, agents, herds, neighbours, result)
    return result


@each_row(takes=0.5)
def _keep(begin, end, agents, herds, neighbours, result):
    for agent in range(begin, end):
        x, y = agents.preferred[agent, 0], agents.preferred[agent, 1]
        speed = math.sqrt(x * x + y * y)
        if herds.number[agent] >= 0 and speed > 0.0:
            x, y = _shifted(agents, herds, neighbours[:, agent], agent, x, y, speed)
        length, most = math.sqrt(x * x + y * y), agents.max_speed[agent]
        factor = most / length if length > most else 1.0
        result[agent, 0], result[agent, 1] = x * factor + 0.0, y * factor + 0.0  # no negative zeros


@part
def _shifted(agents, herds, others, agent, wish_x, wish_y, speed):
    """One's wish shifted by what the nearest of one's herd do [m/s]."""
    distance, count = herds.distance[agent], 0.0
    apart_x = apart_y = pace_x = pace_y = gaps_x = gaps_y = 0.0
    for other in others:
        if other < 0 or herds.number[other] != herds.number[agent]:
            continue
        x, y = (
            agents.position[other, 0] - agents.position[agent, 0],
            agents.position[other, 1] - agents.position[agent, 1],
        )
        off = math.sqrt(x * x + y * y)
        fade = max(1.0 - off / distance, 0.0)
        close = max(1.0 - off / (0.5 * distance), 0.0) / (off if off > 0.0 else 1.0)
        apart_x, apart_y = apart_x + close * -x, apart_y + close * -y
        pace_x += fade * (0.5 * (agents.velocity[other, 0] + agents.velocity[agent, 0]))
        pace_y += fade * (0.5 * (agents.velocity[other, 1] + agents.velocity[agent, 1]))
        gaps_x, gaps_y, count = gaps_x + fade * x, gaps_y + fade * y, count + fade
    each, separation, cohesion = 1.0 / max(count, 1.0), herds.separation[agent], herds.cohesion[agent] / distance
    pull = herds.alignment[agent] * each
    shift_x = speed * (separation * apart_x + cohesion * (each * gaps_x))
    shift_y = speed * (separation * apart_y + cohesion * (each * gaps_y))
    part = 1.0 + pull * count
    return (wish_x + shift_x + pull * pace_x) / part, (wish_y + shift_y + pull * pace_y) / part
