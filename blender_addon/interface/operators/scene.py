# SPDX-License-Identifier: GPL-3.0-or-later
# pyright: reportInvalidTypeForm=false
"""Add and remove crowds, give them a route, mark obstacles, write the scene file: everything but the bake."""

from pathlib import Path

import bpy
from bpy_extras.io_utils import ExportHelper

from ....core import save_scene
from ....core.errors import FootfallError
from ...baking.clearing import clear_crowds
from ...blender_data.tags import TAG
from ...reading import read_scene
from ...runtime import freshness
from ...settings.crowd.crowd import ROUTE
from ...settings.properties.choices import why_no_route
from ...settings.properties.identities import free_name
from ...settings.scene_settings import active_crowd, ensure_identities, scene_of, settings_of
from .bake import why_not_bake
from .poll_reasons import Explaining, why_nothing_baked
from .select_culprits import select_culprits

OBSTACLES_NAME, HEROES_NAME = "Obstacles", "Heroes"
_SOLID_TYPES = {"MESH", "SURFACE", "FONT", "META"}

_Context = bpy.types.Context


class _Footfall(Explaining):
    """What these operators share: each is one step to undo."""

    bl_options = {"REGISTER", "UNDO"}


class AddCrowd(_Footfall, bpy.types.Operator):
    """Add a crowd and make it the active one."""

    bl_idname = "footfall.crowd_add"
    bl_label = "Add Crowd"
    bl_description = "Add a crowd: people who share a route and settings"

    def execute(self, context: _Context) -> set[str]:
        settings = settings_of(scene_of(context))
        name = free_name("Crowd", [crowd.name for crowd in settings.crowds])
        settings.crowds.add().name = name
        settings.active_crowd_index = len(settings.crowds) - 1
        ensure_identities(scene_of(context))
        return {"FINISHED"}


class RemoveCrowd(_Footfall, bpy.types.Operator):
    """Remove the active crowd and its bake."""

    bl_idname = "footfall.crowd_remove"
    bl_label = "Remove Crowd"
    bl_description = "Remove the active crowd together with its baked characters"

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        return None if active_crowd(scene_of(context)) else "There is no crowd to remove"

    def execute(self, context: _Context) -> set[str]:
        settings = settings_of(scene_of(context))
        index = settings.active_crowd_index
        try:
            notices = clear_crowds(scene_of(context), [settings.crowds[index]])
        except FootfallError as error:
            select_culprits(context, error)
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for notice in notices:
            self.report({"INFO"}, notice)
        settings.crowds.remove(index)
        settings.active_crowd_index = max(0, min(index, len(settings.crowds) - 1))
        return {"FINISHED"}


class UseSelectedRoute(_Footfall, bpy.types.Operator):
    """Make the active curve the active crowd's route."""

    bl_idname = "footfall.use_selected_route"
    bl_label = "Use Selected Curve"
    bl_description = "Use the active curve in the viewport as the route of the active crowd"

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        if active_crowd(scene_of(context)) is None:
            return "There is no crowd yet: add one first"
        return why_no_route(context.active_object)

    def execute(self, context: _Context) -> set[str]:
        crowd = active_crowd(scene_of(context))
        crowd.mode = ROUTE
        crowd.route = context.active_object
        self.report({"INFO"}, f"Crowd '{crowd.name}' walks along '{context.active_object.name}'")
        return {"FINISHED"}


def _can_stand_in_the_way(obj: bpy.types.Object) -> bool:
    """Has a body, or shows a collection of bodies, and was not made by a bake; a bare curve is likelier a route."""
    if TAG in obj:
        return False
    if isinstance(obj.data, bpy.types.Curve) and obj.type == "CURVE":
        return bool(obj.data.bevel_depth or obj.data.extrude or obj.data.bevel_object)
    return obj.type in _SOLID_TYPES or obj.instance_collection is not None


def _is_fixed(collection: bpy.types.Collection) -> bool:
    """Belongs to another file, which alone says what is in it."""
    return not collection.is_editable or collection.override_library is not None


def _why_fixed(obstacles: bpy.types.Collection | None) -> str | None:
    if obstacles is None or not _is_fixed(obstacles):
        return None
    return f"Collection '{obstacles.name}' is linked from another file: choose one of this file"


class _Mark(_Footfall):
    """Put selected objects into a collection of the settings, made if there is none.

    Attributes:
        setting: which collection.
        collection_name: of a new one.
        nothing: what to say where nothing selected is fit.
    """

    setting: str
    collection_name: str
    nothing: str

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        reason = _why_fixed(getattr(settings_of(scene_of(context)), cls.setting))
        if reason:
            return reason
        return None if cls.candidates(context) else cls.nothing

    @classmethod
    def candidates(cls, context: _Context) -> list[bpy.types.Object]:
        """The selected objects that are fit."""
        raise NotImplementedError

    def execute(self, context: _Context) -> set[str]:
        settings, root = settings_of(scene_of(context)), scene_of(context).collection
        is_new = getattr(settings, self.setting) is None
        if is_new:
            setattr(settings, self.setting, bpy.data.collections.new(self.collection_name))
        collection = getattr(settings, self.setting)
        was_lost = collection not in {root, *root.children_recursive}
        if was_lost:
            root.children.link(collection)
        inside = set(collection.all_objects)
        new = [obj for obj in self.candidates(context) if obj not in inside]
        for obj in new:
            collection.objects.link(obj)
        told = f"{len(new)} more in '{collection.name}': {len(inside) + len(new)} in all"
        self.report({"INFO"}, f"{told}; the collection is back in the scene" if was_lost and not is_new else told)  # pyright: ignore[reportAttributeAccessIssue]
        return {"FINISHED"}


class MarkObstacles(_Mark, bpy.types.Operator):
    """Put the selected meshes into the collection of obstacles."""

    bl_idname = "footfall.mark_obstacle"
    bl_label = "Mark as Obstacle"
    bl_description = "Make people walk round the selected objects: adds them to the collection of obstacles"
    setting, collection_name = "obstacles", OBSTACLES_NAME
    nothing = "No selected object can be an obstacle: select meshes first"

    @classmethod
    def candidates(cls, context: _Context) -> list[bpy.types.Object]:
        """The selected objects that have a body and are nobody's route."""
        routes = {crowd.route for crowd in settings_of(scene_of(context)).crowds}
        return [obj for obj in context.selected_objects if _can_stand_in_the_way(obj) and obj not in routes]


class MarkHeroes(_Mark, bpy.types.Operator):
    """Put the selected objects into the collection of heroes."""

    bl_idname = "footfall.mark_hero"
    bl_label = "Mark as Hero"
    bl_description = "Make people avoid the selected objects, which you animate: adds them to the collection of heroes"
    setting, collection_name = "heroes", HEROES_NAME
    nothing = "No selected object can be a hero: select the armature, mesh or empty that you animate"

    @classmethod
    def candidates(cls, context: _Context) -> list[bpy.types.Object]:
        """The selected armatures, empties and bodies that no bake has made."""
        own = [obj for obj in context.selected_objects if TAG not in obj]
        return [obj for obj in own if obj.type in {"ARMATURE", "EMPTY"} or _can_stand_in_the_way(obj)]


class _Unmark(_Footfall):
    """Take selected objects out of a collection of the settings, by its name `setting`."""

    setting: str

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        collection = getattr(settings_of(scene_of(context)), cls.setting)
        reason = _why_fixed(collection)
        if reason:
            return reason
        chosen = cls.candidates(context)
        if not chosen:
            return f"No selected object is among the {cls.setting}"
        fixed = [_fixed_holder(obj, collection) for obj in chosen]
        if all(fixed):
            return (
                f"'{chosen[0].name}' is in '{fixed[0].name}', which is linked from another file: remove that "
                "collection instead"
            )
        return None

    @classmethod
    def candidates(cls, context: _Context) -> list[bpy.types.Object]:
        """The selected objects that are in it."""
        collection = getattr(settings_of(scene_of(context)), cls.setting)
        inside = set() if collection is None else set(collection.all_objects)
        return [obj for obj in context.selected_objects if obj in inside]

    def execute(self, context: _Context) -> set[str]:
        collection = getattr(settings_of(scene_of(context)), self.setting)
        marked = {collection, *collection.children_recursive}
        kept = [obj for obj in self.candidates(context) if _fixed_holder(obj, collection)]
        chosen = [obj for obj in self.candidates(context) if obj not in kept]
        for obj in chosen:
            for holder in marked.intersection(obj.users_collection):
                holder.objects.unlink(obj)
            if not obj.users_collection:
                scene_of(context).collection.objects.link(obj)  # it was nowhere else: keep it in the scene
        told = f"{len(chosen)} removed from '{collection.name}'"
        if kept:
            names = ", ".join(f"'{obj.name}'" for obj in kept)
            told += f"; kept because they are in a collection linked from another file: {names}"
        self.report({"INFO"}, told)  # pyright: ignore[reportAttributeAccessIssue]
        return {"FINISHED"}


class UnmarkObstacles(_Unmark, bpy.types.Operator):
    """Take the selected objects out of the collection of obstacles."""

    bl_idname = "footfall.unmark_obstacle"
    bl_label = "Unmark as Obstacle"
    bl_description = "Remove the selected objects from the collection of obstacles; the objects are not deleted"
    setting = "obstacles"


class UnmarkHeroes(_Unmark, bpy.types.Operator):
    """Take the selected objects out of the collection of heroes."""

    bl_idname = "footfall.unmark_hero"
    bl_label = "Unmark as Hero"
    bl_description = "Remove the selected objects from the collection of heroes; the objects are not deleted"
    setting = "heroes"


def _fixed_holder(obj: bpy.types.Object, obstacles: bpy.types.Collection) -> bpy.types.Collection | None:
    """The collection among the obstacles' that keeps an object in, as it is linked from another file; or None."""
    return next((each for each in obstacles.children_recursive if _is_fixed(each) and obj in set(each.objects)), None)


class CompareBake(_Footfall, bpy.types.Operator):
    """Find out whether the bake is out of date."""

    bl_idname = "footfall.compare_bake"
    bl_label = "Compare with Bake"
    bl_description = "Read the scene and report whether a new bake would give a different result"
    bl_options = {"REGISTER"}

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        return why_nothing_baked(scene_of(context))

    def execute(self, context: _Context) -> set[str]:
        try:
            freshness.compare(scene_of(context))
        except FootfallError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class ExportScene(_Footfall, bpy.types.Operator, ExportHelper):
    """Write the scene file that the core simulates without Blender."""

    bl_idname = "footfall.export_scene"
    bl_label = "Export Footfall Scene"
    bl_description = "Write crowds, routes and obstacles to a scene file (JSON) that Footfall simulates without Blender"
    bl_options = {"REGISTER"}

    filepath: bpy.props.StringProperty(name="File Path", subtype="FILE_PATH")
    filename_ext = ".json"
    filter_glob: bpy.props.StringProperty(default="*.json", options={"HIDDEN"})

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        return why_not_bake(scene_of(context))

    def execute(self, context: _Context) -> set[str]:
        path = Path(bpy.path.abspath(self.filepath))
        try:
            reading = read_scene(scene_of(context))
            save_scene(reading.scene, path)
        except FootfallError as error:
            select_culprits(context, error)
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"WARNING"} if reading.notices else {"INFO"}, " ".join([f"Wrote '{path}'.", *reading.notices]))
        return {"FINISHED"}


CLASSES = (
    AddCrowd,
    RemoveCrowd,
    UseSelectedRoute,
    MarkObstacles,
    UnmarkObstacles,
    MarkHeroes,
    UnmarkHeroes,
    CompareBake,
    ExportScene,
)
