# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways from a start to a goal: the corridor map that leads round obstacles, and the straight line."""

from ..errors import NoRoute
from .corridor_map import CorridorMap
from .direct import direct_clearance, points_between
from .sampling import Gaps, Sampled
from .watched_map import Question, WatchedMap

__all__ = [
    "CorridorMap",
    "Gaps",
    "NoRoute",
    "Question",
    "Sampled",
    "WatchedMap",
    "direct_clearance",
    "points_between",
]
