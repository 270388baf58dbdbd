# SPDX-License-Identifier: GPL-3.0-or-later
"""Two runs of the same people compared."""

from __future__ import annotations

import numpy as np

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
    if before.crowd_names != after.crowd_names or not np.array_equal(before.crowd, after.crowd):
        return None
    if before.frames[0] != after.frames[0] or before.fps != after.fps:
        return len(after.crowd), int(after.frames[0])
    common = min(len(before.frames), len(after.frames))
    differs = np.zeros((max(len(before.frames), len(after.frames)), len(after.crowd)), dtype=bool)
    differs[common:] = True
    for name in ("position", "heading", "present"):
        one, other = (getattr(run, name)[:common] for run in (before, after))
        same = (one == other) | ((one != one) & (other != other))  # noqa: PLR0124 - what is not a number is so in both
        differs[:common] |= ~same.reshape(*differs[:common].shape, -1).all(axis=2)
    frames = np.flatnonzero(differs.any(axis=1))
    return int(differs.any(axis=0).sum()), int(after.frames[0] + frames[0]) if len(frames) else None
