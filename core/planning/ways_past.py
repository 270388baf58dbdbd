# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways through the plane past what stands there, found on a small grid: where beside a curve there is none.

Offsets from a curve reach no farther than the centres of its bends. The free ground there does not care for bends: a
wave from where somebody stands tells how far it is to all places near by, and it is walked back along.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..geometry.distances import Distances

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

_REACH = 4.0  # [m] to each side within which a way is looked for
_ROOM = 0.15  # [m] of room beyond the least that is liked
_CROWDED = 1.0  # how much longer the way counts that has none of it, as a share
_ESCAPE = 0.5  # [m/m] how fast one who stands too near gets away
_HARDLY = 1e-3  # [m]
_NEIGHBOURS = tuple((i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
_STEPS = tuple(float(np.sqrt(i * i + j * j)) for i, j in _NEIGHBOURS)
_AROUND = tuple(zip(_NEIGHBOURS, _STEPS, strict=True))


@dataclass(frozen=True, eq=False)
class Ground:
    """Free ground about one place.

    Attributes:
        start: float64 (2,), the place [m].
        least: distance kept from what stands there [m].
        corner: float64 (2,), the place of the first cell [m].
        cell: their distance [m].
        far: float64 (N, N), how far each cell is from the place; inf where nothing leads [m].
    """

    start: Float64
    least: float
    corner: Float64
    cell: float
    far: Float64

    def reaches(self, places: Float64) -> NDArray[np.bool_]:
        """To which places, float64 (N, 2) [m], something leads: bool (N,)."""
        row, column, inside = self._cells(places)
        return inside & np.isfinite(self.far[row, column])

    def way_to(self, place: Float64) -> Float64:
        """The way to a place that can be reached, float64 (2,): float64 (P, 2), from cell to cell [m]."""
        (row,), (column,), _ = self._cells(place[None])
        way = [place]
        while self.far[row, column] > 0.0:
            slopes = [(self.far[row, column] - self.far[row + i, column + j]) / step for (i, j), step in _AROUND]
            i, j = _NEIGHBOURS[int(np.argmax(slopes))]
            row, column = row + i, column + j
            way.append(self.corner + self.cell * np.array((row, column), dtype=np.float64))
        return np.array([self.start, *way[-2:0:-1], place])

    def _cells(self, places: Float64) -> tuple[Int64, Int64, NDArray[np.bool_]]:
        cells = np.rint((places - self.corner) / self.cell).astype(np.int64)
        last = len(self.far) - 2  # the outermost have no neighbours
        inside = np.all((cells >= 1) & (cells <= last), axis=1)
        row, column = np.clip(cells, 1, last).T
        return row, column, inside


def survey_ground(obstacles: Distances, start: Float64, least: float, cell: float) -> Ground:
    """Find out what can be reached from a place.

    Args:
        obstacles: what stands there.
        start: float64 (2,), where the middle of the body is [m].
        least: distance from its middle to what stands there, at least [m].
        cell: of the grid [m].

    Returns:
        See `Ground`.
    """
    half = round(_REACH / cell)
    corner = start - half * cell
    along: Float64 = cell * np.arange(2 * half + 1, dtype=np.float64) - half * cell
    x, y = np.meshgrid(along, along, indexing="ij")
    places = start + np.stack((x.ravel(), y.ravel()), axis=1)
    clear = obstacles.signed_distance(places, least + _ROOM).reshape(x.shape)
    escaped = clear[half, half] - _HARDLY + _ESCAPE * np.sqrt(x * x + y * y)
    missing = np.clip((least + _ROOM - clear) / _ROOM, 0.0, 1.0)
    dear = np.where(clear < np.minimum(least, escaped), np.inf, 1.0 + _CROWDED * missing)
    dear[[0, -1]] = dear[:, [0, -1]] = np.inf
    far = np.full(dear.shape, np.inf)
    far[half, half] = 0.0
    return Ground(start, least, corner, cell, _spread(far, cell * dear))


def _spread(far: Float64, dear: Float64) -> Float64:
    """Let distances spread from cell to neighbouring cell until none gets shorter; the outermost take no part."""
    inner = (slice(1, -1), slice(1, -1))
    around = [(slice(1 + i, len(far) - 1 + i), slice(1 + j, len(far) - 1 + j)) for i, j in _NEIGHBOURS]
    prices = [step * 0.5 * (dear[inner] + dear[cells]) for cells, step in zip(around, _STEPS, strict=True)]
    while True:
        shortest = far[inner].copy()
        for cells, price in zip(around, prices, strict=True):
            np.minimum(shortest, far[cells] + price, out=shortest)
        if np.array_equal(shortest, far[inner]):
            return far
        far[inner] = shortest


def straighten(way: Float64, obstacles: Distances, least: float) -> Float64:
    """Leave out what a straight line can cut short.

    Args:
        way: float64 (P, 2) [m].
        obstacles: what stands there.
        least: distance kept from it [m]; lines from where the way is nearer get away from it as in `survey_ground`.

    Returns:
        float64 (Q, 2), some of its points [m].
    """
    kept, here = [0], 0
    clear = obstacles.signed_distance(way, least)
    while here < len(way) - 1:
        there = len(way) - 1
        while there > here + 1:
            step = way[there] - way[here]
            share = np.linspace(0.0, 1.0, max(2, int(np.ceil(np.max(np.abs(step)) / 0.05)) + 1))
            escaped = clear[here] + _ESCAPE * np.sqrt(np.sum(step * step)) * share
            line = way[here] + share[:, None] * step
            if np.all(obstacles.signed_distance(line, least) >= np.minimum(least, escaped) - _HARDLY):
                break
            there -= 1
        kept.append(there)
        here = there
    return way[kept]
