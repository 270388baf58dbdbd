# SPDX-License-Identifier: GPL-3.0-or-later
"""The built-in vehicles: a car, a van, a bus and a bicycle with its rider, made by script.

Each is a body, which is on the ground and faces -Y, and wheels as separate objects, named `Wheel.FL`, `Wheel.FR`,
`Wheel.RL`, `Wheel.RR`; of a bicycle `Wheel.F` and `Wheel.R`, pedals and the rider's legs. Meshes and materials are
shared by all copies; the paint takes the colour of its object.
"""

from __future__ import annotations

import math
from typing import Any

import bmesh
import bpy

from ....core.scene.basics.vehicle_kinds import BICYCLE, BUS, CAR, VAN, VEHICLE_KINDS
from ...bakes.roles import WeightedDraw
from ...blender_data.node_builder import new_material
from ...figures.parts import find_marked, mark
from . import shapes
from .bicycle import bicycle
from .shapes import Coach, SeparatePart, VehicleSurface

_Colour = tuple[float, float, float]

_EDITION = 3  # grows when the models change

_COACHES = {
    CAR: Coach(
        outline=(
            *((-2.18, 0.24), (-2.25, 0.55), (-2.22, 0.93), (-1.75, 1.0), (-1.05, 1.42), (-0.45, 1.47)),
            *((0.2, 1.42), (0.95, 1.0), (1.9, 0.84), (2.18, 0.72), (2.25, 0.5), (2.18, 0.24)),
        ),
        belt=1.0,
        lean=0.32,
        width=1.8,
        axles=(-1.32, 1.36),
        wheel_radius=0.33,
        panes=(
            ((-1.4, 1.04), (-0.98, 1.36), (-0.46, 1.4), (-0.42, 1.04)),
            ((-0.34, 1.04), (-0.38, 1.4), (0.16, 1.36), (0.74, 1.04)),
        ),
        screens=(3, 6),
        lamps=(0.66, 0.78),
    ),
    VAN: Coach(
        outline=(
            *((-2.88, 0.3), (-2.95, 0.55), (-2.95, 1.15), (-2.88, 2.25), (-2.75, 2.35), (1.1, 2.35)),
            *((1.25, 2.28), (2.05, 1.15), (2.8, 0.98), (2.95, 0.6), (2.88, 0.3)),
        ),
        belt=1.15,
        lean=0.09,
        width=2.0,
        axles=(-1.75, 1.9),
        wheel_radius=0.36,
        panes=(((0.62, 1.2), (0.62, 1.95), (1.36, 1.95), (1.85, 1.2)),),
        screens=(6,),
        lamps=(0.78, 0.9),
    ),
    BUS: Coach(
        outline=(
            *((-5.95, 0.32), (-6.0, 0.6), (-6.0, 1.1), (-5.93, 2.9), (-5.75, 3.05), (5.65, 3.05)),
            *((5.85, 2.9), (6.0, 1.1), (6.0, 0.6), (5.95, 0.32)),
        ),
        belt=1.1,
        lean=0.04,
        width=2.5,
        axles=(-3.1, 3.2),
        wheel_radius=0.48,
        panes=tuple(
            ((u, 1.2), (u, 2.55), (u + 1.45, 2.55), (u + 1.45, 1.2)) for u in (-5.6, -4.05, -2.5, -0.95, 0.6, 2.15, 4.1)
        ),
        screens=(2, 6),
        lamps=(0.75, 0.75),
    ),
}

_LOOKS = (
    ("paint", None, 0.35),
    ("glass", (0.012, 0.016, 0.02), 0.08),
    ("tyre", (0.012, 0.012, 0.013), 0.9),
    ("metal", (0.42, 0.43, 0.45), 0.35),
    ("lamp", (0.85, 0.85, 0.8), 0.15),
    ("tail lamp", (0.35, 0.01, 0.01), 0.25),
    ("dark", (0.02, 0.021, 0.025), 0.7),
    ("skin", (0.53, 0.3, 0.2), 0.55),
)

_PAINTS = (
    *((0.35, 0.06, 0.05), (0.55, 0.56, 0.57), (0.03, 0.035, 0.04), (0.04, 0.1, 0.24), (0.72, 0.72, 0.7)),
    *((0.16, 0.17, 0.18), (0.05, 0.14, 0.09), (0.4, 0.33, 0.22)),
    *(VEHICLE_KINDS[kind].colour for kind in (VAN, BUS)),
)
"""Colours of paint, linear; the first is that of the models themselves."""

_CAR_PAINTS = {0: 2, 1: 4, 2: 4, 3: 3, 4: 4, 5: 4, 6: 1, 7: 1}
_FREQUENT = {CAR: _CAR_PAINTS, BICYCLE: _CAR_PAINTS, VAN: {0: 1, 1: 3, 2: 1, 3: 2, 5: 2, 8: 6}, BUS: {9: 1}}
"""How often vehicles have each of them: greys most often, and the buses of a town are alike; chosen."""

PAINT_DRAWS = {kind: WeightedDraw(list(often), list(often.values())) for kind, often in _FREQUENT.items()}
"""What the number of the paint of a vehicle is drawn from, by its kind."""


def make_vehicle(kind: str, length: float, width: float) -> tuple[list[bpy.types.Object], float]:
    """Make template objects of a vehicle, in no collection; `remove_unused_figures` removes them again.

    A longer vehicle is not higher; a very short one, and a bicycle, is scaled altogether.

    Args:
        kind: a key of `VEHICLE_KINDS`.
        length: of the vehicle [m].
        width: of the vehicle [m].

    Returns:
        Its objects, the body first, and the scale at which it has this length and width.
    """
    known = VEHICLE_KINDS[kind]
    stretch = 1.0 if kind == BICYCLE else max(round(length / known.length, 3), shapes.STYLE.shortest)
    size = length / (stretch * known.length)
    wide = max(round(width / (size * known.width), 3), shapes.STYLE.narrowest)
    body, others = bicycle(wide) if kind == BICYCLE else _coach(_COACHES[kind], stretch, wide)
    form = "" if stretch == wide == 1.0 else f" {stretch:g} x {wide:g}"
    mover = _object(kind.title(), f"{kind} body{form}", body)
    parts = [mover]
    for each in others:
        is_wheel = each.name.startswith("Wheel")
        part = _object(each.name, f"{kind} wheel" if is_wheel else f"{kind} {each.name}{form}", each.surface)
        part.parent, part.location = mover, each.place
        parts.append(part)
    return parts, size


def _coach(coach: Coach, stretch: float, wide: float) -> tuple[VehicleSurface, list[SeparatePart]]:
    stretched = coach.stretched(stretch, wide)
    return shapes.coach_body(stretched), stretched.wheels()


def paint(copy: bpy.types.Object, number: int) -> None:
    """Paint a copy of a part of a vehicle: its object's colour, and for Solid mode the material of its slot.

    Args:
        copy: the object; its mesh, which others share, keeps its own materials.
        number: of the paint.
    """
    copy.color = (*_PAINTS[number], 1.0)
    for place in copy.material_slots:
        slot: Any = place
        if slot.material is not None and slot.material == _paint(0):
            slot.link, slot.material = "OBJECT", _paint(number)


def _object(name: str, part: str, surface: VehicleSurface) -> bpy.types.Object:
    tag = f"{part} {_EDITION}"
    mesh = find_marked(bpy.data.meshes, tag)
    if mesh is None:
        mesh = bpy.data.meshes.new(f"Footfall {part}")
        mesh.from_pydata(surface.corners, [], surface.faces)
        _turn_outwards(mesh)
        mesh.polygons.foreach_set("material_index", surface.materials)
        mesh.polygons.foreach_set("use_smooth", [True] * len(surface.faces))
        mesh.set_sharp_from_angle(angle=math.radians(40.0))
        for look in _LOOKS:
            mesh.materials.append(_material(*look))
        mark(mesh, tag)
    made = bpy.data.objects.new(name, mesh)
    mark(made, tag)
    return made


def _turn_outwards(mesh: bpy.types.Mesh) -> None:
    shape = bmesh.new()
    shape.from_mesh(mesh)
    bmesh.ops.recalc_face_normals(shape, faces=shape.faces[:])
    shape.to_mesh(mesh)
    shape.free()


def _paint(number: int) -> bpy.types.Material:
    """Find or make a paint that takes the colour of its object; where only one colour can be shown, its own."""
    name, _, roughness = _LOOKS[shapes.PAINT]
    return _material(f"{name} {number + 1}" if number else name, None, roughness, shown=_PAINTS[number])


def _material(
    name: str, colour: _Colour | None, roughness: float, *, shown: _Colour = _PAINTS[0]
) -> bpy.types.Material:
    """Find or make a material of the vehicles; without a colour it takes that of the object, in Solid mode `shown`."""
    tag = f"vehicle {name} {_EDITION}"
    known = find_marked(bpy.data.materials, tag)
    if known is not None:
        return known
    made, painted = new_material(f"Footfall {name}", colour or shown, roughness)
    mark(made, tag)
    if colour is None:
        tree = made.node_tree
        info = tree.nodes.new("ShaderNodeObjectInfo")
        info.location = (-260.0, 200.0)
        tree.links.new(info.outputs["Color"], painted)
    return made
