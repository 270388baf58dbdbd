# SPDX-License-Identifier: GPL-3.0-or-later
"""The hands of a built-in figure, with the bare arms that come out of its sleeves."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from .clothes import arm_ring
from .description import Description
from .skeleton import Bone
from .surface import FigureSurface, superellipse

_PALM = (
    # from the wrist, half breadth, half thickness, towards the thumb [m], squareness
    (0.000, 0.0260, 0.0190, 0.000, 2.0),
    (0.024, 0.0305, 0.0180, 0.001, 2.1),
    (0.054, 0.0385, 0.0165, 0.001, 2.4),
    (0.084, 0.0395, 0.0140, 0.000, 2.6),
    (0.096, 0.0350, 0.0085, 0.000, 2.6),
)


class _Finger(NamedTuple):
    """A finger: where it starts, which way it points and how it curls, in the axes (thumb's side, back, down)."""

    start: tuple[float, float, float]  # [m]
    way: tuple[float, float, float]
    length: float  # [m]
    radius: float  # [m]
    curl: float  # from one joint to the next [degrees]


_FINGERS = (
    _Finger((0.0285, 0.000, 0.078), (0.045, -0.16, 1.0), 0.074, 0.0104, 13.0),
    _Finger((0.0097, 0.001, 0.080), (0.012, -0.18, 1.0), 0.083, 0.0106, 15.0),
    _Finger((-0.0095, 0.000, 0.079), (-0.022, -0.20, 1.0), 0.077, 0.0103, 17.0),
    _Finger((-0.0272, -0.001, 0.076), (-0.060, -0.22, 1.0), 0.061, 0.0093, 19.0),
)
_THUMB = _Finger((0.0230, -0.007, 0.028), (0.52, -0.32, 1.0), 0.072, 0.0132, 6.0)
_JOINTS = ((0.0, 1.0), (0.36, 1.0), (0.70, 0.92), (0.96, 0.62))
"""Rings of a finger: how far along it, and its radius there, both as parts."""


def add_hand(surface: FigureSurface, figure: Description, bone: Bone, material: int, part: str) -> None:
    """Add one hand, its fingers a little curled, and the bare arm from inside the sleeve."""
    sign = np.sign(bone.head[0])
    back, front = arm_ring(bone, 0.0, 1.0, 4)[:2] - bone.head  # outwards, and to the thumb
    axes = np.stack([front, back, bone.axes[:, 1]])  # rows
    angle = np.arange(12) * np.pi / 6.0
    rings = []
    for distance, breadth, thickness, shift, exponent in _PALM:
        across, along = superellipse(angle, exponent)
        local = np.column_stack([breadth * across + shift, thickness * along, np.full(12, distance)])
        rings.append(bone.head + figure.hand_scale * local @ axes)
    indices = surface.add_points(np.stack([*_forearm(figure, bone, rings[0]), *rings]), part)
    surface.add_grid(indices, material, mirrored=sign < 0.0)
    pole = surface.add_points(rings[-1].mean(axis=0), part)
    surface.add_cap(indices[-1], int(pole), material, mirrored=sign < 0.0)
    for finger, sides in ((_THUMB, 6), *((each, 5) for each in _FINGERS)):
        rings, tip = _finger_rings(finger, sides)
        indices = surface.add_points(bone.head + figure.hand_scale * rings @ axes, part)
        surface.add_grid(indices, material, mirrored=sign < 0.0)
        pole = surface.add_points(bone.head + figure.hand_scale * tip @ axes, part)
        surface.add_cap(indices[-1], int(pole), material, mirrored=sign < 0.0)


@cache
def _finger_rings(finger: _Finger, sides: int) -> tuple[np.ndarray, np.ndarray]:
    """Rings of a finger and its tip, (R, sides, 3) and (3,), in the hand's axes."""
    way = np.array(finger.way) / np.linalg.norm(finger.way)
    side = np.cross((0.0, 1.0, 0.0), way)
    side /= np.linalg.norm(side)
    angle = np.arange(sides) * 2.0 * np.pi / sides
    centre, last, rings = np.array(finger.start), 0.0, []
    for along, wide in _JOINTS:
        centre = centre + finger.length * (along - last) * way
        last = along
        out = np.cross(way, side)
        circle = np.multiply.outer(np.sin(angle), side) + np.multiply.outer(np.cos(angle), out)
        rings.append(centre + finger.radius * wide * circle)
        turn = np.radians(finger.curl)
        way = np.cos(turn) * way - np.sin(turn) * out
    return np.stack(rings), centre + 0.4 * finger.radius * way


def _forearm(figure: Description, hand: Bone, wrist: np.ndarray) -> list[np.ndarray]:
    """Rings of the bare arm from inside the sleeve down to the wrist, whose own ring is given."""
    length = (1.0 - figure.sleeve.end) * (figure.body.upper_arm + figure.body.forearm) + 0.03
    ups = np.linspace(length, 0.0, 1 + int(length / 0.06), endpoint=False)
    return [hand.head - up * hand.axes[:, 1] + (1.0 + 3.2 * up) * (wrist - hand.head) for up in ups]
