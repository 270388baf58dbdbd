# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a person does what they do at a frame of a recorded scene: the recorded reason, and the route ahead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..array_types import Float64
from ..simulation.world.doing import Doing
from ..trajectories import Reasons
from .replay import Moment, Replay


@dataclass(frozen=True)
class ReasonSettings:
    """How reasons are completed.

    Attributes:
        obstacle_distance: length of the route ahead that is searched for what blocks a waiting person [m]; chosen: a
            door's width.
    """

    obstacle_distance: float = 2.5


_SETTINGS = ReasonSettings()


@dataclass(frozen=True, eq=False)
class Why:
    """What one agent does and why.

    Attributes:
        doing: as recorded; None where nothing is recorded.
        because_of: the agent that made it do so, as recorded; None for nobody.
        wish: float64 (2,), preferred velocity before avoidance, as recorded [m/s]; None where nothing is recorded.
        speed, wanted_speed: now, and alone on a free path [m/s].
        place: float64 (2,), where an obstacle blocks a person recorded as waiting [m]; None for others.
        way_left: length of the route ahead to the goal or the end [m]; NaN if unknown.
        no_way: the reason why a person recorded as without a route has none; empty for others.
        stop: the name of the stop to which a person walks or at which it is; empty for others.
        queue_place: the place of a person in a queue, 1 for who is served next; 0 for others.
    """

    doing: Doing | None
    because_of: int | None
    wish: Float64 | None
    speed: float
    wanted_speed: float
    place: Float64 | None = None
    way_left: float = np.nan
    no_way: str = ""
    stop: str = ""
    queue_place: int = 0


def explain(replay: Replay, agent: int, moment: Moment) -> Why:
    """Return why an agent who is present does what it does.

    Args:
        replay: of the recorded scene, with its recorded reasons.
        agent: its number.
        moment: the frame.

    Raises:
        SceneError: the scene cannot be set up as it was.
    """
    row, recorded = moment.frame - replay.scene.frames[0], replay.reasons
    doing, because_of = int(recorded.doing[row, agent]), int(recorded.because_of[row, agent])
    done = Doing(doing) if doing >= 0 else None
    why: dict[str, Any] = {
        "doing": done,
        "because_of": because_of if because_of >= 0 else None,
        "wish": None if done is None else recorded.wish[row, agent].astype(np.float64),
        "speed": float(np.hypot(*moment.velocity[agent])),
        "wanted_speed": float(replay.agents.wanted_speed[agent]),
    }
    number = int(recorded.stop[row, agent])
    if number >= 0:
        stops = [stop.name for stop in replay.scene.all_stops]
        return Why(**why, stop=stops[number], queue_place=_place_in_queue(recorded, row, agent))
    if done is Doing.ARRIVED:
        return Why(**why, way_left=0.0)
    way = replay.way_ahead(agent, moment)
    if isinstance(way, str):
        return Why(**why, no_way=way if done is Doing.NO_ROUTE else "")
    left, place = _along(replay, moment, way[0])
    return Why(**why, way_left=left, place=place if done is Doing.WAITING else None)


def _place_in_queue(recorded: Reasons, row: int, agent: int) -> int:
    """Return somebody's place in a queue, from 1 on, by who is recorded ahead of whom; 0 for those in none."""
    place = 0
    while agent >= 0 and recorded.doing[row, agent] in (Doing.IN_QUEUE, Doing.SERVED):
        place, agent = place + 1, int(recorded.because_of[row, agent])
    return place


def _along(replay: Replay, moment: Moment, line: Float64) -> tuple[float, Float64 | None]:
    """Return the length of the route ahead [m], and the first blocked point on it, float64 (2,), or None."""
    steps = np.hypot(*np.diff(line, axis=0).T)
    since = np.concatenate([[0.0], np.cumsum(steps)])
    near = line[since <= _SETTINGS.obstacle_distance]
    closed = replay.is_closed(near, moment)
    return float(since[-1]), near[np.argmax(closed)] if closed.any() else None
