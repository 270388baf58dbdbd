# SPDX-License-Identifier: GPL-3.0-or-later
"""Nobody is pushed off their drawn path: two streams that meet on a pavement would spill over both of its edges.

People go over the edge only to touch nobody. A path has no edges where others cross it, as streams would lock there,
nor where an obstacle stands on it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import cos_sin, dot, heading_vector, length, length2, vectors_of
from ...steering.neighbours import near_some
from ..behaviours.behaviour import Step
from ..settings.avoidance_settings import PathEdgeSettings
from ..world.agents import WALKING
from ..world.doing import Doing

_FOLLOWS_PATH = np.zeros(len(Doing), dtype=bool)
_FOLLOWS_PATH[[Doing.WALKING, Doing.FOLLOWING, Doing.WITH_GROUP, Doing.OVERTAKING]] = True


class _Near(NamedTuple):
    """Who is near some people: int64 (P,) each, which of them, their own rows, and those of the others."""

    which: Int64
    own: Int64
    other: Int64


def keep_within_edges(step: Step, velocity: Float64, exempt: Bool, settings: PathEdgeSettings) -> Float64:
    """Return velocities that lead nobody over the edge of their drawn path.

    Args:
        step: after all behaviours.
        velocity: float64 (R, 2), the velocities that avoidance chose [m/s].
        exempt: bool (R,), who may go anywhere; so may who does something else than to follow a path.
        settings: how early people mind the edge, and where there is none.

    Returns:
        float64 (R, 2) [m/s].
    """
    agents, rows, paths = step.agents, step.rows, step.paths
    follows = ~agents.have_goals(rows) & (agents.status[rows] == WALKING) & (agents.stop[rows] < 0)
    some = np.flatnonzero(follows & _FOLLOWS_PATH[step.doing] & ~exempt)
    if not len(some):
        return velocity
    who = rows[some]
    forward = heading_vector(paths.heading(agents.path[who], agents.s[who])[0])
    leftward = vectors_of(-forward[:, 1], forward[:, 0])
    right, left = paths.limits(agents.path[who], agents.s[who])
    least, d = agents.radius[who] + settings.passing_room, agents.d[who]
    across = dot(velocity[some], leftward)
    most_left = np.maximum((np.maximum(left, least) - d) / settings.time, 0.0)
    most_right = np.minimum((np.minimum(right, -least) - d) / settings.time, 0.0)
    change = np.clip(across, most_right, most_left) - across
    led = np.flatnonzero(change)  # over the edge
    led = led[_is_free(step, who[led], settings)]
    if not len(led):
        return velocity
    kept = velocity[some[led]] + change[led, None] * leftward[led]
    which, other = near_some(agents.position.take(rows, 0), some[led], settings.distance)
    near = _Near(which, who[led][which], rows[other])
    gap, wished = (_gap(step, near, each, settings) for each in (kept, velocity[some[led]]))
    goes_over = _crosses(step, near, forward[led], settings) | (gap < np.minimum(wished, settings.room))
    stays = np.bincount(which[goes_over], minlength=len(led)) == 0
    result = velocity.copy()
    result[some[led[stays]]] = kept[stays]
    return result


def _is_free(step: Step, who: Int64, settings: PathEdgeSettings) -> Bool:
    """Return bool (N,), on whose paths no obstacle stands right before them."""
    agents, paths, free = step.agents, step.paths, np.ones(len(who), dtype=bool)
    half = np.minimum(*paths.free_width(agents.path[who], agents.s[who])) - settings.obstacle_overlap
    for ahead in settings.places:
        place = paths.to_cartesian(agents.path[who], agents.s[who] + ahead, np.zeros(len(who)))
        free &= step.ground.field.signed_distance(place, float(half.max(initial=0.0))) >= half
    return free


def _crosses(step: Step, near: _Near, forward: Float64, settings: PathEdgeSettings) -> Bool:
    """Return bool (P,), whose own path crosses that of people who walk `forward`, float64 (N, 2), where they are."""
    agents, paths, (which, own, other) = step.agents, step.paths, near
    ahead = dot(forward[which], agents.position[other] - agents.position[own])
    here, _ = paths.heading(agents.path[own], agents.s[own] + ahead)
    theirs, _ = paths.heading(agents.path[other], agents.s[other])
    return np.abs(cos_sin(here - theirs)[0]) < settings.cos_crossing


def _gap(step: Step, near: _Near, velocity: Float64, settings: PathEdgeSettings) -> Float64:
    """Return float64 (P,), the least gap to others within a short time, with velocities float64 (N, 2) [m]."""
    agents, (which, own, other) = step.agents, near
    apart = agents.position[other] - agents.position[own]
    moves = agents.velocity[other] - velocity[which]
    time = np.clip(-dot(apart, moves) / np.maximum(length2(moves), 1e-9), 0.0, settings.foresight)
    return length(apart + time[:, None] * moves) - agents.radius[own] - agents.radius[other]
