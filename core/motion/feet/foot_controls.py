# SPDX-License-Identifier: GPL-3.0-or-later
"""A foot with an inverse-kinematics control: how to move the control so that the foot is at its target.

The leg bends by itself; only the control is moved, as near to the target as the leg reaches.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...array_types import Float64
from ..legs import ANKLE, BALL, HIP, LARGEST_STRETCH, Move, soften_reach
from ..pose_tables import PoseTable, Posture
from ..quaternions import about, dot, inverse, times, turned

HEAD, ORIGIN = 4, 5
"""Further joints, after those of a leg: the head of the control, and its position at rest."""

CONTROL, LOCATION_AXES, TURN = 0, 1, 2
"""Bones: the control; the axes along which it is moved; those in which it is turned."""


@dataclass(frozen=True, eq=False)
class ControlTable(PoseTable):
    """Poses of a leg in the clips, of the control of its foot, and of the axes of the control.

    Attributes:
        length: of the leg, from hip to ankle.
        scale: distance that the control moves when its location grows by 1.
    """

    length: float
    scale: float


def move_control(table: ControlTable, posture: Posture, move: Move) -> tuple[Float64, Float64, Float64]:
    """Move the control of a foot so that the foot is moved, and turned about the vertical.

    Args:
        table: of the leg.
        posture: of the clips at N moments.
        move: of the foot from there.

    Returns:
        float64 (3, N), location of the control; float64 (4, N), its rotation from rest, w >= 0; float64 (N,), distance
        of the foot from its target.
    """
    lean, foot_turn = about(np.array([[-1.0], [0.0], [0.0]]), move.lean), move.foot_turn
    hip, ankle, ball = (posture.joints[each] for each in (HIP, ANKLE, BALL))
    target = ball + np.concatenate([move.shift.T, move.lift[None]])
    apart = target + turned(foot_turn, ankle - ball) - turned(lean, hip)
    distance, own = np.sqrt(dot(apart, apart)), np.sqrt(dot(ankle - hip, ankle - hip))
    longest = np.maximum(LARGEST_STRETCH * table.length, own)  # a clip may stretch its legs further
    reach = np.minimum(soften_reach(distance, own, longest, move.soft), longest)
    target = target + apart * (reach / distance - 1.0)
    head = target + turned(foot_turn, posture.joints[HEAD] - ball)
    upright = inverse(lean)
    location = (
        turned(inverse(posture.turns[LOCATION_AXES]), turned(upright, head) - posture.joints[ORIGIN]) / table.scale
    )
    turn = times(inverse(posture.turns[TURN]), times(upright, times(foot_turn, posture.turns[CONTROL])))
    return location, np.where(turn[:1] < 0.0, -turn, turn), distance - reach
