# SPDX-License-Identifier: GPL-3.0-or-later
"""How a built-in figure walks, runs and stands: every bone's pose over one cycle, fitted to its feet and hips."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from ....core.geometry.reproducible_math import cos_sin, dot, length, matrix_product
from ....core.motion.quaternions import NO_TURN, cross, without_jumps
from ....core.motion.quaternions import quaternions as quaternions_of
from ..mesh.skeleton import ARM_ANGLE, ELBOW_BEND, Bone, Proportions
from .gait import Foot, Gait, leg_length, trace_foot

_X, _Y, _Z = np.eye(3)

AT_EASE = Gait(drop=0.007, bob=0.0015, sway=0.012, spread=1.0)


@dataclass(frozen=True)
class Bearing:
    """How the upper body is carried; angles in degrees, amplitudes from the middle; chosen by eye."""

    hips_yaw: float = 5.0
    hips_list: float = 3.5
    hips_tilt: float = 3.0
    chest_yaw: float = 5.5
    chest_list: float = 1.2
    lean: float = 3.0
    arm_swing: float = 19.0
    arm_middle: float = -2.0
    arm_spread: float = 9.0
    arm_across: float = 0.25  # of the swing: the hand comes before the body as the arm swings forwards
    elbow: float = 26.0
    elbow_swing: float = 11.0
    shoulder_swing: float = 3.5


RUNNING = Bearing(
    hips_yaw=7.0, hips_list=3.0, hips_tilt=9.0, chest_yaw=11.0, chest_list=1.5, lean=10.0,
    arm_swing=30.0, arm_middle=-14.0, arm_spread=13.0, arm_across=0.5, elbow=92.0, elbow_swing=12.0,
    shoulder_swing=6.0,
)  # fmt: skip

STANDING = Bearing(
    hips_yaw=0.8, hips_list=1.0, hips_tilt=1.5, chest_yaw=1.2, chest_list=0.6, lean=1.0,
    arm_swing=1.0, arm_middle=3.0, arm_spread=7.0, elbow=15.0, elbow_swing=1.5, shoulder_swing=0.3,
)  # fmt: skip


@dataclass(frozen=True)
class FigureMotion:
    """One cycle of poses, the last of which equals the first.

    Attributes:
        hips: float64 (N, 3), the root bone's pose location in its own rest axes [m].
        rotations: bone -> float64 (N, 4), pose quaternions (w, x, y, z) in each bone's rest axes, without sign jumps.
    """

    hips: np.ndarray
    rotations: dict[str, np.ndarray]


def plan_walk(
    body: Proportions, bones: dict[str, Bone], phase: np.ndarray, gait: Gait, bearing: Bearing
) -> FigureMotion:
    """KeyPose a figure for each phase of a cycle that begins with the left heel strike.

    Args:
        body: its lengths.
        bones: its skeleton.
        phase: float64 (N,), in cycles.
        gait: how feet and hips move.
        bearing: how the upper body is carried.
    """
    turns, offset = _turn_trunk(body, phase, gait, bearing)
    for side, lag in (("L", 0.0), ("R", 0.5)):
        _turn_arm(turns, side, phase - lag, bearing)
        foot = trace_foot(body, gait, phase - lag)
        turn_leg(turns, bones, side, offset, foot, gait)
    rotations = {name: pose_of_bone(bones[name], turns) for name in bones}
    return FigureMotion(matrix_product(offset, bones["hips"].axes), rotations)


def plan_stand(
    body: Proportions, bones: dict[str, Bone], phase: np.ndarray, bearing: Bearing = STANDING
) -> FigureMotion:
    """KeyPose a figure that stands at ease, breathes and shifts its weight, for each phase of a cycle.

    Args:
        body: its lengths.
        bones: its skeleton.
        phase: float64 (N,), in cycles.
        bearing: how the upper body is carried.
    """
    turns, offset = _turn_trunk(body, phase, AT_EASE, bearing)
    still = np.zeros_like(phase)
    ankle = bones["shin.L"].tail
    foot = Foot(still + bones["thigh.L"].head[1] - ankle[1], still + ankle[2], still, still)
    for side in ("L", "R"):
        _turn_arm(turns, side, phase, bearing)
        turn_leg(turns, bones, side, offset, foot, AT_EASE)
    rotations = {name: pose_of_bone(bones[name], turns) for name in bones}
    return FigureMotion(matrix_product(offset, bones["hips"].axes), rotations)


def turn(axis: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Rotations about one axis by many angles: float64 (N, 3, 3).

    Source: Rodrigues' formula.
    """
    cos, sin = (each[..., None, None] for each in cos_sin(angle))
    x, y, z = axis
    aside = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])  # what turns v into axis x v
    return cos * np.eye(3) + sin * aside + (1.0 - cos) * np.outer(axis, axis)


def one_after_another(*turns: np.ndarray) -> np.ndarray:
    """Rotations float64 (..., 3, 3) that turn by the last and then by the one before it, and so on."""
    return reduce(matrix_product, turns)


def _cosine(turns: np.ndarray) -> np.ndarray:
    """The cosine of an angle in whole turns."""
    return cos_sin(2.0 * np.pi * turns)[0]


def _wave(phase: np.ndarray, degrees: float, peak: float, times: int = 1) -> np.ndarray:
    """A cosine over the cycle with its maximum at `peak`, in radians."""
    return np.radians(degrees) * _cosine(times * (phase - peak))


def _turn_trunk(
    body: Proportions, phase: np.ndarray, gait: Gait, bearing: Bearing
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Turns of the trunk's bones from rest, in the figure's axes, and the offset of the hips (N, 3)."""
    leg = leg_length(body)
    height = leg * (gait.bob * _cosine(2.0 * (phase - gait.bob_phase)) - gait.drop)
    sway = gait.sway * _cosine(phase - 0.29)
    surge = gait.surge * _cosine(2.0 * (phase - 0.10))
    offset = np.column_stack([sway, surge, height])
    # Seen from above, turning to the right is negative: the left hip goes ahead with the left foot.
    yaw, list_ = _wave(phase, -bearing.hips_yaw, 0.0), _wave(phase, -bearing.hips_list, 0.13)
    tilt = np.radians(bearing.hips_tilt) + _wave(phase, 0.8, 0.05, 2)
    hips = one_after_another(turn(_Z, yaw), turn(_Y, list_), turn(_X, tilt))
    chest_yaw, chest_list = _wave(phase, bearing.chest_yaw, 0.02), _wave(phase, bearing.chest_list, 0.15)
    lean = np.radians(bearing.lean) + _wave(phase, 0.7, 0.09, 2)
    chest = one_after_another(turn(_Z, chest_yaw), turn(_Y, chest_list), turn(_X, lean))
    middle = (0.5 * (yaw + chest_yaw), 0.45 * list_ + 0.5 * chest_list, 0.5 * (tilt + lean))
    spine = one_after_another(*map(turn, (_Z, _Y, _X), middle))
    nod = _wave(phase, 0.8, 0.06, 2)
    neck = matrix_product(turn(_Z, 0.4 * chest_yaw), turn(_X, 1.2 * np.radians(bearing.lean) + 0.5 * nod))
    head = matrix_product(turn(_Z, 0.12 * chest_yaw), turn(_X, nod))
    turns = {"hips": hips, "spine": spine, "chest": chest, "neck": neck, "head": head}
    for side, lag, sign in (("L", 0.0, 1.0), ("R", 0.5, -1.0)):
        ahead = _wave(phase - lag, bearing.shoulder_swing, 0.53)
        turns[f"clavicle.{side}"] = matrix_product(chest, turn(_Z, -sign * ahead))
    return turns, offset


def _turn_arm(turns: dict[str, np.ndarray], side: str, phase: np.ndarray, bearing: Bearing) -> None:
    """Swing an arm against its leg: back at its own foot's strike, the elbow and hand following a little late."""
    sign = 1.0 if side == "L" else -1.0
    forward = np.radians(bearing.arm_middle) + _wave(phase, -bearing.arm_swing, 0.02)
    inwards = ARM_ANGLE - np.radians(bearing.arm_spread)
    across = bearing.arm_across * np.maximum(forward, 0.0)
    outwards = turn(_Y, sign * np.full_like(phase, inwards))
    arm = one_after_another(turns[f"clavicle.{side}"], turn(_X, -forward), outwards)
    bend = np.radians(bearing.elbow) - ELBOW_BEND + _wave(phase, -bearing.elbow_swing, 0.06)
    fore = one_after_another(arm, turn(_Y, sign * across), turn(hinge(sign), bend))
    loose = np.radians(4.0) + _wave(phase, -4.0, 0.12)
    turns[f"upper_arm.{side}"] = arm
    turns[f"forearm.{side}"] = fore
    turns[f"hand.{side}"] = matrix_product(fore, turn(hinge(sign), loose))


def hinge(sign: float) -> np.ndarray:
    """Axis of the elbow in the rest pose, about which a positive angle bends it."""
    cos, sin = cos_sin(ARM_ANGLE)
    return np.array([-cos, 0.0, -sign * sin])


def turn_leg(
    turns: dict[str, np.ndarray], bones: dict[str, Bone], side: str, offset: np.ndarray, foot: Foot, gait: Gait
) -> None:
    """Bend hip and knee so that the ankle is where the foot's path wants it (two-bone inverse kinematics).

    Source: law of cosines in the plane of the leg.
    """
    thigh, shin = bones[f"thigh.{side}"], bones[f"shin.{side}"]
    root = bones["hips"].head
    hip = root + offset + dot(turns["hips"], thigh.head - root)  # (N, 3)
    sideways = np.full_like(foot.pitch, gait.spread * shin.tail[0])
    ankle = np.column_stack([sideways, thigh.head[1] - foot.ankle_forward, foot.ankle_height])
    upper, lower = (length(bone.tail - bone.head) for bone in (thigh, shin))
    way = ankle - hip
    distance = length(way)[:, None]
    way = way / distance
    cosine = (upper**2 + distance**2 - lower**2) / (2.0 * upper * distance)
    cosine = np.minimum(cosine, 1.0)
    out = np.sign(shin.tail[0]) * np.broadcast_to(foot.knee_out, len(way))
    cos, sin = cos_sin(out)
    ahead = np.column_stack([sin, -cos, np.zeros(len(way))])
    ahead -= dot(way, ahead)[:, None] * way
    ahead /= length(ahead)[:, None]
    knee = hip + upper * (cosine * way + np.sqrt(1.0 - cosine**2) * ahead)
    hinge = cross(way.T, ahead.T).T
    for bone, start, end in ((thigh, hip, knee), (shin, knee, ankle)):
        along = (end - start) / length(end - start)[:, None]
        axes = np.stack([hinge, along, cross(hinge.T, along.T).T], axis=-1)  # (N, 3, 3), columns
        turns[bone.name] = matrix_product(axes, _leg_axes(thigh, shin, bone).T)
    turns[f"foot.{side}"] = turn(_X, -foot.pitch)
    turns[f"toe.{side}"] = turn(_X, -foot.toe_pitch)


def _leg_axes(thigh: Bone, shin: Bone, bone: Bone) -> np.ndarray:
    """Axes of a leg bone at rest, with the knee's hinge as x, as they are posed."""
    way = shin.tail - thigh.head
    hinge = cross(way, -_Y)
    along = bone.tail - bone.head
    along = along / length(along)
    hinge = hinge - dot(hinge, along) * along
    hinge /= length(hinge)
    return np.column_stack([hinge, along, cross(hinge, along)])


def pose_of_bone(bone: Bone, turns: dict[str, np.ndarray]) -> np.ndarray:
    """KeyPose quaternions of one bone in its own rest axes, from its and its parent's turns in the figure's axes."""
    local = turns[bone.name]
    if bone.parent is not None:
        local = matrix_product(np.swapaxes(turns[bone.parent], 1, 2), local)
    return quaternions(one_after_another(bone.axes.T, local, bone.axes))


def quaternions(matrices: np.ndarray) -> np.ndarray:
    """Unit quaternions (w, x, y, z) of rotations float64 (N, 3, 3), each on the side of the one before: (N, 4)."""
    return without_jumps(quaternions_of(matrices).T, NO_TURN).T
