# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that were made for other bodies, adapted to a character whose bones have other names, axes or rest."""

from __future__ import annotations

from typing import Any, NamedTuple

import bpy
import numpy as np

from ....core.array_types import Float64
from ...blender_data import animation, nla_strips
from ...blender_data.evaluation import evaluation_scene
from ...blender_data.object_references import references_in, set_reference
from ..clips.clip_search import player_of
from ..clips.skeletons import Skeleton
from .foreign_motion import carry_over
from .humanoids import Humanoid, find_body, find_humanoid
from .made_clips import write_clip

RETARGETED_PROPERTY = "footfall_retargeted_from"
"""Custom property of an Action that was made: the name of the user's clip of another skeleton that it adapts."""


def adapted_to(
    clip: animation.Clip, armature: bpy.types.Object, mover: bpy.types.Object, scene: bpy.types.Scene
) -> animation.Clip | None:
    """Return a clip of another body for an armature, as a new Action that begins at frame 0; None where that cannot be.

    Args:
        clip: a clip whose skeleton is stored with it, or whose armature is in the file.
        armature: a copy of the character's armature, without animation.
        mover: a copy of the object that moves the character, at the world's origin; may be the same.
        scene: provides frame rate and units.
    """
    body, source = find_humanoid(armature, mover), _source_of(clip)
    if body is None or source is None:
        return None
    first, last = animation.clip_range(clip)
    frames = np.linspace(first, last, max(round(last - first), 1) + 1)
    motion = carry_over(source.body, source.skeleton, source.poses(clip, frames, scene), body)
    adapted = write_clip(clip.action.name, body, motion, armature, mover, frames - first)
    adapted.action[RETARGETED_PROPERTY] = clip.action.name
    return adapted


class _Source(NamedTuple):
    """The body that a clip was made for, and its armature if that is in the file."""

    skeleton: Skeleton
    body: Humanoid
    armature: bpy.types.Object | None

    def poses(self, clip: animation.Clip, frames: Float64, scene: bpy.types.Scene) -> Float64:
        """Return the poses of its bones at frames of a clip, float64 (B, N, 4, 4), in the axes of its armature."""
        if self.armature is None:
            return self.skeleton.pose(clip, frames)
        return _watch(self.armature, clip, frames, scene)


def _source_of(clip: animation.Clip) -> _Source | None:
    armature = player_of(clip)
    skeleton = Skeleton.of(armature) if armature is not None else Skeleton.stored_with(clip.action)
    body = find_body(skeleton, skeleton.world) if skeleton is not None else None
    return _Source(skeleton, body, armature) if skeleton is not None and body is not None else None


def _watch(armature: bpy.types.Object, clip: animation.Clip, frames: Float64, scene: bpy.types.Scene) -> Float64:
    """Play a clip on a copy of its armature, with all constraints of its bones, in the layout of `_Source.poses`."""
    with evaluation_scene(scene, remapped=False) as evaluation:
        copy = evaluation.copy(armature)
        for reference in references_in(armature):
            if reference.target == armature:
                set_reference(copy, reference, copy)
        nla_strips.take_off(copy)
        nla_strips.play_once(copy, clip, len(frames) - 1, frames[0], frames[-1])
        found = []
        for frame in range(len(frames)):
            seen: Any = copy.evaluated_get(evaluation.evaluate(frame))
            found.append([np.array(bone.matrix, dtype=np.float64) for bone in seen.pose.bones])
    return np.array(found).swapaxes(0, 1)
