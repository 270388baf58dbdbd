# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads triggers: occasions and reactions of the core, with the areas that they name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import bpy

from ....core.geometry.polygons import Shape
from ....core.scene import Area, Mark, Occasion, StopDuration, Trigger
from ...blender_data.evaluation import evaluation_scene
from ...settings.scene_settings import FootfallScene, settings_of
from ...settings.triggers import (
    CLIP,
    CROWD,
    FLEE,
    FRAME,
    GATHER,
    GO_TO,
    PERFORM,
    PROPERTY,
    TURN_TO,
    ZONE,
    FootfallTrigger,
)
from ..objects.findings import Findings

Object = bpy.types.Object


@dataclass(frozen=True)
class GatheringPlace:
    """The place of a trigger at which people gather, as stops have one."""

    place: Object
    places: None = None
    takes_points: bool = False
    looked_at: None = None


def gatherings_of(triggers: Sequence[FootfallTrigger]) -> list[GatheringPlace]:
    """Return the places at which people gather because of triggers that are sound."""
    return [GatheringPlace(each.to) for each in triggers if each.then == GATHER]


def check_triggers(scene: bpy.types.Scene, settings: FootfallScene, findings: Findings) -> list[FootfallTrigger]:
    """Report triggers that lack what they need, or name what is no longer there; return those that are sound.

    Args:
        scene: the scene.
        settings: with the triggers.
        findings: collects a notice for each.
    """
    sound = []
    for trigger in settings.triggers:
        fault = fault_of_trigger(trigger, scene)
        if fault:
            _report_fault(trigger, fault, findings)
        else:
            sound.append(trigger)
    return sound


def _report_fault(trigger: FootfallTrigger, fault: str, findings: Findings) -> None:
    findings.notice(f"Trigger '{trigger.name}': {fault} Until then nobody reacts to it.")


def fault_of_trigger(trigger: FootfallTrigger, scene: bpy.types.Scene) -> str:
    """Return what is wrong with a trigger, with the way out; empty for nothing.

    Args:
        trigger: of the panel.
        scene: in which its objects and crowds are to be.
    """
    return _missing(trigger) or _lost(trigger, scene)


def _missing(trigger: FootfallTrigger) -> str:
    """Return what is not chosen that a trigger needs, with the way out; empty for nothing."""
    needed = (
        (trigger.when == ZONE and trigger.zone is None, "has no zone. Choose a mesh or an empty."),
        (trigger.needs_near and trigger.near is None, "has no object that comes near or is passed. Choose one."),
        (trigger.when == PROPERTY and trigger.source is None, "has no object whose property counts. Choose one."),
        (trigger.when == CROWD and not trigger.crowd, "waits for a crowd, and none is chosen. Choose one."),
        (
            trigger.then in {FLEE, TURN_TO} and trigger.mark is None and not trigger.needs_near,
            f"has no object to {'flee from' if trigger.then == FLEE else 'turn to'}. Choose one.",
        ),
        (trigger.then in {GATHER, GO_TO} and trigger.to is None, "has no place to go to. Choose one."),
        (
            trigger.then == PERFORM and trigger.activity == CLIP and trigger.clip is None,
            "has no clip to play. Choose an action.",
        ),
    )
    return next((sentence for lacks, sentence in needed if lacks), "")


def _lost(trigger: FootfallTrigger, scene: bpy.types.Scene) -> str:
    """Return what a trigger names that is no longer there, with the way out; empty for nothing."""
    gather = [trigger.to] if trigger.then == GATHER else []
    source = [trigger.source] if trigger.when == PROPERTY else []
    for each in [*trigger.watched, *trigger.areas, *gather, *source]:
        if scene not in each.users_scene:
            return f"names '{each.name}', which is no longer in the scene. Choose another object."
    for name in (trigger.who, trigger.crowd if trigger.when == CROWD else ""):
        if name and name not in settings_of(scene).crowds:
            return f"names the crowd '{name}', which does not exist. Choose another."
    return ""


def read_triggers(
    scene: bpy.types.Scene,
    sound: Sequence[FootfallTrigger],
    shapes: Mapping[Object, Shape],
    marks: Mapping[Object, Mark],
    places: Mapping[Object, str],
    names: Mapping[str, Sequence[str]],
    areas: list[tuple[Area, str]],
    findings: Findings,
) -> list[Trigger]:
    """Read the triggers of a scene.

    Args:
        scene: provides frames.
        sound: the triggers without a fault.
        shapes: the footprint of each area [m].
        marks: of each object that people watch.
        places: the name of the place of each object at which people gather.
        names: the crowds of the core of each crowd of the panel, by its name.
        areas: of the core, each with the name of its object; those of triggers are added.
        findings: collects notices about those that cannot be used after all.
    """
    made = []
    for trigger in sound:
        lacking = [each for each in trigger.areas if each not in shapes]
        lacking += [trigger.to] if trigger.then == GATHER and trigger.to not in places else []
        if lacking:
            _report_fault(
                trigger, f"names '{lacking[0].name}', which covers no ground. Choose another object.", findings
            )
            continue
        frames = _frames(scene, trigger, findings)
        if frames is None:
            continue
        when = Occasion(
            what=FRAME.lower() if trigger.when == PROPERTY else trigger.when.lower(),
            frames=frames,
            area=_area(trigger.zone, shapes, areas) if trigger.when == ZONE else "",
            mark=marks[trigger.near].name if trigger.needs_near else "",
            distance=trigger.distance,
            crowd=next(iter(names.get(trigger.crowd, ())), trigger.crowd) if trigger.when == CROWD else "",
            does=trigger.does.lower(),
        )
        performs = trigger.then == PERFORM
        to = places[trigger.to] if trigger.then == GATHER else ""
        if trigger.to in trigger.areas:
            to = _area(trigger.to, shapes, areas)
        made.append(
            Trigger(
                name=trigger.name,
                when=when,
                then=trigger.then.lower(),
                crowds=tuple(names.get(trigger.who, (trigger.who,))) if trigger.who else (),
                share=trigger.share,
                delay=StopDuration(trigger.delay, trigger.delay_variation),
                spreads=trigger.spreads,
                within=trigger.within,
                mark=marks[trigger.mark].name if trigger.mark is not None else "",
                to=to,
                pace=trigger.pace,
                activity=trigger.activity.lower() if performs and trigger.activity != CLIP else "",
                clip=trigger.clip.name if performs and trigger.activity == CLIP else "",
                duration=StopDuration(trigger.stay, trigger.stay_variation),
            )
        )
    return made


def _area(source: Object, shapes: Mapping[Object, Shape], areas: list[tuple[Area, str]]) -> str:
    """Return the name of the area that an object makes, which is added where it is new."""
    known = next((area.name for area, name in areas if name == source.name), None)
    if known is not None:
        return known
    taken, name = {area.name for area, _ in areas}, source.name
    while name in taken:
        name += "'"
    areas.append((Area(name, shapes[source][0]), source.name))
    return name


def _frames(scene: bpy.types.Scene, trigger: FootfallTrigger, findings: Findings) -> tuple[int, ...] | None:
    """Return the frames at which a trigger is set off by a frame or a property; None where there is no such number."""
    if trigger.when == FRAME:
        return (trigger.frame,)
    if trigger.when != PROPERTY:
        return ()
    frames, above, found = range(scene.frame_start, scene.frame_end + 1), False, []
    with evaluation_scene(scene) as evaluation:
        seen = evaluation.bring(trigger.source)
        for frame in frames:
            evaluated = seen.evaluated_get(evaluation.evaluate(frame))
            try:
                value = float(evaluated.path_resolve(trigger.data_path))
            except (ValueError, TypeError):
                _report_fault(
                    trigger,
                    f"'{trigger.source.name}' has no number '{trigger.data_path}': right-click the property, Copy Data "
                    'Path, or write the name of a custom property as ["name"].',
                    findings,
                )
                return None
            if value > trigger.threshold and not above:
                found.append(frame)
            above = value > trigger.threshold
    return tuple(found)
