# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines that were pulled tight through corridors, by all that they depend on: a map that was changed finds them again.

Whoever asks a changed map what another one was asked walks through the same corridors mostly, and pulling a line tight
takes three times as long as the search for its corridor.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from .corridor import Corridor
from .net import Anchor, Net

Float64 = NDArray[np.float64]

MOST = 50_000
"""So many lines are kept; then all are forgotten. One takes about 300 bytes."""


class PulledLines:
    """Lines by what they depend on; not to be changed by those who get them."""

    def __init__(self) -> None:
        self._lines: dict[bytes, Float64] = {}

    def get(self, key: bytes) -> Float64 | None:
        """Return the line of a key; None where it is not known."""
        return self._lines.get(key)

    def keep(self, key: bytes, line: Float64) -> None:
        """Keep a line."""
        if len(self._lines) >= MOST:
            self._lines.clear()
        self._lines[key] = line


def key_of(begin: Anchor, end: Anchor, corridor: Corridor, radius: float, net: Net) -> bytes:
    """Return what tells a line from others: places and sites by their coordinates, as numbers of arcs change."""
    axis, sites = net.axis, net.sites
    ends = [begin.arc, end.arc]
    beside = np.concatenate((corridor.left, corridor.right, axis.left[ends], axis.right[ends]))
    values = (
        corridor.begin.ravel(),
        corridor.end.ravel(),
        sites.start[beside].ravel(),
        sites.along[beside].ravel(),
        beside >= sites.segments,
        begin.place,
        end.place,
        (begin.room, end.room, radius, corridor.narrowest),
    )
    return blake2b(np.concatenate(values).tobytes(), digest_size=16).digest()
