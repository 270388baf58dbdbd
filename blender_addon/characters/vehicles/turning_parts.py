# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of vehicles that turn: found by the ends of their names, and prepared to be turned by delta keys alone.

Their own rotation is kept. Delta rotations are about the axes of a vehicle that looks along +X: Y rolls forwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import bpy
from mathutils import Matrix, Vector

from ....core.geometry.reproducible_math import heading_vector


def parts_named(
    pattern: str, names: list[str], parts: list[bpy.types.Object]
) -> Iterator[tuple[int, re.Match[str], bpy.types.Object]]:
    """Yield the number of each part, and what was found in its name, whose parent is the first part.

    Args:
        pattern: the end of a name, after its beginning or what is no letter; a number that Blender appends may follow.
        names: the user's names of the objects.
        parts: the objects; the first moves all others.
    """
    named = re.compile(rf"(?:^|[^A-Za-z]){pattern}(?:\.\d+)?$", re.IGNORECASE)
    for number, (name, part) in enumerate(zip(names, parts, strict=True)):
        match = named.search(name)
        if match is not None and number > 0 and part.parent == parts[0]:
            yield number, match, part


def place_of(part: bpy.types.Object, facing: float) -> tuple[float, float]:
    """Return how far a part's origin is ahead of its parent's, and above it, in the parent's axes.

    Args:
        part: the object.
        facing: direction of the vehicle in these axes [rad].
    """
    place = (part.matrix_parent_inverse @ part.matrix_basis).translation
    return place.dot(Vector((*heading_vector(facing).tolist(), 0.0))), place.z


def turn_by_delta(part: bpy.types.Object, facing: float) -> None:
    """Prepare a part to be turned by keys of its delta rotation; it stays where it is.

    Args:
        part: the object.
        facing: as in `place_of`.
    """
    place, rotation, scale = (part.matrix_parent_inverse @ part.matrix_basis).decompose()
    part.matrix_parent_inverse = Matrix.Identity(4)
    part.rotation_mode = "XYZ"
    part.location, part.scale = place, scale
    part.rotation_euler = (Matrix.Rotation(-facing, 3, "Z") @ rotation.to_matrix()).to_euler("XYZ")
    part.delta_rotation_euler = (0.0, 0.0, facing)
    part.delta_location, part.delta_scale = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
