# SPDX-License-Identifier: GPL-3.0-or-later
"""How a foot has to be moved from where its clip puts it, so that it stays where it was set down.

A clip is made for walking straight on at one speed. In a bend, or while somebody slows down, the body turns and moves
otherwise than the clip thinks, and a planted foot is dragged along. Here the ball of the foot and its direction are
held on the ground from the moment that the foot stands under the body, back to its strike and on to its leaving; in
the air the correction fades over from one contact to the next. Who stands still with a foot elsewhere than it
belongs takes a small step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]
Bool = NDArray[np.bool_]
Int64 = NDArray[np.int64]

STANDING_SHARE = 0.05
"""Of walking in what somebody does: with less than this both feet are on the ground."""

_WAIT, _NEXT_FOOT, _STEP = 0.15, 0.5, 0.42  # [s]: before a small step, more before the other foot's, and for one
_MOST_OFF, _MOST_TWIST = 0.02, 0.12  # of the leg, [rad]: a standing foot further off than this takes a step
_STEP_LIFT = 0.06  # of the leg: so high goes the foot of who stands; walking lifts it itself


class Window(NamedTuple):
    """The part of the walk's run in which a foot stands: from `start` over `length`, in runs."""

    start: float
    length: float

    def holds(self, phase: Float64) -> Bool:
        """Whether the foot stands at these phases."""
        return np.mod(phase - self.start, 1.0) <= self.length


@dataclass(frozen=True, eq=False)
class Correction:
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
class Ways:
    """What A agents do over F frames.

    Attributes:
        position: float64 (A, F, 2).
        heading: float64 (A, F), continuous [rad].
        phase: float64 (A, F), runs of the walk.
        share: float64 (A, F), of walking; the rest is standing.
        present: bool (A, F).
        fps: frames per second.
    """

    position: Float64
    heading: Float64
    phase: Float64
    share: Float64
    present: Bool
    fps: float


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


def stance_window(ball: Float64, stride: float) -> Window | None:
    """When a foot stands, as its clip in place shows it: low, and going back with the ground.

    Args:
        ball: float64 (K + 1, 3), the ball of the foot over one run, both ends included; x ahead, z up.
        stride: way of one run.

    Returns:
        The longest such part; None where there is none.
    """
    count = len(ball) - 1
    speed = np.diff(ball[:, :2], axis=0) * count + (stride, 0.0)  # over the ground, per run
    height = (ball[1:, 2] + ball[:-1, 2]) / 2 - ball[:, 2].min()
    stands = (np.hypot(*speed.T) < 0.2 * stride) & (height < 0.2 * np.ptp(ball[:, 2]) + 1e-9)
    if not stands.any() or stands.all():
        return None
    first = int(np.flatnonzero(~stands)[0])
    rolled = np.roll(stands, -first)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], rolled, [False]])))
    starts, ends = edges[::2], edges[1::2]
    longest = int(np.argmax(ends - starts))
    inside = ends[longest] - starts[longest] - 1.0  # half a step less at each end, where the foot comes and goes
    return Window(float((starts[longest] + first + 0.5) % count) / count, float(inside) / count)


def plant(ways: Ways, ball: Float64, window: Window, *, floor: float, leg: float, order: int) -> Correction:
    """Hold a foot of several agents on the ground.

    Args:
        ways: of the agents.
        ball: float64 (A, F, 3), where the clips have the ball of the foot, in the axes of the body.
        window: when the foot stands.
        floor: height of the ball when the foot stands: two clips blended can put it lower.
        leg: length of the leg.
        order: which foot steps first where both have to.
    """
    stands = ways.present & (ways.share < STANDING_SHARE)
    planted = ways.present & (window.holds(ways.phase) | stands)
    shift, twist, contact = _hold(ways, ball[..., :2], window, planted, stands)
    if _take_small_steps(planted, _runs(stands), shift / leg, twist, fps=ways.fps, order=order):
        shift, twist, contact = _hold(ways, ball[..., :2], window, planted, stands)
    aloft = _runs(~planted & ways.present)
    places, number = aloft.inside()
    lift = np.zeros(planted.size)
    part = (places - aloft.first[number] + 1) / (aloft.length[number] + 1)
    lift[places] = leg * _STEP_LIFT * (1.0 - ways.share.ravel()[places]) * np.sin(np.pi * part)
    lift = lift.reshape(planted.shape) + np.maximum(floor - ball[..., 2], 0.0)
    return Correction(shift, lift, twist, planted, contact)


def _take_small_steps(planted: Bool, stands: _Runs, shift: Float64, twist: Float64, *, fps: float, order: int) -> bool:
    """Lift the foot of those who stand with it elsewhere than it belongs, changing `planted`; tells whether any do."""
    begin = stands.first + round((_WAIT + _NEXT_FOOT * order) * fps)
    end = begin + max(2, round(_STEP * fps))
    long = end < stands.last
    begin, end = begin[long], end[long]
    shifted = shift.reshape(-1, 2)[begin]
    off = (np.hypot(*shifted.T) > _MOST_OFF) | (np.abs(twist.ravel()[begin]) > _MOST_TWIST)
    places, _ = _Runs(begin[off], end[off]).inside()
    planted.reshape(-1)[places] = False
    return len(places) > 0


def _hold(ways: Ways, ball: Float64, window: Window, planted: Bool, stands: Bool) -> tuple[Float64, Float64, Int64]:
    """Shift, twist and number of contact of a foot that stays where it is whenever it is planted."""
    runs = _runs(planted)
    places, number = runs.inside()
    contact = np.full(planted.size, -1)
    contact[places] = number
    anchor = np.zeros(planted.size, dtype=np.int64)
    anchor[places] = _anchors(ways.phase, window, runs, stands)[number]
    cos, sin = np.cos(ways.heading), np.sin(ways.heading)
    stood = ways.position + _turned(ball, cos, sin)
    away = stood.reshape(-1, 2)[anchor].reshape(stood.shape) - ways.position
    shift = _turned(away, cos, -sin) - ball
    twist = ways.heading.ravel()[anchor].reshape(ways.heading.shape) - ways.heading
    contact = contact.reshape(planted.shape)
    _fade(shift, twist, planted)
    return shift, twist, contact


def _anchors(phase: Float64, window: Window, runs: _Runs, stands: Bool) -> Int64:
    """Where each contact is taken from: when the foot is under the body, or the first moment of who stands then."""
    if not len(runs.first):
        return runs.first
    places, number = runs.inside()
    begun = np.cumsum(runs.length) - runs.length
    middle = np.abs(np.mod(phase.ravel()[places] - window.start - window.length / 2 + 0.5, 1.0) - 0.5)
    middle[stands.ravel()[places]] = np.inf
    nearest = np.minimum.reduceat(middle, begun)
    under = np.where(middle == nearest[number], places, phase.size)
    starts_still = stands.ravel()[runs.first] | np.isinf(nearest)
    return np.where(starts_still, runs.first, np.minimum.reduceat(under, begun))


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
