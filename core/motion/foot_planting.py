# SPDX-License-Identifier: GPL-3.0-or-later
"""Correction of a foot from its place in the clip, so that it stays where it was set down.

A clip is made for walking straight at one speed. In a bend, or while somebody slows down, the body moves differently
from the clip, and a planted foot would slide. Here the position of the foot under the body is held for the whole
contact, from strike to lift-off; in the air the correction is interpolated from one contact to the next. People who
stand, or turn on the spot, with a foot out of place take small steps, one foot after the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..array_types import Bool, Float64, Int64
from .foot_contacts import Stance


@dataclass(frozen=True)
class PlantingSettings:
    """When feet are planted and how standing people step; chosen by trial on the built-in figures.

    Attributes:
        standing_gait: gait below which both feet are on the ground, except for small steps.
        first_step_delay: time from standing to the first small step [s].
        foot_interval: time between the small steps of the two feet [s].
        step_time: duration of a small step [s].
        step_offset: offset of a foot from its place that starts a small step, as a share of the leg.
        step_twist: twist that starts a small step [rad].
        step_lead: a small step ends at the place of the foot this long after it, half way to its next step [s].
        step_lift: height of a small step, as a share of the leg; walking lifts the foot itself.
        shortest_swing: a foot that would be in the air for less before or after standing stays on the ground [s].
        shortest_contact: a contact at somebody's first frame that ends sooner is left out [s].
    """

    standing_gait: float = 0.1
    first_step_delay: float = 0.15
    foot_interval: float = 0.38
    step_time: float = 0.34
    step_offset: float = 0.02
    step_twist: float = 0.12
    step_lead: float = 0.2
    step_lift: float = 0.06
    shortest_swing: float = 0.2
    shortest_contact: float = 0.2


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


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """Motion of A agents over F frames.

    Attributes:
        position: float64 (A, F, 2).
        heading: float64 (A, F), continuous [rad].
        phase: float64 (A, F) [runs of the walk].
        gait: float64 (A, F), 0 stands, 1 walks, 2 runs.
        present: bool (A, F).
        fps: frames per second.
    """

    position: Float64
    heading: Float64
    phase: Float64
    gait: Float64
    present: Bool
    fps: float

    @cached_property
    def towards(self) -> tuple[Float64, Float64]:
        """Cosine and sine of the headings, float64 (A, F)."""
        return np.cos(self.heading), np.sin(self.heading)


class _Runs(NamedTuple):
    """The runs of True in a mask (A, F), along its rows: first and one past the last of each in the flat mask (R,)."""

    first: Int64
    last: Int64

    @property
    def length(self) -> Int64:
        return self.last - self.first

    def inside(self) -> tuple[Int64, Int64]:
        """All places in runs in the flat mask, and the number of the run of each."""
        number = np.repeat(np.arange(len(self.first)), self.length)
        begun = np.concatenate([[0], np.cumsum(self.length)[:-1]]) if len(self.first) else np.zeros(0, dtype=np.int64)
        return np.arange(len(number)) - begun[number] + self.first[number], number


def plant(
    motion: BodyMotion,
    ball: Float64,
    stance: Stance,
    *,
    leg: float,
    order: int,
    roll: Float64 = _NO_ROLL,
    settings: PlantingSettings = PLANTING,
) -> FootCorrection:
    """Hold a foot of several agents on the ground.

    Args:
        motion: of the agents.
        ball: float64 (A, F, 3), the ball of the foot in the clips, in the axes of the body.
        stance: when and how high the foot stands; a blend of two clips can be lower.
        leg: length of the leg.
        order: which foot steps first where both have to.
        roll: float64 (A, F, 2), how far the point on which the foot stands lies from its ball, in the axes of the body.
        settings: when feet are planted and how standing people step.
    """
    stands = motion.present & (motion.gait < settings.standing_gait)
    planted = motion.present & (stance.holds(motion.phase, motion.gait) | stands)
    planted.reshape(-1)[_short_swings(motion, planted, stands, settings.shortest_swing)] = True
    steps, set_down = _small_steps(motion, ball[..., :2], stance, planted, stands, settings, leg=leg, order=order)
    places, _ = steps.inside()
    planted.reshape(-1)[places] = False
    planted.reshape(-1)[_short_first_contacts(motion, planted, settings.shortest_contact)] = False
    shift, twist, contact = _hold(motion, ball[..., :2], roll, stance, planted, stands, set_down)
    lift = leg * _step_height(motion, planted, settings) + np.maximum(stance.height(motion.gait) - ball[..., 2], 0.0)
    return FootCorrection(shift, lift, twist, planted, contact)


def _short_swings(motion: BodyMotion, planted: Bool, stands: Bool, shortest: float) -> Int64:
    """Places in the flat array at which a foot is in the air for a moment only, next to standing."""
    runs, frames = _runs(~planted & motion.present), planted.shape[1]
    after, still = np.minimum(runs.last, stands.size - 1), stands.ravel()
    stood = (runs.first % frames != 0) & still[runs.first - 1]
    stood |= (runs.last % frames != 0) & still[after]
    short = stood & (runs.length < shortest * motion.fps)
    return _Runs(runs.first[short], runs.last[short]).inside()[0]


def _step_height(motion: BodyMotion, planted: Bool, settings: PlantingSettings) -> Float64:
    """How high a foot is lifted beside its lift in the walk, float64 (A, F) [lengths of the leg].

    It starts and lands softly, and shorter steps are lower, as they would be at the same acceleration.
    """
    aloft, height = _runs(~planted & motion.present), np.zeros(planted.size)
    places, number = aloft.inside()
    if len(places):
        stands = np.maximum(1.0 - motion.gait.ravel()[places], 0.0)
        share = np.add.reduceat(stands, np.cumsum(aloft.length) - aloft.length) / aloft.length
        share *= np.minimum(1.0, (aloft.length + 1) / (settings.step_time * motion.fps)) ** 2
        part = (places - aloft.first[number] + 1) / (aloft.length[number] + 1)
        height[places] = settings.step_lift * share[number] * np.sin(np.pi * part) ** 1.5
    return height.reshape(planted.shape)


def _small_steps(
    motion: BodyMotion,
    ball: Float64,
    stance: Stance,
    planted: Bool,
    stands: Bool,
    settings: PlantingSettings,
    *,
    leg: float,
    order: int,
) -> tuple[_Runs, Int64]:
    """Small steps of people who stand with a foot out of place.

    The feet alternate: each may step at its own times only, so that no two are in the air.

    Returns:
        The frames of the steps, in the flat array; and for each frame (A * F,) at which a step ends, the frame whose
        place of the foot it ends at, otherwise -1.
    """
    set_down = np.full(stands.size, -1)
    runs = _runs(stands)
    if not len(runs.first):
        return runs, set_down
    step, ahead = max(2, round(settings.step_time * motion.fps)), round(settings.step_lead * motion.fps)
    begin = runs.first + round((settings.first_step_delay + settings.foot_interval * order) * motion.fps)
    contacts = _runs(planted)
    anchors = _anchors(motion, stance, contacts, stands, set_down)
    stood = anchors[np.searchsorted(contacts.first, runs.first, "right") - 1]
    heading = motion.heading.ravel()
    place = (motion.position + _turned(ball, *motion.towards)).reshape(-1, 2)
    begins = [runs.first[:0]]
    while True:
        here = np.flatnonzero(begin + step < runs.last)
        if not len(here):
            break
        then = np.minimum(begin[here] + step + ahead, runs.last[here] - 1)
        off = np.hypot(*(place[then] - place[stood[here]]).T) > settings.step_offset * leg
        off |= np.abs(heading[then] - heading[stood[here]]) > settings.step_twist
        begins.append(begin[here[off]])
        set_down[begin[here[off]] + step] = stood[here[off]] = then[off]
        begin = begin + round(2 * settings.foot_interval * motion.fps)
    first = np.sort(np.concatenate(begins))
    return _Runs(first, first + step), set_down


def _short_first_contacts(motion: BodyMotion, planted: Bool, shortest: float) -> Int64:
    """Places in the flat array of contacts that end soon after the first frame of an agent.

    A foot that is planted only for a moment twitches; in the air from the start it has time until it strikes.
    """
    runs, frames = _runs(planted), planted.shape[1]
    present = motion.present.ravel()
    begins = (runs.first % frames == 0) | ~present[runs.first - 1]
    ends = (runs.last % frames != 0) & present[np.minimum(runs.last, present.size - 1)]
    some = begins & ends & (runs.length < shortest * motion.fps)
    return _Runs(runs.first[some], runs.last[some]).inside()[0]


def _hold(
    motion: BodyMotion, ball: Float64, roll: Float64, stance: Stance, planted: Bool, stands: Bool, set_down: Int64
) -> tuple[Float64, Float64, Int64]:
    """Shift, twist and number of the contact of a foot that does not move while it is planted."""
    runs = _runs(planted)
    places, number = runs.inside()
    contact = np.full(planted.size, -1)
    contact[places] = number
    anchor = np.zeros(planted.size, dtype=np.int64)
    anchor[places] = _anchors(motion, stance, runs, stands, set_down)[number]
    cos, sin = motion.towards
    stood = motion.position + _turned(ball + roll, cos, sin)
    away = stood.reshape(-1, 2)[anchor].reshape(stood.shape) - motion.position
    twist = motion.heading.ravel()[anchor].reshape(motion.heading.shape) - motion.heading
    shift = _turned(away, cos, -sin) - ball - _turned(roll, np.cos(twist), np.sin(twist))
    contact = contact.reshape(planted.shape)
    _fade(shift, twist, planted)
    return shift, twist, contact


def _anchors(motion: BodyMotion, stance: Stance, runs: _Runs, stands: Bool, set_down: Int64) -> Int64:
    """The frame that gives the place of each contact: foot under the body, or the first for people who stand."""
    if not len(runs.first):
        return runs.first
    places, number = runs.inside()
    begun = np.cumsum(runs.length) - runs.length
    middle = stance.off_middle(motion.phase.ravel()[places], motion.gait.ravel()[places])
    middle[stands.ravel()[places]] = np.inf
    nearest = np.minimum.reduceat(middle, begun)
    under = np.where(middle == nearest[number], places, motion.phase.size)
    starts_still = stands.ravel()[runs.first] | np.isinf(nearest)
    found = np.where(starts_still, runs.first, np.minimum.reduceat(under, begun))
    return np.where(set_down[runs.first] >= 0, set_down[runs.first], found)


def _fade(shift: Float64, twist: Float64, held: Bool) -> None:
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


def _turned(points: Float64, cos: Float64, sin: Float64) -> Float64:
    """Points float64 (..., 2) turned by the angles of cosines and sines (...)."""
    x, y = points[..., 0], points[..., 1]
    return np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)


def _runs(mask: Bool) -> _Runs:
    """The runs of True along the rows of a mask (A, F)."""
    edges = np.zeros((len(mask), mask.shape[1] + 1), dtype=np.int8)
    edges[:, :-1] = mask
    edges[:, 1:] -= mask
    agent, first = np.nonzero(edges > 0)
    _, last = np.nonzero(edges < 0)  # in each row as many, in the same order
    return _Runs(agent * mask.shape[1] + first, agent * mask.shape[1] + last)
