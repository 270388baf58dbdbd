# SPDX-License-Identifier: GPL-3.0-or-later
"""A crowd with all that is drawn for its people before they are placed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...array_types import Bool, Float64, Int64, UInt64
from ...scene import AT_ONCE, FLOW, VEHICLE, Crowd, Scene
from ..settings.population_settings import POPULATION
from ..world import randomness
from .groups import first_of, parties_of

_APART_IN_GROUP = 0.15  # of the time in which all set off; chosen: friends do not step off as one


@dataclass(frozen=True, eq=False)
class DrawnCrowd:
    """A crowd of N people, and what is drawn for each of them; every value is drawn once.

    Attributes:
        crowd: as the user asks for it.
        place: its place in the scene file, for messages.
        seed: of the scene.
        slowest_share: nobody wants to be slower than this share of the mean speed.
    """

    crowd: Crowd
    place: str
    seed: int
    slowest_share: float = POPULATION.slowest_share

    def __deepcopy__(self, memo: object) -> DrawnCrowd:
        """The same: nothing of it ever changes."""
        return self

    def uniform(self, attribute: str, count: int | None = None) -> Float64:
        """Return float64 (count,) in [0, 1): the draws for one attribute; by default one for each person."""
        return randomness.uniform(self.seed, self.crowd.identity, attribute, self._number(count))

    def normal(self, attribute: str, count: int | None = None) -> Float64:
        """Return float64 (count,), the standard normal draws for one attribute; by default one for each person."""
        return randomness.normal(self.seed, self.crowd.identity, attribute, self._number(count))

    def chosen(self, attribute: str, share: float) -> Bool:
        """Return bool (N,), who is among those, a share of the crowd, who do something; a group does it together.

        They are those with the lowest draws, as many as the share says; where that is no whole number, the next one
        with the probability that is left. So one more person changes one other at most.

        Args:
            attribute: what is drawn.
            share: of the people, 0 to 1.
        """
        count, first = self.crowd.count, self.first
        order = np.argsort(self.uniform(attribute)[first], kind="stable")
        rank = np.empty(count, dtype=np.int64)
        rank[order] = np.arange(count)
        left_over = self.uniform(f"{attribute} left over", 1)
        wanted = np.floor(np.round(share * count, 6) + left_over)  # Blender's shares are float32
        size = np.bincount(first, minlength=count)[first]
        return 2 * rank[first] + size <= 2 * wanted  # of a group, where its greater part is

    def keys(self, attribute: str) -> UInt64:
        """Return uint64 (N,), a key of each person for draws at any time: see `randomness.mixed`."""
        return randomness.keys(self.seed, self.crowd.identity, attribute, self.crowd.count)

    def _number(self, count: int | None) -> int:
        return self.crowd.count if count is None else count

    @cached_property
    def party(self) -> Int64:
        """int64 (N,), the number of each one's group within the crowd, rising; single people have one each."""
        return parties_of(self.seed, self.crowd)

    @cached_property
    def first(self) -> Int64:
        """int64 (N,), the number of the first of each one's group."""
        return first_of(self.party)

    @cached_property
    def radius(self) -> Float64:
        """float64 (N,), of the bodies [m]."""
        low, high = self.crowd.radius
        radius = low + (high - low) * self.uniform("radius")
        for number, agent in enumerate(self.crowd.agents):
            radius[number] = radius[number] if agent.radius is None else agent.radius
        return radius

    @cached_property
    def speed(self) -> Float64:
        """float64 (N,), wanted speeds: in a group that of the slowest [m/s]."""
        crowd = self.crowd
        drawn = crowd.speed.mean + crowd.speed.sd * self.normal("speed")
        speed = np.maximum(drawn, self.slowest_share * crowd.speed.mean)
        for number, agent in enumerate(crowd.agents):
            speed[number] = speed[number] if agent.speed is None else agent.speed
        slowest = np.full(crowd.count, np.inf)
        np.minimum.at(slowest, self.party, speed)
        return slowest[self.party]

    @cached_property
    def entry_time(self) -> Float64:
        """float64 (N,), when each may enter: at a time of their own, with the flow, or at 0 [s]."""
        time = self._flow_time()
        for number, agent in enumerate(self.crowd.agents):
            time[number] = time[number] if agent.enters is None else agent.enters
        return time

    @property
    def sets_off(self) -> Float64:
        """float64 (N,), when each begins to walk, a group nearly together: 0 for who does so as they enter [s]."""
        spawn = self.crowd.spawn
        if spawn.mode != AT_ONCE:
            return np.zeros(self.crowd.count)
        drawn = self.uniform("sets off")
        share = drawn[self.first] + _APART_IN_GROUP * (drawn - drawn[self.first])
        return np.where(self.entry_time > 0.0, 0.0, spawn.sets_off_within * share)

    @property
    def comes_later(self) -> Bool:
        """Who needs no room at the first frame: all of a flow, and those who enter after it; bool (N,)."""
        return (self.entry_time > 0.0) | (self.crowd.spawn.mode == FLOW)

    def share_under_way(self, duration: float) -> float:
        """Return the rough share, 0 to 1, who walk at the same time if each walks for a duration [s]."""
        crowd = self.crowd
        if crowd.count == 0:
            return 1.0
        if crowd.spawn.mode == FLOW:
            return min(1.0, crowd.spawn.rate * duration / crowd.count)
        entries = np.sort(self.entry_time)
        return float(np.max(np.searchsorted(entries, entries + duration) - np.arange(crowd.count))) / crowd.count

    def _flow_time(self) -> Float64:
        """Return float64 (N,), when the flow lets each enter, with uneven intervals; 0 without a flow [s]."""
        crowd = self.crowd
        if crowd.spawn.mode != FLOW:
            return np.zeros(crowd.count)
        uneven = 0.6 + 0.8 * self.uniform("interval")
        interval = np.maximum(uneven / crowd.spawn.rate, crowd.spawn.headway)
        if crowd.count == 0:
            return interval
        # A group comes together: the next as soon as the one before is in.
        return np.concatenate([[0.0], np.cumsum(interval)[:-1]])[self.first]


def draw_crowds(scene: Scene, slowest_share: float) -> list[DrawnCrowd]:
    """Return the crowds of a scene, in their order; there is nobody in those of vehicles.

    Args:
        scene: what the user asks for.
        slowest_share: see `DrawnCrowd`.
    """
    crowds = [crowd if crowd.kind != VEHICLE else replace(crowd, count=0) for crowd in scene.crowds]
    return [DrawnCrowd(crowd, f"crowds[{number}]", scene.seed, slowest_share) for number, crowd in enumerate(crowds)]
