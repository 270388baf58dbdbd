# SPDX-License-Identifier: GPL-3.0-or-later
"""Everybody's own line through a corridor: the shortest way hugs each corner, and a crowd on it walks in single file.

Each likes another share of the free width. The shortest way is moved aside by as much of it as there is at each place,
so that people use the whole of a door and of a passage, and the free room on both sides goes along with the line.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...geometry.segments import lengths_along
from ...routing import RecordedMap

Float64 = NDArray[np.float64]

HALF_WIDTH = 2.0
"""How far somebody on a way of their own walks beside it, at most [m]."""

REACH = 1.0
"""So far beside the shortest way people spread, where there is room [m]."""

LANES = 0.8
"""Share of the free width, from the right, over which people spread: those who meet pass on the right."""

MARGIN = 0.1
"""Nobody's line is moved nearer to an obstacle than the body's radius and this [m]."""

RUN = 5.0
"""At its start and end a line comes off the shortest way over so long a stretch: a walker follows that easily [m]."""

SPACING = 0.3
"""So far apart the free room is measured [m]."""


def own_lines(
    ways: Sequence[Float64], share: Float64, radius: Float64, corridors: RecordedMap
) -> list[tuple[Float64, Float64, Float64]]:
    """Return people's own lines along their ways, with the free room beside them.

    Args:
        ways: float64 (P, 2) each, short, and clear of obstacles by the radius at least; of N people [m].
        share: float64 (N,), where in the free width to walk, from 0 at the right to 1 at the left.
        radius: float64 (N,), of the bodies [m].
        corridors: the map that the ways lead through.

    Returns:
        Of each the line, float64 (Q, 2); and the clearance left and right of it, float64 (Q,), 2 m at most [m].
    """
    sampled = [resampled(way) for way in ways]
    free = corridors.corridors([points for points, _ in sampled], radius + MARGIN, np.full(len(ways), REACH))
    lines = [_moved_aside(*each) for each in zip(sampled, share.tolist(), free, strict=True)]
    room = corridors.corridors(lines, np.zeros(len(ways)), np.full(len(ways), HALF_WIDTH))
    return [(line, *sides) for line, sides in zip(lines, room, strict=True)]


def _moved_aside(way: tuple[Float64, Float64], share: float, free: tuple[Float64, Float64]) -> Float64:
    """Return a way, of points and how far along it they are, moved to where in the free width somebody walks."""
    (points, along), (left, right) = way, free
    aside = share * (left + right) - right
    fade = np.clip(np.minimum(along, along[-1] - along) / RUN, 0.0, 1.0)
    run = np.gradient(points, axis=0)
    normal = np.stack([-run[:, 1], run[:, 0]], axis=1) / np.maximum(np.hypot(run[:, 0], run[:, 1]), 1e-9)[:, None]
    return points + (fade * aside)[:, None] * normal


def resampled(way: Float64) -> tuple[Float64, Float64]:
    """Return a way with points at even distances, its ends among them; the last one may be nearer or farther.

    As the distances do not depend on the length, ways that begin alike have the same points as far as they are alike.

    Args:
        way: float64 (P, 2) [m].

    Returns:
        float64 (Q, 2), Q >= 2; and the arc length at each, float64 (Q,) [m].
    """
    corners = lengths_along(way)
    along = np.append(SPACING * np.arange(max(1.0, np.rint(corners[-1] / SPACING))), corners[-1])
    return np.stack([np.interp(along, corners, way[:, k]) for k in (0, 1)], axis=1), along
