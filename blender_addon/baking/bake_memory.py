# SPDX-License-Identifier: GPL-3.0-or-later
"""What a re-bake reuses of the last bake of a scene: its map, simulation and report, and what was written.

A character is kept only where no input of its keys and objects changed and nobody edited what was written. Where that
is not certain, the character is written again.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import bpy
import numpy as np

from ...core import Trajectories
from ...core.array_types import Float64
from ...core.errors import FootfallError
from ...core.report import ReportMemory
from ...core.simulation import SharedMap, Simulation
from ..bakes.aspects import SharedParts, state_of
from ..blender_data import animation
from ..characters.chosen_clips import characters_of
from ..characters.fingerprint import fingerprint_of_all
from ..characters.ready.variety import looks_of
from ..figures.figure import figures_in_file
from ..settings.values import values_of
from .casting.written_people import WrittenCrowd
from .seen_clipping import SeenBefore
from .seen_in_obstacles import SeenInObstacles

CharacterKeys = dict[Any, Hashable]
"""Keys of characters that were worked out for one crowd of a bake, for its other crowds."""


@dataclass(eq=False)
class BakeMemory:
    """What is remembered of the last bake of one scene.

    Attributes:
        shared_map: the corridor map and the distance field, corrected by each bake.
        simulation: of the last bake that was finished; None before the first.
        trajectories: its result.
        motion: SHA-256 of its motion; after an undo the report in the file names another one.
        report: measurements that the next report reuses.
        seen: who was seen to intersect whom.
        in_obstacles: who was seen in obstacles.
        crowds: the last bake of each crowd, by the identity of the crowd.
    """

    shared_map: SharedMap = field(default_factory=SharedMap)
    simulation: Simulation | None = None
    trajectories: Trajectories | None = None
    motion: str = ""
    report: ReportMemory = field(default_factory=ReportMemory)
    seen: SeenBefore = field(default_factory=SeenBefore)
    in_obstacles: SeenInObstacles = field(default_factory=SeenInObstacles)
    crowds: dict[str, WrittenCrowd] = field(default_factory=dict)

    def last_written(self, uid: str, key: Hashable | None) -> WrittenCrowd | None:
        """Return the last bake of a crowd if it was made from the inputs that have this key, else None."""
        found = self.crowds.get(uid)
        return found if found is not None and key is not None and found.key == key else None

    def note_written(self, uid: str, crowd: WrittenCrowd | None) -> None:
        """Keep what was written for a crowd; None where its inputs have no key."""
        self.crowds.pop(uid, None)
        if crowd is not None:
            self.crowds[uid] = crowd


def key_of(
    crowd: Any,
    *,
    frames: tuple[int, int],
    unit: float,
    seed: int,
    ground: Float64 | None,
    character_keys: CharacterKeys,
) -> Hashable | None:
    """Return a key of all inputs of a crowd's characters beside the motion; None where it is not certain.

    Args:
        crowd: its settings.
        frames: first and last frame.
        unit: metres per Blender unit.
        seed: of the random numbers.
        ground: float64 (T, 3, 3), triangles of the ground [m], or None.
        character_keys: takes the keys of characters, which other crowds of the same bake may share.
    """
    chosen = "vehicle" if crowd.drives and crowd.characters is None else crowd.characters
    if chosen not in character_keys:
        character_keys[chosen] = (
            _figures() if chosen is None else chosen if isinstance(chosen, str) else _characters(crowd)
        )
    if character_keys[chosen] is None:
        return None
    stands_on = None if ground is None else blake2b(np.ascontiguousarray(ground).tobytes()).digest()
    looks = str(looks_of(crowd)) if crowd.varies_looks else ""
    return (*_hashable(values_of(crowd)), frames, unit, seed, stands_on, character_keys[chosen], looks)


def _figures() -> Hashable:
    """Key of the built-in figures in this file."""
    return tuple([(_bones(data), tuple(map(_clip, clips))) for data, clips in figures_in_file()])


def _characters(crowd: Any) -> Hashable | None:
    """Key of the user's own characters; None where drivers or constraints move them, or they cannot be used."""
    try:
        characters = characters_of(crowd)
    except FootfallError:
        return None
    parts = [part for character in characters for part in character.parts]
    if any(map(_has_drivers_or_constraints, parts)):
        return None
    rigs = [_bones(part.data) for part in parts if isinstance(part.data, bpy.types.Armature)]
    seen = SharedParts()
    return str(fingerprint_of_all(characters)), tuple(state_of(part, seen) for part in parts), tuple(rigs)


def _has_drivers_or_constraints(part: bpy.types.Object) -> bool:
    bones = part.pose.bones if part.pose is not None else ()
    drivers = [each.animation_data.drivers for each in (part, part.data) if getattr(each, "animation_data", None)]
    return len(part.constraints) > 0 or any(map(len, drivers)) or any(len(bone.constraints) for bone in bones)


def _bones(data: bpy.types.Armature) -> Hashable:
    """Key of an armature at rest."""
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
    """Return values of settings with vectors as tuples."""
    return [tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value for value in values]
