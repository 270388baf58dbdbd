# SPDX-License-Identifier: GPL-3.0-or-later
"""The protocol of distance fields: `ObstacleField`, or `JoinedField` for two of them.

The methods are described in `core.geometry.distance_field`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from numpy.typing import ArrayLike

from ..array_types import Bool, Float64


class KernelGrid(NamedTuple):
    """What compiled kernels ask for exact distances: their grid; and what they must note, if anything.

    Attributes:
        grid: float64, see `pack_grid` of `core.compiled.distances`.
        note: takes centres, float64 (N, 2), and radii (N,) of discs on whose obstacles the answers depend [m].
    """

    grid: Float64
    note: Callable[[Float64, Float64], None] | None


class KernelGround(NamedTuple):
    """The same of ground on which discs stand.

    Attributes:
        obstacles: see there.
        discs: float64 (K, 4), x and y, radius, and up to where each is looked for [m].
    """

    obstacles: KernelGrid
    discs: Float64


class Distances(Protocol):
    """Signed distances to solids and walls."""

    empty: bool

    @property
    def kernel_grid(self) -> KernelGrid | None:
        """What compiled kernels ask; None where they cannot: for nothing, discs, or more than two grids."""
        ...

    def signed_distance(self, points: ArrayLike, at_most: float = ...) -> Float64:
        """Return float64 (N,), negative inside solid [m]."""
        ...

    def about(self, points: ArrayLike, at_most: ArrayLike) -> Float64:
        """Return float64 (N,), the same from samples [m]."""
        ...

    def may_be_within(self, points: ArrayLike, distance: ArrayLike) -> Bool:
        """Return bool (N,), whether an obstacle may be within the distance; for a broad phase."""
        ...

    def any_may_be_within(self, points: Float64, distance: Float64) -> Bool:
        """Return bool (N,), whether an obstacle may be that close to any of P points, float64 (N, P, 2) [m]."""
        ...

    def nearest(self, points: ArrayLike) -> tuple[Float64, Float64]:
        """Return distances (N,), not signed, and the nearest points (N, 2) [m]."""
        ...
