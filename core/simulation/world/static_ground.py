# SPDX-License-Identifier: GPL-3.0-or-later
"""Obstacles that do not move for a while: distances to them, and the corridor map of the ground between."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ...array_types import Float64
from ...errors import FootfallError
from ...geometry.distance_field import ObstacleField
from ...geometry.distances import Distances
from ...geometry.joined_field import JoinedField
from ...routing import CorridorMap, RecordedMap
from ...scene import Obstacle
from .ground_journal import GroundJournal, RecordedField
from .moving_obstacles import Mover, Resting
from .shared_map import Adoption, SharedMap


class StaticGround:
    """Obstacles that do not move for a while: distances to them, and the map of the ground between.

    Attributes:
        builder: makes its field and its map.
        resting: the movers at rest among them, by their numbers, and their poses.
    """

    def __init__(self, builder: GroundBuilder, resting: Resting) -> None:
        self.resting = resting
        self.builder = builder

    @cached_property
    def field(self) -> Distances:
        """Distances to all of them."""
        return self.builder.field_with(self.resting)

    @property
    def corridors(self) -> RecordedMap | None:
        """The corridor map, made on the first request; None where none can be made.

        There is one map for all states of the ground, and it shows the state that was requested last: do not keep it.
        """
        return self._map_or_reason[0]

    @property
    def missing(self) -> str:
        """Why there can be no map; empty where there can."""
        return self._map_or_reason[1]

    @property
    def _map_or_reason(self) -> tuple[RecordedMap | None, str]:
        try:
            return self.builder.map_with(self.resting), ""
        except FootfallError as error:  # a package is missing, or obstacles cover all the ground
            return None, str(error)

    @contextmanager
    def unrecorded(self) -> Generator[None]:
        """Keep queries out of the journal meanwhile: the caller notes what they depend on, or the run does not."""
        journal = self.builder.journal
        if journal is None:
            yield
        else:
            with journal.paused():
                yield

    def note_disc(self, points: Float64, reach: ArrayLike) -> None:
        """Note in the journal which ground the run depends on: discs round points (N, 2), radii (N,) or one [m]."""
        if self.builder.journal is not None:
            self.builder.journal.note_disc(points, reach)


class GroundBuilder:
    """Builds the field and the map of the obstacles that never move, together with any movers at rest.

    Args:
        obstacles: those that never move.
        walls: float64 (P, 2) each [m].
        bounds: float64 (B, 2) [m].
        movers: the obstacles with a motion.
        shared_map: a map of an earlier run, or an empty one.
        journal: where queries are recorded; None where no later run will need it.
    """

    def __init__(
        self,
        obstacles: tuple[Obstacle, ...],
        walls: tuple[Float64, ...],
        bounds: Float64,
        *,
        movers: list[Mover],
        shared_map: SharedMap,
        journal: GroundJournal | None,
    ) -> None:
        self.obstacles, self.walls, self.bounds = obstacles, walls, bounds
        self._polygons = [obstacle.polygon for obstacle in obstacles]
        self.movers = movers
        field = ObstacleField(self._polygons, [*walls, np.concatenate([bounds, bounds[:1]])])
        self.lattice, self.journal = field.lattice, journal
        self.field: Distances = field if journal is None else RecordedField(field, journal)
        self._shared_map, self._is_adopted = shared_map, False
        self.shown: list[Resting] = []
        """The states that the map has shown since it was adopted, in order."""
        self._failure: FootfallError | None = None

    @property
    def adoption(self) -> Adoption | None:
        """How the map came to show this ground; None before the first request."""
        return self._shared_map.adoption if self._is_adopted else None

    def field_with(self, resting: Resting) -> Distances:
        """Return distances to all that never moves and to movers at rest."""
        if not resting:
            return self.field
        return JoinedField(self.field, [self.movers[number].polygon(pose) for number, pose in resting])

    def map_with(self, resting: Resting) -> RecordedMap:
        """Return the map with exactly these movers at rest in it, by local edits of the last state.

        Raises:
            FootfallError: a package that the map is built with is missing, or nothing is free.
        """
        try:
            recorded = RecordedMap(self.show(resting), self.journal)
        except FootfallError:
            if self.journal is not None:
                self.journal.note_everything()
            raise
        if self.journal is not None:
            self.journal.note_shown(resting, recorded.lattice)
        return recorded

    def show(self, resting: Resting) -> CorridorMap:
        """As `map_with`, unrecorded."""
        if self._failure is not None:
            raise self._failure
        if not self._is_adopted:
            try:
                self._shared_map.adopt(self._polygons, self.walls, self.bounds)
            except FootfallError as error:
                self._failure = error  # what cannot be built now cannot be built later
                raise
            self._is_adopted, self.shown = True, []
        if not self.shown or self.shown[-1] != resting:
            self.shown.append(resting)
        return self._shared_map.show({number: (pose, self.movers[number].polygon(pose)) for number, pose in resting})

    def restart_map(self) -> None:
        """Adopt the map again on the next request: its numbers then depend only on the states shown since."""
        self._is_adopted, self.shown = False, []
