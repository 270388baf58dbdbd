# SPDX-License-Identifier: GPL-3.0-or-later
"""How soon people touch walls along each heading: numpy kernel.

A body of radius r touches an edge where its centre touches the edge pushed out by r, or a disc of radius r round one of
its corners.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Bool, Float64, HeadingAims, Int64, Ragged, Segments, SortedAgents, take_rows
from .view import Vector, disc_urgency, discs

CHUNK = 1024


class ShiftedEdges(NamedTuple):
    """Edges pushed out, as one formula over headings e; float64 (n,) each.

    With m = a.e + a0, the urgency is m where it is positive and s = along * m + d.e - d0 is from 0 to length * m.
    """

    a_x: Float64
    a_y: Float64
    a0: Float64
    d_x: Float64
    d_y: Float64
    d0: Float64
    along: Float64
    length: Float64


def wall_urgency(
    agents: SortedAgents, aims: HeadingAims, rows: slice, edges: Ragged, segments: Segments, e: Vector, creep: float
) -> Float64:
    """The urgency of walls along all headings (M, n) of some agents [1/s].

    Args:
        agents: everybody.
        aims: what they want.
        rows: n of them.
        edges: for each agent the obstacle edges to avoid.
        segments: all edges.
        e: headings, (M, n) each of x and y.
        creep: how fast those who touch may go deeper [m/s].

    Returns:
        float64 (M, n) [1/s].
    """
    urgency = np.zeros(e[0].shape)
    first = edges.first[rows.start : rows.stop + 1]
    count = np.diff(first)
    owner = np.arange(count.size).repeat(count)
    numbers = edges.items[first[0] : first[-1]]
    for begin in range(0, numbers.size, CHUNK):
        own, edge = owner[begin : begin + CHUNK], numbers[begin : begin + CHUNK]
        edge = take_rows(segments, edge)
        found = _of_pairs(agents, aims, rows.start + own, edge, (e[0][:, own], e[1][:, own]), creep)
        starts = np.diff(own, prepend=-1).nonzero()[0]
        who = own[starts]
        urgency[:, who] = np.maximum(urgency[:, who], np.maximum.reduceat(found, starts, axis=1))
    return urgency


def _of_pairs(agents: SortedAgents, aims: HeadingAims, own: Int64, edge: Segments, e: Vector, creep: float) -> Float64:
    """The urgency of one edge for each of some agents along all headings, (M, n)."""
    position = agents.position.take(own, 0)
    (x, y), (end_x, end_y) = (position - edge.start).T, (position - edge.end).T
    d_x, d_y = edge.unit.T
    along, past = x * d_x + y * d_y, end_x * d_x + end_y * d_y  # past the start, and past the end
    body = aims.speed[own], aims.reaction[own], agents.radius[own]
    lines = _lines((x * d_y - y * d_x, along, along - past), (d_x, d_y), edge, body, creep)
    found = _line_urgency(lines, e)
    hidden = ~(edge.unit_after[:, 0] * end_y - edge.unit_after[:, 1] * end_x < 0.0)  # else it is that edge's start
    for gap, velocity, counts, beside in (
        ((-x, -y), edge.velocity_start, edge.convex_start, along >= 0.0),
        ((-end_x, -end_y), edge.velocity_end, edge.convex_end & hidden, past <= 0.0),
    ):
        rows = (counts & ~(beside & (gap[0] * gap[0] + gap[1] * gap[1] <= body[2] * body[2]))).nonzero()[0]
        if rows.size:
            corner = discs(
                (gap[0][rows], gap[1][rows]),
                (velocity[rows, 0], velocity[rows, 1]),
                body[2][rows],
                np.full(rows.size, -np.inf),
                1.0,
                (body[0][rows], body[1][rows], creep),
            )
            found[:, rows] = np.maximum(found[:, rows], disc_urgency(corner, e[0][:, rows], e[1][:, rows]))
    return found


def _lines(
    place: tuple[Float64, Float64, Float64],
    direction: Vector,
    edge: Segments,
    body: tuple[Float64, Float64, Float64],
    creep: float,
) -> ShiftedEdges:
    """Edges pushed out by the radius, as formulas over headings.

    Args:
        place: how far off the edge one is, how far along it, and its length [m].
        direction: of the edge.
        edge: the edge itself.
        body: speed [m/s], reaction time [s] and radius [m].
        creep: how fast those who touch may go deeper [m/s].

    Returns:
        The formulas.
    """
    (off, along, length), (d_x, d_y), (speed, reaction, radius) = place, direction, body
    w_x = 0.5 * (edge.velocity_start[:, 0] + edge.velocity_end[:, 0])
    w_y = 0.5 * (edge.velocity_start[:, 1] + edge.velocity_end[:, 1])
    gap = off - radius
    touching = gap <= 0.0
    inverse = 1.0 / np.where(touching, 1.0, gap)
    approach = w_x * d_y - w_y * d_x
    press = speed / (reaction * (np.maximum(-approach, 0.0) + creep))
    beside: Bool = (along >= 0.0) & (along <= length)
    scale = np.where(touching, np.where(beside, press, 0.0), speed * inverse)
    return ShiftedEdges(
        -d_y * scale,
        d_x * scale,
        np.where(touching, 0.0, approach * inverse),
        np.where(touching, 0.0, speed * d_x),
        np.where(touching, 0.0, speed * d_y),
        np.where(touching, 0.0, w_x * d_x + w_y * d_y),
        np.where(touching, 0.0, along),
        length,
    )


def _line_urgency(lines: ShiftedEdges, e: Vector) -> Float64:
    """How soon headings lead onto lines [1/s]."""
    m = lines.a_x * e[0]
    m += lines.a_y * e[1]
    m += lines.a0
    s = lines.d_x * e[0]
    s += lines.d_y * e[1]
    s -= lines.d0
    s += lines.along * m
    hit = m > 0.0
    hit &= s >= 0.0
    hit &= s <= lines.length * m
    return np.where(hit, m, 0.0)
