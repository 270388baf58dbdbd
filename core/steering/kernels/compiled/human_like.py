# SPDX-License-Identifier: GPL-3.0-or-later
"""Look along headings and take the one that leads to the target soonest: numba kernel."""

from __future__ import annotations

import math

import numpy as np

from ....compiled.compiling import copy_into, each_row, part, run_over
from ..arrays import Fan, Float64, HeadingAims, Int64, Ragged, Segments, SortedAgents
from ..reference.human_like import NO_TIME
from .view import DISC, body, disc_urgency, fan_scratch, meet_disc, write_fan
from .walls import wall_urgency


def new_velocity(
    agents: SortedAgents, aims: HeadingAims, neighbours: Int64, edges: Ragged, segments: Segments, fan: Fan
) -> Float64:
    """New velocities of the first N agents; see `reference`."""
    result = np.empty((neighbours.shape[1], 2))
    run_over(neighbours.shape[1], _steer, agents, aims, neighbours, (edges, segments), fan, result)
    return result


@each_row(takes=3.0)
def _steer(begin, end, agents, aims, neighbours, obstacles, fan, result):
    e_x, e_y, walls, urgency = fan_scratch(fan.cos.size + 1)
    discs, formula = np.empty((neighbours.shape[0], DISC)), np.empty(DISC)
    for agent in range(begin, end):
        write_fan(aims, agent, fan, e_x, e_y)
        wall_urgency(agents, aims, agent, obstacles, (e_x, e_y), fan.creep, formula, walls)
        copy_into(urgency, walls)
        known = 0
        for rank in range(neighbours.shape[0]):
            other = neighbours[rank, agent]
            if other < 0:
                break
            body(agents, aims, agent, other, fan.creep, discs[rank])
            meet_disc(discs[rank], e_x, e_y, urgency)
            known += 1
        for k in range(urgency.size):
            urgency[k] = min(_time(urgency[k]), aims.horizon[agent])
        free = urgency
        choice = _soonest(aims, agent, free, e_x, e_y, fan)
        x, y = e_x[choice], e_y[choice]
        speed = _speed_behind(aims, agent, discs[:known], walls[choice], x, y)
        speed = min(speed, _speed_in_turns(aims, agent, free, x, y, fan))
        result[agent, 0], result[agent, 1] = speed * x + 0.0, speed * y + 0.0  # no negative zeros


@part
def _time(urgency):
    return 1.0 / urgency if urgency > 0.0 else math.inf


@part
def _soonest(aims, agent, free, e_x, e_y, fan):
    """Which heading takes the least time to the target."""
    distance = aims.distance[agent]
    to_x, to_y = aims.direction[agent, 0], aims.direction[agent, 1]
    h_x, h_y = aims.heading[agent, 0], aims.heading[agent, 1]
    stride = min(distance, fan.stride)
    best, least = 0, math.inf
    for k in range(free.size):
        foot = distance * (e_x[k] * to_x + e_y[k] * to_y)
        wanted = max(foot, stride, NO_TIME)
        walked = min(free[k], wanted)
        left = distance * distance - 2.0 * walked * foot + walked * walked
        turn = 2.0 - 2.0 * (e_x[k] * h_x + e_y[k] * h_y)
        time = walked + fan.detour * math.sqrt(max(left, 0.0)) + fan.turning * math.sqrt(max(turn, 0.0))
        time = time + fan.stop * (1.0 - walked / wanted)
        if time < least:
            best, least = k, time
    return best


@part
def _speed_behind(aims, agent, discs, wall, x, y):
    """The speed at which one comes to nobody nearer than one can stop [m/s]."""
    wanted, reaction = aims.speed[agent], aims.reaction[agent]
    speed = wanted * min(_time(reaction * wall), 1.0)
    for rank in range(discs.shape[0]):
        soon = min(_time(reaction * disc_urgency(discs[rank], x, y)), 1.0)
        with_them = min(max(discs[rank, 7] * x + discs[rank, 8] * y, 0.0), wanted)
        if soon < 1.0:
            speed = min(speed, with_them + (wanted - with_them) * soon)
    return speed


@part
def _speed_in_turns(aims, agent, free, x, y, fan):
    """The speed at which the turn from one's heading to the chosen one stays within the free border [m/s]."""
    h_x, h_y = aims.heading[agent, 0], aims.heading[agent, 1]
    cos, aside = h_x * x + h_y * y, h_x * y - h_y * x
    side = -1.0 if aside < 0.0 else 1.0
    least = math.inf
    for k in range(fan.cos.size):
        out = fan.sin[k] * side
        if out > 0.0 and fan.cos[k] >= cos:
            least = min(least, (aims.speed[agent] * free[k + 1] + fan.margin) / (2.0 * out))
    return aims.turn_rate[agent] * least
