# SPDX-License-Identifier: GPL-3.0-or-later
"""Small steps of people who stand with a foot out of place, or turn on the spot: one foot after the other.

The feet alternate: each may step in its half of a cycle only, so that no two are in the air, and the cycle is faster
the faster somebody turns or moves. A foot lands where it is to stand half way to its next step; the one on the side to
which somebody turns lands further ahead than the other, so that feet open and close, and do not cross.

A walk ends while one foot swings, and begins so: that foot is given the time of a step, however soon the walk ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.ragged import Runs, runs_in
from ...geometry.reproducible_math import length
from .body_motion import BodyMotion, turned
from .foot_contacts import Stance


@dataclass(frozen=True)
class SmallStepSettings:
    """How people step who stand; chosen by trial on the built-in figures.

    Attributes:
        slowest: time of a cycle, in which each foot may step once [s].
        fastest: the shortest time of a cycle [s].
        turn: people who turn further than this in the time of a cycle take faster steps [rad].
        way: so do people who move further than this in it, as a share of the leg.
        first: time from standing to the first small step [cycles].
        after_walk: the same of the foot that did not bear the body when a walk ended; the other one comes second.
        time: duration of a small step [cycles].
        offset: offset of a foot from its place that starts a small step, as a share of the leg.
        twist: twist that starts a small step [rad].
        lead: a small step ends at the place of the foot at a later moment, this share of the time that it will stand.
        opening: in a step that turns by half of `turn` the inner foot is set so much further ahead, the outer one less.
    """

    slowest: float = 0.76
    fastest: float = 0.5
    turn: float = 1.1
    way: float = 0.35
    first: float = 0.2
    after_walk: float = 0.05
    time: float = 0.45
    offset: float = 0.02
    twist: float = 0.12
    lead: float = 0.5
    opening: float = 0.2


SMALL_STEPS = SmallStepSettings()

_CYCLE = 1000  # whole parts of a cycle, whose sums are the same for everybody alone as among others


class FootContacts(NamedTuple):
    """The contacts of a foot, in the flat array of agents and frames.

    Attributes:
        runs: the frames of each.
        anchors: int64 (C,), the frame that gives the place of each.
    """

    runs: Runs
    anchors: Int64


class _Pauses(NamedTuple):
    """The runs of frames in which people stand, in the flat array.

    Attributes:
        runs: the frames of each.
        walked: bool (R,), they walked before.
        goes: bool (R,), they walk on afterwards.
        bore: bool (R,), the foot bore the body when they came to a stand.
        bears: bool (R,), it bears the body when they walk on.
    """

    runs: Runs
    walked: Bool
    goes: Bool
    bore: Bool
    bears: Bool


def plan_small_steps(
    motion: BodyMotion,
    ball: Float64,
    stance: Stance,
    planted: Bool,
    contacts: FootContacts,
    *,
    leg: float,
    order: int,
    other: Bool | None = None,
) -> tuple[Runs, Int64]:
    """Plan the small steps of one foot.

    Args:
        motion: of the agents.
        ball: float64 (A, F, 2), the ball of the foot in the clips, in the axes of the body.
        stance: when the foot stands in the clips.
        planted: bool (A, F), where it is on the ground without small steps.
        contacts: the same as runs.
        leg: length of the leg.
        order: which foot steps first where both have to.
        other: as `planted`, of the other foot; None: it is not known.

    Returns:
        The frames at which the foot is in the air, in the flat array; and for each frame (A * F,) at which a step ends,
        the frame whose place of the foot it ends at, otherwise -1.
    """
    settings = SMALL_STEPS
    set_down = np.full(planted.size, -1)
    pauses = _find_pauses(motion, stance)
    runs = pauses.runs
    if not len(runs.first):
        return runs, set_down
    cycle = _stepping_cycle(motion, settings, leg=leg)
    heading = motion.heading.ravel()
    place = (motion.position + turned(ball, *motion.towards)).reshape(-1, 2)
    side = np.sign(ball[..., 1].reshape(-1)[runs.first])
    stood = contacts.anchors[np.searchsorted(contacts.runs.first, runs.first, "right") - 1]
    wanted = cycle[runs.first] + _CYCLE * _first_step(pauses, heading, side, cycle, order=order)
    air = runs_in(~planted & motion.present)
    until, lifts = _lift_in_time(pauses, planted, air, cycle, settings)
    if other is not None:
        _wait_for(other, pauses, motion.present, cycle, until)
    lands, landing = _land_in_time(pauses, planted, air, cycle, until, settings)
    set_down[landing] = stood[lands] = _foreseen(cycle, landing, settings.lead, runs.last[lands] - 1)
    wanted[lands] += _CYCLE
    first, last = [runs.first[lands], until[lifts]], [landing, runs.last[lifts]]
    here = np.arange(len(wanted))
    while True:
        begin, end = (np.searchsorted(cycle, wanted[here] + _CYCLE * added) for added in (0.0, settings.time))
        end = np.maximum(end, begin + 2)
        inside = end < until[here]
        here, begin, end = here[inside], begin[inside], end[inside]
        if not len(here):
            break
        turn = side[here] * (heading[end] - heading[begin]) / settings.turn
        lead = settings.lead + settings.opening * np.clip(2.0 * turn, -1.0, 1.0)
        then = _foreseen(cycle, end, lead, runs.last[here] - 1)
        off = length(place[then] - place[stood[here]]) > settings.offset * leg
        off |= np.abs(heading[then] - heading[stood[here]]) > settings.twist
        first.append(begin[off])
        last.append(end[off])
        set_down[end[off]] = stood[here[off]] = then[off]
        wanted[here] += _CYCLE
    begun, ended = np.concatenate(first), np.concatenate(last)
    some = np.argsort(begun, kind="stable")
    some = some[ended[some] > begun[some]]
    return Runs(begun[some], ended[some]), set_down


def _find_pauses(motion: BodyMotion, stance: Stance) -> _Pauses:
    """Find who stands when, and which part the foot has in the walks before and after."""
    runs, frames = runs_in(motion.stands), motion.phase.shape[1]
    phase, gait, present = motion.phase.ravel(), motion.gait.ravel(), motion.present.ravel()
    before, after = runs.first - 1, np.minimum(runs.last, len(phase) - 1)
    walked = (runs.first % frames != 0) & present[before]
    goes = (runs.last % frames != 0) & present[after]
    near = 0.25 / len(stance.walking)
    bore, bears = (stance.off_middle(phase[each], gait[each]) < near for each in (before, after))
    return _Pauses(runs, walked, goes, bore, bears)


def _first_step(pauses: _Pauses, heading: Float64, side: Float64, cycle: Int64, *, order: int) -> Float64:
    """When the foot may step first after each stop, float64 (R,) [cycles]: turns begin with the inner foot."""
    settings, runs = SMALL_STEPS, pauses.runs
    soon = np.minimum(np.searchsorted(cycle, cycle[runs.first] + _CYCLE), runs.last - 1)
    turn = heading[soon] - heading[runs.first]
    second = np.where(np.abs(turn) > settings.twist, turn * side < 0.0, bool(order))
    after_walk = np.where(pauses.bore, 0.5, settings.after_walk)
    return np.where(pauses.walked, after_walk, settings.first + 0.5 * second)


def _lift_in_time(
    pauses: _Pauses, planted: Bool, air: Runs, cycle: Int64, settings: SmallStepSettings
) -> tuple[Int64, Int64]:
    """When small steps have to be over before a walk, int64 (R,), and the pauses after which the foot swings at once.

    It is lifted then, so early that it has the time of a step until it lands in the walk.
    """
    runs, step = pauses.runs, _CYCLE * settings.time
    after = np.minimum(runs.last, planted.size - 1)
    swings = pauses.goes & ~planted.ravel()[after]
    until = np.where(pauses.goes & pauses.bears, np.searchsorted(cycle, cycle[after] - step), runs.last)
    lifts = np.flatnonzero(swings)
    strikes = air.last[np.searchsorted(air.first, runs.last[lifts], "right") - 1]
    in_time = np.searchsorted(cycle, cycle[np.minimum(strikes, planted.size - 1)] - step)
    until[lifts] = np.minimum(in_time, runs.last[lifts])
    return np.clip(until, runs.first, runs.last), lifts


def _wait_for(other: Bool, pauses: _Pauses, present: Bool, cycle: Int64, until: Int64) -> None:
    """Let a foot that bears the body as people walk on step until the other one is lifted; changes `until`."""
    lifted, lifts = _lift_in_time(pauses, other, runs_in(~other & present), cycle, SMALL_STEPS)
    lifts = lifts[pauses.bears[lifts]]
    until[lifts] = lifted[lifts]


def _land_in_time(
    pauses: _Pauses, planted: Bool, air: Runs, cycle: Int64, until: Int64, settings: SmallStepSettings
) -> tuple[Int64, Int64]:
    """The pauses before which the foot swings, and where it lands after the time of a step, int64 (L,) both."""
    runs = pauses.runs
    lands = np.flatnonzero(pauses.walked & ~planted.ravel()[runs.first - 1])
    lifted = air.first[np.searchsorted(air.first, runs.first[lands] - 1, "right") - 1]
    landing = np.maximum(np.searchsorted(cycle, cycle[lifted] + _CYCLE * settings.time), runs.first[lands])
    inside = landing < until[lands]
    return lands[inside], landing[inside]


def _foreseen(cycle: Int64, landing: Int64, lead: Float64 | float, latest: Int64) -> Int64:
    """The frame whose place of the foot one that lands is set down at."""
    ahead = np.searchsorted(cycle, cycle[landing] + _CYCLE * lead * (1.0 - SMALL_STEPS.time))
    return np.clip(ahead, landing, np.maximum(latest, landing))


def _stepping_cycle(motion: BodyMotion, settings: SmallStepSettings, *, leg: float) -> Int64:
    """Small steps that there is time for until each frame, over all agents, int64 (A * F,), increasing [1 / _CYCLE]."""
    turn, moved = motion.turned / settings.turn, motion.moved / (settings.way * leg)
    slowest, fastest = (1.0 / (each * motion.fps) for each in (settings.slowest, settings.fastest))
    return np.cumsum(np.ceil(_CYCLE * np.clip(np.maximum(turn, moved), slowest, fastest)).astype(np.int64))
