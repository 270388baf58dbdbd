# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads where people of a crowd stop on their way: places of the core, shared by all crowds that name them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import bpy
import numpy as np

from ...core.array_types import Float64
from ...core.geometry.polygons import Shape
from ...core.geometry.reproducible_math import arctan2
from ...core.scene import Place, Stop
from ..blender_data.evaluation import evaluation_scene
from ..settings.crowd.crowd import FootfallCrowd
from ..settings.crowd.stops import LOOK_AT, QUEUE, FootfallStop
from .curves import Line
from .findings import Findings, Names

Object = bpy.types.Object


@dataclass
class ReadStops:
    """The stops of crowds.

    Attributes:
        places: of the core.
        place_sources: the name of the object or collection of each.
        of_crowd: the stops of each crowd of the panel that has some, by its number.
    """

    places: list[Place] = field(default_factory=list)
    place_sources: list[str] = field(default_factory=list)
    of_crowd: dict[int, tuple[Stop, ...]] = field(default_factory=dict)


def objects_of(stop: FootfallStop) -> list[Object]:
    """Return the objects at which people stop: one, or those of a collection by their names."""
    if stop.place is not None:
        return [stop.place]
    return sorted(stop.places.all_objects, key=lambda each: each.name) if stop.places is not None else []


def check_stops(scene: bpy.types.Scene, crowds: Sequence[FootfallCrowd], findings: Findings) -> list[FootfallStop]:
    """Report stops without a place, or whose objects are no longer in the scene; return those that are sound.

    Args:
        scene: the scene.
        crowds: of the panel.
        findings: collects a fault for each.
    """
    there, sound = set(scene.objects), []
    for crowd in crowds:
        for stop in () if crowd.drives else crowd.stops:
            fault = _fault_of(stop, there)
            if fault:
                findings.fault(crowd.name, f"its stop '{stop.name}' {fault}")
            else:
                sound.append(stop)
    return sound


def _fault_of(stop: FootfallStop, there: set[Object]) -> str:
    """Return what is wrong with a stop, with the way out; empty for nothing."""
    found = objects_of(stop)
    if stop.place is None and stop.places is None:
        return "has no place: choose an object or a collection, or remove the stop."
    if not found:
        return f"has an empty collection, '{stop.places.name}': put objects into it, or choose another."
    target = [stop.look_at] if stop.do == LOOK_AT and stop.look_at is not None else []
    lost = next((each for each in [*found, *target] if each not in there), None)
    if lost is not None:
        return f"names '{lost.name}', which is no longer in the scene: choose another object."
    wrong = next((each for each in found if each.type not in {"MESH", "EMPTY", "CURVE"}), None)
    if wrong is not None:
        return f"names '{wrong.name}', of the type {wrong.type}: people stop at empties, curves and meshes."
    if stop.do == QUEUE and all(each.type == "MESH" for each in found):
        return f"is a queue at the mesh '{found[0].name}': choose an empty, along whose Y axis it runs, or a curve."
    return ""


def read_stops(
    scene: bpy.types.Scene,
    crowds: Sequence[FootfallCrowd],
    sound: Sequence[FootfallStop],
    lines: Mapping[Object, Sequence[Line]],
    shapes: Mapping[Object, Shape],
    frame: int,
    unit: float,
) -> ReadStops:
    """Read the stops of all crowds.

    Args:
        scene: provides frame rate and units.
        crowds: of the panel.
        sound: the stops without a fault.
        lines: the lines of each curve [m].
        shapes: the footprint of each mesh [m].
        frame: at which objects are evaluated.
        unit: metres per Blender unit.
    """
    if not sound:
        return ReadStops()
    result = ReadStops()
    names = Names(stop.place.name if stop.place else stop.places.name for stop in sound)
    points = [each for stop in sound for each in objects_of(stop) if each.type == "EMPTY"]
    targets = [stop.look_at for stop in sound if stop.do == LOOK_AT and stop.look_at is not None]
    placed = _matrices(scene, [*points, *targets], frame)
    known: dict[tuple[bool, str], str] = {}
    for number, crowd in enumerate(crowds):
        stops = []
        for stop in crowd.stops if not crowd.drives else ():
            if stop not in sound:
                continue
            source = stop.place or stop.places
            key = (stop.place is None, source.name_full)
            if key not in known:
                known[key] = names.give(source.name)
                result.places.append(_place(known[key], objects_of(stop), placed, lines, shapes, unit))
                result.place_sources.append(source.name)
            target = None
            if stop.do == LOOK_AT and stop.look_at is not None:
                x, y = unit * _middle(stop.look_at, placed[stop.look_at])
                target = float(x), float(y)
            stops.append(stop.to_settings(known[key], target))
        if stops:
            result.of_crowd[number] = tuple(stops)
    return result


def _place(
    name: str,
    objects: Sequence[Object],
    placed: Mapping[Object, Float64],
    lines: Mapping[Object, Sequence[Line]],
    shapes: Mapping[Object, Shape],
    unit: float,
) -> Place:
    """Return the place that some objects make together."""
    empties = [placed[each] for each in objects if each.type == "EMPTY"]
    return Place(
        name,
        points=unit * np.array([matrix[:2, 3] for matrix in empties]).reshape(-1, 2),
        headings=np.array([_heading(matrix) for matrix in empties]),
        lines=tuple(line.points[:, :2] for each in objects for line in lines.get(each, ()) if each.type == "CURVE"),
        outlines=tuple(shapes[each][0] for each in objects if each.type == "MESH" and each in shapes),
    )


def _heading(matrix: Float64) -> float:
    """Return the direction of an empty's Y axis on the ground [rad]; of its X axis where that is upright."""
    x, y = matrix[:2, 1] if np.hypot(*matrix[:2, 1]) > 1e-3 * np.hypot(*matrix[:2, 0]) else matrix[:2, 0]
    return float(arctan2(y, x))


def _middle(source: Object, matrix: Float64) -> Float64:
    """Return float64 (2,), the middle of an object's bounding box [units], or its origin where it has no geometry."""
    corners = np.array([tuple(corner) for corner in source.bound_box], dtype=np.float64)
    has_box = source.type != "EMPTY" and bool(np.ptp(corners, axis=0).any())
    middle = corners.mean(axis=0) if has_box else np.zeros(3)
    return (matrix[:2, :3] * middle).sum(axis=1) + matrix[:2, 3]


def _matrices(scene: bpy.types.Scene, sources: Iterable[Object], frame: int) -> dict[Object, Float64]:
    """Return where objects are at a frame, float64 (4, 4) each [units]."""
    marks = list(dict.fromkeys(sources))
    if not marks:
        return {}
    with evaluation_scene(scene) as evaluation:
        followers = {mark: evaluation.follow(mark) for mark in marks}
        graph = evaluation.evaluate(frame)
        return {
            mark: np.array(each.evaluated_get(graph).matrix_world, dtype=np.float64) for mark, each in followers.items()
        }
