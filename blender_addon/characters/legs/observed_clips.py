# SPDX-License-Identifier: GPL-3.0-or-later
"""A character that shows its clips, for it alone, so that its legs can be watched through all that it does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from ....core.motion.blending import RUNS, STANDS, WALKS
from ....core.motion.foot_contacts import Stance, Window, find_contacts, match
from ....core.motion.legs import BALL
from ....core.motion.pose_tables import PoseTable
from ...blender_data.evaluation import evaluation_scene
from .clips import Clips

Float64 = NDArray[np.float64]

_PHASES, _BREATHS = 48, 16
_STANDING, _RUNNING = (STANDS, 0.25, 0.5, 0.75), (1.25, 1.5, 1.75, RUNS)

Look = Callable[[bpy.types.Object], tuple[Float64, Float64]]
"""Joints float64 (J, 3) and turns (B, 3, 3) of an evaluated armature, in the world."""


class Watched(NamedTuple):
    """What was seen, as `PoseTable` has it."""

    gaits: Float64
    joints: Float64
    turns: Float64
    standing: tuple[Float64, Float64] | None


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """Copies of a character, for this alone; the first, which moves all, stands at the origin and looks along +X.

    Attributes:
        copies: the objects.
        walker: number of the armature among them.
        clips: what it plays.
        strides: way of one run of the walk, and of as many strides of the run [Blender units].
        scene: whose settings hold.
    """

    copies: list[bpy.types.Object]
    walker: int
    clips: Clips
    strides: tuple[float, float]
    scene: bpy.types.Scene

    @property
    def armature(self) -> bpy.types.Object:
        """What walks."""
        return self.copies[self.walker]

    def watch(self, looks: Sequence[Look]) -> list[Watched]:
        """What is seen by each look, at all gaits and phases and while somebody stands."""
        gaits = _gaits(self.clips)
        phase = np.tile(np.arange(_PHASES + 1) / _PHASES, len(gaits))
        gait = np.repeat(gaits, _PHASES + 1)
        breath = np.zeros(len(phase))
        if self.clips.idle is not None:
            more = np.arange(_BREATHS + 1) / _BREATHS
            phase, gait = np.append(phase, 0.0 * more), np.append(gait, 0.0 * more)
            breath = np.append(breath, more)
        self.clips.rehearse(self.armature, gait=gait, phase=phase, breath=breath)
        return [self._arranged(gaits, *seen) for seen in self.see(looks, len(phase))]

    def see(self, looks: Sequence[Look], frames: int) -> list[tuple[Float64, Float64]]:
        """Joints (T, J, 3) and turns (T, B, 3, 3) that each look sees at the frames from 0 on."""
        moments: list[list[tuple[Float64, Float64]]] = []
        with evaluation_scene(self.scene) as evaluation:
            evaluation.bring(self.copies[0])
            seen = evaluation.bring(self.armature)
            for frame in range(frames):
                evaluated = seen.evaluated_get(evaluation.evaluate(frame))
                moments.append([look(evaluated) for look in looks])
        return [
            (np.array([each[number][0] for each in moments]), np.array([each[number][1] for each in moments]))
            for number in range(len(looks))
        ]

    def _arranged(self, gaits: Float64, joints: Float64, turns: Float64) -> Watched:
        blended = len(gaits) * (_PHASES + 1)
        grids = [each[:blended].reshape(len(gaits), _PHASES + 1, *each.shape[1:]) for each in (joints, turns)]
        standing = (joints[blended:], turns[blended:]) if self.clips.idle is not None else None
        return Watched(gaits, grids[0], grids[1], standing)


def find_stance(table: PoseTable, strides: tuple[float, float]) -> Stance | None:
    """When and how high the foot of a leg stands; None where it never does."""
    walked, ran = (table.joints[table.gaits == gait, :, BALL] for gait in (WALKS, RUNS))
    walking = find_contacts(walked[0], strides[0])
    if not walking:
        return None
    running = match(walking, find_contacts(ran[0], strides[1])) if len(ran) else ()
    floor = _floor(walked[0], walking)
    return Stance(walking, running, (floor, _floor(ran[0], running) if running else floor))


def _floor(ball: Float64, contacts: tuple[Window, ...]) -> float:
    phase = np.arange(len(ball)) / (len(ball) - 1)
    return float(np.median(ball[Stance(contacts).holds(phase, np.full(len(ball), WALKS)), 2]))


def _gaits(clips: Clips) -> Float64:
    slower = _STANDING if clips.idle is not None else ()
    return np.array([*slower, WALKS, *(_RUNNING if clips.run is not None else ())])
