# SPDX-License-Identifier: GPL-3.0-or-later
"""From what is recorded of somebody to the clips that its character plays, and where its body is on a seat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from ....core.array_types import Float64
from ....core.geometry.reproducible_math import heading_vector
from ....core.motion.acting.cue_planning import Actor, plan_cues
from ....core.motion.acting.cues import ACTING, PLAY_CLIP, SIT, STAND, Cue, activity_of
from ....core.motion.acting.round_hips import swing_round_hips
from ....core.motion.acting.seats import Seat, at_seat, settle
from ....core.motion.acting.turning import TURN, add_turns
from ....core.motion.gait import STEPS
from ...bakes.roles import RandomDraws, Role
from ...figures.motion.repertoire import head_turn
from ..blends import Blend
from ..performances import Performance, PlayedClip
from .act_clips import ActClip, Repertoire
from .gaze import plan_looks

_END = 1.0 - 1e-9  # of a clip that is played once: 1 is the beginning of the next run


def act_out(repertoire: Repertoire, performance: Performance, *, lot: float) -> Performance:
    """Return a performance with the clips that somebody plays who stands, sits or talks.

    Args:
        repertoire: of the character.
        performance: of the agent, in the size of its body.
        lot: random number in [0, 1) of the person.
    """
    acting = performance.acting
    for name in acting.names if acting is not None else ():
        if name.startswith(f"{PLAY_CLIP}:"):
            repertoire.offer(name)
    seconds = repertoire.seconds
    if not seconds and acting is not None:
        repertoire.note_held()
    still = performance.gait < STEPS.standing_gait
    if not seconds or not (acting is not None or still.any()):
        return performance
    activity, names = np.zeros(len(still), dtype=np.int8), ()
    if acting is not None:
        activity, names = acting.activity, tuple(acting.names)
    if any(activity_of(act) == TURN for act in seconds):
        activity, names = add_turns(activity, names, still, performance.heading, performance.fps)
    actor = Actor(
        performance.fps,
        seconds,
        lot,
        reach={act: reach * performance.size for act, reach in repertoire.reaches.items()},
        room=performance.room,
        variants=performance.variants,
        last=len(still) - 1,
        behind=repertoire.behind,
    )
    rests = still | (performance.speed(repertoire.unit) < ACTING.resting)
    cues = plan_cues(activity, names, still, performance.present, actor, rests)
    seats = acting.seats if acting is not None else ()
    if seats and any(activity_of(act) == SIT for act in seconds):
        heights = [repertoire.added_for(_height(seat, performance) / performance.size) for seat in seats]
        cues = at_seat(cues, seats, heights)
        clips = [_clip_on(seat, cues, repertoire) for seat in seats]
        for seat, clip in zip(seats, clips, strict=True):
            if clip is not None:
                repertoire.note_seat(clip, _height(seat, performance) / performance.size)
        targets = [_place(seat, performance, clip, repertoire) for seat, clip in zip(seats, clips, strict=True)]
        performance = replace(
            performance, location=settle(performance.location, seats, targets, performance.fps, repertoire.unit)
        )
    played, arms = (
        tuple([_played(cue, repertoire.clip(cue.act), performance.fps) for cue in some])
        for some in (cues, swing_round_hips(cues, actor.behind))
    )
    return replace(performance, played=played, arms=arms)


def act_all(
    repertoires: Sequence[Repertoire],
    parts: Iterable[tuple[Role, Performance, int]],
    draws: RandomDraws,
    size: Callable[[Role], float],
) -> list[Performance]:
    """Return the performances of several people with the clips that each plays, and where it looks.

    Args:
        repertoires: of all characters.
        parts: each role, what its agent does, and the number of the character.
        draws: random numbers of the roles.
        size: of their bodies.
    """
    found, lots, numbers = [], [], []
    for role, performance, number in parts:
        lots.append(draws.draw(role, "clips"))
        sized = replace(performance, size=size(role))
        found.append(act_out(repertoires[number], sized, lot=lots[-1]))
        numbers.append(number)
    for number in dict.fromkeys(numbers):
        repertoire = repertoires[number]
        own = [k for k, each in enumerate(numbers) if each == number and found[k].gaze is not None]
        if own and repertoire.looking is not None:
            chosen = [found[k] for k in own]
            turned = np.stack([_head_turn(each, repertoire) for each in chosen])
            looks = plan_looks(repertoire.looking, chosen, turned, np.array(lots)[own], repertoire.unit)
            for k, look in zip(own, looks, strict=True):
                found[k] = replace(found[k], look=look)
    return found


def _head_turn(performance: Performance, repertoire: Repertoire) -> Float64:
    """How far to the left our clips turn somebody's head in which they only stand, float64 (F,) [rad]."""
    found = np.zeros(len(performance.frames))
    for each in performance.played:
        act, rows = each.cue.act, each.cue.rows
        stands = activity_of(act.partition("@")[0]) == STAND and not repertoire.clip(act).is_own
        own = head_turn(act, each.phase) if stands else 0.0
        found[rows] += each.cue.weight * (own - found[rows])
    return found


def blends_of(repertoire: Repertoire, performances: Sequence[Performance]) -> list[Blend]:
    """Return how the legs of people are posed in the clips that they play."""
    acts = {each.cue.act for performance in performances for each in performance.played}
    tables = repertoire.tables(sorted(acts))
    return [
        Blend(agent, each.cue.rows, each.cue.weight, each.phase, tables[each.cue.act])
        for agent, performance in enumerate(performances)
        for each in performance.played
    ]


def _height(seat: Seat, performance: Performance) -> float:
    """Height of a seat over the ground on which somebody sits [Blender units]."""
    return float(seat.place[2] - performance.location[seat.first, 2])


def _clip_on(seat: Seat, cues: Sequence[Cue], repertoire: Repertoire) -> ActClip | None:
    here = [cue.act for cue in cues if seat.first <= cue.first <= seat.last and activity_of(cue.act) == SIT]
    return repertoire.clip(here[0]) if here else None


def _place(seat: Seat, performance: Performance, clip: ActClip | None, repertoire: Repertoire) -> Float64:
    """Where a body is while it sits, so that its hips are on the seat: float64 (3,)."""
    place = performance.location[seat.first].copy()
    if clip is None:
        return place
    place[:2] = seat.place[:2] + clip.back * performance.size * heading_vector(np.array(seat.heading))
    if clip.is_own or repertoire.is_coarse:
        place[2] = seat.place[2] - clip.top * performance.size
    return place


def _played(cue: Cue, act: ActClip, fps: float) -> PlayedClip:
    passed = (cue.rows - cue.first) / fps * cue.rate / act.seconds
    phase = cue.start + passed if act.is_cycle else np.minimum(passed, _END)
    return PlayedClip(cue, act.cycle, act.is_cycle, phase)
