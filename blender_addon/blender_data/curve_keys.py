# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys that are there already: what they move, where they put an object, and how they are made plain."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from . import animation as actions


def keyed_places(mover: bpy.types.Object, frames: NDArray[np.int64]) -> NDArray[np.float64]:
    """Float64 (F, 3), where an object is keyed to be [Blender units]; NaN while it is hidden."""
    places = np.tile(np.array(mover.location, dtype=np.float64), (len(frames), 1))
    clip = actions.active_clip(mover.animation_data)
    for curve, keys in actions.keys_of(clip) if clip is not None else ():
        at, values = keys[0, 0::2], keys[0, 1::2]
        if curve.data_path == "location":
            places[:, curve.array_index] = np.interp(frames, at, values)
        elif curve.data_path == "hide_viewport":
            held = np.clip(np.searchsorted(at, frames, side="right") - 1, 0, len(at) - 1)
            places[values[held] > 0.5] = np.nan
    return places


Paths = dict[tuple[int, int | None], frozenset[str]]
"""What clips move, by the identities of their Actions and slots."""


def animated_paths(animation: bpy.types.AnimData | None, known: Paths | None = None) -> set[str]:
    """Data paths of what keys and drivers move.

    Args:
        animation: of an object.
        known: takes up what clips move, for others who play them too; as long as nothing is changed.
    """
    known = {} if known is None else known
    clips = [clip for clip in (actions.active_clip(animation), *actions.clips_in_strips(animation)) if clip is not None]
    drivers = animation.drivers if animation is not None else ()
    return {curve.data_path for curve in drivers}.union(*(_paths_of(clip, known) for clip in clips))


def _paths_of(clip: actions.Clip, known: Paths) -> frozenset[str]:
    who = clip.action.session_uid, clip.slot.handle if clip.slot is not None else None
    if who not in known:
        known[who] = frozenset([curve.data_path for curve in actions.curves_of(clip)])
    return known[who]


def sample_modifiers(curve: bpy.types.FCurve, first: float, last: float) -> None:
    """Turn a curve with modifiers, which hang on absolute time, into plain keys at whole frames."""
    frames = np.append(np.arange(first, last), last)
    values = [curve.evaluate(frame) for frame in frames]
    for modifier in list(curve.modifiers):
        curve.modifiers.remove(modifier)
    curve.keyframe_points.clear()
    actions.write_keys(curve, frames, values)


def free_handles(curve: bpy.types.FCurve) -> None:
    """Keep the handles of a curve where they are: automatic ones would lie otherwise once its slope has changed."""
    for point in curve.keyframe_points:
        point.handle_left_type = point.handle_right_type = "FREE"
