# SPDX-License-Identifier: GPL-3.0-or-later
"""Notices about bends of drawn routes that cannot be walked at the preferred speed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...planning import PlannerPreferences, ReferenceSet
from ...scene import Crowd
from ..settings.pedestrian_settings import NoticeSettings
from ..world.agents import Agents

Float64 = NDArray[np.float64]


def report_bends(
    crowds: Sequence[Crowd],
    agents: Agents,
    references: ReferenceSet,
    preferences: PlannerPreferences,
    settings: NoticeSettings,
) -> list[str]:
    """Return notices about routes whose bends slow their crowds down.

    Args:
        crowds: of the scene.
        agents: all agents, on their paths.
        references: the reference paths.
        preferences: of the planning of all agents.
        settings: which bends are reported.
    """
    notices = []
    for number, crowd in enumerate(crowds):
        members = np.flatnonzero(agents.crowd == number)
        if crowd.route is None or not len(members):
            continue
        path = int(agents.path[members[0]])
        s = np.arange(0.0, references.lengths[path], settings.bend_spacing)
        lateral = float(preferences.lateral_acceleration[members[0]])
        limit = references.speed_limit(np.full(len(s), path), s, lateral)
        wanted = float(np.mean(agents.wanted_speed[members]))
        slow = limit < settings.reported_slowing * wanted
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
