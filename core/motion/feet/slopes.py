# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet lie on the slope on which they stand, and legs that push uphill or up a step raise their heels more than usual.

So the body does not sink for that leg to reach down to its foot, and the other knee straightens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64
from ...geometry.ragged import runs_in
from ...geometry.reproducible_math import length
from .body_motion import BodyMotion, turned
from .foot_planting import fade


@dataclass(frozen=True)
class SlopeSettings:
    """How feet follow the ground; chosen by eye on ramps and stairs.

    Attributes:
        steepest: what is steeper is the edge of a step or kerb, on which a foot stays level [rise over run].
        bump: what is higher under a sole is a step, as a share of the leg; as of `SoleSettings`.
        heel_rise: so much of the slope the heel of a leg that pushes uphill is raised beyond level.
        most_rise: and at most by this [rise over run].
        behind: it is raised by all of that when the foot is so far behind its hip, as a share of the leg.
        most_push: it is raised by no more than this to reach down from a step [rise over run].
        under: it is raised so by half under the body, by all this far behind, by none as far ahead, as a share of the
            foot; chosen by eye.
    """

    steepest: float = 0.6
    bump: float = 0.06
    heel_rise: float = 0.5
    most_rise: float = 0.15
    behind: float = 0.3
    most_push: float = 0.5
    under: float = 0.25


SLOPES = SlopeSettings()


class Soles(NamedTuple):
    """How feet lie on the ground.

    Attributes:
        tilt: float64 (A, F, 2), slope of the sole ahead and to the left of the body [rise over run].
        lift: float64 (A, F), of the ball of a foot that stands on the tip of its toes, or on a bump.
    """

    tilt: Float64
    lift: Float64


def rest_soles(
    slope: Float64, along: Float64, ground: Float64, points: Float64, *, leg: float, settings: SlopeSettings = SLOPES
) -> tuple[Float64, Float64]:
    """Find how soles rest on rough ground: from heel to toes, and so high that no bump reaches into them.

    Args:
        slope: float64 (C, 2), of the ground around the ball of each foot, in the world [rise over run].
        along: float64 (C, 2), unit length, where its toes are.
        ground: float64 (C, N), height of the ground under points of its sole.
        points: float64 (N,), places of these from heel to toes, not decreasing; 0 is the ball of the foot.
        leg: length of the leg.
        settings: what is an edge.

    Returns:
        float64 (C, 2), the slope of the soles, level at edges, never steeper; float64 (C,), how much higher balls are.
    """
    slope = slope * (length(slope) <= settings.steepest)[:, None]
    ground = ground - ground[:, [np.searchsorted(points, 0.0)]]
    smooth = (np.abs(np.diff(ground, axis=1)) <= settings.steepest * np.diff(points)).all(axis=1)
    whole = (ground[:, -1] - ground[:, 0]) / (points[-1] - points[0])
    ahead = (slope * along).sum(axis=1)
    slope = slope + (np.where(smooth, whole, ahead) - ahead)[:, None] * along
    slope *= (settings.steepest / np.maximum(length(slope), settings.steepest))[:, None]
    over = ground - (slope * along).sum(axis=1)[:, None] * points
    return slope, np.where(over <= settings.bump * leg, over, 0.0).max(axis=1, initial=0.0)


def lay_soles(
    motion: BodyMotion,
    foot: Float64,
    planted: Bool,
    slope: Float64,
    over: Float64 | float = 0.0,
    *,
    leg: float,
    toe: float,
    settings: SlopeSettings = SLOPES,
) -> Soles:
    """Find how feet lie on the ground: as it is where each was set down, and from one contact to the next between.

    Args:
        motion: of the agents.
        foot: float64 (A, F, 2), the ball of the foot in the axes of the body [unit of the leg].
        planted: bool (A, F).
        slope: float64 (C, 2), of the sole in each contact, in the world, from `rest_soles` [rise over run].
        over: float64 (C,), how much higher its ball is than the ground there.
        leg: length of the leg.
        toe: length of the toes.
        settings: how feet follow the ground.
    """
    tilt, lift = np.zeros((*planted.shape, 2)), np.zeros(planted.shape)
    places, number = runs_in(planted).inside()
    tilt.reshape(-1, 2)[places] = slope[number]
    lift.reshape(-1)[places] = np.broadcast_to(over, len(slope))[number]
    fade(tilt, lift, planted)
    cos, sin = motion.towards
    tilt = turned(tilt, cos, -sin)
    uphill = np.maximum(tilt[..., 0], 0.0)
    part = np.clip(-foot[..., 0] / (settings.behind * leg), 0.0, 1.0)
    raised = uphill + np.minimum(settings.heel_rise * uphill, settings.most_rise)
    raised *= part * part * (3.0 - 2.0 * part)
    tilt[..., 0] -= raised
    return Soles(tilt, lift + toe * raised)


def push_off(
    soles: Soles, far: Float64, foot: Float64, *, length: float, toe: float, settings: SlopeSettings = SLOPES
) -> Soles:
    """Raise the heels of feet behind their bodies by as much as their legs would be too short, until only toes stand.

    Args:
        soles: of the feet.
        far: float64 (A, F), how much is missing of a leg [unit of the leg].
        foot: float64 (A, F, 2), the ball of the foot in the axes of the body.
        length: of the foot, from its ankle to its toes.
        toe: length of the toes.
        settings: how feet follow the ground.
    """
    part = np.clip(0.5 - 0.5 * foot[..., 0] / (settings.under * length), 0.0, 1.0)
    raised = part * part * (3.0 - 2.0 * part) * np.minimum(far / length, settings.most_push)
    tilt = soles.tilt.copy()
    tilt[..., 0] -= raised
    return Soles(tilt, soles.lift + toe * raised)
