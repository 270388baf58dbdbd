# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion of one body, carried over to another of other size, bones and rest pose."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ....core.array_types import Float64
from ....core.motion.quaternions import NO_TURN, between, inverse, quaternions, times, turned
from ....core.motion.retargeting import limb_alignment, turns_along, yaw_alignment
from ..clips.skeletons import Skeleton
from .fitted_gait import PlannedGait, off_origin
from .humanoids import SIDES, Humanoid

_LEG, _ARM = ("thigh", "shin", "foot"), ("upper_arm", "forearm", "hand")
_ALIKE = 0.99  # cosine of the angle between legs at rest, mirrored, from which on they are not alike; chosen


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
    seen = _Seen(source, skeleton, poses, body)
    hips = seen.turn(source.bones["hips"])
    spine = [hips, *(seen.turn(bone) for bone in source.spine)]
    neck = [spine[-1], *(seen.turn(bone) for bone in source.neck)]
    turns = {body.bones["hips"]: hips}
    for chain, world in ((body.spine, spine), (body.neck, neck)):
        turns |= zip(chain, turns_along(world, len(chain)), strict=True)
    for side in SIDES:
        align = _alignments(source, body, side, seen.facing)
        for part in ("clavicle", *_ARM, *_LEG, "toe"):
            role = f"{part}.{side}"
            if role in body.bones and role in source.bones:
                turns[body.bones[role]] = times(seen.turn(source.bones[role]), align.get(part, NO_TURN))
    middle = (seen.joint("thigh.L") + seen.joint("thigh.R")) / 2.0
    ground = min(float(seen.joint(f"foot.{side}")[2].min()) for side in SIDES)
    size = _leg_length(body) / _leg_length(source)
    return PlannedGait(turns, _way(body, middle, ground, size))


class _Seen:
    """The motion of the source, turned to where the other body looks.

    Some files, such as downloads without a skin, rest in a pose of the motion. What stands upright then is found in the
    motion: hips and chest look ahead on average, and a foot is level when ankle and toe are lowest.
    """

    def __init__(self, source: Humanoid, skeleton: Skeleton, poses: Float64, body: Humanoid) -> None:
        self._source, self._skeleton, self._poses = source, skeleton, poses
        self._place = {bone.name: number for number, bone in enumerate(skeleton.bones)}
        self._axes = skeleton.world[:3, :3] / np.linalg.norm(skeleton.world[:3, 0])
        self._upright: dict[str, Float64] = {}
        self.facing = NO_TURN
        is_posed = _rests_in_a_pose(source)
        across = self._across(source.apart).mean(axis=1) if is_posed else source.across
        self.facing = yaw_alignment(across, body.across)
        if is_posed:
            self._stand_up()

    def turn(self, bone: str) -> Float64:
        """Turns of a bone in the world from rest, float64 (4, N)."""
        number = self._place[bone]
        rest, posed = self._skeleton.bones[number].matrix[:3, :3], self._poses[number, :, :3, :3]
        posed = posed / np.linalg.norm(posed, axis=1, keepdims=True)
        turn = quaternions(self._axes @ posed @ np.linalg.inv(rest) @ self._axes.T).T
        return times(times(self.facing, times(turn, inverse(self.facing))), self._upright.get(bone, NO_TURN))

    def joint(self, role: str) -> Float64:
        """Where a bone begins in the world, float64 (3, N)."""
        points = self._poses[self._place[self._source.bones[role]], :, :3, 3].T
        return turned(self.facing, self._skeleton.world[:3, :3] @ points)

    def _across(self, part: str) -> Float64:
        return self.joint(f"{part}.L") - self.joint(f"{part}.R")

    def _stand_up(self) -> None:
        """Find how the trunk and the feet are turned at rest."""
        bones = self._source.bones
        trunk = [self._from_upright(self._source.apart)]
        trunk.append(self._from_upright("upper_arm") if {"upper_arm.L", "upper_arm.R"} <= bones.keys() else trunk[0])
        spine = zip(self._source.spine, turns_along(trunk, len(self._source.spine)), strict=True)
        found = {bones["hips"]: trunk[0], **dict(spine)}
        for side in SIDES:
            foot, toe = f"foot.{side}", f"toe.{side}"
            if toe not in bones:
                continue
            lowest = int(np.argmin(self.joint(foot)[2] + self.joint(toe)[2]))
            turn = self.turn(bones[foot])[:, lowest : lowest + 1]
            way = turned(self.facing, self._source.direction(foot, toe)[:, None])
            level = yaw_alignment(way[:, 0], (self.joint(toe) - self.joint(foot))[:, lowest])
            found[bones[foot]] = times(inverse(turn), level)
            found[bones[toe]] = times(inverse(self.turn(bones[toe])[:, lowest : lowest + 1]), level)
        self._upright = found

    def _from_upright(self, part: str) -> Float64:
        """Turn of a pair of joints at rest, from how they lie on average in the motion, float64 (4, 1)."""
        rest = turned(self.facing, (self._source.joint(f"{part}.L") - self._source.joint(f"{part}.R"))[:, None])
        usual = self._across(part).mean(axis=1, keepdims=True) * np.array([[1.0], [1.0], [0.0]])
        return between(usual / np.linalg.norm(usual), rest / np.linalg.norm(rest))


def _rests_in_a_pose(source: Humanoid) -> bool:
    """Whether the legs do not rest alike, left and right."""
    across = source.across / np.linalg.norm(source.across)
    for part, following in pairwise(_LEG):
        left, right = (source.direction(f"{part}.{side}", f"{following}.{side}") for side in SIDES)
        mirrored = right - 2.0 * (right @ across) * across
        if left @ mirrored < _ALIKE * np.linalg.norm(left) * np.linalg.norm(mirrored):
            return True
    return False


def _way(body: Humanoid, middle: Float64, ground: float, size: float) -> Float64:
    """Way of the middle between the hip joints from rest, float64 (3, N).

    Heights are measured from the lowest ankle of the motion: the rest of some files, as BVH, stands nowhere.
    """
    ankle = float(np.mean([body.joint(f"foot.{side}")[2] for side in SIDES]))
    travelled = np.linspace(0.0, 1.0, middle.shape[1]) * (middle[:, -1:] - middle[:, :1])
    way = size * (middle - (middle - travelled).mean(axis=1, keepdims=True))
    way[2] = size * (middle[2] - ground) - (body.hip[2] - ankle)
    return way - off_origin(body)[:, None]


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
    found["hand"] = found.get("forearm", NO_TURN)
    if there("foot", "toe"):
        found["foot"] = found["toe"] = yaw_alignment(*directions("foot", "toe"))
    return found


def _leg_length(body: Humanoid) -> float:
    bones = [body.direction(f"{a}.{side}", f"{b}.{side}") for side in SIDES for a, b in pairwise(_LEG)]
    return float(np.linalg.norm(bones, axis=1).sum()) / len(SIDES)
