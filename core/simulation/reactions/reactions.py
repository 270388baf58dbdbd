# SPDX-License-Identifier: GPL-3.0-or-later
"""What people do when a trigger is set off: they run, stop, flee, gather, leave, or perform something."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import arctan2, length2
from ...geometry.segments import contains
from ...scene import (
    FLEE,
    GATHER,
    GO_TO,
    HALT,
    LEAVE_SCENE,
    PERFORM,
    RUN,
    STANDING_REACTIONS,
    TURN_TO,
    WALK,
    Trigger,
)
from ..guidance.guidance import Guidance
from ..places.bystander_activities import Bystanders
from ..places.spots import spots_inside
from ..population.population import PeopleAtStart
from ..settings import SimulationSettings
from ..visits.visit_states import THERE
from ..visits.visits import Visits
from ..world.activities import ACTIVITY_NAMES, Activity
from ..world.agents import ARRIVED, BYSTANDING, STOPPED, WALKING
from ..world.environment import Environment
from ..world.moving_obstacles import Resting
from .halts import Halts
from .refuges import find_refuges, nearest_edge
from .trigger_events import TriggerEvents


class Reactions:
    """The reactions of people.

    Args:
        people: of the scene.
        events: which triggers are set off when.
        clips: that people play, as `clips_of` says.
        environment: the obstacles.
        visits: of people to stops.
        bystanders: those of the scene.
        settings: of the simulation.

    Attributes:
        halts: of people who have stopped.
        reaction: int64 (A,), the last trigger to which each has reacted; -1 for none.
    """

    def __init__(
        self,
        people: PeopleAtStart,
        events: TriggerEvents,
        clips: Sequence[str],
        environment: Environment,
        visits: Visits,
        bystanders: Bystanders,
        settings: SimulationSettings,
    ) -> None:
        self._agents, self._environment, self._visits, self._bystanders = people.agents, environment, visits, bystanders
        agents, self.triggers, self._settings, self._own = people.agents, events.triggers, settings, settings.reactions
        self._events = events
        self.halts, self.reaction = Halts(len(agents)), np.full(len(agents), -1)
        self._usual_speed = agents.wanted_speed.copy()
        self._start = agents.position.copy()
        names = {name: number for number, name in enumerate((*ACTIVITY_NAMES, *clips))}
        self._activity = [
            names[each.activity or f"play_clip:{each.clip}"] if each.then == PERFORM else Activity.STAND
            for each in self.triggers
        ]
        self._draws = [
            people.uniform(f"{what} {trigger.name}") for trigger in self.triggers for what in ("lasts", "goes")
        ]
        self._have_flight = any(trigger.then == FLEE for trigger in self.triggers)
        self.flees_from = np.full((len(agents), 2), np.nan)
        self._spots: dict[str, tuple[Resting, Float64]] = {}

    def update(self, time: float, guidance: Guidance) -> None:
        """Let people react to what happens at a time [s].

        Args:
            time: now [s].
            guidance: leads people along their routes.
        """
        agents = self._agents
        self._events.update(agents, time)
        for number in self._events.due_now(time):
            rows = self._events.take_due(number, time)
            self._events.crowd_events.reacted[number, np.unique(agents.crowd[rows])] = True
            self._react(number, self.triggers[number], rows, time, guidance)
        over = self.halts.over(time)
        if len(over):
            guidance.begin_planning(self.halts.end(agents, over), time)
        self._flee_on(time, guidance)

    def notices(self, time: float) -> list[str]:
        """Return a sentence about each trigger that sent people where some have not come by a time [s]."""
        agents, frame, found = self._agents, self._environment.clock.nearest_frame(time), list[str]()
        on_way = agents.present & (agents.status == WALKING)
        for number, trigger in enumerate(self.triggers):
            sent = self.reaction == number
            late = np.flatnonzero(sent & on_way)
            if (area := self._environment.areas.get(trigger.to)) is not None:  # in it people go on to places of theirs
                late = late[~contains(area, agents.position[late])]
            if len(late) and trigger.then in (GATHER, GO_TO, LEAVE_SCENE):
                what = f"reached '{trigger.to}'" if trigger.to else "left"
                found.append(
                    f"{trigger.name}: {len(late)} of {np.count_nonzero(sent)} people have not {what} at frame {frame}. "
                    "Raise the end frame, let the trigger start earlier, or give them more room."
                )
        return found

    def _react(self, number: int, trigger: Trigger, rows: Int64, time: float, guidance: Guidance) -> None:
        """Let some people react to a trigger."""
        agents = self._agents
        target = self._target(trigger, time)
        until = time + self._lasting(number, rows)
        there = agents.status[rows] == BYSTANDING
        if trigger.then in STANDING_REACTIONS:
            looked_at = None if trigger.then == HALT else target
            self._bystanders.perform(agents, rows[there], until[there], self._activity[number], looked_at)
        elif trigger.then not in (RUN, WALK):
            self._get_up(number, rows, there, time)
        can = np.isin(agents.status[rows], (WALKING, ARRIVED, STOPPED)) & np.isinf(self._events.due[number, rows])
        rows, until = rows[can], until[can]
        if not len(rows):
            return
        self.reaction[rows] = number
        agents.sets_off[rows] = np.minimum(agents.sets_off[rows], time)  # who reacts waits no longer
        if trigger.then in (HALT, TURN_TO, PERFORM):
            looked_at = None if target is None or trigger.then == HALT else target
            activity = self._activity[number]
            agents.stop_time[rows] += until - time
            self.halts.begin(agents, rows, until, activity, looked_at, self._own.stopping)
            return
        self._set_pace(trigger, rows)
        self._stop_fleeing(rows)
        guidance.begin_planning(self.halts.end(agents, rows), time)
        if trigger.then in (RUN, WALK):
            self._visits.stays.cut_short(rows[self._visits.phase[rows] == THERE], time)
        elif trigger.then == FLEE and target is not None:
            self.flees_from[rows], self._visits.slow_since[rows] = target[:2], np.inf
            self._flee(rows, time, guidance)
        else:
            self._go(number, trigger, rows, time, guidance)

    def _get_up(self, number: int, rows: Int64, there: Bool, time: float) -> None:
        """Let people stand up who sit, and react then; `there`, bool (R,): which of them are bystanders."""
        sits = rows[(self._visits.phase[rows] == THERE) & np.isfinite(self._visits.stays.sits_since[rows])]
        late = np.concatenate([sits, rows[there]])
        when = self._visits.stays.cut_short(sits, time), self._bystanders.rise(self._agents, rows[there], time)
        rises = np.concatenate(when) > time
        self._events.due[number, late[rises]] = np.concatenate(when)[rises]
        stands = late[len(sits) :][~rises[len(sits) :]]
        if len(stands):
            self._bystanders.leave(self._agents, stands)

    def _set_pace(self, trigger: Trigger, rows: Int64) -> None:
        """Let people be as fast as a trigger says, from now on."""
        agents, usual = self._agents, self._own.running if trigger.then in (RUN, FLEE) else 1.0
        factor = 1.0 if trigger.then == WALK else trigger.pace or usual
        wanted = self._usual_speed[rows] * factor
        agents.pace[rows] *= wanted / np.maximum(agents.wanted_speed[rows], 1e-9)
        agents.wanted_speed[rows] = wanted

    def _target(self, trigger: Trigger, time: float) -> Float64 | None:
        """Return float64 (3,), the point to which people turn or from which they flee [m]; None for none."""
        if not trigger.target:
            return None
        return np.array([*self._environment.mark_at(trigger.target, time), self._settings.stops.gaze_height])

    def _lasting(self, number: int, rows: Int64) -> Float64:
        """Return float64 (R,), how long people stop or perform [s]: evenly spread, with the mean and sd asked for."""
        duration = self.triggers[number].duration
        spread = 3.0**0.5 * (2.0 * self._draws[2 * number][rows] - 1.0)
        return np.maximum(duration.mean + duration.sd * spread, 0.0)

    def _go(self, number: int, trigger: Trigger, rows: Int64, time: float, guidance: Guidance) -> None:
        """Let people go to a place or an area, or leave."""
        visits = self._visits
        draw = self._draws[2 * number + 1][rows]
        if trigger.then == GATHER:
            left_out = visits.gather(rows, draw, number, time, guidance)
            stand = np.intersect1d(left_out, self._bystanders.left).astype(np.int64)  # they have no route to walk on
            visits.send(stand, self._agents.position[stand], time, guidance, leaves=False)
            return
        leaves = True if trigger.then == LEAVE_SCENE else None
        goals = self._start[rows]
        if trigger.then == LEAVE_SCENE and not trigger.to:
            came = np.isin(rows, self._bystanders.left)  # they have come from nowhere
            room = self._agents.radius[rows[came]] + self._own.clearance
            goals[came] = nearest_edge(self._agents.position[rows[came]], self._environment.bounds, room)
        if trigger.to:
            spots = self._free_spots(trigger.to, time)
            if len(spots):
                goals = spots[(draw * len(spots)).astype(np.int64)]
            else:
                visits.trips.missed.find_closed(trigger)
                rows = np.intersect1d(rows, self._bystanders.left).astype(np.int64)
                goals, leaves = self._agents.position[rows], False
        visits.send(rows, goals, time, guidance, leaves=leaves)

    def _free_spots(self, area: str, time: float) -> Float64:
        """Return float64 (S, 2), where people may go in an area: inside the bounds, and with room for a body [m]."""
        ground, bounds = self._environment.still_at(time), self._environment.bounds
        known = self._spots.get(area)
        if known is None or known[0] != ground.resting:
            spots = spots_inside(self._environment.areas[area], self._own.spacing, 10_000)
            room = float(self._agents.radius.max()) + self._own.clearance
            free = (ground.field.signed_distance(spots, room) >= room) & contains(bounds, spots)
            known = self._spots[area] = ground.resting, spots[free]
        return known[1]

    def _flee(self, rows: Int64, time: float, guidance: Guidance) -> None:
        """Let people start to the next place on their flight."""
        agents = self._agents
        for source in np.unique(self.flees_from[rows], axis=0):
            some = rows[(self.flees_from[rows] == source).all(axis=1)]
            goals = find_refuges(
                agents.position[some],
                source,
                float(agents.radius[some].max()),
                ground=self._environment.still_at(time),
                bounds=self._environment.bounds,
                settings=self._own,
            )
            self._visits.send(some, goals, time, guidance, leaves=False)

    def _stop_fleeing(self, rows: Int64) -> None:
        """Let people flee no more, nor face what they fled from."""
        fled = rows[np.isfinite(self.flees_from[rows, 0])]
        self._agents.faces[fled] = np.nan
        self.flees_from[rows] = np.nan

    def _flee_on(self, time: float, guidance: Guidance) -> None:
        """Let those flee on who have come to the end of a stage and are not far enough away yet.

        Who cannot go on turns round to what they flee from.
        """
        agents = self._agents
        if not self._have_flight:
            return
        rows = np.flatnonzero(np.isfinite(self.flees_from[:, 0]) & agents.present & (agents.status != STOPPED))
        if not len(rows):
            return
        off, left = agents.position[rows] - self.flees_from[rows], agents.goal[rows] - agents.position[rows]
        held = time - self._visits.slow_since[rows] > self._own.turning_round  # infinite for those who move
        agents.faces[rows] = np.where(held, arctan2(-off[:, 1], -off[:, 0]), np.nan)
        within = np.array([trigger.within for trigger in self.triggers])[self.reaction[rows]]
        safe = np.maximum(within, self._own.safe)
        near = length2(left) < self._own.near**2
        walks = agents.status[rows] == WALKING
        on = near & (length2(off) < safe * safe) & walks
        if on.any():
            self._flee(rows[on], time, guidance)
        # Others who have fled stand where these were to go.
        held_up = time - self._visits.slow_since[rows] > self._settings.stops.crowded_patience
        stay = rows[near & held_up & walks & ~on]
        if len(stay):
            self._visits.send(stay, agents.position[stay], time, guidance, leaves=False)
