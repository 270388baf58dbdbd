# SPDX-License-Identifier: GPL-3.0-or-later
"""Notices about people whom bends slow down, who have not entered, are blocked, or have not arrived in the end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import length
from ...scene import FLOW, PEDESTRIAN, Crowd, Following
from ...steering.neighbours import close_pairs
from ...wording import as_sentence
from ..guidance.detours import Detours
from ..population.population import PeopleAtStart
from ..settings.pedestrian_settings import NoticeSettings
from ..world.agents import ARRIVED, OUTSIDE, WALKING, Agents
from ..world.doing import AT_STOPS
from ..world.obstacle_names import BOUNDS, Closure, tell_place
from ..world.recording import Recording
from .closures import Closures

_HARDLY = "they have hardly advanced"
_MORE_FRAMES = " Raise the end frame, or shorten the path."
_MORE_ROOM = " Give them more room."
_EITHER = " Give them more room, or raise the end frame."
_REMEDY_OF_VEHICLES = " Raise the end frame, or shorten the road."
_UNFINISHED = "have not arrived at frame"
_UNTIL = re.compile(r"(?:until|about) (?:about )?frame (\d+)")


def report_blocked_people(
    crowds: Sequence[Crowd],
    agents: Agents,
    detours: Detours,
    closures: Closures,
    stranded: Mapping[int, str],
    time: float,
    *,
    entry_gap: float,
) -> list[str]:
    """Return notices about people of each crowd who have not entered, wait, are blocked, or have no route.

    Args:
        crowds: of the scene.
        agents: all agents at the last frame.
        detours: the detours, and people who found none.
        closures: finds the obstacles that block people.
        stranded: agents who have no route any more, and why.
        time: of the last frame [s].
        entry_gap: free room that people who enter one by one need, beyond both bodies [m].
    """
    outside = agents.status == OUTSIDE
    enters = np.isfinite(agents.entry_time)
    later = outside & enters & (agents.entry_time > time)
    walking = agents.status == WALKING
    without_route = np.isin(np.arange(len(agents)), list(stranded)) & walking
    stopped = detours.without_detour & walking & ~without_route
    notices = []
    for number, crowd in enumerate(crowds):
        members = agents.crowd == number
        for who, what in (
            (outside & enters & ~later, "could not enter: there is no room at the start."),
            (later, "have not entered by the last frame."),
            (agents.waits & walking, "wait for an obstacle that has not opened by the last frame."),
        ):
            count = int(np.count_nonzero(members & who))
            if count:
                notices.append(f"{crowd.name}: {count} of {crowd.count} {what}")
        not_entered = np.flatnonzero(members & outside & enters & ~later)
        gap = entry_gap if crowd.spawn.mode == FLOW else 0.0
        for other, count in _arrived_in_the_entry(agents, not_entered, gap).items():
            stand = f"{count} of {crowds[other].count} have arrived and stand where '{crowd.name}' enters"
            notices.append(f"{crowds[other].name}: {stand}. Let them leave at the end.")
        for rows, closure in _by_obstacle(agents, np.flatnonzero(members & stopped), detours, closures):
            if rows[0] in detours.free_length:
                where = _stopped_by_people(detours, rows[0], closure)
                notices.append(f"{crowd.name}: {len(rows)} of {crowd.count} are stopped{where}")
                continue
            stand = f"{len(rows)} of {crowd.count} stand still because their path is blocked."
            gap = _narrow_gap(detours, rows[0], closures)
            notices.append(f"{crowd.name}: {stand} {_stopped_by_obstacle(crowd, detours, rows[0], closure, gap)}")
        reasons = [stranded[row] for row in np.flatnonzero(members & without_route).tolist()]
        if reasons:
            notices.append(f"{crowd.name}: {len(reasons)} of {crowd.count} have no route left. {reasons[0]}")
    return notices


def _arrived_in_the_entry(agents: Agents, outside: Int64, gap: float) -> dict[int, int]:
    """Return how many of each crowd, by its number, stand as they have arrived where people `outside` need room."""
    if not len(outside):
        return {}
    stand = np.flatnonzero((agents.status == ARRIVED) & ~agents.refused)
    rows = np.append(outside, stand)
    pairs = close_pairs(agents.position[rows], agents.radius[rows] + 0.5 * gap)
    met = np.unique(pairs[(pairs[:, 0] < len(outside)) & (pairs[:, 1] >= len(outside)), 1])
    crowds, counts = np.unique(agents.crowd[rows[met]], return_counts=True)
    return dict(zip(crowds.tolist(), counts.tolist(), strict=True))


def report_bends(people: PeopleAtStart, settings: NoticeSettings) -> list[str]:
    """Return notices about drawn routes whose bends cannot be walked at the preferred speed.

    Args:
        people: of the scene, on their paths.
        settings: which bends are reported.
    """
    agents, references = people.agents, people.references
    notices = []
    for number, crowd in enumerate(people.crowds):
        members = np.flatnonzero(agents.crowd == number)
        if crowd.route is None or not len(members):
            continue
        path = int(agents.path[members[0]])
        s = np.arange(0.0, references.lengths[path], settings.bend_spacing)
        lateral = float(people.preferences.lateral_acceleration[members[0]])
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
            f"{wanted:.2f} to {limit[slowest]:.2f} m/s. Draw wider bends{_or_lower(crowd.following)}."
        )
    return notices


def _or_lower(following: Following) -> str:
    """The settings that can be lowered for more speed in bends."""
    looser = [
        name for name, value in (("Keep to the Line", following.keep_to_line), ("Comfort", following.comfort)) if value
    ]
    return f", or lower {' or '.join(looser)}" if looser else ""


def report_few_frames(
    crowds: Sequence[Crowd],
    run: Recording,
    crowd_of: Int64,
    *,
    time_ahead: Float64,
    wanted_speed: Float64,
    waits: Bool,
    refused: Iterable[int],
    settings: NoticeSettings,
) -> list[str]:
    """Return a notice about each crowd of which people are still walking at the last frame.

    It counts all who have entered and neither arrived nor have no route. Where an obstacle blocks some, others wait
    behind them, and more frames are of no use. The frames that the rest needs are estimated from the progress so far,
    which includes waiting at doors and for each other. People who walk in circles for ever have no goal to arrive at.

    Args:
        crowds: of the scene.
        run: all frames that were made.
        crowd_of: int64 (A,), the crowd of each agent.
        time_ahead: float64 (A,), time for the rest of the route alone at the preferred speed [s]; NaN: not known.
        wanted_speed: float64 (A,), that speed [m/s].
        waits: bool (A,), whether each waits for an obstacle to open; reported, too.
        refused: people without a route; they are reported, too.
        settings: how progress is described.
    """
    blocked = np.zeros(len(crowd_of), dtype=bool)
    blocked[list(refused)] = True
    walking = run.present[run.made - 1] & (run.arrived_frame < 0) & np.isfinite(time_ahead) & ~blocked
    notices = []
    for number, crowd in enumerate(crowds):
        members = crowd_of == number
        who = np.flatnonzero(members & walking)
        if not len(who):
            continue
        count = crowd.count - len(crowd.absent)
        unfinished = f"{len(who)} of {count} {_UNFINISHED} {run.frame}"
        if waits[who].any():
            unfinished = f"{unfinished}, including those who wait"
        if (members & blocked).any():
            notices.append(f"{crowd.name}: {unfinished}, not counting those who are blocked.")
            continue
        rest, remedy = _frames_needed(run, who, time_ahead[who], wanted_speed[who], settings)
        if crowd.kind != PEDESTRIAN:
            remedy = _REMEDY_OF_VEHICLES
        elif remedy == _MORE_ROOM and waits[who].any():  # they stand because something is closed
            remedy = _EITHER
        notices.append(f"{crowd.name}: {unfinished}; {rest}.{remedy if 2 * len(who) > count else ''}")
    return notices


def last_frame_needed(notices: Iterable[str]) -> int | None:
    """Return the last frame by which people are expected to arrive, as notices of this module say.

    None: all have arrived, or more frames do not help.

    Args:
        notices: sentences of a report.
    """
    late = [each for each in notices if _UNFINISHED in each and _HARDLY not in each]
    return max((int(frame) for each in late for frame in _UNTIL.findall(each)), default=None)


def is_unfinished(notices: Iterable[str]) -> bool:
    """Return whether notices say that people have not arrived who still can."""
    return any(_UNFINISHED in each for each in notices)


def _frames_needed(
    run: Recording, who: Int64, time_ahead: Float64, wanted_speed: Float64, settings: NoticeSettings
) -> tuple[str, str]:
    """Return until which frame people need at their progress so far, and the remedy, as parts of a sentence.

    Time spent at stops is not part of their pace. More frames are the remedy where most would not have arrived if
    nobody had held them up, more room where they stand.
    """
    made = slice(0, run.made)
    steps = np.diff(run.position[made, who, :2], axis=0)
    on_the_way = run.present[made, who] & ~np.isin(run.doing[made, who], AT_STOPS)
    walked = np.nansum(length(steps) * on_the_way[1:], axis=0) / wanted_speed  # [s] at their preferred speeds
    taken = on_the_way.sum(axis=0) / run.clock.fps
    pace, last = walked.sum() / max(taken.sum(), 1.0 / run.clock.fps), run.frame
    left = run.clock.fps * float(time_ahead.max())  # [frames]
    least = np.ceil(last + left)
    remedy = _MORE_FRAMES if 2 * np.count_nonzero(walked + time_ahead > taken) > len(who) else _EITHER
    if not left:
        return "they are at the end of their path, where there is no room", _MORE_ROOM
    if pace >= settings.unhindered or taken.max() < settings.shortest_walk:
        return f"the last needs at least until about frame {least:.0f}", remedy
    if pace < settings.hardly_advancing:
        return f"{_HARDLY}, and the last needs at least until frame {least:.0f}", _MORE_ROOM
    until, share = np.ceil(last + left / pace), f"{100.0 * pace:.0f}% of their preferred speed"
    at_this_pace = f"about frame {until:.0f} at the pace so far, {share}"
    return f"the last needs at least until frame {least:.0f}, {at_this_pace}", remedy


def explain_refusals(
    agents: Agents, detours: Detours, closures: Closures, stranded: Mapping[int, str], unplaced: Mapping[int, str]
) -> dict[int, str]:
    """Return why agents have no route or no detour, by their rows.

    Args:
        agents: all agents now.
        detours: the detours, and people who found none.
        closures: finds the obstacles that block people.
        stranded: agents who have no route any more, and why.
        unplaced: agents who had no route at the first frame, and why.
    """
    walking = agents.status == WALKING
    reasons = {}
    stopped = detours.without_detour & walking & ~np.isin(np.arange(len(agents)), list(stranded))
    for crowd in np.unique(agents.crowd[stopped]):
        some = np.flatnonzero(stopped & (agents.crowd == crowd))
        for rows, closure in _by_obstacle(agents, some, detours, closures):
            if rows[0] in detours.free_length:
                reasons |= dict.fromkeys(rows, f"Stopped{_stopped_by_people(detours, rows[0], closure)}")
                continue
            gap = _narrow_gap(detours, rows[0], closures)
            blocked = [] if closure is None else [f"{closure.name} blocks the path at {closure.where}."]
            blocked = [f"{as_sentence(gap)}."] if gap else blocked
            reasons |= dict.fromkeys(rows, " ".join([*blocked, _why_no_detour(detours, rows[0])]))
    reasons |= {row: unplaced[row] for row in np.flatnonzero(agents.refused & agents.present).tolist()}
    return reasons | {row: reason for row, reason in stranded.items() if walking[row]}


def _by_obstacle(
    agents: Agents, rows: Int64, detours: Detours, closures: Closures
) -> list[tuple[list[int], Closure | None]]:
    """Return groups of people whom the same obstacle stops, and who have or have not a route alike.

    A group shares one notice, with the figures of its first member.
    """
    found: dict[tuple[str, bool, bool], tuple[list[int], Closure | None]] = {}
    for row in rows.tolist():
        closure = closures.find_before(agents, row)
        gap = detours.narrow_gap.get(row)
        name = closures.describe_gap(gap) if gap is not None else "" if closure is None else closure.name
        found.setdefault((name, row in detours.no_route, row in detours.free_length), ([], closure))[0].append(row)
    return list(found.values())


def _stopped_by_people(detours: Detours, row: int, closure: Closure | None) -> str:
    """Return where people are stopped although there is a free route, and the remedy, as part of a sentence."""
    before = "" if closure is None else f" before {closure.name} at {closure.where}"
    route = f"there is a free route of {detours.free_length[row]:.0f} m, but other people stand in it"
    return f"{before} at the last frame: {route}. Widen the place, or let fewer people enter at once."


def _narrow_gap(detours: Detours, row: int, closures: Closures) -> str:
    """Return which gap is too narrow for an agent; empty where none is, or where the reason names the widest one."""
    gap = None if row in detours.no_route else detours.narrow_gap.get(row)
    return "" if gap is None else f"{closures.describe_gap(gap)} at {tell_place(gap.place)} is too narrow: {gap}"


def _stopped_by_obstacle(crowd: Crowd, detours: Detours, row: int, closure: Closure | None, gap: str) -> str:
    """Return which obstacle stops an agent, why there is no detour, and the remedy, as sentences."""
    why = _why_no_detour(detours, row)
    if gap:
        remedy = "Widen the gap, remove an obstacle beside it from the obstacles, or draw the path round it."
        return f"{as_sentence(gap)}. {why} {remedy}"
    end = "their goal" if crowd.route is None else f"the end of '{crowd.route}'"
    obstacle = [] if closure is None else [f"The obstacle is {closure.name} at {closure.where}"]
    if row in detours.no_route:
        no_route = f"{obstacle[0]}, and there is no route round it to" if obstacle else "There is no route to"
        obstacle = [f"{no_route} {end}."]
        remedy = "or end the path before it."
    else:
        obstacle = [f"{each}." for each in obstacle]
        remedy = "or draw the path round it."
    if closure is None:
        first = "Open what blocks it,"
    elif closure.name == BOUNDS:  # they are no obstacle, and cannot open
        first = "Make the bounds wider,"
    else:
        first = "Open or move it, remove it from the obstacles,"
    return " ".join([*obstacle, why, first, remedy])


def _why_no_detour(detours: Detours, row: int) -> str:
    """Return why an agent has no detour, as a sentence."""
    if row in detours.no_route:
        return detours.no_route[row]
    if detours.map_error:
        return detours.map_error
    if row in detours.detour_length:
        return f"The detour is {detours.detour_length[row]:.0f} m long, longer than people on a path take."
    return "There is no detour that is short enough."
