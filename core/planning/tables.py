# SPDX-License-Identifier: GPL-3.0-or-later
"""From drawn points to the table of one path: nodes at even distances along the line that is really walked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import GeometryError
from .clothoids import close_lap, integrate
from .pursuit import CELL, WINDOW_LENGTH, Walk, walk_along
from .source import SourceLine, clean_points, sample_line

Float64 = NDArray[np.float64]
Complex128 = NDArray[np.complex128]

_RUN = 1.0  # [m] of table past the end of an open path: time for the curvature to fade out
_DILATION = 0.15  # [m] along which a bend already narrows the way
_NARROWING = 0.35  # [m/m] how fast the limits of d close in ahead of a bend, far from it
_ROUNDING = 0.5  # [m] near it they do so more gently
_NARROWED = 3.5  # [m] of way ahead and behind that a bend narrows
_FLATTEST = 1e-3  # [1/m] below, a bend narrows nothing


@dataclass(frozen=True)
class ReferenceSettings:
    """How a drawn line becomes one that can be walked.

    Attributes:
        smoothing: standard deviation of the smoothing along the line [m].
        look_ahead: how far ahead the line is aimed at; longer is softer and cuts more [m].
        max_curvature: sharpest turn [1/m].
        max_curvature_rate: how fast a turn may tighten [1/m2].
        nearest_to_centre: share of the way to the centre of a bend that an offset may reach; below 1, so that the
            map from (s, d) to the plane stays one to one.
        least_radius: of the turn of those who walk on the inner side of a bend [m].
    """

    smoothing: float = 0.06
    look_ahead: float = 0.4
    max_curvature: float = 4.5
    max_curvature_rate: float = 15.0
    nearest_to_centre: float = 0.8
    least_radius: float = 0.3


@dataclass(frozen=True, eq=False)
class PathTable:
    """One path at its nodes, `cell` apart; an open one goes on past `length`, a closed one ends where it began.

    Attributes:
        place: complex128 (n + 1,), x + iy [m].
        heading: float64 (n + 1,), without jumps [rad].
        curvature: float64 (n + 1,) [1/m].
        height: float64 (n + 1,), z of the drawn line [m].
        left, right: float64 (n + 1,), how far to each side a bend lets one walk, both positive [m].
        cell: distance between nodes [m].
        length: of the path, or of a lap [m].
        closed: the path goes lap after lap.
        half_width: what people may use on each side [m].
    """

    place: Complex128
    heading: Float64
    curvature: Float64
    height: Float64
    left: Float64
    right: Float64
    cell: float
    length: float
    closed: bool
    half_width: float


def build_tables(
    lines: Sequence[ArrayLike], closed: Sequence[bool], half_widths: Sequence[float], settings: ReferenceSettings
) -> list[PathTable]:
    """Walk along drawn lines, all at once, and tabulate what was walked.

    Args:
        lines: float64 (P, 2) or (P, 3) each, drawn points [m].
        closed: per line, whether the last point joins the first.
        half_widths: per line, what people may use on each side [m].
        settings: see there.

    Returns:
        One table per line.

    Raises:
        GeometryError: a line without two distinct points, or a width that is not a positive number.
    """
    reach = _RUN + settings.look_ahead + WINDOW_LENGTH
    sources = [
        sample_line(clean_points(line, closed=loop), closed=loop, smoothing=settings.smoothing, run=reach)
        for line, loop in zip(lines, closed, strict=True)
    ]
    for width in half_widths:
        if not width > 0.0:
            raise GeometryError(f"The half width of a path must be a positive number of metres, got {width}.")
    walks = walk_along(
        sources,
        look_ahead=settings.look_ahead,
        max_curvature=settings.max_curvature,
        max_curvature_rate=settings.max_curvature_rate,
        run=_RUN,
    )
    build = {True: _closed_table, False: _open_table}
    return [
        build[source.closed](source, walk, float(width), settings)
        for source, walk, width in zip(sources, walks, half_widths, strict=True)
    ]


def _open_table(source: SourceLine, walk: Walk, half_width: float, settings: ReferenceSettings) -> PathTable:
    place, heading = integrate(walk.curvature, CELL, walk.start, walk.heading)
    end = min(int(np.searchsorted(walk.progress, source.length)), len(place) - 1)
    past = (source.end - place[end]) * np.exp(-1j * heading[end])
    length = max(end * CELL + float(np.clip(past.real, -CELL, CELL)), 1e-3)
    left, right = _room(walk.curvature, CELL, settings, closed=False)
    return PathTable(
        place=place,
        heading=heading,
        curvature=walk.curvature,
        height=np.interp(walk.progress, source.drawn_u, source.drawn_height),
        left=left,
        right=right,
        cell=CELL,
        length=length,
        closed=False,
        half_width=half_width,
    )


def _closed_table(source: SourceLine, walk: Walk, half_width: float, settings: ReferenceSettings) -> PathTable:
    """One lap, cut where the walk is straightest: there the walker is on the line, and ends nearly as it began."""
    place, heading = integrate(walk.curvature, CELL, walk.start, walk.heading)
    last = _straightest(walk, source)
    first = max(int(np.searchsorted(walk.progress, walk.progress[last] - source.length)), 0)
    gap = ((place[first] - place[last]) * np.exp(-1j * heading[last])).real
    lap = max((last - first) * CELL + float(np.clip(gap, -CELL, CELL)), CELL)
    count = max(8, round(lap / CELL))
    cell = lap / count
    where = first + cell / CELL * np.arange(count)
    nodes = np.arange(len(place))
    curvature = close_lap(np.interp(where, nodes, walk.curvature), cell, float(heading[first]))
    if curvature is None or np.max(np.abs(curvature)) > 2.0 * settings.max_curvature:
        return _circle(source, half_width, settings)
    around, heading = integrate(curvature, cell, complex(place[first]), float(heading[first]))
    u = np.interp(where, nodes, walk.progress)
    begin = int(np.searchsorted(u, 0.0)) % count  # the drawn line's first point is s = 0
    curvature = np.append(np.roll(curvature[:-1], -begin), curvature[begin])
    place, heading = integrate(curvature, cell, complex(around[begin]), float(heading[begin]))
    u = np.mod(np.append(np.roll(u, -begin), u[begin]), source.length)
    left, right = _room(curvature, cell, settings, closed=True)
    return PathTable(
        place=place,
        heading=heading,
        curvature=curvature,
        height=np.interp(u, source.drawn_u, source.drawn_height),
        left=left,
        right=right,
        cell=cell,
        length=lap,
        closed=True,
        half_width=half_width,
    )


def _straightest(walk: Walk, source: SourceLine) -> int:
    """The node of the last lap about which the walker turns least, and that it has reached long settled."""
    bend = np.abs(walk.curvature)
    for reach in (1, 2, 4):  # the greatest within seven cells
        before, after = (
            np.append(np.full(reach, np.inf), bend[:-reach]),
            np.append(bend[reach:], np.full(reach, np.inf)),
        )
        bend = np.maximum(bend, np.maximum(before, after))
    settled = max(0.0, source.first + source.length + _RUN)
    allowed = (walk.progress >= settled) & (walk.progress <= source.length + _RUN)
    return int(np.argmin(np.where(allowed, bend, np.inf)))


def _circle(source: SourceLine, half_width: float, settings: ReferenceSettings) -> PathTable:
    """What is walked instead of a loop too small to be walked: the sharpest turn about its middle."""
    radius = max(1.0 / settings.max_curvature, source.length / (2.0 * np.pi))
    count = max(8, int(np.ceil(2.0 * np.pi * radius / CELL)))
    cell = 2.0 * np.pi * radius / count
    curvature = np.full(count + 1, 1.0 / radius)
    place, heading = integrate(curvature, cell, source.middle - 1j * radius, 0.0)
    left, right = _room(curvature, cell, settings, closed=True)
    u = np.linspace(0.0, source.length, count + 1)
    return PathTable(
        place=place,
        heading=heading,
        curvature=curvature,
        height=np.interp(u, source.drawn_u, source.drawn_height),
        left=left,
        right=right,
        cell=cell,
        length=cell * count,
        closed=True,
        half_width=half_width,
    )


def _room(curvature: Float64, cell: float, settings: ReferenceSettings, *, closed: bool) -> tuple[Float64, Float64]:
    """How far to the left and right bends let one walk: some way to their centre, less gently ahead of them."""
    radii = [1.0 / np.maximum(side, _FLATTEST) for side in (curvature, -curvature)]
    share, least = settings.nearest_to_centre, settings.least_radius
    room = [np.minimum(share * radius, np.maximum(radius - least, 0.0)) for radius in radii]
    return _widen_bends(room[0], cell, closed=closed), _widen_bends(room[1], cell, closed=closed)


def _widen_bends(room: Float64, cell: float, *, closed: bool) -> Float64:
    """Lower envelope: nowhere more than at a node near by, plus what may open up on the way from there."""
    reach = round(_NARROWED / cell)
    apart = np.maximum(cell * np.abs(np.arange(-reach, reach + 1)) - _DILATION, 0.0)
    more = _NARROWING * (np.sqrt(apart * apart + _ROUNDING * _ROUNDING) - _ROUNDING)
    around = np.pad(room[:-1] if closed else room, reach, mode="wrap" if closed else "edge")
    widened = np.min(np.lib.stride_tricks.sliding_window_view(around, 2 * reach + 1) + more, axis=1)
    return np.append(widened, widened[0]) if closed else widened
