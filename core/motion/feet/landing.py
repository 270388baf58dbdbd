# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps free feet from being drawn back: while people brake, a foot would swing beyond the place where it lands."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...array_types import Float64
from ...geometry.ragged import Runs, runs_in
from ...geometry.reproducible_math import dot, length
from .body_motion import BodyMotion, turned
from .foot_planting import FootCorrection


@dataclass(frozen=True)
class LandingSettings:
    """Which swings are kept from going too far.

    Attributes:
        shortest: shorter steps, which go in arcs as people turn, stay as they are, as a share of the leg; chosen by
            trial.
    """

    shortest: float = 0.25


LANDING = LandingSettings()


def end_swings_where_feet_land(
    motion: BodyMotion, ball: Float64, foot: FootCorrection, *, leg: float, settings: LandingSettings = LANDING
) -> FootCorrection:
    """Let a foot in the air go no further than to the place where it is set down, along the way from step to step.

    Feet of people who turn on the spot go in arcs, and stay.

    Args:
        motion: of the agents.
        ball: float64 (A, F, 3), the ball of the foot in the clips, in the axes of the body.
        foot: where it is to be.
        leg: length of the leg.
        settings: which swings are meant.
    """
    frames, planted = foot.planted.shape[1], foot.planted.ravel()
    swings = runs_in(~foot.planted & motion.present)
    inside = (swings.first % frames != 0) & (swings.last % frames != 0)
    inside &= planted[swings.first - 1] & planted[np.minimum(swings.last, planted.size - 1)]
    stands = motion.stands.ravel()
    inside &= ~(stands[swings.first - 1] & stands[np.minimum(swings.last, planted.size - 1)])
    swings = Runs(swings.first[inside], swings.last[inside])
    cos, sin = motion.towards
    place = (motion.position + turned(ball[..., :2] + foot.shift, cos, sin)).reshape(-1, 2)
    start = place[swings.first - 1]
    way = place[swings.last] - start
    whole = length(way)
    unit = np.where((whole > settings.shortest * leg)[:, None], way / np.maximum(whole, 1e-9)[:, None], 0.0)
    places, number = swings.inside()
    along = dot(place[places] - start[number], unit[number])
    over = along - np.clip(along, 0.0, whole[number])
    shift = foot.shift.copy()
    back = turned(over[:, None] * unit[number], cos.ravel()[places], -sin.ravel()[places])
    shift.reshape(-1, 2)[places] -= back
    return replace(foot, shift=shift)
