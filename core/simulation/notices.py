# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences about what did not come about: who never came in, and who stands before something."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..scene import Scene
from .agents import OUTSIDE, WALKING, Agents
from .detours import Detours


def tell_of_the_missing(
    scene: Scene, agents: Agents, detours: Detours, stranded: Mapping[int, str], time: float
) -> list[str]:
    """Return sentences for the user about each crowd's people who are not where they should be at the end.

    Args:
        scene: whose crowds they are.
        agents: everybody, as they stand at the end.
        detours: who found no way round.
        stranded: who has no way on any more, and why.
        time: of the last frame [s].
    """
    outside = agents.status == OUTSIDE
    comes = np.isfinite(agents.entry_time)
    late = outside & comes & (agents.entry_time > time)
    walking = agents.status == WALKING
    without_way = np.isin(np.arange(len(agents)), list(stranded)) & walking
    stuck = detours.refused & walking & ~without_way
    closed = _why_no_way_round(detours)
    notices = []
    for number, crowd in enumerate(scene.crowds):
        members = agents.crowd == number
        for who, what in (
            (outside & comes & ~late, "could not come in: there is no room to enter."),
            (late, "have not come in by the last frame."),
            (stuck, f"stand before something that closes their way. {closed}"),
            (agents.waits & walking, "wait before something that has not opened by the last frame."),
        ):
            count = int(np.count_nonzero(members & who))
            if count:
                notices.append(f"{crowd.name}: {count} of {crowd.count} {what}")
        reasons = [stranded[row] for row in np.flatnonzero(members & without_way).tolist()]
        if reasons:
            notices.append(f"{crowd.name}: {len(reasons)} of {crowd.count} have no way on. {reasons[0]}")
    return notices


def told_refusals(agents: Agents, detours: Detours, stranded: Mapping[int, str]) -> dict[int, str]:
    """Return who stands without a way on, and why, by the number of the agent.

    Args:
        agents: everybody, as they stand.
        detours: who found no way round.
        stranded: who has no way on any more, and why.
    """
    walking = agents.status == WALKING
    stuck = np.flatnonzero(detours.refused & walking).tolist()
    told = dict.fromkeys(stuck, _why_no_way_round(detours))
    told |= dict.fromkeys(np.flatnonzero(agents.refused & agents.present).tolist(), "There is no way to the goal.")
    return told | {row: reason for row, reason in stranded.items() if walking[row]}


def _why_no_way_round(detours: Detours) -> str:
    return detours.missing or "There is no way round that is short enough."
