# SPDX-License-Identifier: GPL-3.0-or-later
"""What several examples share: paving, houses with windows, trees, and marks of places."""

from __future__ import annotations

import math
from collections.abc import Sequence

import bpy

if __package__:  # opened from the panel
    from . import stage
else:
    import stage  # which its folder is on the path of modules for


def box(x: float, y: float, length: float, width: float) -> list[tuple[float, float]]:
    """The corners of a rectangle round a middle, counter-clockwise."""
    a, b = length / 2, width / 2
    return [(x - a, y - b), (x + a, y - b), (x + a, y + b), (x - a, y + b)]


def mark(name: str, area: tuple[float, float, float, float], into: bpy.types.Collection) -> bpy.types.Object:
    """Mark a place, from x and y to x and y, by a flat mesh that is shown as wire and not rendered."""
    x0, y0, x1, y1 = area
    corners = [(x0, y0, 0.0), (x1, y0, 0.0), (x1, y1, 0.0), (x0, y1, 0.0)]
    made = stage.from_faces(name, corners, [(0, 1, 2, 3)], stage.material("Place", (0.2, 0.5, 0.9)), into)
    made.display_type, made.hide_render = "WIRE", True
    return made


def spot(
    name: str, place: tuple[float, float, float], into: bpy.types.Collection, *, turn: float = 0.0
) -> bpy.types.Object:
    """Mark a point by an empty whose Y axis is turned by an angle from north [rad]."""
    made = bpy.data.objects.new(name, None)
    made.empty_display_type, made.empty_display_size = "SINGLE_ARROW", 0.6
    made.location, made.rotation_euler = place, (0.0, 0.0, turn)
    into.objects.link(made)
    return made


def pave(slabs: tuple[int, int, int, int], colour: tuple[float, float, float], into: bpy.types.Collection) -> None:
    """Lay the ground: slabs of a metre from x and y to x and y, with dark joints, and far around as the joints are."""
    paint = stage.material("Slabs", colour, roughness=0.9)
    joints = stage.material("Joints", (0.2, 0.18, 0.16), roughness=1.0)
    ground = [(-60, -40, -0.02), (60, -40, -0.02), (60, 40, -0.02), (-60, 40, -0.02)]
    stage.from_faces("Joints", ground, [(0, 1, 2, 3)], joints, into)
    corners: list[tuple[float, float, float]] = []
    faces = []
    left, low, right, high = slabs
    for column in range(left, right):
        for row in range(low, high):
            x0, y0, x1, y1 = column + 0.02, row + 0.02, column + 0.98, row + 0.98
            faces.append(tuple(range(len(corners), len(corners) + 4)))
            corners += [(x0, y0, 0.0), (x1, y0, 0.0), (x1, y1, 0.0), (x0, y1, 0.0)]
    stage.from_faces("Slabs", corners, faces, paint, into)


def houses(
    sizes: Sequence[tuple[float, float]], corner: tuple[float, float], into: bpy.types.Collection, *, deep: float = 10.0
) -> None:
    """Build a row of houses with windows to the south.

    Args:
        sizes: width and height of each [m].
        corner: where the row begins in the west, and where its front stands [m].
        into: their collection.
        deep: from the front to the back [m].
    """
    plaster = [
        stage.material("Plaster ochre", (0.72, 0.52, 0.3)),
        stage.material("Plaster rose", (0.68, 0.42, 0.34)),
        stage.material("Plaster cream", (0.78, 0.7, 0.55)),
        stage.material("Plaster grey", (0.55, 0.56, 0.55)),
    ]
    glass = stage.material("Window", (0.05, 0.07, 0.1), roughness=0.15)
    left, front = corner
    for number, (width, height) in enumerate(sizes):
        outline = [(left, front), (left + width, front), (left + width, front + deep), (left, front + deep)]
        stage.solid(f"House {number + 1}", [(outline, 0, height)], plaster[number % 4], into)
        panes = []
        for storey in range(int(height // 3)):
            for pane in range(int(width // 2)):
                x, z = left + (pane + 0.5) * width / (width // 2), 0.9 + 3 * storey
                panes.append((box(x, front - 0.035, 1.0, 0.07), z, z + 1.6))
        stage.solid(f"Windows {number + 1}", panes, glass, into)
        left += width


def tree(name: str, x: float, y: float, scale: float, into: bpy.types.Collection) -> bpy.types.Object:
    """Plant a tree: a crown of three round tufts, and a trunk, which is returned."""
    bark, leaves = stage.material("Bark", (0.16, 0.1, 0.06)), stage.material("Leaves", (0.13, 0.26, 0.07))
    trunk = stage.solid(f"{name} trunk", [(stage.circle(x, y, 0.16 * scale, 10), 0, 2.4 * scale)], bark, into)
    tufts = ((0, 0, 3.3, 1.45), (0.8, -0.3, 2.8, 1.0), (-0.7, 0.3, 2.9, 1.05))
    for dx, dy, z, radius in tufts:
        corners, faces = _ball(radius * scale, 16, 10)
        tuft = stage.from_faces(f"{name} crown", corners, faces, leaves, into, smooth=True)
        tuft.location = (x + dx * scale, y + dy * scale, z * scale)
    return trunk


def _ball(radius: float, around: int, down: int) -> tuple[list[tuple[float, float, float]], list[tuple[int, ...]]]:
    """Corners and faces of a ball, with quads throughout."""
    corners = []
    for ring in range(down + 1):
        tilt = math.pi * (ring + 0.02) / (down + 0.04)
        for x, y in stage.circle(0.0, 0.0, radius * math.sin(tilt), around):
            corners.append((x, y, 0.85 * radius * math.cos(tilt)))
    faces: list[tuple[int, ...]] = []
    for ring in range(down):
        for k in range(around):
            a, b = ring * around + k, ring * around + (k + 1) % around
            faces.append((a, a + around, b + around, b))
    return corners, faces


def crown(x: float, y: float, z: float, size: float, leaf: bpy.types.Material, into: bpy.types.Collection) -> None:
    """Put a round crown of leaves onto a tree."""
    rings, around = 7, 12
    corners = [
        (x + size * math.sin(a) * math.cos(b), y + size * math.sin(a) * math.sin(b), z + 1.15 * size * math.cos(a))
        for a in (math.pi * (ring + 0.5) / rings for ring in range(rings))
        for b in (math.tau * k / around for k in range(around))
    ]
    faces: list[tuple[int, ...]] = [
        (around * r + k, around * (r + 1) + k, around * (r + 1) + (k + 1) % around, around * r + (k + 1) % around)
        for r in range(rings - 1)
        for k in range(around)
    ]
    faces += [tuple(reversed(range(around))), tuple(range(around * (rings - 1), around * rings))]
    stage.from_faces("Crown", corners, faces, leaf, into, smooth=True)
