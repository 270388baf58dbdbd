# SPDX-License-Identifier: GPL-3.0-or-later
"""The menu Object > Footfall, where Blender's search (F3) finds all that can be done."""

import bpy

_SECTIONS = (
    ("footfall.bake", "footfall.clear", "footfall.compare_bake"),
    ("footfall.crowd_add", "footfall.crowd_remove", "footfall.use_selected_route"),
    ("footfall.stop_add", "footfall.stop_remove", "footfall.stop_move"),
    ("footfall.trigger_add", "footfall.trigger_remove"),
    (
        *("footfall.mark_obstacle", "footfall.unmark_obstacle", "footfall.mark_hero", "footfall.unmark_hero"),
        "footfall.mark_crossing",
    ),
    (
        "footfall.go_to_person",
        *("footfall.pin_people", "footfall.hide_people", "footfall.delete_people", "footfall.replace_character"),
        *("footfall.retime_people", "footfall.restore_people", "footfall.make_real", "footfall.own_figures"),
        "footfall.add_clips",
        "footfall.body_parts",
        "footfall.explain_person",
    ),
    ("footfall.find_clips", "footfall.set_height", "footfall.hide_originals", "footfall.check_character"),
    ("footfall.set_end_frame", "footfall.export_scene"),
)


class FootfallMenu(bpy.types.Menu):
    """All that can be done with crowds."""

    bl_idname = "FOOTFALL_MT_footfall"
    bl_label = "Footfall"

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        for section in _SECTIONS:
            for name in section:
                layout.operator(name)
            layout.separator()
        layout.operator_menu_enum("footfall.mark_selected", "role")
        layout.operator_menu_enum("footfall.open_example", "example")
        layout.operator("footfall.open_manual", icon="HELP")


def _draw_entry(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    menu.layout.separator()
    menu.layout.menu(FootfallMenu.bl_idname, icon="COMMUNITY")


def attach() -> None:
    """Put the menu at the end of Object."""
    bpy.types.VIEW3D_MT_object.append(_draw_entry)


def detach() -> None:
    """Take it out again."""
    bpy.types.VIEW3D_MT_object.remove(_draw_entry)


CLASSES = (FootfallMenu,)
