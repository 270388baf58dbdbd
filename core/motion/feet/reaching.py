# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts feet on the ground, and lets them land later and leave earlier where a leg cannot stay for the whole contact.

Short legs with long strides, as of cartoon robots, do not reach from where a foot is set down to where it would leave.
Down stairs the body sinks below the foot behind it, whose knee would fold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...array_types import Bool, Float64
from ...geometry.ragged import runs_in
from .foot_contacts import Stance
from .foot_planting import FootCorrection, fade


@dataclass(frozen=True)
class ReachSettings:
    """When a contact is shortened; chosen by trial on robots and people.

    Attributes:
        slack: a foot may be so far from where it stands, as a share of the leg.
        longest: part of each half of a contact that is left out at most.
        raised: a foot that stands higher than in its clip by more than this share of the leg is on a step behind.
        folded: it leaves that step when its hip is so near, as a share of the leg: its knee is bent by 70 degrees.
        hover: a sole that is planted may be over the ground by this share of the leg: nobody sees it.
    """

    slack: float = 0.02
    longest: float = 0.9
    raised: float = 0.07
    folded: float = 0.82
    hover: float = 0.01


REACH = ReachSettings()


def find_out_of_reach(
    foot: FootCorrection,
    miss: Float64,
    stands: Bool,
    *,
    leg: float,
    folded: Bool | None = None,
    settings: ReachSettings = REACH,
) -> Bool:
    """Find the frames in which a foot has to be in the air: its leg does not reach to where it stands, or is folded.

    Args:
        foot: where it is to be.
        miss: float64 (A, F), how far it is from there.
        stands: bool (A, F), who stands: their feet stay.
        leg: length of the leg.
        folded: bool (A, F), as `find_folded` finds; it leaves then, but may land so on a step up; None: nowhere.
        settings: when a contact is shortened.

    Returns:
        bool (A, F), both ends of contacts; the middle of each stays.
    """
    free = foot.planted & ~stands
    far = free & (miss > settings.slack * leg)
    bent = np.zeros_like(free) if folded is None else free & folded
    found = np.zeros(far.size, dtype=bool)
    contacts = runs_in(foot.planted)
    places, number = contacts.inside()
    if not (far | bent).any():
        return found.reshape(far.shape)
    length = contacts.length[number]
    rank = places - contacts.first[number]
    early = 2 * rank < length
    own = far.ravel()[places] | (bent.ravel()[places] & ~early)
    begun = np.cumsum(contacts.length) - contacts.length
    first = np.maximum.reduceat(np.where(own & early, rank, -1), begun)[number]
    last = np.minimum.reduceat(np.where(own & ~early, rank, length), begun)[number]
    half = settings.longest * length / 2.0
    found[places] = (rank <= np.minimum(first, half - 1.0)) | (rank >= np.maximum(last, length - half))
    return found.reshape(far.shape) & ~stands


def find_folded(lift: Float64, span: Float64, *, leg: float, settings: ReachSettings = REACH) -> Bool:
    """Find where the knee of a foot that stands on a step behind its body is bent too far.

    Args:
        lift: float64 (A, F), of the foot from its height in the clips.
        span: float64 (A, F), from the hip to where the ankle is to be.
        leg: length of the leg.
        settings: what is too far.
    """
    return (lift > settings.raised * leg) & (span < settings.folded * leg)


def lift_to_ground(stance: Stance, lowest: Float64, planned: FootCorrection, *, leg: float) -> Float64:
    """Return how far feet are lifted: none goes lower than where it stands, and planted ones are lowered there.

    They are lowered only where their soles are known: clips of games let feet leave the ground early, and bounce.

    Args:
        stance: of the foot.
        lowest: float64 (A, F), height of its lowest point in the clips.
        planned: the foot, as it was planned.
        leg: length of the leg.
    """
    floor = stance.lowest - lowest
    lift = planned.lift
    if stance.has_sole:
        down = np.where(planned.planted, np.minimum(floor + REACH.hover * leg - lift, 0.0), 0.0)
        fade(np.zeros_like(planned.shift), down, planned.planted)
        lift = lift + down
    return np.maximum(lift, floor)


def fade_near_contacts(planted: Bool, frames: int) -> Float64:
    """Return 0 while a foot is planted, rising to 1 over so many frames away from contacts, float64 (A, F)."""
    found = np.where(planted, 0.0, 1.0)
    for away in range(1, frames):
        near = np.zeros_like(planted)
        near[:, away:] |= planted[:, :-away]
        near[:, :-away] |= planted[:, away:]
        found = np.where(near, np.minimum(found, away / frames), found)
    return found
