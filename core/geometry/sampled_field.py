# SPDX-License-Identifier: GPL-3.0-or-later
"""A distance field sampled on a fine lattice where needed: for frequent queries that need millimetres.

Between lattice points the value is bilinear. Outside solid the distance is bent by no more than 1 / itself, so that at
0.2 m from anything the value is at most 2 mm too large; in the middle of a narrow gap it is up to 2 cm too small.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..array_types import Float64, Int64
from ..compiled import twins
from .field_settings import FIELD
from .reproducible_math import ceil_log2

_TILE_BITS = 4
_TILE_CELLS = 1 << _TILE_BITS  # along a tile's side
_IN_TILE = _TILE_CELLS - 1
_TILE_POINTS = _TILE_CELLS + 1  # lattice points along it
_CELLS_PER_LIMIT = 12  # in the largest distance that is held: errors of 2 mm at a limit of 0.6 m
_MOST_TILES = 2000  # along the field
_NOT_SAMPLED = -1


def diagonal(limit: Float64) -> Float64:
    """Return the largest distance of a point from its four samples, which hold distances up to a limit [m].

    The interpolated value is too small by half of that at most: each sample is too small by its distance from the
    point at most, which is half the diagonal in the weighted mean.
    """
    return limit * (np.sqrt(2.0) / _CELLS_PER_LIMIT)


def about_is_less_by(at_most: ArrayLike) -> Float64:
    """Return how much less than the true distance `ObstacleField.about` may be.

    Args:
        at_most: float64 (N,) or one, as for `about` [m].

    Returns:
        float64, of the same shape [m].
    """
    return 0.5 * diagonal(np.ldexp(FIELD.finest_limit, levels_of(np.asarray(at_most, dtype=np.float64))))


def levels_of(at_most: Float64) -> Int64:
    """The level whose samples hold distances up to `at_most`: each level doubles limit and spacing."""
    if at_most.max(initial=0.0) <= FIELD.finest_limit:  # as for nearly all who ask
        return np.zeros(at_most.shape, dtype=np.int64)
    return np.maximum(ceil_log2(at_most / FIELD.finest_limit), 0)


class SampledField:
    """SampleTiles in tiles, which are filled when first needed and kept."""

    def __init__(self, exact: Callable[[Float64, float], Float64], low: Float64, extent: float, limit: float) -> None:
        """Prepare an empty table of tiles.

        Args:
            exact: function for the signed distance of points, float64 (N, 2), up to a limit.
            low: float64 (2,), lower corner of the square outside which nothing is nearer than `limit` [m].
            extent: its side [m].
            limit: distances are held up to this; the lattice is a twelfth of it [m].
        """
        self._exact, self._low, self._limit = exact, low, limit
        self._spacing = limit / _CELLS_PER_LIMIT
        self._side = self._spacing * _TILE_CELLS
        self._tiles = int(np.ceil(extent / self._side))
        self._slot = np.full(self._tiles**2, _NOT_SAMPLED, dtype=np.int64)
        self._values = np.full((1, _TILE_POINTS * _TILE_POINTS), limit)  # slot 0: every tile far from obstacles
        self._used = 1

    @staticmethod
    def fits(extent: float, limit: float) -> bool:
        """Whether the table of tiles stays small."""
        return extent * _CELLS_PER_LIMIT <= _MOST_TILES * _TILE_CELLS * limit

    def distance(self, points: Float64) -> Float64:
        """Signed distance up to the limit, bilinear between samples.

        Args:
            points: float64 (N, 2) [m].

        Returns:
            float64 (N,) [m].
        """
        kernels = twins.twin(twins.DISTANCES)
        if kernels is not None:
            distance, missing = kernels.sampled_distance(self._sample_tiles(kernels), points)
            if len(missing):
                self._fill(missing)
                distance, _ = kernels.sampled_distance(self._sample_tiles(kernels), points)
            return distance
        x, y = ((points[:, axis] - self._low[axis]) / self._spacing for axis in (0, 1))
        most = float(self._tiles * _TILE_CELLS)
        within = (x >= 0.0) & (y >= 0.0) & (x < most) & (y < most)
        if not within.all():
            x, y = np.where(within, x, 0.0), np.where(within, y, 0.0)
        column, row = x.astype(np.int64), y.astype(np.int64)
        x -= column
        y -= row
        tile = (row >> _TILE_BITS) * self._tiles + (column >> _TILE_BITS)
        slot = self._slot.take(tile)
        if (slot == _NOT_SAMPLED).any():
            self._fill(np.unique(tile[slot == _NOT_SAMPLED]))
            slot = self._slot.take(tile)
        corner = slot * (_TILE_POINTS * _TILE_POINTS) + (row & _IN_TILE) * _TILE_POINTS + (column & _IN_TILE)
        lower, upper = (self._between(corner + above, x) for above in (0, _TILE_POINTS))
        upper -= lower
        upper *= y
        upper += lower
        upper[~within] = self._limit
        return upper

    def _between(self, corner: Int64, share: Float64) -> Float64:
        """The value so far between samples and those to the right of them."""
        left, value = self._values.take(corner), self._values.take(corner + 1)
        value -= left
        value *= share
        value += left
        return value

    def _sample_tiles(self, kernels: Any) -> Any:
        """What compiled kernels take: their `SampleTiles`."""
        lattice = self._spacing, self._tiles, _TILE_CELLS, self._limit
        return kernels.SampleTiles(self._low, *lattice, self._slot, self._values)

    def _fill(self, tiles: Int64) -> None:
        corners = self._low + self._side * np.stack((tiles % self._tiles, tiles // self._tiles), axis=-1)
        half_diagonal = 0.5 * np.sqrt(2.0) * self._side
        enough = self._limit + half_diagonal
        far = self._exact(corners + 0.5 * self._side, enough) >= enough
        self._slot[tiles[far]] = 0
        near, corners = tiles[~far], corners[~far]
        steps = self._spacing * np.arange(_TILE_POINTS)
        lattice = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)  # rows of equal y
        points = (corners[:, None] + lattice).reshape(-1, 2)
        values = self._exact(points, self._limit).reshape(-1, _TILE_POINTS * _TILE_POINTS)
        used = self._used + len(near)
        if used > len(self._values):  # room for as many again, so that few are copied often
            self._values = np.concatenate((self._values, np.empty((used, values.shape[1]))))
        self._values[self._used : used] = values
        self._slot[near] = self._used + np.arange(len(near))
        self._used = used
