# SPDX-License-Identifier: GPL-3.0-or-later
"""People per square metre on a grid: at one moment, on average over time, or at most.

A body counts in full, spread over the disc around it by the quartic kernel K(r) = 3 / (pi R^2) (1 - r^2 / R^2)^2
(Silverman 1986, Density Estimation, eq. 4.5), so that the map is smooth and its integral is the number of people.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..array_types import Float64
from .report_settings import DENSITY, DensitySettings

_POINTS_PER_CHUNK = 20_000  # of all frames together; more would need much memory


@dataclass(frozen=True, eq=False)
class DensityMap:
    """Density on a grid of nodes.

    Attributes:
        origin: float64 (2,), the node in row 0, column 0 [m].
        cell: distance between nodes [m].
        density: float64 (Y, X) [people per m2].
        height: float64 (Y, X), of the people around, weighted by their share in the density [m]; 0 without people.
    """

    origin: Float64
    cell: float
    density: Float64
    height: Float64


def density_at(position: Float64, settings: DensitySettings = DENSITY) -> DensityMap:
    """Return the density of people at a moment.

    Args:
        position: float64 (A, 3), NaN where absent [m].
        settings: kernel and grid.
    """
    here = position[np.isfinite(position[:, 0])]
    grid = _Grid.around(here, settings)
    return grid.to_map(*grid.spread(here))


def mean_density(position: Float64, settings: DensitySettings = DENSITY) -> DensityMap:
    """Return the density averaged over frames, of `position` float64 (F, A, 3), NaN where absent [m]."""
    everywhere = position.reshape(-1, 3)
    everywhere = everywhere[np.isfinite(everywhere[:, 0])]
    grid = _Grid.around(everywhere, settings)
    weight, lifted = np.zeros(grid.size), np.zeros(grid.size)
    for begin in range(0, len(everywhere), _POINTS_PER_CHUNK):
        more, higher = grid.spread(everywhere[begin : begin + _POINTS_PER_CHUNK])
        weight += more
        lifted += higher
    frames = max(len(position), 1)
    return grid.to_map(weight / frames, lifted / frames)


def greatest_density(position: Float64, settings: DensitySettings = DENSITY) -> DensityMap:
    """Return the greatest density of each node at any frame, of `position` float64 (F, A, 3) [m]."""
    everywhere = position.reshape(-1, 3)
    grid = _Grid.around(everywhere[np.isfinite(everywhere[:, 0])], settings)
    most, lifted = np.zeros(grid.size), np.zeros(grid.size)
    for here in _frame_by_frame(position):
        weight, higher = grid.spread(here)
        denser = weight > most
        most[denser], lifted[denser] = weight[denser], higher[denser]
    return grid.to_map(most, lifted)


def _frame_by_frame(position: Float64) -> Iterator[Float64]:
    return (row[np.isfinite(row[:, 0])] for row in position)


@dataclass(frozen=True, eq=False)
class _Grid:
    """A grid of nodes: `shape` is rows and columns, `radius` that of the kernel [m]."""

    origin: Float64
    cell: float
    shape: tuple[int, int]
    radius: float

    @classmethod
    def around(cls, points: Float64, settings: DensitySettings) -> _Grid:
        """A grid that reaches beyond all points (N, 3) by the radius of the kernel."""
        radius = settings.radius
        if not len(points):
            return cls(np.zeros(2), settings.spacing, (1, 1), radius)
        low, high = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
        extent = high - low + 4.0 * radius
        cell = max(settings.spacing, float(np.sqrt(np.prod(extent) / settings.most_nodes)))
        origin = np.floor((low - radius) / cell - 1.0) * cell  # nodes keep their positions while people walk
        columns, rows = (np.ceil((high + radius - origin) / cell) + 2).astype(int).tolist()
        return cls(origin, cell, (rows, columns), radius)

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return self.shape[0] * self.shape[1]

    def spread(self, points: Float64) -> tuple[Float64, Float64]:
        """Return the density of points (N, 3) at each node, float64 (size,), and the same weighted by their heights."""
        reach = int(np.ceil(self.radius / self.cell))
        steps = np.arange(-reach, reach + 2)
        place = (points[:, :2] - self.origin) / self.cell
        first = np.floor(place).astype(np.int64)
        off = (steps - (place - first)[:, :, None]) * self.cell  # (N, 2, K)
        square = off[:, 1, :, None] ** 2 + off[:, 0, None, :] ** 2  # (N, K, K), rows first
        share = 3.0 / (np.pi * self.radius**2) * np.maximum(1.0 - square / self.radius**2, 0.0) ** 2
        row, column = first[:, 1, None] + steps, first[:, 0, None] + steps
        node = np.clip(row, 0, self.shape[0] - 1)[:, :, None] * self.shape[1]
        node = (node + np.clip(column, 0, self.shape[1] - 1)[:, None, :]).ravel()
        lifted = share * points[:, 2, None, None]
        weight, higher = (np.bincount(node, each.ravel(), self.size).astype(float) for each in (share, lifted))
        return weight, higher

    def to_map(self, weight: Float64, lifted: Float64) -> DensityMap:
        """The map of densities `weight` (size,) and densities times heights `lifted` (size,)."""
        height = np.divide(lifted, weight, out=np.zeros(self.size), where=weight > 0.0)
        return DensityMap(self.origin, self.cell, weight.reshape(self.shape), height.reshape(self.shape))
