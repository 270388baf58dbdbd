# SPDX-License-Identifier: GPL-3.0-or-later
"""From what is recorded of one person to the clips that it plays, each blended into the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
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
        behind: the sides of the hands that are behind the back in clips in which some are, as "LR".
    """

    fps: float
    seconds: Mapping[str, float]
    lot: float
    reach: Mapping[str, float] = MappingProxyType({})
    room: NDArray[np.float32] = np.empty(0, dtype=np.float32)
    variants: NDArray[np.int16] = np.empty(0, dtype=np.int16)
    last: int = -1
    behind: Mapping[str, str] = MappingProxyType({})

    def fade_of(self, act: str) -> float:
        """Return the time over which a clip is blended in and out [s]."""
        return max(fade_of(act), ACTING.fade_behind if act in self.behind else 0.0)

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
    rests: Bool | None = None,
) -> tuple[Cue, ...]:
    """Plan which clips one person plays.

    Args:
        activity: int8 (F,), what is recorded, an index into `names`.
        names: of the activities.
        still: bool (F,), whether each stands.
        present: bool (F,).
        person: what else it depends on.
        rests: bool (F,), whether each hardly moves; None: who stands.
    """
    names = names or (NONE, STAND)
    told = told_of(activity, names, still, present, rests)
    edges = np.concatenate([[0], np.flatnonzero(np.diff(told)) + 1, [len(told)]])
    edges = _without_short_beginnings(edges, told, names, present, person.fps)
    scenes: list[_Scene] = []
    for first, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        name = names[int(told[end - 1])]
        if name == NONE:
            continue
        act_before = scenes[-1].act if scenes and scenes[-1].last == first - 1 else ""
        in_place = bool(act_before) and activity_of(act_before) not in ("", SIT, TURN)
        stops = end < len(told) and bool(present[end])
        leaves = stops and names[int(told[end])] == NONE
        ends = in_place and end == len(told) and name != SIT
        starts = first > 0 and bool(present[first - 1])
        shortest = ACTING.last if ends else _shortest(name, act_before, leaves=leaves)
        if name != STAND and not (starts or leaves or act_before):  # seen from the start to the end, without a blend
            shortest = min(shortest, ACTING.shortest)
        made: list[_Scene] = []
        if end - first >= shortest * person.fps:
            made = list(_divide(name, first, end - 1, person, act_before if in_place else "", ends=(starts, stops)))
        if in_place and not made:  # nobody drops the arms for a moment
            scenes[-1] = scenes[-1]._replace(last=end - 1)
        if made and act_before == STAND_UP and activity_of(made[0].act) in ACTING.raise_hands:
            made[0] = made[0]._replace(first=_hands_up(scenes[-1], person))
        scenes += made
    return tuple(_blended(scenes, present, person))


def _hands_up(rising: _Scene, person: Actor) -> int:
    """Return the row at which somebody begins to raise the hands who stands up: not when all others do."""
    first, last = ACTING.hands_up
    share = first + (last - first) * (61.0 * person.lot % 1.0)
    earliest = rising.first + round(fade_of(STAND_UP) * person.fps)  # before that, it is not wholly seen
    return min(max(rising.first + round(share * (rising.last - rising.first)), earliest), rising.last + 1)


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


def _shortest(name: str, before: str = "", *, leaves: bool = False) -> float:
    """Time from which on an activity is played [s]; `before`: the clip before it; `leaves`: who walks after it."""
    if name == SIT:
        return ACTING.shortest
    if before:
        return _blending(before, f"{name}_1") + leaves * fade_of(f"{name}_1")
    return ACTING.shortest_stand if name == STAND else max(ACTING.shortest, fade_of(f"{name}_1"))


def _divide(
    name: str, first: int, last: int, person: Actor, before: str, *, ends: tuple[bool, bool]
) -> Iterator[_Scene]:
    """Divide a run of one activity into clips; `ends`: whether the person is there before it, and after it."""
    if name == SIT:
        yield from _sit(first, last, person, before, ends=ends)
    else:
        yield from _in_turns(name, first, last, person, lasts=not all(ends))


def _sit(first: int, last: int, person: Actor, before: str, *, ends: tuple[bool, bool]) -> Iterator[_Scene]:
    """Sit down, sit and stand up; nothing where there is no time for it, or the last frame comes before."""
    variant, rows = person.variants_in(first, last)[0][0], last - first
    down, up = (round(person.seconds.get(act, 0.0) * person.fps / person.rate_of(act, variant)) for act in ONCE)
    down, up = down * ends[0], up * ends[1]
    slow = 1.0
    if down and before:  # who has to lower the arms takes the time
        slow = max(1.0, ACTING.arms_down * fade_of(before) * person.fps / down)
        down = round(slow * down)
    hurry = max((down + up) / max(rows, 1), 1.0)
    if ends[1] and hurry > ACTING.hurry_once:
        return
    if hurry > 1.0 and up:
        up = rows - int(down / hurry)
        down = rows - up
    sits, rises = first + down, last - up
    if down and not ends[1] and sits >= last:
        if not before:
            yield _Scene(SIT_DOWN, first, last, variant)
        return
    is_short = bool(down) and rises - sits < person.fps * _blending(SIT_DOWN, f"{SIT}_1")
    if down:
        yield _Scene(SIT_DOWN, first, rises if is_short else sits, variant, hurry / slow)
    if not is_short:
        yield from _in_turns(SIT, sits, rises, person, lasts=not (down and up))
    if up:
        yield _Scene(STAND_UP, rises, last, variant, hurry)


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
    follows = [False, *(before.last >= scene.first - 1 for before, scene in pairwise(scenes))]
    leads = [*follows[1:], False]
    stays = [leads[k] or each.last + 1 == len(present) or not present[each.last + 1] for k, each in enumerate(scenes)]
    falls = [0 if stays[k] else _fade_out(each, person) for k, each in enumerate(scenes)]
    rises = [_fade_in(each, scenes[k - 1] if follows[k] else None, falls[k], person) for k, each in enumerate(scenes)]
    for place, (act, first, last, variant, hurry) in enumerate(scenes):
        is_cut = not follows[place] and (first == 0 or not present[first - 1])
        fade_in, covered = 0 if is_cut else rises[place], rises[place + 1] if leads[place] else 0
        end = scenes[place + 1].first + covered if leads[place] else last
        rate, start = hurry * person.rate_of(act, variant), 0.0
        if act not in ONCE:  # at the same part of it at any time, whoever begins when
            part = VARIANTS.part_of(variant, activity_of(act)) + _JITTER * person.lot
            start = (part + first / fps * rate / person.seconds[act]) % 1.0
        whole = fade_in == 0 or follows[place] or act in ONCE or activity_of(act) == SIT  # hips have to be on the seat
        whole |= act in person.behind  # half the way there a hand is in the hip
        most = 1.0 if whole else min(1.0, ACTING.hurry * fade_in / (fade_of(act) * fps))
        yield Cue(act, first, end, fade_in, falls[place], start, rate, covered, most)


def _fade_in(scene: _Scene, before: _Scene | None, fade_out: int, person: Actor) -> int:
    """Rows over which a clip is blended over the one before, or over the walk."""
    rows, fade = scene.last - scene.first, person.fade_of(scene.act)
    if before is not None and scene.act == SIT_DOWN:  # arms come down while they sit down
        return rows
    if before is not None:
        fade = _blending(before.act, scene.act)
    return min(max(2, round(fade * person.fps)), rows - fade_out)


def _blending(before: str, act: str) -> float:
    """Time over which one clip is blended over another one of somebody who stays [s]."""
    if before in ONCE or act in ONCE:
        return max(fade_of(act), ACTING.fade_risen if before == STAND_UP else 0.0)
    names = activity_of(before), activity_of(act)
    in_place = ACTING.fade_seated if names == (SIT, SIT) else 0.0 if TURN in names else ACTING.fade_in_place
    return max(fade_of(before), fade_of(act), in_place)


def _fade_out(scene: _Scene, person: Actor) -> int:
    """Rows over which a clip is blended into the walk."""
    return min(max(2, round(person.fade_of(scene.act) * person.fps)), (scene.last - scene.first) // 2)
