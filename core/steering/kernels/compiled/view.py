# SPDX-License-Identifier: GPL-3.0-or-later
"""How soon one agent touches others along each heading: numba kernel."""

from __future__ import annotations

import math

import numpy as np

from ....compiled.compiling import part

DISC = 9
"""Numbers of one formula: a_x, a_y, a0, b_x, b_y, b0, bound, recede_x, recede_y."""


@part
def body(agents, aims, agent, other, creep, disc):
    """Write the formula of a neighbour."""
    x = agents.position[other, 0] - agents.position[agent, 0]
    y = agents.position[other, 1] - agents.position[agent, 1]
    reach = agents.radius[other] + agents.radius[agent]
    bound = -math.inf if agents.share[other] == 1.0 else 0.0
    tie = 1.0 if agent < other else -1.0
    velocity = agents.velocity[other, 0], agents.velocity[other, 1]
    write_disc((x, y), velocity, reach, bound, tie, (aims.speed[agent], aims.reaction[agent], creep), disc)


@part
def write_disc(gap, velocity, reach, bound, tie, own, disc):
    """Write the formula of a round body; `own` is speed, reaction time and how fast those who touch go deeper."""
    (x, y), (w_x, w_y), (speed, reaction, creep) = gap, velocity, own
    distance2 = x * x + y * y
    outside = distance2 - reach * reach
    if outside <= 0.0:
        near = math.sqrt(distance2)
        heap = near == 0.0
        inverse_near = 1.0 / (1.0 if heap else near)
        unit_x, unit_y = (tie if heap else x * inverse_near), y * inverse_near
        away = w_x * unit_x + w_y * unit_y
        press = 0.5 * speed / (reaction * (max(away, 0.0) + creep))
        disc[0], disc[1] = unit_x * press, unit_y * press
        disc[2:] = 0.0
        return
    inverse = 1.0 / outside
    scale = speed * inverse
    twice = 2.0 * scale
    disc[0], disc[1], disc[2] = x * scale, y * scale, (x * w_x + y * w_y) * inverse
    disc[3], disc[4] = twice * w_x, twice * w_y
    disc[5] = (speed * speed + (w_x * w_x + w_y * w_y)) * inverse
    disc[6], disc[7], disc[8] = max(disc[2], bound), w_x, w_y


@part
def disc_urgency(disc, e_x, e_y):
    """How soon one heading leads into a round body [1/s]."""
    m = disc[0] * e_x + disc[1] * e_y
    off = m - disc[2]
    root = disc[3] * e_x + disc[4] * e_y - disc[5] + off * off
    return off + math.sqrt(root) if m > disc[6] and root > 0.0 else 0.0


@part
def meet_disc(disc, e_x, e_y, urgency):
    """Raise the urgency of all headings to that of a round body: no branches, several headings at once."""
    a_x, a_y, a0, b_x, b_y, b0, bound = disc[0], disc[1], disc[2], disc[3], disc[4], disc[5], disc[6]
    for k in range(urgency.size):
        m = a_x * e_x[k] + a_y * e_y[k]
        off = m - a0
        root = b_x * e_x[k] + b_y * e_y[k] - b0 + off * off
        found = off + math.sqrt(max(root, 0.0))
        counts = (m > bound) & (root > 0.0) & (found > urgency[k])
        urgency[k] = found if counts else urgency[k]


@part
def write_fan(aims, agent, fan, e_x, e_y):
    """Write all headings of an agent: first to the target, then from the right to the left."""
    x, y = aims.heading[agent, 0], aims.heading[agent, 1]
    e_x[0], e_y[0] = aims.direction[agent, 0], aims.direction[agent, 1]
    for k in range(fan.cos.size):
        e_x[k + 1] = fan.cos[k] * x - fan.sin[k] * y
        e_y[k + 1] = fan.sin[k] * x + fan.cos[k] * y


@part
def fan_scratch(count):
    """Room for headings and what is met along them: x, y, urgency of walls, of all, each (count,)."""
    return np.empty(count), np.empty(count), np.empty(count), np.empty(count)
