# SPDX-License-Identifier: GPL-3.0-or-later
"""What closes the way to a place that nothing leads to at all: what it is called, where, and when it would open."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
from numpy.typing import NDArray

from ...errors import FootfallError, NoRoute
from ...routing import CorridorMap
from ...scene import Scene
from ..world.environment import Environment, bounds_of
from ..world.obstacle_names import NamedThings
from ..world.static_ground import Still
from .narrow_gaps import THIN
from .personal_routes import PersonalRoutes, Travellers

Float64 = NDArray[np.float64]

STEP = 0.25
"""So far apart it is looked how far on a line one comes [m]."""

MOST_PLACES = 400
"""At no more places than this."""

FINE = 0.02
"""And so far apart what stands behind the last of them [m]."""

MOST_LOOKED_AT = 12
"""For so many, who are closed in or out each elsewhere, it is looked for what does."""


def name_what_closes(
    scene: Scene, around: Environment, horizon: float, people: Travellers, ways: PersonalRoutes
) -> None:
    """Add to the reasons of those whom nothing leads to their goal what closes it, and where, as far as it is known.

    Args:
        scene: whose obstacles are named.
        around: what stands and moves.
        horizon: so long ahead people see where something comes to rest [s].
        people: who.
        ways: of theirs; `reasons` are changed.
    """
    wholly = [row for row, reason in enumerate(ways.reasons) if reason is not None and reason.wholly]
    closed = around.for_good(0.0, horizon)
    for _ in range(MOST_LOOKED_AT):
        if not wholly:
            return
        start, goal = people.starts[wholly[0]], people.goals[wholly[0]]
        told = _told_closed(scene, around, closed, start, goal)
        alike = _comes(closed, start, people.starts[wholly]) & _comes(closed, goal, people.goals[wholly])
        alike[0] = True
        for row in np.array(wholly)[alike].tolist():
            reason = ways.reasons[row]
            if told and reason is not None:
                ways.reasons[row] = NoRoute(f"{reason} {told}", needed=reason.needed)
        wholly = np.array(wholly)[~alike].tolist()


def _comes(closed: Still, start: Float64, places: Float64) -> NDArray[np.bool_]:
    """Tell to which places, float64 (N, 2), somebody thin comes from a start, float64 (2,) [m]; to none without map."""
    corridors = closed.corridors
    if corridors is None:
        return np.zeros(len(places), dtype=bool)
    found = corridors.unwatched.own_paths(np.tile(start, (len(places), 1)), places, np.full(len(places), THIN))
    return np.array([way is not None for way in found], dtype=bool)


def _told_closed(scene: Scene, around: Environment, closed: Still, start: Float64, goal: Float64) -> str:
    """Return what closes the way from a start to a goal, float64 (2,) each [m]; empty where that cannot be told."""
    line = _line_through_doors(scene, around, closed, start, goal)
    if line is None:
        return ""
    places = _along(line, max(STEP, _length(line) / MOST_PLACES))
    with nullcontext() if closed.notes is None else closed.notes.unnoted():
        free = np.flatnonzero(closed.field.signed_distance(places, 2.0 * THIN) > THIN)
        come = free[_comes(closed, start, places[free])].tolist()
        if not come or come[-1] == len(places) - 1:
            return ""
        behind = _along(places[come[-1] :], FINE)
        solid = closed.field.signed_distance(behind, THIN) <= 0.5 * THIN
    if not solid.any():
        return ""
    closure = NamedThings(scene, closed).nearest(behind[int(np.argmax(solid))])
    if closure is None:
        return ""
    opens = around.opens_after_the_end(closure.name.strip("'"))
    when = "" if opens is None else f" and opens only at frame {opens}, after the last frame"
    return f"{closure.name} blocks the route at {closure.where}{when}."


def _line_through_doors(
    scene: Scene, around: Environment, closed: Still, start: Float64, goal: Float64
) -> Float64 | None:
    """Return the way there would be with all doors away, float64 (P, 2); else one that only heeds the bounds [m]."""
    try:
        corridors = around.still.corridors if closed.resting else None
        if corridors is not None:
            return corridors.unwatched.path(start, goal, THIN)
    except NoRoute:
        pass  # walls close it, too
    try:
        return CorridorMap([], bounds_of(scene)).path(start, goal, THIN)
    except FootfallError:
        return None


def _along(line: Float64, step: float) -> Float64:
    """Return places on a line so far apart, float64 (N, 2), both ends among them [m]."""
    since = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))))
    at = np.linspace(0.0, since[-1], int(since[-1] / step) + 2)
    return np.column_stack([np.interp(at, since, values) for values in line.T])


def _length(line: Float64) -> float:
    return float(np.hypot(*np.diff(line, axis=0).T).sum())
