# SPDX-License-Identifier: GPL-3.0-or-later
"""People who stand stay where they are, and make way for those who have no other way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.ragged import PAIRS_PER_CHUNK
from ...geometry.reproducible_math import dot, heading_vector, length, length2
from ...steering.neighbours import both_ways
from ..guidance.standing_people import StandingPeople
from ..settings.behaviour_settings import MakingWaySettings
from ..world.agents import ARRIVED, STOPPED, WALKING
from ..world.doing import Doing
from .behaviour import Step


class MakingWay:
    """Lets people stand who wait, and who stands step aside where somebody walks through; ends `agents.firm` of those.

    Nobody can reach a goal on which another person stands: people who stand step away from those who arrive, and a
    little in their own direction, so that a crowd at the end of its path spreads out beyond it. To those whom they
    hold up they open a gap. People who step aside pass it on to others in the way.

    Args:
        count: A, how many agents there are.
        standing: people who stand, and people without a path beside them.
        settings: how much room they make, and how fast.
    """

    def __init__(self, count: int, standing: StandingPeople, settings: MakingWaySettings) -> None:
        self._standing, self._settings = standing, settings
        self._steps_aside = np.zeros(count, dtype=bool)
        self._held_since = np.full(count, np.inf)

    def act(self, step: Step) -> None:
        """Let people who stand make way."""
        agents, rows = step.agents, step.rows
        self._rest(step)
        speed2 = length2(step.preferred)
        self._standing.note_held_up(agents, rows, speed2, step.time)
        stands = (agents.status[rows] == ARRIVED) | (agents.status[rows] == STOPPED)
        stands &= np.isnan(agents.seat_height[rows])  # who sits stays
        makes_way = np.zeros(len(rows), dtype=bool)
        if stands.any() and self._somebody_comes(rows):
            push = self._push(step, stands)
            makes_way = push.most > self._settings.pressure_threshold
            step.preferred = np.where(makes_way[:, None], push.velocity, step.preferred)
            step.record(makes_way, Doing.MAKING_WAY, rows[push.by[makes_way]])
        self._steps_aside[rows] = makes_way
        if agents.firm[rows].any():
            agents.firm[rows] &= ~makes_way & self._keeps_place(step)

    def _somebody_comes(self, rows: Int64) -> bool:
        """Return whether somebody needs to get through, to their goal, or out of the way of those who do."""
        comes = self._standing.walks_through[rows] | self._standing.comes_to_goal[rows] | self._steps_aside[rows]
        return bool(comes.any())

    def _keeps_place(self, step: Step) -> Bool:
        """Return bool (R,), who stands, or steps to their seat and touch nobody before them: others go round them."""
        agents, rows, wish = step.agents, step.rows, step.preferred
        keeps = np.logical_and(*(wish == 0.0).T)
        steps = ~keeps & (step.doing == Doing.SITTING)
        if steps.any():
            who, other = both_ways(*step.around.near.within(agents.radius[rows]))
            apart = agents.position.take(rows[other], 0) - agents.position.take(rows[who], 0)
            steps[who[dot(apart, wish[who]) > 0.0]] = False
        return keeps | steps

    def _rest(self, step: Step) -> None:
        """Let people who wait before what is shut stand, until there is room for a step before them."""
        agents, rows, own = step.agents, step.rows, self._settings
        waits = agents.waits[rows] & (agents.status[rows] == WALKING)
        if waits.any():
            waits &= length2(agents.velocity.take(rows, 0)) < own.resting_speed**2
        if not waits.any():
            self._held_since[rows] = np.inf
            return
        wish = step.preferred
        stays = length2(wish) < own.resting_speed**2
        who, other = both_ways(*step.around.near.within(agents.radius[rows] + 0.5 * own.step))
        apart = agents.position.take(rows[other], 0) - agents.position.take(rows[who], 0)
        ahead, distance = dot(apart, wish[who]), length(apart)
        stays[who[ahead > own.cos_ahead * distance * length(wish[who])]] = True
        since = np.where(waits & stays, np.minimum(self._held_since[rows], step.time), np.inf)
        self._held_since[rows] = since
        step.preferred = np.where((step.time - since >= own.resting_time)[:, None], 0.0, wish)

    def _push(self, step: Step, stands: Bool) -> _Push:
        agents, rows, own = step.agents, step.rows, self._settings
        comes = self._standing.walks_through[rows] & (agents.status[rows] == WALKING)
        to_goal = self._standing.comes_to_goal[rows] & (agents.status[rows] == WALKING)
        short = to_goal | (stands & self._steps_aside[rows])
        space = np.where(short, own.passing_on, np.where(comes, own.space, 0.0))
        # Whose goal is taken presses from there.
        here, radius = agents.position.take(rows, 0), agents.radius[rows]
        position = np.where(to_goal[:, None], agents.goal.take(rows, 0), here)
        who, by = both_ways(*step.around.near.within(radius + 0.5 * own.space))
        pressed = stands[who] & (space[by] > 0.0) & ~to_goal[by]
        near_goal = np.flatnonzero(to_goal)
        close = _close_to(here, position, radius, (np.flatnonzero(stands), near_goal), own.passing_on)
        who, by = np.concatenate((who[pressed], close[0])), np.concatenate((by[pressed], close[1]))
        apart = position[who] - position[by]
        distance = length(apart)
        pressure = np.clip(1.0 - (distance - radius[who] - radius[by]) / space[by], 0.0, 1.0)
        away = apart / np.maximum(distance, 1e-9)[:, None]
        arrives = self._standing.arrive(agents, rows)
        passes = comes & ~arrives
        aside = np.flatnonzero(passes[by])
        across = self._free_side(step, who[aside], _across(step.along_path[by], away, who < by)[aside])
        away[aside] = own.share_away * away[aside] + across
        push, most, spreads = np.zeros_like(step.preferred), np.zeros(len(rows)), np.zeros(len(rows))
        np.add.at(push, who, pressure[:, None] * away)
        np.maximum.at(most, who, pressure)
        np.maximum.at(spreads, who, np.where(passes[by], 0.0, pressure))
        push += own.share_forward * spreads[:, None] * heading_vector(agents.heading[rows])
        pushed = length(push)
        nearest = np.zeros(len(rows), dtype=np.int64)
        order = np.argsort(pressure, kind="stable")
        nearest[who[order]] = by[order]  # the last one counts: the greatest pressure
        return _Push(push * (own.speed * most / np.maximum(pushed, 1e-9))[:, None], most, nearest)

    def _free_side(self, step: Step, who: Int64, across: Float64) -> Float64:
        """Return sides to which people step, float64 (P, 2), the other ones where only there the ground is free.

        Args:
            step: the step.
            who: int64 (P,), by their numbers among those present.
            across: float64 (P, 2), unit vectors to one side.
        """
        radius, off = step.agents.radius[step.rows[who]], self._settings.side_step * across
        here = step.agents.position[step.rows[who]]
        both = step.ground.field.signed_distance(
            np.concatenate((here + off, here - off)), float(radius.max(initial=0.0))
        )
        this, other = both.reshape(2, -1) >= radius
        return np.where((other & ~this)[:, None], -across, across)


class _Push(NamedTuple):
    """How R people make way: `velocity` float64 (R, 2) [m/s], `most` (R,), pressure from 0 to 1, `by` int64 (R,)."""

    velocity: Float64
    most: Float64
    by: Int64


def _close_to(
    position: Float64, goal: Float64, radius: Float64, pairs: tuple[Int64, Int64], room: float
) -> tuple[Int64, Int64]:
    """Return who of some people is so near to the goals of others that bodies would have less than some room.

    Args:
        position: float64 (R, 2), of all people [m].
        goal: float64 (R, 2), of all people [m].
        radius: float64 (R,), of their bodies [m].
        pairs: int64 (S,), people who may be near, and int64 (G,), those whose goals these are.
        room: between the bodies [m].

    Returns:
        int64 (P,) each: who, and near whose goal.
    """
    some, others = pairs
    at_once = max(PAIRS_PER_CHUNK // max(len(others), 1), 1)
    who, by = [some[:0]], [others[:0]]
    for begin in range(0, len(some) if len(others) else 0, at_once):
        rows = some[begin : begin + at_once]
        off = position[rows, None] - goal[others]
        near = np.nonzero(length2(off) < (radius[rows, None] + radius[others] + room) ** 2)
        who.append(rows[near[0]])
        by.append(others[near[1]])
    return np.concatenate(who), np.concatenate(by)


def _across(wish: Float64, away: Float64, left: Bool) -> Float64:
    """Return float64 (P, 2), unit vectors across wishes, to the side to which `away` leads; else as `left` says."""
    size = length(wish)
    unit = np.where(size[:, None] > 0.0, wish / np.where(size > 0.0, size, 1.0)[:, None], (1.0, 0.0))
    across = np.column_stack((-unit[:, 1], unit[:, 0]))
    side = np.sign(dot(away, across))
    return across * np.where(side == 0.0, np.where(left, 1.0, -1.0), side)[:, None]
