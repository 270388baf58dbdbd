# SPDX-License-Identifier: GPL-3.0-or-later
"""What bystanders do: they sit, stand up to cheer, talk, each at times of their own.

Something may happen that makes them stand up and walk: from then on they are like all others who walk.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import arctan2, heading_vector, length
from ...scene import SIT, TALK, Crowd
from ..population.population import PeopleAtStart
from ..settings.stop_settings import StopSettings
from ..world import randomness
from ..world.activities import Activity, activity_numbers, choose
from ..world.agents import BYSTANDING, WALKING, Agents
from ..world.doing import NOBODY, Decisions, Doing
from .bystanders import BystandersAtStart
from .nearby_bodies import NearbyBodies
from .seats import seat_heights


class Bystanders:
    """The bystanders of a scene.

    Args:
        people: of the scene, where they are at the start.
        begin: in which rings and on which seats.
        settings: how people stand, sit and talk.

    Attributes:
        rows: int64 (N,), who they are, and have not walked away.
        left: int64 (L,), those who have.
        bodies: of all of them, for those who walk; None where there are none.
    """

    def __init__(self, people: PeopleAtStart, begin: BystandersAtStart, settings: StopSettings) -> None:
        agents, crowds = people.agents, people.crowds
        rows = self.rows = np.flatnonzero(agents.status == BYSTANDING)
        self._settings, crowd = settings, agents.crowd[rows]
        self._key = people.keys("activities")[rows]
        self._choices, self._crowd = activity_numbers([_activities_of(each) for each in crowds]), crowd
        self._sits_down = np.array([SIT in each.activities for each in crowds], dtype=bool)[crowd]
        self._seat = begin.seat_height[rows]
        self._sits, self._changed = np.zeros(len(rows), dtype=bool), np.full(len(rows), np.nan)
        self._performed, self._until = np.zeros(len(rows), dtype=np.int64), np.full(len(rows), -np.inf)
        self._ahead = settings.seats.reach[0] * heading_vector(agents.heading[rows])
        looks = [(*each.look_at, np.nan)[:3] if each.look_at else (np.nan,) * 3 for each in crowds]
        self._look = np.array(looks, dtype=np.float64).reshape(-1, 3)[crowd]
        self._ring, self._rises = begin.ring[rows], np.zeros(len(rows), dtype=bool)
        self._looks_at, self._home = np.full((len(rows), 3), np.nan), agents.heading[rows]
        self.left = rows[:0]
        self._stand(agents)

    def _stand(self, agents: Agents) -> None:
        """Find the rings and bodies of all who are there."""
        rows, reach = self.rows, self._settings.bystanders.reach
        self._first, self._number, self._size = _rings(self._crowd, self._ring)
        ahead = np.where(self._sits_down, np.where(self._rises, 1.0, self._settings.seats.knees), 0.0)
        place = agents.position[rows] + ahead[:, None] * self._ahead  # who rises will stand before the seat
        self.bodies = NearbyBodies(place, agents.radius[rows], reach) if len(rows) else None

    def show(self, agents: Agents, ground: Float64, time: float) -> Decisions:
        """Set what they do at a time [s], and return it as what they decided.

        Args:
            agents: all agents.
            ground: float64 (N,), the height on which each stands [m].
            time: now [s].
        """
        rows, own = self.rows, self._settings
        _, draw = randomness.turns(self._key, time, *own.activity_time)
        wish = choose(self._choices, self._crowd, draw)
        performs = time < self._until
        wish = np.where(self._rises, Activity.STAND, np.where(performs, self._performed, wish))
        turned = np.flatnonzero(np.isfinite(agents.faces[rows]) & ~performs)
        agents.faces[rows[turned]] = self._home[turned]
        look = np.where((performs & np.isfinite(self._looks_at[:, 0]))[:, None], self._looks_at, self._look)
        agents.gaze[rows] = look
        level = np.isnan(look[:, 2]) & np.isfinite(look[:, 0])
        agents.gaze[rows[level], 2] = (ground + own.gaze_height)[level]
        self._talk(agents, wish, ~performs, ground, time)
        agents.activity[rows] = self._sit(agents, wish, ground, time)
        doing = np.full(len(rows), Doing.STANDING, dtype=np.int8)
        doing[agents.activity[rows] == Activity.SIT] = Doing.SITTING
        doing[np.isin(agents.activity[rows], (Activity.TALK, Activity.LISTEN))] = Doing.TALKING
        nobody = np.full(len(rows), NOBODY, dtype=np.int64)
        return Decisions(doing, nobody, np.zeros((len(rows), 2)), np.full(len(rows), -1))

    def _sit(self, agents: Agents, wish: Int64, ground: Float64, time: float) -> Int64:
        """Return the activity of each by their wishes, int64 (N,); those with seats sit and stand up."""
        own, rows = self._settings.seats, self.rows
        wants = self._sits_down & (wish == Activity.SIT)
        new = np.isnan(self._changed)
        self._changed[new], self._sits[new] = -np.inf, wants[new]
        since = time - self._changed
        turns = (wants != self._sits) & (since >= np.where(self._sits, own.sit_down_time, own.stand_up_time))
        self._sits[turns], self._changed[turns], since[turns] = wants[turns], time, 0.0
        share = np.clip(since / np.where(self._sits, own.sit_down_time, own.stand_up_time), 0.0, 1.0)
        share = share * share * (3.0 - 2.0 * share)
        seated = np.where(self._sits, share, 1.0 - share)
        shown = np.where(self._sits_down, seated > 0.0, False)  # while they sit down and stand up, too
        agents.shown_beside[rows] = np.where(self._sits_down, 1.0 - seated, 0.0)[:, None] * self._ahead
        agents.seat_height[rows] = np.where(shown, seat_heights(self._seat, ground, own), np.nan)
        waits = np.where(wish == Activity.SIT, Activity.STAND, wish)
        return np.where(shown, Activity.SIT, waits)

    def perform(self, agents: Agents, rows: Int64, until: Float64, activity: int, target: Float64 | None) -> None:
        """Let some of them do something until a time, and as much longer as they need to stand up.

        Args:
            agents: all agents.
            rows: int64 (R,), who, by their rows among all agents.
            until: float64 (R,) [s].
            activity: what they do; nobody leaves a seat only to stand.
            target: float64 (3,), to which they turn, and look [m]; None for none.
        """
        own = np.searchsorted(self.rows, rows)
        stays = self._sits_down[own] & (activity == Activity.STAND)
        rises = np.where(self._sits[own] & ~stays, self._settings.seats.stand_up_time, 0.0)
        self._performed[own], self._until[own] = np.where(stays, Activity.SIT, activity), until + rises
        self._looks_at[own] = np.nan if target is None else target
        if target is not None:
            turns = rows[~self._sits_down[own]]
            off = target[:2] - agents.position[turns]
            agents.faces[turns] = arctan2(off[:, 1], off[:, 0])

    def rise(self, agents: Agents, rows: Int64, time: float) -> Float64:
        """Let some of them stand up for good, and return when each stands, float64 (R,) [s]; those who do: now."""
        own, seats = np.searchsorted(self.rows, rows), self._settings.seats
        self._rises[own] = True
        self._stand(agents)
        begin = np.maximum(self._changed[own] + seats.sit_down_time, time)  # who sits down comes to sit first
        until = np.where(self._sits[own], begin, self._changed[own]) + seats.stand_up_time
        return np.where(self._sits_down[own], np.fmax(until, time), time)

    def leave(self, agents: Agents, rows: Int64) -> None:
        """Let some of those who stand walk from now on."""
        agents.position[rows] += agents.shown_beside[rows]
        agents.status[rows], agents.activity[rows], agents.faces[rows] = WALKING, Activity.NONE, np.nan
        agents.shown_beside[rows], agents.seat_height[rows], agents.gaze[rows] = 0.0, np.nan, np.nan
        stays = ~np.isin(self.rows, rows)
        self.left = np.concatenate([self.left, rows])
        for name in _OF_EACH:
            setattr(self, name, getattr(self, name)[stays])
        self._stand(agents)

    def come_down(self, agents: Agents, ground: Float64, interval: float) -> None:
        """Let those who have left step down, or up, from what they stood on to the ground.

        Args:
            agents: all agents.
            ground: float64 (L,), the height of the ground under each [m].
            interval: since they did so before [s].
        """
        velocity = agents.velocity[self.left]
        most = self._settings.bystanders.steepest * interval * length(velocity)
        agents.floor[self.left] += np.clip(ground - agents.floor[self.left], -most, most)

    def _talk(self, agents: Agents, wish: Int64, may: Bool, ground: Float64, time: float) -> None:
        """Let one of each ring talk, and the others listen and look at the speaker; only those who may."""
        talks = np.flatnonzero((self._size > 1) & may)
        if not len(talks):
            return
        first, size, rows = self._first[talks], self._size[talks], self.rows
        turn, draw = randomness.turns(self._key[first], time, *self._settings.rings.speaks)
        speaker = (draw * size).astype(np.int64)
        other = 1 + (randomness.mixed(self._key[first], turn + 1_000_000) * (size - 1)).astype(np.int64)
        speaks = speaker == self._number[talks]
        target = first + np.where(speaks, (speaker + other) % size, speaker)
        wish[talks] = np.where(speaks, Activity.TALK, Activity.LISTEN)
        agents.gaze[rows[talks], :2] = agents.position[rows[target]]
        agents.gaze[rows[talks], 2] = ground[target] + self._settings.gaze_height


_OF_EACH = ("rows", "_crowd", "_key", "_sits_down", "_seat", "_sits", "_changed", "_performed", "_until", "_ahead")
_OF_EACH += ("_look", "_looks_at", "_home", "_ring", "_rises")


def _activities_of(crowd: Crowd) -> tuple[str, ...]:
    """Return what the people of a crowd do in turns; those with a seat sit more often than anything else."""
    others = tuple(each for each in crowd.activities if each not in (TALK, SIT))
    return (SIT,) * (3 if others else 1) + others if SIT in crowd.activities else others or ("stand",)


def _rings(crowd: Int64, ring: Int64) -> tuple[Int64, Int64, Int64]:
    """Return of each the first of its ring, its number in it, and how many there are: int64 (N,) each.

    Args:
        crowd: int64 (N,), rising.
        ring: int64 (N,), its ring in the crowd, those of one in a row; -1 for none.
    """
    row = np.arange(len(ring))
    begins = np.ones(len(ring), dtype=bool)
    begins[1:] = (crowd[1:] != crowd[:-1]) | (ring[1:] != ring[:-1]) | (ring[1:] < 0)
    number = np.cumsum(begins) - 1
    first = row[begins][number] if len(row) else row
    return first, row - first, np.bincount(number, minlength=1)[number] if len(row) else row
