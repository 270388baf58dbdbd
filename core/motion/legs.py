# SPDX-License-Identifier: GPL-3.0-or-later
"""A leg of thigh, shin and foot: its poses in the clips, and how to bend it so that the foot is at its target.

All in the axes of the body: x ahead, y to the left, z up. Rotations are unit quaternions (w, x, y, z).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..array_types import Float64, Int64
from ..geometry.reproducible_math import arccos, arctan2, exp
from .pose_tables import PoseTable, Posture
from .quaternions import about, about_z, between, cross, dot, inverse, mixed, quaternions, times, turned

HIP, KNEE, ANKLE, BALL = range(4)
CONTACT = -1
"""The last of all joints of a leg: the point on which its foot stands, at first its ball and at last its tip."""

PARENT, THIGH, SHIN, FOOT = range(4)
LARGEST_STRETCH = 0.9995
"""Share of its length to which a leg is stretched at most, short of the singularity of a straight knee."""

STRAIGHT_STANCE = 0.997
"""The same of a leg that stands lower than its body: the hip does not sink before it is as straight; chosen."""

_LEAST_FOLD = 1.02  # multiple of the difference of thigh and shin: short of the singularity of a folded knee


@dataclass(frozen=True, eq=False)
class LegTable(PoseTable):
    """Poses of one leg in the clips.

    Joints are hip, knee, ankle and ball of the foot, and last the point on which it stands; bones are the parent of the
    thigh, thigh, shin and foot.

    Attributes:
        rest: float64 (3, 3, 3), rotation of thigh, shin and foot at rest in the axes of their parents.
    """

    rest: Float64

    @cached_property
    def rest_turns(self) -> Float64:
        """Float64 (3, 4), `rest` as quaternions."""
        return quaternions(self.rest)


class Move(NamedTuple):
    """Motion of a foot from its place in the clips, at N moments.

    Attributes:
        shift: float64 (N, 2), of the ball of the foot.
        lift: float64 (N,).
        twist: float64 (N,), about the vertical [rad].
        lean: float64 (N,), lean of the body, and not of the foot, to its left [rad].
        soft: float64 (N,), share of the leg's length over which the reach is softened before the leg is straight, so
            that the knee does not snap; 0 where the foot has to reach its target, as when it stands.
        tilt: float64 (N, 2), slope of the sole ahead and to the left of the body [rise over run].
    """

    shift: Float64
    lift: Float64
    twist: Float64
    lean: Float64
    soft: Float64 = np.zeros(1)
    tilt: Float64 = np.zeros((1, 2))

    @property
    def foot_turn(self) -> Float64:
        """Float64 (4, N), how the foot is turned from its clip."""
        return times(tilting(self.tilt), about_z(self.twist))


def blend_leg(posture: Posture, astray: Float64, other: Posture, places: Int64, weight: Float64) -> None:
    """Blend another posture of a leg over some of the moments, as clips are blended: bone by bone, each in its parent.

    Bones keep their lengths: between two postures with the foot in one place it is elsewhere, up to a decimetre while
    somebody sits down. The foot itself is turned as if it went straight from one posture to the other.

    Args:
        posture: of N moments, which is changed.
        astray: float64 (3, N), from the ankle to where it would be if it went straight, which is changed.
        other: of M moments.
        places: int64 (M,), the moments over which it is blended.
        weight: float64 (M,), from 0 to 1.
    """
    one = Posture(posture.joints[..., places], posture.turns[..., places])
    turns = [mixed(one.turns[PARENT], other.turns[PARENT], weight)]
    joints = [_between(one.joints[HIP], other.joints[HIP], weight)]
    for bone, joint in ((THIGH, KNEE), (SHIN, ANKLE)):
        first, second = (times(inverse(each.turns[bone - 1]), each.turns[bone]) for each in (one, other))
        turns.append(times(turns[-1], mixed(first, second, weight)))
        first, second = (
            turned(inverse(each.turns[bone]), each.joints[joint] - each.joints[joint - 1]) for each in (one, other)
        )
        joints.append(joints[-1] + turned(turns[-1], _between(first, second, weight)))
    foot = _between(one.joints[ANKLE:] + astray[:, places], other.joints[ANKLE:], weight)
    astray[:, places] = foot[0] - joints[ANKLE]
    posture.turns[..., places] = np.stack([*turns, mixed(one.turns[FOOT], other.turns[FOOT], weight)])
    posture.joints[..., places] = np.concatenate([np.stack(joints), foot[1:] - astray[:, places]])


def _between(one: Float64, other: Float64, weight: Float64) -> Float64:
    return one + weight * (other - one)


def bend(leg: LegTable, posture: Posture, move: Move) -> tuple[Float64, Float64]:
    """Bend a leg so that its foot is elsewhere, and turned about the vertical.

    The knee keeps its plane but for half of the twist; a foot out of reach is reached for.

    Args:
        leg: whose rest is meant.
        posture: where the clips have the leg at N moments.
        move: where its foot has to go from there.

    Returns:
        float64 (3, 4, N), rotations of thigh, shin and foot from rest as quaternions (w, x, y, z) with w >= 0; float64
        (N,), how far the foot is from where it was wanted.

    Source: law of cosines in the plane of the leg.
    """
    lean = about(np.array([[-1.0], [0.0], [0.0]]), move.lean)
    hip, knee, own_ankle = (turned(lean, joint) for joint in posture.joints[:BALL])
    ankle, ball = posture.joints[ANKLE], posture.joints[BALL]
    foot_turn = move.foot_turn
    hip_to_ankle = ball + np.concatenate([move.shift.T, move.lift[None]]) + turned(foot_turn, ankle - ball) - hip
    distance = np.sqrt(dot(hip_to_ankle, hip_to_ankle))
    upper, lower = knee - hip, own_ankle - knee
    longest = LARGEST_STRETCH * (np.sqrt(dot(upper, upper)) + np.sqrt(dot(lower, lower)))
    own = np.sqrt(dot(own_ankle - hip, own_ankle - hip))
    knee_turn, reached, miss = _bend_knee(upper, lower, distance, soften_reach(distance, own, longest, move.soft))
    along = hip_to_ankle / distance
    leg_turn = times(about(-along, move.twist / 2.0), between(reached / np.sqrt(dot(reached, reached)), along))
    chain = (
        times(lean, posture.turns[PARENT]),
        times(times(leg_turn, lean), posture.turns[THIGH]),
        times(times(leg_turn, times(knee_turn, lean)), posture.turns[SHIN]),
        times(foot_turn, posture.turns[FOOT]),
    )
    rest = leg.rest_turns[:, :, None]  # (3, 4, 1)
    own = np.stack([times(inverse(times(chain[k], rest[k])), chain[k + 1]) for k in range(3)])
    return np.where(own[:, :1] < 0.0, -own, own), miss


def tilting(slope: Float64) -> Float64:
    """Rotations that lay what is level on slopes float64 (N, 2), ahead and to the left: float64 (4, N)."""
    normal = np.stack([-slope[:, 0], -slope[:, 1], np.ones(len(slope))])
    up = np.array([[0.0], [0.0], [1.0]])
    return between(np.broadcast_to(up, normal.shape), normal / np.sqrt(dot(normal, normal)))


def too_far(joints: Float64, lift: Float64, tilt: Float64, length: float, shift: Float64 | float = 0.0) -> Float64:
    """How much lower a hip has to be for a leg to reach a foot at another height, float64 (N,); 0 where it reaches.

    Args:
        joints: float64 (4, 3, N) or more, of the leg in the clips.
        lift: float64 (N,), of the foot from its height in the clips.
        tilt: float64 (N, 2), slope of the sole, as in `Move`.
        length: of the leg, from hip to ankle.
        shift: float64 (2, N), of the foot from its place in the clips.
    """
    in_clip, off_ball = joints[ANKLE] - joints[HIP], joints[ANKLE] - joints[BALL]
    hip_to_ankle = in_clip + (turned(tilting(tilt), off_ball) - off_ball)
    reach = np.maximum(STRAIGHT_STANCE * length, np.sqrt(dot(in_clip, in_clip)))
    ahead, aside = hip_to_ankle[:2] + shift
    level2 = ahead**2 + aside**2
    return np.maximum(-hip_to_ankle[2] - lift - np.sqrt(np.maximum(reach**2 - level2, 0.0)), 0.0)


def soften_reach(distance: Float64, own: Float64, longest: Float64 | float, soft: Float64 | float) -> Float64:
    """Distance of an ankle from the hip for a target distance, float64 (N,).

    The angle of a knee changes the faster the straighter the leg is, without bound at the end. With softening the leg
    approaches its length only slowly; but it is no shorter than in its clip, unless the target is nearer.

    Args:
        distance: float64 (N,), of the target.
        own: float64 (N,), in the clip.
        longest: reach of the leg, float64 (N,) or one number.
        soft: share of its length over which the reach is softened, float64 (N,) or one number.
    """
    zone = np.maximum(soft * longest, 1e-9 * longest)
    over = np.maximum(distance - (longest - zone), 0.0)
    softened = np.where(over > 0.0, longest - zone * exp(-over / zone), distance)
    return np.maximum(softened, np.minimum(distance, own))


def _bend_knee(upper: Float64, lower: Float64, distance: Float64, wanted: Float64) -> tuple[Float64, Float64, Float64]:
    """Turn of a knee for a distance of the ankle from the hip, and the position of the ankle then.

    The third value is the difference of that distance from `distance`.
    """
    a2, b2 = dot(upper, upper), dot(lower, lower)
    a, b = np.sqrt(a2), np.sqrt(b2)
    reach = np.clip(wanted, _LEAST_FOLD * np.abs(a - b), LARGEST_STRETCH * (a + b))
    hinge = cross(upper, lower)
    size = np.sqrt(dot(hinge, hinge))
    straight = size < 1e-6 * a * b
    bent = arctan2(size, dot(upper, lower))
    hinge /= np.where(straight, 1.0, size)
    hinge[:, straight] = np.array([0.0, 1.0, 0.0])[:, None]
    angle = arccos((reach**2 - a2 - b2) / (2.0 * a * b))
    turn = about(hinge, angle - bent)
    return turn, upper + turned(turn, lower), np.abs(distance - reach)
