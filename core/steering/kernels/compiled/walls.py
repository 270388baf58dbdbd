# SPDX-License-Identifier: GPL-3.0-or-later
"""How soon one agent touches walls along each heading: numba kernel."""

from __future__ import annotations

import math

from ....compiled.compiling import part
from .view import meet_disc, write_disc


@part
def wall_urgency(agents, aims, agent, walls, e, creep, formula, urgency):
    """Write the urgency of walls (their edges, and all segments) along all headings [1/s]."""
    (edges, segments), (e_x, e_y) = walls, e
    urgency[:] = 0.0
    radius, own = agents.radius[agent], (aims.speed[agent], aims.reaction[agent], creep)
    for place in range(edges.first[agent], edges.first[agent + 1]):
        edge = edges.items[place]
        x, y = _from(segments.start, edge, agents.position[agent])
        end_x, end_y = _from(segments.end, edge, agents.position[agent])
        d_x, d_y = segments.unit[edge, 0], segments.unit[edge, 1]
        along, past = x * d_x + y * d_y, end_x * d_x + end_y * d_y
        _write_line((x * d_y - y * d_x, along, along - past), segments, edge, own, radius, formula)
        _meet_line(formula, e_x, e_y, urgency)
        if segments.convex_start[edge] and not (along >= 0.0 and x * x + y * y <= radius * radius):
            velocity = segments.velocity_start[edge, 0], segments.velocity_start[edge, 1]
            write_disc((-x, -y), velocity, radius, -math.inf, 1.0, own, formula)
            meet_disc(formula, e_x, e_y, urgency)
        seen = segments.unit_after[edge, 0] * end_y - segments.unit_after[edge, 1] * end_x < 0.0
        beside = past <= 0.0 and end_x * end_x + end_y * end_y <= radius * radius
        if segments.convex_end[edge] and not seen and not beside:
            velocity = segments.velocity_end[edge, 0], segments.velocity_end[edge, 1]
            write_disc((-end_x, -end_y), velocity, radius, -math.inf, 1.0, own, formula)
            meet_disc(formula, e_x, e_y, urgency)


@part
def _from(corners, edge, position):
    return position[0] - corners[edge, 0], position[1] - corners[edge, 1]


@part
def _write_line(place, segments, edge, own, radius, line):
    """Write the formula of an edge pushed out: a_x, a_y, a0, d_x, d_y, d0, along, length."""
    (off, along, length), (speed, reaction, creep) = place, own
    d_x, d_y = segments.unit[edge, 0], segments.unit[edge, 1]
    w_x = 0.5 * (segments.velocity_start[edge, 0] + segments.velocity_end[edge, 0])
    w_y = 0.5 * (segments.velocity_start[edge, 1] + segments.velocity_end[edge, 1])
    gap = off - radius
    approach = w_x * d_y - w_y * d_x
    line[:8] = 0.0
    line[7] = length
    if gap <= 0.0:
        if 0.0 <= along <= length:
            press = speed / (reaction * (max(-approach, 0.0) + creep))
            line[0], line[1] = -d_y * press, d_x * press
        return
    inverse = 1.0 / gap
    scale = speed * inverse
    line[0], line[1], line[2] = -d_y * scale, d_x * scale, approach * inverse
    line[3], line[4], line[5], line[6] = speed * d_x, speed * d_y, w_x * d_x + w_y * d_y, along


@part
def _meet_line(line, e_x, e_y, urgency):
    """Raise the urgency of all headings to that of a line: no branches, several headings at once."""
    a_x, a_y, a0, d_x, d_y, d0, along, length = line[0], line[1], line[2], line[3], line[4], line[5], line[6], line[7]
    for k in range(urgency.size):
        m = a_x * e_x[k] + a_y * e_y[k] + a0
        s = d_x * e_x[k] + d_y * e_y[k] - d0 + along * m
        counts = (s >= 0.0) & (s <= length * m) & (m > urgency[k])
        urgency[k] = m if counts else urgency[k]
