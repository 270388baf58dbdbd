# SPDX-License-Identifier: GPL-3.0-or-later
"""The legs of a character whose feet hang on controls: inverse kinematics bends them towards a bone that the walk keys.

So do Rigify's `foot_ik.L` and `foot_ik.R`, and what other rigs call it. No names are asked for: a leg is what an IK
constraint bends, its control the highest bone over the constraint's target that the walk moves. A control is only used
when its foot has been seen to go where it was sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ....core.motion.blending import WALKS
from ....core.motion.foot_contacts import Stance
from ....core.motion.foot_controls import ControlTable, move_control
from ....core.motion.legs import BALL, HIP, Move
from ....core.motion.pose_tables import Posture
from ...blender_data import animation, nla_strips
from ...blender_data.bone_keys import BoneMotion, channels_of
from .bone_legs import Leg, Pair, RestPose, length_of
from .observed_clips import Rehearsal, find_stance

Float64 = NDArray[np.float64]

_NEAR = 0.06  # of the height of the armature: where a foot begins, from the ankle
_ABOVE = 0.06  # of it: so far over the hip at rest nothing is moved by a leg that bends
_TRIALS = 6
_TRIAL = Move(np.array([0.05, -0.04]), np.array(0.03), np.array(0.2), np.array(0.0))  # of the leg, [rad]
_MOST_OFF = 0.01  # of the leg


@dataclass(frozen=True, eq=False)
class Chain:
    """The bones of a leg that inverse kinematics bends.

    Attributes:
        thigh, shin: their names.
        foot: the bone at whose tail the ball of the foot is; None: the ankle stands for it.
        control: what the foot hangs on.
    """

    thigh: str
    shin: str
    foot: str | None
    control: str

    @property
    def pair(self) -> Pair:
        """Its long bones."""
        return Pair(self.thigh, self.shin)


@dataclass(frozen=True, eq=False)
class IkLeg:
    """One leg.

    Attributes:
        chain: its bones.
        table: where the clips put it [Blender units].
        stance: when and how high its foot stands [Blender units].
    """

    chain: Chain
    table: ControlTable
    stance: Stance

    @property
    def pair(self) -> Pair:
        """Its long bones."""
        return self.chain.pair

    @property
    def length(self) -> float:
        """Hip to ankle [Blender units]."""
        return self.table.length

    def reach(self, posture: Posture, move: Move) -> tuple[list[BoneMotion], Float64]:
        """How its control has to move for its foot to be elsewhere at N moments, and by how much it is not (N,)."""
        locations, turns, miss = move_control(self.table, posture, move)
        return [BoneMotion(self.chain.control, turns, locations)], miss


AnyLeg = Leg | IkLeg


def find_ik_legs(
    rehearsal: Rehearsal, rest: RestPose, chains: Sequence[Chain], others: Sequence[Pair]
) -> tuple[list[IkLeg], list[Pair]]:
    """Find the legs of a character that inverse kinematics moves by controls, and watch its clips.

    Args:
        rehearsal: of the character.
        rest: of its armature.
        chains: of `find_chains`, one at least.
        others: other pairs of long bones, which may lie in these legs too.

    Returns:
        Those whose foot goes where its control is sent, and that alone; and those whose foot never stands by the
        strides that were asked for, and does by those that are measured.
    """
    legs, restless = [], []
    watched = rehearsal.watch([lambda seen, own=chain: _look(seen, own) for chain in chains])
    scales = _scales(rehearsal, chains)
    for chain, seen, scale in zip(chains, watched, scales, strict=True):
        table = ControlTable(*seen, length_of(seen.joints[0, 0]), scale)
        stance = find_stance(table, rehearsal.strides)
        if stance is not None:
            legs.append(IkLeg(chain, table, stance))
        elif find_stance(table, (rehearsal.clips.walk.stride, rehearsal.clips.run_stride)) is not None:
            restless.append(chain.pair)
    obeying = [
        leg for leg in legs if _obeys(rehearsal, leg, _body_beside(rehearsal.armature, rest, leg.chain, chains, others))
    ]
    return obeying, restless


def find_chains(rehearsal: Rehearsal, rest: RestPose) -> list[Chain]:
    """Find the legs that inverse kinematics moves by controls, as far as is seen without watching them.

    Args:
        rehearsal: of the character.
        rest: of its armature.
    """
    armature = rehearsal.armature
    found: dict[str, Chain] = {}
    keyed = _moved_by(rehearsal.clips.walk.clip)
    targets: dict[tuple[str, str], bpy.types.PoseBone] = {}
    for shin in armature.pose.bones:
        thigh, followed = shin.parent, _targets(armature, shin)
        if thigh is not None and followed and rest.is_leg(thigh.name, shin.name, rest.ends[shin.name][1]):
            targets[thigh.name, shin.name] = followed[0]
    for (thigh, shin), target in targets.items():
        others = [other for other in targets.values() if other != target]
        carriers = armature.pose.bones[thigh].parent_recursive
        control = _control(target, [*others, *carriers], keyed)
        if control is not None:
            found[control.name] = Chain(thigh, shin, _foot(armature, rest, shin), control.name)
    return list(found.values())


def _targets(armature: bpy.types.Object, shin: bpy.types.PoseBone) -> list[bpy.types.PoseBone]:
    """The bones of the armature itself that inverse kinematics bends a leg towards."""
    constraints: list[Any] = [each for each in shin.constraints if each.type == "IK" and not each.mute]
    names = [each.subtarget for each in constraints if each.target == armature and each.influence]
    return [armature.pose.bones[name] for name in names if name in armature.pose.bones]


def _control(
    target: bpy.types.PoseBone, others: Sequence[bpy.types.PoseBone], keyed: set[str]
) -> bpy.types.PoseBone | None:
    """The highest bone that moves one target and nothing of others, is moved by a walk, and by no constraint."""
    shared = {bone.name for other in others for bone in (other, *other.parent_recursive)}
    own = [bone for bone in (target, *target.parent_recursive) if bone.name not in shared and bone.name in keyed]
    free = [bone for bone in own if all(constraint.mute for constraint in bone.constraints)]
    return free[-1] if free else None


def _moved_by(clip: animation.Clip) -> set[str]:
    """Names of the bones that a clip puts somewhere."""
    paths = {curve.data_path for curve in animation.curves_of(clip)}
    quoted = [path.split('"')[1] for path in paths if path.startswith("pose.bones[") and path.endswith(".location")]
    return {bpy.utils.unescape_identifier(name) for name in quoted}


def _foot(armature: bpy.types.Object, rest: RestPose, shin: str) -> str | None:
    """The bone from the ankle to the ball of the foot: of those that begin there and go down a deforming, long one."""
    data: Any = armature.data
    ankle = rest.ends[shin][1]
    near = [
        (bone.use_deform, rest.length(bone.name), bone.name)
        for bone in data.bones
        if (rest.ends[bone.name][0] - ankle).length < _NEAR * rest.height
        and rest.ends[bone.name][1].z < rest.ends[bone.name][0].z
    ]
    return max(near)[2] if near else None


def _look(armature: bpy.types.Object, chain: Chain) -> tuple[Float64, Float64]:
    bones, world = armature.pose.bones, armature.matrix_world
    thigh, shin, control = bones[chain.thigh], bones[chain.shin], bones[chain.control]
    ball = bones[chain.foot].tail if chain.foot is not None else shin.tail
    rest = _placed(control, Matrix())
    joints = [world @ each for each in (thigh.head, shin.head, shin.tail, ball, control.head, rest.translation)]
    turns = [(world @ each).to_3x3().normalized() for each in (control.matrix, _ways(control), rest)]
    return np.array(joints, dtype=np.float64), np.array(turns, dtype=np.float64)


def _placed(bone: bpy.types.PoseBone, basis: Matrix) -> Matrix:
    """Where a bone is in its armature when it is moved by `basis` from its rest, and nothing else holds it."""
    parent, own = bone.parent, bone.bone
    if parent is None:
        return own.convert_local_to_pose(basis, own.matrix_local)
    return own.convert_local_to_pose(
        basis, own.matrix_local, parent_matrix=parent.matrix, parent_matrix_local=parent.bone.matrix_local
    )


def _ways(bone: bpy.types.PoseBone) -> Matrix:
    """Along what a bone goes in its armature when each component of its location grows by 1, as columns (4, 4)."""
    start = _placed(bone, Matrix()).translation
    axes = [_placed(bone, Matrix.Translation(axis)).translation - start for axis in Matrix.Identity(3)]
    return Matrix([axis[:] for axis in axes]).transposed().to_4x4()


def _scales(rehearsal: Rehearsal, chains: Sequence[Chain]) -> list[float]:
    """How far controls go in the world when a component of their location grows by 1."""

    def look(armature: bpy.types.Object) -> tuple[Float64, Float64]:
        ways = [armature.matrix_world @ _ways(armature.pose.bones[chain.control]) for chain in chains]
        return np.array([each.median_scale for each in ways]), np.zeros(0)

    ((scales, _),) = rehearsal.see([look], 1)
    return scales[0].tolist()


def _obeys(rehearsal: Rehearsal, leg: IkLeg, body: Sequence[str]) -> bool:
    """Whether a foot goes where its control is sent and these bones stay, tried at some moments of the walk."""
    armature, frames = rehearsal.armature, np.arange(_TRIALS)
    gait, phase, breath = np.full(_TRIALS, WALKS), (frames + 0.5) / _TRIALS, np.zeros(_TRIALS)
    rehearsal.clips.rehearse(armature, gait=gait, phase=phase, breath=breath)
    posture = leg.table.posture(gait, phase, breath)
    each = np.ones(_TRIALS)
    move = Move(
        leg.length * _TRIAL.shift * each[:, None], leg.length * _TRIAL.lift * each, _TRIAL.twist * each, 0.0 * each
    )
    motions, miss = leg.reach(posture, move)
    ((stood, _),) = rehearsal.see([lambda seen: _heads(seen, body)], _TRIALS)
    clip = animation.new_clip("Trial", [], group="Feet")
    try:
        for motion in motions:
            animation.add_channels(clip, channels_of(armature, motion, frames, each > 0.0), group="Feet")
        track = nla_strips.add_track(armature, "Trial")
        animation.add_strip_of(track, "Trial", clip, 0, _TRIALS - 1)
        looks = [lambda seen: _look(seen, leg.chain), lambda seen: _heads(seen, body)]
        (joints, _), (stands, _) = rehearsal.see(looks, _TRIALS)
    finally:
        bpy.data.actions.remove(clip.action)
    wanted = posture.joints[BALL] + np.concatenate([move.shift.T, move.lift[None]])
    off = np.sqrt(((joints[:, BALL].T - wanted) ** 2).sum(axis=0)) - miss
    hip = np.sqrt(((joints[:, HIP].T - posture.joints[HIP]) ** 2).sum(axis=0))
    moved = np.maximum(np.sqrt(((stands - stood) ** 2).sum(axis=2)).max(axis=1, initial=0.0), hip)
    return bool(np.median(np.maximum(off, moved)) < _MOST_OFF * leg.length)


def _body_beside(
    armature: bpy.types.Object, rest: RestPose, chain: Chain, chains: Sequence[Chain], others: Sequence[Pair]
) -> list[str]:
    """Names of the bones whose heads a foot must leave where they are.

    That is what carries its thigh, what of the body is over the hip, and other legs. What hangs beside the thigh, as a
    skirt does, may follow it.
    """
    bones: Any = armature.pose.bones
    own = {each.name for top in (chain.thigh, chain.control) for each in (bones[top], *bones[top].children_recursive)}
    floor = rest.ends[chain.thigh][0].z + _ABOVE * rest.height
    over = [each.name for each in bones if each.bone.use_deform and rest.ends[each.name][0].z > floor]
    legs = [other.pair for other in chains if other is not chain]
    legs += [pair for pair in others if rest.match(pair, chain.pair) and not rest.is_among(pair, [chain.pair])]
    carriers = [each.name for each in bones[chain.thigh].parent_recursive]
    names = dict.fromkeys([*carriers, *over, *(name for pair in legs for name in pair)])
    return [name for name in names if name not in own]


def _heads(armature: bpy.types.Object, names: Sequence[str]) -> tuple[Float64, Float64]:
    """Where bones begin in the world, float64 (N, 3), and no turns; some may turn towards the foot."""
    bones, world = armature.pose.bones, armature.matrix_world
    return np.array([world @ bones[name].head for name in names], dtype=np.float64).reshape(-1, 3), np.zeros(0)
