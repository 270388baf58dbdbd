# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole steps of one gait each, for people who are shown in still poses of a few gaits.

Shown in the nearest of a few gaits, a foot would move back by the stride of that one, and the body go on by another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..array_types import Bool, Float64
from ..geometry.reproducible_math import length
from .blending import RUNS, STANDS, WALKS, Strides, stride_of


@dataclass(frozen=True)
class SteppingSettings:
    """How people take whole steps; chosen by trial on the built-in figures.

    Attributes:
        gait_step: between gaits that have a cycle.
        look_ahead: a step has the gait that is due so much later, in its middle [s].
        least_turn: people who stand and turn faster take steps [rad/s].
        turn_radius: a turn counts as a way round such a circle in the shortest steps [m]: two steps to 67 degrees.
        last_step: a step in which somebody stops is ended at this speed [m/s].
    """

    gait_step: float = 0.25
    look_ahead: float = 0.3
    least_turn: float = 0.4
    turn_radius: float = 0.3
    last_step: float = 0.5


STEPPING = SteppingSettings()


class Cycles(NamedTuple):
    """The cycles of A people.

    Attributes:
        strides: of their clips.
        half: float64 (A,), one step [runs of the walk].
        mid_stance: float64 (A,), phase at which the foot on the ground is under the body, as in standing [runs].
        unit: metres in a unit of places.
    """

    strides: Strides
    half: Float64
    mid_stance: Float64
    unit: float = 1.0


def take_steps(
    phase: NDArray[Any],
    gait: NDArray[Any],
    motion: tuple[NDArray[Any], NDArray[Any], Bool],
    cycles: Cycles,
    fps: float,
    settings: SteppingSettings = STEPPING,
) -> None:
    """Let people take whole steps of one gait each, so that a foot stands in still poses of these gaits.

    The gait changes where the foot on the ground is under the body, as in all gaits, and the phase advances by the
    stride of the gait that is shown. People who stop end their step, and wait for the next like this; turns on the spot
    take the shortest.

    Args:
        phase: float (F, A), at first [runs]; changed in place.
        gait: as `phase`, of `find_gait`; changed in place, to multiples of the step.
        motion: places float (F, A, 3), continuous headings float (F, A) [rad], and who is present, bool (F, A).
        cycles: of their clips.
        fps: frames per second.
        settings: which gaits there are, and when they change.
    """
    strides, half, mid_stance, unit = cycles
    places, heading, present = motion
    walks = round(WALKS / settings.gait_step)
    lowest = np.where(strides.stands, STANDS, walks)
    levels: Float64 = np.arange(round(RUNS / settings.gait_step) + 1.0) * settings.gait_step
    ways = stride_of(levels[:, None], strides) * np.ones(phase.shape[1])
    ahead, last, people = max(1, round(settings.look_ahead * fps)), len(phase) - 1, np.arange(phase.shape[1])
    now, level = phase[0].astype(np.float64), np.zeros(phase.shape[1], dtype=np.int64)
    side = np.floor((now - mid_stance) / half)
    onwards = np.where(np.diff(phase, axis=0, append=phase[-1:]) < 0.0, -1.0, 1.0)  # who walks backwards goes back
    for row in range(len(phase)):  # each step begins where the one before ended; all people at once
        then = min(row + 1, last)
        own, after, turn = gait[row].copy(), gait[min(row + ahead, last)], np.abs(heading[then] - heading[row])
        moved = length(places[then, :, :2] - places[row, :, :2]) * unit * (present[then] & present[row])
        turns = turn > settings.least_turn / fps
        stands = (np.maximum(np.rint(own / settings.gait_step), lowest) == 0) & ~turns
        begins = (level == 0) | (np.floor((now - mid_stance) / half) != side)
        coming = np.maximum(np.rint(after / settings.gait_step), np.maximum(lowest, 1))
        before, near = level, mid_stance + np.rint((now - mid_stance) / half) * half
        level = np.where(begins, np.where(stands, 0, coming), np.where(stands, np.minimum(level, 1), level))
        level = level.astype(np.int64)  # below: where the foot on the ground is, it is in the next gait too
        now = near + np.where(
            level == 0, 0.0, (now - near) * np.where(before == 0, 1.0, ways[before, people] / ways[level, people])
        )
        side = np.floor((now - mid_stance) / half)
        phase[row], gait[row] = now, levels[level]
        moved = moved + np.where(level == 1, settings.turn_radius * turn, 0.0)
        moved = np.where(stands, np.maximum(moved, settings.last_step / fps), moved)
        now = now + np.where(level == 0, 0.0, onwards[row] * moved / ways[level, people])
