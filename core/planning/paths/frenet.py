# SPDX-License-Identifier: GPL-3.0-or-later
"""The map between a body's state in the plane and its state along a path, both ways and exact.

With D = 1 - kappa_r d and d' = dd/ds the way walked per metre of path is q = hypot(D, d'), and no tangent is needed:

    v = s' q,  heading error = atan2(d', D),  kappa = ((d'' D + (kappa_r' d + kappa_r d') d') / q^2 + kappa_r) / q

Source: Werling et al. 2010, appendix I, written with d(s) so that standing still is nothing special.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...geometry.reproducible_math import arctan2, cos_sin, tangent
from .reference_path import ReferenceSet

Float64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FrenetState:
    """States along paths, float64 (N,) each.

    Attributes:
        s: arc length [m].
        s_dot: its speed [m/s].
        s_ddot: its acceleration [m/s2].
        d: offset, positive to the left [m].
        d_prime: dd/ds.
        d_second: d2d/ds2 [1/m].
    """

    s: Float64
    s_dot: Float64
    s_ddot: Float64
    d: Float64
    d_prime: Float64
    d_second: Float64


@dataclass(frozen=True, eq=False)
class WorldState:
    """States in the plane.

    Attributes:
        position: float64 (N, 2) [m].
        heading: float64 (N,), of the motion [rad].
        curvature: float64 (N,), of the way walked [1/m].
        speed: float64 (N,) [m/s].
        acceleration: float64 (N,), along the way walked [m/s2].
    """

    position: Float64
    heading: Float64
    curvature: Float64
    speed: Float64
    acceleration: Float64


@dataclass(frozen=True, eq=False)
class Stretch:
    """How a way d(s) lies in the plane, float64 (...) each.

    Attributes:
        across: D = 1 - kappa_r d, way per metre of path at constant offset.
        rate: q, way walked per metre of path.
        rate_prime: dq/ds [1/m].
        curvature: of the way walked [1/m].
    """

    across: Float64
    rate: Float64
    rate_prime: Float64
    curvature: Float64


def stretch(bend: Float64, bend_rate: Float64, d: Float64, d_prime: Float64, d_second: Float64) -> Stretch:
    """Lay a way d(s) along a line into the plane.

    Args:
        bend: float64 (...), curvature of the line [1/m].
        bend_rate: float64 (...), its change along the line [1/m2].
        d: float64 (...) [m].
        d_prime: float64 (...).
        d_second: float64 (...) [1/m].

    Returns:
        See `Stretch`.
    """
    across = 1.0 - bend * d
    across_prime = -(bend_rate * d + bend * d_prime)
    rate = np.sqrt(across * across + d_prime * d_prime)
    turning = (d_second * across - across_prime * d_prime) / (rate * rate) + bend
    return Stretch(across, rate, (across * across_prime + d_prime * d_second) / rate, turning / rate)


def to_world(references: ReferenceSet, path: ArrayLike, state: FrenetState) -> WorldState:
    """Express states along paths in the plane.

    Args:
        references: the paths.
        path: int (N,), whose path each is on.
        state: along the path.

    Returns:
        The same states in the plane.
    """
    position, heading, bend, bend_rate = references.pose(path, state.s)
    lay = stretch(bend, bend_rate, state.d, state.d_prime, state.d_second)
    cos, sin = cos_sin(heading)
    normal = np.stack((-sin, cos), axis=-1)
    return WorldState(
        position=position + state.d[:, None] * normal,
        heading=heading + arctan2(state.d_prime, lay.across),
        curvature=lay.curvature,
        speed=state.s_dot * lay.rate,
        acceleration=state.s_ddot * lay.rate + state.s_dot * state.s_dot * lay.rate_prime,
    )


def to_frenet(references: ReferenceSet, path: ArrayLike, state: WorldState, s_near: ArrayLike) -> FrenetState:
    """Express states in the plane along paths.

    Args:
        references: the paths.
        path: int (N,), whose path each is on.
        state: in the plane; moving forward along the path, within a right angle, and on the near side of the centre
            of its bend.
        s_near: float64 (N,), predicted s [m].

    Returns:
        The same states along the paths.
    """
    s, d = references.to_frenet(path, state.position, s_near)
    _, heading, bend, bend_rate = references.pose(path, s)
    across = 1.0 - bend * d
    d_prime = across * tangent(state.heading - heading)
    rate = np.sqrt(across * across + d_prime * d_prime)
    turning = (state.curvature * rate - bend) * rate * rate
    d_second = (turning - (bend_rate * d + bend * d_prime) * d_prime) / across
    s_dot = state.speed / rate
    rate_prime = stretch(bend, bend_rate, d, d_prime, d_second).rate_prime
    return FrenetState(s, s_dot, (state.acceleration - s_dot * s_dot * rate_prime) / rate, d, d_prime, d_second)
