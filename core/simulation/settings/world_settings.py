# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of `simulation/world`: how the ground, moving obstacles and heroes are perceived."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WorldSettings:
    """How the ground, moving obstacles and heroes are perceived.

    All values are chosen by trial on the example scenes, unless another source is given.

    Attributes:
        bounds_margin: free ground round everything, at least, where the scene names no bounds [m].
        flight_margin: and so much more where people may flee [m].
        bounds_step: such bounds lie at multiples of this, so that a small move at the rim leaves them unchanged [m].
        touching_distance: a place nearer than this to a mover is where the mover is [m].
        hero_clearance: people nearer than this to the path of a hero, beyond both bodies, block it [m].
        shortest_rest: a mover that pauses for less counts as moving all the time [s].
        max_changed_share: the corridor map is built from scratch where more of the obstacles have changed, 0 to 1.
    """

    bounds_margin: float = 5.0
    flight_margin: float = 15.0
    bounds_step: float = 5.0
    touching_distance: float = 0.05
    hero_clearance: float = 0.4
    shortest_rest: float = 1.0
    max_changed_share: float = 0.2
