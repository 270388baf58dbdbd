# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs whose foot hangs on the root and not on the shin, as files have them that were exported from IK rigs.

The constraints are gone, and thigh, shin and foot are keyed each by itself. To move such a foot, the foot is put
elsewhere and the leg is bent so that it still ends there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from ....core.array_types import Float64
from ....core.motion.blending import WALKS
from ....core.motion.feet.foot_controls import ControlTable, move_control
from ....core.motion.legs import ANKLE, KNEE, LegTable, Move, bend
from ....core.motion.pose_tables import Posture
from ...blender_data.bone_keys import BoneMotion
from .bone_axes import location_axes, moved_by, read_scales, rest_matrix
from .bone_legs import LEG_SEARCH, Leg, LegNames, RestPose, ball_of, is_free, length_of, named, rest_of
from .observed_clips import ClipObservation, find_stance, standing_on

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


def find_loose_feet(observation: ClipObservation, rest: RestPose, others: list[Leg]) -> list[LooseFootLeg]:
    """Find the legs with loose feet, and observe them in the clips.

    Args:
        observation: of the character's clips.
        rest: of its armature.
        others: legs that were found already.
    """
    armature = observation.armature
    taken = {bone for leg in others for bone in leg.bones}
    chains = [
        chain for chain in _chains(armature, rest, moved_by(observation.clips.walk.clip)) if is_free(armature, chain)
    ]
    chains = [chain for chain in chains if not any(bone.name in taken for bone in chain)]
    if not chains:
        return []
    scales = read_scales(observation, [foot.name for *_, foot in chains])
    legs = []
    readers = [partial(_read_pose, names=named(chain), ball=ball_of(armature, chain[2])) for chain in chains]
    for chain, seen, scale in zip(chains, observation.observe(readers), scales, strict=True):
        stance = find_stance(seen, observation.strides)
        if stance is None:
            continue
        own = standing_on(seen, stance, observation.strides)
        table = LooseFootTable(*own, length_of(seen.joints[0, 0]), scale, rest_of(chain))
        if _ends_at_its_foot(table):
            legs.append(LooseFootLeg(named(chain), table, stance, table.length))
    return legs


def _chains(armature: bpy.types.Object, rest: RestPose, moved: set[str]) -> list[list[Any]]:
    """Find thigh, shin, and the foot below the shin that is no child of the leg, by their rest positions."""
    data: Any = armature.data
    feet = [bone for bone in data.bones if bone.name in moved and bone.parent is not None]
    found: dict[str, tuple[float, list[Any]]] = {}
    for shin in data.bones:
        thigh = shin.parent
        if thigh is None or thigh.parent is None:
            continue
        knee, kin = rest.ends[shin.name][0], {thigh, *thigh.parent_recursive, *thigh.children_recursive}
        for foot in feet:
            from_knee = rest.ends[foot.name][0] - knee
            is_below = foot not in kin and from_knee.xy.length < LEG_SEARCH.below_knee * rest.height
            if is_below and rest.is_leg(thigh.name, shin.name, rest.ends[foot.name][0]):
                nearer = found.get(foot.name)
                if nearer is None or from_knee.length < nearer[0]:
                    found[foot.name] = from_knee.length, [thigh, shin, foot]
    return [chain for _, chain in found.values()]


def _ends_at_its_foot(table: LooseFootTable) -> bool:
    """Whether the shin is as long as it is all through the walk."""
    (joints,) = table.joints[table.gaits == WALKS]
    length = np.linalg.norm(joints[:, ANKLE] - joints[:, KNEE], axis=1)
    return bool(np.ptp(length) < LEG_SEARCH.loose_ankle * table.length)


def _read_pose(armature: bpy.types.Object, names: LegNames, ball: Vector) -> tuple[Float64, Float64]:
    thigh, shin, foot = (armature.pose.bones[name] for name in names)
    world, origin = armature.matrix_world, rest_matrix(foot)
    stands = world @ foot.matrix @ ball
    joints = [*(world @ each.head for each in (thigh, shin, foot)), stands]
    joints += [world @ foot.head, world @ origin.translation, stands]
    axes = [each.matrix for each in (thigh.parent, thigh, shin, foot, foot)]
    turns = [(world @ each).to_3x3().normalized() for each in (*axes, location_axes(foot), origin)]
    return np.array(joints, dtype=np.float64), np.array(turns, dtype=np.float64)
