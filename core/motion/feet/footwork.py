# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges how somebody walks by what is seen: which feet stand, for how long, and how far they slide.

It needs no names of bones, nor what was meant to happen: what comes near the ground on one side of the body is a foot,
and it stands while it hardly moves compared with the body. People who walk have a foot on the ground all the time, each
foot 0.6 of it (Winter 1991); people who glide have none. Of four legs or more each foot is judged by itself: a walking
mammal keeps it on the ground for 0.5 to 0.8 of the time (Hildebrand 1976), but two on one side for nearly all of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.ragged import runs_of
from ...geometry.reproducible_math import arctan2, cos_sin, heading_vector, length


@dataclass(frozen=True)
class FootworkSettings:
    """When a foot stands; chosen by trial on characters of several sources.

    Attributes:
        ankle_height: a foot comes lower than this above the ground, as a share of the body height.
        standing_speed: a foot stands below this share of the speed of the body.
        shortest_contact: shorter contacts are not measured for sliding, at least 3 [steps between frames].
        holding_speed: in a clip in place, a foot that moves back with the ground differs from it by less than this
            share of its speed.
    """

    ankle_height: float = 0.12
    standing_speed: float = 0.15
    shortest_contact: int = 3
    holding_speed: float = 0.5


FOOTWORK = FootworkSettings()


class Footwork(NamedTuple):
    """How somebody walks.

    Attributes:
        stance: share of the time that each foot stands, left and right; of several feet on a side, their mean.
        supported: share of the time that at least one foot stands.
        swing: how far the feet swing apart and past one another, as a share of the body height.
        slides: float64 (C,), how far a foot slides in each contact [unit of the points].
    """

    stance: tuple[float, float]
    supported: float
    swing: float
    slides: Float64


class StandingFeet(NamedTuple):
    """Which feet stand when.

    Attributes:
        height: of the body [unit of the points].
        along: float64 (T, P), how far ahead of the body each joint is.
        feet: numbers of the joints of each of N feet, those on the left first, on each side from front to back.
        left: bool (N,), the feet on the left.
        stands: bool (N, T - 1), each foot, between a frame and the next.
    """

    height: float
    along: Float64
    feet: list[Int64]
    left: Bool
    stands: Bool

    @property
    def swing(self) -> float:
        """How far left and right feet swing past one another, the mean of the pairs from front to back."""
        ahead = np.stack([self.along[:, own].mean(axis=1) for own in self.feet])  # (N, T)
        pairs = min(int(self.left.sum()), int((~self.left).sum()))
        return float(np.ptp(ahead[self.left][:pairs] - ahead[~self.left][:pairs], axis=1).mean())


def judge_footwork(
    points: Float64,
    root: Float64,
    heading: Float64,
    settings: FootworkSettings = FOOTWORK,
    *,
    foot_of: Int64 | None = None,
) -> Footwork | None:
    """Judge how somebody walks.

    Args:
        points: float64 (T, P, 3), joints at successive frames in the world, z up.
        root: float64 (T, 3), the place of the body on the ground.
        heading: float64 (T,), direction in which it walks [rad].
        settings: when a foot stands.
        foot_of: int64 (P,), number of the foot that a joint belongs to, -1: none, as of controls beside feet, which
            stand; None: any low joint is of the foot on its side.

    Returns:
        The judgement; None where nothing comes near the ground on both sides of the body.
    """
    found = find_standing_feet(points, root, heading, settings, foot_of=foot_of)
    if found is None:
        return None
    slides = [_slides(points[:, own, :2], mask, settings) for own, mask in zip(found.feet, found.stands, strict=True)]
    share = found.stands.mean(axis=1)
    stance = float(share[found.left].mean()), float(share[~found.left].mean())
    supported = float(found.stands.any(axis=0).mean())
    return Footwork(stance, supported, found.swing / found.height, np.concatenate(slides))


def find_standing_feet(
    points: Float64,
    root: Float64,
    heading: Float64,
    settings: FootworkSettings = FOOTWORK,
    *,
    foot_of: Int64 | None = None,
) -> StandingFeet | None:
    """Find which feet stand when; arguments as of `judge_footwork`, and None for the same reason."""
    above = points[..., 2] - root[:, None, 2]
    height = float(np.median(np.ptp(above, axis=1)))
    away = points[..., :2] - root[:, None, :2]
    ahead = heading_vector(heading)[:, None]
    along = (away * ahead).sum(axis=2)
    aside = np.median(ahead[..., 0] * away[..., 1] - ahead[..., 1] * away[..., 0], axis=0)
    low = above.min(axis=0) <= settings.ankle_height * height
    middle = 0.0
    if foot_of is None:
        foot_of = np.where(aside > 0.0, 0, np.where(aside < 0.0, 1, -1))
    elif (low & (foot_of >= 0)).any():
        of_each = [aside[low & (foot_of == number)].mean() for number in np.unique(foot_of[low & (foot_of >= 0)])]
        middle = float(np.mean(of_each))  # of a body that is carried beside its root
    feet = [np.flatnonzero(low & (foot_of == number)) for number in range(int(foot_of.max(initial=-1)) + 1)]
    feet = sorted(filter(len, feet), key=lambda own: -float(np.median(along[:, own])))
    left = [own for own in feet if np.mean(aside[own]) > middle]
    right = [own for own in feet if np.mean(aside[own]) < middle]
    if not height or not left or not right:
        return None
    feet = [*left, *right]
    speed = length(np.diff(points[..., :2], axis=0))  # (T - 1, P), a frame
    limit = settings.standing_speed * length(np.diff(root[:, :2], axis=0))
    stands = np.stack([(speed[:, own] < limit[:, None]).any(axis=1) for own in feet])  # (N, T - 1)
    return StandingFeet(height, along, feet, np.arange(len(feet)) < len(left), stands)


class HeldFeet(NamedTuple):
    """What keeps the feet of a cycle in place from sliding.

    Attributes:
        shift: float64 (K, 2), of the foot on the ground at each pose, ahead and to the left [unit of the points].
        mid_stance: where the foot on the ground is as for standing, and again a step later [runs]; NaN: it never is.
    """

    shift: Float64
    mid_stance: float


def hold_feet(
    points: Float64, way: float, standing: Float64, steps: int, settings: FootworkSettings = FOOTWORK
) -> HeldFeet:
    """Find out how to shift the poses of a walk in place, so that a foot on the ground goes back exactly as far as it.

    Args:
        points: float64 (K, P, 3), joints at equal parts of one run, which looks along +X.
        way: distance of one run.
        standing: float64 (P, 3), joints of somebody who stands.
        steps: in one run.
        settings: what is a foot, and when it is on the ground.
    """
    count = len(points)
    low = points[..., 2].min(axis=0) <= settings.ankle_height * float(np.median(np.ptp(points[..., 2], axis=1)))
    if not low.any():
        return HeldFeet(np.zeros((count, 2)), np.nan)
    feet, rows = points[:, low, :2], np.arange(count)
    moved = np.roll(feet, -1, axis=0) - feet + (way / count, 0.0)
    speed = length(moved)
    slowest = speed.argmin(axis=1)
    slips = moved[rows, slowest] * (speed.min(axis=1) < settings.holding_speed * way / count)[:, None]
    shift = -np.concatenate([np.zeros((1, 2)), np.cumsum(slips - slips.mean(axis=0), axis=0)[:-1]])
    before = feet[rows, slowest, 0] - standing[low][slowest, 0]
    after = np.roll(feet, -1, axis=0)[rows, slowest, 0] - standing[low][slowest, 0]
    passes = np.flatnonzero((before >= 0.0) & (after < 0.0))
    if not len(passes):
        return HeldFeet(shift, np.nan)
    at = (passes + before[passes] / (before - after)[passes]) / count
    cos, sin = cos_sin(2.0 * np.pi * steps * at)
    mid_stance = arctan2(sin.sum(), cos.sum()) / (2.0 * np.pi * steps) % (1.0 / steps)
    own = np.append(shift[:, 0], shift[0, 0])
    around = np.interp((mid_stance + np.arange(steps) / steps) % 1.0, np.arange(count + 1) / count, own)
    return HeldFeet(shift - (float(around.mean()), 0.0), float(mid_stance))


def _slides(feet: Float64, stands: Bool, settings: FootworkSettings) -> Float64:
    """Slide in each contact of a foot, points (T, Q, 2), of the point that is slowest: a foot may roll over others.

    A foot lands within the first step and lifts within the last: what it moves there is no slide, so that the slide of
    the steps between counts for all.
    """
    steps = np.diff(feet, axis=0)
    slowest = length(steps).argmin(axis=1)
    way = np.concatenate([np.zeros((1, 2)), np.cumsum(steps[np.arange(len(steps)), slowest], axis=0)])
    first, last = runs_of(stands).T
    long = last - first >= settings.shortest_contact
    first, last = first[long], last[long]
    begin, end = first + (first > 0), last - (last < len(stands))
    slid = [float(length(np.ptp(way[a : b + 1], axis=0))) for a, b in zip(begin, end, strict=True)]
    return np.array(slid) * (last - first) / (end - begin)
