# SPDX-License-Identifier: GPL-3.0-or-later
"""Where bones begin and end, as far as that can be believed.

An armature is its joints, the heads of its bones. Files that know only joints (glTF, FBX) leave it to the importer how
long bones are and where they point, and then thighs may be 44 m long, or toes point up. A bone ends where its next
joint is; its own tail is used only where there is none, and where most other tails are near the next joints. Blender's
FBX exporter adds a last bone to each limb, named after the one before and as long, which marks its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np
from mathutils import Matrix

from ....core.array_types import Bool, Float64, Int64
from ....core.geometry.reproducible_math import length

FEWEST_BONES = 8
"""Joints of fewer bones do not show the size of a body, and such armatures come from hands; chosen."""

_LONGEST_BONE = 1.5  # of the extent of all joints; where one bone is longer, no tail means anything; chosen
_NEXT_JOINT = 0.02  # of the extent of all joints; joints nearer than this are at the same place; chosen
_OFF_JOINT = 0.7  # of the distance of a bone's next joint: its tail is nearer to that; chosen
_ONCE_MORE = 0.01  # of its length: a last bone differs by less from the one before, and goes on where that ends; chosen
_MARK = "_end"
_LEAST_MET = (
    0.5  # share of bones whose tails are; 0.75 and more in 25 files, 0.3 and less in 13 with guessed tails; chosen
)


class Joints(NamedTuple):
    """The bones of an armature at rest, in its own axes.

    Attributes:
        begin: float64 (B, 3), heads.
        end: float64 (B, 3).
    """

    begin: Float64
    end: Float64

    @classmethod
    def of(cls, armature: bpy.types.Object) -> Joints:
        """Read the joints of an armature at rest."""
        data: Any = armature.data
        begin, tail = _points(data.bones, "head_local", "tail_local")
        return cls(begin, ends_of(begin, tail, _parents(data.bones), [bone.name for bone in data.bones]))


def ends_of(begin: Float64, tail: Float64, parents: Sequence[int], names: Sequence[str] = ()) -> Float64:
    """Where bones end: at their next joint, or else at their tail if that can be believed.

    Args:
        begin: float64 (B, 3), heads.
        tail: float64 (B, 3).
        parents: number of each bone's parent; -1: none.
        names: of the bones, if known.

    Returns:
        float64 (B, 3).
    """
    tail = _without_marks(tail, begin, parents, names)
    following = _next_joints(begin, parents)
    end = (tail if _can_be_believed(tail, begin, following) else begin).copy()
    nearest = np.lexsort((length(following.heads - tail[following.own]), following.own))
    own, first = np.unique(following.own[nearest], return_index=True)
    end[own] = following.heads[nearest][first]
    return end


class _NextJoints(NamedTuple):
    """Joints that follow bones: the numbers of the bones, int64 (J,), and where the joints are, float64 (J, 3)."""

    own: Int64
    heads: Float64


def _next_joints(begin: Float64, parents: Sequence[int]) -> _NextJoints:
    """Find where the children of bones begin that begin elsewhere."""
    own = np.array(parents, dtype=np.int64)
    follows = (own >= 0) & (length(begin - begin[own]) > _NEXT_JOINT * _extent(begin))
    return _NextJoints(own[follows], begin[follows])


def _without_marks(tail: Float64, begin: Float64, parents: Sequence[int], names: Sequence[str]) -> Float64:
    """Return tails (B, 3), those of marks of ends at their heads."""
    if not names:
        return tail
    before = np.array(parents, dtype=np.int64)
    own, its = tail - begin, (tail - begin)[before]
    near = _ONCE_MORE * length(its)
    marks = (length(own - its) < near) & (length(begin - tail[before]) < near)
    marks &= np.array(
        [before >= 0 and name == names[before] + _MARK for name, before in zip(names, parents, strict=True)]
    )
    return np.where(marks[:, None], begin, tail)


def turn_to_world(mover: bpy.types.Object, armature: bpy.types.Object) -> Matrix:
    """Return the transform from the armature's axes to the world, without the mover's location."""
    turn = mover.rotation_euler.to_matrix().to_4x4() @ Matrix.Diagonal((*mover.scale, 1.0))
    between, each = Matrix(), armature
    while each not in {mover, None}:
        between, each = each.matrix_parent_inverse @ each.matrix_basis @ between, each.parent
    return turn @ between


def believed_tails(bones: Any) -> Bool | None:
    """Which bones of an armature have a tail that means anything, bool (B,); None where none has."""
    begin, tail = _points(bones, "head_local", "tail_local")
    parents = _parents(bones)
    unmarked = _without_marks(tail, begin, parents, [bone.name for bone in bones])
    if not _can_be_believed(unmarked, begin, _next_joints(begin, parents)):
        return None
    return (unmarked == tail).all(axis=1)


def points_of_bones(bones: Any, name: str) -> Float64:
    """Return a point of each bone by the name of its property, float64 (B, 3)."""
    return _points(bones, name)[0]


def _can_be_believed(tail: Float64, begin: Float64, following: _NextJoints) -> bool:
    """Whether the tails (B, 3) of bones mean anything that begin at joints (B, 3) and are followed by others."""
    if len(begin) < FEWEST_BONES:
        return True
    own, heads = following
    meets = length(heads - tail[own]) < _OFF_JOINT * length(heads - begin[own])
    share = len(np.unique(own[meets])) / len(np.unique(own)) if len(own) else 1.0
    return bool(length(tail - begin).max() <= _LONGEST_BONE * _extent(begin) and share > _LEAST_MET)


def _parents(bones: Any) -> list[int]:
    """Return the number of each bone's parent; -1: none."""
    number = {bone.name: each for each, bone in enumerate(bones)}
    return [number[bone.parent.name] if bone.parent is not None else -1 for bone in bones]


def _extent(points: Float64) -> float:
    return float(length(np.ptp(points, axis=0))) if len(points) else 0.0


def _points(bones: Any, *names: str) -> Float64:
    """Return points of bones by the names of properties, float64 (N, B, 3)."""
    values = np.empty((len(names), 3 * len(bones)), dtype=np.float32)
    for row, name in zip(values, names, strict=True):
        bones.foreach_get(name, row)
    return values.reshape(len(names), -1, 3).astype(np.float64)
