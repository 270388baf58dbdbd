# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences about what did not come about: who never came in, and who stands before something."""

from __future__ import annotations

import numpy as np

from ..scene import Scene
from .agents import OUTSIDE, WALKING, Agents
from .detours import Detours


def tell_of_the_missing(scene: Scene, agents: Agents, detours: Detours, time: float) -> list[str]:
    """Return sentences for the user about each crowd's people who are not where they should be at the end.

    Args:
        scene: whose crowds they are.
        agents: everybody, as they stand at the end.
        detours: who found no way round.
        time: of the last frame [s].
    """
    outside = agents.status == OUTSIDE
    late = outside & (agents.entry_time > time)
    stuck = detours.refused & (agents.status == WALKING)
    closed = detours.missing or "There is no way round that is short enough."
    notices = []
    for number, crowd in enumerate(scene.crowds):
        members = agents.crowd == number
        for who, what in (
            (outside & ~late, "could not come in: there is no room to enter."),
            (late, "have not come in by the last frame."),
            (stuck, f"stand before something that closes their way. {closed}"),
        ):
            count = int(np.count_nonzero(members & who))
            if count:
                notices.append(f"{crowd.name}: {count} of {crowd.count} {what}")
    return notices
