# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the clips of a character blendable: the same rotation is written in the same way in all of them.

Strips are blended number by number. A quaternion and its negative are the same rotation, as are angles a whole turn
apart, and files have either; between them a bone would turn the long way round. A bone that a clip does not key would
stay as in the clip below, and somebody would stand with the feet of the walk: exporters leave out what does not move.
"""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np

from ....core.array_types import Float64
from ....core.geometry.reproducible_math import dot
from ...blender_data import animation
from ...blender_data.bone_keys import bone_in
from ...blender_data.curve_keys import sample_modifiers, scale_values
from ...blender_data.fcurves import Channel

_TURN = 2.0 * np.pi
_REST = {"rotation_quaternion": (1.0, 0.0, 0.0, 0.0), "rotation_euler": (0.0, 0.0, 0.0)}
_AT_REST = {**_REST, "location": (0.0, 0.0, 0.0), "scale": (1.0, 1.0, 1.0)}

_Changes = dict[tuple[str, int], tuple[float, float]]
"""Factor and what is added then, by data path and component."""


def make_blendable(clip: animation.Clip, model: animation.Clip, *, is_copy: bool) -> animation.Clip:
    """Return a clip that can be blended with another.

    Args:
        clip: the clip.
        model: the other, which stays as it is.
        is_copy: the clip belongs to the bake and is changed itself; otherwise a copy is.

    Returns:
        `clip`, where nothing had to be changed or it is a copy; otherwise a copy.
    """
    changes = _changes(_first_keys(clip), _first_keys(model))
    if not changes:
        return clip
    first, last = animation.clip_range(clip)
    changed = clip if is_copy else animation.copy_clip(clip)
    changed.action.pop(animation.KEYS, None)
    for curve in animation.curves_of(changed):
        change = changes.get((curve.data_path, curve.array_index))
        if change is not None:
            if curve.modifiers:
                sample_modifiers(curve, first, last)
            scale_values(curve, *change)
    return changed


def keyed_by(clips: Iterable[animation.Clip]) -> set[tuple[str, int]]:
    """Return data paths and components of what some clips key."""
    return {(curve.data_path, curve.array_index) for clip in clips for curve in animation.curves_of(clip)}


def find_unkeyed(clip: animation.Clip, keyed: set[tuple[str, int]], armature: bpy.types.Object) -> list[Channel]:
    """Return channels for the bones that others key and a clip does not: at rest.

    Not as they are posed now: that is what others have made of them, at the frame that is shown.

    Args:
        clip: the clip.
        keyed: by any of the clips with which it is blended, see `keyed_by`.
        armature: whose bones count.
    """
    own = {curve.data_path for curve in animation.curves_of(clip)}
    frames, found = np.array(animation.clip_range(clip)), []
    for path, axis in sorted(keyed):
        kind = path.rpartition(".")[2]
        if kind in _AT_REST and path not in own and (bone_in(path) or "") in armature.pose.bones:
            found.append(Channel(path, axis, frames, [_AT_REST[kind][axis]] * 2))
    return found


def _first_keys(clip: animation.Clip) -> dict[str, Float64]:
    """Return the first key of each rotation, by its data path; NaN for components without keys."""
    found: dict[str, Float64] = {}
    for curve, keys in animation.keys_of(clip):
        path: str = curve.data_path
        rest = _REST.get(path.rpartition(".")[2]) if path.startswith("pose.bones[") else None
        if rest is not None and keys.size and curve.array_index < len(rest):
            found.setdefault(path, np.full(len(rest), np.nan))[curve.array_index] = keys[0, 1]
    return found


def _changes(own: dict[str, Float64], others: dict[str, Float64]) -> _Changes:
    found: _Changes = {}
    for path, first in own.items():
        kind = path.rpartition(".")[2]
        beside = others.get(path, np.full(len(first), np.nan))
        beside = np.where(np.isnan(beside), _REST[kind], beside)  # what has no keys is at rest
        if kind == "rotation_quaternion":
            # a part of its components with the other sign would be another rotation; then the product is NaN
            if dot(first, beside) < 0.0:
                found |= {(path, axis): (-1.0, 0.0) for axis in range(4)}
            continue
        turns = np.nan_to_num(np.round((beside - first) / _TURN))
        found |= {(path, axis): (1.0, _TURN * turns[axis]) for axis in np.flatnonzero(turns).tolist()}
    return found
