# SPDX-License-Identifier: GPL-3.0-or-later
"""Heroes: their motion is given, everybody avoids them, and they avoid nobody."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ...array_types import Bool, Float64
from ...geometry.reproducible_math import dot, length, length2
from ...scene import Hero
from ...scene.basics.clock import Clock


class HeroBodies(NamedTuple):
    """Where heroes are: `position` float64 (H, 2) [m], `velocity` float64 (H, 2) [m/s], `radius` float64 (H,) [m]."""

    position: Float64
    velocity: Float64
    radius: Float64

    def joined(self, *others: HeroBodies) -> HeroBodies:
        """Return these bodies, and others behind them."""
        return HeroBodies(*map(np.concatenate, zip(self, *others, strict=True))) if others else self


def followed_by(own: NDArray[Any], given: NDArray[Any]) -> NDArray[Any]:
    """Return values of people, and after them those of given bodies; the same array where there are none of these."""
    return np.concatenate((own, given)) if len(given) else own


class StandingBodies(Protocol):
    """Bodies that never move."""

    def near(self, points: Float64) -> HeroBodies:
        """Return those near points, float64 (N, 2) [m]."""
        ...


class HeroTracks(NamedTuple):
    """`motion` float64 (F, H, 3), x and y, NaN where absent, and 0 [m]; `radius` (H,) [m]."""

    motion: Float64
    radius: Float64


class Heroes:
    """The heroes of a scene.

    Args:
        heroes: of the scene.
        clock: of the scene.
        clearance: see `WorldSettings.hero_clearance` [m].
    """

    def __init__(self, heroes: Sequence[Hero], clock: Clock, clearance: float) -> None:
        self._heroes, self._clock, self._clearance = heroes, clock, clearance

    def __len__(self) -> int:
        return len(self._heroes)

    def at(self, time: float, dt: float) -> HeroBodies:
        """Return those present at a time, and how they move during the following step [s]."""
        if not self._heroes:
            return HeroBodies(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0))
        frame = self._clock.frame_at(time)
        there = self._present(frame)
        here = _places(there, frame)
        return HeroBodies(here, (_places(there, frame + dt * self._clock.fps) - here) / dt, _radii(there))

    def over(self, frames: int) -> HeroTracks:
        """Return where all of them are in the first frames of the scene."""
        numbers = self._clock.first + np.arange(frames)
        motion = np.full((frames, len(self._heroes), 3), np.nan)
        for column, hero in enumerate(self._heroes):
            there = np.array([hero.is_present(number) for number in numbers.tolist()], dtype=bool)
            track = hero.motion
            for axis, values in enumerate((track.x, track.y)):
                motion[there, column, axis] = np.interp(numbers[there], track.frames, values)
            motion[there, column, 2] = 0.0
        return HeroTracks(motion, _radii(self._heroes))

    def come_upon(self, points: Float64, radius: Float64, time: float, horizon: float) -> Bool:
        """Return bool (N,), whether each would be hit by one of them if they stood still.

        Args:
            points: float64 (N, 2), where they are [m].
            radius: float64 (N,), of their bodies [m].
            time: now [s].
            horizon: heroes are taken to go straight on for so long [s].
        """
        frame = self._clock.frame_at(time)
        there = self._present(frame)
        if not there:
            return np.zeros(len(points), dtype=bool)
        here = _places(there, frame)
        move = _places(there, frame + horizon * self._clock.fps) - here  # (H, 2)
        apart = points[:, None] - here  # (N, H, 2)
        share = dot(apart, move) / np.maximum(length2(move), 1e-12)
        off = apart - np.clip(share, 0.0, 1.0)[..., None] * move
        reach = radius[:, None] + _radii(there) + self._clearance
        return (length2(off) < reach * reach).any(axis=1)

    def distance(self, points: Float64, time: float) -> Float64:
        """Return float64 (N,), signed distances of points (N, 2) to the nearest of them; infinite without any [m]."""
        frame = self._clock.frame_at(time)
        there = self._present(frame)
        if not there:
            return np.full(len(points), np.inf)
        apart = points[:, None] - _places(there, frame)
        return (length(apart) - _radii(there)).min(axis=1, initial=np.inf)

    def _present(self, frame: float) -> list[Hero]:
        return [hero for hero in self._heroes if hero.is_present(frame)]


def _radii(heroes: Sequence[Hero]) -> Float64:
    return np.array([hero.radius for hero in heroes], dtype=np.float64)


def _places(heroes: Sequence[Hero], frame: float) -> Float64:
    """Return float64 (H, 2), where they are at a frame; linear between keys [m]."""
    return np.array([hero.motion.at(frame) for hero in heroes], dtype=np.float64).reshape(-1, 2)
