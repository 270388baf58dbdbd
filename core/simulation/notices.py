# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences about what did not come about: who never came in, and who stands before something."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..geometry.segments import closest_on_segments, edges_of
from ..scene import Scene
from .agents import OUTSIDE, WALKING, Agents
from .detours import Detours

Float64 = NDArray[np.float64]

NEAR = 3.0
"""Somebody whose way is closed stands, or looks round, so near to what closes it [m]."""


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
    shut_off = stuck & np.isin(np.arange(len(agents)), list(detours.no_way))
    closed = _why_no_way_round(detours)
    notices = []
    for number, crowd in enumerate(scene.crowds):
        members = agents.crowd == number
        for who, what in (
            (outside & comes & ~late, "could not come in: there is no room to enter."),
            (late, "have not come in by the last frame."),
            (stuck & ~shut_off, f"stand before something that closes their way. {closed}"),
            (agents.waits & walking, "wait before something that has not opened by the last frame."),
        ):
            count = int(np.count_nonzero(members & who))
            if count:
                notices.append(f"{crowd.name}: {count} of {crowd.count} {what}")
        apart = np.flatnonzero(members & shut_off).tolist()
        if apart:
            stand = f"{len(apart)} of {crowd.count} stand before something that closes their way."
            notices.append(f"{crowd.name}: {stand} {_told_shut_off(scene, agents, detours, apart[0])}")
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
    told = {row: detours.no_way.get(row, _why_no_way_round(detours)) for row in stuck}
    told |= dict.fromkeys(np.flatnonzero(agents.refused & agents.present).tolist(), "There is no way to the goal.")
    return told | {row: reason for row, reason in stranded.items() if walking[row]}


def _told_shut_off(scene: Scene, agents: Agents, detours: Detours, row: int) -> str:
    """Return what somebody stands before whom nothing leads to the end of the route, why, and the way out."""
    crowd = scene.crowds[agents.crowd[row]]
    end = "their goal" if crowd.route is None else f"the end of '{crowd.route}'"
    name = _obstacle_near(scene, agents.position[row], float(agents.radius[row]) + NEAR)
    what = f"Nothing leads to {end}." if name is None else f"It is '{name}', and nothing leads round it to {end}."
    way_out = "Open what closes it" if name is None else "Open or move it, let it be no obstacle"
    return f"{what} {detours.no_way[row]} {way_out}, or end the way before it."


def _obstacle_near(scene: Scene, place: Float64, reach: float) -> str | None:
    """Return the name of what never moves and is the nearest to a place, float64 (2,), within so much of it [m]."""
    nearest, found = reach, None
    for obstacle in scene.obstacles:
        if obstacle.motion is not None:
            continue
        for ring in (obstacle.outline, *obstacle.holes):
            apart = closest_on_segments(place, *edges_of(ring)) - place
            away = float(np.sqrt((apart * apart).sum(axis=1)).min())
            if away < nearest:
                nearest, found = away, obstacle.name
    return found


def _why_no_way_round(detours: Detours) -> str:
    return detours.missing or "There is no way round that is short enough."
