# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths that can be followed, and plans along them."""

from .candidates.explanation import Candidates, Reason
from .paths.path_cache import KnownPaths
from .paths.path_tables import ReferenceSettings
from .paths.reference_path import ReferencePath, ReferenceSet
from .planner import FrenetPlanner, PlannerInput
from .plans import Plans
from .preferences import PlannerPreferences
from .settings import PlannerSettings

__all__ = [
    "Candidates",
    "FrenetPlanner",
    "KnownPaths",
    "PlannerPreferences",
    "PlannerInput",
    "PlannerSettings",
    "Plans",
    "Reason",
    "ReferencePath",
    "ReferenceSet",
    "ReferenceSettings",
]
