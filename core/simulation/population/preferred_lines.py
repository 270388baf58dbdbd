# SPDX-License-Identifier: GPL-3.0-or-later
"""Everybody's own line through a corridor: on the shortest route alone, a crowd would walk in single file.

Each prefers another share of the free width. The shortest route is shifted by that share of it at each place, so that
people use the whole of doors and passages; the free width on both sides is kept with the line.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...array_types import Float64
from ...geometry.reproducible_math import length
from ...geometry.segments import lengths_along
from ...routing import RecordedMap
from ..settings.population_settings import PreferredLineSettings


def own_lines(
    paths: Sequence[Float64],
    share: Float64,
    radius: Float64,
    corridors: RecordedMap,
    settings: PreferredLineSettings,
) -> list[tuple[Float64, Float64, Float64]]:
    """Return people's own lines along their routes, with the free width beside them.

    Args:
        paths: float64 (P, 2) each, short, and clear of obstacles by the radius at least; of N people [m].
        share: float64 (N,), where in the free width to walk, from 0 at the right to 1 at the left.
        radius: float64 (N,), of the bodies [m].
        corridors: the map that the routes lead through.
        settings: how people spread.

    Returns:
        Of each the line, float64 (Q, 2); and the clearance left and right of it, float64 (Q,), 2 m at most [m].
    """
    sampled = [resampled(path, settings.spacing) for path in paths]
    free = corridors.corridors(
        [points for points, _ in sampled], radius + settings.margin, np.full(len(paths), settings.spread)
    )
    lines = _moved_aside(sampled, share, free, settings.fade_length)
    room = corridors.corridors(lines, np.zeros(len(paths)), np.full(len(paths), settings.half_width))
    return [(line, *sides) for line, sides in zip(lines, room, strict=True)]


def _moved_aside(
    paths: Sequence[tuple[Float64, Float64]],
    share: Float64,
    free: Sequence[tuple[Float64, Float64]],
    fade_length: float,
) -> list[Float64]:
    """Return routes, each of points and their arc lengths, shifted to a share of the free width."""
    counts = np.array([len(points) for points, _ in paths])
    points, along = (np.concatenate(each) for each in zip(*paths, strict=True))
    left, right = (np.concatenate(each) for each in zip(*free, strict=True))
    ends = np.cumsum(counts)
    begins, last = ends - counts, ends - 1
    aside = np.repeat(share, counts) * (left + right) - right
    fade = np.clip(np.minimum(along, np.repeat(along[last], counts) - along) / fade_length, 0.0, 1.0)
    run = np.empty_like(points)
    run[1:-1] = (points[2:] - points[:-2]) / 2.0
    run[begins], run[last] = points[begins + 1] - points[begins], points[last] - points[last - 1]
    normal = np.stack([-run[:, 1], run[:, 0]], axis=1) / np.maximum(length(run), 1e-9)[:, None]
    return np.split(points + (fade * aside)[:, None] * normal, ends[:-1])


def resampled(path: Float64, spacing: float) -> tuple[Float64, Float64]:
    """Return a route with points at even distances, its ends among them; the last distance may differ.

    The distances do not depend on the length, so routes have the same points as far as they are the same.

    Args:
        path: float64 (P, 2) [m].
        spacing: of the points [m].

    Returns:
        float64 (Q, 2), Q >= 2; and the arc length at each, float64 (Q,) [m].
    """
    corners = lengths_along(path)
    along = np.append(spacing * np.arange(max(1.0, np.rint(corners[-1] / spacing))), corners[-1])
    return np.stack([np.interp(along, corners, path[:, k]) for k in (0, 1)], axis=1), along
