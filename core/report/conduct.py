# SPDX-License-Identifier: GPL-3.0-or-later
"""What people do that no person does: freeze before free ground, spin, shake, walk backwards or on another's heels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..array_types import Bool, Float64, Int64
from ..geometry.reproducible_math import heading_vector, length
from ..simulation.world.doing import Doing
from ..trajectories import Trajectories
from .contacts import Contacts
from .report_settings import ConductSettings, ReportSettings

_WAIT = (Doing.QUEUEING, Doing.LETTING_THROUGH, Doing.FOLLOWING_VEHICLE, Doing.QUEUEING_IN_LANE, Doing.GIVING_WAY)
_WAIT += (Doing.STOPPING_FOR_PEOPLE, Doing.WAITING)
_BEHIND = (Doing.HELD_UP, Doing.FOLLOWING, Doing.MAKING_WAY, Doing.OVERTAKING)  # wait if those because of whom do


class Worst(NamedTuple):
    """The worst of each agent: `amount` float64 (A,), 0 where there is nothing, and its `row` int64 (A,)."""

    amount: Float64
    row: Int64


@dataclass(frozen=True, eq=False)
class Conduct:
    """What each agent does that is conspicuous.

    Attributes:
        frozen: the longest time that each stands, wants to go, and has nobody before it [s], with its middle.
        spins: the largest turn on the spot [rad], with its middle.
        shakes: the longest time that velocity or heading shakes [s], with its middle.
        backwards: how far each walks with the back ahead [m], with the middle of it.
        behind: the longest time close behind others while there is room [s], with its middle.
        leaders: int64 (A,), the person ahead then; -1 for nobody.
        waits: bool (F, A), who stands for a recorded reason.
    """

    frozen: Worst
    spins: Worst
    shakes: Worst
    backwards: Worst
    behind: Worst
    leaders: Int64
    waits: Bool


def find_conduct(
    t: Trajectories, contacts: Contacts, stopped: Bool, on_purpose: Bool, settings: ConductSettings
) -> Conduct:
    """Return what each agent does that is conspicuous.

    Args:
        t: the trajectories.
        contacts: who is close to whom.
        stopped: bool (F, A), whether each stands and has not arrived.
        on_purpose: bool (F, A), who stays where they are because they want to, and turns there as they want.
        settings: what is conspicuous.
    """
    boxes = t.box.any(axis=1)
    people = np.flatnonzero(~boxes) if boxes.any() else slice(None)
    behind = _seconds(contacts.leader >= 0, t.fps)
    agents = np.arange(len(t.radius))
    leaders = contacts.leader[behind.row, agents].astype(np.int64) if len(t.frames) else np.full(len(agents), -1)
    waits = _find_who_waits(t)
    stands = stopped & ~contacts.blocked & ~waits & (t.doing != Doing.STOPPING_FOR_OBSTACLE)
    towards = heading_vector(t.heading[:, people])
    return Conduct(
        frozen=_seconds(_wants_to_go(t, stands, settings), t.fps),
        spins=_spins(t, people, towards, on_purpose, settings),
        shakes=_seconds(_shakes(t, people, settings), t.fps),
        backwards=_backwards(t, people, towards, settings),
        behind=behind,
        leaders=leaders,
        waits=waits,
    )


def _find_who_waits(t: Trajectories) -> Bool:
    """Return bool (F, A), who waits for their turn or behind those who do, as recorded.

    Two who hold each other up wait for nobody.
    """
    waits = np.isin(t.doing, _WAIT)
    row, agent = np.nonzero(np.isin(t.doing, _BEHIND) & (t.because_of >= 0))
    while len(row):
        behind = waits[row, t.because_of[row, agent]]
        if not behind.any():
            break
        waits[row[behind], agent[behind]] = True
        row, agent = row[~behind], agent[~behind]
    return waits


class HeldUp(NamedTuple):
    """H times that agents are held up: int64 (H,) each, the agent, its first row, and one past the last."""

    agent: Int64
    first: Int64
    end: Int64


def find_halts(stopped: Bool, slow: Bool, pause: int) -> HeldUp:
    """Return when agents are held up: while slow, if they stop, with what comes less than `pause` frames later.

    Args:
        stopped: bool (F, A).
        slow: bool (F, A), wherever they are stopped and more.
        pause: frames.
    """
    agent, first, end = _runs(slow)
    rows = len(slow) + 1
    count = np.zeros((slow.shape[1], rows), dtype=np.int64)
    np.cumsum(stopped.T, axis=1, out=count[:, 1:])
    halts = np.flatnonzero(count[agent, end] > count[agent, first])
    agent, first, end = agent[halts], first[halts], end[halts]
    apart = (np.diff(agent) > 0) | (first[1:] - end[:-1] >= pause)
    begins, ends = np.concatenate([[True], apart])[: len(agent)], np.concatenate([apart, [True]])[: len(agent)]
    return HeldUp(agent[begins], first[begins], end[ends])


def find_creeping(t: Trajectories, speed: Float64, moves: Bool, settings: ReportSettings) -> HeldUp:
    """Return when people creep, and runners walk, whose pace others take from them; vehicles never do.

    Who goes as fast as they want at that moment does not: on stairs, in a bend, or after a trigger that hurried them.
    Who flees or runs at a trigger does so for a while, at the pace that the user gave.

    Args:
        t: the trajectories.
        speed: float64 (F, A), NaN where absent [m/s].
        moves: bool (F, A), who is on the way.
        settings: how slow that is.
    """
    walks = (t.doing != Doing.RUNNING) & (t.doing != Doing.FLEEING)
    fastest = np.max(speed, axis=0, where=t.present & walks, initial=0.0)
    share, wish = settings.creeping_share * fastest, length(t.wish)  # NaN where it is not recorded
    limit = np.minimum(share, settings.creeping_speed)
    runs = (fastest > settings.running_speed) & (wish > settings.running_share * fastest)
    slow = (speed < np.where(runs, share, limit)) & ~(speed > settings.unhindered_share * wish)
    people = (limit > settings.held_up_speed) & ~t.box.any(axis=1)
    creeps = moves & people & slow & walks
    return find_halts(creeps, creeps, round(settings.pause * t.fps))


def longest_of(halts: HeldUp, agents: int) -> tuple[Int64, Int64]:
    """Return int64 (A,) each, how long the longest halt of each agent is, and the row that it begins in."""
    longest, begin = np.zeros(agents, dtype=np.int64), np.zeros(agents, dtype=np.int64)
    length = halts.end - halts.first
    order = np.lexsort((-halts.first, length))  # the longest, and of these the first, come last
    longest[halts.agent[order]], begin[halts.agent[order]] = length[order], halts.first[order]
    return longest, begin


def _runs(flags: Bool) -> tuple[Int64, Int64, Int64]:
    """Runs of true in columns of bool (F, A): the column, the first row, and one past the last, in this order."""
    rows, agents = flags.shape
    framed = np.zeros((agents, rows + 1), dtype=np.int8)
    framed[:, :-1] = flags.T
    change = np.diff(framed.ravel(), prepend=0)
    start, end = np.flatnonzero(change == 1), np.flatnonzero(change == -1)
    agent = start // (rows + 1)
    return agent, start % (rows + 1), end - agent * (rows + 1)


def longest_runs(flags: Bool) -> tuple[Int64, Int64]:
    """Return int64 (A,) each, the longest run of true in each column of bool (F, A) and the row that it begins in."""
    return longest_of(HeldUp(*_runs(flags)), flags.shape[1])


def _seconds(flags: Bool, fps: float) -> Worst:
    """Return the longest time that each column of bool (F, A) is true, and its middle."""
    length, begin = longest_runs(flags)
    return Worst(length / fps, begin + length // 2)


def _wants_to_go(t: Trajectories, stands: Bool, settings: ConductSettings) -> Bool:
    """Return bool (F, A), who of those who stand wants to go, as recorded."""
    wants = np.zeros_like(stands)
    row, agent = np.nonzero(stands)
    wish = t.wish[row, agent].astype(np.float64)
    wants[row, agent] = np.hypot(wish[:, 0], wish[:, 1]) > settings.wished_speed
    return wants


def _spins(
    t: Trajectories, people: Int64 | slice, towards: Float64, on_purpose: Bool, settings: ConductSettings
) -> Worst:
    """Return the largest turn of each on the spot, about the middle of a time; they look `towards` (F, P, 2)."""
    amount, middle = np.zeros(len(t.radius)), np.zeros(len(t.radius), dtype=np.int64)
    heading = t.heading[:, people]
    if heading.shape[0] < 2 or not heading.shape[1]:
        return Worst(amount, middle)
    stays = on_purpose[1:, people]
    if stays.any():  # who looks at something, or talks, turns to it on purpose
        heading = heading.copy()
        heading[1:] -= np.cumsum(np.where(stays, np.nan_to_num(np.diff(heading, axis=0)), 0.0), axis=0)
    onwards = max(1, round(settings.spin_times[0] * t.fps))
    largest, when, which = amount[people], middle[people], np.arange(heading.shape[1])
    x, y = (np.diff(t.position[:, people, axis], axis=0) for axis in (0, 1))
    walked = np.zeros_like(heading)
    np.cumsum(np.nan_to_num(np.sqrt(x * x + y * y)), axis=0, out=walked[1:])
    for seconds in settings.spin_times:
        frames = min(max(1, round(seconds * t.fps)), len(heading) - 1)
        turn = np.abs(heading[frames:] - heading[:-frames])
        turn[~((walked[frames:] - walked[:-frames] < settings.spot) & (turn >= 0.0))] = 0.0
        turn[
            (turn < settings.most_of_a_turn)
            & _walks_on(t.position[frames:, people, :2], towards[frames:], onwards, settings)
        ] = 0.0
        row = np.argmax(turn, axis=0)
        larger = turn[row, which] > largest
        largest = np.where(larger, turn[row, which], largest)
        when = np.where(larger, row + frames // 2, when)
    amount[people], middle[people] = largest, when
    return Worst(amount, middle)


def _walks_on(position: Float64, towards: Float64, frames: int, settings: ConductSettings) -> Bool:
    """Return bool (F, A), who walks on the way that it looks: places and directions (F, A, 2), for some frames."""
    after = np.minimum(np.arange(len(position)) + frames, len(position) - 1)
    return ((position[after] - position) * towards).sum(axis=-1) > settings.onwards


def _backwards(t: Trajectories, people: Int64 | slice, towards: Float64, settings: ConductSettings) -> Worst:
    """Return how far each walks with the back ahead before walking on, at whatever speed, and the middle of that.

    They look `towards`, float64 (F, P, 2).
    Steps back add up, also over a pause, and steps ahead make up for them. Who sits down moves back onto the seat and
    walks nowhere; the velocity of the frames beside has a share of it.
    """
    amount, middle = np.zeros(len(t.radius)), np.zeros(len(t.radius), dtype=np.int64)
    velocity = t.velocity[:, people]
    if not velocity.size:
        return Worst(amount, middle)
    ahead = (velocity * towards).sum(axis=-1)
    seated = t.seated[:, people]
    seated[:-1] |= seated[1:]
    seated[1:] |= seated[:-1]
    walks = t.present[:, people] & ~seated & (np.abs(ahead) > settings.still_speed)
    gone = np.cumsum(np.where(walks, -ahead, 0.0), axis=0) / t.fps
    back = gone - np.minimum(np.minimum.accumulate(gone, axis=0), 0.0)  # since the place farthest ahead
    last, which = np.argmax(back, axis=0), np.arange(back.shape[1])
    rows = np.arange(len(back))[:, None]
    first = np.where((back == 0.0) & (rows <= last), rows, 0).max(axis=0)
    amount[people], middle[people] = back[last, which], (first + last) // 2
    return Worst(amount, middle)


def _shakes(t: Trajectories, people: Int64 | slice, settings: ConductSettings) -> Bool:
    """Return bool (F, A), about when velocity or heading go back and forth for most of a second."""
    shakes = np.zeros(t.present.shape, dtype=bool)
    lag, window = max(1, round(settings.shake_time * t.fps)), max(2, round(t.fps))
    if len(t.frames) <= 2 * lag + window:
        return shakes
    x, y, turn = (
        each[lag:, people] - each[:-lag, people] for each in (t.velocity[..., 0], t.velocity[..., 1], t.heading)
    )
    limit, turn_limit = (most * lag / t.fps for most in (settings.shake_acceleration, settings.shake_turn))
    back = x[lag:] * x[:-lag] + y[lag:] * y[:-lag] < -(limit**2)
    back |= turn[lag:] * turn[:-lag] < -(turn_limit**2)
    count = np.zeros((len(back) + 1, back.shape[1]), dtype=np.int32)
    np.cumsum(back, axis=0, out=count[1:])
    often = count[window:] - count[:-window] >= settings.shake_share * window
    middle = lag + window // 2
    shakes[middle : middle + len(often), people] = often
    return shakes
