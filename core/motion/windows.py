# SPDX-License-Identifier: GPL-3.0-or-later
"""Means and maxima of values over a window of frames that moves along."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..array_types import Float64


def ease(values: Float64, half: int) -> Float64:
    """Return values (A, F) averaged twice over `half` frames to both sides, so that their acceleration is bounded."""
    eased = np.pad(values, ((0, 0), (2 * half, 2 * half)), mode="edge")
    for _ in range(2):
        eased = sliding_window_view(eased, 2 * half + 1, axis=1).mean(axis=2)
    return eased


def spread(values: Float64, half: int) -> Float64:
    """Return the largest of values (A, F) within `half` frames to both sides."""
    padded = np.pad(values, ((0, 0), (half, half)), mode="edge")
    return sliding_window_view(padded, 2 * half + 1, axis=1).max(axis=2)
