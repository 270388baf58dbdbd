# SPDX-License-Identifier: GPL-3.0-or-later
"""The shoes of a built-in figure, with the bare ankles over them."""

from __future__ import annotations

import numpy as np

from .description import Description
from .skeleton import Bone
from .surface import FigureSurface

_OUTLINE = np.array(
    [
        # sole of the left shoe round from the tip over the outer side: outwards, forwards of the ankle [m]
        (0.002, 0.236), (0.023, 0.226), (0.040, 0.198), (0.0475, 0.158), (0.045, 0.112), (0.039, 0.060),
        (0.0365, 0.012), (0.0345, -0.030), (0.024, -0.059), (0.0, -0.070), (-0.024, -0.059), (-0.0335, -0.030),
        (-0.0335, 0.012), (-0.0345, 0.062), (-0.0425, 0.116), (-0.046, 0.160), (-0.038, 0.202), (-0.020, 0.228),
    ]
)  # fmt: skip


_TOE_SPRING = 0.010
"""How much the tip of the shoe is raised over its sole, which is flat [m]."""


def add_ankle(surface: FigureSurface, figure: Description, shin: Bone, material: int, part: str) -> None:
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


def add_shoe(surface: FigureSurface, figure: Description, foot: Bone, materials: tuple[int, int], part: str) -> None:
    """Add one shoe; `materials` are those of the upper and of the sole."""
    sign = np.sign(foot.head[0])
    wide, long = figure.shoe_scale
    ankle = np.array([foot.head[0], foot.head[1], 0.0])
    outline = np.column_stack([sign * wide * _OUTLINE[:, 0], -long * _OUTLINE[:, 1]])
    centre = np.array([0.0, -0.06 * long])

    rings = []
    for grow, height in ((0.95, 0.0), (1.0, 0.006), (1.0, 0.024), (0.955, 0.027), (0.955, 0.046)):
        flat = centre + grow * (outline - centre)
        rise = _TOE_SPRING * np.clip((-flat[:, 1] - 0.15) / 0.09, 0.0, 1.0) ** 2 if height else 0.0
        rings.append(np.column_stack([flat, np.full(len(flat), height) + rise]))
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


def _add_sole(surface: FigureSurface, ring: np.ndarray, material: int, *, mirrored: bool) -> None:
    """Close a sole with quads from side to side, so that it can bend at the ball of the foot."""
    count = len(ring)
    right = np.array([ring[-k % count] for k in range(count // 2 + 1)])
    left = ring[: count // 2 + 1]
    surface.add_grid(np.column_stack([left, right]), material, closed=False, mirrored=mirrored)
