# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads where people of a crowd stop on their way: places of the core, shared by all crowds that name them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from ....core.array_types import Float64
from ....core.scene import Mark, Place, Stop
from ...blender_data.tags import MADE_FOR_STOP
from ...settings.crowd.crowd import FootfallCrowd
from ...settings.crowd.presence import FootfallPresence
from ...settings.crowd.stops import QUEUE, SIT, FootfallStop
from ..objects.curves import Line
from ..objects.findings import Findings, Names
from ..objects.read_shapes import ReadShapes
from ..shapes.bodies import upright_box
from .marks import matrices_of, middle_of, read_marks
from .seats import direction_of, read_directed_points
from .stop_faults import Visited, awaited_by, objects_of, report_fault, visited_by

Object = bpy.types.Object


@dataclass
class ReadStops:
    """The stops of crowds.

    Attributes:
        places: of the core.
        place_sources: the name of the object or collection of each.
        place_of: the name of the place of each object, where one alone is a place.
        marks: of each object that people wait for or react to.
        of_crowd: the stops of each crowd of the panel that has some, by its number.
        presences: of each crowd of bystanders, by its number: place, activities and what it looks at.
    """

    places: list[Place] = field(default_factory=list)
    place_sources: list[str] = field(default_factory=list)
    place_of: dict[Object, str] = field(default_factory=dict)
    marks: dict[Object, Mark] = field(default_factory=dict)
    of_crowd: dict[int, tuple[Stop, ...]] = field(default_factory=dict)
    presences: dict[int, dict[str, Any]] = field(default_factory=dict)


def read_stops(
    scene: bpy.types.Scene,
    crowds: Sequence[FootfallCrowd],
    sound: Sequence[Visited],
    watched: Sequence[Object],
    shapes: ReadShapes,
    frame: int,
    unit: float,
    findings: Findings,
) -> ReadStops:
    """Read the stops of all crowds, and the places at which they simply are.

    Args:
        scene: provides frame rate and units.
        crowds: of the panel.
        sound: the stops without a fault, and the places at which people gather.
        watched: other objects that people look at or flee from.
        shapes: lines of curves, footprints of meshes, and motions.
        frame: at which objects are evaluated.
        unit: metres per Blender unit.
        findings: collects a notice for each stop whose objects turn out to be no place.
    """
    result = ReadStops()
    if not (sound or watched):
        return result
    names = Names(stop.place.name if stop.place else stop.places.name for stop in sound)
    points = [each for stop in sound for each in objects_of(stop) if each.type == "EMPTY"]
    targets = filter(None, [stop.looked_at for stop in sound])
    awaited = dict.fromkeys([*filter(None, map(awaited_by, sound)), *watched])
    placed = matrices_of(scene, [*points, *targets, *awaited], frame)
    seats = [each for stop in sound if stop.takes_points for each in objects_of(stop) if each.type != "CURVE"]
    seated = read_directed_points(scene, seats, frame, unit)
    result.marks = read_marks(awaited, placed, shapes.paths, frame, unit)
    made: dict[tuple[bool, bool, str], Place] = {}
    for stop in sound:
        key, objects = _key_of(stop), objects_of(stop)
        if key not in made:
            source = stop.place or stop.places
            name = names.give(source.name)
            if stop.takes_points:
                own = [seated[each] for each in objects if each in seated]
                made[key] = _seats(name, own, shapes.lines, objects, sits=_sits(stop))
            else:
                made[key] = _place(name, objects, placed, shapes, unit)
            if _has_room(made[key]):
                result.places.append(made[key])
                result.place_sources.append(source.name)
        if stop.place is not None and not stop.takes_points and _has_room(made[key]):
            result.place_of[stop.place] = made[key].name
    for number, crowd in enumerate(crowds):
        visited = [stop for stop in visited_by(crowd) if stop in sound and _fits(crowd, stop, made, findings)]
        looks = [_looked_at(stop, placed, unit) for stop in visited]
        names_there = [made[_key_of(stop)].name for stop in visited]
        _put(result, number, visited, names_there, looks)
    return result


def _has_room(place: Place, stop: Visited | None = None) -> bool:
    """Return whether people can be at a place as it was read, or at a stop there: they sit on points, and so on."""
    sits = stop is not None and stop.takes_points and _sits(stop)
    queues = isinstance(stop, FootfallStop) and stop.do == QUEUE
    return bool(len(place.points) or (place.lines and not sits) or (place.outlines and not queues))


def _fits(
    crowd: FootfallCrowd, stop: Visited, places: Mapping[tuple[bool, bool, str], Place], findings: Findings
) -> bool:
    """Return whether people can be at a stop of a crowd; where they cannot, it is reported."""
    place = places[_key_of(stop)]
    fits = _has_room(place, stop)
    if not fits:
        report_fault(crowd, stop, _why_no_room(place.name, stop), findings)
    return fits


def _why_no_room(place: str, stop: Visited) -> str:
    """Return why nobody can be at a place as it was read, with the way out."""
    if stop.takes_points:
        return f"has no seats: '{place}' has no points. Choose empties, or a mesh with a point for each seat."
    if isinstance(stop, FootfallStop) and stop.do == QUEUE:
        return f"has no line to queue along: '{place}' is neither an empty nor a curve. Choose one of these."
    return f"has nothing to stand on: '{place}' has no faces. Choose an empty, a curve or a mesh with faces."


def _looked_at(stop: Visited, placed: Mapping[Object, Float64], unit: float) -> tuple[float, float, float] | None:
    """Return the point at which people look at a stop [m]; None for none."""
    if stop.looked_at is None:
        return None
    x, y, z = unit * middle_of(stop.looked_at, placed[stop.looked_at])
    return float(x), float(y), float(z)


def _put(
    result: ReadStops,
    number: int,
    visited: Sequence[Visited],
    places: Sequence[str],
    looks: Sequence[tuple[float, float, float] | None],
) -> None:
    """Add the stops of one crowd, by its number, or the place at which it simply is."""
    stops = []
    for stop, place, target in zip(visited, places, looks, strict=True):
        mark = awaited_by(stop)
        if isinstance(stop, FootfallPresence):
            there = {"place": place, "activities": stop.known_activities(), "look_at": target}
            result.presences[number] = there
        elif isinstance(stop, FootfallStop):
            stops.append(stop.to_settings(place, target, result.marks[mark].name if mark else ""))
    if stops:
        result.of_crowd[number] = tuple(stops)


def _key_of(stop: Visited) -> tuple[bool, bool, str]:
    """Return what is the same for stops at the same place."""
    return stop.place is None, stop.takes_points, (stop.place or stop.places).name_full


def _curves(objects: Sequence[Object], lines: Mapping[Object, Sequence[Line]]) -> tuple[Float64, ...]:
    """Return the lines of those of some objects that are curves, float64 (P, 2) each [m]."""
    return tuple(line.points[:, :2] for each in objects for line in lines.get(each, ()) if each.type == "CURVE")


def _sits(stop: Visited) -> bool:
    """Return whether people sit at a stop, rather than stand on its points."""
    return SIT in stop.activities if isinstance(stop, FootfallPresence) else True


def _seats(
    name: str,
    points: Sequence[Float64],
    lines: Mapping[Object, Sequence[Line]],
    objects: Sequence[Object],
    *,
    sits: bool,
) -> Place:
    """Return the place that points make together, as `read_directed_points` returns them; `sits`: as seats."""
    found = np.concatenate([np.zeros((0, 5)), *points])
    found[:, 2] += found[:, 4] if sits else 0.0
    return Place(
        name,
        points=found[:, :2].copy(),
        headings=found[:, 3].copy(),
        heights=found[:, 2].copy(),
        lines=_curves(objects, lines),
    )


def _place(
    name: str, objects: Sequence[Object], placed: Mapping[Object, Float64], shapes: ReadShapes, unit: float
) -> Place:
    """Return the place that some objects make together."""
    points = [each for each in objects if each.type == "EMPTY"]
    empties, shown = [placed[each] for each in points], [_shown_at(each, shapes) for each in points]
    return Place(
        name,
        points=unit * np.array([matrix[:2, 3] for matrix in empties]).reshape(-1, 2),
        headings=np.array([direction_of(matrix) for matrix in empties]),
        lines=_curves(objects, shapes.lines),
        outlines=tuple(shapes.places[each][0] for each in objects if each.type == "MESH" and each in shapes.places),
        objects=np.array(shown).reshape(-1, 6) if np.any(shown) else np.zeros((0, 6)),
    )


def _shown_at(place: Object, shapes: ReadShapes) -> Float64:
    """Return the box of the obstacle for which a place was made that moves with it: see `Place.objects`; or zeros."""
    window: Any = place.parent
    body = shapes.bodies.get(window) if MADE_FOR_STOP in place else None
    return np.zeros(6) if body is None or not len(body.triangles) else upright_box(body)
