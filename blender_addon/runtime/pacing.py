# SPDX-License-Identifier: GPL-3.0-or-later
"""How work is spread over time, so that the window stays alive."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pacing:
    """Lengths of slices, waits and checks; all chosen by trial in the window on the example scenes.

    Attributes:
        bake_slice: time that a bake works at each tick of its timer [s].
        bake_timer: time between two ticks [s].
        bake_redraw: time between two drawings of the progress, which take time from the work [s].
        least_fraction: share of a bake that must be done before the remaining time is estimated.
        route_slice: time that live routes work at each tick [s].
        path_spacing: distance between drawn points of a reference path during a drag [m].
        compile_delay: time after the start of Blender, which is busy enough, until kernels are compiled [s].
        compile_check: time between two checks whether they are compiled [s].
        quiet: time without any edit after which bakes are compared with the scene [s].
        quick_reading: a scene whose last reading took less is read without being asked [s].
        quick_objects, quick_vertices: sizes up to which a scene is expected to be read that quickly.
    """

    bake_slice: float = 0.030
    bake_timer: float = 0.01
    bake_redraw: float = 0.1
    least_fraction: float = 0.02
    route_slice: float = 0.04
    path_spacing: float = 0.25
    compile_delay: float = 2.0
    compile_check: float = 0.5
    quiet: float = 0.4
    quick_reading: float = 0.25
    quick_objects: int = 100
    quick_vertices: int = 200_000


PACING = Pacing()
