# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of feet: they cross, skate, slip back before a step, or hang in the air; and people who stand like statues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.ragged import runs_in
from ...geometry.reproducible_math import length
from ..blending import WALKS
from ..legs import ANKLE, HIP
from ..pose_tables import Posture
from .body_motion import BodyMotion, turned
from .foot_planting import FootCorrection

CROSSED, SCUFFED, SKATING, HANGING, STATUE = "crossed", "scuffed", "skating", "hanging", "statue"
LENGTHS = (CROSSED, SCUFFED, SKATING)
"""Kinds whose amounts are lengths; the others are times [s]."""


@dataclass(frozen=True)
class FaultSettings:
    """What counts; chosen by eye. Lengths are shares of the leg.

    Attributes:
        low: a free foot that is lower than this above the ground is near it.
        grounded: a foot that is lower than this is on the ground.
        sole: a foot that is lower than this, and whose heel is, too, is flat on the ground, where none may go.
        heel: its heel is up where its ankle is higher above its ball than in standing by more than this.
        skates: a foot that goes faster than this over the ground slides [1/s].
        lifted: a foot that is higher than this above the ground is in the air.
        seated: with the hips lower than this a person sits.
        still: hips that move less are still [1/s].
        turns: a person who turns faster is not still [rad/s].
    """

    low: float = 0.06
    grounded: float = 0.02
    sole: float = 0.012
    heel: float = 0.03
    skates: float = 0.3
    lifted: float = 0.035
    seated: float = 0.8
    still: float = 0.003
    turns: float = 0.02


FAULTS = FaultSettings()


class WorstFault(NamedTuple):
    """The worst of each agent: `amount` float64 (A,), 0 where there is none, and the row of it, int64 (A,)."""

    amount: Float64
    row: Int64

    def of(self, agent: int, unit: float) -> tuple[float, int]:
        """Return that of one agent, in another unit."""
        return unit * float(self.amount[agent]), int(self.row[agent])


class SeenFoot(NamedTuple):
    """A foot as it is animated.

    Attributes:
        ball: float64 (A, F, 2), in the axes of the body.
        height: float64 (A, F), above the ground.
        hip: float64 (A, F, 3), the joint of its hip, in the axes of the body.
        planted: bool (A, F).
        heel: float64 (A, F), by how much its ankle is higher above its ball than while it is planted, the median.
    """

    ball: Float64
    height: Float64
    hip: Float64
    planted: Bool
    heel: Float64 | float = 0.0

    @classmethod
    def of(cls, posture: Posture, wanted: FootCorrection, ball: Float64, floor: Float64) -> SeenFoot:
        """Return a foot that is corrected from its clips; `floor` is the height of its ball when it stands."""
        hip, down = np.moveaxis(posture.joints[HIP], 0, -1).reshape(*ball.shape), wanted.planted
        heel = posture.joints[ANKLE, 2].reshape(down.shape) - ball[..., 2]
        heel = heel - (np.median(heel[down]) if down.any() else 0.0)
        return cls(ball[..., :2] + wanted.shift, ball[..., 2] + wanted.lift - floor, hip, down, heel)


def find_step_faults(
    motion: BodyMotion, feet: Sequence[SeenFoot], *, leg: float, seated: Bool
) -> dict[str, WorstFault]:
    """Find the worst of each kind: feet that cross, scuff and skate [unit of the leg], hanging feet and statues [s].

    Args:
        motion: of the bodies.
        feet: of the two legs; of other numbers nothing is said.
        leg: length of a leg.
        seated: bool (A, F), who is known to sit, however high: legs may cross there, and feet of children hang.
    """
    if len(feet) != 2:
        return {}
    left, right = sorted(feet, key=lambda foot: -float(np.median(foot.ball[..., 1])))
    there, settings = motion.present, FAULTS
    hip = 0.5 * (left.hip + right.hip)
    stands = motion.stands & (hip[..., 2] > settings.seated * leg) & ~seated
    over = np.where(there & ~seated, right.ball[..., 1] - left.ball[..., 1], 0.0)
    row = over.argmax(axis=1)
    crossed = WorstFault(np.maximum(over[np.arange(len(over)), row], 0.0), row)
    places = [motion.position + turned(foot.ball, *motion.towards) for foot in feet]
    each = (_faults_of(motion, *foot, stands, leg) for foot in zip(feet, places, strict=True))
    scuffed, hanging = zip(*each, strict=True)
    moved = length(np.diff(hip, axis=1, prepend=hip[:, :1])) * motion.fps
    moved += motion.moved * motion.fps
    still = stands & (moved < settings.still * leg) & (motion.turned * motion.fps < settings.turns)
    return {
        CROSSED: crossed,
        SCUFFED: _worse(*scuffed),
        SKATING: _skating(motion, feet, places, there & ~seated, leg),
        HANGING: _worse(*hanging),
        STATUE: _longest(still, np.full(still.shape, 1.0 / motion.fps)),
    }


def _faults_of(
    motion: BodyMotion, foot: SeenFoot, places: Float64, stands: Bool, leg: float
) -> tuple[WorstFault, WorstFault]:
    """Find how far a free foot slides back near the ground at once, and how long it hangs while its body stands."""
    ahead = np.stack(motion.towards, axis=-1)
    own, body = (
        (np.diff(each, axis=1, prepend=each[:, :1]) * ahead).sum(axis=-1) for each in (places, motion.position)
    )
    slips = motion.present & ~foot.planted & (own < 0.0) & (body >= 0.0) & ~stands
    slips &= foot.height < FAULTS.low * leg
    slips[:, 0] = False
    hangs = stands & (foot.height > FAULTS.lifted * leg)
    return _longest(slips, -own), _longest(hangs, np.full(hangs.shape, 1.0 / motion.fps))


def _skating(
    motion: BodyMotion, feet: Sequence[SeenFoot], places: Sequence[Float64], free: Bool, leg: float
) -> WorstFault:
    """Find how far a flat foot drags over the ground, or both feet move at once, low or while nobody runs.

    A foot that walks lands flat, or rolls over its toes, within a frame; and while one swings, the other one stands.
    """
    steps = [length(np.diff(each, axis=1, prepend=each[:, :1])) for each in places]
    moves = [free & (step * motion.fps > FAULTS.skates * leg) for step in steps]
    low = np.maximum(*(foot.height for foot in feet)) < FAULTS.grounded * leg
    both = moves[0] & moves[1] & (low | (motion.gait < WALKS))
    worst = _longest(both, np.minimum(*steps))
    for foot, step, moving in zip(feet, steps, moves, strict=True):
        flat = (foot.height < FAULTS.sole * leg) & (foot.heel < FAULTS.heel * leg)
        flat[:, 1:] &= flat[:, :-1].copy()
        worst = _worse(worst, _longest(moving & flat, step))
    return worst


def _longest(mask: Bool, amount: Float64) -> WorstFault:
    """The run of True with the largest sum of amounts (A, F) in each row, and its last frame."""
    runs, (agents, frames) = runs_in(mask), mask.shape
    found = WorstFault(np.zeros(agents), np.zeros(agents, dtype=np.int64))
    sums = np.concatenate([[0.0], np.cumsum(np.where(mask, amount, 0.0).ravel())])
    total = sums[runs.last] - sums[runs.first]
    order = np.argsort(total, kind="stable")
    found.amount[(runs.first // frames)[order]] = total[order]
    found.row[(runs.first // frames)[order]] = ((runs.last - 1) % frames)[order]
    return found


def _worse(first: WorstFault, second: WorstFault) -> WorstFault:
    larger = second.amount > first.amount
    return WorstFault(np.where(larger, second.amount, first.amount), np.where(larger, second.row, first.row))
