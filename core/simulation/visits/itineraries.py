# SPDX-License-Identifier: GPL-3.0-or-later
"""Who stops where, how long, and in which order: drawn by person and stop, so that one more stop changes no other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...scene import RANDOM_ORDER, Stop
from ..population.drawn_crowd import DrawnCrowd


@dataclass(frozen=True, eq=False)
class Itineraries:
    """The stops of A agents, each with K at most.

    Attributes:
        stop: int64 (A, K), numbers of stops in the order in which each visits them, all stops of all crowds numbered
            together; -1 behind the last.
        duration: float64 (A, K), how long each stays [s].
        pick: float64 (A, K), from 0 to 1, which of several free spots each takes.
    """

    stop: Int64
    duration: Float64
    pick: Float64

    def __deepcopy__(self, memo: object) -> Itineraries:
        """The same: nothing of it ever changes."""
        return self


def draw_itineraries(everybody: Sequence[DrawnCrowd], circuit: int = 0) -> Itineraries:
    """Return where everybody stops.

    Args:
        everybody: the crowds of the scene; those of vehicles are empty.
        circuit: how often people who walk in circles have made all their stops.
    """
    most = max((len(drawn.crowd.stops) for drawn in everybody), default=0)
    parts, first = [], 0
    for drawn in everybody:
        parts.append(_of_crowd(drawn, circuit, first, most))
        first += len(drawn.crowd.stops)
    stop, duration, pick = (np.concatenate(each) for each in zip(*parts, strict=True))
    return Itineraries(stop, duration, pick)


def _of_crowd(drawn: DrawnCrowd, circuit: int, first: int, most: int) -> tuple[Int64, Float64, Float64]:
    """Return the stops of one crowd, the first of which has a number, and their draws: three arrays (N, most)."""
    crowd = drawn.crowd
    count, stops = crowd.count, len(crowd.stops)
    stop = np.full((count, most), -1)
    duration, pick = np.zeros((count, most)), np.zeros((count, most))
    if not (count and stops):
        return stop, duration, pick
    comes, stays = np.zeros((count, stops), dtype=bool), np.zeros((count, stops))
    spot, rank = np.zeros((count, stops)), np.zeros((count, stops))
    together = drawn.first  # a group stops together
    for k, key in enumerate(_keys(crowd.stops, circuit)):
        asked = crowd.stops[k]
        comes[:, k] = drawn.chosen(f"{key} share", asked.share)
        spread = drawn.normal(f"{key} duration")[together]
        stays[:, k] = np.maximum(asked.duration.mean + asked.duration.sd * spread, 0.0)
        spot[:, k] = drawn.uniform(f"{key} spot")
        rank[:, k] = drawn.uniform(f"{key} order")[together]
    rank = rank if crowd.stop_order == RANDOM_ORDER else np.broadcast_to(np.arange(stops) / stops, rank.shape)
    order = np.argsort(np.where(comes, rank, 2.0), axis=1, kind="stable")
    rows = np.arange(count)[:, None]
    there: Bool = comes[rows, order]
    stop[:, :stops] = np.where(there, first + order, -1)
    duration[:, :stops], pick[:, :stops] = stays[rows, order], spot[rows, order]
    return stop, duration, pick


def _keys(stops: Sequence[Stop], circuit: int) -> list[str]:
    """Return what seeds the draws of each stop: its identity, and a number where several have the same."""
    keys: list[str] = []
    for stop in stops:
        again = sum(each.name == stop.name for each in stops[: len(keys)])
        keys.append(f"stop {stop.name} {again} {circuit}" if again or circuit else f"stop {stop.name}")
    return keys
