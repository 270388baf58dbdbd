# SPDX-License-Identifier: GPL-3.0-or-later
"""The head of a built-in figure: neck, face, ears and hair."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from .description import Description, Hair, Swell, table
from .surface import FigureSurface, interpolate_rows, smoothstep, superellipse

COLUMNS = 24

_HEAD = np.array(
    [
        # height over the chin at the side, how much lower in front, half width, front, back [m], squareness
        (-0.100, 0.012, 0.068, 0.036, 0.066, 2.0),
        (-0.050, 0.014, 0.059, 0.042, 0.062, 2.0),
        (-0.008, 0.018, 0.057, 0.050, 0.063, 2.0),
        (0.016, 0.021, 0.0575, 0.080, 0.072, 2.0),
        (0.029, 0.027, 0.0590, 0.0945, 0.079, 2.05),
        (0.040, 0.026, 0.0610, 0.0985, 0.085, 2.1),
        (0.055, 0.020, 0.0640, 0.0965, 0.090, 2.15),
        (0.067, 0.015, 0.0665, 0.0965, 0.094, 2.2),
        (0.079, 0.010, 0.0690, 0.0955, 0.097, 2.2),
        (0.092, 0.006, 0.0710, 0.0955, 0.099, 2.2),
        (0.106, 0.003, 0.0725, 0.0950, 0.101, 2.2),
        (0.122, 0.001, 0.0740, 0.0940, 0.102, 2.2),
        (0.139, 0.000, 0.0755, 0.0965, 0.103, 2.2),
        (0.160, 0.000, 0.0760, 0.0950, 0.102, 2.15),
        (0.183, 0.000, 0.0735, 0.0870, 0.095, 2.1),
        (0.204, 0.000, 0.0635, 0.0700, 0.081, 2.05),
        (0.220, 0.000, 0.0470, 0.0490, 0.059, 2.0),
        (0.229, 0.000, 0.0270, 0.0270, 0.034, 2.0),
        (0.232, 0.000, 0.0000, 0.0000, 0.000, 2.0),
    ]
)
_NECK_ROWS = 3
_MIDDLE = 0.12
"""Height of the skull's middle over the chin [m]."""

_CROWN = 17.6
"""Row of the head at which the hair closes."""

_HAIR_ROWS = 8
_HANGING_ROW = 0.045
"""A ring more for so much of hair that hangs [m]."""

_HAIR_WAY = 0.16
"""From where hair leaves the head to the crown, for spacing its rings [m]."""

_TUCK = 0.014
"""How much nearer to the neck hair hangs at its end [m]."""

_EYE = 0.0315, 0.1175
"""Where an eye is, beside the middle and over the chin [m]."""

_BUN = (0.0, 0.120, 0.165)
"""The middle of a bun, on the standard head [m]."""

_BRIM = 0.170
"""Height of a cap's brim over the chin [m]."""

_SCALP = 14
"""The last ring of the face that is made: the rest of the skull lies under the hair."""


class HeadMaterials(NamedTuple):
    """Material slots of a head; the brows have that of the hair."""

    skin: int
    eyes: int
    whites: int
    hair: int
    lips: int


def _angles() -> np.ndarray:
    """Angles of the columns, closer together in the face, float64 (COLUMNS,) [rad]."""
    even = np.arange(COLUMNS) * 2.0 * np.pi / COLUMNS
    return even - 0.30 * np.sin(even)


def _skull(rows: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Points of the head's rings: (R,) row numbers, whole or not, (R, C) or (C,) angles -> (R, C, 3)."""
    number = np.arange(len(_HEAD), dtype=np.float64)
    values = interpolate_rows(np.column_stack([number, _HEAD]), rows.ravel()).reshape(*rows.shape, 6)
    height, lower, width, front, back, exponent = (values[..., k] for k in range(6))
    across, along = superellipse(angle, exponent)
    y = -along * np.where(along > 0.0, front, back)
    return np.stack([width * across, y, height - lower * along], axis=-1)


def _place(figure: Description, points: np.ndarray) -> np.ndarray:
    """Points of the standard head, the chin at height 0, at their place in the figure."""
    base = np.array([0.0, 0.004, figure.body.top - _HEAD[-1, 0] * figure.head_scale[2]])
    return points * figure.head_scale + base


def add_head(surface: FigureSurface, figure: Description, materials: HeadMaterials, part: str) -> None:
    """Add neck, face, ears, eyes, brows and mouth, and the skull where no hair is on it."""
    rows = np.arange(_SCALP + 1 if figure.hair is not None else len(_HEAD) - 1, dtype=np.float64)
    rings = _skull(np.repeat(rows[:, None], COLUMNS, axis=1), _angles())
    neck = figure.neck_scale / figure.head_scale[0]
    slim = np.where(rows < _NECK_ROWS, neck, 1.0 + (neck - 1.0) * np.clip(1.6 - 0.4 * (rows - 1), 0.0, 1.0))
    rings[..., 0] *= slim[:, None]
    rings[:_NECK_ROWS, :, 1] *= neck
    for swell in figure.face:
        rings = swollen(rings, swell)
    indices = surface.add_points(_place(figure, rings), part)
    surface.add_grid(indices, materials.skin)
    if figure.hair is None:
        top = _place(figure, np.array([0.0, 0.004, _HEAD[-1, 0]]))
        surface.add_cap(indices[-1], int(surface.add_points(top, part)), materials.skin)
    for sign in (1.0, -1.0):
        if figure.hair is None or figure.hair.ears:
            _add_ear(surface, figure, sign, materials.skin, part)
        _add_eye(surface, figure, sign, materials, part)
    _add_mouth(surface, figure, materials.lips, part)


def swollen(points: np.ndarray, swell: Swell) -> np.ndarray:
    """Points (..., 3) after one soft push, on both sides where it is not on the middle plane."""
    pushed = points
    for sign in (1.0, -1.0) if swell.centre[0] else (1.0,):
        mirror = np.array([sign, 1.0, 1.0])
        away = (points - np.array(swell.centre) * mirror) / np.array(swell.size)
        pushed = pushed + np.exp(-0.5 * np.sum(away**2, axis=-1))[..., None] * np.array(swell.push) * mirror
    return pushed


def _on_face(figure: Description, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Points of the face that show at (x, z) from in front, float64 (N, 3) of the standard head."""
    return _features(figure.face, tuple(x.tolist()), tuple(z.tolist()))


@cache
def _features(face: tuple[Swell, ...], x: tuple[float, ...], z: tuple[float, ...]) -> np.ndarray:
    """Points of a face, which most figures share; the array must not be changed."""
    row = np.interp(z, _HEAD[:, 0] - _HEAD[:, 1], np.arange(len(_HEAD)))  # in front the rings lie lower
    angles = np.linspace(0.0, 1.2, 40)
    rings = _skull(np.repeat(row[:, None], len(angles), axis=1), angles)  # (N, 40, 3)
    angle = np.array([np.interp(abs(a), ring, angles) for a, ring in zip(x, rings[..., 0], strict=True)])
    points = _skull(row, angle * np.sign(x))
    for swell in face:
        points = swollen(points, swell)
    return points


def _add_eye(surface: FigureSurface, figure: Description, sign: float, materials: HeadMaterials, part: str) -> None:
    """Add an open eye, a white almond with an iris and a dark upper lid, and the brow over it."""
    angle = np.arange(12) * np.pi / 6.0
    round_eye = np.cos(angle), np.sin(angle) * (1.0 - 0.2 * (angle > np.pi))
    for wide, high, up, lift, material in (
        (0.0140, 0.0072, 0.0016, (0.0008, 0.0036), materials.eyes),
        (0.0130, 0.0066, 0.0000, (0.0020, 0.0046), materials.whites),
    ):
        ring = _on_face(figure, sign * (_EYE[0] + wide * round_eye[0]), _EYE[1] + up + high * round_eye[1])
        _add_dome(surface, figure, ring, lift, material, part, mirrored=sign < 0.0)
    iris = _on_face(figure, sign * (_EYE[0] + 0.0060 * np.cos(angle)), _EYE[1] + 0.0006 + 0.0060 * np.sin(angle))
    _add_dome(surface, figure, iris, (0.0044, 0.0060), materials.eyes, part, mirrored=sign < 0.0)
    x = np.array([0.015, 0.022, 0.030, 0.038, 0.045])
    low = np.array([0.1315, 0.1340, 0.1355, 0.1355, 0.1330])
    high = low + figure.brows * np.array([0.0055, 0.0060, 0.0055, 0.0042, 0.0020])
    _add_patch(surface, figure, sign * x, (low, high), materials.hair, part)


def _add_dome(
    surface: FigureSurface,
    figure: Description,
    ring: np.ndarray,
    lift: tuple[float, float],
    material: int,
    part: str,
    *,
    mirrored: bool,
) -> None:
    """Close a ring on the face with a dome; its edge and its middle stand out so much [m]."""
    edge = surface.add_points(_place(figure, ring - (0.0, lift[0], 0.0)), part)
    pole = surface.add_points(_place(figure, ring.mean(axis=0) - (0.0, lift[1], 0.0)), part)
    surface.add_cap(edge, int(pole), material, mirrored=mirrored)


def _add_mouth(surface: FigureSurface, figure: Description, material: int, part: str) -> None:
    x = 0.0215 * np.array([-1.0, -0.7, -0.33, 0.0, 0.33, 0.7, 1.0])
    full = figure.lips * np.array([0.0, 0.65, 1.0, 0.9, 1.0, 0.65, 0.0])
    corners = 0.0012 * np.abs(x / 0.0215) ** 2
    _add_patch(surface, figure, x, (0.0470 - 0.0042 * full + corners, 0.0475 + 0.0036 * full + corners), material, part)


def _add_patch(
    surface: FigureSurface,
    figure: Description,
    x: np.ndarray,
    edges: tuple[np.ndarray, np.ndarray],
    material: int,
    part: str,
) -> None:
    """Lay a narrow patch on the face, between a lower and an upper edge over x."""
    patch = np.stack([_on_face(figure, x, edge) for edge in edges]) - (0.0, 0.0032, 0.0)
    indices = surface.add_points(_place(figure, patch), part)
    surface.add_grid(indices, material, closed=False, mirrored=x[0] > x[-1])


def _add_ear(surface: FigureSurface, figure: Description, sign: float, material: int, part: str) -> None:
    angle = np.arange(8) * np.pi / 4.0
    rings = []
    for out, size, back in ((0.0655, 0.9, 0.0), (0.079, 1.0, 0.005), (0.084, 0.92, 0.009), (0.080, 0.55, 0.005)):
        y = 0.006 + back - 0.0155 * size * np.cos(angle) * (1.0 + 0.25 * np.sin(angle))
        z = 0.104 + 0.030 * size * np.sin(angle) + 0.15 * (y - 0.006)
        rings.append(np.column_stack([np.full(8, sign * out), y, z]))
    indices = surface.add_points(_place(figure, np.stack(rings)), part)
    surface.add_grid(indices, material, mirrored=sign > 0.0)
    pole = surface.add_points(_place(figure, np.array([sign * 0.0765, 0.008, 0.102])), part)
    surface.add_cap(indices[-1], int(pole), material, mirrored=sign > 0.0)


def add_hair(surface: FigureSurface, figure: Description, material: int, of_cap: int, part: str) -> None:
    """Add the hair, with its bun, as a shell that dives under the skin at its edge, and a cap in the same way."""
    if figure.hair is not None:
        _add_shell(surface, figure, figure.hair, material, part)
    if figure.bun:
        _add_bun(surface, figure, material, part)
    if figure.cap is not None:
        _add_shell(surface, figure, figure.cap, of_cap, part)
        _add_brim(surface, figure, of_cap, part)


def _add_shell(surface: FigureSurface, figure: Description, hair: Hair, material: int, part: str) -> None:
    indices = surface.add_points(_place(figure, _hair_rings(hair)), part)
    surface.add_grid(indices, material)
    top = np.array([0.0, 0.004, _HEAD[-1, 0] + 0.92 * hair.crown])
    surface.add_cap(indices[-1], int(surface.add_points(_place(figure, top), part)), material)


def _add_bun(surface: FigureSurface, figure: Description, material: int, part: str) -> None:
    angle = np.arange(10) * np.pi / 5.0
    rings = []
    for turn in np.radians((-60.0, -30.0, 0.0, 30.0, 60.0)):
        flat = np.column_stack([np.sin(angle), -np.cos(angle), np.zeros(10)]) * np.cos(turn)
        rings.append(np.array(_BUN) + 0.040 * np.add(flat, (0.0, 0.0, np.sin(turn))))
    indices = surface.add_points(_place(figure, np.stack(rings)), part)
    surface.add_grid(indices, material)
    for ring, height, mirrored in ((indices[-1], 0.040, False), (indices[0], -0.040, True)):
        pole = surface.add_points(_place(figure, np.add(_BUN, (0.0, 0.0, height))), part)
        surface.add_cap(ring, int(pole), material, mirrored=mirrored)


def _add_brim(surface: FigureSurface, figure: Description, material: int, part: str) -> None:
    """Add the brim of a cap, in front: a thin plate, above and below."""
    turn = np.radians(np.linspace(-62.0, 62.0, 9))
    reach = 0.060 * np.cos(turn * 90.0 / 66.0)
    row = np.interp(_BRIM, _HEAD[:, 0], np.arange(len(_HEAD)))
    edge = _skull(np.full(9, row), turn)
    rings = []
    for out, drop in ((-0.004, 0.0), (0.012, 0.0), (1.0, -0.016), (1.0, -0.020), (0.012, -0.005), (-0.004, -0.005)):
        away = np.column_stack([0.35 * np.sin(turn), -np.ones(9), np.zeros(9)])
        rings.append(edge + (0.012 + out * reach)[:, None] * away + (0.0, 0.0, drop))
    indices = surface.add_points(_place(figure, np.stack(rings)), part)
    surface.add_grid(indices[::-1], material, closed=False)


def _hair_rings(hair: Hair) -> np.ndarray:
    """Rings of hair from under the skin over its edge to the crown, (R, COLUMNS, 3) of the standard head."""
    angle = _angles()
    turn = np.degrees(np.minimum(angle, 2.0 * np.pi - angle))
    edge = interpolate_rows(table(hair.edge), turn)[:, 0]  # (C,)
    thin = interpolate_rows(table(hair.thickness), turn)[:, 0]
    root = np.maximum(edge, hair.hang)  # where the hair leaves the head
    hanging = root - edge
    count = _HAIR_ROWS + round(float(hanging.max()) / _HANGING_ROW)
    along = np.linspace(0.0, 1.0, count)[:, None] * (hanging + _HAIR_WAY)  # upwards from the edge
    climb = np.clip((along - hanging) / _HAIR_WAY, 0.0, 1.0)
    lowest = np.interp(root, _HEAD[:, 0], np.arange(len(_HEAD)))
    rows = lowest + climb * (_CROWN - lowest)
    skull = _skull(rows, np.broadcast_to(angle, rows.shape))
    skull[..., 2] -= np.maximum(hanging - along, 0.0)
    away = skull - (0.0, 0.0, _MIDDLE)
    away[..., 2] = np.maximum(away[..., 2], 0.0)
    away /= np.linalg.norm(away, axis=-1, keepdims=True)
    tuck = _TUCK * np.clip((hanging - along) / np.maximum(hanging, 1e-6), 0.0, 1.0) ** 2
    thick = thin + (hair.crown - thin) * smoothstep(climb, 0.0, 0.45)
    rings = skull + (thick - tuck)[..., None] * away
    for swell in hair.swells:
        rings = swollen(rings, swell)
    under = skull[:1] - (0.006 + tuck[:1, :, None]) * away[:1] + (0.0, 0.0, 0.003)
    return np.concatenate([under, rings])
