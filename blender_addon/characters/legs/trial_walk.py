# SPDX-License-Identifier: GPL-3.0-or-later
"""Tries whether legs reach the ground for the whole of each contact, and with which stride they do.

Clips of games let short legs glide over long strides. A foot that stands all through its contact would then be farther
from the hip than the leg is long, and would have to leave early. Often it only stands too far ahead or behind, since it
is not under its body in the middle of its contact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ....core.motion.blending import WALKS
from ....core.motion.feet.body_motion import BodyMotion
from ....core.motion.feet.foot_planting import plant
from ....core.motion.feet.reaching import find_out_of_reach, lift_to_ground
from ....core.motion.legs import BALL, CONTACT, LegTable, Move
from .bone_legs import Leg


@dataclass(frozen=True)
class TrialSettings:
    """How strides are tried; chosen.

    Attributes:
        kept: share of their contacts that feet stand at least; else shorter strides are tried.
        least: where no stride reaches that, the best one is taken if it reaches this; else legs are too short.
        shares: of the measured stride, one after the other.
        late: how much later than in the middle of a contact a foot is under its body, one after the other [strides].
        least_late: share with which others than the middle are tried, at least.
        samples: moments in one run of the walk.
    """

    kept: float = 0.92
    least: float = 0.7
    shares: tuple[float, ...] = (1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5)
    late: tuple[float, ...] = (0.0, -0.05, 0.05, -0.1, 0.1, -0.15, 0.15, -0.2, 0.2)
    least_late: float = 0.8
    samples: int = 48


_TRIAL = TrialSettings()
_RATE = 24.0  # frames per second of the trial: reach does not depend on it
_RUNS = 3  # of which the middle one is looked at


class ReachInWalk(NamedTuple):
    """How legs reach the ground.

    Attributes:
        share: of the stride with which they do.
        late: how much later than in the middle of its contacts a foot is under its body [runs].
    """

    share: float = 1.0
    late: float = 0.0


def find_reach(legs: Sequence[Leg], stride: float) -> ReachInWalk:
    """Return the largest share of a stride, from 0.5 to 1, with which legs reach the ground in all their contacts.

    Args:
        legs: two, with bones that are keyed themselves.
        stride: length of one run of the walk [Blender units].
    """
    tried: list[tuple[float, ReachInWalk]] = []
    strides = len(legs[0].stance.walking)
    for share in _TRIAL.shares:
        for late in _TRIAL.late if share >= _TRIAL.least_late else _TRIAL.late[:1]:
            reach = ReachInWalk(share, late / strides)
            shifted = lead(legs, reach.late)
            kept = min(_kept(leg, number, shifted, share * stride) for number, leg in enumerate(shifted))
            if kept >= _TRIAL.kept:
                return reach
            tried.append((kept, reach))
    kept, best = max(tried, key=lambda each: each[0])
    return best if kept >= _TRIAL.least else ReachInWalk()


def lead(legs: Sequence[Leg], late: float) -> list[Leg]:
    """Return legs whose feet are under their bodies so much later than in the middle of their contacts [runs]."""
    return [replace(leg, stance=replace(leg.stance, late=late)) for leg in legs]


def _kept(leg: Leg, number: int, legs: Sequence[Leg], stride: float) -> float:
    """Share of its contacts for which a leg reaches the ground on a straight walk."""
    phase = np.arange(_RUNS * _TRIAL.samples + 1)[None] / _TRIAL.samples
    none, flat = np.zeros_like(phase), np.zeros((phase.size, 2))
    position = np.stack([phase * stride, none], axis=-1)
    motion = BodyMotion(position, none, phase, np.full_like(phase, WALKS), np.ones(phase.shape, dtype=bool), _RATE)
    table: LegTable = leg.table
    posture = table.posture(motion.gait.ravel(), phase.ravel(), none.ravel())
    ball, contact = np.moveaxis(posture.joints[[BALL, CONTACT]], 1, -1)[:, None]
    other = legs[1 - number].stance
    foot = plant(motion, ball, leg.stance, leg=leg.length, order=number, roll=(contact - ball)[..., :2], other=other)
    lift = lift_to_ground(leg.stance, contact[..., 2], foot, leg=leg.length)
    move = Move(foot.shift[0], lift[0], foot.twist[0], none[0], none[0], flat)
    miss = leg.reach(posture, move)[1].reshape(phase.shape)
    aloft = find_out_of_reach(foot, miss, motion.stands, leg=leg.length)
    middle = slice(_TRIAL.samples, 2 * _TRIAL.samples)
    stands = foot.planted[0, middle]
    return float((stands & ~aloft[0, middle]).sum() / max(1, stands.sum()))
