# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of stops, and what is wrong with a stop as the panel has it."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ...settings.crowd.crowd import FootfallCrowd
from ...settings.crowd.stops import AT_FRAME, LOOK_AT, PLAY_CLIP, QUEUE, SIT, WAIT_UNTIL, FootfallStop
from ..objects.findings import Findings

Object = bpy.types.Object


def objects_of(stop: FootfallStop) -> list[Object]:
    """Return the objects at which people stop: one, or those of a collection by their names."""
    if stop.place is not None:
        return [stop.place]
    return sorted(stop.places.all_objects, key=lambda each: each.name) if stop.places is not None else []


def awaited_by(stop: FootfallStop) -> Object | None:
    """Return the object that people wait for at a stop; None for no object."""
    return stop.awaited if stop.do == WAIT_UNTIL and stop.awaits != AT_FRAME else None


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
    if stop.place is None and stop.places is None:
        return "has no place: choose an object or a collection, or remove the stop."
    found = objects_of(stop)
    if not found:
        return f"has an empty collection, '{stop.places.name}': put objects into it, or choose another."
    return _missing_part(stop) or _wrong_object(stop, found, there)


def _missing_part(stop: FootfallStop) -> str:
    """Return what is not chosen that is needed for what people do there; empty for nothing."""
    if stop.do == WAIT_UNTIL and stop.awaits != AT_FRAME and stop.awaited is None:
        return "waits for an object, and none is chosen: choose the object, or wait for a frame."
    if stop.do == PLAY_CLIP and stop.clip is None:
        return "has no clip to play: choose an action, or let people stand."
    return ""


def _wrong_object(stop: FootfallStop, found: Sequence[Object], there: set[Object]) -> str:
    """Return which object of a stop is missing or of no use; empty for none."""
    target = [stop.look_at] if stop.do == LOOK_AT else []
    needed = filter(None, [*found, *target, awaited_by(stop)])
    lost = next((each for each in needed if each not in there), None)
    if lost is not None:
        return f"names '{lost.name}', which is no longer in the scene: choose another object."
    wrong = next((each for each in found if each.type not in {"MESH", "EMPTY", "CURVE"}), None)
    if wrong is not None:
        return f"names '{wrong.name}', of the type {wrong.type}: people stop at empties, curves and meshes."
    if stop.do == QUEUE and all(each.type == "MESH" for each in found):
        return f"is a queue at the mesh '{found[0].name}': choose an empty, along whose Y axis it runs, or a curve."
    if stop.do == SIT and all(each.type == "CURVE" for each in found):
        return f"has seats on the curve '{found[0].name}': choose empties, or a mesh, whose points are the seats."
    return ""
