# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the bones of a body like ours in an armature: by names, confirmed by joints, or else by the shape alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from ....core.array_types import Float64
from ....core.motion.quaternions import quaternions
from ..clips.joints import turn_to_world
from ..clips.skeletons import RestBone, Skeleton
from ..legs.bone_legs import LegNames, RestPose, is_free, legs_among
from ..legs.rest_in_world import is_posed, rest_to_world, world_of
from .body_shape import limbs_by_shape
from .bone_names import HEAD, LIMBS, BoneName, read_bone_name
from .tipped_soles import Sole, find_tipped_soles

SIDES = ("L", "R")

PARTS_OF_BODY = "footfall_body"
"""Custom property of an armature's object: the bones that the user gave for parts of the body, by their roles."""

_LEG, _ARM = ("thigh", "shin", "foot", "toe"), ("clavicle", "upper_arm", "forearm", "hand")


_ROLES = {role: role for role in ("hips", "chest", "head")} | {
    f"{part}_{side.lower()}": f"{part}.{side}" for side in SIDES for part in (*_LEG, *_ARM)
}
PART_NAMES = {
    part: f"{part[:-2].replace('_', ' ').title()} {part[-1].upper()}" if part[-2] == "_" else part.title()
    for part in _ROLES
}
"""Parts of a body as they are offered to the user, by the names that scripts use: "Upper Arm L" by "upper_arm_l"."""


@dataclass(frozen=True)
class HumanoidSettings:
    """How a body is recognised; chosen.

    Attributes:
        shortest: hip, knee and ankle lie this far below each other, in parts of the height.
        straight: hip and ankle are this far apart at rest, in parts of thigh and shin; many animals bend theirs more.
        lowest_hand: hands are higher at rest, in parts of the height; others are front feet.
        least_spread: legs that begin nearer to each other begin at one joint, in parts of the height.
        bent: the same of a body in motion.
        hanging: legs reach this far down at rest, in parts of thigh and shin; else their rest pose means nothing.
        other_legs: a further leg begins this far from the hips, in parts of the leg; what is nearer is a skirt.
    """

    shortest: float = 0.03
    straight: float = 0.9
    bent: float = 0.6
    hanging: float = 0.5
    lowest_hand: float = 0.12
    other_legs: float = 0.5
    least_spread: float = 0.01


HUMANOID = HumanoidSettings()


@dataclass(frozen=True)
class Humanoid:
    """The bones of a body.

    Attributes:
        bones: its bone for each bone of the built-in figures that it has, such as "thigh.L".
        spine: bones above the hips, up to the chest, which carries both arms.
        neck: bones above the chest, up to the head.
        rest: where its joints are.
        loose: roles of feet that do not hang on the shin and have to be put at its end.
        yaw: how it is turned in its walk from where it looks at rest; made clips are too [rad].
        posed: turns of bones in the world, float64 (4, 1), from their rest pose to `rest`; empty where that is it.
        soles: of the feet of a body that floats at rest, by their sides; empty where they are not known, or it stands.
    """

    bones: dict[str, str]
    spine: tuple[str, ...]
    neck: tuple[str, ...]
    rest: RestPose
    loose: tuple[str, ...] = ()
    yaw: float = 0.0
    posed: Mapping[str, Float64] = field(default_factory=dict)
    soles: Mapping[str, Sole] = field(default_factory=dict)

    def joint(self, role: str) -> Float64:
        """Where a bone begins at rest, in the world, float64 (3,)."""
        return np.array(self.rest.ends[self.bones[role]][0])

    def direction(self, role: str, following: str) -> Float64:
        """Where a bone points at rest: to the joint of the following one, or to its own end; float64 (3,)."""
        end = self.joint(following) if following in self.bones else np.array(self.rest.ends[self.bones[role]][1])
        return end - self.joint(role)

    @property
    def hip(self) -> Float64:
        """The middle between its hip joints at rest, in the world, float64 (3,)."""
        return (self.joint("thigh.L") + self.joint("thigh.R")) / 2.0

    @property
    def apart(self) -> str:
        """The first part of its legs that begins at two joints: some legs begin at one."""
        least = HUMANOID.least_spread * self.rest.height
        ways = {part: self.joint(f"{part}.L") - self.joint(f"{part}.R") for part in _LEG[:3]}
        return next((part for part, way in ways.items() if np.hypot(*way[:2]) > least), _LEG[2])

    @property
    def across(self) -> Float64:
        """From its right side to its left one, float64 (3,)."""
        return self.joint(f"{self.apart}.L") - self.joint(f"{self.apart}.R")

    @property
    def ahead(self) -> Float64:
        """Where it looks, level, float64 (3,)."""
        across = self.across
        ahead = np.array([across[1], -across[0], 0.0])
        return ahead / np.linalg.norm(ahead)


def find_humanoid(armature: bpy.types.Object, mover: bpy.types.Object) -> Humanoid | None:
    """Find a body in an armature, which is parented to `mover` or is it; None where there is none that can walk."""
    to_world = np.array(rest_to_world(mover, armature), dtype=np.float64)
    skeleton = Skeleton.of(armature, to_world)
    body = find_body(skeleton, to_world, given_parts(armature))
    if body is None:
        body = _find_posed_body(skeleton, armature, np.array(turn_to_world(mover, armature), dtype=np.float64))
    else:
        legs = {side: np.array([body.joint(f"{part}.{side}") for part in _LEG[:3]]) for side in SIDES}
        feet = {side: [body.bones.get(f"{part}.{side}") for part in _LEG[2:]] for side in SIDES}
        body = replace(body, soles=find_tipped_soles(armature, to_world, legs, feet))
    return body if body is not None and _legs_are_free(body, armature) else None


def _find_posed_body(skeleton: Skeleton, armature: bpy.types.Object, to_world: Float64) -> Humanoid | None:
    """Find a body in an armature as it is posed: in some files the rest pose means nothing, and limbs lie in a row."""
    axes = np.stack([to_world[:3, :3], *(bone.matrix[:3, :3] for bone in skeleton.bones)])
    if not np.isfinite(axes).all() or not np.linalg.det(axes).all() or not any(map(is_posed, armature.pose.bones)):
        return None
    legs = _limbs({bone: read_bone_name(bone.name) for bone in skeleton.bones}, {})
    if not _has_legs(legs) or any(_hangs(legs, side, to_world) for side in SIDES):
        return None
    posed = skeleton.posed(armature)
    body = find_body(posed, to_world, given_parts(armature), HUMANOID.bent)
    if body is None:
        return None
    axes = to_world[:3, :3] / np.linalg.norm(to_world[:3, :3], axis=0)
    own, rest = (np.stack([bone.matrix[:3, :3] for bone in each.bones]) for each in (posed, skeleton))
    own = own / np.linalg.norm(own, axis=1, keepdims=True)
    turns = quaternions(axes @ own @ np.linalg.inv(rest) @ axes.T)
    return replace(body, posed={bone.name: turn[:, None] for bone, turn in zip(skeleton.bones, turns, strict=True)})


def is_held(armature: bpy.types.Object, mover: bpy.types.Object) -> bool:
    """Whether an armature has a body that cannot walk only because constraints or controls move its legs."""
    to_world = np.array(rest_to_world(mover, armature), dtype=np.float64)
    body = find_body(Skeleton.of(armature, to_world), to_world, given_parts(armature))
    return body is not None and not _legs_are_free(body, armature)


def legs_of_body(armature: bpy.types.Object, mover: bpy.types.Object) -> list[LegNames]:
    """Return the legs of a body; none where an armature has none."""
    body = find_humanoid(armature, mover)
    if body is None:
        return []
    left, right = ([body.bones[f"{part}.{side}"] for part in _LEG[:3]] for side in SIDES)
    return [(left[0], left[1], left[2]), (right[0], right[1], right[2])]


def given_parts(armature: bpy.types.Object) -> dict[str, str]:
    """Return the bones that the user gave for parts of the body, by their roles; those that are there."""
    given: Any = armature.get(PARTS_OF_BODY)
    data: Any = armature.data
    return {role: bone for role, bone in given.items() if bone in data.bones} if given is not None else {}


def give_parts(armature: bpy.types.Object, parts: Mapping[str, str]) -> None:
    """Keep what the user says of the bones of an armature.

    Args:
        armature: the armature.
        parts: bones by keys of `PART_NAMES`; empty, and what would be found anyway, is found by itself.
    """
    armature.pop(PARTS_OF_BODY, None)
    found = recognised_parts(armature)
    given = {_ROLES[part]: bone for part, bone in parts.items() if bone and found.get(part) != bone}
    if given:
        armature[PARTS_OF_BODY] = given


def recognised_parts(armature: bpy.types.Object) -> dict[str, str]:
    """Return the bones of the parts of a body, by the keys of `PART_NAMES`: as given, or as found by their names."""
    skeleton, given = Skeleton.of(armature), given_parts(armature)
    body = find_body(skeleton, world_of(armature, skeleton.world), given)
    if body is not None:
        found = body.bones
    else:
        limbs = _limbs({bone: read_bone_name(bone.name) for bone in skeleton.bones}, {})
        found = {role: bone.name for role, bone in limbs.items()} | given
    data: Any = armature.data
    return {part: found[role] for part, role in _ROLES.items() if role in found and found[role] in data.bones}


def has_body(armature: bpy.types.Object) -> bool:
    """Whether an armature, as it stands in the scene, has a body that can walk."""
    skeleton = Skeleton.of(armature)
    body = find_body(skeleton, world_of(armature, skeleton.world), given_parts(armature))
    body = body or _find_posed_body(skeleton, armature, skeleton.world)
    return body is not None and _legs_are_free(body, armature)


def find_body(
    skeleton: Skeleton,
    to_world: Float64,
    given: Mapping[str, str] = MappingProxyType({}),
    straight: float = HUMANOID.straight,
) -> Humanoid | None:
    """Find a body in a skeleton, or None.

    Args:
        skeleton: its bones.
        to_world: float64 (4, 4), from its axes to the world.
        given: bones that the user gave for parts of the body, by their roles.
        straight: how far apart hip and ankle are at least, in parts of thigh and shin.
    """
    if not all(np.isfinite(points).all() for points in skeleton.joints) or not np.isfinite(to_world).all():
        return None
    bones = {bone.name: bone for bone in skeleton.bones}
    known = {role: bones[name] for role, name in given.items() if name in bones}
    names = {bone: read_bone_name(bone.name) for bone in skeleton.bones if bone not in known.values()}
    found = _limbs(names, {role: bone for role, bone in known.items() if "." in role})
    is_mirrored = bool(np.linalg.det(to_world[:3, :3]) < 0.0)  # by a negative scale: its left is called right
    if not _has_legs(found):
        is_mirrored = False
        begin, end = _joints_in_world(skeleton, to_world)
        known = limbs_by_shape(skeleton.bones, begin, end) | known
        found = {role: bone for role, bone in known.items() if "." in role}
        if not _has_legs(found):
            return None
    hips = known.get("hips") or _meeting(found["thigh.L"], found["thigh.R"])
    arms = [found[role] for role in ("upper_arm.L", "upper_arm.R") if role in found]
    chest = known.get("chest") or (_meeting(*arms) if len(arms) == len(SIDES) else None)
    if hips is not None and chest is not None and hips not in chest.lineage:
        hips = _meeting(hips, chest)
    if hips is None:
        return None
    head = known.get("head") or _first(
        (bone, name) for bone, name in names.items() if not name.side and name.says(HEAD)
    )
    spine = _between(hips, chest)
    neck = _between(chest, head) or ([head] if head is not None else [])
    roles = {role: bone.name for role, bone in found.items()} | {"hips": hips.name}
    roles |= {role: chain[-1].name for role, chain in (("chest", spine), ("head", neck)) if chain}
    loose = tuple(role for role in found if _is_loose(found, role))
    body = Humanoid(roles, _named(spine), _named(neck), _rest_pose(skeleton, to_world), loose)
    body = _swapped(body) if is_mirrored else body
    return _facing_ahead(body) if _stands(body, straight) and _has_two_legs(body, skeleton) else None


def _hangs(found: Mapping[str, RestBone], side: str, to_world: Float64) -> bool:
    """Whether a leg hangs from its hip at rest."""
    hip, knee, ankle = (to_world[:3, :3] @ found[f"{part}.{side}"].matrix[:3, 3] for part in _LEG[:3])
    length = np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee)
    return bool(hip[2] - ankle[2] > HUMANOID.hanging * length)


def _has_legs(found: Mapping[str, RestBone]) -> bool:
    return all(f"{part}.{side}" in found for part in _LEG[:3] for side in SIDES)


def _joints_in_world(skeleton: Skeleton, to_world: Float64) -> tuple[Float64, Float64]:
    begin, end = (points @ to_world[:3, :3].T + to_world[:3, 3] for points in skeleton.joints)
    return begin, end


def _rest_pose(skeleton: Skeleton, to_world: Float64) -> RestPose:
    begin, end = _joints_in_world(skeleton, to_world)
    pairs = zip(skeleton.bones, begin.tolist(), end.tolist(), strict=True)
    ends = {bone.name: (Vector(head), Vector(tail)) for bone, head, tail in pairs}
    heights = np.concatenate([begin[:, 2], end[:, 2]])
    return RestPose(ends, float(heights.min()), float(np.ptp(heights)))


def _limbs(names: dict[RestBone, BoneName], given: dict[str, RestBone]) -> dict[str, RestBone]:
    """Find the bones of arms and legs, each below the one before it."""
    found = dict(given)
    for side in SIDES:
        here = {bone: name for bone, name in names.items() if name.side == side}
        for part, patterns in LIMBS.items():
            for pattern in patterns if f"{part}.{side}" not in given else ():
                bone = _first((bone, name) for bone, name in here.items() if name.says(pattern))
                if bone is not None:
                    found[f"{part}.{side}"] = bone
                    del here[bone]
                    break
        for limb in (_LEG, _ARM):
            roles = [f"{part}.{side}" for part in limb if f"{part}.{side}" in found]
            for upper, lower in pairwise(roles):
                if upper not in found or not (found[upper] in found[lower].lineage[1:] or _is_loose(found, lower)):
                    misplaced = upper if upper.startswith("clavicle") or lower in given else lower
                    found.pop(misplaced, None)
        if f"forearm.{side}" not in found:  # what is called a shoulder is then no arm
            found.pop(f"upper_arm.{side}", None)
    return found


def _is_loose(found: Mapping[str, RestBone], role: str) -> bool:
    """Whether a foot hangs on what carries the leg, and not on the shin, as after an export from an IK rig."""
    part, _, side = role.partition(".")
    thigh, own = found.get(f"thigh.{side}"), found.get(role)
    if part != "foot" or thigh is None or own is None or own.parent is None:
        return False
    return own.parent in thigh.lineage[1:]


def _first(bones: Iterable[tuple[Any, BoneName]]) -> Any:
    """Of bones with their names, the one nearest to the root, with the fewest words."""
    return min(bones, key=lambda each: (len(each[0].lineage), len(each[1].words)), default=(None,))[0]


def _meeting(one: Any, other: Any) -> Any:
    """The nearest bone that carries both, or None."""
    carriers = other.lineage
    return next((bone for bone in one.lineage if bone in carriers), None)


def _between(low: Any, high: Any) -> list[Any]:
    """Bones above `low` up to `high`, which it carries."""
    if low is None or high is None or low not in high.lineage:
        return []
    lineage = high.lineage
    return lineage[: lineage.index(low)][::-1]


def _named(bones: list[Any]) -> tuple[str, ...]:
    return tuple(bone.name for bone in bones)


def _stands(body: Humanoid, straight: float) -> bool:
    """Whether it stands upright at rest on both legs, hands in the air."""
    least = HUMANOID.shortest * body.rest.height
    heights = np.array([[body.joint(f"{part}.{side}")[2] for part in _LEG[:3]] for side in SIDES])
    if (heights[:, :-1] - heights[:, 1:] < least).any():
        return False
    for side in SIDES:
        thigh, shin = (body.direction(f"{a}.{side}", f"{b}.{side}") for a, b in pairwise(_LEG[:3]))
        if np.linalg.norm(thigh + shin) < straight * (np.linalg.norm(thigh) + np.linalg.norm(shin)):
            return False
    hands = [body.joint(f"hand.{side}")[2] for side in SIDES if f"hand.{side}" in body.bones]
    if hands and min(hands) - body.rest.low < HUMANOID.lowest_hand * body.rest.height:
        return False
    tops = [body.joint(role) for role in ("chest", "head") if role in body.bones]
    up = [top - body.hip for top in tops]
    return bool(np.hypot(*body.across[:2])) and all(each[2] > np.hypot(each[0], each[1]) for each in up)


def _legs_are_free(body: Humanoid, armature: bpy.types.Object) -> bool:
    """Whether keys on its legs move them."""
    data: Any = armature.data
    legs = [[body.bones[f"{part}.{side}"] for part in _LEG[:3]] for side in SIDES]
    return all(is_free(armature, [data.bones[name] for name in leg if name in data.bones]) for leg in legs)


def _has_two_legs(body: Humanoid, skeleton: Skeleton) -> bool:
    """Whether there are no other legs."""
    hip = body.hip
    far = HUMANOID.other_legs * float(hip[2] - body.joint("foot.L")[2])
    others = [np.array(body.rest.ends[thigh.name][0]) for thigh, *_ in legs_among(skeleton.bones, body.rest)]
    return all(np.hypot(*(other - hip)[:2]) < far for other in others)


def _facing_ahead(body: Humanoid) -> Humanoid:
    """Swap left and right where the names have the sides as an onlooker sees them: toes point ahead."""
    toes = [body.direction(f"foot.{side}", f"toe.{side}") for side in SIDES]
    return body if sum(toe @ body.ahead for toe in toes) >= 0.0 else _swapped(body)


def _swapped(body: Humanoid) -> Humanoid:
    """Call left right, and right left."""
    other = {".L": ".R", ".R": ".L"}
    swapped = {role[:-2] + other[role[-2:]] if role[-2:] in other else role: bone for role, bone in body.bones.items()}
    return replace(body, bones=swapped, loose=tuple(role[:-2] + other[role[-2:]] for role in body.loose))
