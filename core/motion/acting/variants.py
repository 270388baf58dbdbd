# SPDX-License-Identifier: GPL-3.0-or-later
"""Which clip of an activity somebody plays, and from which part on, so that neighbours who do the same look different.

Clip and part are one number: the clip is its remainder by how many there are, and the part its quotient.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import dot, power
from .cues import SIT, STAND

_PLASTIC = 0.7548776662466927  # draws that are multiples of it are spread evenly


@dataclass(frozen=True)
class VariantSettings:
    """How people who do the same beside each other differ; chosen by eye.

    Attributes:
        neighbours: people nearer to each other than this do not play the same clip at the same time, as long as there
            are enough clips [m].
        nearest: of those who are nearer, none counts for more [m].
        clips: how many clips of our own there are of an activity; of all others there is one.
        parts: those who have to share a clip are at different ones of so many parts of it, at any time.
        next_part: how much two neighbouring parts look alike; that of the same part is 1.
        wide: the activity, and the clip of it from 0, in which an elbow is held out.
        turn: shortest time for which somebody does something in one way [s].
        longest_turn: and longest [s].
        weight_near: of the same part of a clip; that of the same clip is 1.
        weight_parity: of two clips that are the same where a character has only two.
        weight_beside: of the same part of another clip, which are the same where a character has only one.
        weight_earlier: of the clip that a neighbour played before, over that of the one that it plays.
        blends: so long after somebody changed the clip, the one before is still seen as well [s].
        weight_before: of the clip that somebody played before.
        weight_part: of another part than that; small beside all others.
        weight_wide: of an elbow held out where there is no room, more than all neighbours together.
    """

    neighbours: float = 2.0
    nearest: float = 0.4
    clips: dict[str, int] = field(
        default_factory=lambda: {STAND: 6, "talk": 3, "listen": 3, SIT: 6, "phone": 2, "look_round": 3, "point": 2}
    )
    parts: int = 6
    next_part: float = 0.2
    wide: tuple[str, int] = (STAND, 2)
    turn: float = 8.0
    longest_turn: float = 16.0
    weight_near: float = 6.0
    weight_parity: float = 0.01
    weight_beside: float = 0.01
    weight_earlier: float = 0.03
    blends: float = 3.0
    weight_before: float = 2.5
    weight_part: float = 0.01
    weight_wide: float = 1000.0

    def clips_of(self, activity: str) -> int:
        """How many clips of our own there are of an activity."""
        return self.clips.get(activity, 1)

    def part_of(self, number: int, activity: str) -> float:
        """The part of a clip that has passed as it begins, in [0, 1)."""
        return number // self.clips_of(activity) % self.parts / self.parts

    def share_of(self, number: int, activity: str) -> float:
        """A number in [0, 1) that is evenly spread over the clips of an activity, and over the parts of each."""
        clips = self.clips_of(activity)
        return (number % clips + self.part_of(number, activity)) / clips


VARIANTS = VariantSettings()

_NEAR = np.cumprod([1.0] + VARIANTS.parts // 2 * [VARIANTS.next_part])  # how alike parts are, by how far apart


class Turns(NamedTuple):
    """Times for which somebody does something in one way, sorted by their first row.

    Attributes:
        agent: int64 (T,).
        first: int64 (T,), the first row.
        end: int64 (T,), the row after the last.
        activity: int64 (T,), an index into the names of the activities.
    """

    agent: Int64
    first: Int64
    end: Int64
    activity: Int64


def divide_into_turns(told: NDArray[np.integer], number: Int64, rate: float) -> Turns:
    """Divide what people do into turns, drawn by person.

    Args:
        told: int (S, A), the activity of each at some moments; 0 for those who walk or are absent.
        number: int64 (A,), of each in its crowd.
        rate: moments per second.
    """
    padded = np.pad(told.T, ((0, 0), (1, 1)))  # (A, S + 2)
    agents, rows = np.nonzero(np.diff(padded, axis=1))
    shortest = VARIANTS.turn * rate
    found = []
    for place in range(len(agents) - 1):
        agent, first, end = int(agents[place]), int(rows[place]), int(rows[place + 1])
        if agents[place + 1] != agent or not padded[agent, first + 1]:
            continue
        activity = int(padded[agent, first + 1])
        while first < end:
            u = _PLASTIC * 7.0 * (int(number[agent]) + first) % 1.0
            last = first + round(shortest + (VARIANTS.longest_turn - VARIANTS.turn) * rate * u)
            last = end if end - last < 0.5 * shortest else last
            found.append((first, agent, last, activity))
            first = last
    found.sort()
    columns = np.array(found, dtype=np.int64).reshape(-1, 4).T
    return Turns(columns[1], columns[0], columns[2], columns[3])


def choose_variants(
    turns: Turns,
    names: Sequence[str],
    number: Int64,
    has_room: Bool,
    neighbours: Iterator[tuple[Int64, Float64]],
    rate: float,
) -> Int64:
    """Choose the variant of each turn, int64 (T,): one that none of the neighbours has who do the same at its start.

    Args:
        turns: in their order; who begins earlier has the choice.
        names: of the activities.
        number: int64 (A,), of each person in its crowd.
        has_room: bool (T,), whether an elbow may be held out.
        neighbours: of each turn, who is near at its start, int64 (N,), and how far, float64 (N,) [m].
        rate: moments per second.
    """
    chosen, begun, until, doing, earlier = (np.full(len(number), -1, dtype=np.int64) for _ in range(5))
    found = np.empty(len(turns.agent), dtype=np.int64)
    columns = [column.tolist() for column in turns]
    for place, (agent, first, end, activity) in enumerate(zip(*columns, strict=True)):
        near, apart = next(neighbours)
        name = names[int(activity)]
        clips = VARIANTS.clips_of(name)
        count = clips * VARIANTS.parts
        options = (np.arange(count) + int(1e3 * _PLASTIC * (number[agent] + 7 * first))) % count
        same = (doing[near] == activity) & (until[near] > first)
        weight = power(VARIANTS.neighbours / np.maximum(apart, VARIANTS.nearest), 3)
        cost = dot(_likeness(options, chosen[near[same]], clips), weight[same])
        same &= (earlier[near] >= 0) & (first - begun[near] < VARIANTS.blends * rate)
        cost += VARIANTS.weight_earlier * dot(_likeness(options, earlier[near[same]], clips), weight[same])
        goes_on = doing[agent] == activity and until[agent] == first
        earlier[agent] = chosen[agent] if goes_on else -1
        if goes_on:  # another clip than before, at the same part
            before = int(chosen[agent])
            cost += VARIANTS.weight_before * (clips > 1) * (options % clips == before % clips)
            cost += VARIANTS.weight_part * (options // clips != before // clips)
        if name == VARIANTS.wide[0] and not has_room[place]:
            cost += VARIANTS.weight_wide * (options % clips == VARIANTS.wide[1])
        found[place] = chosen[agent] = options[int(cost.argmin())]
        begun[agent], doing[agent], until[agent] = first, activity, end
    return found


def _likeness(options: Int64, theirs: Int64, clips: int) -> Float64:
    """How much each of some variants looks like each of those that neighbours have, float64 (V, N)."""
    one, other = options[:, None], theirs[None]
    off = np.abs(one // clips - other // clips) % VARIANTS.parts
    off = np.minimum(off, VARIANTS.parts - off)
    near = _NEAR[off]
    same_clip = one % clips == other % clips
    alike = VARIANTS.weight_parity * (one % 2 == other % 2) + VARIANTS.weight_beside * (off == 0)
    return np.where(same_clip, (clips > 1) + VARIANTS.weight_near * near, alike)


def told_of(
    activity: NDArray[np.int8], names: Sequence[str], still: Bool, present: Bool, rests: Bool | None = None
) -> NDArray[np.int8]:
    """Return what is done, with standing for those who do nothing and stand; int8, as `activity`, 0: they walk.

    Who comes to a stop begins to do something as soon as they rest, and sits down at once.

    Args:
        activity: int8 (F,) or (F, A), what is recorded at each moment, an index into `names`.
        names: of the activities.
        still: bool, likewise, whether each stands.
        present: bool, likewise.
        rests: bool, likewise, whether each hardly moves, also one without a walk that ends; None: who stands.
    """
    stands, sits = names.index(STAND), names.index(SIT) if SIT in names else -1
    rests, does = still if rests is None else rests, present & (activity != 0)
    moment = np.arange(len(activity)).reshape(-1, *(1,) * (activity.ndim - 1))
    goes_on = does & np.concatenate([np.zeros_like(does[:1]), does[:-1]])
    began = np.maximum.accumulate(np.where(goes_on, 0, moment))
    rested = np.maximum.accumulate(np.where(rests | (activity == sits), moment, -1))
    only_stands = np.where(still & present & ~does, stands, 0)
    return np.where(does & (rested >= began), activity, only_stands).astype(np.int8)
