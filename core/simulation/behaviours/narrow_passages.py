# SPDX-License-Identifier: GPL-3.0-or-later
"""Where two cannot pass each other, one side waits: people let those through who come the other way.

Avoidance alone would leave two crowds that meet in a door for one standing in front of each other for ever. Where two
who go opposite ways have come to stand against each other, the place is looked at; if it is too narrow for both to
pass, it is a narrows from then on: one side has it at a time. The others step aside before its mouth and wait, those of
them who are in it already go back out, and after a while the sides change, as people who have waited are let through.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...geometry.distances import Distances
from ...geometry.reproducible_math import dot
from ...planning import ReferenceSet
from ...steering.neighbours import close_pairs
from ..world.agents import WALKING, Agents

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]
Bool = NDArray[np.bool_]

AGAINST = -0.3
"""Cosine of the angle between the wishes of two from which on they go opposite ways."""

NEAR = 0.3
"""They stand against each other when less than this is between their bodies [m]."""

STANDING = 0.25
"""And both are slower than this [m/s]."""

PATIENCE = 0.5
"""For so long, before they see that they cannot pass [s]."""

STEP, LONGEST = 0.1, 20.0
"""The length of a narrows is found in such steps, and is no more than this [m]."""

ACROSS = np.linspace(-0.6, 0.6, 13)
"""Places across the way at which room is looked for [m]."""

BOTH_SIDES = 0.12
"""What is as near on the other side, within this, makes it narrow [m]."""

REACH = 4.0
"""Nobody farther from its mouths is concerned with a narrows [m]."""

MOUTH = 1.2
"""So far before a mouth, and half of it to each side, those who wait leave free [m]."""

ASIDE, BACK = 0.6, 0.38
"""How fast people step aside before a mouth, and go back out of a narrows, facing it [m/s]."""

TOLD = 3.0
"""Who stands against somebody for so long at the last frame is told of [s]."""

JAM = "people block each other at"
"""So a sentence about a jam goes on after how many they are."""

TURN = 6.0
"""After so long the other side is let through if it waits [s]."""


@dataclass(eq=False)
class Narrows:
    """One narrow place, between two mouths.

    Attributes:
        middle, axis: float64 (2,) [m], and a unit vector along it.
        half_length, half_width: [m].
        side: +1 or -1, who has it: those who go along the axis or against it; 0 for nobody.
        since: when they took it [s].
    """

    middle: Float64
    axis: Float64
    half_length: float
    half_width: float
    side: int = 0
    since: float = 0.0

    def local(self, points: Float64) -> tuple[Float64, Float64]:
        """Return float64 (N,) each, how far along the axis and to the left of it points are from the middle [m]."""
        off = points - self.middle
        return dot(off, self.axis), off[:, 1] * self.axis[0] - off[:, 0] * self.axis[1]


class NarrowPassages:
    """Who stands against whom, and the narrow places that are known.

    Args:
        count: how many agents there are.

    Attributes:
        narrows: where two cannot pass.
        backs_out: bool (A,), who gives way at one now, and keeps facing it.
    """

    def __init__(self, count: int) -> None:
        self.narrows: list[Narrows] = []
        self.backs_out = np.zeros(count, dtype=bool)
        self._since = np.full(count, np.inf)

    def give_way(
        self, agents: Agents, rows: Int64, preferred: Float64, references: ReferenceSet, field: Distances, time: float
    ) -> Float64:
        """Return preferred velocities, float64 (R, 2), with which one side waits where two cannot pass [m/s].

        Args:
            agents: everybody.
            rows: int64 (R,), who is present.
            preferred: float64 (R, 2), where each would go if alone [m/s].
            references: their paths.
            field: distances to what stands.
            time: [s].
        """
        self._look_for_narrows(agents, rows, preferred, field, time)
        self.backs_out[:] = False
        if not self.narrows:
            return preferred
        wishes = preferred.copy()
        walking = agents.status[rows] == WALKING
        for each in self.narrows:
            self._regulate(each, agents, rows, walking, wishes, references, time)
        return wishes

    def tell_of_blocks(
        self,
        agents: Agents,
        time: float,
        frame: Callable[[float], int],
        closed_until: Callable[[Float64, float], float],
    ) -> list[str]:
        """Return sentences for the user about those who stand against each other for long, place by place.

        Args:
            agents: everybody.
            time: now [s].
            frame: tells the frame at a time [s].
            closed_until: tells until when, from a time on, something that moves was at one of some places [m, s].
        """
        held = np.flatnonzero(time - self._since >= TOLD)
        held = held[np.argsort(self._since[held], kind="stable")]
        notices = []
        while len(held):
            off = agents.position[held] - agents.position[held[0]]
            here = (off * off).sum(axis=1) < REACH * REACH
            places = agents.position[held[here]]
            x, y = places.mean(axis=0)
            count = np.count_nonzero(here)
            who = f"{count} {JAM}" if count > 1 else "one person is held up by others at"
            between = 0.5 * (places[:, None] + places[None])  # themselves, and the places between each two of them
            since = frame(closed_until(between.reshape(-1, 2), float(self._since[held[0]])))
            way_out = "Widen the place, or let one side come later."
            notices.append(f"{who} ({x:.1f}, {y:.1f}) from frame {since} on. {way_out}")
            held = held[~here]
        return notices

    def _look_for_narrows(self, agents: Agents, rows: Int64, preferred: Float64, field: Distances, time: float) -> None:
        """Note who stands against whom, and look at the places where that has been so for a while."""
        speed = np.sqrt((preferred * preferred).sum(axis=1))
        slow = np.sqrt((agents.velocity[rows] ** 2).sum(axis=1)) < STANDING
        held = slow & (agents.status[rows] == WALKING) & (speed > 0.0) & agents.avoids[rows]
        some = np.flatnonzero(held)
        since = np.full(len(agents), np.inf)
        if len(some) > 1:
            unit = preferred[some] / speed[some, None]
            pairs = close_pairs(agents.position[rows[some]], agents.radius[rows[some]] + 0.5 * NEAR)
            first, second = pairs[(unit[pairs[:, 0]] * unit[pairs[:, 1]]).sum(axis=1) < AGAINST].T
            gap = agents.position[rows[some[second]]] - agents.position[rows[some[first]]]
            towards = (gap * (unit[first] - unit[second])).sum(axis=1) > 0.0
            first, second = first[towards], second[towards]
            against = rows[some[np.concatenate([first, second])]]
            since[against] = np.minimum(self._since[against], time)
            long_enough = time - since[rows[some[first]]] >= PATIENCE
            for one, other in zip(some[first[long_enough]], some[second[long_enough]], strict=True):
                self._look_at(agents, int(rows[one]), int(rows[other]), field)
        self._since = since

    def _look_at(self, agents: Agents, one: int, other: int, field: Distances) -> None:
        """Note a narrows where two stand against each other, if it is one, and not known yet."""
        place = 0.5 * (agents.position[one] + agents.position[other])
        for known in self.narrows:
            along, beside = known.local(place[None])
            if abs(along[0]) <= known.half_length + NEAR and abs(beside[0]) <= known.half_width + NEAR:
                return
        gap = agents.position[other] - agents.position[one]
        way = gap / max(float(np.sqrt((gap * gap).sum())), 1e-9)
        found = find_narrows(place, way, float(agents.radius[one] + agents.radius[other]), field)
        if found is not None and not any(_same(found, known) for known in self.narrows):
            self.narrows.append(found)

    def _regulate(
        self,
        narrows: Narrows,
        agents: Agents,
        rows: Int64,
        walking: Bool,
        wishes: Float64,
        references: ReferenceSet,
        time: float,
    ) -> None:
        """Let one side through a narrows, and the others wait: changes wishes, float64 (R, 2)."""
        along, beside = narrows.local(agents.position[rows])
        near = walking & agents.avoids[rows] & (np.abs(along) < narrows.half_length + REACH) & (np.abs(beside) < REACH)
        some = np.flatnonzero(near)
        some, way = _who_go_through(narrows, agents, rows, some, along[some], references)
        if not len(some):
            narrows.side = 0
            return
        depth = narrows.half_length + agents.radius[rows[some]] - np.abs(along[some])  # below 0 before the mouth
        inside = (depth > 0.0) & (np.abs(beside[some]) < narrows.half_width)
        before = ~inside & (along[some] * way < 0.0)
        _choose_side(narrows, way, depth, inside, before, time)
        overdue = time - narrows.since > TURN and (before & (way != narrows.side) & (depth > -MOUTH - 1.0)).any()
        waits = before & ((way != narrows.side) | (overdue & (depth < -0.1)))
        self._wait(narrows, agents.radius[rows[some]], some, (way, depth, beside[some]), waits, wishes)
        back = inside & (way != narrows.side)
        wishes[some[back]] = (-BACK * way[back])[:, None] * narrows.axis
        self.backs_out[rows[some[back | waits]]] = True

    def _wait(
        self,
        narrows: Narrows,
        radius: Float64,
        some: Int64,
        where: tuple[Int64, Float64, Float64],
        waits: Bool,
        wishes: Float64,
    ) -> None:
        """Let some step out of the way before a mouth and stand: changes wishes, float64 (R, 2)."""
        way, depth, beside = where
        left = np.array([-narrows.axis[1], narrows.axis[0]])
        free = narrows.half_width + radius
        # To their right, as seen by who looks at the mouth, unless they are on the other side already.
        side = np.where(np.abs(beside) > 0.1, np.sign(beside), -way)
        off = np.clip(1.5 * (free + 0.3 - side * beside), 0.0, ASIDE)
        crowded = depth > -MOUTH
        away = np.where(crowded, np.clip(MOUTH + depth, 0.0, 1.0) * 0.3, 0.0)
        step = (side * off)[:, None] * left - (way * away)[:, None] * narrows.axis
        near = waits & (depth > -2.0 * MOUTH)
        wishes[some[near]] = step[near]
        far = waits & ~near
        wishes[some[far]] *= np.clip((-depth[far] - 2.0 * MOUTH) / MOUTH, 0.0, 1.0)[:, None]


def _same(one: Narrows, other: Narrows) -> bool:
    """Tell whether two are one place."""
    off = one.middle - other.middle
    return float(dot(off, off)) < (0.5 * (one.half_length + other.half_length)) ** 2


def find_narrows(place: Float64, way: Float64, apart: float, field: Distances) -> Narrows | None:
    """Return the narrow place in which two bodies cannot pass each other; None where they can.

    Args:
        place: float64 (2,), where they meet [m].
        way: float64 (2,), the direction in which one of them goes, a unit vector.
        apart: of their middles when they touch [m].
        field: distances to what stands.
    """
    tries = place + np.arange(-8, 9)[:, None] * STEP * way
    middles, room = _widest(tries, np.array([-way[1], way[0]]), field)
    least = int(np.argmin(room))
    if room[least] >= apart or room[least] <= 0.0:
        return None
    middle, half_width = middles[least], float(room[least])
    closest = field.nearest(middle[None])[1][0]
    if field.signed_distance((2.0 * middle - closest)[None])[0] > BOTH_SIDES:  # a wall on one side only
        return None
    across = (middle - closest) / max(half_width, 1e-9)
    axis = np.array([across[1], -across[0]])
    axis = axis if dot(axis, way) >= 0.0 else -axis
    ends = []
    for direction in (1.0, -1.0):
        steps = np.arange(1, int(LONGEST / STEP))[:, None] * STEP * direction
        _, room = _widest(middle + steps * axis, across, field)
        wide = np.flatnonzero((room >= apart) | (room <= 0.0))
        ends.append(direction * STEP * (wide[0] + 1 if len(wide) else len(room)))
    middle = middle + 0.5 * (ends[0] + ends[1]) * axis
    return Narrows(middle, axis, 0.5 * (ends[0] - ends[1]), half_width)


def _widest(points: Float64, across: Float64, field: Distances) -> tuple[Float64, Float64]:
    """Return for each of float64 (N, 2) points the place across the way with the most room, and how much that is."""
    places = points[:, None] + ACROSS[:, None] * across  # (N, O, 2)
    room = field.signed_distance(places.reshape(-1, 2)).reshape(places.shape[:2])
    best = room.argmax(axis=1)
    number = np.arange(len(points))
    return places[number, best], room[number, best]


def _who_go_through(
    narrows: Narrows, agents: Agents, rows: Int64, some: Int64, along: Float64, references: ReferenceSet
) -> tuple[Int64, Int64]:
    """Return those of some whose ways lead through, by their numbers among the rows, and which way: +1 or -1."""
    who = rows[some]
    reach = narrows.half_length + np.abs(along) + 1.0
    ahead = np.linspace(0.25, 1.0, 4)[:, None] * reach  # (4, M)
    s = np.minimum(agents.s[who] + ahead, agents.end[who])
    paths = np.broadcast_to(agents.path[who], s.shape).ravel()
    points = references.to_cartesian(paths, s.ravel(), np.zeros(s.size))
    x, y = (values.reshape(s.shape) for values in narrows.local(points))
    way = np.sign(x[-1] - along).astype(np.int64)
    through = (x[-1] * way > 0.0) & (along * way < narrows.half_length)
    beside = np.where(np.abs(x) <= narrows.half_length + 1.0, np.abs(y), np.inf).min(axis=0)
    kept = through & (beside < 2.0)
    return some[kept], way[kept]


def _choose_side(narrows: Narrows, way: Int64, depth: Float64, inside: Bool, before: Bool, time: float) -> None:
    """Keep the side that has a narrows as long as somebody of it is in there or next, else give it to the nearest."""
    other = -narrows.side
    owned = way == narrows.side
    busy = narrows.side != 0 and (inside & owned).any()
    waiting = before & (way == other)
    due = time - narrows.since > TURN and waiting.any()
    coming = narrows.side != 0 and not due and (before & owned & (depth > -MOUTH)).any()
    if busy or coming:
        return
    ready = np.where(inside, depth + LONGEST, np.where(before, depth, -np.inf))
    if due:
        ready = np.where(owned, -np.inf, ready)
    if not np.isfinite(ready).any():
        narrows.side = 0
        return
    chosen = int(way[int(np.argmax(ready))])
    if chosen != narrows.side or due:
        narrows.side, narrows.since = chosen, time
