# SPDX-License-Identifier: GPL-3.0-or-later
"""The gap that is too narrow on a route that would be short enough."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...array_types import Float64
from ...errors import NoRoute
from ...geometry.segments import length_of, lengths_along
from ...routing import RecordedMap
from ..settings.population_settings import POPULATION, RouteSettings

Place = tuple[float, float]

WIDTH_PRECISION = 1e-3
"""Widths measured in the map are too narrow by up to this [m]."""


@dataclass(frozen=True)
class Gap:
    """A gap that is too narrow.

    Attributes:
        width: of it [m].
        needed: width that there must be [m].
        place: x, y of its middle [m].
        sides: x, y of what is beside it to the left and to the right [m].
    """

    width: float
    needed: float
    place: Place
    sides: tuple[Place, Place]

    def __str__(self) -> str:
        return f"gap {np.floor(100.0 * (self.width + WIDTH_PRECISION)) / 100.0:.2f} m, needs {self.needed:.2f} m"


def gap_on_route(
    corridors: RecordedMap,
    start: Float64,
    goal: Float64,
    *,
    radius: float,
    longest: float,
    settings: RouteSettings = POPULATION.routes,
) -> Gap | None:
    """Return the narrowest place on the route of a thin body, if that is short enough; None where there is room.

    Args:
        corridors: the map.
        start: float64 (2,) [m].
        goal: float64 (2,) [m].
        radius: of the body that does not fit through [m].
        longest: longer routes would not be taken [m].
        settings: how thin, and how closely is measured.
    """
    try:
        path = corridors.path(start, goal, settings.thin_radius)
    except NoRoute:
        return None
    length = length_of(path)
    if not settings.gap_sampling < length <= longest:
        return None
    since = lengths_along(path)
    at = np.linspace(0.0, length, int(length / settings.gap_sampling) + 2)
    line = np.column_stack([np.interp(at, since, values) for values in path.T])
    ((left, right),) = corridors.corridors([line], np.zeros(1), np.array([2.0 * radius]))
    narrowest = int(np.argmin(left + right))
    width = float(left[narrowest] + right[narrowest])
    if width >= 2.0 * radius:
        return None
    here = line[narrowest]
    ahead = line[min(narrowest + 1, len(line) - 1)] - line[max(narrowest - 1, 0)]
    aside = np.array([-ahead[1], ahead[0]]) / max(math.sqrt(float((ahead * ahead).sum())), 1e-9)
    sides = here + left[narrowest] * aside, here - right[narrowest] * aside
    places = [(float(x), float(y)) for x, y in (0.5 * (sides[0] + sides[1]), *sides)]
    return Gap(width, 2.0 * radius, places[0], (places[1], places[2]))
