# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads curves as centre lines, without the body that a bevel or a modifier adds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

import bpy
import numpy as np

from ....core.array_types import Float64, Int64
from ....core.geometry.reproducible_math import length, matrix_product
from ...blender_data.evaluation import EvaluationScene, evaluation_scene
from ...blender_data.tags import TAG
from ..shapes.bodies import count_lost
from ..shapes.chains import trace_chains
from ..shapes.meshes import mesh_of, read_edges, read_points
from .findings import Findings

_SAME_POINT_TOLERANCE = 1e-6  # [m]
_MOST_NAMED = 8  # curves that a message suggests
# Modifiers that turn a line into a body, or show only a part of it: a route is the line before them.
_MAKE_BODIES = frozenset({"BEVEL", "BUILD", "REMESH", "SCREW", "SKIN", "SOLIDIFY", "WIREFRAME"})
_ONLY_MOVE = frozenset(
    {
        "ARMATURE", "CAST", "CURVE", "DISPLACE", "HOOK", "LAPLACIANDEFORM", "LATTICE", "MESH_DEFORM", "SHRINKWRAP",
        "SIMPLE_DEFORM", "SMOOTH", "SOFT_BODY", "SURFACE_DEFORM", "WARP", "WAVE",
    }
)  # fmt: skip


@dataclass(frozen=True)
class CurveSettings:
    """How finely curves are sampled and how long they may be.

    Attributes:
        step: largest distance between points of a smooth curve [m]; chosen.
        fewest_points: least number of points in a segment; Blender's default.
        most_points: largest number of points in a segment; chosen.
        longest_route: a longer curve is a mistake of units [m]; chosen: to simulate it takes minutes and gigabytes.
    """

    step: float = 0.25
    fewest_points: int = 12
    most_points: int = 256
    longest_route: float = 20_000.0


CURVE_SETTINGS = CurveSettings()


@dataclass(frozen=True, eq=False)
class Line:
    """One spline of a curve.

    Attributes:
        points: float64 (P, 3), P >= 2, without repeats in a row [m].
        closed: the last point is joined to the first.
    """

    points: Float64
    closed: bool

    @property
    def length(self) -> float:
        """Length of the line [m]."""
        ring = np.concatenate([self.points, self.points[:1]]) if self.closed else self.points
        return float(length(np.diff(ring, axis=0)).sum())


@dataclass(frozen=True, eq=False)
class _Wire:
    """An evaluated curve: points in the world [m], edges, and whether it has faces."""

    points: Float64
    edges: Int64
    has_faces: bool


def read_lines(
    scene: bpy.types.Scene, sources: Iterable[bpy.types.Object], frame: int, scale: float, findings: Findings
) -> dict[bpy.types.Object, list[Line]]:
    """Read the lines of curve objects, or of meshes that consist of edges only.

    Args:
        scene: provides frame rate and units.
        sources: the objects.
        frame: frame number at which they are evaluated.
        scale: metres per Blender unit.
        findings: collects their faults.

    Returns:
        The lines of each object without a fault, in the order of its splines.
    """
    with evaluation_scene(scene) as evaluation:
        stand_ins: dict[bpy.types.Object, bpy.types.Object] = {}
        for source in dict.fromkeys(sources):
            if source.type == "CURVE":
                stand_ins[source] = _bare_copy(evaluation, source, scale)
            elif source.type == "MESH":
                stand_ins[source] = evaluation.bring(source)
            else:
                findings.fault(
                    source.name, f"is of the type {source.type}, and people walk along curves: {_which_curves(scene)}."
                )
        wires = _evaluate(evaluation, stand_ins, frame, scale, findings)
        bodies = {
            s: stand_ins[s]
            for s, wire in wires.items()
            if s.type == "CURVE" and (wire.has_faces or not len(wire.edges))
        }
        if bodies:
            for copy in bodies.values():
                _drop_modifiers(copy, lambda modifier: modifier.type not in _ONLY_MOVE)
            wires |= _evaluate(evaluation, bodies, frame, scale, findings)
    lines = {source: _make_lines(scene, source, wire, findings) for source, wire in wires.items()}
    return {source: found for source, found in lines.items() if found}


def _which_curves(scene: bpy.types.Scene) -> str:
    """Return the advice which curves the user may choose instead."""
    curves = [f"'{each.name}'" for each in scene.objects if each.type == "CURVE" and TAG not in each]
    if not curves:
        return "draw a curve and choose it"
    more = f" and {len(curves) - _MOST_NAMED} more" if len(curves) > _MOST_NAMED else ""
    return f"choose a curve; there {'is' if len(curves) == 1 else 'are'} {', '.join(curves[:_MOST_NAMED])}{more}"


def _bare_copy(evaluation: EvaluationScene, source: bpy.types.Object, scale: float) -> bpy.types.Object:
    """Copy a curve without its thickness, at a resolution fine enough to be followed."""
    copy = evaluation.copy(source, with_data=True)
    curve = cast("bpy.types.Curve", copy.data)
    curve.bevel_mode = "ROUND"
    curve.bevel_depth = curve.extrude = 0.0
    curve.bevel_object = curve.taper_object = None
    if curve.dimensions == "2D":
        curve.fill_mode = "NONE"  # ty: ignore[invalid-assignment] - a choice of flat curves only
    size = scale * max(abs(factor) for factor in source.matrix_world.to_scale())
    for spline in curve.splines:
        spline.resolution_u = max(spline.resolution_u, _resolution(spline, size))
    _drop_modifiers(copy, lambda modifier: modifier.type in _MAKE_BODIES)
    return copy


def _resolution(spline: bpy.types.Spline, size: float) -> int:
    """Return the number of points per segment at which the longest segment has one at each step.

    A power of two: when one end of a curve is dragged, the rest of it mostly stays exactly the same.
    """
    if spline.type == "BEZIER":
        knots = [(p.handle_left[:], p.co[:], p.handle_right[:]) for p in spline.bezier_points]
        ends = pairwise([*knots, knots[0]] if spline.use_cyclic_u else knots)
        lengths = [math.dist(a[1], a[2]) + math.dist(a[2], b[0]) + math.dist(b[0], b[1]) for a, b in ends]
    else:
        corners = [p.co[:3] for p in spline.points]
        lengths = [math.dist(a, b) for a, b in pairwise(corners)]
    longest = max((each for each in lengths if math.isfinite(each)), default=0.0) * size
    wanted = max(math.ceil(longest / CURVE_SETTINGS.step), CURVE_SETTINGS.fewest_points)
    return min(1 << (wanted - 1).bit_length(), CURVE_SETTINGS.most_points)


def _drop_modifiers(copy: bpy.types.Object, unwanted: Callable[[bpy.types.Modifier], bool]) -> None:
    for modifier in [modifier for modifier in copy.modifiers if unwanted(modifier)]:
        copy.modifiers.remove(modifier)


def _evaluate(
    evaluation: EvaluationScene,
    stand_ins: dict[bpy.types.Object, bpy.types.Object],
    frame: int,
    scale: float,
    findings: Findings,
) -> dict[bpy.types.Object, _Wire]:
    graph = evaluation.evaluate(frame)
    wires = {}
    for source, stand_in in stand_ins.items():
        evaluated = stand_in.evaluated_get(graph)
        if evaluated.hide_viewport:
            findings.hidden_by_animation(source, frame)
        else:
            wires[source] = _read_wire(evaluated, scale)
    return wires


def _read_wire(evaluated: bpy.types.Object, scale: float) -> _Wire:
    with mesh_of(evaluated) as mesh:
        if mesh is None:
            return _Wire(np.empty((0, 3)), np.empty((0, 2), np.int64), has_faces=False)
        points, edges, has_faces = read_points(mesh), read_edges(mesh), len(mesh.polygons) > 0
    matrix = np.array(evaluated.matrix_world, dtype=np.float64)
    in_world = (matrix_product(points, matrix[:3, :3].T) + matrix[:3, 3]) * scale
    return _Wire(in_world, edges, has_faces)


def _make_lines(scene: bpy.types.Scene, source: bpy.types.Object, wire: _Wire, findings: Findings) -> list[Line]:
    """Make the lines of one object; none where it has a fault, which goes to the findings."""
    fault = _fault_of(scene, source, wire)
    if fault:
        findings.fault(source.name, fault)
        return []
    chains = trace_chains(wire.edges)
    lines = [_without_repeats(wire.points[chain], closed) for chain, closed in chains]
    lines = [line for line in lines if len(line.points) >= 2]
    if not lines:
        findings.fault(source.name, "all its points lie at one place: it has no length.")
        return []
    alone = len(wire.points) - len(np.unique(wire.edges))
    if any(float(np.ptp(line.points[:, :2], axis=0).max()) <= _SAME_POINT_TOLERANCE for line in lines):
        findings.fault(source.name, "is vertical: a route needs points that differ in x or y, not only in height.")
        return []
    if source.type == "CURVE" and not source.modifiers:
        splines = cast("bpy.types.Curve", source.data).splines
        if any(map(_is_cyclic_pair, splines)):
            which = "is" if len(splines) == 1 else "one of its splines is"
            findings.notice(
                f"{source.name}: {which} cyclic, but has only two points, so it is walked once, from the first to the "
                "second. Add a third point, or turn Cyclic off."
            )
    left_out = len(chains) - len(lines) + alone
    if left_out:
        findings.notice(
            f"{source.name}: {left_out} of its {len(chains) + alone} splines "
            f"{'has no length and was' if left_out == 1 else 'have no length and were'} left out."
        )
    return lines


def _is_cyclic_pair(spline: bpy.types.Spline) -> bool:
    """Return whether a spline goes straight there and back: with handles it may be round."""
    return spline.use_cyclic_u and spline.type != "BEZIER" and len(spline.points) == 2


def _fault_of(scene: bpy.types.Scene, source: bpy.types.Object, wire: _Wire) -> str:
    what = "curve" if source.type == "CURVE" else "mesh"
    if not len(wire.points):
        return f"the {what} has no points: draw it, or choose another one."
    if count_lost(wire.points):
        return f"the {what} has a point that is not a finite number (NaN or infinite) or very far away: delete it."
    if wire.has_faces:
        return (
            "the mesh has faces; people walk along a curve, or along a mesh that consists of edges only: "
            f"{_which_curves(scene)}. To convert this mesh, delete everything but the edges of the path in "
            "Edit Mode, and use Object > Convert > Curve."
        )
    if not len(wire.edges):
        count = "only one point" if len(wire.points) == 1 else "only separate points"
        return f"the {what} has {count}: a route needs at least two that are joined."
    if np.bincount(wire.edges.reshape(-1)).max() > 2:
        return f"the {what} branches: more than two of its edges meet at one point, and a route is one line."
    return ""


def _without_repeats(points: Float64, closed: bool) -> Line:
    """Make a line without repeated points; a ring of two points runs there and back, so it counts as open."""
    previous = np.roll(points, 1, axis=0)
    apart = length(points - previous) > _SAME_POINT_TOLERANCE
    if not closed:
        apart[0] = True
    kept = points[apart] if apart.any() else points[:1]
    return Line(kept, closed and len(kept) >= 3)
