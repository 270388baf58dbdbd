# SPDX-License-Identifier: GPL-3.0-or-later
"""Wheels of vehicles: found by name, rotated by the distance driven, the front wheels steered.

An object is a wheel when its name ends in `Wheel.FL`, `.FR`, `.RL`, `.RR` (or `.F`, `.R` with two wheels) and its
parent is the object that moves the vehicle.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Vector

from ....core.array_types import Bool, Float64
from ....core.geometry.reproducible_math import arctan2
from ...blender_data.fcurves import Channel
from .turning_parts import parts_named, place_of, turn_by_delta

_NAME = r"Wheel\.(F|R)[LR]?"


@dataclass(frozen=True)
class WheelSettings:
    """How front wheels are steered; chosen.

    Attributes:
        steering_time: time before and after each moment over which the curvature is averaged [s]: so the wheels turn by
            no more than about 35 degrees per second where a bend follows another to the opposite side.
        least_reach: as far before and behind at least, also for a vehicle that stands, as a share of the wheelbase.
        most_steering: largest steering angle [rad].
    """

    steering_time: float = 0.7
    least_reach: float = 0.28
    most_steering: float = math.radians(40.0)


_SETTINGS = WheelSettings()


class Drive(NamedTuple):
    """How a vehicle goes.

    Attributes:
        frames: float64 (F,), frames of the keys.
        distance: float64 (F,), driven [Blender units]; constant while absent.
        present: bool (F,).
        heading: float64 (F,), continuous [rad].
        pitch: float64 (F,), its front is higher [rad]; None: it is level.
        start: by how much its pedals have turned at first [turns].
        fps: frames per second.
    """

    frames: Float64
    distance: Float64
    present: Bool
    heading: Float64
    pitch: Float64 | None
    start: float
    fps: float


class DrivenWheel(NamedTuple):
    """A wheel of a vehicle.

    Attributes:
        part: its number among the vehicle's objects.
        radius: [Blender units].
        steers: it is in front.
        ahead: distance before the vehicle's origin [Blender units].
    """

    part: int
    radius: float
    steers: bool
    ahead: float


def find_wheels(names: list[str], parts: list[bpy.types.Object], facing: float) -> list[DrivenWheel]:
    """Find a vehicle's wheels and prepare them to be rotated.

    Args:
        names: the user's names of the objects.
        parts: the objects; the first moves all others.
        facing: direction of the vehicle in the axes of the first object [rad].
    """
    found = []
    size = parts[0].scale.z
    for number, match, part in parts_named(_NAME, names, parts):
        matrix = part.matrix_parent_inverse @ part.matrix_basis
        heights = [(matrix @ Vector(corner)).z for corner in part.bound_box]
        radius = 0.5 * (max(heights) - min(heights)) * size
        if radius <= 0.0:
            continue
        ahead, _ = place_of(part, facing)
        turn_by_delta(part, facing)
        found.append(DrivenWheel(number, radius, match[1].upper() == "F", ahead * size))
    return found


def turn_wheels(
    wheels: Sequence[DrivenWheel], drive: Drive, facing: float
) -> Iterator[tuple[str, list[Channel], list[int]]]:
    """Work out how the wheels of one vehicle turn; the wheels of an axle turn alike.

    Args:
        wheels: of its template, one at least.
        drive: of the vehicle.
        facing: as in `find_wheels`.

    Yields:
        A title, what is keyed, and numbers of the objects that turn so.
    """
    axle = max(each.ahead for each in wheels) - min(each.ahead for each in wheels)
    alike: dict[tuple[float, bool], list[DrivenWheel]] = {}
    for each in wheels:
        alike.setdefault((round(each.radius, 4), each.steers), []).append(each)
    for (_, steers), sharing in alike.items():
        steering = steering_angle(drive.distance, drive.heading, axle, drive.fps) if steers else np.zeros(1)
        frames = drive.frames
        channels = [
            Channel("delta_rotation_euler", 1, frames, drive.distance / sharing[0].radius),
            Channel("delta_rotation_euler", 2, frames[: len(steering)], steering + facing),
        ]
        yield f"{'front' if steers else 'rear'} wheels", channels, [each.part for each in sharing]


def steering_angle(distance: Float64, heading: Float64, axle: float, fps: float) -> Float64:
    """Return the steering angle of the front wheels, to the left, float64 (F,) [rad].

    Args:
        distance: float64 (F,), distance driven.
        heading: float64 (F,), continuous [rad].
        axle: from the rear wheels to the front ones, in the unit of `distance`.
        fps: frames per second.

    Source: the kinematic bicycle model: the angle's tangent is the distance of the axles times the curvature.
    """
    reach, most = _SETTINGS.least_reach * axle, _SETTINGS.most_steering
    half = round(_SETTINGS.steering_time * fps)
    around = np.pad(distance, half, mode="edge")
    before = np.maximum(np.minimum(around[: len(distance)], distance - reach), distance[0])
    after = np.minimum(np.maximum(around[2 * half :], distance + reach), distance[-1])
    turned = np.interp(after, distance, heading) - np.interp(before, distance, heading)
    curvature = turned / np.maximum(after - before, max(0.5 * reach, 1e-6))
    return np.clip(arctan2(axle * curvature, 1.0), -most, most)
