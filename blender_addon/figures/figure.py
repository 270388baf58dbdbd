# SPDX-License-Identifier: GPL-3.0-or-later
"""The built-in figures: people who walk and run, made by script when a crowd has no characters of its own.

Whatever they are made of is shared by all their copies and carries `FIGURE_TAG`, by which it is found again; the
template objects lie in no collection, and a saved file holds only what its copies use.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import bpy
import numpy as np

from ...core.array_types import Float64
from ...core.motion.cycles import find_cycle, in_step
from ..blender_data import animation, fcurves
from .as_made import is_edited, note_as_made
from .dress import Wardrobe
from .materials import shirt_colour
from .mesh.belongings import PHONE_SCALE
from .mesh.body import SLOTS, build_body
from .mesh.description import Description
from .mesh.people import PEOPLE
from .mesh.skeleton import PHONE, Bone, Proportions, build_rig, build_skeleton
from .motion.gait import RUN, Gait, stride_length, trace_foot
from .motion.repertoire import OURS, plan_act
from .motion.walk import RUNNING, STANDING, Bearing, FigureMotion, plan_stand, plan_walk
from .parts import FIGURE_TAG, found, is_marked, tagged
from .rig import make_armature, make_rig

STRIDE_PROPERTY = "footfall_stride"
"""Custom property of the armature object and of the Actions of walk and run: distance of one cycle at scale 1 [m]."""

DRAWS_COLOUR = "footfall_draws_colour"
"""Custom property of objects whose copies wear a colour by lot: figures that were made the user's own have it."""

CYCLE_FRAMES = 32
"""Length of the walk; frame 0 is the left heel strike, frame 16 the right one, and the last equals the first."""

RUN_FRAMES = 18
"""Length of the run; frame 0 is the left foot's strike, frame 9 the right one's."""

IDLE_FRAMES = 96
"""Length of standing at ease: a breath of four seconds at 24 frames per second."""

_COLOURS_APART = 5
"""So far apart in every palette are the colours of two figures that nobody has dressed."""

_SHARP = math.radians(80.0)

__all__ = ["FIGURE_TAG", "STRIDE_PROPERTY", "Figure", "ensure_figures", "remove_unused_figures", "shirt_colour"]


@dataclass(frozen=True)
class Figure:
    """One built-in figure: looks along -Y, feet on z = 0, origin between them.

    Attributes:
        name: for messages.
        armature: template object, in no collection; copy it.
        meshes: template objects parented to the armature and deformed by it.
        walk: its walk in place, cyclic, from frame 0 to `CYCLE_FRAMES`; the armature plays it.
        idle: how it stands, cyclic, from frame 0 to `IDLE_FRAMES`.
        run: how it runs, cyclic, from frame 0 to `RUN_FRAMES`.
        stride: distance of one cycle of the walk, in the size of the template [m].
        run_stride: distance of one cycle of the run.
        run_ahead: where in the run the beginning of the walk is [cycles].
        weight: how often it is chosen, compared with others.
    """

    name: str
    armature: bpy.types.Object
    meshes: tuple[bpy.types.Object, ...]
    walk: animation.Clip
    idle: animation.Clip
    run: animation.Clip
    stride: float
    run_stride: float
    run_ahead: float
    weight: float


def ensure_figures(numbers: Iterable[int] = range(len(PEOPLE))) -> tuple[Figure, ...]:
    """Find the built-in figures of these numbers in this file, or make them.

    Works in the background, in operators and timers, in every mode; the user's scene, mode and selection stay as they
    are.
    """
    return tuple([_ensure_figure(number, PEOPLE[number]) for number in numbers])


def remove_unused_figures() -> list[str]:
    """Remove the figures' templates from this file, and what of the figures no object uses.

    Returns:
        Notices about what was edited: it is kept, and the next bake uses it.
    """
    templates = [each for each in bpy.data.objects if is_marked(each) and not each.users_collection]
    bpy.data.batch_remove(templates)
    kept = []
    for kind in (bpy.data.meshes, bpy.data.armatures, bpy.data.actions, bpy.data.materials):  # each after its users
        unused = [each for each in kind if each.users == 0 and is_marked(each)]
        edited = [each for each in unused if is_edited(each)]
        for each in edited:
            each.use_fake_user = True
            kept.append(f"'{each.name}' was edited by hand: it is kept, and the next bake uses it")
        bpy.data.batch_remove([each for each in unused if each not in edited])
    return kept


def ensure_act(name: str, act: str, seat: float = 0.0) -> animation.Clip:
    """Find the clip of an act of a built-in figure in this file, or make it.

    Args:
        name: of the figure.
        act: one of `OURS`.
        seat: height of the seat over the floor, in the size of its mesh [m].
    """
    figure = _described(name)
    ours = OURS[act]
    added = f" on {100.0 * seat:.0f} cm" if ours.is_seated else ""
    title = figure.idle.replace("idle", act.replace("_", " ")) + added
    clip = _found_clip(title)
    if clip is not None:
        return clip
    frames = ours.key_frames
    motion = plan_act(act, figure.body, build_skeleton(figure.body), frames, seat)
    if ours.moves:
        return _new_clip(
            title, replace(motion, rotations={bone: motion.rotations[bone] for bone in ours.moves}), frames
        )
    return _new_clip(title, motion, frames, phone=PHONE_SCALE if ours.has_phone else 1.0)


def body_of(name: str) -> Proportions:
    """The lengths of a built-in figure."""
    return _described(name).body


def figures_in_file() -> list[tuple[bpy.types.Armature, list[animation.Clip]]]:
    """The armatures and clips of those built-in figures that are in this file; a bake makes the others as ever."""
    known = []
    for figure in PEOPLE:
        data = found(bpy.data.armatures, figure.rig)
        clips = [_found_clip(name) for name in (figure.walk, figure.idle, figure.run)]
        if data is not None and found(bpy.data.meshes, figure.name) is not None:
            known.append((data, [clip for clip in clips if clip is not None]))
    return known


def _described(name: str) -> Description:
    return next(each for each in PEOPLE if each.name == name)


def _ensure_figure(number: int, figure: Description) -> Figure:
    bones = build_skeleton(figure.body)
    stride, run_stride = (stride_length(figure.body, gait) for gait in (Gait(), RUN))
    data = found(bpy.data.armatures, figure.rig) or tagged(
        make_armature(figure.rig, build_rig(figure.body)), figure.rig
    )
    armature = tagged(make_rig(figure.name, data), figure.name)
    armature[STRIDE_PROPERTY] = stride
    armature.scale = (figure.size,) * 3
    mesh = found(bpy.data.meshes, figure.name)
    body_data = mesh or tagged(bpy.data.meshes.new(figure.name), figure.name)
    body = tagged(bpy.data.objects.new(f"{figure.name} body", body_data), figure.name)
    if mesh is None:
        _model(body, number, figure)
    body.parent = armature
    modifier: Any = body.modifiers.new("Armature", "ARMATURE")
    modifier.object = armature
    body.color = shirt_colour(number)
    walk, idle, run = _ensure_clips(figure, bones, (stride, run_stride))
    animation.assign_clip(armature, walk)
    ahead = _run_ahead(figure.body)
    strides = figure.size * stride, figure.size * run_stride
    return Figure(figure.name, armature, (body,), walk, idle, run, *strides, ahead, figure.weight)


def _ensure_clips(
    figure: Description, bones: dict[str, Bone], strides: tuple[float, float]
) -> tuple[animation.Clip, animation.Clip, animation.Clip]:
    own, more = (figure.body, bones), figure.lean - Bearing().lean
    walking, standing, running = (
        replace(bearing, lean=bearing.lean + more, arm_spread=bearing.arm_spread + figure.arms_out)
        for bearing in (Bearing(), STANDING, RUNNING)
    )
    walk = _ensure_clip(figure.walk, CYCLE_FRAMES, strides[0], lambda phase: plan_walk(*own, phase, Gait(), walking))
    idle = _ensure_clip(figure.idle, IDLE_FRAMES, None, lambda phase: plan_stand(*own, phase, standing))
    run = _ensure_clip(figure.run, RUN_FRAMES, strides[1], lambda phase: plan_walk(*own, phase, RUN, running))
    return walk, idle, run


def _model(body: bpy.types.Object, number: int, figure: Description) -> None:
    """Fill a mesh with faces, materials and the weights of its skin."""
    surface, weights = build_body(figure)
    used, slots = np.unique(surface.materials, return_inverse=True)
    mesh: Any = body.data
    mesh.from_pydata(surface.points.tolist(), [], surface.faces)
    mesh.polygons.foreach_set("material_index", slots.astype(np.int32))
    mesh.polygons.foreach_set("use_smooth", np.ones(len(surface.faces), dtype=bool))
    mesh.set_sharp_from_angle(angle=_SHARP)
    wardrobe = Wardrobe()
    for slot in used:
        mesh.materials.append(wardrobe.material(SLOTS[slot], number * _COLOURS_APART))
    for column, name in enumerate(build_rig(figure.body)):
        group = body.vertex_groups.new(name=name)
        own = weights[:, column]
        group.add(np.flatnonzero(own == 1.0).tolist(), 1.0, "REPLACE")
        rows = np.flatnonzero((own > 0.0) & (own < 1.0))
        for row, weight in zip(rows.tolist(), own[rows].tolist(), strict=True):
            group.add([row], weight, "REPLACE")
    mesh.update()
    note_as_made(mesh)


def _ensure_clip(
    name: str, frames: int, stride: float | None, plan: Callable[[Float64], FigureMotion]
) -> animation.Clip:
    clip = _found_clip(name)
    if clip is None:
        clip = _new_clip(name, plan(np.arange(frames + 1) / frames), np.arange(frames + 1.0))
        if stride is not None:
            clip.action[STRIDE_PROPERTY] = stride
    return clip


@cache
def _run_ahead(body: Proportions) -> float:
    """Where in the run the beginning of the walk is, so that both put the same foot ahead [cycles]."""
    phase = np.arange(CYCLE_FRAMES + 1) / CYCLE_FRAMES
    ahead = [np.stack([trace_foot(body, gait, phase).ankle_forward] * 3, axis=-1) for gait in (Gait(), RUN)]
    cycles = [find_cycle(each[:, None], np.array([1.0, 0.0])) for each in ahead]
    assert cycles[0] is not None
    assert cycles[1] is not None
    return in_step(cycles[0], cycles[1]) % 1.0


def _found_clip(name: str) -> animation.Clip | None:
    action = found(bpy.data.actions, name)
    return animation.clips_of_action(action)[0] if action is not None else None


def _new_clip(name: str, motion: FigureMotion, frames: Float64, *, phone: float | None = None) -> animation.Clip:
    """Make the Action of one cycle, with keys at frames from 0 on; `phone` is the scale of that, if it has one."""
    clip = animation.new_clip(name, [], group="Footfall")
    try:
        for bone, rotation in motion.rotations.items():
            path = f'pose.bones["{bone}"].'
            channels = [fcurves.Channel(f"{path}rotation_quaternion", k, frames, rotation[:, k]) for k in range(4)]
            if bone == "hips":
                channels += [fcurves.Channel(f"{path}location", k, frames, motion.hips[:, k]) for k in range(3)]
            animation.add_channels(clip, channels, group=bone)
        if phone is not None:
            path, values = f'pose.bones["{PHONE}"].scale', np.full(1, phone)
            animation.add_channels(clip, [fcurves.Channel(path, k, frames[:1], values) for k in range(3)], group=PHONE)
    except BaseException:
        bpy.data.actions.remove(clip.action)
        raise
    action = tagged(clip.action, name)
    action.use_frame_range, action.frame_start, action.frame_end = True, 0, frames[-1]
    action.use_cyclic = True
    return clip
