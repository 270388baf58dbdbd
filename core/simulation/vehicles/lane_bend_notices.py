# SPDX-License-Identifier: GPL-3.0-or-later
"""Notices of bends of a road that cannot be driven at the speed that was asked for."""

from __future__ import annotations

import numpy as np

from ...scene import Scene
from .roads import Roads
from .vehicles import Vehicles


def tell_of_bends_on_lanes(scene: Scene, vehicles: Vehicles, roads: Roads, reported_slowing: float) -> list[str]:
    """Return sentences for the user about the roads whose bends slow their crowds down.

    Args:
        scene: its crowds and routes.
        vehicles: everybody on wheels.
        roads: what they drive on.
        reported_slowing: bends are reported below this share of the preferred speed, 0 to 1.
    """
    notices = []
    for number, crowd in enumerate(scene.crowds):
        members = vehicles.crowd == number
        if not members.any():
            continue
        own = [route.name == crowd.route for route in scene.routes]
        rows = np.flatnonzero(np.array(own)[roads.route[roads.samples.lane]])
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
