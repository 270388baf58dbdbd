# SPDX-License-Identifier: GPL-3.0-or-later
"""One path by itself: a `ReferenceSet` of one, asked without path numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .reference import ReferenceSet
from .room import given_room
from .tables import PathTable, ReferenceSettings, build_tables

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]


class ReferencePath:
    """One path: a drawn line made walkable. See `reference` for what it answers."""

    def __init__(self, table: PathTable) -> None:
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
        """Make a drawn line walkable.

        Args:
            points: float64 (P, 2) or (P, 3) [m]; repeats and what is not finite are left out.
            closed: the last point joins the first.
            half_width: what people may use on each side [m].
            left: float64 (P,), how far to the left of each point there is room (such as the clearance there), instead
                of `half_width`; linear along the line between points [m].
            right: likewise to the right [m].
            settings: see `ReferenceSettings`.

        Returns:
            The path.

        Raises:
            GeometryError: fewer than two distinct points, a width that is not a positive number, or room that is not
                one number for each point, not negative.
        """
        room = given_room(points, half_width, left, right)
        return cls(build_tables([points], [closed], [room], settings or ReferenceSettings())[0])

    @property
    def length(self) -> float:
        """Arc length, of one lap where the path is closed [m]."""
        return self.table.length

    @property
    def closed(self) -> bool:
        """Whether the path goes lap after lap."""
        return self.table.closed

    @property
    def half_width(self) -> float:
        """The most that people may use on either side [m]."""
        return self.table.half_width

    def to_cartesian(self, s: ArrayLike, d: ArrayLike) -> Float64:
        """Places, float64 (N, 2) [m], at s and d, float64 (N,) [m]."""
        s, d = np.broadcast_arrays(np.atleast_1d(s), np.atleast_1d(d))
        return self._set.to_cartesian(_zeros(s), s, d)

    def to_frenet(self, xy: ArrayLike, s_near: ArrayLike) -> tuple[Float64, Float64]:
        """Arc length s and offset d, (N,) each [m], of places (N, 2) near a predicted s [m]; laps unrolled."""
        xy = np.atleast_2d(np.asarray(xy, dtype=np.float64))
        return self._set.to_frenet(np.zeros(len(xy), dtype=np.int64), xy, s_near)

    def pose(self, s: ArrayLike) -> tuple[Float64, Float64, Float64, Float64]:
        """Position (N, 2) [m], heading [rad], curvature [1/m], curvature rate [1/m2], (N,) each, at s (N,) [m]."""
        return self._set.pose(_zeros(s), np.atleast_1d(s))

    def height(self, s: ArrayLike) -> Float64:
        """Height z of the drawn line, float64 (N,) [m], at s (N,) [m]."""
        return self._set.height(_zeros(s), np.atleast_1d(s))

    def limits(self, s: ArrayLike) -> tuple[Float64, Float64]:
        """Where people walk at s (N,) [m]: d_right, negative, and d_left, positive, float64 (N,) each [m]."""
        return self._set.limits(_zeros(s), np.atleast_1d(s))

    def room(self, s: ArrayLike) -> tuple[Float64, Float64]:
        """What people may use to the right and to the left at s (N,) [m]: float64 (N,) each, both positive [m]."""
        return self._set.room(_zeros(s), np.atleast_1d(s))

    def bend_limits(self, s: ArrayLike) -> tuple[Float64, Float64]:
        """What bends alone allow at s (N,) [m]: d_right and d_left, float64 (N,) each [m]."""
        return self._set.bend_limits(_zeros(s), np.atleast_1d(s))

    def speed_limit(self, s: ArrayLike, lateral_acceleration: float) -> Float64:
        """How fast the line's bends may be walked at s (N,) [m]: float64 (N,) [m/s], inf where straight."""
        return self._set.speed_limit(_zeros(s), np.atleast_1d(s), lateral_acceleration)


def _zeros(s: ArrayLike) -> Int64:
    return np.zeros(np.atleast_1d(s).shape, dtype=np.int64)
