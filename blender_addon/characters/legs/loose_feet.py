# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs whose foot hangs on the root and not on the shin, as files have them that were exported from IK rigs.

The constraints are gone, and thigh, shin and foot are keyed each by itself. To move such a foot, the foot is put
elsewhere and the leg is bent so that it still ends there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from ....core.array_types import Float64
from ....core.geometry.reproducible_math import length
from ....core.motion.blending import WALKS
from ....core.motion.feet.foot_controls import ControlTable, move_control
from ....core.motion.legs import ANKLE, KNEE, LegTable, Move, bend
from ....core.motion.pose_tables import Posture
from ...blender_data.bone_keys import BoneMotion
from .bone_axes import location_axes, moved_by, read_scales, rest_matrix
from .bone_legs import LEG_SEARCH, Leg, LegNames, RestPose, end_of, is_free, length_of, named, rest_of, sole_bones
from .bone_poses import observe_soles
from .observed_clips import ClipObservation, standing_on

_LEG_JOINTS = _LEG_BONES = 4  # of a leg, before those of its foot as a control


@dataclass(frozen=True, eq=False)
class LooseFootTable(LegTable, ControlTable):
    """Poses of a leg as in `LegTable`, followed by those of its foot as in `ControlTable`."""


@dataclass(frozen=True, eq=False)
class LooseFootLeg(Leg):
    """One leg; its table knows its foot as a control."""

    table: LooseFootTable

    def reach(self, posture: Posture, move: Move) -> tuple[list[BoneMotion], Float64]:
        """Return the motion of its bones that moves its foot at N moments, and the remaining distances (N,)."""
        turns, _ = bend(self.table, Posture(posture.joints[:_LEG_JOINTS], posture.turns[:_LEG_BONES]), move)
        place, turn, miss = move_control(self.table, Posture(posture.joints, posture.turns[_LEG_BONES:]), move)
        thigh, shin, foot = self.bones
        return [BoneMotion(thigh, turns[0]), BoneMotion(shin, turns[1]), BoneMotion(foot, turn, place)], miss


def find_loose_feet(
    observation: ClipObservation, chains: Sequence[list[Any]], others: Sequence[Leg]
) -> list[LooseFootLeg]:
    """Find the legs with loose feet, and observe them in the clips.

    Args:
        observation: of the character's clips.
        chains: of `find_loose_chains`.
        others: legs that were found already.
    """
    armature = observation.armature
    data: Any = armature.data
    feet = [data.bones[leg.bones[-1]] for leg in others if leg.has_foot]
    taken = {bone for leg in others for bone in leg.bones}
    taken |= {toe.name for foot in feet for toe in foot.children_recursive}
    chains = [chain for chain in chains if not any(bone.name in taken for bone in chain)]
    if not chains:
        return []
    scales = 2 * read_scales(observation, [foot.name for *_, foot in chains])
    legs, soles = [], 2 * observe_soles(observation, [sole_bones(armature, foot) for *_, foot in chains])
    balls = [*(end_of(armature, foot) for *_, foot in chains), *(Vector() for _ in chains)]  # else only its ankle
    chains = 2 * chains
    readers = [partial(_read_pose, names=named(chain), ball=ball) for chain, ball in zip(chains, balls, strict=True)]
    for chain, seen, scale, sole in zip(chains, observation.observe(readers), scales, soles, strict=True):
        stance = observation.find_stance(seen)
        if stance is None or any(leg.bones[0] == chain[0].name for leg in legs):
            continue
        own, lowered = standing_on(seen, stance, observation.strides, sole and sole.poses, rolls=True)
        table = LooseFootTable(*own, length_of(seen.joints[0, 0]), scale, rest_of(chain))
        if _ends_at_its_foot(table):
            points = sole.points if sole is not None else {}
            legs.append(LooseFootLeg(named(chain), table, lowered, table.length, sole=points))
    return legs


def find_loose_chains(
    observation: ClipObservation, rest: RestPose, aside: float = LEG_SEARCH.below_knee
) -> list[list[Any]]:
    """Find thigh, shin, and the foot below the shin that is no child of the leg, by their rest positions.

    Args:
        observation: of the character's clips.
        rest: of its armature.
        aside: feet are less far aside from their knees, as a share of the height.

    Returns:
        The bones; a leg may have several such feet, and those that shape the mesh come first.
    """
    armature, data = observation.armature, observation.armature.data
    moved, seen = moved_by(observation.clips.walk.clip), _shaping_bones(observation.copies)
    bones: Any = data.bones
    feet = [bone for bone in bones if bone.name in moved]
    chains = [chain for chain in _chains_below(bones, feet, rest, aside) if is_free(armature, chain)]
    shaping = [chain for chain in chains if seen.intersection(_and_below(chain[2]))]
    seen_feet = {end.parent for end in rest.shin_ends if end.parent.name in seen}
    chains = [chain for chain in chains if chain[1] not in seen_feet]  # such a foot is the control of a shin
    return sorted(shaping or chains, key=lambda chain: chain[2].name not in seen)


def _chains_below(bones: Any, feet: Sequence[Any], rest: RestPose, aside: float) -> list[list[Any]]:
    """Find thigh, shin and each foot that is not farther aside from the knee than a share of the height."""
    found: dict[str, tuple[float, list[Any]]] = {}
    for shin in bones:
        thigh = shin.parent
        if thigh is None or thigh.parent is None:
            continue
        hip, knee = (rest.ends[bone.name][0] for bone in (thigh, shin))
        kin = set[Any]()  # looked up for few: it takes all bones
        for foot in feet:
            ankle = rest.ends[foot.name][0]
            is_bent_up = not len(shin.children) and (ankle - knee).length < LEG_SEARCH.alike * (knee - hip).length
            is_below = (hip.z > knee.z or is_bent_up) and min(hip.z, knee.z) > ankle.z
            is_below = is_below and (ankle - knee).xy.length < aside * rest.height
            if not (is_below and rest.is_leg(thigh.name, shin.name, ankle)):
                continue
            kin = kin or {thigh, *thigh.parent_recursive, *thigh.children_recursive}
            if foot not in kin and _is_loose(foot, kin, rest):
                nearer = found.get(foot.name)
                if nearer is None or (ankle - knee).length < nearer[0]:
                    found[foot.name] = (ankle - knee).length, [thigh, shin, foot]
    return [chain for _, chain in found.values()]


def _is_loose(foot: Any, kin: set[Any], rest: RestPose) -> bool:
    """Whether a foot hangs near the ground on what carries a leg, or on nothing, and not on another limb."""
    own = [bone for bone in (foot, *foot.parent_recursive) if bone not in kin]
    return rest.ends[own[-1].name][0].z - rest.low < LEG_SEARCH.highest_ankle * rest.height


def shapes_the_mesh(parts: Iterable[bpy.types.Object], bones: Iterable[Any]) -> bool:
    """Whether meshes among the parts of a character follow one of some bones, or what it carries."""
    return bool(_shaping_bones(parts) & set[str]().union(*map(_and_below, bones)))


def _and_below(bone: Any) -> set[str]:
    return {bone.name, *(child.name for child in bone.children_recursive)}


def _shaping_bones(parts: Iterable[bpy.types.Object]) -> set[str]:
    """Return the names of vertex groups in which meshes have vertices, and of bones that carry parts."""
    parts = list(parts)
    return {part.parent_bone for part in parts if part.parent_type == "BONE"} | {
        part.vertex_groups[number].name
        for part in parts
        if isinstance(part.data, bpy.types.Mesh) and len(part.vertex_groups)
        for number in {each.group for vertex in part.data.vertices for each in vertex.groups if each.weight > 0.0}
        if number < len(part.vertex_groups)
    }


def _ends_at_its_foot(table: LooseFootTable) -> bool:
    """Whether the shin is as long as it is through most of the walk: a foot may stay behind as it leaves the ground."""
    (joints,) = table.joints[table.gaits == WALKS]
    shin = length(joints[:, ANKLE] - joints[:, KNEE])
    return bool(np.ptp(np.quantile(shin, LEG_SEARCH.most_of_walk)) < LEG_SEARCH.loose_ankle * table.length)


def _read_pose(armature: bpy.types.Object, names: LegNames, ball: Vector) -> tuple[Float64, Float64]:
    thigh, shin, foot = (armature.pose.bones[name] for name in names)
    world, origin = armature.matrix_world, rest_matrix(foot)
    stands = world @ foot.matrix @ ball
    joints = [*(world @ each.head for each in (thigh, shin, foot)), stands]
    joints += [world @ foot.head, world @ origin.translation, stands]
    axes = [each.matrix for each in (thigh.parent, thigh, shin, foot, foot)]
    turns = [(world @ each).to_3x3().normalized() for each in (*axes, location_axes(foot), origin)]
    return np.array(joints, dtype=np.float64), np.array(turns, dtype=np.float64)
