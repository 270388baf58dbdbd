# SPDX-License-Identifier: GPL-3.0-or-later
"""Routes that cannot be walked as they are drawn: what people do instead is reported.

They begin inside an obstacle, where people cannot stand, so that they start farther on; or they turn too sharply.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Float64
from ...geometry.segments import in_shape, nearest_on_segments
from ...planning import ReferencePath
from ...scene import FLOW, Crowd, Route
from ..world.environment import Environment


def tell_of_covered_start(crowd: Crowd, route: Route, s: Float64, environment: Environment) -> list[str]:
    """Return a sentence for the user where a crowd's route begins inside an obstacle that never moves; else none.

    Args:
        crowd: on the route.
        route: its route.
        s: float64 (N,), where its people begin on the route [m].
        environment: the obstacles.
    """
    first = route.points[:1, :2]
    if not len(s) or environment.is_free(first, 0.0, 0.0)[0]:
        return []
    fixed = environment.ground.obstacles
    around = next((obstacle for obstacle in fixed if in_shape(*obstacle.polygon, first)[0]), None)
    if around is None:
        return []
    what = f"{crowd.name}: '{route.name}' begins inside '{around.name}'"
    way_out = "Move the first point out of the obstacle, or remove it from the obstacles."
    if crowd.spawn.mode == FLOW:
        return [f"{what}, so nobody can enter. {way_out}"]
    return [f"{what}: they start {s.min():.1f} m farther on. {way_out}"]


_PLACES = 1000
"""Places of a path at most whose distances to the drawn line are measured, so that long routes take no time."""


def tell_of_departure(crowd: Crowd, route: Route, path: ReferencePath, least: float) -> list[str]:
    """Return a sentence for the user where the path that people walk leaves the drawn line; else none.

    Args:
        crowd: on the route.
        route: its route.
        path: what is walked.
        least: distances up to this are not reported [m].
    """
    drawn = np.concatenate((route.points, route.points[:1]))[:, :2] if route.closed else route.points[:, :2]
    drawn = drawn[np.isfinite(drawn).all(axis=1)]
    s = np.linspace(0.0, path.length, min(_PLACES, 1 + int(path.length / 0.1)))
    places = path.to_cartesian(s, np.zeros(len(s)))
    away = nearest_on_segments(places, drawn[:-1], drawn[1:])[0]
    farthest = int(np.argmax(away))
    if away[farthest] <= least:
        return []
    x, y = places[farthest]
    what = f"{crowd.name}: '{route.name}' turns too sharply to be walked: its people leave it"
    return [f"{what} by {away[farthest]:.1f} m at ({x:.1f}, {y:.1f}). Draw wider bends, or fewer turns."]
