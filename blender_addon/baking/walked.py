# SPDX-License-Identifier: GPL-3.0-or-later
"""Where everybody walked, read back from the keys of a bake: the file is the record, whoever made it and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..reading import Reading
from . import actions
from .casting import Role
from .ownership import MADE_AS, TAG, owned_objects

Float64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Walked:
    """What a bake has put into the file.

    Attributes:
        position: float64 (F, A, 3) for all frames and agents of the core's scene [m]; NaN where somebody is not seen,
            or belongs to a crowd of another bake.
        agents: number of the agent by the identity of its crowd and the first name of its character.
    """

    position: Float64
    agents: dict[tuple[str, str], int]

    def agent_of(self, baked: bpy.types.Object | None) -> int | None:
        """The agent that an object, or what it hangs on, plays; None when it plays none."""
        while baked is not None:
            agent = self.agents.get((baked.get(TAG, ""), baked.get(MADE_AS, "")))
            if agent is not None:
                return agent
            baked = baked.parent
        return None


def read_walked(scene: bpy.types.Scene, reading: Reading) -> Walked:
    """Read where everybody walked.

    Args:
        scene: with its bakes.
        reading: from which they were made; crowds that were baked from another one are left out.
    """
    crowds: Any = scene.footfall.crowds  # pyright: ignore[reportAttributeAccessIssue]
    frames = np.arange(reading.scene.frames[0], reading.scene.frames[1] + 1)
    position = np.full((len(frames), sum(crowd.count for crowd in reading.scene.crowds), 3), np.nan)
    agents: dict[tuple[str, str], int] = {}
    first = 0
    for read, core in zip(reading.crowds, reading.scene.crowds, strict=True):
        crowd = crowds[read.index]
        if crowd.baked == reading.fingerprint:
            titles = {Role(read.name, number, core.count).title: first + number for number in range(core.count)}
            for each in owned_objects(scene, crowd.uid):
                agent = titles.get(each[MADE_AS])
                if agent is not None:
                    agents[crowd.uid, each[MADE_AS]] = agent
                    position[:, agent] = _places(each, frames) * reading.unit
        first += core.count
    return Walked(position, agents)


def _places(mover: bpy.types.Object, frames: NDArray[np.int64]) -> Float64:
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
