# SPDX-License-Identifier: GPL-3.0-or-later
"""Marked crossings, where vehicles stop for people."""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import length
from ...geometry.segments import contains
from ...scene import Area
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

    def claimed(self, people: PeopleOnFoot) -> Bool:
        """Return bool (C,), on which crossed lanes somebody is, or will be soon."""
        claimed = np.zeros(len(self), dtype=bool)
        if not len(people.radius):
            return claimed
        soon = (people.position + share * self._settings.prediction_time * people.velocity for share in (0.0, 0.5, 1.0))
        places = list(soon)
        for number, outline in enumerate(self._outlines):
            on = np.zeros(len(people.radius), dtype=bool)
            for place in places:
                on |= contains(outline, place)
            lanes = np.flatnonzero(self._number == number)
            if on.any() and len(lanes):
                claimed[lanes] = self._on_the_way(lanes, PeopleOnFoot(*(part[on] for part in people)))
        return claimed

    def _on_the_way(self, lanes: Int64, people: PeopleOnFoot) -> Bool:
        """Return bool (C,), to which of some lanes at least one of the people is on the way."""
        settings = self._settings
        apart = people.position[None] - self._place[lanes][:, None]  # (C, N, 2)
        direction = self._direction[lanes][:, None]
        across = direction[..., 0] * apart[..., 1] - direction[..., 1] * apart[..., 0]
        sideways = direction[..., 0] * people.velocity[:, 1] - direction[..., 1] * people.velocity[:, 0]
        gap = np.abs(across) - 0.5 * self._roads.width[self.lane[lanes]][:, None] - people.radius
        comes = (across * sideways < 0.0) & (gap < settings.approach_time * np.abs(sideways))
        speed = length(people.velocity)
        on_the_way: Bool = (
            (gap <= 0.0) | comes | ((speed < settings.standing_speed) & (gap < settings.waiting_distance))
        )
        return np.any(on_the_way, axis=1)

    def stop_at(self, claimed: Bool, lane: Int64, front: Float64, speed: Float64) -> Float64:
        """Where vehicles must stop for people, float64 (R,); inf where they need not or no longer can [m]."""
        stop = np.full(len(lane), np.inf)
        for number in np.flatnonzero(claimed):
            line = self.start[number] - self._settings.stop_distance
            lap = self._roads.lap[self.lane[number]]
            distance = line - front if np.isinf(lap) else np.mod(line - front + 0.5, lap) - 0.5
            can = (lane == self.lane[number]) & (distance > -0.5)
            can &= 0.5 * speed * speed <= self._settings.latest_braking * np.maximum(distance, 0.1)
            stop = np.where(can, np.minimum(stop, front + distance), stop)
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
