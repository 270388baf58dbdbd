# SPDX-License-Identifier: GPL-3.0-or-later
"""From drawn points to the table of one path: nodes at even distances along the line that is walked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ...array_types import Complex128, Float64, Int64
from ...geometry.reproducible_math import complex_product, cos_sin, modulus
from .clothoids import close_lap, integrate, integrate_many
from .drawn_line import SAMPLE_SPACING, DrawnLine, clean_points, sample_line
from .free_width import bend_limits_of_loop, bend_limits_of_open
from .pure_pursuit import CELL_LENGTH, WINDOW_LENGTH, PursuitPath, walk_along
from .reference_settings import ReferenceSettings

NODES_AT_ONCE = 1 << 15
"""So many nodes of paths are computed together: what is computed for them fits the processor's cache."""


@dataclass(frozen=True, eq=False)
class PathTable:
    """One path at its nodes, `cell` apart; an open one continues past `length`, a closed one ends where it starts.

    Attributes:
        place: complex128 (n + 1,), x + iy [m].
        heading: float64 (n + 1,), without jumps [rad].
        curvature: float64 (n + 1,) [1/m].
        height: float64 (n + 1,), z of the drawn line [m].
        left, right: float64 (n + 1,), limits of the offset that bends set on each side, both positive [m].
        free_left, free_right: float64 (n + 1,), free width on each side, both positive [m].
        cell: distance between nodes [m].
        length: of the path, or of a lap [m].
        closed: the path goes lap after lap.
    """

    place: Complex128
    heading: Float64
    curvature: Float64
    height: Float64
    left: Float64
    right: Float64
    free_left: Float64
    free_right: Float64
    cell: float
    length: float
    closed: bool

    @property
    def half_width(self) -> float:
        """The largest free width on either side [m]."""
        return float(max(np.max(self.free_left), np.max(self.free_right)))


def build_tables(
    lines: Sequence[ArrayLike], closed: Sequence[bool], widths: Sequence[Float64], settings: ReferenceSettings
) -> list[PathTable]:
    """Follow drawn lines, all at once, and tabulate the paths.

    Args:
        lines: float64 (P, 2) or (P, 3) each, drawn points [m].
        closed: per line, whether the last point joins the first.
        widths: float64 (P, 2) each, free width left and right of the line at each point [m].
        settings: see there.

    Returns:
        One table per line.

    Raises:
        GeometryError: a line without two distinct points.
    """
    run = settings.run_out + settings.look_ahead + WINDOW_LENGTH
    drawn = [
        sample_line(*clean_points(line, width, closed=loop), settings, closed=loop, run=run)
        for line, loop, width in zip(lines, closed, widths, strict=True)
    ]
    built = _walk_and_tabulate(drawn, settings)
    for times in settings.sharper:
        far = [k for k, (_, away) in enumerate(built) if away > settings.farthest]
        if not far:
            break
        sharp = replace(
            settings,
            max_curvature=times * settings.max_curvature,
            max_curvature_rate=times**2 * settings.max_curvature_rate,
        )
        for k, again in zip(far, _walk_and_tabulate([drawn[k] for k in far], sharp), strict=True):
            built[k] = min(built[k], again, key=lambda each: each[1])
    return [table for table, _ in built]


def _walk_and_tabulate(lines: Sequence[DrawnLine], settings: ReferenceSettings) -> list[tuple[PathTable, float]]:
    """The table of each line, and the largest distance of its nodes from their places on the drawn line [m]."""
    walks = walk_along(lines, settings)
    open_ones = [k for k, line in enumerate(lines) if not line.closed]
    nodes = np.cumsum([len(walks[k].curvature) for k in open_ones])
    built: dict[int, tuple[PathTable, float]] = {}
    for part in np.split(open_ones, np.flatnonzero(np.diff(nodes // NODES_AT_ONCE)) + 1) if open_ones else ():
        chosen = part.tolist()
        tables = _open_tables([lines[k] for k in chosen], [walks[k] for k in chosen], settings)
        built |= zip(chosen, tables, strict=True)
    return [built[k] if k in built else _closed_table(lines[k], walks[k], settings) for k in range(len(lines))]


def _deviation(line: DrawnLine, place: Complex128, u: Float64) -> float:
    """Largest distance of places from the sampled line at u [m]."""
    inside = (u >= 0.0) & (u <= line.length)
    ahead = np.clip((u[inside] - line.first) / SAMPLE_SPACING, 0.0, len(line.samples) - 1.001)
    node = ahead.astype(np.int64)
    here, there = line.samples[node], line.samples[node + 1]
    return float(np.max(modulus(place[inside] - here - (ahead - node) * (there - here)), initial=0.0))


def _turn(angle: float) -> complex:
    cos, sin = cos_sin(angle)
    return complex(cos, sin)


def _open_tables(
    lines: Sequence[DrawnLine], walks: Sequence[PursuitPath], settings: ReferenceSettings
) -> list[tuple[PathTable, float]]:
    """The tables of open lines, in one pass over all their nodes."""
    first = np.cumsum([0, *(len(walk.curvature) for walk in walks)])
    curvature = np.concatenate([walk.curvature for walk in walks])
    progress = np.concatenate([walk.progress for walk in walks])
    place, heading = integrate_many(
        curvature, first, CELL_LENGTH, [walk.start for walk in walks], [walk.heading for walk in walks]
    )
    drawn_length = np.array([line.length for line in lines])
    is_before = progress < np.repeat(drawn_length, np.diff(first))
    before = np.add.reduceat(is_before.astype(np.int64), first[:-1])
    end = first[:-1] + np.minimum(before, np.diff(first) - 1)
    cos, sin = cos_sin(-heading[end])
    past = complex_product(np.array([line.end for line in lines]) - place[end], cos + 1j * sin).real
    length = np.maximum((end - first[:-1]) * CELL_LENGTH + np.clip(past, -CELL_LENGTH, CELL_LENGTH), 1e-3)
    left, right = bend_limits_of_open(curvature, first, CELL_LENGTH, settings.bends)
    built = []
    for k, (line, own) in enumerate(zip(lines, map(slice, first[:-1], first[1:]), strict=True)):
        table = PathTable(
            place=place[own],
            heading=heading[own],
            curvature=curvature[own],
            left=left[own],
            right=right[own],
            **_drawn_columns(line, progress[own]),
            cell=CELL_LENGTH,
            length=float(length[k]),
            closed=False,
        )
        built.append((table, _deviation(line, table.place, progress[own])))
    return built


def _closed_table(line: DrawnLine, walk: PursuitPath, settings: ReferenceSettings) -> tuple[PathTable, float]:
    """One lap, cut where the walk is straightest: there the walker is on the line, and ends nearly as it started."""
    place, heading = integrate(walk.curvature, CELL_LENGTH, walk.start, walk.heading)
    last = _straightest(walk, line, settings.run_out)
    first = max(int(np.searchsorted(walk.progress, walk.progress[last] - line.length)), 0)
    gap = ((place[first] - place[last]) * _turn(-heading[last])).real
    lap = max((last - first) * CELL_LENGTH + float(np.clip(gap, -CELL_LENGTH, CELL_LENGTH)), CELL_LENGTH)
    count = max(8, round(lap / CELL_LENGTH))
    cell = lap / count
    where = first + cell / CELL_LENGTH * np.arange(count)
    nodes = np.arange(len(place))
    curvature = close_lap(np.interp(where, nodes, walk.curvature), cell, float(heading[first]))
    if curvature is None or np.max(np.abs(curvature)) > 2.0 * settings.max_curvature:
        return _circle(line, settings), 0.0
    around, heading = integrate(curvature, cell, complex(place[first]), float(heading[first]))
    u = np.interp(where, nodes, walk.progress)
    begin = int(np.searchsorted(u, 0.0)) % count  # s = 0 is the first point of the drawn line
    curvature = np.append(np.roll(curvature[:-1], -begin), curvature[begin])
    place, heading = integrate(curvature, cell, complex(around[begin]), float(heading[begin]))
    u = np.mod(np.append(np.roll(u, -begin), u[begin]), line.length)
    left, right = bend_limits_of_loop(curvature, cell, settings.bends)
    table = PathTable(
        place=place,
        heading=heading,
        curvature=curvature,
        left=left,
        right=right,
        **_drawn_columns(line, u),
        cell=cell,
        length=lap,
        closed=True,
    )
    return table, _deviation(line, place, u)


def _straightest(walk: PursuitPath, line: DrawnLine, run_out: float) -> int:
    """The node of the last lap around which the walker turns least, after it has settled on the line."""
    bend = np.abs(walk.curvature)
    for reach in (1, 2, 4):  # the greatest within seven cells
        before, after = (
            np.append(np.full(reach, np.inf), bend[:-reach]),
            np.append(bend[reach:], np.full(reach, np.inf)),
        )
        bend = np.maximum(bend, np.maximum(before, after))
    settled = max(0.0, line.first + line.length + run_out)
    allowed = (walk.progress >= settled) & (walk.progress <= line.length + run_out)
    return int(np.argmin(np.where(allowed, bend, np.inf)))


def _circle(line: DrawnLine, settings: ReferenceSettings) -> PathTable:
    """The path in place of a loop too small to be walked: a circle of the sharpest turn about its middle."""
    radius = max(1.0 / settings.max_curvature, line.length / (2.0 * np.pi))
    count = max(8, int(np.ceil(2.0 * np.pi * radius / CELL_LENGTH)))
    cell = 2.0 * np.pi * radius / count
    curvature = np.full(count + 1, 1.0 / radius)
    place, heading = integrate(curvature, cell, line.middle - 1j * radius, 0.0)
    u = np.linspace(0.0, line.length, count + 1)
    left, right = bend_limits_of_loop(curvature, cell, settings.bends)
    return PathTable(
        place=place,
        heading=heading,
        curvature=curvature,
        left=left,
        right=right,
        **_drawn_columns(line, u),
        cell=cell,
        length=cell * count,
        closed=True,
    )


def _drawn_columns(line: DrawnLine, u: Float64) -> dict[str, Float64]:
    """What is linear between the drawn points: the height, and the free width on each side."""
    free_left, free_right = (np.interp(u, line.drawn_u, side) for side in line.drawn_width.T)
    height = np.interp(u, line.drawn_u, line.drawn_height)
    return {"height": height, "free_left": free_left, "free_right": free_right}


class Joining:
    """Joins the columns of many paths: each gets a row in front, at its first node, and one for each node.

    Args:
        nodes: int64 (P,), number of nodes of each path.
        cells: float64 (P,), distance between them [m].
    """

    def __init__(self, nodes: Int64, cells: Float64) -> None:
        rows = nodes + 1
        self._last = np.cumsum(rows) - 1
        self._front = self._last - nodes
        self._node = np.arange(rows.sum()) - np.repeat(np.arange(1, len(rows) + 1), rows)
        self._node[self._front] += 1
        self._cell = np.repeat(cells, rows)[:-1]

    def nodes(self, columns: Iterable[Float64]) -> Float64:
        """Join the values at the nodes."""
        return np.concatenate(list(columns))[self._node]

    def with_slopes(self, columns: Iterable[Float64], *, fade: bool = False) -> tuple[Float64, Float64]:
        """Join values and slopes, constant in front and behind, or 0 there where they fade."""
        values = self.nodes(columns)
        slopes = np.zeros(len(values))
        np.divide(values[1:] - values[:-1], self._cell, out=slopes[:-1])
        slopes[self._last] = 0.0
        if fade:
            values[self._front] = values[self._last] = 0.0
        return values, slopes
