# SPDX-License-Identifier: GPL-3.0-or-later
"""The clips of a character, ready to be driven by distance, and how an armature plays them blended."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ....core.motion.blending import WALKS
from ....core.motion.cycles import Cycle
from ...blender_data import animation, nla_strips

Float64 = NDArray[np.float64]


@dataclass(frozen=True)
class WalkCycle:
    """A clip that stays in its place and runs from frame 0 to `length`.

    Attributes:
        name: of the user's clip.
        clip: the user's, or a copy of it made fit.
        is_copy: it is a copy, which belongs to the bake.
        length: of one run [frames].
        stride: way of one run [Blender units]; 0: not known.
        direction: float64 (2,), the way that the character walks as it stands; None: not known.
        height: of the skeleton [Blender units]; 0: not known.
        cycle: its strides; None: not known.
        steps: feet have been seen to walk in it.
        notices: sentences for the user.
    """

    name: str
    clip: animation.Clip
    is_copy: bool
    length: float
    stride: float = 0.0
    direction: Float64 | None = None
    height: float = 0.0
    cycle: Cycle | None = None
    steps: bool = True
    notices: tuple[str, ...] = ()

    @property
    def strides(self) -> int:
        """How many strides are in one run."""
        return self.cycle.strides if self.cycle is not None else 1


@dataclass(frozen=True)
class Clips:
    """What a character plays, blended by what it does.

    Attributes:
        walk: its walk.
        idle: how it stands, or None.
        run: how it runs, or None.
        run_ahead: where in the run the beginning of the walk is [strides].
    """

    walk: WalkCycle
    idle: WalkCycle | None = None
    run: WalkCycle | None = None
    run_ahead: float = 0.0

    @property
    def all(self) -> list[WalkCycle]:
        """All that there are."""
        return [clip for clip in (self.walk, self.idle, self.run) if clip is not None]

    @property
    def run_stride(self) -> float:
        """Way of the run over as many strides as one run of the walk has [Blender units]; 0: there is no run."""
        return self.run.stride * self.walk.strides / self.run.strides if self.run is not None else 0.0

    def put_on(self, armature: bpy.types.Object, first_frame: int, last_frame: int) -> None:
        """Let an armature play the clips over some frames, in the place of what it plays; `drive` says what is when."""
        nla_strips.take_off(armature)
        span = first_frame, last_frame
        nla_strips.add(armature, nla_strips.WALK, self.walk.clip, *span)
        if self.run is not None:
            nla_strips.add(armature, nla_strips.RUN, self.run.clip, *span).use_animated_influence = True
        if self.idle is not None:
            nla_strips.add(armature, nla_strips.IDLE, self.idle.clip, *span).use_animated_influence = True

    def drive(
        self, armature: bpy.types.Object, frames: NDArray[np.int64], *, gait: Float64, phase: Float64, breath: Float64
    ) -> None:
        """Say what an armature plays when.

        Args:
            armature: one that has the clips put on, or a copy of such a one.
            frames: int64 (K,), frame numbers, increasing.
            gait: float64 (K,), 0: it stands; 1: it walks; 2: it runs.
            phase: float64 (K,), runs of the walk, counted on.
            breath: float64 (K,), runs of the idle clip, counted on.
        """
        nla_strips.drive(armature, nla_strips.WALK, frames, phase * self.walk.length)
        if self.run is not None:
            runs = np.clip(gait - WALKS, 0.0, 1.0)
            strides = phase * self.walk.strides + self.run_ahead
            at = strides / self.run.strides * self.run.length
            nla_strips.drive(armature, nla_strips.RUN, frames, at, influence=runs)
        if self.idle is not None:
            stands = 1.0 - np.minimum(gait, WALKS)
            nla_strips.drive(armature, nla_strips.IDLE, frames, breath * self.idle.length, influence=stands)

    def rehearse(self, armature: bpy.types.Object, *, gait: Float64, phase: Float64, breath: Float64) -> None:
        """Let an armature, a copy for this alone, show the clips at some moments, one at each frame from 0 on."""
        whole = np.where((phase > 0.0) & (np.mod(phase, 1.0) == 0.0), phase - 1e-6, phase)  # a run's end, not its start
        self.put_on(armature, 0, len(phase))
        self.drive(armature, np.arange(len(phase)), gait=gait, phase=whole, breath=breath)
