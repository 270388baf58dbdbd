# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts of a foot in the clips: it is low and moves back with the ground.

A clip may hold several strides, and then a foot has several contacts in one run of it. Between walking and running a
contact is interpolated between the two clips.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..array_types import Bool, Float64
from ..geometry.ragged import runs_of
from .blending import WALKS


@dataclass(frozen=True)
class ContactSettings:
    """When a foot is in contact with the ground; chosen by trial on the built-in figures and motion-capture clips.

    Attributes:
        max_speed: of the foot over the ground, as a share of the stride per run.
        max_height: of the foot above its lowest, as a share of its rise.
        end_speed: as `max_speed`, before and after a moment that fulfils both: animators let feet glide.
        end_height: as `max_height`, there.
    """

    max_speed: float = 0.2
    max_height: float = 0.2
    end_speed: float = 0.9
    end_height: float = 0.1


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
    """

    walking: tuple[Window, ...]
    running: tuple[Window, ...] = ()
    floor: tuple[float, float] = (0.0, 0.0)

    def holds(self, phase: Float64, gait: Float64) -> Bool:
        """Whether the foot stands, at phases (...) in runs of the walk and gaits (...)."""
        runs = _running(gait)
        found = np.zeros(phase.shape, dtype=bool)
        for start, length in self._contacts(runs):
            found |= np.mod(phase - start, 1.0) <= length
        return found & (self._matches | (runs < 0.5))

    def off_middle(self, phase: Float64, gait: Float64) -> Float64:
        """Distance to the middle of the nearest contact, float64 (...) [runs]."""
        away = np.full(phase.shape, np.inf)
        for start, length in self._contacts(_running(gait)):
            away = np.minimum(away, np.abs(np.mod(phase - start - length / 2 + 0.5, 1.0) - 0.5))
        return away

    def height(self, gait: Float64) -> Float64:
        """Height of the ball of the foot when it stands, at gaits (...)."""
        walking, running = self.floor
        return walking + _running(gait) * (running - walking)

    @property
    def _matches(self) -> bool:
        return len(self.running) == len(self.walking)

    def _contacts(self, runs: Float64) -> Sequence[tuple[Float64 | float, Float64 | float]]:
        if not self._matches or not runs.any():
            return self.walking
        pairs = zip(self.walking, self.running, strict=True)
        return [
            (one.start + runs * (other.start - one.start), one.length + runs * (other.length - one.length))
            for one, other in pairs
        ]


def find_contacts(ball: Float64, stride: float, settings: ContactSettings = CONTACT) -> tuple[Window, ...]:
    """Find the contacts of a foot in a clip in place.

    Args:
        ball: float64 (K + 1, 3), the ball of the foot over one run, both ends included; x ahead, z up.
        stride: distance of one run.
        settings: when a foot is in contact.

    Returns:
        The contacts, in their order; none where the foot never stands, or always.
    """
    count = len(ball) - 1
    speed = np.diff(ball[:, :2], axis=0) * count + (stride, 0.0)  # over the ground, per run
    height = (ball[1:, 2] + ball[:-1, 2]) / 2 - ball[:, 2].min()
    rise, slip = float(np.ptp(ball[:, 2])), np.hypot(*speed.T)
    stands = (slip < settings.max_speed * stride) & (height < settings.max_height * rise + 1e-9)
    glides = (slip < settings.end_speed * stride) & (height < settings.end_height * rise + 1e-9)
    if not stands.any() or stands.all():
        return ()
    held = stands | glides
    if held.all():
        held = stands
    first = int(np.flatnonzero(~held)[0])
    runs, stands = runs_of(np.roll(held, -first)), np.roll(stands, -first)
    starts, ends = np.array([run for run in runs if stands[slice(*run)].any()]).T
    long = ends - starts >= max(3, 0.5 * (ends - starts).max())  # much shorter ones are a dragging toe
    # half a time step less at each end, where the foot lands and leaves
    found = zip((starts[long] + first + 0.5) % count / count, (ends - starts)[long] - 1.0, strict=True)
    return tuple(sorted(Window(float(start), float(length) / count) for start, length in found))


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
