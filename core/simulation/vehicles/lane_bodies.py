# SPDX-License-Identifier: GPL-3.0-or-later
"""People, obstacles and walls as bodies on lanes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import dot, length2
from ...geometry.segments import lengths_along
from ...scene import Obstacle
from ...scene.basics.clock import Clock
from ...steering.traffic.conflict_zones import HEADROOM
from ...steering.traffic.lane_order import LaneBodies
from ..settings.vehicle_settings import VEHICLES, VehicleSettings
from ..world.agents import PeopleOnFoot
from ..world.moving_obstacles import pose_at
from .roads import LANE_STEP, Roads

_CELL = 4.0  # [m]: no less than `lane_reach` and half a step together
_OUTLINE_STEP = 0.25  # [m] spacing of the points of an outline
_LONG = 50_000.0  # [m]: of outlines as long as this only the points near lanes are made


class LaneFinder:
    """Finds the lanes on which points lie, by a grid over the samples of all lanes.

    Args:
        roads: whose lanes.
        settings: what counts as on a lane.
    """

    def __init__(self, roads: Roads, settings: VehicleSettings = VEHICLES) -> None:
        self._roads, self._settings = roads, settings
        position = roads.samples.position
        self._low = position.min(axis=0) - 2.0 * _CELL
        cells = self._cells(position)
        self._columns = int(cells[:, 1].max()) + 3
        key = cells[:, 0] * self._columns + cells[:, 1]
        self._order = np.argsort(key, kind="stable")
        self._key = key[self._order]
        self._most = cells.max(axis=0) + 1
        self.box = np.stack((self._low, self._low + _CELL * (self._most + 1)))
        """Corners of the box that all lanes lie in, float64 (2, 2) [m]."""

    def _cells(self, points: Float64) -> Int64:
        return np.floor((points - self._low) / _CELL).astype(np.int64)

    def find(self, points: Float64) -> tuple[Int64, Int64, Float64, Float64]:
        """The lanes near points.

        Args:
            points: float64 (N, 2) [m].

        Returns:
            For each point and lane within reach: int64 (K,) number of the point, int64 (K,) lane, float64 (K,) s and d
            of the point there [m].
        """
        samples = self._roads.samples
        row, point = self._candidates(points)
        apart = points[point] - samples.position[row]
        distance, reach = length2(apart), self._settings.lane_reach + LANE_STEP
        close = np.flatnonzero(distance <= reach * reach)  # no other is near: fewer have to be sorted
        row, point, apart, distance = row[close], point[close], apart[close], distance[close]
        order = np.lexsort((distance, samples.lane[row], point))
        row, point, apart = row[order], point[order], apart[order]
        first = np.ones(len(row), dtype=bool)
        first[1:] = (point[1:] != point[:-1]) | (samples.lane[row[1:]] != samples.lane[row[:-1]])
        row, point, apart = row[first], point[first], apart[first]
        along, direction = dot(apart, samples.direction[row]), samples.direction[row]
        aside = direction[:, 0] * apart[:, 1] - direction[:, 1] * apart[:, 0]
        near = (np.abs(aside) <= self._settings.lane_reach) & (np.abs(along) <= LANE_STEP)
        lane, s = samples.lane[row[near]], samples.s[row[near]] + along[near]
        return point[near], lane, s, aside[near]

    def _candidates(self, points: Float64) -> tuple[Int64, Int64]:
        """Pairs of a sample and a point in the same or a neighbouring cell."""
        cells = self._cells(points)
        inside = np.flatnonzero(np.all((cells >= 0) & (cells <= self._most), axis=1))
        rows, numbers = [], []
        for step in (-1, 0, 1):
            key = (cells[inside, 0] + step) * self._columns + cells[inside, 1]
            begin = np.searchsorted(self._key, key - 1, side="left")
            count = np.searchsorted(self._key, key + 1, side="right") - begin
            ends = np.cumsum(count)
            within = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - count, count)
            rows.append(self._order[np.repeat(begin, count) + within])
            numbers.append(np.repeat(inside, count))
        return np.concatenate(rows), np.concatenate(numbers)

    def people(self, people: PeopleOnFoot, foresight: float) -> LaneBodies:
        """People as bodies on lanes: on those that they are near now, or will be after half the foresight.

        Args:
            people: pedestrians; those on another level are on no lane.
            foresight: [s].
        """
        position, velocity, radius, height = people
        lead = 0.5 * foresight
        point, lane, s, d = self.find(np.concatenate((position, position + lead * velocity)))
        _, first = np.unique(point % len(position) * len(self._roads.lap) + lane, return_index=True)
        point, lane, s, d = point[first], lane[first], s[first], d[first]
        who, ahead = point % len(position), np.where(point < len(position), 0.0, lead)
        direction = self._roads.samples.direction[self._roads.row(lane, s)]
        along = dot(velocity[who], direction)
        sideways = direction[:, 0] * velocity[who, 1] - direction[:, 1] * velocity[who, 0]
        s, d = s - ahead * along, d - ahead * sideways
        rise = self._roads.samples.height[self._roads.row(lane, s)] - height[who]
        level = ~(np.abs(rise) >= HEADROOM)  # also where the height is not known
        bodies = self._bodies(
            lane, (s - radius[who], s + radius[who]), (d - radius[who], d + radius[who]), (along, sideways)
        )
        return bodies.take(level)

    def outlines(self, outlines: list[Float64], velocity: Float64) -> LaneBodies:
        """Outlines as bodies on lanes.

        Args:
            outlines: float64 (V, 2) each, points along them close together [m].
            velocity: float64 (N, 2), of each as a whole [m/s].
        """
        points = np.concatenate(outlines) if outlines else np.zeros((0, 2))
        owner = np.repeat(np.arange(len(outlines)), [len(outline) for outline in outlines])
        point, lane, s, d = self.find(points)
        inside = np.abs(d) <= 0.5 * self._roads.width[lane]
        point, lane, s, d = point[inside], lane[inside], s[inside], d[inside]
        order = np.lexsort((s, lane, owner[point]))
        point, lane, s, d = point[order], lane[order], s[order], d[order]
        new = np.ones(len(s), dtype=bool)
        new[1:] = (
            (owner[point][1:] != owner[point][:-1]) | (lane[1:] != lane[:-1]) | (np.diff(s) > self._settings.body_split)
        )
        begin = np.flatnonzero(new)
        if not len(begin):
            return no_bodies()
        whose, on = owner[point[begin]], lane[begin]
        rear, front = np.minimum.reduceat(s, begin), np.maximum.reduceat(s, begin)
        direction = self._roads.samples.direction[self._roads.row(on, rear)]
        return self._bodies(
            on,
            (rear, front),
            (np.minimum.reduceat(d, begin), np.maximum.reduceat(d, begin)),
            (dot(velocity[whose], direction), np.zeros(len(whose))),
        )

    def _bodies(
        self,
        lane: Int64,
        along: tuple[Float64, Float64],
        across: tuple[Float64, Float64],
        velocity: tuple[Float64, Float64],
    ) -> LaneBodies:
        (rear, front), (right, left) = along, across
        lap = self._roads.lap[lane]
        shift = np.where(np.isfinite(lap), np.floor(rear / lap) * np.where(np.isfinite(lap), lap, 0.0), 0.0)
        return LaneBodies(lane, rear - shift, front - shift, right, left, *velocity, np.full(len(lane), -1))


def no_bodies() -> LaneBodies:
    """No bodies at all."""
    whole, real = np.zeros(0, dtype=np.int64), np.zeros(0)
    return LaneBodies(whole, real, real, real, real, real, real, whole)


def dense(points: Float64, box: Float64, *, closed: bool = True) -> Float64:
    """Points close together along an outline or an open line, float64 (V, 2) [m].

    Args:
        points: float64 (P, 2), the corners [m].
        box: float64 (2, 2), corners of a box [m]; of a very long line there are no points outside it.
        closed: whether it is an outline.
    """
    ring = np.concatenate((points, points[:1])) if closed else points
    u = lengths_along(ring)
    count = int(np.ceil(u[-1] / _OUTLINE_STEP)) + 1
    at = np.linspace(0.0, u[-1], count) if u[-1] < _LONG else u[-1] / (count - 1) * _numbers_inside(ring, u, count, box)
    return np.stack([np.interp(at, u, column) for column in ring.T], axis=1)


def _numbers_inside(ring: Float64, u: Float64, count: int, box: Float64) -> Int64:
    """Return int64 (N,), which of `count` points, evenly spaced along a line, lie in a box or next to it."""
    along = np.diff(ring, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = (box[:, None] - ring[:-1]) / along  # (2, E, 2), where the edges cross the sides of the box
    inside = np.all((ring[:-1] >= box[0]) & (ring[:-1] <= box[1]) | (along != 0.0), axis=1)
    first = np.where(along != 0.0, shares.min(axis=0), 0.0).max(axis=1).clip(0.0, 1.0)
    last = np.where(along != 0.0, shares.max(axis=0), 1.0).min(axis=1).clip(0.0, 1.0)
    crosses = np.flatnonzero(inside & (first < last))
    spacing, size = u[-1] / (count - 1), np.diff(u)
    begins = np.floor((u[crosses] + first[crosses] * size[crosses]) / spacing).astype(np.int64)
    ends = np.ceil((u[crosses] + last[crosses] * size[crosses]) / spacing).astype(np.int64)
    ranges = [np.arange(begin, end + 1) for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *ranges])).clip(0, count - 1)


def standing_on_lanes(obstacles: Sequence[Obstacle], walls: Sequence[Float64], finder: LaneFinder) -> LaneBodies:
    """Return the obstacles that never move, and walls, float64 (V, 2) each [m], as bodies on lanes."""
    lines = [dense(obstacle.outline, finder.box) for obstacle in obstacles]
    lines += [dense(wall, finder.box, closed=False) for wall in walls]
    return finder.outlines(lines, np.zeros((len(lines), 2)))


def _length(outline: Float64) -> float:
    return float(lengths_along(np.concatenate((outline, outline[:1])))[-1])


class MovingOnLanes:
    """Moving obstacles on the lanes.

    Args:
        obstacles: those of the scene that move.
        clock: of the scene.
        finder: of the lanes.
    """

    def __init__(self, obstacles: Sequence[Obstacle], clock: Clock, finder: LaneFinder) -> None:
        self._finder, self._clock, self._obstacles = finder, clock, obstacles
        self._long = [_length(obstacle.outline) >= _LONG for obstacle in obstacles]
        own = zip(obstacles, self._long, strict=True)
        self._shapes = [obstacle.outline if long else dense(obstacle.outline, finder.box) for obstacle, long in own]

    def at(self, time: float, dt: float) -> LaneBodies:
        """The obstacles as they are at a time [s], with their velocities over a step [s]."""
        frame = self._clock.frame_at(time)
        outlines, velocity = [], np.zeros((len(self._obstacles), 2))
        for number, (obstacle, shape) in enumerate(zip(self._obstacles, self._shapes, strict=True)):
            now, soon = pose_at(obstacle, frame), pose_at(obstacle, frame + dt * self._clock.fps)
            here = now.to_world(shape)
            outlines.append(dense(here, self._finder.box) if self._long[number] else here)
            velocity[number] = (soon.x - now.x) / dt, (soon.y - now.y) / dt
        return self._finder.outlines(outlines, velocity)


def passable(standing: LaneBodies, roads: Roads) -> Bool:
    """Return bool (B,), for each permanent body, whether an adjacent lane is free there."""
    can_pass = np.zeros(len(standing.lane), dtype=bool)
    for beside, to_left in ((roads.left, True), (roads.right, False)):
        lane = beside[standing.lane]
        _, s = roads.beside(standing.lane, standing.rear, left=to_left)
        far = np.abs(standing.rear[None] - s[:, None]) > 10.0 + (standing.front - standing.rear)[:, None]
        aside = (standing.right[None] > 0.5) | (standing.left[None] < -0.5)
        free = ((standing.lane[None] != lane[:, None]) | far | aside).all(axis=1)
        can_pass |= (lane >= 0) & free
    return can_pass
