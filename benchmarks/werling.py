# SPDX-License-Identifier: GPL-3.0-or-later
"""A plain Frenet planner, as the paper has it and most implementations: what ours is measured against.

The reference is a cubic spline through the drawn points. Offsets are quintics d(t) in time, the way along it quartics
s(t) to a speed; all pairs are laid into the plane, those that break a limit are dropped, the cheapest of the rest is
walked for a while. Where none is left, the walk has failed.

Source: Werling et al. 2010, with limits and wanted speed of a walker.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.planning.candidates.polynomials import evaluate, quintic, reached_cruising, squared_jerk

Float64 = NDArray[np.float64]

OFFSETS = np.arange(-1.0, 1.01, 0.25)  # [m]
SPANS = np.array([1.5, 2.0, 2.5, 3.0])  # [s]
SHARES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])  # of the wanted speed
WANTED_SPEED, MAX_SPEED, MAX_ACCELERATION, MAX_CURVATURE = 1.34, 2.0, 3.0, 6.0
K_JERK, K_TIME, K_OFFSET, K_LATERAL, K_LONGITUDINAL = 0.1, 0.1, 1.0, 1.0, 1.0
STEP = 0.1  # [s] between the places at which a candidate is checked


class Spline:
    """A natural cubic spline through points, by the length of the chords.

    Args:
        points: float64 (P, 2), drawn points [m]; repeats are left out.
        closed: the first point comes once more at the end.
    """

    def __init__(self, points: Float64, closed: bool) -> None:
        ring = np.concatenate((points, points[:1])) if closed else points
        ring = ring[np.append(True, np.hypot(*np.diff(ring, axis=0).T) > 1e-6)]
        self.knots = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(ring, axis=0).T))))
        self.length = float(self.knots[-1])
        self._places = ring
        self._bends = _second_derivatives(self.knots, ring)

    def at(self, s: Float64) -> tuple[Float64, Float64]:
        """Place and slope, float64 (..., 2) each, at s; straight on past the ends."""
        inside = np.clip(s, 0.0, self.length)
        cell = np.clip(np.searchsorted(self.knots, inside, side="right") - 1, 0, len(self.knots) - 2)
        width = (self.knots[cell + 1] - self.knots[cell])[..., None]
        u = (inside - self.knots[cell])[..., None] / width
        low, high = self._places[cell], self._places[cell + 1]
        bend_low, bend_high = self._bends[cell], self._bends[cell + 1]
        sag = (u**3 - u) * bend_high + ((1 - u) ** 3 - (1 - u)) * bend_low
        place = (1 - u) * low + u * high + width**2 / 6.0 * sag
        slope = (high - low) / width + width / 6.0 * ((3 * u**2 - 1) * bend_high - (3 * (1 - u) ** 2 - 1) * bend_low)
        return place + (s - inside)[..., None] * slope, slope


def _second_derivatives(knots: Float64, places: Float64) -> Float64:
    count, gap = len(knots), np.diff(knots)
    if count < 3:
        return np.zeros_like(places)
    matrix = np.eye(count)
    inner = np.arange(1, count - 1)
    matrix[inner, inner - 1], matrix[inner, inner + 1] = gap[:-1], gap[1:]
    matrix[inner, inner] = 2.0 * (gap[:-1] + gap[1:])
    slopes = np.diff(places, axis=0) / gap[:, None]
    right = np.zeros_like(places)
    right[1:-1] = 6.0 * np.diff(slopes, axis=0)
    return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)


def walk(points: Float64, closed: bool, *, seconds: float, tick: float, replanning: int) -> tuple[Float64, bool]:
    """Walk along a drawn line with this planner.

    Args:
        points: float64 (P, 2) [m].
        closed: one lap is walked.
        seconds: after which one gives up [s].
        tick: between recorded places [s].
        replanning: ticks between plans.

    Returns:
        float64 (T, 2), places [m], and whether the end was reached.
    """
    spline = Spline(points, closed)
    along, across = np.zeros(3), np.zeros(3)
    places: list[Float64] = []
    for _ in range(int(seconds / (tick * replanning))):
        best = _plan(spline, along, across)
        if best is None:
            return np.array(places).reshape(-1, 2), False
        time = tick * np.arange(replanning + 1)
        s, d = (np.stack(evaluate(polynomial, time)) for polynomial in best)
        places += list(_lay(spline, s[0], d[0])[:-1][s[0][:-1] <= spline.length])
        along, across = s[:, -1], d[:, -1]
        if along[0] >= spline.length:
            return np.array(places), True
    return np.array(places), False


def _plan(spline: Spline, along: Float64, across: Float64) -> tuple[Float64, Float64] | None:
    """The cheapest pair of polynomials s(t), d(t), float64 (6,) each, that breaks no limit, if there is one."""
    span, share, end = (axis.ravel() for axis in np.meshgrid(SPANS, SHARES, OFFSETS, indexing="ij"))
    speed = share * WANTED_SPEED
    distance = along[0] + reached_cruising(along[1], along[2], speed, span)
    s_poly = quintic(tuple(along), (distance, speed, 0.0), span)
    d_poly = quintic(tuple(across), (end, 0.0, 0.0), span)
    lateral = K_JERK * squared_jerk(d_poly, span) + K_TIME * span + K_OFFSET * end**2
    longitudinal = K_JERK * squared_jerk(s_poly, span) + K_TIME * span + (speed - WANTED_SPEED) ** 2
    cost = K_LATERAL * lateral + K_LONGITUDINAL * longitudinal
    time = STEP * np.arange(round(SPANS[0] / STEP) + 1)
    s, d = (evaluate(polynomial[..., None], time)[0] for polynomial in (s_poly, d_poly))
    cost = np.where(_keeps_limits(_lay(spline, s, d)), cost, np.inf)
    best = int(np.argmin(cost))
    return (s_poly[:, best], d_poly[:, best]) if np.isfinite(cost[best]) else None


def _lay(spline: Spline, s: Float64, d: Float64) -> Float64:
    place, slope = spline.at(s)
    tangent = slope / np.maximum(np.hypot(slope[..., 0], slope[..., 1]), 1e-12)[..., None]
    return place + d[..., None] * np.stack((-tangent[..., 1], tangent[..., 0]), axis=-1)


def _keeps_limits(places: Float64) -> NDArray[np.bool_]:
    """Which candidates, float64 (M, T, 2), stay within limits of speed, acceleration and curvature."""
    velocity = np.diff(places, axis=1) / STEP
    speed = np.hypot(velocity[..., 0], velocity[..., 1])
    change = np.diff(velocity, axis=1) / STEP
    acceleration = np.hypot(change[..., 0], change[..., 1])
    turned = velocity[:, :-1, 0] * velocity[:, 1:, 1] - velocity[:, :-1, 1] * velocity[:, 1:, 0]
    slow = np.minimum(speed[:, :-1], speed[:, 1:])
    curvature = np.abs(turned) / STEP / np.maximum(slow, 1e-3) ** 3
    curvature[slow < 0.1] = 0.0
    gentle = np.all(acceleration <= MAX_ACCELERATION, axis=1) & np.all(curvature <= MAX_CURVATURE, axis=1)
    return gentle & np.all(speed <= MAX_SPEED, axis=1)
