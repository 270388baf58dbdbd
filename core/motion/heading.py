# SPDX-License-Identifier: GPL-3.0-or-later
"""Values over time made fit for keyframes: without holes, and headings without spins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]


def hold_absent(values: Float64, present: NDArray[np.bool_]) -> Float64:
    """Fill the frames at which somebody is absent.

    Args:
        values: float64 (F, A) or (F, A, K); whatever stands where an agent is absent is ignored.
        present: bool (F, A).

    Returns:
        float64 of the same shape: where absent, the value of the last frame at which the agent was present, before
        the first such frame the value there, and 0 for agents who never are.
    """
    frame_numbers = np.arange(len(values))[:, None]  # (F, 1)
    source = np.maximum.accumulate(np.where(present, frame_numbers, -1), axis=0)  # (F, A)
    source = np.where(source < 0, np.argmax(present, axis=0), source)
    shaped = source.reshape(source.shape + (1,) * (values.ndim - 2))
    held = np.take_along_axis(values, shaped, axis=0)
    never = ~present.any(axis=0)
    held[:, never] = 0.0
    return held


def continuous_heading(heading: Float64, present: NDArray[np.bool_]) -> Float64:
    """Headings as a character turns: held while absent, and never more than half a turn from one frame to the next.

    Args:
        heading: float64 (F, A) [rad]; whatever stands where an agent is absent is ignored.
        present: bool (F, A).

    Returns:
        float64 (F, A) [rad], equal to `heading` up to whole turns where present.
    """
    return np.unwrap(hold_absent(heading, present), axis=0)
