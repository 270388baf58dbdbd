# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups walk side by side where there is room, bend where others come, and file through narrow places.

The members of a group take places round its middle, across the direction that they walk in together: two or three
abreast, larger groups in several rows. The nearer to strangers or walls, the more a row turns into a V with the middle
behind, as threes do that talk, and on into a file. Members ahead of their place slow down until the others are there,
and stand where they are far behind, though not in a door and not where strangers would be held up, and not for ever;
members behind hurry. Who is on which place is decided at each step from how they stand, so that a group forms again
after a door in whatever order it came through.

Source: Moussaid et al. 2010, "The walking behaviour of pedestrian social groups and its impact on crowd dynamics".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...steering.neighbours import close_pairs
from ..population.groups import abreast
from ..settings.behaviour_settings import GroupFormationSettings
from ..settings.population_settings import PlacementSettings
from ..world.agents import WALKING, Agents
from ..world.doing import Doing
from .behaviour import Step

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Groups:
    """M members of G groups who walk together.

    Attributes:
        own: int64 (M,), their numbers among the people present.
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
        pairs: int64 (P, 2), their numbers among the people present.
        apart: float64 (P, 2), from the second to the first [m].
        weight: float64 (P,), from 1 for those in one place to 0 for those too far apart to count, or of one group.
    """

    pairs: Int64
    apart: Float64
    weight: Float64


class _Places(NamedTuple):
    """Where M members want to be from the middle of their groups: `ahead` and `left`, float64 (M,) [m]."""

    ahead: Float64
    left: Float64


class GroupFormation:
    """Lets the members of groups walk together: sets `agents.beside` and `agents.waited`.

    Args:
        settings: how groups walk together.
        recorded_change: changes of a velocity by more than this are recorded [m/s].
    """

    def __init__(self, settings: GroupFormationSettings, recorded_change: float) -> None:
        self._settings, self._recorded_change = settings, recorded_change

    def act(self, step: Step) -> None:
        """Slow down those who are ahead of their group, hurry those behind, and lead them sideways to their places."""
        agents, rows = step.agents, step.rows
        if not (agents.group[rows] >= 0).any():
            return
        agents.beside[rows] = 0.0
        pace, aside = np.ones(len(rows)), np.zeros((len(rows), 2))
        step.pace_shares.append(pace)
        groups = _together(agents, rows, step.preferred, self._settings)
        if len(groups.own):
            self._form_up(step, groups, pace, aside)
        step.preferred = step.preferred + aside

    def _form_up(self, step: Step, groups: _Groups, pace: Float64, aside: Float64) -> None:
        """Fill in for those in groups the share of their speed, float64 (R,), and the velocity aside (R, 2) [m/s]."""
        agents, rows, settings = step.agents, step.rows, self._settings
        near = _strangers(agents, rows, settings)
        breadth = _breadth(step, groups, near, settings)
        place = _places(agents, groups, breadth, settings)
        to_goal = agents.goal[groups.rows] - agents.position[groups.rows]
        distance = np.sqrt((to_goal * to_goal).sum(axis=1))  # NaN for those on routes
        fade = np.where(np.isnan(distance), 1.0, np.clip(distance / settings.near_goal - 0.5, 0.0, 1.0))
        behind = place.ahead - groups.ahead
        share = np.clip(1.0 + settings.pace_per_metre * behind, 0.0, 1.0 + settings.greatest_hurry)
        in_door = step.ground.field.signed_distance(agents.position[groups.rows]) < settings.narrow_clearance
        held_up = _held_up(step, near, settings)[groups.own]
        goes_on = in_door | (agents.waited[groups.rows] > settings.patience)
        share = np.maximum(share, settings.least_pace * np.where(goes_on, 1.0, held_up))
        again = np.where(behind > -settings.together_distance, 0.0, agents.waited[groups.rows])
        agents.waited[groups.rows] = again + np.where(share < settings.waiting_share, step.dt, 0.0)
        pace[groups.own] += fade * (share - 1.0)
        on_route = np.isnan(distance)
        agents.beside[groups.rows[on_route]] = place.left[on_route]
        sideways = settings.sideways_rate * (place.left - groups.left)
        sideways = np.clip(sideways, -settings.sideways_speed, settings.sideways_speed)
        across = np.stack([-groups.course[:, 1], groups.course[:, 0]], axis=1)[groups.number]
        aside[groups.own] = np.where(on_route, 0.0, fade * sideways)[:, None] * across
        self._note(step, groups, pace[groups.own], aside[groups.own])

    def _note(self, step: Step, groups: _Groups, pace: Float64, aside: Float64) -> None:
        """Note who keeps with the group: those ahead because of the last member, those behind because of the first."""
        order = np.lexsort((groups.ahead, groups.number))
        begin = np.searchsorted(groups.number[order], groups.number)
        end = np.searchsorted(groups.number[order], groups.number, side="right") - 1
        last, first = order[begin], order[end]
        own = np.arange(len(order))
        other = np.where((pace < 1.0) & (last != own) | (first == own), last, first)
        changed = np.abs(pace - 1.0) * step.agents.wanted_speed[groups.rows] > self._recorded_change
        changed |= (aside * aside).sum(axis=1) > self._recorded_change**2
        step.record(groups.own[changed], Doing.WITH_GROUP, groups.rows[other[changed]])


def _together(agents: Agents, rows: Int64, preferred: Float64, settings: GroupFormationSettings) -> _Groups:
    """Return those who are with others of their group and walk in the same direction."""
    speed = np.sqrt((preferred * preferred).sum(axis=1))
    own = np.flatnonzero((agents.group[rows] >= 0) & (agents.status[rows] == WALKING) & (speed > 0.0))
    number = np.unique(agents.group[rows[own]], return_inverse=True)[1]
    position = agents.position[rows[own]]
    off = position - _means(position, number)[number]
    found = (off * off).sum(axis=1) < settings.lost_distance * settings.lost_distance
    own, number, position = own[found], number[found], position[found]
    course = _means(preferred[own] / speed[own, None], number)
    agreed = np.sqrt((course * course).sum(axis=1))
    count = np.bincount(number)
    led = ((agreed > settings.least_agreement) & (count > 1))[number]
    course /= np.maximum(agreed, 1e-9)[:, None]
    middle = _means(position, number)
    own, number = own[led], number[led]
    off, along = position[led] - middle[number], course[number]
    ahead, left = (off * along).sum(axis=1), off[:, 1] * along[:, 0] - off[:, 0] * along[:, 1]
    return _Groups(own, rows[own], number, count, middle, course, ahead, left)


def _strangers(agents: Agents, rows: Int64, settings: GroupFormationSettings) -> _Near:
    """Return the pairs of people near each other, weighted by how near they are."""
    pairs = close_pairs(agents.position[rows], 0.5 * settings.stranger_distance)
    apart = agents.position[rows[pairs[:, 0]]] - agents.position[rows[pairs[:, 1]]]
    weight = 1.0 - (apart * apart).sum(axis=1) / settings.stranger_distance**2
    group = agents.group[rows]
    weight[(group[pairs[:, 0]] >= 0) & (group[pairs[:, 0]] == group[pairs[:, 1]])] = 0.0
    return _Near(pairs, apart, weight)


def _held_up(step: Step, near: _Near, settings: GroupFormationSettings) -> Float64:
    """Return float64 (R,), from 0 to 1, how much each would hold up strangers behind in the same direction."""
    agents, rows, preferred = step.agents, step.rows, step.preferred
    speed = np.sqrt((preferred * preferred).sum(axis=1))
    unit = preferred / np.maximum(speed, 1e-9)[:, None]
    first, second = near.pairs.T
    alike = np.maximum((unit[first] * unit[second]).sum(axis=1), 0.0) * near.weight
    alike[(agents.status[rows] != WALKING)[near.pairs].any(axis=1)] = 0.0
    distance = np.maximum(np.sqrt((near.apart * near.apart).sum(axis=1)), 1e-9)
    leads = (near.apart * unit[first]).sum(axis=1) / distance
    follows = -(near.apart * unit[second]).sum(axis=1) / distance
    found = np.bincount(first, alike * np.maximum(leads, 0.0), len(rows))
    found = found + np.bincount(second, alike * np.maximum(follows, 0.0), len(rows))
    return np.minimum(settings.weight_stranger_behind * found, 1.0)


def _breadth(step: Step, groups: _Groups, near: _Near, settings: GroupFormationSettings) -> Float64:
    """Return float64 (G,), the share of their breadth that groups have room for, between strangers and walls."""
    agents, rows, field = step.agents, step.rows, step.ground.field
    number, size = groups.number, len(groups.count)
    radius = agents.radius[groups.rows].max()
    room = field.signed_distance(groups.middle)
    room = np.minimum(room, field.signed_distance(groups.middle + settings.look_ahead * groups.course))
    paths = agents.path[groups.rows]
    beside = np.where(
        np.isnan(agents.goal[groups.rows, 0]),
        step.paths.half_widths[paths] - np.abs(agents.wanted_offset[groups.rows]),
        np.inf,
    )
    np.minimum.at(room, number, beside)
    half = 0.5 * (abreast(groups.count) - 1) * (2.0 * radius + PlacementSettings.group_gap)
    share = (room - radius - PlacementSettings.group_gap / 2) / np.maximum(half, 1e-9)
    met = np.bincount(near.pairs.ravel(), np.repeat(near.weight, 2), len(rows))
    density = np.bincount(number, met[groups.own], size) / np.maximum(groups.count, 1)
    density /= 0.5 * np.pi * settings.stranger_distance**2
    return np.clip(
        np.minimum(share, np.interp(density, settings.densities, settings.breadths)), settings.breadths[-1], 1.0
    )


def _places(agents: Agents, groups: _Groups, breadth: Float64, settings: GroupFormationSettings) -> _Places:
    """Return where members want to be: in rows, each across the direction as far as its breadth allows."""
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
    share_of_v = np.clip((cos - settings.least_v_breadth) / settings.v_breadth_range, 0.0, 1.0)
    as_v = np.where(size == 3, share_of_v, 0.0)  # narrower, its arms would touch
    bent = as_v * (np.abs(column) - 2.0 / 3.0) + (1.0 - as_v) * column
    last = (groups.count[number] - 1) // in_each
    behind = (0.5 * last - row) * (settings.row_distance + pitch * (in_each - 1) * sin)
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
