# SPDX-License-Identifier: GPL-3.0-or-later
"""Projects routes onto the ground, so that the core knows their slope and storey."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....core.geometry.reproducible_math import length
from ....core.scene import Route
from .ground import GroundMesh
from .sampling import GROUND_SAMPLING


def project_route(ground: GroundMesh, route: Route) -> Route:
    """Return the same route at the height of the ground under it.

    Points are added between its own where the ground does not rise evenly. Of several storeys the one nearest to the
    drawn route is used.

    Args:
        ground: the ground.
        route: with points float64 (P, 3) [m].
    """
    points = np.concatenate([route.points, route.points[:1]]) if route.closed else route.points
    pieces = length(np.diff(points[:, :2], axis=0))
    counts = np.maximum(np.ceil(pieces / GROUND_SAMPLING.route_step).astype(np.int64), 1)
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
    if not np.abs(even - places[:, 2]).max() > GROUND_SAMPLING.route_tolerance:
        places = places[own]
    return replace(route, points=places)
