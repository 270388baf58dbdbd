# SPDX-License-Identifier: GPL-3.0-or-later
"""Wheels of vehicles: found by their names, turned by the way that is driven, the front ones steered.

An object is a wheel when its name ends in `Wheel.FL`, `.FR`, `.RL`, `.RR` (or `.F`, `.R` of what has two) and it hangs
on the object that moves the vehicle. Its keys are delta rotations, so that it keeps the rotation it was made with.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Matrix, Vector
from numpy.typing import NDArray

from ..blender_data import animation
from ..blender_data.animation import Channel
from ..blender_data.bulk_clips import ClipWriter, Grouped
from .performances import Performance

Float64 = NDArray[np.float64]

_NAME = re.compile(r"(?:^|[^A-Za-z])Wheel\.(F|R)[LR]?(?:\.\d+)?$", re.IGNORECASE)
_STEERING = "Wheels"
_SIGHT = 0.75  # [m]: over so much of the way to both sides the bend is looked at
_MOST = math.radians(40.0)


class DrivenWheel(NamedTuple):
    """A wheel of a vehicle.

    Attributes:
        part: its number among the vehicle's objects.
        radius: [Blender units].
        steers: it is in front.
        ahead: how far before the vehicle's origin [Blender units].
    """

    part: int
    radius: float
    steers: bool
    ahead: float


def find_wheels(names: list[str], parts: list[bpy.types.Object], facing: float) -> list[DrivenWheel]:
    """Find a vehicle's wheels and make them ready to be turned.

    Args:
        names: what the user calls the objects.
        parts: the objects; the first moves all others.
        facing: the way that the vehicle looks in the first one's axes [rad].
    """
    found = []
    size = parts[0].scale.z
    ahead = Vector((math.cos(facing), math.sin(facing), 0.0))
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
    """Make the Actions that turn the wheels of one vehicle; those of an axle share one.

    Args:
        wheels: of its template.
        performance: what it does.
        facing: as in `find_wheels`.
        name: of the Actions.
        also: more that they animate.
        writer: makes them.

    Yields:
        Each Action, what it is to be called, and numbers of the wheels' objects.
    """
    if not wheels:
        return
    way = way_driven(performance)
    axle = max(each.ahead for each in wheels) - min(each.ahead for each in wheels)
    alike: dict[tuple[float, bool], list[DrivenWheel]] = {}
    for each in wheels:
        alike.setdefault((round(each.radius, 4), each.steers), []).append(each)
    for (_, steers), sharing in alike.items():
        steering = steering_angle(way, performance.heading, axle) if steers else np.zeros(1)
        frames = performance.frames
        channels = [
            Channel("delta_rotation_euler", 1, frames, way / sharing[0].radius),
            Channel("delta_rotation_euler", 2, frames[: len(steering)], steering + facing),
        ]
        title = f"{name} {'front' if steers else 'rear'} wheels"
        clip = writer.new_clip(title, [Grouped(_STEERING, channels), also])
        yield clip, title, [each.part for each in sharing]


def way_driven(performance: Performance) -> Float64:
    """How far it has come at each frame, float64 (F,) [Blender units]; nothing while it is away."""
    steps = np.hypot(*np.diff(performance.location[:, :2], axis=0).T)
    there = performance.present[1:] & performance.present[:-1]
    return np.concatenate([[0.0], np.cumsum(np.where(there, steps, 0.0))])


def steering_angle(way: Float64, heading: Float64, axle: float) -> Float64:
    """How far front wheels are turned to the left, float64 (F,) [rad].

    Args:
        way: float64 (F,), how far it has come.
        heading: float64 (F,), continuous [rad].
        axle: from the rear wheels to the front ones, in the same unit as `way`.

    Source: the kinematic bicycle model: the angle's tangent is the distance of the axles times the curvature.
    """
    before, after = np.maximum(way - _SIGHT, way[0]), np.minimum(way + _SIGHT, way[-1])
    turned = np.interp(after, way, heading) - np.interp(before, way, heading)
    curvature = turned / np.maximum(after - before, 0.5 * _SIGHT)
    return np.clip(np.arctan(axle * curvature), -_MOST, _MOST)
