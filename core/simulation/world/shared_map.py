# SPDX-License-Identifier: GPL-3.0-or-later
"""One corridor map that is corrected where the ground changes: when doors move, and from one run to the next.

Corrected or built, it is then brought into canonical order: numbered by positions. So a corrected map gives the same
routes, bit for bit, as one built from scratch, also among routes of equal length.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...array_types import Float64
from ...routing import CorridorMap
from ..settings import WorldSettings
from .moving_obstacles import Pose

Polygon = tuple[Float64, tuple[Float64, ...]]


@dataclass(frozen=True)
class Adoption:
    """How a map came to show the ground of a run.

    Attributes:
        is_new: it was built; False: corrected.
        changes: obstacles that were moved, inserted or removed.
        seconds: how long that took.
    """

    is_new: bool
    changes: int
    seconds: float


class SharedMap:
    """A corridor map that may outlive a run.

    Args:
        settings: when it is corrected and when it is built from scratch.

    Attributes:
        adoption: how it came to show the obstacles of the last scene; None before. Where one run adopts it more than
            once, as resuming does, the sum of all.
    """

    def __init__(self, settings: WorldSettings | None = None) -> None:
        self._settings = settings or WorldSettings()
        self.adoption: Adoption | None = None
        self._map: CorridorMap | None = None
        self._frame = b""
        self._standing: dict[bytes, list[int]] = {}
        self._guests: dict[int, tuple[int, Pose]] = {}

    def begin(self) -> None:
        """Start a run: `adoption` is then only about this run."""
        self.adoption = None

    def adopt(self, polygons: Sequence[Polygon], walls: Sequence[Float64], bounds: Float64) -> None:
        """Show what never moves in a scene, and nothing else.

        Args:
            polygons: outlines with their holes [m].
            walls: open lines [m].
            bounds: float64 (B, 2) [m].

        Raises:
            FootfallError: a package that the map is built with is missing, or nothing is free.
        """
        began = time.perf_counter()
        frame = b"|".join([bounds.tobytes(), *(wall.tobytes() for wall in walls)])
        keys = [_key(polygon) for polygon in polygons]
        corridors, self._map = self._map, None  # after a failure there is no map rather than a wrong one
        changes = None
        if corridors is not None and frame == self._frame and corridors.is_on_finest_grid:
            changes = self._correct(corridors, polygons, keys)
        if corridors is None or changes is None:
            corridors = CorridorMap(polygons, bounds, walls=walls)
            self._frame, self._guests, self._standing = frame, {}, {}
            for number, key in enumerate(keys):
                self._standing.setdefault(key, []).append(number)
        corridors.put_in_order()
        self._map = corridors
        before = self.adoption or Adoption(is_new=False, changes=0, seconds=0.0)
        seconds = before.seconds + time.perf_counter() - began
        self.adoption = Adoption(before.is_new or changes is None, before.changes + (changes or 0), seconds)

    def show(self, movers: Mapping[int, tuple[Pose, Polygon]]) -> CorridorMap:
        """Return the map with some movers in it, besides what was adopted.

        Args:
            movers: by their numbers, where each rests, and its polygon there [m].

        Raises:
            FootfallError: nothing is free.
        """
        assert self._map is not None
        corridors = self._map
        for number in [number for number in self._guests if number not in movers]:
            corridors.remove(self._guests.pop(number)[0])
        for number, (pose, polygon) in movers.items():
            if number not in self._guests:
                self._guests[number] = corridors.insert(polygon), pose
            elif self._guests[number][1] != pose:
                corridors.move(self._guests[number][0], polygon)
                self._guests[number] = self._guests[number][0], pose
        return corridors

    def _correct(self, corridors: CorridorMap, polygons: Sequence[Polygon], keys: Sequence[bytes]) -> int | None:
        """Correct the map to these polygons and return the number of changes; None where there are too many."""
        kept: dict[bytes, list[int]] = {}
        new = []
        for number, key in enumerate(keys):
            before = self._standing.get(key)
            if before:
                kept.setdefault(key, []).append(before.pop())
            else:
                new.append(number)
        gone = [number for numbers in self._standing.values() for number in numbers]
        changes = max(len(gone), len(new))
        if changes > max(1.0, self._settings.max_changed_share * len(keys)):
            return None
        while self._guests:
            corridors.remove(self._guests.popitem()[1][0])
        for number in gone[len(new) :]:
            corridors.remove(number)
        for place, number in enumerate(new):
            if place < len(gone):
                corridors.move(gone[place], polygons[number])
                kept.setdefault(keys[number], []).append(gone[place])
            else:
                kept.setdefault(keys[number], []).append(corridors.insert(polygons[number]))
        self._standing = kept
        return changes


def _key(polygon: Polygon) -> bytes:
    """Identify a polygon by its coordinates."""
    outline, holes = polygon
    return b"|".join([outline.tobytes(), *(hole.tobytes() for hole in holes)])
