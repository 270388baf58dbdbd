# SPDX-License-Identifier: GPL-3.0-or-later
"""The corridor map at the current frame: where one can walk, how wide that is, and the gaps that are too narrow."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .....core.errors import FootfallError
from .....core.routing import CorridorMap
from .....core.simulation.settings import SimulationSettings
from .....core.simulation.settings.population_settings import RouteSettings
from .....core.simulation.world.environment import Environment
from ....reading import Reading
from .. import marks
from ..marks import Mark
from ..overlay import Overlay, View

Float64 = NDArray[np.float64]

LIFT = 0.03  # [m] above the ground
STEP = 0.4  # [m] between samples of the axis
_WIDE_FROM = 1.5  # [m] of clearance
_NARROW, _WIDE = (1.0, 0.75, 0.2, 0.9), (0.25, 0.7, 1.0, 0.9)
_REFUSED = (1.0, 0.15, 0.1, 1.0)


def draw(view: View) -> list[Mark]:
    """The medial axis, coloured by its clearance; gaps that the widest body is refused, with their width."""
    corridors, lift = _map_at(view.reading, view.frame), Lift(view.reading)
    sampled = corridors.sampled_edges(STEP)
    places = lift(sampled.points)
    share = np.clip(sampled.clearance / _WIDE_FROM, 0.0, 1.0)[:, None]
    colours = (1.0 - share) * _NARROW + share * _WIDE
    joined = np.ones(len(places) - 1, dtype=bool)
    joined[sampled.first[1:-1] - 1] = False  # the last of one edge and the first of the next
    pairs = np.flatnonzero(joined)[:, None] + (0, 1)
    axis = marks.chains(places[pairs], colours[pairs], width=1.5)
    gaps = corridors.refused_gaps(widest_body(view.reading))
    if len(gaps.width) == 0:
        return [axis]
    middles = lift(gaps.place)
    labels = [
        marks.Label((x, y, z + LIFT), f"{100.0 * width:.0f} cm", _REFUSED)
        for (x, y, z), width in zip(middles.tolist(), gaps.width.tolist(), strict=True)
    ]
    return [axis, marks.segments(lift(gaps.left), lift(gaps.right), _REFUSED, width=4.0), *labels]


def widest_body(reading: Reading) -> float:
    """Return the radius of the widest body of any crowd, with the least room that its ways have [m]."""
    return max((crowd.radius[1] for crowd in reading.scene.crowds), default=0.25) + RouteSettings.least_clearance


def _map_at(reading: Reading, frame: int) -> CorridorMap:
    """The map as it is at a frame.

    Raises:
        FootfallError: no map can be made, and why.
    """
    first, last = reading.scene.frames
    time = (min(max(frame, first), last) - first) / reading.scene.fps
    passages = _surroundings(reading).passages_at(time, SimulationSettings().planning_horizon)
    if passages.corridors is None:
        raise FootfallError(passages.missing)
    return passages.corridors.unrecorded


@lru_cache(maxsize=2)
def _surroundings(reading: Reading) -> Environment:
    """What stands and moves in a scene; read once, as long as the reading is the latest."""
    return Environment(reading.scene)


class Lift:
    """From places on the plan to places just above the ground, or above the routes where there is no ground."""

    above = LIFT

    def __init__(self, reading: Reading) -> None:
        self._ground = reading.ground
        heights = [route.points[:, 2] for route in reading.scene.routes]
        self._level = float(np.median(np.concatenate(heights))) if heights else 0.0

    def __call__(self, places: Float64) -> Float64:
        """Return float64 (N, 3) for float64 (N, 2) [m]."""
        if self._ground is None:
            height = np.full(len(places), self._level)
        else:
            height = self._ground.heights(places, np.full(len(places), self._level))
        return np.column_stack([places, height + LIFT])


OVERLAY = Overlay(
    draw,
    legend=(
        (_NARROW, "narrow passage"),
        (_WIDE, "passage of 3 m or more"),
        (_REFUSED, "gap too narrow for the widest body"),
    ),
)
