# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user sets for a crowd of bystanders: on seats, in an area, along a line.

Blender evaluates the annotations below: no `from __future__ import annotations` here.
"""

import bpy

from ....core import scene as core
from ..properties.tracked_properties import CollectionSetting, EnumSetting, ObjectSetting
from .stops import SIT, activity_items, offer_stops, offer_targets

POINTS = "POINTS"


class FootfallPresence(bpy.types.PropertyGroup):
    """Where the people of a crowd are who do not walk, and what they do there."""

    __slots__ = ()

    place: ObjectSetting(
        name="Place",
        description="Where people are: on the footprint or on the points of a mesh, along a curve, or at an empty",
        poll=offer_stops,
    )
    places: CollectionSetting(name="Collection", description="Collection of places, instead of a single one")
    spots: EnumSetting(
        name="On",
        description="Where on a mesh people are",
        items=(
            ("AREA", "Its Area", "Spread over its footprint; people who talk stand in rings"),
            (
                POINTS,
                "Its Points",
                "One person on each vertex, point or instance, as modifiers and geometry nodes make them",
            ),
        ),
        default="AREA",
    )
    activities: EnumSetting(
        name="Activities",
        description=(
            "Activities of people, one after another, at different times for each person. Sit: each point is a seat"
        ),
        items=activity_items(core.BYSTANDER_ACTIVITIES, are_flags=True),
        options={"ENUM_FLAG"},
        default=set(),
    )
    look_at: ObjectSetting(
        name="Look At",
        description="The object that people face and look at. Empty: random directions, or the direction of the seat",
        poll=offer_targets,
    )

    @property
    def takes_points(self) -> bool:
        """Whether the points of a mesh count, and not its footprint."""
        return SIT in self.activities or self.spots == POINTS

    @property
    def looked_at(self) -> bpy.types.Object | None:
        """The object that people face; None for none."""
        return self.look_at

    def known_activities(self) -> tuple[str, ...]:
        """Return the core's names of the activities."""
        return tuple(each for each in core.BYSTANDER_ACTIVITIES if each.upper() in self.activities)


CLASSES = (FootfallPresence,)
