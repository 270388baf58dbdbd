# SPDX-License-Identifier: GPL-3.0-or-later
"""Which overlays the user has switched on: `scene.footfall.overlays`, one toggle for each."""

from typing import Any

import bpy
from bpy.props import BoolProperty

from ..redrawing import redraw_views
from . import words
from .registry import OVERLAYS


def _switched(_group: Any, _context: bpy.types.Context) -> None:
    """Somebody pressed a toggle: whatever went wrong before, try again."""
    words.clear()
    redraw_views()


class FootfallOverlays(bpy.types.PropertyGroup):
    """The toggles, by the names of the overlays; what they show changes no bake."""

    __annotations__ = {
        overlay.name: BoolProperty(
            name=overlay.label, description=overlay.description, default=False, options=set(), update=_switched
        )
        for overlay in OVERLAYS
    }
