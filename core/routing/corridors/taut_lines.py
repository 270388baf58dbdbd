# SPDX-License-Identifier: GPL-3.0-or-later
"""Cache of the shortest lines through corridors, by everything that they depend on: it holds across map changes.

Most queries to a changed map pass the same corridors, and the shortest line through a corridor takes three times as
long as the search for it. Compiled code makes lines as fast as they are found here, so there nothing is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from itertools import pairwise

import numpy as np

from ...array_types import Float64, Int64
from ...compiled import twins
from ...geometry.reproducible_math import length
from ..graph.anchor_table import AnchorTable
from ..graph.anchors import AxisGraph
from ..medial_axis.axis import Sites
from .corridor_chains import Course
from .funnel import CORNER_ROUNDING, rounded_lines, shortest_lines
from .portals import Corridors, different_arcs, polygon_radius, portals_of, reach_of, sides_for

MOST_LINES = 50_000
"""Lines that are kept before the cache is cleared; one takes about 300 bytes."""


class TautLines:
    """Lines by their keys; callers must not change them."""

    def __init__(self) -> None:
        self._lines: dict[bytes, Float64] = {}

    def through(
        self,
        corridors: Corridors,
        courses: Sequence[Course],
        radius: Float64,
        anchors: AnchorTable,
        axis_graph: AxisGraph,
    ) -> list[Float64]:
        """Return the shortest lines through corridors; they start and end outside the polygons round corners.

        Args:
            corridors: C of them, at least one.
            courses: between which anchors they lead.
            radius: float64 (C,), of the bodies [m].
            anchors: starts and goals.
            axis_graph: the map.

        Returns:
            For each float64 (P, 2) [m from the grid's origin].
        """
        if twins.twin(twins.ROUTES) is not None:  # then it takes longer to look a line up than to make it
            return _pull_tight(corridors, courses, radius, anchors, axis_graph.sites)
        if len(self._lines) >= MOST_LINES:
            self._lines.clear()
        keys = _keys_of(corridors, courses, radius, anchors, axis_graph.sites)
        new = {key: row for row, key in enumerate(keys) if key not in self._lines}
        if new:
            rows = np.array(list(new.values()))
            lines = _pull_tight(
                corridors.some(rows), [courses[row] for row in rows], radius[rows], anchors, axis_graph.sites
            )
            self._lines.update(zip(new, lines, strict=True))
        return [self._lines[key] for key in keys]


def _pull_tight(
    corridors: Corridors, courses: Sequence[Course], radius: Float64, anchors: AnchorTable, sites: Sites
) -> list[Float64]:
    begins, ends = (np.array([getattr(course, name) for course in courses]) for name in ("begin", "end"))
    sides = sides_for(corridors.narrowest, radius)
    both = np.concatenate((begins, ends))
    starts, goals = np.split(_move_onto_polygons(anchors, both, sites, np.tile(radius, 2), np.tile(sides, 2)), 2)
    kernels = twins.twin(twins.ROUTES)
    if kernels is None:
        lines = shortest_lines(starts, goals, portals_of(corridors, sites, radius, sides))
    else:
        rows, which = different_arcs(corridors, sides)
        beside = np.column_stack((corridors.left[rows], corridors.right[rows]))
        lines = rounded_lines(
            *kernels.pull_tight(
                kernels.Chains(
                    corridors.first,
                    which,
                    np.column_stack((starts, goals, radius, reach_of(radius, sides))),
                    np.column_stack((corridors.begin[rows], corridors.end[rows], sides[corridors.whose[rows]])),
                    beside,
                    sites.start,
                    sites.along,
                    sites.length,
                    CORNER_ROUNDING,
                )
            )
        )
    begun, ended = ((at != anchors.place[rows]).any(axis=1) for at, rows in ((starts, begins), (goals, ends)))
    for k in np.flatnonzero(begun | ended).tolist():
        first, last = anchors.place[begins[k]][None][: int(begun[k])], anchors.place[ends[k]][None][: int(ended[k])]
        lines[k] = np.concatenate((first, lines[k], last))
    return lines


def _move_onto_polygons(anchors: AnchorTable, rows: Int64, sites: Sites, radius: Float64, sides: Int64) -> Float64:
    """Positions of anchors; those between the circle round a corner and its polygon are moved onto the polygon."""
    place = anchors.place[rows]
    corners = np.flatnonzero(anchors.site[rows] >= sites.segments)
    if not len(corners):
        return place
    middle = sites.start.take(anchors.site[rows[corners]], 0)
    apart = place[corners] - middle
    distance = length(apart)
    margin = polygon_radius(apart, radius[corners], sides[corners])
    near = np.flatnonzero(~(distance >= margin))
    share = np.minimum(margin, anchors.room[rows[corners]])[near] / distance[near]
    place[corners[near]] = middle[near] + apart[near] * share[:, None]
    return place


def _keys_of(
    corridors: Corridors, courses: Sequence[Course], radius: Float64, anchors: AnchorTable, sites: Sites
) -> list[bytes]:
    """Keys of lines: points and sites by their coordinates, since numbers of arcs change."""
    beside = [_site_geometry(sites, rows) for rows in (corridors.left, corridors.right)]
    arcs = np.concatenate((corridors.begin, *beside), axis=1)
    begin, end = (np.array([getattr(course, name) for course in courses]) for name in ("begin", "end"))
    of_ends = [
        column
        for rows in (begin, end)
        for column in (
            anchors.place[rows],
            anchors.point[rows],
            anchors.room[rows, None],
            _site_geometry(sites, anchors.site[rows]),
        )
    ]
    ends = np.concatenate((*of_ends, radius[:, None], corridors.narrowest[:, None]), axis=1)
    cuts = corridors.first.tolist()
    return [
        blake2b(arcs[low:high].tobytes() + end.tobytes(), digest_size=16).digest()
        for (low, high), end in zip(pairwise(cuts), ends, strict=True)
    ]


def _site_geometry(sites: Sites, rows: Int64) -> Float64:
    """Geometry of some sites, float64 (N, 5): start, direction, and whether it is a corner."""
    corner = (rows >= sites.segments).astype(np.float64)[:, None]
    return np.concatenate((sites.start.take(rows, 0), sites.along.take(rows, 0), corner), axis=1)
