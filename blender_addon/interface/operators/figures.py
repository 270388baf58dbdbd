# SPDX-License-Identifier: GPL-3.0-or-later
"""Whom a crowd copies: the selected characters, or built-in figures made the user's own."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

import bpy

from ...blender_data.evaluation import metres_per_unit
from ...blender_data.object_references import carriers_of
from ...blender_data.tags import TAG
from ...characters.clips.jointed_parts import walks_by_its_parts
from ...figures.user_copies import make_own_figures
from ...settings.crowd.crowd import FootfallCrowd
from ...settings.problems import original_among
from ...settings.scene_settings import active_crowd, scene_of, settings_of
from ..poll_reasons import NO_CROWD, Explaining, OneStep

_Context = bpy.types.Context


def characters_among(objects: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """Return the armatures that are selected, by themselves or by a mesh on them, and all that belongs to them.

    So are bodies of objects that hang on one another and are animated themselves.

    Args:
        objects: the selection; what a bake has made is left out.
    """
    own = [obj for obj in objects if TAG not in obj]
    rigs = {rig for obj in own for rig in (obj, *carriers_of(obj)) if rig.type == "ARMATURE"}
    children = defaultdict(list)  # once for all: to look for those of one object takes a look at all objects
    for obj in bpy.data.objects:
        children[obj.parent].append(obj)
    tops = {_top_of(rig) for rig in rigs}
    carriers = {top for top in map(_top_of, own) if top in children} - tops
    tops |= {top for top in carriers if walks_by_its_parts(_all_on(top, children))}
    found = {each for top in tops for each in _all_on(top, children)}
    found |= {obj for obj in bpy.data.objects if rigs.intersection(carriers_of(obj))}
    return sorted((each for each in found if TAG not in each), key=lambda each: each.name)


def take_characters(crowd: FootfallCrowd, parts: list[bpy.types.Object], scene: bpy.types.Scene) -> str:
    """Have a crowd copy characters: their collection, or a new one that they are linked to; returns a sentence.

    Args:
        crowd: the crowd.
        parts: all objects of the characters, from `characters_among`.
        scene: the crowd's.
    """
    own = [each for each in parts[0].users_collection if set(each.all_objects) == {*parts}]
    collection = crowd.characters or next((each for each in own if each != scene.collection), None)
    if collection is None:
        collection = bpy.data.collections.new(f"{crowd.name} Characters")
        scene.collection.children.link(collection)
    for part in parts:
        if part not in set(collection.all_objects):
            collection.objects.link(part)
    crowd.characters = collection
    rigs = [part for part in parts if part.type == "ARMATURE"] or [part for part in parts if part.parent not in parts]
    named = " and ".join(f"'{part.name}'" for part in rigs)
    return f"its people are copies of {named}, in the collection '{collection.name}'"


def _all_on(
    top: bpy.types.Object, children: Mapping[bpy.types.Object | None, list[bpy.types.Object]]
) -> list[bpy.types.Object]:
    """Return an object and all that hang on it, each after what it hangs on."""
    return [top, *(each for child in children.get(top, ()) for each in _all_on(child, children))]


def _top_of(obj: bpy.types.Object) -> bpy.types.Object:
    while obj.parent is not None:
        obj = obj.parent
    return obj


class HideOriginals(OneStep, bpy.types.Operator):
    """What the people are copies of is no longer seen among them."""

    bl_idname = "footfall.hide_originals"
    bl_label = "Hide Originals"
    bl_description = (
        "Hide the characters of the active crowd themselves, and those that the report names, in the viewport and in "
        "renders; their copies stay visible, also in later bakes"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def why_not(cls, context: bpy.types.Context) -> str | None:
        return NO_CROWD if active_crowd(scene_of(context)) is None else None

    def execute(self, context: bpy.types.Context) -> set[str]:
        settings, active = settings_of(scene_of(context)), active_crowd(scene_of(context))
        told = {problem.name for problem in settings.problems}
        hidden: set[bpy.types.Object] = set()
        for collection in {crowd.characters for crowd in settings.crowds} - {None}:
            originals = set(collection.all_objects)
            if collection == active.characters or any(original_among(each.name) in told for each in originals):
                hidden |= {*originals, *(child for each in originals for child in each.children_recursive)}
        if not hidden:
            return self.refuse(f"'{active.name}' has the built-in figures, and no originals")
        for each in hidden:
            each.hide_viewport = each.hide_render = True
        mended = {original_among(each.name) for each in hidden}
        for number in reversed(range(len(settings.problems))):
            if settings.problems[number].name in mended:
                settings.problems.remove(number)
        return {"FINISHED"}


class OwnFigures(Explaining, bpy.types.Operator):
    """Copies of the built-in figures become the characters of the active crowd."""

    bl_idname = "footfall.own_figures"
    bl_label = "Make Figures Your Own"
    bl_description = (
        "Add copies of the built-in figures to the scene, at the 3D cursor, and use them as the "
        "crowd's characters: dress them, change their clips, or use them in other files as assets"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        crowd = active_crowd(scene_of(context))
        if crowd is None:
            return NO_CROWD
        if crowd.drives:
            return f"'{crowd.name}' drives vehicles: figures are for people"
        return f"'{crowd.name}' has characters already: empty the field Characters first" if crowd.characters else None

    def execute(self, context: _Context) -> set[str]:
        scene = scene_of(context)
        crowd = active_crowd(scene)
        assert crowd is not None  # `poll` has looked
        crowd.characters = figures = make_own_figures(scene, metres_per_unit(scene))
        self.report({"INFO"}, f"'{figures.name}' holds the crowd's characters now; those are assets too")
        return {"FINISHED"}


CLASSES = (HideOriginals, OwnFigures)
