# SPDX-License-Identifier: GPL-3.0-or-later
"""Arcs of corridors cut into portals: twin of `core.routing.corridors.portals`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...array_types import Float64, Int64
from ..circular import arctan2, cos_sin
from ..compiling import each_row, part, peak_of


class Chains(NamedTuple):
    """Corridors to pull lines tight in: C chains of A arcs, among which U differ.

    Attributes:
        first: int64 (C + 1,), the first arc of each chain, and all arcs.
        which: int64 (A,), which of the U each of the arcs is.
        bodies: float64 (C, 6), x and y where each line begins, where it ends, radius and reach of the body [m].
        arcs: float64 (U, 5), x and y where each arc is entered, where it is left [m], sides of polygons round corners.
        beside: int64 (U, 2), the sites on its left and on its right.
        starts, along, lengths: of the sites, see `core.routing.medial_axis.axis.Sites`; half of them are segments.
        tolerance: largest deviation of a corner that is dropped as straight [m].
    """

    first: Int64
    which: Int64
    bodies: Float64
    arcs: Float64
    beside: Int64
    starts: Float64
    along: Float64
    lengths: Float64
    tolerance: float


@each_row(takes=1.7)
def cut_all(begin, end, chains, low, found):
    """Write the portals of arcs: their middle, and for each side the foot, the vector from there, distance, cosine."""
    portals, counts = found
    marks = np.empty(2 + 2 * (int(peak_of(chains.arcs[:, 4])) // 2 + 2))  # an arc turns by half a circle at most
    for arc in range(begin, end):
        own = portals[low[arc] :]
        own[0, 0], own[0, 1], own[1, 0], own[1, 1], _ = chains.arcs[arc]
        marks[0], marks[1], count = -1.0, 2.0, 2
        for side in range(2):
            if chains.beside[arc, side] >= len(chains.lengths) // 2:
                count = _add_turns(chains, arc, side, own, marks, count)
        counts[arc] = count
        for row in range(count):
            for side in range(2):
                _note_foot(chains, arc, side, own[row])


@part
def _add_turns(chains, arc, side, portals, marks, count):
    """Insert where an arc crosses the spokes of the polygon round a corner beside it; return how many there are."""
    own, across = chains.beside[arc, side], chains.beside[arc, 1 - side]
    ax, ay, bx, by, sides = chains.arcs[arc]
    x, y, step = chains.starts[own, 0], chains.starts[own, 1], 2.0 * np.pi / sides
    before_x, before_y, after_x, after_y, run_x, run_y = ax - x, ay - y, bx - x, by - y, bx - ax, by - ay
    first = arctan2(before_y, before_x) / step - 0.5
    turned = arctan2(before_x * after_y - before_y * after_x, before_x * after_x + before_y * after_y) / step
    number, highest = np.ceil(min(first, first + turned)), np.floor(max(first, first + turned))
    while number <= highest:
        cos, sin = cos_sin((number + 0.5) * step)
        distance = _spoke(chains, (x, y, cos, sin), across)
        if math.isfinite(distance):
            place_x, place_y = x + distance * cos, y + distance * sin
            mark = (number - first) / (1.0 if turned == 0.0 else turned)
            if across >= len(chains.lengths) // 2:
                along = (place_x - ax) * run_x + (place_y - ay) * run_y
                mark = along / max(run_x * run_x + run_y * run_y, 1e-300)
            row = count
            while row and marks[row - 1] > mark:
                marks[row], portals[row, 0], portals[row, 1] = marks[row - 1], portals[row - 1, 0], portals[row - 1, 1]
                row -= 1
            marks[row], portals[row, 0], portals[row, 1] = mark, place_x, place_y
            count += 1
        number += 1.0
    return count


@part
def _spoke(chains, spoke, across):
    """Length of a spoke up to where the site across is as near as its own."""
    x, y, cos, sin = spoke
    apart_x, apart_y = x - chains.starts[across, 0], y - chains.starts[across, 1]
    normal_x, normal_y = -chains.along[across, 1], chains.along[across, 0]
    if across >= len(chains.lengths) // 2:
        above, below = apart_x * apart_x + apart_y * apart_y, -2.0 * (apart_x * cos + apart_y * sin)
    else:
        above, below = apart_x * normal_x + apart_y * normal_y, 1.0 - (cos * normal_x + sin * normal_y)
    return above / below if below > 0.0 else math.inf


@part
def _note_foot(chains, arc, side, portal):
    """Write where the site on a side is nearest to a portal's middle, and what of the body's radius stays clear."""
    site, x, y = chains.beside[arc, side], portal[0], portal[1]
    start_x, start_y = chains.starts[site, 0], chains.starts[site, 1]
    along_x, along_y = chains.along[site, 0], chains.along[site, 1]
    share = min(max((x - start_x) * along_x + (y - start_y) * along_y, 0.0), chains.lengths[site])
    foot_x, foot_y = start_x + share * along_x, start_y + share * along_y
    apart_x, apart_y, cosine = x - foot_x, y - foot_y, 1.0
    if site >= len(chains.lengths) // 2:
        step, angle = 2.0 * np.pi / chains.arcs[arc, 4], arctan2(apart_y, apart_x)
        cosine = cos_sin(angle - np.rint(angle / step) * step)[0]
    into = 2 + 6 * side
    portal[into], portal[into + 1], portal[into + 2], portal[into + 3] = foot_x, foot_y, apart_x, apart_y
    portal[into + 4], portal[into + 5] = math.sqrt(apart_x * apart_x + apart_y * apart_y), cosine
