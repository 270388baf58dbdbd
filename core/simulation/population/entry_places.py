# SPDX-License-Identifier: GPL-3.0-or-later
"""Where people stand when they enter the scene."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...errors import Fault, SceneError
from ...geometry import segments
from ...geometry.reproducible_math import heading_vector
from ...planning import ReferencePath, ReferenceSet
from ...routing import LINE_SPACING, points_between
from ...scene import AT_ONCE, FLOW, LEFT_SIDE, RIGHT_SIDE, SPREAD, Crowd, Route
from ...steering import neighbours
from ..settings.population_settings import POPULATION, PlacementSettings
from .drawn_crowd import DrawnCrowd
from .groups import has_groups, seat_together

MOST_SPOTS = 2**20
"""Places tried in an area or on a route, or four for each person: where more would fit, they lie farther apart."""

Free = Callable[[Float64, float], Bool]
"""Free(points (N, 2), radius) -> bool (N,): a body of this radius can stand there."""


def place_on_route(
    drawn: DrawnCrowd,
    route: Route,
    path: ReferencePath,
    *,
    free: Free,
    taken: Float64,
    settings: PlacementSettings = POPULATION.placement,
) -> tuple[Float64, Float64]:
    """Return arc length and offset of each of a crowd on its route, float64 (N,) each, as its `spawn` says [m].

    Args:
        drawn: the crowd.
        route: its route.
        path: the route's reference path.
        free: returns where a body can stand.
        taken: float64 (M, 3), positions of people of other crowds, and their radii [m].
        settings: gaps between people.

    Raises:
        SceneError: the route has no room for so many.
    """
    crowd, radius = drawn.crowd, drawn.crowd.radius[1]
    if crowd.spawn.mode == FLOW:
        return _entry_spots(drawn, route, settings.group_spacing)
    most = 0
    for room in (settings.loose_gap, 0.5 * settings.loose_gap, settings.tight_gap):
        s, d, row = _rows(drawn, route, path, room, settings)
        keep = free(path.to_cartesian(s, d), radius + settings.obstacle_gap)
        s, d, row = s[keep], d[keep], row[keep]
        keep = _within_reach(s, d, path, free, settings.round_walls)
        s, d, row = s[keep], d[keep], row[keep]
        keep = apart(path.to_cartesian(s, d), radius, taken, settings)
        s, d, row = s[keep], d[keep], row[keep]
        most = max(most, len(s))
        if len(s) >= crowd.count:
            chosen = _choose(drawn, row)
            return s[chosen], d[chosen]
    size = f"{path.length:.1f} m long, {route.width:.1f} m wide"
    raise _no_room(drawn, f"route '{route.name}' ({size}) has", most, "lengthen or widen the route", "the route")


def _within_reach(s: Float64, d: Float64, path: ReferencePath, free: Free, round_walls: float) -> Bool:
    """Return bool (N,), which places beside a path have no wall between them and its middle: beyond one is elsewhere.

    Walls and obstacles that are passed within `round_walls` [m] ahead or behind count for nothing, and so does what
    stands on the middle itself, as people pass it on both sides.
    """
    reached = np.zeros(len(s), dtype=bool)
    for ahead in (0.0, round_walls, -round_walls):
        rows = np.flatnonzero(~reached)
        along = s[rows] + ahead if path.closed else np.clip(s[rows] + ahead, 0.0, path.length)
        middle = path.to_cartesian(along, np.zeros(len(rows)))
        points, whose = points_between(middle, path.to_cartesian(s[rows], d[rows]))
        is_blocked = np.bincount(whose, ~free(points, 0.5 * LINE_SPACING), len(rows)) > 0
        reached[rows] = ~is_blocked | ~free(middle, 0.5 * LINE_SPACING)
    return reached


def place_in_area(
    drawn: DrawnCrowd,
    outline: Float64,
    *,
    free: Free,
    taken: Float64,
    settings: PlacementSettings = POPULATION.placement,
) -> Float64:
    """Return float64 (count, 2), places scattered in an area where a body can stand [m].

    Raises:
        SceneError: the area has no room for so many.
    """
    crowd, radius = drawn.crowd, drawn.crowd.radius[1]
    flow = crowd.spawn.mode == FLOW
    most = 0
    for room in (settings.loose_gap, 0.5 * settings.loose_gap, settings.tight_gap):
        spots = _lattice(outline, 2 * radius + room, _most_spots(crowd))
        spots = spots + (_jitter(drawn, "area", len(spots)) * (0.4 * (room - 0.5 * settings.tight_gap)))
        spots = spots[segments.contains(outline, spots)]
        spots = spots[free(spots, radius + settings.obstacle_gap)]
        if not flow:
            spots = spots[apart(spots, radius, taken, settings)]
        most = max(most, len(spots))
        if len(spots) and (flow or len(spots) >= crowd.count):
            return spots[_chosen(drawn, spots, "spot", again=flow, settings=settings)]
    raise _no_room(drawn, f"area '{crowd.start}' has", most, "enlarge the area", "the area")


def spread_along(
    drawn: DrawnCrowd,
    paths: ReferenceSet,
    *,
    free: Free,
    taken: Float64,
    settings: PlacementSettings,
) -> Float64:
    """Return float64 (count,), where each of a crowd stands along a route of their own [m].

    Raises:
        SceneError: the routes have no room for so many.
    """
    crowd, radius, party, first = drawn.crowd, drawn.crowd.radius[1], drawn.party, drawn.first
    draws = drawn.uniform("along", crowd.count * settings.attempts).reshape(crowd.count, settings.attempts)
    everybody = np.arange(crowd.count)
    start = paths.to_cartesian(everybody, np.zeros(crowd.count), np.zeros(crowd.count))
    ahead = ((start - start[first]) * heading_vector(paths.heading(first, np.zeros(crowd.count))[0])).sum(axis=1)
    behind = settings.group_spacing * (everybody - first) + ahead
    whole = settings.whole_stretch
    reach = np.where(paths.lengths < whole, paths.lengths, whole * np.floor(paths.lengths / whole))
    s = np.full(crowd.count, np.nan)
    for tries in range(settings.attempts):
        rows = np.flatnonzero(np.isnan(s))
        in_file = tries % 2  # as they started, side by side; where routes have come together, one behind the other
        here = (draws[:, tries] * reach)[first[rows]] - in_file * behind[rows]
        here = np.clip(here, 0.0, paths.lengths[rows])
        points = paths.to_cartesian(rows, here, np.zeros(len(rows)))
        fits = free(points, radius + settings.obstacle_gap)
        fits[fits] = apart(points[fits], radius, taken, settings)
        fits = np.bincount(party[rows], ~fits, crowd.count)[party[rows]] == 0  # all of a group, or none
        s[rows[fits]] = here[fits]
        taken = np.concatenate([taken, standing(points[fits], radius)])
    if np.isnan(s).any():
        most = int(np.isfinite(s).sum())
        raise _no_room(drawn, "their routes have", most, "start them farther apart", "every route")
    return s


def standing(points: Float64, radius: float | Float64) -> Float64:
    """Return float64 (N, 3), bodies of a radius at points (N, 2): what `taken` is made of [m]."""
    return np.column_stack([points, np.broadcast_to(radius, len(points))])


def goals_in_area(
    drawn: DrawnCrowd, outline: Float64, *, free: Free, settings: PlacementSettings = POPULATION.placement
) -> Float64:
    """Return float64 (count, 2), a goal for each in an area, evenly scattered and free where any place is [m]."""
    radius = drawn.crowd.radius[1]
    spots = _lattice(outline, 2 * radius + settings.tight_gap, _most_spots(drawn.crowd))
    spots = spots[segments.contains(outline, spots)]
    spots = spots[free(spots, radius + settings.obstacle_gap)]
    if len(spots) == 0:
        spots = outline.mean(axis=0, keepdims=True)
    return spots[_chosen(drawn, spots, "goal", again=True, settings=settings)]


def _chosen(drawn: DrawnCrowd, spots: Float64, attribute: str, *, again: bool, settings: PlacementSettings) -> Int64:
    """Return int64 (count,), which of some places each takes: any, but those of a group side by side."""
    crowd = drawn.crowd
    order = np.argsort(drawn.uniform(attribute, len(spots)), kind="stable")
    if not has_groups(crowd):
        return np.resize(order, crowd.count)
    if crowd.count > settings.crowded_share * len(spots):  # in any order, the last groups would find single places only
        order = np.arange(len(spots))
    return seat_together(spots, order, drawn.party, settings, again=again)


def _no_room(drawn: DrawnCrowd, what_has: str, most: int, enlarge: str, place: str) -> SceneError:
    """Return the error of a crowd for which there is too little room, with what the user can do."""
    radius, begin = drawn.crowd.radius[1], "use"
    if radius > POPULATION.placement.wide_radius:
        begin = f"they are up to {2.0 * radius:.1f} m wide: use smaller bodies,"
    way_out = f"{begin} fewer people, {enlarge}, or let them enter one by one ('flow')"
    if most == 0:
        way_out = f"check whether {place} is inside an obstacle or outside the bounds"
    fault = f"{drawn.crowd.count} people are requested, but {what_has} room for {most} at once; {way_out}"
    return SceneError([Fault(f"{drawn.place}.count", fault)])


def _entry_spots(drawn: DrawnCrowd, route: Route, spacing: float) -> tuple[Float64, Float64]:
    """Return s and d of the entries of a flow: at the start of the route, anywhere across it."""
    first, count = drawn.first, drawn.crowd.count
    low, high = _band(drawn.crowd, route)
    across = low + (high - low) * drawn.uniform("offset", count)
    across = np.clip(across[first] + spacing * (np.arange(count) - first), low, high)
    return np.zeros(count), across if count > 1 else 0 * across


def _band(crowd: Crowd, route: Route) -> tuple[float, float]:
    """Return the least and the largest offset that a crowd walks at: on a share of the width or of half of it [m]."""
    reach = crowd.following.spread * max(0.0, route.width / 2 - crowd.radius[1])
    side = crowd.following.side
    return (0.0 if side == LEFT_SIDE else -reach), (0.0 if side == RIGHT_SIDE else reach)


def _rows(
    drawn: DrawnCrowd, route: Route, path: ReferencePath, room: float, settings: PlacementSettings
) -> tuple[Float64, Float64, Int64]:
    """Return s and d of rows of places from the start of the path to its end, each row in an order of its own.

    And the number of each place's row. Those of a group walk abreast: they stand closer, and nobody ahead of another.
    """
    crowd, groups = drawn.crowd, has_groups(drawn.crowd)
    low, high = _band(crowd, route)
    pitch = max(2 * crowd.radius[1] + room, float(np.sqrt((high - low) * path.length / _most_spots(crowd))))
    step = 0.4 * (room - 0.5 * settings.tight_gap)
    beside = min(pitch, 2 * crowd.radius[1] + settings.group_gap) if groups else pitch
    abreast = max(1, min(int((high - low) / beside + 1e-9) + 1, crowd.count))
    length = path.length - (pitch if path.closed else 0.0)
    rows = max(1, int(length / pitch) + 1)
    if crowd.spawn.mode == AT_ONCE:
        rows = min(rows, max(4, 8 * crowd.count // abreast + 4))
    order = np.argsort(drawn.uniform("row", rows * abreast).reshape(rows, abreast), axis=1)
    if groups:  # neighbours follow each other, from side to side and back
        order = np.sort(order, axis=1)
        order[1::2] = order[1::2, ::-1]
    row = np.repeat(np.arange(rows), abreast)
    s = (row * pitch).astype(np.float64)
    if crowd.count == 1:
        return s, np.full(len(s), 0.5 * (low + high)), row
    drawn_steps = 2.0 * drawn.uniform("place", len(s)) - 1.0
    s = np.clip(s + step * (drawn_steps[row * abreast] if groups else drawn_steps), 0.0, path.length)
    least = beside if groups else pitch - 2.0 * step
    return s, _across(drawn, (low, high), order, least).ravel(), row


def _across(drawn: DrawnCrowd, band: tuple[float, float], order: Int64, least: float) -> Float64:
    """Return offsets of places in rows of their own, anywhere in a band, so that people do not walk in files.

    Args:
        drawn: the crowd.
        band: the least and the largest offset [m].
        order: int64 (R, B), the numbers from the right of the B places of each row.
        least: from one to the next [m].

    Returns:
        float64 (R, B) [m].
    """
    (low, high), (rows, abreast) = band, order.shape
    share = np.sort(drawn.uniform("across", rows * abreast).reshape(rows, abreast), axis=1)
    number = np.arange(abreast)
    across = low + share * (high - low - least * (abreast - 1)) + least * number
    return np.take_along_axis(across, order, axis=1)


def _choose(drawn: DrawnCrowd, row: Int64) -> Int64:
    """Return which of the places are taken: the first ones, or evenly over all of them, by groups.

    Args:
        drawn: the crowd.
        row: int64 (P,), the row of each place, rising.
    """
    crowd, first, places = drawn.crowd, drawn.first, len(row)
    number = np.arange(crowd.count)
    spread = crowd.spawn.mode == SPREAD
    chosen = ((first + 0.5) * places / max(1, crowd.count)).astype(np.int64) + number - first if spread else number
    return _abreast_in(row, chosen if spread else 0 * number, first) if has_groups(crowd) else chosen


def _abreast_in(row: Int64, earliest: Int64, first: Int64) -> Int64:
    """Return int64 (N,), places of groups, each in one row as long as there is room for it and for all after it.

    Args:
        row: int64 (P,), the row of each place, rising; at least N.
        earliest: int64 (N,), the place before which each group takes none.
        first: int64 (N,), the number of the first of each one's group.
    """
    chosen, begin, places = np.zeros(len(first), dtype=np.int64), 0, len(row)
    begins = np.flatnonzero(first == np.arange(len(first))).tolist()
    for one, end in pairwise([*begins, len(first)]):
        size, last = end - one, places - (len(first) - one)  # who comes after finds a place, too
        begin = min(max(begin, int(earliest[one])), last)
        within = range(begin, min(begin + 2 * size, last) + 1)  # a larger group than has room in a row stands in two
        begin = next((place for place in within if row[place] == row[place + size - 1]), begin)
        chosen[one:end] = begin + np.arange(size)
        begin += size
    return chosen


def _jitter(drawn: DrawnCrowd, attribute: str, count: int) -> Float64:
    """Return float64 (count, 2) in [-1, 1): the steps off a too regular grid."""
    return 2 * drawn.uniform(attribute, 2 * count).reshape(count, 2) - 1


def apart(points: Float64, radius: float, taken: Float64, settings: PlacementSettings) -> Bool:
    """Return bool (N,), which points stay when each that is too close to an earlier one or to a taken one goes.

    Args:
        points: float64 (N, 2) [m].
        radius: of the bodies to be placed [m].
        taken: float64 (M, 3), positions of others, and their radii [m].
        settings: gaps between people.
    """
    everyone = np.concatenate([taken[:, :2], points])
    reach = np.concatenate([taken[:, 2], np.full(len(points), radius)]) + 0.25 * settings.tight_gap
    pairs = neighbours.close_pairs(everyone, reach)
    keep = np.ones(len(everyone), dtype=bool)
    keep[pairs.max(axis=1)] = False
    return keep[len(taken) :]


def _most_spots(crowd: Crowd) -> int:
    return max(MOST_SPOTS, 4 * crowd.count)


def _lattice(outline: Float64, pitch: float, most: int) -> Float64:
    """Return float64 (N, 2), a triangular lattice over the box of an outline, of about so many points at most."""
    low, high = outline.min(axis=0), outline.max(axis=0)
    wide, tall = (high - low).tolist()
    pitch = max(pitch, float(np.sqrt(wide * tall / most)), max(wide, tall) / most)
    columns, rows = np.maximum(1, ((high - low) / (pitch, pitch * 0.8660254)).astype(int) + 1)
    x, y = np.meshgrid(np.arange(columns) * pitch, np.arange(rows) * (pitch * 0.8660254))
    x = x + (np.arange(rows)[:, None] % 2) * (0.5 * pitch)
    span = np.array([x.max(), y.max()])
    return np.stack([x.ravel(), y.ravel()], axis=1) + (low + high - span) / 2
