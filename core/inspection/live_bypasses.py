# SPDX-License-Identifier: GPL-3.0-or-later
"""Routes round obstacles on the lines that people follow, kept up to date while an object is dragged.

A bypass leaves the line a little before the obstacle and returns a little after it, like the detour of a person who
finds no plan beside the line. People with enough room beside the line walk past the obstacle more closely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..array_types import Bool, Float64, Int64
from ..geometry.ragged import runs_of
from ..geometry.segments import length_of, lengths_along
from ..routing import CorridorMap
from ..simulation.settings.guidance_settings import DetourSettings

_DETOURS = DetourSettings()


@dataclass(frozen=True)
class LiveBypassSettings:
    """How bypasses are laid; chosen by trial on the example scenes.

    Attributes:
        lead: a bypass leaves the line this far before the obstacle, and returns this far after it [m].
    """

    lead: float = 2.0


BYPASS = LiveBypassSettings()


@dataclass(frozen=True, eq=False)
class Bypass:
    """A route round an obstacle on a line.

    Attributes:
        ends: float64 (2, 3), where it leaves the line and returns [m].
        route: float64 (P, 3) [m], None where no route is short enough for a detour.
    """

    ends: Float64
    route: Float64 | None


@dataclass(eq=False)
class _BypassedLine:
    """A line at its sampled points: where it is blocked, and the bypasses there."""

    points: Float64
    closed: bool
    radius: float
    blocked: Bool
    unknown: Bool
    bypasses: list[Bypass] = field(default_factory=list)


class LiveBypasses:
    """Bypasses of obstacles on lines, on a map that changes.

    Args:
        corridors: the map.
    """

    def __init__(self, corridors: CorridorMap) -> None:
        self._map = corridors
        self._lines: dict[int, _BypassedLine] = {}
        self._stale: set[int] = set()

    @property
    def bypasses(self) -> list[Bypass]:
        """Those of all lines."""
        return [bypass for line in self._lines.values() for bypass in line.bypasses]

    def follow(self, number: int, points: Float64, radius: float, *, closed: bool) -> None:
        """Add a line, or replace the one with its number.

        Args:
            number: of the line.
            points: float64 (P, 3), dense enough that no obstacle between them matters [m].
            radius: largest of those who follow it [m].
            closed: the last point joins the first.
        """
        nowhere = np.zeros(len(points), dtype=bool)
        self._lines[number] = _BypassedLine(points, closed, radius, nowhere, ~nowhere)
        self._stale.add(number)

    def leave(self, number: int) -> None:
        """Remove a line, if it is known, and its bypasses."""
        self._lines.pop(number, None)
        self._stale.discard(number)

    def note_change(self, low: Float64, high: Float64) -> None:
        """Mark the lines near a changed box, given by its lowest and highest x, y [m]."""
        for number, line in self._lines.items():
            reach = line.radius + _DETOURS.clearance
            near = np.all((line.points[:, :2] >= low - reach) & (line.points[:, :2] <= high + reach), axis=1)
            line.unknown |= near
            if near.any() or line.bypasses:
                self._stale.add(number)

    def work(self) -> bool:
        """Update the bypasses of marked lines.

        Returns:
            Whether any line was marked.
        """
        stale = [self._lines[number] for number in sorted(self._stale)]
        self._stale.clear()
        if not stale:
            return False
        asked = np.concatenate([line.points[line.unknown, :2] for line in stale])
        clearance = np.split(self._map.clearance(asked), np.cumsum([line.unknown.sum() for line in stale])[:-1])
        stretches: list[tuple[_BypassedLine, Float64]] = []
        for line, found in zip(stale, clearance, strict=True):
            line.blocked[line.unknown] = found < line.radius + _DETOURS.clearance
            line.unknown[:] = False
            line.bypasses = []
            stretches += [(line, line.points[rows]) for rows in _stretches(line)]
        for (line, along), route in zip(stretches, self._routes(stretches), strict=True):
            line.bypasses.append(_bypass(along, route))
        return True

    def _routes(self, stretches: list[tuple[_BypassedLine, Float64]]) -> list[Float64 | None]:
        """The routes from the first to the last point of each stretch, float64 (P, 2); None without a route."""
        starts, goals = (np.array([along[end, :2] for _, along in stretches]).reshape(-1, 2) for end in (0, -1))
        radius = np.array([line.radius for line, _ in stretches])
        return routes_alone(self._map, starts, goals, radius, rooms=(_DETOURS.clearance, _DETOURS.least_clearance))


def _stretches(line: _BypassedLine) -> list[Int64]:
    """The indices of a line's points between the ends of each bypass."""
    if not line.blocked.any():
        return []
    count = len(line.points)
    steps = np.sqrt((np.diff(line.points[:, :2], axis=0) ** 2).sum(axis=1))
    lead = max(1, int(np.ceil(BYPASS.lead / max(float(np.median(steps)), 1e-3))))
    around = np.flatnonzero(line.blocked)[:, None] + np.arange(-lead, lead + 1)
    wide = np.zeros(count, dtype=bool)
    wide[around % count if line.closed else np.clip(around, 0, count - 1)] = True
    free = np.flatnonzero(~wide)
    turn = int(free[0]) if line.closed and len(free) else 0  # a closed line starts where it is free
    return [(np.arange(begin, end) + turn) % count for begin, end in runs_of(np.roll(wide, -turn)).tolist()]


def _bypass(along: Float64, route: Float64 | None) -> Bypass:
    """The bypass of a stretch of a line, at its height."""
    ends = along[[0, -1]]
    if route is None or length_of(route) > _DETOURS.greatest_length(length_of(along[:, :2])):
        return Bypass(ends, None)
    far = lengths_along(route)
    height = ends[0, 2] + far / max(float(far[-1]), 1e-9) * (ends[1, 2] - ends[0, 2])
    return Bypass(ends, np.column_stack([route, height]))


def routes_alone(
    corridors: CorridorMap,
    starts: Float64,
    goals: Float64,
    radius: Float64,
    *,
    rooms: Sequence[float],
    quick: bool = False,
) -> list[Float64 | None]:
    """Return routes of people, each as if alone, with the first of some clearances that is possible.

    Args:
        corridors: the map.
        starts: float64 (N, 2) [m].
        goals: float64 (N, 2) [m].
        radius: float64 (N,) [m].
        rooms: clearances beside the body, preferred first [m].
        quick: see `CorridorMap.own_paths`.

    Returns:
        For each float64 (P, 2) [m], or None where there is no route.
    """
    ways: list[Float64 | None] = [None] * len(radius)
    for room in rooms:
        left = [row for row, way in enumerate(ways) if way is None]
        if left:
            found = corridors.own_paths(starts[left], goals[left], radius[left] + room, quick=quick)
            for row, way in zip(left, found, strict=True):
                ways[row] = way
    return ways
