# SPDX-License-Identifier: GPL-3.0-or-later
"""When a foot stands, as the clips show it: low, and going back with the ground.

A clip may hold several strides, and then a foot stands several times in one run of it. Between walking and running a
contact goes over from that of the one clip to that of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .blending import WALKS

Float64 = NDArray[np.float64]
Bool = NDArray[np.bool_]

_STILL = 0.2  # of the stride per run: a foot that is slower over the ground stands
_LOW = 0.2  # of its own rise, above its lowest


class Window(NamedTuple):
    """The part of the walk's run in which a foot stands: from `start` over `length`, in runs."""

    start: float
    length: float

    @property
    def middle(self) -> float:
        """When it is half over."""
        return self.start + self.length / 2


@dataclass(frozen=True)
class Stance:
    """When and how high one foot stands.

    Attributes:
        walking: its contacts in one run of the walk; at least one.
        running: those of the run, in runs of the walk, each beside that of the walk; empty where they do not match.
        floor: height of the ball of the foot when it stands, walking and running.
    """

    walking: tuple[Window, ...]
    running: tuple[Window, ...] = ()
    floor: tuple[float, float] = (0.0, 0.0)

    def holds(self, phase: Float64, gait: Float64) -> Bool:
        """Whether the foot stands, at phases (...) in runs of the walk and gaits (...)."""
        runs = _running(gait)
        found = np.zeros(phase.shape, dtype=bool)
        for start, length in self._contacts(runs):
            found |= np.mod(phase - start, 1.0) <= length
        return found & (self._matches | (runs < 0.5))

    def off_middle(self, phase: Float64, gait: Float64) -> Float64:
        """How far the middle of the nearest contact is away, float64 (...) [runs]."""
        away = np.full(phase.shape, np.inf)
        for start, length in self._contacts(_running(gait)):
            away = np.minimum(away, np.abs(np.mod(phase - start - length / 2 + 0.5, 1.0) - 0.5))
        return away

    def height(self, gait: Float64) -> Float64:
        """How high the ball of the foot is when it stands, at gaits (...)."""
        walking, running = self.floor
        return walking + _running(gait) * (running - walking)

    @property
    def _matches(self) -> bool:
        return len(self.running) == len(self.walking)

    def _contacts(self, runs: Float64) -> Sequence[tuple[Float64 | float, Float64 | float]]:
        if not self._matches or not runs.any():
            return self.walking
        pairs = zip(self.walking, self.running, strict=True)
        return [
            (one.start + runs * (other.start - one.start), one.length + runs * (other.length - one.length))
            for one, other in pairs
        ]


def find_contacts(ball: Float64, stride: float) -> tuple[Window, ...]:
    """When a foot stands in a clip in place.

    Args:
        ball: float64 (K + 1, 3), the ball of the foot over one run, both ends included; x ahead, z up.
        stride: way of one run.

    Returns:
        The contacts, in their order; none where the foot never stands, or always.
    """
    count = len(ball) - 1
    speed = np.diff(ball[:, :2], axis=0) * count + (stride, 0.0)  # over the ground, per run
    height = (ball[1:, 2] + ball[:-1, 2]) / 2 - ball[:, 2].min()
    stands = (np.hypot(*speed.T) < _STILL * stride) & (height < _LOW * np.ptp(ball[:, 2]) + 1e-9)
    if not stands.any() or stands.all():
        return ()
    first = int(np.flatnonzero(~stands)[0])
    edges = np.flatnonzero(np.diff(np.concatenate([[False], np.roll(stands, -first), [False]])))
    starts, ends = edges[::2], edges[1::2]
    long = ends - starts >= max(3, 0.5 * (ends - starts).max())  # what is much shorter is the toe that drags
    # half a step less at each end, where the foot comes and goes
    found = zip((starts[long] + first + 0.5) % count / count, (ends - starts)[long] - 1.0, strict=True)
    return tuple(sorted(Window(float(start), float(length) / count) for start, length in found))


def match(walking: Sequence[Window], running: Sequence[Window]) -> tuple[Window, ...]:
    """The contacts of a run, each moved by whole runs beside that of the walk; empty where they are not as many."""
    if len(running) != len(walking):
        return ()
    left, found = list(running), []
    for window in walking:
        nearest = min(left, key=lambda other: abs(_wrapped(other.middle - window.middle)))
        left.remove(nearest)
        beside = window.middle + _wrapped(nearest.middle - window.middle) - nearest.length / 2
        found.append(Window(beside, nearest.length))
    return tuple(found)


def _wrapped(turns: float) -> float:
    return (turns + 0.5) % 1.0 - 0.5


def _running(gait: Float64) -> Float64:
    return np.clip(gait - WALKS, 0.0, 1.0)
