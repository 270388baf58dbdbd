# SPDX-License-Identifier: GPL-3.0-or-later
"""The way of somebody who is told only where to go: straight where that is free, else through the corridor map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import FootfallError, NoRoute
from ..routing import direct_clearance
from .surroundings import Still

Float64 = NDArray[np.float64]

ROOM, LEAST_ROOM = 0.15, 0.03
"""Room beyond the radius that a way should have, and must have [m]."""


@dataclass(frozen=True, eq=False)
class Ways:
    """The ways of N people.

    Attributes:
        lines: float64 (P, 2) each, from start to goal [m].
        refused: bool (N,), for whom there is none; their line is the straight one.
        notices: sentences for the user.
    """

    lines: list[Float64]
    refused: NDArray[np.bool_]
    notices: list[str]


def find_ways(name: str, starts: Float64, goals: Float64, radius: Float64, still: Still) -> Ways:
    """Return a way for each of a crowd.

    Args:
        name: of the crowd, for the notices.
        starts: float64 (N, 2) [m].
        goals: float64 (N, 2) [m].
        radius: float64 (N,) [m].
        still: what stands in the way.
    """
    lines = list(np.stack([starts, goals], axis=1))
    refused = np.zeros(len(lines), dtype=bool)
    blocked = np.flatnonzero(direct_clearance(starts, goals, still.field) < radius + ROOM)
    if len(blocked) == 0:
        return Ways(lines, refused, [])
    try:
        found = still.corridors.paths(starts[blocked], goals[blocked], radius[blocked] + ROOM)
        narrow = [k for k, way in enumerate(found) if isinstance(way, NoRoute)]
        if narrow:
            rows = blocked[narrow]
            for k, way in zip(
                narrow, still.corridors.paths(starts[rows], goals[rows], radius[rows] + LEAST_ROOM), strict=True
            ):
                found[k] = way
    except FootfallError as error:  # a package is missing: people go straight, as far as they get
        return Ways(lines, refused, [f"{name}: {len(blocked)} of {len(lines)} go straight. {error}"])
    reasons = []
    for row, way in zip(blocked, found, strict=True):
        if isinstance(way, NoRoute):
            refused[row] = True
            reasons.append(str(way))
        else:
            lines[row] = way
    notices = []
    if reasons:
        notices.append(
            f"{name}: {len(reasons)} of {len(lines)} have no way to their goal and stay where they are. {reasons[0]}"
        )
    return Ways(lines, refused, notices)
