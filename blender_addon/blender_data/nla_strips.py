# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips as NLA strips with animated time: keys set the frame of the clip that is played, and its influence.

So the stride follows the distance walked, and walk, run and idle clips are blended by influence.
"""

from __future__ import annotations

import hashlib
import math
from typing import Any

import bpy
import numpy as np

from ...core.array_types import Float64, Int64
from . import animation, fcurves

WALK, RUN, IDLE = "Footfall walk", "Footfall run", "Footfall idle"
"""Names of tracks, from the bottom up."""


def add_track(owner: bpy.types.Object, name: str) -> bpy.types.NlaTrack:
    """Add an NLA track to an object, above the others."""
    track = (owner.animation_data or owner.animation_data_create()).nla_tracks.new()
    track.name = name
    return track


def add(
    armature: bpy.types.Object, name: str, clip: animation.Clip, first_frame: int, last_frame: int
) -> bpy.types.NlaStrip:
    """Add a clip in its own track, above the others; `drive` animates its time.

    Args:
        armature: that plays it.
        name: of the track.
        clip: the clip.
        first_frame: of the strip.
        last_frame: of the strip.
    """
    track = add_track(armature, name)
    strip = animation.add_strip(track, clip.action.name, clip, first_frame)
    strip.frame_end = max(last_frame, first_frame + 1)
    strip.use_animated_time = True
    strip.use_animated_time_cyclic = True
    return strip


def play_once(armature: bpy.types.Object, clip: animation.Clip, count: int, first: float, last: float) -> None:
    """Have an armature without animation play a clip once, from frame 0 to `count`.

    Args:
        armature: that plays it.
        clip: the clip.
        count: last frame, at least 1.
        first: frame of the clip that is seen at frame 0.
        last: and at frame `count`; it is not the first again.
    """
    add(armature, WALK, clip, 0, count).use_animated_time_cyclic = False
    drive(armature, WALK, np.array([0, count]), np.array([first, last]))


def add_strip_of(
    track: bpy.types.NlaTrack, name: str, clip: animation.Clip, first_frame: float, last_frame: float
) -> None:
    """Add a range of a clip to an NLA track at its own frames, without extrapolation; ranges must be in order."""
    strip = animation.add_strip(track, name, clip, math.ceil(first_frame))
    strip.action_frame_start, strip.action_frame_end = first_frame, last_frame
    strip.frame_start, strip.frame_end = first_frame, last_frame
    strip.extrapolation = "NOTHING"


def drive(
    armature: bpy.types.Object,
    name: str,
    frames: Float64,
    clip_frames: Float64,
    *,
    influence: Float64 | None = None,
) -> None:
    """Write the keys of a strip's time and influence; a track without influence is muted.

    Args:
        armature: one with the track, or a copy of it.
        name: of the track.
        frames: float64 (K,), frames of keys, increasing.
        clip_frames: float64 (K,), frames of the clip, continuous over its cycles.
        influence: float64 (K,), from 0 to 1; None: it is not animated.
    """
    track = armature.animation_data.nla_tracks[name]
    strip = track.strips[0]
    if influence is not None:
        track.mute = not influence.any()
        if track.mute:
            return
        keyed = _needed_keys(influence)
        curve = strip.fcurves.find("influence")
        curve.keyframe_points.clear()  # Blender adds one
        fcurves.write_keys(curve, frames[keyed], influence[keyed])
        keyed = _needed_keys(clip_frames)
        frames, clip_frames = frames[keyed], clip_frames[keyed]
    fcurves.write_keys(strip.fcurves.find("strip_time"), frames, clip_frames)


def add_blended(
    track: bpy.types.NlaTrack,
    name: str,
    clip: animation.Clip,
    *,
    length: float,
    is_cycle: bool,
    time: tuple[Float64, Float64],
    influence: tuple[Float64, Float64],
) -> None:
    """Add a clip to a track for a while, blended in and out; those of a track must come in order.

    Args:
        track: the track.
        name: of the strip.
        clip: from frame 0 to its length.
        length: of the clip [frames].
        is_cycle: it begins again at its end.
        time: float64 (K,), frames of keys, the first and last of which are its ends, and the frames of the clip there.
        influence: float64 (L,), frames of keys, and the influence there; none: it is whole.
    """
    frames, clip_frames = time
    strip = animation.add_strip(track, name, clip, math.ceil(frames[0]))
    strip.action_frame_start, strip.action_frame_end = 0.0, length
    strip.frame_start, strip.frame_end = frames[0], max(frames[-1], frames[0] + 1.0)
    strip.extrapolation = "NOTHING"
    strip.use_animated_time, strip.use_animated_time_cyclic = True, is_cycle
    fcurves.write_keys(strip.fcurves.find("strip_time"), frames, clip_frames)
    if len(influence[0]):
        strip.use_animated_influence = True
        curve = strip.fcurves.find("influence")
        curve.keyframe_points.clear()  # Blender adds one
        _write_eased_keys(curve, *influence)


def _write_eased_keys(curve: bpy.types.FCurve, frames: Float64, values: Float64) -> None:
    """Write all keys of an F-curve that has none yet, with a smooth change from each to the next: 3 t^2 - 2 t^3."""
    fcurves.write_keys(curve, frames, values)
    points = list(curve.keyframe_points)
    for before, point, after in zip([None, *points[:-1]], points, [*points[1:], None], strict=True):
        at, value = point.co
        point.interpolation = "BEZIER"
        point.handle_left_type = point.handle_right_type = "FREE"
        point.handle_left = at - (at - before.co.x) / 3.0 if before is not None else at - 1.0, value
        point.handle_right = at + (after.co.x - at) / 3.0 if after is not None else at + 1.0, value


def _needed_keys(values: Float64) -> Int64:
    """Return the rows of evenly spaced values that linear keys need: the ends, and where the slope changes."""
    slope = np.diff(values)
    inside = np.flatnonzero(np.abs(np.diff(slope)) > 1e-9 * max(1.0, float(np.abs(values).max()))) + 1
    return np.unique(np.concatenate([[0], inside, [len(values) - 1]]))


def tracks_of(data: bpy.types.AnimData | None) -> list[bpy.types.NlaTrack]:
    """Return the NLA tracks of a data-block, from the bottom up."""
    return list(data.nla_tracks) if data is not None else []


def played_clips(data: bpy.types.AnimData | None) -> list[animation.Clip]:
    """Return the clips that a data-block plays: its active Action, then those of its strips from the bottom up."""
    active = animation.active_clip(data)
    return [*([active] if active is not None else []), *animation.clips_in_strips(data)]


def plays_anything(data: bpy.types.AnimData | None) -> bool:
    """Whether a data-block has an Action or NLA tracks."""
    return data is not None and (data.action is not None or len(data.nla_tracks) > 0)


def digest_of(data: bpy.types.AnimData | None) -> str:
    """Return the digest of the keys of a data-block's strips, of their time and influence."""
    strips = [strip for track in tracks_of(data) for strip in track.strips]
    state = hashlib.blake2b(digest_size=16)
    for number, strip in enumerate(strips):
        curves: Any = strip.fcurves
        for curve in curves:
            found = curves.find(curve.data_path)  # several times as fast to read, see `animation.copy_with_keys`
            state.update(f"{number} {fcurves.digest_of_curve(found):x}".encode())
    return state.hexdigest()


def values_of(data: bpy.types.AnimData | None) -> list[list[Any]]:
    """Return the settings of a data-block's strips in values that JSON can hold."""
    return [_values(track, strip) for track in tracks_of(data) for strip in track.strips]


def _values(track: bpy.types.NlaTrack, strip: bpy.types.NlaStrip) -> list[Any]:
    action = strip.action.name_full if strip.action is not None else None
    span = [strip.frame_start, strip.frame_end, strip.action_frame_start, strip.action_frame_end]
    return [track.name, track.mute, strip.name, action, strip.mute, strip.blend_type, strip.scale, strip.repeat, *span]


def shift(data: bpy.types.AnimData | None, frames: float) -> None:
    """Shift all strips of a data-block by a number of frames."""
    for track in tracks_of(data):
        for strip in sorted(track.strips, key=lambda strip: strip.frame_start, reverse=frames > 0):
            _shift(strip, frames)


def _shift(strip: Any, frames: float) -> None:
    """Shift the keys of a strip with animated time, or else the strip itself."""
    for curve in strip.fcurves:
        fcurves.shift_keys(curve, frames)
    if strip.use_animated_time:
        return
    ends = ("frame_end", "frame_start") if frames > 0 else ("frame_start", "frame_end")
    for end in ends:
        setattr(strip, end, getattr(strip, end) + frames)


def take_off(owner: bpy.types.Object) -> None:
    """Remove the Action and the NLA tracks of an object; its drivers are kept."""
    data = owner.animation_data
    if data is None:
        return
    data.use_tweak_mode = False
    data.action = None
    for track in tracks_of(data):
        data.nla_tracks.remove(track)
    data.use_nla = True
    data.action_blend_type = "REPLACE"
    data.action_extrapolation = "HOLD"
    data.action_influence = 1.0
