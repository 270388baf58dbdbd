# SPDX-License-Identifier: GPL-3.0-or-later
"""Where people are served at a counter: on free ground before its face on the path's side."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise

import bpy
import numpy as np
from mathutils import Vector
from mathutils.geometry import convex_hull_2d, intersect_line_line_2d

from ..blender_data.evaluation import metres_per_unit
from ..settings.crowd.crowd import FootfallCrowd
from .beside_route import way_near


@dataclass(frozen=True)
class CounterSettings:
    """Where people are served; chosen.

    Attributes:
        distance: so far before the face [m].
        room: nobody is served nearer to an obstacle than this [m].
        step: between places along the face that are tried [m].
        lowest: obstacles lower than this are stood on [m].
        above: obstacles that begin so far above half the height of the counter are over people's heads [m].
        corner: a way that enters so near to a corner, as a share of the face, passes along the counter.
    """

    distance: float = 0.5
    room: float = 0.3
    step: float = 0.25
    lowest: float = 0.1
    above: float = 1.5
    corner: float = 1e-3


_SETTINGS = CounterSettings()
_Face = tuple[Vector, Vector, Vector, Vector]  # its two ends, the point people come to, and the direction out of it


def find_place_before(
    scene: bpy.types.Scene,
    crowd: FootfallCrowd,
    counter: bpy.types.Object,
    on_it: Vector,
    obstacles: Collection[bpy.types.Object],
) -> tuple[Vector, Vector]:
    """Find where people are served at a counter.

    Args:
        scene: the scene.
        crowd: its path decides on the face.
        counter: an obstacle.
        on_it: the point of its surface nearest to the path.
        obstacles: that have to leave room; others than the counter.

    Returns:
        The place, as high as `on_it`, and the direction away from the counter, a unit vector.
    """
    metre = metres_per_unit(scene)
    line = way_near(scene, crowd, on_it)
    if line is None:
        return on_it, Vector((0.0, 0.0, 0.0))
    way = [Vector(point) for point in line.tolist()]
    near = [each for each in obstacles if each != counter and _can_be_met(each)]
    first = None
    for place, out in _places(counter, way, on_it, metre):
        first = first or (place, out)
        if _is_free(place, near, metre):
            return place, out
    return first or (on_it, Vector((0.0, 0.0, 0.0)))


def _places(
    counter: bpy.types.Object, way: list[Vector], on_it: Vector, metre: float
) -> Iterator[tuple[Vector, Vector]]:
    """Places before a counter, the best first: where people come to it, then along that face, then before others."""
    distance, step = _SETTINGS.distance / metre, _SETTINGS.step / metre
    for start, end, at, out in _faces(counter, way, on_it.xy):
        along, length = (end - start).normalized(), (end - start).length
        mine = (at - start).dot(along)
        tried = [number * step for number in range(int(length / step) + 1)]
        for s in sorted([mine, *tried], key=lambda s, mine=mine: abs(s - mine)):
            place = start + s * along + distance * out
            yield Vector((*place, on_it.z)), Vector((*out, 0.0))


def _faces(counter: bpy.types.Object, way: list[Vector], on_it: Vector) -> list[_Face]:
    """The faces of a counter's outline: the first that the way crosses, or else the one nearest to it, comes first."""
    corners = [(counter.matrix_world @ Vector(corner)).xy for corner in counter.bound_box]
    ring = [corners[number] for number in convex_hull_2d([each.to_tuple() for each in corners])]
    if sum((a.x * b.y - a.y * b.x for a, b in pairwise([*ring, ring[0]])), 0.0) < 0.0:
        ring.reverse()
    found = []
    for start, end in pairwise([*ring, ring[0]]):
        along = end - start
        if not along.length:
            continue
        out = Vector((along.y, -along.x)).normalized()
        share = min(max((on_it - start).dot(along) / along.length_squared, 0.0), 1.0)
        nearest = start + share * along
        met = _first_met(way, start, end)
        rank = (met[0], 0.0) if met else (float(len(way)), (nearest - on_it).length)
        found.append((rank, (start, end, met[1] if met else nearest, out)))
    return [face for _, face in sorted(found, key=lambda each: each[0])]


def _first_met(way: list[Vector], start: Vector, end: Vector) -> tuple[float, Vector] | None:
    """Where a way first enters through a face: how far along it, in its points, and the point; None: nowhere."""
    out, edge = Vector((end.y - start.y, start.x - end.x)), _SETTINGS.corner * (end - start)
    for number, (a, b) in enumerate(pairwise(way)):
        if (b - a).dot(out) >= 0.0:
            continue
        point = intersect_line_line_2d(a, b, start + edge, end - edge)
        if point is not None:
            return number + (point - a).length / (b - a).length, point
    return None


def _can_be_met(obstacle: bpy.types.Object) -> bool:
    return isinstance(obstacle.data, bpy.types.Mesh) and len(obstacle.data.polygons) > 0 and obstacle.visible_get()


def _is_free(place: Vector, obstacles: Collection[bpy.types.Object], metre: float) -> bool:
    """Whether no obstacle is too near to a place, or round it."""
    for obstacle in obstacles:
        to_world = obstacle.matrix_world
        heights = [(to_world @ Vector(corner)).z for corner in obstacle.bound_box]
        low, high = min(heights), max(heights)
        if high - low < _SETTINGS.lowest / metre or low > place.z + _SETTINGS.above / metre:
            continue
        here = to_world.inverted_safe() @ Vector((*place.xy, min(max(place.z, low), high)))
        found, point, normal, _ = obstacle.closest_point_on_mesh(here)
        is_near = (to_world @ point - to_world @ here).length < _SETTINGS.room / metre
        ranges = [(min(ends), max(ends)) for ends in zip(*obstacle.bound_box, strict=True)]
        may_be_in = all(least <= at <= most for at, (least, most) in zip(here[:], ranges, strict=True))
        if found and (is_near or (may_be_in and (here - point).dot(normal) < 0.0 and _is_closed(obstacle))):
            return False
    return True


def _is_closed(obstacle: bpy.types.Object) -> bool:
    """Whether each edge is between two faces: nothing is inside of other obstacles, as of a wall drawn as one face."""
    mesh = obstacle.data
    if not isinstance(mesh, bpy.types.Mesh):
        return False
    edges = np.empty(len(mesh.loops), dtype=np.int32)
    mesh.loops.foreach_get("edge_index", edges)
    return bool((np.bincount(edges, minlength=len(mesh.edges)) == 2).all())
