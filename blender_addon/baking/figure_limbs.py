# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands and shoes of a built-in figure."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .figure_clothes import arm_ring
from .figure_description import Description
from .figure_skeleton import Bone
from .figure_surface import Surface, superellipse

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

_OUTLINE = np.array(
    [
        # sole of the left shoe round from the tip over the outer side: outwards, forwards of the ankle [m]
        (0.002, 0.236), (0.023, 0.226), (0.040, 0.198), (0.0475, 0.158), (0.045, 0.112), (0.039, 0.060),
        (0.0365, 0.012), (0.0345, -0.030), (0.024, -0.059), (0.0, -0.070), (-0.024, -0.059), (-0.0335, -0.030),
        (-0.0335, 0.012), (-0.0345, 0.062), (-0.0425, 0.116), (-0.046, 0.160), (-0.038, 0.202), (-0.020, 0.228),
    ]
)  # fmt: skip


def add_hand(surface: Surface, figure: Description, bone: Bone, material: int, part: str) -> None:
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


def add_ankle(surface: Surface, figure: Description, shin: Bone, material: int, part: str) -> None:
    """Add the bare ankle, where trousers end above the shoe."""
    opening, cuff = figure.body.ankle + 0.01, figure.legs[-1][0]
    if cuff < opening:
        return
    angle = np.arange(10) * np.pi / 5.0
    rings = []
    for height, radius in ((opening - 0.025, 0.027), (cuff + 0.03, 0.032)):
        x, y = shin.tail[0] + radius * np.sin(angle), shin.tail[1] - 1.15 * radius * np.cos(angle)
        rings.append(np.column_stack([x, y, np.full(10, height)]))
    surface.add_grid(surface.add_points(np.stack(rings), part), material)


def add_shoe(surface: Surface, figure: Description, foot: Bone, materials: tuple[int, int], part: str) -> None:
    """Add one shoe; `materials` are those of the upper and of the sole."""
    sign = np.sign(foot.head[0])
    wide, long = figure.shoe_scale
    ankle = np.array([foot.head[0], foot.head[1], 0.0])
    outline = np.column_stack([sign * wide * _OUTLINE[:, 0], -long * _OUTLINE[:, 1]])
    centre = np.array([0.0, -0.06 * long])

    def ring(grow: float, height: float | np.ndarray) -> np.ndarray:
        flat = centre + grow * (outline - centre)
        lift = 0.010 * np.clip((-flat[:, 1] - 0.15) / 0.09, 0.0, 1.0) ** 2 if np.ndim(height) == 0 else 0.0
        return np.column_stack([flat, np.broadcast_to(height, len(flat)) + lift])

    rings = [ring(0.95, 0.0), ring(1.0, 0.006), ring(1.0, 0.024), ring(0.955, 0.027), ring(0.955, 0.046)]
    rings[0][:, 2] = 0.0
    rings += _instep(rings[-1], figure, sign)
    indices = surface.add_points(np.stack(rings) + ankle, part)
    surface.add_grid(indices[:4], materials[1], mirrored=sign < 0.0)
    surface.add_grid(indices[3:], materials[0], mirrored=sign < 0.0)
    _add_sole(surface, indices[0], materials[1], mirrored=sign < 0.0)


def _instep(edge: np.ndarray, figure: Description, sign: float) -> list[np.ndarray]:
    """Rings from the shoe's edge up to its opening round the ankle, and the lip inside."""
    wide, long = figure.shoe_scale
    count = len(edge)
    angle = np.arange(count) * 2.0 * np.pi / count
    opening = np.column_stack(
        [
            sign * wide * 0.037 * np.sin(angle),
            long * (0.004 - 0.050 * np.cos(angle)),
            figure.body.ankle + 0.012 + 0.010 * np.cos(angle),
        ]
    )
    rings = []
    for t, rise in ((0.32, 0.30), (0.70, 0.68), (1.0, 1.0)):
        ring = edge + t * (opening - edge)
        ring[:, 2] = edge[:, 2] + rise * (opening[:, 2] - edge[:, 2])
        rings.append(ring)
    inside = opening * (0.8, 0.8, 1.0) - (0.0, 0.0, 0.02)
    return [*rings, inside] if figure.legs[-1][0] > opening[:, 2].min() else rings


def _add_sole(surface: Surface, ring: np.ndarray, material: int, *, mirrored: bool) -> None:
    """Close a sole with quads from side to side, so that it can bend at the ball of the foot."""
    count = len(ring)
    right = np.array([ring[-k % count] for k in range(count // 2 + 1)])
    left = ring[: count // 2 + 1]
    surface.add_grid(np.column_stack([left, right]), material, closed=False, mirrored=mirrored)
