# SPDX-License-Identifier: GPL-3.0-or-later
"""Clearance of courses: how near they come to obstacles, and for how long they are free.

Arrays are (A agents, M courses, K nodes).
"""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64
from ...compiled import twins
from ...geometry.distances import Distances
from ...geometry.sampled_field import about_is_less_by
from .settings import PlannerSettings

_NODES_PER_PIECE = 4  # the pieces of courses that are first checked for anything near
_DISTANCE_MARGIN = 0.05  # [m] beyond the preferred clearance up to which distances are computed
DISTANCE_ROUNDING = 1e-3  # [m]


def needed_clearance(clear_at_start: Float64, radius: Float64, walked: Float64, settings: PlannerSettings) -> Float64:
    """Distance from the body's centre below which a course is blocked; less just ahead of a body that is too near.

    Args:
        clear_at_start: float64 (...), distance at the start [m].
        radius: float64 (...) [m].
        walked: float64 (...), distance walked from the start [m].
        settings: the least clearance.

    Returns:
        float64 (...) [m].
    """
    courses = settings.courses
    escaped = clear_at_start - DISTANCE_ROUNDING + courses.escape_slope * np.maximum(walked - courses.escape_delay, 0.0)
    return np.minimum(radius + settings.least_clearance, escaped)


def distances(obstacles: Distances, x: Float64, y: Float64, at_most: Float64) -> Float64:
    """Return the distance from places to obstacles.

    Args:
        obstacles: obstacles that stand still.
        x: float64 (...) [m].
        y: float64 (...) [m].
        at_most: float64, broadcasting to these: larger distances need not be exact [m].

    Returns:
        float64 (...) [m].
    """
    points = np.stack((x.ravel(), y.ravel()), axis=-1)
    return obstacles.about(points, np.broadcast_to(at_most, x.shape).ravel()).reshape(x.shape)


def may_be_near(
    radius: Float64,
    clearance: Float64,
    x: Float64,
    y: Float64,
    obstacles: Distances | None,
    settings: PlannerSettings,
) -> Bool:
    """Return which agents may be near an obstacle on any of their courses: most people mostly are not.

    For the others `measure_clearance` would find nothing: each place that it evaluates lies in one of the circles that
    are checked here, and the error by which distances are too small is added.

    Args:
        radius: float64 (A,), of the bodies [m].
        clearance: float64 (A,), preferred distance between a body and an obstacle [m].
        x: float64 (A, M, K), positions on the courses [m].
        y: float64 (A, M, K) [m].
        obstacles: obstacles that stand still.
        settings: the least clearance.

    Returns:
        bool (A,).
    """
    if obstacles is None or obstacles.empty:
        return np.zeros(len(x), dtype=bool)
    kernels = twins.twin(twins.COURSES)
    if kernels is not None:
        left, right, below, above = kernels.boxes(x, y, _NODES_PER_PIECE)
    else:
        (left, right), (below, above) = (
            (_by_piece(np.minimum, values), _by_piece(np.maximum, values)) for values in (x, y)
        )
    wide, high = 0.5 * (right - left), 0.5 * (above - below)
    relevant = _relevant_distance(radius, clearance, settings)
    relevant += about_is_less_by(relevant + _DISTANCE_MARGIN) + DISTANCE_ROUNDING
    points = np.stack(((left + wide).ravel(), (below + high).ravel()), axis=-1)
    within = np.sqrt(wide * wide + high * high) + relevant[:, None]
    return np.any(obstacles.may_be_within(points, within.ravel()).reshape(wide.shape), axis=1)


def _by_piece(extreme: np.ufunc, values: Float64) -> Float64:
    """Return the extremes over all courses and the nodes of each piece, float64 (A, pieces), of float64 (A, M, K)."""
    of_nodes = extreme.reduce(values, axis=1)
    found = of_nodes[:, ::_NODES_PER_PIECE].copy()
    for node in range(1, _NODES_PER_PIECE):
        more = of_nodes[:, node::_NODES_PER_PIECE]
        extreme(found[:, : more.shape[1]], more, out=found[:, : more.shape[1]])
    return found


def measure_clearance(
    radius: Float64,
    clearance: Float64,
    x: Float64,
    y: Float64,
    walked: Float64,
    obstacles: Distances,
    settings: PlannerSettings,
) -> tuple[Float64, Float64]:
    """Measure how near courses come to obstacles.

    Args:
        radius: float64 (A,), of the bodies [m].
        clearance: float64 (A,), preferred distance between a body and an obstacle [m].
        x: float64 (A, M, K), positions on the courses [m].
        y: float64 (A, M, K) [m].
        walked: float64 (A, M, K), distance walked from the start [m].
        obstacles: obstacles that stand still.
        settings: the least clearance.

    Returns:
        Distance that can be walked before an obstacle [m], inf where there is none; and the mean square of the missing
        share of the preferred clearance: float64 (A, M) each.
    """
    at_most = _relevant_distance(radius, clearance, settings) + _DISTANCE_MARGIN
    clear = distances(obstacles, x, y, at_most[:, None, None])
    kernels, courses = twins.twin(twins.COURSES), settings.courses
    if kernels is not None:
        numbers = [DISTANCE_ROUNDING, settings.least_clearance, courses.escape_slope, courses.escape_delay]
        return kernels.measure(radius, clearance, clear, walked, np.array(numbers))
    spare = clear - needed_clearance(clear[..., :1], radius[:, None, None], walked, settings)
    met = spare < 0.0
    first = np.maximum(np.argmax(met, axis=-1), 1)[..., None]
    before, after = (np.take_along_axis(spare, first + k, axis=-1)[..., 0] for k in (-1, 0))
    walked_before, walked_after = (np.take_along_axis(walked, first + k, axis=-1)[..., 0] for k in (-1, 0))
    share = np.clip(before / np.where(before > after, before - after, 1.0), 0.0, 1.0)
    open_for = np.where(np.any(met, axis=-1), walked_before + share * (walked_after - walked_before), np.inf)
    preferred = clearance[:, None, None]
    needed = radius[:, None, None] + preferred
    missing = np.clip((needed - DISTANCE_ROUNDING - clear) / preferred, 0.0, 2.0)
    return open_for, np.mean(missing * missing, axis=-1)


def _relevant_distance(radius: Float64, clearance: Float64, settings: PlannerSettings) -> Float64:
    """Distance from the centre of a body beyond which obstacles are irrelevant, float64 (A,) [m]."""
    return radius + np.maximum(clearance, settings.least_clearance)
