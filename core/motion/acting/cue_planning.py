# SPDX-License-Identifier: GPL-3.0-or-later
"""From what is recorded of one person to the clips that it plays, each blended into the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...array_types import Bool, Int64
from .cues import ACTING, NONE, ONCE, SIT, SIT_DOWN, STAND, STAND_UP, Cue, activity_of, fade_of
from .elbow_room import ELBOW_ROOM, step_of
from .turning import TURN
from .variants import VARIANTS, told_of

_JITTER = 0.05  # of a clip, by which people begin apart who have the same part of it; below that of two parts; chosen


class _Scene(NamedTuple):
    """A part of a run in which one clip is played."""

    act: str
    first: int
    last: int
    variant: int
    hurry: float = 1.0


class Actor(NamedTuple):
    """What the clips of one person depend on.

    Attributes:
        fps: frames per second.
        seconds: length of each clip that may be played, by its name, as "talk_2".
        lot: random number in [0, 1) of the person.
        reach: how far an arm is from the middle of the body in clips in which that is far [m].
        room: float32 (S,), see `find_elbow_room`; empty: nobody is near.
        variants: int16 (S,), see `find_variants`; empty: drawn by lot.
        last: row of the last frame of all.
    """

    fps: float
    seconds: Mapping[str, float]
    lot: float
    reach: Mapping[str, float] = MappingProxyType({})
    room: NDArray[np.float32] = np.empty(0, dtype=np.float32)
    variants: NDArray[np.int16] = np.empty(0, dtype=np.int16)
    last: int = -1

    def rate_of(self, act: str, variant: int = 0) -> float:
        """How fast a clip is played, over its own speed."""
        if act in ONCE:  # neighbours who rise together have another number each
            return 1.0 + ACTING.once_rate * (2.0 * VARIANTS.share_of(variant, SIT) - 1.0)
        if self.seconds[act] > ACTING.steady:
            return 1.0
        return 1.0 + ACTING.rate * (2.0 * (97.0 * self.lot % 1.0) - 1.0)

    def has_room(self, act: str, first: int, end: int) -> bool:
        """Whether nobody is where an arm is in a clip that is played from one row to another."""
        step = step_of(self.fps)
        room = self.room[first // step : end // step + 1]
        return not len(room) or self.reach.get(act, -np.inf) + ELBOW_ROOM.body < float(room.min())

    def variants_in(self, first: int, last: int) -> list[tuple[int, int]]:
        """The variants of what is done in some rows, and the row from which on each is played."""
        step = step_of(self.fps)
        start = -(-first // step)  # the moment before belongs to what was done before, unless there is no other
        known = self.variants[start : last // step + 1]
        if not (known >= 0).any():
            start = first // step
            known = self.variants[start : start + 1]
        rows = np.flatnonzero(known >= 0)
        if not len(rows):
            return [(int(self.lot * 1e3) + first, first)]
        turns = rows[np.flatnonzero(np.diff(known[rows], prepend=-1))]
        found = [(int(known[turns[0]]), first)]
        shortest = ACTING.shortest_turn * self.fps
        for row in turns[1:].tolist():
            begin = (start + row) * step
            if last - begin < shortest or (last == self.last and last - begin < ACTING.last * self.fps):
                break
            if begin - found[-1][1] < shortest:
                begin = found.pop()[1]
            found.append((int(known[row]), begin))
        return found


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
    told = told_of(activity, names, still, present)
    edges = np.concatenate([[0], np.flatnonzero(np.diff(told)) + 1, [len(told)]])
    edges = _without_short_beginnings(edges, told, names, present, person.fps)
    scenes: list[_Scene] = []
    for first, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        name = names[int(told[end - 1])]
        if name == NONE:
            continue
        in_place = bool(scenes) and scenes[-1].last == first - 1 and activity_of(scenes[-1].act) not in ("", SIT, TURN)
        ends = in_place and end == len(told) and name != SIT
        if end - first < (ACTING.last if ends else _shortest(name, in_place=in_place)) * person.fps:
            if in_place:  # nobody drops the arms for a moment
                scenes[-1] = scenes[-1]._replace(last=end - 1)
            continue
        starts, stops = first > 0 and bool(present[first - 1]), end < len(told) and bool(present[end])
        scenes += _divide(name, first, end - 1, person, ends=(starts, stops))
    return tuple(_blended(scenes, present, person))


def _without_short_beginnings(
    edges: Int64, told: NDArray[np.int8], names: Sequence[str], present: Bool, fps: float
) -> Int64:
    """Leave out the edges at which people begin something who have done something else only since they appeared."""
    appears = ~np.concatenate([[False], present[:-1]])[edges[:-2]]
    shortest = np.array([0.0, *(_shortest(name) for name in names[1:])]) * fps
    is_short = np.diff(edges)[:-1] < shortest[told[edges[:-2]]]
    follows = told[edges[1:-1]]
    goes_on = (follows > 0) & (follows != (names.index(SIT) if SIT in names else 0))
    return np.delete(edges, 1 + np.flatnonzero(appears & is_short & goes_on))


def _shortest(name: str, *, in_place: bool = False) -> float:
    """Time from which on an activity is played [s]; `in_place`: after another one."""
    if name == STAND or (in_place and name != SIT):
        return ACTING.shortest_stand
    return ACTING.shortest if name == SIT else max(ACTING.shortest, fade_of(f"{name}_1"))


def _divide(name: str, first: int, last: int, person: Actor, *, ends: tuple[bool, bool]) -> Iterator[_Scene]:
    """Divide a run of one activity into clips; `ends`: whether the person is there before it, and after it."""
    if name == SIT:
        variant = person.variants_in(first, last)[0][0]
        down, up = (round(person.seconds.get(act, 0.0) * person.fps / person.rate_of(act, variant)) for act in ONCE)
        down, up = (rows if is_seen else 0 for rows, is_seen in zip((down, up), ends, strict=True))
        hurry = (down + up) / max(last - first, 1) if down and up else 1.0
        if 1.0 < hurry <= ACTING.hurry_once:
            down = int(down / hurry)
            up = last - first - down
        hurry = max(hurry, 1.0)
        sits, rises = first + down, last - up
        if down and not ends[1] and sits >= last:  # it ends before they sit
            yield _Scene(SIT_DOWN, first, last, variant)
            return
        if sits <= rises:
            is_short = rises - sits < person.fps * fade_of("sit_1")
            if down:
                yield _Scene(SIT_DOWN, first, rises if is_short else sits, variant, hurry)
            if not (down and is_short):
                yield from _in_turns(name, sits, rises, person, lasts=not (down and up))
            if up:
                yield _Scene(STAND_UP, rises, last, variant, hurry)
            return
    yield from _in_turns(name, first, last, person, lasts=not all(ends))


def _in_turns(name: str, first: int, last: int, person: Actor, *, lasts: bool) -> Iterator[_Scene]:
    """Play one variant of an activity after the other, each for a while; `lasts`: beyond the frames that are seen."""
    acts = sorted(act for act in person.seconds if activity_of(act) == name)
    turns = person.variants_in(first, last)
    if not acts or last <= first:
        return
    number = turns[0][0]
    if name == STAND and not lasts and last + 1 - first < ACTING.short_stand * person.fps:
        yield _Scene(acts[0], first, last, VARIANTS.clips_of(STAND) * number)
        return
    if len(acts) == 1:
        yield _Scene(acts[0], first, last, number)
        return
    for (variant, begin), end in zip(turns, [*(begin for _, begin in turns[1:]), last], strict=True):
        act, seen = acts[variant % len(acts)], end + round(ACTING.fade_in_place * person.fps)
        if not person.has_room(act, begin, seen):
            fitting = [each for each in acts if person.has_room(each, begin, seen)] or acts
            act = fitting[variant % len(fitting)]
        yield _Scene(act, begin, end, variant)


def _blended(scenes: Sequence[_Scene], present: Bool, person: Actor) -> Iterator[Cue]:
    """Blend each clip into the next one, or into the walk."""
    fps = person.fps
    for place, scene in enumerate(scenes):
        act, first, last, variant, hurry = scene
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
        rate, start = hurry * person.rate_of(act, variant), 0.0
        if act not in ONCE:  # at the same part of it at any time, whoever begins when
            part = VARIANTS.part_of(variant, activity_of(act)) + _JITTER * person.lot
            start = (part + first / fps * rate / person.seconds[act]) % 1.0
        whole = fade_in == 0 or follows or act in ONCE or activity_of(act) == SIT  # hips have to be on the seat
        most = 1.0 if whole else min(1.0, ACTING.hurry * fade_in / (fade_of(act) * fps))
        yield Cue(act, first, last, fade_in, fade_out, start, rate, covered, most)


def _fade(scene: _Scene, before: _Scene | None, fps: float) -> int:
    """Rows over which a clip is blended over the one before, or over the walk."""
    fade, rows = fade_of(scene.act), scene.last - scene.first
    if before is not None and scene.act == SIT_DOWN:  # arms come down while they sit down
        return min(round(fade_of(before.act) * fps), round(ACTING.arms_down * rows))
    if before is not None and scene.act not in ONCE and before.act not in ONCE:
        both = activity_of(scene.act), activity_of(before.act)
        in_place = ACTING.fade_seated if both == (SIT, SIT) else ACTING.fade_in_place
        fade = max(fade, fade_of(before.act), 0.0 if TURN in both else in_place)
        return min(max(2, round(fade * fps)), max(rows // 2, rows - round(fade_of(scene.act) * fps)))
    longest = rows - round(ACTING.once_fade * fps) if before is not None and before.act in ONCE else 0
    return min(max(2, round(fade * fps)), max(rows // 2, longest))
