# SPDX-License-Identifier: GPL-3.0-or-later
"""An open path kept small: how it was walked, from which any stretch of it is tabulated when somebody comes there.

A table of a whole path takes nine numbers a node; most are needed only near people. Curvature and progress are kept of
every node, sums of headings and steps of every 64th, so that a stretch has the bits of the whole table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ...array_types import Complex128, Float64, Int64
from ...geometry.ragged import cumulative_sums
from ...geometry.reproducible_math import length
from .clothoids import sums_along
from .drawn_line import SAMPLE_SPACING, CleanLines, DrawnLine, gaussian
from .free_width import bend_limits_of_open, spread_of
from .pure_pursuit import CELL_LENGTH, WINDOW_LENGTH, walk_numbers
from .reference_settings import BendSettings, ReferenceSettings

SUMS_APART = 64
"""Nodes from one kept sum to the next."""


@dataclass(frozen=True, eq=False)
class WalkedPath:
    """An open path of n cells.

    Attributes:
        curvature: float64 (n + 1,), at its nodes [1/m].
        progress: float64 (n + 1,), place on the drawn line [m].
        turned: float64, angle turned up to each 64th node [rad].
        moved: complex128, displacement up to there, x + iy [m].
        start: x + iy of the first node [m].
        heading: there [rad].
        drawn_u, drawn_height, drawn_width: of the drawn line, see `DrawnLine`.
        bends: how bends limit the offset.
        cell, length, closed: see `PathTable`.
        half_width: the largest free width on either side [m].
        turn: from the first heading to the last [rad].
    """

    curvature: Float64
    progress: Float64
    turned: Float64
    moved: Complex128
    start: complex
    heading: float
    drawn_u: Float64
    drawn_height: Float64
    drawn_width: Float64
    bends: BendSettings
    length: float
    half_width: float
    turn: float
    cell: float = CELL_LENGTH
    closed: bool = False

    @property
    def cells(self) -> int:
        """Number of its cells."""
        return len(self.curvature) - 1

    @property
    def is_level(self) -> bool:
        """Whether it neither rises nor falls."""
        return not np.diff(self.drawn_height).any()

    @property
    def first_height(self) -> float:
        """Where it begins [m]."""
        return float(self.drawn_height[0])


def follow_compiled(kernels: Any, lines: CleanLines, settings: ReferenceSettings) -> list[tuple[WalkedPath, float]]:
    """Follow open lines in compiled code, which gives the bits of numpy's.

    Args:
        kernels: the compiled twins.
        lines: at least one.
        settings: see there.

    Returns:
        The path of each, and the largest distance of its nodes from their places on the drawn line [m].
    """
    run = length(np.diff(lines.points[:, :2], axis=0, prepend=0.0))
    run[lines.first[:-1]] = 0.0
    along = cumulative_sums(run, lines.first)
    followed = kernels.follow(
        np.column_stack((along, lines.points[:, :2], lines.width)), lines.first, _follow_settings(kernels, settings)
    )
    height, made = kept_height(lines.points[:, 2]), []
    drawn = [[values[a:b] for a, b in pairwise(lines.first.tolist())] for values in (along, height, lines.width)]
    rows = zip(followed.first.tolist(), followed.sums_first.tolist(), followed.counts.tolist(), strict=True)
    for *of_line, (low, at, count), about in zip(*drawn, rows, followed.about.tolist(), strict=True):
        curvature, progress = followed.nodes[:, low : low + count]
        sums = slice(at, at + (count - 1) // SUMS_APART + 1)
        x, y, heading, long, half_width, turn, away = about
        path = WalkedPath(
            curvature=curvature.copy(),
            progress=progress.copy(),
            turned=followed.turned[sums].copy(),
            moved=followed.moved[sums].copy(),
            start=complex(x, y),
            heading=heading,
            drawn_u=of_line[0],
            drawn_height=of_line[1],
            drawn_width=of_line[2],
            bends=settings.bends,
            length=long,
            half_width=half_width,
            turn=turn,
        )
        made.append((path, away))
    return made


def kept_height(height: Float64) -> Float64:
    """Return the heights of drawn points, float64 (Q,) [m], as an array of their own that is small where all are 0."""
    return height.copy() if height.any() else np.broadcast_to(0.0, height.shape)


def _follow_settings(kernels: Any, settings: ReferenceSettings) -> Any:
    return kernels.WalkNumbers(
        weights=gaussian(settings.smoothing),
        walk=walk_numbers(settings),
        spacing=SAMPLE_SPACING,
        end_chord=settings.end_chord,
        run=settings.run_out + settings.look_ahead + WINDOW_LENGTH,
        run_out=settings.run_out,
        apart=SUMS_APART,
    )


@dataclass(frozen=True, eq=False)
class Nodes:
    """Nodes of stretches of paths, one behind the other.

    Attributes:
        first: int64 (P + 1,), first node of each stretch, and all nodes.
        place: complex128 (N,), x + iy [m].
        heading, curvature, height, left, right, free_left, free_right: float64 (N,), as in `PathTable`.
    """

    first: Int64
    place: Complex128
    heading: Float64
    curvature: Float64
    height: Float64
    left: Float64
    right: Float64
    free_left: Float64
    free_right: Float64


def nodes_of(paths: Sequence[WalkedPath], low: Int64, high: Int64) -> Nodes:
    """Tabulate stretches of paths, all at once.

    Args:
        paths: P of them, at least one.
        low: int64 (P,), the first node of each stretch.
        high: int64 (P,), its last node.

    Returns:
        The nodes, with the bits that they have in tables of whole paths.
    """
    sums_at = low // SUMS_APART
    begins = sums_at * SUMS_APART
    first = np.cumsum([0, *(high - begins + 1)])
    curvature = np.concatenate([path.curvature[a : b + 1] for path, a, b in zip(paths, begins, high, strict=True)])
    before = [(path.turned[at], path.moved[at]) for path, at in zip(paths, sums_at, strict=True)]
    heading = np.array([path.heading for path in paths])
    seeds = np.array([turned for turned, _ in before]), np.array([moved for _, moved in before])
    turned, moved = sums_along(curvature, first, CELL_LENGTH, heading, seeds)
    own = _inner(first, low - begins, high - begins)
    counts = high - low + 1
    left, right = _bend_limits(paths, low, high)
    progress = [path.progress[a : b + 1] for path, a, b in zip(paths, low, high, strict=True)]
    drawn = [drawn_columns(path, u) for path, u in zip(paths, progress, strict=True)]
    return Nodes(
        first=np.cumsum([0, *counts]),
        place=np.repeat([path.start for path in paths], counts) + moved[own],
        heading=np.repeat(heading, counts) + turned[own],
        curvature=curvature[own],
        left=left,
        right=right,
        **{name: np.concatenate([columns[name] for columns in drawn]) for name in drawn[0]},
    )


def make_rows_compiled(
    kernels: Any, paths: Sequence[WalkedPath], low: Int64, high: Int64, columns: Float64, into: Int64
) -> None:
    """Write rows of paths, in compiled code that gives the bits of `nodes_of`.

    Args:
        kernels: the compiled twins.
        paths: P of them, at least one.
        low: int64 (P,), the first row of each; see `PathWindows`.
        high: int64 (P,), the last one.
        columns: float64 (15, R), into which they are written.
        into: int64 (P,), where the rows of each begin.
    """
    bends = paths[0].bends
    more = spread_of(CELL_LENGTH, bends)
    cells = np.array([path.cells for path in paths])
    nodes, ends = np.maximum(low, 0), np.minimum(high + 1, cells)
    sums_at = nodes // SUMS_APART
    reach = len(more) // 2
    begins, last = np.minimum(sums_at * SUMS_APART, np.maximum(nodes - reach, 0)), np.minimum(ends + reach, cells)
    curvature = [path.curvature[a : b + 1] for path, a, b in zip(paths, begins.tolist(), last.tolist(), strict=True)]
    progress = [path.progress[a : b + 1] for path, a, b in zip(paths, nodes.tolist(), ends.tolist(), strict=True)]
    drawn = [
        (max(int(path.drawn_u.searchsorted(u[0], "right")) - 1, 0), int(path.drawn_u.searchsorted(u[-1], "right")) + 1)
        for path, u in zip(paths, progress, strict=True)
    ]
    drawn_columns = [
        np.concatenate([getattr(path, name)[a:b] for path, (a, b) in zip(paths, drawn, strict=True)])
        for name in ("drawn_u", "drawn_height", "drawn_width")
    ]
    poses = [
        (path.start.real, path.start.imag, path.heading, moved.real, moved.imag, path.turned[at])
        for path, at, moved in ((path, at, path.moved[at]) for path, at in zip(paths, sums_at.tolist(), strict=True))
    ]
    stretches = kernels.PathStretches(
        low=low,
        high=high,
        cells=cells,
        sums_at=sums_at * SUMS_APART,
        poses=np.array(poses),
        curvature=np.concatenate(curvature),
        curvature_first=np.column_stack((_begins_of(curvature)[:-1], begins)),
        progress=np.concatenate(progress),
        progress_first=_begins_of(progress)[:-1],
        drawn=np.column_stack(drawn_columns),
        drawn_first=np.cumsum([0, *(min(b, len(path.drawn_u)) - a for path, (a, b) in zip(paths, drawn, strict=True))]),
        into=into,
    )
    numbers = bends.nearest_to_centre, bends.least_radius, bends.flattest, more, CELL_LENGTH
    kernels.make_rows(stretches, kernels.BendNumbers(*numbers), columns)


def _begins_of(parts: Sequence[Float64]) -> Int64:
    """Where each of some arrays begins when they are laid end to end, and where the last ends: int64 (N + 1,)."""
    return np.cumsum([0, *map(len, parts)])


def _bend_limits(paths: Sequence[WalkedPath], low: Int64, high: Int64) -> tuple[Float64, Float64]:
    """Limits of the offset at the nodes of stretches, which depend on the bends a little before and after them."""
    bends = paths[0].bends
    reach = round(bends.reach / CELL_LENGTH)
    begins = np.maximum(low - reach, 0)
    ends = np.minimum(high + reach, [path.cells for path in paths])
    first = np.cumsum([0, *(ends - begins + 1)])
    curvature = np.concatenate([path.curvature[a : b + 1] for path, a, b in zip(paths, begins, ends, strict=True)])
    own = _inner(first, low - begins, high - begins)
    left, right = bend_limits_of_open(curvature, first, CELL_LENGTH, bends)
    return left[own], right[own]


def _inner(first: Int64, low: Int64, high: Int64) -> Int64:
    """Rows of the nodes from `low` to `high` of each of some runs of nodes."""
    counts = high - low + 1
    return np.arange(counts.sum()) + np.repeat(first[:-1] + low - (counts.cumsum() - counts), counts)


def drawn_columns(line: DrawnLine | WalkedPath, u: Float64) -> dict[str, Float64]:
    """Return what is linear between the drawn points, at u, float64 (N,) [m]: height, free width on each side."""
    free_left, free_right = (np.interp(u, line.drawn_u, side) for side in line.drawn_width.T)
    height = np.interp(u, line.drawn_u, line.drawn_height)
    return {"height": height, "free_left": free_left, "free_right": free_right}
