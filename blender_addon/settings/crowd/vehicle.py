# SPDX-License-Identifier: GPL-3.0-or-later
"""What drives in a crowd of vehicles, and on what kind of road.

Blender evaluates the annotations below: no `from __future__ import annotations` here.
"""

from typing import Any

import bpy
from bpy.props import EnumProperty

from ....core import scene as core
from ....core.scene.basics.vehicle_kinds import CAR, VEHICLE_KINDS
from ....core.scene.crowd_checks import FASTEST, LARGEST_BODY, LONGEST_VEHICLE, WIDEST_TURN
from ....core.scene.validation import MOST_LANES, WIDEST_ROUTE
from ..properties.change_events import setting_changed
from ..properties.tracked_properties import BoolSetting, EnumSetting, FloatSetting, IntSetting, TimeSetting

_ROUTE = core.Route(name="", points=None)  # ty: ignore[invalid-argument-type]
_KIND = VEHICLE_KINDS[CAR]

DRIVEN = ("length", "width", "max_acceleration", "max_deceleration", "time_headway", "turning_radius")
"""What a crowd of vehicles says of its own, by the names of the core's crowd."""

ROAD = ("lanes", "lane_width", "two_way", "priority")
"""What it says of its road, by the names of the core's route."""


def _kind_chosen(vehicle: Any, context: bpy.types.Context) -> None:
    """Another kind of vehicle brings its own numbers."""
    kind = VEHICLE_KINDS[vehicle.kind.lower()]
    for name in ("speed", "speed_sd", *DRIVEN):
        setattr(vehicle, name, getattr(kind, name))
    setting_changed(vehicle, context)


class FootfallVehicle(bpy.types.PropertyGroup):
    """Vehicles and their road; mirrors what `core.scene.Crowd` and `core.scene.Route` say of them."""

    __slots__ = ()

    kind: EnumProperty(
        name="Vehicle",
        description="Type of vehicle. Choosing one sets its size, speed and driving style below",
        items=(
            ("CAR", "Car", "Cars of 4.5 m"),
            ("VAN", "Van", "Vans of 5.9 m"),
            ("BUS", "Bus", "Buses of 12 m"),
            ("BICYCLE", "Bicycle", "Bicycles with riders"),
        ),
        default=CAR.upper(),
        options=set(),
        update=_kind_chosen,
    )
    lanes: IntSetting(
        name="Lanes",
        description="Lanes in each direction. On a two-way road traffic keeps to the right of the curve, unless "
        "Keep Left is on",
        default=_ROUTE.lanes,
        min=1,
        soft_max=6,
        max=MOST_LANES,
    )
    lane_width: FloatSetting(
        name="Lane Width (m)",
        description="Width of each lane [m]: in wide lanes, vehicles pass bicycles without leaving the lane",
        default=_ROUTE.lane_width,
        min=0.1,
        soft_max=6.0,
        max=WIDEST_ROUTE,
    )
    two_way: BoolSetting(
        name="Two-Way",
        description="Half of the vehicles drive against the direction of the curve, on its other side",
        default=_ROUTE.two_way,
    )
    priority: EnumSetting(
        name="Priority",
        description="Who goes first where this road crosses another",
        items=(
            ("MAIN", "Main Road", "Goes before all others"),
            ("EQUAL", "Equal", "The vehicle from the right goes first"),
            ("STOP", "Stop", "Stops, and goes when all others have passed, in the order of arrival"),
        ),
        default=_ROUTE.priority.upper(),
    )
    speed: FloatSetting(
        name="Speed (m/s)",
        description="Mean preferred speed [m/s]: 8 is 30 km/h, 14 is 50 km/h",
        default=_KIND.speed,
        min=0.1,
        soft_max=40.0,
        max=FASTEST,
    )
    speed_sd: FloatSetting(
        name="Variation (m/s)",
        description="Standard deviation of the speed [m/s]: with higher values, vehicles queue behind slow ones "
        "and overtake on several lanes",
        default=_KIND.speed_sd,
        min=0.0,
        soft_max=5.0,
        max=FASTEST,
    )
    length: FloatSetting(
        name="Length (m)",
        description="From bumper to bumper [m]",
        default=_KIND.length,
        min=0.5,
        soft_max=18.0,
        max=LONGEST_VEHICLE,
    )
    width: FloatSetting(
        name="Width (m)",
        description="From side to side, including mirrors [m]",
        default=_KIND.width,
        min=0.2,
        soft_max=3.0,
        max=LARGEST_BODY,
    )
    max_acceleration: FloatSetting(
        name="Accel. (m/s²)",
        description="Maximum acceleration [m/s²]: with lower values, a queue starts more slowly",
        default=_KIND.max_acceleration,
        min=0.05,
        soft_max=4.0,
        max=1e6,
    )
    max_deceleration: FloatSetting(
        name="Braking (m/s²)",
        description="Comfortable deceleration [m/s²]: with lower values, vehicles brake earlier",
        default=_KIND.max_deceleration,
        min=0.05,
        soft_max=6.0,
        max=1e6,
    )
    time_headway: TimeSetting(
        name="Headway",
        description="Time gap to the vehicle ahead [s]: lower values give denser traffic",
        default=_KIND.time_headway,
        soft_max=4.0,
        max=1e6,
    )
    turning_radius: FloatSetting(
        name="Turn Radius (m)",
        description="Radius of the tightest turn [m]: with higher values, vehicles slow down more in tight bends, "
        "or cannot take them",
        default=_KIND.turning_radius,
        min=0.5,
        soft_max=20.0,
        max=WIDEST_TURN,
    )

    def crowd_settings(self) -> dict[str, Any]:
        """What the core's crowd says of them, by its names."""
        driven = {name: getattr(self, name) for name in DRIVEN}
        return {"vehicle": self.kind.lower(), "speed": core.Speed(mean=self.speed, sd=self.speed_sd), **driven}

    def road_settings(self) -> dict[str, Any]:
        """What the core's route says of their road, by its names."""
        return {name: getattr(self, name) for name in ROAD} | {"priority": self.priority.lower()}


CLASSES = (FootfallVehicle,)
