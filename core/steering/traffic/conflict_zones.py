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

    def places(self, samples: LaneSamples, lap: Float64) -> tuple[Float64, Float64]:
        """Places of the first and the second, past the end of laps (L,) where zones go on there, float64 (K,) [m]."""
        return _unrolled(self.zone, samples, self.first, lap), _unrolled(self.zone, samples, self.second, lap)

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


def find_meetings(samples: LaneSamples, lap: Float64) -> Meetings:
    """Find where lanes of different roads meet, or a road meets itself.

    Args:
        samples: of all lanes.
        lap: float64 (L,), length of lanes that go round, inf of others [m].
    """
    pairs = close_pairs(samples.position, samples.reach)
    first, second = pairs.T
    apart = np.abs(samples.road_s[first] - samples.road_s[second])
    road_lap = np.zeros(int(samples.road.max(initial=0)) + 1)  # of the road's own line, to within a sample
    np.maximum.at(road_lap, samples.road, np.where(np.isfinite(lap[samples.lane]), samples.road_s, np.inf))
    apart = np.minimum(apart, road_lap[samples.road[first]] - apart)
    meets = (samples.road[first] != samples.road[second]) | (apart > _OWN_ROAD)
    meets &= np.abs(samples.height[first] - samples.height[second]) < HEADROOM
    first, second = first[meets], second[meets]
    turned = samples.lane[first] > samples.lane[second]
    first, second = np.where(turned, second, first), np.where(turned, first, second)
    zone = samples.lane[first] * (int(samples.lane.max(initial=0)) + 1) + samples.lane[second]
    for side in (first, second):
        zone = _clusters(zone, samples.s[side], lap[samples.lane[side]])
    return Meetings(first, second, zone)


def find_zones(samples: LaneSamples, meetings: Meetings, lap: Float64) -> Zones:
    """Return the extents of zones on both lanes; `lap` as in `find_meetings`."""
    numbers, group = np.unique(meetings.zone, return_inverse=True)
    count = len(numbers)
    sides = []
    for row, s in zip((meetings.first, meetings.second), meetings.places(samples, lap), strict=True):
        start, end = np.full(count, np.inf), np.full(count, -np.inf)
        np.minimum.at(start, group, s)
        np.maximum.at(end, group, s)
        lane = np.zeros(count, dtype=np.int64)
        lane[group] = samples.lane[row]
        sides.append((lane, start, end))
    return Zones(*(np.concatenate(columns) for columns in zip(*sides, strict=True)))


def groups_of(number: Int64) -> list[Int64]:
    """The rows of each number, in order."""
    order = np.argsort(number, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(number[order])) + 1) if len(order) else []


def _clusters(group: Int64, place: Float64, lap: Float64) -> Int64:
    """Split groups where places lie more than a step apart, round the ends of laps (K,) too: numbers of the parts."""
    order = np.lexsort((place, group))
    group, place, lap = group[order], place[order], lap[order]
    begins, splits = np.ones(len(order), dtype=bool), np.ones(len(order), dtype=bool)
    begins[1:] = np.diff(group) != 0
    splits[1:] = begins[1:] | (np.diff(place) > _SPLIT)
    part = np.cumsum(splits) - 1
    first, last = np.flatnonzero(begins), np.flatnonzero(np.roll(begins, -1))
    goes_on = place[first] + lap[first] - place[last] <= _SPLIT
    number = np.arange(len(order))
    number[part[last[goes_on]]] = part[first[goes_on]]
    result = np.empty_like(part)
    result[order] = number[part]
    return result


def _unrolled(zone: Int64, samples: LaneSamples, rows: Int64, lap: Float64) -> Float64:
    """Places of samples along their lanes, past the end of laps (L,) where their zones (K,) go on there [m]."""
    place, lap = samples.s[rows], lap[samples.lane[rows]]
    on_laps = np.flatnonzero(np.isfinite(lap))
    for group in groups_of(zone[on_laps]):
        own = on_laps[group]
        there = np.unique(place[own])
        gaps = np.diff(there)
        if there[0] + lap[own[0]] - there[-1] <= _SPLIT < gaps.max(initial=0.0):
            place[own[place[own] <= there[np.argmax(gaps)]]] += lap[own[0]]
    return place


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
        while len(start) > first + 1 and start[first] + lap[lane] <= end[-1] + waiting_room[lane]:
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
