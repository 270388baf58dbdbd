# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways from a start to a goal: the corridor map that leads round obstacles, and the straight line."""

from ..errors import NoRoute
from .corridor_map import CorridorMap
from .corridors.edge_sampling import Gaps, Sampled
from .recorded_map import Question, RecordedMap
from .straight_lines import LINE_SPACING, are_free, direct_clearance, parts_of_length, points_between

__all__ = [
    "LINE_SPACING",
    "CorridorMap",
    "Gaps",
    "NoRoute",
    "Question",
    "RecordedMap",
    "Sampled",
    "are_free",
    "direct_clearance",
    "parts_of_length",
    "points_between",
]
