# SPDX-License-Identifier: GPL-3.0-or-later
"""Single faults: kind, agents, frame, position and severity, the worst first.

Each event is plain JSON: `kind`, `agents` (array indices), `frame`, `place` [x, y, z in m], `amount` in the unit of its
kind, and `severity`, which makes kinds comparable: from 1 on the fault is visible.

- `overlap`: two bodies overlap, `amount` [m]; a pair once, at its deepest.
- `clipping`: two people, as they are seen with their strides and arms, intersect by `amount` [m]; its `reason` says for
  how many frames, and where it is visible, what would give them room; a pair once, at its deepest, unless it is listed
  as an overlap.
- `wall`: a body reaches into an obstacle, a wall or the bounds, `amount` [m]; an agent once, at its deepest.
- `limb`: a person, as they are seen with their strides and arms, is in obstacles by `amount` [m]; its `reason` says
  for how many frames, and where it is visible, what would help; an agent once, at its deepest. Only bakes measure it.
- `stuck`: an agent is held up before its goal for `amount` [s], from `frame` on, each time.
- `waits`: as `stuck`, but for a recorded reason, in a queue or for people on a crossing: less severe.
- `creeping`: a person who neither waits nor is held up goes slowly before its goal for `amount` [s], from `frame` on,
  each time.
- `face-off`: two people stand in each other's way for `amount` [s] in all; a pair once, at its nearest.
- `frozen`: an agent stands for `amount` [s] though it wants to go, its path is free, and nothing recorded explains
  it; instead of `stuck`, where this holds for most of that time.
- `spinning`: an agent turns by `amount` [rad] on the spot.
- `jitter`: velocity or heading of an agent shakes for `amount` [s].
- `backwards`: an agent walks `amount` [m] with its back ahead.
- `behind`: an agent walks straight behind another, the second of `agents`, within a step, for `amount` [s], while there
  is room. Of these five an agent has one each, the worst, at its middle.
- `refused`: agents of a crowd without a route for the same `reason`, the one that stands longest, `amount` [s], first;
  frame and place are those where that one stopped.
- `feet`: a foot slides on the ground, `amount` [m]; an agent once, its worst contact. Only bakes measure it.
- `crossed`: the feet of an agent cross by `amount` [m]. Only bakes measure this and the next four, each once an agent.
- `scuffed`: a foot that is about to step slides back near the ground, `amount` [m].
- `skating`: a flat foot drags over the ground, or both feet move at once while nobody runs, `amount` [m].
- `hanging`: a foot hangs in the air for `amount` [s] while its agent stands.
- `statue`: an agent stands without any motion of its hips for `amount` [s].
- `glide`: while all agents that play a character walk, each foot stands for the share `amount` of the time, less than
  enough, for a `reason`. Only bakes measure it, from the written animation, and the next two, from its meshes.
- `sunk`: the soles of a character reach `amount` [m] into the ground while it walks; all agents that play it.
- `aloft`: both feet of a character are `amount` [m] over the ground while it walks; all agents that play it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import numpy as np

from ..array_types import Bool, Float64, Int64
from ..geometry.reproducible_math import length
from ..trajectories import Trajectories
from .conduct import Conduct, HeldUp, Worst
from .contacts import MetPairs
from .report_settings import REPORT, ReportSettings
from .walls import LimbDepths

Event = dict[str, Any]

OVERLAP, WALL, STUCK, REFUSED, FEET, GLIDE = "overlap", "wall", "stuck", "refused", "feet", "glide"
SUNK, ALOFT, LIMB = "sunk", "aloft", "limb"
WAITS = "waits"
CLIPPING, FROZEN, SPINNING, JITTER, BEHIND = "clipping", "frozen", "spinning", "jitter", "behind"
BACKWARDS, FACE_OFF, CREEPING = "backwards", "face-off", "creeping"

_MORE_ROOM = "; fewer people, or a wider path, would give them room"
_WIDER_BODIES = "; they are wider than their body radius: a larger one would give them room"
_LARGER_BODY = "; a larger body radius would keep them farther from obstacles"
_HALF_A_TURN = np.pi + 0.2  # [rad], with what faces overshoot

_NAME = r"(?P<name>(?<!\w)'.+?'(?!\w))"  # in quotes; one within a word is an apostrophe
_PLACE_OR_WIDTH = r"\(-?\d+\.\d+, -?\d+\.\d+\)|\d+(\.\d+)? m\b"  # differ between agents with the same reason
_NAME_PLACE_OR_WIDTH = re.compile(f"{_NAME}|{_PLACE_OR_WIDTH}")


def overlap_events(t: Trajectories, overlaps: MetPairs, settings: ReportSettings) -> list[Event]:
    """Return events for pairs that overlap."""
    severity = overlaps.depth / settings.visible.overlap
    seen = np.flatnonzero(severity >= settings.least_severity)
    return _events(t, OVERLAP, overlaps.agents[seen], overlaps.frame[seen], overlaps.depth[seen], severity[seen])


def clipping_severity(depth: Float64, frames: Int64, fps: float, settings: ReportSettings) -> Float64:
    """Return how much somebody is seen in something, float64 (M,): visible if deep and long enough, or very deep."""
    visible = settings.visible
    deep, long = depth / visible.clipping_depth, frames / fps / visible.clipping
    return np.asarray(np.maximum(np.minimum(deep, long), depth / visible.deep_clipping))


def clipping_events(
    t: Trajectories, clipping: MetPairs, overlaps: Iterable[Event], settings: ReportSettings
) -> list[Event]:
    """Return events for pairs that are seen to intersect, without those that are listed as overlaps."""
    listed = {tuple(each["agents"]) for each in overlaps}
    told = np.array([tuple(pair) in listed for pair in clipping.agents.tolist()], dtype=bool)
    seen = clipping.where(~told)
    severity = clipping_severity(seen.depth, seen.frames, t.fps, settings)
    severity = np.maximum(severity, settings.least_severity)  # whatever is counted has a line
    found = _events(t, CLIPPING, seen.agents, seen.frame, seen.depth, severity)
    frames = map(_frames, seen.frames.tolist())
    rows, (first, second) = _rows_of(t, seen.frame), seen.agents.T
    apart = t.position[rows, first, :2].astype(np.float64) - t.position[rows, second, :2]
    wide = (length(apart) > t.radius[first] + t.radius[second]) & (seen.depth >= settings.visible.deep_clipping)
    more = np.where(wide, _WIDER_BODIES, _MORE_ROOM)
    more[[each["severity"] < 1.0 for each in found]] = ""
    return [each | {"reason": f"for {count}{room}"} for each, count, room in zip(found, frames, more, strict=True)]


def _frames(count: int) -> str:
    return "1 frame" if count == 1 else f"{count} frames"


def limb_events(t: Trajectories, limbs: LimbDepths, settings: ReportSettings) -> list[Event]:
    """Return events for agents that are seen in obstacles."""
    severity = clipping_severity(limbs.depth, limbs.frames, t.fps, settings)
    who = np.flatnonzero(severity >= settings.least_conduct)
    found = _events(t, LIMB, who[:, None], limbs.frame[who], limbs.depth[who], severity[who])
    told = map(_frames, limbs.frames[who].tolist())
    return [
        each | {"reason": f"for {count}{_LARGER_BODY if each['severity'] >= 1.0 else ''}"}
        for each, count in zip(found, told, strict=True)
    ]


def conduct_events(
    t: Trajectories,
    conduct: Conduct,
    refused: Mapping[int, str],
    is_free: Callable[[Int64, Int64, Float64], Bool],
    settings: ReportSettings,
) -> list[Event]:
    """Return events for agents that freeze, spin, shake, walk backwards or on somebody's heels.

    Args:
        t: the trajectories.
        conduct: of each.
        refused: agents without a route, who do not freeze.
        is_free: says whether bodies could go on in a direction; people who are walled in have no choice.
        settings: from which severity on events are listed.
    """
    visible, least = settings.visible, settings.least_conduct
    found: list[Event] = []
    frozen, behind = _with_room(t, conduct, is_free, settings)
    for kind, (amount, row), limit in (
        (FROZEN, frozen, visible.frozen),
        (SPINNING, conduct.spins, visible.spin),
        (JITTER, conduct.shakes, visible.shake),
        (BACKWARDS, conduct.backwards, visible.backwards),
        (BEHIND, behind, visible.behind),
    ):
        severity = amount / limit
        listed = (severity >= least) if kind != SPINNING else amount > _HALF_A_TURN
        if kind == FROZEN:
            listed &= ~np.isin(np.arange(len(amount)), list(refused))
        who = np.flatnonzero(listed)
        agents = np.stack((who, conduct.leaders[who]), axis=1) if kind == BEHIND else who[:, None]
        found += _events(t, kind, agents, t.frames[row[who]] if len(who) else who, amount[who], severity[who])
    return found


def _with_room(
    t: Trajectories, conduct: Conduct, is_free: Callable[[Int64, Int64, Float64], Bool], settings: ReportSettings
) -> tuple[Worst, Worst]:
    """Return `frozen` and `behind` of those whom no wall leaves without a choice; less than what is listed is 0."""
    frozen, behind = conduct.frozen, conduct.behind
    stands = np.flatnonzero(frozen.amount >= settings.least_conduct * settings.visible.frozen)
    follows = np.flatnonzero(behind.amount >= settings.least_conduct * settings.visible.behind)
    wish = t.wish[frozen.row[stands], stands].astype(np.float64)
    left = t.velocity[behind.row[follows], follows][:, ::-1] * (-1.0, 1.0)
    who = np.concatenate((stands, follows, follows))
    row = np.concatenate((frozen.row[stands], behind.row[follows], behind.row[follows]))
    free = is_free(row, who, np.concatenate((wish, left, -left)))
    goes_on, on_the_left, on_the_right = np.split(free, (len(stands), len(stands) + len(follows)))
    amounts = np.zeros((2, len(t.radius)))
    amounts[0, stands] = frozen.amount[stands] * goes_on
    amounts[1, follows] = behind.amount[follows] * (on_the_left | on_the_right)
    return Worst(amounts[0], frozen.row), Worst(amounts[1], behind.row)


def wall_events(t: Trajectories, depth: Float64, frame: Int64, settings: ReportSettings) -> list[Event]:
    """Return events for agents in walls, of the largest depth of each agent (A,) [m] and its frame (A,)."""
    severity = depth / settings.visible.wall_depth
    who = np.flatnonzero((depth > 0.0) & (severity >= settings.least_severity))
    return _events(t, WALL, who[:, None], frame[who], depth[who], severity[who])


def face_off_events(t: Trajectories, face_offs: MetPairs, settings: ReportSettings) -> list[Event]:
    """Return events for pairs that stand in each other's way."""
    seconds = face_offs.frames / t.fps
    severity = seconds / settings.visible.face_off
    seen = np.flatnonzero(severity >= settings.least_conduct)
    return _events(t, FACE_OFF, face_offs.agents[seen], face_offs.frame[seen], seconds[seen], severity[seen])


def halt_events(
    t: Trajectories,
    halts: HeldUp,
    waits: Bool,
    refused: Mapping[int, str],
    settings: ReportSettings,
    *,
    known: Iterable[Event] = (),
) -> list[Event]:
    """Return events for agents that are held up before their goal, each time.

    Args:
        t: the trajectories.
        halts: when they are.
        waits: bool (F, A), who stands for a recorded reason: this is less severe.
        refused: agents without a route: they have events of their own.
        settings: from which severity on events are listed.
        known: events that explain a halt, if they last for half of it.
    """
    if not len(halts.agent):
        return []
    seconds, waited = (halts.end - halts.first) / t.fps, _waited(halts, waits, t.fps)
    least = settings.least_severity * settings.visible.stop
    waited = np.where(waited >= settings.waiting_share * seconds, seconds, waited)
    severity = (seconds - waited) / settings.visible.stop + waited / settings.visible.wait
    severity = np.where(seconds >= least, np.maximum(severity, settings.least_severity), severity)
    told = (severity >= settings.least_severity) & ~np.isin(halts.agent, list(refused))
    told &= ~_are_explained(t, halts, known, (FROZEN, FACE_OFF))
    found = []
    for kind, is_kind in ((STUCK, waited < seconds), (WAITS, waited >= seconds)):
        found += _spell_events(t, kind, halts, told & is_kind, severity)
    return found


def creeping_events(
    t: Trajectories,
    creeping: HeldUp,
    waits: Bool,
    refused: Mapping[int, str],
    settings: ReportSettings,
    *,
    known: Iterable[Event],
) -> list[Event]:
    """Return events for agents that creep, each time, without those who wait; arguments as of `halt_events`."""
    if not len(creeping.agent):
        return []
    seconds = (creeping.end - creeping.first) / t.fps
    severity = seconds / settings.visible.creep
    told = (severity >= settings.least_conduct) & (_waited(creeping, waits, t.fps) < settings.waiting_share * seconds)
    told &= ~_are_explained(t, creeping, known, (FROZEN, FACE_OFF, STUCK, WAITS))
    told &= ~np.isin(creeping.agent, list(refused))
    return _spell_events(t, CREEPING, creeping, told, severity)


def _spell_events(t: Trajectories, kind: str, spells: HeldUp, told: Bool, severity: Float64) -> list[Event]:
    """Return events of those spells that are `told`, bool (H,), each from its first frame on, for as long as it is."""
    agent, first, end = (column[told] for column in spells)
    return _events(t, kind, agent[:, None], t.frames[first], (end - first) / t.fps, severity[told])


def _waited(halts: HeldUp, waits: Bool, fps: float) -> Float64:
    """Return float64 (H,), for how much of halts their agents wait, of bool (F, A), who does [s]."""
    count = np.zeros((waits.shape[1], len(waits) + 1), dtype=np.int32)
    np.cumsum(waits.T, axis=1, out=count[:, 1:])
    return (count[halts.agent, halts.end] - count[halts.agent, halts.first]) / fps


def _are_explained(t: Trajectories, halts: HeldUp, known: Iterable[Event], kinds: Collection[str]) -> Bool:
    """Return bool (H,), whether events of some kinds last for half of each halt and more."""
    told = [(who, each["frame"], each["amount"]) for each in known if each["kind"] in kinds for who in each["agents"]]
    agent, frame, amount = np.array(told).reshape(-1, 3).T
    rows = len(t.frames) + 1  # halts are in the order of their agents, and of time
    row = _rows_of(t, frame)
    halt = np.searchsorted(halts.agent * rows + halts.first, agent * rows + row, side="right") - 1
    within = (halt >= 0) & (halts.agent[halt] == agent) & (row < halts.end[halt])
    explained = np.bincount(halt[within], amount[within], len(halts.agent))
    return explained >= 0.5 * (halts.end - halts.first) / t.fps


def refused_events(
    t: Trajectories, seconds: Float64, frame: Int64, refused: Mapping[int, str], settings: ReportSettings
) -> list[Event]:
    """Return events for agents that have no route.

    Args:
        t: the trajectories.
        seconds: float64 (A,), the longest stop of each [s].
        frame: int64 (A,), its first frame.
        refused: agents without a route, and the reasons.
        settings: how severe that is.
    """
    without_route = np.isin(np.arange(len(seconds)), list(refused)) & t.present.any(axis=0)
    of_reason: dict[tuple[int, str], list[int]] = {}
    for agent in sorted(np.flatnonzero(without_route).tolist(), key=lambda agent: (-seconds[agent], agent)):
        of_reason.setdefault((int(t.crowd[agent]), _without_places(refused[agent])), []).append(agent)
    first = np.array([agents[0] for agents in of_reason.values()], dtype=np.int64)
    severity = np.maximum(seconds[first] / settings.visible.stop, settings.refused_severity)
    of_first = _events(t, REFUSED, first[:, None], frame[first], seconds[first], severity)
    everybody = zip(of_first, of_reason.values(), strict=True)
    return [each | {"agents": agents, "reason": refused[agents[0]]} for each, agents in everybody]


def _without_places(reason: str) -> str:
    """Return a reason without places and widths, so that agents with the same reason compare equal."""
    return _NAME_PLACE_OR_WIDTH.sub(lambda found: found["name"] or "", reason)


def event(t: Trajectories, kind: str, agent: int, *, frame: int, amount: float, severity: float) -> Event:
    """Return an event of one agent, measured elsewhere."""
    who = np.array([[agent]])
    return _events(t, kind, who, np.array([frame]), np.array([amount]), np.array([severity]))[0]


def ranked(events: Iterable[Event], settings: ReportSettings = REPORT) -> tuple[list[Event], dict[str, int]]:
    """Return the events that are listed, the worst first, and how many of each kind exceed the number listed."""
    most = settings.most_events
    kept: list[Event] = []
    count: dict[str, int] = {}
    for each in sorted(events, key=lambda each: (-each["severity"], each["kind"], each["frame"], each["agents"])):
        if each["severity"] < settings.least_severity:
            break
        count[each["kind"]] = count.get(each["kind"], 0) + 1
        if count[each["kind"]] <= most:
            kept.append(each)
    return kept, {kind: number - most for kind, number in count.items() if number > most}


def _rows_of(t: Trajectories, frame: Int64) -> Int64:
    """Return the rows of frames, int64 (M,); without any frame there is nothing to look up."""
    return frame - t.frames[0] if len(t.frames) else frame


def _events(t: Trajectories, kind: str, agents: Int64, frame: Int64, amount: Float64, severity: Float64) -> list[Event]:
    """Return events of `agents` (M, K), each at their mean position."""
    rows = _rows_of(t, frame)
    places = t.position[rows[:, None], agents].mean(axis=1).round(3)  # (M, 3)
    columns = (agents, frame, np.nan_to_num(places), amount, severity)
    return [
        {"kind": kind, "agents": who, "frame": when, "place": where, "amount": much, "severity": bad}
        for who, when, where, much, bad in zip(*(column.tolist() for column in columns), strict=True)
    ]
