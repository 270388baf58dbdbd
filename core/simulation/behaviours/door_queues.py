# SPDX-License-Identifier: GPL-3.0-or-later
"""People queue at doors: the nearest goes first, and others keep their distance.

With avoidance alone a throng presses into a door until the people in front block each other in an arch. People who have
a door ahead keep as far from it as the people nearer to it need room, and come closer as these go through; people who
are too near step back. The flow through a door depends on its width and gives the time of the next person's turn.
Distance beside its axis counts several times: people in front of it go before people along the wall, who would have to
squeeze round its corner.

Sources: Weidmann 1993 and Seyfried et al. 2009, "New insights into pedestrian flow through bottlenecks": flow by width.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.distances import Distances
from ...geometry.reproducible_math import dot, heading_vector, length, length2, share_within
from ...planning import ReferenceSet
from ..guidance.doors import Openings, Stretch, doors_by_route, doors_on_ground, shares_through, shares_through_near
from ..settings.behaviour_settings import BehaviourSettings
from ..world.agents import WALKING, Agents
from ..world.doing import NOBODY, Doing
from ..world.moving_obstacles import Resting
from .behaviour import Step

_PIECES = 1 << 20  # of a line that is searched for doors, at most


class DoorQueues:
    """The known doors, and who queues at which.

    Args:
        wanted_speed: float64 (A,), of all agents [m/s].
        settings: how people queue, what counts as a door, and which change is recorded.
        on_detour: bool (A,), who is on a detour, as known in each step; None for nobody.

    Attributes:
        door: int64 (A,), the number of the next door of each; -1 for none.
        distance: float64 (A,), distance to it, less for the person whose turn it is [m].
        insists: bool (A,), whose turn it is, right before a door.
        close: bool (A,), who is close to a known door, before it or behind.
    """

    def __init__(self, wanted_speed: Float64, settings: BehaviourSettings, on_detour: Bool | None = None) -> None:
        count = len(wanted_speed)
        self._on_detour = np.zeros(count, dtype=bool) if on_detour is None else on_detour
        self._settings, self._doors = settings.door_queues, settings.doors
        self._recorded_change = settings.recorded_change
        self.door = np.full(count, -1)
        self.distance = np.full(count, np.inf)
        self.insists, self.close = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
        self._searched = np.full(count, -np.inf)  # so far on their paths the ground has been searched for doors [m]
        self._searched_path, self._searched_end = np.full(count, -1), np.zeros(count)
        self._steps = 0
        self._resting: Resting | None = None
        self._speed_limit = self._settings.free_speed_factor * wanted_speed
        self._forget_doors()

    def _forget_doors(self) -> None:
        self.door[:] = -1
        self._searched[:] = -np.inf
        self._searched_pieces = set[int]()  # of lines, by their numbers
        self._place, self._axis = np.zeros((0, 2)), np.zeros((0, 2))
        self._width, self._next_turn, self._held_up_time = np.zeros(0), np.zeros(0), np.zeros(0)

    def act(self, step: Step) -> None:
        """Find the next doors of people, and let them wait for their turn."""
        agents, rows = step.agents, step.rows
        walking = (agents.status[rows] == WALKING) & agents.avoids[rows]
        self._count_passed(agents, rows, step.time)
        self.door[rows[~walking]], self.close[rows[~walking]] = -1, False
        is_due = self._steps % self._settings.steps_between_checks == 0  # for all at once: few cost nearly as much
        if self._resting != step.ground.resting:  # what has moved makes, closes or widens doors
            self._resting, is_due = step.ground.resting, True
            self._forget_doors()
        self._steps += 1
        if is_due:
            some = rows[walking]
            self._find_doors(agents, some, step.paths, step.ground.field)
            self.close[some] = False
            if len(self._width):
                off = agents.position[some, None] - self._place  # (N, D, 2)
                self.close[some] = (length2(off) < self._settings.close_distance**2).any(axis=1)
        self._limit_speed(step)

    def look(self, agents: Agents, rows: Int64, references: ReferenceSet, field: Distances) -> None:
        """Find how far some people, int64 (R,), are from their next doors, as if they had just come."""
        self._find_doors(agents, rows, references, field)
        self._measure(agents, rows)

    def _measure(self, agents: Agents, rows: Int64) -> Int64:
        """Measure how far people are from their doors, and return int64 (N,), who queues there."""
        self.distance[:] = np.inf
        before = rows[self.door[rows] >= 0]
        many = np.bincount(self.door[before], minlength=len(self._width)) > 1
        before = before[many[self.door[before]] | agents.have_goals(before)]  # a line leads others anywhere
        self.distance[before] = self._distance(agents, before)
        return before

    def wait_for_others(self, agents: Agents) -> Bool:
        """Return bool (A,), who waits at a door that is wide enough for them."""
        waits = np.isfinite(self.distance)
        rows = waits.nonzero()[0]
        waits[rows] = 0.5 * self._width[self.door[rows]] > agents.radius[rows] + self._settings.edge
        return waits

    def may_be_next(self, rows: Int64) -> Bool:
        """Return bool (R,), which people are so near to a door that it may be their turn."""
        return self.distance[rows] < self._settings.own_turn_distance

    def _limit_speed(self, step: Step) -> None:
        """Slow down people before doors whose turn it is not."""
        agents, rows, settings = step.agents, step.rows, self._settings
        before = self._measure(agents, rows)
        if not len(self._width):
            self.insists[:] = False
            return
        self._lead_in(step, before)
        preferred = step.preferred
        keeps_turn = self.insists[before] & (self._held_up_time[self.door[before]] < settings.turn_time)
        self.distance[before] -= settings.turn_advantage * keeps_turn
        free = settings.free_speed_factor * agents.wanted_speed
        limit = free.copy()
        ahead = self._count_ahead(before, step.time)
        self.insists[:] = False
        self.insists[before] = (ahead < settings.own_turn) & (self.distance[before] < settings.insisting_distance)
        step.squeezes = self.insists[rows]
        step.insists |= step.squeezes
        held_up = np.bincount(self.door[before[self.insists[before]]], minlength=len(self._width)) > 0
        self._held_up_time = np.where(held_up, self._held_up_time + step.dt, 0.0)
        held_back = before[~self.insists[before]]
        limit[held_back] = np.minimum(self._greatest_speed(held_back, ahead[~self.insists[before]]), free[held_back])
        self._speed_limit[rows] += (limit[rows] - self._speed_limit[rows]) * share_within(
            step.dt, settings.smoothing_time
        )
        speed = length(preferred)
        share = np.minimum(1.0, self._speed_limit[rows] / np.maximum(speed, 1e-9))
        waits = (self._speed_limit < 0.99 * free)[rows]
        if not waits.any():
            return
        step.preferred = np.where(waits[:, None], share[:, None] * preferred, preferred)
        queues = waits & (self.door[rows] >= 0) & (speed - share * speed > self._recorded_change)
        if queues.any():
            step.record(queues, Doing.QUEUEING, self._next_ahead(before)[rows[queues]])

    def _lead_in(self, step: Step, before: Int64) -> None:
        """Let people on drawn lines walk straight to the opening, who would come to the wall beside it first.

        Those on a detour only from right before it: it leads round whatever is between. Nobody while their line
        leads away, into a hairpin before the door, or they would turn to and fro between the line and the opening.
        """
        agents, settings = step.agents, self._settings
        on_line = ~agents.have_goals(before) & ~agents.waits[before]
        if not on_line.any():
            return
        along, beside = self._place_before(agents, before)
        room = np.maximum(0.5 * self._width[self.door[before]] - agents.radius[before] - settings.edge, 0.0)
        reach = np.where(self._on_detour[before], settings.own_turn_distance, settings.lead_in_distance)
        on_line &= (along > -reach) & (along < 0.0)
        some = np.flatnonzero(on_line & (np.abs(beside) > room))
        if not len(some):
            return
        who = before[some]
        line, _ = step.paths.heading(agents.path[who], agents.s[who])
        some = some[dot(heading_vector(line), self._axis[self.door[who]]) >= 0.0]
        who, along, beside, room = before[some], along[some], beside[some], room[some]
        axis = self._axis[self.door[who]]
        aside = np.clip(beside, -room, room) - beside
        way = -along[:, None] * axis + aside[:, None] * np.stack((-axis[:, 1], axis[:, 0]), axis=1)
        row = np.full(len(agents.s), -1)
        row[step.rows] = np.arange(len(step.rows))
        at = row[who]
        way *= (agents.pace[who] / np.maximum(length(way), 1e-9))[:, None]
        step.preferred = step.preferred.copy()
        step.preferred[at] = step.along_path[at] = way

    def in_throng(self, rows: Int64, distance: float, least: int) -> Bool:
        """Return bool (R,), whether each is nearer to their door than a distance [m], with so many at least."""
        near = rows[(self.door[rows] >= 0) & (self.distance[rows] < distance)]
        throng = np.zeros(len(self.door), dtype=bool)
        throng[near] = (np.bincount(self.door[near], minlength=len(self._width)) >= least)[self.door[near]]
        return throng[rows]

    def _next_ahead(self, before: Int64) -> Int64:
        """Return int64 (A,), the next nearer person at the same door; `NOBODY` for the nearest and away from doors."""
        ahead = np.full(len(self.door), NOBODY, dtype=np.int64)
        order = before[np.lexsort((self.distance[before], self.door[before]))]
        same = self.door[order[1:]] == self.door[order[:-1]]
        ahead[order[1:][same]] = order[:-1][same]
        return ahead

    def _count_ahead(self, before: Int64, time: float) -> Float64:
        """Return float64 (N,), how many others go first, for each person before a door."""
        door, left = self.door[before], self.distance[before]
        order = np.lexsort((left, door))
        rank = np.empty(len(before))
        rank[order] = np.arange(len(before)) - np.searchsorted(door[order], door[order])
        late = np.maximum(self._held_up_time[door] - self._settings.patience, 0.0)
        until_turn = np.maximum(self._next_turn[door] - time, 0.0) - late
        ahead = np.maximum(rank + self._settings.specific_flow * self._width[door] * until_turn, 0.0)
        # In an arch no one can go: the others step back from one of them at a time.
        turn = np.floor((self._held_up_time[door] - self._settings.arch_time) / self._settings.patience)
        near = left < self._settings.own_turn_distance
        there = np.bincount(door[near], minlength=len(self._width))[door]
        other = (turn >= 0.0) & near & (rank != turn % np.maximum(there, 1))
        return np.where(other, np.maximum(ahead, self._settings.own_turn + rank), ahead)

    def _greatest_speed(self, before: Int64, ahead: Float64) -> Float64:
        """Return float64 (N,), the greatest speeds of people before doors that keep their distance [m/s]."""
        settings, shape = self._settings, self._settings.queue_shape
        left, width = self.distance[before], self._width[self.door[before]]
        # The people ahead fill the nearer area: `shape` times its square, and a strip before the rest of the width.
        beside = np.maximum(width - settings.body_lane, 0.0)
        back = (np.sqrt(beside * beside + 4.0 * shape * ahead / settings.queue_density) - beside) / (2.0 * shape)
        onward = (
            settings.specific_flow * width / (settings.queue_density * np.maximum(2.0 * shape * back + beside, 0.1))
        )
        off = left - back
        closing_up = np.maximum(off, 0.0) / settings.closing_up_time
        pace = (1.0 + off / settings.step_back_tolerance).clip(0.0, 1.0) * onward + closing_up
        away = np.maximum(off + settings.step_back_tolerance, -settings.step_back_speed)
        away = np.where(left < settings.step_back_distance, away, 0.0)
        return np.where(off > -settings.step_back_tolerance, pace / ahead.clip(1e-9, 1.0), away)

    def _count_passed(self, agents: Agents, rows: Int64, time: float) -> None:
        """Set the next turns of doors after the people who have passed."""
        before = rows[self.door[rows] >= 0]
        if not len(before):
            return
        through = before[self._place_before(agents, before)[0] >= 0.0]
        if not len(through):
            return
        count = np.bincount(self.door[through], minlength=len(self._width))
        self._next_turn = np.where(
            count > 0,
            np.maximum(self._next_turn, time) + count / (self._settings.specific_flow * self._width),
            self._next_turn,
        )
        self._held_up_time[count > 0] = 0.0
        self.door[through] = -1

    def _place_before(self, agents: Agents, before: Int64) -> tuple[Float64, Float64]:
        """Return float64 (N,) each, how far people are beyond their doors, and to the left of the axes [m]."""
        door = self.door[before]
        off, axis = agents.position.take(before, 0) - self._place[door], self._axis[door]
        return dot(off, axis), off[:, 1] * axis[:, 0] - off[:, 0] * axis[:, 1]

    def _distance(self, agents: Agents, before: Int64) -> Float64:
        """Return float64 (N,), distances of people to their doors [m]."""
        along, beside = self._place_before(agents, before)
        room = np.maximum(0.5 * self._width[self.door[before]] - agents.radius[before], 0.0)
        beside = np.maximum(np.abs(beside) - room, 0.0)
        return np.sqrt(along * along + beside * beside) + (self._settings.weight_beside - 1.0) * beside

    def _find_doors(self, agents: Agents, rows: Int64, references: ReferenceSet, field: Distances) -> None:
        """Find the next door on the paths of some agents."""
        self.door[rows] = -1
        if not len(rows):
            return
        seen = doors_by_route(Stretch(agents.path[rows], agents.s[rows], agents.end[rows]), references, self._doors)
        self._assign(agents, rows[seen.row], self._doors_at(seen.middle, seen.direction, field))
        rows = rows[self.door[rows] < 0]
        drawn = ~agents.have_goals(rows)
        self._search_lines(agents, rows[drawn], references, field)
        self._search_ground(agents, rows[~drawn], references, field)
        self._find_known_doors(agents, rows, references)

    def _search_lines(self, agents: Agents, rows: Int64, references: ReferenceSet, field: Distances) -> None:
        """Find the doors of drawn lines piece by piece, once each: everybody on a line comes to the same."""
        if not len(rows) or field.empty:
            return
        step, ahead = self._doors.line_piece, self._doors.line_ahead
        numbers = np.floor(np.maximum(agents.s[rows], 0.0) / step).astype(np.int64)
        reached = agents.path[rows] * _PIECES + numbers + np.arange(1 + round(ahead / step))[:, None]
        pieces = set(reached.ravel().tolist()) - self._searched_pieces
        if not pieces:
            return
        self._searched_pieces |= pieces
        new = np.array(sorted(pieces))
        path, begin = new // _PIECES, step * (new % _PIECES)
        end = np.minimum(begin + step, references.lengths[path])
        path, begin, end = path[begin < end], begin[begin < end], end[begin < end]
        while len(path):
            seen = doors_on_ground(Stretch(path, begin, end), references, field, self._doors)
            self._doors_at(seen.middle, seen.direction, field)
            onward = seen.place > begin[seen.row]  # another may follow right behind it
            path, begin, end = path[seen.row[onward]], seen.place[onward], end[seen.row[onward]]

    def _search_ground(self, agents: Agents, rows: Int64, references: ReferenceSet, field: Distances) -> None:
        """Find the doors that straight paths lead through; each stretch of a path is searched once."""
        if not len(rows):
            return
        path, end, doors = agents.path[rows], agents.end[rows], self._doors
        new_path = (self._searched_path[rows] != path) | (self._searched_end[rows] != end)
        self._searched_path[rows], self._searched_end[rows] = path, end
        self._searched[rows[new_path]] = -np.inf
        rows = rows[self._searched[rows] < np.minimum(agents.s[rows] + doors.look_ahead, end)]
        begin = np.maximum(self._searched[rows], agents.s[rows])
        self._searched[rows] = begin + doors.search_ahead
        if len(rows) and not field.empty:
            seen = doors_on_ground(Stretch(agents.path[rows], begin, agents.end[rows]), references, field, doors)
            self._doors_at(seen.middle, seen.direction, field)
            self._searched[rows[seen.row]] = seen.place  # another may follow right behind it

    def _find_known_doors(self, agents: Agents, rows: Int64, references: ReferenceSet) -> None:
        """Find the first known doors ahead of people on whose own paths the free width does not narrow.

        Everybody walks straight to what is ahead; those on drawn lines and detours are led back to their line as well.
        """
        if not (len(rows) and len(self._width)):
            return
        ahead = np.minimum(agents.s[rows] + self._doors.look_ahead, agents.end[rows])
        begin = agents.position.take(rows, 0)
        end = references.to_cartesian(agents.path[rows], ahead, np.zeros(len(rows)))
        share, drawn = shares_through_near(begin, end, self._openings()), (~agents.have_goals(rows)).nonzero()[0]
        if len(drawn):
            who, door, along = self._crossed_by_lines(agents, rows[drawn], references)
            share[drawn[who], door] = np.minimum(share[drawn[who], door], along)
        first, some = share.argmin(axis=1), np.isfinite(share).any(axis=1)
        self._assign(agents, rows[some], first[some])

    def _crossed_by_lines(self, agents: Agents, rows: Int64, references: ReferenceSet) -> tuple[Int64, Int64, Float64]:
        """Return pairs of people, of R, and doors near them, and after which share of the line ahead it leads through.

        It is infinite for others.

        Args:
            agents: all agents.
            rows: int64 (R,), who.
            references: the reference paths.
        """
        step, reach = self._doors.line_piece, self._doors.look_ahead + self._doors.greatest_width
        count = round(self._doors.look_ahead / step)
        who, door = np.nonzero(length2(agents.position[rows, None] - self._place) < reach * reach)
        if not len(who):
            return who, door, np.zeros(0)
        near = np.zeros(len(rows), dtype=bool)
        near[who] = True
        column, rows = (near.cumsum() - 1)[who], rows[near]
        places = np.minimum(agents.s[rows] + step * np.arange(count + 1)[:, None], agents.end[rows])  # (P, N)
        path = np.broadcast_to(agents.path[rows], places.shape)
        line = references.to_cartesian(path.ravel(), places.ravel(), np.zeros(places.size)).reshape(*places.shape, 2)
        line = line[:, column]  # (P, pairs, 2)
        share = (np.arange(count)[:, None] + shares_through(line[:-1], line[1:], self._openings(door))) / count
        return who, door, share.min(axis=0)

    def _openings(self, door: slice | Int64 = slice(None)) -> Openings:
        """Return what lines lead through at known doors, by their numbers; of all doors by default."""
        return Openings(self._place[door], self._axis[door], self._width[door])

    def _assign(self, agents: Agents, rows: Int64, door: Int64) -> None:
        """Assign people to doors, unless they have passed them already."""
        if not len(rows):
            return
        self.door[rows] = door
        rows = rows[door >= 0]
        self.door[rows[self._place_before(agents, rows)[0] >= 0.0]] = -1

    def _doors_at(self, point: Float64, direction: Float64, field: Distances) -> Int64:
        """Return int64 (N,), the doors passed at points in directions, (N, 2) each; -1 for none."""
        if not len(point):
            return np.zeros(0, dtype=np.int64)
        door = self._known_at(point, direction)
        unknown = (door < 0).nonzero()[0]
        if not len(unknown):
            return door
        half, closest = field.nearest(point[unknown])
        across = point[unknown] - closest
        opposite = field.signed_distance(point[unknown] + across)
        # A line that grazes an obstacle leads through it, which is no door.
        real = (field.signed_distance(point[unknown]) > 0.0) & (opposite < self._settings.greatest_asymmetry * half)
        real &= half < 0.5 * self._doors.greatest_width
        unknown, half, across = unknown[real], half[real], across[real] / half[real, None]
        axis = np.stack((across[:, 1], -across[:, 0]), axis=1)
        axis *= np.where(dot(axis, direction[unknown]) < 0.0, -1.0, 1.0)[:, None]
        while len(unknown):
            self._place = np.concatenate((self._place, point[unknown[:1]]))
            self._axis = np.concatenate((self._axis, axis[:1]))
            self._width, self._next_turn = np.append(self._width, 2.0 * half[0]), np.append(self._next_turn, -np.inf)
            self._held_up_time = np.append(self._held_up_time, 0.0)
            door[unknown] = self._known_at(point[unknown], direction[unknown])
            door[unknown[0]] = len(self._width) - 1
            left = door[unknown] < 0
            unknown, half, axis = unknown[left], half[left], axis[left]
        return door

    def _known_at(self, point: Float64, direction: Float64) -> Int64:
        """Return int64 (N,), the known doors passed at points in directions; -1 for none."""
        if not len(self._width):
            return np.full(len(point), -1)
        off = point[:, None] - self._place
        near = length2(off) < np.maximum(0.5 * self._width, self._settings.same_door_distance) ** 2
        near &= dot(direction[:, None], self._axis) > 0.0
        return np.where(near.any(axis=1), near.argmax(axis=1), -1)
