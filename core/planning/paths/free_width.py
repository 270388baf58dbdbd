# SPDX-License-Identifier: GPL-3.0-or-later
"""How far beside a line one may walk: the room that was given, and what its bends leave of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import GeometryError

Float64 = NDArray[np.float64]

_DILATION = 0.15  # [m] along which a bend already narrows the way
_NARROWING = 0.35  # [m/m] how fast the limits of d close in ahead of a bend, far from it
_ROUNDING = 0.5  # [m] near it they do so more gently
_NARROWED = 3.5  # [m] of way ahead and behind that a bend narrows
_FLATTEST = 1e-3  # [1/m] below, a bend narrows nothing


def given_room(line: ArrayLike, half_width: float, left: ArrayLike | None, right: ArrayLike | None) -> Float64:
    """What people may use left and right of a drawn line at its points.

    Args:
        line: float64 (P, ...), its points.
        half_width: for a side of which nothing is said [m].
        left: float64 (P,) or one for all, on the left [m].
        right: likewise on the right [m].

    Returns:
        float64 (P, 2) [m].

    Raises:
        GeometryError: a width that is not positive, a side that is negative or not of P numbers.
    """
    if not half_width > 0.0:
        raise GeometryError(f"The half width of a path must be a positive number of metres, got {half_width}.")
    room = np.full((len(np.asarray(line)), 2), float(half_width))
    for side, (name, given) in enumerate((("left", left), ("right", right))):
        if given is None:
            continue
        values = np.asarray(given, dtype=np.float64)
        if values.ndim and values.shape != room[:, side].shape:
            raise GeometryError(
                f"The room {name} of a path needs one number for each of its {len(room)} points, "
                f"got an array of shape {values.shape}."
            )
        if not np.all(values >= 0.0) or not np.all(np.isfinite(values)):
            raise GeometryError(f"The room {name} of a path must be metres, not negative and finite, got {given}.")
        room[:, side] = values
    return room


def given_rooms(
    lines: Sequence[ArrayLike],
    half_width: float | Sequence[float],
    left: Sequence[ArrayLike] | None,
    right: Sequence[ArrayLike] | None,
) -> list[Float64]:
    """The same for many lines: widths for all or per line, sides per line.

    Args:
        lines: float64 (P, ...) each.
        half_width: for all or per line [m].
        left: per line, see `given_room`.
        right: per line.

    Returns:
        float64 (P, 2) per line [m].

    Raises:
        GeometryError: see `given_room`; or another number of sides than of lines.
    """
    widths = [half_width] * len(lines) if isinstance(half_width, int | float) else list(half_width)
    sides = [[None] * len(lines) if side is None else list(side) for side in (left, right)]
    if not len(lines) == len(widths) == len(sides[0]) == len(sides[1]):
        counts = f"{len(widths)} half widths, {len(sides[0])} left and {len(sides[1])} right"
        raise GeometryError(f"{len(lines)} paths need as many widths and sides; there are {counts}.")
    return [given_room(*row) for row in zip(lines, widths, *sides, strict=True)]


def bend_room(
    curvature: Float64, cell: float, *, nearest_to_centre: float, least_radius: float, closed: bool
) -> tuple[Float64, Float64]:
    """How far bends let one walk: some way to their centre, and less gently ahead of them.

    Args:
        curvature: float64 (n + 1,), at the nodes [1/m].
        cell: distance between nodes [m].
        nearest_to_centre: share of the way to the centre of a bend that an offset may reach.
        least_radius: of the turn of those on the inner side of a bend [m].
        closed: the last node is the first.

    Returns:
        left, right: float64 (n + 1,) each, both positive [m].
    """
    radii = [1.0 / np.maximum(side, _FLATTEST) for side in (curvature, -curvature)]
    room = [np.minimum(nearest_to_centre * radius, np.maximum(radius - least_radius, 0.0)) for radius in radii]
    return _widen_bends(room[0], cell, closed=closed), _widen_bends(room[1], cell, closed=closed)


def _widen_bends(room: Float64, cell: float, *, closed: bool) -> Float64:
    """Lower envelope: nowhere more than at a node near by, plus what may open up on the way from there."""
    reach = round(_NARROWED / cell)
    apart = np.maximum(cell * np.abs(np.arange(-reach, reach + 1)) - _DILATION, 0.0)
    more = _NARROWING * (np.sqrt(apart * apart + _ROUNDING * _ROUNDING) - _ROUNDING)
    around = np.pad(room[:-1] if closed else room, reach, mode="wrap" if closed else "edge")
    widened = np.min(np.lib.stride_tricks.sliding_window_view(around, 2 * reach + 1) + more, axis=1)
    return np.append(widened, widened[0]) if closed else widened
