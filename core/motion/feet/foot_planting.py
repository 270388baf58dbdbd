# SPDX-License-Identifier: GPL-3.0-or-later
"""Correction of a foot from its place in the clip, so that it stays where it was set down.

A clip is made for walking straight at one speed. In a bend, or while somebody slows down, the body moves differently
from the clip, and a planted foot would slide. Here the position of the foot under the body is held for the whole
contact, from strike to lift-off; in the air the correction is interpolated from one contact to the next. People who
stand, or turn on the spot, take small steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...array_types import Bool, Float64, Int8, Int64
from ...geometry.ragged import Runs, runs_in
from ...geometry.reproducible_math import cos_sin
from .body_motion import BodyMotion, turned
from .foot_contacts import Stance
from .small_steps import SMALL_STEPS, FootContacts, plan_small_steps


@dataclass(frozen=True)
class PlantingSettings:
    """When feet are planted; chosen by trial on the built-in figures.

    Attributes:
        step_lift: height of a small step, as a share of the leg; walking lifts the foot itself.
        shortest_contact: a contact at somebody's first frame that ends sooner is left out [s].
        moment: where a walk turns back, a foot is not lifted for less than this [s].
        returns: it turns back where the phase changes by less meanwhile [strides].
    """

    step_lift: float = 0.06
    shortest_contact: float = 0.2
    moment: float = 0.2
    returns: float = 0.15


PLANTING = PlantingSettings()

_NO_ROLL = np.zeros(2)


@dataclass(frozen=True, eq=False)
class FootCorrection:
    """Correction of one foot of A agents at F frames, in the axes of the body (x ahead, y to the left).

    Attributes:
        shift: float64 (A, F, 2), of the ball of the foot [unit of the leg].
        lift: float64 (A, F).
        twist: float64 (A, F), about the vertical [rad].
        planted: bool (A, F).
        contact: int64 (A, F), number of the contact, over all agents; -1 in the air.
    """

    shift: Float64
    lift: Float64
    twist: Float64
    planted: Bool
    contact: Int64


def plant(
    motion: BodyMotion,
    ball: Float64,
    stance: Stance,
    *,
    leg: float,
    order: int,
    roll: Float64 = _NO_ROLL,
    other: Stance | None = None,
    held: Int8 | None = None,
) -> FootCorrection:
    """Hold a foot of several agents on the ground.

    Args:
        motion: of the agents.
        ball: float64 (A, F, 3), the ball of the foot in the clips, in the axes of the body.
        stance: when and how high the foot stands; a blend of two clips can be lower.
        leg: length of the leg.
        order: which foot steps first where both have to.
        roll: float64 (A, F, 2), how far the point on which the foot stands lies from its ball, in the axes of the body.
        other: when the other foot stands; None: it is not known.
        held: int8 (A, F), 1 where the foot is on the ground whatever the clips say, -1 where it is in the air; None:
            nowhere.
    """
    stands = motion.stands
    planted = _planted_in_walk(motion, stance)
    if held is not None:
        planted = (planted & (held == 0)) | (held > 0)
    contacts = runs_in(planted)
    anchors = _anchors(motion, stance, contacts, stands, np.full(stands.size, -1))
    stands_on = None if other is None else _planted_in_walk(motion, other)
    small_steps, set_down = plan_small_steps(
        motion,
        ball[..., :2],
        stance,
        planted,
        FootContacts(contacts, anchors),
        leg=leg,
        order=order,
        other=stands_on,
    )
    places, _ = small_steps.inside()
    planted.reshape(-1)[places] = False
    planted.reshape(-1)[_short_first_contacts(motion, planted, stands_on, PLANTING)] = False
    shift, twist, contact = _hold(motion, ball[..., :2], roll, stance, planted, stands, set_down)
    lift = leg * _step_height(motion, planted, PLANTING) + np.maximum(stance.height(motion.gait) - ball[..., 2], 0.0)
    return FootCorrection(shift, lift, twist, planted, contact)


def find_footholds(motion: BodyMotion, stance: Stance) -> Int64:
    """Find the frames in which a body is over its foot, and the last in which it stands on it: int64 (K,), flat."""
    contacts = runs_in(_planted_in_walk(motion, stance))
    under = _anchors(motion, stance, contacts, motion.stands, np.full(motion.stands.size, -1))
    still = contacts.last - 1
    return np.unique(np.concatenate([under, still[motion.stands.ravel()[still]]]))


def _planted_in_walk(motion: BodyMotion, stance: Stance) -> Bool:
    """Whether a foot is on the ground without small steps, bool (A, F)."""
    planted = motion.present & (stance.holds(motion.phase, motion.gait) | motion.stands)
    planted.reshape(-1)[_turns_back(motion, stance, planted)] = True
    return planted


def _turns_back(motion: BodyMotion, stance: Stance, planted: Bool) -> Int64:
    """Places in the flat array at which a foot would be lifted for a moment, while a walk turns back.

    Who moves to the side walks ahead and back in turn: a foot that leaves its contact, and is in it again at once,
    would be set down elsewhere after a step of a frame or two.
    """
    runs, frames, phase = runs_in(~planted & motion.present), planted.shape[1], motion.phase.ravel()
    walks = (motion.present & ~motion.stands).ravel()
    inside = (runs.length < PLANTING.moment * motion.fps) & (runs.first % frames != 0) & (runs.last % frames != 0)
    first, last = runs.first[inside], runs.last[inside]
    some = np.abs(phase[last] - phase[first - 1]) < PLANTING.returns / len(stance.walking)
    some &= walks[first - 1] & walks[last]
    return Runs(first[some], last[some]).inside()[0]


def _step_height(motion: BodyMotion, planted: Bool, settings: PlantingSettings) -> Float64:
    """How high a foot is lifted beside its lift in the walk, float64 (A, F) [lengths of the leg].

    It starts and lands softly, and shorter steps are lower, as they would be at the same acceleration.
    """
    aloft, height = runs_in(~planted & motion.present), np.zeros(planted.size)
    places, number = aloft.inside()
    if len(places):
        stands = np.maximum(1.0 - motion.gait * (1.0 - motion.acted), 0.0).ravel()[places]
        share = np.add.reduceat(stands, np.cumsum(aloft.length) - aloft.length) / aloft.length
        usual = SMALL_STEPS.time * SMALL_STEPS.slowest * motion.fps
        share *= np.minimum(1.0, (aloft.length + 1) / usual) ** 2
        part = (places - aloft.first[number] + 1) / (aloft.length[number] + 1)
        _, arc = cos_sin(np.pi * part)
        height[places] = settings.step_lift * share[number] * arc * np.sqrt(arc)
    return height.reshape(planted.shape)


def _short_first_contacts(motion: BodyMotion, planted: Bool, other: Bool | None, settings: PlantingSettings) -> Int64:
    """Places in the flat array of contacts of walkers that end soon after the first frame of an agent.

    A foot that is planted only for a moment twitches; in the air from the start it has time until it strikes. But where
    the other foot does not stand from then on, it bears the body.
    """
    runs, frames = runs_in(planted), planted.shape[1]
    present = motion.present.ravel()
    begins = ((runs.first % frames == 0) | ~present[runs.first - 1]) & ~motion.stands.ravel()[runs.first]
    ends = (runs.last % frames != 0) & present[np.minimum(runs.last, present.size - 1)]
    some = begins & ends & (runs.length < settings.shortest_contact * motion.fps)
    if other is not None:
        some &= other.ravel()[runs.first]
    return Runs(runs.first[some], runs.last[some]).inside()[0]


def _hold(
    motion: BodyMotion, ball: Float64, roll: Float64, stance: Stance, planted: Bool, stands: Bool, set_down: Int64
) -> tuple[Float64, Float64, Int64]:
    """Shift, twist and number of the contact of a foot that does not move while it is planted."""
    runs = runs_in(planted)
    places, number = runs.inside()
    contact = np.full(planted.size, -1)
    contact[places] = number
    anchor = np.zeros(planted.size, dtype=np.int64)
    anchor[places] = _anchors(motion, stance, runs, stands, set_down)[number]
    cos, sin = motion.towards
    stood = motion.position + turned(ball + roll, cos, sin)
    away = stood.reshape(-1, 2)[anchor].reshape(stood.shape) - motion.position
    twist = motion.heading.ravel()[anchor].reshape(motion.heading.shape) - motion.heading
    shift = turned(away, cos, -sin) - ball - turned(roll, *cos_sin(twist))
    contact = contact.reshape(planted.shape)
    fade(shift, twist, planted)
    return shift, twist, contact


def _anchors(motion: BodyMotion, stance: Stance, runs: Runs, stands: Bool, set_down: Int64) -> Int64:
    """The frame that gives the place of each contact: foot under the body, or the first for people who stand.

    Where the walk turns back within a contact, the foot is under the body once, twice or never: it is half way then.
    """
    if not len(runs.first):
        return runs.first
    places, number = runs.inside()
    begun = np.cumsum(runs.length) - runs.length
    middle = stance.off_middle(motion.phase.ravel()[places], motion.gait.ravel()[places])
    onwards = np.sign(np.diff(motion.phase, axis=1, append=motion.phase[:, -1:])).ravel()[places]
    back = (np.minimum.reduceat(onwards, begun) < 0.0) & (np.maximum.reduceat(onwards, begun) > 0.0)
    way = np.cumsum(motion.moved, axis=1).ravel()
    half_way = (way[runs.first] + way[runs.last - 1]) / 2.0
    middle = np.where(back[number], np.abs(way[places] - half_way[number]), middle)
    stood = np.cumsum(stands.ravel()[places])
    halted = stood > (stood - stands.ravel()[places])[begun][number]  # also who walks on, from where the foot is then
    middle[halted] = np.inf
    nearest = np.minimum.reduceat(middle, begun)
    under = np.where(middle == nearest[number], places, motion.phase.size)
    starts_still = stands.ravel()[runs.first] | np.isinf(nearest)
    found = np.where(starts_still, runs.first, np.minimum.reduceat(under, begun))
    return np.where(set_down[runs.first] >= 0, set_down[runs.first], found)


def fade(shift: Float64, twist: Float64, held: Bool) -> None:
    """Interpolate a correction, while the foot is in the air, from one contact to the next."""
    frames = np.arange(held.shape[1])
    before = np.maximum.accumulate(np.where(held, frames, -1), axis=1)
    after = np.minimum.accumulate(np.where(held, frames, len(frames))[:, ::-1], axis=1)[:, ::-1]
    agent, frame = np.nonzero(~held)
    first, last = before[agent, frame], after[agent, frame]
    part = (frame - first) / (last - first)
    part = part * part * (3.0 - 2.0 * part)
    none = (first < 0) & (last >= len(frames))
    part = np.where(first < 0, 1.0, np.where(last >= len(frames), 0.0, part))
    first, last = np.maximum(first, 0), np.minimum(last, len(frames) - 1)
    for values, weight in ((shift, part[:, None]), (twist, part)):
        start = values[agent, first]
        values[agent, frame] = start + weight * (values[agent, last] - start)
        values[agent[none], frame[none]] = 0.0
