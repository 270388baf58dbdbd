# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps, simulations and reports of scenes baked since Blender started: the next bake goes on from them."""

from __future__ import annotations

import bpy

from ...core.report import ReportMemory
from ...core.simulation import GroundMap, Simulation
from ...core.simulation.ground_map import Adoption

_maps: dict[int, GroundMap] = {}
_simulations: dict[int, tuple[Simulation, str]] = {}  # with the digest of the motion
_reports: dict[int, ReportMemory] = {}


def map_of(scene: bpy.types.Scene) -> GroundMap:
    """Return the map of a scene, an empty one where it was not baked yet; those of scenes that are gone are dropped."""
    alive = {each.session_uid for each in bpy.data.scenes}
    for known in (_maps, _simulations, _reports):
        for uid in [uid for uid in known if uid not in alive]:
            del known[uid]
    return _maps.setdefault(scene.session_uid, GroundMap())


def reported_last(scene: bpy.types.Scene) -> ReportMemory:
    """Return what the last report of a scene has measured, to be taken up by the next one."""
    return _reports.setdefault(scene.session_uid, ReportMemory())


def simulated_last(scene: bpy.types.Scene) -> Simulation | None:
    """Return what was simulated for the last bake of a scene; None where that is not known."""
    return _simulations.get(scene.session_uid, (None, ""))[0]


def motion_last(scene: bpy.types.Scene) -> str:
    """Return the digest of the motion of the last bake of a scene; after an undo the file shows another."""
    return _simulations.get(scene.session_uid, (None, ""))[1]


def keep(scene: bpy.types.Scene, simulation: Simulation, motion: str) -> None:
    """Keep what was simulated for a bake that is done, and the digest of its motion."""
    _simulations[scene.session_uid] = simulation, motion


def forget() -> None:
    """Keep nothing."""
    _maps.clear()
    _simulations.clear()
    _reports.clear()


def told(adoption: Adoption) -> str:
    """Say what became of the map."""
    if adoption.is_new:
        return f"corridor map built in {_duration(adoption.seconds)}"
    if not adoption.changes:
        return "corridor map as in the last bake"
    places = "1 obstacle" if adoption.changes == 1 else f"{adoption.changes} obstacles"
    return f"corridor map corrected for {places} in {_duration(adoption.seconds)}"


def _duration(seconds: float) -> str:
    return f"{1000.0 * seconds:.1f} ms" if seconds < 1.0 else f"{seconds:.1f} s"
