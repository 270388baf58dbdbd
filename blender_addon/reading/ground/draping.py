# SPDX-License-Identifier: GPL-3.0-or-later
"""Routes laid on the ground, so that the core knows how steep they are and on which storey they lead."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....core.scene import Route
from .ground import GroundMesh

_EVEN = 1e-4  # [m]: ground that differs less from a line between the points of a route is even
_STEP = 0.5  # [m]: closer together the ground under a route is not looked at


def lay_on(ground: GroundMesh, route: Route) -> Route:
    """The same route at the height of the ground under it.

    Between its points it gets others where the ground does not rise evenly. Of several storeys the one counts that is
    nearest to the route as it was drawn.

    Args:
        ground: what people stand on.
        route: with points float64 (P, 3) [m].
    """
    points = np.concatenate([route.points, route.points[:1]]) if route.closed else route.points
    pieces = np.hypot(*np.diff(points[:, :2], axis=0).T)
    counts = np.maximum(np.ceil(pieces / _STEP).astype(np.int64), 1)
    along = np.concatenate([np.arange(count) / count + number for number, count in enumerate(counts)])
    if not route.closed:
        along = np.append(along, len(counts))
    places = np.stack([np.interp(along, np.arange(len(points)), column) for column in points.T], axis=1)
    places[:, 2] = ground.heights(places[:, :2], places[:, 2])
    own = along == np.floor(along)
    rows = np.flatnonzero(own)
    ends = (along[rows], places[rows, 2])
    if route.closed:
        ends = np.append(ends[0], len(counts)), np.append(ends[1], places[0, 2])
    even = np.interp(along, *ends)
    if not np.abs(even - places[:, 2]).max() > _EVEN:
        places = places[own]
    return replace(route, points=places)
