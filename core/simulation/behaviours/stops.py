# SPDX-License-Identifier: GPL-3.0-or-later
"""What people do at stops: they stand on their spot, and close up in a queue.

`visits/visits.py` leads them there and on again.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Float64, Int64
from ...geometry.reproducible_math import dot, length
from ...scene import LOOK_AT, PLAY_CLIP, SIT, TALK, WAIT_UNTIL
from ..settings.stop_settings import StopSettings
from ..visits.stop_activities import StopActivities
from ..visits.stop_queues import StopQueue
from ..visits.visit_states import GOING, THERE
from ..visits.visits import Visits
from ..world.agents import STOPPED
from ..world.doing import NOBODY, Doing
from .behaviour import Step

_DOING = {
    LOOK_AT: Doing.LOOKING,
    TALK: Doing.TALKING,
    SIT: Doing.SITTING,
    WAIT_UNTIL: Doing.WAITING_FOR_EVENT,
    PLAY_CLIP: Doing.PLAYING_CLIP,
}


class Stops:
    """Lets people stand at their stops.

    Args:
        visits: of people to stops.
        activities: what they do there.
        settings: how people stand there.

    Attributes:
        activities: as given.
    """

    def __init__(self, visits: Visits, activities: StopActivities, settings: StopSettings) -> None:
        count = len(visits.phase)
        self._visits, self._settings = visits, settings
        self._closes_up, self._in_front_since = np.zeros(count, dtype=bool), np.full(count, np.inf)
        self._at_rest: dict[int, tuple[list[int], float, bytes]] = {}
        self.activities = activities
        doing = [_DOING.get(stop.do, Doing.AT_STOP) for stop in visits.trips.stops]
        self._doing = np.array([*doing, Doing.AT_STOP], dtype=np.int8)  # the last one is of those who turn to go on

    def act(self, step: Step) -> None:
        """Let people stand at their stops, and record it."""
        agents, rows, visits = step.agents, step.rows, self._visits
        people, stop = self.activities.show(agents, step.paths, step.time)
        going = (visits.phase[rows] == GOING) & (step.doing == Doing.WALKING)
        step.record(going, Doing.GOING_TO_STOP)
        if not len(people):
            return
        some = rows.searchsorted(people)  # all are present
        step.record(some, self._doing[stop])
        stays, sitting = visits.stays, self.activities.sitting
        if stays.were_cut_short and len(sitting):  # who leaves a seat that is out of reach has not sat
            left = sitting[np.isinf(stays.sits_since[sitting]) & (stays.until[sitting] <= step.time)]
            step.record(rows.searchsorted(left), Doing.AT_STOP)
        step.preferred = step.preferred.copy()
        step.preferred[some] = self._settle(agents.position.take(people, 0), step.velocity[people], visits.spot[people])
        for number, queue in enumerate(visits.trips.queues):
            if queue.members:
                self._move_up(step, number)

    def _settle(self, position: Float64, velocity: Float64, spot: Float64) -> Float64:
        """Return float64 (N, 2), velocities that bring people to their spots, slowly where they have to turn [m/s]."""
        off = spot - position
        distance = length(off)
        settles = distance > self._settings.settled
        if not settles.any():
            return 0.0 * off
        pace = length(velocity)
        cosine = dot(off, velocity) / np.maximum(distance * pace, 1e-9)
        speed = np.minimum(distance / self._settings.settling_time, self._settings.settling_speed)
        speed = np.where(settles, speed, 0.0)
        speed *= np.where(pace > self._settings.held_up_speed, np.clip(cosine, 0.2, 1.0), 1.0)
        return off * (speed / np.maximum(distance, 1e-9))[:, None]

    def _move_up(self, step: Step, number: int) -> None:
        """Let people in a queue follow the one ahead, once there is a gap, and record them, because of that one."""
        queue = self._visits.trips.queues[number]
        members = np.array(queue.members)
        there = self._visits.phase[members] == THERE
        if not (queue.coming or there.any()):
            return
        place = step.rows.searchsorted(members)  # all are present
        stays = step.agents.status[members] == STOPPED
        step.preferred[place[stays]] = self._closing_up(step, number, members)[stays]
        some, served = place[stays & there], np.isfinite(self._visits.stays.until[members])
        doing = np.where(served, Doing.SERVED, Doing.IN_QUEUE)
        step.record(some, doing[stays & there], np.concatenate([[NOBODY], members[:-1]])[stays & there])

    def _closing_up(self, step: Step, number: int, members: Int64) -> Float64:
        """Return float64 (M, 2), velocities with which the members of a queue close up [m/s].

        While nobody in it moves, joins or leaves, and its head stays as free as it was, nobody has to.
        """
        queue, own = self._visits.trips.queues[number], self._settings.queues
        position = step.agents.position.take(members, 0)
        first = 0.0 if queue.is_being_left(step.agents, own.follow) else -1.0  # the head is free: nobody is ahead
        now = members.tolist(), first, position.tobytes()
        if self._at_rest.get(number) == now:
            return np.zeros(position.shape)
        numbers = queue.numbers_at(position)
        ahead = np.concatenate([[first], numbers[:-1]])
        off = queue.places(np.maximum(np.arange(len(members)), ahead + 1.0)) - position
        distance = length(off)
        on = distance > np.where(self._closes_up[members], own.arrived, own.closing_up)
        self._closes_up[members] = on
        self._let_pass(queue, members, numbers, step.time)
        if not on.any():
            self._at_rest[number] = now
        speed = np.minimum(own.speed, distance / self._settings.settling_time)
        return np.where(on[:, None], off * (speed / np.maximum(distance, 1e-9))[:, None], 0.0)

    def _let_pass(self, queue: StopQueue, members: Int64, numbers: Float64, time: float) -> None:
        """Let members go first who have been in front of the one ahead for a while, by the numbers of their places."""
        own, in_front = self._settings.queues, np.zeros(len(members), dtype=bool)  # the head has nobody ahead
        in_front[1:] = (numbers[:-1] - numbers[1:]) * queue.spacing > own.in_front
        in_front[1:] &= np.isinf(self._visits.stays.until[members[:-1]])  # who is served stays
        since = np.where(in_front, np.minimum(self._in_front_since[members], time), np.inf)
        passes = time - since >= own.goes_first
        self._in_front_since[members] = np.where(passes, np.inf, since)
        queue.let_pass(np.flatnonzero(passes))
