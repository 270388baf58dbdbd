# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion of one body, carried over to another of other size, bones and rest pose."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ....core.array_types import Float64
from ....core.motion.quaternions import about_z, inverse, quaternions, times, turned
from ....core.motion.retargeting import limb_alignment, turns_along, yaw_alignment
from ..clips.skeletons import Skeleton
from .fitted_gait import PlannedGait
from .humanoids import SIDES, Humanoid

_LEG, _ARM = ("thigh", "shin", "foot"), ("upper_arm", "forearm", "hand")
_STILL = np.array([[1.0], [0.0], [0.0], [0.0]])


def carry_over(source: Humanoid, skeleton: Skeleton, poses: Float64, body: Humanoid) -> PlannedGait:
    """Carry a motion over to another body.

    Each bone turns in the world as that of the source, from a rest in which limbs have the same directions. The hips go
    the same way in the size of the legs.

    Args:
        source: the body that moves.
        skeleton: its bones.
        poses: float64 (B, N, 4, 4), its poses in the axes of its armature.
        body: the body that shall move alike.
    """
    scale = np.linalg.norm(skeleton.world[:3, 0])
    axes = skeleton.world[:3, :3] / scale
    facing = _yaw(source.ahead, body.ahead)
    place = {bone.name: number for number, bone in enumerate(skeleton.bones)}

    def turn(bone: str) -> Float64:
        number = place[bone]
        rest = skeleton.bones[number].matrix[:3, :3]
        posed = poses[number, :, :3, :3]
        matrices = axes @ (posed / np.linalg.norm(posed, axis=1, keepdims=True)) @ np.linalg.inv(rest) @ axes.T
        return times(facing, times(quaternions(matrices).T, inverse(facing)))

    def joint(role: str) -> Float64:
        return turned(facing, skeleton.world[:3, :3] @ poses[place[source.bones[role]], :, :3, 3].T)

    hips = turn(source.bones["hips"])
    spine = [hips, *(turn(bone) for bone in source.spine)]
    neck = [spine[-1], *(turn(bone) for bone in source.neck)]
    turns = {body.bones["hips"]: hips}
    for chain, world in ((body.spine, spine), (body.neck, neck)):
        turns |= zip(chain, turns_along(world, len(chain)), strict=True)
    for side in SIDES:
        align = _alignments(source, body, side, facing)
        for part in ("clavicle", *_ARM, *_LEG, "toe"):
            role = f"{part}.{side}"
            if role in body.bones and role in source.bones:
                turns[body.bones[role]] = times(turn(source.bones[role]), align.get(part, _STILL))
    middle = (joint("thigh.L") + joint("thigh.R")) / 2.0
    ground = min(float(joint(f"foot.{side}")[2].min()) for side in SIDES)
    size = _leg_length(body) / _leg_length(source)
    return PlannedGait(turns, _way(body, middle, ground, size))


def _way(body: Humanoid, middle: Float64, ground: float, size: float) -> Float64:
    """Way of the middle between the hip joints from rest, float64 (3, N).

    Heights are measured from the lowest ankle of the motion: the rest of some files, as BVH, stands nowhere.
    """
    ankle = float(np.mean([body.joint(f"foot.{side}")[2] for side in SIDES]))
    travelled = np.linspace(0.0, 1.0, middle.shape[1]) * (middle[:, -1:] - middle[:, :1])
    way = size * (middle - (middle - travelled).mean(axis=1, keepdims=True))
    way[2] = size * (middle[2] - ground) - (body.hip[2] - ankle)
    return way


def _alignments(source: Humanoid, body: Humanoid, side: str, facing: Float64) -> dict[str, Float64]:
    """Rotations from the rest of each part of the limbs of a side into the source's."""

    def directions(part: str, following: str) -> tuple[Float64, Float64]:
        part, following = f"{part}.{side}", f"{following}.{side}"
        its = turned(facing, source.direction(part, following)[:, None])[:, 0]
        return body.direction(part, following), its

    def there(*parts: str) -> bool:
        return all(f"{part}.{side}" in each.bones for part in parts for each in (source, body))

    found: dict[str, Float64] = {}
    for limb in (_LEG, _ARM):
        for part, following in pairwise(limb):
            if there(part, following):
                found[part] = limb_alignment(*directions(part, following), body.ahead)
    found["hand"] = found.get("forearm", _STILL)
    if there("foot", "toe"):
        found["foot"] = found["toe"] = yaw_alignment(*directions("foot", "toe"))
    return found


def _leg_length(body: Humanoid) -> float:
    bones = [body.direction(f"{a}.{side}", f"{b}.{side}") for side in SIDES for a, b in pairwise(_LEG)]
    return float(np.linalg.norm(bones, axis=1).sum()) / len(SIDES)


def _yaw(start: Float64, end: Float64) -> Float64:
    return about_z(np.array([np.arctan2(end[1], end[0]) - np.arctan2(start[1], start[0])]))
