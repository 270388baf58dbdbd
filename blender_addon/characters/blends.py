# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that are blended over a walk, as its legs are seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...core.array_types import Bool, Float64, Int64
from ...core.motion.pose_tables import PoseTable


class Blend(NamedTuple):
    """A clip that is blended over those of the walk, as its legs are seen.

    Attributes:
        agent: the one that plays it, by its place among the performances.
        rows: int64 (N,), of the frames.
        weight: float64 (N,), from 0 to 1.
        phase: float64 (N,), cycles of the clip.
        tables: the poses of each leg; None where they are not known.
    """

    agent: int
    rows: Int64
    weight: Float64
    phase: Float64
    tables: Sequence[PoseTable | None]


def unknown(blends: Sequence[Blend], number: int, shape: tuple[int, ...]) -> Bool:
    """Return where a clip is played in which it is not known how the leg of some number is posed, bool (A, F)."""
    found = np.zeros(shape, dtype=bool)
    for blend in blends:
        if blend.tables[number] is None:
            found[blend.agent, blend.rows] = True
    return found
