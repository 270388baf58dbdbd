# SPDX-License-Identifier: GPL-3.0-or-later
"""Courses round obstacles: the cheapest sequence of offsets through the free space ahead, smoothed.

Each station along the path has a row of offsets; each such place is free or not, and dynamic programming finds the
cheapest sequence from the agent onward (Bellman 1957). That decides the side, finds gaps wherever they are, and takes
obstacles behind one another into account. Three smoothings of it, tight to loose, become courses.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...array_types import Float64, Int64
from ...compiled import twins
from ...geometry.distances import Distances
from .clearance import DISTANCE_ROUNDING, distances, needed_clearance
from .lateral_courses import bends_around, off_line_cost
from .path_ahead import COURSE_NODES, PathAhead, StartState
from .settings import LatticeSettings, PlannerSettings
from .smoothing import smooth


def plan_lattice(
    start: StartState, ahead: PathAhead, obstacles: Distances | None, settings: PlannerSettings
) -> tuple[Float64, Float64, Float64]:
    """Lay courses round obstacles, or as far as the path is free.

    Args:
        start: the agents.
        ahead: their paths.
        obstacles: obstacles that stand still; None where only bends and the width limit the offset.
        settings: weights and the lattice.

    Returns:
        d, d', d'': float64 (A, 3, K) each.
    """
    lattice = settings.lattice
    middle, half = 0.5 * (start.d + ahead.target[:, 0]), 0.5 * lattice.offsets * lattice.spacing
    lowest = np.floor((middle - half) / lattice.spacing)
    row: Float64 = lattice.spacing * (lowest[:, None] + np.arange(lattice.offsets, dtype=np.float64))  # (A, J)
    kernels = twins.twin(twins.LATTICE)
    if kernels is None:
        cost, shift = _place_costs(start, ahead, row, obstacles, settings)
        chosen = _cheapest_sequence(start, ahead, row, cost, lattice)
    else:
        chosen, shift = _choose_compiled(kernels, start, ahead, row, obstacles, settings)
    at_stations = np.take_along_axis(row, chosen, axis=1)
    at_stations = at_stations + np.take_along_axis(shift, chosen[..., None], axis=2)[..., 0]
    corners = np.concatenate((start.d[:, None], at_stations), axis=1)
    share = np.arange(lattice.nodes_per_station) / lattice.nodes_per_station
    between = corners[:, :-1, None] + np.diff(corners)[..., None] * share
    wanted = np.concatenate((between.reshape(len(row), -1), corners[:, -1:]), axis=1)
    return smooth(start, ahead, wanted, settings.courses.smoothing_lengths)


def _place_costs(
    start: StartState, ahead: PathAhead, row: Float64, obstacles: Distances | None, settings: PlannerSettings
) -> tuple[Float64, Float64]:
    """Cost of each place, float64 (A, stations, J), and how far from it the middle of a gap lies [m]."""
    lattice, spacing = settings.lattice, settings.lattice.spacing
    stations = np.arange(lattice.nodes_per_station, COURSE_NODES, lattice.nodes_per_station)
    target, walk_low, walk_high = (
        values[:, stations, None] for values in (ahead.target, ahead.walk_low, ahead.walk_high)
    )
    d = row[:, None, :]
    cost = off_line_cost(d - target, start.preferences, settings.courses.wrong_side)
    cost = cost + settings.off_width * np.maximum(np.maximum(walk_low - d, d - walk_high), 0.0)
    sharpest, opposite = (bend[:, stations, None] for bend in bends_around(ahead.bend))
    too_sharp = 1.0 - np.maximum(sharpest * d, opposite * d) < settings.courses.least_scale
    cost = cost + lattice.cost_blocked * too_sharp
    shift = np.zeros_like(cost)
    if obstacles is None or obstacles.empty:
        return cost, shift
    x = ahead.x[:, stations, None] - ahead.sin[:, stations, None] * d
    y = ahead.y[:, stations, None] + ahead.cos[:, stations, None] * d
    preferred = start.preferences.clearance[:, None, None]
    wanted = start.radius[:, None, None] + preferred
    clear, at_start = _clearances(start, ahead, (x, y), obstacles, spacing)
    best, shift = _best_nearby(clear, wanted, spacing)
    needed = needed_clearance(
        at_start[:, None, None], start.radius[:, None, None], ahead.distance[:, stations, None], settings
    )
    along = np.minimum(best, np.minimum(_next_station(best, 1), _next_station(best, -1)))
    missing = np.clip((wanted - along) / preferred, 0.0, 2.0)
    near_obstacle = start.preferences.near_obstacle[:, None, None]
    return cost + near_obstacle * missing * missing + lattice.cost_blocked * (best < needed), shift


def _next_station(values: Float64, step: int) -> Float64:
    """The values of the station before (1) or after (-1); the outermost have none and keep their own."""
    moved = np.roll(values, step, axis=1)
    edge = 0 if step > 0 else -1
    moved[:, edge] = values[:, edge]
    return moved


def _best_nearby(clear: Float64, wanted: Float64, spacing: float) -> tuple[Float64, Float64]:
    """Largest clearance within half a spacing of each place, and where: a gap may lie between two places.

    Clearance changes by no more than the distance moved: between two places it is at most half their sum and spacing.
    """
    lower = np.concatenate((clear[..., :1] - spacing, clear[..., :-1]), axis=-1)
    upper = np.concatenate((clear[..., 1:], clear[..., -1:] - spacing), axis=-1)
    peak = np.minimum(clear + 0.5 * spacing, 0.5 * (clear + np.maximum(lower, upper) + spacing))
    tight = clear < wanted
    shift = np.clip(0.5 * (upper - lower), -0.5 * spacing, 0.5 * spacing)
    return np.where(tight, np.maximum(peak, clear), clear), np.where(tight, shift, 0.0)


def _cheapest_sequence(
    start: StartState, ahead: PathAhead, row: Float64, cost: Float64, lattice: LatticeSettings
) -> Int64:
    """Return the chosen place at each station: int64 (A, stations)."""
    most, spacing = lattice.max_moves, lattice.spacing
    gap = lattice.nodes_per_station * ahead.step[:, None]
    slope = (row - start.d[:, None]) / gap
    weight = start.preferences.slope[:, None]
    total = weight * (slope - np.clip(start.d_prime, -2.0, 2.0)[:, None]) ** 2 + cost[:, 0]
    total = total + lattice.cost_blocked * np.maximum(np.abs(slope) - (most + 0.5) * spacing / gap, 0.0)
    previous_places = []
    moves = np.arange(-most, most + 1)
    cost_moves = weight * (moves * spacing / gap) ** 2  # (A, moves)
    totals = np.empty((len(moves), *total.shape))
    padded = np.full((len(total), lattice.offsets + 2 * most), np.inf)
    for station in range(1, cost.shape[1]):
        padded[:, most : most + lattice.offsets] = total
        for k in range(len(moves)):
            np.add(padded[:, k : k + lattice.offsets], cost_moves[:, k, None], out=totals[k])
        best = np.argmin(totals, axis=0)
        total = totals.min(axis=0) + cost[:, station]
        previous_places.append(np.arange(lattice.offsets) + moves[best])
    chosen = [np.argmin(total, axis=1)]
    for place in reversed(previous_places):
        chosen.append(np.take_along_axis(place, chosen[-1][:, None], axis=1)[:, 0])
    return np.stack(chosen[::-1], axis=1)


def _choose_compiled(
    kernels: Any,
    start: StartState,
    ahead: PathAhead,
    row: Float64,
    obstacles: Distances | None,
    settings: PlannerSettings,
) -> tuple[Int64, Float64]:
    """The chosen places and how far to move all, as numpy's code finds them, by compiled kernels."""
    lattice, courses, own = settings.lattice, settings.courses, start.preferences
    liking = own.clearance, own.off_line, own.side, own.near_obstacle, own.slope
    gap = lattice.nodes_per_station * ahead.step
    walkers = kernels.LatticeWalkers(start.d, start.d_prime, start.radius, *liking, gap)
    numbers = kernels.LatticeNumbers(
        *(lattice.nodes_per_station, lattice.max_moves, lattice.spacing, lattice.cost_blocked),
        *(courses.wrong_side, settings.off_width, courses.least_scale, settings.least_clearance),
        *(courses.escape_slope, courses.escape_delay, DISTANCE_ROUNDING),
    )
    paths = kernels.PathsAhead(*(getattr(ahead, name) for name in kernels.PathsAhead._fields))
    cost, x, y = kernels.places(walkers, paths, row, numbers)
    shift = np.zeros_like(cost)
    if obstacles is not None and not obstacles.empty:
        clear = _clearances(start, ahead, (x, y), obstacles, lattice.spacing)
        stations = ahead.distance[:, lattice.nodes_per_station :: lattice.nodes_per_station].copy()
        shift = kernels.near_obstacles(walkers, stations, cost, clear, numbers)
    return kernels.cheapest_sequence(walkers, row, cost, numbers), shift


def _clearances(
    start: StartState, ahead: PathAhead, places: tuple[Float64, Float64], obstacles: Distances, spacing: float
) -> tuple[Float64, Float64]:
    """Distances to obstacles of places, x and y (A, S, J), and of where agents are, (A,), as far as they matter [m]."""
    at_most = start.radius + start.preferences.clearance + spacing
    here_x, here_y = ahead.x[:, 0] - ahead.sin[:, 0] * start.d, ahead.y[:, 0] + ahead.cos[:, 0] * start.d
    return distances(obstacles, *places, at_most[:, None, None]), distances(obstacles, here_x, here_y, at_most)
