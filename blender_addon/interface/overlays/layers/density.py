# SPDX-License-Identifier: GPL-3.0-or-later
"""People per square metre, at the current frame or over all frames."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .....core.inspection.replay import Replay
from .....core.report.density_map import DensityMap, density_at, greatest_density, mean_density
from ....settings.overlay_catalogue import MEAN, NOW
from . import marks
from .marks import Colour, Mark
from .overlay import Overlay, View


@dataclass(frozen=True)
class DensityStyle:
    """How density is drawn.

    Attributes:
        lift: height above the ground, below all other marks [m].
        levels: densities of the colours [people per m2]: the least that is painted, the ends of the levels of service
            B, D and E of walkways (Fruin 1971, Pedestrian planning and design), and twice the last.
        colours: one for each level, blended between them.
    """

    lift: float = 0.015
    levels: tuple[float, ...] = (0.05, 0.43, 1.08, 2.17, 4.34)
    colours: tuple[Colour, ...] = (
        (0.2, 0.3, 0.9, 0.0),
        (0.15, 0.55, 0.95, 0.45),
        (0.3, 0.85, 0.35, 0.55),
        (1.0, 0.8, 0.1, 0.65),
        (0.9, 0.05, 0.1, 0.75),
    )


STYLE = DensityStyle()


def draw(view: View) -> list[Mark]:
    """The ground where people are, coloured by their density."""
    people = view.people
    if people is None:
        return []
    over = view.options.density_over
    found = density_at(people.moment.position) if over == NOW else _of_all_frames(people.replay, over)
    corners, colours = _painted(found)
    return [marks.Triangles(corners, colours)]


@lru_cache(maxsize=2)
def _of_all_frames(replay: Replay, over: str) -> DensityMap:
    return mean_density(replay.position) if over == MEAN else greatest_density(replay.position)


def _painted(found: DensityMap) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Float32 (3 T, 3) and (3 T, 4): two triangles for each cell with anybody near, coloured node by node."""
    seen = found.density > STYLE.levels[0]
    row, column = np.nonzero(seen[:-1, :-1] | seen[:-1, 1:] | seen[1:, :-1] | seen[1:, 1:])
    columns = found.density.shape[1]
    first = row * columns + column
    corner = first[:, None] + (0, 1, columns + 1, 0, columns + 1, columns)  # (C, 6), two triangles
    nodes, used = np.unique(corner, return_inverse=True)
    density = found.density.ravel()[nodes]
    table = np.array(STYLE.colours)
    colours = np.column_stack([np.interp(density, STYLE.levels, table[:, part]) for part in range(4)])
    x, y = nodes % columns * found.cell + found.origin[0], nodes // columns * found.cell + found.origin[1]
    height = found.height.ravel()[nodes]
    empty = density <= 0.0
    height[empty] = np.median(height[~empty]) if (~empty).any() else 0.0
    places = np.column_stack([x, y, height + STYLE.lift])
    used = used.ravel()
    return places.astype(np.float32)[used], colours.astype(np.float32)[used]


OVERLAY = Overlay(
    draw,
    legend=tuple(
        (colour, text)
        for colour, text in zip(
            STYLE.colours[:0:-1],
            ("4.3 people per m² and more: dangerous", "2.2: walking is hardly possible", "1.1: dense", "0.4: free"),
            strict=True,
        )
    ),
)
