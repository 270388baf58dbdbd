# SPDX-License-Identifier: GPL-3.0-or-later
"""A surface of quads, gathered ring by ring: the clay of which the built-in figures are made."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np


class FigureSurface:
    """Points and faces, added part by part; parts share points only where asked to.

    Rings of points run counter-clockwise seen from the end that they grow towards, so that faces look outwards.
    """

    def __init__(self) -> None:
        self._points: list[np.ndarray] = []
        self._parts: list[np.ndarray] = []
        self._count = 0
        self._faces: list[np.ndarray] = []  # each (F, 4); a triangle has its last corner twice
        self._materials: list[np.ndarray] = []

    @property
    def points(self) -> np.ndarray:
        """Positions, float64 (V, 3) [m]."""
        return np.concatenate(self._points)

    @property
    def parts(self) -> np.ndarray:
        """Which part each point was added for, str (V,)."""
        return np.concatenate(self._parts)

    @property
    def faces(self) -> list[tuple[int, ...]]:
        """Every face as indices of its three or four points, counter-clockwise seen from outside."""
        return [tuple(dict.fromkeys(face)) for face in self._corners.tolist()]

    @property
    def _corners(self) -> np.ndarray:
        return np.concatenate(self._faces)

    @property
    def materials(self) -> np.ndarray:
        """Material slot of every face, int (F,)."""
        return np.concatenate(self._materials)

    @property
    def edges(self) -> np.ndarray:
        """Every edge once, as int (E, 2) indices of its points."""
        corners = self._corners
        pairs = np.stack([corners, np.roll(corners, -1, axis=1)], axis=-1).reshape(-1, 2)
        low, high = np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1).T
        return np.column_stack(np.divmod(np.unique(low * self._count + high), self._count))

    def drop_loose_points(self) -> None:
        """Forget the points that no face uses, such as those inside an opening."""
        corners = self._corners
        used = np.unique(corners)
        number = np.full(self._count, -1)
        number[used] = np.arange(len(used))
        self._points, self._parts = [self.points[used]], [self.parts[used]]
        self._faces, self._count = [number[corners]], len(used)

    def move(self, points: np.ndarray) -> None:
        """Put every point elsewhere: float64 (V, 3) [m]."""
        self._points = [np.array(points)]
        self._parts = [self.parts]

    def add_points(self, points: np.ndarray, part: str) -> np.ndarray:
        """Add points and return their indices, in the shape of the points: (..., 3) -> (...)."""
        flat = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        indices = np.arange(self._count, self._count + len(flat))
        self._points.append(flat)
        self._parts.append(np.full(len(flat), part))
        self._count += len(flat)
        return indices.reshape(np.shape(points)[:-1])

    def add_grid(
        self,
        rings: np.ndarray,
        material: int,
        *,
        closed: bool = True,
        mirrored: bool = False,
        without: Collection[tuple[int, int]] = (),
        only: Collection[tuple[int, int]] | None = None,
    ) -> None:
        """Span quads between neighbouring rings.

        Args:
            rings: int (R, C), indices of points; each ring turns counter-clockwise seen from the last ring's end.
            material: slot of the new faces.
            closed: join the last column to the first.
            mirrored: the rings turn the other way round (a mirrored limb).
            without: (ring, column) of quads to leave out.
            only: those of the quads to make; None: all.
        """
        following = np.roll(rings, -1, axis=1)
        quads = np.stack([rings[:-1], following[:-1], following[1:], rings[1:]], axis=-1)
        wanted = np.full(quads.shape[:2], only is None)
        wanted[:, -1] &= closed
        for made, cells in ((True, only or ()), (False, without)):
            for cell in cells:
                wanted[cell] = made
        self._add_faces(quads[wanted], material, mirrored)

    def add_cap(self, ring: np.ndarray, pole: int, material: int, *, mirrored: bool = False) -> None:
        """Close a ring with triangles to a pole that lies where the rings grow towards."""
        poles = np.full(len(ring), pole)
        self._add_faces(np.column_stack([ring, np.roll(ring, -1), poles, poles]), material, mirrored)

    def _add_faces(self, corners: np.ndarray, material: int, mirrored: bool) -> None:
        self._faces.append(corners[:, ::-1] if mirrored else corners)
        self._materials.append(np.full(len(corners), material, dtype=np.int32))


def superellipse(angle: np.ndarray, exponent: float | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points of a unit superellipse: across (sine) and along (cosine), both of the angle's shape.

    Args:
        angle: float64 (...), 0 along the second axis [rad].
        exponent: 2 is a circle, more is squarer.

    Source: Lame curve, |x|^n + |y|^n = 1, with the angle of the ray kept.
    """
    sine, cosine = np.sin(angle), np.cos(angle)
    radius = (np.abs(sine) ** exponent + np.abs(cosine) ** exponent) ** (-1.0 / np.asarray(exponent))
    return radius * sine, radius * cosine


def smoothstep(value: np.ndarray, low: float | np.ndarray, high: float | np.ndarray) -> np.ndarray:
    """0 below `low`, 1 above `high`, and a smooth cubic between; `low` may be the greater one."""
    t = np.clip((np.asarray(value) - low) / (high - low), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


def interpolate_rows(table: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Smooth curve through a table's rows that never overshoots them.

    Args:
        table: float64 (K, 1 + C): where each row stands (rising), then its values.
        at: float64 (N,), where values are wanted.

    Returns:
        float64 (N, C).

    Source: Fritsch and Butland 1984, monotone piecewise cubic interpolation.
    """
    x, y = table[:, 0], table[:, 1:]
    step = np.diff(x)[:, None]  # (K - 1, 1)
    slope = np.diff(y, axis=0) / step  # (K - 1, C)
    tangent = np.concatenate([slope[:1], _harmonic_mean(slope[:-1], slope[1:]), slope[-1:]])  # (K, C)
    i = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(x) - 2)
    t = np.clip((at - x[i])[:, None] / step[i], 0.0, 1.0)
    return hermite(y[i], tangent[i] * step[i], y[i + 1], tangent[i + 1] * step[i], t)


def hermite(
    start: np.ndarray, leave: np.ndarray, end: np.ndarray, arrive: np.ndarray, t: np.ndarray | float
) -> np.ndarray:
    """Cubic from `start` to `end` with the given tangents (per unit of t), at t in 0 to 1; arrays broadcast."""
    return (
        start * (1.0 + 2.0 * t) * (1.0 - t) ** 2
        + leave * t * (1.0 - t) ** 2
        + end * t * t * (3.0 - 2.0 * t)
        + arrive * t * t * (t - 1.0)
    )


def _harmonic_mean(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Tangents at inner rows: none where the curve turns round, else leaning to the flatter side."""
    product = before * after
    total = np.where(product > 0.0, before + after, 1.0)
    return np.where(product > 0.0, 2.0 * product / total, 0.0)
