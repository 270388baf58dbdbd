# SPDX-License-Identifier: GPL-3.0-or-later
"""Who goes round a roundabout: whoever enters it gives way, and those on the ring never wait for room to go on.

Were it otherwise, those who enter would fill the ring until everybody on it waits for the one ahead, all the way round.
Roundabouts are not drawn as such: each curve leads in, round a part of the ring, and out. Where two lanes come
together, the one that bends to the inside before and after that goes round, if the other does not bend as much.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64
from ...geometry.reproducible_math import arctan2
from .conflict_zones import LaneSamples, Zones, directions_at
from .lane_joins import Joins
from .settings import TrafficSettings


def find_circulating(
    samples: LaneSamples, zones: Zones, joins: Joins, lap: Float64, settings: TrafficSettings, *, keeps_left: bool
) -> Bool:
    """Return bool (2 Z,), on which sides of zones vehicles go round a ring, into which those of the other side come.

    Args:
        samples: of all lanes.
        zones: where they meet.
        joins: where they run together.
        lap: float64 (L,), length of lanes that go round; inf of others [m].
        settings: how sharply rings bend.
        keeps_left: whether traffic keeps left, and goes round to the right.
    """
    span, least, inside = settings.ring_span, settings.ring_span / settings.ring_radius, -1.0 if keeps_left else 1.0

    def turn(begin: Float64, end: Float64) -> Float64:
        (ax, ay), (bx, by) = (directions_at(samples, zones.lane, s, lap).T for s in (begin, end))
        return inside * arctan2(ax * by - ay * bx, ax * bx + ay * by)

    before, after = turn(zones.start - span, zones.start), turn(zones.start, zones.start + span)
    bends = (before >= least) & (after >= least) & (before >= before[zones.others] + least)
    return bends & _run_together(joins, zones)


def _run_together(joins: Joins, zones: Zones) -> Bool:
    """Return bool (2 Z,), whether both lanes run together from within the zone on."""
    lane, other = zones.lane[:, None], zones.lane[zones.others][:, None]
    begins = (joins.start >= zones.start[:, None]) & (joins.start <= zones.end[:, None])
    return np.asarray(((joins.lane == lane) & (joins.other == other) & begins).any(axis=1))
