# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips in the NLA as strips with animated time: keys say which frame of the clip is played, and how much of it.

So the stride follows the distance walked, and walk, run and idle clips are blended by influence.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from . import animation as actions

Float64 = NDArray[np.float64]

WALK, RUN, IDLE = "Footfall walk", "Footfall run", "Footfall idle"
"""Names of tracks, from the bottom up."""


def add_track(owner: bpy.types.Object, name: str) -> bpy.types.NlaTrack:
    """Give an object an NLA track above those that it has."""
    track = (owner.animation_data or owner.animation_data_create()).nla_tracks.new()
    track.name = name
    return track


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
    track = add_track(armature, name)
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


def tracks_of(animation: bpy.types.AnimData | None) -> list[bpy.types.NlaTrack]:
    """The NLA tracks of a data-block, from the bottom up."""
    return list(animation.nla_tracks) if animation is not None else []


def plays_anything(animation: bpy.types.AnimData | None) -> bool:
    """Whether a data-block has an Action or NLA tracks."""
    return animation is not None and (animation.action is not None or len(animation.nla_tracks) > 0)


def values_of(animation: bpy.types.AnimData | None) -> list[list[Any]]:
    """What tells the strips of a data-block from others, in values that JSON can hold."""
    return [_values(track, strip) for track in tracks_of(animation) for strip in track.strips]


def _values(track: bpy.types.NlaTrack, strip: bpy.types.NlaStrip) -> list[Any]:
    action = strip.action.name_full if strip.action is not None else None
    span = [strip.frame_start, strip.frame_end, strip.action_frame_start, strip.action_frame_end]
    return [track.name, track.mute, strip.name, action, strip.mute, strip.blend_type, strip.scale, strip.repeat, *span]


def actions_in_own_time(animation: bpy.types.AnimData | None) -> list[bpy.types.Action]:
    """The Actions of strips whose time is not animated."""
    found = [strip for track in tracks_of(animation) for strip in track.strips if not strip.use_animated_time]
    return [strip.action for strip in found if strip.action is not None]


def shift(animation: bpy.types.AnimData | None, frames: float) -> None:
    """Have all strips of a data-block play so many frames later."""
    for track in tracks_of(animation):
        for strip in sorted(track.strips, key=lambda strip: strip.frame_start, reverse=frames > 0):
            _shift(strip, frames)


def _shift(strip: Any, frames: float) -> None:
    """A strip with a time of its own is moved by the keys of that, another one as a whole."""
    for curve in strip.fcurves:
        actions.shift_keys(curve, frames)
    if strip.use_animated_time:
        return
    ends = ("frame_end", "frame_start") if frames > 0 else ("frame_start", "frame_end")
    for end in ends:
        setattr(strip, end, getattr(strip, end) + frames)


def take_off(owner: bpy.types.Object) -> None:
    """Take the Action and the NLA tracks from an object; its drivers stay."""
    animation = owner.animation_data
    if animation is None:
        return
    animation.use_tweak_mode = False
    animation.action = None
    for track in tracks_of(animation):
        animation.nla_tracks.remove(track)
    animation.use_nla = True
    animation.action_blend_type = "REPLACE"
    animation.action_extrapolation = "HOLD"
    animation.action_influence = 1.0
