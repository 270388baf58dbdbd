# SPDX-License-Identifier: GPL-3.0-or-later
"""From drawn points to the table of one path: nodes at even distances along the line that is walked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ...array_types import Complex128, Float64, Int64
from ...compiled import twins
from ...geometry.reproducible_math import complex_product, cos_sin, modulus
from .clothoids import close_lap, integrate, sums_along
from .drawn_line import SAMPLE_SPACING, CleanLines, DrawnLine, clean_lines, sample_line
from .free_width import bend_limits_of_loop, bend_limits_of_open
from .pure_pursuit import CELL_LENGTH, WINDOW_LENGTH, PursuitPath, walk_along
from .reference_settings import ReferenceSettings
from .walked_path import SUMS_APART, WalkedPath, drawn_columns, follow_compiled, kept_height

Path = TypeVar("Path", "PathTable", WalkedPath)
AnyPath: TypeAlias = "PathTable | WalkedPath"

LINES_AT_ONCE, COMPILED_AT_ONCE = 1024, 256
"""So many lines are walked together, to bound memory: of more, the samples take more than the paths. Without compiled
code many together are much quicker, as they take each step at once."""

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
    def cells(self) -> int:
        """Number of its cells."""
        return len(self.place) - 1

    @property
    def is_level(self) -> bool:
        """Whether it neither rises nor falls."""
        return not np.diff(self.height).any()

    @property
    def first_height(self) -> float:
        """Where it begins [m]."""
        return float(self.height[0])

    @property
    def turn(self) -> float:
        """From the first heading to the last [rad]."""
        return float(self.heading[-1] - self.heading[0])

    @property
    def half_width(self) -> float:
        """The largest free width on either side [m]."""
        return float(max(np.max(self.free_left), np.max(self.free_right)))


def numbers_of(tables: Sequence[AnyPath], earlier: tuple[Sequence[AnyPath], Float64] | None = None) -> Float64:
    """Return float64 (8, P), what a `ReferenceSet` knows of P paths; of those of an earlier set too, as there."""
    known, of_known = earlier or ((), np.zeros((8, 0)))
    have = min(len(known), len(tables))
    new = [k for k, table in enumerate(tables) if k >= have or table is not known[k]]
    numbers = np.zeros((len(of_known), len(tables)))
    numbers[:, :have] = of_known[:, :have]
    if new:
        numbers[:, new] = np.array([_numbers_of_one(tables[k]) for k in new]).T
    return numbers


def _numbers_of_one(table: AnyPath) -> tuple[float, ...]:
    own = table.length, table.half_width, table.cell, table.turn, table.closed, table.cells
    own += table.is_level, table.first_height
    return tuple(map(float, own))


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
    if not lines:
        return []
    return _sharpened(clean_lines(lines, widths, closed), settings, _walk_and_tabulate)


def walk_open_lines(
    lines: Sequence[ArrayLike], sides: Sequence[tuple[Float64, Float64]], settings: ReferenceSettings
) -> list[WalkedPath]:
    """Follow open lines, many at once, and keep what their tables can be made of when they are needed.

    Args:
        lines: as for `build_tables`.
        sides: float64 (P,) each, free width left and right of the line at each point [m].
        settings: as for `build_tables`.

    Raises:
        GeometryError: a line without two distinct points.
    """
    kernels = None if settings.corner_rounding > 0.0 else twins.twin(twins.LINES)  # compiled code rounds none
    follow = _walk_and_keep if kernels is None else partial(follow_compiled, kernels)
    made: list[WalkedPath] = []
    together = LINES_AT_ONCE if kernels is None else COMPILED_AT_ONCE
    for first in range(0, len(lines), together):
        some = slice(first, first + together)
        widths = [np.stack(both, axis=1) for both in sides[some]]
        clean = clean_lines(lines[some], widths, [False] * len(widths))
        made += _sharpened(clean, settings, follow)
    return made


def _sharpened(
    lines: CleanLines,
    settings: ReferenceSettings,
    follow: Callable[[CleanLines, ReferenceSettings], list[tuple[Path, float]]],
) -> list[Path]:
    """Follow lines, those that lead too far off with sharper turns and corners as they are drawn again."""
    built = follow(lines, settings)
    for times in settings.sharper:
        far = [k for k, (_, away) in enumerate(built) if away > settings.farthest]
        if not far:
            break
        sharp = replace(
            settings,
            corner_rounding=0.0,
            look_ahead=settings.look_ahead / times,
            max_curvature=times * settings.max_curvature,
            max_curvature_rate=times**2 * settings.max_curvature_rate,
        )
        for k, again in zip(far, follow(lines.some(far), sharp), strict=True):
            built[k] = min(built[k], again, key=lambda each: each[1])
    return [path for path, _ in built]


def _sampled(lines: CleanLines, settings: ReferenceSettings) -> list[DrawnLine]:
    run = settings.run_out + settings.look_ahead + WINDOW_LENGTH
    return [sample_line(line, width, settings, closed=closed, run=run) for line, width, closed in lines.each]


def _walk_and_keep(clean: CleanLines, settings: ReferenceSettings) -> list[tuple[WalkedPath, float]]:
    """The path of each open line, and the largest distance of its nodes from their places on the drawn line [m]."""
    lines = _sampled(clean, settings)
    walks = walk_along(lines, settings)
    made: list[tuple[WalkedPath, float]] = []
    for part in _parts(walks):
        made += _walked_paths([lines[k] for k in part], [walks[k] for k in part], settings)
    return made


def _walk_and_tabulate(clean: CleanLines, settings: ReferenceSettings) -> list[tuple[PathTable, float]]:
    """The table of each line, and the largest distance of its nodes from their places on the drawn line [m]."""
    lines = _sampled(clean, settings)
    walks = walk_along(lines, settings)
    open_ones = [k for k, line in enumerate(lines) if not line.closed]
    built: dict[int, tuple[PathTable, float]] = {}
    for part in _parts([walks[k] for k in open_ones]):
        chosen = [open_ones[k] for k in part]
        tables = _open_tables([lines[k] for k in chosen], [walks[k] for k in chosen], settings)
        built |= zip(chosen, tables, strict=True)
    return [built[k] if k in built else _closed_table(lines[k], walks[k], settings) for k in range(len(lines))]


def _parts(walks: Sequence[PursuitPath]) -> list[list[int]]:
    """The numbers of walks in parts that are computed together."""
    nodes = np.cumsum([len(walk.curvature) for walk in walks])
    cuts = np.flatnonzero(np.diff(nodes // NODES_AT_ONCE)) + 1
    return [part.tolist() for part in np.split(np.arange(len(walks)), cuts)] if walks else []


def _deviation(line: DrawnLine, place: Complex128, u: Float64) -> float:
    """Largest distance of places from the line at u, as it is drawn [m]."""
    inside = (u >= 0.0) & (u <= line.length)
    ahead = np.clip((u[inside] - line.first) / SAMPLE_SPACING, 0.0, len(line.as_drawn) - 1.001)
    node = ahead.astype(np.int64)
    here, there = line.as_drawn[node], line.as_drawn[node + 1]
    return float(np.max(modulus(place[inside] - here - (ahead - node) * (there - here)), initial=0.0))


def _turn(angle: float) -> complex:
    cos, sin = cos_sin(angle)
    return complex(cos, sin)


def _walked_paths(
    lines: Sequence[DrawnLine], walks: Sequence[PursuitPath], settings: ReferenceSettings
) -> list[tuple[WalkedPath, float]]:
    """The paths of open lines, kept small, in one pass over all their nodes."""
    course = _Course.of(lines, walks)
    built = []
    for k, (line, walk, own) in enumerate(zip(lines, walks, course.slices, strict=True)):
        place, heading, turned, moved = course.place[own], course.heading[own], course.turned[own], course.moved[own]
        free = drawn_columns(line, walk.progress)
        path = WalkedPath(
            curvature=walk.curvature.copy(),  # of a walk, which keeps more
            progress=walk.progress,
            turned=turned[::SUMS_APART].copy(),
            moved=moved[::SUMS_APART].copy(),
            start=walk.start,
            heading=walk.heading,
            drawn_u=line.drawn_u,
            drawn_height=kept_height(line.drawn_height),
            drawn_width=line.drawn_width,
            bends=settings.bends,
            length=float(course.length[k]),
            half_width=float(max(np.max(free["free_left"]), np.max(free["free_right"]))),
            turn=float(heading[-1] - heading[0]),
        )
        built.append((path, _deviation(line, place, walk.progress)))
    return built


def _open_tables(
    lines: Sequence[DrawnLine], walks: Sequence[PursuitPath], settings: ReferenceSettings
) -> list[tuple[PathTable, float]]:
    """The tables of open lines, in one pass over all their nodes."""
    course = _Course.of(lines, walks)
    left, right = bend_limits_of_open(course.curvature, course.first, CELL_LENGTH, settings.bends)
    built = []
    for k, (line, walk, own) in enumerate(zip(lines, walks, course.slices, strict=True)):
        table = PathTable(
            place=course.place[own],
            heading=course.heading[own],
            curvature=course.curvature[own],
            left=left[own],
            right=right[own],
            **drawn_columns(line, walk.progress),
            cell=CELL_LENGTH,
            length=float(course.length[k]),
            closed=False,
        )
        built.append((table, _deviation(line, table.place, walk.progress)))
    return built


@dataclass(frozen=True, eq=False)
class _Course:
    """The nodes of P open lines that were walked, one behind the other.

    Attributes:
        first: int64 (P + 1,), first node of each, and all nodes.
        curvature, heading: float64 (N,) [1/m, rad].
        turned, moved: angle turned and displacement up to each node, see `sums_along`.
        place: complex128 (N,), x + iy [m].
        length: float64 (P,), of each path [m].
    """

    first: Int64
    curvature: Float64
    heading: Float64
    turned: Float64
    moved: Complex128
    place: Complex128
    length: Float64

    @staticmethod
    def of(lines: Sequence[DrawnLine], walks: Sequence[PursuitPath]) -> _Course:
        """Integrate the walks, at least one."""
        first = np.cumsum([0, *(len(walk.curvature) for walk in walks)])
        counts, begins, count = np.diff(first), first[:-1], len(walks)
        curvature = np.concatenate([walk.curvature for walk in walks])
        progress = np.concatenate([walk.progress for walk in walks])
        begun = np.array([walk.heading for walk in walks])
        nothing = np.zeros(count), np.zeros(count, dtype=np.complex128)
        turned, moved = sums_along(curvature, first, CELL_LENGTH, begun, nothing)
        place, heading = np.repeat([walk.start for walk in walks], counts) + moved, np.repeat(begun, counts) + turned
        is_before = progress < np.repeat([line.length for line in lines], counts)
        before = np.add.reduceat(is_before.astype(np.int64), begins)
        end = begins + np.minimum(before, counts - 1)
        cos, sin = cos_sin(-heading[end])
        past = complex_product(np.array([line.end for line in lines]) - place[end], cos + 1j * sin).real
        length = np.maximum((end - begins) * CELL_LENGTH + np.clip(past, -CELL_LENGTH, CELL_LENGTH), 1e-3)
        return _Course(first, curvature, heading, turned, moved, place, length)

    @property
    def slices(self) -> list[slice]:
        """The nodes of each line."""
        return list(map(slice, self.first[:-1], self.first[1:]))


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
        table = _circle(line, settings)
        return table, float(modulus(table.place[:, None] - line.as_drawn).min(axis=1).max())
    around, heading = integrate(curvature, cell, complex(place[first]), float(heading[first]))
    u = np.interp(where, nodes, walk.progress)
    begin = int(np.searchsorted(u, 0.0)) % count  # s = 0 is the first point of the drawn line
    curvature = np.append(np.roll(curvature[:-1], -begin), curvature[begin])
    place, heading = integrate(curvature, cell, complex(around[begin]), float(heading[begin]))
    u = np.mod(np.append(np.roll(u, -begin), u[begin]), line.length)
    return _loop(line, u, (place, heading, curvature), (cell, lap), settings), _deviation(line, place, u)


def _loop(
    line: DrawnLine,
    u: Float64,
    walked: tuple[Complex128, Float64, Float64],
    lengths: tuple[float, float],
    settings: ReferenceSettings,
) -> PathTable:
    """The table of a closed path: place, heading and curvature at its nodes; lengths of a cell and of a lap [m]."""
    place, heading, curvature = walked
    cell, lap = lengths
    left, right = bend_limits_of_loop(curvature, cell, settings.bends)
    return PathTable(
        place=place,
        heading=heading,
        curvature=curvature,
        left=left,
        right=right,
        **drawn_columns(line, u),
        cell=cell,
        length=lap,
        closed=True,
    )


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
    return _loop(line, u, (place, heading, curvature), (cell, cell * count), settings)
