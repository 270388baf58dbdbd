# SPDX-License-Identifier: GPL-3.0-or-later
"""What people at stops do, and where they look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...array_types import Float64, Int64, UInt64
from ...geometry.reproducible_math import dot, length2
from ...planning import ReferenceSet
from ...scene import LOOK_AT, PLAY_CLIP, SIT, Stop
from ..places.seats import seat_heights
from ..settings.stop_settings import SeatSettings, StopSettings
from ..world import randomness
from ..world.activities import Activity, ShownActivities, activity_numbers, choose
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

    Attributes:
        sitting: int64 (N,), those who are at a stop to sit.
    """

    def __init__(self, visits: Visits, clips: Sequence[str], key: UInt64, settings: StopSettings) -> None:
        self._visits, self._settings, stops = visits, settings, visits.trips.stops
        self._looks = np.array([stop.do == LOOK_AT for stop in stops], dtype=bool)
        self._sits = np.array([stop.do == SIT for stop in stops], dtype=bool)
        self._choices = activity_numbers([_seen_at(stop) for stop in stops], clips)
        self._key = key
        nobody = np.zeros(0, dtype=np.int64)
        self._shown = _Shown.of(nobody, nobody, ShownActivities.none(0).activity)
        self._lasts = -np.inf  # until when nobody begins to do something else of their own accord [s]
        self._seated, self.sitting = np.zeros(len(key), dtype=bool), nobody
        self._talkers, self._looked_at = nobody, nobody  # in rings

    def show(self, agents: Agents, paths: ReferenceSet, time: float) -> tuple[Int64, Int64]:
        """Set what people do at a time [s], and return who stand, and at which stop each is; -1 for none: int64 (N,).

        Args:
            agents: all agents.
            paths: the reference paths, with their heights.
            time: now [s].
        """
        rows = np.flatnonzero(agents.status == STOPPED)
        stop = np.where(self._visits.phase[rows] == THERE, agents.stop[rows], -1)
        before = self._shown.rows
        if time < self._lasts and _Shown.of(rows, stop, agents.activity[rows]).bits == self._shown.bits:
            if self.move(agents, paths, time):
                self._shown = _Shown.of(rows, stop, agents.activity[rows])
            return rows, stop
        agents.activity[before], agents.gaze[before], agents.seat_height[before] = Activity.NONE, np.nan, np.nan
        agents.shown_beside[before], self._seated[before] = 0.0, False
        self._lasts, self.sitting, self._talkers = np.inf, before[:0], before[:0]
        if len(there := rows[stop >= 0]):
            self._begin(agents, there, paths, time)
        self._shown = _Shown.of(rows, stop, agents.activity[rows])
        return rows, stop

    def _begin(self, agents: Agents, there: Int64, paths: ReferenceSet, time: float) -> None:
        """Let those who are at stops, int64 (N,), do what they do there at a time [s]."""
        stop, ground = agents.stop[there], paths.height(agents.path[there], agents.s[there])
        turn, draw = randomness.turns(self._key[there], time, *self._settings.activity_time)
        self._lasts = float(randomness.ends_of_turns(self._key[there], turn, *self._settings.activity_time).min())
        agents.activity[there] = choose(self._choices, stop, draw)
        looking = self._looks[stop]
        if looking.any():
            targets = self._visits.stays.seen[there[looking]]
            own_height = targets[:, 2]
            targets[:, 2] = np.where(np.isnan(own_height), ground[looking] + self._settings.gaze_height, own_height)
            agents.gaze[there[looking]] = targets
        self.sitting = there[self._sits[stop]]
        if len(self.sitting):
            self._sit(agents, self.sitting, paths, time)
        if self._visits.stays.rings:
            eyes = np.full(len(agents), np.nan)
            eyes[there] = ground + self._settings.gaze_height
            self._talk(agents, eyes, time)

    def move(self, agents: Agents, paths: ReferenceSet, time: float) -> bool:
        """Let people at stops sit down and stand up, stay on their seats, and look at a speaker who moves.

        Args:
            agents: all agents.
            paths: the reference paths, with their heights.
            time: now [s].

        Returns:
            whether somebody sits down or stands up.
        """
        if len(self._talkers):
            agents.gaze[self._talkers, :2] = agents.position[self._looked_at]
        rows, stays = self.sitting, self._visits.stays
        if not len(rows):
            return False
        rises = self._settings.seats.stand_up_time + stays.steps_in[rows]
        moves = ~self._seated[rows] | (stays.until[rows] - time < rises)
        moves &= stays.sits_since[rows] < np.inf
        seated = rows[self._seated[rows] & ~moves]
        agents.position[seated] = stays.spot[seated]
        if len(moving := rows[moves]):
            self._sit(agents, moving, paths, time)
        return len(moving) > 0

    def _sit(self, agents: Agents, rows: Int64, paths: ReferenceSet, time: float) -> None:
        """Let people sit on their seats, as far as they have sat down."""
        own, stays = self._settings.seats, self._visits.stays
        ground = paths.height(agents.path[rows], agents.s[rows])
        above = stays.seat_height[rows] - ground
        high = above > own.reached
        if high.any():
            agents.activity[rows[high]] = Activity.STAND
            self._visits.leave_seats(rows[high], above[high], time)
            rows, ground = rows[~high], ground[~high]
        sits = np.isfinite(stays.sits_since[rows])
        agents.activity[rows] = Activity.STAND
        if not sits.any():
            return
        if not sits.all():
            rows, ground = rows[sits], ground[sits]
        steps_in = stays.steps_in[rows]
        since, left = time - stays.sits_since[rows], stays.until[rows] - time - steps_in
        steps = (steps_in > 0.0) & (np.minimum(since, left) < 0.0)  # in or out
        agents.activity[rows] = np.where(steps, Activity.STAND, Activity.SIT)
        share, down = seated_share(since, left, own)[:, None], seated_share(since, np.inf, own)[:, None]
        point, hips = self._points_before(rows, since, left, down), stays.hips[rows]
        body = point + share * own.knees * (hips - point)  # others walk past the knees
        agents.position[rows] = stays.spot[rows] = body
        agents.shown_beside[rows], self._seated[rows] = share * (hips - body), (share == 1.0)[:, 0]
        given = stays.seat_height[rows]
        agents.seat_height[rows] = seat_heights(given, ground, own)
        low = given < ground + own.lowest
        if low.any():
            self._visits.trips.missed.find_low(agents.stop[rows[low]])

    def _points_before(self, rows: Int64, since: Float64, left: Float64, down: Float64) -> Float64:
        """Return float64 (R, 2), where people stand before their seats: they come there as they sit down, or before.

        Args:
            rows: int64 (R,), who.
            since: float64 (R,), when they began to sit down; below 0 while they step in from beside the seat [s].
            left: float64 (R,), until they have stood up; below 0 while they step out again [s].
            down: float64 (R, 1), how far they have sat down.
        """
        stays = self._visits.stays
        stood, point, steps_in = stays.sits_from[rows], stays.before_seat[rows], stays.steps_in[rows]
        found = point + (1.0 - down) * (stood - point)
        some = np.flatnonzero(steps_in)
        if len(some):  # in a bow round the front of the seat
            share = np.clip(1.0 + np.minimum(np.minimum(since, left)[some] / steps_in[some], 0.0), 0.0, 1.0)
            share = (share * share * (3.0 - 2.0 * share))[:, None]
            ahead = point[some] - stays.hips[rows[some]]
            way = point[some] - stood[some]
            corner = stood[some] + (dot(way, ahead) / length2(ahead))[:, None] * ahead
            rest = 1.0 - share
            found[some] = rest * rest * stood[some] + 2.0 * share * rest * corner + share * share * point[some]
        return found

    def _talk(self, agents: Agents, eyes: Float64, time: float) -> None:
        """Let one of each ring talk, and the others listen and look at the speaker.

        `eyes`, float64 (A,), are the heights of those who are there [m]; NaN for those who turn to go.
        """
        rings = [sorted(ring.members) for ring in self._visits.stays.rings]
        rings = [[row for row in ring if eyes[row] == eyes[row]] for ring in rings]
        agents.activity[[row for ring in rings if len(ring) < 2 for row in ring]] = Activity.STAND
        rings = [ring for ring in rings if len(ring) > 1]
        if not rings:
            return
        key = self._key[[ring[0] for ring in rings]]
        turn, draw = randomness.turns(key, time, *self._settings.rings.speaks)
        ends = randomness.ends_of_turns(key, turn, *self._settings.rings.speaks)
        self._lasts = min(self._lasts, float(ends.min()))
        speakers, looks, targets = [], [], []
        for ring, one, two in zip(rings, draw.tolist(), randomness.mixed(key, turn + 1_000_000).tolist(), strict=True):
            speaker = ring[int(one * len(ring))]
            others = [row for row in ring if row != speaker]
            speakers.append(speaker)
            looks += [speaker, *others]
            targets += [others[int(two * len(others))], *(speaker for _ in others)]
        agents.activity[looks], agents.activity[speakers] = Activity.LISTEN, Activity.TALK
        agents.gaze[looks] = np.column_stack([agents.position[targets], eyes[targets]])
        self._talkers, self._looked_at = np.array(looks), np.array(targets)


class _Shown(NamedTuple):
    """What is shown of the N people who stand, so that nothing is looked up anew while it stays the same.

    Attributes:
        rows: int64 (N,), who.
        bits: these, at which stop each is, -1 for none, and the activity of each.
    """

    rows: Int64
    bits: tuple[bytes, bytes, bytes]

    @classmethod
    def of(cls, rows: Int64, stop: Int64, activity: NDArray[np.int8]) -> _Shown:
        """Return that of some people: rows and stops int64 (N,), activities int8 (N,)."""
        return cls(rows, (rows.tobytes(), stop.tobytes(), activity.tobytes()))


def seated_share(since: Float64, left: Float64 | float, settings: SeatSettings) -> Float64:
    """Return float64 (R,), how far people have sat down, from 0, standing, to 1.

    Args:
        since: float64 (R,), since they began to sit down [s].
        left: float64 (R,), or one for all, until they stand again [s].
        settings: how long they take.
    """
    share = np.minimum(since / settings.sit_down_time, left / settings.stand_up_time)
    share = np.minimum(np.maximum(share, 0.0), 1.0)
    return share * share * (3.0 - 2.0 * share)


def _seen_at(stop: Stop) -> Sequence[str]:
    """Return the activities of people at a stop."""
    if stop.do == PLAY_CLIP:
        return [f"play_clip:{stop.clip}"]
    return ["sit"] if stop.do == SIT else stop.activities or ["stand"]
