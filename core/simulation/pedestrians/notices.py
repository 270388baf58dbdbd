# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences about what did not come about: who never came in, and who stands before something."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ...scene import Crowd
from ..guidance.detours import Detours
from ..recording import Recording
from ..world.agents import OUTSIDE, WALKING, Agents
from ..world.obstacle_names import BOUNDS, Closure, tell_place
from .closures import Closures

HARDLY, AS_WANTED = 0.05, 0.9
"""Shares of the pace that people want: below the one they hardly come on, from the other on they are not held up."""

SETTING_OUT = 0.5
"""Who came in so shortly before has not had the time to come on [s]."""

Bool = NDArray[np.bool_]
Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]


def tell_of_the_missing(
    crowds: Sequence[Crowd],
    agents: Agents,
    detours: Detours,
    closures: Closures,
    stranded: Mapping[int, str],
    time: float,
) -> list[str]:
    """Return sentences for the user about each crowd's people who are not where they should be at the end.

    Args:
        crowds: of the scene.
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
    for number, crowd in enumerate(crowds):
        members = agents.crowd == number
        for who, what in (
            (outside & comes & ~late, "could not enter: there is no room at the start."),
            (late, "have not entered by the last frame."),
            (agents.waits & walking, "wait for an obstacle that has not opened by the last frame."),
        ):
            count = int(np.count_nonzero(members & who))
            if count:
                notices.append(f"{crowd.name}: {count} of {crowd.count} {what}")
        for rows, closure in _together(agents, np.flatnonzero(members & stuck), detours, closures):
            if rows[0] in detours.open_way:
                notices.append(
                    f"{crowd.name}: {len(rows)} of {crowd.count} are stopped{_told_open(detours, rows[0], closure)}"
                )
                continue
            stand = f"{len(rows)} of {crowd.count} stand still because their path is blocked."
            gap = _told_gap(detours, rows[0], closures)
            notices.append(f"{crowd.name}: {stand} {_told_closed(crowd, detours, rows[0], closure, gap)}")
        reasons = [stranded[row] for row in np.flatnonzero(members & without_way).tolist()]
        if reasons:
            notices.append(f"{crowd.name}: {len(reasons)} of {crowd.count} have no route left. {reasons[0]}")
    return notices


def tell_of_few_frames(
    crowds: Sequence[Crowd],
    run: Recording,
    crowd: Int64,
    *,
    alone: Float64,
    wanted: Float64,
    waits: Bool,
    refused: Iterable[int],
) -> list[str]:
    """Return a sentence for the user about each crowd of which anybody is on the way when the frames end.

    It counts all who have come in and neither arrived nor stand without a way on. Where something closes the way of
    some, others wait behind them, and more frames are of no use. How long the rest takes is told by how they have come
    on so far, so that waiting at doors, and for each other, is in it. Who goes round for ever has nowhere to arrive.

    Args:
        crowds: of the scene.
        run: all frames that were made.
        crowd: int64 (A,), whose.
        alone: float64 (A,), the time that each needs for the way alone at its own speed [s]; NaN: not known.
        wanted: float64 (A,), that speed [m/s].
        waits: bool (A,), who waits for something to open, of which is told, too.
        refused: who has no way on, of which is told, too.
    """
    stands = np.zeros(len(crowd), dtype=bool)
    stands[list(refused)] = True
    there = run.present[run.made - 1] & (run.arrived_frame < 0) & np.isfinite(alone) & ~stands
    notices = []
    for number, asked in enumerate(crowds):
        members = crowd == number
        who = np.flatnonzero(members & there)
        if not len(who):
            continue
        come = asked.count - sum(number < asked.count for number in asked.absent)
        told = f"{len(who)} of {come} have not arrived at frame {run.frames[run.made - 1]}"
        if waits[who].any():
            told = f"{told}, including those who wait"
        if (members & stands).any():
            notices.append(f"{asked.name}: {told}, not counting those who are blocked.")
            continue
        rest, way_out = _told_rest(run, who, alone[who], wanted[who])
        notices.append(f"{asked.name}: {told}; {rest}.{way_out if 2 * len(who) > come else ''}")
    return notices


def _told_rest(run: Recording, who: Int64, alone: Float64, wanted: Float64) -> tuple[str, str]:
    """Return until when some who are on their way need, as they have come on so far, and the way out."""
    made = slice(0, run.made)
    steps = np.diff(run.position[made, who, :2], axis=0)
    walked = np.nansum(np.sqrt((steps * steps).sum(axis=2)), axis=0) / wanted  # [s] at the speed that each wants
    taken = run.present[made, who].sum(axis=0) / run.fps
    pace, last = walked.sum() / taken.sum(), run.frames[run.made - 1]
    left = run.fps * float(np.maximum(alone - walked, 0.0).max())  # [frames]
    least, way_out = np.ceil(last + left), " Raise the end frame, shorten the path, or give them more room."
    if not left:
        return "they have walked farther than the length of their path, round people or obstacles", way_out
    if pace >= AS_WANTED or taken.max() < SETTING_OUT:
        return f"the last needs at least until about frame {least:.0f}", way_out
    if pace < HARDLY:
        return f"they have hardly advanced, and the last needs at least until frame {least:.0f}", way_out
    until, share = np.ceil(last + left / pace), f"{100.0 * pace:.0f}% of their preferred speed"
    at_this_pace = f"about frame {until:.0f} at the pace so far, {share}"
    return f"the last needs at least until frame {least:.0f}, {at_this_pace}", way_out


def told_refusals(
    agents: Agents, detours: Detours, closures: Closures, stranded: Mapping[int, str], never_set_out: Mapping[int, str]
) -> dict[int, str]:
    """Return who stands without a way on, and why, by the number of the agent.

    Args:
        agents: everybody, as they stand.
        detours: who found no way round.
        closures: finds what they stand before.
        stranded: who has no way on any more, and why.
        never_set_out: who had no way from the first, and why.
    """
    walking = agents.status == WALKING
    told = {}
    stuck = detours.refused & walking & ~np.isin(np.arange(len(agents)), list(stranded))
    for crowd in np.unique(agents.crowd[stuck]):
        for rows, closure in _together(agents, np.flatnonzero(stuck & (agents.crowd == crowd)), detours, closures):
            if rows[0] in detours.open_way:
                told |= dict.fromkeys(rows, f"Stopped{_told_open(detours, rows[0], closure)}")
                continue
            gap = _told_gap(detours, rows[0], closures)
            closed = [] if closure is None else [f"{closure.name} blocks the path at {closure.where}."]
            closed = [f"{gap[0].upper()}{gap[1:]}."] if gap else closed
            told |= dict.fromkeys(rows, " ".join([*closed, _why(detours, rows[0])]))
    told |= {row: never_set_out[row] for row in np.flatnonzero(agents.refused & agents.present).tolist()}
    return told | {row: reason for row, reason in stranded.items() if walking[row]}


def _together(
    agents: Agents, stuck: Int64, detours: Detours, closures: Closures
) -> list[tuple[list[int], Closure | None]]:
    """Return those together who stand before the same, and whether anything leads on for them is the same.

    They are told of the first of them, all with the same figures.
    """
    found: dict[tuple[str, bool, bool], tuple[list[int], Closure | None]] = {}
    for row in stuck.tolist():
        closure = closures.before(agents, row)
        gap = detours.gap.get(row)
        name = closures.beside(gap) if gap is not None else "" if closure is None else closure.name
        found.setdefault((name, row in detours.no_way, row in detours.open_way), ([], closure))[0].append(row)
    return list(found.values())


def _told_open(detours: Detours, row: int, closure: Closure | None) -> str:
    """Return past what somebody has not got though there is room, and the way out."""
    past = "" if closure is None else f" before {closure.name} at {closure.where}"
    way_on = f"there is a free route of {detours.open_way[row]:.0f} m, but other people stand in it"
    return f"{past} at the last frame: {way_on}. Widen the place, or let fewer people enter at once."


def _told_gap(detours: Detours, row: int, closures: Closures) -> str:
    """Return which gap is too narrow for somebody; empty where none is, and where the reason tells of the widest."""
    gap = None if row in detours.no_way else detours.gap.get(row)
    return "" if gap is None else f"{closures.beside(gap)} at {tell_place(gap.place)} is too narrow: {gap}"


def _told_closed(crowd: Crowd, detours: Detours, row: int, closure: Closure | None, gap: str) -> str:
    """Return what somebody stands before, why nothing leads on, and the way out."""
    if gap:
        way_out = "Widen the gap, remove an obstacle beside it from the obstacles, or draw the path round it."
        return f"{gap[0].upper()}{gap[1:]}. {_why(detours, row)} {way_out}"
    end = "their goal" if crowd.route is None else f"the end of '{crowd.route}'"
    said = [] if closure is None else [f"The obstacle is {closure.name} at {closure.where}"]
    if row in detours.no_way:
        said = [f"{said[0]}, and there is no route round it to {end}." if said else f"There is no route to {end}."]
        way_out = "or end the path before it."
    else:
        said = [f"{each}." for each in said]
        way_out = "or draw the path round it."
    if closure is None:
        first = "Open what blocks it,"
    elif closure.name == BOUNDS:  # they are no obstacle, and nothing that opens
        first = "Make the bounds wider,"
    else:
        first = "Open or move it, remove it from the obstacles,"
    return " ".join([*said, _why(detours, row), first, way_out])


def _why(detours: Detours, row: int) -> str:
    """Return why somebody who found no way round has none."""
    if row in detours.no_way:
        return detours.no_way[row]
    if detours.missing:
        return detours.missing
    if row in detours.way_round:
        return f"The detour is {detours.way_round[row]:.0f} m long, longer than people on a path take."
    return "There is no detour that is short enough."
