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
    """

    def __init__(self, visits: Visits, activities: StopActivities, settings: StopSettings) -> None:
        count = len(visits.phase)
        self._visits, self._settings = visits, settings
        self._closes_up = np.zeros(count, dtype=bool)
        self._activities = activities

    def act(self, step: Step) -> None:
        """Let people stand at their stops, and record it."""
        self._activities.show(step.agents, step.paths, step.time)
        agents, rows, visits = step.agents, step.rows, self._visits
        going = (visits.phase[rows] == GOING) & (step.doing == Doing.WALKING)
        step.record(going, Doing.GOING_TO_STOP)
        stands = agents.status[rows] == STOPPED
        if not stands.any():
            return
        step.preferred = np.where(stands[:, None], 0.0, step.preferred)
        some = np.flatnonzero(stands)
        settling = self._settle(agents.position[rows[some]], step.velocity[rows[some]], visits.spot[rows[some]])
        in_line = self._move_up(step)
        for k, wish in zip(some.tolist(), settling, strict=True):
            step.preferred[k] = in_line.get(int(rows[k]), wish)
        self._record(step, some)

    def _settle(self, position: Float64, velocity: Float64, spot: Float64) -> Float64:
        """Return float64 (N, 2), velocities that bring people to their spots, slowly where they have to turn [m/s]."""
        off = spot - position
        distance = length(off)
        pace = length(velocity)
        cosine = dot(off, velocity) / np.maximum(distance * pace, 1e-9)
        speed = np.minimum(distance / self._settings.settling_time, self._settings.settling_speed)
        speed = np.where(distance > self._settings.settled, speed, 0.0)
        speed *= np.where(pace > self._settings.held_up_speed, np.clip(cosine, 0.2, 1.0), 1.0)
        return off * (speed / np.maximum(distance, 1e-9))[:, None]

    def _move_up(self, step: Step) -> dict[int, Float64]:
        """Return the velocities of people in queues, by row [m/s]: each follows the one ahead, once there is a gap."""
        found: dict[int, Float64] = {}
        queues = {id(claim.queue): claim.queue for claim in self._visits.claims.values() if claim.queue is not None}
        for queue in queues.values():
            ahead = self._first_free(queue, step.agents.position)
            for number, row in enumerate(queue.members):
                here = queue.number_at(step.agents.position[row])
                target = max(float(number), ahead + 1.0)
                found[row] = self._step_forward(row, queue, step, target)
                ahead = here
        return found

    def _first_free(self, queue: StopQueue, position: Float64) -> float:
        """Return the number of the place before the first one that is free: -1, or 0 while its head is occupied."""
        last = queue.served_last
        if last < 0 or last in queue.members:
            return -1.0
        off = position[last] - queue.place(0)
        return 0.0 if float((off * off).sum()) < self._settings.queues.follow**2 else -1.0

    def _step_forward(self, row: int, queue: StopQueue, step: Step, target: float) -> Float64:
        """Return float64 (2,), the velocity towards a place in a queue [m/s]; 0 for those who stand well enough."""
        own = self._settings.queues
        off = queue.place(target) - step.agents.position[row]
        distance = float(np.sqrt((off * off).sum()))
        self._closes_up[row] = distance > (own.arrived if self._closes_up[row] else own.closing_up)
        if not self._closes_up[row]:
            return np.zeros(2)
        speed = min(own.speed, distance / self._settings.settling_time)
        return off * (speed / max(distance, 1e-9))

    def _record(self, step: Step, some: Int64) -> None:
        """Record what people at stops do: those in a queue because of the one ahead."""
        visits, rows = self._visits, step.rows
        step.record(some, Doing.AT_STOP)
        for k in some[visits.phase[rows[some]] == THERE].tolist():
            row = int(rows[k])
            doing, because_of = _DOING.get(visits.trips.stops[step.agents.stop[row]].do, Doing.AT_STOP), NOBODY
            queue = visits.claims[row].queue
            if queue is not None:
                doing = Doing.SERVED if visits.is_served(row) else Doing.IN_QUEUE
                number = queue.members.index(row)
                because_of = queue.members[number - 1] if number else NOBODY
            step.record(np.array([k]), doing, because_of)
