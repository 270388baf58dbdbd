# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape of the built-in bicycle and its rider, whose legs are parts of their own: see `pedals`.

In metres, forwards is -Y, the ground is z = 0, the origin is under the middle. No bpy here.
"""

from __future__ import annotations

import math

from . import shapes
from .shapes import Place, SeparatePart, VehicleSurface

_FRAME = (
    *(
        ((0.0, 0.56, 0.33), (0.0, 0.14, 0.3)),
        ((0.0, 0.56, 0.33), (0.0, 0.22, 0.82)),
        ((0.0, 0.14, 0.3), (0.0, 0.25, 0.9)),
    ),
    *(((0.0, 0.14, 0.3), (0.0, -0.4, 0.76)), ((0.0, 0.22, 0.82), (0.0, -0.38, 0.84))),
    *(((0.0, -0.56, 0.33), (0.0, -0.3, 1.0)), ((-0.26, -0.3, 1.0), (0.26, -0.3, 1.0))),
)
_RIDER = (
    ((0.0, 0.24, 0.92), (0.0, 0.02, 1.42), 0.14, 0.17, shapes.PAINT),
    ((0.0, 0.02, 1.42), (0.0, -0.03, 1.52), 0.06, 0.06, shapes.SKIN),
    ((0.17, 0.03, 1.38), (0.25, -0.3, 1.02), 0.06, 0.04, shapes.PAINT),
    ((-0.17, 0.03, 1.38), (-0.25, -0.3, 1.02), 0.06, 0.04, shapes.PAINT),
)
"""The rider's limbs, without legs: both ends, a radius at each [m], material."""

_AXLE = complex(-0.14, 0.3)  # of the pedals; what is ahead, and above
_CRANK, _THIGH, _SHANK = 0.17, 0.41, 0.46  # lengths; the last from the knee to the pedal
_HIP = complex(-0.22, 0.95)
_ANKLE, _HEEL, _TOE = complex(-0.11, 0.12), complex(-0.15, 0.06), complex(0.09, 0.035)  # from a pedal that is in front
_HIP_AT, _PEDAL_AT = 0.09, 0.115  # to the left


def bicycle(wide: float) -> tuple[VehicleSurface, list[SeparatePart]]:
    """Model a bicycle with the upper body of its rider; and its other parts: wheels, pedals, legs.

    Args:
        wide: width, relative to the model.
    """
    body = VehicleSurface()
    for start, end in _FRAME:
        body.add_tube(start, end, (0.018, 0.018), shapes.METAL)
    body.add_tube((0.0, 0.38, 0.93), (0.0, 0.12, 0.93), (0.08, 0.03), shapes.DARK)
    for start, end, first, last, material in _RIDER:
        body.add_tube(start, end, (first, last), material)
    for side in (1.0, -1.0):
        body.add_ball((0.24 * side, -0.3, 1.02), 0.042, shapes.SKIN)  # the hands
    body.add_ball((0.0, -0.04, 1.62), 0.105, shapes.SKIN, height=0.25, cap=shapes.DARK)
    radius = shapes.STYLE.bicycle_wheel
    turned = shapes.spoked_wheel(radius)
    parts = [SeparatePart(f"Wheel.{name}", (0.0, y, radius), turned) for name, y in (("F", -0.56), ("R", 0.56))]
    parts.append(SeparatePart("Crank", _at(_AXLE), _crank()))
    for name, side, ahead in (("L", 1.0, 1.0), ("R", -1.0, -1.0)):
        pedal = _AXLE + ahead * _CRANK
        knee = _knee(pedal)
        parts.append(SeparatePart(f"Pedal.{name}", _at(pedal, side * _PEDAL_AT), _pedal()))
        parts.append(SeparatePart(f"Thigh.{name}", _at(_HIP, side * _HIP_AT), _thigh(knee)))
        parts.append(SeparatePart(f"Shank.{name}", _at(knee, side * _PEDAL_AT), _shank(knee, pedal)))
    for surface in (body, *(part.surface for part in parts if not part.name.startswith("Wheel"))):
        surface.corners = [(wide * x, y, z) for x, y, z in surface.corners]
    return body, [part.moved_out(wide) for part in parts]


def _at(place: complex, left: float = 0.0) -> Place:
    return left, -place.real, place.imag


def _knee(pedal: complex) -> complex:
    """Where the knee of a leg on a pedal is, in front of it."""
    reach = pedal - _HIP
    far = abs(reach)
    along = (far * far + _THIGH * _THIGH - _SHANK * _SHANK) / (2.0 * far)  # by the law of cosines
    return _HIP + reach / far * complex(along, math.sqrt(_THIGH * _THIGH - along * along))


def _crank() -> VehicleSurface:
    made = VehicleSurface()
    made.add_tube((-0.08, 0.0, 0.0), (0.08, 0.0, 0.0), (0.02, 0.02), shapes.METAL)
    made.add_tube((-0.05, 0.0, 0.0), (-0.044, 0.0, 0.0), (0.09, 0.09), shapes.DARK, sides=16)
    for side in (1.0, -1.0):
        made.add_tube((0.07 * side, 0.0, 0.0), (0.07 * side, -_CRANK * side, 0.0), (0.015, 0.012), shapes.METAL)
    return made


def _pedal() -> VehicleSurface:
    made = VehicleSurface()
    for y in (-0.035, 0.035):
        made.add_tube((-0.045, y, 0.0), (0.045, y, 0.0), (0.013, 0.013), shapes.DARK, sides=6)
    made.add_tube((-0.045, 0.0, 0.0), (0.045, 0.0, 0.0), (0.01, 0.01), shapes.METAL, sides=6)
    return made


def _thigh(knee: complex) -> VehicleSurface:
    made = VehicleSurface()
    made.add_ball((0.0, 0.0, 0.0), 0.09, shapes.DARK)
    made.add_tube((0.0, 0.0, 0.0), _at(knee - _HIP), (0.088, 0.062), shapes.DARK)
    return made


def _shank(knee: complex, pedal: complex) -> VehicleSurface:
    """Model shank and shoe, the shoe level where the pedal is in front."""
    front = _AXLE + _CRANK
    turn = (pedal - knee) / (front - _knee(front))
    ankle, heel, toe = (pedal + each * turn - knee for each in (_ANKLE, _HEEL, _TOE))
    made = VehicleSurface()
    made.add_ball((0.0, 0.0, 0.0), 0.062, shapes.DARK)
    made.add_tube((0.0, 0.0, 0.0), _at(ankle), (0.06, 0.042), shapes.DARK)
    made.add_tube(_at(ankle), _at(0.5 * (ankle + heel)), (0.042, 0.036), shapes.SKIN)
    made.add_tube(_at(heel), _at(toe), (0.042, 0.032), shapes.TYRE)
    made.add_ball(_at(toe), 0.032, shapes.TYRE)
    return made
