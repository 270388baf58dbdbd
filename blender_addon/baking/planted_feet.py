# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys that keep the feet of a character where they were set down, in an NLA track above its walk.

Only those stretches are keyed in which the clips alone would drag a foot along: in bends, and while somebody walks off
or comes to a stand. Muted, the track shows what the clips do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Quaternion
from numpy.typing import NDArray

from ...core.motion.legs import BALL, bend
from ...core.motion.planting import STANDING_SHARE, Correction, Way, plant
from . import actions
from .actions import Channel
from .leg_tables import Leg
from .performances import Performance

Float64 = NDArray[np.float64]

_TRACK = "Footfall feet"
_LEAST_SHIFT, _LEAST_TWIST = 0.008, 0.03  # of the leg, [rad]: what is less is left to the clips
_MARGIN = 2  # frames before and after a stretch
_LEAST_GAP = 12  # frames: shorter pauses between stretches are not worth a strip of their own
_EASE = 0.12  # [s], over which to both sides a body goes lower and higher on a slope
_SHORTEST_CONTACT = 3  # frames: what is shorter says nothing about a foot's slide


class Slides(NamedTuple):
    """How far feet slide.

    Attributes:
        length: float64 (C,), in each contact the largest way off its place.
        row: int64 (C,), at which row of frames that is.
    """

    length: Float64
    row: NDArray[np.int64]

    @classmethod
    def joined(cls, parts: list[Slides]) -> Slides:
        """The contacts of all feet."""
        none = cls(np.empty(0), np.empty(0, dtype=np.int64))
        return cls(*(np.concatenate(column) for column in zip(none, *parts, strict=True)))


def plant_feet(
    walker: bpy.types.Object, legs: list[Leg], performance: Performance, *, breath: Float64, name: str
) -> tuple[bpy.types.Action | None, Slides]:
    """Correct the legs of a character.

    Args:
        walker: its armature, with its walk put on.
        legs: of the armature.
        performance: what its agent does.
        breath: float64 (F,), runs of its idle clip.
        name: of the Action.

    Returns:
        The Action that was made, None where the clips need no correction; and how far each planted foot still slides
        over its contact [Blender units].
    """
    way = _way(performance)
    keyed = np.zeros(len(performance.frames), dtype=bool)
    bent, slides = [], []
    for number, leg in enumerate(legs):
        posture = leg.table.posture(performance.share, performance.phase, breath)
        ball = posture.joints[:, BALL]
        wanted = plant(way, ball, leg.window, floor=leg.floor, leg=leg.length, order=number)
        lift = wanted.lift + _rise(performance, ball[:, :2] + wanted.shift)
        turns, miss = bend(leg.table, posture, wanted.shift, lift, wanted.twist)
        keyed |= _needed(wanted, lift, leg.length) & performance.present
        bent.append(turns)
        slides.append(_slides(wanted, miss))
    keyed = _rounded_out(keyed)
    if not keyed.any():
        return None, Slides.joined(slides)
    clip = actions.new_clip(name, [], group="Feet")
    for leg, turns in zip(legs, bent, strict=True):
        for bone, own in zip(leg.bones, np.moveaxis(turns, 1, 0), strict=True):
            channels = _channels(walker.pose.bones[bone], performance.frames[keyed], own[keyed])
            actions.add_channels(clip, channels, group=bone)
    track = walker.animation_data.nla_tracks.new()
    track.name = _TRACK
    for first, last in _stretches(keyed):
        frames = performance.frames[first], performance.frames[last]
        actions.add_strip_of(track, name, clip, int(frames[0]), int(frames[1]))
    return clip.action, Slides.joined(slides)


def lower_body(legs: list[Leg], performance: Performance) -> Performance:
    """The same performance with the body so low on slopes that the lower of its planted feet reaches the ground."""
    if performance.ground is None or not legs:
        return performance
    drop = np.zeros(len(performance.frames))
    for leg in legs:
        posture = leg.table.posture(performance.share, performance.phase, np.zeros(len(drop)))
        stands = leg.window.holds(performance.phase) | (performance.share < STANDING_SHARE)
        drop = np.maximum(drop, np.where(stands, -_rise(performance, posture.joints[:, BALL, :2]), 0.0))
    if drop.max() <= _LEAST_SHIFT * max(leg.length for leg in legs):
        return performance
    half = max(1, round(_EASE * performance.fps))
    around = np.lib.stride_tricks.sliding_window_view(np.pad(drop, 2 * half, mode="edge"), 2 * half + 1)
    eased = np.lib.stride_tricks.sliding_window_view(around.max(axis=1), 2 * half + 1).mean(axis=1)
    return replace(performance, location=performance.location - eased[:, None] * (0.0, 0.0, 1.0))


def slides_of_clips(legs: list[Leg], performance: Performance, *, breath: Float64) -> Slides:
    """How far each planted foot slides over its contact when the clips alone move it [Blender units]."""
    slides = []
    for number, leg in enumerate(legs):
        posture = leg.table.posture(performance.share, performance.phase, breath)
        ball = posture.joints[:, BALL]
        wanted = plant(_way(performance), ball, leg.window, floor=leg.floor, leg=leg.length, order=number)
        slides.append(_slides(wanted, np.hypot(*wanted.shift.T)))
    return Slides.joined(slides)


def slide_figures(slides: Float64) -> dict[str, float | int]:
    """What a report says of the slides of feet, float64 (C,) [m]: how many contacts, mean and 99th percentile [cm]."""
    return {
        "foot_contacts": len(slides),
        "foot_slide_mean_cm": round(100.0 * float(slides.mean()), 3),
        "foot_slide_p99_cm": round(100.0 * float(np.percentile(slides, 99)), 3),
    }


def _way(performance: Performance) -> Way:
    return Way(
        performance.location[:, :2],
        performance.heading,
        performance.phase,
        performance.share,
        performance.present,
        performance.fps,
    )


def _rise(performance: Performance, feet: Float64) -> Float64:
    """How much higher the ground is under a foot than under the body [Blender units].

    Args:
        performance: what the agent does.
        feet: float64 (F, 2), places of the foot in the axes of the body.
    """
    if performance.ground is None:
        return np.zeros(len(feet))
    cos, sin = np.cos(performance.heading), np.sin(performance.heading)
    x, y = feet.T
    there = performance.location + np.column_stack([cos * x - sin * y, sin * x + cos * y, np.zeros(len(feet))])
    return performance.ground(there) - performance.location[:, 2]


def _needed(wanted: Correction, lift: Float64, length: float) -> NDArray[np.bool_]:
    off = np.maximum(np.hypot(*wanted.shift.T), np.abs(lift)) > _LEAST_SHIFT * length
    return off | (np.abs(wanted.twist) > _LEAST_TWIST)


def _slides(wanted: Correction, off: Float64) -> Slides:
    """The largest way off its place in each contact."""
    rows = np.flatnonzero(wanted.contact >= 0)
    rows = rows[np.lexsort((-off[rows], wanted.contact[rows]))]  # the worst row of each contact comes first
    _, first, length = np.unique(wanted.contact[rows], return_index=True, return_counts=True)
    worst = rows[first[length >= _SHORTEST_CONTACT]]
    return Slides(off[worst], worst)


def _rounded_out(keyed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Stretches with a margin, and joined where hardly anything lies between."""
    frames = np.flatnonzero(keyed)
    result = np.zeros_like(keyed)
    if not len(frames):
        return result
    splits = np.flatnonzero(np.diff(frames) > _LEAST_GAP) + 1
    for stretch in np.split(frames, splits):
        result[max(stretch[0] - _MARGIN, 0) : stretch[-1] + _MARGIN + 1] = True
    return result


def _stretches(keyed: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """First and last row of each stretch; one of a single frame has no length and is left out."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], keyed, [False]])))
    for first, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if end - first > 1:
            yield first, end - 1


def _channels(bone: bpy.types.PoseBone, frames: NDArray[np.int64], turns: Float64) -> Iterator[Channel]:
    """Rotations float64 (K, 4) as keys of a bone, in its own way to rotate."""
    path = f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"].'
    if bone.rotation_mode == "QUATERNION":
        for axis in range(4):
            yield Channel(f"{path}rotation_quaternion", axis, frames, turns[:, axis])
        return
    if bone.rotation_mode == "AXIS_ANGLE":
        angle = 2.0 * np.arccos(np.clip(turns[:, 0], -1.0, 1.0))
        size = np.linalg.norm(turns[:, 1:], axis=1)
        axes = np.where(size[:, None] > 1e-9, turns[:, 1:] / np.maximum(size, 1e-9)[:, None], (0.0, 1.0, 0.0))
        for axis, values in enumerate((angle, *axes.T)):
            yield Channel(f"{path}rotation_axis_angle", axis, frames, values)
        return
    angles = []
    for turn in turns.tolist():
        quaternion = Quaternion(turn)
        order = bone.rotation_mode
        angles.append(quaternion.to_euler(order, angles[-1]) if angles else quaternion.to_euler(order))
    for axis in range(3):
        yield Channel(f"{path}rotation_euler", axis, frames, [angle[axis] for angle in angles])
