# SPDX-License-Identifier: GPL-3.0-or-later
"""What courses meet: how near they come to what stands there, and for how long they are open.

Arrays are (A agents, M courses, K nodes).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...geometry.distance_field import about_is_less_by
from ...geometry.distances import Distances
from ..preferences import PlannerPreferences
from ..settings import PlannerSettings

Float64 = NDArray[np.float64]

_ESCAPE = 0.5  # [m/m] how fast a body that stands too near must get away for a way to count as open,
_GRACE = 0.4  # [m] after this much
_PIECE = 4  # nodes of each piece of the courses of which one looks whether anything is near at all
_FARTHER = 0.05  # [m] than wanted are distances known
_SURELY = 1e-3  # [m] more than matters


def needed_clearance(clear_at_start: Float64, radius: Float64, walked: Float64, settings: PlannerSettings) -> Float64:
    """Distance from the body's middle below which a way is closed; less just ahead of one that stands too near.

    Args:
        clear_at_start: float64 (...), distance at the start [m].
        radius: float64 (...) [m].
        walked: float64 (...), way from the start [m].
        settings: the least clearance.

    Returns:
        float64 (...) [m].
    """
    escaped = clear_at_start - 1e-3 + _ESCAPE * np.maximum(walked - _GRACE, 0.0)
    return np.minimum(radius + settings.least_clearance, escaped)


def distances(obstacles: Distances, x: Float64, y: Float64, at_most: Float64) -> Float64:
    """Distance from places to what stands there.

    Args:
        obstacles: what stands there.
        x: float64 (...) [m].
        y: float64 (...) [m].
        at_most: float64, broadcasting to these: farther need not be known [m].

    Returns:
        float64 (...) [m].
    """
    points = np.stack((x.ravel(), y.ravel()), axis=-1)
    return obstacles.about(points, np.broadcast_to(at_most, x.shape).ravel()).reshape(x.shape)


def may_meet(
    radius: Float64,
    manners: PlannerPreferences,
    x: Float64,
    y: Float64,
    obstacles: Distances | None,
    settings: PlannerSettings,
) -> NDArray[np.bool_]:
    """Tell who may be near anything on any of their courses: most people mostly are not.

    For everybody else `meet` would find nothing, whatever stands farther off: each place that it looks at lies in one
    of the circles that are looked at here, and that distances are told too small is allowed for.

    Args:
        radius: float64 (A,), of the bodies [m].
        manners: of the agents.
        x: float64 (A, M, K), where the courses lead [m].
        y: float64 (A, M, K) [m].
        obstacles: what stands there.
        settings: the least clearance.

    Returns:
        bool (A,).
    """
    if obstacles is None or obstacles.empty:
        return np.zeros(len(x), dtype=bool)
    pieces = np.arange(0, x.shape[2], _PIECE)
    (left, right), (below, above) = (
        (np.minimum.reduceat(v.min(axis=1), pieces, axis=1), np.maximum.reduceat(v.max(axis=1), pieces, axis=1))
        for v in (x, y)
    )
    wide, high = 0.5 * (right - left), 0.5 * (above - below)
    matters = _what_matters(radius, manners, settings)
    matters += about_is_less_by(matters + _FARTHER) + _SURELY
    points = np.stack(((left + wide).ravel(), (below + high).ravel()), axis=-1)
    within = np.sqrt(wide * wide + high * high) + matters[:, None]
    return np.any(obstacles.may_be_within(points, within.ravel()).reshape(wide.shape), axis=1)


def meet(
    radius: Float64,
    manners: PlannerPreferences,
    x: Float64,
    y: Float64,
    walked: Float64,
    obstacles: Distances,
    settings: PlannerSettings,
) -> tuple[Float64, Float64]:
    """Look how near courses come to what stands there.

    Args:
        radius: float64 (A,), of the bodies [m].
        manners: of the agents.
        x: float64 (A, M, K), where the courses lead [m].
        y: float64 (A, M, K) [m].
        walked: float64 (A, M, K), way from the start [m].
        obstacles: what stands there.
        settings: the least clearance.

    Returns:
        Way that can be walked before something is met [m], inf where nothing is; and how much of the wanted clearance
        is missing on it: float64 (A, M) each.
    """
    liked = manners.clearance[:, None, None]
    wanted = radius[:, None, None] + liked
    at_most = _what_matters(radius, manners, settings) + _FARTHER
    clear = distances(obstacles, x, y, at_most[:, None, None])
    spare = clear - needed_clearance(clear[..., :1], radius[:, None, None], walked, settings)
    met = spare < 0.0
    first = np.maximum(np.argmax(met, axis=-1), 1)[..., None]
    before, after = (np.take_along_axis(spare, first + k, axis=-1)[..., 0] for k in (-1, 0))
    way_before, way_after = (np.take_along_axis(walked, first + k, axis=-1)[..., 0] for k in (-1, 0))
    share = np.clip(before / np.where(before > after, before - after, 1.0), 0.0, 1.0)
    open_for = np.where(np.any(met, axis=-1), way_before + share * (way_after - way_before), np.inf)
    missing = np.clip((wanted - 1e-3 - clear) / liked, 0.0, 2.0)
    return open_for, np.mean(missing * missing, axis=-1)


def _what_matters(radius: Float64, manners: PlannerPreferences, settings: PlannerSettings) -> Float64:
    """Distance from the middle of a body from which on it does not matter what stands there, float64 (A,) [m]."""
    return radius + np.maximum(manners.clearance, settings.least_clearance)
