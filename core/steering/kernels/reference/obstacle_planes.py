# SPDX-License-Identifier: GPL-3.0-or-later
"""Half planes of velocities that keep clear of obstacle edges: numpy kernel.

Velocities are taken relative to the edge, so that a moving obstacle differs from one that stands only by a shift.

Source: van den Berg et al. 2011, section 5.4, with the cases of the authors' library: edges seen from their end, legs
that would point into the neighbouring edge, and edges already covered by an earlier half plane.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Bool, Float64, Horizons, Int64, Ragged, Segments, SortedAgents, columns_of
from .linear_program import NO_LINE

COVERED = -1e-5


class _Views(NamedTuple):
    """Pairs of agent and edge, as the agent sees it: vectors (2, N) and numbers (N,).

    Attributes:
        start, end: the corners, relative to the agent.
        unit, before, after: directions of the edge and of its neighbours.
        convex_start, convex_end: of the corners.
        drift: velocity of the point of the edge that is nearest to the agent.
        velocity: of the agent, relative to the drift.
        radius: of the agent.
    """

    start: Float64
    end: Float64
    unit: Float64
    before: Float64
    after: Float64
    convex_start: Bool
    convex_end: Bool
    drift: Float64
    velocity: Float64
    radius: Float64


class _Corners(NamedTuple):
    """What an edge looks like from an agent: its left and its right end, the same one if seen from beyond an end."""

    left: Float64
    right: Float64
    before: Float64
    after: Float64
    convex_left: Bool
    convex_right: Bool
    single: Bool


def obstacle_planes(
    agents: SortedAgents, rows: slice, edges: Ragged, segments: Segments, horizons: Horizons
) -> tuple[Float64, int]:
    """The half planes that `rows` of the agents owe to edges near them; the obstacle makes none of the change.

    Args:
        agents: everybody.
        rows: N of them, whose half planes.
        edges: for each agent the edges to avoid, those that stand still first, then nearest first.
        segments: all edges.
        horizons: looked ahead [s].

    Returns:
        float64 (4, M, N), point x, y and direction x, y, with rows of `NO_LINE` where an agent has fewer; and how many
        of the rows are of obstacles that stand still, which come first.
    """
    first = edges.first[rows.start : rows.stop + 1]
    owner = np.arange(first.size - 1).repeat(np.diff(first))
    edge = edges.items[first[0] : first[-1]]
    inverse = 1.0 / horizons.obstacles
    waiting = np.arange(owner.size)
    found = []
    with np.errstate(divide="ignore", invalid="ignore"):
        views = _look(agents, rows.start + owner, edge, segments)
        while waiting.size:
            whose = owner[waiting]
            turn = np.concatenate(([True], whose[1:] != whose[:-1]))  # the next edge of each agent
            now = waiting[turn]
            line, asked = _half_planes(columns_of(views, now), inverse)
            found.append((owner[now[asked]], segments.stands[edge[now[asked]]], line[:, asked]))
            by = turn.cumsum() - 1  # which of the new half planes belongs to the same agent
            covered = asked[by] & _covered(columns_of(views, waiting), line[:, by], inverse)
            waiting = waiting[~turn & ~covered]
    return _as_rows(found, first.size - 1)


def _as_rows(found: list[tuple[Int64, Bool, Float64]], agents: int) -> tuple[Float64, int]:
    """Half planes, each of an agent, in rows: those of standing obstacles first, each agent's in their order."""
    owner = np.concatenate([part[0] for part in found])
    stands = np.concatenate([part[1] for part in found])
    lines = np.concatenate([part[2] for part in found], axis=1)
    tables = []
    for kind in (stands, ~stands):
        order = kind.nonzero()[0][np.argsort(owner[kind], kind="stable")]
        whose = owner[order]
        counts = np.bincount(whose, minlength=agents)
        row = np.arange(whose.size) - np.repeat(counts.cumsum() - counts, counts)
        table = np.empty((4, int(counts.max()), agents))
        table[:] = NO_LINE[:, None, None]
        table[:, row, whose] = lines[:, order]
        tables.append(table)
    return np.concatenate(tables, axis=1), tables[0].shape[1]


def _dot(a: Float64, b: Float64) -> Float64:
    return a[0] * b[0] + a[1] * b[1]


def _det(a: Float64, b: Float64) -> Float64:
    return a[0] * b[1] - a[1] * b[0]


def look_at_edges(
    agents: SortedAgents, rows: Int64, edges: Int64, segments: Segments
) -> tuple[Float64, Float64, Float64, Float64]:
    """Return what N agents see of an edge each.

    Returns:
        its ends relative to the agent, (2, N) each [m]; at which share of it is its nearest point, (N,); and the
        velocity of that, (2, N) [m/s].
    """
    position = agents.position.take(rows, 0).T  # (2, N)
    start, end = segments.start.take(edges, 0).T - position, segments.end.take(edges, 0).T - position
    edge = end - start
    s = -_dot(start, edge) / _dot(edge, edge)
    s = np.where(s < 0.0, 0.0, np.where(s > 1.0, 1.0, s))
    drift = segments.velocity_start.take(edges, 0).T
    return start, end, s, drift + s * (segments.velocity_end.take(edges, 0).T - drift)


def _look(agents: SortedAgents, rows: Int64, edges: Int64, segments: Segments) -> _Views:
    """Pairs of agent and edge."""
    start, end, _, drift = look_at_edges(agents, rows, edges, segments)
    return _Views(
        start,
        end,
        segments.unit.take(edges, 0).T,
        segments.unit_before.take(edges, 0).T,
        segments.unit_after.take(edges, 0).T,
        segments.convex_start[edges],
        segments.convex_end[edges],
        drift,
        agents.velocity.take(rows, 0).T - drift,
        agents.radius[rows],
    )


def _covered(views: _Views, line: Float64, inverse: float) -> Bool:
    """Whether a half plane already forbids all that the edges could forbid: their cut-off, and the cone behind it.

    Among edges that do not move relative to each other the cone follows from the cut-off.
    """
    x, y, along_x, along_y = line
    margin = inverse * views.radius

    def inside(corner: Float64) -> Bool:
        cut_x, cut_y = inverse * corner
        cone = cut_x * along_y - cut_y * along_x - margin
        cut_x, cut_y = cut_x + views.drift[0], cut_y + views.drift[1]
        depth = (cut_x - x) * along_y - (cut_y - y) * along_x - margin
        return (depth >= COVERED) & (cone >= 2.0 * COVERED)

    return inside(views.start) & inside(views.end)


def _half_planes(views: _Views, inverse: float) -> tuple[Float64, Bool]:
    """One half plane for each pair of edge and agent (4, N), and whether it is asked for (N,)."""
    start2, end2 = _dot(views.start, views.start), _dot(views.end, views.end)
    radius2 = views.radius * views.radius
    edge = views.end - views.start
    s = -_dot(views.start, edge) / _dot(edge, edge)
    off = -views.start - s * edge
    grazing = _dot(off, off) <= radius2
    before_start, after_end = s < 0.0, s > 1.0
    at_start, at_end = before_start & (start2 <= radius2), after_end & (end2 <= radius2)
    on_edge = ~before_start & ~after_end & grazing

    touch_line, touch_asked = _touching_planes(views, at_start, at_end)
    from_start, from_end = before_start & grazing, after_end & grazing
    corners = _corners(views, from_start, from_end)
    line, asked = _far_planes(views, corners, inverse)
    asked &= ~(from_start & ~views.convex_start) & ~(from_end & ~views.convex_end)

    touching = at_start | at_end | on_edge
    line = np.where(touching, touch_line, line)
    line[:2] += views.drift
    return line, np.where(touching, touch_asked, asked)


def _touching_planes(views: _Views, at_start: Bool, at_end: Bool) -> tuple[Float64, Bool]:
    """For those who already touch: no velocity towards the edge."""
    corner = np.where(at_start, views.start, views.end)
    length = np.sqrt(_dot(corner, corner))
    at_corner = at_start | at_end
    along_x = np.where(at_corner, -corner[1] / length, -views.unit[0])
    along_y = np.where(at_corner, corner[0] / length, -views.unit[1])
    zero = np.zeros_like(along_x)
    seen_here = views.convex_end & (_det(views.end, views.after) >= 0.0)  # else the next edge sees to it
    asked = np.where(at_start, views.convex_start, np.where(at_end, seen_here, True))
    return np.stack((zero, zero, along_x, along_y)), asked


def _corners(views: _Views, from_start: Bool, from_end: Bool) -> _Corners:
    return _Corners(
        np.where(from_end, views.end, views.start),
        np.where(from_start, views.start, views.end),
        np.where(from_end, views.unit, views.before),
        np.where(from_start, views.unit, views.after),
        np.where(from_end, views.convex_end, views.convex_start),
        np.where(from_start, views.convex_start, views.convex_end),
        from_start | from_end,
    )


def _legs(views: _Views, corners: _Corners) -> tuple[Float64, Bool, Float64, Bool]:
    """Directions of the left and the right leg, and whether they belong to a neighbouring edge.

    A leg starts at a convex corner and touches the disc there; at any other corner it extends the cut-off line. It
    never points into the neighbouring edge, but runs along that one.
    """
    radius = views.radius
    x, y = corners.left
    length2 = x * x + y * y
    leg = np.sqrt(np.where(length2 > radius * radius, length2 - radius * radius, 0.0))
    tangent = np.stack((x * leg - y * radius, x * radius + y * leg)) / length2
    left = np.where(corners.convex_left, tangent, -views.unit)
    foreign_left = corners.convex_left & (_det(left, -corners.before) >= 0.0)
    left = np.where(foreign_left, -corners.before, left)

    x, y = corners.right
    length2 = x * x + y * y
    leg = np.sqrt(np.where(length2 > radius * radius, length2 - radius * radius, 0.0))
    tangent = np.stack((x * leg + y * radius, y * leg - x * radius)) / length2
    right = np.where(corners.convex_right, tangent, views.unit)
    foreign_right = corners.convex_right & (_det(right, corners.after) <= 0.0)
    right = np.where(foreign_right, corners.after, right)
    return left, foreign_left, right, foreign_right


def _far_planes(views: _Views, corners: _Corners, inverse: float) -> tuple[Float64, Bool]:
    """For those who do not touch: the tangent of the velocity obstacle that is nearest to the velocity."""
    left, foreign_left, right, foreign_right = _legs(views, corners)
    cut_left, cut_right = inverse * corners.left, inverse * corners.right
    cut = cut_right - cut_left
    from_left, from_right = views.velocity - cut_left, views.velocity - cut_right
    t = np.where(corners.single, 0.5, _dot(from_left, cut) / _dot(cut, cut))
    t_left, t_right = _dot(from_left, left), _dot(from_right, right)
    round_left = (t_left < 0.0) & ((t < 0.0) | (corners.single & (t_right < 0.0)))
    round_right = ~round_left & (t > 1.0) & (t_right < 0.0)

    def distance2(base: Float64, along: Float64, t: Float64, off: Bool) -> Float64:
        gap = views.velocity - (base + t * along)
        return np.where(off, np.inf, _dot(gap, gap))

    to_cut = distance2(cut_left, cut, t, (t < 0.0) | (t > 1.0) | corners.single)
    to_left = distance2(cut_left, left, t_left, t_left < 0.0)
    to_right = distance2(cut_right, right, t_right, t_right < 0.0)
    on_cut = (to_cut <= to_left) & (to_cut <= to_right)
    on_left = ~on_cut & (to_left <= to_right)

    around = np.where(round_left, from_left, from_right)
    around = around / np.sqrt(_dot(around, around))
    circled = round_left | round_right
    straight = np.where(on_cut, -views.unit, np.where(on_left, left, -right))
    along = np.where(circled, np.stack((around[1], -around[0])), straight)
    at_left = round_left | (~round_right & (on_cut | on_left))
    margin = views.radius * inverse
    point = np.where(at_left, cut_left, cut_right) + margin * np.stack((-along[1], along[0]))
    asked = circled | on_cut | np.where(on_left, ~foreign_left, ~foreign_right)
    return np.concatenate((point, along)), asked
