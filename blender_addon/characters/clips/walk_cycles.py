# SPDX-License-Identifier: GPL-3.0-or-later
"""Prepares the clips of a character to be driven by distance, and measures their strides.

Cyclic strip time runs from frame 0 of the Action to the strip's length, wherever the Action begins; so a clip that
begins elsewhere is copied and moved to frame 0, and one with root motion is copied and kept in place, as the path moves
the character.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np

from ....core.array_types import Bool, Float64
from ....core.geometry.reproducible_math import arctan2, length
from ....core.motion.cycles import find_cycle, in_step
from ....core.motion.feet.footwork import judge_footwork
from ....core.motion.stride import ground_travel, travel
from ....core.motion.takes import cut_pause, cut_stride
from ...blender_data import animation, fcurves, nla_strips
from ...blender_data.bone_keys import bone_in, bones_of
from ...blender_data.curve_keys import free_handles, replace_keys, sample_modifiers
from ...blender_data.evaluation import evaluation_scene
from ...blender_data.fcurves import Channel
from .blendable import find_unkeyed, keyed_by, make_blendable
from .clips import Clips, WalkCycle
from .joints import turn_to_world
from .seen_joints import read_joints, shins_without_feet


@dataclass(frozen=True)
class ClipSettings:
    """How clips are measured.

    Attributes:
        root_motion: a clip that moves the body less, relative to its height, is in place; chosen.
        longest_stride: relative to the height; the fastest sprinters take 2.5 (Bolt 2009: steps of 2.4 m at 1.95 m).
        usual_stride: stride of people at their usual speed, relative to their height, for a clip in which no steps are
            found; chosen.
        fewest_samples: least number of frames at which a clip is sampled; chosen.
        most_samples: largest number of frames at which a clip is sampled; chosen.
        stance: shares of the time between which each foot stands in a clip in which they alternate; chosen.
        shortest_stride: strides of walks take longer [s]; chosen.
        off_origin: a body is moved to its origin if it walks farther from it, relative to its height; chosen.
        standing_speed: below this speed, relative to the height per second, a clip counts as standing [1/s]; chosen.
        still: joints that move less, relative to the height, do not move; chosen.
        of_ground: share of the time that each of two feet is at least on the ground in a walk, as one of them always
            is (Winter 1991).
    """

    root_motion: float = 0.05
    longest_stride: float = 2.5
    usual_stride: float = 0.8
    fewest_samples: int = 24
    most_samples: int = 240
    stance: tuple[float, float] = (0.25, 0.9)
    shortest_stride: float = 0.5
    off_origin: float = 0.4
    standing_speed: float = 0.1
    still: float = 0.001
    of_ground: float = 0.5


CLIP_SETTINGS = ClipSettings()


def within_reach(walk: WalkCycle) -> WalkCycle:
    """Return a walk with a stride that its feet can carry: on the ground, each goes back as far as the body goes on.

    Animators let the feet of a walk in place fly back and stay up; on the ground they would then have to be farther
    from the hips than legs are long.
    """
    longest = walk.strides * walk.swing / CLIP_SETTINGS.of_ground
    return replace(walk, stride=longest) if 0.0 < longest < walk.stride else walk


def blend(
    walk: WalkCycle, *, idle: WalkCycle | None, run: WalkCycle | None, armature: bpy.types.Object
) -> tuple[Clips, str]:
    """Combine clips, synchronise their steps, and write their rotations alike, each of all bones that any moves.

    Args:
        walk: the walk.
        idle: the clip for standing, or None.
        run: the run, or None.
        armature: whose bones count.

    Returns:
        The clips; and the reason why the run is not used, empty where it is or where there is none.
    """
    _key_scales([each for each in (walk, idle, run) if each is not None])
    if not walk.is_exact:
        walk, idle, run = _with_all_bones(walk, idle, run, armature)
    if idle is not None:
        idle = _blendable(idle, walk)
    if run is None:
        return Clips(walk, idle), ""
    if walk.strides % run.strides:
        return Clips(walk, idle), f"it has {run.strides} strides, and '{walk.name}' has {walk.strides}"
    ahead = in_step(walk.cycle, run.cycle) if walk.cycle is not None and run.cycle is not None else 0.0
    return Clips(walk, idle, _blendable(run, walk), ahead % 1.0), ""


def _with_all_bones(
    walk: WalkCycle, idle: WalkCycle | None, run: WalkCycle | None, armature: bpy.types.Object
) -> tuple[WalkCycle, WalkCycle | None, WalkCycle | None]:
    """Return the same clips; those of the user's also key the bones that only others of them key."""
    keyed = keyed_by(each.clip for each in (walk, idle, run) if each is not None)

    def whole(cycle: WalkCycle) -> WalkCycle:
        if cycle.source is None:
            return cycle
        lacking = find_unkeyed(cycle.clip, keyed, armature)
        if not lacking:
            return cycle
        clip = cycle.clip if cycle.is_copy else animation.copy_clip(cycle.clip)
        animation.add_channels(clip, lacking, group="Footfall")
        return replace(cycle, clip=clip, is_copy=True)

    return whole(walk), idle and whole(idle), run and whole(run)


def _key_scales(cycles: Sequence[WalkCycle]) -> None:
    """Key scales in made clips as in the others, of the object and of the bones that they move.

    Blended with none, that of the object would become 1, and legs would be stretched by a part of what an idle has.
    """
    first = {
        (curve.data_path, curve.array_index): curve
        for each in cycles[::-1]
        for curve in animation.curves_of(each.clip)
        if curve.data_path == "scale" or curve.data_path.endswith("].scale")
    }
    for each in cycles:
        own, bones = keyed_by([each.clip]), bones_of(each.clip) if each.source is None else set[str]()
        frames = np.array([0.0, max(each.length, 1.0)])
        channels = [
            Channel(path, axis, frames, [curve.evaluate(curve.range()[0])] * 2)
            for (path, axis), curve in first.items()
            if each.is_copy and (path, axis) not in own and (path == "scale" or bone_in(path) in bones)
        ]
        animation.add_channels(each.clip, channels, group="Footfall")


def _blendable(cycle: WalkCycle, walk: WalkCycle) -> WalkCycle:
    clip = make_blendable(cycle.clip, walk.clip, is_copy=cycle.is_copy)
    return replace(cycle, clip=clip, is_copy=cycle.is_copy or clip.action != cycle.clip.action)


def make_walk(
    clip: animation.Clip,
    *,
    name: str,
    armature: bpy.types.Object,
    mover: bpy.types.Object,
    scene: bpy.types.Scene,
    feet: Bool | None = None,
) -> WalkCycle:
    """Measure a clip, and prepare it to be driven by distance.

    Args:
        clip: a walk or run of the armature.
        name: of the character, for messages.
        armature: a copy of the character's armature, without animation.
        mover: a copy of the object that moves the character, at the world's origin; may be the same.
        scene: provides frame rate and units.
        feet: which of the joints and ends of its bones are feet, as its walk has shown; None: not known.
    """
    first, last = animation.clip_range(clip)
    rig = {"armature": armature, "mover": mover, "scene": scene}
    points = _sample_bones(clip, first, last, **rig)
    if feet is None:
        feet = shins_without_feet(armature, turn_to_world(mover, armature), points.shape[1])
    lost = _lost_bone(points, armature)
    if lost:
        return _slow_walk(name, clip, points, lost)
    cut, pause = cut_stride(points), cut_pause(points)
    if cut is None and pause is None:
        return _measured(clip, points, name, rig, feet)
    begin, end = (first + (last - first) * at / (len(points) - 1) for at in cut or pause or ())
    stride = _closed_copy(clip, begin, end)
    of_stride = _sample_bones(stride, 0.0, end - begin, **rig)
    walk = _measured(stride, of_stride, name, rig, feet)
    if walk.clip.action != stride.action:
        bpy.data.actions.remove(stride.action)
    away = _middle(of_stride)
    away[2] = walk.low - float(points[..., 2].min())  # the ground of a recording may slope
    frames = f"frames {begin:.0f} to {end:.0f}"
    told = f"'{name}': '{clip.action.name}' is no cycle; one stride of it, {frames}, is played"
    if cut is None:
        told = f"'{name}': '{clip.action.name}' stands still at its beginning or end; only its {frames} are played"
    walk = replace(walk, name=clip.action.name, is_copy=True, source=clip, away=away)
    return replace(walk, notices=(*walk.notices, told))


def _measured(clip: animation.Clip, points: Float64, name: str, rig: Any, feet: Bool | None) -> WalkCycle:
    """Measure a clip by points of its bones, and prepare it; `rig` has the arguments of `_sample_bones`."""
    first, last = animation.clip_range(clip)
    height = float(np.ptp(points[..., 2]))
    root_motion = travel(points)[:2]
    way = float(length(root_motion))
    moves_away = way > CLIP_SETTINGS.root_motion * height
    moves = bool(np.ptp(points, axis=0).max() > CLIP_SETTINGS.still * height)
    walk = WalkCycle(
        clip.action.name, clip, is_copy=False, length=last - first, height=height, source=clip, moves=moves
    )
    is_away = length(_middle(points)[:2]) > CLIP_SETTINGS.off_origin * height
    walk = replace(walk, low=float(points[..., 2].min()), away=_middle(points) if is_away else None)
    if moves_away or first != 0.0:
        walk = replace(walk, clip=_adapted_copy(clip, first, last, keep_in_place=moves_away), is_copy=True)
    if moves_away:
        left = travel(_sample_bones(walk.clip, 0.0, walk.length, **rig))[:2]
        if length(left) > CLIP_SETTINGS.root_motion * height:
            notice = (
                f"'{name}': its walk also moves it by other means than keys, perhaps a constraint; this motion is added"
            )
            walk = replace(walk, notices=(notice,))
        walk = replace(walk, stride=way, direction=root_motion / way)
        return _with_cycle(walk, points, travels=True)
    seen = ground_travel(points, feet)
    if seen is None:
        notice = (
            f"'{name}': no steps found in '{clip.action.name}', so its stride is set to {CLIP_SETTINGS.usual_stride} "
            "of its height. If feet slide, set Stride"
        )
        return replace(walk, stride=CLIP_SETTINGS.usual_stride * height, steps=False, notices=(*walk.notices, notice))
    walk = replace(walk, stride=seen.stride, direction=seen.direction, feet=seen.feet, swing=seen.swing)
    return _with_cycle(walk, points, travels=False)


def _middle(points: Float64) -> Float64:
    """Where a body is on the ground once it is kept in place, float64 (3,)."""
    middle = np.median(points, axis=1).mean(axis=0) - travel(points) / 2.0
    return middle * [1.0, 1.0, 0.0]


def _with_cycle(walk: WalkCycle, points: Float64, *, travels: bool) -> WalkCycle:
    """Note the cycle of a clip that was measured on points, and whether feet alternate, if its direction is known."""
    direction = walk.direction
    if direction is None:
        return walk
    walk = replace(walk, alternates=_alternates(points, walk, travels=travels))
    cycle = find_cycle(points, direction)
    return replace(walk, cycle=cycle, passing=cycle.passing) if cycle is not None else walk


def _alternates(points: Float64, walk: WalkCycle, *, travels: bool) -> bool:
    """Whether each foot stands for a part of the clip, at its stride, and swings for another."""
    assert walk.direction is not None
    way = np.zeros((len(points), 3))
    way[:, :2] = np.linspace(0.0, walk.stride, len(points))[:, None] * walk.direction
    heading = np.full(len(points), arctan2(walk.direction[1], walk.direction[0]))
    beginning = np.append(np.median(points[0, :, :2], axis=0), points[..., 2].min())
    seen = judge_footwork(points if travels else points + way[:, None], beginning + way, heading)
    least, most = CLIP_SETTINGS.stance
    return seen is not None and least < min(seen.stance) and max(seen.stance) < most


def _lost_bone(points: Float64, armature: bpy.types.Object) -> str:
    """Return the name of the first bone with a place that is not a number, or nothing."""
    lost = np.flatnonzero(~np.isfinite(points).all(axis=(0, 2)))
    data: Any = armature.data
    return data.bones[int(lost[0]) % len(data.bones)].name if len(lost) else ""


def _slow_walk(name: str, clip: animation.Clip, points: Float64, lost: str) -> WalkCycle:
    """Return a clip that cannot be measured, for a character whose other bones may be whole."""
    seen = points[np.isfinite(points).all(axis=2)]
    height = float(np.ptp(seen[:, 2])) if len(seen) else 1.0
    told = (
        f"'{name}': bone '{lost}' has a position that is not a number in '{clip.action.name}': correct its keys, its "
        "rest "
        "position or its scale"
    )
    cycle = replace(make_idle(clip), height=height, stride=CLIP_SETTINGS.usual_stride * height)
    return replace(cycle, steps=False, lost=lost, notices=(told,))


def make_idle(clip: animation.Clip) -> WalkCycle:
    """Prepare a clip for standing to be blended with a walk."""
    first, last = animation.clip_range(clip)
    if first == 0.0:
        return WalkCycle(clip.action.name, clip, is_copy=False, length=last, source=clip)
    return WalkCycle(
        clip.action.name,
        _adapted_copy(clip, first, last, keep_in_place=False),
        is_copy=True,
        length=last - first,
        source=clip,
    )


def _sample_bones(
    clip: animation.Clip,
    first: float,
    last: float,
    *,
    armature: bpy.types.Object,
    mover: bpy.types.Object,
    scene: bpy.types.Scene,
) -> Float64:
    """Return heads and tails of the bones, float64 (T, P, 3), at equal intervals of a clip, both ends included."""
    count = min(max(math.ceil(last - first), CLIP_SETTINGS.fewest_samples), CLIP_SETTINGS.most_samples)
    nla_strips.play_once(armature, clip, count, first, last)
    try:
        with evaluation_scene(scene, remapped=False) as evaluation:
            return read_joints(map(evaluation.watch(mover, armature), range(count + 1)))
    finally:
        nla_strips.take_off(armature)


def _closed_copy(clip: animation.Clip, first: float, last: float) -> animation.Clip:
    """Copy a stride of a take so that it begins at frame 0 and bones are turned at its end as at its beginning."""
    copy = animation.copy_clip(clip)
    frames = np.append(np.arange(0.0, last - first), last - first)
    values: dict[tuple[str, int], Float64] = {}
    for curve in animation.curves_of(copy):
        own = np.array([curve.evaluate(first + frame) for frame in frames.tolist()])
        values[curve.data_path, curve.array_index] = own
    for curve in animation.curves_of(copy):
        path, own = curve.data_path, values[curve.data_path, curve.array_index]
        if not path.endswith("location"):
            parts = [values[key] for key in ((path, axis) for axis in range(4)) if key in values]
            is_flipped = path.endswith("quaternion") and sum(each[0] * each[-1] for each in parts) < 0.0
            change = own[-1] + own[0] if is_flipped else own[-1] - own[0]
            change -= math.tau * round(change / math.tau) if path.endswith("rotation_euler") else 0.0
            own = own - change * frames / frames[-1]
        replace_keys(curve, frames, own)
    copy.action.use_frame_range = True
    copy.action.frame_start, copy.action.frame_end = 0.0, float(frames[-1])
    return copy


def _adapted_copy(clip: animation.Clip, first: float, last: float, *, keep_in_place: bool) -> animation.Clip:
    """Copy a clip so that it begins at frame 0 and, if wanted, stays in place.

    Root motion is the difference of a location between both ends; subtracting it evenly over the clip keeps the sway of
    each step. Subtracting a line from a Bezier curve moves its control points by that line.
    """
    copy = animation.copy_clip(clip)
    copy.action.use_frame_range = True
    copy.action.frame_start, copy.action.frame_end = 0.0, last - first
    for curve in animation.curves_of(copy):
        is_place = curve.data_path == "location" or curve.data_path.endswith('"].location')
        drift = (curve.evaluate(last) - curve.evaluate(first)) / (last - first) if keep_in_place and is_place else 0.0
        if curve.modifiers:
            sample_modifiers(curve, first, last)
        if drift:
            free_handles(curve)
        fcurves.shift_keys(curve, -first, drift=drift)
    return copy
