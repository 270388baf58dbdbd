# SPDX-License-Identifier: GPL-3.0-or-later
"""What somebody is doing, because of whom, and what they want: decided in a time step and recorded with each frame."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...array_types import Float64, Int64
from .agents import put_rows

NOBODY = -1
"""Stands in `because_of` for those who act because of nobody."""

NOT_RECORDED = -1
"""Stands in `doing` where somebody is absent."""


class Doing(IntEnum):
    """What a person or a vehicle is doing: the number that is recorded, and its name for users.

    New ones are added at the end: saved bakes hold the numbers.
    """

    def __new__(cls, number: int, title: str) -> Doing:
        """Make a number that has a name."""
        made = int.__new__(cls, number)
        made._value_, made.title = number, title
        return made

    title: str

    WALKING = 0, "walking"
    FOLLOWING = 1, "following the people ahead"
    WITH_GROUP = 2, "staying with the group"
    MAKING_WAY = 3, "avoiding somebody"
    HELD_UP = 4, "held up"
    QUEUEING = 5, "queueing at a door"
    LETTING_THROUGH = 6, "letting others through"
    DODGING = 7, "avoiding a moving obstacle"
    SIDE_STEPPING = 8, "side-stepping an obstacle"
    ON_DETOUR = 9, "on a detour"
    WAITING = 10, "waiting for a blocked path"
    NO_ROUTE = 11, "no route"
    STANDING = 12, "standing"
    ARRIVED = 13, "arrived"
    DRIVING = 14, "driving"
    FOLLOWING_VEHICLE = 15, "following a vehicle"
    QUEUEING_IN_LANE = 16, "queueing in the lane"
    GIVING_WAY = 17, "giving way"
    STOPPING_FOR_PEOPLE = 18, "stopping for people"
    STOPPING_FOR_OBSTACLE = 19, "stopping for an obstacle"
    GOING_TO_STOP = 20, "walking to a stop"
    AT_STOP = 21, "standing at a stop"
    LOOKING = 22, "looking at something"
    IN_QUEUE = 23, "waiting in a queue"
    SERVED = 24, "being served"
    TALKING = 25, "talking"
    SITTING = 26, "sitting"
    WAITING_FOR_EVENT = 27, "waiting for something to happen"
    PLAYING_CLIP = 28, "playing a clip"
    FLEEING = 29, "fleeing"
    RUNNING = 30, "running"
    REACTING = 31, "reacting to something"
    GOING_ELSEWHERE = 32, "going elsewhere"
    OVERTAKING = 33, "overtaking somebody slower"
    NOT_SET_OFF = 34, "about to set off"


DOING_NAMES = tuple(each.title for each in Doing)
"""What each `Doing` is called, by its number."""

AT_STOPS = (Doing.AT_STOP, Doing.LOOKING, Doing.IN_QUEUE, Doing.SERVED, Doing.TALKING, Doing.SITTING)
AT_STOPS += (Doing.WAITING_FOR_EVENT, Doing.PLAYING_CLIP, Doing.REACTING, Doing.NOT_SET_OFF)
"""What those do who stand because they want to."""


class AgentNumbers(NamedTuple):
    """How people and vehicles are numbered together.

    Attributes:
        people: int64 (N,), of those on foot now, in the order in which vehicles see them; `NOBODY` for heroes.
        first_vehicle: the number of the first vehicle.
    """

    people: Int64
    first_vehicle: int


class Decisions(NamedTuple):
    """What N people or vehicles have decided in a time step.

    Attributes:
        doing: int8 (N,), a `Doing`.
        because_of: int64 (N,), the number of the agent that made them do so; `NOBODY` for none.
        wish: float64 (N, 2), preferred velocity before avoidance [m/s].
        stop: int64 (N,), the number of the stop to which each walks or at which each is; -1 for none.
    """

    doing: NDArray[np.int8]
    because_of: Int64
    wish: Float64
    stop: Int64

    @classmethod
    def none(cls, count: int) -> Decisions:
        """Return those of `count` agents who have not decided anything yet."""
        doing = np.full(count, NOT_RECORDED, dtype=np.int8)
        return cls(doing, np.full(count, NOBODY, dtype=np.int64), np.full((count, 2), np.nan), np.full(count, -1))

    def take(self, rows: Int64) -> Decisions:
        """Return those of some agents."""
        return Decisions(self.doing[rows], self.because_of[rows], self.wish.take(rows, 0), self.stop[rows])

    def put(self, rows: Int64, decisions: Decisions) -> None:
        """Replace those of some agents."""
        for values, new in zip(self, decisions, strict=True):
            put_rows(values, rows, new)
