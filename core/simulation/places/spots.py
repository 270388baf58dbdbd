# SPDX-License-Identifier: GPL-3.0-or-later
"""Spots where people stand at a place: on its points and round them, along its lines, inside its outlines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import length, length2
from ...geometry.segments import contains
from ...routing import direct_clearance
from ...scene import Place
from ..settings.stop_settings import SpotSettings
from ..world.moving_obstacles import Resting
from ..world.static_ground import StaticGround


def middle_of(place: Place) -> Float64:
    """Return float64 (2,), the middle of a place [m]."""
    return np.concatenate([place.points, *place.lines, *place.outlines]).mean(axis=0)


class Spots:
    """The spots of a place, and who has taken them.

    Args:
        place: of the scene.
        settings: how far apart people stand.

    Attributes:
        point: float64 (K, 2) [m].
        rank: int64 (K,): 0 where people stand first, more for those round a point.
        taken: int64 (K,), row of who has taken each; -1 for free ones.
        beside: all spots of the same place: these, and those of people who look at something else from there.
    """

    def __init__(self, place: Place, settings: SpotSettings) -> None:
        self._settings = settings
        points, ranks, centres = _candidates(place, settings)
        self.point, self.rank, self._centre = points[: settings.most], ranks[: settings.most], centres[: settings.most]
        self._known: tuple[Resting, Bool] | None = None
        self.taken = np.full(len(self.point), -1)
        self.beside: Sequence[Spots] = [self]

    def is_free(self, radius: float, ground: StaticGround, bounds: Float64) -> Bool:
        """Return bool (K,), on which spots a body has room, whoever stands there.

        Args:
            radius: of the body [m].
            ground: the obstacles that stand.
            bounds: float64 (B, 2), the polygon that nobody leaves [m].
        """
        room = radius + self._settings.clearance
        if self._known is None or self._known[0] != ground.resting:
            free = (ground.field.signed_distance(self.point, room) >= room) & contains(bounds, self.point)
            around = self.rank > 0  # nobody stands on the other side of a wall
            free[around] &= contains(bounds, self._centre[around])
            free[around] &= direct_clearance(self._centre[around], self.point[around], ground.field) > 0.0
            self._known = ground.resting, free
        return self._known[1]

    def choose(self, row: int, free: Bool, place: Float64, pick: float) -> int:
        """Take a spot for somebody and return its number; -1 where none is left.

        Args:
            row: who.
            free: bool (K,), which may be taken.
            place: float64 (2,), where they come from [m].
            pick: from 0 to 1: which of those on lines and in outlines; round a point it is the nearest.
        """
        held = np.concatenate([each.point[each.taken >= 0] for each in self.beside])
        apart = self.point[:, None] - held
        near = (length2(apart) < self._settings.least_apart**2).any(axis=1)
        some = np.flatnonzero(free & (self.taken < 0) & ~near)
        if not len(some):
            return -1
        some = some[self.rank[some] == self.rank[some].min()]
        off = self.point[some] - place
        nearest = int(some[length2(off).argmin()])
        chosen = nearest if self.rank[some[0]] else int(some[int(pick * len(some))])
        self.taken[chosen] = row
        return chosen

    def approach(self, number: int) -> Float64:
        """Return float64 (2,), where people go who then stand on a spot [m]."""
        return self.point[number]


def _candidates(place: Place, settings: SpotSettings) -> tuple[Float64, Int64, Float64]:
    """Return the spots of a place, float64 (K, 2), their ranks, the lowest first, and the points they surround."""
    ring, rank = _hexagons(settings.rings)
    found = [(place.points[:, None] + settings.spacing * ring).reshape(-1, 2)]
    ranks = [np.tile(rank, len(place.points))]
    centres = np.repeat(place.points, len(ring), axis=0)
    for line in place.lines:
        spots = _along(line, settings.line_spacing)
        found.append(spots)
        ranks.append(np.zeros(len(spots), dtype=np.int64))
    for outline in place.outlines:
        spots = spots_inside(outline, settings.spacing, settings.most)
        found.append(spots)
        ranks.append(np.zeros(len(spots), dtype=np.int64))
    points, order = np.concatenate(found), np.concatenate(ranks)
    by_rank = np.argsort(order, kind="stable")
    centres = np.concatenate([centres, points[len(centres) :]])
    return points[by_rank], order[by_rank], centres[by_rank]


def _hexagons(rings: int) -> tuple[Float64, Int64]:
    """Return points one apart on hexagons round the origin, float64 (N, 2), and the number of the ring of each."""
    i, j = (each.ravel() for each in np.mgrid[-rings : rings + 1, -rings : rings + 1])
    ring = np.maximum(np.maximum(np.abs(i), np.abs(j)), np.abs(i + j))
    keep = np.flatnonzero(ring <= rings)
    points = np.stack((i + 0.5 * j, 0.5 * np.sqrt(3.0) * j), axis=1)
    return points[keep], ring[keep]


def _along(line: Float64, spacing: float) -> Float64:
    """Return float64 (N, 2), points on a polyline at a spacing, the first on its first point [m]."""
    steps = length(np.diff(line, axis=0))
    since = np.concatenate([[0.0], np.cumsum(steps)])
    s = np.arange(0.0, since[-1] + 1e-9, spacing)
    return np.stack([np.interp(s, since, line[:, 0]), np.interp(s, since, line[:, 1])], axis=1)


def spots_inside(outline: Float64, spacing: float, most: int) -> Float64:
    """Return float64 (N, 2), points on a hexagonal grid in the middle of an outline; its mean where none is inside [m].

    Args:
        outline: float64 (V, 2) [m].
        spacing: between the points [m].
        most: of a rectangle round it; where there would be more, they are farther apart.
    """
    low, high = outline.min(axis=0), outline.max(axis=0)
    size, middle = high - low, 0.5 * (low + high)
    spacing = max(spacing, float(np.sqrt(size.prod() / most)))
    step, edge = spacing * np.array([1.0, np.sqrt(0.75)]), 0.25 * spacing
    shift = edge if size[0] > spacing else 0.0  # of every other row to either side
    columns, rows = np.maximum(np.floor((size - 2.0 * edge - (2.0 * shift, 0.0)) / step) + 1.0, 1.0)
    across, up = (
        each * (np.arange(count) - 0.5 * (count - 1.0)) for each, count in zip(step, (columns, rows), strict=True)
    )
    x = middle[0] + np.tile(across, len(up)) + shift * np.repeat(2.0 * (np.arange(rows) % 2) - 1.0, len(across))
    y = middle[1] + np.repeat(up, len(across))
    points = np.stack((x, y), axis=1)
    points = points[contains(outline, points)] if len(points) else points
    return points if len(points) else outline.mean(axis=0)[None]
