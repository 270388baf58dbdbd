# SPDX-License-Identifier: GPL-3.0-or-later
"""How a crowd keeps together, in which groups, and with what bodies.

Blender evaluates the annotations below: no `from __future__ import annotations` here.
"""

import bpy

from ....core import scene as core
from ....core.scene.avoidance_models import AVOIDANCE_MODELS
from ....core.scene.crowd_checks import LARGEST_GROUP, LARGEST_PERSONAL_SPACE, LONGEST_DELAY, LONGEST_TIME_GAP
from ..properties.tracked_properties import EnumSetting, FloatSetting, IntSetting, TimeSetting

_FLOCKING = core.Flocking()
_LEAST, _MOST = core.Crowd(name="").groups


_NONE = 1
"""Files of Blender hold these numbers: the first model has 0, "none" has 1, and the further models have 2, 3, ..."""

AVOIDANCE_ITEMS = (
    *(
        (row.name.upper(), row.label, row.description, place + (place >= _NONE))
        for place, row in enumerate(AVOIDANCE_MODELS)
    ),
    (core.NO_AVOIDANCE.upper(), "Pass Through", "No avoidance: people walk through each other", _NONE),
)
"""Of a crowd: `core.scene.Crowd.avoidance`."""

BODY = EnumSetting(
    name="Body",
    description="How bodies turn and move",
    items=(
        (core.PERSON.upper(), "Person", "Steps in any direction, and turns to face the direction of motion"),
        (
            core.WHEELS.upper(),
            "On Wheels",
            "Moves only in the direction it faces, like a robot on two wheels, and turns first",
        ),
    ),
    default=core.Crowd(name="").body.upper(),
)
"""Of a crowd: `core.scene.Crowd.body`."""

DELAY = TimeSetting(
    name="Delay",
    description=(
        "Time from a decision of a robot until its wheels carry it out [s]. The robot decides from the "
        "position it will have by then: higher values make it keep more room and react later"
    ),
    default=core.Crowd(name="").delay,
    max=LONGEST_DELAY,
    soft_max=0.5,
)
"""Of a crowd on wheels: `core.scene.Crowd.delay`."""


TIME_GAP = TimeSetting(
    name="Following Distance",
    description=(
        "Time that people keep behind whoever walks ahead of them, on average [s]: higher values give a looser crowd "
        "that slows down sooner. 0: people only avoid contact"
    ),
    default=core.Crowd(name="").time_gap,
    max=LONGEST_TIME_GAP,
    soft_max=2.0,
)
"""Of a crowd: `core.scene.Crowd.time_gap`."""

PERSONAL_SPACE = FloatSetting(
    name="Personal Space (m)",
    description=(
        "Room that people keep beside others whom they pass or overtake, where there is room [m]: with higher values "
        "they step aside earlier and farther"
    ),
    default=core.Crowd(name="").personal_space,
    min=0.0,
    max=LARGEST_PERSONAL_SPACE,
    soft_max=1.0,
)
"""Of a crowd: `core.scene.Crowd.personal_space`."""


class FootfallFlocking(bpy.types.PropertyGroup):
    """How the people of a crowd keep together; mirrors `core.scene.Flocking`."""

    __slots__ = ()

    separation: FloatSetting(
        name="Separation",
        description=(
            "How strongly people keep apart from nearby people of their crowd: higher values give a looser group"
        ),
        default=_FLOCKING.separation,
        min=0.0,
        soft_max=2.0,
    )
    alignment: FloatSetting(
        name="Alignment",
        description=(
            "How strongly people match the velocity of their neighbours in the crowd: higher values make "
            "them turn and speed up together"
        ),
        default=_FLOCKING.alignment,
        min=0.0,
        soft_max=2.0,
    )
    cohesion: FloatSetting(
        name="Cohesion",
        description=(
            "How strongly people move towards the middle of their neighbours: higher values keep the group together"
        ),
        default=_FLOCKING.cohesion,
        min=0.0,
        soft_max=2.0,
    )
    distance: FloatSetting(
        name="Distance (m)",
        description="Distance within which others of the crowd count [m]: higher values give larger groups",
        default=_FLOCKING.distance,
        min=0.1,
        soft_max=10.0,
    )

    def to_settings(self) -> core.Flocking | None:
        """The core's settings that say the same; None where nobody keeps together."""
        if self.separation == self.alignment == self.cohesion == 0.0:
            return None
        return core.Flocking(self.separation, self.alignment, self.cohesion, self.distance)


class FootfallGroups(bpy.types.PropertyGroup):
    """In what groups people walk; mirrors `core.scene.Crowd.groups`."""

    __slots__ = ()

    least: IntSetting(
        name="Groups Of",
        description=(
            "Smallest size of a group of friends: with 1, some walk alone. Groups start side by side, walk "
            "abreast, wait for each other and form again after a door"
        ),
        default=_LEAST,
        min=1,
        max=LARGEST_GROUP,
    )
    most: IntSetting(
        name="To",
        description="Largest size of a group of friends: with 1 all walk alone, with 2 in pairs",
        default=_MOST,
        min=1,
        max=LARGEST_GROUP,
    )

    def to_settings(self) -> tuple[int, int]:
        """The core's settings that say the same; the smaller number is the least, whichever it is."""
        return min(self.least, self.most), max(self.least, self.most)


CLASSES = (FootfallFlocking, FootfallGroups)
