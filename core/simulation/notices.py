# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences about what did not come about: who never came in, and who stands before something."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from ..scene import FLOW, Crowd, Scene
from .agents import OUTSIDE, WALKING, Agents
from .closures import BOUNDS, Closure, Closures
from .detours import Detours
from .recording import Recording

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]


def tell_of_the_missing(
    scene: Scene, agents: Agents, detours: Detours, closures: Closures, stranded: Mapping[int, str], time: float
) -> list[str]:
    """Return sentences for the user about each crowd's people who are not where they should be at the end.

    Args:
        scene: whose crowds they are.
        agents: everybody, as they stand at the end.
        detours: who found no way round.
        closures: finds what they stand before.
        stranded: who has no way on any more, and why.
        time: of the last frame [s].
    """
    outside = agents.status == OUTSIDE
    comes = np.isfinite(agents.entry_time)
    late = outside & comes & (agents.entry_time > time)
    walking = agents.status == WALKING
    without_way = np.isin(np.arange(len(agents)), list(stranded)) & walking
    stuck = detours.refused & walking & ~without_way
    notices = []
    for number, crowd in enumerate(scene.crowds):
        members = agents.crowd == number
        for who, what in (
            (outside & comes & ~late, "could not come in: there is no room to enter."),
            (late, "have not come in by the last frame."),
            (agents.waits & walking, "wait before something that has not opened by the last frame."),
        ):
            count = int(np.count_nonzero(members & who))
            if count:
                notices.append(f"{crowd.name}: {count} of {crowd.count} {what}")
        before = ((row, closures.before(agents, row)) for row in np.flatnonzero(members & stuck).tolist())
        for rows, closure in _together(before, detours):
            stand = f"{len(rows)} of {crowd.count} stand before something that closes their way."
            notices.append(f"{crowd.name}: {stand} {_told_closed(crowd, detours, rows[0], closure)}")
        reasons = [stranded[row] for row in np.flatnonzero(members & without_way).tolist()]
        if reasons:
            notices.append(f"{crowd.name}: {len(reasons)} of {crowd.count} have no way on. {reasons[0]}")
    return notices


def tell_of_few_frames(scene: Scene, run: Recording, crowd: Int64, alone: Float64, refused: Iterable[int]) -> list[str]:
    """Return a sentence for the user about each crowd whose way takes longer than the frames last.

    It is told where nobody arrives, and, of those who all set out at the first frame, where most are on their way when
    the frames end. Who enters one by one may always be. Where something closes the way of some, others wait behind
    them, and more frames are of no use.

    Args:
        scene: whose crowds they are.
        run: all frames that were made.
        crowd: int64 (A,), whose.
        alone: float64 (A,), the time that each needs for the way alone at its own speed [s]; NaN: not known.
        refused: who has no way on.
    """
    frames = np.arange(run.made) + scene.frames[0]
    present = run.present[: run.made]
    there = present[-1] & (run.arrived_frame < 0) & np.isfinite(alone)
    closed = set(crowd[list(refused)].tolist())
    first = frames[np.argmax(present, axis=0)]
    needs = np.ceil(first + np.where(there, alone, 0.0) * scene.fps)
    notices = []
    for number, asked in enumerate(scene.crowds):
        members = crowd == number
        count, arrived = int(np.count_nonzero(members & there)), (run.arrived_frame[members] >= 0).any()
        come = asked.count - sum(number < asked.count for number in asked.absent)
        together = asked.spawn.mode != FLOW and 2 * count > come
        if count and number not in closed and (together or not arrived):
            told = f"{count} of {come} are still on their way at the last frame, {frames[-1]}"
            last = needs[members & there].max()
            until = f"even alone, the last of them needs until about frame {last:.0f}"
            way_out = "End the scene later, by more where others are in the way, or make the way shorter."
            if last <= frames[-1]:
                until, way_out = (
                    "among others they need longer than alone",
                    "End the scene later, or give them more room.",
                )
            notices.append(f"{asked.name}: {told}: {until}. {way_out}")
    return notices


def told_refusals(agents: Agents, detours: Detours, closures: Closures, stranded: Mapping[int, str]) -> dict[int, str]:
    """Return who stands without a way on, and why, by the number of the agent.

    Args:
        agents: everybody, as they stand.
        detours: who found no way round.
        closures: finds what they stand before.
        stranded: who has no way on any more, and why.
    """
    walking = agents.status == WALKING
    told = {}
    for row in np.flatnonzero(detours.refused & walking).tolist():
        closure = closures.before(agents, row)
        closed = [] if closure is None else [f"{closure.name} closes the way at {closure.where}."]
        told[row] = " ".join([*closed, _why(detours, row)])
    told |= dict.fromkeys(np.flatnonzero(agents.refused & agents.present).tolist(), "There is no way to the goal.")
    return told | {row: reason for row, reason in stranded.items() if walking[row]}


def _together(before: Iterable[tuple[int, Closure | None]], detours: Detours) -> list[tuple[list[int], Closure | None]]:
    """Return those together who stand before the same, and whether anything leads on for them is the same."""
    found: dict[tuple[str, bool], tuple[list[int], Closure | None]] = {}
    for row, closure in before:
        name = "" if closure is None else closure.name
        found.setdefault((name, row in detours.no_way), ([], closure))[0].append(row)
    return list(found.values())


def _told_closed(crowd: Crowd, detours: Detours, row: int, closure: Closure | None) -> str:
    """Return what somebody stands before, why nothing leads on, and the way out."""
    end = "their goal" if crowd.route is None else f"the end of '{crowd.route}'"
    said = [] if closure is None else [f"It is {closure.name} at {closure.where}"]
    if row in detours.no_way:
        said = [f"{said[0]}, and nothing leads round it to {end}." if said else f"Nothing leads to {end}."]
        way_out = "or end the way before it."
    else:
        said = [f"{each}." for each in said]
        way_out = "or lead the way round it."
    if closure is None:
        first = "Open what closes it,"
    elif closure.name == BOUNDS:  # they are no obstacle, and nothing that opens
        first = "Make the bounds wider,"
    else:
        first = "Open or move it, let it be no obstacle,"
    return " ".join([*said, _why(detours, row), first, way_out])


def _why(detours: Detours, row: int) -> str:
    """Return why somebody who found no way round has none."""
    if row in detours.no_way:
        return detours.no_way[row]
    if detours.missing:
        return detours.missing
    if row in detours.way_round:
        return f"The way round is {detours.way_round[row]:.0f} m long, farther than people on a path go by themselves."
    return "There is no way round that is short enough."
