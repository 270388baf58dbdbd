# SPDX-License-Identifier: GPL-3.0-or-later
"""The clothes of a built-in figure: a shirt with sleeves, and trousers; the body under them is not made at all."""

from __future__ import annotations

import numpy as np

from .description import Description, table
from .skeleton import Bone
from .surface import FigureSurface, hermite, interpolate_rows, smoothstep, superellipse

COLUMNS = 24
"""Points round the trunk, counter-clockwise seen from above; number 0 in front, 6 on the left, 12 behind."""

ARMHOLE = range(4, 9)
"""Columns that bound the left armhole."""

ARMHOLE_ROWS = 4
LIMB = 16
"""Points round a sleeve and round a trouser leg: just what an armhole's edge and half the hips with the crotch have."""


def section(row: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Points of one level section.

    Args:
        row: float64 (5,): height, half width, front, back [m], squareness.
        angle: float64 (C,), 0 in front, turning to the figure's left [rad].

    Returns:
        float64 (C, 3), positions [m].
    """
    height, width, front, back, exponent = row
    across, along = superellipse(angle, exponent)
    return np.column_stack([width * across, -along * np.where(along > 0.0, front, back), np.full(len(angle), height)])


def trunk_rings(rows: tuple[tuple[float, ...], ...], heights: np.ndarray) -> np.ndarray:
    """Sections of a trunk at some heights, float64 (R, COLUMNS, 3)."""
    values = np.column_stack([heights, interpolate_rows(table(rows), heights)])
    angle = np.arange(COLUMNS) * 2.0 * np.pi / COLUMNS
    return np.stack([section(row, angle) for row in values])


def add_shirt(
    surface: FigureSurface,
    figure: Description,
    bones: dict[str, Bone],
    materials: tuple[int, int, int],
    parts: tuple[str, str, str],
) -> None:
    """Add a shirt or coat with both sleeves.

    Args:
        surface: takes it.
        figure: wears it.
        bones: of the figure.
        materials: its own, and of what shows where it is open, above the waist and below.
        parts: those of the trunk, the left and the right sleeve.
    """
    material = materials[0]
    below = np.linspace(figure.hem, figure.armpit, max(5, 1 + round((figure.armpit - figure.hem) / 0.0625)))
    beside = np.linspace(figure.armpit, figure.shoulder_top, ARMHOLE_ROWS + 1)
    above = np.linspace(figure.shoulder_top, figure.shirt[-1][0], 4)
    rings = trunk_rings(figure.shirt, np.concatenate([below, beside[1:], above[1:]]))
    rings[..., 2] -= figure.neckline * _lowering(rings, figure)
    lip = rings[:1] * (0.93, 0.93, 1.0) + (0.0, 0.0, 0.02)
    collar = rings[-1:] * (0.86, 0.86, 1.0) - (0.0, 0.0, 0.018)
    first = len(below)  # the ring of the armpits, the lip counted
    indices = surface.add_points(np.concatenate([lip, rings, collar]), parts[0])
    holes = {
        (first + r, c) for r in range(ARMHOLE_ROWS) for c in (*ARMHOLE[:-1], *(COLUMNS - 1 - c for c in ARMHOLE[:-1]))
    }
    waist = int(np.searchsorted(below, figure.body.waist)) + 1
    opening, below_it = (
        {(r, c) for r in rows for c in (0, COLUMNS - 1)} for rows in (range(waist, len(indices) - 1), range(waist))
    )
    surface.add_grid(indices, material, without=holes | opening | below_it)
    surface.add_grid(indices, materials[1], only=opening)
    surface.add_grid(indices, materials[2], only=below_it)
    if figure.is_open or figure.buttons:
        _add_collar(surface, rings[-1], material, parts[0])
    for side, sign, part in (("L", 1.0, parts[1]), ("R", -1.0, parts[2])):
        loop = _armhole(indices[first : first + ARMHOLE_ROWS + 1], left=sign > 0.0)
        _add_sleeve(surface, figure, (bones[f"upper_arm.{side}"], bones[f"forearm.{side}"]), loop, material, part)


def _add_collar(surface: FigureSurface, edge: np.ndarray, material: int, part: str) -> None:
    """Turn down the collar of a coat, open in front."""
    rings = [
        edge.mean(axis=0) + grow * (edge - edge.mean(axis=0)) + (0.0, 0.0, rise)
        for grow, rise in ((0.95, 0.0), (1.04, 0.016), (1.12, 0.014), (1.48, -0.034), (1.44, -0.040))
    ]
    for ring in rings[3:]:
        ring[[1, -1], 2] -= 0.035  # its tips
    indices = surface.add_points(np.stack(rings), part)
    surface.add_grid(indices, material, without={(r, c) for r in range(4) for c in (0, COLUMNS - 1)}, mirrored=True)


def _lowering(rings: np.ndarray, figure: Description) -> np.ndarray:
    """How much of the neckline's depth each point of the shirt follows: all of it in front at the collar."""
    in_front = 0.5 - 0.5 * rings[..., 1] / np.linalg.norm(rings[..., :2], axis=-1)
    return in_front * smoothstep(rings[..., 2], figure.shoulder_top, figure.shirt[-1][0])


def _armhole(rows: np.ndarray, *, left: bool) -> np.ndarray:
    """Indices round an armhole: from its top middle to the front, under the arm, and up behind."""
    columns = list(ARMHOLE) if left else [COLUMNS - c for c in ARMHOLE]
    top, bottom = rows[-1, columns], rows[0, columns]
    front, back = rows[1:-1, columns[0]], rows[1:-1, columns[-1]]
    return np.concatenate([top[2::-1], front[::-1], bottom, back, top[:2:-1]])


def arm_ring(bone: Bone, along: float, radius: np.ndarray | float, count: int) -> np.ndarray:
    """A ring round an arm bone, from its outer side to the front: float64 (count, 3)."""
    angle = np.arange(count) * 2.0 * np.pi / count
    inner, down, front = bone.axes.T  # on the left
    outer = -np.sign(bone.head[0]) * inner
    centre = bone.head + along * down
    return centre + np.multiply.outer(radius * np.cos(angle), outer) + np.multiply.outer(radius * np.sin(angle), front)


def _add_sleeve(
    surface: FigureSurface, figure: Description, arm: tuple[Bone, Bone], loop: np.ndarray, material: int, part: str
) -> None:
    upper, lower = arm
    lengths = np.array([np.linalg.norm(bone.tail - bone.head) for bone in arm])
    whole = lengths.sum()
    start = 0.42 * lengths[0]
    radii = table(figure.sleeve.radii)

    def ring(distance: float, shrink: float = 0.0) -> np.ndarray:
        radius = interpolate_rows(radii, np.array([distance / whole]))[0, 0] - shrink
        bend = float(smoothstep(np.array(distance), lengths[0] - 0.06, lengths[0] + 0.06))
        above = arm_ring(upper, distance, radius, LIMB)
        below = arm_ring(lower, distance - lengths[0], radius, LIMB)
        return (1.0 - bend) * above + bend * below

    edge = surface.points[loop]  # (LIMB, 3)
    first = ring(start)
    span = first - edge
    length = np.linalg.norm(span, axis=1, keepdims=True)
    round_arm = np.arange(LIMB)[:, None] * 2.0 * np.pi / LIMB
    low = 0.5 - 0.5 * np.cos(round_arm)  # 0 on top of the shoulder, 1 in the armpit
    slope = np.array([0.9 * np.sign(upper.head[0]), 0.0, -0.4])  # the shoulder goes on as it comes from the neck
    leave = (1.0 - low) * length * slope + low * span
    shoulder = [hermite(edge, leave, first, 0.9 * length * upper.axes[:, 1], t) for t in (0.25, 0.5, 0.75)]
    end = figure.sleeve.end * whole
    distances = np.concatenate([np.linspace(start, lengths[0] - 0.04, 3), lengths[0] + np.array([0.0, 0.04])])
    tail = np.linspace(lengths[0] + 0.04, end, 3)[1:]
    rings = [*shoulder, *(ring(d) for d in (*distances, *tail)), ring(end - 0.02, 0.009)]
    indices = np.concatenate([loop[None], surface.add_points(np.stack(rings), part)])
    surface.add_grid(indices, material, mirrored=upper.head[0] < 0.0)


def add_trousers(
    surface: FigureSurface,
    figure: Description,
    bones: dict[str, Bone],
    materials: tuple[int, int],
    parts: tuple[str, str, str],
) -> None:
    """Add trousers, or a skirt, or what shows of the legs under a coat.

    Args:
        surface: takes them.
        figure: wears them.
        bones: of the figure.
        materials: of the hips or skirt, and of the legs.
        parts: those of the hips, the left and the right leg.
    """
    if figure.skirt:
        _add_skirt(surface, figure, materials[0], "skirt")
    if figure.legs_from:
        for side, part in (("L", parts[1]), ("R", parts[2])):
            _add_leg(surface, figure, (bones[f"thigh.{side}"], bones[f"shin.{side}"]), None, materials[1], part)
        return
    material = materials[0]
    heights = np.linspace(figure.trousers[-1][0], figure.hem + 0.075, 4)
    hips = surface.add_points(trunk_rings(figure.trousers, heights), parts[0])  # (4, COLUMNS), upwards
    surface.add_grid(hips, material)
    bottom = surface.points[hips[0]]
    front, back = bottom[0, 1], bottom[COLUMNS // 2, 1]
    middle = np.array(
        [(0.0, y, heights[0] - drop) for y, drop in ((0.6 * back, 0.020), (0.0, 0.030), (0.6 * front, 0.020))]
    )
    crotch = surface.add_points(middle, parts[0])  # from behind to the front
    half = COLUMNS // 2 + 1
    left = np.concatenate([hips[0, :half], crotch])
    right = np.concatenate([hips[0, (-np.arange(half)) % COLUMNS], crotch])
    _add_leg(surface, figure, (bones["thigh.L"], bones["shin.L"]), left, material, parts[1])
    _add_leg(surface, figure, (bones["thigh.R"], bones["shin.R"]), right, material, parts[2])


def _add_skirt(surface: FigureSurface, figure: Description, material: int, part: str) -> None:
    rows = table(figure.skirt)
    rings = trunk_rings(figure.skirt, np.linspace(rows[0, 0], rows[-1, 0], 9))
    lip = rings[:1] * (0.95, 0.95, 1.0) + (0.0, 0.0, 0.02)
    surface.add_grid(surface.add_points(np.concatenate([lip, rings]), part), material)


def _add_leg(
    surface: FigureSurface,
    figure: Description,
    leg: tuple[Bone, Bone],
    loop: np.ndarray | None,
    material: int,
    part: str,
) -> None:
    """Add a leg that grows from a loop of the hips; without one it begins under a skirt or coat."""
    thigh, shin = leg
    sign = np.sign(thigh.head[0])
    rows = table(figure.legs)
    top, cuff, knee = rows[-1, 0] - 0.075, rows[0, 0], thigh.tail[2]
    if loop is None:
        top = min(top, max(figure.legs_from, knee + 0.10))
    heights = np.concatenate(
        [np.linspace(top, knee + 0.06, 3), knee + np.array([0.02, -0.02, -0.06]), np.linspace(knee - 0.13, cuff, 4)]
    )
    values = np.column_stack([heights, interpolate_rows(rows, heights)])
    angle = np.radians(-45.0 + 22.5 * np.arange(LIMB))
    centres = np.stack([_centre(thigh, shin, height) for height in heights])
    rings = np.stack([section(row, angle) for row in values])  # (R, LIMB, 3)
    rings[..., :2] += centres[:, None, :2] * (sign, 1.0)
    rings[..., 0] *= sign
    lip = rings[-1] + 0.012 * (centres[-1] - rings[-1]) / np.linalg.norm(centres[-1] - rings[-1], axis=1)[:, None]
    lip[:, 2] += 0.02
    if loop is None:  # narrow where it begins, so that it stays under the hem of whoever bends the knee
        rings[0] += 0.5 * (rings[0].mean(axis=0) - rings[0])
        indices = surface.add_points(np.concatenate([rings, lip[None]]), part)
    else:
        edge = surface.points[loop]
        down = np.array([0.0, 0.0, -1.0])
        groin = [hermite(edge, 0.06 * down, rings[0], 0.09 * down, t) for t in (0.33, 0.67)]
        added = surface.add_points(np.concatenate([groin, rings, lip[None]]), part)
        indices = np.concatenate([loop[None], added])
    surface.add_grid(indices[::-1], material, mirrored=sign < 0.0)


def _centre(thigh: Bone, shin: Bone, height: float) -> np.ndarray:
    """The point of a leg's middle line at some height."""
    bone = thigh if height > thigh.tail[2] else shin
    along = (height - bone.head[2]) / (bone.tail[2] - bone.head[2])
    return bone.head + along * (bone.tail - bone.head)
