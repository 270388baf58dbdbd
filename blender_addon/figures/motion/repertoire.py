# SPDX-License-Identifier: GPL-3.0-or-later
"""All that a figure can do besides walking, and how each is planned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from ....core.array_types import Float64
from ....core.motion.acting.round_hips import ASIDE
from ..mesh.skeleton import Bone, Proportions
from . import seated_acts, standing_acts, talking_acts
from .gait import leg_length
from .key_poses import SEAT_REACH, Keys, feet_over_floor, move_through, run_through
from .walk import FigureMotion

ACT_RATE = 24.0
"""Frames of a clip in a second."""

SEAT_THICKNESS = 0.13
"""From the joint of the hips down to the seat, over the length of the leg; measured on the figures' bodies."""

SHINS_AHEAD = 0.27
"""So far before the middle of a seat shins hang that do not reach the floor: of a seat 0.45 m deep [m]; chosen."""


@dataclass(frozen=True)
class Act:
    """Something that people do.

    Attributes:
        keys: its key poses, for a height of the hips.
        seconds: how long it takes.
        is_cycle: it begins again at its end.
        is_seated: it depends on the height of a seat.
        step: frames from key to key; slow motion needs few.
        poses: meshes that stand for it where people are instances.
        reach: how far from the middle of the body an elbow is held, to its outside, measured on the man; 0: all that
            somebody holds away is before the body [m].
        has_phone: a phone is in the right hand.
        behind: the sides of the hands that are behind the back, as "LR".
        moves: bones that it moves; empty: all.
    """

    keys: Callable[[float], Keys]
    seconds: float
    is_cycle: bool = True
    is_seated: bool = False
    step: int = 4
    poses: int = 12
    reach: float = 0.0
    has_phone: bool = False
    behind: str = ""
    moves: tuple[str, ...] = ()

    @property
    def frames(self) -> int:
        """Length of its clip, whose frames count from 0."""
        return round(self.seconds * ACT_RATE)

    @property
    def key_frames(self) -> Float64:
        """Frames of its clip that get keys, float64 (K,); the first and the last are among them."""
        return np.linspace(0.0, self.frames, max(round(self.frames / self.step), 1) + 1)


ACTS: dict[str, Act] = {
    "stand_1": Act(standing_acts.at_ease, 10.0),
    "stand_2": Act(standing_acts.hands_joined, 10.0),
    "stand_3": Act(standing_acts.hand_on_hip, 10.0, reach=0.48),
    "stand_4": Act(standing_acts.hands_behind, 10.0, behind="LR"),
    "stand_5": Act(standing_acts.arms_crossed, 10.0),
    "stand_6": Act(standing_acts.hand_on_arm, 10.0),
    "talk_1": Act(talking_acts.talk_with_one_hand, 6.0, step=2, poses=12),
    "talk_2": Act(talking_acts.talk_with_both_hands, 6.0, step=2, poses=12),
    "talk_3": Act(talking_acts.talk_with_shrugs, 6.0, step=2, poses=12),
    "listen_1": Act(talking_acts.listen, 8.0, step=3, poses=12),
    "listen_2": Act(talking_acts.listen_with_crossed_arms, 8.0, step=3, poses=12),
    "listen_3": Act(talking_acts.listen_with_hand_behind, 8.0, step=3, poses=12, behind="R"),
    "phone_1": Act(standing_acts.phone, 8.0, has_phone=True),
    "phone_2": Act(standing_acts.read_phone, 8.0, has_phone=True),
    "sit_down": Act(
        seated_acts.sit_down, seated_acts.SIT_DOWN_SECONDS, is_cycle=False, is_seated=True, step=1, poses=8
    ),
    "sit_1": Act(seated_acts.sit_upright, 10.0, is_seated=True),
    "sit_2": Act(seated_acts.sit_leaning, 10.0, is_seated=True),
    "sit_3": Act(seated_acts.sit_with_crossed_arms, 11.0, is_seated=True),
    "sit_4": Act(seated_acts.sit_with_phone, 9.0, is_seated=True, has_phone=True),
    "sit_5": Act(seated_acts.sit_with_folded_hands, 12.0, is_seated=True),
    "sit_6": Act(seated_acts.sit_to_one_side, 10.0, is_seated=True),
    "stand_up": Act(
        seated_acts.stand_up, seated_acts.STAND_UP_SECONDS, is_cycle=False, is_seated=True, step=1, poses=8
    ),
    "cheer_1": Act(standing_acts.cheer, 2.75, step=1, poses=12),
    "clap_1": Act(standing_acts.clap, 2.0, step=1, poses=12),
    "wave_1": Act(standing_acts.wave, 2.5, step=1, poses=12),
    "point_1": Act(standing_acts.point, 6.0),
    "point_2": Act(standing_acts.point_with_left, 6.0),
    "look_round_1": Act(standing_acts.look_round, 6.0),
    "look_round_2": Act(standing_acts.look_round_with_bent_arms, 6.0),
    "look_round_3": Act(standing_acts.look_round_with_bent_arm, 6.0),
}
"""By the activity and the number of the variant; its key poses are in one of the files imported above.

Clips of the user's own are found by the words in `characters/clips/act_names.py`.
"""

_ARM = ("upper_arm", "forearm", "hand")
OURS = ACTS | {
    f"{ASIDE}_{sides}": Act(
        standing_acts.arms_aside, 1.0, moves=tuple(f"{part}.{side}" for side in sides for part in _ARM)
    )
    for sides in ("L", "R", "LR")
}
"""The same, and what is played for moments over them."""


def plan_act(name: str, body: Proportions, bones: dict[str, Bone], frames: Float64, seat: float = 0.0) -> FigureMotion:
    """KeyPose a figure at frames of an act.

    Args:
        name: one of `OURS`.
        body: its lengths.
        bones: its skeleton.
        frames: float64 (K,), from 0 to `Act.frames`.
        seat: height of the seat over the floor, in the size of the body [m].
    """
    act, hips = OURS[name], _hips_on(seat, body)
    return move_through(body, bones, act.keys(hips), frames / ACT_RATE, length=act.seconds, is_cycle=act.is_cycle)


def head_turn(name: str, phase: Float64) -> Float64:
    """Return how far to the left heads are turned in an act, but for their unrest, float64 (N,) [rad].

    Args:
        name: one of `ACTS` that do not depend on a seat.
        phase: float64 (N,), moments of it [cycles].
    """
    at, yaw = _head_turns(name)
    seconds = ACTS[name].seconds
    return run_through(at, yaw, phase * seconds, seconds)[:, 0]


@cache
def _head_turns(name: str) -> tuple[Float64, Float64]:
    """Return the times of the key poses of an act [s], and how far to the left heads are turned there, (K, 1) [rad]."""
    keys = ACTS[name].keys(0.0)
    return np.array([time for time, _ in keys]), np.radians([[pose.head_yaw] for _, pose in keys])


def distance_from_seat(body: Proportions, seat: float, metre: float) -> float:
    """How far people stand before the middle of a seat, from their hips on it or nearer [m in the size of the body].

    Those whose feet do not reach the floor sit as far ahead as lets their shins hang before the seat.

    Args:
        body: its lengths.
        seat: height of the seat over the floor, in the size of the body [m].
        metre: how large the body is, over its size.
    """
    reach = SEAT_REACH * leg_length(body)
    return max(reach, SHINS_AHEAD / metre) if feet_over_floor(body, _hips_on(seat, body)) > 0.0 else reach


def _hips_on(seat: float, body: Proportions) -> float:
    """Height of hips on a seat, from standing with straight legs, as a part of the leg."""
    return (seat - body.hip_joint) / leg_length(body) + SEAT_THICKNESS
