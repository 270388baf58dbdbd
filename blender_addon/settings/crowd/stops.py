# SPDX-License-Identifier: GPL-3.0-or-later
# pyright: reportInvalidTypeForm=false
"""What the user sets for where people of a crowd stop on their way, and what they do there.

Blender evaluates the annotations below: no `from __future__ import annotations` here.
"""

from typing import Any

import bpy
from bpy.props import PointerProperty, StringProperty

from ....core import scene as core
from ....core.scene.places import LONGEST_QUEUE
from ...blender_data.tags import TAG
from ..properties.change_events import setting_changed
from ..properties.identities import free_name
from ..properties.tracked_properties import EnumSetting, FloatSetting, IntSetting

_DEFAULTS = core.Stop(place="")
LOOK_AT, QUEUE = core.LOOK_AT.upper(), core.QUEUE.upper()
STOP_ORDER_ITEMS = (
    (core.IN_ORDER.upper(), "In Order", "People visit their stops in the order of the list"),
    (core.RANDOM_ORDER.upper(), "At Random", "Each person visits their stops in an order of their own"),
)


def may_be_stop(candidate: bpy.types.Object) -> bool:
    """Whether people can stop at an object: an empty, a curve or a mesh that no bake made."""
    return candidate.type in {"MESH", "EMPTY", "CURVE"} and TAG not in candidate


def _offer_places(_group: Any, candidate: bpy.types.Object) -> bool:
    """Offer what people can stop at."""
    return may_be_stop(candidate)


def _offer_targets(_group: Any, candidate: bpy.types.Object) -> bool:
    """Offer what people can look at."""
    return TAG not in candidate


def _name_changed(stop: Any, context: bpy.types.Context) -> None:
    """Keep the names of a crowd's stops apart."""
    crowd = next(each for each in stop.id_data.footfall.crowds if stop in list(each.stops))
    free = free_name(stop.name, [other.name for other in crowd.stops if other != stop])
    if free != stop.name:
        stop.name = free  # comes back here once more
        return
    setting_changed(stop, context)


class FootfallStop(bpy.types.PropertyGroup):
    """One stop of a crowd; mirrors `core.scene.Stop`."""

    name: StringProperty(
        name="Name",
        description="Name of this stop: it seeds the random numbers of who stops here and for how long",
        default="Stop",
        options=set(),
        update=_name_changed,
    )
    do: EnumSetting(
        name="Do",
        description="What people do there",
        items=(
            (core.STAND.upper(), "Stand", "People stand there"),
            (LOOK_AT, "Look At", "People stand there and face an object"),
            (QUEUE, "Queue", "People stand in line and are served one by one"),
        ),
        default=_DEFAULTS.do.upper(),
    )
    place: PointerProperty(
        name="Place",
        description=(
            "Where people stop: near an empty, along a curve, or on the footprint of a mesh. A queue runs from an "
            "empty along its Y axis, or along a curve from its first point"
        ),
        type=bpy.types.Object,
        poll=_offer_places,
        update=setting_changed,
    )
    places: PointerProperty(
        name="Collection",
        description="Collection of places, instead of a single one: people take any of them that is free",
        type=bpy.types.Collection,
        update=setting_changed,
    )
    look_at: PointerProperty(
        name="Look At",
        description="The object that people face while they stand. Empty: the middle of the place",
        type=bpy.types.Object,
        poll=_offer_targets,
        update=setting_changed,
    )
    stay: FloatSetting(
        name="How Long",
        description="Mean time that people stay [s]; in a queue, the time that it takes to serve one of them",
        default=_DEFAULTS.duration.mean,
        min=0.0,
        soft_max=60.0,
        unit="TIME_ABSOLUTE",
    )
    stay_variation: FloatSetting(
        name="Variation",
        description="Standard deviation of that time [s]: at 0 all stay for the same time",
        default=_DEFAULTS.duration.sd,
        min=0.0,
        soft_max=20.0,
        unit="TIME_ABSOLUTE",
    )
    share: FloatSetting(
        name="Share",
        description="Share of the people of this crowd who stop here",
        default=_DEFAULTS.share,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    room: IntSetting(
        name="Room For",
        description="Most people in the queue; others who come walk on",
        default=_DEFAULTS.room,
        min=1,
        soft_max=50,
        max=LONGEST_QUEUE,
    )

    def to_settings(self, place: str, look_at: tuple[float, float] | None) -> core.Stop:
        """Return the core's stop that says the same, at a place by its name, with the point to look at [m]."""
        return core.Stop(
            place=place,
            do=self.do.lower(),
            look_at=look_at,
            duration=core.StopDuration(self.stay, self.stay_variation),
            share=self.share,
            room=self.room,
            known_as="" if self.name == place else self.name,
        )


CLASSES = (FootfallStop,)
