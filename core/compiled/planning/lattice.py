# SPDX-License-Identifier: GPL-3.0-or-later
"""What places in the lattice of offsets cost, and the cheapest sequence: a twin of `candidates.offset_lattice`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...array_types import Float64, Int64
from ..compiling import copy_into, each_row, run_over
from .courses import PathsAhead, off_line, sharpest_beside


class LatticeWalkers(NamedTuple):
    """Those who walk, float64 (A,) each: see `StartState`, `PlannerPreferences` and `PathAhead`.

    Attributes:
        gap: distance between stations [m].
    """

    d: Float64
    d_prime: Float64
    radius: Float64
    clearance: Float64
    off_line: Float64
    side: Float64
    near_obstacle: Float64
    slope: Float64
    gap: Float64


class LatticeNumbers(NamedTuple):
    """Weights and limits: see `LatticeSettings`, `CourseSettings` and `PlannerSettings`.

    Attributes:
        rounding: of distances [m].
    """

    nodes_per_station: int
    max_moves: int
    spacing: float
    cost_blocked: float
    wrong_side: float
    off_width: float
    least_scale: float
    least_clearance: float
    escape_slope: float
    escape_delay: float
    rounding: float


def places(walkers: LatticeWalkers, ahead: PathsAhead, row: Float64, numbers: LatticeNumbers) -> Float64:
    """Cost of each place without obstacles, and its x and y, float64 (3, A, S, J).

    Args:
        walkers: A of them.
        ahead: their paths.
        row: float64 (A, J), offsets of the places at all S stations [m].
        numbers: of the lattice.
    """
    stations = (ahead.x.shape[1] - 1) // numbers.nodes_per_station
    found = np.empty((3, len(row), stations, row.shape[1]))
    run_over(len(row), _place_all, walkers, ahead, row, numbers, found)
    return found


def near_obstacles(
    walkers: LatticeWalkers, distance: Float64, cost: Float64, clear: tuple[Float64, Float64], numbers: LatticeNumbers
) -> Float64:
    """Add to the cost of places, float64 (A, S, J), what obstacles near them cost; return how far to move them [m].

    Args:
        walkers: A of them.
        distance: float64 (A, S), of the stations along the path [m].
        cost: changed.
        clear: float64 (A, S, J), distances of the places to obstacles; and (A,), those at the start [m].
        numbers: of the lattice.
    """
    shift = np.empty_like(cost)
    run_over(len(cost), _judge_all, walkers, distance, clear, numbers, (cost, shift))
    return shift


def cheapest_sequence(walkers: LatticeWalkers, row: Float64, cost: Float64, numbers: LatticeNumbers) -> Int64:
    """Which place is chosen at each station, int64 (A, S); arguments as above."""
    chosen = np.empty(cost.shape[:2], dtype=np.int64)
    run_over(len(row), _choose_all, walkers, row, cost, numbers, chosen)
    return chosen


def warm_up() -> None:
    """Compile."""
    one, nodes = np.ones(1), np.ones((1, 9))
    walkers, numbers = LatticeWalkers(*[one] * 9), LatticeNumbers(4, 1, *[1.0] * 9)
    cost, _, clear = places(walkers, PathsAhead(*[nodes] * 9), nodes, numbers)
    near_obstacles(walkers, nodes[:, 4::4].copy(), cost, (clear, one), numbers)
    cheapest_sequence(walkers, nodes, cost, numbers)


@each_row(takes=2.0)
def _place_all(begin, end, walkers, ahead, row, numbers, found):
    for a in range(begin, end):
        for station in range(found.shape[2]):
            k = numbers.nodes_per_station * (station + 1)
            x, y, cos, sin = ahead.x[a, k], ahead.y[a, k], ahead.cos[a, k], ahead.sin[a, k]
            target, low, high = ahead.target[a, k], ahead.walk_low[a, k], ahead.walk_high[a, k]
            sharpest, opposite = sharpest_beside(ahead.bend[a], k)
            for j in range(found.shape[3]):
                d = row[a, j]
                cost = off_line(d - target, walkers.off_line[a], walkers.side[a], numbers.wrong_side)
                cost = cost + numbers.off_width * max(low - d, d - high, 0.0)
                if 1.0 - max(sharpest * d, opposite * d) < numbers.least_scale:
                    cost = cost + numbers.cost_blocked
                found[0, a, station, j], found[1, a, station, j] = cost, x - sin * d
                found[2, a, station, j] = y + cos * d


@each_row(takes=1.0)
def _judge_all(begin, end, walkers, distance, both, numbers, found):
    (clear, at_start), (cost, shift), spacing = both, found, numbers.spacing
    stations, places, half = cost.shape[1], cost.shape[2], 0.5 * numbers.spacing
    best = np.empty((stations, places))
    for a in range(begin, end):
        preferred = walkers.clearance[a]
        wanted, body = walkers.radius[a] + preferred, walkers.radius[a] + numbers.least_clearance
        for station in range(stations):
            own = clear[a, station]
            for j in range(places):
                lower = own[j - 1] if j > 0 else own[0] - spacing
                upper = own[j + 1] if j < places - 1 else own[j] - spacing
                best[station, j], shift[a, station, j] = own[j], 0.0
                if own[j] < wanted:  # a gap may lie between two places
                    peak = min(own[j] + half, 0.5 * (own[j] + max(lower, upper) + spacing))
                    best[station, j] = max(peak, own[j])
                    shift[a, station, j] = min(max(0.5 * (upper - lower), -half), half)
        begun = at_start[a] - numbers.rounding
        for station in range(stations):
            escaped = begun + numbers.escape_slope * max(distance[a, station] - numbers.escape_delay, 0.0)
            needed, before, after = min(body, escaped), max(station - 1, 0), min(station + 1, stations - 1)
            for j in range(places):
                along = min(best[station, j], best[before, j], best[after, j])
                missing = min(max((wanted - along) / preferred, 0.0), 2.0)
                judged = cost[a, station, j] + walkers.near_obstacle[a] * missing * missing
                cost[a, station, j] = judged + (numbers.cost_blocked if best[station, j] < needed else 0.0)


@each_row(takes=15.0)
def _choose_all(begin, end, walkers, row, cost, numbers, chosen):
    most, spacing, blocked, (_, stations, places) = numbers.max_moves, numbers.spacing, numbers.cost_blocked, cost.shape
    total, before, came_from = np.empty(places), np.empty(places), np.empty((stations, places), dtype=np.int64)
    for a in range(begin, end):
        gap, weight, d_prime = walkers.gap[a], walkers.slope[a], min(max(walkers.d_prime[a], -2.0), 2.0)
        steepest = (most + 0.5) * spacing / gap
        for j in range(places):
            slope = (row[a, j] - walkers.d[a]) / gap
            turn = slope - d_prime
            total[j] = weight * (turn * turn) + cost[a, 0, j] + blocked * max(abs(slope) - steepest, 0.0)
        for station in range(1, stations):
            copy_into(before, total)
            source = came_from[station]
            total[:], source[:] = math.inf, 0
            for move in range(-most, most + 1):
                slope = move * spacing / gap
                moving = weight * (slope * slope)
                for j in range(max(-move, 0), min(places - move, places)):  # no branch: several places at once
                    tried = before[j + move] + moving
                    source[j] = j + move if tried < total[j] else source[j]
                    total[j] = min(tried, total[j])
            for j in range(places):
                total[j] += cost[a, station, j]
        place = np.argmin(total)
        for station in range(stations - 1, 0, -1):
            chosen[a, station] = place
            place = came_from[station, place]
        chosen[a, 0] = place
