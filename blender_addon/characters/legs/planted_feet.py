# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys that keep the feet of a character where they were set down, in an NLA track above its walk.

Only those stretches are keyed in which the clips alone would drag a foot along: in bends, and while somebody walks off
or comes to a stand. Muted, the track shows what the clips do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import bpy
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from ....core.motion.foot_planting import PLANTING, BodyMotion, FootCorrection, plant
from ....core.motion.legs import BALL, Move
from ....core.motion.pose_tables import Posture
from ...blender_data import animation, nla_strips
from ...blender_data.bone_keys import BoneMotion, channels_of
from ...blender_data.bulk_clips import ClipWriter, Grouped
from ..performances import Performance
from .ik_legs import AnyLeg

Float64 = NDArray[np.float64]
Bool = NDArray[np.bool_]

_TRACK = "Footfall feet"
_LEAST_SHIFT, _LEAST_TWIST = 0.008, 0.03  # of the leg, [rad]: what is less is left to the clips
_LEAST_LEAN = 0.008  # [rad]
_YIELDING, _STIFFENS = 0.05, 1.0 / 6.0  # of the leg; [s], towards when a foot stands, in which it yields less
_MARGIN = 2  # frames before and after a stretch
_LEAST_GAP = 12  # frames: shorter pauses between stretches are not worth a strip of their own
_EASE = 0.2  # [s], over which to both sides a body goes lower and higher on a slope
_SHORTEST_CONTACT = 3  # frames: what is shorter says nothing about a foot's slide


class Slides(NamedTuple):
    """How far feet slide.

    Attributes:
        length: float64 (C,), in each contact the largest way off its place.
        row: int64 (C,), at which row of frames that is.
    """

    length: Float64
    row: NDArray[np.int64]

    @classmethod
    def joined(cls, parts: list[Slides]) -> Slides:
        """The contacts of all feet."""
        none = cls(np.empty(0), np.empty(0, dtype=np.int64))
        return cls(*(np.concatenate(column) for column in zip(none, *parts, strict=True)))


class Steps(NamedTuple):
    """What the feet of one agent do.

    Attributes:
        performance: what it does, with its body as low as its feet need.
        keyed: bool (F,), when the clips need to be corrected.
        bones: how the bones of the legs move over the frames; empty where nothing is corrected.
        slides: how far its planted feet slide [Blender units].
    """

    performance: Performance
    keyed: Bool
    bones: list[BoneMotion]
    slides: Slides


def plan_steps(
    legs: Sequence[AnyLeg], performances: Sequence[Performance], *, breath: Float64, plants: bool
) -> Iterator[Steps]:
    """Find out how the feet of agents with the same legs move, of all at once.

    Args:
        legs: of the character.
        performances: what the agents do, over the same frames.
        breath: float64 (A, F), runs of its idle clip.
        plants: correct them; else only tell how far they slide.
    """
    if plants:
        performances = _lower_bodies(legs, performances)
    ways = _ways(performances)
    lean = np.stack([each.lean for each in performances])
    keyed = np.zeros(ways.heading.shape, dtype=bool)
    bent, slides = [], []
    for number, leg in enumerate(legs):
        posture = _posture(leg, ways, breath)
        ball = np.moveaxis(posture.joints[BALL], 0, -1).reshape(*keyed.shape, 3)
        wanted = plant(ways, ball, leg.stance, leg=leg.length, order=number)
        if not plants:
            slides.append(_slides(wanted, np.hypot(wanted.shift[..., 0], wanted.shift[..., 1])))
            continue
        lift = wanted.lift + _rise(performances, ways, ball[..., :2] + wanted.shift)
        soft = _YIELDING * _off_ground(wanted.planted, ways.fps)
        move = Move(wanted.shift.reshape(-1, 2), lift.ravel(), wanted.twist.ravel(), lean.ravel(), soft.ravel())
        moved, miss = leg.reach(posture, move)
        keyed |= _needed(wanted, lift, lean, leg.length) & ways.present
        bent += [each.shaped(keyed.shape) for each in moved]
        slides.append(_slides(wanted, miss.reshape(keyed.shape)))
    for agent, performance in enumerate(performances):
        own = Slides.joined([each[agent] for each in slides])
        own = own._replace(length=own.length * performance.size)
        yield Steps(performance, _rounded_out(keyed[agent]), [each.of(agent) for each in bent], own)


def key_feet(walker: bpy.types.Object, steps: Steps, name: str, writer: ClipWriter) -> animation.Clip | None:
    """Make an Action that corrects the legs of a character where that is needed.

    Args:
        walker: an armature like its own.
        steps: of the agent that it plays.
        name: of the Action.
        writer: makes it.

    Returns:
        The Action, None where the clips need no correction.
    """
    keyed = steps.keyed
    if not keyed.any() or not steps.bones:
        return None
    frames = steps.performance.frames
    content = [Grouped(motion.bone, list(channels_of(walker, motion, frames, keyed))) for motion in steps.bones]
    return writer.new_clip(name, content)


def put_feet_on(walker: bpy.types.Object, steps: Steps, clip: animation.Clip, name: str) -> None:
    """Let an armature play what corrects its legs.

    Args:
        walker: the armature, with its walk put on.
        steps: as for `key_feet`.
        clip: what that has made.
        name: of the strips.
    """
    frames = steps.performance.frames
    track = nla_strips.add_track(walker, _TRACK)
    for first, last in _stretches(steps.keyed):
        animation.add_strip_of(track, name, clip, int(frames[first]), int(frames[last]))


def slide_figures(slides: Float64) -> dict[str, float | int]:
    """What a report says of the slides of feet, float64 (C,) [m]: how many contacts, mean and 99th percentile [cm]."""
    return {
        "foot_contacts": len(slides),
        "foot_slide_mean_cm": round(100.0 * float(slides.mean()), 3),
        "foot_slide_p99_cm": round(100.0 * float(np.percentile(slides, 99)), 3),
    }


def _lower_bodies(legs: Sequence[AnyLeg], performances: Sequence[Performance]) -> list[Performance]:
    """The same performances with bodies so low on slopes that the lower of the planted feet reaches the ground."""
    lowered = list(performances)
    if not legs or all(each.ground is None for each in performances):
        return lowered
    ways = _ways(performances)
    drop = np.zeros(ways.heading.shape)
    for leg in legs:
        ball = _posture(leg, ways, np.zeros_like(drop)).joints[BALL, :2]
        stands = leg.stance.holds(ways.phase, ways.gait) | (ways.gait < PLANTING.standing_gait)
        rise = _rise(performances, ways, ball.T.reshape(*drop.shape, 2))
        drop = np.maximum(drop, np.where(stands, -rise, 0.0))
    half = max(1, round(_EASE * ways.fps / 2))
    eased = np.pad(drop, ((0, 0), (4 * half, 4 * half)), mode="edge")
    eased = sliding_window_view(eased, 4 * half + 1, axis=1).max(axis=2)
    for _ in range(2):  # once more, and the body neither goes nor stops with a jerk
        eased = sliding_window_view(eased, 2 * half + 1, axis=1).mean(axis=2)
    least = _LEAST_SHIFT * max(leg.length for leg in legs)
    for agent in np.flatnonzero(drop.max(axis=1) > least).tolist():
        old = performances[agent]
        down = old.size * eased[agent][:, None] * (0.0, 0.0, 1.0)
        lowered[agent] = replace(old, location=old.location - down)
    return lowered


def _posture(leg: AnyLeg, ways: BodyMotion, breath: Float64) -> Posture:
    return leg.table.posture(ways.gait.ravel(), ways.phase.ravel(), breath.ravel())


def _ways(performances: Sequence[Performance]) -> BodyMotion:
    """The ways as the characters measure them: who is larger than them goes less far."""
    return BodyMotion(
        np.stack([each.location[:, :2] / each.size for each in performances]),
        np.stack([each.heading for each in performances]),
        np.stack([each.phase for each in performances]),
        np.stack([each.gait for each in performances]),
        np.stack([each.present for each in performances]),
        performances[0].fps,
    )


def _rise(performances: Sequence[Performance], ways: BodyMotion, feet: Float64) -> Float64:
    """How much higher the ground is under feet than under the body, float64 (A, F) [Blender units over sizes].

    Args:
        performances: what the agents do, all on the same ground.
        ways: of them.
        feet: float64 (A, F, 2), places of the feet in the axes of the bodies, over their sizes.
    """
    ground = performances[0].ground
    if ground is None:
        return np.zeros(ways.heading.shape)
    cos, sin = ways.towards
    x, y = feet[..., 0], feet[..., 1]
    height = np.stack([each.location[:, 2] for each in performances])
    there = np.stack([cos * x - sin * y, sin * x + cos * y, height], axis=-1)
    there[..., :2] += ways.position
    sizes = np.array([each.size for each in performances])[:, None]
    there[..., :2] *= sizes[..., None]
    return (ground(there.reshape(-1, 3)).reshape(height.shape) - height) / sizes


def _needed(wanted: FootCorrection, lift: Float64, lean: Float64, length: float) -> Bool:
    off = np.maximum(np.hypot(wanted.shift[..., 0], wanted.shift[..., 1]), np.abs(lift)) > _LEAST_SHIFT * length
    return off | (np.abs(wanted.twist) > _LEAST_TWIST) | (np.abs(lean) > _LEAST_LEAN)


def _off_ground(planted: Bool, fps: float) -> Float64:
    """Float64 (A, F): 0 while a foot stands, 1 when it has been off the ground for a while and will be."""
    found = np.where(planted, 0.0, 1.0)
    frames = max(1, round(_STIFFENS * fps))
    for away in range(1, frames):
        near = np.zeros_like(planted)
        near[:, away:] |= planted[:, :-away]
        near[:, :-away] |= planted[:, away:]
        found = np.where(near, np.minimum(found, away / frames), found)
    return found


def _slides(wanted: FootCorrection, off: Float64) -> list[Slides]:
    """The largest way off its place in each contact, of each agent."""
    contact, off = wanted.contact.ravel(), off.ravel()
    places = np.flatnonzero(contact >= 0)
    places = places[np.lexsort((-off[places], contact[places]))]  # the worst place of each contact comes first
    _, first, length = np.unique(contact[places], return_index=True, return_counts=True)
    worst = places[first[length >= _SHORTEST_CONTACT]]
    agents, frames = wanted.contact.shape
    ends = np.searchsorted(worst, frames * np.arange(1, agents))
    return [Slides(off[own], own % frames) for own in np.split(worst, ends)]


def _rounded_out(keyed: Bool) -> Bool:
    """Stretches with a margin, and joined where hardly anything lies between."""
    frames = np.flatnonzero(keyed)
    result = np.zeros_like(keyed)
    if not len(frames):
        return result
    splits = np.flatnonzero(np.diff(frames) > _LEAST_GAP) + 1
    for stretch in np.split(frames, splits):
        result[max(stretch[0] - _MARGIN, 0) : stretch[-1] + _MARGIN + 1] = True
    return result


def _stretches(keyed: Bool) -> Iterator[tuple[int, int]]:
    """First and last row of each stretch; one of a single frame has no length and is left out."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], keyed, [False]])))
    for first, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if end - first > 1:
            yield first, end - 1
