# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays the cycles of all gaits on a character, one pose a frame, with its feet planted as those of people who walk.

Feet are planned on level ground, once for each gait, by what plants the feet of characters: clips let feet stand for a
third of a stride or less, and no shear of a whole body makes a foot stand that is in the air.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
import numpy as np

from ....core.array_types import Float64
from ....core.motion.blending import STANDS, Strides, stride_of
from ...blender_data import animation, nla_strips
from ...blender_data.bone_keys import BoneMotion, channels_of
from ...blender_data.evaluation import frames_per_second, metres_per_unit
from ..performances import Performance
from ..planted_feet import plan_steps
from ..templates import Template

_FEET = "Footfall feet"
_RUNS = 3  # of a cycle, of which the middle one is shown


@dataclass(frozen=True)
class PoseCycleSettings:
    """How the feet of cycles are planned; chosen.

    Attributes:
        samples: moments of a stride at least, as contacts begin and end at one of them.
    """

    samples: int = 48


_SETTINGS = PoseCycleSettings()


@dataclass(frozen=True, eq=False)
class PoseCycles:
    """The cycles of a character, one after the other.

    Attributes:
        template: of the character.
        gaits: of the cycles, increasing.
        count: of poses in a cycle.
        feet: Action that plants the feet from the first frame of the first gait that moves; None: the clips do.
    """

    template: Template
    gaits: Sequence[float]
    count: int
    feet: animation.Clip | None = None

    @property
    def poses(self) -> int:
        """How many there are."""
        return self.count * len(self.gaits)

    def show(self, copies: Sequence[bpy.types.Object]) -> None:
        """Animate copies of the character to show the poses, one a frame from 0 on."""
        template = self.template
        if template.walker is None or template.clips is None:
            return
        walker, phase = copies[template.walker], np.tile(np.arange(self.count) / self.count, len(self.gaits))
        template.clips.show_poses(walker, gait=np.repeat(self.gaits, self.count), phase=phase, breath=phase)
        if self.feet is not None:
            first = self.count * (self.gaits[0] == STANDS)
            nla_strips.add_strip_of(nla_strips.add_track(walker, _FEET), _FEET, self.feet, first, self.poses - 1)


@contextmanager
def pose_cycles(
    template: Template, gaits: Sequence[float], count: int, scene: bpy.types.Scene
) -> Generator[PoseCycles]:
    """Plan the cycles of a character; what is made for them is removed in the end.

    Args:
        template: of the character.
        gaits: of the cycles, increasing.
        count: of poses in a cycle.
        scene: provides frame rate and units.
    """
    moving = np.array([gait for gait in gaits if gait != STANDS])
    if template.walker is None or template.walk is None or not (template.legs and template.plants_feet):
        yield PoseCycles(template, gaits, count)
        return
    motions = _planted_legs(template, moving, count, scene)
    frames = np.arange(float(count * len(moving))) + count * (len(gaits) - len(moving))
    feet, every = animation.new_clip(_FEET, [], group=""), np.ones(len(frames), dtype=bool)
    try:
        for motion in motions:
            channels = channels_of(template.parts[template.walker], motion, frames, every)
            animation.add_channels(feet, channels, group=motion.bone, handles=animation.PLAIN)
        yield PoseCycles(template, gaits, count, feet)
    finally:
        bpy.data.actions.remove(feet.action)


def _planted_legs(template: Template, gaits: Float64, count: int, scene: bpy.types.Scene) -> list[BoneMotion]:
    """Return the motion of the bones of the legs in the poses of all gaits, straight on over level ground."""
    assert template.walk is not None
    rate = -(-_SETTINGS.samples * template.walk.strides // count)  # rounded up
    phase = np.arange(_RUNS * count * rate + 1) / (count * rate)
    still, there = np.zeros(len(phase)), np.ones(len(phase), dtype=bool)
    fps = count * rate * frames_per_second(scene) / template.walk.length
    ways = stride_of(gaits, Strides(template.stride, template.run_stride)) / metres_per_unit(scene)
    performances = [
        Performance(
            frames=np.arange(float(len(phase))),
            location=phase[:, None] * (way, 0.0, 0.0),
            heading=still,
            phase=phase,
            gait=still + gait,
            present=there,
            fps=fps,
            lean=still,
        )
        for gait, way in zip(gaits.tolist(), ways.tolist(), strict=True)
    ]
    planned = plan_steps(template.legs, performances, breath=np.tile(phase, (len(gaits), 1)), plants=True)
    shown = slice(count * rate, 2 * count * rate, rate)
    return [_joined(motions, shown) for motions in zip(*(steps.bones for steps in planned), strict=True)]


def _joined(motions: Sequence[BoneMotion], shown: slice) -> BoneMotion:
    """Join some moments of several motions of a bone."""
    turns = np.concatenate([each.turns[:, shown] for each in motions], axis=1)
    places = [each.locations[:, shown] for each in motions if each.locations is not None]
    return BoneMotion(motions[0].bone, turns, np.concatenate(places, axis=1) if places else None)
