# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the clips of a character put some of its joints and bones, at any mixture of standing, walking and running.

All in the axes of the body: x ahead, y to the left, z up. Rotations are unit quaternions (w, x, y, z).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .turns import quaternions

Float64 = NDArray[np.float64]


class Posture(NamedTuple):
    """Joints and bones at N moments, components first.

    Attributes:
        joints: float64 (J, 3, N); of a leg hip, knee, ankle and ball of the foot.
        turns: float64 (B, 4, N), unit quaternions; of a leg how what carries the thigh, thigh, shin, foot are turned.
    """

    joints: Float64
    turns: Float64


@dataclass(frozen=True, eq=False)
class PoseTable:
    """Where the clips put J joints and B bones.

    Attributes:
        gaits: float64 (G,), increasing: 0 stands, 1 walks, 2 runs.
        joints: float64 (G, K + 1, J, 3), for each gait and K + 1 phases over one run of the walk, both ends included.
        turns: float64 (G, K + 1, B, 3, 3), rotations of the bones there.
        standing: joints (M + 1, J, 3) and turns (M + 1, B, 3, 3) over one run of the idle clip; the first is what the
            gait 0 stands by. None: there is none.
    """

    gaits: Float64
    joints: Float64
    turns: Float64
    standing: tuple[Float64, Float64] | None

    def posture(self, gait: Float64, phase: Float64, breath: Float64) -> Posture:
        """The joints and bones at some moments.

        Args:
            gait: float64 (N,), 0 stands, 1 walks, 2 runs.
            phase: float64 (N,), runs of the walk.
            breath: float64 (N,), runs of the idle clip.
        """
        values = self._between(gait, phase)
        if self._off_beginning is not None:
            values += np.maximum(1.0 - gait, 0.0)[:, None] * _along(self._off_beginning, breath)
        columns = np.ascontiguousarray(values.T)
        joints = 3 * self.joints.shape[2]
        turns = columns[joints:].reshape(-1, 4, columns.shape[1])
        turns /= np.sqrt(np.einsum("bin,bin->bn", turns, turns))[:, None]
        return Posture(columns[:joints].reshape(-1, 3, columns.shape[1]), turns)

    @cached_property
    def _values(self) -> Float64:
        """Float64 (G, K + 1, 3 J + 4 B): joints, and turns as quaternions of one sign, that may be mixed."""
        return _flat(self.joints, self.turns, self._towards)

    @cached_property
    def _off_beginning(self) -> Float64 | None:
        """Float64 (M + 1, 3 J + 4 B): the idle clip, less what it begins with."""
        if self.standing is None:
            return None
        values = _flat(*self.standing, self._towards)
        return values - values[0]

    @property
    def _towards(self) -> Float64:
        """Float64 (B, 4): the quaternions whose side all others take."""
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


def _along(cycle: Float64, phase: Float64) -> Float64:
    """What a cycle (K + 1, C), both ends included, is at phases (N,) of any range: float64 (N, C)."""
    count = len(cycle) - 1
    at = np.mod(phase, 1.0) * count
    row = np.minimum(at.astype(np.int64), count - 1)
    part = (at - row)[:, None]
    return cycle[row] * (1.0 - part) + cycle[row + 1] * part


def _flat(joints: Float64, turns: Float64, towards: Float64) -> Float64:
    """Float64 (..., 3 J + 4 B) of joints (..., J, 3) and rotations (..., B, 3, 3), on the side of `towards` (B, 4)."""
    before = joints.shape[:-2]
    found = quaternions(turns.reshape(-1, 3, 3)).reshape(*before, -1, 4)
    found = np.where(np.sum(found * towards, axis=-1, keepdims=True) < 0.0, -found, found)
    return np.concatenate([joints.reshape(*before, -1), found.reshape(*before, -1)], axis=-1)
