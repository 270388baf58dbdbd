# SPDX-License-Identifier: GPL-3.0-or-later
"""How groups keep together, as the report measures it."""

from __future__ import annotations

import numpy as np

from ..array_types import Bool, Float64
from ..trajectories import Trajectories


def distances_to_middles(t: Trajectories, on_the_way: Bool) -> Float64:
    """Return float64 (F, A), how far each is from the middle of its group [m].

    Args:
        t: whose agents.
        on_the_way: bool (F, A), agents that are present and have not arrived; the middle is their mean position.

    Returns:
        NaN for those who belong to no group, are not on the way, or alone of their group.
    """
    found = np.full(on_the_way.shape, np.nan)
    members = np.argsort(t.group, kind="stable")
    members = members[t.group[members] >= 0]
    if not len(members):
        return found
    first = np.flatnonzero(np.diff(t.group[members], prepend=-1))
    number = np.cumsum(np.diff(t.group[members], prepend=-1) != 0) - 1
    there = on_the_way[:, members]
    places = np.where(there[..., None], t.position[:, members, :2], 0.0)
    count = np.add.reduceat(there, first, axis=1, dtype=np.int64)
    middle = np.add.reduceat(places, first, axis=1) / np.maximum(count, 1)[..., None]
    off = places - middle[:, number]
    found[:, members] = np.where(there & (count > 1)[:, number], np.hypot(off[..., 0], off[..., 1]), np.nan)
    return found
