# SPDX-License-Identifier: GPL-3.0-or-later
"""What the steering kernels take: named tuples of plain arrays, understood by numpy and numba alike."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...array_types import Bool, Float64, Int64


class SortedAgents(NamedTuple):
    """Everybody, ordered along strips of the ground (see `neighbours.order_along_strips`).

    Attributes:
        position, velocity, preferred: float64 (A, 2) [m, m/s].
        radius, max_speed: float64 (A,) [m, m/s].
        share: float64 (A,), how much of the change others make who avoid this one: half, or all if it avoids nobody.
        precedence: float64 (A,), by how much more others change, and it less, than those of precedence 0.
        along: float64 (A,), where they are along lines, which lie far from each other; NaN on none [m].
    """

    position: Float64
    velocity: Float64
    preferred: Float64
    radius: Float64
    max_speed: Float64
    share: Float64
    precedence: Float64
    along: Float64


class Segments(NamedTuple):
    """Directed edges of obstacles, solid on their left.

    Attributes:
        start, end: float64 (S, 2) [m].
        unit, unit_before, unit_after: float64 (S, 2), direction of the edge, of the one before it and the one after.
        convex_start, convex_end: bool (S,), whether the solid's corner at either end is convex.
        velocity_start, velocity_end: float64 (S, 2), of the corners [m/s].
        stands: bool (S,), whether the whole obstacle stands still.
    """

    start: Float64
    end: Float64
    unit: Float64
    unit_before: Float64
    unit_after: Float64
    convex_start: Bool
    convex_end: Bool
    velocity_start: Float64
    velocity_end: Float64
    stands: Bool


class Strips(NamedTuple):
    """The order of agents along horizontal strips of the ground, from left to right, strip above strip.

    Attributes:
        key: float64 (A,), ascending: number of the strip * `width` + x from the leftmost agent [m].
        number: int64 (A,), of the strip.
        low: y of the lower edge of strip 0 [m].
        height: of a strip [m].
        width: what lies between the keys of one place and of the place just above it in the next strip [m].
        slack: what windows are widened by, so that rounding cannot hide a neighbour [m].
    """

    key: Float64
    number: Int64
    low: float
    height: float
    width: float
    slack: float


class EdgeGrid(NamedTuple):
    """Cells of one or several grids over the ground, and the edges that may be in reach from each.

    Attributes:
        low: float64 (G, 2), corner of the first cell of each grid [m].
        size: float64 (G,), of its cells [m].
        shape: int64 (G, 2), its columns and rows.
        parts: int64 (G + 1,), cells of grid g are `cells[parts[g] : parts[g + 1]]`.
        cells: int64 (C,), numbers of those cells that have edges, ascending within each grid.
        first: int64 (C + 1,), edges of cell c are `edges[first[c] : first[c + 1]]`.
        edges: int64 (N,).
    """

    low: Float64
    size: Float64
    shape: Int64
    parts: Int64
    cells: Int64
    first: Int64
    edges: Int64


class Ragged(NamedTuple):
    """A list of numbers for each agent: those of agent a are `items[first[a] : first[a + 1]]`.

    Attributes:
        first: int64 (A + 1,).
        items: int64 (N,).
    """

    first: Int64
    items: Int64


class Horizons(NamedTuple):
    """How far ahead people look: `step` (dt), `agents` and `obstacles` [s]."""

    step: float
    agents: float
    obstacles: float


class Turn(NamedTuple):
    """How far preferred velocities turn, wholly up to a time to contact and not beyond another.

    Attributes:
        slope: tangent of the largest angle.
        enough: time to contact at which the turn of one alone makes all the room that is missing [s].
        left: from whom they would pass with the other farther to the right than this share of both radii, people turn
            to the left.
        head_on: squared cosine of the angle to the opposite direction, within which nobody turns to the left.
        full, none: times to contact [s].
        alike: squared cosine of the angle within which two go the same way and do not turn from each other.
        apart: nor do two who are nearer to each other than this along a line [m].
    """

    slope: float
    enough: float
    left: float
    head_on: float
    full: float
    none: float
    alike: float
    apart: float


class Herds(NamedTuple):
    """Who keeps together with whom, and how much, in the order of the agents.

    Attributes:
        number: int64 (A,), of the herd; -1 for those in none.
        separation, alignment, cohesion: float64 (A,), weights.
        distance: float64 (A,), nobody farther off is minded [m].
    """

    number: Int64
    separation: Float64
    alignment: Float64
    cohesion: Float64
    distance: Float64


class HeadingAims(NamedTuple):
    """What people who look along headings want, in the order of the agents.

    Attributes:
        heading: float64 (A, 2), unit vectors.
        direction: float64 (A, 2), unit vectors to the targets.
        distance: float64 (A,), how long the path there takes at the wanted speed, at most the horizon [s].
        speed: float64 (A,), wanted [m/s].
        horizon: float64 (A,), how far they look [s].
        reaction: float64 (A,), time within which they could stop [s].
        turn_rate: float64 (A,), how fast they turn at most; inf for those who turn at once [rad/s].
    """

    heading: Float64
    direction: Float64
    distance: Float64
    speed: Float64
    horizon: Float64
    reaction: Float64
    turn_rate: Float64


class Fan(NamedTuple):
    """Headings that everybody looks along, relative to one's own, from the right to the left, and what they cost.

    Attributes:
        cos, sin: float64 (M,), of the angles.
        stride: for how long one walks at least before one turns again [s].
        detour: how much longer the path takes that is left where one is stopped, as a factor.
        stop: time that it takes to be stopped [s].
        turning: time that turning by one radian takes [s].
        creep: how fast those who touch may go deeper [m/s].
        margin: by how much the free border is widened for circles that must fit into it [m].
    """

    cos: Float64
    sin: Float64
    stride: float
    detour: float
    stop: float
    turning: float
    creep: float
    margin: float


class ContactEnergy(NamedTuple):
    """How much an expected contact counts, as a function of the time until then.

    Attributes:
        weight: of the energy against the change of velocity [m2].
        time_scale: contacts later than this hardly count [s].
        sideways, closing: uncertainty of relative velocities across and along the line between two [m/s].
        least_gap: bodies nearer to each other than this are treated as so near [m], and part:
        parting_rate: at a speed of this times what is missing of the gap [1/s].
        steps: of Newton's method.
    """

    weight: float
    time_scale: float
    sideways: float
    closing: float
    least_gap: float
    parting_rate: float
    steps: int


def columns_of(named: Any, columns: Any) -> Any:
    """The same named tuple with only `columns` (an index of the last axis) of each of its arrays."""
    return type(named)(*(array[..., columns] for array in named))


def rows_of(named: Any, rows: Any) -> Any:
    """The same named tuple with only `rows` (an index of the first axis) of each of its arrays."""
    return type(named)(*(array[rows] for array in named))


def take_rows(named: Any, rows: Int64) -> Any:
    """The same as `rows_of` by numbers of rows: an index takes ten times as long for arrays of vectors."""
    return type(named)(*[array.take(rows, 0) for array in named])
