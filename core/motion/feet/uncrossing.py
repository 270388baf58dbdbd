# SPDX-License-Identifier: GPL-3.0-or-later
"""Sets feet down further apart where legs would cross: while people swerve, a foot is put out to the side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.ragged import Runs, runs_in
from ...geometry.reproducible_math import length
from ..windows import ease
from .body_motion import BodyMotion, turned
from .foot_planting import FootCorrection, fade
from .reaching import fade_near_contacts


@dataclass(frozen=True)
class UncrossingSettings:
    """How feet are kept apart; chosen by trial on the built-in figures. Lengths are shares of the leg.

    Attributes:
        apart: a foot stays so far on its side of the other one, across the body, unless its clip crosses them.
        furthest: a foot is set down no further from where it would be.
        crossed: a foot leaves the ground when it is so far on the wrong side of the other one.
        passes: a foot in the air passes the other one so far on its side, unless its clip is nearer; a shoe is as wide.
        easing: time over which it leaves its way, and comes back to it [s].
        rounds: in which both feet of a pair move half of what is missing each.
    """

    apart: float = 0.0
    furthest: float = 0.16
    crossed: float = 0.12
    rounds: int = 6
    passes: float = 0.1
    easing: float = 0.1


UNCROSSING = UncrossingSettings()


def uncross(
    motion: BodyMotion,
    balls: Sequence[Float64],
    feet: Sequence[FootCorrection],
    *,
    leg: float,
    settings: UncrossingSettings = UNCROSSING,
) -> list[FootCorrection]:
    """Set the feet of walking people down further apart, where they would cross.

    A contact moves as a whole, so feet still stand. Those of people who stand stay, however long ago they began.

    Args:
        motion: of the agents.
        balls: float64 (A, F, 3) of each leg, the ball of the foot in the clips, in the axes of the body.
        feet: of the same legs; of other numbers than two nothing changes.
        leg: length of a leg.
        settings: how feet are kept apart.
    """
    side = [float(np.sign(np.median(ball[..., 1]))) for ball in balls]
    if sorted(side) != [-1.0, 1.0]:
        return list(feet)
    moved = [replace(foot, shift=foot.shift.copy(), twist=foot.twist.copy()) for foot in feet]
    contacts = [_Contacts.of(motion, foot) for foot in feet]
    least = np.minimum(settings.apart * leg, _across(balls, [0.0, 0.0], side))
    for _ in range(settings.rounds):
        missing = np.where(motion.present, least - _across(balls, [foot.shift[..., 1] for foot in moved], side), 0.0)
        if not (missing > 0.0).any():
            break
        for own, foot, each in zip(contacts, moved, side, strict=True):
            own.push(motion, foot, each * np.maximum(missing, 0.0).ravel(), settings.furthest * leg)
    return moved


def lead_round(
    motion: BodyMotion,
    balls: Sequence[Float64],
    feet: Sequence[FootCorrection],
    *,
    leg: float,
    settings: UncrossingSettings = UNCROSSING,
) -> list[FootCorrection]:
    """Lead feet in the air round the one on the ground, on their own side; arguments as of `uncross`.

    Who turns during a step sets the foot down in another direction than that in which it leaves: on the shortest way it
    would go through the other one.
    """
    side = [float(np.sign(np.median(ball[..., 1]))) for ball in balls]
    if sorted(side) != [-1.0, 1.0]:
        return list(feet)
    least = np.minimum(settings.passes * leg, _across(balls, [0.0, 0.0], side))
    missing = np.maximum(least - _across(balls, [foot.shift[..., 1] for foot in feet], side), 0.0)
    missing = np.where(motion.present & ~(feet[0].planted & feet[1].planted), missing, 0.0)
    half = max(1, round(settings.easing * motion.fps))
    missing = ease(missing, half)
    found = []
    for own, other, each in zip(feet, reversed(feet), side, strict=True):
        shift = own.shift.copy()
        share = ease(np.where(other.planted, 1.0, 0.5), half) * fade_near_contacts(own.planted, half + 1)
        shift[..., 1] += each * missing * share
        found.append(replace(own, shift=shift))
    return found


def find_crossed(
    balls: Sequence[Float64],
    feet: Sequence[FootCorrection],
    *,
    leg: float,
    settings: UncrossingSettings = UNCROSSING,
) -> Bool:
    """Find where people stand on legs that are crossed too far, bool (A, F); arguments as of `uncross`."""
    side = [float(np.sign(np.median(ball[..., 1]))) for ball in balls]
    if sorted(side) != [-1.0, 1.0]:
        return np.zeros(feet[0].planted.shape if feet else (0, 0), dtype=bool)
    crossed = _across(balls, [foot.shift[..., 1] for foot in feet], side) < -settings.crossed * leg
    return crossed & feet[0].planted & feet[1].planted


def _across(balls: Sequence[Float64], shift: Sequence[Float64 | float], side: Sequence[float]) -> Float64:
    """How far the left foot is on the left of the right one, float64 (A, F)."""
    first, second = (each * (ball[..., 1] + own) for each, ball, own in zip(side, balls, shift, strict=True))
    return first + second


@dataclass(frozen=True, eq=False)
class _Contacts:
    """The contacts of one foot that begin while people walk.

    Attributes:
        places: int64 (P,), their frames in the flat array.
        number: int64 (P,), the contact of each.
        begun: int64 (C,), where each begins among the places.
        offset: float64 (C, 2), how far each has been moved in the world.
    """

    places: Int64
    number: Int64
    begun: Int64
    offset: Float64

    @classmethod
    def of(cls, motion: BodyMotion, foot: FootCorrection) -> _Contacts:
        runs = runs_in(foot.planted)
        walks = ~motion.stands.ravel()[runs.first]
        runs = Runs(runs.first[walks], runs.last[walks])
        places, number = runs.inside()
        return cls(places, number, np.cumsum(runs.length) - runs.length, np.zeros((len(runs.first), 2)))

    def push(self, motion: BodyMotion, foot: FootCorrection, missing: Float64, furthest: float) -> None:
        """Move contacts to the left by half of the most that is missing there, float64 (A * F,)."""
        if not len(self.begun):
            return
        own = missing[self.places]
        most = np.maximum.reduceat(np.abs(own), self.begun)
        worst = np.minimum.reduceat(np.where(np.abs(own) == most[self.number], self.places, missing.size), self.begun)
        cos, sin = (each.ravel() for each in motion.towards)
        offset = self.offset + 0.5 * missing[worst][:, None] * np.column_stack([-sin[worst], cos[worst]])
        offset *= np.minimum(1.0, furthest / np.maximum(length(offset), furthest))[:, None]
        step = turned((offset - self.offset)[self.number], cos[self.places], -sin[self.places])
        foot.shift.reshape(-1, 2)[self.places] += step
        self.offset[:] = offset
        fade(foot.shift, foot.twist, foot.planted)
