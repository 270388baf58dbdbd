# SPDX-License-Identifier: GPL-3.0-or-later
"""Where two cannot pass each other, one side waits: people let those through who come from the other side.

Avoidance alone would leave two crowds that meet in a door for one standing in front of each other for ever. Where two
people who walk in opposite directions have come to block each other, the place is measured; if it is too narrow for
both to pass, it is a narrow passage from then on: one side has it at a time. The others step aside before its mouth and
wait, those of them who are in it already go back out, and after a while the sides change, as people who have waited are
let through.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...geometry.distances import Distances
from ...geometry.reproducible_math import dot
from ...steering.neighbours import close_pairs
from ..doing import NOBODY, Doing
from ..settings.behaviour_settings import NarrowPassageSettings
from ..world.agents import WALKING, Agents
from .behaviour import Step

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]
Bool = NDArray[np.bool_]

JAM = "people block each other at"
"""A sentence about a jam continues so after the number of people."""


@dataclass(eq=False)
class NarrowPassage:
    """One narrow place, between two mouths.

    Attributes:
        middle, axis: float64 (2,) [m], and a unit vector along it.
        half_length, half_width: [m].
        side: +1 or -1, who has it: those who walk along the axis or against it; 0 for nobody.
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
    """Lets one side wait where two cannot pass: who blocks whom, and the narrow places that are known.

    Args:
        count: how many agents there are.
        settings: how people let others through.

    Attributes:
        narrows: where two cannot pass.
        backs_out: bool (A,), who gives way at one now, and keeps facing it.
    """

    def __init__(self, count: int, settings: NarrowPassageSettings) -> None:
        self._settings = settings
        self.narrows: list[NarrowPassage] = []
        self.backs_out = np.zeros(count, dtype=bool)
        self._since = np.full(count, np.inf)

    def act(self, step: Step) -> None:
        """Let one side wait at each narrow passage."""
        self._look_for_narrows(step)
        self.backs_out[:] = False
        if not self.narrows:
            return
        step.preferred = step.preferred.copy()
        walking = step.agents.status[step.rows] == WALKING
        for each in self.narrows:
            self._regulate(each, step, walking)

    def report_jams(
        self,
        agents: Agents,
        time: float,
        frame: Callable[[float], int],
        closed_until: Callable[[Float64, float], float],
    ) -> list[str]:
        """Return sentences for the user about those who block each other for long, place by place.

        Args:
            agents: everybody.
            time: now [s].
            frame: tells the frame at a time [s].
            closed_until: tells until when, from a time on, something that moves was at one of some places [m, s].
        """
        held = np.flatnonzero(time - self._since >= self._settings.reported_after)
        held = held[np.argsort(self._since[held], kind="stable")]
        notices = []
        while len(held):
            off = agents.position[held] - agents.position[held[0]]
            here = (off * off).sum(axis=1) < self._settings.reach * self._settings.reach
            places = agents.position[held[here]]
            x, y = places.mean(axis=0)
            count = np.count_nonzero(here)
            who = f"{count} {JAM}" if count > 1 else "one person is blocked by others at"
            between = 0.5 * (places[:, None] + places[None])  # themselves, and the places between each two of them
            since = frame(closed_until(between.reshape(-1, 2), float(self._since[held[0]])))
            way_out = "Widen the place, or let one side start later."
            notices.append(f"{who} ({x:.1f}, {y:.1f}) from frame {since} on. {way_out}")
            held = held[~here]
        return notices

    def _look_for_narrows(self, step: Step) -> None:
        """Note who blocks whom, and measure the places where that has been so for a while."""
        agents, rows, preferred, time = step.agents, step.rows, step.preferred, step.time
        settings = self._settings
        speed = np.sqrt((preferred * preferred).sum(axis=1))
        slow = np.sqrt((agents.velocity[rows] ** 2).sum(axis=1)) < settings.standing_speed
        held = slow & (agents.status[rows] == WALKING) & (speed > 0.0) & agents.avoids[rows]
        some = np.flatnonzero(held)
        since = np.full(len(agents), np.inf)
        if len(some) > 1:
            unit = preferred[some] / speed[some, None]
            pairs = close_pairs(
                agents.position[rows[some]], agents.radius[rows[some]] + 0.5 * settings.blocking_distance
            )
            first, second = pairs[(unit[pairs[:, 0]] * unit[pairs[:, 1]]).sum(axis=1) < settings.cos_opposite].T
            gap = agents.position[rows[some[second]]] - agents.position[rows[some[first]]]
            towards = (gap * (unit[first] - unit[second])).sum(axis=1) > 0.0
            first, second = first[towards], second[towards]
            against = rows[some[np.concatenate([first, second])]]
            since[against] = np.minimum(self._since[against], time)
            long_enough = time - since[rows[some[first]]] >= settings.patience
            for one, other in zip(some[first[long_enough]], some[second[long_enough]], strict=True):
                self._look_at(agents, int(rows[one]), int(rows[other]), step.ground.field)
        self._since = since

    def _look_at(self, agents: Agents, one: int, other: int, field: Distances) -> None:
        """Note a narrow passage where two block each other, if it is one, and not known yet."""
        place = 0.5 * (agents.position[one] + agents.position[other])
        for known in self.narrows:
            along, beside = known.local(place[None])
            near = self._settings.blocking_distance
            if abs(along[0]) <= known.half_length + near and abs(beside[0]) <= known.half_width + near:
                return
        gap = agents.position[other] - agents.position[one]
        way = gap / max(float(np.sqrt((gap * gap).sum())), 1e-9)
        found = find_narrows(place, way, float(agents.radius[one] + agents.radius[other]), field, self._settings)
        if found is not None and not any(_same(found, known) for known in self.narrows):
            self.narrows.append(found)

    def _regulate(self, narrows: NarrowPassage, step: Step, walking: Bool) -> None:
        """Let one side through a passage, and the others wait: changes `step.preferred` in place."""
        agents, rows, wishes, time = step.agents, step.rows, step.preferred, step.time
        settings = self._settings
        along, beside = narrows.local(agents.position[rows])
        near = walking & agents.avoids[rows] & (np.abs(along) < narrows.half_length + settings.reach)
        near &= np.abs(beside) < settings.reach
        some = np.flatnonzero(near)
        some, way = _who_go_through(narrows, step, some, along[some])
        if not len(some):
            narrows.side = 0
            return
        depth = narrows.half_length + agents.radius[rows[some]] - np.abs(along[some])  # below 0 before the mouth
        inside = (depth > 0.0) & (np.abs(beside[some]) < narrows.half_width)
        before = ~inside & (along[some] * way < 0.0)
        _choose_side(narrows, way, depth, (inside, before), time, settings)
        overdue = time - narrows.since > settings.longest_turn
        overdue = overdue and (before & (way != narrows.side) & (depth > -settings.mouth - 1.0)).any()
        waits = before & ((way != narrows.side) | (overdue & (depth < -0.1)))
        self._wait(narrows, agents.radius[rows[some]], some, (way, depth, beside[some]), waits, wishes)
        back = inside & (way != narrows.side)
        wishes[some[back]] = (-settings.back_out_speed * way[back])[:, None] * narrows.axis
        self.backs_out[rows[some[back | waits]]] = True
        gives_way = back | (waits & (depth > -3.0 * settings.mouth))  # farther off they walk on
        _note_for_whom(step, some[gives_way], some[way == narrows.side])

    def _wait(
        self,
        narrows: NarrowPassage,
        radius: Float64,
        some: Int64,
        where: tuple[Int64, Float64, Float64],
        waits: Bool,
        wishes: Float64,
    ) -> None:
        """Let some step out of the way before a mouth and stand: changes wishes, float64 (R, 2)."""
        way, depth, beside = where
        settings, mouth = self._settings, self._settings.mouth
        left = np.array([-narrows.axis[1], narrows.axis[0]])
        free = narrows.half_width + radius
        # To their right, as seen by who looks at the mouth, unless they are on the other side already.
        side = np.where(np.abs(beside) > 0.1, np.sign(beside), -way)
        off = np.clip(1.5 * (free + settings.side_clearance - side * beside), 0.0, settings.step_aside_speed)
        crowded = depth > -mouth
        away = np.where(crowded, np.clip(mouth + depth, 0.0, 1.0) * 0.3, 0.0)
        step = (side * off)[:, None] * left - (way * away)[:, None] * narrows.axis
        near = waits & (depth > -2.0 * mouth)
        wishes[some[near]] = step[near]
        far = waits & ~near
        wishes[some[far]] *= np.clip((-depth[far] - 2.0 * mouth) / mouth, 0.0, 1.0)[:, None]


def _note_for_whom(step: Step, waiting: Int64, passing: Int64) -> None:
    """Note for each of those who wait, int64 (N,), the nearest of those who pass, int64 (P,), among the rows."""
    because_of: Int64 | int = NOBODY
    if len(passing):
        position = step.agents.position[step.rows]
        off = position[waiting][:, None] - position[passing]
        because_of = step.rows[passing[(off * off).sum(axis=2).argmin(axis=1)]] if len(waiting) else NOBODY
    step.record(waiting, Doing.LETTING_THROUGH, because_of)


def _same(one: NarrowPassage, other: NarrowPassage) -> bool:
    """Tell whether two are one place."""
    off = one.middle - other.middle
    return float(dot(off, off)) < (0.5 * (one.half_length + other.half_length)) ** 2


def find_narrows(
    place: Float64, way: Float64, apart: float, field: Distances, settings: NarrowPassageSettings
) -> NarrowPassage | None:
    """Return the narrow place in which two bodies cannot pass each other; None where they can.

    Args:
        place: float64 (2,), where they meet [m].
        way: float64 (2,), the direction in which one of them goes, a unit vector.
        apart: of their middles when they touch [m].
        field: distances to obstacles.
        settings: how the width is measured.
    """
    spacing = settings.spacing
    tries = place + np.arange(-8, 9)[:, None] * spacing * way
    middles, room = _widest(tries, np.array([-way[1], way[0]]), field, settings)
    least = int(np.argmin(room))
    if room[least] >= apart or room[least] <= 0.0:
        return None
    middle, half_width = middles[least], float(room[least])
    closest = field.nearest(middle[None])[1][0]
    if (
        field.signed_distance((2.0 * middle - closest)[None])[0] > settings.opposite_wall_tolerance
    ):  # a wall on one side only
        return None
    across = (middle - closest) / max(half_width, 1e-9)
    axis = np.array([across[1], -across[0]])
    axis = axis if dot(axis, way) >= 0.0 else -axis
    ends = []
    for direction in (1.0, -1.0):
        steps = np.arange(1, int(settings.greatest_length / spacing))[:, None] * spacing * direction
        _, room = _widest(middle + steps * axis, across, field, settings)
        wide = np.flatnonzero((room >= apart) | (room <= 0.0))
        ends.append(direction * spacing * (wide[0] + 1 if len(wide) else len(room)))
    middle = middle + 0.5 * (ends[0] + ends[1]) * axis
    return NarrowPassage(middle, axis, 0.5 * (ends[0] - ends[1]), half_width)


def _widest(
    points: Float64, across: Float64, field: Distances, settings: NarrowPassageSettings
) -> tuple[Float64, Float64]:
    """Return for each of float64 (N, 2) points the place across with the greatest clearance, and how much that is."""
    offsets = np.linspace(-settings.half_breadth, settings.half_breadth, settings.places_across)
    places = points[:, None] + offsets[:, None] * across  # (N, O, 2)
    room = field.signed_distance(places.reshape(-1, 2)).reshape(places.shape[:2])
    best = room.argmax(axis=1)
    number = np.arange(len(points))
    return places[number, best], room[number, best]


def _who_go_through(narrows: NarrowPassage, step: Step, some: Int64, along: Float64) -> tuple[Int64, Int64]:
    """Return those of some whose paths lead through, as numbers among the rows, and in which direction: 1 or -1."""
    agents, references, who = step.agents, step.paths, step.rows[some]
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


def _choose_side(
    narrows: NarrowPassage,
    way: Int64,
    depth: Float64,
    where: tuple[Bool, Bool],
    time: float,
    settings: NarrowPassageSettings,
) -> None:
    """Keep the side that has a passage as long as somebody of it is inside or next, else give it to the nearest."""
    inside, before = where
    other = -narrows.side
    owned = way == narrows.side
    busy = narrows.side != 0 and (inside & owned).any()
    waiting = before & (way == other)
    due = time - narrows.since > settings.longest_turn and waiting.any()
    coming = narrows.side != 0 and not due and (before & owned & (depth > -settings.mouth)).any()
    if busy or coming:
        return
    ready = np.where(inside, depth + settings.greatest_length, np.where(before, depth, -np.inf))
    if due:
        ready = np.where(owned, -np.inf, ready)
    if not np.isfinite(ready).any():
        narrows.side = 0
        return
    chosen = int(way[int(np.argmax(ready))])
    if chosen != narrows.side or due:
        narrows.side, narrows.since = chosen, time
