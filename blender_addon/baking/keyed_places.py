# SPDX-License-Identifier: GPL-3.0-or-later
"""Where an object is keyed to be, frame by frame."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from . import actions


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
