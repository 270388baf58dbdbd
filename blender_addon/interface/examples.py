# SPDX-License-Identifier: GPL-3.0-or-later
"""The example scenes, opened from the panel: each is built in a scene of its own, ready to be baked.

Blender evaluates the annotations below: no `from __future__ import annotations` here.
"""

import importlib

import bpy
from bpy.props import EnumProperty

from ..settings.scene_settings import settings_of
from .poll_reasons import Explaining

EXAMPLES = (
    ("plaza", "Plaza", "40 people on a city square, round a fountain, a kiosk and a cart that drives across"),
    ("market", "Market", "People look at stalls, queue, sit and talk, until a stall burns and all of them flee"),
    (
        "station",
        "Station Hall",
        "People find their own routes through a hall, and get out of a train and into it as its doors open",
    ),
    ("crossing", "Crossing Streams", "Four streams of 50 people meet in the middle of a square"),
    ("rings", "Ring", "24 people in a ring all cross to the opposite side at once"),
    ("parade", "Parade", "30 people on hilly ground, seen from close by: watch the feet"),
    ("bends", "Bends", "How closely people keep to a drawn line, in bends and past obstacles"),
    ("avenue", "Avenue", "60 vehicles on lanes, and people on a marked crossing"),
    ("stadium", "Stadium", "10,000 people in the stands do the wave, as instances: its bake takes some minutes"),
)

_FOLDER = "blend_examples"


class OpenExample(Explaining, bpy.types.Operator):
    """Build an example in a new scene."""

    bl_idname = "footfall.open_example"
    bl_label = "Open Example"
    bl_description = "Build an example in a new scene of this file, with all settings, ready to bake"
    bl_options = {"REGISTER", "UNDO"}

    example: EnumProperty(name="Example", description="Example to build", items=EXAMPLES, options={"SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> set[str]:
        root = __package__.partition(".blender_addon")[0]
        scene = importlib.import_module(f"{root}.{_FOLDER}.{self.example}").build()
        scene.name = f"Footfall {next(label for name, label, _ in EXAMPLES if name == self.example)}"
        settings_of(scene).active_crowd_index = 0
        for area in context.window.screen.areas if context.window else ():
            space = area.spaces.active
            if isinstance(space, bpy.types.SpaceView3D) and space.region_3d and scene.camera is not None:
                space.region_3d.view_perspective = "CAMERA"
        self.report({"INFO"}, f"'{scene.name}' is ready: press Bake")
        return {"FINISHED"}


CLASSES = (OpenExample,)
