# SPDX-License-Identifier: GPL-3.0-or-later
"""The clips of a character, ready to be driven by distance, and how an armature plays them blended."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ....core.array_types import Bool, Float64
from ....core.motion.blending import WALKS
from ....core.motion.cycles import Cycle
from ...blender_data import animation, nla_strips

BELOW_ORIGIN = 0.1
"""Part of the height of a body below its origin that is far; chosen."""


@dataclass(frozen=True)
class WalkCycle:
    """A clip in place that runs from frame 0 to `length`.

    Attributes:
        name: of the user's clip.
        clip: the user's clip, or an adapted copy.
        is_copy: it is a copy, which belongs to the bake.
        length: of one cycle [frames].
        stride: distance of one cycle [Blender units]; 0: not known.
        direction: float64 (2,), direction of walking in the rest orientation; None: not known.
        height: of the skeleton [Blender units]; 0: not known.
        low: lowest height of its joints, over the origin [Blender units].
        away: float64 (3,), where the body walks in it, and the ground under it, if not at the origin; None: it does.
        cycle: its strides; None: not known.
        passing: phase at which the right foot swings past the left [cycles]; NaN: not known.
        feet: bool (P,), which of the joints and ends of bones are feet; None: not known.
        swing: how far its feet swing from one side of the body to the other [Blender units]; 0: not known.
        steps: steps were found in it.
        alternates: each foot stands in it for a while and swings for a while; False: or it is not known where it walks.
        is_exact: its feet stand as long as those of people, and do not slide, as in the walk of the built-in figures.
        source: the user's clip; None: it was made for the bake.
        moves: the joints move in it.
        lost: name of a bone that has a place that is not a number; empty: none.
        notices: sentences for the user.
    """

    name: str
    clip: animation.Clip
    is_copy: bool
    length: float
    stride: float = 0.0
    direction: Float64 | None = None
    height: float = 0.0
    low: float = 0.0
    away: Float64 | None = None
    cycle: Cycle | None = None
    passing: float = np.nan
    feet: Bool | None = None
    swing: float = 0.0
    steps: bool = True
    alternates: bool = False
    is_exact: bool = False
    source: animation.Clip | None = None
    moves: bool = True
    lost: str = ""
    notices: tuple[str, ...] = ()

    @property
    def is_sunk(self) -> bool:
        """Whether joints are far below the origin."""
        return self.low < -BELOW_ORIGIN * self.height

    @property
    def strides(self) -> int:
        """Number of strides in one cycle."""
        return self.cycle.strides if self.cycle is not None else 1


@dataclass(frozen=True)
class Clips:
    """The clips of a character, blended by gait.

    Attributes:
        walk: the walk.
        idle: the clip for standing, or None.
        run: the run, or None.
        run_ahead: phase of the run that corresponds to the start of the walk [strides].
        rig: an armature that was made for them, which belongs to the bake; None: they play on the user's.
        yaw: how the body is turned in the walk from where it looks at rest [rad].
        raised: how far the clip for standing was moved up, so that its soles are on the ground; other clips of the
            user's are moved as far [Blender units].
    """

    walk: WalkCycle
    idle: WalkCycle | None = None
    run: WalkCycle | None = None
    run_ahead: float = 0.0
    rig: bpy.types.Armature | None = None
    yaw: float = 0.0
    raised: float = 0.0

    @property
    def all(self) -> list[WalkCycle]:
        """The clips that are not None."""
        return [clip for clip in (self.walk, self.idle, self.run) if clip is not None]

    @property
    def run_stride(self) -> float:
        """Distance of the run over as many strides as one cycle of the walk has [Blender units]; 0: there is no run."""
        return self.run.stride * self.walk.strides / self.run.strides if self.run is not None else 0.0

    def put_on(self, armature: bpy.types.Object, first_frame: int, last_frame: int) -> None:
        """Replace the animation of an armature by strips of the clips, which `drive` animates."""
        nla_strips.take_off(armature)
        span = first_frame, last_frame
        nla_strips.add(armature, nla_strips.WALK, self.walk.clip, *span)
        if self.run is not None:
            nla_strips.add(armature, nla_strips.RUN, self.run.clip, *span).use_animated_influence = True
        if self.idle is not None:
            nla_strips.add(armature, nla_strips.IDLE, self.idle.clip, *span).use_animated_influence = True

    def drive(
        self, armature: bpy.types.Object, frames: Float64, *, gait: Float64, phase: Float64, breath: Float64
    ) -> None:
        """Write the keys that say which part of each clip an armature plays.

        Args:
            armature: one with the strips of `put_on`, or a copy of it.
            frames: float64 (K,), frames of keys, increasing.
            gait: float64 (K,), 0 stands, 1 walks, 2 runs.
            phase: float64 (K,), continuous, in cycles of the walk.
            breath: float64 (K,), continuous, in cycles of the idle clip.
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

    def show_poses(self, armature: bpy.types.Object, *, gait: Float64, phase: Float64, breath: Float64) -> None:
        """Animate an armature, a copy made for this, to show the clips at given phases, one a frame from 0 on."""
        # An end of a cycle shall not wrap to its start.
        whole = np.where((phase > 0.0) & (np.mod(phase, 1.0) == 0.0), phase - 1e-6, phase)
        self.put_on(armature, 0, len(phase))
        self.drive(armature, np.arange(float(len(phase))), gait=gait, phase=whole, breath=breath)
