# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual: pages that come with the add-on, opened in a browser; "Online Manual" finds that of a button or setting.

Blender evaluates the annotations below: no `from __future__ import annotations` here.
"""

from collections.abc import Sequence
from pathlib import Path

import bpy
from bpy.props import StringProperty

FOLDER = Path(__file__).parents[2] / "manual"
"""Where the build puts the pages; not resolved, as the code may be a link into a repository."""

PAGES: Sequence[tuple[str, str]] = (
    ("bpy.ops.footfall.open_example*", "first_bake.html"),
    ("bpy.ops.footfall.find_clips*", "own_characters.html"),
    ("bpy.ops.footfall.set_height*", "own_characters.html"),
    ("bpy.ops.footfall.hide_originals*", "own_characters.html"),
    ("bpy.ops.footfall.check_character*", "own_characters.html"),
    ("bpy.ops.footfall.clear*", "rebake.html"),
    ("bpy.ops.footfall.compare_bake*", "rebake.html"),
    ("bpy.ops.footfall.*_people*", "people.html"),
    ("bpy.ops.footfall.bake_edited*", "people.html"),
    ("bpy.ops.footfall.*_person*", "people.html"),
    ("bpy.ops.footfall.replace_character*", "people.html"),
    ("bpy.ops.footfall.*mark_hero*", "people.html"),
    ("bpy.ops.footfall.add_clips*", "clips.html"),
    ("bpy.ops.footfall.body_parts*", "clips.html"),
    ("bpy.ops.footfall.make_real*", "characters.html"),
    ("bpy.ops.footfall.go_to_problem*", "report.html"),
    ("bpy.ops.footfall.look_again*", "overlays.html"),
    ("bpy.ops.footfall.explain_person*", "scripting.html"),
    ("bpy.ops.footfall.stop_*", "stops.html"),
    ("bpy.ops.footfall.trigger_*", "triggers.html"),
    ("bpy.ops.footfall.*", "first_bake.html"),
    ("bpy.types.footfalloverlays.*", "overlays.html"),
    ("bpy.types.footfallvehicle.*", "traffic.html"),
    ("bpy.types.footfallfollowing.*", "line.html"),
    ("bpy.types.footfallplanweights.*", "line.html"),
    ("bpy.types.footfallflocking.*", "line.html"),
    ("bpy.types.footfallgroups.*", "line.html"),
    ("bpy.types.footfallmotion.*", "characters.html"),
    ("bpy.types.footfalledit.*", "people.html"),
    ("bpy.types.footfallcast*", "own_characters.html"),
    ("bpy.types.footfallproblem.*", "report.html"),
    ("bpy.types.footfallcrowd.characters*", "own_characters.html"),
    ("bpy.types.footfallcrowd.forward_axis*", "own_characters.html"),
    ("bpy.types.footfallcrowd.stride_length*", "own_characters.html"),
    ("bpy.types.footfallcrowd.output*", "characters.html"),
    ("bpy.types.footfallscene.cast*", "own_characters.html"),
    ("bpy.types.footfallscene.active_character*", "own_characters.html"),
    ("bpy.types.footfallscene.heroes*", "people.html"),
    ("bpy.types.footfallcrowd.path_width*", "line.html"),
    ("bpy.types.footfallstop.*", "stops.html"),
    ("bpy.types.footfallpresence.*", "stops.html"),
    ("bpy.types.footfalltrigger.*", "triggers.html"),
    ("bpy.types.footfallcrowd.*stop*", "stops.html"),
    ("bpy.types.footfallscene.auto_rebake*", "rebake.html"),
    ("bpy.types.footfallscene.crossings*", "traffic.html"),
    ("bpy.types.footfallscene.keep_left*", "traffic.html"),
    ("bpy.types.footfall*", "first_bake.html"),
)
"""Which page describes which operator or setting: the first pattern that fits, as Blender looks them up."""


class OpenManual(bpy.types.Operator):
    """Open a page of the manual in the browser."""

    bl_idname = "footfall.open_manual"
    bl_label = "Footfall Manual"
    bl_description = "Open the manual of the add-on in the browser"
    bl_options = {"INTERNAL"}

    page: StringProperty(
        name="Page", description="File name of the page", default="index.html", options={"SKIP_SAVE", "HIDDEN"}
    )

    def execute(self, _context: bpy.types.Context) -> set[str]:
        path = FOLDER / self.page
        if not path.is_file():
            self.report({"ERROR"}, f"There is no page '{self.page}' in {FOLDER}: install the add-on from its zip")
            return {"CANCELLED"}
        bpy.ops.wm.url_open(url=path.as_uri())
        return {"FINISHED"}


def where_to_look() -> tuple[str, Sequence[tuple[str, str]]]:
    """Return the address of the manual and the pages of what belongs to us, as Blender asks for them."""
    return f"{FOLDER.as_uri()}/", PAGES


def attach() -> None:
    """Have Blender find our pages."""
    bpy.utils.register_manual_map(where_to_look)


def detach() -> None:
    """Have it find them no more."""
    bpy.utils.unregister_manual_map(where_to_look)


CLASSES = (OpenManual,)
