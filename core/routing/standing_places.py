# SPDX-License-Identifier: GPL-3.0-or-later
"""Free positions for bodies: points in free ground; those inside an obstacle or too close to one are moved a little.

No body is moved farther than its own width.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ..array_types import Float64, Int64
from ..geometry.reproducible_math import heading_vector, length2
from ..geometry.segments import nearest_on_segments
from .graph.anchors import Anchor
from .medial_axis.partition import EditablePartition
from .medial_axis.point_location import CellIndex, LocatedPoints

MOST_KNOWN_POINTS = 100_000
"""Points located in advance that are kept; one takes about 200 bytes."""


@dataclass(frozen=True)
class StandingPlaceSettings:
    """How finely the nearest free point round a blocked one is searched; chosen by trial for speed.

    Attributes:
        rings: circles round the blocked point.
        directions: points on each circle.
        refinements: points between the first ring with a free point and the one inside it.
    """

    rings: int = 24
    directions: int = 64
    refinements: int = 30


_SEARCH = StandingPlaceSettings()


class StandingPlaces:
    """Finds free positions for bodies."""

    def __init__(self, index: CellIndex, partition: EditablePartition) -> None:
        """Prepare.

        Args:
            index: of the cells.
            partition: whose cells they are.
        """
        self._index, self._partition = index, partition
        self._ahead: tuple[dict[bytes, int], LocatedPoints] | None = None

    def anchors(self, points: Float64, radii: Float64) -> list[Anchor | None]:
        """Find free positions of bodies, and their anchors on the medial axis.

        A body too close to an obstacle is moved away from it by the missing distance. One inside an obstacle is moved
        to the nearest surface, if that is within its radius, and then away. Where that is too close to another
        obstacle, the nearest free point no farther away is searched.

        Args:
            points: float64 (N, 2) [m from the grid's origin].
            radii: float64 (N,), of the bodies [m].

        Returns:
            For each point its anchor, or None if no free point is close enough.
        """
        places = self._places(points)
        stands = (places.arc >= 0) & (places.clearance >= radii)
        found: list[Anchor | None] = [
            Anchor(points[k], places.anchor[k], int(places.arc[k]), float(places.room[k])) if stands[k] else None
            for k in range(len(points))
        ]
        for k in np.flatnonzero(~stands).tolist():
            found[k] = self._moved(points[k], float(radii[k]), places, k)
        return found

    def look_ahead(self, points: Float64) -> None:
        """Locate points, float64 (N, 2), of queries to come, all at once; valid until the partition changes [m]."""
        number_of, places = self._ahead or ({}, None)
        new = {key: row for row in points if (key := row.tobytes()) not in number_of}
        if not new:
            return
        if len(number_of) + len(new) > MOST_KNOWN_POINTS:
            number_of, places = {}, None
            new = {row.tobytes(): row for row in points}
        found = self._index.locate(np.array(list(new.values())))
        if places is not None:
            both = ((getattr(each, field.name) for each in (places, found)) for field in fields(LocatedPoints))
            found = LocatedPoints(*(np.concatenate(tuple(columns)) for columns in both))
        self._ahead = number_of | {key: len(number_of) + k for k, key in enumerate(new)}, found

    def forget(self) -> None:
        """Drop the located points after a change of the partition."""
        self._ahead = None

    def arc_at(self, points: Float64) -> Int64:
        """Return the arc beside which each point, float64 (N, 2), lies; -1 for points that are not in free ground."""
        return self._places(points).arc

    def clearance(self, points: Float64) -> Float64:
        """Return the distances from points, float64 (N, 2), to the nearest obstacle [m], minus infinity inside one."""
        places = self._places(points)
        return np.where(places.arc >= 0, places.clearance, -np.inf)

    def _places(self, points: Float64) -> LocatedPoints:
        places = self._known(points)
        return self._index.locate(points) if places is None else places

    def _known(self, points: Float64) -> LocatedPoints | None:
        """The points as located before, or None if any is missing."""
        if self._ahead is None:
            return None
        number_of, places = self._ahead
        rows = [number_of.get(point.tobytes(), -1) for point in points]
        if -1 in rows:
            return None
        return LocatedPoints(*(getattr(places, field.name)[rows] for field in fields(LocatedPoints)))

    def _moved(self, point: Float64, radius: float, places: LocatedPoints, k: int) -> Anchor | None:
        if places.arc[k] >= 0:
            start, reach = point, radius
            stepped = point + (radius - places.clearance[k]) * (1.0 + 1e-12) * places.direction[k]
        else:
            distance, closest, segment = nearest_on_segments(point[None], *self._partition.surfaces)
            if not distance[0] <= radius:
                return None
            start, reach = closest[0], float(distance[0]) + radius
            outward = self._outward(point, closest[0], int(np.flatnonzero(self._partition.alive)[segment[0]]))
            stepped = closest[0] + radius * (1.0 + 1e-12) * outward
        return self._first_that_stands(np.stack((stepped, start)), radius) or self._searched(point, radius, reach)

    def _outward(self, point: Float64, closest: Float64, segment: int) -> Float64:
        """Unit direction from a point inside an obstacle out of it."""
        apart = closest - point
        length = np.sqrt(length2(apart))
        along = self._partition.sites.along[segment]
        return apart / length if length > 1e-9 * self._partition.grid.extent else np.array([-along[1], along[0]])

    def _searched(self, point: Float64, radius: float, reach: float) -> Anchor | None:
        """The nearest free point on rings round a point, then along its spoke."""
        angle = 2.0 * np.pi * np.arange(_SEARCH.directions) / _SEARCH.directions
        spoke = heading_vector(angle)
        for ring in reach * np.arange(1, _SEARCH.rings + 1) / _SEARCH.rings:
            places = self._places(point + ring * spoke)
            good = np.flatnonzero((places.arc >= 0) & (places.clearance >= radius))
            if len(good):
                best = spoke[good[np.argmax(places.clearance[good])]]
                near, far = ring - reach / _SEARCH.rings, ring
                share = near + (far - near) * np.arange(1, _SEARCH.refinements + 1) / _SEARCH.refinements
                return self._first_that_stands(point + share[:, None] * best, radius)
        return None

    def _first_that_stands(self, points: Float64, radius: float) -> Anchor | None:
        places = self._places(points)
        good = np.flatnonzero((places.arc >= 0) & (places.clearance >= radius))
        if not len(good):
            return None
        k = int(good[0])
        return Anchor(points[k], places.anchor[k], int(places.arc[k]), float(places.room[k]))
