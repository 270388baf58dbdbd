# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that the ground lies under all routes and areas."""

from __future__ import annotations

import math

import numpy as np

from ...core.array_types import Float64
from ...core.geometry.reproducible_math import length
from ...core.scene import Route
from .crowds import ReadCrowds
from .findings import Findings
from .ground.ground import GroundMesh
from .ground.sampling import GROUND_SAMPLING


def check_ground_lies_under(crowds: ReadCrowds, ground: GroundMesh, name: str, findings: Findings) -> None:
    """Report routes, and areas by their centre, that lie beyond the ground's edge.

    Args:
        crowds: their routes and areas, each route of a length that can be walked.
        ground: the ground.
        name: of the ground's object.
        findings: collects notices.
    """
    checked = [_points_along(route) for route in crowds.routes]
    checked += [area.outline.mean(axis=0, keepdims=True) for area in crowds.areas]
    for source, points in zip([*crowds.route_sources, *crowds.area_sources], checked, strict=True):
        covered = ground.covers(points)
        if not covered.all():
            under = "lies under only a part of" if covered.any() else "does not lie under"
            findings.notice(
                f"'{name}' {under} '{source}': beyond the ground, people stand at the height of its nearest edge."
            )


def _points_along(route: Route) -> Float64:
    """Return the middles of equal pieces of a route, float64 (N, 2) [m]; its ends may lie on the edge of the ground."""
    line = np.concatenate([route.points, route.points[:1]]) if route.closed else route.points
    along = np.concatenate([[0.0], np.cumsum(length(np.diff(line, axis=0)))])
    count = max(math.ceil(along[-1] / GROUND_SAMPLING.check_step), 1)
    middles = (np.arange(count) + 0.5) * (along[-1] / count)
    return np.column_stack([np.interp(middles, along, line[:, axis]) for axis in (0, 1)])
