# SPDX-License-Identifier: GPL-3.0-or-later
"""The clips of a character made fit to be driven by distance, and the way of one run of each.

Cyclic strip time runs from frame 0 of the Action to the strip's length, wherever the Action begins; so a clip that
begins elsewhere is copied and moved to frame 0, and one that carries the body away from its place is copied and kept
there, as the path moves the character.
"""

from __future__ import annotations

import math
from dataclasses import replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.motion.cycles import find_cycle, in_step
from ...core.motion.stride import ground_travel, travel
from ..blender_data import animation, nla_strips
from ..blender_data.curve_keys import free_handles, sample_modifiers
from ..blender_data.evaluation import evaluation_scene
from .legs.clips import Clips, WalkCycle

Float64 = NDArray[np.float64]

_LEAST_TRAVEL = 0.05  # of the height: a clip that ends nearer to its beginning stays in place
STRIDE_PER_HEIGHT = 0.8
"""Way of a stride over the height of people at their usual speed; for a clip in which no foot is found."""

_FEWEST_SAMPLES, _MOST_SAMPLES = 24, 240


def blend(walk: WalkCycle, *, idle: WalkCycle | None, run: WalkCycle | None) -> tuple[Clips, str]:
    """Put clips together, in step.

    Returns:
        The clips; and why the run is not among them, empty where it is, or where there is none.
    """
    if run is None:
        return Clips(walk, idle), ""
    if walk.strides % run.strides:
        return Clips(walk, idle), f"it has {run.strides} strides, and '{walk.name}' has {walk.strides}"
    ahead = in_step(walk.cycle, run.cycle) if walk.cycle is not None and run.cycle is not None else 0.0
    return Clips(walk, idle, run, ahead % 1.0), ""


def clip_range(clip: animation.Clip) -> tuple[float, float]:
    """First and last frame of a clip: as the user has set them, or else of its keys."""
    if clip.action.use_frame_range:
        return clip.action.frame_start, clip.action.frame_end
    ranges = [curve.range() for curve in animation.curves_of(clip)]
    return min(first for first, _ in ranges), max(last for _, last in ranges)


def make_walk(
    clip: animation.Clip, *, name: str, armature: bpy.types.Object, mover: bpy.types.Object, scene: bpy.types.Scene
) -> WalkCycle:
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
    walk = WalkCycle(clip.action.name, clip, is_copy=False, length=last - first, height=height)
    if moves_away or first != 0.0:
        walk = replace(walk, clip=_fit_copy(clip, first, last, keep_in_place=moves_away), is_copy=True)
    if moves_away:
        left = travel(_watch(walk.clip, 0.0, walk.length, armature=armature, mover=mover, scene=scene))[:2]
        if np.hypot(*left) > _LEAST_TRAVEL * height:
            notice = (
                f"'{name}': its walk also moves it by other means than keys, perhaps a constraint; this motion is added"
            )
            walk = replace(walk, notices=(notice,))
        return replace(walk, stride=length, direction=way / length, cycle=find_cycle(points, way / length))
    seen = ground_travel(points)
    if seen is None:
        notice = (
            f"'{name}': no steps found in '{clip.action.name}', so its stride is set to {STRIDE_PER_HEIGHT} "
            "of its height. If feet slide, set Stride"
        )
        return replace(walk, stride=STRIDE_PER_HEIGHT * height, steps=False, notices=(*walk.notices, notice))
    cycle = find_cycle(points, seen.direction) if seen.direction is not None else None
    return replace(walk, stride=seen.stride, direction=seen.direction, cycle=cycle)


def make_idle(clip: animation.Clip) -> WalkCycle:
    """Make a clip in which somebody stands fit to be blended with a walk."""
    first, last = clip_range(clip)
    if first == 0.0:
        return WalkCycle(clip.action.name, clip, is_copy=False, length=last)
    return WalkCycle(
        clip.action.name, _fit_copy(clip, first, last, keep_in_place=False), is_copy=True, length=last - first
    )


def _watch(
    clip: animation.Clip,
    first: float,
    last: float,
    *,
    armature: bpy.types.Object,
    mover: bpy.types.Object,
    scene: bpy.types.Scene,
) -> Float64:
    """Heads and tails of the bones, float64 (T, P, 3), at equal times over a clip, both ends included."""
    count = min(max(math.ceil(last - first), _FEWEST_SAMPLES), _MOST_SAMPLES)
    nla_strips.add(
        armature, nla_strips.WALK, clip, 0, count
    ).use_animated_time_cyclic = False  # the end is not the beginning
    nla_strips.drive(armature, nla_strips.WALK, np.array([0, count]), np.array([first, last]))
    try:
        with evaluation_scene(scene) as evaluation:
            evaluation.bring(mover)
            seen = evaluation.bring(armature)
            return np.stack(
                [_bone_points(seen.evaluated_get(evaluation.evaluate(frame))) for frame in range(count + 1)]
            )
    finally:
        nla_strips.take_off(armature)


def _bone_points(armature: bpy.types.Object) -> Float64:
    bones = armature.pose.bones
    points = np.empty((2, 3 * len(bones)), dtype=np.float32)
    bones.foreach_get("head", points[0])
    bones.foreach_get("tail", points[1])
    matrix = np.array(armature.matrix_world, dtype=np.float64)
    return points.reshape(-1, 3).astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]


def _fit_copy(clip: animation.Clip, first: float, last: float, *, keep_in_place: bool) -> animation.Clip:
    """A copy of a clip that begins at frame 0 and, if wanted, comes back to where it began.

    What carries a body away is the difference of a location between the two ends; taken out evenly over the clip, it
    leaves the sway of each step. A Bezier curve less a line is the one whose control points are moved so.
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
        animation.shift_keys(curve, -first, drift=drift)
    return copy
