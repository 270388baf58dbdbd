# SPDX-License-Identifier: GPL-3.0-or-later
"""What people at stops do, and where they look."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...array_types import Float64, Int64, UInt64
from ...planning import ReferenceSet
from ...scene import LOOK_AT, PLAY_CLIP, SIT, Stop
from ..places.seats import Seats
from ..places.talk_rings import TalkRing
from ..settings.stop_settings import SeatSettings, StopSettings
from ..world import randomness
from ..world.activities import Activity, activity_numbers, choose
from ..world.agents import STOPPED, Agents
from .visit_states import THERE
from .visits import Visits


class StopActivities:
    """Sets `activity`, `gaze`, `seat_height` and `shown_beside` of people at stops, and `position` of who sits.

    Args:
        visits: of people to stops.
        clips: that people play, as `clips_of` says.
        key: uint64 (A,), of each person, for draws.
        settings: how people stop.
    """

    def __init__(self, visits: Visits, clips: Sequence[str], key: UInt64, settings: StopSettings) -> None:
        self._visits, self._settings, stops = visits, settings, visits.trips.stops
        self._looks = np.array([stop.do == LOOK_AT for stop in stops], dtype=bool)
        self._sits = np.array([stop.do == SIT for stop in stops], dtype=bool)
        self._choices = activity_numbers([_seen_at(stop) for stop in stops], clips)
        self._shown = np.zeros(0, dtype=np.int64)
        self._key = key

    def show(self, agents: Agents, paths: ReferenceSet, time: float) -> None:
        """Set what people do at a time [s].

        Args:
            agents: all agents.
            paths: the reference paths, with their heights.
            time: now [s].
        """
        there = np.flatnonzero((agents.status == STOPPED) & (self._visits.phase == THERE))
        before = self._shown
        agents.activity[before], agents.gaze[before], agents.seat_height[before] = Activity.NONE, np.nan, np.nan
        agents.shown_beside[before] = 0.0
        self._shown = np.flatnonzero(agents.status == STOPPED)
        if not len(there):
            return
        stop, ground = agents.stop[there], paths.height(agents.path[there], agents.s[there])
        _, draw = randomness.turns(self._key[there], time, *self._settings.activity_time)
        agents.activity[there] = choose(self._choices, stop, draw)
        looking = self._looks[stop]
        targets = self._visits.stays.seen[there[looking]]
        over_ground = np.isnan(targets[:, 2])
        targets[over_ground, 2] = ground[looking][over_ground] + self._settings.gaze_height
        agents.gaze[there[looking]] = targets
        self._sit(agents, there[self._sits[stop]], ground[self._sits[stop]], time)
        eyes = dict(zip(there.tolist(), (ground + self._settings.gaze_height).tolist(), strict=True))
        rings = {id(ring): ring for row in there.tolist() if (ring := self._visits.claims[row].ring) is not None}
        for ring in rings.values():
            self._talk(agents, ring, eyes, time)

    def _sit(self, agents: Agents, rows: Int64, ground: Float64, time: float) -> None:
        """Let people sit on their seats, on ground of heights, float64 (R,) [m]."""
        own, stays = self._settings.seats, self._visits.stays
        for row, height in zip(rows.tolist(), ground.tolist(), strict=True):
            seats, number = self._visits.claims[row].spots, self._visits.claims[row].spot
            if not isinstance(seats, Seats) or not np.isfinite(stays.sits_since[row]):
                agents.activity[row] = Activity.STAND
                continue
            since, left = time - float(stays.sits_since[row]), float(stays.until[row]) - time
            share, down = seated_share(since, left, own), seated_share(since, np.inf, own)
            point = seats.point[number] + (1.0 - down) * (stays.sits_from[row] - seats.point[number])
            body = point + share * own.knees * (seats.hips[number] - point)  # others walk past the knees
            agents.position[row] = stays.spot[row] = body
            agents.shown_beside[row] = share * (seats.hips[number] - body)
            given = float(seats.height[number])
            agents.seat_height[row] = given if given > height + own.lowest else height + own.height  # NaN: none given

    def _talk(self, agents: Agents, ring: TalkRing, eyes: dict[int, float], time: float) -> None:
        """Let one of a ring talk, and the others listen and look at the speaker; `eyes` are their heights [m]."""
        members = [row for row in sorted(ring.members) if row in eyes]  # the others turn to go
        if len(members) < 2:
            agents.activity[members] = Activity.STAND
            return
        turn, draw = randomness.turns(self._key[members[:1]], time, *self._settings.rings.speaks)
        speaker = int(draw[0] * len(members))
        others = [row for row in members if row != members[speaker]]
        to = others[int(randomness.mixed(self._key[members[:1]], turn + 1_000_000)[0] * len(others))]
        agents.activity[others], agents.activity[members[speaker]] = Activity.LISTEN, Activity.TALK
        for row, target in [(members[speaker], to), *((row, members[speaker]) for row in others)]:
            agents.gaze[row] = (*agents.position[target], eyes[target])


def seated_share(since: float, left: float, settings: SeatSettings) -> float:
    """Return how far somebody has sat down, from 0, standing, to 1.

    Args:
        since: since they began to sit down [s].
        left: until they stand again [s].
        settings: how long they take.
    """
    share = min(since / settings.sit_down_time, left / settings.stand_up_time, 1.0)
    share = max(share, 0.0)
    return share * share * (3.0 - 2.0 * share)


def _seen_at(stop: Stop) -> Sequence[str]:
    """Return the activities of people at a stop."""
    if stop.do == PLAY_CLIP:
        return [f"play_clip:{stop.clip}"]
    return ["sit"] if stop.do == SIT else stop.activities or ["stand"]
