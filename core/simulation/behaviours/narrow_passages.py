# SPDX-License-Identifier: GPL-3.0-or-later
"""Where two streams block each other, one side waits and lets the other through.

With avoidance alone, two crowds that meet in a door for one would block each other for ever, and in a door for two as
soon as people wait on both sides right before it. Where two people who walk in opposite directions block each other,
the width is measured; if it is too narrow for two lanes, the place is a narrow passage from then on, and one side at a
time uses it, as people do at doors (Helbing et al. 2005, "Self-organized pedestrian crowd dynamics"). People of the
other side step aside before its mouth and wait, and step back from it where those who come out cannot get past them;
those of them who are inside walk back out, round a corner along their path, and so do those who wait where the others
come out. After a while the sides change.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.distances import Distances
from ...geometry.reproducible_math import arctan2, dot, length, length2
from ..guidance.narrow_places import NarrowPassage, are_same, find_passage, join_passages
from ..settings.behaviour_settings import NarrowPassageSettings
from ..world.agents import WALKING, Agents
from ..world.doing import NOBODY, Doing
from ..world.moving_obstacles import Resting
from .behaviour import Step
from .jams import Jams


@dataclass(eq=False)
class _Clocks:
    """What people do at one passage, for all A agents: between two doors in a row each has a clock of its own.

    Attributes:
        steps_aside: bool (A,), before a mouth, out of the way,
        aside_since: float64 (A,), from when on [s].
        held_since: float64 (A,), from when on who comes out has been stopped by those who wait [s].
    """

    steps_aside: Bool
    aside_since: Float64
    held_since: Float64


class NarrowPassages:
    """Lets one side wait where two streams block each other.

    Args:
        count: A, how many agents there are.
        jams: who block each other.
        settings: how people let others through.

    Attributes:
        passages: the narrow passages found so far.
    """

    def __init__(self, count: int, jams: Jams, settings: NarrowPassageSettings) -> None:
        self._jams, self._settings = jams, settings
        self.passages: list[NarrowPassage] = []
        self._clocks: list[_Clocks] = []  # at each of them
        self._looked_at = np.full(count, -np.inf)  # when it was last measured whether there is a passage [s]
        self._faces = np.zeros(count, dtype=bool)  # who stands there and faces the mouth
        self._waits, self._waited = np.zeros((2, count), dtype=bool)  # who waits at any of them, now and a step before
        self._backs, self._backed = np.zeros((2, count), dtype=bool)  # who goes back round a bend, now and before,
        self._way = np.zeros((count, 2))  # and which way
        self._resting: Resting | None = None

    def act(self, step: Step) -> None:
        """Let one side wait at each narrow passage."""
        if self._resting != step.ground.resting:  # what has moved makes, closes or widens passages
            self._resting = step.ground.resting
            self.passages, self._clocks = [], []
            self._looked_at[:] = -np.inf
        self._find_passages(step)
        self._jams.regulated[:] = False
        step.agents.faces[self._faces], self._faces[:] = np.nan, False
        if not self.passages:
            return
        self._waited, self._waits = self._waits, np.zeros_like(self._waits)
        self._backed, self._backs = self._backs, np.zeros_like(self._backs)
        step.preferred = step.preferred.copy()
        walking = step.agents.status[step.rows] == WALKING
        for passage, clocks in zip(self.passages, self._clocks, strict=True):
            self._regulate(passage, clocks, step, walking)

    def _find_passages(self, step: Step) -> None:
        """Measure the places where people have blocked each other for a while."""
        (one, other, way), since, time = self._jams.pairs, self._jams.since, step.time
        patience = self._settings.patience
        since_last = time - np.minimum(self._looked_at[one], self._looked_at[other])
        long_enough = ((time - since[one] >= patience) & (since_last >= patience)).nonzero()[0]
        self._looked_at[one[long_enough]] = self._looked_at[other[long_enough]] = time
        for pair in long_enough.tolist():
            self._add_passage(step.agents, int(one[pair]), int(other[pair]), way[pair], step.ground.field)

    def _add_passage(self, agents: Agents, one: int, other: int, direction: Float64, field: Distances) -> None:
        """Add the narrow passage where two people block each other, if there is one that is not known yet.

        `direction`, float64 (2,), is that in which one of them wants to walk, and against it the other.
        """
        place = 0.5 * (agents.position[one] + agents.position[other])
        for known in self.passages:
            along, beside = known.local(place[None])
            near = self._jams.settings.blocking_distance
            if abs(along[0]) <= known.half_length + near and abs(beside[0]) <= known.half_width + near:
                return
        direction = direction / max(float(np.sqrt((direction * direction).sum())), 1e-9)
        apart = max(float(agents.radius[one] + agents.radius[other]), 0.5 * self._settings.two_way_width)
        found = find_passage(place, direction, apart, field, self._settings)
        if found is not None and not any(are_same(found, known) for known in self.passages):
            for number, known in enumerate(self.passages):
                joined = join_passages(known, found, self._settings)
                if joined is not None:
                    self.passages[number] = joined
                    return
            count = len(agents)
            self.passages.append(found)
            self._clocks.append(_Clocks(np.zeros(count, dtype=bool), np.full(count, np.inf), np.full(count, np.inf)))

    def _regulate(self, passage: NarrowPassage, clocks: _Clocks, step: Step, walking: Bool) -> None:
        """Let one side through a passage and the other wait: changes `step.preferred` in place."""
        agents, rows, preferred, time = step.agents, step.rows, step.preferred, step.time
        settings = self._settings
        along, beside = passage.local(agents.position[rows])
        near = walking & agents.avoids[rows] & (np.abs(along) < passage.half_length + settings.reach)
        near &= np.abs(beside) < settings.reach
        some = np.flatnonzero(near)
        some, direction = _who_go_through(passage, step, some, along[some], settings)
        if not len(some):
            passage.side = 0
            return
        self._jams.regulated[rows[some]] = True
        step.squeezes[some] &= (direction == direction[0]).all()  # nobody presses against who comes out
        depth = passage.half_length + agents.radius[rows[some]] - np.abs(along[some])  # below 0 before the mouth
        inside = (depth > 0.0) & (np.abs(beside[some]) < passage.half_width)
        before = ~inside & (along[some] * direction < 0.0)
        past = along[some] * direction > 0.0  # who is past the middle goes on
        leaves = past & (depth > 0.0) & (np.abs(beside[some]) < passage.half_width + agents.radius[rows[some]])
        # Who is past the middle will be out before those who wait, `mouth` and more before it, can be in.
        uses = (inside & ~past) | (leaves & (depth > settings.mouth))
        held = self._are_held(clocks, step, rows[some], (past, leaves))
        step.insists[some[held]] = True
        if (held & leaves).any():  # those before it press on them: they come out first
            passage.side, passage.since = int(direction[held & leaves][0]), time
        else:
            _choose_side(passage, direction, depth, (uses, before), time, settings)
        claims = before & (direction != passage.side) & (depth > -settings.mouth - settings.claim_distance)
        overdue = time - passage.since > settings.longest_turn and claims.any()
        waits = before & ((direction != passage.side) | (overdue & (depth < -settings.entered_depth)))
        _let_first_insist(step, some[before & ~waits], depth[before & ~waits], settings)
        self._waits[rows[some[waits]]] = True
        self._wait((passage, clocks), step, some, (direction, depth, beside[some]), waits)
        if held.any():
            _make_room(passage, step, some[waits], -direction[waits], self._settings)
        back = inside & ~past & (direction != passage.side)
        self._back_out(passage, step, some, direction, (back, waits))
        stands = rows[some[waits & (preferred[some] == 0.0).all(axis=1)]]
        # They are not `firm`, as people at a goal are: they make half of the change for those who come out first.
        on = direction[np.isin(rows[some], stands)][:, None] * passage.axis
        agents.faces[stands], self._faces[stands] = arctan2(on[:, 1], on[:, 0]), True
        _keep_to_lane(passage, step, some[waits], -direction[waits], settings)
        gives_way = back | (waits & (depth > -settings.recorded_distance * settings.mouth))  # farther off they walk on
        _record_waiting(step, some[gives_way], some[direction == passage.side])

    def _back_out(
        self, passage: NarrowPassage, step: Step, some: Int64, direction: Int64, who: tuple[Bool, Bool]
    ) -> None:
        """Let people walk back: who is in a passage, and round a corner also who waits where the others come out.

        Args:
            passage: the passage.
            step: `preferred` is changed in place.
            some: int64 (M,), the people concerned with it, among the rows.
            direction: int64 (M,), through it.
            who: bool (M,) each, who walks back out of it, and who waits before it.
        """
        back, waits = who
        way, bends = _ways_back(passage, step, some, direction, self._settings)
        round_a_corner = bends & (back | waits)
        if round_a_corner.any():
            round_a_corner &= back | self._are_in_the_way(step, some, direction == passage.side)
        rows, back = step.rows[some[round_a_corner]], back | round_a_corner
        self._backs[rows], self._way[rows] = True, way[round_a_corner]
        step.preferred[some[back]] = self._settings.back_out_speed * way[back]

    def _are_in_the_way(self, step: Step, some: Int64, passes: Bool) -> Bool:
        """Return bool (M,), who is where the paths of those who pass lead on, or behind somebody who has to go back."""
        agents, settings, rows = step.agents, self._settings, step.rows[some]
        who, behind = rows[passes], step.rows[self._backed[step.rows]]
        ahead = np.linspace(0.0, settings.reach, 1 + round(settings.reach / settings.lane_spacing))
        s = np.minimum(agents.s[who] + ahead[:, None], agents.end[who])
        paths = np.broadcast_to(agents.path[who], s.shape).ravel()
        lane = step.paths.to_cartesian(paths, s.ravel(), np.zeros(s.size))
        off, room = agents.position[rows][:, None] - lane, 2.0 * agents.radius[rows, None]
        in_lane = (length2(off) < room * room).any(axis=1)
        off = agents.position[rows][:, None] - agents.position[behind]
        room += self._jams.settings.blocking_distance
        pressed = (length2(off) < room * room) & (dot(off, self._way[behind]) > settings.cos_bend * length(off))
        return (in_lane & ~passes) | pressed.any(axis=1)

    def _are_held(self, clocks: _Clocks, step: Step, rows: Int64, where: tuple[Bool, Bool]) -> Bool:
        """Return bool (M,), of people in a passage who has been stopped for long on the way out, until they are out.

        Args:
            clocks: of the passage.
            step: the step.
            rows: int64 (M,), the people.
            where: bool (M,) each, who is past its middle, and who of them is still in it.
        """
        (past, leaves), since = where, clocks.held_since
        patience, slow = self._settings.coming_out_patience, self._jams.settings.standing_speed
        stands = length2(step.agents.velocity[rows]) < slow * slow
        stands |= leaves & (step.time - since[rows] > patience)
        stands &= ~self._waited[rows]  # at the next passage
        since[rows] = np.where(past & stands, np.minimum(since[rows], step.time), np.inf)
        return step.time - since[rows] > patience

    def _wait(
        self,
        at: tuple[NarrowPassage, _Clocks],
        step: Step,
        some: Int64,
        where: tuple[Int64, Float64, Float64],
        waits: Bool,
    ) -> None:
        """Let people stand before a mouth, out of the way: who is in it goes out of it, at a walk and not by inches.

        Args:
            at: the passage, and its clocks.
            step: `preferred` is changed in place.
            some: int64 (M,), the numbers of the people concerned with it, among the rows.
            where: int64 (M,), direction through it, and float64 (M,) each, depth in it and offset to its left [m].
            waits: bool (M,), who waits.
        """
        (direction, depth, beside), rows, preferred = where, step.rows[some], step.preferred
        passage, clocks = at
        settings, mouth = self._settings, self._settings.mouth
        left = np.array([-passage.axis[1], passage.axis[0]])
        free = passage.half_width + step.agents.radius[rows]
        # To the right as they face the mouth, unless they are on the left already.
        side = np.where(np.abs(beside) > settings.axis_tolerance, np.sign(beside), -direction)
        missing = free + settings.side_clearance - side * beside
        aside = waits & (missing > np.where(clocks.steps_aside[rows], 0.0, settings.way_tolerance))
        clocks.aside_since[rows] = np.where(aside, np.minimum(clocks.aside_since[rows], step.time), np.inf)
        clocks.steps_aside[rows] = aside
        gives_up = step.time - clocks.aside_since[rows] > settings.aside_patience
        # At most as much back as aside: who backs out of the way of others in their lane would stay in it.
        back = np.clip(mouth + depth, 0.0, np.maximum(missing, 0.0))
        out = (side * missing)[:, None] * left - (direction * back)[:, None] * passage.axis
        pace = np.where(aside & ~gives_up, settings.step_aside_speed / np.maximum(length(out), 1e-9), 0.0)
        onward = np.clip(-depth / mouth - settings.waiting_distance, 0.0, 1.0)
        wish = onward[:, None] * preferred[some] + pace[:, None] * out
        preferred[some[waits]] = wish[waits]


def _make_room(passage: NarrowPassage, step: Step, waiting: Int64, out: Int64, settings: NarrowPassageSettings) -> None:
    """Let all who wait before a mouth step back from it, so that those whom they hold up find gaps between them.

    Args:
        passage: the passage.
        step: `preferred` is changed in place.
        waiting: int64 (N,), who waits before a mouth, among the rows.
        out: int64 (N,), the way out of it, 1 along the axis or -1 against it.
        settings: how fast they step back.
    """
    mouth = passage.middle + (out * passage.half_length)[:, None] * passage.axis
    off = step.agents.position[step.rows[waiting]] - mouth
    step.preferred[waiting] = settings.step_aside_speed * off / np.maximum(length(off), 1e-9)[:, None]


def _ways_back(
    passage: NarrowPassage, step: Step, some: Int64, direction: Int64, settings: NarrowPassageSettings
) -> tuple[Float64, Bool]:
    """Return which way back out of a passage people walk, float64 (M, 2), unit vectors, and whose path bends there.

    That is along its axis, and back on their path where this bends and a wall is straight before the mouth.

    Args:
        passage: the passage.
        step: the step.
        some: int64 (M,), the people, among the rows.
        direction: int64 (M,), through it.
        settings: how far back their path counts, and what a bend is.
    """
    agents, who = step.agents, step.rows[some]
    here, s = step.paths.to_cartesian, agents.s[who]
    before = here(agents.path[who], np.maximum(s - settings.mouth, 0.0), np.zeros(len(s)))
    run, off = before - here(agents.path[who], s, np.zeros(len(s))), before - agents.position[who]
    straight = -direction[:, None] * passage.axis
    bends = dot(run, straight) < settings.cos_bend * length(run)
    bent = np.flatnonzero(bends)
    if len(bent):  # in a room people beside the door come round no corner
        out = (passage.half_length + np.array(settings.wall_distances))[:, None, None] * straight[bent]
        room = step.ground.field.signed_distance((passage.middle + out).reshape(-1, 2)).reshape(-1, len(bent))
        bends[bent] = room.min(axis=0) < agents.radius[who[bent]]
    return np.where(bends[:, None], off / np.maximum(length(off), 1e-9)[:, None], straight), bends


def _let_first_insist(step: Step, some: Int64, depth: Float64, settings: NarrowPassageSettings) -> None:
    """Let the first before a passage insist, of people whose side it is, int64 (N,) among the rows: others wait."""
    if len(some) and depth.max() > -settings.mouth:
        step.insists[some[int(np.argmax(depth))]] = True


def _keep_to_lane(
    passage: NarrowPassage, step: Step, waiting: Int64, out: Int64, settings: NarrowPassageSettings
) -> None:
    """Let people who come out of a passage walk between those who wait, until they are past them, and not into them.

    Args:
        passage: the passage.
        step: `preferred` is changed in place.
        waiting: int64 (N,), who waits before a mouth, among the rows.
        out: int64 (N,), the way out of it, 1 along the axis or -1 against it.
        settings: how soon people would be beside the lane.
    """
    if not len(waiting):
        return
    rows, preferred = step.rows, step.preferred
    along, beside = passage.local(step.agents.position[rows])
    left = np.array([-passage.axis[1], passage.axis[0]])
    onward, across = dot(preferred, passage.axis), dot(preferred, left)
    way, side = np.sign(onward).astype(np.int64), np.sign(across).astype(np.int64)
    last = np.full((3, 3), -np.inf)  # how far out the last of them stands: by way out and side, -1, 0 or 1
    np.maximum.at(last, (out, np.sign(beside[waiting]).astype(np.int64)), along[waiting] * out)
    room = passage.half_width + settings.side_clearance
    comes = (along * way > -passage.half_length) & (np.abs(beside) < room) & (along * way < last[way, side])
    comes[waiting] = False
    some = np.flatnonzero(comes & (step.agents.status[rows] == WALKING))
    most = (passage.half_width - side[some] * beside[some]) / settings.lane_time
    kept = side[some] * np.minimum(side[some] * across[some], most)
    speed = length(preferred[some])
    kept = np.clip(kept, -speed, speed)
    straight = way[some] * np.sqrt(speed * speed - kept * kept)
    preferred[some] = straight[:, None] * passage.axis + kept[:, None] * left


def _record_waiting(step: Step, waiting: Int64, passing: Int64) -> None:
    """Record people who wait, int64 (N,), because of the nearest who passes, int64 (P,), both among the rows."""
    because_of: Int64 | int = NOBODY
    if len(passing):
        position = step.agents.position[step.rows]
        off = position[waiting][:, None] - position[passing]
        because_of = step.rows[passing[(off * off).sum(axis=2).argmin(axis=1)]] if len(waiting) else NOBODY
    step.record(waiting, Doing.LETTING_THROUGH, because_of)


def _who_go_through(
    passage: NarrowPassage, step: Step, some: Int64, along: Float64, settings: NarrowPassageSettings
) -> tuple[Int64, Int64]:
    """Return people whose paths lead through, int64 (M,) among the rows, and their directions, 1 or -1."""
    agents, references, who = step.agents, step.paths, step.rows[some]
    reach = passage.half_length + np.abs(along) + settings.path_margin
    ahead = np.linspace(0.25, 1.0, 4)[:, None] * reach  # (4, M)
    s = np.minimum(agents.s[who] + ahead, agents.end[who])
    paths = np.broadcast_to(agents.path[who], s.shape).ravel()
    points = references.to_cartesian(paths, s.ravel(), np.zeros(s.size))
    x, y = (values.reshape(s.shape) for values in passage.local(points))
    direction = np.sign(x[-1] - along).astype(np.int64)
    through = (x[-1] * direction > 0.0) & (along * direction < passage.half_length)
    beside = np.where(np.abs(x) <= passage.half_length + settings.path_margin, np.abs(y), np.inf).min(axis=0)
    kept = through & (beside < settings.path_offset)
    return some[kept], direction[kept]


def _choose_side(
    passage: NarrowPassage,
    direction: Int64,
    depth: Float64,
    where: tuple[Bool, Bool],
    time: float,
    settings: NarrowPassageSettings,
) -> None:
    """Choose the side that uses a passage: the same while its people are inside or next, else that of the nearest."""
    inside, before = where
    other_side = -passage.side
    owned = direction == passage.side
    busy = passage.side != 0 and (inside & owned).any()
    waiting = before & (direction == other_side)
    due = time - passage.since > settings.longest_turn and waiting.any()
    coming = passage.side != 0 and not due and (before & owned & (depth > -settings.mouth)).any()
    if busy or coming:
        return
    ready = np.where(inside, depth + settings.greatest_length, np.where(before, depth, -np.inf))
    if due:
        ready = np.where(owned, -np.inf, ready)
    if not np.isfinite(ready).any():
        passage.side = 0
        return
    chosen = int(direction[int(np.argmax(ready))])
    if chosen != passage.side or due:
        passage.side, passage.since = chosen, time
