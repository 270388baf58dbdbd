# SPDX-License-Identifier: GPL-3.0-or-later
"""The people of a scene while they are placed, crowd by crowd, and free places for the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from ...array_types import Bool, Float64
from ...geometry import segments
from ...planning.paths.path_tables import AnyPath
from ...scene import Crowd
from ..settings.population_settings import PopulationSettings
from ..world.environment import Environment
from .drawn_crowd import DrawnCrowd
from .drawn_routes import Walked
from .entry_places import standing
from .free_places import Free

Placed = TypeVar("Placed")


@dataclass(eq=False)
class Gathering:
    """The people placed so far.

    Attributes:
        environment: obstacles, movers and heroes.
        settings: how people are placed and find routes.
        routes: those drawn for people, see `walked_routes`.
        tables: the paths so far: of `routes`, then of people with routes of their own.
        horizon: movers that come to rest within this time count as at rest [s].
        taken: float64 (N, 3), where people stand so far, and their radii [m].
        notices: for the user, so far.
        listed: float64 (N, 2), the starts that are given one by one, by the names of crowds [m].
    """

    environment: Environment
    settings: PopulationSettings
    routes: Walked
    tables: list[AnyPath]
    horizon: float
    taken: Float64
    notices: list[str] = field(default_factory=list)
    listed: dict[str, Float64] = field(default_factory=dict)

    def goal_areas(self, crowds: Sequence[Crowd]) -> list[tuple[int, Float64]]:
        """Return the numbers of the crowds that go to an area, with its outline."""
        areas = self.environment.areas
        return [(number, areas[crowd.goal]) for number, crowd in enumerate(crowds) if crowd.goal is not None]

    def take(self, points: Float64, radius: float | Float64) -> None:
        """Note that bodies stand at points at the first frame."""
        self.taken = np.concatenate([self.taken, standing(points, radius)])

    def free(self, points: Float64, radius: float | Float64) -> Bool:
        """Return bool (N,), where bodies of one radius or (N,) can stand at the first frame [m]."""
        return self.environment.is_free(points, radius, 0.0) & segments.contains(self.environment.bounds, points)

    def free_but_for_heroes(self, points: Float64, radius: float | Float64) -> Bool:
        """As `free`, without heroes."""
        free = self.environment.is_free(points, radius, 0.0, heroes=False)
        return free & segments.contains(self.environment.bounds, points)

    def place(
        self, drawn: DrawnCrowd, placed: Callable[[Free], Placed], points_of: Callable[[Placed], Float64]
    ) -> Placed:
        """Place a crowd at the first frame.

        A hero may replace an absent member, at the place of that member: as long as heroes block no others, the
        others stand where they would without heroes.

        Args:
            drawn: the people to place.
            placed: places it where a function returns that it is free.
            points_of: returns float64 (count, 2), where its people then stand [m].
        """
        crowd = drawn.crowd
        if crowd.absent:
            as_before = placed(self.free_but_for_heroes)
            points = points_of(as_before)
            others = points[~np.isin(np.arange(len(points)), crowd.absent)]
            if self.free(others, crowd.radius[1]).all():
                return as_before
        return placed(self.free)
