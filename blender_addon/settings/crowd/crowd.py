# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user sets for one crowd: who walks, where, and how.

Lengths are metres, whatever the unit scale of the scene, as in the scene file; times are seconds. Blender's own
length unit would be shown scaled by `scale_length`, so that 2 m would read as 2 cm in a scene of centimetres: these
are plain numbers with their unit in the name. Defaults come from the core's dataclasses.

Blender evaluates the annotations below: no `from __future__ import annotations` here.
"""

import math
from collections.abc import Mapping
from typing import Any

import bpy
from bpy.props import CollectionProperty, IntProperty, PointerProperty, StringProperty

from ....core import scene as core
from ....core.scene.crowd_checks import LARGEST_BODY
from ....core.scene.validation import WIDEST_ROUTE
from ...blender_data.tags import TAG
from ..properties.change_events import cast_changed, setting_changed
from ..properties.choices import offer_places, offer_routes
from ..properties.tracked_properties import (
    EnumSetting,
    FactorSetting,
    FloatSetting,
    IntSetting,
    ObjectSetting,
    keeps_apart,
)
from .edits import FootfallEdit
from .motion import FootfallMotion
from .planning import FootfallFollowing
from .presence import FootfallPresence
from .spawning import FootfallSpawn, FootfallSpeed
from .steering import AVOIDANCE_ITEMS, BODY, DELAY, PERSONAL_SPACE, TIME_GAP, FootfallFlocking, FootfallGroups
from .stops import STOP_ORDER_ITEMS, FootfallStop
from .vehicle import FootfallVehicle
from .wide_bodies import WIDE_BODIES, half_width_of

_ROUTE_DEFAULTS = core.Route(name="", points=None)  # ty: ignore[invalid-argument-type]
_CROWD_DEFAULTS = core.Crowd(name="")
_LEAST_RADIUS, _LARGEST_RADIUS = _CROWD_DEFAULTS.radius

AUTO = "AUTO"
ROUTE, AREAS, PLACE = "ROUTE", "AREAS", "PLACE"
CHARACTERS, INSTANCES = "CHARACTERS", "INSTANCES"
VEHICLE = "VEHICLE"


def _characters_chosen(crowd: Any, context: bpy.types.Context) -> None:
    setting_changed(crowd, context)
    cast_changed(crowd, context)


def is_mesh(_group: Any, candidate: bpy.types.Object) -> bool:
    """Offer only meshes, without those that a bake made."""
    return candidate.type == "MESH" and TAG not in candidate


class FootfallCrowd(bpy.types.PropertyGroup):
    """One crowd: who walks, where, and how; mirrors `core.scene.Crowd`."""

    __slots__ = ()

    name: StringProperty(
        name="Name",
        description="Name of this crowd and, from the next bake on, of its people: `Crowd 001` and so on",
        default="Crowd",
        options=set(),
        update=keeps_apart(lambda crowd: crowd.id_data.footfall.crowds),
    )
    uid: StringProperty(
        name="Identity",
        description="Identifies the crowd of a bake, also after the crowd is renamed",
        options={"HIDDEN"},
    )
    known_as: StringProperty(
        name="Known As",
        description=(
            "Name of the crowd at its first bake, which seeds its random numbers and identifies its people "
            "after it is renamed"
        ),
        options={"HIDDEN"},
    )
    baked: StringProperty(
        name="Baked",
        description="Fingerprint of all inputs of the current bake; empty when nothing is baked",
        options={"HIDDEN"},
    )
    kind: EnumSetting(
        name="Kind",
        description="Who or what moves in this crowd",
        items=(
            ("PEDESTRIAN", "People", "People on foot"),
            (VEHICLE, "Vehicles", "Vehicles on the lanes of a road along a curve"),
        ),
        default=_CROWD_DEFAULTS.kind.upper(),
    )
    mode: EnumSetting(
        name="Go",
        description="How people find their way",
        items=(
            (ROUTE, "Along a Curve", "People walk along a curve that you draw"),
            (AREAS, "From Place to Place", "People walk from one marked place to another"),
            (PLACE, "Stay in Place", "People do not walk: they sit on seats, stand in an area or stand along a line"),
        ),
        default=ROUTE,
    )
    route: ObjectSetting(
        name="Route",
        description="The curve that people walk along, in the direction in which it was drawn",
        poll=offer_routes,
    )
    start: ObjectSetting(
        name="Start",
        description="Mesh on whose footprint people start, or an empty: a disc or box of its size",
        poll=offer_places,
    )
    goal: ObjectSetting(
        name="Goal",
        description="Mesh on whose footprint people arrive, or an empty: a disc or box of its size",
        poll=offer_places,
    )
    path_width: FloatSetting(
        name="Path Width (m)",
        description=(
            "Width of the strip along the curve that people use, half on each side [m]: 0.6 gives a single file, 6 a "
            "wide crowd"
        ),
        default=_ROUTE_DEFAULTS.width,
        min=0.1,
        soft_max=20.0,
        max=WIDEST_ROUTE,
    )
    count: IntSetting(
        name="Count",
        description="How many people there are",
        default=20,
        min=0,
        soft_max=1000,
        max=100_000,
    )
    characters: PointerProperty(
        name="Characters",
        description=(
            "Collection of the characters to copy: armatures with their meshes (a walk clip on the "
            "armature walks them), or any plain objects. Each is equally likely, unless its custom "
            "property 'weight' is set. Empty: the built-in figures"
        ),
        type=bpy.types.Collection,
        update=_characters_chosen,
    )
    forward_axis: EnumSetting(
        name="Facing",
        description=(
            "Direction in which the characters face when they are not rotated. If it is wrong, they walk "
            "sideways or backwards"
        ),
        items=(
            ("AUTO", "As They Walk", "Detected from the walk clip of each character; without a walk clip, -Y", 4),
            ("POS_X", "+X", "The characters face +X", 0),
            ("NEG_X", "-X", "The characters face -X", 1),
            ("POS_Y", "+Y", "The characters face +Y", 2),
            ("NEG_Y", "-Y", "The characters face -Y, towards the front view", 3),
        ),
        default="AUTO",
    )
    stride_length: FloatSetting(
        name="Stride (m)",
        description=(
            "Distance covered by one cycle of the walk clip, two steps [m]. If it is too small, the steps "
            "are too fast; if it is too large, feet slide. 0: measured from the clip"
        ),
        default=0.0,
        min=0.0,
        soft_max=3.0,
    )
    radius: FloatSetting(
        name="Body Radius (m)",
        description=(
            "Radius of a person, from the middle to the shoulder [m]: higher values keep people further apart. Until "
            "you type one, that of characters who are wider than people is measured"
        ),
        default=(_LEAST_RADIUS + _LARGEST_RADIUS) / 2,
        min=0.01,
        soft_max=1.0,
        max=0.5 * LARGEST_BODY,  # its variation may nearly double it
        precision=3,
    )
    radius_variation: FactorSetting(
        name="Variation",
        description="Variation of the body radius, as a fraction of it",
        default=(_LARGEST_RADIUS - _LEAST_RADIUS) / (_LARGEST_RADIUS + _LEAST_RADIUS),
        max=0.9,
    )
    speed: PointerProperty(type=FootfallSpeed)
    spawn: PointerProperty(type=FootfallSpawn)
    arrival: EnumSetting(
        name="At the End",
        description="What people do when they have arrived",
        items=(
            (AUTO, "Automatic", "People who enter one by one leave; all others stop"),
            ("STOP", "Stop", "People stand still where they have arrived"),
            ("LEAVE", "Leave", "People disappear where they have arrived"),
            ("LOOP", "Go Round Again", "People go round a closed curve until the last frame"),
        ),
        default=_CROWD_DEFAULTS.arrival or AUTO,
    )
    avoidance: EnumSetting(
        name="Avoid Others",
        description="How people keep clear of each other",
        items=AVOIDANCE_ITEMS,
        default=_CROWD_DEFAULTS.avoidance_rule.upper(),
    )
    following: PointerProperty(type=FootfallFollowing)
    flocking: PointerProperty(type=FootfallFlocking)
    groups: PointerProperty(type=FootfallGroups)
    body: BODY
    delay: DELAY
    time_gap: TIME_GAP
    personal_space: PERSONAL_SPACE
    vehicle: PointerProperty(type=FootfallVehicle)
    motion: PointerProperty(type=FootfallMotion)
    edits: CollectionProperty(type=FootfallEdit)
    presence: PointerProperty(type=FootfallPresence)
    stops: CollectionProperty(type=FootfallStop)
    active_stop_index: IntProperty(name="Active Stop", description="The stop that the panel shows", options=set())
    stop_order: EnumSetting(
        name="Order",
        description="Order in which people visit their stops",
        items=STOP_ORDER_ITEMS,
        default=_CROWD_DEFAULTS.stop_order.upper(),
    )
    output: EnumSetting(
        name="Output",
        description="What a bake writes",
        items=(
            (CHARACTERS, "Characters", "A copy of a character for each person, with ordinary keyframes"),
            (
                INSTANCES,
                "Instances",
                (
                    "One object that shows the whole crowd with geometry nodes: fast to play and to render, for "
                    "thousands of people"
                ),
            ),
        ),
        default=CHARACTERS,
    )

    @property
    def drives(self) -> bool:
        """Whether these are vehicles."""
        return self.kind == VEHICLE

    @property
    def rolls(self) -> bool:
        """Whether their bodies are on wheels."""
        return self.body == core.WHEELS.upper()

    @property
    def has_curve(self) -> bool:
        """Whether they follow a curve, as vehicles always do, and not from place to place."""
        return self.drives or self.mode == ROUTE

    @property
    def is_there(self) -> bool:
        """Whether its people are bystanders: at a place, without walking."""
        return not self.drives and self.mode == PLACE

    @property
    def makes(self) -> str:
        """What a bake makes of them; of vehicles always characters."""
        return CHARACTERS if self.drives else self.output

    @property
    def widest(self) -> Any:
        """The row of the cast table whose body radius counts, as the user has typed none; None: it is `radius`."""
        if self.characters is None or self.drives or self.is_property_set("radius"):
            return None
        own = set(self.characters.all_objects)
        scene: Any = self.id_data
        rows = [row for row in scene.footfall.cast if row.mover in own and row.body_radius > self.radius]
        return max(rows, key=lambda row: row.body_radius, default=None)

    @property
    def body_radius(self) -> float:
        """Mean radius of its people [m]: as typed, or as measured, if two of them can pass on their path."""
        if self.widest is None:
            return self.radius
        most = WIDE_BODIES.of_path * self.path_width if self.has_curve else math.inf
        return max(self.radius, min(self.widest.body_radius, most))

    @property
    def widths(self) -> tuple[float, float]:
        """The body radius, and how far the arms of its widest character reach beyond it; 0 where not measured [m]."""
        radius, widest = self.body_radius, self.widest
        reach = 0.0 if widest is None else half_width_of(widest) - radius
        return radius, min(max(0.0, reach), WIDE_BODIES.reach)

    @property
    def varies_looks(self) -> bool:
        """Whether people who are one of the user's characters differ in their looks."""
        return self.characters is not None and not self.drives and self.makes == CHARACTERS and self.motion.varies_looks

    def to_settings(
        self,
        name: str,
        known_as: str,
        *,
        count: int,
        route: str | None = None,
        start: str | None = None,
        goal: str | None = None,
        stops: tuple[core.Stop, ...] = (),
        there: Mapping[str, Any] | None = None,
    ) -> core.Crowd:
        """The core's crowd that says the same.

        Args:
            name: what the core calls it; a Blender crowd on a curve of several splines is several crowds of the core.
            known_as: what it stays, whatever it is called.
            count: how many of the people are in this one.
            route: name of the core's route, or None.
            start: name of the core's area to start from, or None.
            goal: name of the core's area to go to, or None.
            stops: where people stop on their way.
            there: the place at which they simply are, and what they look at, by the core's names.

        Returns:
            The crowd, not yet validated: the scene does that as a whole.
        """
        shared: Any = {
            "name": name,
            "known_as": "" if known_as == name else known_as,
            "kind": self.kind.lower(),
            "count": count,
            "route": route,
            "spawn": self.spawn.to_settings(),
            "arrival": None if self.arrival == AUTO else self.arrival.lower(),
        }
        if self.drives:
            return core.Crowd(**shared, **self.vehicle.crowd_settings())
        radius, reach = self.widths
        return core.Crowd(
            **shared,
            start=start,
            goal=goal,
            radius=(radius * (1 - self.radius_variation), radius * (1 + self.radius_variation)),
            speed=self.speed.to_settings(),
            avoidance=self.avoidance.lower(),
            following=self.following.to_settings(),
            flocking=self.flocking.to_settings(),
            slope_effect=self.motion.slope_effect,
            reach=reach,
            groups=self.groups.to_settings(),
            body=self.body.lower(),
            delay=self.delay if self.rolls else 0.0,
            time_gap=self.time_gap,
            personal_space=self.personal_space,
            **(there or {}),
            stops=stops,
            stop_order=self.stop_order.lower() if stops else _CROWD_DEFAULTS.stop_order,
        )


CLASSES = (FootfallCrowd,)
