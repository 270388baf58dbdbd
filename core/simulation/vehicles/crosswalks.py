# SPDX-License-Identifier: GPL-3.0-or-later
"""Marked crossings, where vehicles stop for people."""

from __future__ import annotations

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
        row = roads.row(self.lane, 0.5 * (self.start + self.end))
        self._place, self._direction = roads.samples.position[row], roads.samples.direction[row]

    def __len__(self) -> int:
        return len(self.lane)

    def arrival(self, people: PeopleOnFoot) -> Float64:
        """Return float64 (C,), when the next person comes to each crossed lane; 0: is there; inf: nobody [s]."""
        arrival = np.full(len(self), np.inf)
        if not len(people.radius):
            return arrival
        soon = (people.position + share * self._settings.prediction_time * people.velocity for share in (0.0, 0.5, 1.0))
        places = list(soon)
        for number, outline in enumerate(self._outlines):
            on = np.zeros(len(people.radius), dtype=bool)
            for place in places:
                on |= contains(outline, place)
            lanes = np.flatnonzero(self._number == number)
            if on.any() and len(lanes):
                arrival[lanes] = self._arrival_on(lanes, PeopleOnFoot(*(part[on] for part in people)))
        return arrival

    def _arrival_on(self, lanes: Int64, people: PeopleOnFoot) -> Float64:
        """Return float64 (C,), when the first of people on or near the crossing comes to some of its lanes [s]."""
        settings = self._settings
        apart = people.position[None] - self._place[lanes][:, None]  # (C, N, 2)
        direction = self._direction[lanes][:, None]
        across = direction[..., 0] * apart[..., 1] - direction[..., 1] * apart[..., 0]
        sideways = direction[..., 0] * people.velocity[:, 1] - direction[..., 1] * people.velocity[:, 0]
        gap = np.abs(across) - 0.5 * self._roads.width[self.lane[lanes]][:, None] - people.radius
        comes = (across * sideways < 0.0) & (gap < settings.approach_time * np.abs(sideways))
        waits = (length(people.velocity) < settings.standing_speed) & (gap < settings.waiting_distance)
        there = (gap <= 0.0) | waits
        time = np.where(comes, gap / np.where(comes, np.abs(sideways), 1.0), np.inf)
        return np.where(there, 0.0, time).min(axis=1)

    def stop_at(self, arrival: Float64, who: Approaching, driving: TrafficSettings) -> Float64:
        """Where vehicles must stop for people.

        Args:
            arrival: float64 (C,), when people come to each crossed lane [s].
            who: R vehicles.
            driving: how they estimate who passes first.

        Returns:
            float64 (R,) along their lanes; inf where they are past before people come, or can no longer stop [m].
        """
        settings, speed = self._settings, who.speed
        stop = np.full(len(who.lane), np.inf)
        at_ease = 0.5 * speed * speed / who.deceleration
        for number in np.flatnonzero(np.isfinite(arrival)):
            lap = self._roads.lap[self.lane[number]]
            distance = self.start[number] - who.front
            if np.isfinite(lap):
                distance = np.mod(distance + 0.5, lap) - 0.5
            to_rear = distance + self.end[number] - self.start[number] + who.front - who.rear
            _, until = passing_times(speed, distance, to_rear, driving)
            stops = (who.lane == self.lane[number]) & (distance >= 0.0) & (until > arrival[number])
            stops &= 0.5 * speed * speed <= settings.latest_braking * distance
            # Who has just started, or is a little too fast, stops at ease beyond the line but before the crossing.
            to_line = np.maximum(distance - settings.stop_distance, np.minimum(at_ease, distance))
            stop = np.where(stops, np.minimum(stop, who.front + to_line), stop)
        return stop


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
