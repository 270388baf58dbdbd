# SPDX-License-Identifier: GPL-3.0-or-later
"""Notices of bends of a road that cannot be driven at the speed that was asked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...scene import Crowd
from .roads import Roads
from .vehicles import Vehicles


def tell_of_bends_on_lanes(
    crowds: Sequence[Crowd], vehicles: Vehicles, roads: Roads, reported_slowing: float
) -> list[str]:
    """Return sentences for the user about the roads whose bends slow their crowds down.

    Args:
        crowds: of the scene.
        vehicles: everybody on wheels.
        roads: what they drive on.
        reported_slowing: bends are reported below this share of the preferred speed, 0 to 1.
    """
    notices = []
    for number, crowd in enumerate(crowds):
        members = np.flatnonzero(vehicles.crowd == number)
        if not len(members):
            continue
        rows = np.flatnonzero(roads.route[roads.samples.lane] == vehicles.route[members[0]])
        slowest = rows[np.argmin(roads.speed_limit[rows])]
        wanted, limit = float(np.mean(vehicles.drivers.wanted_speed[members])), float(roads.speed_limit[slowest])
        if limit >= reported_slowing * wanted:
            continue
        x, y = roads.samples.position[slowest]
        notices.append(
            f"{crowd.name}: slowed by bends of '{crowd.route}', most at ({x:.1f}, {y:.1f}): from {wanted:.2f} to "
            f"{limit:.2f} m/s. Draw wider bends."
        )
    return notices
