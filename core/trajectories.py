# SPDX-License-Identifier: GPL-3.0-or-later
"""Where everybody is, frame by frame: what a simulation gives and a bake plays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Trajectories:
    """The motion of A agents over F frames.

    Attributes:
        frames: int64 (F,), frame numbers.
        fps: frames per second.
        position: float64 (F, A, 3) [m]; NaN where absent.
        heading: float64 (F, A) [rad], 0 = +x, counter-clockwise, unwrapped over time; NaN where absent.
        velocity: float64 (F, A, 2) [m/s]; NaN where absent.
        present: bool (F, A).
        arrived_frame: int64 (A,), first frame at the goal; -1 = never.
        radius: float64 (A,) [m].
        crowd: int64 (A,), index into `crowd_names`.
        crowd_names: names of the crowds.
        unhindered_time: float64 (A,), time from entry to arrival alone at the wanted speed [s]; NaN = not known.
        notices: sentences for the user.
    """

    frames: NDArray[np.int64]
    fps: float
    position: NDArray[np.float64]
    heading: NDArray[np.float64]
    velocity: NDArray[np.float64]
    present: NDArray[np.bool_]
    arrived_frame: NDArray[np.int64]
    radius: NDArray[np.float64]
    crowd: NDArray[np.int64]
    crowd_names: tuple[str, ...]
    unhindered_time: NDArray[np.float64]
    notices: tuple[str, ...] = ()
