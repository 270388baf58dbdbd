# SPDX-License-Identifier: GPL-3.0-or-later
"""The walk of a character: its clip made fit to be driven by distance, and the way of one run of it.

A walk stands in the NLA as a strip with animated time: keys on the strip's time say which frame of the clip is played,
so that the stride follows the distance walked. Cyclic strip time runs from frame 0 of the Action to the strip's
length, wherever the Action begins; so a clip that begins elsewhere is copied and moved to frame 0, and one that
carries the body away from its place is copied and kept there, as the path moves the character.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import bpy
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.motion.feet import ground_travel, travel
from ..reading.room import reading_room
from . import actions

Float64 = NDArray[np.float64]

_TRACK, _IDLE_TRACK = "Footfall walk", "Footfall idle"
_LEAST_TRAVEL = 0.05  # of the height: a clip that ends nearer to its beginning stays in place
_STRIDE_PER_HEIGHT = 0.8  # of people at their usual speed; for a clip in which no foot is found
_FEWEST_SAMPLES, _MOST_SAMPLES = 24, 240


@dataclass(frozen=True)
class Walk:
    """A clip that stays in its place and runs from frame 0 to `length`.

    Attributes:
        name: of the user's clip.
        clip: the user's, or a copy of it made fit.
        is_copy: it is a copy, which belongs to the bake.
        length: of one run [frames].
        stride: way of one run [Blender units]; 0: not known.
        direction: float64 (2,), the way that the character walks as it stands; None: not known.
        notices: sentences for the user.
    """

    name: str
    clip: actions.Clip
    is_copy: bool
    length: float
    stride: float = 0.0
    direction: Float64 | None = None
    notices: tuple[str, ...] = ()


def clip_range(clip: actions.Clip) -> tuple[float, float]:
    """First and last frame of a clip: as the user has set them, or else of its keys."""
    if clip.action.use_frame_range:
        return clip.action.frame_start, clip.action.frame_end
    ranges = [curve.range() for curve in actions.curves_of(clip)]
    return min(first for first, _ in ranges), max(last for _, last in ranges)


def make_walk(
    clip: actions.Clip, *, name: str, armature: bpy.types.Object, mover: bpy.types.Object, scene: bpy.types.Scene
) -> Walk:
    """Measure a clip, and make it fit to be driven by distance.

    Args:
        clip: what the armature walks by.
        name: of the character, for messages.
        armature: a copy of the character's armature, without animation of its own.
        mover: a copy of what moves the character, at the world's origin; perhaps the same.
        scene: whose settings hold.
    """
    first, last = clip_range(clip)
    points = _watch(clip, first, last, armature=armature, mover=mover, scene=scene)
    height = float(np.ptp(points[..., 2]))
    way = travel(points)[:2]
    length = float(np.hypot(*way))
    moves_away = length > _LEAST_TRAVEL * height
    walk = Walk(clip.action.name, clip, is_copy=False, length=last - first)
    if moves_away or first != 0.0:
        walk = replace(walk, clip=_fit_copy(clip, first, last, keep_in_place=moves_away), is_copy=True)
    if moves_away:
        left = travel(_watch(walk.clip, 0.0, walk.length, armature=armature, mover=mover, scene=scene))[:2]
        if np.hypot(*left) > _LEAST_TRAVEL * height:
            notice = f"'{name}': its walk moves it by other means than keys, a constraint perhaps, and comes on top"
            walk = replace(walk, notices=(notice,))
        return replace(walk, stride=length, direction=way / length)
    seen = ground_travel(points)
    if seen is None:
        notice = (
            f"'{name}': no foot is seen to walk in '{clip.action.name}', so one run of it is taken for "
            f"{_STRIDE_PER_HEIGHT} of its height; set the crowd's stride if the feet slide"
        )
        return replace(walk, stride=_STRIDE_PER_HEIGHT * height, notices=(*walk.notices, notice))
    return replace(walk, stride=seen.stride, direction=seen.direction)


def make_idle(clip: actions.Clip) -> Walk:
    """Make a clip in which somebody stands fit to be blended with a walk."""
    first, last = clip_range(clip)
    if first == 0.0:
        return Walk(clip.action.name, clip, is_copy=False, length=last)
    return Walk(clip.action.name, _fit_copy(clip, first, last, keep_in_place=False), is_copy=True, length=last - first)


def put_on(armature: bpy.types.Object, clip: actions.Clip, first_frame: int, last_frame: int) -> None:
    """Let an armature walk by a clip over some frames; nothing moves until `drive` says when."""
    _add_strip(armature, _TRACK, clip, first_frame, last_frame)


def put_idle_on(armature: bpy.types.Object, clip: actions.Clip, first_frame: int, last_frame: int) -> None:
    """Let an armature that has a walk stand by a clip; `drive_idle` says when, and how much instead of the walk."""
    strip = _add_strip(armature, _IDLE_TRACK, clip, first_frame, last_frame)
    strip.use_animated_influence = True


def _add_strip(
    armature: bpy.types.Object, name: str, clip: actions.Clip, first_frame: int, last_frame: int
) -> bpy.types.NlaStrip:
    track = (armature.animation_data or armature.animation_data_create()).nla_tracks.new()
    track.name = name
    strip = actions.add_strip(track, clip.action.name, clip, first_frame)
    strip.frame_end = max(last_frame, first_frame + 1)
    strip.use_animated_time = True
    strip.use_animated_time_cyclic = True
    return strip


def drive(armature: bpy.types.Object, frames: ArrayLike, clip_frames: ArrayLike) -> None:
    """Say which frame of its walk an armature shows.

    Args:
        armature: one with a walk, or a copy of such a one.
        frames: (K,) frame numbers, increasing.
        clip_frames: (K,) frames of the clip, counted on from run to run.
    """
    actions.write_keys(_strip(armature).fcurves.find("strip_time"), frames, clip_frames)


def drive_idle(armature: bpy.types.Object, frames: NDArray[np.int64], influence: Float64, clip_frames: Float64) -> None:
    """Say how much an armature stands instead of walking, and when its idle clip is where.

    Args:
        armature: one with an idle clip, or a copy of such a one.
        frames: int64 (K,), frame numbers, increasing.
        influence: float64 (K,), 1: it stands; 0: it walks.
        clip_frames: float64 (K,), frames of the idle clip, counted on from run to run.
    """
    strip = _strip(armature, _IDLE_TRACK)
    keyed = _bends(influence)
    curve = strip.fcurves.find("influence")
    curve.keyframe_points.clear()  # Blender has put one there
    actions.write_keys(curve, frames[keyed], influence[keyed])
    keyed = _bends(clip_frames)
    actions.write_keys(strip.fcurves.find("strip_time"), frames[keyed], clip_frames[keyed])


def _bends(values: Float64) -> NDArray[np.int64]:
    """Which of evenly spaced values a line through the others would not give: the ends, and where the slope changes."""
    slope = np.diff(values)
    inside = np.flatnonzero(np.abs(np.diff(slope)) > 1e-9 * max(1.0, float(np.abs(values).max()))) + 1
    return np.unique(np.concatenate([[0], inside, [len(values) - 1]]))


def rehearse(
    armature: bpy.types.Object, walk: Walk, idle: Walk | None, *, phase: Float64, share: Float64, breath: Float64
) -> None:
    """Let an armature show its clips at some moments, one at each frame from 0 on, in the place of what it plays.

    Args:
        armature: a copy of a character's, for this alone.
        walk: its walk.
        idle: how it stands, or None.
        phase: float64 (T,), runs of the walk.
        share: float64 (T,), of walking.
        breath: float64 (T,), runs of the idle clip.
    """
    take_off(armature)
    frames = np.arange(len(phase))
    put_on(armature, walk.clip, 0, len(frames))
    whole = np.where((phase > 0.0) & (np.mod(phase, 1.0) == 0.0), phase - 1e-6, phase)  # a run's end, not its start
    drive(armature, frames, whole * walk.length)
    if idle is not None:
        put_idle_on(armature, idle.clip, 0, len(frames))
        drive_idle(armature, frames, 1.0 - share, breath * idle.length)


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


def _strip(armature: bpy.types.Object, track: str = _TRACK) -> bpy.types.NlaStrip:
    return armature.animation_data.nla_tracks[track].strips[0]


def _watch(
    clip: actions.Clip,
    first: float,
    last: float,
    *,
    armature: bpy.types.Object,
    mover: bpy.types.Object,
    scene: bpy.types.Scene,
) -> Float64:
    """Heads and tails of the bones, float64 (T, P, 3), at equal times over a clip, both ends included."""
    count = min(max(math.ceil(last - first), _FEWEST_SAMPLES), _MOST_SAMPLES)
    put_on(armature, clip, 0, count)
    armature.animation_data.nla_tracks[_TRACK].strips[
        0
    ].use_animated_time_cyclic = False  # the end is not the beginning
    drive(armature, [0, count], [first, last])
    try:
        with reading_room(scene) as room:
            room.bring(mover)
            seen = room.bring(armature)
            return np.stack([_bone_points(seen.evaluated_get(room.evaluate(frame))) for frame in range(count + 1)])
    finally:
        take_off(armature)


def _bone_points(armature: bpy.types.Object) -> Float64:
    bones = armature.pose.bones
    points = np.empty((2, 3 * len(bones)), dtype=np.float32)
    bones.foreach_get("head", points[0])
    bones.foreach_get("tail", points[1])
    matrix = np.array(armature.matrix_world, dtype=np.float64)
    return points.reshape(-1, 3).astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]


def _fit_copy(clip: actions.Clip, first: float, last: float, *, keep_in_place: bool) -> actions.Clip:
    """A copy of a clip that begins at frame 0 and, if wanted, comes back to where it began.

    What carries a body away is the difference of a location between the two ends; taken out evenly over the clip, it
    leaves the sway of each step. A Bezier curve less a line is the one whose control points are moved so.
    """
    copy = actions.copy_clip(clip)
    copy.action.use_frame_range = True
    copy.action.frame_start, copy.action.frame_end = 0.0, last - first
    for curve in actions.curves_of(copy):
        is_place = curve.data_path == "location" or curve.data_path.endswith('"].location')
        drift = (curve.evaluate(last) - curve.evaluate(first)) / (last - first) if keep_in_place and is_place else 0.0
        if curve.modifiers:
            _sample(curve, first, last)
        if drift:
            _free_handles(curve)
        for name in ("co", "handle_left", "handle_right"):
            points = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
            curve.keyframe_points.foreach_get(name, points)
            points[0::2] -= first
            points[1::2] -= drift * points[0::2]
            curve.keyframe_points.foreach_set(name, points)
        curve.update()
    return copy


def _sample(curve: bpy.types.FCurve, first: float, last: float) -> None:
    """Turn a curve with modifiers, which hang on absolute time, into plain keys at whole frames."""
    frames = np.append(np.arange(first, last), last)
    values = [curve.evaluate(frame) for frame in frames]
    for modifier in list(curve.modifiers):
        curve.modifiers.remove(modifier)
    curve.keyframe_points.clear()
    actions.write_keys(curve, frames, values)


def _free_handles(curve: bpy.types.FCurve) -> None:
    """Keep the handles of a curve where they are: automatic ones would lie otherwise once its slope has changed."""
    for point in curve.keyframe_points:
        point.handle_left_type = point.handle_right_type = "FREE"
