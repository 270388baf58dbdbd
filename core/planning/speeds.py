# SPDX-License-Identifier: GPL-3.0-or-later
"""Speeds along a chosen course: quintics in the way really walked, kept under what bends, ends and obstacles allow.

Candidates are one family, polynomials of fifth degree: to a speed that is then held (cruising), or to rest at a given
place (stopping). Arrays are (A agents, L candidates, ...).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .courses import NODES, Ahead, Courses, Start
from .odometer import walked_at
from .polynomials import evaluate, quintic, reached_cruising, squared_jerk
from .settings import PlannerSettings

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

_TIMES = np.array([0.5, 0.9, 1.5, 2.4])  # [s] to reach a cruising speed
_SHARES = np.array([1.0, 0.85, 0.7, 0.55, 0.4, 0.25, 0.1, 0.0])  # of the wanted speed
_STOP_TIMES = np.array([0.3, 0.4, 0.55, 0.75, 1.0, 1.35, 1.8, 2.4, 3.2])  # [s]
_STOP_PACES = np.array([1.6, 1.8, 2.0, 2.25, 2.6])  # stopping time over that of going on at this speed
_HORIZON = 2.4  # [s] over which speeds are judged
_TICKS = 12
_STOP_SHORT = 0.02  # [m] before what is in the way
_NEVER = 1e9


@dataclass(frozen=True, eq=False)
class Speeds:
    """One way of walking a course for each agent.

    Attributes:
        polynomial: float64 (6, A), way walked as a function of time.
        span: float64 (A,), time from which on `end_speed` is held [s].
        end_speed: float64 (A,) [m/s].
        cost: float64 (A,).
    """

    polynomial: Float64
    span: Float64
    end_speed: Float64
    cost: Float64


@dataclass(frozen=True, eq=False)
class _Cap:
    """The square of the speed allowed, at even distances along the way walked, and where to be at rest."""

    squared: Float64  # (A, G)
    spacing: Float64  # (A,)
    stop: Float64  # (A,)
    top: Float64  # (A,)
    braking: float

    def at(self, walked: Float64) -> Float64:
        """Speed allowed after ways walked, float64 (A, ...)."""
        shape = (-1, *(1,) * (walked.ndim - 1))
        place = np.clip(walked / self.spacing.reshape(shape), 0.0, self.squared.shape[1] - 1.001)
        whole = place.astype(np.int64)
        flat = whole + (np.arange(len(walked)) * self.squared.shape[1]).reshape(shape)
        low, high = self.squared.ravel()[flat], self.squared.ravel()[flat + 1]
        squared = low + (place - whole) * (high - low)
        before_stop = 2.0 * self.braking * np.maximum(self.stop.reshape(shape) - walked, 0.0)
        return np.minimum(np.sqrt(np.minimum(squared, before_stop)), self.top.reshape(shape))


def least_cost(start: Start, settings: PlannerSettings) -> Float64:
    """What walking costs an agent at least, whatever the course.

    Cruising costs are a parabola in the end speed; its lowest point, over the times, bounds them from below.

    Args:
        start: the agents.
        settings: weights.

    Returns:
        float64 (A,).
    """
    span = _TIMES[:, None] + np.zeros(3)
    speed = start.wanted_speed[:, None, None] * np.array([0.0, 0.5, 1.0])
    cost = np.moveaxis(_freely(start, np.broadcast_to(span, (len(start.s), 4, 3)), speed, settings), -1, 0)
    second, first = cost[0] - 2.0 * cost[1] + cost[2], 0.5 * (cost[2] - cost[0])
    lowest = cost[1] - 0.5 * first * first / np.maximum(second, 1e-12)
    return np.where(np.isinf(start.stop_at), np.maximum(np.min(lowest, axis=1), 0.0), 0.0)


def plan_speeds(start: Start, ahead: Ahead, course: Courses, settings: PlannerSettings) -> Speeds:
    """Choose how fast to walk a course.

    Args:
        start: the agents.
        ahead: their paths.
        course: one course per agent, arrays (A, K).
        settings: weights and limits.

    Returns:
        The cheapest candidate of each agent: there is always one.
    """
    cap = _speed_cap(start, ahead, course, settings)
    way, speed, span = _cruises(start, cap)
    stop_span = _stops(start, cap)
    way = np.concatenate((way, np.broadcast_to(np.minimum(cap.stop, 1e3)[:, None], stop_span.shape)), axis=1)
    speed = np.concatenate((speed, np.zeros_like(stop_span)), axis=1)
    span = np.concatenate((span, stop_span), axis=1)
    polynomials = quintic((0.0, start.speed[:, None], start.acceleration[:, None]), (way, speed, 0.0), span)
    cost = _weigh(start, cap, (polynomials, span, speed), settings)
    cost[:, -stop_span.shape[1] :] += np.where(np.isfinite(cap.stop), 0.0, _NEVER)[:, None]
    best, rows = np.argmin(cost, axis=1), np.arange(len(cost))
    return Speeds(polynomials[:, rows, best], span[rows, best], speed[rows, best], cost[rows, best])


def _speed_cap(start: Start, ahead: Ahead, course: Courses, settings: PlannerSettings) -> _Cap:
    """What bends allow, with room to brake before each, told at even distances."""
    top = np.maximum(start.wanted_speed, start.speed)
    fast = 4.0 * top * top + 1.0  # stands for no limit: more would spoil the values between nodes
    squared = np.minimum(settings.lateral_acceleration / np.maximum(course.bend, 1e-6), fast[:, None])
    gained = 2.0 * settings.comfortable_deceleration * np.diff(course.walked, axis=1)
    for node in reversed(range(NODES - 1)):
        squared[:, node] = np.minimum(squared[:, node], squared[:, node + 1] + gained[:, node])
    spacing = course.walked[:, -1] / (NODES - 1)
    even = spacing[:, None] * np.arange(NODES)
    after = np.clip(np.sum(course.walked[:, None, :] <= even[..., None], axis=-1), 1, NODES - 1)
    low, high = (np.take_along_axis(course.walked, after + k, axis=1) for k in (-1, 0))
    share = np.clip((even - low) / (high - low), 0.0, 1.0)
    low, high = (np.take_along_axis(squared, after + k, axis=1) for k in (-1, 0))
    end = walked_at(ahead.step, course.walked, course.rate, start.stop_at - start.s)
    stop = np.minimum(end, np.maximum(course.open_for - _STOP_SHORT, 0.0))
    return _Cap(low + share * (high - low), spacing, stop, top, settings.comfortable_deceleration)


def _cruises(start: Start, cap: _Cap) -> tuple[Float64, Float64, Float64]:
    """Ways, end speeds and times: shares of the wanted speed, no more than allowed at the place where they lead."""
    span = np.repeat(_TIMES, len(_SHARES))[None, :]
    speed = start.wanted_speed[:, None] * np.tile(_SHARES, len(_TIMES))
    begin, change = start.speed[:, None], start.acceleration[:, None]
    for _ in range(2):
        speed = np.minimum(speed, cap.at(reached_cruising(begin, change, speed, span)))
    return reached_cruising(begin, change, speed, span), speed, np.broadcast_to(span, speed.shape)


def _stops(start: Start, cap: _Cap) -> Float64:
    """Times in which to come to rest at the stop: some fixed, some by how far it is."""
    finite = np.where(np.isfinite(cap.stop), cap.stop, 1.0)
    by_pace = _STOP_PACES * (finite / np.maximum(start.speed, 0.1))[:, None]
    fixed = np.broadcast_to(_STOP_TIMES, (len(finite), len(_STOP_TIMES)))
    return np.concatenate((fixed, np.clip(by_pace, 0.3, 6.0)), axis=1)


def _freely(start: Start, span: Float64, speed: Float64, settings: PlannerSettings) -> Float64:
    """Cost of cruising where nothing limits the speed; float64 like `span` and `speed`, (A, ...)."""
    shape = (-1, *(1,) * (span.ndim - 1))
    begin, change = start.speed.reshape(shape), start.acceleration.reshape(shape)
    way = reached_cruising(begin, change, speed, span)
    polynomials = quintic((0.0, begin, change), (way, speed, 0.0), span)
    return _smoothness(start, (polynomials, span, speed), settings)[0]


def _smoothness(
    start: Start, candidates: tuple[Float64, Float64, Float64], settings: PlannerSettings
) -> tuple[Float64, Float64, Float64, Float64]:
    """Cost of jerk and slowness, and way, speed and acceleration at the ticks (A, ..., ticks)."""
    polynomials, span, end_speed = candidates
    tick = _HORIZON / _TICKS
    time = tick * (np.arange(_TICKS) + 0.5)
    held = np.maximum(time - span[..., None], 0.0)
    way, speed, acceleration = evaluate(polynomials[..., None], np.minimum(time, span[..., None]))
    way = way + held * end_speed[..., None]
    off = speed - start.wanted_speed.reshape(-1, *(1,) * (speed.ndim - 1))
    cost = settings.jerk * squared_jerk(polynomials, span) + settings.slowness * tick * np.sum(off * off, axis=-1)
    return cost, way, speed, acceleration


def _weigh(start: Start, cap: _Cap, candidates: tuple[Float64, Float64, Float64], settings: PlannerSettings) -> Float64:
    """Cost of each candidate, float64 (A, L): jerk, slowness, and every limit it breaks."""
    cost, way, speed, acceleration = _smoothness(start, candidates, settings)
    over = np.maximum(speed - cap.at(way), 0.0) + np.maximum(-speed, 0.0)
    over = over + np.maximum(way - cap.stop[:, None, None], 0.0)
    hard = np.maximum(acceleration - settings.max_acceleration, 0.0)
    hard = hard + np.maximum(-acceleration - settings.max_deceleration, 0.0)
    return cost + settings.excess * np.mean(over * (1.0 + over) + hard * hard, axis=-1)
