# SPDX-License-Identifier: GPL-3.0-or-later
"""The corridor map at the current frame: passages, their clearance, and the gaps that are too narrow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from .....core.array_types import Float64
from .....core.errors import FootfallError
from .....core.routing import CorridorMap
from .....core.simulation.settings import SimulationSettings
from .....core.simulation.settings.population_settings import RouteSettings
from .....core.simulation.world.environment import Environment
from ....reading import Reading
from . import marks
from .marks import Colour, Mark
from .overlay import Overlay, View


@dataclass(frozen=True)
class CorridorStyle:
    """How the corridor map is drawn; chosen for legibility.

    Attributes:
        lift: height of marks above the ground [m].
        sample_spacing: distance of samples of the medial axis [m].
        wide_clearance: from which clearance on a passage has the colour of wide ones [m].
        narrow, wide, refused: colours of narrow and wide passages and of gaps that are too narrow.
        axis_width, gap_width: of lines [pixels].
    """

    lift: float = 0.03
    sample_spacing: float = 0.4
    wide_clearance: float = 1.5
    narrow: Colour = (1.0, 0.75, 0.2, 0.9)
    wide: Colour = (0.25, 0.7, 1.0, 0.9)
    refused: Colour = (1.0, 0.15, 0.1, 1.0)
    axis_width: float = 1.5
    gap_width: float = 4.0


STYLE = CorridorStyle()


def draw(view: View) -> list[Mark]:
    """The medial axis, coloured by its clearance; gaps too narrow for the widest body, with their width."""
    corridors, lift = _map_at(view.reading, view.frame), Lift(view.reading)
    sampled = corridors.sampled_edges(STYLE.sample_spacing)
    places = lift(sampled.points)
    share = np.clip(sampled.clearance / STYLE.wide_clearance, 0.0, 1.0)[:, None]
    colours = (1.0 - share) * STYLE.narrow + share * STYLE.wide
    joined = np.ones(len(places) - 1, dtype=bool)
    joined[sampled.first[1:-1] - 1] = False  # the last of one edge and the first of the next
    pairs = np.flatnonzero(joined)[:, None] + (0, 1)
    axis = marks.chains(places[pairs], colours[pairs], width=STYLE.axis_width)
    gaps = corridors.refused_gaps(widest_body(view.reading))
    if len(gaps.width) == 0:
        return [axis]
    middles = lift(gaps.place)
    labels = [
        marks.Label((x, y, z + STYLE.lift), f"{100.0 * width:.0f} cm", STYLE.refused)
        for (x, y, z), width in zip(middles.tolist(), gaps.width.tolist(), strict=True)
    ]
    return [axis, marks.segments(lift(gaps.left), lift(gaps.right), STYLE.refused, width=STYLE.gap_width), *labels]


def widest_body(reading: Reading) -> float:
    """Return the radius of the widest body of any crowd, with the least clearance of its routes [m]."""
    return max((crowd.radius[1] for crowd in reading.scene.crowds), default=0.25) + RouteSettings.least_clearance


def _map_at(reading: Reading, frame: int) -> CorridorMap:
    """The map as it is at a frame.

    Raises:
        FootfallError: no map can be made, and why.
    """
    first, last = reading.scene.frames
    time = (min(max(frame, first), last) - first) / reading.scene.fps
    passages = _environment(reading).passages_at(time, SimulationSettings().planning_horizon)
    if passages.corridors is None:
        raise FootfallError(passages.missing)
    return passages.corridors.unrecorded


@lru_cache(maxsize=2)
def _environment(reading: Reading) -> Environment:
    """The obstacles of a scene; read once per reading."""
    return Environment(reading.scene)


class Lift:
    """From 2D places to places just above the ground, or above the routes where there is no ground."""

    above = STYLE.lift

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
        return np.column_stack([places, height + STYLE.lift])


OVERLAY = Overlay(
    draw,
    legend=(
        (STYLE.narrow, "narrow passage"),
        (STYLE.wide, "passage of 3 m or more"),
        (STYLE.refused, "gap too narrow for the widest body"),
    ),
)
