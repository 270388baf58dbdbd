# SPDX-License-Identifier: GPL-3.0-or-later
"""Arms in a pose: by the angles of their joints, or by the place that the wrist reaches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ....core.array_types import Float64
from ....core.geometry.reproducible_math import arctan2, cos_sin, dot, exp, length, matrix_product
from ....core.motion.quaternions import cross
from ..mesh.skeleton import ARM_ANGLE, BELLY, ELBOW_BEND, Bone, Proportions
from .walk import hinge, one_after_another, turn

_X, _Y, _Z = np.eye(3)
_LONGEST = 0.985  # of the arm, to which it may be stretched; chosen
_BEFORE_BODY = 0.2  # of the arm: hands so far ahead are not beside the body; chosen
_TWIST_OF_FOREARM = 0.55  # share of the turn of the hand about the forearm that the forearm takes; chosen

Place = Literal["chest", "head", "thigh"]
Turns = dict[str, Float64]


@dataclass(frozen=True)
class Hang:
    """An arm by the angles of its joints [degrees]; the defaults hang at ease and were chosen by eye.

    Attributes:
        forward: of the upper arm, ahead; negative: back.
        out: of the upper arm, away from the body.
        inward: turn of the upper arm about itself, by which the forearm comes before the body.
        elbow: bend.
        wrist: bend of the hand towards its palm.
        shrug: of the shoulder, upwards.
    """

    forward: float = -2.0
    out: float = 7.0
    inward: float = 12.0
    elbow: float = 16.0
    wrist: float = 6.0
    shrug: float = 0.0


@dataclass(frozen=True)
class Reach:
    """An arm by the place of its wrist, as parts of the length of the arm from its shoulder; defaults chosen by eye.

    Attributes:
        out: to the outside; negative: across the body.
        ahead: to the front.
        up: above.
        of: what the place is counted from: the shoulder, in the axes of the chest; the ear of the arm's side, in those
            of the head; or the middle of the thigh, in those of the figure.
        elbow: where the elbow points: out, ahead, up.
        palm: where the palm looks; the same axes.
        fingers: where the fingers point; None: as the forearm.
        shrug: of the shoulder, upwards [degrees].
        protract: of the shoulder, ahead [degrees].
    """

    out: float
    ahead: float
    up: float
    of: Place = "chest"
    elbow: tuple[float, float, float] = (0.5, -0.3, -1.0)
    palm: tuple[float, float, float] | None = None
    fingers: tuple[float, float, float] | None = None
    shrug: float = 0.0
    protract: float = 0.0


Arm = Hang | Reach


def turn_arm(
    turns: Turns, places: Mapping[str, Float64], bones: dict[str, Bone], side: str, arm: Arm, body: Proportions
) -> None:
    """Turn the bones of an arm; turns float64 (3, 3) from rest, in the axes of the figure.

    Args:
        turns: of the trunk, to which those of the arm are added.
        places: joints of the figure, by the names of the bones that begin there; float64 (3,).
        bones: its skeleton.
        side: "L" or "R".
        arm: its pose.
        body: its lengths.
    """
    sign = 1.0 if side == "L" else -1.0
    protract = arm.protract if isinstance(arm, Reach) else 0.0
    shrug, ahead = turn(_Y, -sign * np.radians(arm.shrug)), turn(_Z, -sign * np.radians(protract))
    collar = one_after_another(turns["chest"], shrug, ahead)
    turns[f"clavicle.{side}"] = collar
    if isinstance(arm, Hang):
        found = _hang(collar, sign, arm)
    else:
        clavicle = bones[f"clavicle.{side}"]
        shoulder = places[f"clavicle.{side}"] + dot(collar, clavicle.tail - clavicle.head)
        found = _reach(turns, places, bones, side, shoulder, arm, body)
    for part, own in zip(("upper_arm", "forearm", "hand"), found, strict=True):
        turns[f"{part}.{side}"] = own


def _hang(collar: Float64, sign: float, arm: Hang) -> tuple[Float64, Float64, Float64]:
    inwards = ARM_ANGLE - np.radians(arm.out)
    cos, sin = cos_sin(ARM_ANGLE)
    along = np.array([sign * sin, 0.0, -cos])
    forward, outwards = turn(_X, -np.radians(arm.forward)), turn(_Y, sign * inwards)
    upper = one_after_another(collar, forward, outwards, turn(along, sign * np.radians(arm.inward)))
    fore = matrix_product(upper, turn(hinge(sign), np.radians(arm.elbow) - ELBOW_BEND))
    palm = cross(along, hinge(sign))  # the axis about which a hand bends to its palm
    return upper, fore, matrix_product(fore, turn(palm, sign * np.radians(arm.wrist)))


def _reach(
    turns: Turns,
    places: Mapping[str, Float64],
    bones: dict[str, Bone],
    side: str,
    shoulder: Float64,
    arm: Reach,
    body: Proportions,
) -> tuple[Float64, Float64, Float64]:
    """Two-bone inverse kinematics: the elbow lies in the plane of shoulder, wrist and where it points."""
    sign = 1.0 if side == "L" else -1.0
    upper, fore, hand = (bones[f"{part}.{side}"] for part in ("upper_arm", "forearm", "hand"))
    a, b = (float(length(each.tail - each.head)) for each in (upper, fore))
    axes = np.eye(3) if arm.of == "thigh" else turns[arm.of]

    def seen(out: float, ahead: float, up: float) -> Float64:
        return dot(axes, np.array([sign * out, -ahead, up]))

    wrist = _origin(places, side, shoulder, arm) + (a + b) * seen(arm.out, arm.ahead, arm.up)
    wrist = wrist + seen(0.0, _belly_under(arm, (a + b) * arm.up, body), 0.0)
    way = wrist - shoulder
    distance = float(length(way))
    reach = float(np.clip(distance, abs(a - b) + 0.02, _LONGEST * (a + b)))
    w = way / distance
    p = seen(*arm.elbow)
    p = p - dot(p, w) * w
    p = p / length(p)
    cosine = (a**2 + reach**2 - b**2) / (2.0 * a * reach)
    elbow = shoulder + a * (cosine * w + np.sqrt(max(1.0 - cosine**2, 0.0)) * p)
    h = cross(p, w)
    along, ahead = elbow - shoulder, shoulder + reach * w - elbow
    turned = [
        matrix_product(_frame(h, each), _frame(hinge(sign), rest.tail - rest.head).T)
        for each, rest in ((along, upper), (ahead, fore))
    ]
    if arm.palm is None and arm.fingers is None:
        return turned[0], turned[1], turned[1]
    palm = dot(turned[1], hand.axes[:, 0]) if arm.palm is None else sign * seen(*arm.palm)
    fingers = ahead if arm.fingers is None else seen(*arm.fingers)
    held = matrix_product(_frame(palm, fingers), hand.axes.T)
    twist = _twist(matrix_product(turned[1].T, held), (fore.tail - fore.head) / b)
    rolled = turn((fore.tail - fore.head) / b, np.array(_TWIST_OF_FOREARM * twist))
    return turned[0], matrix_product(turned[1], rolled), held


def _belly_under(arm: Reach, up: float, body: Proportions) -> float:
    """How much farther ahead a belly keeps a hand that is before it [m]; `up` is from the shoulder."""
    if arm.of != "chest" or arm.ahead < _BEFORE_BODY:
        return 0.0
    return body.belly * float(exp(-(((body.shoulder + up - body.belly_height) / BELLY) ** 2)))


def _origin(places: Mapping[str, Float64], side: str, shoulder: Float64, arm: Reach) -> Float64:
    if arm.of == "head":
        return places[f"ear.{side}"]
    if arm.of == "thigh":
        return 0.5 * (places[f"thigh.{side}"] + places[f"shin.{side}"])
    return shoulder


def _frame(across: Float64, along: Float64) -> Float64:
    """Axes as columns: y along, x across as far as that is at right angles."""
    y = along / length(along)
    x = across - dot(across, y) * y
    x = x / length(x)
    return np.column_stack([x, y, cross(x, y)])


def _twist(rotation: Float64, axis: Float64) -> float:
    """Angle of a rotation about an axis: of its part about it (swing and twist)."""
    skew = np.array([rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]])
    w = 1.0 + np.trace(rotation)
    return float(2.0 * arctan2(dot(skew, axis), w))
