# SPDX-License-Identifier: GPL-3.0-or-later
"""Who goes round a roundabout: whoever enters it gives way, and those on the ring never wait for room to go on.

Were it otherwise, those who enter would fill the ring until everybody on it waits for the one ahead, all the way round.
Roundabouts are not drawn as such: each curve leads in, round a part of the ring, and out. It is known by its shape:
lanes bend to the kerb's side as they come in, then to the other side, and to the kerb's side again as they go out. No
turn at a junction does. A closed curve is one if it bends to that other side all the way round.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import arctan2, dot
from .conflict_zones import LaneSamples, Zones
from .lane_joins import Joins
from .right_of_way import EQUAL
from .settings import TrafficSettings


def find_circulating(
    samples: LaneSamples,
    zones: Zones,
    joins: Joins,
    lanes: tuple[Float64, Int64],
    settings: TrafficSettings,
    *,
    keeps_left: bool,
) -> Bool:
    """Return bool (2 Z,), on which sides of zones vehicles go round a ring, into which those of the other side come.

    Args:
        samples: of all lanes.
        zones: where they meet.
        joins: where they run together.
        lanes: float64 (L,), length of those that go round, inf of others [m]; and int64 (L,), their ranks: whoever
            comes in on a main road goes first, if the ring is none.
        settings: the shape of roundabouts.
        keeps_left: whether traffic keeps left, and goes round to the right.
    """
    lap, rank = lanes
    begins = np.full(len(zones.lane), -np.inf)
    for lane in np.unique(zones.lane):
        rows = np.flatnonzero(zones.lane == lane)
        on_lane = np.flatnonzero(samples.lane == lane)
        begin, end = _rings(samples, on_lane, lap[lane], settings, keeps_left=keeps_left)
        place = np.mod(zones.start[rows], lap[lane])[:, None]
        within = (place >= begin) & (place <= end)
        begins[rows] = np.where(within, place - begin, -np.inf).max(axis=1, initial=-np.inf)
    goes_round = begins >= settings.ring_least
    ranks = rank[zones.lane]
    goes_round &= ~goes_round[zones.others] & (np.maximum(ranks, EQUAL) >= ranks[zones.others])
    return goes_round & _run_together(joins, zones)


def _rings(
    samples: LaneSamples, rows: Int64, lap: float, settings: TrafficSettings, *, keeps_left: bool
) -> tuple[Float64, Float64]:
    """Where a lane, the samples int64 (N,), begins and ceases to go round a ring: float64 (R,) each [m]."""
    s, direction = samples.s[rows], samples.direction[rows]
    after = np.roll(direction, -1, axis=0)
    turn = arctan2(direction[:, 0] * after[:, 1] - direction[:, 1] * after[:, 0], dot(direction, after))
    turn = -turn if keeps_left else turn
    step = float(s[1] - s[0]) if len(s) > 1 else 1.0
    beside = round(settings.ring_entry / step)
    if np.isfinite(lap):
        turned = np.cumsum(np.concatenate(([0.0], np.resize(turn, len(turn) + beside))))  # round again and again
        if np.min(turned[beside:] - turned[:-beside]) >= settings.ring_entry / settings.ring_radius:
            return np.full(1, -np.inf), np.full(1, np.inf)
    turn[-1:] = 0.0
    bends = turn >= step / settings.ring_radius
    edges = np.flatnonzero(np.diff(np.concatenate(([False], bends, [False]))))
    begin, end = edges[::2], edges[1::2]
    turned, outwards = (np.concatenate(([0.0], np.cumsum(each))) for each in (turn, np.minimum(turn, 0.0)))
    entered = outwards[np.maximum(begin - beside, 0)] - outwards[begin]
    left = outwards[end] - outwards[np.minimum(end + beside, len(turn))]
    rings = (np.minimum(entered, left) >= settings.ring_entry_turn) & (
        turned[end] - turned[begin] >= settings.ring_turn
    )
    return s[begin[rings]], s[np.minimum(end[rings], len(s) - 1)]


def _run_together(joins: Joins, zones: Zones) -> Bool:
    """Return bool (2 Z,), whether both lanes run together from within the zone on."""
    lane, other = zones.lane[:, None], zones.lane[zones.others][:, None]
    begins = (joins.start >= zones.start[:, None]) & (joins.start <= zones.end[:, None])
    return np.asarray(((joins.lane == lane) & (joins.other == other) & begins).any(axis=1))
