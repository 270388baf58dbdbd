# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways round what stands there: the cheapest sequence of offsets through the free space ahead, made smooth.

Stations along the path are crossed with a fine row of offsets; each such place is free or not, and dynamic programming
finds the cheapest sequence from the agent onward. That decides the side, finds gaps wherever they are, and sees
one obstacle behind the other. Three smoothings of it, tight to loose, become courses.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...geometry.distances import Distances
from ..settings import PlannerSettings
from .clearance import distances, needed_clearance
from .lateral_courses import LEAST_ACROSS, NODES, Ahead, Start, least_across, off_line_cost
from .smoothing import smooth

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

_EVERY = 4  # nodes from station to station
_STATIONS = np.arange(_EVERY, NODES, _EVERY)
_ROW = 41
_SPACING = 0.12  # [m] between offsets of a row
_MOST = 3  # offsets that one may move over from station to station
_CLOSED = 1e4


def plan_round(
    start: Start, ahead: Ahead, obstacles: Distances | None, settings: PlannerSettings
) -> tuple[Float64, Float64, Float64]:
    """Courses round obstacles, or as far as there is a way.

    Args:
        start: the agents.
        ahead: their paths.
        obstacles: what stands there, or None where only bends and the width narrow the way.
        settings: weights.

    Returns:
        d, d', d'': float64 (A, 3, K) each.
    """
    lowest = np.floor((0.5 * (start.d + ahead.target[:, 0]) - 0.5 * _ROW * _SPACING) / _SPACING)
    row: Float64 = _SPACING * (lowest[:, None] + np.arange(_ROW, dtype=np.float64))  # (A, J)
    cost, shift = _weigh_places(start, ahead, row, obstacles, settings)
    chosen = _cheapest_sequence(start, ahead, row, cost)
    at_stations = np.take_along_axis(row, chosen, axis=1)
    at_stations = at_stations + np.take_along_axis(shift, chosen[..., None], axis=2)[..., 0]
    corners = np.concatenate((start.d[:, None], at_stations), axis=1)
    between = corners[:, :-1, None] + np.diff(corners)[..., None] * (np.arange(_EVERY) / _EVERY)
    return smooth(start, ahead, np.concatenate((between.reshape(len(row), -1), corners[:, -1:]), axis=1))


def _weigh_places(
    start: Start, ahead: Ahead, row: Float64, obstacles: Distances | None, settings: PlannerSettings
) -> tuple[Float64, Float64]:
    """Cost of each place, float64 (A, stations, J), and how far from it the middle of a gap lies [m]."""
    target, walk_low, walk_high = (
        values[:, _STATIONS, None] for values in (ahead.target, ahead.walk_low, ahead.walk_high)
    )
    d = row[:, None, :]
    cost = off_line_cost(d - target, start.manners)
    cost = cost + settings.off_width * np.maximum(np.maximum(walk_low - d, d - walk_high), 0.0)
    cost = cost + _CLOSED * (least_across(ahead, row)[:, _STATIONS] < LEAST_ACROSS)
    shift = np.zeros_like(cost)
    if obstacles is None or obstacles.empty:
        return cost, shift
    x = ahead.x[:, _STATIONS, None] - ahead.sin[:, _STATIONS, None] * d
    y = ahead.y[:, _STATIONS, None] + ahead.cos[:, _STATIONS, None] * d
    liked = start.manners.clearance[:, None, None]
    wanted = start.radius[:, None, None] + liked
    clear = distances(obstacles, x, y, wanted + _SPACING)
    here_x, here_y = ahead.x[:, 0] - ahead.sin[:, 0] * start.d, ahead.y[:, 0] + ahead.cos[:, 0] * start.d
    at_start = distances(obstacles, here_x, here_y, wanted[:, 0, 0] + _SPACING)[:, None, None]
    best, shift = _best_nearby(clear, wanted)
    needed = needed_clearance(at_start, start.radius[:, None, None], ahead.way[:, _STATIONS, None], settings)
    along = np.minimum(best, np.minimum(_next_station(best, 1), _next_station(best, -1)))
    missing = np.clip((wanted - along) / liked, 0.0, 2.0)
    near_obstacle = start.manners.near_obstacle[:, None, None]
    return cost + near_obstacle * missing * missing + _CLOSED * (best < needed), shift


def _next_station(values: Float64, step: int) -> Float64:
    """The values of the station before (1) or after (-1); the outermost have none and keep their own."""
    moved = np.roll(values, step, axis=1)
    edge = 0 if step > 0 else -1
    moved[:, edge] = values[:, edge]
    return moved


def _best_nearby(clear: Float64, wanted: Float64) -> tuple[Float64, Float64]:
    """Most clearance within half a spacing of each place, and where: a gap may lie between two places.

    Clearance changes by no more than one's move, so between two places it rises to half their sum and spacing at most.
    """
    lower = np.concatenate((clear[..., :1] - _SPACING, clear[..., :-1]), axis=-1)
    upper = np.concatenate((clear[..., 1:], clear[..., -1:] - _SPACING), axis=-1)
    peak = np.minimum(clear + 0.5 * _SPACING, 0.5 * (clear + np.maximum(lower, upper) + _SPACING))
    tight = clear < wanted
    shift = np.clip(0.5 * (upper - lower), -0.5 * _SPACING, 0.5 * _SPACING)
    return np.where(tight, np.maximum(peak, clear), clear), np.where(tight, shift, 0.0)


def _cheapest_sequence(start: Start, ahead: Ahead, row: Float64, cost: Float64) -> Int64:
    """Which place to take at each station: int64 (A, stations)."""
    gap = _EVERY * ahead.step[:, None]
    slope = (row - start.d[:, None]) / gap
    dearness = start.manners.slope[:, None]
    total = dearness * (slope - np.clip(start.d_prime, -2.0, 2.0)[:, None]) ** 2 + cost[:, 0]
    total = total + _CLOSED * np.maximum(np.abs(slope) - (_MOST + 0.5) * _SPACING / gap, 0.0)
    came_from = []
    moves = np.arange(-_MOST, _MOST + 1)
    dear = dearness * (moves * _SPACING / gap) ** 2  # (A, moves)
    for station in range(1, cost.shape[1]):
        padded = np.pad(total, ((0, 0), (_MOST, _MOST)), constant_values=np.inf)
        ways = np.stack([padded[:, k : k + _ROW] + dear[:, k, None] for k in range(len(moves))])
        best = np.argmin(ways, axis=0)
        total = np.take_along_axis(ways, best[None], axis=0)[0] + cost[:, station]
        came_from.append(np.arange(_ROW) + moves[best])
    chosen = [np.argmin(total, axis=1)]
    for previous in reversed(came_from):
        chosen.append(np.take_along_axis(previous, chosen[-1][:, None], axis=1)[:, 0])
    return np.stack(chosen[::-1], axis=1)
