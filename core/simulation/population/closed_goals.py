# SPDX-License-Identifier: GPL-3.0-or-later
"""What blocks the route to an unreachable goal: its name, where, and when it would open."""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64
from ...errors import FootfallError, NoRoute
from ...geometry.segments import length_of, lengths_along
from ...routing import CorridorMap
from ..settings.population_settings import PopulationSettings
from ..world.environment import Environment
from ..world.obstacle_names import NamedObstacles
from ..world.static_ground import StaticGround
from .personal_routes import PersonalRoutes, Travellers


def name_what_closes(
    around: Environment, horizon: float, people: Travellers, routes: PersonalRoutes, settings: PopulationSettings
) -> None:
    """Add to the reasons of those whose goal is unreachable what blocks the route, and where, as far as known.

    Args:
        around: obstacles, walls and movers.
        horizon: movers that come to rest within this time count as at rest [s].
        people: the travellers.
        routes: their routes; `reasons` are changed.
        settings: how closely routes are examined.
    """
    wholly = [row for row, reason in enumerate(routes.reasons) if reason is not None and reason.wholly]
    closed = around.for_good(0.0, horizon)
    thin = settings.routes.thin_radius
    for _ in range(settings.closed_goals.max_examined):
        if not wholly:
            return
        start, goal = people.starts[wholly[0]], people.goals[wholly[0]]
        reported = _blocking_obstacle(around, closed, (start, goal), settings)
        alike = _reaches(closed, start, people.starts[wholly], thin) & _reaches(
            closed, goal, people.goals[wholly], thin
        )
        alike[0] = True
        for row in np.array(wholly)[alike].tolist():
            reason = routes.reasons[row]
            if reported and reason is not None:
                routes.reasons[row] = NoRoute(f"{reason} {reported}", needed=reason.needed)
        wholly = np.array(wholly)[~alike].tolist()


def _reaches(closed: StaticGround, start: Float64, places: Float64, thin: float) -> Bool:
    """Return bool (N,), which places, (N, 2), a thin body reaches from a start, (2,) [m]; none without a map."""
    corridors = closed.corridors
    if corridors is None:
        return np.zeros(len(places), dtype=bool)
    found = corridors.unrecorded.own_paths(np.tile(start, (len(places), 1)), places, np.full(len(places), thin))
    return np.array([route is not None for route in found], dtype=bool)


def _blocking_obstacle(
    around: Environment, closed: StaticGround, ends: tuple[Float64, Float64], settings: PopulationSettings
) -> str:
    """Return what blocks the route from a start to a goal, float64 (2,) each [m]; empty where that is not known."""
    thin = settings.routes.thin_radius
    line = _line_through_doors(around, closed, *ends, thin)
    if line is None:
        return ""
    places = _along(line, max(settings.closed_goals.sampling, length_of(line) / settings.closed_goals.max_places))
    with closed.unrecorded():
        free = np.flatnonzero(closed.field.signed_distance(places, 2.0 * thin) > thin)
        reached = free[_reaches(closed, ends[0], places[free], thin)].tolist()
        if not reached or reached[-1] == len(places) - 1:
            return ""
        behind = _along(places[reached[-1] :], settings.closed_goals.fine_sampling)
        solid = closed.field.signed_distance(behind, thin) <= 0.5 * thin
    if not solid.any():
        return ""
    closure = NamedObstacles(closed).nearest(behind[int(np.argmax(solid))])
    if closure is None:
        return ""
    opens = around.opens_after_the_end(closure.name.strip("'"))
    when = "" if opens is None else f" and opens only at frame {opens}, after the last frame"
    return f"{closure.name} blocks the route at {closure.where}{when}."


def _line_through_doors(
    around: Environment, closed: StaticGround, start: Float64, goal: Float64, thin: float
) -> Float64 | None:
    """Return the route without any doors, float64 (P, 2); else one that only respects the bounds [m]."""
    try:
        corridors = around.still.corridors if closed.resting else None
        if corridors is not None:
            return corridors.unrecorded.path(start, goal, thin)
    except NoRoute:
        pass  # walls block it, too
    try:
        return CorridorMap([], around.bounds).path(start, goal, thin)
    except FootfallError:
        return None


def _along(line: Float64, step: float) -> Float64:
    """Return places on a line at a spacing, float64 (N, 2), both ends among them [m]."""
    since = lengths_along(line)
    at = np.linspace(0.0, since[-1], int(since[-1] / step) + 2)
    return np.column_stack([np.interp(at, since, values) for values in line.T])
