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
    """How one foot of one agent is to be moved at F frames, in the axes of the body (x ahead, y to the left).

    Attributes:
        shift: float64 (F, 2), of the ball of the foot [unit of the leg].
        lift: float64 (F,).
        twist: float64 (F,), about the vertical [rad].
        planted: bool (F,).
        contact: int64 (F,), number of the contact, -1 in the air.
    """

    shift: Float64
    lift: Float64
    twist: Float64
    planted: Bool
    contact: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Way:
    """What one agent does over F frames.

    Attributes:
        position: float64 (F, 2).
        heading: float64 (F,), continuous [rad].
        phase: float64 (F,), runs of the walk.
        share: float64 (F,), of walking; the rest is standing.
        present: bool (F,).
        fps: frames per second.
    """

    position: Float64
    heading: Float64
    phase: Float64
    share: Float64
    present: Bool
    fps: float


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


def plant(way: Way, ball: Float64, window: Window, *, floor: float, leg: float, order: int) -> Correction:
    """Hold a foot on the ground.

    Args:
        way: of the agent.
        ball: float64 (F, 3), where the clips have the ball of the foot, in the axes of the body.
        window: when the foot stands.
        floor: height of the ball when the foot stands: two clips blended can put it lower.
        leg: length of the leg.
        order: which foot steps first where both have to.
    """
    stands = way.present & (way.share < STANDING_SHARE)
    planted = way.present & (window.holds(way.phase) | stands)
    shift, twist, contact = _hold(way, ball[:, :2], window, planted, stands)
    for first, last in _runs(stands):
        steps = _small_steps(shift[first:last] / leg, twist[first:last], way.fps, order)
        if steps is not None:
            planted[first + steps[0] : first + steps[1]] = False
    lift = np.zeros(len(planted))
    for first, last in _runs(~planted & way.present):
        rise = np.sin(np.pi * (np.arange(last - first) + 1) / (last - first + 1))
        lift[first:last] = leg * _STEP_LIFT * (1.0 - way.share[first:last]) * rise
    lift += np.maximum(floor - ball[:, 2], 0.0)
    shift, twist, contact = _hold(way, ball[:, :2], window, planted, stands)
    return Correction(shift, lift, twist, planted, contact)


def _small_steps(shift: Float64, twist: Float64, fps: float, order: int) -> tuple[int, int] | None:
    """When somebody who stands puts a foot where it belongs: first and last frame after coming to a stand."""
    begin = round((_WAIT + _NEXT_FOOT * order) * fps)
    end = begin + max(2, round(_STEP * fps))
    if end >= len(shift):
        return None
    off = np.hypot(*shift[begin]) > _MOST_OFF or abs(twist[begin]) > _MOST_TWIST
    return (begin, end) if off else None


def _hold(
    way: Way, ball: Float64, window: Window, planted: Bool, stands: Bool
) -> tuple[Float64, Float64, NDArray[np.int64]]:
    """Shift, twist and number of contact of a foot that stays where it is whenever it is planted."""
    runs = _runs(planted)
    contact = np.full(len(planted), -1)
    anchor = np.zeros(len(planted), dtype=np.int64)
    middle = np.abs(np.mod(way.phase - window.start - window.length / 2 + 0.5, 1.0) - 0.5)
    for number, (first, last) in enumerate(runs):
        contact[first:last] = number
        walking = np.where(stands[first:last], np.inf, middle[first:last])
        starts_still = stands[first] or not np.isfinite(walking).any()
        anchor[first:last] = first if starts_still else first + int(np.argmin(walking))
    ahead = np.stack([np.cos(way.heading), np.sin(way.heading)], axis=1)  # (F, 2)
    place = way.position + _turned(ball, ahead)
    there = place[anchor] - way.position
    shift = _turned(there, ahead * (1.0, -1.0)) - ball
    twist = way.heading[anchor] - way.heading
    held = contact >= 0
    frames = np.arange(len(planted))
    if not held.any():
        return np.zeros_like(shift), np.zeros_like(twist), contact
    for first, last in _runs(~held):
        _fade(shift, twist, frames, first, last)
    return shift, twist, contact


def _fade(shift: Float64, twist: Float64, frames: NDArray[np.int64], first: int, last: int) -> None:
    """Let a correction go over, while the foot is in the air, from that of one contact to that of the next."""
    before, after = first - 1, last
    if before < 0 or after >= len(frames):
        inside = after if before < 0 else before
        within = 0 <= inside < len(frames)
        shift[first:last], twist[first:last] = (shift[inside], twist[inside]) if within else (0.0, 0.0)
        return
    part = (frames[first:last] - before) / (after - before)
    part = part * part * (3.0 - 2.0 * part)
    shift[first:last] = shift[before] + part[:, None] * (shift[after] - shift[before])
    twist[first:last] = twist[before] + part * (twist[after] - twist[before])


def _turned(points: Float64, direction: Float64) -> Float64:
    """Points turned by the angle of a direction (cos, sin), all float64 (F, 2)."""
    x, y = points.T
    cos, sin = direction.T
    return np.stack([cos * x - sin * y, sin * x + cos * y], axis=1)


def _runs(mask: Bool) -> list[tuple[int, int]]:
    """First and one past the last of each run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
