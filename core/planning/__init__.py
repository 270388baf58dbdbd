# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths that can be followed, and plans along them."""

from .candidates import Candidates, Reason
from .known_paths import KnownPaths
from .manners import Manners
from .planner import FrenetPlanner, PlannerInput
from .plans import Plans
from .reference import ReferencePath, ReferenceSet
from .settings import PlannerSettings
from .tables import ReferenceSettings

__all__ = [
    "Candidates",
    "FrenetPlanner",
    "KnownPaths",
    "Manners",
    "PlannerInput",
    "PlannerSettings",
    "Plans",
    "Reason",
    "ReferencePath",
    "ReferenceSet",
    "ReferenceSettings",
]
