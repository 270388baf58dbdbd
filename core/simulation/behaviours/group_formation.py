# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups walk side by side where there is room, bend where others come, and file through what is narrow.

    form_up(agents, rows, preferred, references, field, dt) -> Formation    how fast, and how far to which side

Those of a group take places round its middle, across the way that they go together: two or three abreast, larger groups
in several rows. The nearer to strangers or walls, the more a row turns into a V with the middle behind, as threes do
that talk, and on into a file. Whoever is ahead of its place slows down until the others are there, and stands where
they are far behind, though not in a door and not where strangers would be held up, and not for ever; whoever is behind
hurries. Who is on which place is seen anew at each step from how they stand, so that a group forms again after a door
in whatever order it came through.

Source: Moussaid et al. 2010, "The walking behaviour of pedestrian social groups and its impact on crowd dynamics".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...geometry.distances import Distances
from ...planning import ReferenceSet
from ...steering.neighbours import close_pairs
from ..population.groups import abreast
from ..settings.population_settings import PlacementSettings
from ..world.agents import WALKING, Agents

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

ROW = 1.0
"""From one row of a larger group to the next [m]."""

FAR = 8.0
"""Who is farther than this from the middle of its group has lost it, and goes on alone [m]."""

OF_ONE_MIND = 0.5
"""The wishes of a group must agree by this much, 1 being wholly, for it to have a direction."""

STRANGERS = 2.0
"""Strangers nearer than this are of account [m]."""

DENSITIES, WIDTHS = (0.15, 0.5, 1.2), (1.0, 0.5, 0.2)
"""The share of its breadth that a row keeps with so many strangers to the square metre around [1/m2]."""

MOST_HELD_UP = 2.0
"""Half a stranger close behind counts as much as a crowd of them."""

NARROW = 0.7
"""With less room than this to the next wall nobody waits for others [m]."""

LOOK_AHEAD = 1.0
"""So far ahead of its middle a group makes ready for what is narrow [m]."""

HURRY, ON_AND_ON = 0.2, 0.8
"""Those behind speed up by this share at most; who may not stand and wait keeps at least this share of the speed."""

PATIENCE, TOGETHER = 30.0, 1.0
"""So long people stand and wait for others at most [s], until they are as near to their place again as this [m]."""

STANDS = 0.3
"""With less than this share of the speed somebody counts as waiting."""

PER_METRE = 0.45
"""And by this share for each metre off one's place [1/m]."""

SIDEWAYS_RATE, SIDEWAYS_SPEED = 0.6, 0.3
"""How fast people come to their place across the way, per metre [1/s] and at most [m/s]."""

NEAR_GOAL = 2.0
"""From here on they go to their own goals [m]."""


class Formation(NamedTuple):
    """What groups make of how R people want to walk.

    Attributes:
        pace: float64 (R,), the share of their speed.
        aside: float64 (R, 2), what is added to the velocities of those with ways of their own [m/s].
    """

    pace: Float64
    aside: Float64


@dataclass(frozen=True, eq=False)
class _Groups:
    """M members of G groups who go somewhere together.

    Attributes:
        own: int64 (M,), their numbers among the rows that were asked for.
        rows: int64 (M,), those of the agents.
        number: int64 (M,), of the group.
        count: int64 (G,), how many each group has.
        middle: float64 (G, 2), of each group [m].
        course: float64 (G, 2), the direction in which each goes, a unit vector.
        ahead, left: float64 (M,), where members are from the middle, along the course and across it [m].
    """

    own: Int64
    rows: Int64
    number: Int64
    count: Int64
    middle: Float64
    course: Float64
    ahead: Float64
    left: Float64


class _Near(NamedTuple):
    """P pairs of people who are near each other.

    Attributes:
        pairs: int64 (P, 2), their numbers among the rows that were asked for.
        apart: float64 (P, 2), from the second to the first [m].
        weight: float64 (P,), from 1 for who are in one place to 0 for who are `STRANGERS` apart, or of one group.
    """

    pairs: Int64
    apart: Float64
    weight: Float64


class _Places(NamedTuple):
    """Where M members want to be from the middle of their groups: `ahead` and `left`, float64 (M,) [m]."""

    ahead: Float64
    left: Float64


def form_up(
    agents: Agents, rows: Int64, preferred: Float64, references: ReferenceSet, field: Distances, dt: float = 0.0
) -> Formation | None:
    """Return how groups keep together; None where nobody belongs to one. Sets `agents.beside` and `agents.waited`.

    Args:
        agents: everybody.
        rows: int64 (R,), who is present.
        preferred: float64 (R, 2), where each would go if alone [m/s].
        references: their paths.
        field: distances to what stands.
        dt: for how long it goes on [s]; 0 for only a look.
    """
    if not (agents.group[rows] >= 0).any():
        return None
    agents.beside[rows] = 0.0
    formation = Formation(np.ones(len(rows)), np.zeros((len(rows), 2)))
    groups = _together(agents, rows, preferred)
    if not len(groups.own):
        return formation
    near = _strangers(agents, rows)
    breadth = _breadth(agents, groups, rows, near, references, field)
    place = _places(agents, groups, breadth)
    to_goal = agents.goal[groups.rows] - agents.position[groups.rows]
    distance = np.sqrt((to_goal * to_goal).sum(axis=1))  # NaN for those on routes
    fade = np.where(np.isnan(distance), 1.0, np.clip(distance / NEAR_GOAL - 0.5, 0.0, 1.0))
    share = np.clip(1.0 + PER_METRE * (place.ahead - groups.ahead), 0.0, 1.0 + HURRY)
    in_door = field.signed_distance(agents.position[groups.rows]) < NARROW
    held_up = _held_up(agents, rows, preferred, near)[groups.own]
    goes_on = in_door | (agents.waited[groups.rows] > PATIENCE)
    share = np.maximum(share, ON_AND_ON * np.where(goes_on, 1.0, held_up))
    again = np.where(place.ahead - groups.ahead > -TOGETHER, 0.0, agents.waited[groups.rows])
    agents.waited[groups.rows] = again + np.where(share < STANDS, dt, 0.0)
    formation.pace[groups.own] += fade * (share - 1.0)
    on_route = np.isnan(distance)
    agents.beside[groups.rows[on_route]] = place.left[on_route]
    aside = np.clip(SIDEWAYS_RATE * (place.left - groups.left), -SIDEWAYS_SPEED, SIDEWAYS_SPEED)
    across = np.stack([-groups.course[:, 1], groups.course[:, 0]], axis=1)[groups.number]
    formation.aside[groups.own] = np.where(on_route, 0.0, fade * aside)[:, None] * across
    return formation


def _together(agents: Agents, rows: Int64, preferred: Float64) -> _Groups:
    """Return those who are with others of their group and go the same way."""
    speed = np.sqrt((preferred * preferred).sum(axis=1))
    own = np.flatnonzero((agents.group[rows] >= 0) & (agents.status[rows] == WALKING) & (speed > 0.0))
    number = np.unique(agents.group[rows[own]], return_inverse=True)[1]
    position = agents.position[rows[own]]
    off = position - _means(position, number)[number]
    found = (off * off).sum(axis=1) < FAR * FAR
    own, number, position = own[found], number[found], position[found]
    course = _means(preferred[own] / speed[own, None], number)
    agreed = np.sqrt((course * course).sum(axis=1))
    count = np.bincount(number)
    led = ((agreed > OF_ONE_MIND) & (count > 1))[number]
    course /= np.maximum(agreed, 1e-9)[:, None]
    middle = _means(position, number)
    own, number = own[led], number[led]
    off, along = position[led] - middle[number], course[number]
    ahead, left = (off * along).sum(axis=1), off[:, 1] * along[:, 0] - off[:, 0] * along[:, 1]
    return _Groups(own, rows[own], number, count, middle, course, ahead, left)


def _strangers(agents: Agents, rows: Int64) -> _Near:
    """Return who of some has whom near that does not belong to it."""
    pairs = close_pairs(agents.position[rows], 0.5 * STRANGERS)
    apart = agents.position[rows[pairs[:, 0]]] - agents.position[rows[pairs[:, 1]]]
    weight = 1.0 - (apart * apart).sum(axis=1) / STRANGERS**2
    group = agents.group[rows]
    weight[(group[pairs[:, 0]] >= 0) & (group[pairs[:, 0]] == group[pairs[:, 1]])] = 0.0
    return _Near(pairs, apart, weight)


def _held_up(agents: Agents, rows: Int64, preferred: Float64, near: _Near) -> Float64:
    """Return float64 (R,), from 0 to 1, how much each would be in the way of strangers behind who go the same way."""
    speed = np.sqrt((preferred * preferred).sum(axis=1))
    unit = preferred / np.maximum(speed, 1e-9)[:, None]
    first, second = near.pairs.T
    alike = np.maximum((unit[first] * unit[second]).sum(axis=1), 0.0) * near.weight
    alike[(agents.status[rows] != WALKING)[near.pairs].any(axis=1)] = 0.0
    distance = np.maximum(np.sqrt((near.apart * near.apart).sum(axis=1)), 1e-9)
    leads = (near.apart * unit[first]).sum(axis=1) / distance
    follows = -(near.apart * unit[second]).sum(axis=1) / distance
    found = np.bincount(first, alike * np.maximum(leads, 0.0), len(rows))
    return np.minimum(MOST_HELD_UP * (found + np.bincount(second, alike * np.maximum(follows, 0.0), len(rows))), 1.0)


def _breadth(
    agents: Agents, groups: _Groups, rows: Int64, near: _Near, references: ReferenceSet, field: Distances
) -> Float64:
    """Return float64 (G,), the share of their breadth that groups have room for, between strangers and walls."""
    number, size = groups.number, len(groups.count)
    radius = agents.radius[groups.rows].max()
    room = field.signed_distance(groups.middle)
    room = np.minimum(room, field.signed_distance(groups.middle + LOOK_AHEAD * groups.course))
    paths = agents.path[groups.rows]
    beside = np.where(
        np.isnan(agents.goal[groups.rows, 0]),
        references.half_widths[paths] - np.abs(agents.wanted_offset[groups.rows]),
        np.inf,
    )
    np.minimum.at(room, number, beside)
    half = 0.5 * (abreast(groups.count) - 1) * (2.0 * radius + PlacementSettings.group_gap)
    share = (room - radius - PlacementSettings.group_gap / 2) / np.maximum(half, 1e-9)
    met = np.bincount(near.pairs.ravel(), np.repeat(near.weight, 2), len(rows))
    density = np.bincount(number, met[groups.own], size) / np.maximum(groups.count, 1) / (0.5 * np.pi * STRANGERS**2)
    return np.clip(np.minimum(share, np.interp(density, DENSITIES, WIDTHS)), WIDTHS[-1], 1.0)


def _places(agents: Agents, groups: _Groups, breadth: Float64) -> _Places:
    """Return where members want to be: in rows, each across the way as far as its breadth lets it."""
    number = groups.number
    in_each = abreast(groups.count)[number]
    row = _rank(-groups.ahead, number) // in_each
    row_of = number * (len(number) + 1) + row
    in_row = np.unique(row_of, return_inverse=True)[1]
    size = np.bincount(in_row)[in_row]
    column = _rank(groups.left, in_row) - 0.5 * (size - 1)
    cos = breadth[number]
    sin = np.sqrt(1.0 - cos * cos)
    pitch = (_means(2.0 * agents.radius[groups.rows, None], number)[:, 0] + PlacementSettings.group_gap)[number]
    as_v = np.where(size == 3, np.clip((cos - 0.35) / 0.15, 0.0, 1.0), 0.0)  # narrower, its arms would touch
    bent = as_v * (np.abs(column) - 2.0 / 3.0) + (1.0 - as_v) * column
    last = (groups.count[number] - 1) // in_each
    behind = (0.5 * last - row) * (ROW + pitch * (in_each - 1) * sin)
    return _Places(behind + pitch * sin * bent, pitch * cos * column)


def _rank(values: Float64, number: Int64) -> Int64:
    """Return int64 (M,), the place of each of some values within its group, the least first."""
    order = np.lexsort((values, number))
    first = np.searchsorted(number[order], number[order])
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - first
    return rank


def _means(values: Float64, number: Int64) -> Float64:
    """Return float64 (G, K), the mean of float64 (M, K) for each group."""
    count = np.maximum(np.bincount(number), 1)
    return np.stack([np.bincount(number, column) / count for column in values.T], axis=1)
