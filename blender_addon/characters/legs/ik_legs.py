# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs whose feet follow IK controls: inverse kinematics bends them towards a bone that the walk keys.

Rigify's `foot_ik.L` and `foot_ik.R` are such controls. Names do not matter: a leg is what an IK constraint bends, its
control is the highest ancestor of the constraint's target that the walk moves. A control is used only if its foot has
followed it in a trial.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ....core.array_types import Float64
from ....core.motion.blending import WALKS
from ....core.motion.feet.foot_contacts import Stance
from ....core.motion.feet.foot_controls import ControlTable, move_control
from ....core.motion.legs import BALL, HIP, Move
from ....core.motion.pose_tables import Posture
from ...blender_data import animation, nla_strips
from ...blender_data.bone_keys import BoneMotion, channels_of
from .bone_axes import location_axes, moved_by, read_scales, rest_matrix
from .bone_legs import LEG_SEARCH, Pair, RestPose, length_of, sole_bones
from .bone_poses import find_points_of_soles, read_sole
from .observed_clips import ClipObservation, standing_on

_TRIAL_MOVE = Move(np.array([0.05, -0.04]), np.array(0.03), np.array(0.2), np.array(0.0))  # of the leg, [rad]


@dataclass(frozen=True, eq=False)
class Chain:
    """The bones of a leg with inverse kinematics.

    Attributes:
        thigh, shin: their names.
        foot: the bone whose tail is the ball of the foot; None: the ankle is used instead.
        control: the bone that the foot follows.
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
        table: its poses in the clips [Blender units].
        stance: when its foot stands on the ground, and how high [Blender units].
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
        """Return the motion of its control that moves its foot at N moments, and the remaining distances (N,)."""
        locations, turns, miss = move_control(self.table, posture, move)
        return [BoneMotion(self.chain.control, turns, locations)], miss


def find_ik_legs(
    observation: ClipObservation, rest: RestPose, chains: Sequence[Chain], others: Sequence[Pair]
) -> tuple[list[IkLeg], list[Pair]]:
    """Find the legs that follow IK controls, and observe them in the clips.

    Args:
        observation: of the character's clips.
        rest: of its armature.
        chains: from `find_chains`, at least one.
        others: other pairs of long bones, which may belong to these legs too.

    Returns:
        The legs whose foot alone follows its control; and those whose foot stands with the measured strides, but never
        with those of the settings.
    """
    legs, never_standing = [], []
    soles = _soles(observation, chains)
    readers = [lambda seen, own=chain: _read_pose(seen, own) for chain in chains]
    readers += [lambda seen, own=sole: _read_sole(seen, own) for sole in soles]
    observed = observation.observe(readers)
    seen_soles = observed[len(chains) :] or [None] * len(chains)
    scales = read_scales(observation, [chain.control for chain in chains])
    for chain, seen, sole, scale in zip(chains, observed[: len(chains)], seen_soles, scales, strict=True):
        stance = observation.find_stance(seen)
        if stance is not None:
            own, lowered = standing_on(seen, stance, observation.strides, sole)
            legs.append(IkLeg(chain, ControlTable(*own, length_of(seen.joints[0, 0]), scale), lowered))
        elif observation.find_stance(seen, (observation.clips.walk.stride, observation.clips.run_stride)) is not None:
            never_standing.append(chain.pair)
    following = [
        leg
        for leg in legs
        if _follows_control(observation, leg, _body_beside(observation.armature, rest, leg.chain, chains, others))
    ]
    return following, never_standing


def find_chains(observation: ClipObservation, rest: RestPose) -> list[Chain]:
    """Find the legs that follow IK controls, by constraints and keys, without observing them.

    Args:
        observation: of the character's clips.
        rest: of its armature.
    """
    armature = observation.armature
    found: dict[str, Chain] = {}
    keyed = moved_by(observation.clips.walk.clip)
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


def _soles(observation: ClipObservation, chains: Sequence[Chain]) -> list[dict[str, Float64]]:
    """Return the points of the sole of each leg on its bones; none unless all are known."""
    data: Any = observation.armature.data
    feet = [sole_bones(observation.armature, data.bones[chain.foot]) for chain in chains if chain.foot is not None]
    return find_points_of_soles(observation, feet) if len(feet) == len(chains) else []


def _targets(armature: bpy.types.Object, shin: bpy.types.PoseBone) -> list[bpy.types.PoseBone]:
    """Return the bones of the armature that are IK targets of a leg."""
    constraints: list[Any] = [each for each in shin.constraints if each.type == "IK" and not each.mute]
    names = [each.subtarget for each in constraints if each.target == armature and each.influence]
    return [armature.pose.bones[name] for name in names if name in armature.pose.bones]


def _control(
    target: bpy.types.PoseBone, others: Sequence[bpy.types.PoseBone], keyed: set[str]
) -> bpy.types.PoseBone | None:
    """Return the highest ancestor of one target only that the walk moves and no constraint does."""
    shared = {bone.name for other in others for bone in (other, *other.parent_recursive)}
    own = [bone for bone in (target, *target.parent_recursive) if bone.name not in shared and bone.name in keyed]
    free = [bone for bone in own if all(constraint.mute for constraint in bone.constraints)]
    return free[-1] if free else None


def _foot(armature: bpy.types.Object, rest: RestPose, shin: str) -> str | None:
    """Return the bone from the ankle down to the ball of the foot; of several a deforming one, then the longest."""
    data: Any = armature.data
    ankle = rest.ends[shin][1]
    near = [
        (bone.use_deform, rest.length(bone.name), bone.name)
        for bone in data.bones
        if (rest.ends[bone.name][0] - ankle).length < LEG_SEARCH.foot_start * rest.height
        and rest.ends[bone.name][1].z < rest.ends[bone.name][0].z
    ]
    return max(near)[2] if near else None


def _read_pose(armature: bpy.types.Object, chain: Chain) -> tuple[Float64, Float64]:
    bones, world = armature.pose.bones, armature.matrix_world
    thigh, shin, control = bones[chain.thigh], bones[chain.shin], bones[chain.control]
    ball = bones[chain.foot].tail if chain.foot is not None else shin.tail
    rest = rest_matrix(control)
    joints = [world @ each for each in (thigh.head, shin.head, shin.tail, ball, control.head, rest.translation, ball)]
    turns = [(world @ each).to_3x3().normalized() for each in (control.matrix, location_axes(control), rest)]
    return np.array(joints, dtype=np.float64), np.array(turns, dtype=np.float64)


def _read_sole(armature: bpy.types.Object, sole: Mapping[str, Float64]) -> tuple[Float64, Float64]:
    return read_sole(armature, sole), np.zeros((0, 3, 3))


def _follows_control(observation: ClipObservation, leg: IkLeg, body: Sequence[str]) -> bool:
    """Whether a foot follows its control while these bones do not move, tried in several poses of the walk."""
    trials = LEG_SEARCH.trial_poses
    armature, frames = observation.armature, np.arange(float(trials))
    gait, phase, breath = np.full(trials, WALKS), (frames + 0.5) / trials, np.zeros(trials)
    observation.clips.show_poses(armature, gait=gait, phase=phase, breath=breath)
    posture = leg.table.posture(gait, phase, breath)
    each = np.ones(trials)
    move = Move(
        leg.length * _TRIAL_MOVE.shift * each[:, None],
        leg.length * _TRIAL_MOVE.lift * each,
        _TRIAL_MOVE.twist * each,
        0.0 * each,
    )
    motions, miss = leg.reach(posture, move)
    ((heads_before, _),) = observation.sample([lambda seen: _heads(seen, body)], trials)
    clip = animation.new_clip("Trial", [], group="Feet")
    try:
        for motion in motions:
            animation.add_channels(clip, channels_of(armature, motion, frames, each > 0.0), group="Feet")
        track = nla_strips.add_track(armature, "Trial")
        nla_strips.add_strip_of(track, "Trial", clip, 0, trials - 1)
        readers = [lambda seen: _read_pose(seen, leg.chain), lambda seen: _heads(seen, body)]
        (joints, _), (heads, _) = observation.sample(readers, trials)
    finally:
        bpy.data.actions.remove(clip.action)
    wanted = posture.joints[BALL] + np.concatenate([move.shift.T, move.lift[None]])
    off = np.sqrt(((joints[:, BALL].T - wanted) ** 2).sum(axis=0)) - miss
    hip = np.sqrt(((joints[:, HIP].T - posture.joints[HIP]) ** 2).sum(axis=0))
    moved = np.maximum(np.sqrt(((heads - heads_before) ** 2).sum(axis=2)).max(axis=1, initial=0.0), hip)
    return bool(np.median(np.maximum(off, moved)) < LEG_SEARCH.largest_miss * leg.length)


def _body_beside(
    armature: bpy.types.Object, rest: RestPose, chain: Chain, chains: Sequence[Chain], others: Sequence[Pair]
) -> list[str]:
    """Return the bones that must not move with a foot.

    These are the ancestors of its thigh, deforming bones above the hip, and other legs. Bones beside the thigh, as of a
    skirt, may move.
    """
    bones: Any = armature.pose.bones
    own = {each.name for top in (chain.thigh, chain.control) for each in (bones[top], *bones[top].children_recursive)}
    floor = rest.ends[chain.thigh][0].z + LEG_SEARCH.above_hip * rest.height
    over = [each.name for each in bones if each.bone.use_deform and rest.ends[each.name][0].z > floor]
    legs = [other.pair for other in chains if other is not chain]
    legs += [pair for pair in others if rest.match(pair, chain.pair) and not rest.is_among(pair, [chain.pair])]
    carriers = [each.name for each in bones[chain.thigh].parent_recursive]
    names = dict.fromkeys([*carriers, *over, *(name for pair in legs for name in pair)])
    return [name for name in names if name not in own]


def _heads(armature: bpy.types.Object, names: Sequence[str]) -> tuple[Float64, Float64]:
    """Read the heads of bones in the world, float64 (N, 3), and no rotations, as some may turn towards the foot."""
    bones, world = armature.pose.bones, armature.matrix_world
    return np.array([world @ bones[name].head for name in names], dtype=np.float64).reshape(-1, 3), np.zeros(0)
