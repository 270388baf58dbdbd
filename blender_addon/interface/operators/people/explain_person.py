# SPDX-License-Identifier: GPL-3.0-or-later
"""What a baked person is doing at a frame and why, for scripts: `bpy.ops.footfall.explain_person`.

Blender evaluates the annotations below: no `from __future__ import annotations` here.
"""

import json
import math
from typing import Any

import bpy
from bpy.props import StringProperty

from .....core.errors import FootfallError
from .....core.inspection.reasons import Why, explain
from ....runtime import freshness
from ....settings.overlay_catalogue import Need
from ....settings.scene_settings import scene_of, settings_of
from ...overlays.layers.overlay import BakedPeople
from ...overlays.layers.why import sentence
from ...overlays.view import look
from ...poll_reasons import Explaining, why_nothing_baked

_Context = bpy.types.Context


class ExplainPerson(Explaining, bpy.types.Operator):
    """Say what a person is doing, and why."""

    bl_idname = "footfall.explain_person"
    bl_label = "Explain Person"
    bl_description = (
        "Explain what a baked person is doing at this frame and because of whom; scripts read the "
        "answer in `explanation`, as JSON"
    )
    bl_options = {"REGISTER"}

    person: StringProperty(
        name="Person",
        description="The person, by the name of an object or its identity; empty: the active object",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        return why_nothing_baked(scene_of(context))

    def execute(self, context: _Context) -> set[str]:
        scene = scene_of(context)
        try:
            told = explain_person(scene, context.active_object, self.person)
        except FootfallError as error:
            return self.refuse(str(error))
        settings_of(scene).explanation = json.dumps(told)
        self.report({"INFO"}, f"{told['called']}, frame {told['frame']}: {told['sentence']}")
        return {"FINISHED"}


def explain_person(scene: bpy.types.Scene, active: bpy.types.Object | None, person: str = "") -> dict[str, Any]:
    """Return what a baked person is doing at the current frame and why, as values for JSON.

    Args:
        scene: with its bakes.
        active: its object, if no person is named.
        person: name of its object, displayed name, or identity.

    Returns:
        The keys that the manual's page on scripting lists; speeds in m/s, lengths and places in metres.

    Raises:
        FootfallError: the scene cannot be read or differs from the bake, or the person is absent at this frame.
    """
    if freshness.baked_reading(scene) is None:
        freshness.compare(scene)
    view = look(scene, scene.objects.get(person) if person else active, Need.BAKE)
    if isinstance(view, str) or view.people is None:
        raise FootfallError(str(view))
    people = view.people
    agent = people.selected
    if person and agent is None:
        agent = next((names.index(person) for names in (people.titles, people.known_as) if person in names), None)
    if agent is None:
        raise FootfallError(f"no baked person is named '{person}'" if person else "Select a baked person")
    if not people.moment.present[agent]:
        raise FootfallError(f"'{people.titles[agent]}' is not present at frame {view.frame}")
    who = {"person": people.known_as[agent], "called": people.titles[agent], "frame": people.moment.frame}
    return who | _told(people, explain(people.replay, agent, people.moment))


def _told(people: BakedPeople, found: Why) -> dict[str, Any]:
    return {
        "doing": None if found.doing is None else found.doing.name.lower(),
        "sentence": sentence(people.titles, found),
        "speed": found.speed,
        "wanted_speed": found.wanted_speed,
        "because_of": None if found.because_of is None else people.known_as[found.because_of],
        "wish": None if found.wish is None else found.wish.tolist(),
        "place": None if found.place is None else found.place.tolist(),
        "way_left": found.way_left if math.isfinite(found.way_left) else None,
        "no_way": found.no_way,
        "stop": found.stop,
        "queue_place": found.queue_place,
    }


CLASSES = (ExplainPerson,)
