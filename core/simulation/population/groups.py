# SPDX-License-Identifier: GPL-3.0-or-later
"""Small groups within a crowd, drawn by size, and places for them side by side.

Counted in streets, the sizes of groups fall off as a Poisson distribution without zero does: most who do not walk alone
walk in pairs, fewer in threes, few in more. Friends walk as fast as the slowest of them.

Sources: James 1953, "The distribution of free-forming small group size"; Moussaid et al. 2010, "The walking behaviour
of pedestrian social groups and its impact on crowd dynamics".
"""

from __future__ import annotations

import math

import numpy as np

from ...array_types import Float64, Int64
from ...scene import Crowd
from ...steering import neighbours
from ..settings.population_settings import PlacementSettings
from ..world import randomness


def abreast(count: Int64) -> Int64:
    """Return how many of groups of so many walk in a row: four and more walk in twos and threes."""
    return np.where(count <= 3, np.maximum(count, 1), np.where(count == 4, 2, 3))


def parties_of(seed: int, crowd: Crowd) -> Int64:
    """Return int64 (count,), the number of each one's group within a crowd, rising; single people have one each."""
    least, most = crowd.groups
    sizes = np.arange(least, most + 1)
    share = np.array([1.0 / math.factorial(size) for size in sizes])
    drawn = randomness.uniform(seed, crowd.identity, "group", crowd.count)  # more than enough: no group is empty
    size = sizes[np.searchsorted(np.cumsum(share)[:-1] / share.sum(), drawn, side="right")]
    return np.repeat(np.arange(crowd.count), size)[: crowd.count]


def first_of(party: Int64) -> Int64:
    """Return int64 (N,), the number of the first of each one's group; groups follow each other."""
    return np.searchsorted(party, party)


def own_offsets(d: Float64, group: Int64, radius: Float64, half_width: Float64, gap: float) -> Float64:
    """Return float64 (A,), preferred offsets from the route: the start offset, one for all of a group [m].

    A group takes the mean of its members, kept so far from the edges that all have room beside each other.

    Args:
        d: float64 (A,), start offsets [m].
        group: int64 (A,), -1 for those who walk alone.
        radius: float64 (A,) [m].
        half_width: float64 (A,), of the routes [m].
        gap: between two who walk abreast [m].
    """
    member = group >= 0
    number = np.unique(group[member], return_inverse=True)[1]
    count = np.bincount(number)
    middle = (np.bincount(number, d[member]) / np.maximum(count, 1))[number]
    row = (0.5 * (abreast(count) - 1))[number] * (2.0 * radius[member] + gap) + radius[member]
    most = np.maximum(half_width[member] - row, 0.0)
    offset = d.copy()
    offset[member] = np.clip(middle, -most, most)
    return offset


def has_groups(crowd: Crowd) -> bool:
    """Return whether a crowd has groups."""
    return crowd.groups[1] > 1


def seat_together(
    spots: Float64, order: Int64, party: Int64, settings: PlacementSettings, *, again: bool = False
) -> Int64:
    """Return int64 (N,), the place that each takes: members of a group side by side.

    Args:
        spots: float64 (P, 2), the places [m].
        order: int64 (P,), in which groups take their first place.
        party: int64 (N,), the number of each one's group, rising.
        settings: how far apart members of a group stand at most.
        again: places are taken again when all are taken; otherwise there are at least N.
    """
    near = neighbours.nearest(spots, settings.group_reach, settings.group_candidates).index
    free = np.ones(len(spots), dtype=bool)
    chosen: list[int] = []
    turn = 0
    for size in np.unique(party, return_counts=True)[1].tolist():
        for member in range(size):
            if again and not free.any():
                free[:] = True
            while not free[order[turn % len(order)]]:
                turn += 1
            spot = int(order[turn % len(order)])
            if member:
                beside = near[chosen[-member]]
                beside = beside[(beside >= 0)]
                beside = beside[free[beside]]
                spot = int(beside[0]) if len(beside) else spot
            free[spot] = False
            chosen.append(spot)
    return np.array(chosen, dtype=np.int64)
