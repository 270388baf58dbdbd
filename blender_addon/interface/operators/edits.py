# SPDX-License-Identifier: GPL-3.0-or-later
"""Pin, hide, delete, replace and retime single people, and ask before a bake replaces what was edited by hand."""

import textwrap
from typing import Any, ClassVar

import bpy
from bpy.props import EnumProperty, FloatProperty, StringProperty

from ...bakes.edited_people import (
    KEEP,
    OVERWRITE,
    find_handwork,
    forget_written,
    let_go,
    move_in_time,
    mover_of,
    parts_of,
    pin,
)
from ...bakes.handwork import blocks_by_hand_kept, carried_by
from ...bakes.ownership import distance_from_making
from ...blender_data.tags import MADE_AS, PINNED, TAG
from ...characters.character import find_characters
from ...figures.mesh.people import PEOPLE
from ...settings.crowd.edits import drop_empty_edits, edit_of
from ...settings.properties.identities import name_of
from ...settings.scene_settings import active_crowd, scene_of, settings_of
from ..poll_reasons import Explaining
from .bake import why_not_bake
from .people.selected_people import people_meant, why_nobody

_Context = bpy.types.Context


class _OfPeople(Explaining):
    """What these operators share: they work on the people that are selected."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        if context.mode != "OBJECT":
            return "Go back to Object Mode first"
        return None if any(TAG in obj for obj in context.selected_objects) else why_nobody(context)

    def execute(self, context: _Context) -> set[str]:
        scene = scene_of(context)
        crowds = {crowd.uid: crowd for crowd in settings_of(scene).crowds}
        meant = {uid: names for uid, names in people_meant(context).items() if uid in crowds}
        count = 0
        for uid, names in meant.items():
            reason = self.change(scene, crowds[uid], names)
            if reason:
                return self.refuse(reason)
            drop_empty_edits(crowds[uid])
            count += len(names)
        if not count:
            return self.refuse(why_nobody(context))
        self.report({"INFO"}, self.done.format(f"{count} person" if count == 1 else f"{count} people"))  # ty: ignore[missing-attribute]
        return {"FINISHED"}

    done: str

    def change(self, scene: bpy.types.Scene, crowd: Any, names: list[str]) -> str:
        """Do it to the people of one crowd; returns why it cannot be done, or nothing."""
        raise NotImplementedError


def _movers(scene: bpy.types.Scene, crowd: Any, names: list[str]) -> list[bpy.types.Object]:
    """The characters of people; those who are instances have none."""
    movers = [each for each in scene.objects if each.get(TAG) == crowd.uid and mover_of(each) == each]
    movers.sort(key=distance_from_making, reverse=True)  # of copies the last is the person itself
    made = {each.get(MADE_AS): each for each in movers}
    return [made[name] for name in names if name in made]


def _why_not_pinned(crowd: Any, movers: list[bpy.types.Object], names: list[str]) -> str:
    if crowd.drives:
        return "Vehicles cannot be pinned: the others would not follow or give way to them in traffic"
    if len(movers) < len(names):
        return "Instances have no animation of their own: press 'Make People Real' first, then pin the character"
    return ""


class PinPeople(_OfPeople, bpy.types.Operator):
    """Let the selected characters keep their animation."""

    bl_idname = "footfall.pin_people"
    bl_label = "Pin People"
    bl_description = (
        "Keep the selected characters with every key: no bake replaces them, and from the next bake on "
        "all others avoid them"
    )
    done = "{} pinned"

    def change(self, scene: bpy.types.Scene, crowd: Any, names: list[str]) -> str:
        movers = _movers(scene, crowd, names)
        reason = _why_not_pinned(crowd, movers, names)
        if not reason:
            pin(scene, crowd, movers)
        return reason


class RestorePeople(_OfPeople, bpy.types.Operator):
    """Let the selected people be as all others again."""

    bl_idname = "footfall.restore_people"
    bl_label = "Reset People"
    bl_description = (
        "Remove all changes to the selected people, including pins: the next bake treats them like all "
        "others and replaces what was edited by hand"
    )
    done = "{} reset, from the next bake on"

    def change(self, scene: bpy.types.Scene, crowd: Any, names: list[str]) -> str:
        restore(scene, crowd, names)
        return ""


def restore(scene: bpy.types.Scene, crowd: Any, names: list[str]) -> None:
    """Forget what was said of people of a crowd."""
    let_go(scene, crowd, names)
    for name in names:
        index = crowd.edits.find(name)
        if index >= 0:
            crowd.edits.remove(index)


class RestorePerson(Explaining, bpy.types.Operator):
    """Forget a line of the list of edited people."""

    bl_idname = "footfall.restore_person"
    bl_label = "Reset Person"
    bl_description = "Remove all changes to this person, including a pin, from the next bake on"
    bl_options = {"REGISTER", "UNDO"}

    person: StringProperty(name="Person", description="Name of the person in the active crowd")

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        return "There is no crowd" if active_crowd(scene_of(context)) is None else None

    def execute(self, context: _Context) -> set[str]:
        crowd = active_crowd(scene_of(context))
        meant = [edit.name for edit in crowd.edits if self.person in {edit.name, name_of(crowd, edit.name)}]
        if not meant:
            return self.refuse(f"No person named '{self.person}' in '{crowd.name}' has been changed")
        restore(scene_of(context), crowd, meant)
        return {"FINISHED"}


class HidePeople(_OfPeople, bpy.types.Operator):
    """Let nobody see the selected people."""

    bl_idname = "footfall.hide_people"
    bl_label = "Hide People"
    bl_description = "Hide the selected people; the others still walk round them"
    done = "{} hidden"

    def change(self, scene: bpy.types.Scene, crowd: Any, names: list[str]) -> str:
        return _put_away(scene, crowd, names, "hidden")


class DeletePeople(_OfPeople, bpy.types.Operator):
    """Let the selected people not come."""

    bl_idname = "footfall.delete_people"
    bl_label = "Delete People"
    bl_description = "Remove the selected people from the crowd; from the next bake on, the others walk without them"
    done = "{} deleted"

    def change(self, scene: bpy.types.Scene, crowd: Any, names: list[str]) -> str:
        if crowd.drives:
            return "Vehicles cannot be deleted one by one: those behind would still follow them"
        return _put_away(scene, crowd, names, "deleted")


def _put_away(scene: bpy.types.Scene, crowd: Any, names: list[str], how: str) -> str:
    """Note it, and remove the characters at once; instances go with the next bake."""
    movers = _movers(scene, crowd, names)
    pinned = [mover for mover in movers if PINNED in mover]
    if pinned:
        return f"'{pinned[0].name}' is pinned: press Reset first"
    by_hand = [each for each in find_handwork(scene, crowd) if each.person in names] if how == "hidden" else []
    if by_hand:
        what = ", ".join(by_hand[0].what)
        return f"'{by_hand[0].name}' was edited by hand ({what}): pin it, or hide it in the outliner"
    parts = [part for mover in movers for part in parts_of(scene, mover)]
    if how == "hidden" and (carried := carried_by(parts)):
        return f"'{carried[0].name}' is parented to a selected person: clear its parent first, or pin the person"
    for name in names:
        setattr(edit_of(crowd, name), how, True)
    forget_written(scene, crowd.uid, names)
    with blocks_by_hand_kept(parts):
        bpy.data.batch_remove(parts)
    return ""


def _suggested(_operator: Any, context: _Context, _text: str) -> list[str]:
    """The characters of the active crowd."""
    crowd = active_crowd(scene_of(context))
    return [] if crowd is None else _names_of_characters(crowd)


def _names_of_characters(crowd: Any) -> list[str]:
    if crowd.characters is None:
        return [figure.name for figure in PEOPLE] if not crowd.drives else []
    return [character.name for character in find_characters(crowd.characters)]


class ReplaceCharacter(_OfPeople, bpy.types.Operator):
    """Let another character play the selected people."""

    bl_idname = "footfall.replace_character"
    bl_label = "Replace Character"
    bl_description = "Use another character for the selected people, from the next bake on"
    done = "{} played by another character, from the next bake on"

    character: StringProperty(
        name="Character",
        description="Name of a character of the crowd; empty: chosen at random",
        search=_suggested,
    )

    def invoke(self, context: _Context, _event: bpy.types.Event) -> set[str]:
        return context.window_manager.invoke_props_dialog(self)  # ty: ignore[invalid-explicit-return]

    def change(self, scene: bpy.types.Scene, crowd: Any, names: list[str]) -> str:
        if any(PINNED in mover for mover in _movers(scene, crowd, names)):
            return "A pinned character cannot be changed: press Reset first"
        known = _names_of_characters(crowd)
        if self.character and self.character not in known:
            return f"'{crowd.name}' has no character '{self.character}'; there are: {', '.join(known)}"
        for name in names:
            edit_of(crowd, name).character = self.character
        return ""


class RetimePeople(_OfPeople, bpy.types.Operator):
    """Let what the selected characters do happen earlier or later."""

    bl_idname = "footfall.retime_people"
    bl_label = "Retime People"
    bl_description = (
        "Move all motion of the selected characters some frames later or earlier, and pin them, "
        "because they may now walk through others: from the next bake on, the others avoid them"
    )
    done = "{} retimed and pinned"

    frames: FloatProperty(
        name="Frames Later",
        description="Number of frames by which the motion is delayed; negative: earlier",
        default=12.0,
    )

    def invoke(self, context: _Context, _event: bpy.types.Event) -> set[str]:
        return context.window_manager.invoke_props_dialog(self)  # ty: ignore[invalid-explicit-return]

    def change(self, scene: bpy.types.Scene, crowd: Any, names: list[str]) -> str:
        if not self.frames:
            return "0 frames changes nothing: enter a positive number for later, a negative one for earlier"
        movers = _movers(scene, crowd, names)
        reason = _why_not_pinned(crowd, movers, names)
        if reason:
            return reason
        for mover in movers:
            move_in_time(scene, mover, self.frames)
        pin(scene, crowd, movers)
        return ""


class BakeEdited(Explaining, bpy.types.Operator):
    """Ask what becomes of people who were edited by hand, and bake."""

    bl_idname = "footfall.bake_edited"
    bl_label = "Some People Were Edited by Hand"
    bl_description = "Keep or overwrite people who were edited by hand, and bake"
    bl_options = {"INTERNAL"}

    width: ClassVar[int] = 420  # of the dialog [pixels]; chosen for legibility
    letters: ClassVar[int] = 64  # that fit into its width

    crowd: StringProperty(options={"SKIP_SAVE", "HIDDEN"})
    told: StringProperty(options={"SKIP_SAVE", "HIDDEN"})
    edited: EnumProperty(
        name="Edited by Hand",
        description="What to do with these characters",
        items=[
            (KEEP, "Keep Them", "Pin them: they stay as they are, and everybody makes way for them"),
            (OVERWRITE, "Overwrite Them", "Replace them like all others; your Actions and materials stay in the file"),
        ],
    )

    def invoke(self, context: _Context, _event: bpy.types.Event) -> set[str]:
        return context.window_manager.invoke_props_dialog(self, width=self.width)  # ty: ignore[invalid-explicit-return]

    def draw(self, _context: _Context) -> None:
        column = self.layout.column()
        for line in textwrap.wrap(self.told, self.letters):
            column.label(text=line)
        column.row().prop(self, "edited", expand=True)

    @classmethod
    def why_not(cls, context: _Context) -> str | None:
        return why_not_bake(scene_of(context))

    def execute(self, _context: _Context) -> set[str]:
        try:
            return bpy.ops.footfall.bake("INVOKE_DEFAULT", crowd=self.crowd, edited=self.edited)  # ty: ignore[missing-attribute]
        except RuntimeError as error:  # as Blender hands on what the bake has reported
            return self.refuse(str(error).removeprefix("Error: ").strip())


CLASSES = (
    PinPeople,
    RestorePeople,
    RestorePerson,
    HidePeople,
    DeletePeople,
    ReplaceCharacter,
    RetimePeople,
    BakeEdited,
)
