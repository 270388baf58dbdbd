# SPDX-License-Identifier: GPL-3.0-or-later
"""Half planes of one agent against obstacle edges: numba kernel."""

from __future__ import annotations

import math

from ....compiled.compiling import part

COVERED = -1e-5


@part
def obstacle_planes(agents, agent, near, segments, inverse, lines):
    """Write the half planes that an agent owes to edges, and count them: those that never give way, and all."""
    hard, count = 0, 0
    for edge in near:
        start_x, start_y, end_x, end_y, _, drift_x, drift_y = look_at_edge(agents, agent, segments, edge)
        margin = inverse * agents.radius[agent]
        covered = False
        for before in range(count):
            line = lines[before]
            if _inside(line, inverse * start_x, inverse * start_y, drift_x, drift_y, margin) and _inside(
                line, inverse * end_x, inverse * end_y, drift_x, drift_y, margin
            ):
                covered = True
                break
        if covered:
            continue
        velocity_x, velocity_y = agents.velocity[agent, 0] - drift_x, agents.velocity[agent, 1] - drift_y
        line = lines[count]
        if _half_plane(
            segments,
            edge,
            (start_x, start_y),
            (end_x, end_y),
            (velocity_x, velocity_y),
            agents.radius[agent],
            inverse,
            line,
        ):
            line[0] += drift_x
            line[1] += drift_y
            count += 1
            if segments.stands[edge]:
                hard += 1
    return hard, count


@part
def look_at_edge(agents, agent, segments, edge):
    """The ends of an edge, relative to the agent, at which share of it is its nearest point, and the velocity there."""
    start_x = segments.start[edge, 0] - agents.position[agent, 0]
    start_y = segments.start[edge, 1] - agents.position[agent, 1]
    end_x = segments.end[edge, 0] - agents.position[agent, 0]
    end_y = segments.end[edge, 1] - agents.position[agent, 1]
    edge_x, edge_y = end_x - start_x, end_y - start_y
    s = -(start_x * edge_x + start_y * edge_y) / (edge_x * edge_x + edge_y * edge_y)
    s = 0.0 if s < 0.0 else min(s, 1.0)
    drift, drift_end = segments.velocity_start[edge], segments.velocity_end[edge]
    drift_x, drift_y = drift[0] + s * (drift_end[0] - drift[0]), drift[1] + s * (drift_end[1] - drift[1])
    return start_x, start_y, end_x, end_y, s, drift_x, drift_y


@part
def _inside(line, cut_x, cut_y, drift_x, drift_y, margin):
    """Whether one end of the cut-off of an edge, and the cone behind it, are forbidden already."""
    cone = cut_x * line[3] - cut_y * line[2] - margin
    cut_x, cut_y = cut_x + drift_x, cut_y + drift_y
    depth = (cut_x - line[0]) * line[3] - (cut_y - line[1]) * line[2] - margin
    return depth >= COVERED and cone >= 2.0 * COVERED


@part
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1]


@part
def _det(a, b):
    return a[0] * b[1] - a[1] * b[0]


@part
def _minus(a, b):
    return a[0] - b[0], a[1] - b[1]


@part
def _half_plane(segments, edge, start, end, velocity, radius, inverse, line):
    """Write the half plane for one edge, relative to its velocity; whether there is one."""
    start2, end2, radius2 = _dot(start, start), _dot(end, end), radius * radius
    along = _minus(end, start)
    s = -_dot(start, along) / _dot(along, along)
    off = (-start[0] - s * along[0], -start[1] - s * along[1])
    grazing = _dot(off, off) <= radius2
    unit = (segments.unit[edge, 0], segments.unit[edge, 1])
    before = (segments.unit_before[edge, 0], segments.unit_before[edge, 1])
    after = (segments.unit_after[edge, 0], segments.unit_after[edge, 1])
    convex_start, convex_end = segments.convex_start[edge], segments.convex_end[edge]

    if s < 0.0 and start2 <= radius2:
        return convex_start and _touch_corner(start, line)
    if s > 1.0 and end2 <= radius2:
        return convex_end and _det(end, after) >= 0.0 and _touch_corner(end, line)
    if grazing and 0.0 <= s <= 1.0:
        line[0], line[1], line[2], line[3] = 0.0, 0.0, -unit[0], -unit[1]
        return True
    if grazing and s < 0.0:
        corners = (start, start, before, unit, convex_start, convex_start)
        return convex_start and _far_plane(corners, True, unit, velocity, radius, inverse, line)
    if grazing and s > 1.0:
        corners = (end, end, unit, after, convex_end, convex_end)
        return convex_end and _far_plane(corners, True, unit, velocity, radius, inverse, line)
    corners = (start, end, before, after, convex_start, convex_end)
    return _far_plane(corners, False, unit, velocity, radius, inverse, line)


@part
def _touch_corner(corner, line):
    length = math.sqrt(_dot(corner, corner))
    line[0], line[1], line[2], line[3] = 0.0, 0.0, -corner[1] / length, corner[0] / length
    return True


@part
def _leg(corner, radius):
    length2 = _dot(corner, corner)
    return length2, math.sqrt(length2 - radius * radius) if length2 > radius * radius else 0.0


@part
def _legs(corners, unit, radius):
    """Directions of the left and the right leg, and whether they belong to a neighbouring edge."""
    left_corner, right_corner, before, after, convex_left, convex_right = corners
    left, right = (-unit[0], -unit[1]), unit
    foreign_left = foreign_right = False
    if convex_left:
        length2, leg = _leg(left_corner, radius)
        x, y = left_corner
        left = ((x * leg - y * radius) / length2, (x * radius + y * leg) / length2)
        back = (-before[0], -before[1])
        if _det(left, back) >= 0.0:
            left, foreign_left = back, True
    if convex_right:
        length2, leg = _leg(right_corner, radius)
        x, y = right_corner
        right = ((x * leg + y * radius) / length2, (y * leg - x * radius) / length2)
        if _det(right, after) <= 0.0:
            right, foreign_right = after, True
    return left, foreign_left, right, foreign_right


@part
def _distance2(velocity, base, along, t):
    gap = (velocity[0] - (base[0] + t * along[0]), velocity[1] - (base[1] + t * along[1]))
    return _dot(gap, gap)


@part
def _far_plane(corners, single, unit, velocity, radius, inverse, line):
    """Write the tangent of the velocity obstacle that is nearest to the velocity; whether there is one."""
    left, foreign_left, right, foreign_right = _legs(corners, unit, radius)
    cut_left = (inverse * corners[0][0], inverse * corners[0][1])
    cut_right = (inverse * corners[1][0], inverse * corners[1][1])
    cut = _minus(cut_right, cut_left)
    from_left, from_right = _minus(velocity, cut_left), _minus(velocity, cut_right)
    t = 0.5 if single else _dot(from_left, cut) / _dot(cut, cut)
    t_left, t_right = _dot(from_left, left), _dot(from_right, right)
    margin = radius * inverse
    if t_left < 0.0 and (t < 0.0 or (single and t_right < 0.0)):
        return _round_plane(cut_left, from_left, margin, line)
    if t > 1.0 and t_right < 0.0:
        return _round_plane(cut_right, from_right, margin, line)

    to_cut = math.inf if t < 0.0 or t > 1.0 or single else _distance2(velocity, cut_left, cut, t)
    to_left = math.inf if t_left < 0.0 else _distance2(velocity, cut_left, left, t_left)
    to_right = math.inf if t_right < 0.0 else _distance2(velocity, cut_right, right, t_right)
    if to_cut <= to_left and to_cut <= to_right:
        return _straight_plane(cut_left, (-unit[0], -unit[1]), margin, line)
    if to_left <= to_right:
        return not foreign_left and _straight_plane(cut_left, left, margin, line)
    return not foreign_right and _straight_plane(cut_right, (-right[0], -right[1]), margin, line)


@part
def _round_plane(base, away, margin, line):
    length = math.sqrt(_dot(away, away))
    return _straight_plane(base, (away[1] / length, -(away[0] / length)), margin, line)


@part
def _straight_plane(base, along, margin, line):
    line[0], line[1] = base[0] + margin * -along[1], base[1] + margin * along[0]
    line[2], line[3] = along
    return True
