# SPDX-License-Identifier: GPL-3.0-or-later
"""Values over time prepared for keyframes: without gaps, headings without full turns, and the lean in bends."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..array_types import Bool, Float64
from ..geometry.reproducible_math import arctan2

GRAVITY = 9.81
"""Standard acceleration of free fall, rounded [m/s2]."""


@dataclass(frozen=True)
class LeanSettings:
    """How people lean into bends; chosen by trial on the example scenes.

    Attributes:
        smoothing: time over which the lean is averaged [s].
        max_lean: [rad].
    """

    smoothing: float = 0.5
    max_lean: float = math.radians(15.0)


LEAN = LeanSettings()


def hold_absent(values: Float64, present: Bool) -> Float64:
    """Fill the frames at which agents are absent.

    Args:
        values: float64 (F, A) or (F, A, K); values of absent agents are ignored.
        present: bool (F, A).

    Returns:
        float64 of the same shape: where absent, the value of the last frame at which the agent was present, before
        the first such frame the value there, and 0 for agents who never are.
    """
    if present.all():
        return values.copy()
    frame_numbers = np.arange(len(values))[:, None]  # (F, 1)
    row = np.maximum.accumulate(np.where(present, frame_numbers, -1), axis=0)  # (F, A)
    row = np.where(row < 0, np.argmax(present, axis=0), row)
    shaped = row.reshape(row.shape + (1,) * (values.ndim - 2))
    held = np.take_along_axis(values, shaped, axis=0)
    never = ~present.any(axis=0)
    held[:, never] = 0.0
    return held


def continuous_heading(heading: Float64, present: Bool) -> Float64:
    """Continuous headings: held while absent, and never more than half a turn from one frame to the next.

    Args:
        heading: float64 (F, A) [rad]; values of absent agents are ignored.
        present: bool (F, A).

    Returns:
        float64 (F, A) [rad], equal to `heading` up to whole turns where present.
    """
    held = hold_absent(heading, present)
    spins = (np.abs(np.diff(held, axis=0)) >= np.pi).any(axis=0)  # (A,), the others are continuous already
    held[:, spins] = np.unwrap(held[:, spins], axis=0)
    return held


def lean_into_bends(
    heading: Float64, walked: Float64, fps: float, amount: float, settings: LeanSettings = LEAN
) -> Float64:
    """Angle by which people lean to their left in bends.

    In balance, the body is inclined by the angle whose tangent is v w / g, for a speed v and a rate of turning w.

    Args:
        heading: float64 (F, A), continuous [rad].
        walked: float64 (F, A), distance walked until each frame [m].
        fps: frames per second.
        amount: share of the balanced lean, 0: people stay upright.
        settings: smoothing and limit.

    Returns:
        float64 (F, A) [rad]; 0 for people who stand.
    """
    if not amount or len(heading) < 2:
        return np.zeros(heading.shape)
    half = max(1, round(settings.smoothing * fps / 2))
    # Multiplied before it is smoothed: who turns on the spot and then goes straight on has no reason to lean.
    speed, turning = (fps * np.gradient(values, axis=0) for values in (walked, heading))
    lean = arctan2(speed * turning, GRAVITY)
    for _ in range(2):
        around = np.pad(lean, ((half, half), (0, 0)), mode="edge")
        sums = np.cumsum(np.concatenate([np.zeros((1, around.shape[1])), around]), axis=0)
        lean = (sums[2 * half + 1 :] - sums[: -2 * half - 1]) / (2 * half + 1)
    return np.clip(amount * lean, -settings.max_lean, settings.max_lean)
