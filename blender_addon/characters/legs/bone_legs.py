# SPDX-License-Identifier: GPL-3.0-or-later
"""The legs of a character that keys on their bones move: found in its armature by where the bones are at rest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Matrix, Vector
from numpy.typing import NDArray

from ....core.motion.foot_contacts import Stance
from ....core.motion.legs import HIP, KNEE, LegTable, Move, bend
from ....core.motion.pose_tables import Posture
from ...blender_data.bone_keys import BoneMotion
from .observed_clips import Rehearsal, find_stance

Float64 = NDArray[np.float64]

_ANKLE_BELOW, _HIP_ABOVE, _LEAST_BONE = 0.2, 0.3, 0.1  # of the height of the armature
_SAME_PLACE = 0.06  # of it: bones of several kinds lie so near to each other in one leg


class Pair(NamedTuple):
    """Names of the two long bones of a leg."""

    thigh: str
    shin: str


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

    @property
    def pair(self) -> Pair:
        """Its long bones."""
        return Pair(*self.bones[:2])

    def reach(self, posture: Posture, move: Move) -> tuple[list[BoneMotion], Float64]:
        """How its bones have to move for its foot to be elsewhere at N moments, and by how much it is not (N,)."""
        turns, miss = bend(self.table, posture, move)
        return [BoneMotion(bone, own) for bone, own in zip(self.bones, turns, strict=True)], miss


class RestPose(NamedTuple):
    """Where the bones of an armature are at rest, in the world.

    Attributes:
        ends: head and tail of each bone, by its name.
        low: height of the lowest.
        height: of all together.
    """

    ends: dict[str, tuple[Vector, Vector]]
    low: float
    height: float

    @classmethod
    def of(cls, armature: bpy.types.Object, mover: bpy.types.Object) -> RestPose:
        """Of an armature that hangs on an object, or is it."""
        data: Any = armature.data
        to_world = _turn_of(mover, armature)
        ends = {bone.name: (to_world @ bone.head_local, to_world @ bone.tail_local) for bone in data.bones}
        heights = [point.z for pair in ends.values() for point in pair]
        return cls(ends, min(heights), max(heights) - min(heights))

    def is_leg(self, thigh: str, shin: str, ankle: Vector) -> bool:
        """Whether two bones are as long and as high as thigh and shin of a leg that ends in an ankle."""
        long = min(self.length(bone) for bone in (thigh, shin)) > _LEAST_BONE * self.height
        low = ankle.z - self.low < _ANKLE_BELOW * self.height
        return long and low and self.ends[thigh][0].z - self.low > _HIP_ABOVE * self.height

    def length(self, bone: str) -> float:
        """How long a bone is."""
        head, tail = self.ends[bone]
        return (tail - head).length

    def is_among(self, pair: Pair, others: Iterable[Pair]) -> bool:
        """Whether a leg lies where one of others does."""
        hip, ankle = self._hip_and_ankle(pair)
        near = _SAME_PLACE * self.height
        places = [self._hip_and_ankle(other) for other in others]
        return any((hip - h).length < near and (ankle - a).length < near for h, a in places)

    def match(self, pair: Pair, other: Pair) -> bool:
        """Whether two legs begin and end at the same heights, as the left and the right one do."""
        ends = zip(self._hip_and_ankle(pair), self._hip_and_ankle(other), strict=True)
        return all(abs(own.z - its.z) < _SAME_PLACE * self.height for own, its in ends)

    def _hip_and_ankle(self, pair: Pair) -> tuple[Vector, Vector]:
        return self.ends[pair.thigh][0], self.ends[pair.shin][1]


def find_bent_legs(rehearsal: Rehearsal, rest: RestPose) -> tuple[list[Leg], list[Pair], list[Pair]]:
    """Find the legs of a character that keys on their bones move, and watch its clips.

    A leg is three bones, each the parent of the next: the last begins near the ground, the first far from it, and no
    constraint moves them.

    Args:
        rehearsal: of the character.
        rest: of its armature.

    Returns:
        The legs; others, which constraints move, or which are controls of others; and those whose foot never stands.
    """
    armature = rehearsal.armature
    found = _chains(armature, rest)
    chains = [chain for chain in found if _is_free(armature, chain)]
    held = [Pair(*_named(chain)[:2]) for chain in found if chain not in chains]
    if not chains:
        return [], held, []
    named = [_named(chain) for chain in chains]
    watched = rehearsal.watch([lambda seen, names=names: _look(seen, names) for names in named])
    legs, restless = [], []
    for chain, names, seen in zip(chains, named, watched, strict=True):
        table = LegTable(*seen, _rest(chain))
        stance = find_stance(table, rehearsal.strides)
        if stance is not None:
            legs.append(Leg(names, table, stance, length_of(table.joints[0, 0])))
        else:
            restless.append(Pair(*names[:2]))
    return legs, held, restless


def length_of(joints: Float64) -> float:
    """From hip over knee to ankle, of a leg's joints float64 (J, 3)."""
    upper, lower = (joints[k + 1] - joints[k] for k in (HIP, KNEE))
    return float(np.linalg.norm(upper) + np.linalg.norm(lower))


def _named(chain: list[bpy.types.Bone]) -> tuple[str, str, str]:
    thigh, shin, foot = (bone.name for bone in chain)
    return thigh, shin, foot


def _chains(armature: bpy.types.Object, rest: RestPose) -> list[list[bpy.types.Bone]]:
    """Thigh, shin and foot of each leg, by their places at rest."""
    data: Any = armature.data
    found: dict[str, list[Any]] = {}
    for foot in data.bones:
        shin: Any = foot.parent
        thigh: Any = shin.parent if shin is not None else None
        if thigh is None or thigh.parent is None or thigh.name in found:
            continue
        if rest.is_leg(thigh.name, shin.name, rest.ends[foot.name][0]):
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


def _is_held(bone: bpy.types.PoseBone) -> bool:
    return not bone.bone.use_inherit_rotation or any(not constraint.mute for constraint in bone.constraints)


def _rest(chain: list[bpy.types.Bone]) -> Float64:
    turns = [(bone.parent.matrix_local.inverted() @ bone.matrix_local).to_3x3().normalized() for bone in chain]
    return np.array(turns, dtype=np.float64)


def _look(armature: bpy.types.Object, chain: tuple[str, str, str]) -> tuple[Float64, Float64]:
    bones = [armature.pose.bones[name] for name in chain]
    world = armature.matrix_world
    joints = [world @ bone.head for bone in bones] + [world @ bones[-1].tail]
    turns = [(world @ bone.matrix).to_3x3().normalized() for bone in (bones[0].parent, *bones)]
    return np.array(joints, dtype=np.float64), np.array(turns, dtype=np.float64)
