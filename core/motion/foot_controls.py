# SPDX-License-Identifier: GPL-3.0-or-later
"""A foot that hangs on a control which inverse kinematics follows: how to move that so that the foot is elsewhere.

The leg bends by itself; here is only said where the control goes, and a foot out of reach is reached for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .legs import ANKLE, BALL, HIP, STRAIGHT, Move, yielding
from .pose_tables import PoseTable, Posture
from .quaternions import about, about_z, dot, inverse, times, turned

Float64 = NDArray[np.float64]

HEAD, ORIGIN = 4, 5
"""More joints, after those of a leg: the head of the control, and where it is when it is not moved from its rest."""

CONTROL, WAY, TURN = 0, 1, 2
"""Bones: the control; the axes along which it is moved; those in which it is turned."""


@dataclass(frozen=True, eq=False)
class ControlTable(PoseTable):
    """Where the clips put a leg, the control that its foot hangs on, and the axes of that.

    Attributes:
        length: of the leg, from hip to ankle.
        scale: how far the control goes when its location grows by 1.
    """

    length: float
    scale: float


def move_control(table: ControlTable, posture: Posture, move: Move) -> tuple[Float64, Float64, Float64]:
    """Move the control of a foot so that the foot is elsewhere, and turned about the vertical.

    Args:
        table: whose leg is meant.
        posture: where the clips have it at N moments.
        move: where the foot has to go from there.

    Returns:
        float64 (3, N), location of the control; float64 (4, N), its rotation from rest, w >= 0; float64 (N,), how far
        the foot is from where it was wanted.
    """
    lean, foot_turn = about(np.array([[-1.0], [0.0], [0.0]]), move.lean), about_z(move.twist)
    hip, ankle, ball = (posture.joints[each] for each in (HIP, ANKLE, BALL))
    wanted = ball + np.concatenate([move.shift.T, move.lift[None]])
    way = wanted + turned(foot_turn, ankle - ball) - turned(lean, hip)
    distance, own = np.sqrt(dot(way, way)), np.sqrt(dot(ankle - hip, ankle - hip))
    longest = np.maximum(STRAIGHT * table.length, own)  # a clip may stretch its legs, if it likes
    reach = np.minimum(yielding(distance, own, longest, move.soft), longest)
    wanted = wanted + way * (reach / distance - 1.0)
    head = wanted + turned(foot_turn, posture.joints[HEAD] - ball)
    upright = inverse(lean)
    location = turned(inverse(posture.turns[WAY]), turned(upright, head) - posture.joints[ORIGIN]) / table.scale
    turn = times(inverse(posture.turns[TURN]), times(upright, times(foot_turn, posture.turns[CONTROL])))
    return location, np.where(turn[:1] < 0.0, -turn, turn), distance - reach
