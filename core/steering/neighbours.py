# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is near whom, found along strips of the ground.

Neighbours are ordered by their squared distance rounded to float32, then by place (strip, x, y), never by their order
in the arrays: whoever comes first there, everybody gets the same neighbours, unless two stand on exactly one point.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..array_types import Bool
from ..compiled import twins
from ..errors import GeometryError
from .kernels.arrays import Float64, Int64, Strips
from .kernels.reference import neighbours
from .kernels.reference.neighbours import CHUNK, listed, squared, windows

MOST_STRIPS = 2**20
_BODIES_TOGETHER = 2**15  # of several moments
FEW = 100  # so many are sooner compared each with each than sorted along strips


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The nearest others of everybody.

    Attributes:
        index: int64 (A, K), nearest first, -1 where there are fewer than K.
        distance: float64 (A, K) [m], inf where there are fewer.
        count: int64 (A,), how many there are.
    """

    index: Int64
    distance: Float64
    count: Int64


def order_along_strips(position: Float64, height: float, reach: float) -> tuple[Int64, Strips]:
    """Order agents by strip, x and y.

    Args:
        position: float64 (A, 2) [m].
        height: wanted of a strip [m].
        reach: the farthest anybody will look [m].

    Returns:
        int64 (A,), rows of `position` in the new order; and the strips.
    """
    if not position.shape[0]:
        return np.zeros(0, dtype=np.int64), Strips(np.zeros(0), np.zeros(0, dtype=np.int64), 0.0, 1.0, 1.0, 0.0)
    kernels = twins.twin(twins.STRIPS)
    places_in_strips = _places_in_strips if kernels is None else kernels.places_in_strips
    known = np.ascontiguousarray(position), float(height), float(reach), MOST_STRIPS
    key, number, (low, height, width, largest), order = places_in_strips(*known)
    sorted_key = key[order]
    if (sorted_key[1:] == sorted_key[:-1]).any():
        order = np.lexsort((position[:, 1], position[:, 0], number))
        sorted_key = key[order]
    slack = 16.0 * math.ulp(max(largest, float(sorted_key[-1]), reach)) + 1e-9 * height
    return order, Strips(sorted_key, number[order], low, height, width, slack)


def _places_in_strips(
    position: Float64, height: float, reach: float, most: int
) -> tuple[Float64, Int64, tuple[float, ...], Int64]:
    """Return where people are along strips, with the arguments and results of its compiled twin."""
    x, y = np.ascontiguousarray(position.T)
    left, low = float(x.min()), float(y.min())
    wide, tall = float(x.max()) - left, float(y.max()) - low
    height = max(height, tall / most) or 1.0
    number = ((y - low) / height).astype(np.int64)
    width = wide + 2.0 * reach + height
    key = number * width + (x - left)
    return key, number, (low, height, width, max(abs(left), abs(low), wide, tall)), np.argsort(key)


def nearest(position: ArrayLike, radius_of_search: float, max_neighbours: int) -> Neighbours:
    """The nearest others of everybody within a distance.

    Args:
        position: float64 (A, 2) [m].
        radius_of_search: strictly nearer ones count [m].
        max_neighbours: K, how many at most for each.

    Returns:
        Index and distance, (A, K) each, nearest first.

    Raises:
        GeometryError: positions that are not (A, 2) finite numbers, a negative distance or number.
    """
    places = checked_vectors(position)
    checked_search(radius_of_search, max_neighbours, "radius_of_search")
    order, strips = order_along_strips(places, radius_of_search, radius_of_search)
    everybody = np.ones(len(places), dtype=bool)
    found = neighbours.nearest(places[order], strips, radius_of_search, max_neighbours, everybody).T
    index = np.empty_like(found)
    index[order] = np.where(found >= 0, order[found], -1) if found.size else found
    gap = places[index] - places[:, None]  # (A, K, 2)
    distance = np.where(index >= 0, np.sqrt(gap[..., 0] * gap[..., 0] + gap[..., 1] * gap[..., 1]), np.inf)
    return Neighbours(index, distance, (index >= 0).sum(axis=1))


def close_pairs(position: ArrayLike, reach: ArrayLike) -> Int64:
    """All pairs of agents whose centres are nearer than the sum of their reaches.

    Args:
        position: float64 (A, 2) [m].
        reach: float64 (A,) or one number for all [m]; radius plus half the margin finds who nearly touches.

    Returns:
        int64 (M, 2), each pair once, the lower index first, sorted.

    Raises:
        GeometryError: positions that are not (A, 2) finite numbers, reaches that are not finite and 0 or more.
    """
    places = checked_vectors(position)
    agents = places.shape[0]
    reaches = np.asarray(reach, dtype=np.float64)
    if reaches.shape not in {(), (agents,)}:
        raise GeometryError(f"reach must be one number or have the shape {(agents,)}, got {reaches.shape}")
    least, most = float(reaches.min(initial=np.inf)), float(reaches.max(initial=0.0))
    if not (least >= 0.0 and math.isfinite(most)):
        raise GeometryError("reach must be finite and 0 or more")
    if agents < 2:
        return np.zeros((0, 2), dtype=np.int64)
    kernels = twins.twin(twins.PAIRS)
    if kernels is not None:
        first, second, distance2 = kernels.search(places, 2.0 * most, agents)
        both = reaches[first] + reaches[second] if reaches.ndim else reaches + reaches
        near = (distance2 < both * both).nonzero()[0]
        pairs = np.empty((len(near), 2), dtype=np.int64)
        pairs[:, 0], pairs[:, 1] = first[near], second[near]
        return pairs
    if agents <= FEW:
        (x, y), reaches = places.T, np.broadcast_to(reaches, (agents,))
        across, along, both = x - x[:, None], y - y[:, None], reaches + reaches[:, None]
        near = np.flatnonzero(across * across + along * along < both * both)
        pairs = np.stack(np.divmod(near, agents), axis=1)
        return pairs[pairs[:, 0] < pairs[:, 1]]
    return np.stack(_pairs_along_strips(places, np.broadcast_to(reaches, (agents,)), most), axis=1)


def _pairs_along_strips(position: Float64, reach: Float64, most: float) -> tuple[Int64, Int64]:
    """As `close_pairs`, of reaches up to `most` [m], as two arrays."""
    order, strips = order_along_strips(position, 2.0 * most, 2.0 * most)
    one, other = order[_close_pairs(position[order], reach[order], strips)]
    return _sorted(np.minimum(one, other), np.maximum(one, other), len(position))


def _sorted(first: Int64, second: Int64, count: int) -> tuple[Int64, Int64]:
    """Sort pairs by both numbers, int64 (M,) each, the second below `count`: as one number each, which is quicker."""
    pair = np.sort(first * count + second)
    first = pair // count
    pair -= first * count
    return first, pair


def moments_together(present: Bool, people: int) -> Iterator[tuple[Int64, Int64]]:
    """Yield who is present, many moments at a time, as int64 (N,) each: the moment, and the number of the person.

    Args:
        present: bool (F, A).
        people: how many are present at a moment at most.
    """
    together = max(1, _BODIES_TOGETHER // max(people, 1))
    for begin in range(0, len(present), together):
        row, who = np.nonzero(present[begin : begin + together])
        yield row + begin, who


def close_pairs_at_a_time(position: Float64, row: Int64, reach: Float64 | float) -> Int64:
    """All pairs at the same moment whose centres are nearer than the sum of their reaches.

    Args:
        position: float64 (N, 2) [m].
        row: int64 (N,), the moment of each.
        reach: float64 (N,) or one number for all [m].

    Returns:
        int64 (M, 2), as `close_pairs`.
    """
    places = position.copy()
    if len(places):  # moments are moved apart in y
        low, high = places[:, 1].min(), places[:, 1].max()
        places[:, 1] += (row - row[0]) * (high - low + 2.0 * np.max(reach) + 1.0)
    return close_pairs(places, reach)


def near_some(position: Float64, some: Int64, distance: float) -> tuple[Int64, Int64]:
    """All others nearer to a few agents than a distance.

    Args:
        position: float64 (A, 2) [m].
        some: int64 (N,), those few.
        distance: [m].

    Returns:
        Which of `some`, from 0 on, and who is near: int64 (P,) each, sorted by both.
    """
    if len(some) * len(position) <= FEW * FEW:
        x, y = position.T
        across, along = x - x[some, None], y - y[some, None]
        who, other = np.nonzero(across * across + along * along < distance * distance)
    else:
        order, strips = order_along_strips(position, distance, distance)
        at = np.empty_like(order)
        at[order] = np.arange(len(order))
        at, (x, y) = at[some], np.ascontiguousarray(position[order].T)
        span = math.ceil(distance / strips.height)
        other, lengths = listed(*windows(y, strips, at, np.arange(-span, span + 1), distance))
        near = squared(x, x[at], other, lengths) + squared(y, y[at], other, lengths) < distance * distance
        who, other = np.repeat(np.arange(len(some)), lengths)[near], order[other[near]]
        who, other = _sorted(who, other, len(position))
    apart = some[who] != other
    return who[apart], other[apart]


class NearPairs:
    """Who is near whom at one moment, searched once for all who ask.

    Args:
        position: float64 (N, 2), of people, and after them of others [m].
        people: how many of them are people; pairs of two others are left out.
        reach: the farthest that anybody will usually ask for [m]; whoever asks for more lets it search again.
    """

    def __init__(self, position: Float64, people: int, reach: float) -> None:
        self._position, self._people, self._reach = position, people, reach
        self._found: tuple[Int64, Int64, Float64] | None = None

    def within(self, reach: float | Float64, *, others: bool = False) -> tuple[Int64, Int64]:
        """Return the pairs whose centres are nearer than the sum of their reaches, the same as `close_pairs`.

        Args:
            reach: float64 (N,), or, without others, that of people alone, (people,), or one number for all [m].
            others: whether pairs of a person with one of the others are wanted, too.

        Returns:
            int64 (M,) each, the lower number first, sorted by both.
        """
        first, second, distance2 = self.searched(2.0 * float(np.max(reach, initial=0.0)))
        if not others and self._people < len(self._position):
            among = np.flatnonzero(second < self._people)
            first, second, distance2 = first[among], second[among], distance2[among]
        both = reach[first] + reach[second] if isinstance(reach, np.ndarray) else reach + reach
        near = (distance2 < both * both).nonzero()[0]
        return first[near], second[near]

    def searched(self, reach: float) -> tuple[Int64, Int64, Float64]:
        """Return all pairs that are nearer than a distance [m], and more, with others too, sorted by both.

        Returns:
            int64 (P,) each, the lower number first; and float64 (P,), their squared distances [m2].
        """
        if self._found is None or reach > self._reach:
            self._reach = max(reach, self._reach)
            self._found = self._search(self._reach)
        return self._found

    def _search(self, reach: float) -> tuple[Int64, Int64, Float64]:
        kernels = twins.twin(twins.PAIRS)
        if kernels is not None and len(self._position):
            return kernels.search(np.ascontiguousarray(self._position), reach, self._people)
        pairs = close_pairs(self._position, 0.5 * reach)
        first, second = np.ascontiguousarray(pairs[: np.searchsorted(pairs[:, 0], self._people)].T)
        x, y = np.ascontiguousarray(self._position.T)
        across, along = x[second] - x[first], y[second] - y[first]
        return first, second, across * across + along * along


def both_ways(first: Int64, second: Int64) -> tuple[Int64, Int64]:
    """Return pairs, int64 (M,) each, and the same the other way round, int64 (2 M,) each."""
    return np.concatenate((first, second)), np.concatenate((second, first))


def _close_pairs(position: Float64, reach: Float64, strips: Strips) -> Int64:
    """All pairs of agents ordered along strips, (2, M), each once, in no order."""
    x, y = np.ascontiguousarray(position.T)
    most = float(reach.max())
    parts = []
    for begin in range(0, x.size, CHUNK):
        rows = slice(begin, min(begin + CHUNK, x.size))
        own = np.arange(rows.start, rows.stop)
        first, last = windows(y, strips, rows, np.arange(2), reach[rows] + most)
        first[0] = own + 1  # each pair from the earlier one
        other, lengths = listed(first, np.maximum(first, last))
        both = reach[other] + np.repeat(reach[rows], lengths)
        near = squared(x, x[rows], other, lengths) + squared(y, y[rows], other, lengths) < both * both
        parts.append((np.repeat(own, lengths)[near], other[near]))
    return np.concatenate(parts, axis=1)


def checked_search(distance: float, count: int, name: str = "neighbour_distance") -> None:
    """Refuse a search that has no meaning, with GeometryError."""
    if not (math.isfinite(distance) and distance >= 0.0):
        raise GeometryError(f"{name} must be a finite number, 0 or more, got {distance}")
    if count < 0:
        raise GeometryError(f"max_neighbours must be 0 or more, got {count}")


def checked_vectors(vectors: ArrayLike, name: str = "position") -> Float64:
    """The same as float64 (A, 2), contiguous; or GeometryError with what is wrong."""
    checked = np.ascontiguousarray(vectors, dtype=np.float64)
    if checked.ndim != 2 or checked.shape[1] != 2:
        raise GeometryError(f"{name} must be an array of shape (agents, 2), got {checked.shape}")
    if not np.isfinite(checked).all():
        row = int(np.flatnonzero(~np.isfinite(checked).all(axis=1))[0])
        raise GeometryError(f"{name} must be finite, got {checked[row].tolist()} for agent {row}")
    return checked
