# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands and shoes of a built-in figure."""

from __future__ import annotations

import numpy as np

from .figure_clothes import arm_ring
from .figure_description import Description
from .figure_skeleton import Bone
from .figure_surface import Surface, superellipse

_HAND = (
    # from the wrist, half breadth, half thickness, towards the thumb [m], squareness, bend to the palm [degrees]
    (0.000, 0.0260, 0.0190, 0.000, 2.0, 0.0),
    (0.022, 0.0300, 0.0180, 0.001, 2.1, 2.0),
    (0.050, 0.0390, 0.0170, 0.002, 2.4, 4.0),
    (0.084, 0.0410, 0.0155, 0.000, 2.6, 8.0),
    (0.112, 0.0385, 0.0130, -0.001, 2.6, 16.0),
    (0.142, 0.0350, 0.0115, -0.002, 2.5, 18.0),
    (0.166, 0.0290, 0.0100, -0.003, 2.3, 16.0),
    (0.179, 0.0180, 0.0065, -0.004, 2.1, 6.0),
)
_THUMB = ((0.0, 0.0140), (0.026, 0.0130), (0.048, 0.0105), (0.060, 0.0060))

_OUTLINE = np.array(
    [
        # sole of the left shoe round from the tip over the outer side: outwards, forwards of the ankle [m]
        (0.002, 0.236), (0.023, 0.226), (0.040, 0.198), (0.0475, 0.158), (0.045, 0.112), (0.039, 0.060),
        (0.0365, 0.012), (0.0345, -0.030), (0.024, -0.059), (0.0, -0.070), (-0.024, -0.059), (-0.0335, -0.030),
        (-0.0335, 0.012), (-0.0345, 0.062), (-0.0425, 0.116), (-0.046, 0.160), (-0.038, 0.202), (-0.020, 0.228),
    ]
)  # fmt: skip


def add_hand(surface: Surface, figure: Description, bone: Bone, material: int, part: str) -> None:
    """Add one hand with its thumb, from a little up the wrist."""
    sign = np.sign(bone.head[0])
    back, thumb = arm_ring(bone, 0.0, 1.0, 4)[:2] - bone.head  # outwards and to the front
    forward, centre, last = bone.axes[:, 1], bone.head, 0.0
    angle = np.arange(12) * np.pi / 6.0
    rings = []
    scale = figure.hand_scale
    for distance, breadth, thickness, shift, exponent, bend in _HAND:
        turn = np.radians(bend)
        forward, back = np.cos(turn) * forward - np.sin(turn) * back, np.sin(turn) * forward + np.cos(turn) * back
        centre = centre + scale * (distance - last) * forward
        last = distance
        across, along = superellipse(angle, exponent)
        offset = np.multiply.outer(thickness * along, back) + np.multiply.outer(breadth * across + shift, thumb)
        rings.append(centre + scale * offset)
    indices = surface.add_points(np.stack([*_forearm(figure, bone, rings[0]), *rings]), part)
    surface.add_grid(indices, material, mirrored=sign < 0.0)
    pole = surface.add_points(centre + scale * 0.005 * forward, part)
    surface.add_cap(indices[-1], int(pole), material, mirrored=sign < 0.0)
    _add_thumb(surface, figure, bone, material, part)


def _forearm(figure: Description, hand: Bone, wrist: np.ndarray) -> list[np.ndarray]:
    """Rings of the bare arm from inside the sleeve down to the wrist, whose own ring is given."""
    length = (1.0 - figure.sleeve.end) * (figure.body.upper_arm + figure.body.forearm) + 0.03
    ups = np.linspace(length, 0.0, 1 + int(length / 0.06), endpoint=False)
    return [hand.head - up * hand.axes[:, 1] + (1.0 + 3.2 * up) * (wrist - hand.head) for up in ups]


def _add_thumb(surface: Surface, figure: Description, bone: Bone, material: int, part: str) -> None:
    sign = np.sign(bone.head[0])
    back, front = arm_ring(bone, 0.0, 1.0, 4)[:2] - bone.head
    down = bone.axes[:, 1]
    start = bone.head + figure.hand_scale * (0.034 * down + 0.026 * front - 0.006 * back)
    way = 0.80 * down + 0.55 * front - 0.22 * back
    way /= np.linalg.norm(way)
    side = np.cross(way, front)
    side *= np.sign(side @ back) / np.linalg.norm(side)
    ahead = np.cross(side, way)
    ahead *= np.sign(ahead @ front)
    angle = np.arange(8) * np.pi / 4.0
    rings = []
    for distance, radius in _THUMB:
        bent = -0.10 * distance * ahead * distance / 0.06
        ring = np.multiply.outer(0.9 * np.cos(angle), side) + np.multiply.outer(np.sin(angle), ahead)
        rings.append(start + figure.hand_scale * (distance * way + bent + radius * ring))
    indices = surface.add_points(np.stack(rings), part)
    surface.add_grid(indices, material, mirrored=sign < 0.0)
    pole = surface.add_points(rings[-1].mean(axis=0) + 0.004 * way, part)
    surface.add_cap(indices[-1], int(pole), material, mirrored=sign < 0.0)


def add_ankle(surface: Surface, figure: Description, shin: Bone, material: int, part: str) -> None:
    """Add the bare ankle, where trousers end above the shoe."""
    opening, cuff = figure.body.ankle + 0.01, figure.legs[-1][0]
    if cuff < opening:
        return
    angle = np.arange(10) * np.pi / 5.0
    rings = []
    for height, radius in ((opening - 0.025, 0.027), (opening + 0.02, 0.028), (cuff + 0.03, 0.033)):
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
