# SPDX-License-Identifier: GPL-3.0-or-later
"""The velocity at which the energy of expected contacts and the cost of leaving one's way are least: numba kernel."""

from __future__ import annotations

import math

import numpy as np

from ....compiled.compiling import each_row, part, run_over
from ..arrays import ContactEnergy, Float64, Int64, Ragged, Segments, SortedAgents
from ..reference.power_law import HALVINGS, NEAR_ENOUGH, NO_TIME, SERIES, TINY
from .obstacle_planes import look_at_edge

CONTACT = 10
"""Numbers of one contact: those of the reference's `Touchable`, without `counts`."""


def new_velocity(
    agents: SortedAgents, neighbours: Int64, edges: Ragged, segments: Segments, energy: ContactEnergy
) -> Float64:
    """New velocities of the first N agents; see `reference`."""
    result = np.empty((neighbours.shape[1], 2))
    run_over(neighbours.shape[1], _steer, agents, neighbours, edges, segments, energy, result)
    return result


@each_row(takes=1.0)
def _steer(begin, end, agents, neighbours, edges, segments, energy, result):
    most = 0
    for agent in range(begin, end):
        most = max(most, edges.first[agent + 1] - edges.first[agent])
    contacts = np.empty((neighbours.shape[0] + most, CONTACT))
    for agent in range(begin, end):
        people = 0
        for rank in range(neighbours.shape[0]):
            other = neighbours[rank, agent]
            if other < 0:
                break
            _write_person(agents, agent, other, energy, contacts[people])
            people += 1
        known = people
        for place in range(edges.first[agent], edges.first[agent + 1]):
            _write_wall(agents, agent, segments, edges.items[place], energy, contacts[known])
            known += 1
        x, y = _least(agents, agent, contacts[:known], people, energy)
        result[agent, 0], result[agent, 1] = x + 0.0, y + 0.0  # no negative zeros


@part
def _write_person(agents, agent, other, energy, contact):
    x = agents.position[other, 0] - agents.position[agent, 0]
    y = agents.position[other, 1] - agents.position[agent, 1]
    share = agents.share[other]
    own_x, own_y = agents.velocity[agent, 0], agents.velocity[agent, 1]
    rest_x = own_x - agents.velocity[other, 0] - own_x / share
    rest_y = own_y - agents.velocity[other, 1] - own_y / share
    tie = 1.0 if agent < other else -1.0
    reach = agents.radius[other] + agents.radius[agent]
    _write(x, y, reach, tie, energy, contact)
    contact[2], contact[3], contact[4] = rest_x + contact[2], rest_y + contact[3], share


@part
def _write(x, y, reach, tie, energy, contact):
    """Write what does not depend on velocities; the rest as of what stands and does not change its velocity."""
    distance = math.sqrt(x * x + y * y)
    heap = distance == 0.0
    inverse = 1.0 / (1.0 if heap else distance)
    parting = max(reach + energy.least_gap - distance, 0.0) * energy.parting_rate
    distance = max(distance, 2.0 * energy.least_gap)
    reach = min(reach, distance - energy.least_gap)
    square = distance * distance - reach * reach
    root = 1.0 / math.sqrt(square)
    contact[0], contact[1] = (tie if heap else x * inverse), y * inverse
    contact[2], contact[3], contact[4] = parting * contact[0], parting * contact[1], 1.0
    contact[5], contact[6], contact[7] = distance / square, root, reach * root
    contact[8], contact[9] = 0.0, 0.0


@part
def _write_wall(agents, agent, segments, edge, energy, contact):
    x, y, end_x, end_y, at, drift_x, drift_y = look_at_edge(agents, agent, segments, edge)
    _write(x + at * (end_x - x), y + at * (end_y - y), agents.radius[agent], 1.0, energy, contact)
    contact[2], contact[3] = contact[2] - drift_x, contact[3] - drift_y
    first = _side(x, y, contact)
    second = _side(end_x, end_y, contact)
    contact[8], contact[9] = max(first, second, 0.0), max(-first, -second, 0.0)


@part
def _side(x, y, contact):
    """How far to the left a corner is, over how far it is ahead."""
    ahead, aside = x * contact[0] + y * contact[1], y * contact[0] - x * contact[1]
    return aside / max(ahead, TINY)


@part
def _least(agents, agent, contacts, people, energy):
    """The velocity at which the cost is least: Newton's method with steps that are halved."""
    most = agents.max_speed[agent]
    v_x, v_y = _shortened(agents.velocity[agent, 0], agents.velocity[agent, 1], most)
    wanted = _shortened(agents.preferred[agent, 0], agents.preferred[agent, 1], most)
    cost, goal_x, goal_y = _cost(v_x, v_y, wanted, contacts, people, energy)
    for _ in range(energy.steps):
        if (goal_x - v_x) * (goal_x - v_x) + (goal_y - v_y) * (goal_y - v_y) <= NEAR_ENOUGH * NEAR_ENOUGH:
            break
        share, lower = 1.0, cost
        from_x, from_y, to_x, to_y = v_x, v_y, goal_x, goal_y
        for _ in range(HALVINGS):
            x, y = to_x, to_y
            if share < 1.0:
                x, y = from_x + share * (to_x - from_x), from_y + share * (to_y - from_y)
            x, y = _shortened(x, y, most)
            tried, next_x, next_y = _cost(x, y, wanted, contacts, people, energy)
            if tried < cost:
                v_x, v_y, lower, goal_x, goal_y = x, y, tried, next_x, next_y
                break
            share *= 0.5
        if not lower < cost:
            break
        cost = lower
    return v_x, v_y


@part
def _shortened(x, y, most):
    length2 = x * x + y * y
    if length2 > most * most:
        factor = most / math.sqrt(length2)
        return x * factor, y * factor
    return x, y


@part
def _cost(v_x, v_y, wanted, contacts, people, energy):
    """The cost of a velocity, and to which velocity Newton's method goes from there."""
    off_x, off_y = v_x - wanted[0], v_y - wanted[1]
    total, g_x, g_y, xx, xy, yy = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for number in range(people):
        u, u_x, u_y = _urgency(v_x, v_y, contacts[number], energy)
        weight, first, second = _energy(u, contacts[number, 4], energy)
        total += weight * u * u
        g_x, g_y = g_x + first * u_x, g_y + first * u_y
        xx, xy, yy = xx + second * u_x * u_x, xy + second * u_x * u_y, yy + second * u_y * u_y
    if contacts.shape[0] > people:
        u8, sum_x, sum_y = 0.0, 0.0, 0.0
        for number in range(people, contacts.shape[0]):
            u, u_x, u_y = _urgency(v_x, v_y, contacts[number], energy)
            u2 = u * u
            u4 = u2 * u2
            seventh = u4 * u2 * u
            u8, sum_x, sum_y = u8 + u4 * u4, sum_x + seventh * u_x, sum_y + seventh * u_y
        u = math.sqrt(math.sqrt(math.sqrt(u8)))
        m = max(u, TINY)
        m2 = m * m
        inverse = 1.0 / (m2 * m2 * m2 * m)
        u_x, u_y = sum_x * inverse, sum_y * inverse
        weight, first, second = _energy(u, 1.0, energy)
        total += weight * u * u
        g_x, g_y = g_x + first * u_x, g_y + first * u_y
        xx, xy, yy = xx + second * u_x * u_x, xy + second * u_x * u_y, yy + second * u_y * u_y
    cost = 0.5 * (off_x * off_x + off_y * off_y) + total
    right_x = wanted[0] + (xx * v_x + xy * v_y) - g_x
    right_y = wanted[1] + (xy * v_x + yy * v_y) - g_y
    xx, yy = 1.0 + xx, 1.0 + yy
    determinant = xx * yy - xy * xy
    return cost, (yy * right_x - xy * right_y) / determinant, (xx * right_y - xy * right_x) / determinant


@part
def _urgency(v_x, v_y, contact, energy):
    """One over the time to contact at a velocity [1/s], 0 if never, and its gradient [1/m]."""
    x, y, inverse = contact[0], contact[1], 1.0 / contact[4]
    rel_x, rel_y = contact[2] + v_x * inverse, contact[3] + v_y * inverse
    w, t = rel_x * x + rel_y * y, rel_y * x - rel_x * y
    length = math.sqrt(w * w + energy.closing * energy.closing)
    closing = 0.5 * energy.closing * energy.closing / (length - w) if w < 0.0 else 0.5 * (w + length)
    slope = closing / length
    side = contact[8] if t > 0.0 else -contact[9]
    beside = t - side * closing
    t, t_w, t_t = (0.0, 0.0, 0.0) if t * beside <= 0.0 else (beside, -side * slope, 1.0)
    width, width_w = contact[7] * closing, contact[7] * slope
    off, blur = width * width - t * t, (2.0 * width + energy.sideways) * energy.sideways
    off_w, off_t = 2.0 * (width * width_w - t * t_w), -2.0 * t * t_t
    blur_w = 2.0 * energy.sideways * width_w
    m = math.sqrt(off * off + blur * blur)
    cube = 0.5 * blur / (m * m * m)
    if off < 0.0:
        hits, chord = 0.5 * blur * blur / (m * (m - off)), blur / math.sqrt(2.0 * (m - off))
    else:
        hits, chord = 0.5 * (1.0 + off / m), math.sqrt(0.5 * (off + m))
    hits_w, hits_t = cube * (off_w * blur - off * blur_w), cube * off_t * blur
    quarter = 0.25 / chord
    chord_w = quarter * (off_w + (off * off_w + blur * blur_w) / m)
    chord_t = quarter * (off_t + off * off_t / m)
    u = contact[5] * closing + contact[6] * chord
    u_w = hits_w * u + hits * (contact[5] * slope + contact[6] * chord_w)
    u_t = hits_t * u + hits * (contact[6] * chord_t)
    return hits * u, (u_w * x - u_t * y) * inverse, (u_w * y + u_t * x) * inverse


@part
def _energy(u, share, energy):
    """The weight of u^2 in the energy of a contact, and the first and second derivative of the energy by u."""
    rate = 1.0 / energy.time_scale
    if u <= rate / NO_TIME:
        return 0.0, 0.0, 0.0
    late = rate / u
    weight = energy.weight * share * _decay(late)
    return weight, weight * (2.0 * u + rate), weight * (2.0 + 2.0 * late + late * late)


@part
def _decay(y):
    """Return e to the power of -y, for y from 0 to 40."""
    z = y / -SERIES
    power = 1.0 + z * (1.0 + z * (0.5 + z * (1.0 / 6.0 + z * (1.0 / 24.0 + z * (1.0 / 120.0)))))
    for _ in range(8):
        power = power * power
    return power
