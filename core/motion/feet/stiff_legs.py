# SPDX-License-Identifier: GPL-3.0-or-later
"""A leg of a single bone, as figures of boxes have: it turns at the hip, and slides along itself to keep its foot down.

Without a knee the foot is as far from the hip as the leg is long, whatever its angle. So the whole leg is pushed into
the body, or pulled out of it, by the few hundredths of its length that the angle makes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...array_types import Float64
from ..legs import BALL, HIP, LegTable, Move
from ..pose_tables import Posture
from ..quaternions import about, between, dot, inverse, times, turned
from .foot_controls import CONTROL, LOCATION_AXES, ORIGIN, TURN, ControlTable

FOOT = 3
"""The bone of the foot, after those of a control."""

_LIFT = 2.0, 10.0
"""A foot is at least and at most this far above the ground, in parts of the length over which its reach is softened;
chosen. A foot that stands is on the ground, or as near to it as its leg reaches."""


@dataclass(frozen=True, eq=False)
class StiffLegTable(LegTable, ControlTable):
    """Poses of a leg that is a control itself, as in `ControlTable`, and of its foot; thigh and shin are the same bone.

    Attributes:
        floor: height of the ball of the foot when it stands.
        slide: how far the leg moves along itself at most, in parts of its length.
    """

    floor: float
    slide: float


def swing_leg(table: StiffLegTable, posture: Posture, move: Move) -> tuple[Float64, Float64, Float64, Float64]:
    """Turn a leg at the hip, and slide it along itself, so that its foot is elsewhere.

    Args:
        table: of the leg.
        posture: of the clips at N moments.
        move: of the foot from there.

    Returns:
        float64 (3, N), location of the leg; float64 (4, N) each, its rotation and that of its foot from rest, w >= 0;
        float64 (N,), distance of the foot from its target.
    """
    lean, foot_turn = about(np.array([[-1.0], [0.0], [0.0]]), move.lean), move.foot_turn
    ball, hip = posture.joints[BALL], turned(lean, posture.joints[HIP])
    own = turned(lean, ball) - hip
    length = np.sqrt(dot(own, own))
    target = ball + np.concatenate([move.shift.T, move.lift[None]]) - hip
    longest = length + table.slide * table.length
    deepest = np.sqrt(np.maximum(longest**2 - target[0] ** 2 - target[1] ** 2, 0.0))
    above, loose = np.maximum(ball[2] - table.floor, 0.0), move.soft * length
    least = np.maximum(_LIFT[0] * loose, np.minimum(above - target[2] - deepest, above))
    target[2] += np.clip(above, least, np.maximum(_LIFT[1] * loose, least)) - above
    distance = np.sqrt(dot(target, target))
    along = target / distance
    slide = np.clip(distance - length, -table.slide * table.length, table.slide * table.length)
    leg_turn = times(about(-along, move.twist), between(own / length, along))
    leg = times(leg_turn, times(lean, posture.turns[CONTROL]))
    foot = times(inverse(times(leg, table.rest_turns[2][:, None])), times(foot_turn, posture.turns[FOOT]))
    upright = inverse(lean)
    head = turned(upright, hip + slide * along)
    location = turned(inverse(posture.turns[LOCATION_AXES]), head - posture.joints[ORIGIN]) / table.scale
    turn = times(inverse(posture.turns[TURN]), times(upright, leg))
    turn, foot = (np.where(each[:1] < 0.0, -each, each) for each in (turn, foot))
    return location, turn, foot, np.abs(distance - length - slide)
