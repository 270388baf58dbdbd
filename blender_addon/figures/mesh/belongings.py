# SPDX-License-Identifier: GPL-3.0-or-later
"""What a built-in figure carries: a backpack, or a bag on its shoulder; with straps that lie on it, as do buttons."""

from __future__ import annotations

import numpy as np

from .clothes import section
from .description import Description, table
from .skeleton import Bone
from .surface import FigureSurface, interpolate_rows, superellipse

PHONE_SCALE = 40.0
"""Scale of the bone of the phone with which it is seen in its size."""

_PHONE = (0.072, 0.009, 0.147)
"""Width, thickness and length of a phone [m]."""

_ON_PALM = 0.017  # from the middle of the palm to the back of the phone [m]

_STRAP = 0.020
"""Half the width of a strap [m]."""


def add_bag(surface: FigureSurface, figure: Description, material: int) -> None:
    """Add what a figure carries."""
    if figure.bag == "backpack":
        _add_backpack(surface, figure, material)
    elif figure.bag == "shoulder bag":
        _add_shoulder_bag(surface, figure, material)


def _add_backpack(surface: FigureSurface, figure: Description, material: int) -> None:
    low, high = figure.body.waist + 0.02, figure.armpit + 0.10
    middle = 0.5 * (low + high)
    back = _at(figure, np.pi, middle)[1]
    _add_box(surface, (0.0, back + 0.055, middle), (0.135, 0.075, 0.5 * (high - low)), material, "rigid.chest")
    _add_box(surface, (0.0, back + 0.135, low + 0.11), (0.095, 0.022, 0.075), material, "rigid.chest")
    for sign in (1.0, -1.0):
        over = _over_shoulder(figure, sign * 0.105, figure.armpit - 0.03, figure.armpit + 0.08)
        under = [
            _at(figure, sign * angle, figure.armpit - 0.03 - 0.05 * k) for k, angle in enumerate((2.2, 1.6, 1.0, 0.75))
        ]
        _add_strap(surface, np.array([*under, *over]), material)


def _add_shoulder_bag(surface: FigureSurface, figure: Description, material: int) -> None:
    """A bag behind the left hip, out of the way of the arm, on a strap over the right shoulder."""
    height = figure.body.hip_joint + 0.06
    place = _at(figure, np.radians(162.0), height)
    _add_box(
        surface, tuple(np.add(place, (0.0, 0.045, -0.02))), (0.110, 0.045, 0.10), material, "rigid.hips", turn=-0.25
    )
    shoulder, low = -0.085, height + 0.07
    top = _top(figure, shoulder)
    over = _over_shoulder(figure, shoulder, top - 0.05, top - 0.05)
    first = np.arcsin(-shoulder / _row(figure, top - 0.05)[0])
    along = np.linspace(0.0, 1.0, 9)[1:, None]
    front, back = (
        [
            _at(figure, angle, z)
            for angle, z in np.array([start, top - 0.05]) * (1.0 - along) + np.array([end, low]) * along
        ]
        for start, end in ((-first, np.radians(144.0)), (first - np.pi, -np.radians(186.0)))
    )
    _add_strap(surface, np.array([*front[::-1], *over, *back]), material)


def add_phone(surface: FigureSurface, figure: Description, bone: Bone, material: int) -> None:
    """Add a phone to the right hand, so small that it is hidden in the palm until its bone is scaled."""
    axes = np.stack([bone.axes[:, 2], -bone.axes[:, 0], bone.axes[:, 1]])  # rows: to the thumb, the palm, the fingers
    angle = np.arange(12) * np.pi / 6.0
    across, along = superellipse(angle, 4.5)
    half = 0.5 * figure.hand_scale * np.array(_PHONE)
    flat = np.column_stack([half[0] * across, half[2] * along])
    places = []
    for depth, shrink in ((0.0, 0.92), (0.25, 1.0), (1.75, 1.0), (2.0, 0.92)):
        out = figure.hand_scale * _ON_PALM + depth * half[1]
        places.append(np.column_stack([shrink * flat[:, 0], np.full(12, out), shrink * flat[:, 1]]))
    points = bone.head + (np.array(places) / PHONE_SCALE) @ axes
    part = f"rigid.{bone.name}"
    indices = surface.add_points(points, part)
    surface.add_grid(indices, material, mirrored=True)
    for ring, mirrored in ((-1, True), (0, False)):
        pole = int(surface.add_points(points[ring].mean(axis=0), part))
        surface.add_cap(indices[ring], pole, material, mirrored=mirrored)


def add_buttons(surface: FigureSurface, figure: Description, material: int) -> None:
    """Add the buttons of a coat, from the collar to below the waist."""
    angle = np.arange(8) * np.pi / 4.0
    for height in np.linspace(figure.shoulder_top - 0.05, figure.body.waist - 0.10, figure.buttons):
        middle = _at(figure, 0.12, height)
        ring = middle + 0.011 * np.column_stack([np.cos(angle), np.zeros(8), np.sin(angle)])
        rings = surface.add_points(np.stack([ring, ring - (0.0, 0.009, 0.0)]), "trunk")
        surface.add_grid(rings, material)
        pole = surface.add_points(middle - (0.0, 0.011, 0.0), "trunk")
        surface.add_cap(rings[-1], int(pole), material)


def _row(figure: Description, height: float) -> np.ndarray:
    return interpolate_rows(table(figure.shirt), np.array([height]))[0]


def _at(figure: Description, angle: float, height: float) -> np.ndarray:
    """The point of the shirt at an angle from straight ahead to the left, and a height."""
    return section(np.array([height, *_row(figure, height)]), np.array([angle]))[0]


def _top(figure: Description, x: float) -> float:
    """How high the shirt reaches at some distance from the middle."""
    rows = table(figure.shirt)
    return float(np.interp(-abs(x), -rows[-6:, 1], rows[-6:, 0]))


def _over_shoulder(figure: Description, x: float, front: float, back: float) -> list[np.ndarray]:
    """Points up the front of the shirt, over the shoulder, and down behind."""
    top = _top(figure, x)

    def point(height: float, side: float) -> np.ndarray:
        width, ahead, behind, exponent = _row(figure, height)
        depth = (1.0 - min(abs(x) / width, 1.0) ** exponent) ** (1.0 / exponent)
        return np.array([x, depth * (-ahead if side < 0.0 else behind), height])

    climb = np.array([0.0, 0.3, 0.6, 0.85, 0.97])
    ahead = [point(front + (top - front) * t, -1.0) for t in climb]
    behind = [point(back + (top - back) * t, 1.0) for t in climb[::-1]]
    return [*ahead, *behind]


def _add_strap(surface: FigureSurface, points: np.ndarray, material: int) -> None:
    inside = points * (0.45, 0.0, 1.0)
    inside[:, 2] = np.minimum(points[:, 2], points[:, 2].max() - 0.12)
    normals = points - inside
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    _add_ribbon(surface, points, normals, _STRAP, material, "trunk")


def _add_ribbon(
    surface: FigureSurface,
    points: np.ndarray,
    normals: np.ndarray,
    half: float,
    material: int,
    part: str,
) -> None:
    """Lay a closed flat band along points, with its outer side towards the normals."""
    way = np.gradient(points, axis=0)
    side = np.cross(way, normals)
    side *= half / np.linalg.norm(side, axis=1, keepdims=True)
    lift = 0.010 * normals
    rings = np.stack([points - side - lift, points - side + lift, points + side + lift, points + side - lift], axis=1)
    indices = surface.add_points(rings, part)
    surface.add_grid(indices, material)


def _add_box(
    surface: FigureSurface,
    centre: tuple[float, ...],
    half: tuple[float, float, float],
    material: int,
    part: str,
    turn: float = 0.0,
) -> None:
    """Add a soft box; `turn` is about the vertical [rad]."""
    angle = np.arange(16) * np.pi / 8.0
    across, along = superellipse(angle, 4.5)
    flat = np.column_stack([half[0] * across, -half[1] * along])
    cosine, sine = np.cos(turn), np.sin(turn)
    flat = flat @ np.array([[cosine, sine], [-sine, cosine]])
    rings = [
        np.column_stack([shrink * flat, np.full(16, height * half[2])]) + centre
        for height, shrink in ((-1.0, 0.80), (-0.93, 0.95), (-0.75, 1.0), (0.75, 0.98), (0.94, 0.92), (1.0, 0.78))
    ]
    indices = surface.add_points(np.stack(rings), part)
    surface.add_grid(indices, material)
    top, bottom = (int(surface.add_points(rings[k].mean(axis=0), part)) for k in (-1, 0))
    surface.add_cap(indices[-1], top, material)
    surface.add_cap(indices[0], bottom, material)
