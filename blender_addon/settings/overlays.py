# SPDX-License-Identifier: GPL-3.0-or-later
"""Which overlays the user has switched on and how they are drawn: `scene.footfall.overlays`, one toggle for each."""

from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty

from .overlay_catalogue import CATALOGUE, EVERYBODY, MEAN, MOST, NOW, SELECTED, Options
from .properties.change_events import overlay_switched

_OPTIONS = {
    "trails_of": EnumProperty(
        name="Of",
        description="Whose trails are drawn",
        items=[
            (EVERYBODY, "Everybody", "Trails of everybody; the selected person in white"),
            (SELECTED, "Selected", "Only the trail of the selected person"),
        ],
        default=Options.trails_of,
        options=set(),
        update=overlay_switched,
    ),
    "trail_seconds": FloatProperty(
        name="Back",
        description="Length of the trails [s]; 0: from the first frame on",
        default=Options.trail_seconds,
        min=0.0,
        soft_max=30.0,
        unit="TIME_ABSOLUTE",
        options=set(),
        update=overlay_switched,
    ),
    "density_over": EnumProperty(
        name="Over",
        description="What the colours show",
        items=[
            (NOW, "This Frame", "People per square metre at the current frame"),
            (MEAN, "Mean of All Frames", "Mean density over the whole bake"),
            (MOST, "Maximum", "Maximum density of each place over the whole bake"),
        ],
        default=Options.density_over,
        options=set(),
        update=overlay_switched,
    ),
    "person": IntProperty(
        name="Person",
        description="Number of the person to show in the selected crowd of instances",
        default=1,
        min=1,
        options=set(),
        update=overlay_switched,
    ),
}


def options_of(overlays: Any) -> Options:
    """How overlays are drawn, of `scene.footfall.overlays`."""
    return Options(overlays.trails_of, overlays.trail_seconds, overlays.density_over)


class FootfallOverlays(bpy.types.PropertyGroup):
    """The toggles, by the names of the overlays; what they show changes no bake."""

    __slots__ = ()

    __annotations__ = {
        row.name: BoolProperty(
            name=row.label, description=row.description, default=False, options=set(), update=overlay_switched
        )
        for row in CATALOGUE
    } | _OPTIONS
