# SPDX-License-Identifier: GPL-3.0-or-later
"""One reference path by itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...array_types import Float64
from .free_width import free_width_of_line
from .path_tables import AnyPath, build_tables
from .reference_path import ReferenceSet
from .reference_settings import ReferenceSettings


class ReferencePath:
    """One path: a `ReferenceSet` of one, without path numbers."""

    def __init__(self, table: AnyPath) -> None:
        self.table = table
        self._set = ReferenceSet([table])

    @classmethod
    def from_points(
        cls,
        points: ArrayLike,
        closed: bool = False,
        *,
        half_width: float = 1.0,
        left: ArrayLike | None = None,
        right: ArrayLike | None = None,
        settings: ReferenceSettings | None = None,
    ) -> ReferencePath:
        """Make a path of a drawn line.

        Arguments and errors are those of `ReferenceSet.from_polylines`, for one line.
        """
        width = free_width_of_line(points, half_width, left, right)
        return cls(build_tables([points], [closed], [width], settings or ReferenceSettings())[0])

    @property
    def length(self) -> float:
        """Arc length, of one lap where the path is closed [m]."""
        return self.table.length

    @property
    def closed(self) -> bool:
        """Whether the path continues lap after lap."""
        return self.table.closed

    @property
    def half_width(self) -> float:
        """The largest free width on either side [m]."""
        return self.table.half_width

    def to_cartesian(self, s: ArrayLike, d: ArrayLike) -> Float64:
        """Places, float64 (N, 2) [m], at s and d, float64 (N,) [m]."""
        return self._set.to_cartesian(0, np.atleast_1d(s), np.atleast_1d(d))

    def to_frenet(self, xy: ArrayLike, s_near: ArrayLike) -> tuple[Float64, Float64]:
        """Arc length s and offset d, (N,) each [m], of places (N, 2) near a predicted s [m]; laps unrolled."""
        return self._set.to_frenet(0, np.atleast_2d(xy), s_near)

    def pose(self, s: ArrayLike) -> tuple[Float64, Float64, Float64, Float64]:
        """Position (N, 2) [m], heading [rad], curvature [1/m], curvature rate [1/m2], (N,) each, at s (N,) [m]."""
        return self._set.pose(0, np.atleast_1d(s))

    def height(self, s: ArrayLike) -> Float64:
        """Height z of the drawn line, float64 (N,) [m], at s (N,) [m]."""
        return self._set.height(0, np.atleast_1d(s))

    def limits(self, s: ArrayLike) -> tuple[Float64, Float64]:
        """Where people walk at s (N,) [m]: d_right, negative, and d_left, positive, float64 (N,) each [m]."""
        return self._set.limits(0, np.atleast_1d(s))

    def free_width(self, s: ArrayLike) -> tuple[Float64, Float64]:
        """Free width to the right and to the left at s (N,) [m]: float64 (N,) each, both positive [m]."""
        return self._set.free_width(0, np.atleast_1d(s))
