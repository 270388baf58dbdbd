# SPDX-License-Identifier: GPL-3.0-or-later
"""Following the vehicle ahead: the Intelligent Driver Model, and steps that come to rest exactly.

Source: Treiber, Hennecke, Helbing 2000, "Congested traffic states in empirical observations and microscopic
simulations", eq. 2 and 3; the ballistic update: Treiber, Kanagaraj 2015. The safe speed: Krauss 1998, eq. 2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import exp
from .settings import TrafficSettings

_NEAREST = 0.05  # [m]: a smaller gap is taken for this one
_FARTHEST = 1.0e6  # [m]: and a larger one for this one, where it is multiplied
_BISECTIONS = 50


class Drivers(NamedTuple):
    """How N vehicles are driven.

    Attributes:
        wanted_speed: float64 (N,), v0 [m/s].
        acceleration: float64 (N,), a [m/s2].
        deceleration: float64 (N,), b, comfortable [m/s2].
        headway: float64 (N,), T [s].
    """

    wanted_speed: Float64
    acceleration: Float64
    deceleration: Float64
    headway: Float64

    def take(self, rows: Int64 | Bool) -> Drivers:
        """Some of the drivers."""
        return Drivers(*(column[rows] for column in self))


class Leader(NamedTuple):
    """Whom N vehicles follow: float64 (N,) each, `gap` [m], `speed` [m/s] and `acceleration` [m/s2]."""

    gap: Float64
    speed: Float64
    acceleration: Float64


def free_acceleration(drivers: Drivers, speed: Float64) -> Float64:
    """Acceleration on an empty road, float64 (N,) [m/s2], at speeds (N,) [m/s]; no harder braking than comfortable."""
    share = speed / np.maximum(drivers.wanted_speed, 1e-3)
    share *= share
    return np.maximum(drivers.acceleration * (1.0 - share * share), -drivers.deceleration)


def following_acceleration(
    drivers: Drivers, speed: Float64, gap: Float64, leader_speed: Float64, standing_gap: float
) -> Float64:
    """Acceleration behind a leader.

    Args:
        drivers: N drivers.
        speed: float64 (N,) [m/s].
        gap: float64 (N,), from bumper to bumper; inf without a leader [m].
        leader_speed: float64 (N,), along the lane [m/s].
        standing_gap: s0 [m].

    Returns:
        float64 (N,) [m/s2].
    """
    a, b = drivers.acceleration, drivers.deceleration
    wanted = speed * drivers.headway + 0.5 * speed * (speed - leader_speed) / np.sqrt(a * b)
    share = (standing_gap + np.maximum(wanted, 0.0)) / np.maximum(gap, _NEAREST)
    return free_acceleration(drivers, speed) - a * share * share


def calm_acceleration(
    wish: Float64, drivers: Drivers, speed: Float64, leader: Leader, settings: TrafficSettings
) -> Float64:
    """Make the wish of the model milder where the gap is short but not dangerous, as after somebody has cut in.

    The model asks for its wanted gap at once, however hard it has to brake. Who trusts the leader to go on as it does
    brakes by no more than the comfortable deceleration beyond what keeps from touching it.

    Source: Kesting, Treiber, Helbing 2010, "Enhanced intelligent driver model to access the impact of driving
    strategies on traffic capacity", the constant-acceleration heuristic and its blend with the IDM.

    Args:
        wish: float64 (N,), by `following_acceleration` [m/s2].
        drivers: N drivers.
        speed: float64 (N,) [m/s].
        leader: whom each follows.
        settings: how calm drivers are.

    Returns:
        float64 (N,), no less than the wish [m/s2].
    """
    gap, ahead = np.clip(leader.gap, _NEAREST, _FARTHEST), np.maximum(leader.speed, 0.0)
    theirs = np.minimum(leader.acceleration, drivers.acceleration)
    closing = np.maximum(speed - ahead, 0.0)
    stops_first = (theirs < 0.0) & (ahead * (speed - ahead) <= -2.0 * gap * theirs)
    to_rest = speed * speed * theirs / np.where(stops_first, ahead * ahead - 2.0 * gap * theirs, 1.0)
    trusting = np.where(stops_first, to_rest, theirs - 0.5 * closing * closing / gap)
    b = drivers.deceleration
    wish = np.maximum(wish, -settings.hardest_wish * b)
    excess = exp(2.0 * np.minimum(wish - trusting, 0.0) / b)
    trust = trusting + b * (excess - 1.0) / (excess + 1.0)
    calm = (1.0 - settings.coolness) * wish + settings.coolness * trust
    return np.where(wish >= trusting, wish, np.maximum(calm, wish))


def without_creeping(
    wish: Float64, drivers: Drivers, speed: Float64, leader: Leader, settings: TrafficSettings
) -> Float64:
    """Let drivers come to rest at once behind who stands, and stay until the gap is worth starting for.

    The model closes the last metre more and more slowly, and starts for every centimetre.

    Args:
        wish: float64 (N,) [m/s2].
        drivers: N drivers.
        speed: float64 (N,) [m/s].
        leader: whom each follows.
        settings: the gaps, and how slow somebody is who stands.

    Returns:
        float64 (N,), no more than the wish [m/s2].
    """
    beyond, stands = leader.gap - settings.standing_gap, settings.standing_speed
    near = (beyond < settings.closing_gap) & (leader.speed < stands) | (beyond < settings.start_gap) & (speed < stands)
    return np.where(near, np.minimum(wish, -drivers.deceleration), wish)


def stopping_acceleration(speed: Float64, gap: Float64, leader_speed: Float64) -> Float64:
    """Return the steady acceleration, 0 or less, that slows down to the speed of a leader within a gap.

    Args:
        speed: float64 (N,) [m/s].
        gap: float64 (N,) [m].
        leader_speed: float64 (N,), or 0 for what stands [m/s].

    Returns:
        float64 (N,) [m/s2]; -inf where there is no gap.
    """
    closing = np.maximum(speed - np.maximum(leader_speed, 0.0), 0.0)
    return np.where(gap > 0.0, -0.5 * closing * closing / np.where(gap > 0.0, gap, 1.0), -np.inf)


def passing_times(
    speed: Float64, to_front: Float64, to_rear: Float64, settings: TrafficSettings, head_start: float | None = None
) -> tuple[Float64, Float64]:
    """Return from when and until when a place must be free of people so that vehicles can drive on.

    People may come sooner or later than at their present velocity: by less, the sooner the vehicle reaches the place,
    so that nobody who could pass stops at the last moment.

    Args:
        speed: float64 (N,) [m/s].
        to_front: float64 (N,), from the front to where the place begins [m].
        to_rear: float64 (N,), from the rear to where it ends [m].
        settings: how exactly, and how vehicles pull away.
        head_start: people who come so long after the front let the vehicle pass [s]; None: they let nobody pass.

    Returns:
        float64 (N,) each, from now on [s].
    """
    reached, past = (_travel_time(speed, np.maximum(way, 0.0), settings.pull_away) for way in (to_front, to_rear))
    if head_start is not None:
        past = np.minimum(past, reached + head_start)
    tolerance = settings.timing_tolerance
    return (1.0 - tolerance) * reached, past + tolerance * reached


def _travel_time(speed: Float64, distance: Float64, acceleration: float) -> Float64:
    """Time for a distance from a speed on at an even acceleration, float64 (N,) [s]."""
    return (np.sqrt(speed * speed + 2.0 * acceleration * distance) - speed) / acceleration


def equilibrium_gap(drivers: Drivers, speed: Float64, standing_gap: float) -> Float64:
    """The gap that vehicles in a row keep at a common speed.

    Args:
        drivers: N drivers.
        speed: float64 (N,), below the wanted one [m/s].
        standing_gap: s0 [m].

    Returns:
        float64 (N,), (s0 + T v) / sqrt(1 - (v / v0)^4) [m].
    """
    share = speed / drivers.wanted_speed
    return (standing_gap + drivers.headway * speed) / np.sqrt(1.0 - share * share * share * share)


def equilibrium_speed(drivers: Drivers, gap: Float64, standing_gap: float) -> Float64:
    """The speed at which vehicles in a row keep a gap: the inverse of `equilibrium_gap`.

    Args:
        drivers: N drivers.
        gap: float64 (N,) [m].
        standing_gap: s0 [m].

    Returns:
        float64 (N,), 0 where the gap is no larger than s0 [m/s].
    """
    low, high = np.zeros(len(gap)), drivers.wanted_speed * (1.0 - 1e-9)
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        slower = equilibrium_gap(drivers, middle, standing_gap) <= gap
        low, high = np.where(slower, middle, low), np.where(slower, high, middle)
    return low


def safe_speed(speed: Float64, gap: Float64, leader_speed: Float64, braking: float | Float64, dt: float) -> Float64:
    """The highest speed after a step from which one can still stop behind a leader that brakes as hard from now on.

    Args:
        speed: float64 (N,), now [m/s].
        gap: float64 (N,), distance to where one must have stopped if the leader does not move [m].
        leader_speed: float64 (N,), or 0 for what stands [m/s].
        braking: of both [m/s2].
        dt: the step [s].

    Returns:
        float64 (N,), 0 or more; inf where the gap is [m/s].
    """
    ahead = np.maximum(leader_speed, 0.0)
    room = np.maximum(gap - 0.5 * speed * dt, 0.0) + 0.5 * ahead * ahead / braking
    half = 0.5 * braking * dt
    return np.maximum(np.sqrt(half * half + 2.0 * braking * room) - half, 0.0)


def advance(speed: Float64, acceleration: Float64, dt: float) -> tuple[Float64, Float64]:
    """Move by one step of even acceleration; a body that comes to rest within it stays where it rests.

    Args:
        speed: float64 (N,), 0 or more [m/s].
        acceleration: float64 (N,) [m/s2].
        dt: the step [s].

    Returns:
        float64 (N,) each: distance covered [m], and the new speed, 0 or more [m/s].
    """
    after = speed + acceleration * dt
    rests = after <= 0.0
    braking = np.where(rests & (acceleration < 0.0), -acceleration, 1.0)
    distance = np.where(rests, 0.5 * speed * speed / braking, 0.5 * (speed + after) * dt)
    return distance, np.maximum(after, 0.0)
