# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of routes against what surrounds them.

Ends inside obstacles are shortened to the obstacle's edge, and a route entirely inside is a fault. Where no ground lies
under a route or an area, a notice says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...core.array_types import Bool, Float64
from ...core.geometry.distance_field import ObstacleField
from ...core.geometry.reproducible_math import length
from ...core.geometry.segments import in_shape, lengths_along
from ...core.scene import LOOP, VEHICLE, Crowd, Obstacle, Route
from .crowds import ReadCrowds
from .ground.ground import GroundMesh
from .ground.sampling import GROUND_SAMPLING
from .objects.findings import Findings
from .obstacles import ReadObstacles


@dataclass(frozen=True)
class CoveredEndSettings:
    """How routes that begin or end inside obstacles are shortened; all chosen by trial on the example scenes.

    Attributes:
        step: distance between the points that are tried along a route [m].
        clearance: free distance to the obstacle, beyond the radius of the largest body [m].
        shortest_route: a route is not shortened to less than this [m].
        most_obstacles: number of obstacles that may cover one end, one behind another.
        check_step: distance between the points at which a route is tested for lying entirely inside obstacles [m].
    """

    step: float = 0.05
    clearance: float = 0.1
    shortest_route: float = 0.5
    most_obstacles: int = 8
    check_step: float = 0.25


_SETTINGS = CoveredEndSettings()


def shorten_covered_ends(crowds: ReadCrowds, obstacles: ReadObstacles, findings: Findings) -> None:
    """Shorten open routes whose ends lie inside static obstacles, and report it.

    Args:
        crowds: as read; routes with covered ends are replaced.
        obstacles: all obstacles.
        findings: collects a notice for each end.
    """
    every = zip(obstacles.obstacle_sources, obstacles.obstacles, strict=True)
    static = [(source, each) for source, each in every if each.motion is None]
    for number, (route, source) in enumerate(zip(crowds.routes, crowds.route_sources, strict=True)):
        followers = [crowd for crowd in crowds.crowds if crowd.route == route.name]
        if route.closed or not followers or not static:
            continue
        clearance = max(map(_body_extent, followers)) + _SETTINGS.clearance
        shortened = _clear_start(route.points, static, clearance)
        if shortened is not None:
            points, away, name = shortened
            route = replace(route, points=points)  # noqa: PLW2901
            findings.notice(
                f"'{source}' begins inside '{name}': people start {away:.1f} m farther on. Move the first point "
                "out of the obstacle, or remove it from the obstacles. Choose it as Ground if people walk on it."
            )
        shortened = _clear_start(route.points[::-1], static, clearance)
        if shortened is not None and any(crowd.arrival_rule != LOOP for crowd in followers):
            points, away, name = shortened
            route = replace(route, points=points[::-1])  # noqa: PLW2901
            findings.notice(
                f"'{source}' ends inside '{name}': people stop {away:.1f} m before its end. Move the last point "
                "out of the obstacle, or remove it from the obstacles. Choose it as Ground if people walk on it."
            )
        crowds.routes[number] = route


def _body_extent(crowd: Crowd) -> float:
    """Return the largest distance from an agent's position to the edge of its body [m]."""
    return crowd.length if crowd.kind == VEHICLE else crowd.radius[1]


def _clear_start(
    points: Float64, static: Sequence[tuple[str, Obstacle]], clearance: float
) -> tuple[Float64, float, str] | None:
    """Return the part of a line outside the obstacles at its start, the length cut off, and the obstacle's name.

    Args:
        points: float64 (P, 3) [m].
        static: obstacles that do not move, each with the name of its object.
        clearance: distance from them to the new start [m].

    Returns:
        None where the start is free, or where nothing of the line would be left.
    """
    (s, line), arc_length = _sampled(points, _SETTINGS.step), lengths_along(points[:, :2])
    first, covering = 0, ""
    for _ in range(_SETTINGS.most_obstacles):
        here = line[first : first + 1, :2]
        name, around = next((each for each in static if in_shape(each[1].outline, each[1].holes, here)[0]), ("", None))
        if around is None:
            break
        field = ObstacleField([(around.outline, around.holes)])
        free = np.flatnonzero(field.signed_distance(line[first:, :2], at_most=clearance) >= clearance)
        if not len(free) or s[-1] - s[first + free[0]] < _SETTINGS.shortest_route:
            return None
        first, covering = first + int(free[0]), covering or name
    if not first:
        return None
    return np.concatenate([line[first : first + 1], points[arc_length > s[first]]]), float(s[first]), covering


def check_routes_are_free(crowds: ReadCrowds, obstacles: Sequence[Obstacle], findings: Findings) -> None:
    """Report routes that lie entirely inside static obstacles as faults.

    Args:
        crowds: as read.
        obstacles: all obstacles.
        findings: collects the faults.
    """
    static = [obstacle for obstacle in obstacles if obstacle.motion is None]
    for route, source in zip(crowds.routes, crowds.route_sources, strict=True):
        covered = _covered(route.points, static)
        if _all_covered(covered):  # the route may be free between its points
            covered = _covered(_sampled(route.points, _SETTINGS.check_step)[1], static)
        if _all_covered(covered):
            most = max(covered, key=lambda name: np.count_nonzero(covered[name]))
            findings.fault(source, f"lies entirely inside the obstacle '{most}', so nobody can walk along it.")


def _covered(points: Float64, static: Sequence[Obstacle]) -> dict[str, Bool]:
    """Return for each obstacle, by its name, which points (P, 3) lie in it: bool (P,)."""
    return {each.name: in_shape(each.outline, each.holes, points[:, :2]) for each in static}


def _all_covered(covered: dict[str, Bool]) -> bool:
    return bool(covered) and bool(np.any(list(covered.values()), axis=0).all())


def _sampled(points: Float64, step: float) -> tuple[Float64, Float64]:
    """Return arc lengths every `step` along a line, its end included, float64 (N,) [m], and the points there (N, 3)."""
    arc_length = lengths_along(points[:, :2])
    s = np.append(np.arange(0.0, arc_length[-1], step), arc_length[-1])
    return s, np.column_stack([np.interp(s, arc_length, values) for values in points.T])


def check_ground_lies_under(crowds: ReadCrowds, ground: GroundMesh, name: str, findings: Findings) -> None:
    """Report routes, and areas by their centre, that lie beyond the ground's edge.

    Args:
        crowds: their routes and areas, each route of a length that can be walked.
        ground: the ground.
        name: of the ground's object.
        findings: collects notices.
    """
    checked = [_points_along(route) for route in crowds.routes]
    checked += [area.outline.mean(axis=0, keepdims=True) for area in crowds.areas]
    for source, points in zip([*crowds.route_sources, *crowds.area_sources], checked, strict=True):
        covered = ground.covers(points)
        if not covered.all():
            under = "lies under only a part of" if covered.any() else "does not lie under"
            findings.notice(
                f"'{name}' {under} '{source}': beyond the ground, people stand at the height of its nearest edge."
            )


def _points_along(route: Route) -> Float64:
    """Return the middles of equal pieces of a route, float64 (N, 2) [m]; its ends may lie on the edge of the ground."""
    line = np.concatenate([route.points, route.points[:1]]) if route.closed else route.points
    along = np.concatenate([[0.0], np.cumsum(length(np.diff(line, axis=0)))])
    count = max(math.ceil(along[-1] / GROUND_SAMPLING.check_step), 1)
    middles = (np.arange(count) + 0.5) * (along[-1] / count)
    return np.column_stack([np.interp(middles, along, line[:, axis]) for axis in (0, 1)])
