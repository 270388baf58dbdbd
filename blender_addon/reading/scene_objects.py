# SPDX-License-Identifier: GPL-3.0-or-later
"""What the objects of a scene are for, as its settings say, and whether all that the settings name is still there."""

from __future__ import annotations

import bpy

from ..blender_data.tags import TAG
from ..settings.scene_settings import FootfallScene
from .crowds import ways_of
from .findings import Findings

_ASKED = {
    "route": "has no route: choose the curve that they walk along.",
    "start": "has no place to start from: choose a mesh that marks it.",
    "goal": "has no goal: choose a mesh that marks it.",
}


def find_purposes(settings: FootfallScene) -> dict[bpy.types.Object, str]:
    """What each object is, other than an obstacle.

    Args:
        settings: of a scene.

    Returns:
        For each object that has one a word for its purpose.
    """
    found: dict[bpy.types.Object, str] = {}
    for crowd in settings.crowds:
        for purpose, way in ways_of(crowd).items():
            if way is not None:
                found.setdefault(way, f"the {purpose} of '{crowd.name}'")
        for character in crowd.characters.all_objects if crowd.characters else ():
            found.setdefault(character, f"a character of '{crowd.name}'")
    if settings.ground is not None:
        found[settings.ground] = "the ground"
    if settings.bounds is not None:
        found[settings.bounds] = "the bounds"
    for hero in settings.heroes.all_objects if settings.heroes else ():
        found.setdefault(hero, "a hero")
    for crossing in settings.crossings.all_objects if settings.crossings else ():
        found.setdefault(crossing, "a crossing")
    around = settings.obstacles.all_objects if settings.obstacles else ()
    return found | {item: "made by a bake" for item in around if TAG in item}


def check_pointers(scene: bpy.types.Scene, settings: FootfallScene, findings: Findings) -> set[bpy.types.Object]:
    """Find what is not set, or was deleted from the scene while the settings still name it.

    Args:
        scene: the scene.
        settings: its settings.
        findings: takes up what is missing.

    Returns:
        The objects named by the settings that are still in the scene: routes, places, crossings, ground and bounds.
    """
    there = set(scene.objects)
    named: set[bpy.types.Object] = set()
    for crowd in settings.crowds:
        for purpose, way in ways_of(crowd).items():
            if way is None:
                findings.fault(crowd.name, _ASKED[purpose])
            elif way not in there:
                findings.fault(
                    crowd.name, f"its {purpose} '{way.name}' is no longer in the scene '{scene.name}': choose another."
                )
            else:
                named.add(way)
    for source, purpose in ((settings.ground, "ground"), (settings.bounds, "bounds")):
        if source is not None and source not in there:
            findings.fault(source.name, f"is the {purpose}, but no longer in the scene '{scene.name}': choose another.")
        elif source is not None:
            named.add(source)
    named |= there.intersection(settings.crossings.all_objects if settings.crossings else ())
    collections = {scene.collection, *scene.collection.children_recursive}
    for collection, whose in ((settings.obstacles, "obstacles"), (settings.heroes, "heroes")):
        if collection is not None and collection not in collections:
            lost = f"the {whose}' collection '{collection.name}' is no longer in the scene '{scene.name}'"
            findings.fault("", f"{lost}: choose another.")
    return named
