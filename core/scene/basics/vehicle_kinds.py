# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of vehicle: what a crowd that names one need not say itself."""

from __future__ import annotations

from dataclasses import dataclass

CAR, VAN, BUS, BICYCLE = "car", "van", "bus", "bicycle"


@dataclass(frozen=True)
class VehicleKind:
    """What vehicles of a kind are like.

    Attributes:
        length, width: of the body [m].
        speed, speed_sd: wanted on an open road, mean and standard deviation [m/s].
        max_acceleration, max_deceleration: comfortable [m/s2].
        time_headway: to the one ahead [s].
        turning_radius: of the sharpest turn [m].
        colour: red, green and blue of the built-in model, linear, 0 to 1.
    """

    length: float
    width: float
    speed: float
    speed_sd: float
    max_acceleration: float
    max_deceleration: float
    time_headway: float
    turning_radius: float
    colour: tuple[float, float, float]


VEHICLE_KINDS = {
    CAR: VehicleKind(4.5, 1.8, 13.0, 1.2, 1.5, 2.0, 1.5, 5.5, (0.35, 0.06, 0.05)),
    VAN: VehicleKind(5.9, 2.0, 12.0, 1.0, 1.2, 2.0, 1.6, 6.5, (0.60, 0.60, 0.58)),
    BUS: VehicleKind(12.0, 2.5, 11.0, 0.6, 1.0, 1.6, 1.8, 10.0, (0.55, 0.30, 0.02)),
    BICYCLE: VehicleKind(1.8, 0.6, 4.8, 0.6, 0.9, 2.0, 1.0, 2.0, (0.03, 0.16, 0.30)),
}
