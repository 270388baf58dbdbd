# SPDX-License-Identifier: GPL-3.0-or-later
"""The purpose of each object that the settings name, and whether it is still in the scene."""

from __future__ import annotations

import bpy

from ..blender_data.tags import TAG
from ..settings.scene_settings import FootfallScene
from .crowds import route_objects
from .objects.findings import Findings

_MISSING = {
    "route": "has no route: choose a curve.",
    "start": "has no start: choose a mesh or an empty.",
    "goal": "has no goal: choose a mesh or an empty.",
}


def find_purposes(settings: FootfallScene) -> dict[bpy.types.Object, str]:
    """Return the purpose of each object that is not an obstacle.

    Args:
        settings: of a scene.

    Returns:
        The purpose, in words, of each object that has one.
    """
    found: dict[bpy.types.Object, str] = {}
    for crowd in settings.crowds:
        for purpose, named in route_objects(crowd).items():
            if named is not None:
                found.setdefault(named, f"the {purpose} of '{crowd.name}'")
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
    """Report objects that are not set, or were deleted from the scene while the settings still name them.

    Args:
        scene: the scene.
        settings: its settings.
        findings: collects a fault for each.

    Returns:
        The objects named by the settings that are still in the scene: routes, places, crossings, ground and bounds.
    """
    there = set(scene.objects)
    named: set[bpy.types.Object] = set()
    for crowd in settings.crowds:
        for purpose, source in route_objects(crowd).items():
            if source is None:
                findings.fault(crowd.name, _MISSING[purpose])
            elif source not in there:
                findings.fault(
                    crowd.name,
                    f"its {purpose} '{source.name}' is no longer in the scene '{scene.name}': choose another.",
                )
            else:
                named.add(source)
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
