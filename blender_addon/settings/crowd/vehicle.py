# SPDX-License-Identifier: GPL-3.0-or-later
# pyright: reportInvalidTypeForm=false
"""What drives in a crowd of vehicles, and on what kind of road.

Blender evaluates the annotations below: no `from __future__ import annotations` here.
"""

from typing import Any

import bpy
from bpy.props import EnumProperty

from ....core import scene as core
from ....core.scene.basics.vehicle_kinds import CAR, VEHICLE_KINDS
from ....core.scene.crowd_checks import FASTEST, LARGEST_BODY, LONGEST_VEHICLE
from ....core.scene.validation import MOST_LANES, WIDEST_ROUTE
from ..properties.change_events import setting_changed
from ..properties.tracked_properties import BoolSetting, EnumSetting, FloatSetting, IntSetting

_ROUTE = core.Route(name="", points=None)  # pyright: ignore[reportArgumentType]
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


def _number(
    name: str, description: str, default: float, *, least: float, soft: float, most: float = 1e6, unit: Any = "NONE"
) -> Any:
    return FloatSetting(
        name=name,
        description=description,
        default=default,
        min=least,
        soft_max=soft,
        max=most,
        unit=unit,
    )


class FootfallVehicle(bpy.types.PropertyGroup):
    """Vehicles and their road; mirrors what `core.scene.Crowd` and `core.scene.Route` say of them."""

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
    lane_width: _number(
        "Lane Width (m)",
        "Width of each lane [m]: in wide lanes, vehicles pass bicycles without leaving the lane",
        _ROUTE.lane_width,
        least=0.1,
        soft=6.0,
        most=WIDEST_ROUTE,
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
    speed: _number(
        "Speed (m/s)",
        "Mean preferred speed [m/s]: 8 is 30 km/h, 14 is 50 km/h",
        _KIND.speed,
        least=0.1,
        soft=40.0,
        most=FASTEST,
    )
    speed_sd: _number(
        "Variation (m/s)",
        (
            "Standard deviation of the speed [m/s]: with higher values, vehicles queue behind slow ones "
            "and overtake on several lanes"
        ),
        _KIND.speed_sd,
        least=0.0,
        soft=5.0,
        most=FASTEST,
    )
    length: _number("Length (m)", "From bumper to bumper [m]", _KIND.length, least=0.5, soft=18.0, most=LONGEST_VEHICLE)
    width: _number(
        "Width (m)", "From side to side, including mirrors [m]", _KIND.width, least=0.2, soft=3.0, most=LARGEST_BODY
    )
    max_acceleration: _number(
        "Acceleration (m/s²)",
        "Maximum acceleration [m/s²]: with lower values, a queue starts more slowly",
        _KIND.max_acceleration,
        least=0.05,
        soft=4.0,
    )
    max_deceleration: _number(
        "Braking (m/s²)",
        "Comfortable deceleration [m/s²]: with lower values, vehicles brake earlier",
        _KIND.max_deceleration,
        least=0.05,
        soft=6.0,
    )
    time_headway: _number(
        "Headway",
        "Time gap to the vehicle ahead [s]: lower values give denser traffic",
        _KIND.time_headway,
        least=0.0,
        soft=4.0,
        unit="TIME_ABSOLUTE",
    )
    turning_radius: _number(
        "Turning Radius (m)",
        (
            "Radius of the tightest turn [m]: with higher values, vehicles slow down more in tight bends, "
            "or cannot take them"
        ),
        _KIND.turning_radius,
        least=0.5,
        soft=20.0,
    )

    def crowd_settings(self) -> dict[str, Any]:
        """What the core's crowd says of them, by its names."""
        driven = {name: getattr(self, name) for name in DRIVEN}
        return {"vehicle": self.kind.lower(), "speed": core.Speed(mean=self.speed, sd=self.speed_sd), **driven}

    def road_settings(self) -> dict[str, Any]:
        """What the core's route says of their road, by its names."""
        return {name: getattr(self, name) for name in ROAD} | {"priority": self.priority.lower()}


CLASSES = (FootfallVehicle,)
