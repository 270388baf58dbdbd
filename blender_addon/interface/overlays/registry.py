# SPDX-License-Identifier: GPL-3.0-or-later
"""Which overlays there are, in the order of the panel."""

from __future__ import annotations

from . import corridors, density, lanes, people, plan, routes, steering, trails, ways, why
from .overlay import Overlay

OVERLAYS: tuple[Overlay, ...] = (
    people.OVERLAY,
    why.OVERLAY,
    plan.OVERLAY,
    steering.OVERLAY,
    ways.OVERLAY,
    routes.OVERLAY,
    corridors.OVERLAY,
    density.OVERLAY,
    trails.OVERLAY,
    lanes.OVERLAY,
)
