# SPDX-License-Identifier: GPL-3.0-or-later
"""Key poses of a body whose feet stand, and its motion through them: trunk, legs and arms of every moment.

Angles of the trunk run smoothly from key to key; arms are found at each key, by the place of the wrist where that is
given, and turn from one to the next, so that hands swing in arcs. Feet never leave their place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields

import numpy as np

from ....core.array_types import Float64
from ....core.geometry.reproducible_math import arcsin, cos_sin, dot, length2, matrix_product
from ....core.motion.quaternions import without_jumps
from ..mesh.skeleton import Bone, Proportions
from ..mesh.surface import smoothstep
from .arms import Arm, Hang, turn_arm
from .gait import BALL_HEIGHT, Foot, leg_length
from .walk import AT_EASE, FigureMotion, one_after_another, pose_of_bone, quaternions, turn, turn_leg

_X, _Y, _Z = np.eye(3)
_SIDES = ("L", "R")
_PARTS = ("clavicle", "upper_arm", "forearm", "hand")
_EAR = np.array([0.078, -0.012, 0.095])  # from the joint of the head, of the man [m]
_BREATHS = 0.25  # a second; of people at rest
_UNREST = {  # how far, in the units of a pose, and how often a second; chosen by eye
    "sway": (0.011, 0.29),
    "hips_list": (0.8, 0.29),
    "chest_list": (0.7, 0.2),
    "chest_yaw": (1.2, 0.2),
    "lean": (0.6, 0.3),
    "head_yaw": (2.6, 0.4),
    "head_list": (1.2, 0.3),
    "nod": (1.2, 0.5),
}
_STANDING = ("sway", "hips_list")  # hips stay on a seat

SEAT_REACH = 0.48
"""Distance from hips over the seat to the place where somebody stands before it, as a part of the leg: 0.40 m."""

_OVER_SEAT = 0.7  # share of that way from which on the thighs lie on the seat
_SLOPE, _TIPTOE = 10.0, 22.0  # of thighs on a seat, down to the knees, and of feet that reach no floor [degrees]
_BESIDE_THIGH = 0.17  # from the axis of a thigh to the hand beside it; the widest skirt measures 0.15 [m]
_TURNS_OUT = 3  # until a hand is there: within a millimetre
_LOOSE = 0.03  # so far over the floor toes hang as their feet do [m]
_SPREADS = {"upper_arm": 0.0, "forearm": 0.05, "hand": 0.10}  # how much later the parts of an arm move [s]; chosen


@dataclass(frozen=True)
class KeyPose:
    """A body that stands on both feet, or sits; angles in degrees, shifts as parts of the leg; chosen by eye.

    Attributes:
        sway: of the hips, to the left.
        ahead: of the hips.
        up: of the hips, from standing with straight legs.
        hips_yaw: to the left, as are the others.
        hips_list: the left hip is lower.
        hips_tilt: to the front.
        chest_yaw: of the chest, as seen from outside.
        chest_list: to the left.
        lean: to the front.
        head_yaw: of the head; 0 looks ahead, whatever the chest does.
        head_list: to the left.
        nod: downwards.
        heels: how far both heels are lifted.
        knees: how far both point outwards.
        left: arm.
        right: arm.
    """

    sway: float = 0.0
    ahead: float = 0.0
    up: float = -0.004
    hips_yaw: float = 0.0
    hips_list: float = 0.0
    hips_tilt: float = 1.5
    chest_yaw: float = 0.0
    chest_list: float = 0.0
    lean: float = 1.0
    head_yaw: float = 0.0
    head_list: float = 0.0
    nod: float = 0.0
    heels: float = 0.0
    knees: float = 0.0
    left: Arm = field(default_factory=Hang)
    right: Arm = field(default_factory=Hang)


_NUMBERS = [each.name for each in fields(KeyPose) if each.name not in ("left", "right")]

Keys = Sequence[tuple[float, KeyPose]]
"""Poses at times [s]."""


def move_through(
    body: Proportions, bones: dict[str, Bone], keys: Keys, times: Float64, *, length: float, is_cycle: bool
) -> FigureMotion:
    """Move a figure through key poses.

    Args:
        body: its lengths.
        bones: its skeleton.
        keys: its poses, the times rising from 0; of a cycle, the last one leads to the first again.
        times: float64 (N,), moments that are wanted [s], from 0 to `length`.
        length: of the clip [s].
        is_cycle: whether it begins again at its end.
    """
    at = np.array([time for time, _ in keys])
    values = np.array([[getattr(pose, name) for name in _NUMBERS] for _, pose in keys])
    period, seat = length if is_cycle else None, _seat_of(keys)
    moved = run_through(at, values, times, period)
    if is_cycle:
        moved = moved + _unrest(times, length, is_seated=seat is not None, shift=float(at.sum()))
    own = dict(zip(_NUMBERS, moved.T, strict=True))
    turns, offset = _turn_trunk(body, own, _breath(times, length, is_cycle=is_cycle))
    _turn_legs(turns, bones, body, offset, own, seat)
    arms = [_arms_of(body, bones, pose, seat) for _, pose in keys]
    for side in _SIDES:
        carrier = turns["chest"]
        for part in _PARTS:
            name = f"{part}.{side}"
            poses = quaternions(np.stack([each[name] for each in arms]))
            late = _SPREADS.get(part, 0.0) * (1.0 if is_cycle else 1.0 - times / length)
            local = _matrices(run_through(at, poses, times - late, period, is_turn=True))
            carrier = turns[name] = matrix_product(carrier, local)
    rotations = {name: pose_of_bone(bones[name], turns) for name in bones}
    return FigureMotion(matrix_product(offset, bones["hips"].axes), rotations)


def _breath(times: Float64, length: float, *, is_cycle: bool) -> Float64:
    """Breathing, from -1 to 1, in a whole number of breaths of a cycle."""
    count = max(round(length * _BREATHS), 1) / length if is_cycle else _BREATHS
    return cos_sin(2.0 * np.pi * count * times)[1]


def _unrest(times: Float64, length: float, *, is_seated: bool, shift: float) -> Float64:
    """What no pose holds still, float64 (N, P), added to the numbers of poses: whole waves, `shift` differs by act."""
    found = np.zeros((len(times), len(_NUMBERS)))
    for place, (name, (amount, rate)) in enumerate(_UNREST.items()):
        if is_seated and name in _STANDING:
            continue
        waves = 2.0 * np.pi * times / length
        slow, fast = max(round(rate * length), 1), max(round(2.3 * rate * length), 2)
        _, (one, other) = cos_sin([slow * waves + shift + 2.4 * place, fast * waves + 0.9 * place])
        found[:, _NUMBERS.index(name)] = amount * (one + 0.4 * other)
    return found


def _turn_trunk(body: Proportions, own: dict[str, Float64], breath: Float64) -> tuple[dict[str, Float64], Float64]:
    leg = leg_length(body)
    offset = np.column_stack([leg * own["sway"], -leg * own["ahead"], leg * own["up"]])
    rad = {name: np.radians(values) for name, values in own.items()}
    hips = _turned(rad["hips_yaw"], rad["hips_list"], rad["hips_tilt"])
    lean = rad["lean"] - np.radians(0.5) * breath
    chest = _turned(rad["chest_yaw"], rad["chest_list"], lean)
    middle = {name: 0.5 * (rad[f"hips_{name}"] + rad[f"chest_{name}"]) for name in ("yaw", "list")}
    spine = _turned(middle["yaw"], middle["list"], 0.5 * (rad["hips_tilt"] + lean))
    head = _turned(rad["head_yaw"], rad["head_list"], rad["nod"])
    neck = _turned(
        0.5 * (rad["chest_yaw"] + rad["head_yaw"]),
        0.5 * (rad["chest_list"] + rad["head_list"]),
        0.45 * rad["nod"] + 0.55 * lean,
    )
    return {"hips": hips, "spine": spine, "chest": chest, "neck": neck, "head": head}, offset


def _turned(yaw: Float64, list_: Float64, pitch: Float64) -> Float64:
    """Rotations float64 (N, 3, 3) about the axis to the left, the one ahead and the vertical, one after another."""
    return one_after_another(turn(_Z, yaw), turn(_Y, list_), turn(_X, pitch))


def _turn_legs(
    turns: dict[str, Float64],
    bones: dict[str, Bone],
    body: Proportions,
    offset: Float64,
    own: dict[str, Float64],
    seat: float | None,
) -> None:
    """Stand both feet where they are at rest; lifted heels turn about the balls of the feet.

    Who sits higher than their feet reach has them on tiptoe, and then in the air.
    """
    on_seat = smoothstep(-own["ahead"], _OVER_SEAT * SEAT_REACH, SEAT_REACH)
    lifted = on_seat * (0.0 if seat is None else feet_over_floor(body, seat))
    _, steepest = cos_sin(np.radians(_TIPTOE))
    pitch = -np.radians(own["heels"]) - arcsin(np.minimum(lifted / body.ball_forward, steepest))
    hangs = np.maximum(lifted - steepest * body.ball_forward, 0.0)
    ahead, above = body.ball_forward, body.ankle - BALL_HEIGHT
    ankle = bones["shin.L"].tail
    cos, sin = cos_sin(pitch)
    forward = bones["thigh.L"].head[1] - ankle[1] + ahead - (ahead * cos + above * sin)
    height = ankle[2] - above + (above * cos - ahead * sin)
    toes = pitch * np.minimum(hangs / _LOOSE, 1.0)
    foot = Foot(forward, height + hangs, pitch, toes, np.radians(own["knees"]))
    for side in _SIDES:
        turn_leg(turns, bones, side, offset, foot, AT_EASE)


def feet_over_floor(body: Proportions, hips: float) -> float:
    """How high the feet of somebody are whose thighs lie on a seat [m]; 0 where they reach the floor.

    Args:
        body: its lengths.
        hips: their height, from standing with straight legs, as a part of the leg.
    """
    thigh = body.hip_joint - body.knee
    _, slope = cos_sin(np.radians(_SLOPE))
    return max(thigh * (1.0 - float(slope)) + leg_length(body) * hips, 0.0)


def _seat_of(keys: Keys) -> float | None:
    """Height of hips over the seat of who sits in some of the poses, as a part of the leg; None for those who stand."""
    back = min(pose.ahead for _, pose in keys)
    if back > -_OVER_SEAT * SEAT_REACH:
        return None
    return min(pose.up for _, pose in keys if pose.ahead == back)


def _arms_of(body: Proportions, bones: dict[str, Bone], pose: KeyPose, seat: float | None) -> dict[str, Float64]:
    """Turns of the parts of the arms in a pose from those that carry them, float64 (3, 3) each."""
    own = {name: np.array([getattr(pose, name)]) for name in _NUMBERS}
    turns, offset = _turn_trunk(body, own, np.zeros(1))
    _turn_legs(turns, bones, body, offset, own, seat)
    still = {name: values[0] for name, values in turns.items()}
    places = _places(bones, still, offset[0])
    for side, arm in (("L", pose.left), ("R", pose.right)):
        turn_arm(still, places, bones, side, arm, body)
        if isinstance(arm, Hang) and seat is None:
            _clear_thigh(still, places, bones, side, body.hand)
    found = {}
    for side in _SIDES:
        carrier = "chest"
        for part in _PARTS:
            name = f"{part}.{side}"
            found[name] = matrix_product(still[carrier].T, still[name])
            carrier = name
    return found


def _clear_thigh(
    turns: dict[str, Float64], places: dict[str, Float64], bones: dict[str, Bone], side: str, hand: float
) -> None:
    """Turn a hanging arm outwards at the shoulder until its hand is beside the hip and what hangs from it.

    Args:
        turns: of all bones in the pose, float64 (3, 3); those of the arm are changed.
        places: where bones begin in the pose.
        bones: its skeleton.
        side: "L" or "R".
        hand: length of the hand [m].
    """
    sign = 1.0 if side == "L" else -1.0
    hip, knee = places[f"thigh.{side}"], places[f"shin.{side}"]
    clavicle, upper, fore, palm = (bones[f"{part}.{side}"] for part in _PARTS)
    shoulder = places[f"clavicle.{side}"] + dot(turns[clavicle.name], clavicle.tail - clavicle.head)
    for _ in range(_TURNS_OUT):
        wrist = shoulder + sum(dot(turns[bone.name], bone.tail - bone.head) for bone in (upper, fore))
        missing, far = 0.0, 1.0
        for part in (0.0, 0.5, 1.0):
            point = wrist + part * hand * dot(turns[palm.name], palm.axes[:, 1])
            share = np.clip((point[2] - hip[2]) / (knee[2] - hip[2]), 0.0, 1.0)
            beside = point - hip - share * (knee - hip)
            needed = np.sqrt(max(_BESIDE_THIGH**2 - beside[1] ** 2, 0.0))
            if needed - sign * beside[0] > missing:
                missing, far = needed - sign * beside[0], float(np.sqrt(length2(point - shoulder)))
        outwards = turn(_Y, np.array(-sign * missing / far))
        for bone in (upper, fore, palm):
            turns[bone.name] = matrix_product(outwards, turns[bone.name])


def _places(bones: dict[str, Bone], turns: dict[str, Float64], offset: Float64) -> dict[str, Float64]:
    """Where bones begin in a pose; and where the ears are."""
    places: dict[str, Float64] = {}
    for name, bone in bones.items():
        if bone.parent is None:
            places[name] = bone.head + offset
        elif bone.parent in turns:
            parent = bones[bone.parent]
            places[name] = places[bone.parent] + dot(turns[bone.parent], bone.head - parent.head)
    for side, sign in (("L", 1.0), ("R", -1.0)):
        places[f"ear.{side}"] = places["head"] + dot(turns["head"], _EAR * (sign, 1.0, 1.0))
    return places


def run_through(
    at: Float64, values: Float64, times: Float64, period: float | None, *, is_turn: bool = False
) -> Float64:
    """Values at some times, from key to key without overshooting.

    Args:
        at: float64 (K,), rising, times of the keys.
        values: float64 (K, C); of turns, quaternions.
        times: float64 (N,), that are wanted; held at the ends, or of any range in a cycle.
        period: after which a cycle begins again; None: it is none.
        is_turn: values are quaternions, of which both signs mean the same.

    Returns:
        float64 (N, C).

    Source: Fritsch and Butland 1984, "A method for constructing local monotone piecewise cubic interpolants" (harmonic
    mean of the slopes on both sides).
    """
    if period is not None:
        at = np.concatenate([at - period, at, at + period])
        values = np.concatenate([values] * 3)
        times = np.mod(times, period)
    if is_turn:
        values = without_jumps(values.T, values[:1].T).T
    if len(at) == 1:
        return np.repeat(values, len(times), axis=0)
    step = np.diff(at)[:, None]
    slope = np.diff(values, axis=0) / step
    tangent = np.zeros_like(values)
    before, after = slope[:-1], slope[1:]
    both = before * after > 0.0
    total = np.where(both, before + after, 1.0)
    tangent[1:-1] = np.where(both, 2.0 * before * after / total, 0.0)
    place = np.clip(np.searchsorted(at, times, side="right") - 1, 0, len(at) - 2)
    t = np.clip((times - at[place]) / step[place, 0], 0.0, 1.0)[:, None]
    first, second = values[place], values[place + 1]
    mixed = first + (second - first) * t * t * (3.0 - 2.0 * t)
    return mixed + step[place] * t * (1.0 - t) * (tangent[place] * (1.0 - t) - tangent[place + 1] * t)


def _matrices(turns: Float64) -> Float64:
    """Rotations float64 (N, 3, 3) of quaternions float64 (N, 4) of any length but 0."""
    w, x, y, z = (turns / np.sqrt(length2(turns))[:, None]).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)
