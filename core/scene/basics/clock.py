# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames and times of a scene."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...array_types import Int64


class Clock(NamedTuple):
    """The frames of a scene, and their times: at time 0 is the first frame.

    Attributes:
        first: number of the first frame.
        last: number of the last frame.
        fps: frames per second.
    """

    first: int
    last: int
    fps: float

    @property
    def frames(self) -> Int64:
        """int64 (F,), the numbers of all frames."""
        return np.arange(self.first, self.last + 1, dtype=np.int64)

    @property
    def interval(self) -> float:
        """The time from one frame to the next [s]."""
        return 1.0 / self.fps

    def frame_at(self, time: float) -> float:
        """Return the frame at a time [s]; a fraction between two frames."""
        return self.first + time * self.fps

    def nearest_frame(self, time: float) -> int:
        """Return the frame nearest to a time [s]."""
        return self.first + round(time * self.fps)
