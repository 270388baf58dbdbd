# SPDX-License-Identifier: GPL-3.0-or-later
"""The corridor maps of the scenes that were baked since Blender started: the next bake corrects them."""

from __future__ import annotations

import bpy

from ...core.simulation import GroundMap
from ...core.simulation.ground_map import Adoption

_maps: dict[int, GroundMap] = {}


def map_of(scene: bpy.types.Scene) -> GroundMap:
    """Return the map of a scene, an empty one where it was not baked yet; those of scenes that are gone are dropped."""
    alive = {each.session_uid for each in bpy.data.scenes}
    for uid in [uid for uid in _maps if uid not in alive]:
        del _maps[uid]
    return _maps.setdefault(scene.session_uid, GroundMap())


def forget() -> None:
    """Keep no map."""
    _maps.clear()


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
