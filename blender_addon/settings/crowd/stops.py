# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user sets for where people of a crowd stop on their way, and what they do there.

Blender evaluates the annotations below: no `from __future__ import annotations` here.
"""

from collections.abc import Collection
from typing import Any

import bpy
from bpy.props import StringProperty

from ....core import scene as core
from ....core.scene.lives.activities import ACTIVITIES
from ....core.scene.lives.stops import LONGEST_QUEUE
from ...blender_data.tags import TAG
from ..properties.tracked_properties import (
    CollectionSetting,
    EnumSetting,
    FactorSetting,
    FloatSetting,
    IntSetting,
    ObjectSetting,
    PointerSetting,
    StringSetting,
    TimeSetting,
    keeps_apart,
)

_DEFAULTS = core.Stop(place="")
STAND, LOOK_AT, TALK, SIT = (each.upper() for each in (core.STAND, core.LOOK_AT, core.TALK, core.SIT))
QUEUE, WAIT_UNTIL, PLAY_CLIP = (each.upper() for each in (core.QUEUE, core.WAIT_UNTIL, core.PLAY_CLIP))
AT_FRAME, OF_CROWD, PASSES = core.AT_FRAME.upper(), core.OF_CROWD.upper(), core.PASSES.upper()
CROWD_EVENT = EnumSetting(
    name="Does",
    description="What a person of that crowd does",
    items=(
        (core.ARRIVES.upper(), "Arrives", "Somebody arrives"),
        (core.STOPS.upper(), "Stops", "Somebody is at a stop or stops because of a trigger, or a vehicle stands"),
        (core.REACTS.upper(), "Reacts", "Somebody reacts to a trigger"),
        (PASSES, "Passes", "Somebody comes near an object"),
    ),
    default=_DEFAULTS.awaits.does.upper(),
)
"""What somebody of a crowd does whom others wait for, or react to."""

STOP_ORDER_ITEMS = (
    (core.IN_ORDER.upper(), "In Order", "People visit their stops in the order of the list"),
    (core.RANDOM_ORDER.upper(), "At Random", "Each person visits the stops in a random order"),
)


def activity_items(names: Collection[str], *, are_flags: bool) -> tuple[tuple[str, str, str, int], ...]:
    """Return the items of a property that chooses among activities, with the numbers that Blender's files hold.

    Args:
        names: of the activities to choose from.
        are_flags: several can be chosen.
    """
    return tuple(
        (row.name.upper(), row.label, row.description, 1 << place if are_flags else place)
        for place, row in enumerate(ACTIVITIES)
        if row.name in names
    )


def activities_in_words(activities: Collection[str]) -> str:
    """Return the activities in words, as a button shows them."""
    return f"Activities: {', '.join(row.label for row in ACTIVITIES if row.name.upper() in activities) or 'Stand'}"


def may_be_stop(candidate: bpy.types.Object) -> bool:
    """Whether people can stop at an object: an empty, a curve or a mesh that no bake made."""
    return candidate.type in {"MESH", "EMPTY", "CURVE"} and TAG not in candidate


def offer_stops(_group: Any, candidate: bpy.types.Object) -> bool:
    """Offer what people can stop at."""
    return may_be_stop(candidate)


def offer_targets(_group: Any, candidate: bpy.types.Object) -> bool:
    """Offer what people can look at."""
    return TAG not in candidate


def _stops_beside(stop: Any) -> Any:
    """Return all stops of a stop's crowd."""
    return next(each.stops for each in stop.id_data.footfall.crowds if stop in list(each.stops))


class FootfallStop(bpy.types.PropertyGroup):
    """One stop of a crowd; mirrors `core.scene.Stop`."""

    __slots__ = ()

    name: StringProperty(
        name="Name",
        description="Name of this stop: it seeds the random numbers of who stops here and for how long",
        default="Stop",
        options=set(),
        update=keeps_apart(_stops_beside),
    )
    do: EnumSetting(
        name="Do",
        description="What people do there",
        items=(
            (core.STAND.upper(), "Stand", "People stand there"),
            (LOOK_AT, "Look At", "People stand there and face an object"),
            (TALK, "Talk", "People stand in small rings and talk with each other"),
            (SIT, "Sit", "People sit down: each empty or each point of a mesh is a seat"),
            (QUEUE, "Queue", "People stand in line and are served one by one"),
            (WAIT_UNTIL, "Wait Until", "People stand there until something happens"),
            (PLAY_CLIP, "Play Clip", "People stand there and play a clip of yours"),
        ),
        default=_DEFAULTS.do.upper(),
    )
    place: ObjectSetting(
        name="Place",
        description=(
            "Where people stop: near an empty, along a curve, or on the footprint of a mesh. A queue runs from an "
            "empty along its Y axis, or along a curve from its first point. People who sit face along the Y axis "
            "of an empty, or the normal of a mesh's point"
        ),
        poll=offer_stops,
    )
    places: CollectionSetting(
        name="Collection",
        description="Collection of places, instead of a single one: people take any of them that is free",
    )
    look_at: ObjectSetting(
        name="Look At",
        description="The object that people face while they stand. Empty: the middle of the place",
        poll=offer_targets,
    )
    activities: EnumSetting(
        name="Activities",
        description="Activities of people while they stand, one after another, at different times for each person",
        items=activity_items(core.STANDING_ACTIVITIES, are_flags=True),
        options={"ENUM_FLAG"},
        default=set(),
    )
    clip: PointerSetting(name="Clip", description="The action that people play there", type=bpy.types.Action)
    awaits: EnumSetting(
        name="Until",
        description="What people wait for",
        items=(
            (AT_FRAME, "Frame", "Until a frame"),
            (core.MARK_COMES.upper(), "Object Comes", "Until an object has come near and stands still: a bus, a lift"),
            (core.MARK_MOVES.upper(), "Object Moves", "Until an object has moved away from where it was: a door"),
            (OF_CROWD, "Crowd", "Until somebody of a crowd, or one of its vehicles, does something"),
        ),
        default=_DEFAULTS.awaits.what.upper(),
    )
    awaited_frame: IntSetting(
        name="Frame",
        description="The frame until which people wait",
        default=_DEFAULTS.awaits.frame,
    )
    awaited: ObjectSetting(
        name="Object",
        description=(
            "The animated object that people wait for, or that somebody passes. Empty: the place where they wait"
        ),
        poll=offer_targets,
    )
    awaited_distance: FloatSetting(
        name="Distance (m)",
        description=(
            "How near it comes to those who wait, how far it moves from where it was, or how near somebody passes [m]"
        ),
        default=_DEFAULTS.awaits.distance,
        min=0.01,
        soft_max=20.0,
    )
    awaited_crowd: StringSetting(name="Crowd", description="Name of the crowd that people wait for")
    awaited_deed: CROWD_EVENT
    then: EnumSetting(
        name="Then",
        description="What people do after this stop",
        items=(
            (core.GO_ON.upper(), "Go On", "They go on along their path"),
            (core.GO_BACK.upper(), "Go Back", "They go back to where they started, past their other stops"),
            (core.DISAPPEAR.upper(), "Disappear", "They disappear here, as into a shop or a train"),
        ),
        default=_DEFAULTS.then.upper(),
    )
    stay: TimeSetting(
        name="How Long",
        description=(
            "Mean time that people stay [s]; in a queue, the time it takes to serve one of them; with Wait Until, the"
            " time from the event until they go on"
        ),
        default=_DEFAULTS.duration.mean,
        soft_max=60.0,
    )
    stay_variation: TimeSetting(
        name="Variation",
        description="Standard deviation of that time [s]: at 0 everybody stays for the same time",
        default=_DEFAULTS.duration.sd,
        soft_max=20.0,
    )
    share: FactorSetting(
        name="Share",
        description="Share of the people of this crowd who stop here",
        default=_DEFAULTS.share,
    )
    room: IntSetting(
        name="Room For",
        description="Maximum number of people in the queue, or in each ring of people who talk; anyone else walks on",
        default=_DEFAULTS.room,
        min=1,
        soft_max=50,
        max=LONGEST_QUEUE,
    )

    @property
    def takes_points(self) -> bool:
        """Whether the points of a mesh count, and not its footprint."""
        return self.do == SIT

    @property
    def looked_at(self) -> bpy.types.Object | None:
        """The object that people face; None for none."""
        return self.look_at if self.do == LOOK_AT else None

    @property
    def watched(self) -> bpy.types.Object | None:
        """The object that people wait for, or that others pass; None for none."""
        passed = self.awaits == OF_CROWD and self.awaited_deed != PASSES
        return None if self.do != WAIT_UNTIL or self.awaits == AT_FRAME or passed else self.awaited

    @property
    def stands(self) -> bool:
        """Whether people only stand there, so that their activities can be chosen."""
        return self.do in {STAND, LOOK_AT, QUEUE, WAIT_UNTIL}

    def to_settings(self, place: str, look_at: tuple[float, float, float] | None, mark: str) -> core.Stop:
        """Return the core's stop that says the same.

        Args:
            place: the name of its place.
            look_at: the point to look at [m].
            mark: the name of the mark that people wait for; empty for none.
        """
        crowd, deed = (self.awaited_crowd, self.awaited_deed.lower()) if self.awaits == OF_CROWD else ("", core.ARRIVES)
        awaits = core.Awaited(self.awaits.lower(), self.awaited_frame, mark, self.awaited_distance, crowd, deed)
        return core.Stop(
            place=place,
            do=self.do.lower(),
            look_at=look_at,
            duration=core.StopDuration(self.stay, self.stay_variation),
            share=self.share,
            room=self.room,
            known_as="" if self.name == place else self.name,
            activities=tuple(sorted(each.lower() for each in self.activities)) if self.stands else (),
            clip=self.clip.name if self.do == PLAY_CLIP else "",
            awaits=awaits if self.do == WAIT_UNTIL else _DEFAULTS.awaits,
            then=self.then.lower(),
        )


CLASSES = (FootfallStop,)
