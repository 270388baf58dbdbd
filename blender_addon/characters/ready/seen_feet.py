# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks at the feet of a character that was just made, as it will be seen, whether they were planted or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ....core.array_types import Float64, Int64
from ....core.geometry.ragged import runs_of
from ....core.geometry.reproducible_math import cos_sin
from ....core.motion.blending import WALKS
from ....core.motion.feet.footwork import Footwork, judge_footwork
from ....core.motion.windows import spread
from ...blender_data.evaluation import evaluation_scene, key_frames_per_frame
from ..clips.seen_joints import joints_of, read_joints
from ..clips.shin_ends import ShinEnd, bone_or_end, keep_shin_ends
from ..legs.bone_legs import LEG_SEARCH, Leg, RestPose, leg_bones
from ..legs.find import AnyLeg
from ..legs.rest_in_world import rest_to_world
from ..performances import Performance
from ..retargeting.humanoids import recognised_parts
from ..templates import Template
from .held_feet import HeldPoses
from .seen_soles import SeenSoles, look_at_soles


@dataclass(frozen=True)
class LookSettings:
    """At which frames feet are looked at; chosen.

    Attributes:
        least_speed: of the body [m/s].
        fastest_gait: faster ones are running, where both feet are off the ground at times;
        settled: as they are, between strides of both, up to so long before and after it [s].
        fewest: frames in a row; of fewer nothing is said.
        most: frames in a row.
    """

    least_speed: float = 0.5
    fastest_gait: float = WALKS
    settled: float = 1.0
    fewest: int = 24
    most: int = 60


_LOOK = LookSettings()
_FEWEST_LEGS = 2


def frames_to_look_at(performance: Performance, unit: float) -> slice | None:
    """Return the rows of the first long stretch in which somebody walks, or None.

    Args:
        performance: what it does.
        unit: metres per Blender unit.
    """
    walks = performance.speed(unit) > _LOOK.least_speed
    runs = (performance.gait > _LOOK.fastest_gait).astype(np.float64)
    walks &= performance.present & (spread(runs[None], round(_LOOK.settled * performance.fps))[0] == 0.0)
    first, last = max(runs_of(walks).tolist(), key=lambda run: min(run[1] - run[0], _LOOK.most), default=(0, 0))
    return slice(first, min(last, first + _LOOK.most)) if last - first >= _LOOK.fewest else None


@keep_shin_ends()
def look_at_feet(
    copies: Sequence[bpy.types.Object],
    template: Template,
    performance: Performance,
    rows: slice,
    scene: bpy.types.Scene,
) -> tuple[Footwork, SeenSoles | None] | None:
    """Judge the feet of a character by its evaluated joints, or soles over which ankles roll, and soles by its meshes.

    Args:
        copies: its objects, with all their animation.
        template: of the character.
        performance: what it does.
        rows: frames to look at, from `frames_to_look_at`.
        scene: provides frame rate, units and Time Remapping.

    Returns:
        The judgements, in Blender units; None where it has no legs.
    """
    number = template.walker
    if number is None:
        armatures = [k for k, part in enumerate(copies) if part.type == "ARMATURE"]
        number = next((k for k in armatures if leg_bones(copies[k], RestPose.of(copies[k], copies[0]))), None)
    if number is None or (template.walk is not None and not template.walk.steps):
        return None
    frames = np.round(performance.frames[rows] / key_frames_per_frame(scene)).astype(int).tolist()
    feet = find_feet(copies[number], copies[0], template.legs)
    with evaluation_scene(scene) as evaluation:
        rolled = {bone: own for leg in template.legs if isinstance(leg, Leg) for bone, own in leg.sole.items()}
        points = read_joints(map(evaluation.watch(copies[0], copies[number]), frames), rolled)
        joints = points.shape[1] - sum(map(len, rolled.values()))
        foot_of = _numbered(copies[number], copies[0], joints, feet)
        if foot_of is not None:
            begin = [foot_of[copies[number].pose.bones.find(bone)] for bone in rolled]
            foot_of[np.isin(foot_of, begin)] = -1  # joints over a sole may stand while it slides
            foot_of = np.append(foot_of, np.repeat(begin, [len(own) for own in rolled.values()]))
        judged = judge_footwork(points, performance.location[rows], performance.heading[rows], foot_of=foot_of)
        if judged is None:
            return None
        names = [
            {bone.name for bone in (foot, *foot.children_recursive)}
            | ({foot.parent.name} if isinstance(foot, ShinEnd) else set())
            for foot in feet
        ]
        soles = look_at_soles(evaluation, copies, copies[number], names, performance, rows, frames)
    return judged, soles


def look_at_poses(template: Template, held: HeldPoses, performance: Performance, rows: slice) -> Footwork | None:
    """Judge the feet of somebody who is shown in still poses.

    Args:
        template: of the character.
        held: how its poses are sheared.
        performance: what it does.
        rows: frames to look at, from `frames_to_look_at`.

    Returns:
        The judgement, in Blender units; None where it has no clips with steps.
    """
    if template.walker is None or template.clips is None or not template.clips.walk.steps:
        return None
    points = held.shown(performance.phase[rows], performance.gait[rows])
    location, heading = performance.location[rows], performance.heading[rows]
    placed = _placed(points * performance.size, location, heading)
    foot_of = feet_of_joints(template.parts[template.walker], template.parts[0], points.shape[1], template.legs)
    return judge_footwork(placed, location, heading, foot_of=foot_of)


def feet_of_joints(
    armature: bpy.types.Object, mover: bpy.types.Object, count: int, legs: Sequence[AnyLeg] = ()
) -> Int64 | None:
    """Return which foot each of so many points of `read_joints` belongs to, -1: none; None where no two are found.

    Args:
        armature: of the character.
        mover: the object that moves it.
        count: of the points.
        legs: that were found in its clips; of none of these, its rest pose shows feet.
    """
    return _numbered(armature, mover, count, find_feet(armature, mover, legs))


def _numbered(armature: bpy.types.Object, mover: bpy.types.Object, count: int, feet: Sequence[Any]) -> Int64 | None:
    """Return the same of feet from `find_feet`."""
    if not feet:
        return None
    rest, to_world = RestPose.of(armature, mover), rest_to_world(mover, armature)
    places = [rest.ends[foot.name][0] for foot in feet]
    near = LEG_SEARCH.same_place * rest.height  # control rigs have several bones for one foot
    numbers = [
        next((other for other, its in enumerate(places[:last]) if (its - place).length <= near), last)
        for last, place in enumerate(places)
    ]
    if len(set(numbers)) < _FEWEST_LEGS:  # feet that stand close, beside bones that reach far
        numbers = list(range(len(feet)))
    found_feet = np.full(count, -1)
    for number, foot in zip(numbers, feet, strict=True):
        own = joints_of(armature, {bone.name for bone in (foot, *foot.children_recursive)}, to_world)[:count]
        found_feet[: len(own)][own] = number
    return found_feet


def find_feet(armature: bpy.types.Object, mover: bpy.types.Object, legs: Sequence[AnyLeg] = ()) -> list[Any]:
    """Return the bones of feet, and ends of shins that stand for such; arguments as of `feet_of_joints`."""
    data: Any = armature.data
    to_world = rest_to_world(mover, armature)
    feet = [bone_or_end(armature, leg.bones[-1], to_world) for leg in legs if isinstance(leg, Leg)]
    if len(feet) < _FEWEST_LEGS:
        feet = [leg[-1] for leg in leg_bones(armature, RestPose.of(armature, mover))]
    if len(feet) < _FEWEST_LEGS:  # of short legs the names say more
        found = recognised_parts(armature)
        feet = [data.bones[found[part]] for part in ("foot_l", "foot_r") if part in found]
    return feet if len(feet) >= _FEWEST_LEGS else []


def _placed(points: Float64, location: Float64, heading: Float64) -> Float64:
    """Return joints (T, P, 3) of a body that looks along +X where it is and as it looks."""
    cos, sin = (each[:, None] for each in cos_sin(heading))
    x, y, z = np.moveaxis(points, 2, 0)
    return np.stack([cos * x - sin * y, sin * x + cos * y, z], axis=2) + location[:, None]
