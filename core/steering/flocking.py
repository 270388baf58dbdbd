# SPDX-License-Identifier: GPL-3.0-or-later
"""People who keep together: separation, alignment and cohesion shift where they want to go, and how fast.

Avoidance, whichever it is, runs on the shifted wish. Those ahead of their herd slow down, and those behind hurry;
and since each follows the others, a herd finds its way round a corner that only its first have seen past.

Source: Reynolds, "Flocks, herds, and schools: a distributed behavioral model", 1987.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..errors import GeometryError
from .backends import kernels_of
from .bodies import Bodies, checked_numbers, order_and_find
from .kernels.arrays import Float64, Herds, take_rows

MAX_NEIGHBOURS = 12
"""Number of others considered, nearest first, whatever their herd. Chosen by trial on the example scenes."""


def keep_together(bodies: Bodies, herds: Herds, *, backend: str = "auto") -> Float64:
    """Preferred velocities shifted by what the nearest of one's herd do.

    Args:
        bodies: A bodies; their radii and who avoids whom do not matter here.
        herds: the herd of each and its weights, whole numbers and float64 (A,), or one number for all.
        backend: `auto`, `numpy` or `numba`; the result is the same, bit for bit.

    Returns:
        float64 (A, 2), no longer than `max_speed` [m/s]; zero for those whose preferred velocity is zero.

    Raises:
        GeometryError: shapes that do not match, numbers that are not finite or out of range.
        BackendError: the backend is not available.
    """
    agents = replace(bodies, radius=np.zeros(()), avoids=None, precedence=None).checked
    count = agents.radius.size
    number = np.asarray(herds.number)
    if number.shape != (count,) or not np.issubdtype(number.dtype, np.integer):
        raise GeometryError(f"herd must be a whole number for each of {count} agents")
    weights = {name: checked_numbers(value, name, count) for name, value in herds._asdict().items() if name != "number"}
    if not (weights["distance"] > 0.0).all():
        raise GeometryError("distance must be above 0")
    herds = Herds(number.astype(np.int64), **weights)
    kernels = kernels_of(backend)
    reach = float(herds.distance[number >= 0].max(initial=0.0))
    agents, order, near, _ = order_and_find(agents, reach, MAX_NEIGHBOURS, kernels)
    result = np.empty_like(agents.preferred)
    result[order] = kernels.flocking.keep_together(agents, take_rows(herds, order), near)
    return result
