# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays the walk of a character on the spot, by plain arrays: its joints over one cycle, and which foot stands when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ....core.array_types import Bool, Float64
from ....core.errors import FootfallError
from ....core.motion.blending import WALKS
from ....core.motion.feet.footwork import find_standing_feet, judge_footwork
from ...blender_data.evaluation import evaluation_scene, frames_per_second, metres_per_unit
from ..character import Character
from ..clips.seen_joints import read_joints
from ..templates import Template, TemplateSettings
from .cast_table import made_ready
from .seen_feet import feet_of_joints


@dataclass(frozen=True)
class CheckSettings:
    """How a walk is checked; chosen.

    Attributes:
        fewest: moments of one cycle.
        most: moments of one cycle.
        cycles: that are checked, so that contacts over the end of a cycle are whole.
    """

    fewest: int = 24
    most: int = 120
    cycles: int = 2


_CHECK = CheckSettings()


@dataclass(frozen=True, eq=False)
class CheckedWalk:
    """One cycle of a walk on the spot, in metres.

    Attributes:
        name: of the character.
        clip: name of its walk.
        seconds: of the cycle.
        stride: distance of the cycle.
        stance: share of the time that each foot stands, left and right; None: it has no legs.
        slides: float64 (C,), how far a foot slides in each contact.
        limbs: float64 (T, B, 2, 3), where bones begin and end, in the world, at the place of the original.
        feet: float64 (T, N, 3), the point under each of its feet.
        stands: bool (T, N).
        ahead: float64 (3,), direction in which it walks.
        place: float64 (3,), of its root.
    """

    name: str
    clip: str
    seconds: float
    stride: float
    stance: tuple[float, float] | None
    slides: Float64
    limbs: Float64
    feet: Float64
    stands: Bool
    ahead: Float64
    place: Float64

    @property
    def speed(self) -> float:
        """At its own pace [m/s]."""
        return self.stride / self.seconds

    @property
    def figures(self) -> dict[str, Any]:
        """The figures, in plain values."""
        slide = float(self.slides.max()) if len(self.slides) else None
        return {
            "character": self.name,
            "clip": self.clip,
            "stance": list(self.stance) if self.stance is not None else None,
            "slide": slide,
            "stride": self.stride,
            "speed": self.speed,
        }

    @property
    def sentence(self) -> str:
        """The figures in one sentence."""
        said = f"'{self.name}' walks '{self.clip}' at {self.speed:.2f} m/s, {self.stride:.2f} m a cycle"
        if self.stance is None:
            return f"{said}; no feet were found"
        left, right = self.stance
        slides = (
            f"they slide {100.0 * self.slides.max():.1f} cm at most" if len(self.slides) else "none stands for long"
        )
        return f"{said}; feet stand {left:.0%} and {right:.0%} of the time, {slides}"


def check_walk(character: Character, settings: TemplateSettings) -> CheckedWalk:
    """Play the walk of a character at the speed of its stride, and look at its feet; nothing of it stays in the file.

    Raises:
        FootfallError: it has no walk, or cannot be copied.
    """
    with made_ready(character, settings) as template:
        if template.clips is None or template.walker is None:
            raise FootfallError(f"'{character.name}' has no walk to check: choose its clip in the cast table")
        copies = template.copy_to_watch()
        try:
            return _checked(character, template, copies, settings.scene)
        finally:
            bpy.data.batch_remove(copies)


def _checked(
    character: Character, template: Template, copies: Sequence[bpy.types.Object], scene: bpy.types.Scene
) -> CheckedWalk:
    assert template.clips is not None
    assert template.walker is not None
    unit, walk, armature = metres_per_unit(scene), template.clips.walk, copies[template.walker]
    moments = int(np.clip(round(walk.length), _CHECK.fewest, _CHECK.most))
    phase = np.arange(_CHECK.cycles * moments + 1) / moments
    still = np.zeros(len(phase))
    template.clips.show_poses(armature, gait=still + WALKS, phase=phase, breath=still)
    with evaluation_scene(scene, remapped=False) as evaluation:
        points = read_joints(map(evaluation.watch(copies[0], armature), range(len(phase)))) * unit
    root = np.zeros((len(phase), 3))
    root[:, 0] = template.stride * phase
    world, heading = points + root[:, None], np.zeros(len(phase))
    foot_of = feet_of_joints(armature, copies[0], points.shape[1], template.legs)
    footwork = judge_footwork(world, root, heading, foot_of=foot_of)
    standing = find_standing_feet(world, root, heading, foot_of=foot_of)
    feet, stands = np.zeros((moments, 0, 3)), np.zeros((moments, 0), dtype=bool)
    if standing is not None:
        stands = standing.stands[:, :moments].T
        feet = np.stack([points[:moments, own].mean(axis=1) for own in standing.feet], axis=1) * (1.0, 1.0, 0.0)
    angle = template.parts[0].rotation_euler.z - template.turn
    turn = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
    place = np.array(character.parts[0].matrix_world.translation) * unit
    return CheckedWalk(
        character.name,
        walk.name,
        walk.length / frames_per_second(scene),
        template.stride,
        footwork.stance if footwork is not None else None,
        footwork.slides if footwork is not None else np.empty(0),
        points[:moments, _limbs(armature)] @ turn.T + place,
        feet @ turn.T + place,
        stands,
        turn[:, 0],
        place,
    )


def _limbs(armature: bpy.types.Object) -> Any:
    """Numbers of the joints between which there are lines, (B, 2): each bone and the one that carries it."""
    data: Any = armature.data
    number = {bone.name: each for each, bone in enumerate(data.bones)}
    pairs = [(number[bone.parent.name], number[bone.name]) for bone in data.bones if bone.parent is not None]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)
