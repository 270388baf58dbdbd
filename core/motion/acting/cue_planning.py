# SPDX-License-Identifier: GPL-3.0-or-later
"""From what is recorded of one person to the clips that it plays, each blended into the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...array_types import Bool, Float64
from .cues import ACTING, NONE, ONCE, SIT, SIT_DOWN, STAND, STAND_UP, Cue, activity_of, fade_of
from .elbow_room import ELBOW_ROOM, step_of

_GOLDEN = 0.6180339887498949  # phases of people in a row that are multiples of it are nowhere near each other
_PLASTIC = 0.7548776662466927  # and choices that are multiples of this one are spread over all there are


class _Scene(NamedTuple):
    """A part of a run in which one clip is played."""

    act: str
    first: int
    last: int


class Actor(NamedTuple):
    """What the clips of one person depend on.

    Attributes:
        fps: frames per second.
        seconds: length of each clip that may be played, by its name, as "talk_2".
        lot: random number in [0, 1) of the person.
        number: of the person in its crowd; phases of people in a row are far from each other.
        place: float64 (F, 2), where it is; who sits beside somebody sits in another way [m].
        reach: how far an arm is from the middle of the body in clips in which that is far [m].
        room: float32 (S,), see `find_elbow_room`; empty: nobody is near.
    """

    fps: float
    seconds: Mapping[str, float]
    lot: float
    number: int
    place: Float64
    reach: Mapping[str, float] = MappingProxyType({})
    room: NDArray[np.float32] = np.empty(0, dtype=np.float32)

    def rate_of(self, act: str) -> float:
        """How fast a clip is played, over its own speed."""
        spread = ACTING.once_rate if act in ONCE else ACTING.rate
        return 1.0 + spread * (2.0 * (97.0 * self.lot % 1.0) - 1.0)

    def has_room(self, act: str, first: int, end: int) -> bool:
        """Whether nobody is where an arm is in a clip that is played from one row to another."""
        step = step_of(self.fps)
        room = self.room[first // step : end // step + 1]
        return not len(room) or self.reach.get(act, -np.inf) + ELBOW_ROOM.body < float(room.min())


def plan_cues(
    activity: NDArray[np.int8],
    names: Sequence[str],
    still: Bool,
    present: Bool,
    person: Actor,
) -> tuple[Cue, ...]:
    """Plan which clips one person plays.

    Args:
        activity: int8 (F,), what is recorded, an index into `names`.
        names: of the activities.
        still: bool (F,), whether each stands.
        present: bool (F,).
        person: what else it depends on.
    """
    names = names or (NONE, STAND)
    stands = names.index(STAND)
    told = np.where(present, np.where(activity == 0, np.where(still, stands, 0), activity), 0)
    edges = np.concatenate([[0], np.flatnonzero(np.diff(told)) + 1, [len(told)]])
    scenes: list[_Scene] = []
    for first, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        name = names[int(told[first])]
        if name == NONE or end - first < _shortest(name) * person.fps:
            continue
        starts, stops = first > 0 and bool(present[first - 1]), end < len(told) and bool(present[end])
        scenes += _divide(name, first, end - 1, person, ends=(starts, stops))
    return tuple(_blended(scenes, present, person))


def _shortest(name: str) -> float:
    """Time from which on an activity is played [s]."""
    if name == STAND:
        return ACTING.shortest_stand
    return ACTING.shortest if name == SIT else max(ACTING.shortest, fade_of(f"{name}_1"))


def _divide(name: str, first: int, last: int, person: Actor, *, ends: tuple[bool, bool]) -> Iterator[_Scene]:
    """Divide a run of one activity into clips; `ends`: whether the person is there before it, and after it."""
    if name == SIT:
        down, up = (round(person.seconds.get(act, 0.0) * person.fps / person.rate_of(act)) for act in ONCE)
        down, up = (rows if is_seen else 0 for rows, is_seen in zip((down, up), ends, strict=True))
        seen = person.fps * fade_of("sit_1") if down else 0.0  # who sits as they appear may rise at once
        if last - first > down + up + seen:
            if down:
                yield _Scene(SIT_DOWN, first, first + down)
            yield from _in_turns(name, first + down, last - up, person)
            if up:
                yield _Scene(STAND_UP, last - up, last)
            return
    yield from _in_turns(name, first, last, person)


def _in_turns(name: str, first: int, last: int, person: Actor) -> Iterator[_Scene]:
    """Play one variant of an activity after the other, each for a while, no one twice in a row."""
    variants = sorted(act for act in person.seconds if activity_of(act) == name)
    before, shortest = "", ACTING.turn * person.fps / 2.0
    while variants and first < last:
        if name == SIT:
            number, end = _way_to_sit(first, len(variants), person)
            before = variants[number]
        else:
            u = _PLASTIC * (person.number + first) % 1.0  # people in a row begin in ways of their own
            turn = ACTING.turn + (ACTING.longest_turn - ACTING.turn) * ((u * 7.0) % 1.0)
            end = first + round(turn * person.fps)
            fitting = [act for act in variants if person.has_room(act, first, min(end + round(shortest), last))]
            others = [act for act in fitting if act != before] or fitting or variants
            before = others[int(u * len(others))]
        if len(variants) == 1 or last - end < shortest:
            end = last
        yield _Scene(before, first, end)
        first = end


def _way_to_sit(first: int, count: int, person: Actor) -> tuple[int, int]:
    """Which of so many ways somebody sits in from a row on, and the row up to which it does.

    All go through them in one order, who sit side by side some ways apart: so neighbours do not sit alike. Only those
    in a row at right angles to `ACTING.ways_per_metre` do, each at another moment of the clip.
    """
    turn, place = ACTING.seated_turn * person.fps, person.place[first]
    ahead = count * float(place @ np.array(ACTING.ways_per_metre)) + first / turn
    number = int(np.floor(ahead))
    end = first + int(np.ceil((number + 1 - ahead) * turn))
    return number % count, end if end - first > ACTING.turn * person.fps / 2.0 else end + round(turn)


def _blended(scenes: Sequence[_Scene], present: Bool, person: Actor) -> Iterator[Cue]:
    """Blend each clip into the next one, or into the walk."""
    fps = person.fps
    for place, scene in enumerate(scenes):
        act, first, last = scene
        before, after = (scenes[k] if 0 <= k < len(scenes) else None for k in (place - 1, place + 1))
        follows = before is not None and before.last >= first - 1
        leads = after is not None and after.first <= last + 1
        fade_in = _fade(scene, before if follows else None, fps)
        if not follows and (first == 0 or not present[first - 1]):
            fade_in = 0
        fade_out = covered = 0
        if leads:
            assert after is not None
            covered = _fade(after, scene, fps)
            last = after.first + covered
        elif last + 1 < len(present) and present[last + 1]:
            fade_out = _fade(scene, None, fps)
        start = 0.0 if act in ONCE else (_GOLDEN * (person.number + place)) % 1.0
        yield Cue(act, first, last, fade_in, fade_out, start, person.rate_of(act), covered)


def _fade(scene: _Scene, before: _Scene | None, fps: float) -> int:
    """Rows over which a clip is blended over the one before, or over the walk."""
    fade = fade_of(scene.act)
    if before is not None and scene.act not in ONCE and before.act not in ONCE:
        fade = max(fade, fade_of(before.act))
    return min(max(2, round(fade * fps)), (scene.last - scene.first) // 2)
