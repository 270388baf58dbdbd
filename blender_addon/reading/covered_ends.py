# SPDX-License-Identifier: GPL-3.0-or-later
"""Routes that begin or end inside an obstacle: people come out of a house, or go into it, at its edge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...core.geometry.distance_field import ObstacleField
from ...core.geometry.segments import in_shape, lengths_along
from ...core.scene import LOOP, VEHICLE, Crowd, Obstacle
from .crowds import ReadCrowds
from .findings import Findings
from .obstacles import ReadObstacles

Float64 = NDArray[np.float64]

_STEP = 0.05  # [m] between places that are tried
_ROOM = 0.1  # [m] beyond the body
_SHORTEST = 0.5  # [m] that a route keeps at least
_MOST = 8  # obstacles that lie over one end, one after the other


def shorten_covered_ends(crowds: ReadCrowds, obstacles: ReadObstacles, findings: Findings) -> None:
    """Let open routes whose ends lie inside what never moves begin and end before it, and tell so.

    Args:
        crowds: what was read; routes with covered ends are replaced.
        obstacles: all of them.
        findings: takes up a notice for each end.
    """
    every = zip(obstacles.obstacle_sources, obstacles.obstacles, strict=True)
    standing = [(source, each) for source, each in every if each.motion is None]
    for number, (route, source) in enumerate(zip(crowds.routes, crowds.route_sources, strict=True)):
        followers = [crowd for crowd in crowds.crowds if crowd.route == route.name]
        if route.closed or not followers or not standing:
            continue
        room = max(map(_reach, followers)) + _ROOM
        onward = _clear_start(route.points, standing, room)
        if onward is not None:
            points, away, name = onward
            route = replace(route, points=points)  # noqa: PLW2901
            findings.notice(
                f"'{source}' begins inside '{name}': people start {away:.1f} m farther on. Move the first point "
                "out of the obstacle, or remove it from the obstacles."
            )
        before = _clear_start(route.points[::-1], standing, room)
        if before is not None and any(crowd.arrival_rule != LOOP for crowd in followers):
            points, away, name = before
            route = replace(route, points=points[::-1])  # noqa: PLW2901
            findings.notice(
                f"'{source}' ends inside '{name}': people stop {away:.1f} m before its end. Move the last point "
                "out of the obstacle, or remove it from the obstacles."
            )
        crowds.routes[number] = route


def _reach(crowd: Crowd) -> float:
    """How far from where it is the body of anybody reaches [m]."""
    return crowd.length if crowd.kind == VEHICLE else crowd.radius[1]


def _clear_start(
    points: Float64, standing: Sequence[tuple[str, Obstacle]], room: float
) -> tuple[Float64, float, str] | None:
    """Return the rest of a line that begins outside of what its start lies in, how much is left out, and of what.

    Args:
        points: float64 (P, 3) [m].
        standing: what never moves, each with the name of its object.
        room: from it to where the rest begins [m].

    Returns:
        None where the start is free, and where nothing of the line is left.
    """
    (s, line), way = _sampled(points, _STEP), lengths_along(points[:, :2])
    first, blamed = 0, ""
    for _ in range(_MOST):
        here = line[first : first + 1, :2]
        name, around = next(
            (each for each in standing if in_shape(each[1].outline, each[1].holes, here)[0]), ("", None)
        )
        if around is None:
            break
        field = ObstacleField([(around.outline, around.holes)])
        free = np.flatnonzero(field.signed_distance(line[first:, :2], at_most=room) >= room)
        if not len(free) or s[-1] - s[first + free[0]] < _SHORTEST:
            return None
        first, blamed = first + int(free[0]), blamed or name
    if not first:
        return None
    return np.concatenate([line[first : first + 1], points[way > s[first]]]), float(s[first]), blamed


def along(points: Float64, step: float) -> Float64:
    """Return places along a line, its ends among them.

    Args:
        points: float64 (P, 3) [m].
        step: between two of them [m].

    Returns:
        float64 (N, 3) [m].
    """
    return _sampled(points, step)[1]


def _sampled(points: Float64, step: float) -> tuple[Float64, Float64]:
    """Places along a line, float64 (N, 3), and how far it is to each, float64 (N,) [m]."""
    way = lengths_along(points[:, :2])
    s = np.append(np.arange(0.0, way[-1], step), way[-1])
    return s, np.column_stack([np.interp(s, way, values) for values in points.T])
