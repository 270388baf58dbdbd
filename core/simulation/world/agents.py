# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of everybody, as arrays with agents first.

Of places and velocities, rows are taken by `take(rows, 0)`: indexing with an array takes ten times as long.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...array_types import Bool, Float64, Int64
from .activities import ShownActivities

OUTSIDE, WALKING, ARRIVED, GONE, STOPPED, BYSTANDING = 0, 1, 2, 3, 4, 5
_TAKES_PART = np.isin(np.arange(6), (WALKING, ARRIVED, STOPPED))  # of each status

ARRIVAL_DISTANCE = 0.3
"""Nearer to its goal than this, or than its radius, a body has arrived [m]."""


def put_rows(values: NDArray[Any], rows: Int64, new: NDArray[Any]) -> None:
    """Replace some rows, int64 (N,), of an array; of vectors by column, which takes a third of the time."""
    if values.ndim == 1:
        values[rows] = new
        return
    for column in range(values.shape[1]):
        values[:, column][rows] = new[:, column]


@dataclass(eq=False)
class Agents:
    """A agents: what they are, and where they are now.

    Attributes:
        crowd: int64 (A,), index of the crowd.
        path: int64 (A,), index of the reference path.
        radius, wanted_speed, wanted_offset: float64 (A,) [m, m/s, m].
        entry_time: float64 (A,), when each may enter, from the first frame on [s]; infinite: never.
        sets_off: float64 (A,), when each begins to walk [s].
        end: float64 (A,), arc length at which the path ends [m]; infinite for those on closed routes.
        goal: float64 (A, 2), places to go to [m]; NaN for those who follow a route.
        leaves, avoids: bool (A,), whether they disappear on arrival; whether they avoid others.
        refused: bool (A,), whether each has no route and stays.
        status: int8 (A,), OUTSIDE, WALKING, ARRIVED, GONE or, at a stop, STOPPED; BYSTANDING for
            bystanders, who take part in no time step.
        position, velocity: float64 (A, 2) [m, m/s].
        heading: float64 (A,) [rad], unwrapped.
        s, d: float64 (A,), place along and beside the reference [m].
        unhindered_time: float64 (A,), time for the whole path alone at the wanted speed [s].
        waits: bool (A,), whose route leads through a mover that blocks it and will open.
        lane: float64 (A,), preferred position across the free width of a corridor, 0 (right) to 1 (left).
        precedence: float64 (A,), from -1 to 1: higher goes first where two meet.
        model: int8 (A,), avoidance model of each, its place in `core.scene.MODEL_NAMES`; 0 for who avoids nobody.
        pace: float64 (A,), preferred speed at the current density [m/s].
        group: int64 (A,), the number of each one's group; -1 for those who walk alone.
        rolls: bool (A,), whether each can move only where it faces (wheels).
        beside: float64 (A,), preferred offset to the left of the middle of the group [m].
        waited: float64 (A,), how long each has waited for its group [s].
        delay: float64 (A,), from a command to when the body carries it out [s].
        slope_effect: float64 (A,), how much each slows down on slopes, 0 to 1.
        time_gap: float64 (A,), time that each keeps behind whoever walks ahead [s].
        personal_space: float64 (A,), room that each keeps beside people whom it passes, where there is room [m].
        reach: float64 (A,), of arms beyond the body: so much more room each keeps to obstacles, if there is any [m].
        stop: int64 (A,), the number of the stop to which each walks or at which each is; -1 for none. Written by
            `visits/visits.py`, as all that follows.
        visits: bool (A,), whether each is at a stop, or on the way there or back.
        firm: bool (A,), whether each stands because they want to, and is not pushed off: at the goal, at a stop,
            before a shut door. Written by `guidance/standing_people.py` and `behaviours/`.
        faces: float64 (A,), the direction to which people who stand turn [rad]; NaN: they stay as they are.
        redirected: bool (A,), whether each no longer goes to the goal of their crowd.
        has_arrived: bool (A,), whether each has been at the goal, and was not sent on since.
        stop_time: float64 (A,), how much longer stops make the journey of each [s].
        activity: int8 (A,), places in `ACTIVITY_NAMES`: what each does. Written by `visits/stop_activities.py`, as all
            that follows.
        gaze: float32 (A, 3), the point at which each looks [m]; NaN for nowhere in particular.
        seat_height: float32 (A,), of the seat on which each sits, or to which they step in [m]; NaN for others.
        floor: float64 (A,), the height of what a bystander stands on [m]; NaN for the ground.
        shown_beside: float64 (A, 2), how far beside its place in the simulation each is shown: on a seat [m].
    """

    crowd: Int64
    path: Int64
    radius: Float64
    wanted_speed: Float64
    wanted_offset: Float64
    entry_time: Float64
    sets_off: Float64
    end: Float64
    goal: Float64
    leaves: Bool
    avoids: Bool
    refused: Bool
    status: NDArray[np.int8]
    position: Float64
    velocity: Float64
    heading: Float64
    s: Float64
    d: Float64
    unhindered_time: Float64
    waits: Bool
    lane: Float64
    precedence: Float64
    model: NDArray[np.int8]
    pace: Float64
    group: Int64
    rolls: Bool
    beside: Float64
    waited: Float64
    delay: Float64
    slope_effect: Float64
    time_gap: Float64
    personal_space: Float64
    reach: Float64
    stop: Int64 = field(init=False)
    visits: Bool = field(init=False)
    firm: Bool = field(init=False)
    faces: Float64 = field(init=False)
    redirected: Bool = field(init=False)
    has_arrived: Bool = field(init=False)
    stop_time: Float64 = field(init=False)
    activity: NDArray[np.int8] = field(init=False)
    gaze: NDArray[np.float32] = field(init=False)
    seat_height: NDArray[np.float32] = field(init=False)
    shown_beside: Float64 = field(init=False)
    floor: Float64 = field(init=False)

    def __post_init__(self) -> None:
        count = len(self.crowd)
        self.stop, self.faces = np.full(count, -1), np.full(count, np.nan)
        self.redirected, self.has_arrived, self.visits, self.firm = np.zeros((4, count), dtype=bool)
        self.stop_time = np.zeros(count)
        self.activity, self.gaze, self.seat_height = ShownActivities.none(count)
        self.shown_beside, self.floor = np.zeros((count, 2)), np.full(count, np.nan)

    def __len__(self) -> int:
        return len(self.crowd)

    def have_goals(self, rows: Int64) -> Bool:
        """Return bool (R,), which of some people go to places of their own; the others follow a route."""
        return np.isfinite(self.goal[:, 0][rows])

    @property
    def shown(self) -> Bool:
        """Bool (A,), whether each is in the scene now, and is recorded."""
        return self.present | (self.status == BYSTANDING)

    @property
    def present(self) -> Bool:
        """Bool (A,), whether each is in the scene now and takes part in the time step."""
        return _TAKES_PART[self.status]


class PeopleOnFoot(NamedTuple):
    """Who is on foot.

    Attributes:
        position: float64 (N, 2) [m].
        velocity: float64 (N, 2) [m/s].
        radius: float64 (N,) [m].
        height: float64 (N,), of the ground under them; NaN where they count on all levels [m].
    """

    position: Float64
    velocity: Float64
    radius: Float64
    height: Float64
