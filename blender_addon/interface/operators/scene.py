# SPDX-License-Identifier: GPL-3.0-or-later
"""Add and remove crowds, give them a route, compare them with their bake, write the scene file."""

from pathlib import Path

import bpy
from bpy_extras.io_utils import ExportHelper

from ....core import save_scene
from ....core.errors import FootfallError
from ...baking.clearing import clear_crowds
from ...blender_data.tags import TAG
from ...reading import read_scene
from ...runtime import freshness
from ...settings.active_rows import remove_active_row
from ...settings.crowd.crowd import AREAS, PLACE, ROUTE, FootfallCrowd
from ...settings.crowd.presence import POINTS
from ...settings.properties.choices import may_be_route, offer_places, why_no_route
from ...settings.properties.identities import free_name
from ...settings.scene_settings import active_crowd, ensure_identities, scene_of, settings_of
from ..poll_reasons import NO_CROWD, OneStep, why_nothing_baked
from .bake import why_not_bake
from .figures import characters_among, take_characters
from .marking import is_bare
from .people.select_culprits import select_culprits

_Context = bpy.types.Context
_SET_OFF_WITHIN = 1.0  # of a new crowd [s]: people are no platoon that steps off in the same frame


class AddCrowd(OneStep, bpy.types.Operator):
    """Add a crowd and make it the active one."""

    bl_idname = "footfall.crowd_add"
    bl_label = "Add Crowd"
    bl_description = (
        "Add a crowd: people who share a route and settings. It walks along the selected curve, or the active one if "
        "nothing is selected; from the selected mesh or empty to the active one; or is on the points of a mesh that "
        "has nothing else. Its people are copies of the selected characters"
    )

    def execute(self, context: _Context) -> set[str]:
        settings = settings_of(scene_of(context))
        name = free_name("Crowd", [crowd.name for crowd in settings.crowds])
        crowd = settings.crowds.add()
        crowd.name, crowd.spawn.sets_off_within = name, _SET_OFF_WITHIN
        settings.active_crowd_index = len(settings.crowds) - 1
        ensure_identities(scene_of(context))
        parts = characters_among(context.selected_objects)
        told = [_take_route(crowd, context, parts)]
        if parts:
            told.append(take_characters(crowd, parts, scene_of(context)))
            for part in parts:  # or what a bake makes of them would be selected, too
                if part.name in context.view_layer.objects:
                    part.select_set(False)
        if any(told):
            self.report({"INFO"}, f"'{crowd.name}': {'; '.join(filter(None, told))}")
        boneless = None if parts else _boneless(crowd, context)
        if boneless is not None:
            self.report(
                {"WARNING"},
                f"'{boneless.name}' has no armature, so the people of '{crowd.name}' are the built-in ones. To move it "
                "as it stands, choose its collection in Characters",
            )
        return {"FINISHED"}


def _boneless(crowd: FootfallCrowd, context: _Context) -> bpy.types.Object | None:
    """Return a selected object that may have been meant as a character, beside the route."""
    others = [obj for obj in context.selected_objects if obj.type in {"MESH", "EMPTY"} and TAG not in obj]
    if crowd.mode != ROUTE or crowd.route is None or crowd.route not in context.selected_objects:
        return None
    return next((obj for obj in others if obj != crowd.route and obj.parent not in others), None)


def _take_route(crowd: FootfallCrowd, context: _Context, characters: list[bpy.types.Object]) -> str:
    """Have a new crowd go where the rest of the selection says; returns a sentence about it, or none."""
    chosen, active = [obj for obj in context.selected_objects if obj not in characters], context.active_object
    chosen.sort(key=lambda obj: obj != active)  # the active one first
    if not context.selected_objects and active is not None and active.visible_get():
        chosen = [active]  # as Use Selected Curve does
    curve = next((obj for obj in chosen if may_be_route(obj)), None)
    if curve is not None:
        crowd.mode, crowd.route = ROUTE, curve
        return f"people walk along '{curve.name}'"
    places = [obj for obj in chosen if offer_places(crowd, obj)]
    if len(places) == 2:
        crowd.mode, (crowd.goal, crowd.start) = AREAS, places
        told = f"people walk from '{crowd.start.name}' to '{crowd.goal.name}'"
        if crowd.start.type != "EMPTY":
            return told
        crowd.spawn.mode = "FLOW"  # round an empty there is room for a few people only
        return f"{told}, and enter one by one"
    mesh = places[0].data if len(places) == 1 and is_bare(places[0]) else None
    if isinstance(mesh, bpy.types.Mesh) and mesh.vertices:
        crowd.mode, crowd.presence.place, crowd.presence.spots = PLACE, places[0], POINTS
        crowd.count = len(mesh.vertices)  # Blender keeps it within the limits of the property
        return f"people are on the points of '{places[0].name}'"
    return ""


class RemoveCrowd(OneStep, bpy.types.Operator):
    """Remove the active crowd and its bake."""

    bl_idname = "footfall.crowd_remove"
    bl_label = "Remove Crowd"
    bl_description = "Remove the active crowd together with its baked characters"

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        return None if active_crowd(scene_of(context)) else "There is no crowd to remove"

    def execute(self, context: _Context) -> set[str]:
        try:
            notices = clear_crowds(scene_of(context), [active_crowd(scene_of(context))])
        except FootfallError as error:
            select_culprits(context, error)
            return self.refuse(str(error))
        for notice in notices:
            self.report({"INFO"}, notice)
        remove_active_row(settings_of(scene_of(context)), "crowd")
        return {"FINISHED"}


class UseSelectedRoute(OneStep, bpy.types.Operator):
    """Make the active curve the active crowd's route."""

    bl_idname = "footfall.use_selected_route"
    bl_label = "Use Selected Curve"
    bl_description = "Use the active curve in the viewport as the route of the active crowd"

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        if active_crowd(scene_of(context)) is None:
            return NO_CROWD
        return why_no_route(context.active_object)

    def execute(self, context: _Context) -> set[str]:
        crowd = active_crowd(scene_of(context))
        crowd.mode = ROUTE  # ty: ignore[invalid-assignment]
        crowd.route = context.active_object  # ty: ignore[invalid-assignment]
        self.report({"INFO"}, f"'{crowd.name}': people walk along '{context.active_object.name}'")
        return {"FINISHED"}


class CompareBake(OneStep, bpy.types.Operator):
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
            return self.refuse(str(error))
        return {"FINISHED"}


class ExportScene(OneStep, bpy.types.Operator, ExportHelper):
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
            return self.refuse(str(error))
        self.report({"WARNING"} if reading.notices else {"INFO"}, " ".join([f"Wrote '{path}'.", *reading.notices]))
        return {"FINISHED"}


CLASSES = (
    AddCrowd,
    RemoveCrowd,
    UseSelectedRoute,
    CompareBake,
    ExportScene,
)
