# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is near whom, and what people do because of that: twins of `core.steering.neighbours` and of behaviours.

Pairs are three arrays: the lower and the higher number, int64 (P,), and the squared distance, float64 (P,). Sums are
added up in the order of numpy's code: all pairs one way, then all the other way round.
"""

from __future__ import annotations

import math

import numpy as np

from ..array_types import Bool, Float64, Int64
from .compiling import entry, part, peak_of

Pairs = tuple[Int64, Int64, Float64]


def search(position: Float64, reach: float, people: int) -> Pairs:
    """All pairs nearer than a distance, of whom the first is one of the first `people`, sorted.

    Args:
        position: float64 (N, 2) [m].
        reach: the distance [m].
        people: how many.
    """
    return _search(position, reach, people)


def warm_up() -> None:
    """Compile."""
    none, one, two = np.zeros(0, dtype=np.int64), np.ones(1), np.zeros((1, 2))
    pairs, number, flag = (none, none, np.zeros(0)), np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.bool_)
    search(two, 1.0, 1)
    crowd_ahead(pairs, two, two, number, np.ones(5))
    lean_past(pairs, two, two, np.ones((6, 1)), number, np.ones(10))
    most_limited(pairs, np.ones((8, 1)), np.ones((5, 1)), flag, number, np.ones(6))
    most_urgent(pairs, two, two, two, one, flag, np.ones(5))
    most_urgent_of_all(none, (two, two, two, one), np.ones(5), number)
    leads(pairs, two, two, one, flag, np.ones(2))


def crowd_ahead(
    pairs: Pairs, position: Float64, direction: Float64, group: Int64, numbers: Float64
) -> tuple[Float64, Int64]:
    """The weight of strangers ahead, float64 (R,), and who has most of it, int64 (R,); see `density_speed`."""
    weight, most = np.zeros(len(position)), np.full(len(position), -1)
    _weigh(pairs, position, direction, group, numbers, weight, most)
    return weight, most


def lean_past(
    pairs: Pairs, position: Float64, forward: Float64, people: Float64, group: Int64, numbers: Float64
) -> tuple[Float64, Int64]:
    """How fast people lean to the left, float64 (R,), and because of whom most, int64 (R,); see `overtaking`."""
    lean, first = np.zeros(len(position)), np.zeros(len(position), dtype=np.int64)
    _lean(pairs, position, forward, people, group, numbers, lean, first)
    return lean, first


def most_limited(
    pairs: Pairs, everybody: Float64, walk: Float64, slows: Bool, group: Int64, numbers: Float64
) -> tuple[Float64, Int64]:
    """The greatest speeds of people behind others, float64 (R,), and behind whom, int64 (R,); see `headway`."""
    least, leader = walk[2].copy(), np.full(walk.shape[1], -1)
    _limit(pairs, everybody, walk, slows, group, numbers, least, leader)
    return least, leader


def most_urgent(
    pairs: Pairs, position: Float64, velocity: Float64, wish: Float64, radius: Float64, asks: Bool, numbers: Float64
) -> Int64:
    """The most urgent other of each person, int64 (R,); see `avoidance_reasons`."""
    because_of = np.full(len(radius), -1)
    _urge(pairs, position, velocity, wish, radius, asks, numbers, because_of)
    return because_of


def most_urgent_of_all(some: Int64, bodies: tuple[Float64, ...], numbers: Float64, because_of: Int64) -> None:
    """Write the most urgent of all others of some people into int64 (R,); see `avoidance_reasons`.

    Args:
        some: int64 (N,), rows of those few.
        bodies: position, velocity and wish, float64 (R, 2) each, and radius (R,).
        numbers: float64 (5,): as of `most_urgent`, but the first is the distance of centres [m].
        because_of: int64 (R,).
    """
    _urge_all(some, bodies, numbers, because_of)


def leads(pairs: Pairs, position: Float64, wish: Float64, reach: Float64, walks: Bool, numbers: Float64) -> Float64:
    """How far people are in front of others, float64 (R,); see `precedence`."""
    lead = np.zeros(len(reach))
    _lead(pairs, position, wish, reach, walks, numbers, lead)
    return lead


@part
def _cells(position, reach):
    """Sort people into square cells of the ground, at least as large as a distance, and not many more than people.

    Returns:
        How many columns of cells there are; the cell of each, int64 (N,), where the members of each cell begin, row by
        row, int64 (C + 1,), with a frame of empty cells; the members, ascending in each cell, int64 (N,), and where
        these are, float64 (N,) each.
    """
    count = len(position)
    left, low, right, high = math.inf, math.inf, -math.inf, -math.inf
    for row in range(count):
        x, y = position[row, 0], position[row, 1]
        left, low, right, high = min(left, x), min(low, y), max(right, x), max(high, y)
    wide, tall = right - left, high - low
    # The larger by more than rounding: those in reach of each other are in cells that touch.
    size = reach + 1e-9 * max(abs(left), abs(low), wide, tall, reach)
    if not size > 0.0:
        size = 1.0
    while (wide / size + 1.0) * (tall / size + 1.0) > 4.0 * count + 16.0:
        size *= 2.0
    columns, lines = math.floor(wide / size) + 3, math.floor(tall / size) + 3
    cell, first_of = np.empty(count, dtype=np.int64), np.zeros(columns * lines + 1, dtype=np.int64)
    for row in range(count):
        column, line = math.floor((position[row, 0] - left) / size), math.floor((position[row, 1] - low) / size)
        cell[row] = (line + 1) * columns + column + 1
        first_of[cell[row]] += 1
    for number in range(1, first_of.size):
        first_of[number] += first_of[number - 1]
    members, x_of, y_of = np.empty(count, dtype=np.int64), np.empty(count), np.empty(count)
    for row in range(count - 1, -1, -1):  # each cell is filled from its end
        first_of[cell[row]] -= 1
        at = first_of[cell[row]]
        members[at], x_of[at], y_of[at] = row, position[row, 0], position[row, 1]
    return columns, cell, first_of, members, x_of, y_of


@entry
def _search(position, reach, people):
    columns, cell, first_of, members, x_of, y_of = _cells(position, reach)
    count, found = len(position), 0
    lower, upper = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    apart2, pairs_of = np.empty(count), np.zeros(people + 1, dtype=np.int64)
    for row in range(count):  # the lower-numbered others of each: so the pairs of each of these are in order, too
        x, y = position[row, 0], position[row, 1]
        for offset in (-columns, 0, columns):
            begin, end = first_of[cell[row] + offset - 1], first_of[cell[row] + offset + 2]
            if found + end - begin > lower.size:
                more = np.empty(lower.size + end - begin, dtype=np.int64)
                lower, upper = np.concatenate((lower, more)), np.concatenate((upper, more))
                apart2 = np.concatenate((apart2, np.empty(more.size)))
            for at in range(begin, end):
                across, along = x_of[at] - x, y_of[at] - y
                lower[found], upper[found], apart2[found] = members[at], row, across * across + along * along
                found += (members[at] < min(row, people)) & (apart2[found] < reach * reach)  # no branch
    for pair in range(found):
        pairs_of[lower[pair] + 1] += 1
    for row in range(people):
        pairs_of[row + 1] += pairs_of[row]
    first, second, distance2 = np.empty(found, dtype=np.int64), np.empty(found, dtype=np.int64), np.empty(found)
    for pair in range(found):
        at = pairs_of[lower[pair]]
        pairs_of[lower[pair]] += 1
        first[at], second[at], distance2[at] = lower[pair], upper[pair], apart2[pair]
    return first, second, distance2


@entry
def _lead(pairs, position, wish, reach, walks, numbers, lead):
    first, second, distance2 = pairs
    same, full = numbers[0], numbers[1]
    most = 2.0 * peak_of(reach)  # nobody who is farther leads anybody
    unit, count = np.empty_like(wish), np.zeros(lead.size, dtype=np.int64)
    for row in range(lead.size):
        speed = max(math.sqrt(wish[row, 0] * wish[row, 0] + wish[row, 1] * wish[row, 1]), 1e-9)
        unit[row, 0], unit[row, 1] = wish[row, 0] / speed, wish[row, 1] / speed
    for turn in range(2):
        for k in range(first.size):
            one, two = first[k], second[k]
            if not distance2[k] < most * most or two >= lead.size or not (walks[one] and walks[two]):
                continue
            both = reach[one] + reach[two]
            if not distance2[k] < both * both or not unit[one, 0] * unit[two, 0] + unit[one, 1] * unit[two, 1] > same:
                continue
            who, other = (one, two) if turn == 0 else (two, one)
            apart_x, apart_y = position[who, 0] - position[other, 0], position[who, 1] - position[other, 1]
            lead[who] += apart_x * unit[who, 0] + apart_y * unit[who, 1]
            count[who] += 1
    for row in range(lead.size):
        lead[row] = min(max(lead[row] / (max(count[row], 1) * full), -1.0), 1.0)


@entry
def _weigh(pairs, position, direction, group, numbers, weight, most):
    first, second, distance2 = pairs
    reach, half_breadth, same, other_direction = numbers[0], numbers[1], numbers[2], numbers[3]
    people = weight.size
    best = np.zeros(people)
    for turn in range(2):
        for k in range(first.size):
            one, two = first[k], second[k]
            if not distance2[k] < reach * reach or two >= people or (group[one] >= 0 and group[one] == group[two]):
                continue
            cosine = direction[one, 0] * direction[two, 0] + direction[one, 1] * direction[two, 1]
            if not cosine > other_direction:
                continue
            alike = min((cosine - other_direction) / (same - other_direction), 1.0)
            who, other = (one, two) if turn == 0 else (two, one)
            apart_x, apart_y = position[other, 0] - position[who, 0], position[other, 1] - position[who, 1]
            forward_x, forward_y = direction[who, 0], direction[who, 1]
            ahead = apart_x * forward_x + apart_y * forward_y
            beside = apart_y * forward_x - apart_x * forward_y
            along, across = 2.0 * ahead / reach - 1.0, beside / half_breadth
            own = alike * max(1.0 - along * along - across * across, 0.0)
            weight[who] += own
            if own > 0.0 and own >= best[who]:
                best[who], most[who] = own, other


@part
def _reach_of_friends(pairs, within, position, forward, group):
    first, second, distance2 = pairs
    right, left = np.zeros(group.size), np.zeros(group.size)
    for k in range(first.size):
        one, two = first[k], second[k]
        if not distance2[k] < within * within or two >= group.size or group[one] < 0 or group[one] != group[two]:
            continue
        if forward[one, 0] * forward[two, 0] + forward[one, 1] * forward[two, 1] > 0.0:
            apart_x, apart_y = position[two, 0] - position[one, 0], position[two, 1] - position[one, 1]
            for who, sign in ((one, 1.0), (two, -1.0)):
                beside = forward[who, 0] * (sign * apart_y) - forward[who, 1] * (sign * apart_x)
                right[who], left[who] = max(right[who], -beside), max(left[who], beside)
    return right, left


@entry
def _lean(pairs, position, forward, people, group, numbers, lean, first_of):
    first, second, distance2 = pairs
    within, reach, least, difference, same = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    full_lack, straight_ahead, edge_weight = numbers[5], numbers[6], numbers[7]
    speed, greatest = numbers[8], numbers[9]
    radius, wanted, pace, space, room_right, room_left = (
        people[0],
        people[1],
        people[2],
        people[3],
        people[4],
        people[5],
    )
    best = np.full(lean.size, -1.0)
    beyond_right, beyond_left = _reach_of_friends(pairs, within, position, forward, group)
    for turn in range(2):
        for k in range(first.size):
            one, two = first[k], second[k]
            if not distance2[k] < within * within or two >= lean.size:
                continue
            cosine = forward[one, 0] * forward[two, 0] + forward[one, 1] * forward[two, 1]
            if not cosine > 0.0 or (group[one] >= 0 and group[one] == group[two]):
                continue
            who, other = (one, two) if turn == 0 else (two, one)
            slower = wanted[who] - pace[other] * cosine
            if not slower > least:
                continue
            apart_x, apart_y = position[other, 0] - position[who, 0], position[other, 1] - position[who, 1]
            ahead = apart_x * forward[who, 0] + apart_y * forward[who, 1]
            if not ahead > 0.0:
                continue
            beside = forward[who, 0] * apart_y - forward[who, 1] * apart_x
            both = radius[who] + radius[other]
            near = max(1.0 - max(ahead - both, 0.0) / reach, 0.0)
            alike = min(cosine / same, 1.0)
            much = min((slower - least) / difference, 1.0)
            right, left = both - (beside - beyond_right[other]), both + (beside + beyond_left[other])
            right += edge_weight * max(right - room_right[who], 0.0)
            left += edge_weight * max(left - room_left[who], 0.0)
            side = 1.0 if who < other else -1.0
            if abs(left - right) > 2.0 * straight_ahead:
                side = 1.0 if left > right else -1.0
            missing = min(max((both + space[who] - side * beside) / full_lack, 0.0), 1.0)
            push = speed * near * alike * much * missing
            lean[who] += -side * push
            if push >= best[who]:
                best[who], first_of[who] = push, other
    for row in range(lean.size):
        lean[row] = min(max(lean[row], -greatest), greatest)


@entry
def _limit(pairs, everybody, walk, slows, group, numbers, least, leader):
    first, second, distance2 = pairs
    reach, creep, anticipation = numbers[0], numbers[1], numbers[2]
    full_speed, full_share, same = numbers[3], numbers[4], numbers[5]
    x, y, radius, wish = everybody[0], everybody[1], everybody[2], everybody[3]
    velocity_x, velocity_y, wish_x, wish_y = everybody[4], everybody[5], everybody[6], everybody[7]
    forward_x, forward_y, speed, time_gap, opening = walk[0], walk[1], walk[2], walk[3], walk[4]
    for turn in range(2):
        for k in range(first.size):
            who, other = (first[k], second[k]) if turn == 0 else (second[k], first[k])
            if not distance2[k] < reach * reach or who >= least.size or not slows[who]:
                continue
            if group[who] >= 0 and group[who] == group[other]:
                continue
            apart_x, apart_y = x[other] - x[who], y[other] - y[who]
            ahead = apart_x * forward_x[who] + apart_y * forward_y[who]
            if not ahead > 0.0:
                continue
            both = radius[who] + radius[other]
            beside = forward_x[who] * apart_y - forward_y[who] * apart_x
            distance = math.sqrt(ahead * ahead + beside * beside)
            arrival = min(distance / max(speed[who], full_speed), anticipation)
            then = beside + arrival * (forward_x[who] * velocity_y[other] - forward_y[who] * velocity_x[other])
            if not max(abs(beside), abs(then)) <= both:
                continue
            toward = (ahead + (apart_x * wish_x[other] + apart_y * wish_y[other])) / max(distance, 1e-9)
            share = min(max(toward / full_share, 0.0), 1.0)
            alike = forward_x[who] * wish_x[other] + forward_y[who] * wish_y[other] + (1.0 - wish[other])
            share *= min(max(alike / same, 0.0), 1.0)
            if not share > 0.0:
                continue
            free = max((distance - both) / time_gap[who], creep)
            pace = forward_x[who] * velocity_x[other] + forward_y[who] * velocity_y[other]
            free += opening[who] * max(pace - free, 0.0)
            limit = free / max(share, 1e-9)
            if limit < speed[who] and limit <= least[who]:
                least[who], leader[who] = limit, other


@entry
def _urge(pairs, position, velocity, wish, radius, asks, numbers, because_of):
    first, second, distance2 = pairs
    reach, least = numbers[0], np.full(because_of.size, math.inf)
    most = 2.0 * (peak_of(radius) + reach)  # nobody who is farther is urgent
    for turn in range(2):
        for k in range(first.size):
            if not distance2[k] < most * most:
                continue
            who, other = (first[k], second[k]) if turn == 0 else (second[k], first[k])
            if who >= because_of.size or other >= because_of.size or not asks[who]:
                continue
            within = radius[first[k]] + reach + (radius[second[k]] + reach)
            if not distance2[k] < within * within:
                continue
            cost = _urgency(who, other, position, velocity, wish, radius, numbers)
            if cost < math.inf and cost <= least[who]:
                least[who], because_of[who] = cost, other


@entry
def _urge_all(some, bodies, numbers, because_of):
    position, velocity, wish, radius = bodies
    reach = numbers[0]
    columns, cell, first_of, members, x_of, y_of = _cells(position, reach)
    for who in some:
        least, x, y = math.inf, position[who, 0], position[who, 1]
        for offset in (-columns, 0, columns):
            for at in range(first_of[cell[who] + offset - 1], first_of[cell[who] + offset + 2]):
                other, across, along = members[at], x_of[at] - x, y_of[at] - y
                if other == who or not across * across + along * along < reach * reach:
                    continue
                cost = _urgency(who, other, position, velocity, wish, radius, numbers)
                if cost < least or (cost == least and cost < math.inf and other > because_of[who]):
                    least, because_of[who] = cost, other


@part
def _urgency(who, other, position, velocity, wish, radius, numbers):
    horizon, clearance, cos_ahead, after_all = numbers[1], numbers[2], numbers[3], numbers[4]
    apart_x, apart_y = position[other, 0] - position[who, 0], position[other, 1] - position[who, 1]
    closing_x, closing_y = wish[who, 0] - velocity[other, 0], wish[who, 1] - velocity[other, 1]
    touching = radius[who] + radius[other] + clearance
    along = apart_x * closing_x + apart_y * closing_y
    speed2 = max(closing_x * closing_x + closing_y * closing_y, 1e-9)
    apart2 = apart_x * apart_x + apart_y * apart_y
    meets = along * along - speed2 * (apart2 - touching * touching)
    contact = max((along - math.sqrt(max(meets, 0.0))) / speed2, 0.0)
    if along > 0.0 and meets > 0.0 and contact < horizon:
        return contact
    distance = math.sqrt(apart2)
    length = math.sqrt(wish[who, 0] * wish[who, 0] + wish[who, 1] * wish[who, 1])
    if apart_x * wish[who, 0] + apart_y * wish[who, 1] > cos_ahead * distance * max(length, 1e-9):
        return after_all + distance
    return math.inf
