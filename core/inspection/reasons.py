# SPDX-License-Identifier: GPL-3.0-or-later
"""Why somebody does what it does at a frame of a recorded scene: what it is doing, whom it minds, and its way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..geometry.reproducible_math import cos_sin
from ..simulation.doing import Doing
from ..steering.half_planes import OBSTACLE, HalfPlanes
from .replay import Moment, Replay, Steering

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

SLOW = 0.3
"""Slower than this share of the wanted speed, somebody is kept from walking."""

YIELDING = 0.1
"""A velocity that is so far from the wanted one makes way for somebody [m/s]."""

REACH = 1.2
"""So far beyond both bodies somebody ahead keeps one from walking [m]."""

AHEAD = 0.4
"""Cosine of the angle within which somebody is ahead."""

SAME_WAY = 0.5
"""Cosine of the angle between the headings of two who go the same way."""

CLOSED_WITHIN = 2.5
"""What closes the way within this is what somebody who stands is waiting for [m]."""

SOON = 2.0
"""So far ahead a plan is told [s]."""


@dataclass(frozen=True, eq=False)
class Why:
    """What one agent does and why.

    Attributes:
        doing: in one word.
        speed, wanted_speed: now, and alone on a free way [m/s].
        because_of: the agent whom it makes way for, queues behind, or is held up by; None for nobody.
        place: float64 (2,), of what closes the way of who waits [m]; None for who does not.
        in_the_way: numbers of those who forbid it what it wants, the nearest first.
        minded: numbers of all others whom it keeps clear of, the nearest first.
        way_left: way ahead to the goal or the end [m]; NaN where that is not known.
        no_way: the sentence that says why there is no way; empty where there is one.
        plan: where its plan leads in `SOON`: speed [m/s] and offset from its line [m], left is positive; None where it
            has none.
        brakes: every way that its plan could take is closed.
    """

    doing: Doing
    speed: float
    wanted_speed: float
    because_of: int | None
    place: Float64 | None
    in_the_way: tuple[int, ...]
    minded: tuple[int, ...]
    way_left: float
    no_way: str
    plan: tuple[float, float] | None
    brakes: bool


def explain(replay: Replay, agent: int, moment: Moment) -> Why:
    """Say why an agent who is present does what it does.

    Args:
        replay: of the recorded scene.
        agent: its number.
        moment: of when.

    Raises:
        SceneError: the scene cannot be set up as it was.
    """
    speed = float(np.hypot(*moment.velocity[agent]))
    wanted_speed = float(replay.agents.wanted_speed[agent])
    if replay.has_arrived(agent, moment):
        return Why(Doing.ARRIVED, speed, wanted_speed, None, None, (), (), 0.0, "", None, False)
    steering = replay.steering(agent, moment) if replay.agents.avoids[agent] else None
    in_the_way, minded = _minded(replay, agent, moment, steering)
    way = replay.way_ahead(agent, moment)
    no_way = way if isinstance(way, str) else ""
    left, place = (np.nan, None) if isinstance(way, str) else _along(replay, moment, way[0])
    plan, brakes = _plan(replay, agent, moment)
    doing, because_of = _doing(replay, agent, moment, steering, (*in_the_way, *minded))
    if doing in {Doing.STANDING, Doing.HELD_UP, Doing.QUEUEING} and no_way:
        doing = Doing.NO_ROUTE
    elif doing is Doing.STANDING and place is not None:
        doing = Doing.WAITING
    place = place if doing is Doing.WAITING else None
    return Why(doing, speed, wanted_speed, because_of, place, in_the_way, minded, left, no_way, plan, brakes)


def _minded(
    replay: Replay, agent: int, moment: Moment, steering: Steering | None
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Who forbids an agent what it wants, and who else is minded, the nearest first."""
    if steering is None:
        return (), ()
    if steering.planes is None:
        ahead = _near(replay, agent, moment, reach=3.0)
        return (), tuple(ahead.tolist())
    planes = steering.planes
    of_people = planes.other != OBSTACLE
    in_the_way = np.unique(planes.other[of_people & _breaks(planes, steering.wanted)])
    minded = np.setdiff1d(planes.other[of_people], in_the_way)
    return tuple(_sorted(moment, agent, in_the_way)), tuple(_sorted(moment, agent, minded))


def _breaks(planes: HalfPlanes, velocity: Float64) -> NDArray[np.bool_]:
    off = velocity - planes.point
    return planes.direction[:, 0] * off[:, 1] - planes.direction[:, 1] * off[:, 0] < 0.0


def _sorted(moment: Moment, agent: int, others: Int64) -> list[int]:
    away = np.hypot(*(moment.position[others, :2] - moment.position[agent, :2]).T)
    return others[np.argsort(away, kind="stable")].tolist()


def _near(replay: Replay, agent: int, moment: Moment, *, reach: float) -> Int64:
    """Those ahead of an agent whose bodies are nearer to its own than `reach` [m], the nearest first."""
    off = moment.position[:, :2] - moment.position[agent, :2]
    distance = np.hypot(*off.T)
    radius = replay.agents.radius
    heading = moment.heading[agent]
    cos, sin = cos_sin(heading)
    along = off[:, 0] * cos + off[:, 1] * sin
    ahead = along > AHEAD * distance
    near = moment.present & ahead & (distance - radius - radius[agent] < reach)
    near[agent] = False
    found = np.flatnonzero(near)
    return found[np.argsort(distance[found], kind="stable")]


def _doing(
    replay: Replay, agent: int, moment: Moment, steering: Steering | None, met: tuple[int, ...]
) -> tuple[Doing, int | None]:
    """What an agent does who has not arrived, by what can be seen, and because of whom."""
    speed = np.hypot(*moment.velocity[agent])
    if speed >= SLOW * replay.agents.wanted_speed[agent]:
        yields = steering is not None and np.hypot(*(steering.taken - steering.wanted)) > YIELDING
        return (Doing.MAKING_WAY, met[0]) if yields and met else (Doing.WALKING, None)
    ahead = _near(replay, agent, moment, reach=REACH)
    if not len(ahead):
        return Doing.STANDING, None
    first = int(ahead[0])
    turned = float(cos_sin(moment.heading[first] - moment.heading[agent])[0])
    is_slow = np.hypot(*moment.velocity[first]) < SLOW * replay.agents.wanted_speed[first]
    if turned > SAME_WAY and is_slow and not replay.has_arrived(first, moment):
        return Doing.QUEUEING, first
    return Doing.HELD_UP, first


def _along(replay: Replay, moment: Moment, line: Float64) -> tuple[float, Float64 | None]:
    """How long the way ahead is [m], and where on its next metres something closes it, float64 (2,), or None."""
    steps = np.hypot(*np.diff(line, axis=0).T)
    since = np.concatenate([[0.0], np.cumsum(steps)])
    near = line[since <= CLOSED_WITHIN]
    closed = replay.is_closed(near, moment)
    return float(since[-1]), near[np.argmax(closed)] if closed.any() else None


def _plan(replay: Replay, agent: int, moment: Moment) -> tuple[tuple[float, float] | None, bool]:
    """Where the plan of an agent leads in `SOON`, and whether it only brakes."""
    if replay.has_left_path(agent, moment):
        return None, False
    plan = replay.planner.plan(replay.planner_input(agent, moment), replay.still(moment).field)
    _, velocity, _, offset, _ = plan.at([0], [SOON])
    return (float(np.hypot(*velocity[0])), float(offset[0])), bool(plan.collides[0])
