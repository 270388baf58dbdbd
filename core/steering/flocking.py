# SPDX-License-Identifier: GPL-3.0-or-later
"""People who keep together: separation, alignment and cohesion shift where they want to go, and how fast.

Avoidance, whichever it is, runs on the shifted wish. Who is ahead of its herd slows down, and who is behind hurries;
and since each follows the others, a herd finds its way round a corner that only its first have seen past.

Source: Reynolds, "Flocks, herds, and schools: a distributed behavioral model", 1987.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..errors import GeometryError
from .arguments import checked_agents, checked_numbers, order_and_find
from .backends import kernels_of
from .kernels.arrays import Float64, Herds, rows_of


def keep_together(  # noqa: PLR0913 - three rules with their weights
    position: ArrayLike,
    velocity: ArrayLike,
    preferred_velocity: ArrayLike,
    max_speed: ArrayLike,
    *,
    herd: ArrayLike,
    separation: ArrayLike,
    alignment: ArrayLike,
    cohesion: ArrayLike,
    distance: ArrayLike,
    max_neighbours: int = 12,
    backend: str = "auto",
) -> Float64:
    """Preferred velocities shifted by what the nearest of one's herd do.

    Args:
        position: float64 (A, 2) [m].
        velocity: float64 (A, 2) [m/s].
        preferred_velocity: float64 (A, 2), where each would go if alone [m/s]; who wants to stand, stands.
        max_speed: float64 (A,) or one number for all [m/s].
        herd: int64 (A,), who keeps together has the same number; -1 for those who keep with nobody.
        separation: float64 (A,) or one number for all: how much people keep from those nearer than half the distance.
        alignment: the same: how much they do as the others do.
        cohesion: the same: how much they go to the middle of the others.
        distance: float64 (A,) or one number for all, nobody farther off is minded [m].
        max_neighbours: nor more than so many, the nearest first, whatever their herd.
        backend: `auto`, `numpy` or `numba`; the result is the same, bit for bit.

    Returns:
        float64 (A, 2), no longer than `max_speed` [m/s].

    Raises:
        GeometryError: shapes that do not match, numbers that are not finite or out of range.
        BackendError: the backend is not there.
    """
    agents = checked_agents(position, velocity, preferred_velocity, 0.0, max_speed, None)
    count = agents.radius.size
    number = np.asarray(herd)
    if number.shape != (count,) or not np.issubdtype(number.dtype, np.integer):
        raise GeometryError(f"herd must be a whole number for each of {count} agents")
    weights = {"separation": separation, "alignment": alignment, "cohesion": cohesion, "distance": distance}
    checked = {name: checked_numbers(value, name, count) for name, value in weights.items()}
    if not (checked["distance"] > 0.0).all():
        raise GeometryError("distance must be above 0")
    herds = Herds(number.astype(np.int64), **checked)
    kernels = kernels_of(backend)
    reach = float(checked["distance"][number >= 0].max(initial=0.0))
    agents, order, near = order_and_find(agents, reach, max_neighbours, kernels)
    result = np.empty_like(agents.preferred)
    result[order] = kernels.flocking.keep_together(agents, rows_of(herds, order), near)
    return result
