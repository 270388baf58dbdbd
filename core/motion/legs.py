# SPDX-License-Identifier: GPL-3.0-or-later
"""A leg of thigh, shin and foot: where its clips put it, and how to bend it so that the foot is elsewhere.

All in the axes of the body: x ahead, y to the left, z up. Rotations are unit quaternions (w, x, y, z).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .turns import about, about_z, between, cross, dot, inverse, quaternions, times, turned

Float64 = NDArray[np.float64]

HIP, KNEE, ANKLE, BALL = range(4)
PARENT, THIGH, SHIN, FOOT = range(4)
_STRAIGHT = 0.9995  # of its length: no leg is stretched further
_FOLDED = 1.02  # times the difference of thigh and shin: none is folded further
_VALUES = 12  # of the joints; those of the turns come after them


class Posture(NamedTuple):
    """A leg at N moments, components first.

    Attributes:
        joints: float64 (4, 3, N), hip, knee, ankle and ball of the foot.
        turns: float64 (4, 4, N), unit quaternions: how what carries the thigh, thigh, shin and foot are turned.
    """

    joints: Float64
    turns: Float64


@dataclass(frozen=True, eq=False)
class LegTable:
    """Where the clips put one leg.

    Attributes:
        gaits: float64 (G,), increasing: 0 stands, 1 walks, 2 runs.
        joints: float64 (G, K + 1, 4, 3), for each gait and K + 1 phases over one run of the walk, both ends included.
        turns: float64 (G, K + 1, 4, 3, 3), rotations of the bones there.
        standing: joints (M + 1, 4, 3) and turns (M + 1, 4, 3, 3) over one run of the idle clip; the first is what the
            gait 0 stands by. None: there is none.
        rest: float64 (3, 3, 3), rotation of thigh, shin and foot at rest in the axes of their parents.
    """

    gaits: Float64
    joints: Float64
    turns: Float64
    standing: tuple[Float64, Float64] | None
    rest: Float64

    def posture(self, gait: Float64, phase: Float64, breath: Float64) -> Posture:
        """The leg at some moments.

        Args:
            gait: float64 (N,), 0 stands, 1 walks, 2 runs.
            phase: float64 (N,), runs of the walk.
            breath: float64 (N,), runs of the idle clip.
        """
        values = self._between(gait, phase)
        if self._off_beginning is not None:
            values += np.maximum(1.0 - gait, 0.0)[:, None] * _along(self._off_beginning, breath)
        columns = np.ascontiguousarray(values.T)
        turns = columns[_VALUES:].reshape(4, 4, -1)
        turns /= np.sqrt(np.einsum("bin,bin->bn", turns, turns))[:, None]
        return Posture(columns[:_VALUES].reshape(4, 3, -1), turns)

    @cached_property
    def rest_turns(self) -> Float64:
        """Float64 (3, 4), `rest` as quaternions."""
        return quaternions(self.rest)

    @cached_property
    def _values(self) -> Float64:
        """Float64 (G, K + 1, 28): joints, and turns as quaternions of one sign, that may be mixed."""
        return _flat(self.joints, self.turns, self._towards)

    @cached_property
    def _off_beginning(self) -> Float64 | None:
        """Float64 (M + 1, 28): the idle clip, less what it begins with."""
        if self.standing is None:
            return None
        values = _flat(*self.standing, self._towards)
        return values - values[0]

    @property
    def _towards(self) -> Float64:
        """Float64 (4, 4): the quaternions whose side all others take."""
        return quaternions(self.turns[0, 0])

    def _between(self, gait: Float64, phase: Float64) -> Float64:
        table = self._values
        count = table.shape[1] - 1
        if len(table) == 1:
            return _along(table[0], phase)
        low = np.clip(np.searchsorted(self.gaits, gait, side="right") - 1, 0, len(table) - 2)
        part = ((gait - self.gaits[low]) / np.diff(self.gaits)[low])[:, None]
        at = np.mod(phase, 1.0) * count
        row = np.minimum(at.astype(np.int64), count - 1)
        on = (at - row)[:, None]
        rows, first = table.reshape(-1, table.shape[-1]), low * (count + 1) + row
        second = first + count + 1
        lower = rows[first] * (1.0 - on) + rows[first + 1] * on
        upper = rows[second] * (1.0 - on) + rows[second + 1] * on
        return lower + part * (upper - lower)


class Move(NamedTuple):
    """How a foot is to be moved from where its clips have it, at N moments.

    Attributes:
        shift: float64 (N, 2), of the ball of the foot.
        lift: float64 (N,).
        twist: float64 (N,), about the vertical [rad].
        lean: float64 (N,), how far the body, and not the foot, leans to its left over its place [rad].
    """

    shift: Float64
    lift: Float64
    twist: Float64
    lean: Float64


def bend(leg: LegTable, posture: Posture, move: Move) -> tuple[Float64, Float64]:
    """Bend a leg so that its foot is elsewhere, and turned about the vertical.

    The knee keeps its plane but for half of the twist; a foot out of reach is reached for.

    Args:
        leg: whose rest is meant.
        posture: where the clips have the leg at N moments.
        move: where its foot has to go from there.

    Returns:
        float64 (3, 4, N), rotations of thigh, shin and foot from rest as quaternions (w, x, y, z) with w >= 0; float64
        (N,), how far the foot is from where it was wanted.

    Source: law of cosines in the plane of the leg.
    """
    lean = about(np.array([[-1.0], [0.0], [0.0]]), move.lean)
    hip, knee, own_ankle = (turned(lean, joint) for joint in posture.joints[:BALL])
    _, _, ankle, ball = posture.joints
    foot_turn = about_z(move.twist)
    way = ball + np.concatenate([move.shift.T, move.lift[None]]) + turned(foot_turn, ankle - ball) - hip
    distance = np.sqrt(dot(way, way))
    knee_turn, reached, miss = _bend_knee(knee - hip, own_ankle - knee, distance)
    along = way / distance
    leg_turn = times(about(-along, move.twist / 2.0), between(reached / np.sqrt(dot(reached, reached)), along))
    chain = (
        times(lean, posture.turns[PARENT]),
        times(times(leg_turn, lean), posture.turns[THIGH]),
        times(times(leg_turn, times(knee_turn, lean)), posture.turns[SHIN]),
        times(foot_turn, posture.turns[FOOT]),
    )
    rest = leg.rest_turns[:, :, None]  # (3, 4, 1)
    own = np.stack([times(inverse(times(chain[k], rest[k])), chain[k + 1]) for k in range(3)])
    return np.where(own[:, :1] < 0.0, -own, own), miss


def _bend_knee(upper: Float64, lower: Float64, distance: Float64) -> tuple[Float64, Float64, Float64]:
    """How a knee turns so that the ankle is so far from the hip, where it then is, and how much too near or far."""
    a2, b2 = dot(upper, upper), dot(lower, lower)
    a, b = np.sqrt(a2), np.sqrt(b2)
    reach = np.clip(distance, _FOLDED * np.abs(a - b), _STRAIGHT * (a + b))
    hinge = cross(upper, lower)
    size = np.sqrt(dot(hinge, hinge))
    straight = size < 1e-6 * a * b
    bent = np.arctan2(size, dot(upper, lower))
    hinge /= np.where(straight, 1.0, size)
    hinge[:, straight] = np.array([0.0, 1.0, 0.0])[:, None]
    angle = np.arccos(np.clip((reach**2 - a2 - b2) / (2.0 * a * b), -1.0, 1.0))
    turn = about(hinge, angle - bent)
    return turn, upper + turned(turn, lower), np.abs(distance - reach)


def _along(cycle: Float64, phase: Float64) -> Float64:
    """What a cycle (K + 1, C), both ends included, is at phases (N,) of any range: float64 (N, C)."""
    count = len(cycle) - 1
    at = np.mod(phase, 1.0) * count
    row = np.minimum(at.astype(np.int64), count - 1)
    part = (at - row)[:, None]
    return cycle[row] * (1.0 - part) + cycle[row + 1] * part


def _flat(joints: Float64, turns: Float64, towards: Float64) -> Float64:
    """Float64 (..., 28) of joints (..., 4, 3) and rotations (..., 4, 3, 3), as quaternions on the side of `towards`."""
    before = joints.shape[:-2]
    found = quaternions(turns.reshape(-1, 3, 3)).reshape(*before, 4, 4)
    found = np.where(np.sum(found * towards, axis=-1, keepdims=True) < 0.0, -found, found)
    return np.concatenate([joints.reshape(*before, 12), found.reshape(*before, 16)], axis=-1)
