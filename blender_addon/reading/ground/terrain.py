# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground under those who find their own ways, as the core wants it: heights on a grid."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from ....core.scene import VEHICLE, Area, Crowd
from ....core.scene.terrain import Terrain
from .ground import GroundMesh

_MARGIN = 10.0  # [m] round the places: so far people may go round what stands there
_CELL, _MOST_CELLS = 0.5, 40_000  # [m]: as fine as this, where that does not make too many
COARSE = 1.0
"""Squares that are wider than this even out stairs and short ramps [m]."""
_EVEN = 1e-3  # [m]: ground that differs less is level
_MOST_KNOWN = (
    4  # grounds whose heights are kept: a scene is read again at every change, and its ground is mostly as it was
)
_known: dict[tuple[bytes, bytes, float, int, int], NDArray[np.float64] | None] = {}


def terrain_under(
    ground: GroundMesh, crowds: Sequence[Crowd], areas: Sequence[Area], bounds: NDArray[np.float64] | None
) -> Terrain | None:
    """Heights of the ground where people go from place to place.

    Of several storeys the one counts that people without a route are put on: that nearest to the height 0.

    Args:
        ground: what they stand on.
        crowds: of the scene.
        areas: their places.
        bounds: float64 (B, 2), which nobody leaves, or None.

    Returns:
        The terrain; None where nobody minds, or it is level.
    """
    own = [crowd for crowd in crowds if crowd.route is None and crowd.kind != VEHICLE and crowd.slope_effect]
    names = {name for crowd in own for name in (crowd.start, crowd.goal)}
    outlines = [area.outline for area in areas if area.name in names]
    if not outlines:
        return None
    points = np.concatenate(outlines)
    low, high = points.min(axis=0) - _MARGIN, points.max(axis=0) + _MARGIN
    if bounds is not None:
        low, high = np.maximum(low, bounds.min(axis=0)), np.minimum(high, bounds.max(axis=0))
    size = np.maximum(high - low, _CELL)
    cell = max(_CELL, float(np.sqrt(size.prod() / _MOST_CELLS)))
    columns, rows = (int(count) for count in np.ceil(size / cell) + 1)
    key = blake2b(ground.corners.tobytes()).digest(), low.tobytes(), cell, columns, rows
    if key not in _known:
        while len(_known) >= _MOST_KNOWN:
            del _known[next(iter(_known))]
        _known[key] = _heights(ground, low, cell, (columns, rows))
    heights = _known[key]
    return None if heights is None else Terrain((float(low[0]), float(low[1])), cell, heights)


def forget() -> None:
    """Keep no heights."""
    _known.clear()


def _heights(
    ground: GroundMesh, low: NDArray[np.float64], cell: float, shape: tuple[int, int]
) -> NDArray[np.float64] | None:
    """The heights at the cells' corners [m]; None where it is level."""
    i, j = np.meshgrid(np.arange(shape[0]), np.arange(shape[1]), indexing="ij")
    places = low + cell * np.stack((i.ravel(), j.ravel()), axis=1)
    heights = np.round(ground.heights(places, 0.0), 4).reshape(shape)
    heights.setflags(write=False)
    return None if np.ptp(heights) < _EVEN else heights
