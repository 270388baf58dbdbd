# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the ground lies where people are to walk."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ....core.geometry.reproducible_math import length
from ....core.scene import Route
from ..crowds import ReadCrowds
from ..findings import Findings
from .ground import GroundMesh

_STEP = 0.25  # [m] between places of a route that are looked at


def check_ground_lies_under(crowds: ReadCrowds, ground: GroundMesh, name: str, findings: Findings) -> None:
    """Tell of ways that lead beyond the ground's edge: of routes wherever they do, of places by their middle.

    Args:
        crowds: what people follow, each route of a length that can be walked.
        ground: what they stand on.
        name: of the ground, as the user knows it.
        findings: takes up notices.
    """
    ways = [_places_along(route) for route in crowds.routes]
    ways += [area.outline.mean(axis=0, keepdims=True) for area in crowds.areas]
    for source, places in zip([*crowds.route_sources, *crowds.area_sources], ways, strict=True):
        covered = ground.covers(places)
        if not covered.all():
            under = "lies under only a part of" if covered.any() else "does not lie under"
            findings.notice(
                f"'{name}' {under} '{source}': beyond its edge people stand at the height of its nearest edge."
            )


def _places_along(route: Route) -> NDArray[np.float64]:
    """Middles of equal pieces of a route, float64 (N, 2) [m]: its ends may lie on the very edge of the ground."""
    line = np.concatenate([route.points, route.points[:1]]) if route.closed else route.points
    along = np.concatenate([[0.0], np.cumsum(length(np.diff(line, axis=0)))])
    count = max(math.ceil(along[-1] / _STEP), 1)
    middles = (np.arange(count) + 0.5) * (along[-1] / count)
    return np.column_stack([np.interp(middles, along, line[:, axis]) for axis in (0, 1)])
