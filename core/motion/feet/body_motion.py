# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion of bodies, for which feet are planned, and runs of frames in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ..gait import find_standing


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """Motion of A agents over F frames.

    Attributes:
        position: float64 (A, F, 2).
        heading: float64 (A, F), continuous [rad].
        phase: float64 (A, F) [runs of the walk].
        gait: float64 (A, F), 0 stands, 1 walks, 2 runs.
        present: bool (A, F).
        fps: frames per second.
    """

    position: Float64
    heading: Float64
    phase: Float64
    gait: Float64
    present: Bool
    fps: float

    @cached_property
    def towards(self) -> tuple[Float64, Float64]:
        """Cosine and sine of the headings, float64 (A, F)."""
        return np.cos(self.heading), np.sin(self.heading)

    @cached_property
    def stands(self) -> Bool:
        """Who stands, bool (A, F)."""
        return find_standing(self.gait, self.present, self.fps)


class Runs(NamedTuple):
    """The runs of True in a mask (A, F), along its rows: first and one past the last of each in the flat mask (R,)."""

    first: Int64
    last: Int64

    @property
    def length(self) -> Int64:
        """Frames in each, int64 (R,)."""
        return self.last - self.first

    def inside(self) -> tuple[Int64, Int64]:
        """All places in runs in the flat mask, and the number of the run of each."""
        number = np.repeat(np.arange(len(self.first)), self.length)
        begun = np.concatenate([[0], np.cumsum(self.length)[:-1]]) if len(self.first) else np.zeros(0, dtype=np.int64)
        return np.arange(len(number)) - begun[number] + self.first[number], number


def turned(points: Float64, cos: Float64, sin: Float64) -> Float64:
    """Points float64 (..., 2) turned by the angles of cosines and sines (...)."""
    x, y = points[..., 0], points[..., 1]
    return np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)


def runs_in(mask: Bool) -> Runs:
    """The runs of True along the rows of a mask (A, F)."""
    edges = np.zeros((len(mask), mask.shape[1] + 1), dtype=np.int8)
    edges[:, :-1] = mask
    edges[:, 1:] -= mask
    agent, first = np.nonzero(edges > 0)
    _, last = np.nonzero(edges < 0)  # in each row as many, in the same order
    return Runs(agent * mask.shape[1] + first, agent * mask.shape[1] + last)
