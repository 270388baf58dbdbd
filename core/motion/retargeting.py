# SPDX-License-Identifier: GPL-3.0-or-later
"""Carries poses from one skeleton to another whose bones have other axes and another rest pose.

Both skeletons are described by what does not depend on axes: the turn of each bone in the world from its rest. A limb
is first turned from its own rest direction into that of the other skeleton, so that a T-pose and an A-pose end alike.
Rotations are quaternions float64 (4, ...), see `quaternions`.

Source: Monzani et al. 2000, "Using an Intermediate Skeleton and Inverse Kinematics for Motion Retargeting".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..array_types import Float64
from ..geometry.reproducible_math import arctan2, length, matrix_product
from .quaternions import NO_TURN, about_z, cross, dot, inverse, quaternions, times, without_jumps

_PARALLEL = 0.9  # cosine of the angle between a limb and the direction ahead, from which on that says no plane; chosen


def turn_of(pose: Float64, rest: Float64, parent: Float64) -> Float64:
    """Turns of a bone in the world from its rest, float64 (4, N).

    Args:
        pose: float64 (4, N), its rotation from rest in its own axes.
        rest: float64 (4, 1), its axes at rest in the world.
        parent: float64 (4, N), the same turns of its parent.
    """
    return times(parent, times(rest, times(pose, inverse(rest))))


def pose_of(turn: Float64, rest: Float64, parent: Float64) -> Float64:
    """The inverse of `turn_of`: poses of a bone, float64 (4, N), without jumps of sign."""
    pose = times(inverse(rest), times(inverse(parent), times(turn, rest)))
    return without_jumps(pose, NO_TURN)


def part_of_turn(start: Float64, end: Float64, share: float) -> Float64:
    """Rotations float64 (4, N) between two that are near each other: the normalised linear interpolation."""
    same = np.where(dot(start, end) < 0.0, -1.0, 1.0)
    found = (1.0 - share) * start + share * same * end
    return found / np.sqrt(dot(found, found))


def turns_along(turns: Sequence[Float64], count: int) -> list[Float64]:
    """Spread the turns of a chain of bones over a chain of another number of bones.

    Args:
        turns: float64 (4, N) each, of the bone that carries the chain and of its bones, from below.
        count: number of bones of the other chain.

    Returns:
        The turns of its bones; the last turns as the last.
    """
    found = []
    for number in range(1, count + 1):
        place = number / count * (len(turns) - 1)
        below = min(int(place), max(len(turns) - 2, 0))
        above = min(below + 1, len(turns) - 1)
        found.append(part_of_turn(turns[below], turns[above], place - below))
    return found


def yaw_alignment(own: Float64, other: Float64) -> Float64:
    """Rotation float64 (4, 1) about the vertical from one direction float64 (3,) to another: soles stay level."""
    angle = arctan2(other[1], other[0]) - arctan2(own[1], own[0])
    return about_z(np.array([angle]))


def limb_alignment(own: Float64, other: Float64, ahead: Float64) -> Float64:
    """Rotation float64 (4, 1) from the rest of a limb into the rest of another, joints bending in the same plane.

    Args:
        own: float64 (3,), its direction from joint to next joint in the world; 0: not known, and it stays.
        other: float64 (3,), the direction of the other limb.
        ahead: float64 (3,), where the body looks; the joint bends in the plane of this direction.
    """
    if not own.any():
        return NO_TURN
    return quaternions(matrix_product(_limb_axes(other, ahead), _limb_axes(own, ahead).T)[None]).T


def _limb_axes(along: Float64, ahead: Float64) -> Float64:
    along = along / length(along)
    if abs(dot(along, ahead)) > _PARALLEL:
        ahead = np.array([0.0, 0.0, 1.0])
    hinge = cross(along, ahead)
    hinge = hinge / length(hinge)
    return np.column_stack([hinge, along, cross(hinge, along)])
