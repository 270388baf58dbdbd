# SPDX-License-Identifier: GPL-3.0-or-later
"""The Voronoi diagram of segments: the one door to pyvoronoi, which wraps Boost's.

diagram_of(segments (S, 2, 2)) -> Diagram
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from ...array_types import Float64, Int64
from ...errors import FootfallError
from ...garbage_collection import garbage_uncollected

START, END, INSIDE = 1, 2, 3
"""The part of a segment that a cell belongs to: start, end, or interior (Boost's source categories; 4 counts as 3)."""


@dataclass(frozen=True, eq=False)
class Diagram:
    """A diagram as flat arrays. Half-edges 2k and 2k + 1 are twins.

    Attributes:
        vertices: float64 (V, 2), in the segments' units.
        edge_start: int64 (H,), vertex where each half-edge begins, -1 at infinity; it ends where its twin begins.
        edge_segment: int64 (H,), the segment whose cell lies left of the half-edge.
        edge_part: int64 (H,), START, END or INSIDE: the part of the segment that the cell belongs to.
    """

    vertices: Float64
    edge_start: Int64
    edge_segment: Int64
    edge_part: Int64


def diagram_of(segments: Int64) -> Diagram:
    """Build the Voronoi diagram of segments that meet only in their ends.

    Args:
        segments: int64 (S, 2, 2), S >= 2, starts and ends, within 2^31 of the origin.

    Returns:
        The diagram.

    Raises:
        FootfallError: pyvoronoi is missing.
    """
    builder = _pyvoronoi().Pyvoronoi(1)
    add = builder.AddSegment
    for segment in segments.tolist():
        add(segment)
    builder.Construct()
    with garbage_uncollected():
        return _unpacked(builder)


def _unpacked(builder: Any) -> Diagram:
    """Read the diagram from the cells with their half-edges: reading each half-edge costs three times as much.

    Vertices and cells are Python objects, which are let go one by one: kept together they cost a third more.
    """
    places = array("d")
    for vertex in map(builder.GetVertex, range(builder.CountVertices())):
        places.append(vertex.X)
        places.append(vertex.Y)
    edges: list[int] = []
    starts: list[int] = []
    sources = array("q")
    for cell in map(builder.GetCell, range(builder.CountCells())):
        around = cell.edges
        edges += around
        starts += cell.vertices  # the start of each half-edge, and the first once more
        starts.pop()
        sources.append(len(around))
        sources.append(cell.site)
        sources.append(cell.source_category)
    counts, sites, categories = np.frombuffer(sources, dtype=np.int64).reshape(-1, 3).T
    half_edges = np.array(array("q", edges))
    start, segment, part = np.empty((3, builder.CountEdges()), dtype=np.int64)
    start[half_edges] = array("q", starts)
    segment[half_edges] = sites.repeat(counts)
    part[half_edges] = np.minimum(categories, INSIDE).repeat(counts)
    vertices = np.frombuffer(places, dtype=np.float64).reshape(-1, 2)
    return Diagram(vertices, start, segment, part)


def _pyvoronoi() -> Any:
    """Import pyvoronoi, or raise an error that says what its absence costs."""
    try:
        return import_module("pyvoronoi")  # late: following drawn curves works without it
    except ImportError as error:
        raise FootfallError(
            "The Python package pyvoronoi is missing, so people cannot find routes round obstacles; people "
            "on drawn curves do not need it. Install the Footfall zip for this platform, which contains "
            "it, or run `pip install pyvoronoi` in this Python."
        ) from error
