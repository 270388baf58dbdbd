# SPDX-License-Identifier: GPL-3.0-or-later
"""Values over time made fit for keyframes: without holes, headings without spins, and the lean that goes with them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]

_GRAVITY = 9.81  # [m/s2]
_LEAN_SMOOTHING = 0.5  # [s]
_MOST_LEAN = np.radians(15.0)


def hold_absent(values: Float64, present: NDArray[np.bool_]) -> Float64:
    """Fill the frames at which somebody is absent.

    Args:
        values: float64 (F, A) or (F, A, K); whatever stands where an agent is absent is ignored.
        present: bool (F, A).

    Returns:
        float64 of the same shape: where absent, the value of the last frame at which the agent was present, before
        the first such frame the value there, and 0 for agents who never are.
    """
    if present.all():
        return values.copy()
    frame_numbers = np.arange(len(values))[:, None]  # (F, 1)
    source = np.maximum.accumulate(np.where(present, frame_numbers, -1), axis=0)  # (F, A)
    source = np.where(source < 0, np.argmax(present, axis=0), source)
    shaped = source.reshape(source.shape + (1,) * (values.ndim - 2))
    held = np.take_along_axis(values, shaped, axis=0)
    never = ~present.any(axis=0)
    held[:, never] = 0.0
    return held


def continuous_heading(heading: Float64, present: NDArray[np.bool_]) -> Float64:
    """Headings as a character turns: held while absent, and never more than half a turn from one frame to the next.

    Args:
        heading: float64 (F, A) [rad]; whatever stands where an agent is absent is ignored.
        present: bool (F, A).

    Returns:
        float64 (F, A) [rad], equal to `heading` up to whole turns where present.
    """
    held = hold_absent(heading, present)
    spins = (np.abs(np.diff(held, axis=0)) >= np.pi).any(axis=0)  # (A,), the others are continuous as they are
    held[:, spins] = np.unwrap(held[:, spins], axis=0)
    return held


def lean_into_bends(heading: Float64, walked: Float64, fps: float, amount: float) -> Float64:
    """How far people lean to their left, as they do who are not to fall outwards in a bend.

    Balanced, the body is inclined by the angle whose tangent is v w / g, for a speed v and a rate of turning w.

    Args:
        heading: float64 (F, A), continuous [rad].
        walked: float64 (F, A), way walked until each frame [m].
        fps: frames per second.
        amount: of the balanced lean, 0: people stay upright.

    Returns:
        float64 (F, A) [rad]; 0 for who stands.
    """
    if not amount:
        return np.zeros(heading.shape)
    half = max(1, round(_LEAN_SMOOTHING * fps / 2))
    balanced = np.arctan(_rate(walked, half, fps) * _rate(heading, half, fps) / _GRAVITY)
    around = np.pad(balanced, ((half, half), (0, 0)), mode="edge")
    sums = np.cumsum(np.concatenate([np.zeros((1, around.shape[1])), around]), axis=0)
    smooth = (sums[2 * half + 1 :] - sums[: -2 * half - 1]) / (2 * half + 1)
    return np.clip(amount * smooth, -_MOST_LEAN, _MOST_LEAN)


def _rate(values: Float64, half: int, fps: float) -> Float64:
    """By how much values change per second, over some frames to both sides."""
    rows = np.arange(len(values))
    before, after = np.maximum(rows - half, 0), np.minimum(rows + half, len(values) - 1)
    return (values[after] - values[before]) * fps / np.maximum(after - before, 1)[:, None]
