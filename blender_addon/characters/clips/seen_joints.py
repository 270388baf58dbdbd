# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the joints of an armature are as it moves: what strides, feet and slides are measured on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import bpy
import numpy as np

from ....core.array_types import Bool, Float64
from ....core.geometry.reproducible_math import matrix_product
from .joints import believed_tails, points_of_bones
from .shin_ends import ShinEnd, find_shin_ends


def read_joints(moments: Iterable[bpy.types.Object], more: Mapping[str, Float64] | None = None) -> Float64:
    """Return the joints of an armature in the world, the tails that can be believed, and the ends of footless shins.

    Args:
        moments: the armature as evaluated, at one frame after the other; at least one.
        more: points (N, 3) in the axes of bones, by their names, which follow the joints; None: none.

    Returns:
        float64 (T, P, 3).
    """
    found: list[Float64] = []
    tails: Bool | None = None
    ends: list[ShinEnd] = []
    for armature in moments:
        bones = armature.pose.bones
        if not found:
            data: Any = armature.data
            tails, ends = believed_tails(data.bones), find_shin_ends(armature, armature.matrix_world)
        points = [points_of_bones(bones, "head")]
        if tails is not None:
            points.append(points_of_bones(bones, "tail"))
        if ends:
            points.append(np.array([bones[end.parent.name].matrix @ end.offset for end in ends], dtype=np.float64))
        for name, own in (more or {}).items():
            placed = np.array(bones[name].matrix, dtype=np.float64)
            points.append(matrix_product(own, placed[:3, :3].T) + placed[:3, 3])
        matrix = np.array(armature.matrix_world, dtype=np.float64)
        found.append(matrix_product(np.concatenate(points), matrix[:3, :3].T) + matrix[:3, 3])
    return np.stack(found)


def joints_of(armature: bpy.types.Object, bones: Collection[str], to_world: Any) -> Bool:
    """Return which points of `read_joints` are joints or tails of some bones, or ends of some shins, bool (P,).

    Args:
        armature: of the character.
        bones: their names; those of feet from `find_shin_ends`, too.
        to_world: transform (4, 4) from its axes to the world.
    """
    return _points_of(armature, bones, find_shin_ends(armature, to_world))


def shins_without_feet(armature: bpy.types.Object, to_world: Any, count: int) -> Bool | None:
    """Return which of so many points of `read_joints` are ends of shins that stand for feet; None where there are none.

    Args:
        armature: of the character.
        to_world: transform (4, 4) from its axes to the world.
        count: of the points.
    """
    ends = find_shin_ends(armature, to_world)
    found = _points_of(armature, {end.name for end in ends}, ends)
    return found if ends and len(found) == count else None


def _points_of(armature: bpy.types.Object, bones: Collection[str], ends: Iterable[ShinEnd]) -> Bool:
    """As `joints_of`, of an armature whose ends of shins are known."""
    data: Any = armature.data
    heads = [bone.name in bones for bone in data.bones]
    tails = [] if believed_tails(data.bones) is None else heads
    return np.array([*heads, *tails, *(end.name in bones for end in ends)])
