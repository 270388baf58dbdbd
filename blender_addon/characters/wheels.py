# SPDX-License-Identifier: GPL-3.0-or-later
"""Wheels of vehicles: found by name, rotated by the distance driven, the front wheels steered.

An object is a wheel when its name ends in `Wheel.FL`, `.FR`, `.RL`, `.RR` (or `.F`, `.R` with two wheels) and its
parent is the object that moves the vehicle. Its keys are delta rotations, so that its own rotation is kept.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...core.array_types import Float64
from ...core.geometry.reproducible_math import arctan2, heading_vector, length
from ..blender_data import animation
from ..blender_data.bulk_clips import ClipWriter, Grouped
from ..blender_data.fcurves import Channel
from .performances import Performance

_NAME = re.compile(r"(?:^|[^A-Za-z])Wheel\.(F|R)[LR]?(?:\.\d+)?$", re.IGNORECASE)
_STEERING = "Wheels"


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
    ahead = Vector((*heading_vector(facing).tolist(), 0.0))
    for number, (name, part) in enumerate(zip(names, parts, strict=True)):
        match = _NAME.search(name)
        if match is None or number == 0 or part.parent != parts[0]:
            continue
        matrix = part.matrix_parent_inverse @ part.matrix_basis
        heights = [(matrix @ Vector(corner)).z for corner in part.bound_box]
        radius = 0.5 * (max(heights) - min(heights)) * size
        if radius <= 0.0:
            continue
        part.matrix_parent_inverse = Matrix.Identity(4)
        place, rotation, scale = matrix.decompose()
        part.rotation_mode = "XYZ"
        part.location, part.scale = place, scale
        part.rotation_euler = (Matrix.Rotation(-facing, 3, "Z") @ rotation.to_matrix()).to_euler("XYZ")
        part.delta_rotation_euler = (0.0, 0.0, facing)
        found.append(DrivenWheel(number, radius, match[1].upper() == "F", place.dot(ahead) * size))
    return found


def write_wheels(
    wheels: list[DrivenWheel], performance: Performance, facing: float, *, name: str, also: Grouped, writer: ClipWriter
) -> Iterator[tuple[animation.Clip, str, list[int]]]:
    """Make the Actions that rotate the wheels of one vehicle; the wheels of an axle share one.

    Args:
        wheels: of its template.
        performance: of the vehicle.
        facing: as in `find_wheels`.
        name: of the Actions.
        also: more channels of each Action.
        writer: that makes them.

    Yields:
        Each Action, its name, and numbers of the wheels' objects.
    """
    if not wheels:
        return
    distance = distance_driven(performance)
    axle = max(each.ahead for each in wheels) - min(each.ahead for each in wheels)
    alike: dict[tuple[float, bool], list[DrivenWheel]] = {}
    for each in wheels:
        alike.setdefault((round(each.radius, 4), each.steers), []).append(each)
    for (_, steers), sharing in alike.items():
        steering = steering_angle(distance, performance.heading, axle, performance.fps) if steers else np.zeros(1)
        frames = performance.frames
        channels = [
            Channel("delta_rotation_euler", 1, frames, distance / sharing[0].radius),
            Channel("delta_rotation_euler", 2, frames[: len(steering)], steering + facing),
        ]
        title = f"{name} {'front' if steers else 'rear'} wheels"
        clip = writer.new_clip(title, [Grouped(_STEERING, channels), also])
        yield clip, title, [each.part for each in sharing]


def distance_driven(performance: Performance) -> Float64:
    """Return the distance driven at each frame, float64 (F,) [Blender units]; constant while absent."""
    steps = length(np.diff(performance.location, axis=0))
    there = performance.present[1:] & performance.present[:-1]
    return np.concatenate([[0.0], np.cumsum(np.where(there, steps, 0.0))])


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
