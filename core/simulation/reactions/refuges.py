# SPDX-License-Identifier: GPL-3.0-or-later
"""Where people go who flee: as far from a point as they can, turning as little as they can; or out of the scene."""

from __future__ import annotations

import math

import numpy as np

from ...array_types import Float64
from ...geometry.reproducible_math import heading_vector, length
from ...geometry.segments import contains, edges_of, nearest_on_segments
from ...routing import are_free
from ..settings.reaction_settings import ReactionSettings
from ..world.static_ground import StaticGround


def find_refuges(
    position: Float64,
    source: Float64,
    radius: float,
    *,
    ground: StaticGround,
    bounds: Float64,
    settings: ReactionSettings,
) -> Float64:
    """Return float64 (N, 2), where people go who flee from a point [m]; where they are, if nowhere is better.

    Args:
        position: float64 (N, 2), where they are [m].
        source: float64 (2,), from what they flee [m].
        radius: of the largest body [m].
        ground: the obstacles that stand.
        bounds: float64 (B, 2), the polygon that nobody leaves [m].
        settings: how far they look.
    """
    count = settings.directions
    rays = heading_vector(2.0 * math.pi * np.arange(count) / count)  # (D, 2)
    stages = np.array(settings.stages)
    steps = (stages[:, None, None] * rays).reshape(-1, 2)  # (S D, 2)
    points = position[:, None] + steps  # (N, S D, 2)
    room = radius + settings.clearance
    flat = points.reshape(-1, 2)
    free = (ground.field.signed_distance(flat, room) >= room) & contains(bounds, flat)
    away = position - source
    distance = length(away)
    away = away / np.maximum(distance, 1e-9)[:, None]
    off = points - source
    gain = length(off) - distance[:, None]
    turn = 1.0 - (np.tile(rays, (len(stages), 1))[None] * away[:, None]).sum(axis=2)
    score = gain - 0.5 * settings.weight_turn * turn
    score = np.where(free.reshape(score.shape), score, -np.inf)
    # Nobody looks for a place behind a wall, to which there may be no way, where there is one in sight.
    starts = np.repeat(position, points.shape[1], axis=0)
    seen = are_free(starts, flat, np.full(len(flat), 0.75 * room), ground.field).reshape(score.shape)
    in_sight = np.where(seen, score, -np.inf)
    score = np.where((in_sight > 0.0).any(axis=1, keepdims=True), in_sight, score)
    best = score.argmax(axis=1)
    rows = np.arange(len(position))
    better = (score[rows, best] > 0.0)[:, None]
    return np.where(better, points[rows, best], position)


def nearest_edge(position: Float64, bounds: Float64, room: Float64) -> Float64:
    """Return float64 (N, 2), the places at the edge of the bounds that are nearest to some people [m].

    Args:
        position: float64 (N, 2), where they are [m].
        bounds: float64 (B, 2), the polygon that nobody leaves [m].
        room: float64 (N,), distance from the edge that bodies need [m].
    """
    distance, nearest, _ = nearest_on_segments(position, *edges_of(bounds))
    part = np.maximum(distance - room, 0.0) / np.maximum(distance, 1e-9)
    return position + part[:, None] * (nearest - position)
