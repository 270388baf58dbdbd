# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts feet on the ground, and lets them land later and leave earlier where a leg cannot stay for the whole contact.

People who swerve or turn back stand with their legs apart, and sink so that these reach. Short legs with long strides,
as of cartoon robots, do not reach from where a foot is set down to where it would leave. Down stairs the body sinks
below the foot behind it, whose knee would fold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...array_types import Bool, Float64, Int8
from ...geometry.ragged import runs_in
from ...geometry.reproducible_math import length
from ..windows import ease, spread
from .foot_contacts import Stance
from .foot_planting import FootCorrection, fade


@dataclass(frozen=True)
class ReachSettings:
    """When a contact is shortened; chosen by trial on robots and people.

    Attributes:
        slack: a foot may be so far from where it stands, as a share of the leg.
        longest: part of each half of a contact that is left out at most.
        step: a foot that is out of reach for more than this share of a contact, but not at its ends, steps meanwhile.
        raised: a foot that stands higher than in its clip by more than this share of the leg is on a step behind.
        folded: it leaves that step when its hip is so near, as a share of the leg: its knee is bent by 70 degrees.
        deepest: a body sinks by no more of its leg to reach its feet;
        deepest_alone: to reach the only foot on the ground, as below two treads.
        apart: legs are apart, and it sinks, where a foot is so far from its place in the clips, as a share of the leg.
        hover: a sole that is planted may be over the ground by this share of the leg: nobody sees it.
    """

    slack: float = 0.02
    longest: float = 0.9
    step: float = 0.15
    raised: float = 0.07
    folded: float = 0.82
    deepest: float = 0.09
    deepest_alone: float = 0.18
    apart: float = 0.1
    hover: float = 0.01


REACH = ReachSettings()

_LEAST_FEET = 2  # of one foot it is not known whether another stands


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
        bool (A, F), both ends of contacts; the middle of each stays, or else is a step.
    """
    free = foot.planted & ~stands
    far = free & (miss > settings.slack * leg)
    bent = np.zeros_like(free) if folded is None else free & folded
    found = np.zeros(far.size, dtype=bool)
    contacts = runs_in(foot.planted)
    places, number = contacts.inside()
    if not (far | bent).any():
        return found.reshape(far.shape)
    frames = contacts.length[number]
    rank = places - contacts.first[number]
    early = 2 * rank < frames
    own = far.ravel()[places] | (bent.ravel()[places] & ~early)
    begun = np.cumsum(contacts.length) - contacts.length
    first = np.maximum.reduceat(np.where(own & early, rank, -1), begun)[number]
    last = np.minimum.reduceat(np.where(own & ~early, rank, frames), begun)[number]
    half = settings.longest * frames / 2.0
    found[places] = (rank <= np.minimum(first, half - 1.0)) | (rank >= np.maximum(last, frames - half))
    inner = ~np.logical_or.reduceat(own & ((rank == 0) | (rank == frames - 1)), begun)
    steps = (inner & (np.add.reduceat(own, begun, dtype=np.int64) > settings.step * contacts.length))[number]
    found[places] = np.where(steps, own, found[places])
    return found.reshape(far.shape) & ~stands


def keep_one_on_ground(
    feet: Sequence[FootCorrection],
    aloft: Sequence[Bool],
    missing: Sequence[Float64],
    walks: Bool,
    *,
    leg: float,
    settings: ReachSettings = REACH,
) -> list[Int8]:
    """Return where feet stand, or are in the air, whatever was planned: people who walk always stand on one.

    Where all would be out of reach the foot stays that is nearest to where it stands, if the body can sink to it; else
    the one that stood before stays until another has landed.

    Args:
        feet: where they are to be.
        aloft: bool (A, F) of each, as `find_out_of_reach` finds.
        missing: float64 (A, F) of each, how far it is from there.
        walks: bool (A, F), who walks.
        leg: length of a leg.
        settings: how far a body sinks.

    Returns:
        int8 (A, F) of each foot: 1 on the ground, -1 in the air, 0 as planned.
    """
    if len(feet) < _LEAST_FEET:
        return [-own.astype(np.int8) for own in aloft]
    planned, lifted = np.stack([foot.planted for foot in feet]), np.stack(aloft)
    near = np.where(planned, np.stack(missing), np.inf)
    none = walks & ~(planned & ~lifted).any(axis=0)
    bears = none & (near.min(axis=0) <= (settings.slack + settings.deepest) * leg)
    bears = bears & (near.argmin(axis=0) == np.arange(len(feet))[:, None, None])
    held = bears.astype(np.int8) - (lifted & ~bears)
    stands = (planned & ~lifted) | bears
    gaps, frames = runs_in(none & ~bears.any(axis=0)), none.shape[1]
    places, number = gaps.inside()
    caused = np.bincount(number, planned.any(axis=0).ravel()[places], len(gaps.first)) > 0.0
    caused &= gaps.first % frames != 0
    for own, stood in zip(held, stands, strict=True):
        stays = (caused & stood.ravel()[gaps.first - 1])[number]
        own.reshape(-1)[places[stays]] = 1
    return list(held)


def sink_to_feet(
    feet: Sequence[FootCorrection],
    missing: Sequence[Float64],
    free: Float64,
    *,
    leg: float,
    half: int,
    held: Sequence[Int8] | None = None,
    settings: ReachSettings = REACH,
) -> Float64:
    """Return by how much bodies sink so that legs reach the feet on which they stand, float64 (A, F).

    They sink where legs are apart, and to the only foot on the ground once it is known which are held there.

    Args:
        feet: where they are to be.
        missing: float64 (A, F) of each, how far it is from there.
        free: float64 (A, F), 0 where bodies stay, as of who sits or acts, and 1 elsewhere.
        leg: length of a leg.
        half: frames to both sides over which their velocity changes.
        held: of each, from `keep_one_on_ground`; None: not known.
        settings: what is missing, and how far they sink.
    """
    wanted = np.zeros(free.shape)
    stands = [foot.planted if held is None else foot.planted & (held[n] >= 0) for n, foot in enumerate(feet)]
    alone = np.zeros(free.shape, dtype=bool) if held is None else np.sum(stands, axis=0) == 1
    for foot, miss, own in zip(feet, missing, stands, strict=True):
        far = own & (miss > settings.slack * leg) & (alone | (length(foot.shift) > settings.apart * leg))
        most = np.where(alone, settings.deepest_alone, settings.deepest) * leg
        wanted = np.maximum(wanted, np.where(far, np.minimum(miss, most), 0.0))
    wanted *= free
    some = np.flatnonzero(wanted.any(axis=1))
    wanted[some] = ease(spread(wanted[some], 2 * half), half)
    return wanted


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
