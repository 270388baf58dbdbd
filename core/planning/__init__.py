# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans along reference paths for anybody: the planner, its input, its plans and speed profiles."""

from .candidates.explanation import Candidates, Reason
from .candidates.preferences import PlannerPreferences
from .candidates.settings import PlannerSettings
from .paths.path_cache import KnownPaths
from .paths.reference_path import ReferenceSet
from .paths.reference_settings import ReferenceSettings
from .paths.single_path import ReferencePath
from .planner import FrenetPlanner
from .planner_input import PlannerInput
from .plans import Plans

__all__ = [
    "Candidates",
    "FrenetPlanner",
    "KnownPaths",
    "PlannerInput",
    "PlannerPreferences",
    "PlannerSettings",
    "Plans",
    "Reason",
    "ReferencePath",
    "ReferenceSet",
    "ReferenceSettings",
]
