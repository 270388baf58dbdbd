# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs of a single bone, with a bone for the foot or none: a body has such legs only if it has no others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ....core.array_types import Float64
from ....core.motion.blending import WALKS
from ....core.motion.feet.stiff_legs import StiffLegTable, swing_leg
from ....core.motion.legs import BALL, Move
from ....core.motion.pose_tables import Posture
from ...blender_data.bone_keys import BoneMotion
from .bone_axes import location_axes, read_scales, rest_matrix
from .bone_legs import LEG_SEARCH, Leg, RestPose, end_of, has_foot, is_free, length_of, named, rest_of
from .observed_clips import ClipObservation, opposite, standing_on


@dataclass(frozen=True)
class StiffLegSettings:
    """Which bones are a whole leg, in parts of the height of the body, and how they move; chosen.

    Attributes:
        shortest: they are longer; figures of boxes have short legs.
        upright: they end this much lower than they begin, in parts of their length.
        slide: a leg is pushed into the body or pulled out of it by no more than this part of its length.
    """

    shortest: float = 0.1
    upright: float = 0.7
    slide: float = 0.15


_STIFF = StiffLegSettings()


@dataclass(frozen=True, eq=False)
class StiffLeg(Leg):
    """One leg; the first two of its bones are the same."""

    table: StiffLegTable

    def reach(self, posture: Posture, move: Move) -> tuple[list[BoneMotion], Float64]:
        """Return the motion of its bones that moves its foot at N moments, and the remaining distances (N,)."""
        place, turn, foot_turn, miss = swing_leg(self.table, posture, move)
        foot = [BoneMotion(self.bones[-1], foot_turn)] if self.has_foot else []
        return [BoneMotion(self.bones[0], turn, place if self.table.slide else None), *foot], miss


def find_stiff_legs(observation: ClipObservation, rest: RestPose) -> list[StiffLeg]:
    """Find the legs of a single bone, and observe them in the clips.

    Args:
        observation: of the character's clips.
        rest: of its armature.
    """
    armature = observation.armature
    chains = [chain for chain in _stiff_chains(armature, rest) if is_free(armature, chain)]
    if not chains:
        return []
    readers = [partial(_read_pose, chain=chain, ball=end_of(armature, chain[-1])) for chain in chains]
    observed, scales = observation.observe(readers), read_scales(observation, [leg.name for leg, *_ in chains])
    stances = [observation.find_stance(seen, is_stiff=True) for seen in observed]
    if len(chains) == 2 and stances.count(None) == 1:
        stands = next(each for each in stances if each is not None)
        strides = observation.clips.walk.strides
        stances = [each or opposite(stands, seen, strides) for each, seen in zip(stances, observed, strict=True)]
    legs = []
    for chain, seen, stance, scale in zip(chains, observed, stances, scales, strict=True):
        if stance is None:
            continue
        lowest = float(seen.joints[seen.gaits == WALKS][..., BALL, 2].min())
        length, slide = length_of(seen.joints[0, 0]), 0.0 if chain[0].use_connect else _STIFF.slide
        own, _ = standing_on(seen, stance, observation.strides)
        table = StiffLegTable(*own, length, scale, rest_of(chain), lowest, slide)
        level = replace(stance, floor=(lowest, lowest))  # in clips it is higher at both ends of a contact
        legs.append(StiffLeg(named(chain), table, level, length, (), has_foot(chain)))
    return legs


def _stiff_chains(armature: bpy.types.Object, rest: RestPose) -> list[list[Any]]:
    """Find each bone that is a whole leg, twice, and what begins at its end, in pairs."""
    data: Any = armature.data
    found: dict[str, list[Any]] = {}
    for foot in [*data.bones, *rest.shin_ends]:
        leg = foot.parent
        if leg is None or leg.parent is None:
            continue
        hip, ankle = rest.ends[leg.name][0], rest.ends[foot.name][0]
        is_upright = hip.z - ankle.z > max(_STIFF.upright * (hip - ankle).length, _STIFF.shortest * rest.height)
        is_low = ankle.z - rest.low < LEG_SEARCH.highest_ankle * rest.height
        known = found.get(leg.name)
        if is_upright and is_low and (known is None or ankle.z < rest.ends[known[-1].name][0].z):
            found[leg.name] = [leg, leg, foot]
    return [chain for chain in found.values() if any(_is_opposite(chain, other, rest) for other in found.values())]


def _is_opposite(chain: list[Any], other: list[Any], rest: RestPose) -> bool:
    """Whether two legs begin and end as high as one another."""
    near = LEG_SEARCH.same_place * rest.height
    own, its = ([rest.ends[bone.name][0].z for bone in each] for each in (chain, other))
    return chain is not other and all(abs(a - b) < near for a, b in zip(own, its, strict=True))


def _read_pose(armature: bpy.types.Object, chain: list[Any], ball: Vector) -> tuple[Float64, Float64]:
    leg, end = armature.pose.bones[chain[0].name], chain[-1]
    foot = armature.pose.bones[end.name].matrix if has_foot(chain) else leg.matrix @ Matrix.Translation(end.offset)
    world, origin = armature.matrix_world, rest_matrix(leg)
    stands = world @ foot @ ball
    joints = [world @ each for each in (leg.head, leg.head, foot.translation)]
    joints += [stands, world @ leg.head, world @ origin.translation, stands]
    turns = [(world @ each).to_3x3().normalized() for each in (leg.matrix, location_axes(leg), origin, foot)]
    return np.array(joints, dtype=np.float64), np.array(turns, dtype=np.float64)
