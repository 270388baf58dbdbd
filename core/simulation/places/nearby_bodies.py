# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that never move, and which of them are near somebody: thousands cost no more than the few nearby."""

from __future__ import annotations

import numpy as np

from ...array_types import Float64, Int64
from ..world.heroes import HeroBodies

_STRIDE = np.int64(1) << np.int64(31)


class NearbyBodies:
    """Bodies that stand for ever.

    Args:
        position: float64 (N, 2) [m].
        radius: float64 (N,) [m].
        reach: bodies nearer than this to somebody are seen [m].
    """

    def __init__(self, position: Float64, radius: Float64, reach: float) -> None:
        cells = self._keys(np.floor(position / reach).astype(np.int64))
        order = np.argsort(cells, kind="stable")
        self._position, self._radius, self._cells, self._reach = position[order], radius[order], cells[order], reach

    def __deepcopy__(self, memo: object) -> NearbyBodies:
        """The same: nothing of it ever changes."""
        return self

    def __len__(self) -> int:
        return len(self._radius)

    @property
    def places(self) -> tuple[Float64, Float64]:
        """All centres, float64 (N, 2), and radii, (N,) [m]."""
        return self._position, self._radius

    def near(self, points: Float64) -> HeroBodies:
        """Return the bodies in the cells of points, float64 (N, 2) [m], and in those around them."""
        around = np.array([(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)], dtype=np.int64)
        here = np.unique(self._keys(np.floor(points / self._reach).astype(np.int64)[:, None] + around))
        first, last = (np.searchsorted(self._cells, here, side=side) for side in ("left", "right"))
        spans = [np.arange(begin, end) for begin, end in zip(first.tolist(), last.tolist(), strict=True) if end > begin]
        rows = np.concatenate([np.zeros(0, dtype=np.int64), *spans])
        return HeroBodies(self._position[rows], np.zeros((len(rows), 2)), self._radius[rows])

    @staticmethod
    def _keys(cells: Int64) -> Int64:
        return cells[..., 0] * _STRIDE + cells[..., 1]
