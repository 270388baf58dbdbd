# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads existing keys: the properties that they animate and the locations of an object; and simplifies curves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.array_types import Float64
from . import animation, fcurves
from .nla_strips import played_clips


def keyed_places(mover: bpy.types.Object, frames: NDArray[Any]) -> Float64:
    """Return the keyed locations of an object at frames of keys, float64 (F, 3) [Blender units]; NaN while hidden."""
    places = np.tile(np.array(mover.location, dtype=np.float64), (len(frames), 1))
    clip = animation.active_clip(mover.animation_data)
    for curve, keys in animation.keys_of(clip) if clip is not None else ():
        at, values = keys[0, 0::2], keys[0, 1::2]
        if curve.data_path == "location":
            places[:, curve.array_index] = np.interp(frames, at, values)
        elif curve.data_path == "hide_viewport":
            held = np.clip(np.searchsorted(at, frames, side="right") - 1, 0, len(at) - 1)
            places[values[held] > 0.5] = np.nan
    return places


Paths = dict[tuple[int, int | None], frozenset[str]]
"""Data paths that clips animate, by the identities of their Actions and slots."""


def animated_paths(data: bpy.types.AnimData | None, known: Paths | None = None) -> set[str]:
    """Return the data paths that keys and drivers move, each also with the component: `location` and `location[2]`.

    Args:
        data: animation data of an object.
        known: cache of the data paths of clips, valid until anything is changed.
    """
    known = {} if known is None else known
    drivers = data.drivers if data is not None else ()
    return set(_places_of(drivers)).union(*(_paths_of(clip, known) for clip in played_clips(data)))


def _paths_of(clip: animation.Clip, known: Paths) -> frozenset[str]:
    key = clip.action.session_uid, clip.slot.handle if clip.slot is not None else None
    if key not in known:
        known[key] = frozenset(_places_of(animation.curves_of(clip)))
    return known[key]


def _places_of(curves: Iterable[bpy.types.FCurve]) -> Iterator[str]:
    """Yield the data path of each curve, and the same with its component."""
    for curve in curves:
        yield curve.data_path
        yield f"{curve.data_path}[{curve.array_index}]"


def sample_modifiers(curve: bpy.types.FCurve, first: float, last: float) -> None:
    """Replace the modifiers of a curve, which depend on absolute time, by keys at whole frames."""
    frames = np.append(np.arange(first, last), last)
    replace_keys(curve, frames, np.array([curve.evaluate(frame) for frame in frames]))


def replace_keys(curve: bpy.types.FCurve, frames: Float64, values: Float64) -> None:
    """Replace keys and modifiers of a curve by keys at frames float64 (N,)."""
    for modifier in list(curve.modifiers):
        curve.modifiers.remove(modifier)
    curve.keyframe_points.clear()
    fcurves.write_keys(curve, frames, values)


def free_handles(curve: bpy.types.FCurve) -> None:
    """Make the handles of a curve free: automatic ones would move when its slope changes."""
    for point in curve.keyframe_points:
        point.handle_left_type = point.handle_right_type = "FREE"


def scale_values(curve: bpy.types.FCurve, factor: float, added: float) -> None:
    """Multiply the values of all keys of a curve by a factor, and add a number then."""
    keys = fcurves.read_handles(curve)
    keys[:, 1::2] = factor * keys[:, 1::2] + added
    fcurves.write_handles(curve, keys)
