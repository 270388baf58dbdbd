# SPDX-License-Identifier: GPL-3.0-or-later
"""Pedals of bicycles, and the legs on them: found by name, turned as the rear wheel is by a chain.

Objects whose parent is the object that moves the vehicle, by the ends of their names: `Crank`, at its axle; `Pedal.L`
and `Pedal.R`, which stay level; `Thigh.L` with its origin at the hip, and `Shank.L` with its origin at the knee, whose
foot is on the pedal in the pose in which the objects were made. A leg bends in the plane in which the vehicle rolls.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import bpy
import numpy as np

from ....core.array_types import Float64
from ....core.geometry.reproducible_math import arctan2, cos_sin, heading_vector, length, vectors_of
from ...blender_data.fcurves import Channel
from .turning_parts import parts_named, place_of, turn_by_delta
from .wheels import Drive, DrivenWheel

_STILL = 1e-9
_NAME = r"(Crank|(?:Pedal|Thigh|Shank)\.[LR])"


@dataclass(frozen=True)
class PedalSettings:
    """How riders pedal; chosen.

    Attributes:
        gear: turns of the rear wheel for one of the pedals: 4.8 m/s are 63 turns a minute.
        coasting_time: time before and after each moment over which speeds are compared [s].
        coasts_below: who is slower after it than this share of the speed before it does not pedal,
        pedals_above: and above this share they pedal as fast as the wheel turns.
        coasts_downhill: they do not pedal where the road falls more than this [rad] either,
        pedals_downhill: and do where it falls less than this [rad].
    """

    gear: float = 2.2
    coasting_time: float = 0.5
    coasts_below: float = 0.92
    pedals_above: float = 0.97
    coasts_downhill: float = 0.04
    pedals_downhill: float = 0.02


_SETTINGS = PedalSettings()


class Joint(NamedTuple):
    """A part that is turned: its number, and where its origin is, ahead of the body's and above it, float64 (2,).

    Places are in the units of the body's own axes.
    """

    part: int
    place: Float64


class Side(NamedTuple):
    """One side of the bicycle.

    Attributes:
        name: left or right.
        pedal: its pedal.
        leg: thigh and shank that stand on it; empty without a whole leg.
    """

    name: str
    pedal: Joint
    leg: tuple[Joint, ...]


class Pedals(NamedTuple):
    """What turns by the chain.

    Attributes:
        crank: both crank arms.
        sides: pedals and legs.
        wheel: radius of the driven wheel [Blender units].
    """

    crank: Joint
    sides: list[Side]
    wheel: float


def find_pedals(
    names: list[str], parts: list[bpy.types.Object], facing: float, wheels: list[DrivenWheel]
) -> Pedals | None:
    """Find pedals and legs, and prepare them to be turned; None without a crank, a pedal and a wheel behind.

    Args:
        names: the user's names of the objects.
        parts: the objects; the first moves all others.
        facing: direction of the vehicle in the axes of the first object [rad].
        wheels: of the vehicle.
    """
    found: dict[str, int] = {}
    for number, match, _ in parts_named(_NAME, names, parts):
        found.setdefault(match[1].title(), number)
    driven = [each.radius for each in wheels if not each.steers]
    if "Crank" not in found or not {"Pedal.L", "Pedal.R"} & found.keys() or not driven:
        return None
    joints = {}
    for name, number in found.items():
        joints[name] = Joint(number, np.array(place_of(parts[number], facing)))
        turn_by_delta(parts[number], facing)
    sides = []
    for letter, name in (("L", "left"), ("R", "right")):
        pedal, thigh, shank = (joints.get(f"{part}.{letter}") for part in ("Pedal", "Thigh", "Shank"))
        if pedal is not None:
            sides.append(Side(name, pedal, _whole_leg(thigh, shank, pedal)))
    return Pedals(joints["Crank"], sides, driven[0])


def _whole_leg(thigh: Joint | None, shank: Joint | None, pedal: Joint) -> tuple[Joint, ...]:
    """Thigh and shank, if both are there and have a length."""
    if thigh is None or shank is None:
        return ()
    lengths = length(np.diff([thigh.place, shank.place, pedal.place], axis=0))
    return (thigh, shank) if lengths.min() > 0.0 else ()


def turn_pedals(pedals: Pedals, drive: Drive, facing: float) -> Iterator[tuple[str, list[Channel], list[int]]]:
    """Work out how the pedals of one vehicle turn, and how the legs on them move.

    Args:
        pedals: of its template.
        drive: of the vehicle.
        facing: as in `find_pedals`.

    Yields:
        A title, what is keyed, and numbers of the objects that move so.
    """
    turned = 2.0 * math.pi * drive.start + crank_angle(drive, pedals.wheel)
    moved = [(pedals.crank, turned, np.zeros((len(turned), 2)), "crank")]
    for side in pedals.sides:
        shift = turned_by(side.pedal.place - pedals.crank.place, turned) + pedals.crank.place - side.pedal.place
        moved.append((side.pedal, np.zeros(len(turned)), shift, f"{side.name} pedal"))
        if side.leg:
            hip, knee = side.leg
            thigh, shank, bent = bend_leg(hip.place, knee.place, side.pedal.place, shift)
            moved.append((hip, thigh, np.zeros_like(shift), f"{side.name} thigh"))
            moved.append((knee, shank, bent, f"{side.name} shank"))
    for joint, angle, shift, title in moved:
        yield title, _channels(drive.frames, angle, shift, facing), [joint.part]


def _channels(frames: Float64, angle: Float64, shift: Float64, facing: float) -> list[Channel]:
    """Key what a joint does; a single key of what stays as it is, and none of what stays as it was made."""
    along = shift[:, :1] * heading_vector(facing)
    keyed = [("delta_location", axis, values) for axis, values in enumerate((*along.T, shift[:, 1]))]
    found = []
    for path, axis, values in (*keyed, ("delta_rotation_euler", 1, angle)):
        if np.ptp(values) > _STILL:
            found.append(Channel(path, axis, frames, values))
        elif abs(values[0]) > _STILL:
            found.append(Channel(path, axis, frames[:1], values[:1]))
    return found


def crank_angle(drive: Drive, wheel: float) -> Float64:
    """Return how far the pedals have turned, float64 (F,) [rad]; not while the rider slows down or rolls downhill.

    Args:
        drive: of the vehicle.
        wheel: radius of the driven wheel [Blender units].
    """
    driven = np.diff(drive.distance, prepend=drive.distance[0])
    known = np.flatnonzero(drive.present[1:] & drive.present[:-1]) + 1
    if not len(known):
        return np.zeros(len(driven))
    pace = np.interp(np.arange(len(driven)), known, driven[known])  # who leaves is not slower for it
    half = max(round(_SETTINGS.coasting_time * drive.fps), 1)
    way = np.cumsum(np.pad(pace, half, mode="edge"))
    before, after = way[half:-half] - way[: -2 * half], way[2 * half :] - way[half:-half]
    low, high = _SETTINGS.coasts_below, _SETTINGS.pedals_above
    share = np.clip((after - low * before) / np.maximum((high - low) * before, 1e-9), 0.0, 1.0)
    if drive.pitch is not None:
        low, high = _SETTINGS.pedals_downhill, _SETTINGS.coasts_downhill
        share *= np.clip((high + drive.pitch) / (high - low), 0.0, 1.0)
    return np.cumsum(share * driven) / (_SETTINGS.gear * wheel)


def turned_by(place: Float64, angle: Float64) -> Float64:
    """Return a place, ahead and above, that rolls forwards by angles float64 (F,) [rad]: float64 (F, 2)."""
    cos, sin = cos_sin(angle)
    return vectors_of(cos * place[0] + sin * place[1], cos * place[1] - sin * place[0])


def bend_leg(hip: Float64, knee: Float64, foot: Float64, shift: Float64) -> tuple[Float64, Float64, Float64]:
    """Bend a leg so that its foot moves; the knee stays on its side, and a leg that is too short is stretched out.

    Args:
        hip: float64 (2,), ahead and above.
        knee: float64 (2,).
        foot: float64 (2,).
        shift: float64 (F, 2), by which the foot is moved.

    Returns:
        Angles by which thigh and shank roll forwards, float64 (F,) [rad], and by how much the knee moves (F, 2).
    """
    thigh, shank = float(length(knee - hip)), float(length(foot - knee))
    reach = foot + shift - hip
    far = np.clip(length(reach), abs(thigh - shank) + 1e-6, thigh + shank - 1e-6)
    along = far * far + thigh * thigh - shank * shank  # by the law of cosines, of the angle at the hip
    across = np.sqrt(np.maximum(4.0 * thigh * thigh * far * far - along * along, 0.0))
    (kx, kz), (fx, fz) = knee - hip, foot - hip
    side = 1.0 if fx * kz - fz * kx >= 0.0 else -1.0
    angle = arctan2(reach[:, 1], reach[:, 0]) + side * arctan2(across, along)
    cos, sin = cos_sin(angle)
    bent = hip + thigh * vectors_of(cos, sin)
    below = hip + reach * (far / np.maximum(length(reach), 1e-9))[:, None] - bent
    was = arctan2(np.array([kz, fz - kz]), np.array([kx, fx - kx]))
    turns = was - np.stack([angle, arctan2(below[:, 1], below[:, 0])], axis=1)
    turns = np.unwrap(turns, axis=0)
    turns -= 2.0 * math.pi * np.round(turns[0] / (2.0 * math.pi))
    return turns[:, 0], turns[:, 1], bent - knee
