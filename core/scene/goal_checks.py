# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of starts and goals: none may lie inside a static obstacle or outside the bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..array_types import Bool, Float64
from ..geometry.segments import contains, edges_of, in_shape, nearest_on_segments
from .basics.value_checks import Checker, is_number, shown
from .entities import LOOP, Area, Obstacle, Route, SceneContent

_CONTACT_TOLERANCE = 1e-9  # [m]: a point this near to an outline lies on it


def check_goals(
    check: Checker,
    scene: SceneContent,
    areas: Mapping[str, Area | None],
    solid: Sequence[tuple[int, Obstacle]],
    bounds: Float64 | None,
) -> None:
    """Report each goal inside an obstacle: of single agents, ends of routes, areas as a whole.

    Start areas count too, and areas that lie wholly outside the bounds.

    Args:
        check: collects the faults.
        scene: to check.
        areas: the areas by name, None where the shape is not sound.
        solid: the static obstacles of sound shape, each with its number.
        bounds: of the scene, if of sound shape.
    """
    goals = _agents_goals(scene) + _route_ends(check, scene)
    if goals:
        points = np.array([point for _, point, _ in goals], dtype=np.float64)
        for k, owner in _first_around(points, solid).items():
            place, _, what = goals[k]
            check.add(place, f"{what} lies inside the obstacle {owner}")
    for i, crowd in enumerate(scene.crowds):
        for which, name in (("start", crowd.start), ("goal", crowd.goal)):
            area = areas.get(name) if isinstance(name, str) else None
            fault = "" if area is None else _why_unreachable(area.outline, solid, bounds)
            if area is not None and fault:
                check.add(f"crowds[{i}].{which}", f"the area {shown(area.name)} lies {fault}")


def _why_unreachable(outline: Float64, solid: Sequence[tuple[int, Obstacle]], bounds: Float64 | None) -> str:
    """Return where a blocked area lies, or "" if it is not blocked."""
    if bounds is not None and _lies_apart(outline, bounds):
        return "outside the bounds"
    inside = (which for which in solid if lies_in(outline, which[1].outline, which[1].holes))
    around = next(inside, None)
    return "" if around is None else f"inside the obstacle {_called(*around)}"


def _lies_apart(inner: Float64, outline: Float64) -> bool:
    """Whether two simple polygons, float64 (V, 2), are disjoint."""
    samples = np.concatenate([inner, _middles_of_pieces(inner, *edges_of(outline))])
    return not np.any(_inside(samples, outline, ())) and not np.any(contains(inner, outline))


def _agents_goals(scene: SceneContent) -> list[tuple[str, Any, str]]:
    """Return place, point and description of each goal that is a sound point."""
    return [
        (f"crowds[{i}].agents[{k}].goal", agent.goal, "the goal")
        for i, crowd in enumerate(scene.crowds)
        for k, agent in enumerate(crowd.agents)
        if isinstance(agent.goal, list | tuple) and len(agent.goal) == 2 and all(map(is_number, agent.goal))
    ]


def _route_ends(check: Checker, scene: SceneContent) -> list[tuple[str, Any, str]]:
    """Return the same of the ends of open routes that some crowd follows to the end."""
    followed = {
        crowd.route
        for i, crowd in enumerate(scene.crowds)
        if isinstance(crowd.route, str) and crowd.arrival != LOOP and not check.is_unread(f"crowds[{i}].arrival")
    }
    ends = []
    for i, route in enumerate(scene.routes):
        place = f"routes[{i}]"
        is_open = route.closed is False and not check.is_unread(f"{place}.closed")
        if is_open and isinstance(route.name, str) and route.name in followed and _has_points(route):
            ends.append((f"{place}.points[{len(route.points) - 1}]", route.points[-1, :2], "the end of the route"))
    return ends


def _has_points(route: Route) -> bool:
    points: Any = route.points
    return isinstance(points, np.ndarray) and points.ndim == 2 and len(points) > 0 and points.shape[1] == 3


def _first_around(points: Float64, solid: Sequence[tuple[int, Obstacle]]) -> dict[int, str]:
    """Return, for each point inside an obstacle, the first such obstacle's description."""
    owners: dict[int, str] = {}
    for number, obstacle in solid:
        low, high = obstacle.outline.min(axis=0), obstacle.outline.max(axis=0)
        near = np.flatnonzero(np.all((points >= low) & (points <= high), axis=1))
        if len(near):
            for k in near[_inside(points[near], obstacle.outline, obstacle.holes)]:
                owners.setdefault(int(k), _called(number, obstacle))
    return dict(sorted(owners.items()))


def _called(number: int, obstacle: Obstacle) -> str:
    return f"{shown(obstacle.name)} (obstacles[{number}])"


def lies_in(inner: Float64, outline: Float64, holes: Sequence[Float64]) -> bool:
    """Whether an outline lies wholly in a polygon with holes, touching allowed.

    Args:
        inner: float64 (V, 2), a simple polygon [m].
        outline: float64 (W, 2), a simple polygon [m].
        holes: simple polygons in `outline` that do not belong to it [m].
    """
    if np.any(inner.min(axis=0) < outline.min(axis=0) - _CONTACT_TOLERANCE):
        return False
    if np.any(inner.max(axis=0) > outline.max(axis=0) + _CONTACT_TOLERANCE):
        return False
    starts, ends = _edges_of_all((outline, *holes))
    low, high = inner.min(axis=0) - _CONTACT_TOLERANCE, inner.max(axis=0) + _CONTACT_TOLERANCE
    near = np.all((np.minimum(starts, ends) <= high) & (np.maximum(starts, ends) >= low), axis=1)
    starts, ends = starts[near], ends[near]
    # Between its meetings with the polygon's edges, a piece of an edge is on one side altogether: corners and middles
    # of those pieces decide. Holes are then either clear of `inner` or altogether in it.
    samples = np.concatenate([inner, _middles_of_pieces(inner, starts, ends)])
    outside = samples[~in_shape(outline, holes, samples)]
    if np.any(nearest_on_segments(outside, starts, ends)[0] > _CONTACT_TOLERANCE):
        return False
    return not any(np.any(_inside(_middles_of_pieces(hole, *edges_of(inner)), inner, ())) for hole in holes)


def _inside(points: Float64, outline: Float64, holes: Sequence[Float64]) -> Bool:
    """Whether points lie in a polygon with holes, and not on its edges."""
    inside = in_shape(outline, holes, points)
    starts, ends = _edges_of_all((outline, *holes))
    on_edge = nearest_on_segments(points, starts, ends)[0] <= _CONTACT_TOLERANCE
    return inside & ~on_edge


def _edges_of_all(rings: Sequence[Float64]) -> tuple[Float64, Float64]:
    edges = [edges_of(ring) for ring in rings]
    return np.concatenate([starts for starts, _ in edges]), np.concatenate([ends for _, ends in edges])


def _middles_of_pieces(ring: Float64, c: Float64, d: Float64) -> Float64:
    """Return the middles of the pieces into which the lines through edges c to d cut a ring's edges."""
    middles = []
    across = d - c
    for a, b in zip(*edges_of(ring), strict=True):
        run = b - a
        span = run[0] * across[:, 1] - run[1] * across[:, 0]
        offset = (c[:, 0] - a[0]) * across[:, 1] - (c[:, 1] - a[1]) * across[:, 0]
        share = offset[span != 0.0] / span[span != 0.0]
        cuts = np.unique(np.concatenate([[0.0, 1.0], share[(share > 0.0) & (share < 1.0)]]))
        middles.append(a + 0.5 * (cuts[:-1] + cuts[1:])[:, None] * run)
    return np.concatenate(middles)
