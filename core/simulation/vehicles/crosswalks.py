# SPDX-License-Identifier: GPL-3.0-or-later
"""Marked crossings, where vehicles stop for people."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...array_types import Float64, Int64
from ...geometry.reproducible_math import length
from ...geometry.segments import contains
from ...scene import Area
from ...steering.traffic.car_following import passing_times
from ...steering.traffic.right_of_way import Approaching
from ...steering.traffic.settings import TrafficSettings
from ..settings.vehicle_settings import VEHICLES, CrosswalkSettings
from ..world.agents import PeopleOnFoot
from .roads import LANE_STEP, Roads

_SLOWEST = 1e-3  # [m/s]: whoever moves across a lane more slowly stays


class Occupied(NamedTuple):
    """When people are on crossed lanes, one row for each person and lane.

    Attributes:
        number: int64 (N,), of the crossed lane.
        start, end: float64 (N,), from when until when; inf: stays [s].
    """

    number: Int64
    start: Float64
    end: Float64


_NEVER = Occupied(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0))


class Crosswalks:
    """Marked crossings of people over lanes.

    Args:
        areas: the outlines.
        roads: whose lanes they lie on.
        settings: when vehicles stop.

    Attributes:
        lane: int64 (C,); start, end: float64 (C,), the part of a lane that a crossing covers [m].
        notices: notices of crossings that are on no road.
    """

    def __init__(
        self, areas: tuple[Area, ...], roads: Roads, settings: CrosswalkSettings = VEHICLES.crosswalks
    ) -> None:
        self._settings = settings
        self._outlines = [area.outline for area in areas]
        self._roads = roads
        parts: list[tuple[int, int, float, float]] = []
        self.notices: list[str] = []
        for number, area in enumerate(areas):
            found = _covered(area.outline, roads)
            parts += [(number, lane, start, end) for lane, start, end in found]
            if not found:
                self.notices.append(f"{area.name}: is on no road with vehicles, so no vehicle stops there.")
        columns = list(zip(*parts, strict=True)) or [(), (), (), ()]
        self._number, self.lane = (np.array(column, dtype=np.int64) for column in columns[:2])
        self.start, self.end = (np.array(column, dtype=np.float64) for column in columns[2:])
        self._from_last = np.argsort(-self.start, kind="stable")
        row = roads.row(self.lane, 0.5 * (self.start + self.end))
        self._place, self._direction = roads.samples.position[row], roads.samples.direction[row]

    def __len__(self) -> int:
        return len(self.lane)

    def occupied(self, people: PeopleOnFoot) -> Occupied:
        """Return when people are on each crossed lane."""
        soon = (people.position + share * self._settings.prediction_time * people.velocity for share in (0.0, 0.5, 1.0))
        places = list(soon)
        parts = []
        for number, outline in enumerate(self._outlines):
            on = np.zeros(len(people.radius), dtype=bool)
            for place in places:
                on |= contains(outline, place)
            lanes = np.flatnonzero(self._number == number)
            if on.any() and len(lanes):
                parts.append(self._occupied_on(lanes, PeopleOnFoot(*(part[on] for part in people))))
        return Occupied._make(np.concatenate(columns) for columns in zip(_NEVER, *parts, strict=True))

    def _occupied_on(self, lanes: Int64, people: PeopleOnFoot) -> Occupied:
        """When people on or near the crossing are on some of its lanes."""
        settings = self._settings
        apart = people.position[None] - self._place[lanes][:, None]  # (C, N, 2)
        direction = self._direction[lanes][:, None]
        across = direction[..., 0] * apart[..., 1] - direction[..., 1] * apart[..., 0]
        sideways = direction[..., 0] * people.velocity[:, 1] - direction[..., 1] * people.velocity[:, 0]
        reach = 0.5 * self._roads.width[self.lane[lanes]][:, None] + people.radius
        gap, pace = np.abs(across) - reach, np.maximum(np.abs(sideways), _SLOWEST)
        comes = (across * sideways < 0.0) & (gap < settings.approach_time * np.abs(sideways))
        stands = length(people.velocity) < settings.standing_speed
        there = (gap <= 0.0) | (stands & (gap < settings.waiting_distance))
        start = np.where(there, 0.0, gap / pace)
        end = np.where(there & stands, np.inf, (reach - np.copysign(across, across * sideways)) / pace)
        lane, who = np.nonzero(there | comes)
        return Occupied(lanes[lane], start[lane, who], end[lane, who])

    def stop_at(self, occupied: Occupied, who: Approaching, driving: TrafficSettings) -> Float64:
        """Where vehicles must stop for people.

        Args:
            occupied: when people are on each crossed lane.
            who: R vehicles.
            driving: how they estimate who passes first.

        Returns:
            float64 (R,) along their lanes; inf where they are past before people come, come after they have left, or
            can no longer stop [m].
        """
        settings = self._settings
        stop = np.full(len(who.lane), np.inf)
        at_ease = 0.5 * who.speed * who.speed / who.deceleration
        for number in np.unique(occupied.number):
            distance = self._distance(number, who)
            # Who is past, or would have to brake too hard, drives on.
            stops = (who.lane == self.lane[number]) & (distance >= 0.0)
            stops &= 0.5 * who.speed * who.speed <= settings.latest_braking * distance
            rows = np.flatnonzero(stops)
            to_rear = distance[rows] + self.end[number] - self.start[number] + who.front[rows] - who.rear[rows]
            begin, end = passing_times(who.speed[rows], distance[rows], to_rear, driving)
            here = occupied.number == number
            meets = (occupied.start[here] < end[:, None]) & (occupied.end[here] > begin[:, None])  # (R, N)
            rows = rows[meets.any(axis=1)]
            stop[rows] = np.minimum(stop[rows], who.front[rows] + self._to_line(distance[rows], at_ease[rows]))
        return stop

    def keep_clear_at(self, who: Approaching) -> Float64:
        """Where vehicles must stop that would come to stand on a crossing, and can stop before it at ease.

        Args:
            who: R vehicles; `room`: how far each can go.

        Returns:
            float64 (R,) along their lanes; inf for all others [m].
        """
        stop, at_ease = np.full(len(who.lane), np.inf), 0.5 * who.speed * who.speed / who.deceleration
        if np.isinf(who.room).all():
            return stop
        for number in range(len(self)):
            distance = self._distance(number, who)
            beyond = distance + self.end[number] - self.start[number] + who.front - who.rear
            stops = (who.lane == self.lane[number]) & (distance >= at_ease) & (who.room < beyond)
            stop = np.where(stops, np.minimum(stop, who.front + self._to_line(distance, at_ease)), stop)
        return stop

    def hold_at(self, who: Approaching, to_line: Float64, to_stop: Float64) -> Float64:
        """Where vehicles must stop that would have to wait farther on, with their rear on a crossing.

        Who would stand in a crossing of roads instead drives on; and so does who was let onto the crossing.

        Args:
            who: R vehicles.
            to_line: float64 (R,), how far each is from where it has to wait at a crossing of roads; inf: nowhere [m].
            to_stop: float64 (R,), the same for people, and behind who will have to stop [m].

        Returns:
            float64 (R,) along their lanes; inf for all others [m].
        """
        stop, at_ease, room = np.full(len(who.lane), np.inf), 0.5 * who.speed * who.speed / who.deceleration, to_line
        length = who.front - who.rear
        for number in self._from_last:  # whoever waits before one may stand on another
            distance = self._distance(number, who)
            farther = np.where(to_stop > distance, np.minimum(room, to_stop), room)
            holds = (who.lane == self.lane[number]) & (distance >= at_ease) & (farther > distance)
            holds &= farther < distance + self.end[number] - self.start[number] + length
            holds &= who.rear + distance >= who.clear_to
            room = np.where(holds, self._to_line(distance, at_ease), room)
            stop = np.where(holds, who.front + room, stop)
        return stop

    def _to_line(self, distance: Float64, at_ease: Float64) -> Float64:
        """How far each is from where it stops before a crossing, so far ahead, float64 (R,) [m].

        Who has just started, or is a little too fast, stops at ease beyond the line but before the crossing.
        """
        return np.maximum(distance - self._settings.stop_distance, np.minimum(at_ease, distance))

    def _distance(self, number: int, who: Approaching) -> Float64:
        """How far each is from a crossed lane, float64 (R,) [m]; negative behind it."""
        lap, distance = self._roads.lap[self.lane[number]], self.start[number] - who.front
        return np.mod(distance + 0.5, lap) - 0.5 if np.isfinite(lap) else distance


def _covered(outline: Float64, roads: Roads) -> list[tuple[int, float, float]]:
    """The parts of lanes under an outline: lane, start and end [m]."""
    samples = roads.samples
    low, high = outline.min(axis=0) - 2.0, outline.max(axis=0) + 2.0
    near = np.flatnonzero(np.all((samples.position >= low) & (samples.position <= high), axis=1))
    if not len(near):
        return []
    inside = np.zeros(len(near), dtype=bool)
    direction = samples.direction[near]
    for share in (-0.25, 0.0, 0.25):  # anywhere across the middle of the lane
        aside = share * roads.width[samples.lane[near]][:, None] * np.stack((-direction[:, 1], direction[:, 0]), axis=1)
        for along in (-0.25 * LANE_STEP, 0.25 * LANE_STEP):
            inside |= contains(outline, samples.position[near] + aside + along * direction)
    rows = near[inside]
    parts = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
    return [
        (int(lane), float(samples.s[piece].min()) - 0.5 * LANE_STEP, float(samples.s[piece].max()) + 0.5 * LANE_STEP)
        for part in parts
        for lane in np.unique(samples.lane[part])
        if len(piece := part[samples.lane[part] == lane])
    ]
