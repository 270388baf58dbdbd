# SPDX-License-Identifier: GPL-3.0-or-later
"""The legs of a character: found in its armature by where its bones are, and watched through its clips."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ...core.motion.blending import RUNS, STANDS, WALKS
from ...core.motion.contacts import Stance, Window, find_contacts, match
from ...core.motion.legs import ANKLE, BALL, HIP, KNEE, LegTable
from ..reading.room import reading_room
from . import walks

Float64 = NDArray[np.float64]

_PHASES, _BREATHS = 48, 16
_STANDING, _RUNNING = (STANDS, 0.25, 0.5, 0.75), (1.25, 1.5, 1.75, RUNS)
_ANKLE_BELOW, _HIP_ABOVE, _LEAST_BONE = 0.2, 0.3, 0.1  # of the height of the armature


@dataclass(frozen=True, eq=False)
class Leg:
    """One leg.

    Attributes:
        bones: names of thigh, shin and foot.
        table: where the clips put it [Blender units].
        stance: when and how high its foot stands [Blender units].
        length: hip to ankle [Blender units].
    """

    bones: tuple[str, str, str]
    table: LegTable
    stance: Stance
    length: float


def find_legs(
    copies: list[bpy.types.Object],
    walker: int,
    clips: walks.Clips,
    *,
    strides: tuple[float, float],
    scene: bpy.types.Scene,
) -> tuple[list[Leg], bool]:
    """Find the legs of a character and watch its clips.

    A leg is three bones, each the parent of the next: the last begins near the ground, the first far from it, and no
    constraint moves them.

    Args:
        copies: of a character, for this alone; the first, which moves all, stands at the origin and looks along +X.
        walker: number of the armature among them.
        clips: what it plays.
        strides: way of one run of the walk, and of as many strides of the run [Blender units].
        scene: whose settings hold.

    Returns:
        The legs; and whether there are others, which constraints move, or which are controls of others.
    """
    armature = copies[walker]
    found = _chains(armature, copies[0])
    chains = [chain for chain in found if _is_free(armature, chain)]
    if not chains:
        return [], bool(found)
    watched = _watch(copies, armature, [_named(chain) for chain in chains], clips, scene)
    legs = []
    for chain, (joints, turns) in zip(chains, watched, strict=True):
        table = _table(joints, turns, _rest(chain), clips)
        stance = _stance(table, strides)
        if stance is not None:
            upper, lower = (joints[0, k + 1] - joints[0, k] for k in (HIP, KNEE))
            length = float(np.linalg.norm(upper) + np.linalg.norm(lower))
            legs.append(Leg(_named(chain), table, stance, length))
    return legs, len(chains) < len(found)


def _stance(table: LegTable, strides: tuple[float, float]) -> Stance | None:
    """When and how high a foot stands; None where it never does."""
    walked, ran = (table.joints[table.gaits == gait, :, BALL] for gait in (WALKS, RUNS))
    walking = find_contacts(walked[0], strides[0])
    if not walking:
        return None
    running = match(walking, find_contacts(ran[0], strides[1])) if len(ran) else ()
    floor = _floor(walked[0], walking)
    return Stance(walking, running, (floor, _floor(ran[0], running) if running else floor))


def _floor(ball: Float64, contacts: tuple[Window, ...]) -> float:
    phase = np.arange(len(ball)) / (len(ball) - 1)
    return float(np.median(ball[Stance(contacts).holds(phase, np.full(len(ball), WALKS)), 2]))


def _named(chain: list[bpy.types.Bone]) -> tuple[str, str, str]:
    thigh, shin, foot = (bone.name for bone in chain)
    return thigh, shin, foot


def _chains(armature: bpy.types.Object, mover: bpy.types.Object) -> list[list[bpy.types.Bone]]:
    """Thigh, shin and foot of each leg, by their places at rest."""
    data: Any = armature.data
    to_world = _turn_of(mover, armature)
    places = {bone.name: (to_world @ bone.head_local, to_world @ bone.tail_local) for bone in data.bones}
    heights = [point.z for ends in places.values() for point in ends]
    low, height = min(heights), max(heights) - min(heights)
    found: dict[str, list[Any]] = {}
    for foot in data.bones:
        shin: Any = foot.parent
        thigh: Any = shin.parent if shin is not None else None
        if thigh is None or thigh.parent is None or thigh.name in found:
            continue
        ankle, hip = places[foot.name][0].z - low, places[thigh.name][0].z - low
        long = min(_length(places[bone.name]) for bone in (thigh, shin)) > _LEAST_BONE * height
        if long and ankle < _ANKLE_BELOW * height and hip > _HIP_ABOVE * height:
            found[thigh.name] = [thigh, shin, foot]
    return list(found.values())


def _is_free(armature: bpy.types.Object, chain: list[Any]) -> bool:
    """Whether keys on its own bones move a leg, and the body with it."""
    return _shapes_the_body(chain) and not any(_is_held(armature.pose.bones[bone.name]) for bone in chain)


def _shapes_the_body(chain: list[Any]) -> bool:
    """Whether a leg is more than a control: its shin deforms the body, or a bone that hangs on it does."""
    return chain[1].use_deform or any(bone.use_deform for bone in chain[1].children if bone != chain[2])


def _turn_of(mover: bpy.types.Object, armature: bpy.types.Object) -> Matrix:
    """From the armature's own axes to the world's, up to its place."""
    turn = mover.rotation_euler.to_matrix().to_4x4() @ Matrix.Diagonal((*mover.scale, 1.0))
    return turn if armature == mover else turn @ armature.matrix_parent_inverse @ armature.matrix_basis


def _length(ends: tuple[Any, Any]) -> float:
    return (ends[1] - ends[0]).length


def _is_held(bone: bpy.types.PoseBone) -> bool:
    return not bone.bone.use_inherit_rotation or any(not constraint.mute for constraint in bone.constraints)


def _rest(chain: list[bpy.types.Bone]) -> Float64:
    turns = [(bone.parent.matrix_local.inverted() @ bone.matrix_local).to_3x3().normalized() for bone in chain]
    return np.array(turns, dtype=np.float64)


def _watch(
    copies: list[bpy.types.Object],
    armature: bpy.types.Object,
    chains: list[tuple[str, str, str]],
    clips: walks.Clips,
    scene: bpy.types.Scene,
) -> list[tuple[Float64, Float64]]:
    """Joints (T, 4, 3) and turns (T, 4, 3, 3) of each leg at all moments of its table, one after the other."""
    gaits = _gaits(clips)
    phase = np.tile(np.arange(_PHASES + 1) / _PHASES, len(gaits))
    gait = np.repeat(gaits, _PHASES + 1)
    breath = np.zeros(len(phase))
    if clips.idle is not None:
        more = np.arange(_BREATHS + 1) / _BREATHS
        phase, gait = np.append(phase, 0.0 * more), np.append(gait, 0.0 * more)
        breath = np.append(breath, more)
    clips.rehearse(armature, gait=gait, phase=phase, breath=breath)
    moments: list[list[tuple[Float64, Float64]]] = []
    with reading_room(scene) as room:
        room.bring(copies[0])
        seen = room.bring(armature)
        for frame in range(len(phase)):
            evaluated = seen.evaluated_get(room.evaluate(frame))
            moments.append([_look(evaluated, chain) for chain in chains])
    return [
        (np.array([each[number][0] for each in moments]), np.array([each[number][1] for each in moments]))
        for number in range(len(chains))
    ]


def _look(armature: bpy.types.Object, chain: tuple[str, str, str]) -> tuple[Float64, Float64]:
    bones = [armature.pose.bones[name] for name in chain]
    world = armature.matrix_world
    joints = [world @ bone.head for bone in bones] + [world @ bones[-1].tail]
    turns = [(world @ bone.matrix).to_3x3().normalized() for bone in (bones[0].parent, *bones)]
    return np.array(joints, dtype=np.float64), np.array(turns, dtype=np.float64)


def _gaits(clips: walks.Clips) -> Float64:
    slower = _STANDING if clips.idle is not None else ()
    return np.array([*slower, WALKS, *(_RUNNING if clips.run is not None else ())])


def _table(joints: Float64, turns: Float64, rest: Float64, clips: walks.Clips) -> LegTable:
    assert joints.shape[1] == BALL + 1 == ANKLE + 2
    gaits = _gaits(clips)
    blended = len(gaits) * (_PHASES + 1)
    grids = [each[:blended].reshape(len(gaits), _PHASES + 1, *each.shape[1:]) for each in (joints, turns)]
    standing = (joints[blended:], turns[blended:]) if clips.idle is not None else None
    return LegTable(gaits, grids[0], grids[1], standing, rest)
