# SPDX-License-Identifier: GPL-3.0-or-later
"""A distance field sampled on a fine lattice where it is asked for: for those who ask very often and need millimetres.

Between lattice points the value is bilinear. Outside solid the distance is bent by no more than 1 / itself, so that at
0.2 m from anything the value is at most 2 mm too large; in the middle of a narrow gap it is up to 2 cm too small.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

_TILE = 16  # cells along a tile's side
_ROW = _TILE + 1  # lattice points along it
_PER_LIMIT = 12  # cells in the farthest distance that is known
_MOST_TILES = 2000  # along the field
_NOT_YET = -1


def diagonal(limit: Float64) -> Float64:
    """How far from a point its four samples lie at most, who know distances up to a limit [m].

    By half of that at most they may tell less than there is: each is too small by its way to the point at most, and
    that is so much in the mean, with the weights they have.
    """
    return limit * (np.sqrt(2.0) / _PER_LIMIT)


class SampledField:
    """Samples in tiles that are filled when somebody first asks there, and kept."""

    def __init__(self, exact: Callable[[Float64, float], Float64], low: Float64, extent: float, limit: float) -> None:
        """Prepare an empty table of tiles.

        Args:
            exact: gives the signed distance of points, float64 (N, 2), up to a limit.
            low: float64 (2,), lower corner of the square outside which nothing is nearer than `limit` [m].
            extent: its side [m].
            limit: distances are known up to here; the lattice is a twelfth of it [m].
        """
        self._exact, self._low, self._limit = exact, low, limit
        self._spacing = limit / _PER_LIMIT
        self._side = self._spacing * _TILE
        self._tiles = int(np.ceil(extent / self._side))
        self._slot = np.full(self._tiles**2, _NOT_YET, dtype=np.int64)
        self._values = np.full((1, _ROW * _ROW), limit)  # slot 0 is every tile far from everything

    @staticmethod
    def fits(extent: float, limit: float) -> bool:
        """Whether the table of tiles stays small."""
        return extent * _PER_LIMIT <= _MOST_TILES * _TILE * limit

    def distance(self, points: Float64) -> Float64:
        """Signed distance up to the limit, bilinear between samples.

        Args:
            points: float64 (N, 2) [m].

        Returns:
            float64 (N,) [m].
        """
        x, y = ((points - self._low) / self._spacing).T
        most = float(self._tiles * _TILE)
        within = (x >= 0.0) & (y >= 0.0) & (x < most) & (y < most)
        x, y = np.where(within, x, 0.0), np.where(within, y, 0.0)
        column, row = x.astype(np.int64), y.astype(np.int64)
        tile = (row // _TILE) * self._tiles + column // _TILE
        slot = self._slot[tile]
        if np.any(slot == _NOT_YET):
            self._fill(np.unique(tile[slot == _NOT_YET]))
            slot = self._slot[tile]
        corner = slot * (_ROW * _ROW) + (row % _TILE) * _ROW + column % _TILE
        values = self._values.ravel()
        right, up = x - column, y - row
        lower = values[corner] + right * (values[corner + 1] - values[corner])
        upper = values[corner + _ROW] + right * (values[corner + _ROW + 1] - values[corner + _ROW])
        return np.where(within, lower + up * (upper - lower), self._limit)

    def _fill(self, tiles: Int64) -> None:
        corners = self._low + self._side * np.stack((tiles % self._tiles, tiles // self._tiles), axis=-1)
        half_diagonal = 0.5 * np.sqrt(2.0) * self._side
        enough = self._limit + half_diagonal
        far = self._exact(corners + 0.5 * self._side, enough) >= enough
        self._slot[tiles[far]] = 0
        near, corners = tiles[~far], corners[~far]
        steps = self._spacing * np.arange(_ROW)
        lattice = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)  # rows of equal y
        points = (corners[:, None] + lattice).reshape(-1, 2)
        values = self._exact(points, self._limit).reshape(-1, _ROW * _ROW)
        self._slot[near] = len(self._values) + np.arange(len(near))
        self._values = np.concatenate((self._values, values))
