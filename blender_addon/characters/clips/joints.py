# SPDX-License-Identifier: GPL-3.0-or-later
"""Where bones begin and end, as far as that can be believed.

An armature is its joints, the heads of its bones. Files that know only joints (glTF) leave it to the importer how long
bones are, and then thighs may be 44 m or 6 mm long. A bone ends where its next joint is; its own tail is used only
where there is none.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import bpy
import numpy as np

from ....core.array_types import Float64

_LONGEST_BONE = 1.5  # of the extent of all joints; where one bone is longer, no tail means anything; chosen
_FEWEST_BONES = 8  # joints of fewer bones do not show the size of a body, and such armatures come from hands; chosen
_NEXT_JOINT = 0.02  # of the extent of all joints; joints nearer than this are at the same place; chosen


class Joints(NamedTuple):
    """The bones of an armature at rest, in its own axes.

    Attributes:
        begin: float64 (B, 3), heads.
        end: float64 (B, 3).
        has_tails: tails can be believed.
    """

    begin: Float64
    end: Float64
    has_tails: bool

    @classmethod
    def of(cls, armature: bpy.types.Object) -> Joints:
        """Read the joints of an armature at rest."""
        data: Any = armature.data
        begin, tail = _points(data.bones, "head_local", "tail_local")
        size = float(np.linalg.norm(np.ptp(begin, axis=0))) if len(begin) else 0.0
        longest = float(np.linalg.norm(tail - begin, axis=1).max(initial=0.0))
        has_tails = len(begin) < _FEWEST_BONES or longest <= _LONGEST_BONE * size
        end = (tail if has_tails else begin).copy()
        number = {bone.name: each for each, bone in enumerate(data.bones)}
        for bone in data.bones:
            own = number[bone.name]
            heads = begin[[number[child.name] for child in bone.children]].reshape(-1, 3)
            heads = heads[np.linalg.norm(heads - begin[own], axis=1) > _NEXT_JOINT * size]
            if len(heads):
                end[own] = heads[np.argmin(np.linalg.norm(heads - tail[own], axis=1))]
        return cls(begin, end, has_tails)


def read_joints(armature: bpy.types.Object) -> Float64:
    """Return the joints of an evaluated armature in the world, and the tails that can be believed, float64 (P, 3)."""
    names = ("head", "tail") if Joints.of(armature).has_tails else ("head",)
    matrix = np.array(armature.matrix_world, dtype=np.float64)
    return _points(armature.pose.bones, *names).reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def _points(bones: Any, *names: str) -> Float64:
    """Return points of bones by the names of properties, float64 (N, B, 3)."""
    values = np.empty((len(names), 3 * len(bones)), dtype=np.float32)
    for row, name in zip(values, names, strict=True):
        bones.foreach_get(name, row)
    return values.reshape(len(names), -1, 3).astype(np.float64)
