# SPDX-License-Identifier: GPL-3.0-or-later
"""A leg of thigh, shin and foot: where its clips put it, and how to bend it so that the foot is elsewhere.

All in the axes of the body: x ahead, y to the left, z up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]

HIP, KNEE, ANKLE, BALL = range(4)
PARENT, THIGH, SHIN, FOOT = range(4)
_STRAIGHT = 0.9995  # of its length: no leg is stretched further
_FOLDED = 1.02  # times the difference of thigh and shin: none is folded further


class Posture(NamedTuple):
    """A leg at some moments: `joints` float64 (..., 4, 3), `turns` float64 (..., 4, 3, 3), rotations of the bones."""

    joints: Float64
    turns: Float64


@dataclass(frozen=True, eq=False)
class LegTable:
    """Where the clips put one leg.

    Attributes:
        blended: for each of G shares of walking, evenly from 0 to 1, and K + 1 phases over one run of the walk, both
            ends included: joints (G, K + 1, 4, 3), turns (G, K + 1, 4, 3, 3); G = 1: walking only.
        standing: the same over one run of the idle clip, (M + 1, ...); its first is what `blended` stands by.
        rest: float64 (3, 3, 3), rotation of thigh, shin and foot at rest in the axes of their parents.
    """

    blended: Posture
    standing: Posture | None
    rest: Float64

    def posture(self, share: Float64, phase: Float64, breath: Float64) -> Posture:
        """The leg at F moments.

        Args:
            share: float64 (F,), of walking.
            phase: float64 (F,), runs of the walk.
            breath: float64 (F,), runs of the idle clip.
        """
        joints, turns = (self._between(table, share, phase) for table in self.blended)
        if self.standing is not None:
            still = 1.0 - share
            joints = joints + still[:, None, None] * _off_beginning(self.standing.joints, breath)
            turns = turns + still[:, None, None, None] * _off_beginning(self.standing.turns, breath)
        return Posture(joints, _orthonormal(turns))

    def _between(self, table: Float64, share: Float64, phase: Float64) -> Float64:
        levels = len(table) - 1
        if not levels:
            return _along(table[0], phase)
        low = np.minimum((share * levels).astype(np.int64), levels - 1)
        part = (share * levels - low).reshape(-1, *[1] * (table.ndim - 2))
        count = table.shape[1] - 1
        at = np.mod(phase, 1.0) * count
        row = np.minimum(at.astype(np.int64), count - 1)
        on = (at - row).reshape(part.shape)
        first = table[low, row] * (1.0 - on) + table[low, row + 1] * on
        second = table[low + 1, row] * (1.0 - on) + table[low + 1, row + 1] * on
        return first * (1.0 - part) + second * part


def bend(leg: LegTable, posture: Posture, shift: Float64, lift: Float64, twist: Float64) -> tuple[Float64, Float64]:
    """Bend a leg so that its foot is elsewhere, and turned about the vertical.

    The knee keeps its plane but for half of the twist; a foot out of reach is reached for.

    Args:
        leg: whose rest is meant.
        posture: where the clips have the leg at F moments.
        shift: float64 (F, 2), of the ball of the foot.
        lift: float64 (F,), of the foot.
        twist: float64 (F,), of the foot [rad].

    Returns:
        float64 (F, 3, 4), rotations of thigh, shin and foot from rest as quaternions (w, x, y, z) with w >= 0; float64
        (F,), how far the foot is from where it was wanted.

    Source: law of cosines in the plane of the leg.
    """
    hip, knee, ankle, ball = np.moveaxis(posture.joints, -2, 0)
    up = np.array([0.0, 0.0, 1.0])
    foot_turn = rotation(np.broadcast_to(up, hip.shape), twist)
    wanted = ball + np.column_stack([shift, lift]) + _apply(foot_turn, ankle - ball)
    upper, lower = knee - hip, ankle - knee
    a, b = np.linalg.norm(upper, axis=1), np.linalg.norm(lower, axis=1)
    way = wanted - hip
    distance = np.linalg.norm(way, axis=1)
    reach = np.clip(distance, _FOLDED * np.abs(a - b), _STRAIGHT * (a + b))
    hinge = np.cross(upper, lower)
    size = np.linalg.norm(hinge, axis=1)
    straight = size < 1e-6 * a * b
    hinge = np.where(straight[:, None], (0.0, 1.0, 0.0), hinge / np.where(straight, 1.0, size)[:, None])
    bent = np.arctan2(size, np.sum(upper * lower, axis=1))
    angle = np.arccos(np.clip((reach**2 - a**2 - b**2) / (2.0 * a * b), -1.0, 1.0))
    knee_turn = rotation(hinge, angle - bent)
    reached = upper + _apply(knee_turn, lower)
    along = way / distance[:, None]
    leg_turn = rotation(-along, twist / 2.0) @ _turn_between(reached, along)
    thigh = leg_turn @ posture.turns[:, THIGH]
    shin = leg_turn @ knee_turn @ posture.turns[:, SHIN]
    foot = foot_turn @ posture.turns[:, FOOT]
    chain = (posture.turns[:, PARENT], thigh, shin, foot)
    own = [np.swapaxes(chain[k] @ leg.rest[k], 1, 2) @ chain[k + 1] for k in range(3)]
    return np.stack([quaternions(each) for each in own], axis=1), np.abs(distance - reach)


def rotation(axis: Float64, angle: Float64) -> Float64:
    """Rotations about unit axes float64 (F, 3) by angles (F,): float64 (F, 3, 3). Source: Rodrigues' formula."""
    x, y, z = axis.T
    none = np.zeros_like(x)
    cross = np.stack([none, -z, y, z, none, -x, -y, x, none], axis=-1).reshape(-1, 3, 3)
    sin, cos = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.eye(3) + sin * cross + (1.0 - cos) * (cross @ cross)


def quaternions(matrices: Float64) -> Float64:
    """Unit quaternions (w, x, y, z), w >= 0, of rotations float64 (F, 3, 3).

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
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return np.where(found[:, :1] < 0.0, -found, found)


def _turn_between(start: Float64, end: Float64) -> Float64:
    """The shortest rotations from directions float64 (F, 3) to unit vectors (F, 3)."""
    start = start / np.linalg.norm(start, axis=1, keepdims=True)
    cross = np.cross(start, end)
    sin = np.linalg.norm(cross, axis=1)
    cos = np.sum(start * end, axis=1)
    axis = np.where(sin[:, None] > 1e-12, cross / np.where(sin > 1e-12, sin, 1.0)[:, None], (0.0, 1.0, 0.0))
    return rotation(axis, np.arctan2(sin, cos))


def _apply(turns: Float64, vectors: Float64) -> Float64:
    return np.einsum("nij,nj->ni", turns, vectors)


def _along(cycle: Float64, phase: Float64) -> Float64:
    """What a cycle (K + 1, ...), both ends included, is at phases of any range."""
    count = len(cycle) - 1
    at = np.mod(phase, 1.0) * count
    row = np.minimum(at.astype(np.int64), count - 1)
    part = (at - row).reshape(-1, *[1] * (cycle.ndim - 1))
    return cycle[row] * (1.0 - part) + cycle[row + 1] * part


def _off_beginning(cycle: Float64, phase: Float64) -> Float64:
    return _along(cycle, phase) - cycle[0]


def _orthonormal(turns: Float64) -> Float64:
    """Rotations again, of matrices (..., 3, 3) that are nearly such (Gram and Schmidt)."""
    x, y = turns[..., 0], turns[..., 1]
    y = y / np.linalg.norm(y, axis=-1, keepdims=True)
    x = x - np.sum(x * y, axis=-1, keepdims=True) * y
    x = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return np.stack([x, y, np.cross(x, y)], axis=-1)
