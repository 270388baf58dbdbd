# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes and motions that were read from objects."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from ....core.geometry.polygons import Shape
from ..shapes.bodies import MeshShape
from .curves import Line
from .moving_obstacles import Path

Object = bpy.types.Object


@dataclass(frozen=True)
class ReadShapes:
    """What was read from objects, in the world [m].

    Attributes:
        lines: of curves.
        bodies: of meshes, and of empties that mark places.
        places: footprints.
        paths: the motion of each that moves.
    """

    lines: dict[Object, list[Line]]
    bodies: dict[Object, MeshShape]
    places: dict[Object, Shape]
    paths: dict[Object, Path]
