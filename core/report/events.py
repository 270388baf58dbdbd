# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong, one by one: kind, who, when, where and how bad, the worst first.

Each event is plain JSON: `kind`, `agents` (places in the arrays), `frame`, `place` [x, y, z in m], `amount` in the
unit of its kind, and `severity`, which makes kinds comparable: 1 is what one begins to see.

- `overlap`: two bodies reach into each other, `amount` [m]; a pair once, at its deepest.
- `wall`: a body reaches into an obstacle, a wall or the bounds, `amount` [m]; an agent once, at its deepest.
- `stuck`: somebody stands on the way for `amount` [s], from `frame` on; an agent once, its longest stop.
- `refused`: those of a crowd who have no way on for the same `reason`, who stands for longest, `amount` [s], first;
  frame and place are those where that one came to stand.
- `feet`: a foot slides on the ground, `amount` [m]; an agent once, its worst contact. Only a bake can tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..trajectories import Trajectories

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]
Event = dict[str, Any]

OVERLAP, WALL, STUCK, REFUSED, FEET = "overlap", "wall", "stuck", "refused", "feet"

SEEN_OVERLAP, SEEN_DEPTH, SEEN_STOP = 0.05, 0.02, 5.0
"""So deep in each other, so deep in a wall, and so long a stop, one begins to see it [m, m, s]."""

LEAST_SEEN = 0.2
"""What is less severe than this is not worth a line."""

MOST = 200
"""So many events of each kind are listed; the others are counted."""

_NAME = r"(?P<name>(?<!\w)'.+?'(?!\w))"  # in quotes; one within a word is an apostrophe
_PLACE_OR_WIDTH = r"\(-?\d+\.\d+, -?\d+\.\d+\)|\d+(\.\d+)? m\b"  # differ between those who are alike
_NAME_PLACE_OR_WIDTH = re.compile(f"{_NAME}|{_PLACE_OR_WIDTH}")
_REFUSED_SEVERITY = 4.0  # at least: whoever never gets there is worse than a long stop


def overlap_events(t: Trajectories, agents: Int64, depth: Float64, frame: Int64) -> list[Event]:
    """Return events for M pairs: `agents` (M, 2), how deep (M,) [m] and at which frame (M,)."""
    return _events(t, OVERLAP, agents, frame, depth, depth / SEEN_OVERLAP)


def wall_events(t: Trajectories, depth: Float64, frame: Int64) -> list[Event]:
    """Return events for whoever is in a wall: how deep each agent is at the worst (A,) [m], and when (A,)."""
    who = np.flatnonzero(depth > 0.0)
    return _events(t, WALL, who[:, None], frame[who], depth[who], depth[who] / SEEN_DEPTH)


def stop_events(t: Trajectories, seconds: Float64, frame: Int64, refused: Mapping[int, str]) -> list[Event]:
    """Return events for whoever stands on the way or has none.

    Args:
        t: where everybody is.
        seconds: float64 (A,), the longest stop of each [s].
        frame: int64 (A,), when that began.
        refused: who has no way on, and why.
    """
    without_way = np.isin(np.arange(len(seconds)), list(refused)) & t.present.any(axis=0)
    who = np.flatnonzero((seconds > 0.0) & ~without_way)
    stuck = _events(t, STUCK, who[:, None], frame[who], seconds[who], seconds[who] / SEEN_STOP)
    together: dict[tuple[int, str], list[int]] = {}
    for agent in sorted(np.flatnonzero(without_way).tolist(), key=lambda agent: (-seconds[agent], agent)):
        together.setdefault((int(t.crowd[agent]), _alike(refused[agent])), []).append(agent)
    first = np.array([agents[0] for agents in together.values()], dtype=np.int64)
    severity = np.maximum(seconds[first] / SEEN_STOP, _REFUSED_SEVERITY)
    told = _told(t, REFUSED, first[:, None], frame[first], seconds[first], severity)
    everybody = zip(told, together.values(), strict=True)
    return [*stuck, *(each | {"agents": agents, "reason": refused[agents[0]]} for each, agents in everybody)]


def _alike(reason: str) -> str:
    """Return what those have in common who are refused for the same: the reason without places and widths."""
    return _NAME_PLACE_OR_WIDTH.sub(lambda found: found["name"] or "", reason)


def event(t: Trajectories, kind: str, agent: int, *, frame: int, amount: float, severity: float) -> Event:
    """Return an event of one agent that somebody else has measured."""
    who = np.array([[agent]])
    return _told(t, kind, who, np.array([frame]), np.array([amount]), np.array([severity]))[0]


def ranked(events: Iterable[Event]) -> tuple[list[Event], dict[str, int]]:
    """Return the events worth a line, the worst first, and how many of each kind are left out for their number."""
    kept: list[Event] = []
    count: dict[str, int] = {}
    for each in sorted(events, key=lambda each: (-each["severity"], each["kind"], each["frame"], each["agents"])):
        if each["severity"] < LEAST_SEEN:
            break
        count[each["kind"]] = count.get(each["kind"], 0) + 1
        if count[each["kind"]] <= MOST:
            kept.append(each)
    return kept, {kind: number - MOST for kind, number in count.items() if number > MOST}


def _events(t: Trajectories, kind: str, agents: Int64, frame: Int64, amount: Float64, severity: Float64) -> list[Event]:
    """Return the events that are worth a line, of M that are measured."""
    seen = np.flatnonzero(severity >= LEAST_SEEN)
    return _told(t, kind, agents[seen], frame[seen], amount[seen], severity[seen])


def _told(t: Trajectories, kind: str, agents: Int64, frame: Int64, amount: Float64, severity: Float64) -> list[Event]:
    """Return events for `agents` (M, K) in the middle between them."""
    rows = frame - t.frames[0] if len(t.frames) else frame
    places = t.position[rows[:, None], agents].mean(axis=1).round(3)  # (M, 3)
    columns = (agents, frame, np.nan_to_num(places), amount, severity)
    return [
        {"kind": kind, "agents": who, "frame": when, "place": where, "amount": much, "severity": bad}
        for who, when, where, much, bad in zip(*(column.tolist() for column in columns), strict=True)
    ]
