# SPDX-License-Identifier: GPL-3.0-or-later
"""Nobody is pushed off their drawn path: two streams that meet on a pavement would spill over both of its edges.

Where others cross it, a path has no edges: streams would lock. Nor where an obstacle stands on it.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.reproducible_math import cos_sin, dot, heading_vector, vectors_of
from ...steering.neighbours import near_some
from ..behaviours.behaviour import Step
from ..settings.avoidance_settings import PathEdgeSettings
from ..world.agents import WALKING
from ..world.doing import Doing

_FOLLOWS_PATH = np.zeros(len(Doing), dtype=bool)
_FOLLOWS_PATH[[Doing.WALKING, Doing.FOLLOWING, Doing.WITH_GROUP, Doing.OVERTAKING]] = True


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
    heading, _ = paths.heading(agents.path[who], agents.s[who])
    (cos, sin), (x, y) = cos_sin(heading), velocity[some].T
    right, left = paths.limits(agents.path[who], agents.s[who])
    least, d = agents.radius[who] + settings.passing_room, agents.d[who]
    across = cos * y - sin * x
    most_left = np.maximum((np.maximum(left, least) - d) / settings.time, 0.0)
    most_right = np.minimum((np.minimum(right, -least) - d) / settings.time, 0.0)
    kept = np.clip(across, most_right, most_left)
    changed = np.flatnonzero(kept != across)
    changed = changed[~_are_crossed(step, some[changed], heading[changed], settings)]
    changed = changed[_are_free(step, some[changed], settings)]
    if not len(changed):
        return velocity
    cos, sin, kept = cos[changed], sin[changed], kept[changed]
    along = cos * x[changed] + sin * y[changed]
    result = velocity.copy()
    result[some[changed]] = vectors_of(along * cos - kept * sin, along * sin + kept * cos)
    return result


def _are_crossed(step: Step, some: Int64, heading: Float64, settings: PathEdgeSettings) -> Bool:
    """Return bool (N,), near whom others walk across their path, whose `heading` is float64 (N,) [rad]."""
    agents, paths = step.agents, step.paths
    position = agents.position.take(step.rows, 0)
    who, other = near_some(position, some, settings.crossing_distance)
    own, others = step.rows[some[who]], step.rows[other]
    ahead = dot(heading_vector(heading)[who], position[other] - position[some[who]])
    there, _ = paths.heading(agents.path[own], agents.s[own] + ahead)
    theirs, _ = paths.heading(agents.path[others], agents.s[others])
    crosses = np.abs(cos_sin(there - theirs)[0]) < settings.cos_crossing
    return np.bincount(who[crosses], minlength=len(some)) > 0


def _are_free(step: Step, some: Int64, settings: PathEdgeSettings) -> Bool:
    """Return bool (N,), on whose paths no obstacle stands near them."""
    agents, who = step.agents, step.rows[some]
    free = np.ones(len(some), dtype=bool)
    for ahead in settings.places:
        right, left = step.paths.free_width(agents.path[who], agents.s[who])
        half = np.minimum(right, left) - settings.obstacle_overlap
        place = step.paths.to_cartesian(agents.path[who], agents.s[who] + ahead, np.zeros(len(who)))
        free &= step.ground.field.signed_distance(place, float(half.max(initial=0.0))) >= half
    return free
