# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of the last bakes: maps, simulations and reports of scenes, and what was written of each crowd.

A re-bake goes on from them, leaves who does as before, and writes the others.

Somebody is left only where nothing that their keys and objects are made from is another, and nobody has touched what
was made. What cannot be told is written anew. Holds as long as Blender runs.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core import Trajectories
from ...core.errors import FootfallError
from ...core.report import ReportMemory
from ...core.simulation import SharedMap, Simulation
from ...core.simulation.world.shared_map import Adoption
from ..bakes.unchanged import SharedParts, state_of
from ..blender_data import animation
from ..characters.character import find_characters
from ..characters.fingerprint import fingerprint_of
from ..characters.legs.find import KnownLegs
from ..figures.figure import figures_in_file
from ..settings.values import values_of

Told = dict[Any, Hashable]
"""What was told of characters for one crowd of a bake, for the others."""


@dataclass(frozen=True, eq=False)
class WrittenPerson:
    """What was made for somebody.

    Attributes:
        objects: by the names that they were given, and how they are: see `untouched`.
        slides: float64 (C,), how far the feet slide in each contact [m].
        worst: the largest of these and the row of frames at which it is; None where no feet are known.
    """

    objects: tuple[tuple[str, int], ...]
    slides: NDArray[np.float64]
    worst: tuple[float, int] | None


@dataclass(eq=False)
class WrittenCrowd:
    """The last bake of a crowd.

    Attributes:
        key: what it was made from, beside the motion; see `key_of`.
        trajectories: the motion.
        notices: what was to be said of its characters.
        makes_clips: clips were made for it, which all who were written share.
        people: by the names of the characters.
        legs: what was found of those of its characters, which are as they were as long as the key is the same.
    """

    key: Hashable
    trajectories: Trajectories
    notices: list[str]
    makes_clips: bool
    people: dict[str, WrittenPerson] = field(default_factory=dict)
    legs: KnownLegs = field(default_factory=dict)


_maps: dict[int, SharedMap] = {}
_simulations: dict[int, tuple[Simulation, str]] = {}  # with the digest of the motion
_reports: dict[int, ReportMemory] = {}
_written: dict[tuple[int, str], WrittenCrowd] = {}


def map_of(scene: bpy.types.Scene) -> SharedMap:
    """Return the map of a scene, an empty one where it was not baked yet; those of scenes that are gone are dropped."""
    alive = {each.session_uid for each in bpy.data.scenes}
    for known in (_maps, _simulations, _reports):
        for uid in [uid for uid in known if uid not in alive]:
            del known[uid]
    return _maps.setdefault(scene.session_uid, SharedMap())


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


def told(adoption: Adoption) -> str:
    """Say what became of the map."""
    if adoption.is_new:
        return f"corridor map built in {_duration(adoption.seconds)}"
    if not adoption.changes:
        return "corridor map reused from the last bake"
    places = "1 obstacle" if adoption.changes == 1 else f"{adoption.changes} obstacles"
    return f"corridor map corrected for {places} in {_duration(adoption.seconds)}"


def _duration(seconds: float) -> str:
    return f"{1000.0 * seconds:.1f} ms" if seconds < 1.0 else f"{seconds:.1f} s"


def last_written(scene: bpy.types.Scene, uid: str, key: Hashable | None) -> WrittenCrowd | None:
    """Return the last bake of a crowd, if it was made from what has this key; None where that is not known."""
    found = _written.get((scene.session_uid, uid))
    return found if found is not None and key is not None and found.key == key else None


def note_written(scene: bpy.types.Scene, uid: str, crowd: WrittenCrowd | None) -> None:
    """Keep what was written for a crowd; None: it cannot be told. Scenes that are gone are forgotten."""
    alive = {each.session_uid for each in bpy.data.scenes}
    for known in [known for known in _written if known[0] not in alive]:
        del _written[known]
    _written.pop((scene.session_uid, uid), None)
    if crowd is not None:
        _written[scene.session_uid, uid] = crowd


def forget() -> None:
    """Keep nothing."""
    for known in (_maps, _simulations, _reports, _written):
        known.clear()


def key_of(
    crowd: Any,
    *,
    frames: tuple[int, int],
    unit: float,
    seed: int,
    ground: NDArray[np.float64] | None,
    told: Told,
) -> Hashable | None:
    """What the characters of a crowd are made from, beside the motion of its people; None where it cannot be told.

    Args:
        crowd: its settings.
        frames: first and last frame.
        unit: metres per Blender unit.
        seed: of the draws.
        ground: float64 (T, 3, 3), triangles that people stand on [m], or None.
        told: takes up what is the same for other crowds of the same bake.
    """
    chosen = "vehicle" if crowd.drives and crowd.characters is None else crowd.characters
    if chosen not in told:
        told[chosen] = _figures() if chosen is None else chosen if isinstance(chosen, str) else _characters(chosen)
    if told[chosen] is None:
        return None
    stands_on = None if ground is None else blake2b(np.ascontiguousarray(ground).tobytes()).digest()
    return (*_hashable(values_of(crowd)), frames, unit, seed, stands_on, told[chosen])


def _figures() -> Hashable | None:
    """The built-in figures as they are in this file; None where they are not there."""
    found = figures_in_file()
    if found is None:
        return None
    return tuple((_bones(data), tuple(map(_clip, clips))) for data, clips in found)


def _characters(collection: bpy.types.Collection) -> Hashable | None:
    """The user's own characters; None where something beyond them may move them, or they cannot be used."""
    try:
        parts = [part for character in find_characters(collection) for part in character.parts]
    except FootfallError:
        return None
    if any(map(_is_moved_from_elsewhere, parts)):
        return None
    rigs = [_bones(part.data) for part in parts if isinstance(part.data, bpy.types.Armature)]
    seen = SharedParts()
    return str(fingerprint_of(collection)), tuple(state_of(part, seen) for part in parts), tuple(rigs)


def _is_moved_from_elsewhere(part: bpy.types.Object) -> bool:
    bones = part.pose.bones if part.pose is not None else ()
    drivers = [each.animation_data.drivers for each in (part, part.data) if getattr(each, "animation_data", None)]
    return len(part.constraints) > 0 or any(map(len, drivers)) or any(len(bone.constraints) for bone in bones)


def _bones(data: bpy.types.Armature) -> Hashable:
    """An armature at rest."""
    return (
        data.session_uid,
        data.pose_position,
        tuple(
            (
                bone.name,
                bone.parent.name if bone.parent is not None else None,
                str(bone.matrix_local[:]),
                str(bone.tail_local[:]),
                bone.use_deform,
                bone.use_inherit_rotation,
                bone.inherit_scale,
                bone.use_local_location,
            )
            for bone in data.bones
        ),
    )


def _clip(clip: animation.Clip) -> Hashable:
    return clip.action.session_uid, animation.digest_with_handles(clip)


def _hashable(values: Any) -> Sequence[Hashable]:
    """Values of settings: vectors as their numbers."""
    return [tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value for value in values]
