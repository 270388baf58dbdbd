# SPDX-License-Identifier: GPL-3.0-or-later
"""Everybody's own line through a corridor: on the shortest route alone, a crowd would walk in single file.

Each prefers another share of the free width. The shortest route is shifted by that share of it at each place, so that
people use the whole of doors and passages; the free width on both sides is kept with the line.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...array_types import Bool, Float64, Int64
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
    room = radius + settings.margin
    free = corridors.corridors([points for points, _ in sampled], room, np.full(len(paths), settings.wide))
    lines = _moved_aside(sampled, share, free, settings.wide - 2.0 * room, settings)
    room = corridors.corridors(lines, np.zeros(len(paths)), np.full(len(paths), settings.half_width))
    return [(line, *sides) for line, sides in zip(lines, room, strict=True)]


def _moved_aside(
    paths: Sequence[tuple[Float64, Float64]],
    share: Float64,
    free: Sequence[tuple[Float64, Float64]],
    wide: Float64,
    settings: PreferredLineSettings,
) -> list[Float64]:
    """Return routes, each of points and their arc lengths, shifted to a share of the free width.

    Args:
        paths: the routes.
        share: float64 (N,), of the free width, from the right.
        free: of each the free width left and right, up to `settings.wide` [m].
        wide: float64 (N,), places with less free width are narrow [m].
        settings: how people spread.
    """
    counts = np.array([len(points) for points, _ in paths])
    points, along = (np.concatenate(each) for each in zip(*paths, strict=True))
    left, right = (np.concatenate(each) for each in zip(*free, strict=True))
    ends = np.cumsum(counts)
    begins, last = ends - counts, ends - 1
    spread = _spread(left + right < np.repeat(wide, counts), along, begins, settings)
    left, right = np.minimum(left, spread), np.minimum(right, spread)
    aside = np.repeat(share, counts) * (left + right) - right
    fade = np.clip(np.minimum(along, np.repeat(along[last], counts) - along) / settings.fade_length, 0.0, 1.0)
    run = np.empty_like(points)
    run[1:-1] = (points[2:] - points[:-2]) / 2.0
    run[begins], run[last] = points[begins + 1] - points[begins], points[last] - points[last - 1]
    normal = np.stack([-run[:, 1], run[:, 0]], axis=1) / np.maximum(length(run), 1e-9)[:, None]
    return np.split(points + (fade * aside)[:, None] * normal, ends[:-1])


def _spread(narrow: Bool, along: Float64, begins: Int64, settings: PreferredLineSettings) -> Float64:
    """Return float64 (P,), how far beside routes people spread: more, the farther from narrow places of the same route.

    Args:
        narrow: bool (P,), which places of all routes are narrow.
        along: float64 (P,), their arc lengths on their routes [m].
        begins: int64 (N,), the first place of each route.
        settings: how people spread.
    """
    numbers = np.arange(len(along))
    ends = np.append(begins[1:], len(along))
    first, last = np.repeat(begins, ends - begins), np.repeat(ends - 1, ends - begins)
    before = np.maximum.accumulate(np.where(narrow, numbers, -1))
    after = np.minimum.accumulate(np.where(narrow, numbers, len(along))[::-1])[::-1]
    to_before = np.where(before >= first, along - along[np.maximum(before, 0)], np.inf)
    to_after = np.where(after <= last, along[np.minimum(after, len(along) - 1)] - along, np.inf)
    away = np.minimum(to_before, to_after)
    return np.minimum(settings.spread + settings.widening * away, settings.wide_spread)


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
