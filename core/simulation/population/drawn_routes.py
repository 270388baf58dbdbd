# SPDX-License-Identifier: GPL-3.0-or-later
"""The paths of drawn routes, and what is reported where a route cannot be walked as it is drawn.

Those who keep to their line loosely have a path of their own, which cuts corners. Where a route begins inside an
obstacle, people start farther on; where it turns too sharply, they leave it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np

from ...array_types import Float64
from ...geometry.segments import in_shape, nearest_on_segments
from ...planning import ReferencePath, ReferenceSet, ReferenceSettings
from ...planning.paths.path_tables import AnyPath
from ...scene import FLOW, VEHICLE, Crowd, Following, Route, Scene
from ..settings.population_settings import POPULATION, PreferenceSettings
from ..world.environment import Environment

Walked: TypeAlias = "Mapping[tuple[str, float], Route]"
"""Routes by name and by how closely their people keep to them, in the order of their paths."""


def walked_routes(scene: Scene) -> Walked:
    """Return the drawn routes that people follow, once for each *Keep to the Line* of their crowds."""
    crowds = [crowd for crowd in scene.crowds if crowd.kind != VEHICLE]
    return {
        (route.name, crowd.following.keep_to_line): route
        for route in scene.routes
        for crowd in crowds
        if crowd.route == route.name
    }


def paths_of_routes(walked: Walked, scales: PreferenceSettings = POPULATION.preferences) -> list[AnyPath]:
    """Return the paths of drawn routes; all alike are made at once, several times faster than one by one."""
    alike: dict[ReferenceSettings, list[tuple[str, float]]] = {}
    for (name, keep), route in walked.items():
        alike.setdefault(corners_of(keep, route.width, scales), []).append((name, keep))
    paths: dict[tuple[str, float], AnyPath] = {}
    for settings, keys in alike.items():
        routes = [walked[key] for key in keys]
        made = ReferenceSet.from_polylines(
            [route.points for route in routes],
            [route.closed for route in routes],
            [route.width / 2 for route in routes],
            settings=settings,
        )
        paths |= zip(keys, made.tables, strict=True)
    return [paths[key] for key in walked]


def corners_of(
    keep_to_line: float, width: float, scales: PreferenceSettings = POPULATION.preferences
) -> ReferenceSettings:
    """Return how the path of those who keep so closely to a line, from 0 to 1, follows its corners.

    Args:
        keep_to_line: see `Following`.
        width: of the path [m]; on a wide one corners are rounded more.
        scales: what the ends of the scale mean.
    """
    ends = (0.0, 0.5, 1.0)
    share = float(np.interp(keep_to_line, ends, scales.corner_share))
    rounding = min(share * width, scales.most_corner_rounding)
    return ReferenceSettings(
        look_ahead=float(np.interp(keep_to_line, ends, scales.look_ahead)),
        corner_rounding=rounding,
        farthest=max(float(np.interp(keep_to_line, ends, scales.leaves)), rounding + scales.leaves_arcs),
    )


def closeness_of(crowds: Iterable[Crowd], route: Route) -> float:
    """Return how closely the first crowd on a route keeps to it; the usual where nobody is on it."""
    return next(
        (crowd.following.keep_to_line for crowd in crowds if crowd.route == route.name), Following().keep_to_line
    )


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
