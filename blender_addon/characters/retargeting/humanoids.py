# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the bones of a body like ours in an armature: by their names, confirmed and completed by their joints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import bpy
import numpy as np

from ....core.array_types import Float64
from ..legs.bone_legs import RestPose, is_free, leg_bones
from .bone_names import HEAD, LIMBS, BoneName, read_bone_name

SIDES = ("L", "R")
_LEG, _ARM = ("thigh", "shin", "foot", "toe"), ("clavicle", "upper_arm", "forearm", "hand")


@dataclass(frozen=True)
class HumanoidSettings:
    """How a body is recognised; chosen.

    Attributes:
        shortest: hip, knee and ankle lie this far below each other, in parts of the height.
        straight: hip and ankle are this far apart at rest, in parts of thigh and shin; many animals bend theirs more.
        lowest_hand: hands are higher at rest, in parts of the height; others are front feet.
        other_legs: a further leg begins this far from the hips, in parts of the leg; what is nearer is a skirt.
    """

    shortest: float = 0.03
    straight: float = 0.9
    lowest_hand: float = 0.12
    other_legs: float = 0.5


HUMANOID = HumanoidSettings()


@dataclass(frozen=True)
class Humanoid:
    """The bones of a body.

    Attributes:
        bones: its bone for each bone of the built-in figures that it has, such as "thigh.L".
        spine: bones above the hips, up to the chest, which carries both arms.
        neck: bones above the chest, up to the head.
        rest: where its joints are.
    """

    bones: dict[str, str]
    spine: tuple[str, ...]
    neck: tuple[str, ...]
    rest: RestPose

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
    def ahead(self) -> Float64:
        """Where it looks, level, float64 (3,)."""
        across = self.joint("thigh.L") - self.joint("thigh.R")
        ahead = np.array([across[1], -across[0], 0.0])
        return ahead / np.linalg.norm(ahead)


def find_humanoid(armature: bpy.types.Object, mover: bpy.types.Object) -> Humanoid | None:
    """Find a body in an armature, which is parented to `mover` or is it; None where there is none that can walk."""
    data: Any = armature.data
    names = {bone: read_bone_name(bone.name) for bone in data.bones}
    found = _limbs(names)
    if not all(f"{part}.{side}" in found for part in _LEG[:3] for side in SIDES):
        return None
    hips = _meeting(found["thigh.L"], found["thigh.R"])
    arms = [found[role] for role in ("upper_arm.L", "upper_arm.R") if role in found]
    chest = _meeting(*arms) if len(arms) == len(SIDES) else None
    if hips is not None and chest is not None and hips not in _lineage(chest):
        hips = _meeting(hips, chest)
    if hips is None:
        return None
    head = _first((bone, name) for bone, name in names.items() if not name.side and name.says(HEAD))
    spine = _between(hips, chest)
    neck = _between(chest, head) or ([head] if head is not None else [])
    bones = {role: bone.name for role, bone in found.items()} | {"hips": hips.name}
    bones |= {role: chain[-1].name for role, chain in (("chest", spine), ("head", neck)) if chain}
    body = Humanoid(bones, _named(spine), _named(neck), RestPose.of(armature, mover))
    return _facing_ahead(body) if _stands(body) and _walks_on_two_legs(body, armature) else None


def _limbs(names: dict[Any, BoneName]) -> dict[str, Any]:
    """Find the bones of arms and legs, each below the one before it."""
    found: dict[str, Any] = {}
    for side in SIDES:
        here = {bone: name for bone, name in names.items() if name.side == side}
        for part, patterns in LIMBS.items():
            for pattern in patterns:
                bone = _first((bone, name) for bone, name in here.items() if name.says(pattern))
                if bone is not None:
                    found[f"{part}.{side}"] = bone
                    del here[bone]
                    break
        for limb in (_LEG, _ARM):
            roles = [f"{part}.{side}" for part in limb if f"{part}.{side}" in found]
            for upper, lower in pairwise(roles):
                if upper not in found or found[upper] not in _lineage(found[lower])[1:]:
                    misplaced = upper if upper.startswith("clavicle") else lower
                    found.pop(misplaced, None)
        if f"forearm.{side}" not in found:  # what is called a shoulder is then no arm
            found.pop(f"upper_arm.{side}", None)
    return found


def _first(bones: Iterable[tuple[Any, BoneName]]) -> Any:
    """Of bones with their names, the one nearest to the root, with the fewest words."""
    return min(bones, key=lambda each: (len(_lineage(each[0])), len(each[1].words)), default=(None,))[0]


def _lineage(bone: Any) -> list[Any]:
    return [bone, *bone.parent_recursive]


def _meeting(one: Any, other: Any) -> Any:
    """The nearest bone that carries both, or None."""
    carriers = _lineage(other)
    return next((bone for bone in _lineage(one) if bone in carriers), None)


def _between(low: Any, high: Any) -> list[Any]:
    """Bones above `low` up to `high`, which it carries."""
    if low is None or high is None or low not in _lineage(high):
        return []
    lineage = _lineage(high)
    return lineage[: lineage.index(low)][::-1]


def _named(bones: list[Any]) -> tuple[str, ...]:
    return tuple(bone.name for bone in bones)


def _stands(body: Humanoid) -> bool:
    """Whether it stands upright at rest on both legs, hands in the air."""
    least = HUMANOID.shortest * body.rest.height
    heights = np.array([[body.joint(f"{part}.{side}")[2] for part in _LEG[:3]] for side in SIDES])
    if (heights[:, :-1] - heights[:, 1:] < least).any():
        return False
    for side in SIDES:
        thigh, shin = (body.direction(f"{a}.{side}", f"{b}.{side}") for a, b in pairwise(_LEG[:3]))
        if np.linalg.norm(thigh + shin) < HUMANOID.straight * (np.linalg.norm(thigh) + np.linalg.norm(shin)):
            return False
    hands = [body.joint(f"hand.{side}")[2] for side in SIDES if f"hand.{side}" in body.bones]
    if hands and min(hands) - body.rest.low < HUMANOID.lowest_hand * body.rest.height:
        return False
    tops = [body.joint(role) for role in ("chest", "head") if role in body.bones]
    up = [top - body.hip for top in tops]
    return all(each[2] > np.hypot(each[0], each[1]) for each in up)


def _walks_on_two_legs(body: Humanoid, armature: bpy.types.Object) -> bool:
    """Whether keys on its legs move them, and there are no others."""
    data: Any = armature.data
    chains = [[data.bones[body.bones[f"{part}.{side}"]] for part in _LEG[:3]] for side in SIDES]
    hip = body.hip
    far = HUMANOID.other_legs * float(hip[2] - body.joint("foot.L")[2])
    others = [np.array(body.rest.ends[thigh.name][0]) for thigh, *_ in leg_bones(armature, body.rest)]
    return all(is_free(armature, chain) for chain in chains) and all(
        np.hypot(*(other - hip)[:2]) < far for other in others
    )


def _facing_ahead(body: Humanoid) -> Humanoid:
    """Swap left and right where the names have the sides of somebody who is looked at: toes point ahead."""
    toes = [body.direction(f"foot.{side}", f"toe.{side}") for side in SIDES]
    if sum(toe @ body.ahead for toe in toes) >= 0.0:
        return body
    other = {".L": ".R", ".R": ".L"}
    swapped = {role[:-2] + other[role[-2:]] if role[-2:] in other else role: bone for role, bone in body.bones.items()}
    return Humanoid(swapped, body.spine, body.neck, body.rest)
