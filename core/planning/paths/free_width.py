# SPDX-License-Identifier: GPL-3.0-or-later
"""The free width beside a line, as given, and the limits that its bends set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ...array_types import Float64, Int64
from ...errors import GeometryError
from .reference_settings import BendSettings


def free_width_of_line(line: ArrayLike, half_width: float, left: ArrayLike | None, right: ArrayLike | None) -> Float64:
    """Return the free width left and right of a drawn line at its points.

    Args:
        line: float64 (P, ...), its points.
        half_width: for a side that is not given [m].
        left: float64 (P,) or one for all, on the left [m].
        right: likewise on the right [m].

    Returns:
        float64 (P, 2) [m].

    Raises:
        GeometryError: a width that is not positive, a side that is negative or not of P numbers.
    """
    if not half_width > 0.0:
        raise GeometryError(f"The half width of a path must be a positive number of metres, got {half_width}.")
    width = np.full((len(np.asarray(line)), 2), float(half_width))
    for side, (name, given) in enumerate((("left", left), ("right", right))):
        if given is None:
            continue
        values = np.asarray(given, dtype=np.float64)
        if values.ndim and values.shape != width[:, side].shape:
            raise GeometryError(
                f"The free width {name} of a path needs one number for each of its {len(width)} points, got an "
                f"array of shape {values.shape}."
            )
        if not np.all(values >= 0.0) or not np.all(np.isfinite(values)):
            raise GeometryError(f"The free width {name} of a path must be finite and not negative [m], got {given}.")
        width[:, side] = values
    return width


def free_width_of_lines(
    lines: Sequence[ArrayLike],
    half_width: float | Sequence[float],
    left: Sequence[ArrayLike] | None,
    right: Sequence[ArrayLike] | None,
) -> list[Float64]:
    """Return the same for many lines: widths for all or per line, sides per line.

    Args:
        lines: float64 (P, ...) each.
        half_width: for all or per line [m].
        left: per line, see `free_width_of_line`.
        right: per line.

    Returns:
        float64 (P, 2) per line [m].

    Raises:
        GeometryError: see `free_width_of_line`; or not as many sides as lines.
    """
    widths = [half_width] * len(lines) if isinstance(half_width, int | float) else list(half_width)
    sides = [[None] * len(lines) if side is None else list(side) for side in (left, right)]
    if not len(lines) == len(widths) == len(sides[0]) == len(sides[1]):
        counts = f"{len(widths)} half widths, {len(sides[0])} left and {len(sides[1])} right"
        raise GeometryError(f"{len(lines)} paths need as many widths and sides, got {counts}.")
    return [free_width_of_line(*row) for row in zip(lines, widths, *sides, strict=True)]


def bend_limits_of_loop(curvature: Float64, cell: float, settings: BendSettings) -> tuple[Float64, Float64]:
    """Return the limits of the offset in bends of a closed path, which begin gradually ahead of them.

    Args:
        curvature: float64 (n + 1,), at the nodes; the last node is the first [1/m].
        cell: distance between nodes [m].
        settings: how near to the centre an offset may come, and how the limits begin.

    Returns:
        left, right: float64 (n + 1,) each, both positive [m].
    """
    reach = round(settings.reach / cell)
    left, right = (
        _spread(np.pad(limit[:-1], reach, mode="wrap"), cell, settings) for limit in _limits(curvature, settings)
    )
    return np.append(left, left[0]), np.append(right, right[0])


def bend_limits_of_open(
    curvature: Float64, first: Int64, cell: float, settings: BendSettings
) -> tuple[Float64, Float64]:
    """Return the same for many open paths at once, whose nodes lie behind each other.

    Args:
        curvature: float64 (N,), at the nodes of one path after the other [1/m].
        first: int64 (P + 1,), first node of each path, and N.
        cell: distance between nodes [m].
        settings: how near to the centre an offset may come, and how the limits begin.

    Returns:
        left, right: float64 (N,) each, both positive [m].
    """
    reach = round(settings.reach / cell)
    counts = np.diff(first)
    begins = np.repeat(first[:-1], counts + 2 * reach)
    before = reach * (2 * np.arange(len(counts)) + 1)  # rows of the borders in front of each path's nodes
    node = np.arange(len(begins)) - np.repeat(before, counts + 2 * reach)
    padded = np.clip(node, begins, begins + np.repeat(counts, counts + 2 * reach) - 1)
    inner = np.arange(len(curvature)) + np.repeat(before - reach, counts)
    left, right = (_spread(limit[padded], cell, settings)[inner] for limit in _limits(curvature, settings))
    return left, right


def _limits(curvature: Float64, settings: BendSettings) -> tuple[Float64, Float64]:
    radii = [1.0 / np.maximum(side, settings.flattest) for side in (curvature, -curvature)]
    share, least = settings.nearest_to_centre, settings.least_radius
    left, right = (np.minimum(share * radius, np.maximum(radius - least, 0.0)) for radius in radii)
    return left, right


def _spread(around: Float64, cell: float, settings: BendSettings) -> Float64:
    """Lower envelope: nowhere more than the limit at a near node plus the change that the distance allows.

    Args:
        around: float64 (n + 2 * reach,), the limits, with those of `reach` nodes before and after.
        cell: distance between nodes [m].
        settings: how the limits begin.
    """
    more = spread_of(cell, settings)
    count = len(around) - len(more) + 1
    least = around[:count] + more[0]
    for offset in range(1, len(more)):
        np.minimum(least, around[offset : offset + count] + more[offset], out=least)
    return least


def spread_of(cell: float, settings: BendSettings) -> Float64:
    """Return how much more than the limit at a node is allowed at those before and behind it.

    Args:
        cell: distance between nodes [m].
        settings: how the limits begin.

    Returns:
        float64 (2 * reach + 1,) [m].
    """
    reach, rounding = round(settings.reach / cell), settings.rounding
    apart = np.maximum(cell * np.abs(np.arange(-reach, reach + 1)) - settings.margin, 0.0)
    return settings.slope * (np.sqrt(apart * apart + rounding * rounding) - rounding)
