# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns heads, necks and chests to what somebody looks at: few keys in a track that is combined with all others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np

from ....core.array_types import Bool, Float64
from ....core.geometry.reproducible_math import length, matrix_product
from ....core.motion.acting.cues import ONCE
from ....core.motion.acting.look_at import LOOK, glance_about, look_towards, needed_keys, wander_about
from ....core.motion.quaternions import about, about_z, inverse, quaternions, rotations_of, times
from ...blender_data import animation, nla_strips
from ...blender_data.bone_keys import BoneMotion, channels_of
from ...blender_data.bulk_clips import ClipWriter, Grouped
from ..legs.rest_in_world import rest_to_world
from ..performances import Performance
from ..retargeting.humanoids import Humanoid

_UP = np.array([0.0, 0.0, 1.0])
_TRACK = "Footfall look"
_WITHOUT = (*ONCE, "look_round_1")  # clips that move the head themselves


class LookingBones(NamedTuple):
    """The bones that turn when somebody looks at something.

    Attributes:
        names: of chest, neck and head, or of those of them that there are.
        shares: of the turn that each takes.
        axes: float64 (B, 3, 3), their axes at rest in the world.
        ahead: float64 (3,), where the body looks at rest.
        eyes: height of the eyes over the ground [Blender units].
    """

    names: tuple[str, ...]
    shares: tuple[float, ...]
    axes: Float64
    ahead: Float64
    eyes: float


def find_looking_bones(body: Humanoid, armature: bpy.types.Object, mover: bpy.types.Object) -> LookingBones | None:
    """Find the bones of a body that turn; None where it has no head.

    Args:
        body: of the armature.
        armature: a copy of the character's.
        mover: a copy of the object that moves it, at the world's origin; may be the same.
    """
    if not body.neck:
        return None
    *necks, head = body.neck
    shared = [(bone, LOOK.chest) for bone in body.spine[-1:]]
    shared += [(bone, LOOK.neck / len(necks)) for bone in necks]
    shared.append((head, 1.0 - sum(share for _, share in shared)))
    data: Any = armature.data
    to_world = np.array(rest_to_world(mover, armature), dtype=np.float64)[:3, :3]
    axes = [matrix_product(to_world, np.array(data.bones[bone].matrix_local)[:3, :3]) for bone, _ in shared]
    unit = rotations_of(np.stack(axes))
    eyes = float(body.rest.ends[head][0].z) + 0.5 * body.rest.length(head)
    names, shares = zip(*shared, strict=True)
    return LookingBones(names, shares, unit, body.ahead, eyes)


def plan_looks(
    bones: LookingBones, performances: Sequence[Performance], turned: Float64, lots: Float64, unit: float
) -> list[Float64 | None]:
    """Plan where people of one character look.

    Args:
        bones: of the character.
        performances: of the people, over the same frames.
        turned: float64 (A, F), how far to the left the clips turn their heads in which they only stand [rad].
        lots: float64 (A,), random numbers in [0, 1).
        unit: metres per Blender unit.

    Returns:
        For each float64 (F, 2), yaw and pitch of the head [rad]; None: it looks ahead all the time.
    """
    heading = np.stack([each.heading for each in performances])
    eyes = np.stack([each.location + bones.eyes * each.size * _UP for each in performances]) * unit
    free = np.stack([_free(each) for each in performances])
    target = np.stack([_wanted(each) for each in performances]) * unit
    target[~free] = np.nan
    companions = np.stack([_companion(each, bones.eyes) for each in performances]) * unit
    far = length(companions - eyes) > LOOK.reach
    companions[far] = np.nan
    acts = np.stack([_acts(each) for each in performances])
    idle = free & ~acts & np.isnan(target[..., 0]) & np.stack([each.present for each in performances])
    glances = glance_about(idle, companions, eyes, heading, fps=performances[0].fps, lot=lots)
    looks = np.isfinite(target[..., 0])
    off = wander_about(looks, fps=performances[0].fps, lot=lots)
    off[..., 0] -= np.where(looks, LOOK.held * turned, 0.0)
    angles = look_towards(eyes, heading, np.where(np.isnan(target), glances, target), performances[0].fps, off)
    return [own if np.abs(own).max() > LOOK.tolerance else None for own in angles]


def _wanted(performance: Performance) -> Float64:
    return performance.gaze if performance.gaze is not None else np.full(performance.location.shape, np.nan)


def _companion(performance: Performance, eyes: float) -> Float64:
    if performance.companion is None:
        return np.full(performance.location.shape, np.nan)
    return performance.companion + eyes * performance.size * _UP


def _acts(performance: Performance) -> Bool:
    found = np.zeros(len(performance.frames), dtype=bool)
    for each in performance.played:
        found[each.cue.rows] = True
    return found


def _free(performance: Performance) -> Bool:
    """Where no clip is played that moves the head itself."""
    found = np.ones(len(performance.frames), dtype=bool)
    for each in performance.played:
        if each.cue.act.partition("@")[0] in _WITHOUT:
            found[each.cue.rows] = False
    return found


def key_looks(
    walker: bpy.types.Object, bones: LookingBones, look: Float64, frames: Float64, name: str, writer: ClipWriter
) -> animation.Clip:
    """Make an Action that turns somebody's head.

    Args:
        walker: an armature of the character.
        bones: that turn.
        look: float64 (F, 2), yaw and pitch of the head [rad].
        frames: float64 (F,), frames of keys.
        name: of the Action.
        writer: makes it.
    """
    rows = needed_keys(look)
    yaw, pitch = look[rows].T
    share, up = np.array(bones.shares)[:, None], np.cross(bones.ahead, _UP)
    turn = times(about_z(share * yaw), about(up, share * pitch))
    rest = quaternions(bones.axes).T[..., None]
    turns = times(inverse(rest), times(turn, rest))  # (4, B, N)
    every = np.ones(len(rows), dtype=bool)
    motions = [BoneMotion(bone, turns[:, number]) for number, bone in enumerate(bones.names)]
    content = [Grouped(each.bone, list(channels_of(walker, each, frames[rows], every))) for each in motions]
    return writer.new_clip(name, content)


def put_looks_on(armature: bpy.types.Object, clip: animation.Clip, frames: Float64, name: str) -> None:
    """Add the strip of a name that turns a head to an armature, combined with what its tracks below play."""
    track = nla_strips.add_track(armature, _TRACK)
    first, last = float(frames[0]), max(float(frames[-1]), float(frames[0]) + 1.0)
    nla_strips.add_strip_of(track, name, clip, first, last)
    track.strips[0].blend_type = "COMBINE"
