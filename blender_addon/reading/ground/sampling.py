# SPDX-License-Identifier: GPL-3.0-or-later
"""How finely the ground is sampled."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GroundSampling:
    """How finely the ground is sampled under routes and between areas; all chosen by trial on the example scenes.

    Attributes:
        route_step: largest distance between samples of the ground under a route [m].
        route_tolerance: ground that deviates less from the line between a route's points is even [m].
        check_step: distance between the points of a route that are checked for ground under them [m].
        terrain_margin: width of the ground that is read around areas, for detours around obstacles [m].
        terrain_cell: width of a cell of the terrain, unless there are too many [m].
        most_cells: largest number of cells.
        coarse_cell: wider cells smooth stairs and short ramps, which is reported [m].
        level_tolerance: ground whose heights differ less is level [m].
        kept_terrains: number of terrains whose heights are kept: a scene is read again after every change, and its
            ground is mostly unchanged.
    """

    route_step: float = 0.5
    route_tolerance: float = 1e-4
    check_step: float = 0.25
    terrain_margin: float = 10.0
    terrain_cell: float = 0.5
    most_cells: int = 40_000
    coarse_cell: float = 1.0
    level_tolerance: float = 1e-3
    kept_terrains: int = 4


GROUND_SAMPLING = GroundSampling()
