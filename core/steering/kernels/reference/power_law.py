# SPDX-License-Identifier: GPL-3.0-or-later
"""The velocity at which the energy of expected contacts and the cost of leaving one's way are least: numpy kernel.

With a relative velocity of w along the line to the other and t across it, distance x, sum of radii r and
c = x^2 - r^2, the time to contact is one over u = (x w + sqrt(c) sqrt(T^2 - t^2)) / c, where |t| < T = w r / sqrt(c):
the urgency [1/s]. Uncertain velocities make w, the root and the end at |t| = T smooth (`urgency`).

Sources: Karamouzas et al. 2014, 2017.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import ContactEnergy, Float64, Int64, Ragged, Segments, SortedAgents, columns_of, rows_of
from .obstacle_planes import look_at_edges

CHUNK = 1024
HALVINGS = 4
"""How often a step is halved that does not lower the cost."""
NO_TIME = 40.0
"""Contacts later than so many time scales do not count: their energy is below rounding."""
NEAR_ENOUGH = 1e-4
"""Whose next step is shorter does not take it [m/s]."""
SERIES = 256.0
"""Powers of e are taken from a series of this root of them."""
TINY = 1e-9

Vector = tuple[Float64, Float64]


class Touchable(NamedTuple):
    """What could be touched, as seen by those who could touch it; float64 (n,) each, or (K, n).

    Attributes:
        x, y: unit vector to it.
        rest_x, rest_y: with one's own velocity over `share` added, the relative velocity [m/s].
        share: which share of a change oneself makes.
        far, root, width: x / c, 1 / sqrt(c) and r / sqrt(c), see above.
        left, right: how far it goes on to either side, over how far it is away; 0 for round bodies.
        counts: 1, or 0 for what is not there.
    """

    x: Float64
    y: Float64
    rest_x: Float64
    rest_y: Float64
    share: Float64
    far: Float64
    root: Float64
    width: Float64
    left: Float64
    right: Float64
    counts: Float64


class Around(NamedTuple):
    """What n agents could touch: `people` (K, n), `walls` (M,), and whose the walls are, `owner` int64 (M,)."""

    people: Touchable
    walls: Touchable
    owner: Int64


def new_velocity(
    agents: SortedAgents, neighbours: Int64, edges: Ragged, segments: Segments, energy: ContactEnergy
) -> Float64:
    """New velocities of the first N agents.

    Args:
        agents: everybody.
        neighbours: int64 (K, N), -1 where there is none.
        edges: for each of these agents the obstacle edges to avoid.
        segments: all edges.
        energy: how much contacts count.

    Returns:
        float64 (N, 2) [m/s].
    """
    count = neighbours.shape[1]
    result = np.empty((count, 2))
    for begin in range(0, count, CHUNK):
        rows = slice(begin, min(begin + CHUNK, count))
        people = people_near(agents, rows, neighbours[:, rows], energy)
        around = Around(people, *walls_near(agents, rows, edges, segments, energy))
        result[rows] = _least(rows_of(agents, rows), around, energy)
    return result + 0.0  # no negative zeros


def people_near(agents: SortedAgents, rows: slice, other: Int64, energy: ContactEnergy) -> Touchable:
    """The neighbours of `rows`, int64 (K, n), -1 where there is none."""
    gap = agents.position.T[:, other] - agents.position[rows].T[:, None]  # (2, K, n)
    reach = agents.radius[other] + agents.radius[rows]
    share = agents.share[other]
    own = agents.velocity[rows].T[:, None]
    rest = own - agents.velocity.T[:, other] - own / share
    tie = np.where(np.arange(rows.start, rows.stop) < other, 1.0, -1.0)
    flat = np.zeros(reach.shape)
    counts = np.where(other < 0, 0.0, 1.0)
    return contacts((gap[0], gap[1]), (rest[0], rest[1]), reach, tie, energy)._replace(
        share=share, left=flat, right=flat, counts=counts
    )


def contacts(gap: Vector, rest: Vector, reach: Float64, tie: Float64 | float, energy: ContactEnergy) -> Touchable:
    """What is `gap` away (two arrays) and is touched at a distance of `reach`; on both sides it ends at once."""
    x, y = gap
    distance = np.sqrt(x * x + y * y)
    heap = distance == 0.0
    inverse = 1.0 / np.where(heap, 1.0, distance)
    part = np.maximum(reach + energy.least_gap - distance, 0.0) * energy.parting_rate
    distance = np.maximum(distance, 2.0 * energy.least_gap)
    reach = np.minimum(reach, distance - energy.least_gap)
    square = distance * distance - reach * reach
    root = 1.0 / np.sqrt(square)
    one = np.ones(reach.shape)
    n_x, n_y = np.where(heap, tie, x * inverse), y * inverse
    return Touchable(
        n_x,
        n_y,
        rest[0] + part * n_x,
        rest[1] + part * n_y,
        one,
        distance / square,
        root,
        reach * root,
        0.0 * one,
        0.0 * one,
        one,
    )


def walls_near(
    agents: SortedAgents, rows: slice, edges: Ragged, segments: Segments, energy: ContactEnergy
) -> tuple[Touchable, Int64]:
    """The edges that some agents avoid, (M,), and whose they are, int64 (M,), counted from the first row."""
    first = edges.first[rows.start : rows.stop + 1]
    count = np.diff(first)
    owner = np.repeat(np.arange(count.size), count)
    own = owner + rows.start
    start, end, part, drift = look_at_edges(agents, own, edges.items[first[0] : first[-1]], segments)
    (x, y), (end_x, end_y) = start, end
    near = x + part * (end_x - x), y + part * (end_y - y)
    found = contacts(near, (-drift[0], -drift[1]), agents.radius[own], 1.0, energy)
    n_x, n_y = found.x, found.y
    sides = []
    for corner_x, corner_y in ((x, y), (end_x, end_y)):
        ahead, aside = corner_x * n_x + corner_y * n_y, corner_y * n_x - corner_x * n_y
        sides.append(aside / np.maximum(ahead, TINY))
    left = np.maximum(np.maximum(sides[0], sides[1]), 0.0)
    right = np.maximum(np.maximum(-sides[0], -sides[1]), 0.0)
    return found._replace(left=left, right=right), owner


def _least(agents: SortedAgents, around: Around, energy: ContactEnergy) -> Float64:
    """The velocities at which the cost is least, (n, 2): Newton's method with steps that are halved."""
    most = agents.max_speed
    v, wanted = _shortened(agents.velocity.T, most), _shortened(agents.preferred.T, most)
    cost, goal = _cost(v, wanted, around, energy)
    who = np.arange(most.size)
    for _ in range(energy.steps):
        way = goal - v
        who = who[(way[0] * way[0] + way[1] * way[1])[who] > NEAR_ENOUGH * NEAR_ENOUGH]
        rest, moved, share = who, [], 1.0
        for _ in range(HALVINGS):
            if not rest.size:
                break
            aim = goal[:, rest] if share == 1.0 else v[:, rest] + share * (goal[:, rest] - v[:, rest])
            tried = _shortened(aim, most[rest])
            tried_cost, next_goal = _cost(tried, wanted[:, rest], _of(around, rest), energy)
            better = tried_cost < cost[rest]
            moved.append((rest[better], tried[:, better], tried_cost[better], next_goal[:, better]))
            rest = rest[~better]
            share *= 0.5
        for some, velocity, lower, beyond in moved:
            v[:, some], cost[some], goal[:, some] = velocity, lower, beyond
        who = np.sort(np.concatenate([some for some, *_ in moved])) if moved else who[:0]
    return v.T


def _of(around: Around, who: Int64) -> Around:
    """What is around some of the agents, int64 (m,)."""
    place = np.full(around.people.x.shape[1], -1)
    place[who] = np.arange(who.size)
    owner = place[around.owner]
    kept = owner >= 0
    return Around(columns_of(around.people, who), rows_of(around.walls, kept), owner[kept])


def _shortened(v: Float64, most: Float64) -> Float64:
    length2 = v[0] * v[0] + v[1] * v[1]
    too_fast = length2 > most * most
    return np.where(too_fast, v * (most / np.sqrt(np.where(too_fast, length2, 1.0))), v)


def _cost(v: Float64, wanted: Float64, around: Around, energy: ContactEnergy) -> tuple[Float64, Float64]:
    """The cost of velocities (2, n), and to which velocities Newton's method goes from there, (2, n)."""
    off_x, off_y = v[0] - wanted[0], v[1] - wanted[1]
    cost = 0.5 * (off_x * off_x + off_y * off_y)
    total = np.zeros((6, v.shape[1]))
    people, owner = around.people, around.owner
    if people.x.size:
        each = _energy(*urgency(v, people, energy), people.share, energy)
        for rank in range(people.x.shape[0]):  # one after the other, as compiled: the same bits
            total += each[:, rank]
    if owner.size:
        total += _energy(*_most_urgent(*urgency(v[:, owner], around.walls, energy), owner, v.shape[1]), 1.0, energy)
    cost = cost + total[0]
    xx, xy, yy = 1.0 + total[3], total[4], 1.0 + total[5]
    right_x = wanted[0] + (total[3] * v[0] + total[4] * v[1]) - total[1]
    right_y = wanted[1] + (total[4] * v[0] + total[5] * v[1]) - total[2]
    determinant = xx * yy - xy * xy
    goal = np.stack(((yy * right_x - xy * right_y) / determinant, (xx * right_y - xy * right_x) / determinant))
    return cost, goal


def _most_urgent(u: Float64, u_x: Float64, u_y: Float64, owner: Int64, agents: int) -> tuple[Float64, Float64, Float64]:
    """The urgency of all walls of each agent and its gradient: of eighth powers, so that the largest counts."""
    u2 = u * u
    u4 = u2 * u2
    seventh = u4 * u2 * u
    sums = [np.bincount(owner, weights=each, minlength=agents) for each in (u4 * u4, seventh * u_x, seventh * u_y)]
    most = np.sqrt(np.sqrt(np.sqrt(sums[0])))
    m = np.maximum(most, TINY)
    m2 = m * m
    inverse = 1.0 / (m2 * m2 * m2 * m)
    return most, sums[1] * inverse, sums[2] * inverse


def urgency(v: Float64, to: Touchable, energy: ContactEnergy) -> tuple[Float64, Float64, Float64]:
    """One over the time to contact at velocities (2, n) [1/s], 0 if never, and its gradient [1/m], (n,) each."""
    inverse = 1.0 / to.share
    rel_x, rel_y = to.rest_x + v[0] * inverse, to.rest_y + v[1] * inverse
    w, t = rel_x * to.x + rel_y * to.y, rel_y * to.x - rel_x * to.y
    length = np.sqrt(w * w + energy.closing * energy.closing)
    closing = np.where(w < 0.0, 0.5 * energy.closing * energy.closing / (length + np.abs(w)), 0.5 * (w + length))
    slope = closing / length
    side = np.where(t > 0.0, to.left, -to.right)
    beside = t - side * closing
    inside = t * beside <= 0.0
    t = np.where(inside, 0.0, beside)
    t_w = np.where(inside, 0.0, -side * slope)
    t_t = np.where(inside, 0.0, 1.0)
    width, width_w = to.width * closing, to.width * slope
    off, blur = width * width - t * t, (2.0 * width + energy.sideways) * energy.sideways
    off_w, off_t = 2.0 * (width * width_w - t * t_w), -2.0 * t * t_t
    blur_w = 2.0 * energy.sideways * width_w
    m = np.sqrt(off * off + blur * blur)
    cube = 0.5 * blur / (m * m * m)
    hits = np.where(off < 0.0, 0.5 * blur * blur / (m * (m + np.abs(off))), 0.5 * (1.0 + off / m))
    hits_w, hits_t = cube * (off_w * blur - off * blur_w), cube * off_t * blur
    chord = np.where(off < 0.0, blur / np.sqrt(2.0 * (m + np.abs(off))), np.sqrt(0.5 * (off + m)))
    quarter = 0.25 / chord
    chord_w = quarter * (off_w + (off * off_w + blur * blur_w) / m)
    chord_t = quarter * (off_t + off * off_t / m)
    u = to.far * closing + to.root * chord
    u_w = hits_w * u + hits * (to.far * slope + to.root * chord_w)
    u_t = hits_t * u + hits * (to.root * chord_t)
    inverse = inverse * to.counts
    return hits * u * to.counts, (u_w * to.x - u_t * to.y) * inverse, (u_w * to.y + u_t * to.x) * inverse


def _energy(u: Float64, u_x: Float64, u_y: Float64, share: Float64 | float, energy: ContactEnergy) -> Float64:
    """Energy of contacts, its gradient and second derivatives (without those of the urgency), (6, ...)."""
    rate = 1.0 / energy.time_scale
    least = rate / NO_TIME
    late = rate / np.maximum(u, least)
    weight = np.where(u > least, energy.weight * share * _decay(late), 0.0)
    first = weight * (2.0 * u + rate)
    second = weight * (2.0 + 2.0 * late + late * late)
    return np.stack(
        (weight * u * u, first * u_x, first * u_y, second * u_x * u_x, second * u_x * u_y, second * u_y * u_y)
    )


def _decay(y: Float64) -> Float64:
    """Return e to the power of -y, for y from 0 to 40, to an absolute error of 1e-9: the same bits on any machine."""
    z = y / -SERIES
    power = 1.0 + z * (1.0 + z * (0.5 + z * (1.0 / 6.0 + z * (1.0 / 24.0 + z * (1.0 / 120.0)))))
    for _ in range(8):
        power = power * power
    return power
