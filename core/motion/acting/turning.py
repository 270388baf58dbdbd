# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds when people who stand turn on the spot, for characters that have a clip of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...array_types import Bool, Float64
from .cues import NONE, STAND

TURN = "turn"


@dataclass(frozen=True)
class TurningSettings:
    """When somebody turns; chosen by eye.

    Attributes:
        slowest: slower turns count as standing [rad/s].
        around: time over which the speed is averaged [s].
    """

    slowest: float = 0.5
    around: float = 0.4


TURNING = TurningSettings()


def add_turns(
    activity: NDArray[np.int8], names: Sequence[str], still: Bool, heading: Float64, fps: float
) -> tuple[NDArray[np.int8], tuple[str, ...]]:
    """Say of people who do nothing else that they turn, while they do.

    Args:
        activity: int8 (F,), what one person does, an index into `names`.
        names: of the activities; the first is none at all.
        still: bool (F,), whether each stands.
        heading: float64 (F,), continuous [rad].
        fps: frames per second.

    Returns:
        The activities with turning, and their names.
    """
    names = tuple(names) or (NONE, STAND)
    half = max(1, round(TURNING.around * fps / 2))
    rows = np.arange(len(heading))
    before, after = np.maximum(rows - half, 0), np.minimum(rows + half, len(heading) - 1)
    speed = np.abs(heading[after] - heading[before]) * fps / np.maximum(after - before, 1)
    idle = [number for number, name in enumerate(names) if name in (NONE, STAND)]
    turns = still & (speed > TURNING.slowest) & np.isin(activity, idle)
    return np.where(turns, len(names), activity).astype(np.int8), (*names, TURN)
