# SPDX-License-Identifier: GPL-3.0-or-later
"""How a foot has to be moved from where its clip puts it, so that it stays where it was set down.

A clip is made for walking straight on at one speed. In a bend, or while somebody slows down, the body turns and moves
otherwise than the clip thinks, and a planted foot is dragged along. Here the ball of the foot and its direction are
held on the ground from the moment that the foot stands under the body, back to its strike and on to its leaving; in
the air the correction fades over from one contact to the next. Who stands, or turns on the spot, with a foot elsewhere
than it belongs takes small steps, one foot after the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .foot_contacts import Stance

Float64 = NDArray[np.float64]
Bool = NDArray[np.bool_]
Int64 = NDArray[np.int64]

STANDING_GAIT = 0.1
"""With less of walking in what somebody does both feet are on the ground, but for small steps."""

_WAIT, _NEXT_FOOT, _STEP = 0.15, 0.38, 0.34  # [s]: before the first small step, between the feet's, and for one
_MOST_OFF, _MOST_TWIST = 0.02, 0.12  # of the leg, [rad]: a foot that is further off than this takes a step
_AHEAD = 0.2  # [s] after a small step: where the foot belongs then it is set down, half way to its next step
_BEGUN = 0.2  # [s]: who is first seen with a foot about to leave is seen with it leaving
_STEP_LIFT = 0.06  # of the leg: so high goes the foot of who stands; walking lifts it itself


@dataclass(frozen=True, eq=False)
class FootCorrection:
    """How one foot of A agents is to be moved at F frames, in the axes of the body (x ahead, y to the left).

    Attributes:
        shift: float64 (A, F, 2), of the ball of the foot [unit of the leg].
        lift: float64 (A, F).
        twist: float64 (A, F), about the vertical [rad].
        planted: bool (A, F).
        contact: int64 (A, F), number of the contact, counted on from agent to agent; -1 in the air.
    """

    shift: Float64
    lift: Float64
    twist: Float64
    planted: Bool
    contact: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """What A agents do over F frames.

    Attributes:
        position: float64 (A, F, 2).
        heading: float64 (A, F), continuous [rad].
        phase: float64 (A, F), runs of the walk.
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
        """All places in runs in the flat mask, and the number of the run that each is in."""
        number = np.repeat(np.arange(len(self.first)), self.length)
        begun = np.concatenate([[0], np.cumsum(self.length)[:-1]]) if len(self.first) else np.zeros(0, dtype=np.int64)
        return np.arange(len(number)) - begun[number] + self.first[number], number


def plant(ways: BodyMotion, ball: Float64, stance: Stance, *, leg: float, order: int) -> FootCorrection:
    """Hold a foot of several agents on the ground.

    Args:
        ways: of the agents.
        ball: float64 (A, F, 3), where the clips have the ball of the foot, in the axes of the body.
        stance: when and how high the foot stands; two clips blended can put it lower.
        leg: length of the leg.
        order: which foot steps first where both have to.
    """
    stands = ways.present & (ways.gait < STANDING_GAIT)
    planted = ways.present & (stance.holds(ways.phase, ways.gait) | stands)
    steps, set_down = _small_steps(ways, ball[..., :2], stance, planted, stands, leg=leg, order=order)
    places, _ = steps.inside()
    planted.reshape(-1)[places] = False
    planted.reshape(-1)[_hardly_begun(ways, planted)] = False
    shift, twist, contact = _hold(ways, ball[..., :2], stance, planted, stands, set_down)
    aloft = _runs(~planted & ways.present)
    places, number = aloft.inside()
    lift = np.zeros(planted.size)
    part = (places - aloft.first[number] + 1) / (aloft.length[number] + 1)
    lift[places] = leg * _STEP_LIFT * np.maximum(1.0 - ways.gait.ravel()[places], 0.0) * np.sin(np.pi * part)
    lift = lift.reshape(planted.shape) + np.maximum(stance.height(ways.gait) - ball[..., 2], 0.0)
    return FootCorrection(shift, lift, twist, planted, contact)


def _small_steps(
    ways: BodyMotion, ball: Float64, stance: Stance, planted: Bool, stands: Bool, *, leg: float, order: int
) -> tuple[_Runs, Int64]:
    """When those who stand lift a foot that is elsewhere than it belongs.

    The feet take turns: each may step at its own times only, so that no two are in the air.

    Returns:
        The frames of the steps, in the flat array; and for each frame (A * F,) that at which the foot belongs where it
        is set down then, -1 where no step ends.
    """
    set_down = np.full(stands.size, -1)
    runs = _runs(stands)
    if not len(runs.first):
        return runs, set_down
    step, ahead = max(2, round(_STEP * ways.fps)), round(_AHEAD * ways.fps)
    begin = runs.first + round((_WAIT + _NEXT_FOOT * order) * ways.fps)
    contacts = _runs(planted)
    stood = _anchors(ways, stance, contacts, stands, set_down)[np.searchsorted(contacts.first, runs.first, "right") - 1]
    heading = ways.heading.ravel()
    place = (ways.position + _turned(ball, *ways.towards)).reshape(-1, 2)
    begins = [runs.first[:0]]
    while True:
        here = np.flatnonzero(begin + step < runs.last)
        if not len(here):
            break
        then = np.minimum(begin[here] + step + ahead, runs.last[here] - 1)
        off = np.hypot(*(place[then] - place[stood[here]]).T) > _MOST_OFF * leg
        off |= np.abs(heading[then] - heading[stood[here]]) > _MOST_TWIST
        begins.append(begin[here[off]])
        set_down[begin[here[off]] + step] = stood[here[off]] = then[off]
        begin = begin + round(2 * _NEXT_FOOT * ways.fps)
    first = np.sort(np.concatenate(begins))
    return _Runs(first, first + step), set_down


def _hardly_begun(ways: BodyMotion, planted: Bool) -> Int64:
    """Places in the flat array of contacts that end at once after somebody is first seen.

    A foot that is set down only to be snatched up again twitches; in the air from the beginning it has all the time
    until it strikes.
    """
    runs, frames = _runs(planted), planted.shape[1]
    present = ways.present.ravel()
    begins = (runs.first % frames == 0) | ~present[runs.first - 1]
    ends = (runs.last % frames != 0) & present[np.minimum(runs.last, present.size - 1)]
    some = begins & ends & (runs.length < _BEGUN * ways.fps)
    return _Runs(runs.first[some], runs.last[some]).inside()[0]


def _hold(
    ways: BodyMotion, ball: Float64, stance: Stance, planted: Bool, stands: Bool, set_down: Int64
) -> tuple[Float64, Float64, Int64]:
    """Shift, twist and number of contact of a foot that stays where it is whenever it is planted."""
    runs = _runs(planted)
    places, number = runs.inside()
    contact = np.full(planted.size, -1)
    contact[places] = number
    anchor = np.zeros(planted.size, dtype=np.int64)
    anchor[places] = _anchors(ways, stance, runs, stands, set_down)[number]
    cos, sin = ways.towards
    stood = ways.position + _turned(ball, cos, sin)
    away = stood.reshape(-1, 2)[anchor].reshape(stood.shape) - ways.position
    shift = _turned(away, cos, -sin) - ball
    twist = ways.heading.ravel()[anchor].reshape(ways.heading.shape) - ways.heading
    contact = contact.reshape(planted.shape)
    _fade(shift, twist, planted)
    return shift, twist, contact


def _anchors(ways: BodyMotion, stance: Stance, runs: _Runs, stands: Bool, set_down: Int64) -> Int64:
    """Where each contact is taken from: when the foot is under the body, or the first moment of who stands then."""
    if not len(runs.first):
        return runs.first
    places, number = runs.inside()
    begun = np.cumsum(runs.length) - runs.length
    middle = stance.off_middle(ways.phase.ravel()[places], ways.gait.ravel()[places])
    middle[stands.ravel()[places]] = np.inf
    nearest = np.minimum.reduceat(middle, begun)
    under = np.where(middle == nearest[number], places, ways.phase.size)
    starts_still = stands.ravel()[runs.first] | np.isinf(nearest)
    found = np.where(starts_still, runs.first, np.minimum.reduceat(under, begun))
    return np.where(set_down[runs.first] >= 0, set_down[runs.first], found)


def _fade(shift: Float64, twist: Float64, held: Bool) -> None:
    """Let a correction go over, while the foot is in the air, from that of one contact to that of the next."""
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
