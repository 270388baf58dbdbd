# SPDX-License-Identifier: GPL-3.0-or-later
"""People with routes of their own walk straight towards the farthest visible place on the route.

People on a drawn route follow its line and return to it. A route that was found for a person only leads to the goal:
who was pushed aside continues from there. Such a route is walked corner by corner, and plans are made only where no
part of it is visible.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...array_types import Bool, Float64, Int64
from ...compiled import twins
from ...geometry.distances import Distances, KernelGrid
from ...geometry.field_settings import FIELD
from ...geometry.reproducible_math import length
from ...planning import ReferenceSet
from ...routing import LINE_SPACING, are_free, direct_clearance
from ..settings.guidance_settings import AimSettings, BypassSettings
from ..world.agents import Agents
from .bypasses import find_points_beside


@dataclass(frozen=True, eq=False)
class LinesOfSight:
    """Straight lines from N people to places on their routes.

    Attributes:
        path: int64 (N,), the reference path of each.
        start: float64 (N,), arc length at which they are [m].
        place: float64 (N,), arc length of the place, not beyond the end of the path [m].
        point: float64 (N, 2), where that is; at the end of the path it is the goal [m].
        position: float64 (N, 2), where they are [m].
        clearance: float64 (N,), distance to obstacles that the line must have [m].
    """

    path: Int64
    start: Float64
    place: Float64
    point: Float64
    position: Float64
    clearance: Float64

    def are_aims(self, references: ReferenceSet, field: Distances, distance: float, settings: AimSettings) -> Bool:
        """Return bool (N,), whether each sees the place and may walk straight to it.

        Args:
            references: the reference paths.
            field: distances to obstacles.
            distance: from the people to the places, along the paths [m].
            settings: which bends may be cut.
        """
        allowed = are_free(self.position, self.point, self.clearance, field)
        if distance > settings.free_distance:
            rows = allowed.nonzero()[0]
            rows = rows[_greatest_cuts(self, rows, references, settings) > settings.greatest_cut]
            allowed[rows] = _least_widths(self, rows, references, field, distance, settings) < settings.narrow_width
        return allowed


class Aims:
    """The places that A people walk straight towards.

    Args:
        count: A.
        settings: how aims are chosen.

    Attributes:
        point: float64 (A, 2), NaN for people without an aim [m].
        place: float64 (A,), arc length of the aim on the path [m].
        clear: bool (A,), whether the body has room as far as the aim; others slide along an obstacle.
    """

    def __init__(self, count: int, settings: AimSettings) -> None:
        self._settings = settings
        self.point = np.full((count, 2), np.nan)
        self.place = np.zeros(count)
        self.clear = np.zeros(count, dtype=bool)

    @property
    def known(self) -> Bool:
        """Bool (A,), whether each has an aim."""
        return np.isfinite(self.point[:, 0])

    def clear_aims(self, rows: Int64) -> None:
        """Remove the aims of some people."""
        self.point[rows] = np.nan
        self.clear[rows] = False

    def find_aims(self, agents: Agents, rows: Int64, references: ReferenceSet, field: Distances) -> None:
        """Replace the aims of some people.

        Args:
            agents: all agents.
            rows: int64 (R,), people on routes of their own who are on no detour.
            references: the reference paths.
            field: distances to obstacles that stand.
        """
        self._leave_loops(agents, rows, references)
        self.clear_aims(rows)
        settings = self._settings
        clearance = agents.radius + settings.clearance
        pressed = self._find_at(agents, rows, references, field, settings.distances, clearance)
        self.clear[rows] = self.known[rows]
        least = settings.pressed_radius_share * agents.radius
        self._find_at(agents, pressed, references, field, settings.pressed_distances, least)

    def _leave_loops(self, agents: Agents, rows: Int64, references: ReferenceSet) -> None:
        """Let people who have come to their aims across a loop of the route go on from there."""
        near = length(self.point.take(rows, 0) - agents.position.take(rows, 0)) < agents.radius[rows]
        there = rows[near & (self.place[rows] - agents.s[rows] > self._settings.loop_length)]
        if len(there):
            places = references.to_frenet(agents.path[there], agents.position.take(there, 0), self.place[there])
            agents.s[there], agents.d[there] = places

    def bypass_people(self, agents: Agents, rows: Int64, field: Distances, settings: BypassSettings) -> None:
        """Aim beside what stands before some people; those who find no bypass lose their aim.

        Args:
            agents: all agents.
            rows: int64 (R,), who.
            field: distances to all that stands.
            settings: which points are tried.
        """
        if not len(rows):
            return
        slides = rows[self.known[rows] & ~self.clear[rows]]
        if len(slides):
            least = self._settings.pressed_radius_share * agents.radius[slides]
            line = agents.position[slides], self.point[slides]
            self.clear_aims(slides[direct_clearance(*line, field, float(least.max())) < least])
        rows = rows[self.clear[rows]]
        room = agents.radius[rows] + self._settings.clearance
        beside, blocked = find_points_beside(
            agents.position.take(rows, 0), self.point.take(rows, 0), room, field, settings
        )
        self.clear_aims(rows[blocked & np.isnan(beside[:, 0])])
        round_it = np.isfinite(beside[:, 0])
        rows, beside = rows[round_it], beside[round_it]
        rest = self.point.take(rows, 0) - beside
        self.place[rows] -= length(rest)
        self.point[rows] = beside

    def _find_at(
        self,
        agents: Agents,
        rows: Int64,
        references: ReferenceSet,
        field: Distances,
        distances: tuple[float, ...],
        clearance: Float64,
    ) -> Int64:
        """Find aims at some distances, with a clearance, float64 (A,) [m]; return who has found none."""
        kernels = twins.twin(twins.AIMS)
        asked = None if kernels is None else field.kernel_grid
        if asked is not None and float(clearance[rows].max(initial=0.0)) < FIELD.margin:
            return self._find_compiled(kernels, (agents, rows), references, asked, distances, clearance)
        for ahead in distances:
            if not len(rows):
                break
            s = np.minimum(agents.s[rows] + ahead, agents.end[rows])
            aim = references.to_cartesian(agents.path[rows], s, np.zeros(len(rows)))
            at_end = s >= agents.end[rows]
            aim[at_end] = agents.goal.take(rows[at_end], 0)
            lines = LinesOfSight(
                path=agents.path[rows],
                start=agents.s[rows],
                place=s,
                point=aim,
                position=agents.position[rows],
                clearance=clearance[rows],
            )
            found = lines.are_aims(references, field, ahead, self._settings)
            self.point[rows[found]] = aim[found]
            self.place[rows[found]] = s[found]
            rows = rows[~found]
        return rows

    def _find_compiled(
        self,
        kernels: Any,
        who: tuple[Agents, Int64],
        references: ReferenceSet,
        asked: KernelGrid,
        distances: tuple[float, ...],
        clearance: Float64,
    ) -> Int64:
        """The same by a compiled kernel."""
        (agents, rows), settings = who, self._settings
        start = agents.s[rows]
        references.have_rows(agents.path[rows], start, np.minimum(start + max(distances), agents.end[rows]))
        tried = kernels.PlacesTried(*_places_tried(distances, settings))
        people = agents.path, agents.s, agents.end, agents.goal, agents.position, clearance
        paths = references.compiled_rows(kernels)
        found = kernels.find(paths, asked.grid, rows, people, tried, noted=asked.note is not None)
        (known, x, y, place), discs = found
        if asked.note is not None:
            asked.note(discs[:, :2], discs[:, 2])
        seen = known > 0.0
        self.point[rows[seen]] = np.stack((x[seen], y[seen]), axis=1)
        self.place[rows[seen]] = place[seen]
        return rows[~seen]

    def preferred_velocity(self, agents: Agents, rows: Int64, deceleration: Float64, look_ahead: float) -> Float64:
        """Return float64 (R, 2), velocities towards the aims, slowing down before goals where people stop [m/s].

        Args:
            agents: all agents.
            rows: int64 (R,), people who have an aim.
            deceleration: float64 (R,), of braking [m/s2].
            look_ahead: nobody walks past the goal within this time [s].
        """
        to_aim = self.point.take(rows, 0) - agents.position.take(rows, 0)
        distance = length(to_aim)
        left = distance + (agents.end[rows] - self.place[rows])
        slow = np.minimum(np.sqrt(2.0 * deceleration * left), left / look_ahead)
        speed = np.where(agents.leaves[rows], np.inf, slow)
        return to_aim * (np.minimum(speed, agents.pace[rows]) / np.maximum(distance, 1e-9))[:, None]


@cache
def _places_tried(distances: tuple[float, ...], settings: AimSettings) -> tuple[NDArray[Any], ...]:
    """Return which places are tried at some distances [m], as compiled kernels take it."""
    shares = [_shares(ahead, settings) for ahead in distances]
    table = np.zeros((len(shares), max(map(len, shares))))
    for number, values in enumerate(shares):
        table[number, : len(values)] = values
    counts = np.array([len(values) for values in shares])
    numbers = settings.free_distance, settings.greatest_cut, settings.narrow_width, LINE_SPACING
    return np.array(distances), table, counts, np.array(settings.cut_places), np.array(numbers)


def _greatest_cuts(lines: LinesOfSight, rows: Int64, references: ReferenceSet, settings: AimSettings) -> Float64:
    """Return float64 (R,), the greatest distances of paths from the chords between person and place [m]."""
    points = _path_points(lines, rows, references, np.array((0.0, *settings.cut_places, 1.0)))
    chord, away = points[-1] - points[0], points[1:-1] - points[0]
    across = chord[:, 0] * away[..., 1] - chord[:, 1] * away[..., 0]
    whole = length(chord)
    return np.abs(across).max(axis=0) / np.maximum(whole, 1e-9)


def _least_widths(
    lines: LinesOfSight,
    rows: Int64,
    references: ReferenceSet,
    field: Distances,
    distance: float,
    settings: AimSettings,
) -> Float64:
    """Return float64 (R,), the least widths of paths between person and place, exact below `narrow_width` [m].

    The width is measured across the place on the path that is nearest to an obstacle.
    """
    if not len(rows):
        return np.zeros(0)
    narrow = settings.narrow_width
    points = _path_points(lines, rows, references, _shares(distance, settings))
    clearance = field.signed_distance(points.reshape(-1, 2), 0.5 * narrow).reshape(points.shape[:2])
    width = 2.0 * clearance.min(axis=0)
    close = (width < narrow).nonzero()[0]
    nearest = points[clearance.argmin(axis=0)[close], close]
    opposite = 2.0 * nearest - field.nearest(nearest)[1]  # as far away on the other side
    width[close] += np.maximum(field.signed_distance(opposite, narrow), 0.0)
    return width


def _shares(distance: float, settings: AimSettings) -> Float64:
    """Return float64 (K,), shares of a stretch at which its width is measured: alike for everybody."""
    return np.linspace(0.0, 1.0, 1 + int(np.ceil(distance / settings.width_spacing)))


def _path_points(lines: LinesOfSight, rows: Int64, references: ReferenceSet, shares: Float64) -> Float64:
    """Return float64 (K, R, 2), points on paths at K shares of the stretches between person and place [m]."""
    start = lines.start[rows]
    places = start + shares[:, None] * (lines.place[rows] - start)  # (K, R)
    path = np.broadcast_to(lines.path[rows], places.shape).ravel()
    return references.to_cartesian(path, places.ravel(), np.zeros(places.size)).reshape(*places.shape, 2)
