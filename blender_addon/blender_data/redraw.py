# SPDX-License-Identifier: GPL-3.0-or-later
"""Redraws windows where Blender does not notice a change."""

from __future__ import annotations

from collections.abc import Iterator

import bpy


def redraw_panels() -> None:
    """Redraw the sidebars of all 3D viewports."""
    for area in _viewports():
        for region in area.regions:
            if region.type == "UI":
                region.tag_redraw()


def redraw_views() -> None:
    """Redraw all 3D viewports with their sidebars."""
    for area in _viewports():
        area.tag_redraw()


def _viewports() -> Iterator[bpy.types.Area]:
    for window in bpy.context.window_manager.windows:
        yield from (area for area in window.screen.areas if area.type == "VIEW_3D")
