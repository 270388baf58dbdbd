# SPDX-License-Identifier: GPL-3.0-or-later
"""Where lanes of different roads meet: conflict zones, and the stretches of lane that lead through them.

A body that keeps to its lane sweeps a corridor about the lane's line. Two corridors that meet make a zone; the zones
along one lane between which nobody has room to wait make one crossing stretch, which is reserved as a whole.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ..neighbours import close_pairs

HEADROOM = 3.5
"""What is so much higher passes over [m]."""

_SPLIT = 2.0  # [m]: conflicts this far apart along a lane are different zones
_OWN_ROAD = 30.0  # [m]: nearer along its own road, a road does not cross itself


class LaneSamples(NamedTuple):
    """Lanes at even steps, M samples.

    Attributes:
        lane: int64 (M,).
        s: float64 (M,), along the lane [m].
        position: float64 (M, 2) [m].
        height: float64 (M,) [m].
        direction: float64 (M, 2), unit vectors.
        reach: float64 (M,), half the width of what bodies on the lane sweep [m].
        road: int64 (M,); road_s: float64 (M,), along the road's own line [m].
    """

    lane: Int64
    s: Float64
    position: Float64
    height: Float64
    direction: Float64
    reach: Float64
    road: Int64
    road_s: Float64


class Stretches(NamedTuple):
    """P stretches of lane through crossings.

    Attributes:
        lane: int64 (P,).
        start, end: float64 (P,), where corridors of others begin and end [m]; on a lap, `end` may lie past it.
        direction: float64 (P, 2), of the lane at the start.
        circulates: bool (P,), whether it lies on a roundabout, where others only come in.
    """

    lane: Int64
    start: Float64
    end: Float64
    direction: Float64
    circulates: Bool


class Conflicts(NamedTuple):
    """K ordered pairs of stretches that cannot be passed at once: each pair stands there twice, once for each.

    Attributes:
        own, other: int64 (K,), the stretches.
        until: float64 (K,), where on the lane of the other its zone ends [m].
    """

    own: Int64
    other: Int64
    until: Float64


class Zones(NamedTuple):
    """Z conflict zones from the sides of both lanes: first all of one side, and then in the same order the others.

    Attributes:
        lane: int64 (2 Z,).
        start, end: float64 (2 Z,), of the zone on that lane [m].
    """

    lane: Int64
    start: Float64
    end: Float64

    @property
    def others(self) -> Int64:
        """int64 (2 Z,), where the other side of each is."""
        half = len(self.lane) // 2
        return np.concatenate((np.arange(half, 2 * half), np.arange(half)))


class Meetings(NamedTuple):
    """K pairs of samples of different roads, or of one far apart along it, whose corridors meet.

    Attributes:
        first, second: int64 (K,), the samples; the lane of the first has the lower number.
        zone: int64 (K,), which pairs belong together: those of two lanes that hang together along both.
    """

    first: Int64
    second: Int64
    zone: Int64

    def take(self, rows: Bool) -> Meetings:
        """Some of the pairs."""
        return Meetings(*(column[rows] for column in self))


def find_crossings(
    samples: LaneSamples, zones: Zones, circulates: Bool, lap: Float64, waiting_room: Float64
) -> tuple[Stretches, Conflicts]:
    """Make stretches of lane through crossings of where corridors meet.

    Args:
        samples: of all lanes.
        zones: where they meet.
        circulates: bool (2 Z,), on which sides vehicles go round a roundabout: they go first, and need no room to wait.
        lap: float64 (L,), length of lanes that go round, inf of others [m].
        waiting_room: float64 (L,), other zones nearer to each other on a lane are one stretch [m].

    Returns:
        The stretches, in order of lane and place, and the pairs of them that conflict.
    """
    stretch, start, end, lane = _join(zones, circulates, lap, waiting_room)
    rounds = np.ones(len(lane), dtype=bool)
    rounds[stretch[~circulates]] = False
    stretches = Stretches(lane, start, end, _directions(samples, lane, start, lap), rounds)
    other = zones.others
    own_stretch, other_stretch = stretch, stretch[other]
    until = zones.end[other]
    shift = np.where(until < start[other_stretch], lap[lane[other_stretch]], 0.0) if len(other) else until
    return stretches, Conflicts(own_stretch, other_stretch, until + shift)


def find_meetings(samples: LaneSamples, road_lap: Float64) -> Meetings:
    """Find where lanes of different roads meet, or a road meets itself.

    Args:
        samples: of all lanes.
        road_lap: float64 (R,), length of roads that go round, inf of others [m].
    """
    pairs = close_pairs(samples.position, samples.reach)
    first, second = pairs.T
    apart = np.abs(samples.road_s[first] - samples.road_s[second])
    lap = road_lap[samples.road[first]]
    apart = np.where(np.isfinite(lap), np.minimum(apart, np.where(np.isfinite(lap), lap, 0.0) - apart), apart)
    meets = (samples.road[first] != samples.road[second]) | (apart > _OWN_ROAD)
    meets &= np.abs(samples.height[first] - samples.height[second]) < HEADROOM
    first, second = first[meets], second[meets]
    turned = samples.lane[first] > samples.lane[second]
    first, second = np.where(turned, second, first), np.where(turned, first, second)
    lanes = samples.lane[first] * (int(samples.lane.max(initial=0)) + 1) + samples.lane[second]
    return Meetings(first, second, _clusters(_clusters(lanes, samples.s[first]), samples.s[second]))


def find_zones(samples: LaneSamples, meetings: Meetings) -> Zones:
    """Return the extents of zones on both lanes."""
    first, second, zone = meetings
    numbers, group = np.unique(zone, return_inverse=True)
    count = len(numbers)
    sides = []
    for row in (first, second):
        start, end = np.full(count, np.inf), np.full(count, -np.inf)
        np.minimum.at(start, group, samples.s[row])
        np.maximum.at(end, group, samples.s[row])
        lane = np.zeros(count, dtype=np.int64)
        lane[group] = samples.lane[row]
        sides.append((lane, start, end))
    return Zones(*(np.concatenate(columns) for columns in zip(*sides, strict=True)))


def _clusters(group: Int64, place: Float64) -> Int64:
    """Split groups where their places lie more than a step apart: int64 numbers of the parts."""
    order = np.lexsort((place, group))
    breaks = (np.diff(group[order]) != 0) | (np.diff(place[order]) > _SPLIT)
    part = np.zeros(len(group), dtype=np.int64)
    part[order] = np.concatenate(([0], np.cumsum(breaks)))[: len(group)]
    return part


def _join(zones: Zones, circulates: Bool, lap: Float64, waiting_room: Float64) -> tuple[Int64, Float64, Float64, Int64]:
    """Join zones along each lane: the stretch of each zone, and start, end and lane of each stretch."""
    stretch = np.zeros(len(zones.lane), dtype=np.int64)
    start: list[float] = []
    end: list[float] = []
    lanes: list[int] = []
    for lane in np.unique(zones.lane):
        rows = np.flatnonzero(zones.lane == lane)
        rows = rows[np.lexsort((zones.end[rows], zones.start[rows]))]
        first, before = len(start), False
        for row in rows:
            apart = 0.0 if before or circulates[row] else waiting_room[lane]
            before = bool(circulates[row])
            if len(start) == first or zones.start[row] > end[-1] + apart:
                start.append(float(zones.start[row]))
                end.append(float(zones.end[row]))
                lanes.append(int(lane))
            end[-1] = max(end[-1], float(zones.end[row]))
            stretch[row] = len(start) - 1
        if len(start) > first + 1 and start[first] + lap[lane] <= end[-1] + waiting_room[lane]:
            end[-1] = max(end[-1], end[first] + float(lap[lane]))  # round the end of the lap
            stretch[stretch == first] = len(start) - 1
            del start[first], end[first], lanes[first]
            stretch[stretch > first] -= 1
    return stretch, np.array(start), np.array(end), np.array(lanes, dtype=np.int64)


def _directions(samples: LaneSamples, lane: Int64, s: Float64, lap: Float64) -> Float64:
    """Directions of lanes at places, float64 (P, 2); `lap`: float64 (L,), as in `find_crossings`."""
    stride = 1.0 + float(samples.s.max(initial=0.0))
    first = np.searchsorted(samples.lane, lane)
    last = np.searchsorted(samples.lane, lane, side="right") - 1
    rows = np.searchsorted(samples.lane * stride + samples.s, lane * stride + np.mod(s, lap[lane]))
    return samples.direction[np.clip(rows, first, last)]
