# SPDX-License-Identifier: GPL-3.0-or-later
# pyright: reportInvalidTypeForm=false
"""How a crowd keeps together, in which groups, and with what bodies.

Blender evaluates the annotations below: no `from __future__ import annotations` here.
"""

import bpy
from bpy.props import EnumProperty, FloatProperty, IntProperty

from ....core.scene import scene as core
from ....core.scene.crowd_checks import LARGEST_GROUP, LONGEST_DELAY
from ..change_events import setting_changed

_FLOCKING = core.Flocking()
_LEAST, _MOST = core.Crowd(name="").groups


BODY = EnumProperty(
    name="Body",
    description="How bodies turn and go",
    items=(
        (core.PERSON.upper(), "Person", "Steps in any direction, and turns to where it goes"),
        (core.WHEELS.upper(), "On Wheels", "Goes only where it faces, like a robot on two wheels, and turns first"),
    ),
    default=core.Crowd(name="").body.upper(),
    options=set(),
    update=setting_changed,
)
"""Of a crowd: `core.scene.Crowd.body`."""

DELAY = FloatProperty(
    name="Delay",
    description=(
        "From when a robot decides to when its wheels carry that out [s]. It decides from where it will be by then: "
        "more makes it take more room and answer later"
    ),
    default=core.Crowd(name="").delay,
    min=0.0,
    max=LONGEST_DELAY,
    soft_max=0.5,
    unit="TIME_ABSOLUTE",
    options=set(),
    update=setting_changed,
)
"""Of a crowd on wheels: `core.scene.Crowd.delay`."""


class FootfallFlocking(bpy.types.PropertyGroup):
    """How the people of a crowd keep together; mirrors `core.scene.Flocking`."""

    separation: FloatProperty(
        name="Separation",
        description="How much people keep from those of their crowd who come near: more makes a looser bunch",
        default=_FLOCKING.separation,
        min=0.0,
        soft_max=2.0,
        options=set(),
        update=setting_changed,
    )
    alignment: FloatProperty(
        name="Alignment",
        description="How much people go as their neighbours in the crowd go: more makes them turn and hurry together",
        default=_FLOCKING.alignment,
        min=0.0,
        soft_max=2.0,
        options=set(),
        update=setting_changed,
    )
    cohesion: FloatProperty(
        name="Cohesion",
        description="How much people draw towards the middle of their neighbours: more makes a bunch that stays one",
        default=_FLOCKING.cohesion,
        min=0.0,
        soft_max=2.0,
        options=set(),
        update=setting_changed,
    )
    distance: FloatProperty(
        name="Distance (m)",
        description="How far off others of the crowd still count [m]: larger makes larger bunches",
        default=_FLOCKING.distance,
        min=0.1,
        soft_max=10.0,
        options=set(),
        update=setting_changed,
    )

    def to_settings(self) -> core.Flocking | None:
        """The core's settings that say the same; None where nobody keeps together."""
        if self.separation == self.alignment == self.cohesion == 0.0:
            return None
        return core.Flocking(self.separation, self.alignment, self.cohesion, self.distance)


class FootfallGroups(bpy.types.PropertyGroup):
    """In what groups people walk; mirrors `core.scene.Crowd.groups`."""

    least: IntProperty(
        name="Groups Of",
        description=(
            "How many friends walk together at least: 1 lets some walk alone. Groups start side by side, walk abreast, "
            "wait for each other and form again after a door"
        ),
        default=_LEAST,
        min=1,
        max=LARGEST_GROUP,
        options=set(),
        update=setting_changed,
    )
    most: IntProperty(
        name="To",
        description="How many friends walk together at most: 1 for people who all walk alone, 2 for pairs",
        default=_MOST,
        min=1,
        max=LARGEST_GROUP,
        options=set(),
        update=setting_changed,
    )

    def to_settings(self) -> tuple[int, int]:
        """The core's settings that say the same; the smaller number is the least, whichever it is."""
        return min(self.least, self.most), max(self.least, self.most)


CLASSES = (FootfallFlocking, FootfallGroups)
