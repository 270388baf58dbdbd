# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of stops, and what is wrong with a stop as the panel has it.

A bake goes on without a stop that is at fault; the place of bystanders is needed, as the route of a crowd is.
"""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ...settings.crowd.crowd import FootfallCrowd
from ...settings.crowd.presence import FootfallPresence
from ...settings.crowd.stops import AT_FRAME, OF_CROWD, PLAY_CLIP, QUEUE, WAIT_UNTIL, FootfallStop
from ...settings.scene_settings import settings_of
from ..objects.findings import Findings
from .triggers import GatheringPlace

Object = bpy.types.Object


_FEW = 4  # so many objects are looked for in the scene one by one

Visited = FootfallStop | FootfallPresence | GatheringPlace
"""What has a place: a stop, the place at which a crowd simply is, or that at which people gather."""


def objects_of(stop: Visited) -> list[Object]:
    """Return the objects at which people are: one, or those of a collection by their names."""
    if stop.place is not None:
        return [stop.place]
    return sorted(stop.places.all_objects, key=lambda each: each.name) if stop.places is not None else []


def awaited_by(stop: Visited) -> Object | None:
    """Return the object that people wait for at a stop, or that others pass; None for no object."""
    return stop.watched if isinstance(stop, FootfallStop) else None


def visited_by(crowd: FootfallCrowd) -> list[Visited]:
    """Return the stops of a crowd, or the place at which its people simply are."""
    if crowd.is_there:
        return [crowd.presence]
    return [] if crowd.drives else list(crowd.stops)


def check_stops(scene: bpy.types.Scene, crowds: Sequence[FootfallCrowd], findings: Findings) -> list[Visited]:
    """Report stops without a place, or whose objects are no longer in the scene; return those that are sound.

    Args:
        scene: the scene.
        crowds: of the panel.
        findings: collects a notice for each, and a fault for each place of bystanders.
    """
    sound = []
    for crowd in crowds:
        for stop in visited_by(crowd):
            fault = fault_of_stop(stop, scene)
            if fault:
                report_fault(crowd, stop, fault, findings)
            else:
                sound.append(stop)
    return sound


def report_fault(crowd: FootfallCrowd, stop: Visited, fault: str, findings: Findings) -> None:
    """Report what is wrong with a stop of a crowd, or with the place of bystanders, without which there are none."""
    if isinstance(stop, FootfallStop):
        findings.notice(f"{crowd.name}: its stop '{stop.name}' {fault} Until then nobody stops there.")
    else:
        findings.fault(crowd.name, f"it {fault}")


def fault_of_stop(stop: Visited, scene: bpy.types.Scene) -> str:
    """Return what is wrong with a stop, with the way out; empty for nothing.

    Args:
        stop: of the panel.
        scene: in which its objects and crowds are to be.
    """
    if stop.place is None and stop.places is None:
        way_out = ", or remove the stop." if isinstance(stop, FootfallStop) else "."
        return f"has no place: choose an object or a collection{way_out}"
    found = objects_of(stop)
    if not found:
        return f"has an empty collection, '{stop.places.name}': put objects into it, or choose another."
    return _missing_part(stop) or _wrong_object(stop, found, scene) or _missing_crowd(stop, scene)


def _missing_part(stop: Visited) -> str:
    """Return what is not chosen that is needed for what people do there; empty for nothing."""
    if not isinstance(stop, FootfallStop):
        return ""
    if stop.do == WAIT_UNTIL and stop.awaits not in {AT_FRAME, OF_CROWD} and stop.awaited is None:
        return "waits for an object, and none is chosen: choose the object, or wait for a frame."
    if stop.do == PLAY_CLIP and stop.clip is None:
        return "has no clip to play: choose an action, or let people stand."
    return ""


def _missing_crowd(stop: Visited, scene: bpy.types.Scene) -> str:
    """Return which crowd people wait for that is not there; empty for none."""
    if not (isinstance(stop, FootfallStop) and stop.do == WAIT_UNTIL and stop.awaits == OF_CROWD):
        return ""
    if not stop.awaited_crowd:
        return "waits for a crowd, and none is chosen: choose the crowd, or wait for a frame."
    if stop.awaited_crowd not in settings_of(scene).crowds:
        return f"waits for the crowd '{stop.awaited_crowd}', which does not exist: choose another."
    return ""


def _first_outside(objects: Sequence[Object], scene: bpy.types.Scene) -> Object | None:
    """Return the first of some objects that is not in a scene; None for none."""
    if len(objects) < _FEW:
        return next((each for each in objects if scene not in each.users_scene), None)
    there = {each.as_pointer() for each in scene.objects}  # `users_scene` goes through all objects for each
    return next((each for each in objects if each.as_pointer() not in there), None)


def _wrong_object(stop: Visited, found: Sequence[Object], scene: bpy.types.Scene) -> str:
    """Return which object of a stop is missing or of no use; empty for none."""
    needed = filter(None, [*found, stop.looked_at, awaited_by(stop)])
    lost = _first_outside(list(needed), scene)
    if lost is not None:
        return f"names '{lost.name}', which is no longer in the scene: choose another object."
    wrong = next((each for each in found if each.type not in {"MESH", "EMPTY", "CURVE"}), None)
    if wrong is not None:
        return f"names '{wrong.name}', of the type {wrong.type}: people stop at empties, curves and meshes."
    if isinstance(stop, FootfallStop) and stop.do == QUEUE and all(each.type == "MESH" for each in found):
        return f"is a queue at the mesh '{found[0].name}': choose an empty, along whose Y axis it runs, or a curve."
    if stop.takes_points and all(each.type == "CURVE" for each in found):
        return f"has seats on the curve '{found[0].name}': choose empties, or a mesh, whose points are the seats."
    return ""
