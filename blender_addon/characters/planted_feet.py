# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys that keep the feet of a character planted, in an NLA track above its walk.

Only ranges of frames are keyed in which a foot would slide with the clips alone: in bends, and while a person starts or
stops. With the track muted, only the clips play.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import bpy
import numpy as np

from ...core.array_types import Bool, Float64, Int8
from ...core.geometry.ragged import runs_of
from ...core.geometry.reproducible_math import length
from ...core.motion.blending import WALKS
from ...core.motion.feet.body_motion import BodyMotion
from ...core.motion.feet.foot_planting import FootCorrection, plant
from ...core.motion.feet.landing import clear_the_ground, end_swings_where_feet_land
from ...core.motion.feet.reaching import (
    REACH,
    fade_near_contacts,
    find_folded,
    find_out_of_reach,
    keep_one_on_ground,
    lift_to_ground,
    sink_to_feet,
)
from ...core.motion.feet.step_faults import LENGTHS, SeenFoot, find_step_faults
from ...core.motion.feet.uncrossing import find_crossed, lead_round, uncross
from ...core.motion.legs import ANKLE, BALL, CONTACT, HIP, Move, blend_leg, too_far
from ...core.motion.pose_tables import Posture
from ...core.motion.windows import ease, spread
from ..blender_data import animation, nla_strips
from ..blender_data.bone_keys import BoneMotion, channels_of
from ..blender_data.bulk_clips import ClipWriter, Grouped
from .blends import Blend, unknown
from .legs.find import AnyLeg
from .legs.ground import UnderFeet, push_off_from
from .legs.slides import Slides, find_slides
from .performances import Performance, carried

_TRACK = "Footfall feet"


@dataclass(frozen=True)
class FootPlantingSettings:
    """When and how feet are corrected; all chosen by trial: planted feet stay within a centimetre.

    Attributes:
        least_shift: smaller corrections of a foot are left out, relative to the length of the leg.
        least_twist: smaller corrections of a foot's yaw, pitch and roll are left out [rad].
        least_lean: a smaller lean of the body needs no correction [rad].
        soft_reach: how much a leg off the ground may fall short of its target, relative to its length.
        stiffening: time before and after a contact over which that falls to zero [s].
        margin: frames before and after a corrected range.
        least_gap: shorter pauses between corrected ranges are corrected too [frames].
        slope_easing: time over which a body changes its vertical velocity on slopes and steps, to both sides [s].
        edge_easing: the same of a foot that is led over an edge [s].
    """

    least_shift: float = 0.008
    least_twist: float = 0.03
    least_lean: float = 0.008
    soft_reach: float = 0.05
    stiffening: float = 1.0 / 6.0
    margin: int = 2
    least_gap: int = 12
    slope_easing: float = 0.2
    edge_easing: float = 0.1


_SETTINGS = FootPlantingSettings()


class Steps(NamedTuple):
    """The planted feet of one agent.

    Attributes:
        performance: of the agent, with its body lowered as its feet need.
        keyed: bool (F,), the frames at which the clips need corrections.
        bones: motion of the bones of the legs over the frames; empty where nothing is corrected.
        slides: of its planted feet [Blender units].
        faults: of its feet, by their kinds, the worst and the row of it; see `step_faults` [Blender units, s].
    """

    performance: Performance
    keyed: Bool
    bones: list[BoneMotion]
    slides: Slides
    faults: dict[str, tuple[float, int]]


def plan_steps(
    legs: Sequence[AnyLeg],
    performances: Sequence[Performance],
    *,
    breath: Float64,
    plants: bool,
    blends: Sequence[Blend] = (),
) -> Iterator[Steps]:
    """Plan the feet of agents with the same legs, all at once.

    Args:
        legs: of the character.
        performances: of the agents, over the same frames.
        breath: float64 (A, F), cycles of the idle clip.
        plants: correct them; False: only measure how far they slide.
        blends: clips that are played over the walk, in their order.
    """
    if plants:
        performances = _carry_bodies(legs, performances, blends)
    motion = _body_motion(performances, blends)
    seated = np.stack([each.seated for each in performances])
    lean = np.stack([each.lean for each in performances])
    keyed = np.zeros(motion.heading.shape, dtype=bool)
    bent, slides, feet = [], [], []
    blended = [_blended(leg, motion, breath, blends, number) for number, leg in enumerate(legs)]
    seen = [each.meant if plants else each.posture.joints for each in blended]
    joints = [np.moveaxis(each[[BALL, CONTACT]], 1, -1).reshape(2, *keyed.shape, 3) for each in seen]
    ground = _under_feet(performances)
    planned = _plan_feet(legs, motion, joints, ground if plants else None)
    if not plants:
        slides += [find_slides(wanted, length(wanted.shift)) for wanted in planned]
    else:
        reach = partial(_reach, legs, blended, joints, ground, motion, lean)
        reached = reach(planned)
        free = np.where(motion.present & ~seated, 1.0 - motion.acted, 0.0)
        half, leg_length = _easing(_SETTINGS.slope_easing, motion.fps), max((leg.length for leg in legs), default=0.0)
        missing = [own.miss for own in reached]
        sunk = sink_to_feet(planned, missing, free, leg=leg_length, half=half)
        crossed = find_crossed([ball for ball, _ in joints], planned, leg=leg_length)
        aloft = [
            find_out_of_reach(foot, own.miss - sunk, motion.stands, leg=leg.length, folded=own.folded | crossed)
            for leg, foot, own in zip(legs, planned, reached, strict=True)
        ]
        held = keep_one_on_ground(planned, aloft, missing, (motion.gait <= WALKS) & (free > 0.0), leg=leg_length)
        sunk = sink_to_feet(planned, missing, free, leg=leg_length, half=half, held=held)
        if sunk.any() or any(each.any() for each in held):
            planned = _plan_feet(legs, motion, joints, ground, held)
            reached = reach(planned, sunk)
            performances = carried(performances, -sunk)
        for number, (leg, wanted, own) in enumerate(zip(legs, planned, reached, strict=True)):
            needed = _needed(wanted, own, blended[number], lean, leg.length)
            keyed |= needed & motion.present & ~unknown(blends, number, keyed.shape)
            bent += [each.shaped(keyed.shape) for each in own.moved]
            slides.append(find_slides(wanted, own.miss))
            feet.append(SeenFoot.of(blended[number].posture, wanted, joints[number][0], leg.stance.height(motion.gait)))
    faults = find_step_faults(motion, feet, leg=legs[0].length, seated=seated) if feet else {}
    for agent, performance in enumerate(performances):
        own = Slides.joined([each[agent] for each in slides])
        own = own._replace(length=own.length * performance.size)
        worst = {kind: each.of(agent, performance.size if kind in LENGTHS else 1.0) for kind, each in faults.items()}
        yield Steps(performance, _extended(keyed[agent]), [each.of(agent) for each in bent], own, worst)


class _Blended(NamedTuple):
    """A leg at all A F moments, in the clips as they are blended.

    Attributes:
        posture: as it is seen, but that its foot is turned as if it went straight from clip to clip.
        astray: float64 (3, A F), from its ankle to where it would be then; legs are bent so that it is there.
    """

    posture: Posture
    astray: Float64

    @property
    def meant(self) -> Float64:
        """Float64 (J, 3, A F), its joints, with those of the foot where they are to be."""
        joints = self.posture.joints.copy()
        joints[ANKLE:] += self.astray
        return joints


class _Reached(NamedTuple):
    """How a leg reaches its planned foot.

    Attributes:
        moved: motion of its bones.
        lift: float64 (A, F), of the foot.
        tilt: float64 (A, F, 2), of the foot with the ground.
        miss: float64 (A, F), what is missing.
        folded: bool (A, F), as of `find_out_of_reach`.
    """

    moved: list[BoneMotion]
    lift: Float64
    tilt: Float64
    miss: Float64
    folded: Bool


def _plan_feet(
    legs: Sequence[AnyLeg],
    motion: BodyMotion,
    joints: Sequence[Float64],
    ground: UnderFeet | None,
    held: Sequence[Int8] = (),
) -> list[FootCorrection]:
    """Plan the feet of legs whose balls and points of contact are float64 (2, A, F, 3) each.

    Args:
        legs: of the character.
        motion: of the agents.
        joints: of each leg.
        ground: under the agents, off whose edges feet are kept; None: their feet are not corrected.
        held: int8 (A, F) of each leg, where its foot stands or is in the air in any case; empty: nowhere.
    """
    planned = []
    for number, (leg, (ball, contact)) in enumerate(zip(legs, joints, strict=True)):
        given = {"leg": leg.length, "order": number, "held": held[number] if held else None}
        roll, other = (contact - ball)[..., :2], legs[1 - number].stance if len(legs) == 2 else None
        planned.append(plant(motion, ball, leg.stance, roll=roll, other=other, **given))
    if ground is None or not legs:
        return planned
    planned = uncross(motion, [ball for ball, _ in joints], planned, leg=legs[0].length)
    for number, (leg, (ball, _)) in enumerate(zip(legs, joints, strict=True)):
        foot = ground.keep_off_risers(motion, ball, planned[number], leg)
        heights = ground.heights_of_contacts(motion, ball, foot)
        planned[number] = end_swings_where_feet_land(motion, ball, foot, heights, leg=leg.length)
    planned = lead_round(motion, [ball for ball, _ in joints], planned, leg=legs[0].length)
    return [
        clear_the_ground(motion, ball, foot, leg.stance, leg=leg.length)
        for leg, foot, (ball, _) in zip(legs, planned, joints, strict=True)
    ]


def _reach(
    legs: Sequence[AnyLeg],
    blended: Sequence[_Blended],
    joints: Sequence[Float64],
    ground: UnderFeet,
    motion: BodyMotion,
    lean: Float64,
    planned: Sequence[FootCorrection],
    sunk: Float64 | float = 0.0,
) -> list[_Reached]:
    """Bend legs so that their feet are where they were planned, under bodies that have sunk."""
    found = []
    for leg, (posture, astray), (ball, contact), wanted in zip(legs, blended, joints, planned, strict=True):
        lift = lift_to_ground(leg.stance, contact[..., 2], wanted, leg=leg.length)
        feet = ball[..., :2] + wanted.shift
        half = _easing(_SETTINGS.edge_easing, motion.fps)
        rise = ground.rise_of_steps(motion, feet, wanted, leg, half=half)
        soles, shift = (
            ground.lay_soles(motion, feet, wanted.planted, leg, wanted.twist),
            wanted.shift.reshape(-1, 2) + astray[:2].T,
        )
        soles = push_off_from(rise, feet, soles, leg, posture.joints, shift.T)
        lift = lift + rise + soles.lift + sunk
        stiffening = max(1, round(_SETTINGS.stiffening * motion.fps))
        soft = _SETTINGS.soft_reach * fade_near_contacts(wanted.planted, stiffening)
        up = lift.ravel() + astray[2]
        move = Move(shift, up, wanted.twist.ravel(), lean.ravel(), soft.ravel(), soles.tilt.reshape(-1, 2))
        moved, miss = leg.reach(posture, move)
        hip_to_ankle = posture.joints[ANKLE] - posture.joints[HIP] + np.stack([*shift.T, up])
        folded = find_folded(lift - sunk, length(hip_to_ankle.T).reshape(lift.shape), leg=leg.length)
        found.append(_Reached(moved, lift, soles.tilt, miss.reshape(lift.shape), folded))
    return found


def key_feet(walker: bpy.types.Object, steps: Steps, name: str, writer: ClipWriter) -> animation.Clip | None:
    """Make an Action that corrects the legs of a character where needed.

    Args:
        walker: an armature of the character.
        steps: of the agent.
        name: of the Action.
        writer: that makes it.

    Returns:
        The Action; None where the clips need no correction.
    """
    keyed = steps.keyed
    if not keyed.any() or not steps.bones:
        return None
    frames = steps.performance.frames
    content = [Grouped(motion.bone, list(channels_of(walker, motion, frames, keyed))) for motion in steps.bones]
    return writer.new_clip(name, content)


def put_feet_on(walker: bpy.types.Object, steps: Steps, clip: animation.Clip, name: str) -> None:
    """Add the strips that correct the legs of an armature.

    Args:
        walker: the armature, with its walk assigned.
        steps: as for `key_feet`.
        clip: made by `key_feet`.
        name: of the strips.
    """
    frames = steps.performance.frames
    track = nla_strips.add_track(walker, _TRACK)
    for first, last in _ranges(steps.keyed):
        nla_strips.add_strip_of(track, name, clip, frames[first], frames[last])


def _carry_bodies(
    legs: Sequence[AnyLeg], performances: Sequence[Performance], blends: Sequence[Blend]
) -> list[Performance]:
    """Carry bodies from foothold to foothold, as low as legs need to reach the ground with planted feet."""
    if not legs or all(each.ground is None for each in performances):
        return list(performances)
    motion, ground = _body_motion(performances, blends), _under_feet(performances)
    breath = np.zeros(motion.heading.shape)
    joints = [_blended(leg, motion, breath, blends, number).meant for number, leg in enumerate(legs)]
    feet = [each[BALL, :2].T.reshape(*breath.shape, 2) for each in joints]
    half = _easing(_SETTINGS.slope_easing, motion.fps)
    off = ground.carry(motion, legs, feet, half=half)
    seated = np.stack([each.seated for each in performances])
    off *= 1.0 - ease(spread((seated | ~motion.present).astype(np.float64), 2 * half), half)
    ground = ground._replace(height=ground.height + off * ground.size[:, None])
    drop = np.zeros_like(breath)
    for leg, own, places in zip(legs, joints, feet, strict=True):
        stands = leg.stance.holds(motion.phase, motion.gait) | motion.stands
        tilt, raised = ground.lay_soles(motion, places, stands, leg)
        lift = ground.rise(motion, places) + raised
        far = too_far(own, lift.ravel(), tilt.reshape(-1, 2), leg.length).reshape(drop.shape)
        carries = motion.stands | (stands & (places[..., 0] > 0.0))  # legs behind push off from their toes
        drop = np.maximum(drop, np.where(carries, far, 0.0))
    leg = max(leg.length for leg in legs)
    off -= ease(spread(np.minimum(drop, REACH.deepest * leg), half), half)
    return carried(performances, off, _SETTINGS.least_shift * leg)


def _easing(time: float, fps: float) -> int:
    """Return over how many frames to both sides a vertical velocity changes within a time to both sides [s]."""
    return max(1, round(time * fps / 2))


def _blended(leg: AnyLeg, motion: BodyMotion, breath: Float64, blends: Sequence[Blend], number: int) -> _Blended:
    posture = leg.table.posture(motion.gait.ravel(), motion.phase.ravel(), breath.ravel())
    frames, astray = motion.gait.shape[1], np.zeros((3, motion.gait.size))
    for blend in blends:
        table = blend.tables[number]
        if table is not None:
            seen = table.posture(np.full(len(blend.rows), WALKS), blend.phase, np.zeros(len(blend.rows)))
            blend_leg(posture, astray, seen, blend.agent * frames + blend.rows, blend.weight)
    return _Blended(posture, astray)


def _under_feet(performances: Sequence[Performance]) -> UnderFeet:
    height = np.stack([each.location[:, 2] for each in performances])
    return UnderFeet([each.ground for each in performances], height, np.array([each.size for each in performances]))


def _body_motion(performances: Sequence[Performance], blends: Sequence[Blend]) -> BodyMotion:
    """Return the motion of bodies in units of their size."""
    acted = np.zeros((len(performances), len(performances[0].gait)))
    for blend in blends:
        acted[blend.agent, blend.rows] = np.maximum(acted[blend.agent, blend.rows], blend.weight)
    return BodyMotion(
        np.stack([each.location[:, :2] / each.size for each in performances]),
        np.stack([each.heading for each in performances]),
        np.stack([each.phase for each in performances]),
        np.stack([each.gait for each in performances]),
        np.stack([each.present for each in performances]),
        performances[0].fps,
        acted,
    )


def _needed(wanted: FootCorrection, reached: _Reached, blended: _Blended, lean: Float64, leg: float) -> Bool:
    moved = np.maximum(length(wanted.shift), np.abs(reached.lift)) + length(blended.astray.T).reshape(lean.shape)
    turns = np.maximum(np.abs(wanted.twist), np.abs(reached.tilt).max(axis=-1))
    off = (moved > _SETTINGS.least_shift * leg) | (turns > _SETTINGS.least_twist)
    return off | (np.abs(lean) > _SETTINGS.least_lean)


def _extended(keyed: Bool) -> Bool:
    """Extend corrected ranges by a margin, and join those with short gaps."""
    frames = np.flatnonzero(keyed)
    result = np.zeros_like(keyed)
    if not len(frames):
        return result
    splits = np.flatnonzero(np.diff(frames) > _SETTINGS.least_gap) + 1
    for span in np.split(frames, splits):
        result[max(span[0] - _SETTINGS.margin, 0) : span[-1] + _SETTINGS.margin + 1] = True
    return result


def _ranges(keyed: Bool) -> Iterator[tuple[int, int]]:
    """Yield first and last row of each range; one of a single frame has no length and is left out."""
    for first, end in runs_of(keyed).tolist():
        if end - first > 1:
            yield first, end - 1
