# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts of a foot in the clips: it is low and moves back with the ground.

A foot first stands on its ball; at the end of a contact the ball rises, and the foot rolls over the tip of its toes.
A clip may hold several strides, and then a foot has several contacts in one run of it. Between walking and running a
contact is interpolated between the two clips.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.ragged import runs_of
from ...geometry.reproducible_math import length2
from ..blending import WALKS


@dataclass(frozen=True)
class ContactSettings:
    """When a foot is in contact with the ground; chosen by trial on the built-in figures and motion-capture clips.

    Attributes:
        max_speed: of the foot over the ground, as a share of the stride per run.
        max_height: of the foot above its lowest, as a share of its rise.
        end_speed: as `max_speed`, before and after a moment that fulfils both: animators let feet glide.
        end_height: as `max_height`, there, before the foot rolls over its tip.
        landing_speed: as `end_speed`, for a foot that is set down by its heel.
        landing_height: as `end_height`, then.
        roll_speed: a foot rolls over its tip where that is slower than the ball by this share of the stride per run.
        short_swing: a foot that is off the ground for less of the longest time that it is, stands on: paws slip so.
        least_share: in a walk each foot is on the ground for more of a stride; clips with less glide or hop.
        usual_share: to which the contacts of such a walk are lengthened, as of people (Winter 1991).
    """

    max_speed: float = 0.2
    max_height: float = 0.2
    end_speed: float = 0.9
    end_height: float = 0.1
    landing_speed: float = 0.1
    landing_height: float = 0.5
    roll_speed: float = 0.05
    short_swing: float = 0.5
    least_share: float = 0.57
    usual_share: float = 0.6


CONTACT = ContactSettings()


class Window(NamedTuple):
    """The part of the walk's run in which a foot stands: from `start` over `length`, in runs."""

    start: float
    length: float

    @property
    def middle(self) -> float:
        """Its middle."""
        return self.start + self.length / 2


@dataclass(frozen=True)
class Stance:
    """When and how high one foot stands.

    Attributes:
        walking: its contacts in one run of the walk; at least one.
        running: those of the run, in runs of the walk, each matched to one of the walk; empty where they do not match.
        floor: height of the ball of the foot when it stands, walking and running.
        toe: length from the ball of the foot to the tip of its toes; 0 where the tip is not known.
        late: the foot is under its body so much later than in the middle of a contact of the walk [runs].
        lowest: how low the lowest point of the foot gets, its sole or else the tip of its toes.
        has_sole: its sole is known.
    """

    walking: tuple[Window, ...]
    running: tuple[Window, ...] = ()
    floor: tuple[float, float] = (0.0, 0.0)
    toe: float = 0.0
    late: float = 0.0
    lowest: float = 0.0
    has_sole: bool = False

    def holds(self, phase: Float64, gait: Float64) -> Bool:
        """Whether the foot stands, at phases (...) in runs of the walk and gaits (...)."""
        runs = _running(gait)
        found = np.zeros(phase.shape, dtype=bool)
        for start, length in self._contacts(runs):
            found |= np.mod(phase - start, 1.0) <= length
        return found & (self._matches | (runs < 0.5))

    def off_middle(self, phase: Float64, gait: Float64) -> Float64:
        """Distance to where the foot is under its body in the nearest contact, float64 (...) [runs]."""
        away, runs = np.full(phase.shape, np.inf), _running(gait)
        late = self.late * (1.0 - runs)
        for start, length in self._contacts(runs):
            away = np.minimum(away, np.abs(np.mod(phase - late - start - length / 2 + 0.5, 1.0) - 0.5))
        return away

    def height(self, gait: Float64) -> Float64:
        """Height of the ball of the foot when it stands, at gaits (...)."""
        walking, running = self.floor
        return walking + _running(gait) * (running - walking)

    @property
    def _matches(self) -> bool:
        return len(self.running) == len(self.walking)

    def contacts(self, gait: float) -> Sequence[tuple[float, float]]:
        """Start and length of each contact at one gait, in runs of the walk."""
        return [(float(start), float(length)) for start, length in self._contacts(_running(np.array(gait)))]

    def _contacts(self, runs: Float64) -> Sequence[tuple[Float64 | float, Float64 | float]]:
        if not self._matches or not runs.any():
            return self.walking
        pairs = zip(self.walking, self.running, strict=True)
        return [
            (one.start + runs * (other.start - one.start), one.length + runs * (other.length - one.length))
            for one, other in pairs
        ]


class FootPath(NamedTuple):
    """A foot in a clip in place, over one run, both ends included; x ahead, z up.

    Attributes:
        ball: float64 (K + 1, 3), the ball of the foot.
        tip: float64 (K + 1, 3), the tip of its toes; the ball where it has none.
        stride: distance of one run.
    """

    ball: Float64
    tip: Float64
    stride: float

    def rolls(self, settings: ContactSettings = CONTACT) -> Bool:
        """Where it rolls over the tip of its toes, bool (K,)."""
        return _slip(self.tip, self.stride) < _slip(self.ball, self.stride) - settings.roll_speed * self.stride


def find_contacts(
    foot: FootPath, settings: ContactSettings = CONTACT, *, least_share: float = 0.0
) -> tuple[Window, ...]:
    """Find the contacts of a foot in a clip in place.

    Args:
        foot: its path in the clip.
        settings: when a foot is in contact.
        least_share: contacts of no more than this share of a stride, too short for a walk, are lengthened.

    Returns:
        The contacts, in their order; none where the foot never stands, or always.
    """
    count = len(foot.ball) - 1
    rolls = foot.rolls(settings)
    slip = np.where(rolls, _slip(foot.tip, foot.stride), _slip(foot.ball, foot.stride))
    height = np.where(rolls, _height(foot.tip), _height(foot.ball))
    stands = (slip < settings.max_speed * foot.stride) & (height < settings.max_height + 1e-9)
    glides = ~rolls & (slip < settings.end_speed * foot.stride) & (height < settings.end_height + 1e-9)
    glides |= (slip < settings.landing_speed * foot.stride) & (height < settings.landing_height)
    if not stands.any() or stands.all():
        return ()
    held = stands | glides
    if held.all():
        held = stands
    first = int(np.flatnonzero(~held)[0])
    runs, stands = runs_of(np.roll(held, -first)), np.roll(stands, -first)
    contacts = np.array([run for run in runs if stands[slice(*run)].any()])
    length = np.diff(contacts, axis=1)[:, 0]
    contacts = contacts[length >= max(3, 0.5 * length.max())]  # much shorter ones are a dragging toe
    if not len(contacts):
        return ()
    contacts = _joined(contacts, count, settings.short_swing)
    if np.diff(contacts).mean() <= least_share * count / len(contacts):
        contacts = _lengthened(contacts, np.roll(slip, -first), settings.usual_share)
    # half a time step less at each end, where the foot lands and leaves
    found = (((start + first + 0.5) % count / count, (end - start - 1.0) / count) for start, end in contacts.tolist())
    return tuple(sorted(Window(float(start), float(length)) for start, length in found))


def roll_over(foot: FootPath, contacts: Sequence[tuple[float, float]], sole: Float64 | None = None) -> Float64:
    """Return how far the point on which a foot stands lies from where the ball stood, float64 (K + 1, 2).

    A foot whose sole is known rolls over its lowest point: from its heel until it is under its body, and on to its
    toes. Another one rolls over its tip, in the second half of a contact.

    Args:
        foot: its path in the clip.
        contacts: start and length of each, in runs.
        sole: float64 (K + 1, N, 3), its points; None: not known.
    """
    count = len(foot.ball) - 1
    if sole is None:
        steps = np.where(foot.rolls()[:, None], np.diff((foot.tip - foot.ball)[:, :2], axis=0), 0.0)
    else:
        lowest = np.arange(count), (sole[1:, :, 2] + sole[:-1, :, 2]).argmin(axis=1)
        steps = np.diff(sole[..., :2] - foot.ball[:, None, :2], axis=0)[lowest]
    found = np.zeros((count, 2))
    for start, length in contacts:
        middle, half = int(np.ceil((start + length / 2) * count)), int(np.ceil(length / 2 * count))
        after = np.arange(middle, middle + half + 1)
        found[after[1:] % count] = np.cumsum(steps[after[:-1] % count], axis=0)
        if sole is not None:
            before = np.arange(middle - 1, middle - half - 1, -1) % count
            found[before] = -np.cumsum(steps[before], axis=0)
    return np.concatenate([found, found[:1]])


def _slip(point: Float64, stride: float) -> Float64:
    """Speed of a point of a foot over the ground, float64 (K,) [unit of the points per run]."""
    return np.sqrt(length2(np.diff(point[:, :2], axis=0) * (len(point) - 1) + (stride, 0.0)))


def _height(point: Float64) -> Float64:
    """Height of a point of a foot above its lowest, as a share of its rise, float64 (K,)."""
    above = point[:, 2] - point[:, 2].min()
    return (above[1:] + above[:-1]) / 2 / max(float(above.max()), 1e-12)


def _joined(contacts: Int64, count: int, short: float) -> Int64:
    """Join contacts, int64 (C, 2), between which a foot is off the ground for less than a share of its longest swing.

    Those that go on over the end of the run end later than `count`.
    """
    swings = np.append(contacts[0, 0] + count - contacts[-1, 1], contacts[1:, 0] - contacts[:-1, 1])
    first = int(np.argmax(swings))
    contacts = np.concatenate([contacts[first:], contacts[:first] + count])
    parts = np.append(np.roll(swings, -first)[1:] >= short * swings[first], True)
    return np.stack([contacts[np.roll(parts, 1), 0], contacts[parts, 1]], axis=1)


def _lengthened(contacts: Int64, slip: Float64, share: float) -> Int64:
    """Lengthen contacts, int64 (C, 2), where the foot is slowest, to a share of a stride; float64 (K,) is its speed."""
    count, found = len(slip), []
    wanted = round(share * count / len(contacts)) + 1  # of which half a step is left out at each end
    for start, end in contacts.tolist():
        first, last = start, end
        while last - first < wanted:
            if slip[(first - 1) % count] < slip[last % count]:
                first -= 1
            else:
                last += 1
        found.append((first, last))
    return np.array(found)


def match(walking: Sequence[Window], running: Sequence[Window]) -> tuple[Window, ...]:
    """Match the contacts of a run to those of the walk, shifted by whole runs; empty where they are not as many."""
    if len(running) != len(walking):
        return ()
    left, found = list(running), []
    for window in walking:
        nearest = min(left, key=lambda other: abs(_wrapped(other.middle - window.middle)))
        left.remove(nearest)
        beside = window.middle + _wrapped(nearest.middle - window.middle) - nearest.length / 2
        found.append(Window(beside, nearest.length))
    return tuple(found)


def _wrapped(turns: float) -> float:
    return (turns + 0.5) % 1.0 - 0.5


def _running(gait: Float64) -> Float64:
    return np.clip(gait - WALKS, 0.0, 1.0)
