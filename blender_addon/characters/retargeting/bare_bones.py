# SPDX-License-Identifier: GPL-3.0-or-later
"""What files of bones alone, as of motion capture, leave open: how large a body is, and which way is up.

BVH files come in inches, centimetres or any other unit, with Y or Z up, and importers cannot know. Without a mesh the
bones tell nobody that they are meant to be so large, or to lie.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ....core.array_types import Float64
from ...blender_data import animation
from ...settings.cast_rows import USUAL_HEIGHT
from ..clips.joints import Joints, turn_to_world
from ..clips.skeletons import Skeleton
from .humanoids import find_humanoid, recognised_parts


@dataclass(frozen=True)
class BareBoneSettings:
    """When bones without a mesh are not taken as they are; chosen.

    Attributes:
        sizes: between which they are believed [m].
        upright: cosine of the angle between up and the way from ankle to hip of a body that stands.
        moments: of its clip that are looked at.
    """

    sizes: tuple[float, float] = (0.5, 3.0)
    upright: float = 0.5
    moments: int = 24


_BARE = BareBoneSettings()


class FittedBones(NamedTuple):
    """What is made of bones without a mesh.

    Attributes:
        height: [m]; 0: not known, as meshes show it.
        scale: factor on their size.
        turn: that stands them up, in the world.
        notices: sentences for the user.
    """

    height: float = 0.0
    scale: float = 1.0
    turn: Matrix = Matrix.Identity(3)
    notices: tuple[str, ...] = ()


def fit_bare_bones(
    name: str, parts: Sequence[bpy.types.Object], clip: animation.Clip | None, unit: float
) -> FittedBones:
    """Give bones without a mesh the size of a person, and stand them up if they lie; meshes are left as they are.

    Args:
        name: of the object that moves them.
        parts: copies of its objects; the first is at the world's origin.
        clip: in which they walk; None: their rest pose counts.
        unit: metres per Blender unit.
    """
    rigs = [part for part in parts if part.type == "ARMATURE" and len(part.pose.bones)]
    has_mesh = any(part.type not in {"ARMATURE", "EMPTY"} or part.instance_type == "COLLECTION" for part in parts)
    if not rigs or has_mesh:
        return FittedBones()
    rig = max(rigs, key=lambda each: len(each.pose.bones))
    to_world = np.array(turn_to_world(parts[0], rig), dtype=np.float64)[:3, :3]
    points = np.concatenate(Joints.of(rig)) @ to_world.T
    if not np.isfinite(points).all():
        return FittedBones()
    notices = []
    turn = _stands_up(_way_up(rig, clip, to_world))
    if turn != Matrix.Identity(3):
        notices.append(f"'{name}' has no mesh, and its bones lie: its people stand up. Rotate it if they should not")
    size = np.ptp(points @ np.array(turn).T, axis=0) * unit
    body = find_humanoid(rig, parts[0])
    if clip is not None and body is not None and body.posed:  # its rest pose means nothing
        size = np.array([0.0, 0.0, _tallest(rig, clip, np.array(turn) @ to_world) * unit])
    largest, (least, most) = float(size.max()), _BARE.sizes
    if not largest or least <= largest <= most:
        return FittedBones(float(size[2]), 1.0, turn, tuple(notices))
    told = f"'{name}' has no mesh, and its bones measure {largest:.3g} m: its people are made {USUAL_HEIGHT} m tall. "
    notices.append(told + "Type another Height in the cast table if they should not be")
    return FittedBones(USUAL_HEIGHT, USUAL_HEIGHT / largest, turn, tuple(notices))


def _tallest(rig: bpy.types.Object, clip: animation.Clip, to_world: Float64) -> float:
    """How far above each other the joints of a rig are in a clip at most, by a turn (3, 3) to the world."""
    poses = Skeleton.of(rig).pose(clip, np.linspace(*animation.clip_range(clip), _BARE.moments))[..., :3, 3]
    return float(np.ptp(poses @ to_world[2], axis=0).max())


def _way_up(rig: bpy.types.Object, clip: animation.Clip | None, to_world: Float64) -> Float64:
    """Mean way from the ankles to the hips in a clip, in the world, float64 (3,); 0 where no legs are known by name."""
    found = recognised_parts(rig)
    legs = [(found.get(f"thigh_{side}"), found.get(f"foot_{side}")) for side in ("l", "r")]
    skeleton = Skeleton.of(rig)
    place = {bone.name: number for number, bone in enumerate(skeleton.bones)}
    if not all(bone in place for leg in legs for bone in leg):
        return np.zeros(3)
    if clip is None:
        joints = np.stack([bone.matrix[:3, 3] for bone in skeleton.bones])[:, None]
    else:
        joints = skeleton.pose(clip, np.linspace(*animation.clip_range(clip), _BARE.moments))[..., :3, 3]
    ways = [joints[place[thigh]] - joints[place[foot]] for thigh, foot in legs if thigh and foot]
    return to_world @ np.mean(ways, axis=(0, 1))


def _stands_up(way: Float64) -> Matrix:
    """Return the quarter or half turn about X or Y after which a way points up; none where it does already."""
    if way[2] >= _BARE.upright * np.linalg.norm(way):
        return Matrix.Identity(3)
    axes = Vector((1.0, 0.0, 0.0)), Vector((0.0, 1.0, 0.0))
    turns = [Matrix.Rotation(math.radians(angle), 3, axis) for axis, angle in product(axes, (90, -90, 180))]
    return max(turns, key=lambda turn: (np.array(turn) @ way)[2])
