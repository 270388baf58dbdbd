# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups walk side by side where there is room, bend where others come, and file through narrow places.

The members of a group take places round its middle, across their common direction: two or three abreast, larger groups
in several rows. The nearer strangers or walls are, the more a row turns into a V with the middle behind, as threes do
that talk, and on into a file. Members ahead of their place slow down until the others have caught up, and stand where
the others are far behind, but not in a door, not where they would hold up strangers, and not for ever; members behind
speed up. Who is pushed right behind another, near their heels, falls back. Places are assigned at each step from the
present positions, so that a group forms again after a door in whatever order its members have passed it.

Source: Moussaid et al. 2010, "The walking behaviour of pedestrian social groups and its impact on crowd dynamics".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...array_types import Float64, Int64
from ...geometry.reproducible_math import dot, length, length2
from ...steering.neighbours import NearPairs
from ..population.groups import abreast
from ..settings.behaviour_settings import GroupFormationSettings
from ..world.agents import WALKING, Agents
from ..world.doing import Doing
from .behaviour import Step


@dataclass(frozen=True, eq=False)
class _Groups:
    """M members of G groups, each of which walks in one direction.

    Attributes:
        own: int64 (M,), their numbers among the people present.
        rows: int64 (M,), their rows among all agents.
        number: int64 (M,), the number of the group of each.
        count: int64 (G,), number of members of each group.
        middle: float64 (G, 2), of each group [m].
        direction: float64 (G, 2), the walking direction of each, a unit vector.
        ahead, left: float64 (M,), positions from the middle, along the direction and across it [m].
    """

    own: Int64
    rows: Int64
    number: Int64
    count: Int64
    middle: Float64
    direction: Float64
    ahead: Float64
    left: Float64


class _NearPairs(NamedTuple):
    """P pairs of people who are near each other.

    Attributes:
        pairs: int64 (P, 2), their numbers among the people present.
        apart: float64 (P, 2), from the second to the first [m].
        weight: float64 (P,), from 1 at the same position to 0 where strangers no longer count; 0 within a group.
    """

    pairs: Int64
    apart: Float64
    weight: Float64


class _Places(NamedTuple):
    """Places of M members from the middle of their groups: `ahead` and `left`, float64 (M,) [m]."""

    ahead: Float64
    left: Float64


class GroupFormation:
    """Lets the members of groups walk together: sets `agents.beside` and `agents.waited`.

    Args:
        settings: how groups walk together.
        gap: room between the bodies of two who walk abreast [m].
        recorded_change: changes of a velocity by more than this are recorded [m/s].
    """

    def __init__(self, settings: GroupFormationSettings, gap: float, recorded_change: float) -> None:
        self._settings, self._gap, self._recorded_change = settings, gap, recorded_change

    def act(self, step: Step) -> None:
        """Slow down members ahead of their places, speed up members behind, and move them sideways to their places."""
        agents, rows = step.agents, step.rows
        if not (agents.group[rows] >= 0).any():
            return
        agents.beside[rows] = 0.0
        pace, sideways_velocity = np.ones(len(rows)), np.zeros((len(rows), 2))
        step.pace_shares.append(pace)
        groups = _find_groups(agents, rows, step.preferred, self._settings)
        if len(groups.own):
            self._lead_to_places(step, groups, pace, sideways_velocity)
        step.preferred = step.preferred + sideways_velocity

    def _lead_to_places(self, step: Step, groups: _Groups, pace: Float64, sideways_velocity: Float64) -> None:
        """Set the shares of speed, float64 (R,), and sideways velocities, float64 (R, 2) [m/s], of members."""
        agents, rows, settings = step.agents, step.rows, self._settings
        near = _find_near_pairs(agents, rows, step.around.near, settings)
        breadth = _breadth(step, groups, near, settings, self._gap)
        place = _places(agents, groups, breadth, settings, self._gap)
        to_goal = agents.goal[groups.rows] - agents.position[groups.rows]
        distance = length(to_goal)  # NaN on drawn routes
        fade = np.where(np.isnan(distance), 1.0, np.clip(distance / settings.near_goal - 0.5, 0.0, 1.0))
        behind = place.ahead - groups.ahead
        share = np.clip(1.0 + settings.pace_per_metre * behind, 0.0, 1.0 + settings.greatest_hurry)
        in_door = step.ground.field.signed_distance(agents.position[groups.rows]) < settings.narrow_clearance
        held_up = _held_up(step, near, settings)[groups.own]
        continues = in_door | (agents.waited[groups.rows] > settings.patience)
        share = np.maximum(share, settings.least_pace * np.where(continues, 1.0, held_up))
        share = _clear_of_heels(share, groups, near, len(rows), settings)
        again = np.where(behind > -settings.together_distance, 0.0, agents.waited[groups.rows])
        agents.waited[groups.rows] = again + np.where(share < settings.waiting_share, step.dt, 0.0)
        pace[groups.own] += fade * (share - 1.0)
        on_route = np.isnan(distance)
        agents.beside[groups.rows[on_route]] = place.left[on_route]
        sideways = settings.sideways_rate * (place.left - groups.left)
        sideways = np.clip(sideways, -settings.sideways_speed, settings.sideways_speed)
        across = np.stack([-groups.direction[:, 1], groups.direction[:, 0]], axis=1)[groups.number]
        # On routes, too: a plan leads there as well, but starts again, slowly, at each push.
        sideways[on_route] = _within_path(step, groups.rows[on_route], sideways[on_route])
        sideways_velocity[groups.own] = (fade * sideways)[:, None] * across
        self._record(step, groups, pace[groups.own], sideways_velocity[groups.own])

    def _record(self, step: Step, groups: _Groups, pace: Float64, sideways_velocity: Float64) -> None:
        """Record who keeps with the group: members ahead because of the last, members behind because of the first."""
        order = np.lexsort((groups.ahead, groups.number))
        begin = np.searchsorted(groups.number[order], groups.number)
        end = np.searchsorted(groups.number[order], groups.number, side="right") - 1
        last, first = order[begin], order[end]
        own = np.arange(len(order))
        other = np.where((pace < 1.0) & (last != own) | (first == own), last, first)
        changed = np.abs(pace - 1.0) * step.agents.wanted_speed[groups.rows] > self._recorded_change
        changed |= length2(sideways_velocity) > self._recorded_change**2
        step.record(groups.own[changed], Doing.WITH_GROUP, groups.rows[other[changed]])


def _within_path(step: Step, rows: Int64, sideways: Float64) -> Float64:
    """Return sideways velocities, float64 (N,), that lead nobody beyond what bends and edges of their path allow."""
    agents = step.agents
    right, left = step.paths.limits(agents.path[rows], agents.s[rows])
    d = agents.d[rows]
    return np.clip(sideways, np.where(d <= right, 0.0, -np.inf), np.where(d >= left, 0.0, np.inf))


def _find_groups(agents: Agents, rows: Int64, preferred: Float64, settings: GroupFormationSettings) -> _Groups:
    """Return people who walk in the same direction with others of their group."""
    speed = length(preferred)
    own = np.flatnonzero((agents.group[rows] >= 0) & (agents.status[rows] == WALKING) & (speed > 0.0))
    number = np.unique(agents.group[rows[own]], return_inverse=True)[1]
    position = agents.position[rows[own]]
    off = position - _means(position, number)[number]
    found = length2(off) < settings.lost_distance * settings.lost_distance
    own, number, position = own[found], number[found], position[found]
    direction = _means(preferred[own] / speed[own, None], number)
    agreed = length(direction)
    count = np.bincount(number)
    led = ((agreed > settings.least_agreement) & (count > 1))[number]
    direction /= np.maximum(agreed, 1e-9)[:, None]
    middle = _means(position, number)
    own, number = own[led], number[led]
    off, along = position[led] - middle[number], direction[number]
    ahead, left = dot(off, along), off[:, 1] * along[:, 0] - off[:, 0] * along[:, 1]
    return _Groups(own, rows[own], number, count, middle, direction, ahead, left)


def _find_near_pairs(agents: Agents, rows: Int64, near: NearPairs, settings: GroupFormationSettings) -> _NearPairs:
    """Return the pairs of people near each other, weighted by their distance."""
    pairs = np.stack(near.within(0.5 * settings.stranger_distance), axis=1)
    apart = agents.position[rows[pairs[:, 0]]] - agents.position[rows[pairs[:, 1]]]
    weight = 1.0 - length2(apart) / settings.stranger_distance**2
    group = agents.group[rows]
    weight[(group[pairs[:, 0]] >= 0) & (group[pairs[:, 0]] == group[pairs[:, 1]])] = 0.0
    return _NearPairs(pairs, apart, weight)


def _clear_of_heels(
    share: Float64, groups: _Groups, near: _NearPairs, people: int, settings: GroupFormationSettings
) -> Float64:
    """Return shares of speed, float64 (M,), at which who is close behind a friend falls back, and the friend hurries.

    Others can push friends out of their row sooner than their places lead them apart.
    """
    member = np.full(people, -1)
    member[groups.own] = np.arange(len(groups.own))
    first, second = member[near.pairs.T]
    found = np.flatnonzero((first >= 0) & (second >= 0) & (groups.number[first] == groups.number[second]))
    first, second, direction = first[found], second[found], groups.direction[groups.number[first[found]]]
    apart = near.apart[found]
    ahead, beside = dot(apart, direction), np.abs(apart[:, 1] * direction[:, 0] - apart[:, 0] * direction[:, 1])
    overlap = np.clip((settings.heels_breadth - beside) / (0.4 * settings.heels_breadth), 0.0, 1.0)
    change = settings.heels_pace_per_metre * overlap * np.maximum(settings.heels_distance - np.abs(ahead), 0.0)
    follows = np.where(ahead > 0.0, second, first)
    leads = first + second - follows
    falls_back, hurries = np.zeros(len(share)), np.zeros(len(share))
    np.maximum.at(falls_back, follows, change)
    np.maximum.at(hurries, leads, change)
    slower = np.minimum(share, np.maximum(share - falls_back, settings.heels_least_pace))
    faster = np.maximum(share, np.minimum(share + hurries, 1.0 + settings.greatest_hurry))
    return np.where(falls_back > 0.0, slower, faster)


def _held_up(step: Step, near: _NearPairs, settings: GroupFormationSettings) -> Float64:
    """Return float64 (R,), from 0 to 1, how much each person holds up strangers behind in the same direction."""
    agents, rows, preferred = step.agents, step.rows, step.preferred
    speed = length(preferred)
    unit = preferred / np.maximum(speed, 1e-9)[:, None]
    first, second = near.pairs.T
    alike = np.maximum(dot(unit[first], unit[second]), 0.0) * near.weight
    alike[(agents.status[rows] != WALKING)[near.pairs].any(axis=1)] = 0.0
    distance = np.maximum(length(near.apart), 1e-9)
    leads = dot(near.apart, unit[first]) / distance
    follows = -dot(near.apart, unit[second]) / distance
    found = np.bincount(first, alike * np.maximum(leads, 0.0), len(rows))
    found = found + np.bincount(second, alike * np.maximum(follows, 0.0), len(rows))
    return np.minimum(settings.weight_stranger_behind * found, 1.0)


def _breadth(step: Step, groups: _Groups, near: _NearPairs, settings: GroupFormationSettings, gap: float) -> Float64:
    """Return float64 (G,), the shares of their breadth for which groups have room between strangers and walls."""
    agents, rows, field = step.agents, step.rows, step.ground.field
    number, size = groups.number, len(groups.count)
    radius = agents.radius[groups.rows]
    room = field.signed_distance(groups.middle)
    room = np.minimum(room, field.signed_distance(groups.middle + settings.look_ahead * groups.direction))
    room -= radius.max() + 0.5 * gap
    half = 0.5 * (abreast(groups.count) - 1) * _pitch(groups, radius, gap)
    to_edge = step.paths.half_widths[agents.path[groups.rows]] - np.abs(agents.wanted_offset[groups.rows]) - radius
    # Side by side they need no gap to the edges; where they lack room, they walk in a file rather than on their heels.
    to_edge -= np.clip(2.0 * (half[number] - to_edge), 0.0, 0.5 * gap)
    np.minimum.at(room, number, np.where(agents.have_goals(groups.rows), np.inf, to_edge))
    share = room / np.maximum(half, 1e-9)
    met = np.bincount(near.pairs.ravel(), np.repeat(near.weight, 2), len(rows))
    density = np.bincount(number, met[groups.own], size) / np.maximum(groups.count, 1)
    density /= 0.5 * np.pi * settings.stranger_distance**2
    return np.clip(
        np.minimum(share, np.interp(density, settings.densities, settings.breadths)), settings.breadths[-1], 1.0
    )


def _pitch(groups: _Groups, radius: Float64, gap: float) -> Float64:
    """Return float64 (G,), how far apart the middles of members abreast are; `radius` is float64 (M,) [m]."""
    count = np.maximum(np.bincount(groups.number, minlength=len(groups.count)), 1)
    return 2.0 * np.bincount(groups.number, radius, len(groups.count)) / count + gap


def _places(agents: Agents, groups: _Groups, breadth: Float64, settings: GroupFormationSettings, gap: float) -> _Places:
    """Return the places of members: in rows, each across the direction as far as its breadth allows."""
    number = groups.number
    in_each = abreast(groups.count)[number]
    row = _rank(-groups.ahead, number) // in_each
    row_of = number * (len(number) + 1) + row
    in_row = np.unique(row_of, return_inverse=True)[1]
    size = np.bincount(in_row)[in_row]
    cos = breadth[number]
    sin = np.sqrt(1.0 - cos * cos)
    pitch = _pitch(groups, agents.radius[groups.rows], gap)[number]
    share_of_v = np.clip((cos - settings.least_v_breadth) / settings.v_breadth_range, 0.0, 1.0)
    as_v = np.where(size == 3, share_of_v, 0.0)  # narrower, its arms would touch
    # In a file nobody overtakes who is a little farther to one side.
    column = _rank(cos * groups.left + (1.0 - as_v) * sin * groups.ahead, in_row) - 0.5 * (size - 1)
    bent = as_v * (np.abs(column) - 2.0 / 3.0) + (1.0 - as_v) * column
    last = (groups.count[number] - 1) // in_each
    stagger = sin * (as_v * pitch + (1.0 - as_v) * np.maximum(pitch, settings.row_distance))  # strides need more room
    behind = (0.5 * last - row) * (settings.row_distance + (in_each - 1) * stagger)
    return _Places(behind + stagger * bent, pitch * cos * column)


def _rank(values: Float64, number: Int64) -> Int64:
    """Return int64 (M,), the rank of each value within its group, the least first."""
    order = np.lexsort((values, number))
    first = np.searchsorted(number[order], number[order])
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - first
    return rank


def _means(values: Float64, number: Int64) -> Float64:
    """Return float64 (G, K), the mean of float64 (M, K) for each group."""
    count = np.maximum(np.bincount(number), 1)
    return np.stack([np.bincount(number, column) / count for column in values.T], axis=1)
