# SPDX-License-Identifier: GPL-3.0-or-later
"""Which clips of the user's show what a character does besides walking: by their names, and sitting by its motion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

import bpy
import numpy as np

from ....core.motion.acting.cues import SIT
from ...blender_data import animation
from ..clips.act_names import name_of_variant, read_act_name
from ..clips.clip_search import clips_of_file, fitting
from ..clips.skeletons import Skeleton
from ..retargeting.humanoids import Humanoid, find_body

_SEATED = 0.25  # hips of who sits move less than this, as a share of the leg; who sits down lowers them by half; chosen
_MOMENTS = 12  # of a clip that are looked at; chosen


def own_acts(
    armature: bpy.types.Object, chosen: Iterable[tuple[str, animation.Clip | None]], body: Humanoid | None
) -> dict[str, animation.Clip]:
    """Return the user's clips for what a character does besides walking: those chosen, or those whose names say so.

    Args:
        armature: of the character.
        chosen: roles and clips that the user has chosen.
        body: of the character, to which clips that were added for others can be adapted; None: not a human body.
    """
    fits, wanted = fitting(armature), dict(chosen)
    found = {name_of_variant(role, 1): clip for role, clip in wanted.items() if clip is not None}
    numbers = Counter[str]()
    for clip in sorted(clips_of_file(), key=lambda each: each.action.name):
        role = read_act_name(clip.action.name)
        if not role or role in wanted:
            continue
        skeleton, its = None, body
        if not fits(clip):
            skeleton = Skeleton.stored_with(clip.action) if body is not None else None
            its = find_body(skeleton, skeleton.world) if skeleton is not None else None
            if its is None:
                continue
        if role == SIT and its is not None and _sits_down(clip, skeleton or Skeleton.of(armature), its):
            continue
        numbers[role] += 1
        found.setdefault(name_of_variant(role, numbers[role]), clip)
    return found


def _sits_down(clip: animation.Clip, skeleton: Skeleton, body: Humanoid) -> bool:
    """Whether somebody sits down in a clip, or rises: played again and again on a seat, that would be squats.

    Args:
        clip: whose name says that somebody sits.
        skeleton: for which it was made.
        body: of that skeleton.
    """
    bones = {bone.name: bone for bone in skeleton.bones}
    leg = [bones[body.bones[f"{part}.L"]] for part in ("thigh", "shin", "foot")]
    carriers = Skeleton(tuple(reversed(leg[0].lineage)), skeleton.world)
    places = carriers.pose(clip, np.linspace(*animation.clip_range(clip), _MOMENTS))[-1, :, :3, 3]
    long = sum(float(np.linalg.norm(end.matrix[:3, 3] - begin.matrix[:3, 3])) for begin, end in pairwise(leg))
    return bool(np.linalg.norm(np.ptp(places, axis=0)) > _SEATED * long)
