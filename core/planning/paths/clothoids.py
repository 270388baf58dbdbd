# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves whose curvature changes linearly from node to node: their places and headings, and closing a lap."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...array_types import Complex128, Float64, Int64
from ...geometry.ragged import cumulative_sums
from ...geometry.reproducible_math import cos_sin, dot, inverse, matrix_product

# Gauss-Legendre with 3 nodes on [0, 1]: the error of a cell that turns 0.45 rad is 1e-10 of its length
_NODES = np.array([0.5 - 0.5 * np.sqrt(0.6), 0.5, 0.5 + 0.5 * np.sqrt(0.6), 1.0])  # and the end, which weighs nothing
_WEIGHTS = (5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0)


def chord(
    heading: Float64, curvature: Float64, rate: Float64, distance: Float64
) -> tuple[Float64, Float64, Float64, Float64]:
    """Return the displacement along a piece of clothoid, and its direction there.

    Args:
        heading: float64 (...), at its start [rad].
        curvature: float64 (...), at its start [1/m].
        rate: float64 (...), change of curvature [1/m2].
        distance: float64 (...), length; negative is backwards [m].

    Returns:
        x, y: from its start [m]; cosine and sine of the heading at its end: float64 (...) each.
    """
    if np.any(curvature) or np.any(rate):
        along = np.multiply.outer(_NODES, distance)
        cos, sin = cos_sin(heading + along * (curvature + 0.5 * rate * along))
    else:  # four times the same
        cos, sin = ((each,) * len(_NODES) for each in cos_sin(heading))
    first, middle, last = _WEIGHTS
    x = first * cos[0] + middle * cos[1] + last * cos[2]
    y = first * sin[0] + middle * sin[1] + last * sin[2]
    return x * distance, y * distance, cos[-1], sin[-1]


def integrate(curvature: Float64, cell: float, start: complex, heading: float) -> tuple[Complex128, Float64]:
    """Return places and headings at the nodes of a curve.

    Args:
        curvature: float64 (n + 1,), at the nodes [1/m].
        cell: distance between nodes [m].
        start: x + iy of the first node [m].
        heading: there [rad].

    Returns:
        place complex128 (n + 1,) [m], heading float64 (n + 1,) [rad].
    """
    nothing = np.zeros(1), np.zeros(1, dtype=np.complex128)
    turned, moved = sums_along(curvature, np.array([0, len(curvature)]), cell, [heading], nothing)
    return start + moved, heading + turned


def sums_along(
    curvature: Float64, first: Int64, cell: float, heading: ArrayLike, before: tuple[Float64, Complex128]
) -> tuple[Float64, Complex128]:
    """Return angles turned and displacements up to the nodes of many curves, whose nodes lie behind each other.

    Args:
        curvature: float64 (N,), at the nodes [1/m].
        first: int64 (P + 1,), first node of each curve, and N.
        cell: distance between nodes [m].
        heading: float64 (P,), where nothing is turned yet [rad].
        before: of each curve, angle turned [rad] and displacement [m] up to its first node.

    Returns:
        float64 (N,) [rad] and complex128 (N,) [m].
    """
    begins = first[:-1]
    turned = np.zeros(len(curvature))
    turned[1:] = 0.5 * (curvature[:-1] + curvature[1:]) * cell
    turned[begins] = before[0]
    turned = cumulative_sums(turned, first)
    headings = np.repeat(heading, np.diff(first)) + turned
    x, y, _, _ = chord(headings[:-1], curvature[:-1], np.diff(curvature) / cell, np.full(len(curvature) - 1, cell))
    moved = np.zeros(len(curvature), dtype=np.complex128)
    moved[1:] = x + 1j * y
    moved[begins] = before[1]
    return turned, cumulative_sums(moved, first)


def close_lap(curvature: Float64, cell: float, heading: float) -> Float64 | None:
    """Change the curvature of a lap that nearly closes until place, heading and curvature match at its ends.

    The least sum of a few long waves is added to the curvature, found by Newton's method.

    Args:
        curvature: float64 (n,), at the nodes of one lap, the first following the last [1/m].
        cell: distance between nodes [m].
        heading: at the first node [rad].

    Returns:
        float64 (n + 1,), the last equal to the first; None where Newton's method did not converge.
    """
    phase = 2.0 * np.pi * np.arange(len(curvature)) / len(curvature)
    waves = np.stack([np.ones_like(phase), *(wave for k in (1, 2, 3) for wave in cos_sin(k * phase))])
    bent = curvature
    for _ in range(12):
        lap = np.concatenate((bent, bent[:1]))
        place, headings = integrate(lap, cell, 0.0, heading)
        turn = headings[-1] - headings[0]
        miss = np.array([turn - 2.0 * np.pi * np.round(turn / (2.0 * np.pi)), place[-1].real, place[-1].imag])
        if np.max(np.abs(miss)) < 1e-12 * max(1.0, len(bent) * cell):
            return lap
        swing = 1j * (place[-1] - place[:-1]) * waves * cell  # derivative of the end by a turn at each node
        effect = np.stack((waves.sum(axis=1) * cell, swing.real.sum(axis=1), swing.imag.sum(axis=1)))
        bent = bent - (_least(effect, miss)[:, None] * waves).sum(axis=0)
        if not np.all(np.isfinite(bent)) or np.max(np.abs(bent)) > 1e3:
            return None
    return None


def _least(effect: Float64, target: Float64) -> Float64:
    """Return the shortest vector that a wide matrix maps to the given one."""
    gram = dot(effect[:, None], effect[None])
    return matrix_product(matrix_product(effect.T, inverse(gram)), target[:, None])[:, 0]
