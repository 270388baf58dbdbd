# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs that are animated by keys on their bones, found in the armature by the rest positions of the bones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Vector

from ....core.array_types import Float64
from ....core.geometry.reproducible_math import length
from ....core.motion.feet.foot_contacts import Stance
from ....core.motion.legs import BALL, CONTACT, HIP, KNEE, LegTable, Move, bend
from ....core.motion.pose_tables import Posture
from ....core.motion.quaternions import NO_TURN
from ...blender_data.bone_keys import BoneMotion, bones_of
from ..clips.joints import Joints
from ..clips.shin_ends import ShinEnd, bone_or_end, find_shin_ends
from .bone_poses import ObservedSole, beside, moved, observe_soles, sample_bones, turn_of
from .observed_clips import ClipObservation, ObservedPoses, opposite, standing_on
from .rest_in_world import rest_to_world


@dataclass(frozen=True)
class LegSearchSettings:
    """How legs are recognised, in parts of the armature's height; chosen by trial on the rigs of the tests.

    Attributes:
        highest_ankle: an ankle lies lower above the lowest bone.
        lowest_hip: a hip lies higher above the lowest bone.
        shortest_bone: thigh and shin are longer.
        same_place: bones whose hip and ankle are nearer belong to the same leg.
        foot_start: a foot bone starts nearer to the ankle.
        above_hip: bones this far above the hip must not move with the foot.
        below_knee: an ankle that is not joined to the shin is less far aside from the knee at rest.
        below_bent_knee: the same of a body that rests on bent knees.
        alike: below knees that are higher than hips, as robots have, shins are shorter than so many thighs.
        in_line: cosine of the angle between two pieces of a thigh or shin, at least.
        most_pieces: bones named alike but for a number are pieces of one; more of them are bones without a name.
        loose_ankle: the distance of such an ankle from the knee changes less, in parts of the leg.
        most_of_walk: quantiles of that distance that are compared.
        trial_poses: number of poses of the walk in which an IK control is tried.
        largest_miss: largest distance of the foot from its target in a trial, relative to the length of the leg.
    """

    highest_ankle: float = 0.2
    lowest_hip: float = 0.22
    shortest_bone: float = 0.1
    same_place: float = 0.06
    foot_start: float = 0.06
    above_hip: float = 0.06
    below_knee: float = 0.1
    below_bent_knee: float = 0.5
    alike: float = 3.0
    in_line: float = 0.98
    most_pieces: int = 2
    loose_ankle: float = 0.2
    most_of_walk: tuple[float, float] = (0.2, 0.8)
    trial_poses: int = 6
    largest_miss: float = 0.01


LEG_SEARCH = LegSearchSettings()

_PIECE = re.compile(
    r"\d+|bend|twist", re.IGNORECASE
)  # `upperleg02.L` after `upperleg01.L`, `lThighTwist` after `lThighBend`

_SAME_JOINT = 1e-3  # of the length of a foot


LegNames = tuple[str, str, str]
"""Names of thigh, shin and foot."""


class Pair(NamedTuple):
    """Names of the two long bones of a leg."""

    thigh: str
    shin: str


@dataclass(frozen=True, eq=False)
class Leg:
    """One leg.

    Attributes:
        bones: names of thigh, shin and foot.
        table: its poses in the clips [Blender units].
        stance: when its foot stands on the ground, and how high [Blender units].
        length: hip to ankle [Blender units].
        pieces: names of bones between them that clips turn; where the leg is bent they are as at rest.
        has_foot: there is a bone of the foot; else the shin ends as one.
        sole: points (N, 3) of its sole in the axes of bones, by their names, where the tip of its toes is not known.
    """

    bones: LegNames
    table: LegTable
    stance: Stance
    length: float
    pieces: tuple[str, ...] = ()
    has_foot: bool = True
    sole: Mapping[str, Float64] = field(default_factory=dict)

    @property
    def pair(self) -> Pair:
        """Its long bones."""
        return Pair(*self.bones[:2])

    def reach(self, posture: Posture, move: Move) -> tuple[list[BoneMotion], Float64]:
        """Return the motion of its bones that moves its foot at N moments, and the remaining distances (N,)."""
        turns, miss = bend(self.table, posture, move)
        pieces = [BoneMotion(piece, np.repeat(NO_TURN, turns.shape[-1], axis=1)) for piece in self.pieces]
        bones = self.bones if self.has_foot else self.pair
        return [*(BoneMotion(bone, own) for bone, own in zip(bones, turns, strict=False)), *pieces], miss


class RestPose(NamedTuple):
    """The rest positions of the bones of an armature, in the world.

    Attributes:
        ends: the joint at which each bone begins, and where it ends, by its name; also those of feet without a bone.
        low: lowest height of any bone.
        height: of the armature.
        shin_ends: feet of legs without a bone for them.
    """

    ends: dict[str, tuple[Vector, Vector]]
    low: float
    height: float
    shin_ends: tuple[ShinEnd, ...] = ()

    @classmethod
    def of(cls, armature: bpy.types.Object, mover: bpy.types.Object) -> RestPose:
        """Read the rest pose of an armature, which is parented to `mover` or is it."""
        data: Any = armature.data
        to_world, joints = rest_to_world(mover, armature), Joints.of(armature)
        pairs = zip(data.bones, joints.begin.tolist(), joints.end.tolist(), strict=True)
        ends = {bone.name: (to_world @ Vector(begin), to_world @ Vector(end)) for bone, begin, end in pairs}
        feet = tuple(find_shin_ends(armature, to_world))
        ends |= {end.name: (to_world @ end.head_local, to_world @ end.head_local) for end in feet}
        heights = [point.z for pair in ends.values() for point in pair] or [0.0]
        return cls(ends, min(heights), max(heights) - min(heights), feet)

    def is_leg(self, thigh: str, shin: str, ankle: Vector) -> bool:
        """Whether two bones have the lengths and heights of thigh and shin of a leg that ends at an ankle."""
        hip, knee = self.ends[thigh][0], self.ends[shin][0]
        long = min((knee - hip).length, (ankle - knee).length) > LEG_SEARCH.shortest_bone * self.height
        low = ankle.z - self.low < LEG_SEARCH.highest_ankle * self.height
        return long and low and hip.z - self.low > LEG_SEARCH.lowest_hip * self.height

    def length(self, bone: str) -> float:
        """Return the length of a bone."""
        head, tail = self.ends[bone]
        return (tail - head).length

    def is_among(self, pair: Pair, others: Iterable[Pair]) -> bool:
        """Whether a leg has the position of one of the others."""
        hip, ankle = self._hip_and_ankle(pair)
        near = LEG_SEARCH.same_place * self.height
        places = [self._hip_and_ankle(other) for other in others]
        return any((hip - h).length < near and (ankle - a).length < near for h, a in places)

    def match(self, pair: Pair, other: Pair) -> bool:
        """Whether hips and ankles of two legs have the same heights, as those of a left and a right leg do."""
        ends = zip(self._hip_and_ankle(pair), self._hip_and_ankle(other), strict=True)
        return all(abs(own.z - its.z) < LEG_SEARCH.same_place * self.height for own, its in ends)

    def _hip_and_ankle(self, pair: Pair) -> tuple[Vector, Vector]:
        return self.ends[pair.thigh][0], self.ends[pair.shin][1]


def find_bent_legs(
    observation: ClipObservation, found: Sequence[list[bpy.types.Bone]]
) -> tuple[list[Leg], list[Pair], list[Pair]]:
    """Find the legs that are animated by keys on their bones, and observe them in the clips.

    A leg is a chain of three bones: the last begins near the ground, the first far from it, and no constraint moves
    them.

    Args:
        observation: of the character's clips.
        found: thigh, shin and foot of each leg, by their rest positions.

    Returns:
        The legs; legs that constraints move or that only control others; and legs whose foot never stands.
    """
    armature = observation.armature
    moving = {bone for clip in observation.clips.all for bone in bones_of(clip.clip)}
    chains = [chain for chain in found if is_free(armature, chain)]
    constrained = [Pair(*named(chain)[:2]) for chain in found if chain not in chains]
    if not chains:
        return [], constrained, []
    legs, never_standing = [], []
    observed = list(_observe(observation, chains))
    soles = observe_soles(observation, [sole_bones(observation.armature, foot) for *_, foot in chains])
    stances = [observation.find_stance(seen) for seen in observed]
    if len(chains) == 2 and stances.count(None) == 1:
        stands = next(each for each in stances if each is not None)
        walk = observation.clips.walk
        stances = [each or opposite(stands, seen, walk.strides) for each, seen in zip(stances, observed, strict=True)]
    for chain, seen, stance, sole in zip(chains, observed, stances, soles, strict=True):
        names = named(chain)
        if stance is not None:
            rolls = sole is not None and has_foot(chain) and not stance.toe
            own, lowered = standing_on(seen, stance, observation.strides, sole and sole.poses, rolls=rolls)
            table, long = LegTable(*own, rest_of(chain)), length_of(own.joints[0, 0])
            pieces = tuple(sorted(moving & _pieces(chain)))
            points = sole.points if sole is not None and rolls else {}
            legs.append(Leg(names, table, lowered, long, pieces, has_foot(chain), points))
        else:
            never_standing.append(Pair(*names[:2]))
    return legs, constrained, never_standing


def watch_legs(observation: ClipObservation, legs: Sequence[Leg]) -> list[LegTable]:
    """Return the poses of known legs in a clip in which feet stand where they are, on what they stand in the walk."""
    chains = [chain_of(observation, leg.bones) for leg in legs]
    soles: list[ObservedSole | None] = [None] * len(legs)
    if any(leg.stance.has_sole for leg in legs):
        soles = observe_soles(observation, [sole_bones(observation.armature, foot) for *_, foot in chains])
    found = []
    for leg, chain, sole, seen in zip(legs, chains, soles, _observe(observation, chains), strict=True):
        seen.joints[..., CONTACT, :2] = seen.joints[..., BALL, :2]
        if sole is not None and leg.stance.has_sole:
            seen.joints[..., CONTACT, 2] = sole.poses.joints[..., 2].min(axis=-1)
        found.append(LegTable(*seen, rest_of(chain)))
    return found


def _observe(observation: ClipObservation, chains: Sequence[list[bpy.types.Bone]]) -> Iterator[ObservedPoses]:
    """Yield the poses of legs in the clips, in the layout of `LegTable`, with the tips of the toes.

    Args:
        observation: of the character's clips.
        chains: thigh, shin and foot of each leg.
    """
    toes = [_toe(observation.armature, foot) for *_, foot in chains]
    bones = [(thigh.parent, thigh, shin, foot, toe) for (thigh, shin, foot), toe in zip(chains, toes, strict=True)]
    poses = sample_bones(observation, [_moving(bone).name for own in bones for bone in own])
    for number, (*_, foot, toe) in enumerate(bones):
        *in_world, of_toe = [poses.in_world(5 * number + place) for place in range(5)]
        if isinstance(foot, ShinEnd):
            in_world[3] = of_toe = beside(in_world[3], foot.offset)
        ends = [moved(own, end_of(observation.armature, bone)) for own, bone in ((in_world[3], foot), (of_toe, toe))]
        joints = [each[..., :3, 3] for each in in_world[1:]] + ends
        turns = [turn_of(each) for each in in_world]
        yield observation.arranged(*(np.stack(each, axis=1).astype(np.float64) for each in (joints, turns)))


def has_foot(chain: Sequence[Any]) -> bool:
    """Whether a leg has a bone for its foot."""
    return not isinstance(chain[2], ShinEnd)


def _moving(bone: Any) -> Any:
    """Return what moves a bone or the end of a shin."""
    return bone.parent if isinstance(bone, ShinEnd) else bone


def end_of(armature: bpy.types.Object, bone: Any) -> Vector:
    """Return where a bone ends, in its own axes."""
    if isinstance(bone, ShinEnd):
        return Vector()
    data: Any = armature.data
    return bone.matrix_local.inverted() @ Vector(Joints.of(armature).end.tolist()[data.bones.find(bone.name)])


def sole_bones(armature: bpy.types.Object, foot: Any) -> list[bpy.types.Bone]:
    """Return the bones whose meshes are the sole of a foot."""
    return list(dict.fromkeys([_moving(foot), _moving(_toe(armature, foot))]))


def _toe(armature: bpy.types.Object, foot: bpy.types.Bone) -> bpy.types.Bone:
    """Return the bone that begins where a foot ends, or the foot itself."""
    ball = foot.matrix_local @ end_of(armature, foot)
    near = _SAME_JOINT * (ball - foot.head_local).length
    return next((bone for bone in foot.children if (bone.head_local - ball).length < near), foot)


def length_of(joints: Float64) -> float:
    """Return the length from hip over knee to ankle, of a leg's joints float64 (J, 3)."""
    upper, lower = (joints[k + 1] - joints[k] for k in (HIP, KNEE))
    return float(length(upper) + length(lower))


def named(chain: list[bpy.types.Bone]) -> LegNames:
    """Return the names of the bones of a leg."""
    thigh, shin, foot = (bone.name for bone in chain)
    return thigh, shin, foot


def chain_of(observation: ClipObservation, names: LegNames) -> list[Any]:
    """Return the bones of a leg by their names."""
    to_world = rest_to_world(observation.copies[0], observation.armature)
    return [bone_or_end(observation.armature, name, to_world) for name in names]


def leg_bones(armature: bpy.types.Object, rest: RestPose) -> list[list[bpy.types.Bone]]:
    """Find thigh, shin and foot of each leg by their rest positions; a bone halfway down the shin is no foot."""
    data: Any = armature.data
    return legs_among([*data.bones, *rest.shin_ends], rest)


def legs_among(bones: Iterable[Any], rest: RestPose) -> list[list[Any]]:
    """Find thigh, shin and foot of each leg, among bones that know their parents, by their rest positions."""
    found: dict[str, list[Any]] = {}
    hips: set[str] = set()
    stems = Counter(_PIECE.sub("", name) for name in rest.ends)
    pieces = {stem for stem, count in stems.items() if count <= LEG_SEARCH.most_pieces}
    for foot in bones:
        ankle = rest.ends[foot.name][0]
        pairs = (_long_bones(foot, rest, named_alike) for named_alike in (pieces, set[str]()))
        pair = next((pair for pair in pairs if pair and rest.is_leg(pair[0].name, pair[1].name, ankle)), None)
        if pair is None:
            continue
        thigh, shin = pair
        known, lower = found.get(thigh.name), LEG_SEARCH.same_place * rest.height
        if known is not None and known[1] != shin and (rest.ends[known[2].name][0] - ankle).length >= lower:
            hips.add(thigh.name)
        if known is None or (known[1] == shin and rest.ends[known[2].name][0].z - ankle.z >= lower):
            found[thigh.name] = [thigh, shin, foot]
    carried = Counter(name for thigh, *_ in found.values() for name in _carriers(thigh))
    legs = {thigh: chain for thigh, chain in found.items() if carried[thigh] < 2 and thigh not in hips}
    shins = {shin.name for _, shin, _ in legs.values()}
    return [chain for thigh, chain in legs.items() if thigh not in shins]  # shin, long foot and toe are no leg


def _carriers(bone: Any) -> Iterator[str]:
    """Yield the names of the bones that carry a bone."""
    while (bone := bone.parent) is not None:
        yield bone.name


def _long_bones(foot: Any, rest: RestPose, pieces: Container[str]) -> tuple[Any, Any] | None:
    """Return what would be thigh and shin above a foot; parts of a limb with names from `pieces` may be in several."""
    shin = _first_piece(foot.parent, rest, pieces)
    thigh = _first_piece(shin.parent, rest, pieces) if shin is not None else None
    return (thigh, shin) if thigh is not None and thigh.parent is not None else None


def _first_piece(bone: Any, rest: RestPose, pieces: Container[str]) -> Any:
    """Return the first bone of a part of a limb that is in several pieces, in line, as MakeHuman and Daz have them."""
    while bone is not None and bone.parent is not None and _goes_on(bone, rest, pieces):
        bone = bone.parent
    return bone


def _goes_on(bone: Any, rest: RestPose, pieces: Container[str]) -> bool:
    """Whether a bone goes on in line where its parent ends, and has the same name but for its number."""
    stem = _PIECE.sub("", bone.name)
    if stem not in pieces or stem != _PIECE.sub("", bone.parent.name):
        return False
    (before, _), (begin, end) = rest.ends[bone.parent.name], rest.ends[bone.name]
    own, its = end - begin, begin - before
    return own.dot(its) > LEG_SEARCH.in_line * own.length * its.length > 0.0


def _pieces(chain: list[Any]) -> set[str]:
    """Return the names of the bones of a leg between thigh, shin and foot."""
    _, shin, foot = chain
    between = [*shin.parent_recursive[: shin.parent_recursive.index(chain[0])]]
    between += foot.parent_recursive[: foot.parent_recursive.index(shin)]
    return {bone.name for bone in between}


def is_free(armature: bpy.types.Object, chain: list[Any]) -> bool:
    """Whether a leg, of its three bones, deforms the body and no constraint moves it."""
    return _shapes_the_body(chain) and not any(
        _is_constrained(armature.pose.bones[_moving(bone).name]) for bone in chain
    )


def _shapes_the_body(chain: list[Any]) -> bool:
    """Whether a leg is more than a control: its shin, or a child of the shin, deforms the body."""
    return chain[1].use_deform or any(bone.use_deform for bone in chain[1].children if bone != chain[2])


def _is_constrained(bone: bpy.types.PoseBone) -> bool:
    return not bone.bone.use_inherit_rotation or any(not constraint.mute for constraint in bone.constraints)


def rest_of(chain: list[bpy.types.Bone]) -> Float64:
    """Return the rotation of each bone of a leg at rest in the axes of what carries it, float64 (3, 3, 3)."""
    carriers = [chain[0].parent, *chain[:-1]]  # between them are pieces that do not turn
    pairs = zip(carriers, chain, strict=True)
    turns = [(carrier.matrix_local.inverted() @ bone.matrix_local).to_3x3().normalized() for carrier, bone in pairs]
    return np.array(turns, dtype=np.float64)
