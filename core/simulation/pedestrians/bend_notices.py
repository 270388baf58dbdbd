# SPDX-License-Identifier: GPL-3.0-or-later
"""Notices of bends of a route that cannot be walked at the speed that was asked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...planning import PlannerPreferences, ReferenceSet
from ...scene import Crowd
from ..settings import REPORTED_SLOWING
from ..world.agents import Agents

Float64 = NDArray[np.float64]

SPACING = 0.1
"""Along the route it is looked so often how fast it may be walked [m]."""


def tell_of_bends(crowds: Sequence[Crowd], agents: Agents, references: ReferenceSet, manners: PlannerPreferences) -> list[str]:
    """Return sentences for the user about the routes whose bends slow their crowds down.

    Args:
        crowds: of the scene.
        agents: everybody, on their paths.
        references: the paths.
        manners: what everybody plans with.
    """
    notices = []
    for number, crowd in enumerate(crowds):
        members = np.flatnonzero(agents.crowd == number)
        if crowd.route is None or not len(members):
            continue
        path = int(agents.path[members[0]])
        s = np.arange(0.0, references.lengths[path], SPACING)
        whose = np.full(len(s), path)
        limit = references.speed_limit(whose, s, float(manners.lateral_acceleration[members[0]]))
        wanted = float(np.mean(agents.wanted_speed[members]))
        slow = limit < REPORTED_SLOWING * wanted
        if not slow.any():
            continue
        slowest = int(np.argmin(limit))
        x, y = references.to_cartesian([path], s[slowest : slowest + 1], [0.0])[0]
        bends = int(np.count_nonzero(np.diff(slow.astype(np.int8), prepend=0) == 1))
        where = "a bend" if bends == 1 else f"{bends} bends"
        notices.append(
            f"{crowd.name}: slowed by {where} of '{crowd.route}', most at ({x:.1f}, {y:.1f}): from "
            f"{wanted:.2f} to {limit[slowest]:.2f} m/s. Draw wider "
            f"bends{', or lower Comfort' if crowd.following.comfort else ''}."
        )
    return notices
