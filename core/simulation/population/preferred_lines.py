# SPDX-License-Identifier: GPL-3.0-or-later
"""Everybody's own line through a corridor: on the shortest route alone, a crowd would walk in single file.

Each prefers another share of the free width. The shortest route is shifted by that share of it at each place, so that
people use the whole of doors and passages; the free width on both sides is kept with the line.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.ragged import cumulative_sums
from ...geometry.reproducible_math import length
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
    points, along, first = resampled(paths, settings.spacing)
    room = radius + settings.margin
    free = corridors.corridors(points, room, np.full(len(paths), settings.wide))
    lines = _moved_aside((points, along, first), share, free, settings.wide - 2.0 * room, settings)
    room = corridors.corridors(lines, np.zeros(len(paths)), np.full(len(paths), settings.half_width))
    return [(line, *sides) for line, sides in zip(lines, room, strict=True)]


def _moved_aside(
    sampled: tuple[list[Float64], Float64, Int64],
    share: Float64,
    free: Sequence[tuple[Float64, Float64]],
    wide: Float64,
    settings: PreferredLineSettings,
) -> list[Float64]:
    """Return routes shifted to a share of the free width.

    Args:
        sampled: their points, the arc lengths of all, and where each begins: see `resampled`.
        share: float64 (N,), of the free width, from the right.
        free: of each the free width left and right, up to `settings.wide` [m].
        wide: float64 (N,), places with less free width are narrow [m].
        settings: how people spread.
    """
    points, along, first = np.concatenate(sampled[0]), *sampled[1:]
    left, right = (np.concatenate(each) for each in zip(*free, strict=True))
    begins, last, counts = first[:-1], first[1:] - 1, np.diff(first)
    spread = _spread(left + right < np.repeat(wide, counts), along, begins, settings)
    left, right = np.minimum(left, spread), np.minimum(right, spread)
    aside = np.repeat(share, counts) * (left + right) - right
    fade = np.clip(np.minimum(along, np.repeat(along[last], counts) - along) / settings.fade_length, 0.0, 1.0)
    run = np.empty_like(points)
    run[1:-1] = (points[2:] - points[:-2]) / 2.0
    run[begins], run[last] = points[begins + 1] - points[begins], points[last] - points[last - 1]
    normal = np.stack([-run[:, 1], run[:, 0]], axis=1) / np.maximum(length(run), 1e-9)[:, None]
    return np.split(points + (fade * aside)[:, None] * normal, first[1:-1])


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


def resampled(paths: Sequence[Float64], spacing: float) -> tuple[list[Float64], Float64, Int64]:
    """Return routes with points at even distances, their ends among them; the last distance may differ.

    The distances do not depend on the length, so routes have the same points as far as they are the same.

    Args:
        paths: float64 (P, 2) each, P >= 2, of N >= 1 routes [m].
        spacing: of the points [m].

    Returns:
        float64 (Q, 2) each, Q >= 2; of all of them the arc length, float64 (M,) [m]; and where each begins among these,
        and M, int64 (N + 1,).
    """
    corners, counts = np.concatenate(paths), np.array([len(path) for path in paths])
    first = np.append(0, np.cumsum(counts))
    run = np.diff(corners, axis=0, prepend=corners[:1])
    apart = length(run)
    apart[first[:-1]] = 0.0
    at = cumulative_sums(apart, first)
    whole = np.maximum(np.rint(at[first[1:] - 1] / spacing), 1.0).astype(np.int64)
    begins = np.append(0, np.cumsum(whole + 1))
    along = spacing * (np.arange(begins[-1]) - np.repeat(begins[:-1], whole + 1))
    along[begins[1:] - 1] = at[first[1:] - 1]
    # Of each corner in between, the first point that is not before it: then each point knows how many it has passed.
    inner = np.ones(len(corners), dtype=bool)
    inner[first[:-1]] = inner[first[1:] - 1] = False
    whose, s = np.repeat(np.arange(len(paths)), counts)[inner], at[inner]
    number = np.ceil(s / spacing)
    number += spacing * number < s
    number -= spacing * (number - 1.0) >= s
    passed = np.minimum(number.astype(np.int64), whole[whose]) + begins[whose]
    ends_before = np.repeat(2 * np.arange(len(paths)), whole + 1)  # are no corners in between
    row = np.cumsum(np.bincount(passed, minlength=len(along))) + ends_before
    slope = run[1:] / np.maximum(np.diff(at), 1e-300)[:, None]
    points = slope[row] * (along - at[row])[:, None] + corners[row]
    points[begins[1:] - 1] = corners[first[1:] - 1]
    return np.split(points, begins[1:-1]), along, begins
