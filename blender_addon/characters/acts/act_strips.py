# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts the clips that somebody plays besides walking on an armature: strips in two tracks above the walk.

Clips that follow each other lie in turns in the lower and the upper track, so that one is blended over the other: the
upper one appears over the lower one, or disappears from the next one, which has begun under it. What only arms do for
a moment lies in a third track.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import bpy
import numpy as np

from ....core.array_types import Float64
from ...blender_data import nla_strips
from ..performances import PlayedClip

TRACKS, _ARMS = ("Footfall acts", "Footfall acts (upper)"), "Footfall arms"
"""Names of the tracks, from the bottom up."""


def put_acts_on(
    armature: bpy.types.Object, played: Sequence[PlayedClip], frames: Float64, arms: Sequence[PlayedClip] = ()
) -> None:
    """Add the strips of clips to an armature.

    Args:
        armature: one with the strips of its walk.
        played: in their order.
        frames: float64 (F,), frames of keys.
        arms: what arms play over them.
    """
    follows = [
        False,
        *(before.cue.covered > 0 and before.cue.last >= each.cue.first for before, each in pairwise(played)),
    ]
    tracks = [nla_strips.add_track(armature, name) for name in TRACKS[: min(len(played), 2)]]
    for number, (each, follows_one) in enumerate(zip(played, follows, strict=True)):
        cue, is_upper = each.cue, number % 2 == 1
        rise = 0 if follows_one and not is_upper else cue.fade_in
        fall = cue.covered if is_upper and cue.covered else cue.fade_out
        _add(tracks[number % 2], each, frames, rise, fall)
    if arms:
        above = nla_strips.add_track(armature, _ARMS)
        for each in arms:
            _add(above, each, frames, each.cue.fade_in, each.cue.fade_out)


def _add(track: bpy.types.NlaTrack, played: PlayedClip, frames: Float64, rise: int, fall: int) -> None:
    cue, length = played.cue, played.clip.length
    ends = np.array([0, len(played.phase) - 1])
    if not played.is_cycle:
        over = int(np.searchsorted(played.phase, played.phase[-1]))  # the first row at which the clip has ended
        ends = np.unique([0, max(over - 1, 0), over, ends[1]])  # and the last at its pace, for which feet are planned
    fades = [(cue.first, 0.0), (cue.first + rise, cue.most)] if rise else []
    fades += [(cue.last - fall, cue.most), (cue.last, 0.0)] if fall else []
    if not fades and cue.most < 1.0:
        fades = [(cue.first, cue.most)]
    rows = np.array([row for row, _ in fades], dtype=np.int64)
    nla_strips.add_blended(
        track,
        played.clip.name,
        played.clip.clip,
        length=length,
        is_cycle=played.is_cycle,
        time=(frames[cue.first + ends], played.phase[ends] * length),
        influence=(frames[rows], np.array([value for _, value in fades])),
    )
