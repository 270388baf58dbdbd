# SPDX-License-Identifier: GPL-3.0-or-later
"""People queue at doors: the nearest goes first, and nobody presses ahead of those.

Avoidance alone lets a throng press into a door until those in front hold each other in an arch. People who see a door
ahead keep as far from it as those take up room who are nearer, and come closer as these go through; who has come too
near steps back. A door lets through so many people in a time, by its width, and its clock says when it is the next
person's turn. Distance beside its axis counts thrice: those in front of it go before those along the wall, who would
have to squeeze round its corner.

Sources: Weidmann 1993 and Seyfried et al. 2009, "New insights into pedestrian flow through bottlenecks": flow by width.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...geometry.distances import Distances
from ...geometry.reproducible_math import exp, heading_vector
from ...planning import ReferenceSet
from ..doing import NOBODY, Doing
from ..settings.behaviour_settings import BehaviourSettings
from ..world.agents import WALKING, Agents
from .behaviour import Step
from .doors import look_ahead

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]
Bool = NDArray[np.bool_]


class DoorQueues:
    """The doors that are known, and who queues at which.

    Args:
        wanted_speed: float64 (A,), of everybody [m/s].
        settings: how people queue, what counts as a door, and which change is recorded.

    Attributes:
        door: int64 (A,), at which door each is; -1 for none.
        left: float64 (A,), distance from there to the door, less for the person whose turn it is [m].
        insists: bool (A,), whose turn it is, right before a door.
    """

    def __init__(self, wanted_speed: Float64, settings: BehaviourSettings) -> None:
        count = len(wanted_speed)
        self._settings, self._doors = settings.door_queues, settings.doors
        self._recorded_change = settings.recorded_change
        self.door = np.full(count, -1)
        self.left = np.full(count, np.inf)
        self.insists = np.zeros(count, dtype=bool)
        self._steps = 0
        self._most = self._settings.free_speed_factor * wanted_speed
        self._place, self._way = np.zeros((0, 2)), np.zeros((0, 2))
        self._width, self._ready, self._held_up = np.zeros(0), np.zeros(0), np.zeros(0)

    def act(self, step: Step) -> None:
        """Let people find the doors ahead of them, and wait for their turn."""
        agents, rows = step.agents, step.rows
        own_way = np.isfinite(agents.goal[rows, 0]) & (agents.status[rows] == WALKING) & agents.avoids[rows]
        self._note_who_passed(agents, rows, step.time)
        self.door[rows[~own_way]] = -1
        some = rows[own_way]
        due = (some + self._steps) % self._settings.steps_between_checks == 0
        self._steps += 1
        self._look(agents, some[due], step.paths, step.ground.field)
        self._wait(step)

    def _wait(self, step: Step) -> None:
        """Slow down those before doors whose turn it is not."""
        agents, rows, preferred, settings = step.agents, step.rows, step.preferred, self._settings
        before = rows[self.door[rows] >= 0]
        self.left[:] = np.inf
        if not len(self._width):
            return
        self.left[before] = self._distance(agents, before) - settings.turn_advantage * self.insists[before]
        free = settings.free_speed_factor * agents.wanted_speed
        most = free.copy()
        ahead = self._ahead(before, step.time)
        self.insists[:] = False
        self.insists[before] = (ahead < settings.own_turn) & (self.left[before] < settings.own_turn_distance)
        held_up = np.bincount(self.door[before[self.insists[before]]], minlength=len(self._width)) > 0
        self._held_up = np.where(held_up, self._held_up + step.dt, 0.0)
        most[before] = np.minimum(self._fastest(before, ahead), free[before])
        self._most[rows] += (most[rows] - self._most[rows]) * (1.0 - exp(-step.dt / settings.smoothing_time))
        speed = np.sqrt((preferred * preferred).sum(axis=1))
        share = np.minimum(1.0, self._most[rows] / np.maximum(speed, 1e-9))
        waits = (self._most < 0.99 * free)[rows]
        step.preferred = np.where(waits[:, None], share[:, None] * preferred, preferred)
        queues = waits & (self.door[rows] >= 0) & (speed - share * speed > self._recorded_change)
        if queues.any():
            step.record(queues, Doing.QUEUEING, self._next_ahead(before)[rows[queues]])

    def _next_ahead(self, before: Int64) -> Int64:
        """Return int64 (A,), who is the next nearer to the same door; `NOBODY` for the first and those at none."""
        ahead = np.full(len(self.door), NOBODY, dtype=np.int64)
        order = before[np.lexsort((self.left[before], self.door[before]))]
        same = self.door[order[1:]] == self.door[order[:-1]]
        ahead[order[1:][same]] = order[:-1][same]
        return ahead

    def _ahead(self, before: Int64, time: float) -> Float64:
        """Return float64 (N,), how many people are to pass before people who are before doors."""
        door, left = self.door[before], self.left[before]
        order = np.lexsort((left, door))
        rank = np.empty(len(before))
        rank[order] = np.arange(len(before)) - np.searchsorted(door[order], door[order])
        late = np.maximum(self._held_up[door] - self._settings.patience, 0.0)
        return np.maximum(
            rank
            + self._settings.specific_flow * self._width[door] * (np.maximum(self._ready[door] - time, 0.0) - late),
            0.0,
        )

    def _fastest(self, before: Int64, ahead: Float64) -> Float64:
        """Return float64 (N,), how fast people before doors may go so as not to press [m/s]."""
        settings, shape = self._settings, self._settings.queue_shape
        left, width = self.left[before], self._width[self.door[before]]
        # So many fill what lies nearer in this sense, `shape` times its square, and before the rest of the width.
        beside = np.maximum(width - settings.body_lane, 0.0)
        back = (np.sqrt(beside * beside + 4.0 * shape * ahead / settings.queue_density) - beside) / (2.0 * shape)
        onward = (
            settings.specific_flow * width / (settings.queue_density * np.maximum(2.0 * shape * back + beside, 0.1))
        )
        off = left - back
        pace = (
            np.clip(1.0 + off / settings.step_back_tolerance, 0.0, 1.0) * onward
            + np.maximum(off, 0.0) / settings.closing_up_time
        )
        away = np.maximum(off + settings.step_back_tolerance, -settings.step_back_speed)
        away = np.where(left < settings.step_back_distance, away, 0.0)
        return np.where(off > -settings.step_back_tolerance, pace / np.clip(ahead, 1e-9, 1.0), away)

    def _note_who_passed(self, agents: Agents, rows: Int64, time: float) -> None:
        """Advance the clocks of doors by those who have passed."""
        before = rows[self.door[rows] >= 0]
        through = before[self._place_before(agents, before)[0] >= 0.0]
        if not len(through):
            return
        count = np.bincount(self.door[through], minlength=len(self._width))
        self._ready = np.where(
            count > 0, np.maximum(self._ready, time) + count / (self._settings.specific_flow * self._width), self._ready
        )
        self._held_up[count > 0] = 0.0
        self.door[through] = -1

    def _place_before(self, agents: Agents, before: Int64) -> tuple[Float64, Float64]:
        """Return float64 (N,) each, how far people are beyond the doors they are before, and left of them [m]."""
        door = self.door[before]
        off, way = agents.position[before] - self._place[door], self._way[door]
        return (off * way).sum(axis=1), off[:, 1] * way[:, 0] - off[:, 0] * way[:, 1]

    def _distance(self, agents: Agents, before: Int64) -> Float64:
        """Return float64 (N,), how far people are from the doors they are before [m]."""
        along, beside = self._place_before(agents, before)
        room = np.maximum(0.5 * self._width[self.door[before]] - agents.radius[before], 0.0)
        beside = np.maximum(np.abs(beside) - room, 0.0)
        return np.sqrt(along * along + beside * beside) + (self._settings.weight_beside - 1.0) * beside

    def _look(self, agents: Agents, rows: Int64, references: ReferenceSet, field: Distances) -> None:
        """Find the next door on the paths of some agents."""
        self.door[rows] = -1
        if not len(rows):
            return
        seen = look_ahead(agents.path[rows], agents.s[rows], agents.end[rows], references, self._doors)
        self._look_straight(agents, rows[seen.wide], references)
        found = np.flatnonzero(seen.at >= 0)
        if not len(found):
            return
        row, at = rows[found], seen.at[found]
        where = seen.places[found, at]
        point = references.to_cartesian(agents.path[row], where, 0.5 * (seen.left[found, at] - seen.right[found, at]))
        self._put(
            agents, row, self._doors_at(point, heading_vector(references.pose(agents.path[row], where)[2]), field)
        )

    def _look_straight(self, agents: Agents, rows: Int64, references: ReferenceSet) -> None:
        """Find the first known door of those whose paths go straight on, where no free width is measured."""
        if not (len(rows) and len(self._width)):
            return
        here = agents.position[rows]
        ahead = np.minimum(agents.s[rows] + self._doors.look_ahead, agents.end[rows])
        run = references.to_cartesian(agents.path[rows], ahead, np.zeros(len(rows))) - here
        away, (x, y) = self._place - here[:, None], self._way.T  # (R, D, 2)
        to_door, speed = away[..., 0] * x + away[..., 1] * y, run[:, :1] * x + run[:, 1:] * y
        share = to_door / np.where(speed > 0.0, speed, np.inf)
        off = (run[:, None] * share[..., None]) - away
        through = (to_door > 0.0) & (share <= 1.0) & (np.abs(off[..., 0] * y - off[..., 1] * x) < 0.5 * self._width)
        through &= speed > 0.0
        first = np.where(through, share, np.inf).argmin(axis=1)
        some = through.any(axis=1)
        self._put(agents, rows[some], first[some])

    def _put(self, agents: Agents, rows: Int64, door: Int64) -> None:
        """Note at which doors some are, unless they have passed them already."""
        self.door[rows] = door
        rows = rows[door >= 0]
        self.door[rows[self._place_before(agents, rows)[0] >= 0.0]] = -1

    def _doors_at(self, point: Float64, way: Float64, field: Distances) -> Int64:
        """Return int64 (N,), which doors are passed at points in directions, (N, 2) each; -1 where there is none."""
        door = self._known_at(point, way)
        unknown = np.flatnonzero(door < 0)
        if not len(unknown):
            return door
        half, closest = field.nearest(point[unknown])
        across = point[unknown] - closest
        opposite = field.signed_distance(point[unknown] + across)
        real = (half > 0.0) & (opposite < self._settings.greatest_asymmetry * half)
        real &= half < 0.5 * self._doors.greatest_width
        unknown, half, across = unknown[real], half[real], across[real] / half[real, None]
        axis = np.stack((across[:, 1], -across[:, 0]), axis=1)
        axis *= np.where((axis * way[unknown]).sum(axis=1) < 0.0, -1.0, 1.0)[:, None]
        while len(unknown):
            self._place = np.concatenate((self._place, point[unknown[:1]]))
            self._way = np.concatenate((self._way, axis[:1]))
            self._width, self._ready = np.append(self._width, 2.0 * half[0]), np.append(self._ready, -np.inf)
            self._held_up = np.append(self._held_up, 0.0)
            door[unknown] = self._known_at(point[unknown], way[unknown])
            door[unknown[0]] = len(self._width) - 1
            left = door[unknown] < 0
            unknown, half, axis = unknown[left], half[left], axis[left]
        return door

    def _known_at(self, point: Float64, way: Float64) -> Int64:
        """Return int64 (N,), which of the known doors are passed at points in directions; -1 where there is none."""
        if not len(self._width):
            return np.full(len(point), -1)
        off = point[:, None] - self._place
        near = (off * off).sum(axis=2) < np.maximum(0.5 * self._width, self._settings.same_door_distance) ** 2
        near &= (way[:, None] * self._way).sum(axis=2) > 0.0
        return np.where(near.any(axis=1), near.argmax(axis=1), -1)
