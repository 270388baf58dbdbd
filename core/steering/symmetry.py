# SPDX-License-Identifier: GPL-3.0-or-later
"""People who would run into each other step to the right, as in the street."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import GeometryError
from .arguments import checked_agents, order_and_find
from .backends import kernels_of
from .kernels.arrays import Float64, Turn


@dataclass(frozen=True)
class SymmetryBreaking:
    """How people who would run into each other step to the right.

    Plain ORCA leaves people on opposite courses in front of each other for a long time, and rings of them for ever.
    Whoever goes much the same way is let alone: streams would only sway.

    Attributes:
        angle: by how much the preferred velocity turns to the right at most [rad].
        full_time: wholly if the contact is no farther off than this [s].
        none_time: not at all if it is farther off than this, and in between by degrees [s].
        same_way: those whose preferred velocities differ by less than this go the same way [rad].
    """

    angle: float = math.radians(30.0)
    full_time: float = 2.0
    none_time: float = 4.0
    same_way: float = math.radians(60.0)


def break_symmetry(
    position: ArrayLike,
    velocity: ArrayLike,
    preferred_velocity: ArrayLike,
    radius: ArrayLike,
    *,
    neighbour_distance: float,
    max_neighbours: int,
    settings: SymmetryBreaking | None = None,
    backend: str = "auto",
) -> Float64:
    """Preferred velocities turned to the right where they would soon lead into somebody.

    The same as `orca.new_velocity` does with `symmetry`, for use ahead of other ways of avoidance.

    Args:
        position: float64 (A, 2) [m].
        velocity: float64 (A, 2) [m/s].
        preferred_velocity: float64 (A, 2), where each would go if alone [m/s].
        radius: float64 (A,) or one number for all [m].
        neighbour_distance: nobody farther off is minded [m].
        max_neighbours: nor more than so many, the nearest first.
        settings: how far and when; None for the usual.
        backend: `auto`, `numpy` or `numba`; the result is the same, bit for bit.

    Returns:
        float64 (A, 2) [m/s].

    Raises:
        GeometryError: shapes that do not match, numbers that are not finite or out of range.
        BackendError: the backend is not there.
    """
    agents = checked_agents(position, velocity, preferred_velocity, radius, 0.0, None)
    kernels = kernels_of(backend)
    agents, order, near = order_and_find(agents, neighbour_distance, max_neighbours, kernels)
    result = np.empty_like(agents.velocity)
    result[order] = kernels.symmetry.break_symmetry(agents, near, checked_turn(settings or SymmetryBreaking()))
    return result


def checked_turn(settings: SymmetryBreaking) -> Turn:
    """The settings as the kernels take them; GeometryError where they have no meaning."""
    if not 0.0 <= settings.full_time < settings.none_time < math.inf:
        raise GeometryError(
            "the times of symmetry breaking must be finite, 0 <= full_time < none_time, "
            f"got {settings.full_time} and {settings.none_time}"
        )
    alike = math.cos(settings.same_way) ** 2
    return Turn(math.cos(settings.angle), -math.sin(settings.angle), settings.full_time, settings.none_time, alike)
