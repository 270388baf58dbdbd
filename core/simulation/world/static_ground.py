# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands still for a while: distances to it, and the corridor map of the ground between."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...errors import FootfallError
from ...geometry.distance_field import ObstacleField
from ...geometry.distances import Distances
from ...geometry.joined_field import JoinedField
from ...routing import CorridorMap, RecordedMap
from ...scene import Scene
from .ground_journal import Asked, GroundJournal, MapEvent, RecordedField, Shown
from .moving_obstacles import Mover, Resting
from .shared_map import Adoption, SharedMap

Float64 = NDArray[np.float64]

ASKED_AT_FIRST = 16
"""After so many questions that are asked again it is looked whether an answer is another, then after twice as many."""


class Still:
    """What does not move for a while: distances to it, and the map of the ground between.

    Attributes:
        resting: the movers among it, by their numbers, and their poses.
    """

    def __init__(self, ground: StaticGround, resting: Resting) -> None:
        self.resting = resting
        self._ground = ground

    @property
    def notes(self) -> GroundJournal | None:
        """Where it is written down which of the ground is looked at; None for nowhere."""
        return self._ground.notes

    @cached_property
    def field(self) -> Distances:
        """Distances to all of it."""
        return self._ground.field_with(self.resting)

    @property
    def corridors(self) -> RecordedMap | None:
        """The corridor map, made when somebody first needs a way; None where none can be made.

        There is one map for all states of the ground, and it shows the one that was last asked for: do not keep it.
        """
        return self._map_or_reason[0]

    @property
    def missing(self) -> str:
        """Why there can be no map; empty where there can."""
        return self._map_or_reason[1]

    @property
    def _map_or_reason(self) -> tuple[RecordedMap | None, str]:
        try:
            return self._ground.map_with(self.resting), ""
        except FootfallError as error:  # a package is missing, or obstacles cover all the ground
            return None, str(error)


class StaticGround:
    """What never moves, and what is made of it together with some movers at rest."""

    def __init__(
        self, scene: Scene, bounds: Float64, movers: list[Mover], shared_map: SharedMap, notes: GroundJournal | None
    ) -> None:
        self._polygons = [(each.outline, each.holes) for each in scene.obstacles if each.motion is None]
        self._walls, self._bounds, self._movers = scene.walls, bounds, movers
        field = ObstacleField(self._polygons, [*scene.walls, np.concatenate([bounds, bounds[:1]])])
        self.lattice, self.notes = field.lattice, notes
        self.field: Distances = field if notes is None else RecordedField(field, notes)
        self._ground_map, self._adopted = shared_map, False
        self._led: list[Resting] = []  # what the map has shown since, one after the other
        self._failure: FootfallError | None = None

    @property
    def adoption(self) -> Adoption | None:
        """How the map came to show this; None as long as it has not been asked for."""
        return self._ground_map.adoption if self._adopted else None

    def field_with(self, resting: Resting) -> Distances:
        """Return distances to all that never moves and to movers at rest."""
        if not resting:
            return self.field
        return JoinedField(self.field, [self._movers[number].polygon(pose) for number, pose in resting])

    def map_with(self, resting: Resting) -> RecordedMap:
        """Return the map with just these movers at rest in it, by local edits of how it was asked for last.

        Raises:
            FootfallError: a package that the map is built with is missing, or nothing is free.
        """
        try:
            corridors = self._shown(resting)
        except FootfallError:
            if self.notes is not None:
                self.notes.note_everything()
            raise
        watched = RecordedMap(corridors, self.notes)
        if self.notes is not None:
            self.notes.note_shown(resting, watched.lattice)
        return watched

    def _shown(self, resting: Resting) -> CorridorMap:
        if self._failure is not None:
            raise self._failure
        if not self._adopted:
            try:
                self._ground_map.adopt(self._polygons, self._walls, self._bounds)
            except FootfallError as error:
                self._failure = error  # what cannot be built now cannot be built later
                raise
            self._adopted, self._led = True, []
        if not self._led or self._led[-1] != resting:
            self._led.append(resting)
        return self._ground_map.show({number: (pose, self._movers[number].polygon(pose)) for number, pose in resting})

    def lead(self, shown: Sequence[Resting]) -> None:
        """Let the map show one after the other what another one has shown, so that it is numbered as that one was."""
        if self._adopted and self._led == list(shown):
            return
        self._adopted = False
        try:
            for resting in shown:
                self._shown(resting)
        except FootfallError:
            pass  # whoever asks for the map is told

    def relive(self, maps: Sequence[MapEvent], first: int, until: int) -> int:
        """Lead the map through what another one was led through, as `lead`, and ask it again what that one was asked.

        Args:
            maps: what that one showed and told.
            first: what was before this frame is known to be the same.
            until: only what was before this frame.

        Returns:
            The first frame for which this map tells something else; `until` where it never does.
        """
        if maps and not isinstance(maps[0], Shown):
            return min(until, maps[0].frame)
        self._adopted = False
        for shown, events in _shown_one_by_one(maps):
            if shown.frame >= until:
                break
            asked = [event for event in events if first <= event.frame < until]
            try:
                frame = _first_told_otherwise(RecordedMap(self._shown(shown.resting)), asked)
            except FootfallError:
                return shown.frame
            if frame is not None:
                return frame
        return until


def _shown_one_by_one(maps: Sequence[MapEvent]) -> list[tuple[Shown, Sequence[MapEvent]]]:
    """What a map has shown, each with the events in which it was seen, beginning with this."""
    numbers = [number for number, event in enumerate(maps) if isinstance(event, Shown)]
    shown = [event for event in maps if isinstance(event, Shown)]
    return [(each, maps[begin:end]) for each, begin, end in zip(shown, numbers, [*numbers, len(maps)][1:], strict=True)]


def _first_told_otherwise(corridors: RecordedMap, events: Sequence[MapEvent]) -> int | None:
    """Return the first frame for which a map is otherwise than another one was; None where it never is."""
    begin, count = 0, ASKED_AT_FIRST
    while begin < len(events):
        some = events[begin : begin + count]
        answers = iter(corridors.answer_the_same([event.question for event in some if isinstance(event, Asked)]))
        for event in some:
            if not (next(answers) if isinstance(event, Asked) else corridors.lattice == event.lattice):
                return event.frame
        begin, count = begin + count, 2 * count
    return None
