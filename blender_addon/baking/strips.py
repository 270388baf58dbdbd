# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips in the NLA as strips with animated time: keys say which frame of the clip is played, and how much of it.

So the stride follows the distance walked, and walk, run and idle clips are blended by influence.
"""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from . import actions

Float64 = NDArray[np.float64]

WALK, RUN, IDLE = "Footfall walk", "Footfall run", "Footfall idle"
"""Names of tracks, from the bottom up."""


def add(
    armature: bpy.types.Object, name: str, clip: actions.Clip, first_frame: int, last_frame: int
) -> bpy.types.NlaStrip:
    """Put a clip into a track of its own, above what there is; nothing moves until `drive` says when.

    Args:
        armature: what plays it.
        name: of the track.
        clip: what is played.
        first_frame: from which on.
        last_frame: until when.
    """
    track = (armature.animation_data or armature.animation_data_create()).nla_tracks.new()
    track.name = name
    strip = actions.add_strip(track, clip.action.name, clip, first_frame)
    strip.frame_end = max(last_frame, first_frame + 1)
    strip.use_animated_time = True
    strip.use_animated_time_cyclic = True
    return strip


def drive(
    armature: bpy.types.Object,
    name: str,
    frames: NDArray[np.int64],
    clip_frames: Float64,
    *,
    influence: Float64 | None = None,
) -> None:
    """Say which frame of a clip an armature shows, and how much of it; a track that never shows is muted.

    Args:
        armature: one with the track, or a copy of such a one.
        name: of the track.
        frames: int64 (K,), frame numbers, increasing.
        clip_frames: float64 (K,), frames of the clip, counted on from run to run.
        influence: float64 (K,), from 0 to 1; None: it is not animated.
    """
    track = armature.animation_data.nla_tracks[name]
    strip = track.strips[0]
    if influence is not None:
        track.mute = not influence.any()
        if track.mute:
            return
        keyed = _bends(influence)
        curve = strip.fcurves.find("influence")
        curve.keyframe_points.clear()  # Blender has put one there
        actions.write_keys(curve, frames[keyed], influence[keyed])
        keyed = _bends(clip_frames)
        frames, clip_frames = frames[keyed], clip_frames[keyed]
    actions.write_keys(strip.fcurves.find("strip_time"), frames, clip_frames)


def _bends(values: Float64) -> NDArray[np.int64]:
    """Which of evenly spaced values a line through the others would not give: the ends, and where the slope changes."""
    slope = np.diff(values)
    inside = np.flatnonzero(np.abs(np.diff(slope)) > 1e-9 * max(1.0, float(np.abs(values).max()))) + 1
    return np.unique(np.concatenate([[0], inside, [len(values) - 1]]))


def take_off(owner: bpy.types.Object) -> None:
    """Take the Action and the NLA tracks from an object; its drivers stay."""
    animation = owner.animation_data
    if animation is None:
        return
    animation.use_tweak_mode = False
    animation.action = None
    for track in list(animation.nla_tracks):
        animation.nla_tracks.remove(track)
    animation.use_nla = True
    animation.action_blend_type = "REPLACE"
    animation.action_extrapolation = "HOLD"
    animation.action_influence = 1.0
