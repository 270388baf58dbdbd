# SPDX-License-Identifier: GPL-3.0-or-later
"""Nobody is pushed off their drawn path: two streams that meet on a pavement would spill over both of its edges.

People go over the edge only so as to touch nobody and nothing, and where they get on too slowly: else streams that
cross would lock.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import dot, heading_vector, length, length2, vectors_of
from ...steering.neighbours import near_some
from ..behaviours.behaviour import Step
from ..settings.avoidance_settings import PathEdgeSettings
from ..world.agents import WALKING
from ..world.doing import Doing
from ..world.heroes import followed_by

_FOLLOWS_PATH = np.zeros(len(Doing), dtype=bool)
_FOLLOWS_PATH[[Doing.WALKING, Doing.FOLLOWING, Doing.WITH_GROUP, Doing.OVERTAKING]] = True


class _Near(NamedTuple):
    """Pairs of one of N people with somebody near.

    Attributes:
        who: int64 (P,), which of them.
        apart: float64 (P, 2), from the one to the other [m].
        velocity: float64 (P, 2), of the others [m/s].
        room: float64 (P,), both radii [m].
    """

    who: Int64
    apart: Float64
    velocity: Float64
    room: Float64


def keep_within_edges(
    step: Step, velocity: Float64, exempt: Bool, planned: Float64, settings: PathEdgeSettings
) -> Float64:
    """Return velocities that lead nobody over the edge of their drawn path.

    Args:
        step: after all behaviours.
        velocity: float64 (R, 2), the velocities that avoidance chose [m/s].
        exempt: bool (R,), who may go anywhere; so may who does something else than to follow a path.
        planned: float64 (A, K), offsets along the plans of all [m]; where these lead over the edge, nobody minds it.
        settings: how early people mind the edge, and who does not.

    Returns:
        float64 (R, 2) [m/s].
    """
    agents, rows, paths = step.agents, step.rows, step.paths
    follows = ~agents.have_goals(rows) & (agents.status[rows] == WALKING) & (agents.stop[rows] < 0)
    some = (follows & _FOLLOWS_PATH[step.doing] & ~exempt).nonzero()[0]
    if not len(some):
        return velocity
    who = rows[some]
    forward = heading_vector(paths.heading(agents.path[who], agents.s[who])[0])
    leftward = vectors_of(-forward[:, 1], forward[:, 0])
    right, left = paths.limits(agents.path[who], agents.s[who])
    least, d, planned = agents.radius[who] + settings.passing_room, agents.d[who], planned[who]
    across = dot(velocity[some], leftward)
    right = np.minimum(np.minimum(right, -least), planned.min(axis=1))
    left = np.maximum(np.maximum(left, least), planned.max(axis=1))
    most_right, most_left = np.minimum((right - d) / settings.time, 0.0), np.maximum((left - d) / settings.time, 0.0)
    change = np.clip(across, most_right, most_left) - across
    led = change.nonzero()[0]  # over the edge
    if not len(led):
        return velocity
    asks, wished = some[led], velocity[some[led]]
    kept = wished + change[led, None] * leftward[led]
    near = _find_near(step, asks, settings.distance)
    gap, before = (_least_gap(near, each[near.who], settings.foresight) for each in (kept, wished))
    stays = np.bincount(near.who[gap < np.minimum(before, settings.room)], minlength=len(led)) == 0
    stays &= _is_clear(step, rows[asks], kept, wished, settings)
    result = velocity.copy()
    result[asks[stays]] = kept[stays]
    return result


def _is_clear(step: Step, who: Int64, velocity: Float64, other: Float64, settings: PathEdgeSettings) -> Bool:
    """Return bool (N,), whom a velocity, float64 (N, 2), brings no closer to an obstacle than another one [m/s]."""
    agents, reach = step.agents, float(step.agents.radius[who].max()) + settings.room
    soon = agents.position[who] + settings.foresight * np.stack((velocity, other))
    clear, before = step.ground.field.signed_distance(soon.reshape(-1, 2), reach).reshape(2, -1)
    return clear >= np.minimum(before, agents.radius[who] + settings.room)


def _find_near(step: Step, asks: Int64, distance: float) -> _Near:
    """Return who is near some of the people present, int64 (N,), heroes and bystanders too."""
    agents, rows, given = step.agents, step.rows, step.around.given
    position = followed_by(agents.position.take(rows, 0), given.position)
    radius, velocity = followed_by(agents.radius[rows], given.radius), agents.velocity.take(rows, 0)
    who, other = near_some(position, asks, distance)
    return _Near(
        who,
        position[other] - position[asks[who]],
        followed_by(velocity, given.velocity)[other],
        radius[other] + radius[asks[who]],
    )


def _least_gap(near: _Near, velocity: Float64, foresight: float) -> Float64:
    """Return float64 (P,), the least gap to others within some time [s], with velocities float64 (P, 2) [m]."""
    moves = near.velocity - velocity
    time = np.clip(-dot(near.apart, moves) / np.maximum(length2(moves), 1e-9), 0.0, foresight)
    return length(near.apart + time[:, None] * moves) - near.room
