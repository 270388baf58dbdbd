# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips from elsewhere for the characters of this file, and which of their bones are which parts of the body."""

from pathlib import Path

import bpy
from bpy.props import BoolProperty, StringProperty

from ....core.errors import FootfallError
from ...blender_data.object_references import carriers_of
from ...blender_data.tags import TAG
from ...characters.ready.cast_table import characters_in_table
from ...characters.retargeting.added_clips import add_clips, files_of_clips
from ...characters.retargeting.humanoids import PART_NAMES, give_parts, has_body, recognised_parts
from ...settings.properties.change_events import cast_changed
from ...settings.scene_settings import active_crowd, scene_of, settings_of
from ..poll_reasons import OneStep

_Context = bpy.types.Context


class AddClips(OneStep, bpy.types.Operator):
    """All clips of a folder are added to the file, for every character that lacks them."""

    bl_idname = "footfall.add_clips"
    bl_label = "Add Clips from Folder"
    bl_description = (
        "Add the clips of all FBX, glTF and BVH files in a folder. Characters with a human body and no walk, run or "
        "idle of their own play them, whatever their bones are called"
    )

    directory: StringProperty(name="Folder", description="Folder with the files", subtype="DIR_PATH")
    filter_folder: BoolProperty(default=True, options={"HIDDEN"})
    filter_glob: StringProperty(default="*.fbx;*.glb;*.gltf;*.bvh", options={"HIDDEN"})

    def invoke(self, context: _Context, _event: bpy.types.Event) -> set[str]:
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: _Context) -> set[str]:
        folder = Path(bpy.path.abspath(self.directory))
        files = files_of_clips(folder) if folder.is_dir() else []
        if not files:
            return self.refuse(f"There is no FBX, glTF or BVH file in '{folder}'")
        added, refused = 0, []
        manager = context.window_manager
        manager.progress_begin(0, len(files))
        try:
            for number, path in enumerate(files):
                context.workspace.status_text_set(f"Footfall adds clips: {path.name}, {number + 1} of {len(files)}")
                manager.progress_update(number)
                try:
                    added += len(add_clips(path, context))
                except FootfallError as error:
                    refused.append(str(error))
        finally:
            manager.progress_end()
            context.workspace.status_text_set(None)
        for sentence in refused:
            self.report({"WARNING"}, sentence)
        cast_changed(settings_of(scene_of(context)), context)
        self.report({"INFO"}, f"{added} clips of {len(files) - len(refused)} files were added")
        return {"FINISHED"} if added else {"CANCELLED"}


def armature_in_question(context: _Context) -> bpy.types.Object | None:
    """The armature of the active object, unless a bake made it; or else that of the line of the cast table.

    Without a table it is the first of the active crowd's characters.
    """
    active, scene = context.view_layer.objects.active, scene_of(context)
    crowd, settings = active_crowd(scene), settings_of(scene)
    characters = crowd.characters.all_objects if crowd is not None and crowd.characters is not None else ()
    nearest = (active, *carriers_of(active)) if active is not None and TAG not in active else ()
    number = settings.active_character_index
    line = settings.cast[number].armature if number in characters_in_table(scene, crowd) else None
    asked = (*nearest, *((line,) if line is not None else ()), *characters)
    return next((each for each in asked if each.type == "ARMATURE"), None)


class BodyParts(OneStep, bpy.types.Operator):
    """Which bones of a character are which parts of its body."""

    bl_idname = "footfall.body_parts"
    bl_label = "Parts of the Body"
    bl_description = (
        "Show and correct which bones of a character are its hips, legs, arms and head. A character with a human body"
        " can play clips made for others"
    )

    character: StringProperty(
        name="Character", description="Armature; empty: that of the active object, or of the crowd", default=""
    )

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        return None if armature_in_question(context) else "Select a character with an armature first"

    def invoke(self, context: _Context, _event: bpy.types.Event) -> set[str]:
        armature = self._armature(context)
        if armature is None:
            return {"CANCELLED"}
        self.character = armature.name
        for role, bone in recognised_parts(armature).items():
            setattr(self, role, bone)
        return context.window_manager.invoke_props_dialog(self, width=420)  # ty: ignore[invalid-explicit-return]

    def draw(self, context: _Context) -> None:
        armature = self._armature(context)
        layout = self.layout
        layout.use_property_split = True  # ty: ignore[invalid-assignment]
        layout.label(text=self.character, icon="ARMATURE_DATA")
        for role in PART_NAMES:
            layout.prop_search(self, role, armature.data, "bones")

    def execute(self, context: _Context) -> set[str]:
        armature = self._armature(context)
        if armature is None:
            return self.refuse(f"There is no armature '{self.character}'")
        chosen = {role: getattr(self, role) for role in PART_NAMES if self.properties.is_property_set(role)}
        unknown = next((bone for bone in chosen.values() if bone and bone not in armature.pose.bones), None)
        if unknown is not None:
            return self.refuse(f"'{armature.name}' has no bone '{unknown}'")
        give_parts(armature, chosen)
        cast_changed(settings_of(scene_of(context)), context)
        if not has_body(armature):
            sentence = (
                f"'{armature.name}' has no human body with these bones: thighs, shins and feet must hang upright from "
                "the hips, and no constraint may move them"
            )
            self.report({"WARNING"}, sentence)
        else:
            self.report({"INFO"}, f"'{armature.name}' has a human body and can play clips made for others")
        return {"FINISHED"}

    def _armature(self, context: _Context) -> bpy.types.Object | None:
        named = bpy.data.objects.get(self.character) if self.character else armature_in_question(context)
        return named if named is not None and named.type == "ARMATURE" else None


BodyParts.__annotations__ |= {
    role: StringProperty(name=name, description=f"Bone of the {name.lower()}; empty: found by its name", default="")
    for role, name in PART_NAMES.items()
}

CLASSES = (AddClips, BodyParts)
