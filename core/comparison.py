# SPDX-License-Identifier: GPL-3.0-or-later
"""Two runs of the same people compared."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .trajectories import Trajectories


def moved_otherwise(before: Trajectories, after: Trajectories) -> tuple[int, int | None] | None:
    """Return how many move otherwise in two runs, and the first frame in which somebody does.

    Args:
        before: one run.
        after: another.

    Returns:
        The number, and the frame, None where nobody does; None where they are not the same crowds of as many people.
        Frames that only one of them has count as other ones.
    """
    if not _are_the_same(before, after):
        return None
    if before.frames[0] != after.frames[0] or before.fps != after.fps:
        return len(after.crowd), int(after.frames[0])
    common = min(len(before.frames), len(after.frames))
    differs = np.zeros((max(len(before.frames), len(after.frames)), len(after.crowd)), dtype=bool)
    differs[common:] = True
    differs[:common] = _differs(before, after, common)
    frames = np.flatnonzero(differs.any(axis=1))
    return int(differs.any(axis=0).sum()), int(after.frames[0] + frames[0]) if len(frames) else None


def moved_alike(before: Trajectories, after: Trajectories) -> NDArray[np.bool_]:
    """Return bool (A,), who of `after` does the same in all frames of two runs; nobody, where they are not alike."""
    nobody = np.zeros(len(after.crowd), dtype=bool)
    if not _are_the_same(before, after) or before.fps != after.fps or not np.array_equal(before.frames, after.frames):
        return nobody
    return np.asarray(~_differs(before, after, len(after.frames)).any(axis=0))


def _are_the_same(before: Trajectories, after: Trajectories) -> bool:
    """Tell whether two runs have the same crowds of as many people."""
    return before.crowd_names == after.crowd_names and np.array_equal(before.crowd, after.crowd)


def _differs(before: Trajectories, after: Trajectories, frames: int) -> NDArray[np.bool_]:
    """Return bool (F, A), in which of the first frames somebody is elsewhere in one of two runs."""
    differs = np.zeros((frames, len(after.crowd)), dtype=bool)
    for name in ("position", "heading", "present"):
        one, other = (getattr(run, name)[:frames] for run in (before, after))
        same = (one == other) | ((one != one) & (other != other))  # noqa: PLR0124 - what is not a number is so in both
        differs |= ~same.reshape(*differs.shape, -1).all(axis=2)
    return differs
