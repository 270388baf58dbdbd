# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations as unit quaternions (w, x, y, z), component by component, for millions of them at once.

Arrays are float64 (4, ...) and vectors float64 (3, ...): the components come first, so that every product runs along
memory. That is several times faster than matrices, which numpy multiplies one by one.
"""

from __future__ import annotations

import numpy as np

from ..array_types import Float64
from ..geometry.reproducible_math import cos_sin, determinant, length

NO_TURN = np.array([[1.0], [0.0], [0.0], [0.0]])
"""The rotation that turns nothing, float64 (4, 1)."""
NO_TURN.flags.writeable = False


def times(first: Float64, second: Float64) -> Float64:
    """Rotations that turn by `second` and then by `first`, float64 (4, ...); the two shapes are broadcast."""
    a, b, c, d = first
    e, f, g, h = second
    return np.stack(
        [
            a * e - b * f - c * g - d * h,
            a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f,
            a * h + b * g - c * f + d * e,
        ]
    )


def inverse(turn: Float64) -> Float64:
    """Inverse rotations, float64 (4, ...)."""
    return np.stack([turn[0], -turn[1], -turn[2], -turn[3]])


def turned(turn: Float64, vector: Float64) -> Float64:
    """Vectors float64 (3, ...) turned by rotations (4, ...)."""
    return vector + 2.0 * cross(turn[1:], turn[0] * vector + cross(turn[1:], vector))


def about(axis: Float64, angle: Float64) -> Float64:
    """Rotations about unit axes float64 (3, ...) by angles (...) [rad]: float64 (4, ...)."""
    cos, sin = cos_sin(angle / 2.0)
    return np.stack([cos, axis[0] * sin, axis[1] * sin, axis[2] * sin])


def about_z(angle: Float64) -> Float64:
    """Rotations about the vertical, float64 (4, ...)."""
    cos, sin = cos_sin(angle / 2.0)
    none = np.zeros_like(cos)
    return np.stack([cos, none, none, sin])


def between(start: Float64, end: Float64) -> Float64:
    """The shortest rotations from unit vectors float64 (3, ...) to others, float64 (4, ...)."""
    turn = np.concatenate([1.0 + dot(start, end)[None], cross(start, end)])
    size = np.sqrt(dot(turn, turn))
    opposite = size < 1e-9
    turn /= np.where(opposite, 1.0, size)
    turn[:, opposite] = np.array([0.0, 0.0, 1.0, 0.0])[:, None]
    return turn


def mixed(first: Float64, second: Float64, weight: Float64) -> Float64:
    """Rotations between others, float64 (4, ...), as far from the first to the second as a weight (...) from 0 to 1."""
    same = np.where(dot(first, second) < 0.0, -1.0, 1.0)
    turn = first + weight * (same * second - first)
    return turn / np.sqrt(dot(turn, turn))


def cross(first: Float64, second: Float64) -> Float64:
    """Cross products, float64 (3, ...)."""
    a, b, c = first
    d, e, f = second
    return np.stack([b * f - c * e, c * d - a * f, a * e - b * d])


def dot(first: Float64, second: Float64) -> Float64:
    """Sums of the products of components, float64 (...)."""
    total = first[0] * second[0]
    for one, other in zip(first[1:], second[1:], strict=True):
        total += one * other
    return total


def without_jumps(turns: Float64, beside: Float64) -> Float64:
    """The same rotations, float64 (4, N), with signs by which each can be blended with the one before it.

    The first, of at least one, can be blended with another rotation, float64 (4, 1).
    """
    flips = dot(turns, np.concatenate([beside, turns[:, :-1]], axis=1)) < 0.0
    return turns * np.cumprod(np.where(flips, -1.0, 1.0))


def rotations_of(axes: Float64) -> Float64:
    """Rotations float64 (..., 3, 3) of axes (..., 3, 3), the columns, which may be scaled and mirrored.

    Mirrored axes turn as their opposites do, which are a rotation.
    """
    hand = np.sign(determinant(axes))[..., None, None]
    return hand * axes / length(axes.swapaxes(-1, -2))[..., None, :]


def quaternions(matrices: Float64) -> Float64:
    """Unit quaternions float64 (N, 4), components last, w >= 0, of rotations float64 (N, 3, 3).

    Source: Shepperd 1978: the largest of the four components is taken from the diagonal, the others from it.
    """
    m = matrices
    trace = m[:, 0, 0] + m[:, 1, 1] + m[:, 2, 2]
    squares = np.stack([trace, m[:, 0, 0], m[:, 1, 1], m[:, 2, 2]], axis=1)
    largest = np.argmax(squares, axis=1)
    xy, yx = m[:, 2, 1] - m[:, 1, 2], m[:, 1, 0] + m[:, 0, 1]
    xz, zx = m[:, 0, 2] - m[:, 2, 0], m[:, 0, 2] + m[:, 2, 0]
    yz, zy = m[:, 1, 0] - m[:, 0, 1], m[:, 2, 1] + m[:, 1, 2]
    columns = np.stack(
        [
            np.stack([1.0 + trace, xy, xz, yz], axis=1),
            np.stack([xy, 1.0 + 2.0 * m[:, 0, 0] - trace, yx, zx], axis=1),
            np.stack([xz, yx, 1.0 + 2.0 * m[:, 1, 1] - trace, zy], axis=1),
            np.stack([yz, zx, zy, 1.0 + 2.0 * m[:, 2, 2] - trace], axis=1),
        ],
        axis=1,
    )
    found = columns[np.arange(len(m)), largest]
    found /= length(found)[:, None]
    return np.where(found[:, :1] < 0.0, -found, found)
