# SPDX-License-Identifier: GPL-3.0-or-later
"""A bypass of people who stand on a straight line: two straight legs, over a point beside them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...compiled import twins
from ...geometry.disc_field import DiscField
from ...geometry.distances import Distances, KernelGround
from ...geometry.field_settings import FIELD
from ...geometry.reproducible_math import length
from ...routing import LINE_SPACING, direct_clearance
from ...routing.straight_lines import points_between
from ..settings.guidance_settings import BypassSettings


def find_points_beside(
    start: Float64, end: Float64, room: Float64, field: Distances, settings: BypassSettings
) -> tuple[Float64, Bool]:
    """Return points beside what stands on straight lines, over which these are free, and which lines are blocked.

    Args:
        start: float64 (N, 2) [m].
        end: float64 (N, 2); people walk there, but what is beyond the horizon does not matter yet [m].
        room: float64 (N,), the least distance to all that stands [m].
        field: distances to it.
        settings: which points are tried.

    Returns:
        float64 (N, 2), those of the shortest bypasses, NaN for none [m]; and bool (N,).
    """
    found, blocked = np.full(start.shape, np.nan), np.zeros(len(start), dtype=bool)
    line_to_end = end - start
    whole = length(line_to_end)
    share = np.minimum(1.0, settings.horizon / np.maximum(whole, 1e-9))
    points, line = points_between(start, start + share[:, None] * line_to_end)
    met = field.signed_distance(points, float(room.max(initial=0.0))) < room[line]
    if not met.any():
        return found, blocked
    off = points - start[line]
    along = length(off)
    first, last, free = np.full(len(start), np.inf), np.zeros(len(start)), np.zeros(len(start))
    np.minimum.at(first, line[met], along[met])
    np.maximum.at(free, line[~met], along[~met])
    # The bypass rejoins the line at its last free point. What stands beyond it counts once that is near.
    before = met & (along < free[line])
    np.maximum.at(last, line[before], along[before])
    blocked[line[met]] = True
    blocked &= (last > 0.0) | (free < settings.near)
    rows = np.flatnonzero(blocked & (free > last) & (last > 0.0))
    unit = line_to_end[rows] / np.maximum(whole[rows], 1e-9)[:, None]
    beyond = start[rows] + free[rows, None] * unit
    tried = _points_beside(start[rows], unit, np.stack((first[rows], last[rows])), settings)
    found[rows] = _shortest_free(start[rows], beyond, room[rows], tried, field, settings.tried_together)
    return found, blocked


def bypass_people(
    path: Float64, room: float, wide: float, field: Distances, settings: BypassSettings
) -> Float64 | None:
    """Return a path, or one that bypasses those who stand on it; None where there is no bypass.

    Where people stand on it only beyond the horizon, the path stays: they may have gone by then.

    Args:
        path: float64 (P, 2), free of obstacles [m].
        room: the least distance to all that stands, along the path [m],
        wide: and at the places between which a bypass is searched [m].
        field: distances to obstacles and to people who stand.
        settings: which points are tried.

    Returns:
        float64 (Q, 2) [m]; a new path keeps `room` along every leg.
    """
    blocked = np.flatnonzero(direct_clearance(path[:-1], path[1:], field, room) < room)
    if not len(blocked):
        return path
    has_room = field.signed_distance(path, wide) >= wide
    has_room[[0, -1]] = True
    leaves = np.flatnonzero(has_room[: blocked[0] + 1])[-1]
    rejoins = blocked[-1] + 1 + has_room[blocked[-1] + 1 :].argmax()
    ends = path[leaves][None], path[rejoins][None]
    beside, stands = find_points_beside(*ends, np.array([wide]), field, settings)
    over = beside[np.isfinite(beside[:, 0])]
    found = np.concatenate((path[: leaves + 1], over, path[rejoins:]))
    if (direct_clearance(found[:-1], found[1:], field, room) >= room).all():
        return found
    return None if stands[0] else path


def bypass_with_room(
    path: Float64, room: float, wide: float, roomy: float, field: Distances, settings: BypassSettings
) -> Float64 | None:
    """Return as `bypass_people`, but where somebody stands on the path, a bypass with more room if there is one.

    Args:
        path: float64 (P, 2), free of obstacles [m].
        room: the least distance to all that stands, along the path [m],
        wide: and at the places between which a bypass is searched [m].
        roomy: the distance to all that stands that a bypass should keep [m].
        field: distances to obstacles and to people who stand.
        settings: which points are tried.
    """
    found = bypass_people(path, room, wide, field, settings)
    if found is path or found is None:
        return found
    better = bypass_people(path, roomy, roomy, field, settings)
    return found if better is None or better is path else better  # with more room, who stands may be too near to count


def _points_beside(start: Float64, unit: Float64, met: Float64, settings: BypassSettings) -> Float64:
    """Return float64 (N, C, 2), points beside the first, the last and the middle of places that are met, (2, N) [m]."""
    beside = np.concatenate([(-offset, offset) for offset in settings.offsets])  # to the right first
    along = np.maximum(np.stack((met[0], 0.5 * (met[0] + met[1]), met[1])), settings.least_ahead)  # (3, N)
    across = np.column_stack((-unit[:, 1], unit[:, 0]))
    on_line = start[:, None] + along.T[..., None] * unit[:, None]  # (N, 3, 2)
    return (on_line[:, :, None] + beside[:, None] * across[:, None, None]).reshape(len(start), 3 * len(beside), 2)


def _shortest_free(
    start: Float64, end: Float64, room: Float64, tried: Float64, field: Distances, together: int
) -> Float64:
    """Return float64 (N, 2), for each the one of points (N, C, 2) with the shortest free path over it; NaN for none."""
    one, two = tried - start[:, None], end[:, None] - tried
    way = length(one) + length(two)
    order = np.argsort(way, axis=1, kind="stable")
    kernels = twins.twin(twins.AIMS)
    asked = field.kernel_ground if kernels is not None and isinstance(field, DiscField) else None
    if asked is not None and float(room.max(initial=0.0)) < FIELD.margin:
        over = tried[np.arange(len(start))[:, None], order]
        return _shortest_compiled(kernels, asked, np.stack((start, end)), over, room)
    found, rows = np.full(start.shape, np.nan), np.arange(len(start))
    for begin in range(0, order.shape[1], together):
        if not len(rows):
            break
        chosen = order[rows, begin : begin + together]
        over = tried[rows[:, None], chosen]  # (n, T, 2)
        free = _are_free(np.stack((start[rows], end[rows])), over, room[rows], field)
        best = free.argmax(axis=1)
        has = free[np.arange(len(rows)), best]
        found[rows[has]] = over[np.flatnonzero(has), best[has]]
        rows: Int64 = rows[~has]
    return found


def _shortest_compiled(kernels: Any, asked: KernelGround, ends: Float64, over: Float64, room: Float64) -> Float64:
    """The same by a compiled kernel, of points in their order."""
    obstacles, discs = asked
    noted = obstacles.note is not None
    chosen, notes = kernels.first_free(obstacles.grid, discs, ends, over, room, LINE_SPACING, noted=noted)
    if obstacles.note is not None:
        obstacles.note(notes[:, :2], notes[:, 2])
    return np.where(chosen[:, None] >= 0, over[np.arange(len(over)), chosen], np.nan)


def _are_free(ends: Float64, over: Float64, room: Float64, field: Distances) -> Bool:
    """Return bool (n, T), whether the straight lines from both ends (2, n, 2) to points (n, T, 2) are free."""
    shape = 2, *over.shape[:2]
    places = np.broadcast_to(ends[:, :, None], (*shape, 2)).reshape(-1, 2)
    points = np.broadcast_to(over, (*shape, 2)).reshape(-1, 2)
    clearance = direct_clearance(places, points, field, float(room.max(initial=0.0))).reshape(shape)
    to_start, to_end = clearance >= room[:, None]
    return to_start & to_end
