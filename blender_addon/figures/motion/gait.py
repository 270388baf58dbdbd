# SPDX-License-Identifier: GPL-3.0-or-later
"""How the feet and hips of somebody who walks or runs move over a cycle of two steps: what the limbs are fitted to.

A cycle begins with the left heel strike. In the body's frame a foot on the ground moves backwards by exactly the stride
length per cycle, so that it stands still on the ground when the cycle is driven by the distance walked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....core.geometry.reproducible_math import cos_sin, inverse, matrix_product
from ..mesh.skeleton import Proportions
from ..mesh.surface import smoothstep

BALL_HEIGHT = 0.022
"""Height of the joint of the toes over the floor [m]."""

FEET_PASS = 0.31
"""Phase at which the right ankle swings ahead under the hip, where it stands; the left one half a cycle later."""


@dataclass(frozen=True)
class Gait:
    """The measures of a gait, as parts of the leg's length where they are lengths; angles in degrees.

    The defaults are a walk, fitted to the mean angles of knee and hip of people at their natural cadence (Winter 1991).
    """

    flat: float = 0.12  # part of the cycle at which the sole, having rolled over the heel, lies flat
    heel_off: float = 0.30
    ball_off: float = 0.53  # the ball of the foot rises too, and the foot rolls over the tip of its toes
    toe_off: float = 0.61
    lifting: float = 0.17  # part of the cycle in which the toes, in the air, come in line with the foot
    stride: float = 1.67  # over the length of the leg, hip to ankle
    reach: float = 0.223  # part of the cycle at which the ankle passes under the hip
    strike_pitch: float = 18.0
    push: tuple[tuple[float, float], ...] = (
        (0.42, -4.7),
        (0.52, -26.2),
        (0.61, -60.1),
    )  # phase, pitch of the rising heel
    push_rate: float = -296.0  # of the pitch as the toes leave the floor, per cycle
    tip_pitch: float = -26.8  # of the toes as they leave the floor
    landing: float = 0.45  # downward speed of the ankle as the heel strikes, over the leg per cycle
    drop: float = 0.0320  # of the hips below standing, on average
    bob: float = 0.0170
    bob_phase: float = 0.249  # when the hips are highest
    sway: float = 0.020  # [m]
    surge: float = 0.006  # of the hips, ahead and back [m]
    spread: float = 0.68  # of the feet, beside standing
    swing: tuple[tuple[float, float, float, float], ...] = (
        # phase, ankle before the hip and above the floor (over the leg), pitch
        (0.670, -0.414, 0.284, -63.8),
        (0.745, -0.2565, 0.260, -34.6),
        (0.830, 0.093, 0.1433, -5.8),
        (0.915, 0.346, 0.129, 11.6),
    )


RUN = Gait(
    flat=0.06, heel_off=0.17, ball_off=0.31, toe_off=0.37, lifting=0.10,
    stride=2.32, reach=0.118, strike_pitch=8.0,
    push=((0.25, -14.0), (0.31, -34.0), (0.37, -58.0)), push_rate=-330.0, tip_pitch=-20.0,
    landing=0.7, drop=0.080, bob=0.034, bob_phase=0.42, sway=0.008, surge=0.010, spread=0.45,
    swing=(
        (0.45, -0.517, 0.290, -76.0),
        (0.55, -0.395, 0.372, -76.0),
        (0.65, -0.221, 0.378, -68.0),
        (0.75, -0.036, 0.292, -44.0),
        (0.85, 0.190, 0.200, -10.0),
        (0.93, 0.310, 0.155, 7.0),
    ),
)  # fmt: skip
"""A run at 2.6 m/s: the feet, fitted to the angles of thigh and knee of runners (Novacheck 1998, figure 5), are in the
air together for a quarter of the cycle; the hips are lowest over the bearing foot, and highest in flight."""


@dataclass(frozen=True)
class Foot:
    """Where one foot is over the cycle, all float64 (N,); forwards and heights from the point under the hips [m]."""

    ankle_forward: np.ndarray
    ankle_height: np.ndarray
    pitch: np.ndarray  # toes up is positive [rad]
    toe_pitch: np.ndarray  # of the toes over the floor [rad]
    knee_out: np.ndarray | float = 0.0  # how far the knee points outwards [rad]


def leg_length(body: Proportions) -> float:
    """From the hip joint down to the ankle, standing [m]."""
    return body.hip_joint - body.ankle


def stride_length(body: Proportions, gait: Gait) -> float:
    """Distance walked in one cycle, two steps [m]."""
    return gait.stride * leg_length(body)


def trace_foot(body: Proportions, gait: Gait, phase: np.ndarray) -> Foot:
    """Path of the foot that strikes at phase 0, over phases of any range (float64 (N,))."""
    phase = np.mod(phase, 1.0)
    stance = _stance(body, gait, phase)
    swing = _swing(body, gait, phase)
    standing = phase <= gait.toe_off
    forward, height, pitch = (np.where(standing, a, b) for a, b in zip(stance, swing, strict=True))
    lifted = smoothstep(phase, gait.toe_off, gait.toe_off + gait.lifting)
    rolled = np.radians(gait.tip_pitch) * (1.0 - lifted) + lifted * pitch
    toe = np.where(standing, np.maximum(pitch, 0.0) + _tip(gait, phase), rolled)
    return Foot(forward, height, pitch, toe)


def _tip(gait: Gait, phase: np.ndarray) -> np.ndarray:
    """Pitch of the toes while the foot rolls over their tip."""
    roll = np.clip((phase - gait.ball_off) / (gait.toe_off - gait.ball_off), 0.0, None)
    return np.radians(gait.tip_pitch) * roll**2


def _stance(body: Proportions, gait: Gait, phase: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ankle forwards, ankle height and pitch while the foot rolls over heel, sole and ball."""
    back = stride_length(body, gait) * (gait.reach - phase)  # where the ankle of a flat foot is
    heel = np.radians(gait.strike_pitch) * (1.0 - smoothstep(phase, 0.0, gait.flat))
    push = np.radians(np.array([(0.0, 0.0), *gait.push]))[:, 1]
    times = np.array([gait.heel_off, *(key[0] for key in gait.push)])
    ball = clamped_spline(times, push, (0.0, np.radians(gait.push_rate)), phase)
    pitch = heel + ball
    on_heel = _turned(body.heel_back, body.ankle, heel)
    above = body.ankle - BALL_HEIGHT
    on_ball = _turned(-body.ball_forward, above, ball)
    on_tip = _turned(body.ball_forward - body.toe_forward, BALL_HEIGHT, _tip(gait, phase))
    forward = back - body.heel_back + on_heel[0] + body.toe_forward + on_ball[0] + on_tip[0]
    height = on_heel[1] + on_ball[1] - above + on_tip[1] - BALL_HEIGHT
    return forward, height, pitch


def _turned(forward: float, up: float, pitch: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A point in the plane of the leg after turning its forward end up by `pitch`."""
    cos, sin = cos_sin(pitch)
    return forward * cos - up * sin, forward * sin + up * cos


def _swing(body: Proportions, gait: Gait, phase: np.ndarray) -> list[np.ndarray]:
    """The same while the foot is in the air: a smooth curve that leaves and meets the floor without a jerk."""
    leg = leg_length(body)
    step = 1e-5
    leave = np.array(_stance(body, gait, np.array([gait.toe_off - step, gait.toe_off])))  # (3, 2)
    meet = np.array(_stance(body, gait, np.array([0.0, step])))
    keys = np.array(gait.swing) * (1.0, leg, leg, np.pi / 180.0)
    times = np.concatenate([[gait.toe_off], keys[:, 0], [1.0]])
    impact = (0.0, gait.landing * leg, 0.0)
    curves = []
    for k in range(3):
        values = np.concatenate([[leave[k, 1]], keys[:, k + 1], [meet[k, 0]]])
        slopes = (leave[k, 1] - leave[k, 0]) / step, (meet[k, 1] - meet[k, 0]) / step - impact[k]
        curves.append(clamped_spline(times, values, slopes, phase))
    return curves


def clamped_spline(times: np.ndarray, values: np.ndarray, slopes: tuple[float, float], at: np.ndarray) -> np.ndarray:
    """Cubic spline with continuous curvature and given slopes at both ends.

    Args:
        times: float64 (K,), rising.
        values: float64 (K,).
        slopes: at the first and at the last time.
        at: float64 (N,), where values are wanted; held to the range of `times`.

    Returns:
        float64 (N,).

    Source: de Boor, A Practical Guide to Splines, chapter IV (complete cubic spline).
    """
    h = np.diff(times)
    d = np.diff(values) / h
    n = len(times)
    matrix = np.eye(n)
    right = np.array([slopes[0], *(3.0 * (h[1:] * d[:-1] + h[:-1] * d[1:])), slopes[1]])
    for k in range(1, n - 1):
        matrix[k, k - 1 : k + 2] = h[k], 2.0 * (h[k - 1] + h[k]), h[k - 1]
    slope = matrix_product(inverse(matrix), right[:, None])[:, 0]
    i = np.clip(np.searchsorted(times, at, side="right") - 1, 0, n - 2)
    t = np.clip((at - times[i]) / h[i], 0.0, 1.0)
    lean = values[i] * (1.0 + 2.0 * t) * (1.0 - t) ** 2 + values[i + 1] * t * t * (3.0 - 2.0 * t)
    return lean + h[i] * t * (1.0 - t) * (slope[i] * (1.0 - t) - slope[i + 1] * t)
