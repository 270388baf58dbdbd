# SPDX-License-Identifier: GPL-3.0-or-later
"""Where people on drawn routes leave them for a stop, and where they return."""

from __future__ import annotations

import numpy as np

from ...array_types import Float64
from ...geometry.reproducible_math import length2
from ...planning import ReferenceSet
from ..settings.stop_settings import StopSettings


class StopPoints:
    """The points of drawn routes that are nearest to places.

    Args:
        middles: float64 (S, 2), the middle of the place of each stop [m].
        settings: how people leave their route and return.
    """

    def __init__(self, middles: Float64, settings: StopSettings) -> None:
        self._middles, self._settings = middles, settings
        self._known: dict[tuple[int, int], tuple[float, float]] = {}

    def nearest(self, path: int, stop: int, references: ReferenceSet) -> tuple[float, float]:
        """Return the arc length of a path nearest to the place of a stop, and how far it is beside it [m]."""
        if (path, stop) not in self._known:
            s = np.arange(0.0, float(references.lengths[path]), self._settings.sampling)
            off = references.to_cartesian(np.full(len(s), path), s, np.zeros(len(s))) - self._middles[stop]
            distance2 = length2(off)
            at = int(distance2.argmin())
            self._known[path, stop] = float(s[at]), float(np.sqrt(distance2[at]))
        return self._known[path, stop]

    def passing(
        self, path: int, s: float, stop: int, references: ReferenceSet, braking: float = 0.0
    ) -> tuple[float, float]:
        """Return where somebody on a path passes a stop, and where they leave the path for it: arc lengths [m].

        Args:
            path: a drawn route.
            s: where they are; on a closed one they pass the place again and again.
            stop: its number.
            references: the reference paths.
            braking: how far they walk on while they come to rest [m].
        """
        near, beside = self.nearest(path, stop, references)
        if references.closed[path]:
            length = float(references.lengths[path])
            near += length * np.ceil((s - self._settings.lead[0] - near) / length)
        return near, near - min(max(beside, self._settings.lead[0], braking), self._settings.lead[1])

    def rejoining(
        self, path: int, s: float, offset: float, attempt: int, references: ReferenceSet
    ) -> tuple[float, Float64]:
        """Return where somebody returns to a path: the arc length [m], and the point, float64 (2,) [m].

        Args:
            path: a drawn route.
            s: where they passed the place.
            offset: at which they walk beside its line [m].
            attempt: how many points before this one could not be reached.
            references: the reference paths.
        """
        ahead = s + self._settings.rejoin[attempt]
        ahead = ahead if references.closed[path] else min(ahead, float(references.lengths[path]))
        return ahead, references.to_cartesian([path], [ahead], [offset])[0]
