# SPDX-License-Identifier: GPL-3.0-or-later
"""All that Footfall adds to Blender, in order, and how it is taken out again."""

from __future__ import annotations

from contextlib import ExitStack

import bpy

from . import command_line
from .interface import examples, languages, manual, menus, presets
from .interface.operators import (
    auto_rebake,
    bake,
    check_character,
    clips,
    edits,
    figures,
    find_clips,
    instances,
    marking,
    scene,
    stops,
    triggers,
)
from .interface.operators.people import explain_person, find_person
from .interface.overlays import showing as overlays
from .interface.panels import (
    cast_panel,
    driving,
    main,
    person,
    report,
    single_people,
    stops_panel,
    triggers_panel,
    walking,
)
from .interface.panels import overlays as overlay_panel
from .runtime import (
    bake_records,
    cache_reset,
    freshness,
    kernel_warm_up,
    live_routes,
    names_before_saving,
    portrait_icons,
    running_bake,
    running_check,
)
from .settings import scene_settings

CLASSES = (
    *scene_settings.CLASSES,
    *bake.CLASSES,
    *auto_rebake.CLASSES,
    *scene.CLASSES,
    *stops.CLASSES,
    *triggers.CLASSES,
    *marking.CLASSES,
    *instances.CLASSES,
    *edits.CLASSES,
    *explain_person.CLASSES,
    *find_person.CLASSES,
    *presets.CLASSES,
    *examples.CLASSES,
    *figures.CLASSES,
    *clips.CLASSES,
    *find_clips.CLASSES,
    *check_character.CLASSES,
    *manual.CLASSES,
    *menus.CLASSES,
    *main.CLASSES,
    *stops_panel.CLASSES,
    *triggers_panel.CLASSES,
    *cast_panel.CLASSES,
    *walking.CLASSES,
    *driving.CLASSES,
    *report.CLASSES,
    *single_people.CLASSES,
    *person.CLASSES,
    *overlay_panel.CLASSES,
)

_PARTS = (
    *(scene_settings, presets, cache_reset, names_before_saving, running_bake, freshness, bake_records),
    *(
        find_clips,
        running_check,
        portrait_icons,
        auto_rebake,
        live_routes,
        overlays,
        kernel_warm_up,
        languages,
        manual,
        menus,
    ),
)

_added = ExitStack()


def register() -> None:
    """Add classes, properties, handlers and the command; when one of them fails, nothing stays."""
    with ExitStack() as adding:
        for cls in CLASSES:
            bpy.utils.register_class(cls)
            adding.callback(bpy.utils.unregister_class, cls)
        for part in _PARTS:
            part.attach()
            adding.callback(part.detach)
        command = bpy.utils.register_cli_command(command_line.NAME, command_line.run)
        adding.callback(bpy.utils.unregister_cli_command, command)
        _added.push(adding.pop_all())


def unregister() -> None:
    """Take all of it out again, backwards."""
    _added.close()
