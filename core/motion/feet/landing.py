# SPDX-License-Identifier: GPL-3.0-or-later
"""Where feet in the air go: no further than to where they land, straight up and down stairs, and over the ground.

While people brake, a foot would swing beyond the place where it lands, and be drawn back. A foot that steps while its
clips have it on the ground, or nearly, as of people who turn while they hardly move, would drag over it. On stairs
steps are shorter than in the clip: a foot would stay, cross two treads in a few frames, and wait in the air. Down
stairs its knee would fold meanwhile, as the body sinks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.ragged import Runs, runs_in
from ...geometry.reproducible_math import dot, length
from .body_motion import BodyMotion, turned
from .foot_contacts import Stance
from .foot_planting import FootCorrection


@dataclass(frozen=True)
class LandingSettings:
    """Which swings are kept from going too far.

    Attributes:
        shortest: shorter steps, which go in arcs as people turn, stay as they are, as a share of the leg; chosen by
            trial.
        steepest: a foot that lands higher or lower by more of its way goes straight, as on stairs and not on ramps for
            wheels [rise over run]; chosen.
        clear: a foot that steps far is so high in the air at least, as a share of the leg; as in a usual walk.
        far: it is as high as that so far on its way from where it left and to where it lands, as a share of the leg;
            chosen by eye.
    """

    shortest: float = 0.25
    steepest: float = 0.2
    clear: float = 0.025
    far: float = 0.12


LANDING = LandingSettings()


def end_swings_where_feet_land(
    motion: BodyMotion,
    ball: Float64,
    foot: FootCorrection,
    ground: Float64,
    *,
    leg: float,
    settings: LandingSettings = LANDING,
) -> FootCorrection:
    """Let a foot in the air go no further than to the place where it is set down, along the way from step to step.

    Feet of people who turn on the spot go in arcs, and stay. A foot that steps down steeply goes straight, nearly
    half of its way in 0.3 of its time; one that steps up, half of it in half of the time.

    Args:
        motion: of the agents.
        ball: float64 (A, F, 3), the ball of the foot in the clips, in the axes of the body.
        foot: where it is to be.
        ground: float64 (C,), height of the ground at each contact [unit of the leg].
        leg: length of the leg.
        settings: which swings are meant.
    """
    frames, planted = foot.planted.shape[1], foot.planted.ravel()
    swings = runs_in(~foot.planted & motion.present)
    inside = (swings.first % frames != 0) & (swings.last % frames != 0)
    inside &= planted[swings.first - 1] & planted[np.minimum(swings.last, planted.size - 1)]
    stands = motion.stands.ravel()
    inside &= ~(stands[swings.first - 1] & stands[np.minimum(swings.last, planted.size - 1)])
    swings = Runs(swings.first[inside], swings.last[inside])
    cos, sin = motion.towards
    place = (motion.position + turned(ball[..., :2] + foot.shift, cos, sin)).reshape(-1, 2)
    start = place[swings.first - 1]
    way = place[swings.last] - start
    whole = length(way)
    unit = np.where((whole > settings.shortest * leg)[:, None], way / np.maximum(whole, 1e-9)[:, None], 0.0)
    places, number = swings.inside()
    along = dot(place[places] - start[number], unit[number])
    over = along - np.clip(along, 0.0, whole[number])
    away = over[:, None] * unit[number]
    contact = foot.contact.ravel()
    drop = ground[contact[swings.first - 1]] - ground[contact[swings.last]]
    steep = (unit.any(axis=1) & (np.abs(drop) > settings.steepest * whole))[number]
    gone = _progress(places, swings, number, (drop < 0.0)[number])
    straight = start[number] + gone[:, None] * way[number]
    away[steep] = (place[places] - straight)[steep]
    shift = foot.shift.copy()
    back = turned(away, cos.ravel()[places], -sin.ravel()[places])
    shift.reshape(-1, 2)[places] -= back
    return replace(foot, shift=shift)


def _progress(places: Int64, swings: Runs, number: Int64, climbs: Bool) -> Float64:
    """Return the share of their way that feet have gone, float64 (N,).

    Those that step down leave at once and land gently. Those that climb start as gently, with the least jerk (Flash and
    Hogan 1985): a leg that bent at once would do so while the other knee is not yet straight.
    """
    part = (places - swings.first[number] + 1.0) / (swings.length[number] + 1.0)
    left = (1.0 - part) ** 2
    least_jerk = part * part**2 * (10.0 - 15.0 * part + 6.0 * part**2)
    return np.where(climbs, least_jerk, 1.0 - left * left * (1.0 + 4.0 * part))


def clear_the_ground(
    motion: BodyMotion,
    ball: Float64,
    foot: FootCorrection,
    stance: Stance,
    *,
    leg: float,
    settings: LandingSettings = LANDING,
) -> FootCorrection:
    """Raise feet that go over the ground in the air, where their clips do not: on it, or blended with standing.

    Args:
        motion: of the agents.
        ball: float64 (A, F, 3), the ball of the foot in the clips, in the axes of the body.
        foot: where it is to be.
        stance: when and how high the foot stands in its clips.
        leg: length of the leg.
        settings: how high.
    """
    swings, frames = runs_in(~foot.planted & motion.present), foot.planted.shape[1]
    before = np.where(swings.first % frames, swings.first - 1, swings.first)
    after = np.where(swings.last % frames, swings.last, swings.last - 1)
    places, number = swings.inside()
    place = motion.position + turned(ball[..., :2] + foot.shift, *motion.towards)
    way = np.cumsum(length(np.diff(place, axis=1, prepend=place[:, :1])), axis=1).ravel()
    away = np.minimum(way[places] - way[before][number], way[after][number] - way[places])
    gait = motion.gait.ravel()[places]
    walks = gait * (1.0 - np.broadcast_to(motion.acted, foot.planted.shape).ravel()[places])
    low = np.where(stance.holds(motion.phase.ravel()[places], gait), 1.0, np.clip(1.0 - walks, 0.0, 1.0))
    part = np.minimum(away / (settings.far * leg), 1.0)
    wanted = settings.clear * leg * low * part * part * (3.0 - 2.0 * part)
    lift = foot.lift.copy()
    height = ball[..., 2].ravel()[places] + lift.ravel()[places] - stance.height(gait)
    lift.reshape(-1)[places] += np.maximum(wanted - height, 0.0)
    return replace(foot, lift=lift)
