# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways from a start to a goal: the corridor map that leads round obstacles, and the straight line."""

from ..errors import NoRoute
from .corridor_map import CorridorMap
from .direct import direct_clearance

__all__ = ["CorridorMap", "NoRoute", "direct_clearance"]
