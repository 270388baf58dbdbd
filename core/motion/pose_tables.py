# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of joints and bones in the clips of a character, at any blend of standing, walking and running.

All in the axes of the body: x ahead, y to the left, z up. Rotations are unit quaternions (w, x, y, z).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..array_types import Float64, Int64
from .quaternions import dot, mixed, quaternions


class Posture(NamedTuple):
    """Joints and bones at N moments, components first.

    Attributes:
        joints: float64 (J, 3, N); of a leg hip, knee, ankle and ball of the foot.
        turns: float64 (B, 4, N), unit quaternions; of a leg those of the parent of the thigh, thigh, shin, foot.
    """

    joints: Float64
    turns: Float64

    def blend(self, other: Posture, places: Int64, weight: Float64) -> None:
        """Blend another posture over some of the moments.

        Args:
            other: of M moments.
            places: int64 (M,), the moments over which it is blended.
            weight: float64 (M,), from 0 to 1.
        """
        own, others = self.turns[..., places].swapaxes(0, 1), other.turns.swapaxes(0, 1)
        self.turns[..., places] = mixed(own, others, weight).swapaxes(0, 1)
        self.joints[..., places] += weight * (other.joints - self.joints[..., places])


@dataclass(frozen=True, eq=False)
class PoseTable:
    """Poses of J joints and B bones in the clips.

    Attributes:
        gaits: float64 (G,), increasing: 0 stands, 1 walks, 2 runs.
        joints: float64 (G, K + 1, J, 3), for each gait and K + 1 phases over one run of the walk, both ends included.
        turns: float64 (G, K + 1, B, 3, 3), rotations of the bones there.
        standing: joints (M + 1, J, 3) and turns (M + 1, B, 3, 3) over one run of the idle clip; the first is the
            pose of gait 0. None: there is none.
    """

    gaits: Float64
    joints: Float64
    turns: Float64
    standing: tuple[Float64, Float64] | None

    def posture(self, gait: Float64, phase: Float64, breath: Float64) -> Posture:
        """Joints and bones at some moments.

        Args:
            gait: float64 (N,), 0 stands, 1 walks, 2 runs.
            phase: float64 (N,), runs of the walk.
            breath: float64 (N,), runs of the idle clip.
        """
        values = self._between(gait, phase)
        if self._off_beginning is not None:
            slow = np.flatnonzero(gait < 1.0)
            values[:, slow] += (1.0 - gait[slow]) * _along(self._off_beginning, breath[slow])
        joints = 3 * self.joints.shape[2]
        turns = values[joints:].reshape(-1, 4, values.shape[1])
        turns /= np.sqrt(_dots(turns, turns))[:, None]
        return Posture(values[:joints].reshape(-1, 3, values.shape[1]), turns)

    @cached_property
    def _values(self) -> Float64:
        """Float64 (3 J + 4 B, G, K + 1): joints, and turns as quaternions of one sign, which can be blended."""
        return _flat(self.joints, self.turns, self._towards)

    @cached_property
    def _off_beginning(self) -> Float64 | None:
        """Float64 (3 J + 4 B, M + 1): the idle clip, less its first pose."""
        if self.standing is None:
            return None
        values = _flat(*self.standing, self._towards)
        return values - values[:, :1]

    @property
    def _towards(self) -> Float64:
        """Float64 (B, 4): the quaternions that determine the sign of all others."""
        return quaternions(self.turns[0, 0])

    def _between(self, gait: Float64, phase: Float64) -> Float64:
        table = self._values
        if table.shape[1] == 1:
            return _along(table[:, 0], phase)
        count = table.shape[2] - 1
        low = np.clip(np.searchsorted(self.gaits, gait, side="right") - 1, 0, table.shape[1] - 2)
        part = (gait - self.gaits[low]) / np.diff(self.gaits)[low]
        place, on = _place(phase, count)
        place += low * (count + 1)
        flat = table.reshape(len(table), -1)
        values = _mixed(flat, place, on)
        blended = np.flatnonzero(part)  # elsewhere the gait is one of the table, as for people who walk in full
        lower = values[:, blended]
        upper = _mixed(flat, place[blended] + count + 1, on[blended])
        values[:, blended] = lower + part[blended] * (upper - lower)
        return values


def _dots(first: Float64, second: Float64) -> Float64:
    """Scalar products of the quaternions of bones (B, 4, N), float64 (B, N)."""
    return dot(first.swapaxes(0, 1), second.swapaxes(0, 1))


def _along(cycle: Float64, phase: Float64) -> Float64:
    """Values of a cycle (C, K + 1), both ends included, at phases (N,) of any range: float64 (C, N)."""
    return _mixed(cycle, *_place(phase, cycle.shape[1] - 1))


def _place(phase: Float64, count: int) -> tuple[Int64, Float64]:
    """The step of `count` in which phases (N,) of any range are, and the share of it that has passed."""
    at = np.mod(phase, 1.0) * count
    place = np.minimum(at.astype(np.int64), count - 1)
    return place, at - place


def _mixed(table: Float64, place: Int64, on: Float64) -> Float64:
    """Float64 (C, N), between columns of a table and the next ones."""
    values, after = table.take(place, axis=1), table.take(place + 1, axis=1)
    values *= 1.0 - on
    after *= on
    values += after
    return values


def _flat(joints: Float64, turns: Float64, towards: Float64) -> Float64:
    """Float64 (3 J + 4 B, ...) of joints (..., J, 3) and rotations (..., B, 3, 3), signed as `towards` (B, 4)."""
    before = joints.shape[:-2]
    found = quaternions(turns.reshape(-1, 3, 3)).reshape(*before, -1, 4)
    found = np.where(np.sum(found * towards, axis=-1, keepdims=True) < 0.0, -found, found)
    values = np.concatenate([joints.reshape(*before, -1), found.reshape(*before, -1)], axis=-1)
    return np.ascontiguousarray(np.moveaxis(values, -1, 0))
