# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the joints of a built-in figure are, and the bones between them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ....core.geometry.reproducible_math import cos_sin, dot, length
from ....core.motion.quaternions import cross

ARM_ANGLE = np.radians(32.0)
"""Arms in the rest pose, away from hanging straight down: near enough to walking that shoulders keep their shape."""

ELBOW_BEND = np.radians(10.0)

PHONE = "phone.R"
"""The bone of what the right hand holds."""

BELLY = 0.15
"""How far above and below its middle a belly ends [m]; by eye."""


@dataclass(frozen=True)
class Proportions:
    """Lengths of a body [m], and how far its joints are from the middle; modelled by eye, for a height of 1.75 m."""

    hips: float = 0.975  # height of the root, between the hip joints and the waist
    hip_joint: float = 0.925
    knee: float = 0.497
    ankle: float = 0.086
    hip_spread: float = 0.088
    foot_spread: float = 0.095
    heel_back: float = 0.0635  # behind the ankle
    ball_forward: float = 0.118  # before the ankle
    toe_forward: float = 0.227
    waist: float = 1.075
    chest: float = 1.225
    neck: float = 1.462
    head: float = 1.555
    top: float = 1.75
    shoulder: float = 1.398
    shoulder_spread: float = 0.176
    upper_arm: float = 0.292
    forearm: float = 0.252
    hand: float = 0.185
    belly: float = 0.0  # how much farther ahead the front of the trunk is than in the middle of the man's

    @property
    def belly_height(self) -> float:
        """Height over the floor at which it is farthest ahead [m]."""
        return 0.5 * (self.waist + self.hip_joint) + 0.09


@dataclass(frozen=True)
class Bone:
    """One bone of the rest pose: where it begins and ends, and which way its z axis looks."""

    name: str
    parent: str | None
    head: np.ndarray  # (3,) [m]
    tail: np.ndarray  # (3,) [m]
    up: np.ndarray  # (3,), what the bone's z axis is turned towards

    @cached_property
    def axes(self) -> np.ndarray:
        """float64 (3, 3), the bone's x, y and z axes as columns; y runs from head to tail."""
        y = self.tail - self.head
        y = y / length(y)
        z = self.up - dot(self.up, y) * y
        z = z / length(z)
        return np.column_stack([cross(y, z), y, z])


_FORWARD = np.array([0.0, -1.0, 0.0])
_UP = np.array([0.0, 0.0, 1.0])


def build_skeleton(body: Proportions) -> dict[str, Bone]:
    """The bones that move a figure that looks along -Y, parents before children."""
    bones = {bone.name: bone for bone in _trunk(body)}
    for side, sign in (("L", 1.0), ("R", -1.0)):
        for bone in (*_leg(body, side, sign), *_arm(body, side, sign)):
            bones[bone.name] = bone
    return bones


def build_rig(body: Proportions) -> dict[str, Bone]:
    """All bones of a figure, and that of the phone in its palm, which no motion turns.

    That one is short: Blender draws it as long as it is scaled where the phone is shown.
    """
    bones = build_skeleton(body)
    hand, length = bones["hand.R"], 0.55 * body.hand
    head, tail = (hand.head + part * length * hand.axes[:, 1] for part in (0.8, 0.805))
    return bones | {PHONE: Bone(PHONE, hand.name, head, tail, hand.up)}


def _trunk(body: Proportions) -> list[Bone]:
    joints = np.array(
        [
            (0.0, 0.012, body.hips),
            (0.0, 0.008, body.waist),
            (0.0, 0.008, body.chest),
            (0.0, 0.028, body.neck),
            (0.0, 0.012, body.head),
            (0.0, 0.008, body.top),
        ]
    )
    names = ("hips", "spine", "chest", "neck", "head")
    parents = (None, *names[:-1])
    return [
        Bone(name, parent, start, end, _FORWARD)
        for name, parent, start, end in zip(names, parents, joints[:-1], joints[1:], strict=True)
    ]


def _leg(body: Proportions, side: str, sign: float) -> list[Bone]:
    hip = np.array([sign * body.hip_spread, 0.0, body.hip_joint])
    knee = np.array([sign * (0.45 * body.hip_spread + 0.55 * body.foot_spread), -0.008, body.knee])
    ankle = np.array([sign * body.foot_spread, 0.012, body.ankle])
    ball = np.array([sign * (body.foot_spread + 0.008), ankle[1] - body.ball_forward, 0.022])
    toe = np.array([sign * (body.foot_spread + 0.010), ankle[1] - body.toe_forward, 0.022])
    return [
        Bone(f"thigh.{side}", "hips", hip, knee, _FORWARD),
        Bone(f"shin.{side}", f"thigh.{side}", knee, ankle, _FORWARD),
        Bone(f"foot.{side}", f"shin.{side}", ankle, ball, _UP),
        Bone(f"toe.{side}", f"foot.{side}", ball, toe, _UP),
    ]


def _arm(body: Proportions, side: str, sign: float) -> list[Bone]:
    shoulder = np.array([sign * body.shoulder_spread, 0.014, body.shoulder])
    collar = np.array([sign * 0.022, 0.0, body.shoulder + 0.028])
    (cos, bent_cos), (sin, bent_sin) = cos_sin([ARM_ANGLE, ELBOW_BEND])
    down = np.array([sign * sin, 0.0, -cos])
    elbow = shoulder + body.upper_arm * down
    ahead = bent_cos * down + bent_sin * _FORWARD
    wrist = elbow + body.forearm * ahead
    return [
        Bone(f"clavicle.{side}", "chest", collar, shoulder, _UP),
        Bone(f"upper_arm.{side}", f"clavicle.{side}", shoulder, elbow, _FORWARD),
        Bone(f"forearm.{side}", f"upper_arm.{side}", elbow, wrist, _FORWARD),
        Bone(f"hand.{side}", f"forearm.{side}", wrist, wrist + 0.55 * body.hand * ahead, _FORWARD),
    ]
