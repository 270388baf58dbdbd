# SPDX-License-Identifier: GPL-3.0-or-later
"""Routes that begin inside an obstacle: people cannot stand there and start farther on, which is reported."""

from __future__ import annotations

from ...array_types import Float64
from ...geometry.segments import in_shape
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
