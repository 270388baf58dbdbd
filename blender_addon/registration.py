# SPDX-License-Identifier: GPL-3.0-or-later
"""All that Footfall adds to Blender, in order, and how it is taken out again."""

from __future__ import annotations

from contextlib import ExitStack

import bpy

from . import command_line
from .interface import (
    auto_rebake,
    bake_operators,
    compiling,
    driving_panel,
    edit_operators,
    edit_panel,
    examples,
    figure_operators,
    finding_people,
    forgetting,
    instance_operators,
    keeping_names,
    languages,
    live_routes,
    manual,
    menus,
    operators,
    panels,
    person_panel,
    presets,
    progress,
    properties,
    report_panel,
    staleness,
    telling,
    walking_panel,
)
from .interface.overlays import panel as overlay_panel
from .interface.overlays import showing as overlays

CLASSES = (
    *properties.CLASSES,
    *bake_operators.CLASSES,
    *auto_rebake.CLASSES,
    *operators.CLASSES,
    *instance_operators.CLASSES,
    *edit_operators.CLASSES,
    *telling.CLASSES,
    *finding_people.CLASSES,
    *presets.CLASSES,
    *examples.CLASSES,
    *figure_operators.CLASSES,
    *manual.CLASSES,
    *menus.CLASSES,
    *panels.CLASSES,
    *walking_panel.CLASSES,
    *driving_panel.CLASSES,
    *report_panel.CLASSES,
    *edit_panel.CLASSES,
    *person_panel.CLASSES,
    *overlay_panel.CLASSES,
)

_PARTS = (
    *(properties, presets, forgetting, keeping_names, progress, staleness),
    *(auto_rebake, live_routes, overlays, compiling, languages, manual, menus),
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
