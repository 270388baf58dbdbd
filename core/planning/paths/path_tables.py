# SPDX-License-Identifier: GPL-3.0-or-later
"""From drawn points to the table of one path: nodes at even distances along the line that is really walked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...geometry.reproducible_math import cos_sin, modulus
from .clothoids import close_lap, integrate
from .drawn_line import SPACING, SourceLine, clean_points, sample_line
from .free_width import bend_room
from .pure_pursuit import CELL, WINDOW_LENGTH, PursuitPath, walk_along

Float64 = NDArray[np.float64]
Complex128 = NDArray[np.complex128]

_RUN = 1.0  # [m] of table past the end of an open path: time for the curvature to fade out


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
        farthest: a line that would leave the drawn one by more is turned more sharply, if that helps [m].
        sharper: how many times as sharply, the next ones for those alone that are still too far off.
    """

    smoothing: float = 0.06
    look_ahead: float = 0.4
    max_curvature: float = 4.5
    max_curvature_rate: float = 15.0
    nearest_to_centre: float = 0.8
    least_radius: float = 0.3
    farthest: float = 0.45
    sharper: tuple[float, ...] = (1.35, 1.7)


@dataclass(frozen=True, eq=False)
class PathTable:
    """One path at its nodes, `cell` apart; an open one goes on past `length`, a closed one ends where it began.

    Attributes:
        place: complex128 (n + 1,), x + iy [m].
        heading: float64 (n + 1,), without jumps [rad].
        curvature: float64 (n + 1,) [1/m].
        height: float64 (n + 1,), z of the drawn line [m].
        left, right: float64 (n + 1,), how far to each side a bend lets one walk, both positive [m].
        room_left, room_right: float64 (n + 1,), what people may use on each side, both positive [m].
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
    room_left: Float64
    room_right: Float64
    cell: float
    length: float
    closed: bool

    @property
    def half_width(self) -> float:
        """The most that people may use on either side [m]."""
        return float(max(np.max(self.room_left), np.max(self.room_right)))


def build_tables(
    lines: Sequence[ArrayLike], closed: Sequence[bool], rooms: Sequence[Float64], settings: ReferenceSettings
) -> list[PathTable]:
    """Walk along drawn lines, all at once, and tabulate what was walked.

    Args:
        lines: float64 (P, 2) or (P, 3) each, drawn points [m].
        closed: per line, whether the last point joins the first.
        rooms: float64 (P, 2) each, what people may use left and right of the line at each point [m].
        settings: see there.

    Returns:
        One table per line.

    Raises:
        GeometryError: a line without two distinct points.
    """
    reach = _RUN + settings.look_ahead + WINDOW_LENGTH
    sources = [
        sample_line(*clean_points(line, room, closed=loop), closed=loop, smoothing=settings.smoothing, run=reach)
        for line, loop, room in zip(lines, closed, rooms, strict=True)
    ]
    built = _walk_and_tabulate(sources, settings)
    for times in settings.sharper:
        far = [k for k, (_, away) in enumerate(built) if away > settings.farthest]
        if not far:
            break
        sharp = replace(
            settings,
            max_curvature=times * settings.max_curvature,
            max_curvature_rate=times**2 * settings.max_curvature_rate,
        )
        for k, again in zip(far, _walk_and_tabulate([sources[k] for k in far], sharp), strict=True):
            built[k] = min(built[k], again, key=lambda each: each[1])
    return [table for table, _ in built]


def _walk_and_tabulate(sources: Sequence[SourceLine], settings: ReferenceSettings) -> list[tuple[PathTable, float]]:
    """The table of each line, and how far its nodes get from what they stand for on the drawn line [m]."""
    walks = walk_along(
        sources,
        look_ahead=settings.look_ahead,
        max_curvature=settings.max_curvature,
        max_curvature_rate=settings.max_curvature_rate,
        run=_RUN,
    )
    build = {True: _closed_table, False: _open_table}
    return [build[source.closed](source, walk, settings) for source, walk in zip(sources, walks, strict=True)]


def _away(source: SourceLine, place: Complex128, u: Float64) -> float:
    """How far places get from the sampled line at u [m]."""
    inside = (u >= 0.0) & (u <= source.length)
    ahead = np.clip((u[inside] - source.first) / SPACING, 0.0, len(source.samples) - 1.001)
    node = ahead.astype(np.int64)
    here, there = source.samples[node], source.samples[node + 1]
    return float(np.max(modulus(place[inside] - here - (ahead - node) * (there - here)), initial=0.0))


def _turn(angle: float) -> complex:
    cos, sin = cos_sin(angle)
    return complex(cos, sin)


def _open_table(source: SourceLine, walk: PursuitPath, settings: ReferenceSettings) -> tuple[PathTable, float]:
    place, heading = integrate(walk.curvature, CELL, walk.start, walk.heading)
    end = min(int(np.searchsorted(walk.progress, source.length)), len(place) - 1)
    past = (source.end - place[end]) * _turn(-heading[end])
    length = max(end * CELL + float(np.clip(past.real, -CELL, CELL)), 1e-3)
    table = PathTable(
        place=place,
        heading=heading,
        curvature=walk.curvature,
        height=np.interp(walk.progress, source.drawn_u, source.drawn_height),
        **_room(source, walk.progress, walk.curvature, CELL, settings),
        cell=CELL,
        length=length,
        closed=False,
    )
    return table, _away(source, place, walk.progress)


def _closed_table(source: SourceLine, walk: PursuitPath, settings: ReferenceSettings) -> tuple[PathTable, float]:
    """One lap, cut where the walk is straightest: there the walker is on the line, and ends nearly as it began."""
    place, heading = integrate(walk.curvature, CELL, walk.start, walk.heading)
    last = _straightest(walk, source)
    first = max(int(np.searchsorted(walk.progress, walk.progress[last] - source.length)), 0)
    gap = ((place[first] - place[last]) * _turn(-heading[last])).real
    lap = max((last - first) * CELL + float(np.clip(gap, -CELL, CELL)), CELL)
    count = max(8, round(lap / CELL))
    cell = lap / count
    where = first + cell / CELL * np.arange(count)
    nodes = np.arange(len(place))
    curvature = close_lap(np.interp(where, nodes, walk.curvature), cell, float(heading[first]))
    if curvature is None or np.max(np.abs(curvature)) > 2.0 * settings.max_curvature:
        return _circle(source, settings), 0.0
    around, heading = integrate(curvature, cell, complex(place[first]), float(heading[first]))
    u = np.interp(where, nodes, walk.progress)
    begin = int(np.searchsorted(u, 0.0)) % count  # the drawn line's first point is s = 0
    curvature = np.append(np.roll(curvature[:-1], -begin), curvature[begin])
    place, heading = integrate(curvature, cell, complex(around[begin]), float(heading[begin]))
    u = np.mod(np.append(np.roll(u, -begin), u[begin]), source.length)
    table = PathTable(
        place=place,
        heading=heading,
        curvature=curvature,
        height=np.interp(u, source.drawn_u, source.drawn_height),
        **_room(source, u, curvature, cell, settings),
        cell=cell,
        length=lap,
        closed=True,
    )
    return table, _away(source, place, u)


def _straightest(walk: PursuitPath, source: SourceLine) -> int:
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


def _circle(source: SourceLine, settings: ReferenceSettings) -> PathTable:
    """What is walked instead of a loop too small to be walked: the sharpest turn about its middle."""
    radius = max(1.0 / settings.max_curvature, source.length / (2.0 * np.pi))
    count = max(8, int(np.ceil(2.0 * np.pi * radius / CELL)))
    cell = 2.0 * np.pi * radius / count
    curvature = np.full(count + 1, 1.0 / radius)
    place, heading = integrate(curvature, cell, source.middle - 1j * radius, 0.0)
    u = np.linspace(0.0, source.length, count + 1)
    return PathTable(
        place=place,
        heading=heading,
        curvature=curvature,
        height=np.interp(u, source.drawn_u, source.drawn_height),
        **_room(source, u, curvature, cell, settings),
        cell=cell,
        length=cell * count,
        closed=True,
    )


def _room(
    source: SourceLine, u: Float64, curvature: Float64, cell: float, settings: ReferenceSettings
) -> dict[str, Float64]:
    """The room beside the nodes: what bends leave, and what was given at the drawn points."""
    left, right = bend_room(
        curvature,
        cell,
        nearest_to_centre=settings.nearest_to_centre,
        least_radius=settings.least_radius,
        closed=source.closed,
    )
    room_left, room_right = (np.interp(u, source.drawn_u, side) for side in source.drawn_room.T)
    return {"left": left, "right": right, "room_left": room_left, "room_right": room_right}


def join_nodes(columns: Sequence[Float64]) -> Float64:
    """Join the nodes' values of many paths, each with one row more in front, which stands at its first node."""
    return np.concatenate([values for column in columns for values in (column[:1], column)])


def join_with_slopes(columns: Sequence[Float64], cells: Float64, *, fade: bool = False) -> tuple[Float64, Float64]:
    """Join values and slopes of many paths; flat in front and behind, and nothing there where they fade.

    Args:
        columns: float64 (n + 1,) each, values at the nodes of a path.
        cells: float64 (P,), distance between the nodes of each path [m].
        fade: values are 0 in front and behind.
    """
    values = [np.concatenate((column[:1], column)) for column in columns]
    slopes = [np.concatenate(([0.0], np.diff(c) / cell, [0.0])) for c, cell in zip(columns, cells, strict=True)]
    if fade:
        for column in values:
            column[[0, -1]] = 0.0
    return np.concatenate(values), np.concatenate(slopes)
