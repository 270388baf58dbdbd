# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user sets for a trigger: when something happens, some people do something.

Blender evaluates the annotations below: no `from __future__ import annotations` here.
"""

import bpy
from bpy.props import StringProperty

from ...core import scene as core
from .crowd.stops import CROWD_EVENT, PASSES, activity_items, offer_stops, offer_targets
from .properties.choices import offer_places
from .properties.tracked_properties import (
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

_DEFAULTS = core.Trigger(name="")
FRAME, ZONE, NEAR, CROWD = (each.upper() for each in (core.AT_FRAME, core.IN_ZONE, core.NEAR_MARK, core.OF_CROWD))
PROPERTY = "PROPERTY"
RUN, WALK, HALT, TURN_TO, FLEE, GATHER, GO_TO, LEAVE, PERFORM = (each.upper() for each in core.REACTIONS)
CLIP = "CLIP"
_NUMBER_OF_CLIP = core.BYSTANDER_ACTIVITIES.index(core.SIT)  # in Blender's files: nobody sits because of a trigger


class FootfallTrigger(bpy.types.PropertyGroup):
    """One trigger of a scene; mirrors `core.scene.Trigger`."""

    __slots__ = ()

    name: StringProperty(
        name="Name",
        description="Name of this trigger: it seeds the random numbers of who reacts and how fast",
        default="Trigger",
        options=set(),
        update=keeps_apart(lambda trigger: trigger.id_data.footfall.triggers),
    )
    when: EnumSetting(
        name="When",
        description="What starts the trigger",
        items=(
            (FRAME, "Frame", "At a frame"),
            (ZONE, "In a Zone", "When somebody is on the footprint of an object"),
            (NEAR, "Object Near", "When an object comes near somebody"),
            (PROPERTY, "Property", "When an animated property rises above a value"),
            (CROWD, "Crowd", "When somebody of a crowd does something"),
        ),
        default=_DEFAULTS.when.what.upper(),
    )
    frame: IntSetting(name="Frame", description="The frame at which the trigger starts", default=100)
    zone: ObjectSetting(
        name="Zone",
        description="Mesh whose footprint is the zone, or an empty: a disc or box of its size",
        poll=offer_places,
    )
    near: ObjectSetting(
        name="Object",
        description="The object that comes near, or that somebody passes",
        poll=offer_targets,
    )
    distance: FloatSetting(
        name="Distance (m)",
        description="The object is near when it is closer than this [m]",
        default=_DEFAULTS.when.distance,
        min=0.01,
        soft_max=20.0,
    )
    source: ObjectSetting(
        name="Object",
        description="The object whose property counts: a light, an empty with a custom property",
    )
    data_path: StringSetting(
        name="Property",
        description='Path of the property from the object, as in Copy Data Path: ["alarm"] or data.energy',
        default='["alarm"]',
    )
    threshold: FloatSetting(
        name="Above",
        description="The trigger starts whenever the property rises above this value",
        default=0.5,
    )
    crowd: StringSetting(name="Crowd", description="Name of the crowd that does something")
    does: CROWD_EVENT
    then: EnumSetting(
        name="Then",
        description="What people do when that happens",
        items=(
            (RUN, "Run", "They run on along their path"),
            (WALK, "Walk", "They walk at their usual speed again"),
            (HALT, "Stop", "They stop for a while"),
            (TURN_TO, "Turn To", "They stop and turn to an object"),
            (FLEE, "Flee From", "They run away from an object"),
            (GATHER, "Gather At", "They go to a place and stand there"),
            (GO_TO, "Go To", "They change their goal and go to another place"),
            (LEAVE, "Leave", "They go to a place, or back to where they started, and disappear"),
            (PERFORM, "Perform", "They stop and do something: cheer, wave, play a clip"),
        ),
        default=_DEFAULTS.then.upper(),
    )
    mark: ObjectSetting(
        name="Object",
        description="What people turn to or flee from; the reaction spreads from there",
        poll=offer_targets,
    )
    to: ObjectSetting(name="Place", description="Where people go then", poll=offer_stops)
    activity: EnumSetting(
        name="Do",
        description="What people do when they perform",
        items=(
            *activity_items(core.STANDING_ACTIVITIES, are_flags=False),
            (CLIP, "Play Clip", "They play a clip of yours", _NUMBER_OF_CLIP),
        ),
        default="CHEER",
    )
    clip: PointerSetting(name="Clip", description="The action that people play", type=bpy.types.Action)
    who: StringSetting(name="Who", description="Name of the crowd that reacts. Empty: all crowds")
    share: FactorSetting(name="Share", description="Share of the people who react", default=_DEFAULTS.share)
    delay: TimeSetting(
        name="Delay",
        description="Mean time until each of them reacts [s]",
        default=_DEFAULTS.delay.mean,
        soft_max=5.0,
    )
    delay_variation: TimeSetting(
        name="Variation",
        description="Standard deviation of that time [s]",
        default=_DEFAULTS.delay.sd,
        soft_max=2.0,
    )
    spreads: FloatSetting(
        name="Spreads (m/s)",
        description=(
            "Speed at which the reaction spreads from the object, or from those who react first [m/s]. 0: it does not"
            " spread"
        ),
        default=_DEFAULTS.spreads,
        min=0.0,
        soft_max=30.0,
    )
    within: FloatSetting(
        name="Within (m)",
        description=(
            "Only people closer than this to the object, or to where the reaction begins, react [m]. 0: everybody"
        ),
        default=_DEFAULTS.within,
        min=0.0,
        soft_max=100.0,
    )
    pace: FloatSetting(
        name="Pace",
        description=(
            "How fast people run, flee or go, as a multiple of their usual speed. 0: about twice the usual speed to "
            "run or flee, otherwise the usual speed"
        ),
        default=_DEFAULTS.pace,
        min=0.0,
        soft_max=4.0,
        max=10.0,
    )
    stay: TimeSetting(
        name="How Long",
        description="Mean duration of the stop, the turn or the performance [s]",
        default=_DEFAULTS.duration.mean,
        soft_max=20.0,
    )
    stay_variation: TimeSetting(
        name="Variation",
        description="Standard deviation of that time [s]",
        default=_DEFAULTS.duration.sd,
        soft_max=5.0,
    )

    @property
    def needs_near(self) -> bool:
        """Whether it is set off where an object is."""
        return self.when == NEAR or (self.when == CROWD and self.does == PASSES)

    @property
    def watched(self) -> list[bpy.types.Object]:
        """The objects that people look at, flee from, or react to."""
        near = self.near if self.needs_near else None
        return [each for each in (near, self.mark) if each is not None]

    @property
    def areas(self) -> list[bpy.types.Object]:
        """The objects whose footprints are zones and goals."""
        zone = self.zone if self.when == ZONE else None
        goal = self.to if self.then in {GO_TO, LEAVE} else None
        return [each for each in (zone, goal) if each is not None]

    @property
    def stands(self) -> bool:
        """Whether people stop for a while."""
        return self.then in {HALT, TURN_TO, PERFORM}


CLASSES = (FootfallTrigger,)
