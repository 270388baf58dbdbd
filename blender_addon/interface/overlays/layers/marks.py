# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines, surfaces and labels as arrays of points and colours: all geometry of the overlays, without any drawing.

Points are world metres, float64 (..., 3). A colour is (red, green, blue, alpha), 0 to 1, one for all or one for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .....core.array_types import Float32, Float64, Int64

Colour = tuple[float, float, float, float]


@dataclass(frozen=True)
class MarkStyle:
    """What marks look like; chosen for legibility.

    Attributes:
        label_lift: height of a label above its place [m].
        trail_bands: number of steps in which a trail fades.
        tip_length, tip_half_width: of an arrow's tip, as shares of the arrow's length.
    """

    label_lift: float = 0.1
    trail_bands: int = 4
    tip_length: float = 0.3
    tip_half_width: float = 0.12


STYLE = MarkStyle()


@dataclass(frozen=True, eq=False)
class LineMarks:
    """Straight pieces.

    Attributes:
        points: float32 (2 S, 3), both ends of each [m].
        colours: float32 (2 S, 4).
        width: on the screen [pixels].
    """

    points: Float32
    colours: Float32
    width: float = 1.5


@dataclass(frozen=True, eq=False)
class Triangles:
    """Surfaces.

    Attributes:
        points: float32 (3 T, 3) [m].
        colours: float32 (3 T, 4).
    """

    points: Float32
    colours: Float32


@dataclass(frozen=True)
class Label:
    """A few words at a place [m]."""

    place: tuple[float, float, float]
    text: str
    colour: Colour = (1.0, 1.0, 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Trails:
    """Where people walked, in one colour: sent to the card once per bake; the last frames of it are painted.

    Attributes:
        points: float32 (2 S, 3), both ends of each step, all steps of a frame together [m].
        begin: int64 (F,), number of steps before the one that leads to each frame; the last: all.
        first_frame: of the F frames.
        span: length of a trail [frames].
        colour: of the newest end; it fades towards the oldest.
    """

    points: Float32
    begin: Int64
    first_frame: int
    span: int
    colour: Colour

    def bands(self, frame: int) -> list[tuple[int, int, float]]:
        """What is painted at a frame, the oldest first: first point, number of points, share of the colour's alpha."""
        last = min(max(frame - self.first_frame, 0), len(self.begin) - 1)
        cuts = np.linspace(max(last - self.span, 0), last, STYLE.trail_bands + 1).round().astype(int)
        ends = (2 * self.begin[cuts]).tolist()
        pieces = zip(ends[:-1], ends[1:], range(1, STYLE.trail_bands + 1), strict=True)
        return [(first, end - first, number / STYLE.trail_bands) for first, end, number in pieces if end > first]


Mark = LineMarks | Triangles | Label | Trails


def label_above(place: ArrayLike, text: str) -> Label:
    """A few words a little above a place, float64 (3,) [m]."""
    x, y, z = np.asarray(place, float).tolist()
    return Label((x, y, z + STYLE.label_lift), text)


def segments(starts: ArrayLike, ends: ArrayLike, colour: ArrayLike, *, width: float = 1.5) -> LineMarks:
    """Lines from places to places.

    Args:
        starts: float64 (N, 3) [m].
        ends: float64 (N, 3) [m].
        colour: float (4,) or (N, 4).
        width: [pixels].
    """
    points = np.stack(np.broadcast_arrays(np.asarray(starts, float), np.asarray(ends, float)), axis=-2)
    return _lines(points, np.asarray(colour, float)[..., None, :], width)


def chains(points: ArrayLike, colour: ArrayLike, *, closed: bool = False, width: float = 1.5) -> LineMarks:
    """Lines through many places each.

    Args:
        points: float64 (N, P, 3), or (P, 3) for one line [m].
        colour: float (4,), (N, 4) for one a line, or (N, P, 4) for one a place.
        closed: the last place joins the first.
        width: [pixels].
    """
    places = np.asarray(points, float)
    places = places[None] if places.ndim == 2 else places
    colours = np.asarray(colour, float)
    colours = colours[:, None] if colours.ndim == 2 else colours
    colours = np.broadcast_to(colours, (*places.shape[:2], 4))
    if closed:
        places, colours = (np.concatenate([each, each[:, :1]], axis=1) for each in (places, colours))
    pairs = np.stack([places[:, :-1], places[:, 1:]], axis=2)
    return _lines(pairs, np.stack([colours[:, :-1], colours[:, 1:]], axis=2), width)


def circles(centres: ArrayLike, radius: ArrayLike, colour: ArrayLike, *, sides: int = 32) -> LineMarks:
    """Level circles: centres float64 (N, 3), radius float64 (N,) or one for all [m]; see `chains`."""
    return chains(_rims(centres, radius, sides), colour, closed=True)


def discs(centres: ArrayLike, radius: ArrayLike, colour: ArrayLike, *, sides: int = 32) -> Triangles:
    """Level discs: centres float64 (N, 3), radius float64 (N,) or one for all [m], colour (4,) or (N, 4)."""
    rims = _rims(centres, radius, sides)
    middles = np.broadcast_to(np.asarray(centres, float)[:, None], rims.shape)
    corners = np.stack([middles, rims, np.roll(rims, -1, axis=1)], axis=2)
    return surface(corners.reshape(-1, 3, 3), np.repeat(_each(colour, len(rims)), sides, axis=0))


def arrows(starts: ArrayLike, vectors: ArrayLike, colour: ArrayLike, *, width: float = 2.0) -> LineMarks:
    """Level arrows: starts float64 (N, 3) [m], vectors float64 (N, 2) [m], colour (4,) or (N, 4)."""
    starts, vectors = np.asarray(starts, float), np.asarray(vectors, float)
    along = np.concatenate([vectors, np.zeros((len(vectors), 1))], axis=1)
    across = np.stack([-along[:, 1], along[:, 0], along[:, 2]], axis=1)
    ends = starts + along
    barbs = [ends - STYLE.tip_length * along + side * STYLE.tip_half_width * across for side in (1.0, -1.0)]
    pairs = np.stack([np.stack([starts, ends], 1), *(np.stack([ends, barb], 1) for barb in barbs)], axis=1)
    return _lines(pairs, _each(colour, len(starts))[:, None, None], width)


def trails(position: ArrayLike, colour: Colour, *, first_frame: int, span: int, longest: float = np.inf) -> Trails:
    """The steps of people.

    Args:
        position: float64 (F, N, 3), NaN where absent [m].
        colour: of the newest end.
        first_frame: of the F frames.
        span: length of a trail [frames].
        longest: longer steps are left out: the person appeared elsewhere [m].
    """
    places = np.asarray(position, float)
    steps = np.stack([places[:-1], places[1:]], axis=2)  # (F - 1, N, 2, 3)
    walked = np.linalg.norm(steps[:, :, 1] - steps[:, :, 0], axis=-1) <= longest  # False where it is not known
    begin = np.concatenate([[0], np.cumsum(np.count_nonzero(walked, axis=1))])
    return Trails(_flat(steps[walked], 3), begin, first_frame, span, colour)


def surface(corners: ArrayLike, colour: ArrayLike) -> Triangles:
    """Triangles: corners float64 (T, 3, 3) [m], colour (4,) or (T, 4)."""
    corners = np.asarray(corners, float)
    colours = np.broadcast_to(_each(colour, len(corners))[:, None], (*corners.shape[:2], 4))
    return Triangles(_flat(corners, 3), _flat(colours, 4))


def join(lines: Sequence[LineMarks]) -> list[LineMarks]:
    """Fewer, larger sets of lines that look the same: one for each width."""
    widths = sorted({each.width for each in lines})
    alike = [[each for each in lines if each.width == width] for width in widths]
    return [
        LineMarks(np.concatenate([e.points for e in some]), np.concatenate([e.colours for e in some]), some[0].width)
        for some in alike
    ]


def _each(colour: ArrayLike, count: int) -> Float64:
    """Float64 (count, 4): a colour for each."""
    return np.broadcast_to(np.asarray(colour, float), (count, 4))


def _rims(centres: ArrayLike, radius: ArrayLike, sides: int) -> Float64:
    """Float64 (N, sides, 3), points on level circles."""
    centres = np.asarray(centres, float)
    turn = 2.0 * np.pi * np.arange(sides) / sides
    unit = np.stack([np.cos(turn), np.sin(turn), np.zeros(sides)], axis=-1)
    return centres[:, None] + np.broadcast_to(np.asarray(radius, float), len(centres))[:, None, None] * unit


def _lines(points: Float64, colours: Float64, width: float) -> LineMarks:
    return LineMarks(_flat(points, 3), _flat(np.broadcast_to(colours, (*points.shape[:-1], 4)), 4), width)


def _flat(values: Float64, columns: int) -> Float32:
    return np.ascontiguousarray(values, dtype=np.float32).reshape(-1, columns)
