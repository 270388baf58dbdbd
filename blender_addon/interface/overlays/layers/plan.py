# SPDX-License-Identifier: GPL-3.0-or-later
"""What the selected person chooses from at this frame: every way considered, what speaks against it, and the plan.

The planner is asked anew, with the place and the velocity of this frame. In the bake a plan is renewed every 0.3 s and
goes on from the accelerations of the last one, so its lines may differ by some centimetres from these.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .....core.planning import Candidates, Plans, Reason
from .. import marks
from ..marks import Colour, Mark
from ..overlay import BakedPeople, Overlay, View

Float64 = NDArray[np.float64]

_LIFT, _PLAN_LIFT = 0.03, 0.04  # [m] above the ground, the plan above all others
_THICK = 4.0  # [pixels]
_TICK, _TICK_SIZE = 0.5, 0.07  # [s], [m]
_PLAN: Colour = (1.0, 1.0, 1.0, 1.0)
_DOT: Colour = (1.0, 0.55, 0.1, 1.0)
_CHEAP: Colour = (0.25, 0.9, 0.3, 0.9)
_DEAR: Colour = (0.95, 0.85, 0.15, 0.8)
_SPARED: Colour = (0.6, 0.6, 0.65, 0.35)
_DROPPED: dict[Reason, Colour] = {
    Reason.COLLIDES: (0.95, 0.2, 0.15, 0.8),
    Reason.OUTSIDE: (0.7, 0.35, 0.95, 0.8),
    Reason.TOO_SHARP: (0.2, 0.5, 1.0, 0.8),
}


def draw(view: View) -> list[Mark]:
    """The candidates of the selected agent, its plan with a dot for each half second, and a word about it."""
    people, agent = view.selected
    place = people.moment.position[agent]
    if people.replay.has_arrived(agent, people.moment):
        return [marks.label_above(place, "has arrived: no plan")]
    if people.replay.has_left_path(agent, people.moment):
        return [marks.label_above(place, "follows another route: the plan is not known")]
    wants = people.replay.planner_input(agent, people.moment)
    field = people.replay.still(people.moment).field
    found = people.replay.planner.candidates(wants, field)
    plan = people.replay.planner.plan(wants, field)
    points = _raised(people, agent, plan, found.points)
    colours = _colours(found)
    others = np.flatnonzero(found.reason != Reason.CHOSEN)
    others = others[np.argsort(-found.reason[others], kind="stable")]
    chosen = points[found.chosen[0]] + (0.0, 0.0, _PLAN_LIFT - _LIFT)
    return [
        marks.chains(points[others], colours[others], width=1.5),
        marks.chains(chosen, _PLAN, width=_THICK),
        marks.discs(_ticks(plan, chosen), _TICK_SIZE, _DOT, sides=16),
        marks.label_above(chosen[-1], _word(found, plan)),
    ]


def _raised(people: BakedPeople, agent: int, plan: Plans, points: Float64) -> Float64:
    """Float64 (M, K, 3): ways at the height of the agent, rising and falling as its path does."""
    nodes = np.arange(points.shape[1])
    path = np.full(len(nodes), plan.tables.path[0])
    rise = people.replay.references.height(path, plan.tables.s[0] + nodes * plan.tables.step[0])
    height = people.moment.position[agent, 2] + _LIFT + rise - rise[0]
    return np.concatenate([points, np.broadcast_to(height[:, None], (*points.shape[:2], 1))], axis=2)


def _colours(found: Candidates) -> Float64:
    """Float64 (M, 4): what is wrong with a candidate, or how much dearer than the plan it is, green to yellow."""
    extra = np.maximum(found.cost - found.cost[found.chosen[0]], 0.0)
    share = (extra / (1.0 + extra))[:, None]
    colours = (1.0 - share) * np.array(_CHEAP) + share * np.array(_DEAR)
    colours[found.reason == Reason.NOT_NEEDED] = _SPARED
    for reason, colour in _DROPPED.items():
        colours[found.reason == reason] = colour
    return colours


def _ticks(plan: Plans, way: Float64) -> Float64:
    """Float64 (N, 3), where the plan is after each half second, as far as the way that is drawn."""
    times = _TICK * np.arange(1.0, 7.0)
    places, _, s, *_ = plan.at(np.zeros(len(times), dtype=np.int64), times)
    node = np.clip((s - plan.tables.s[0]) / plan.tables.step[0], 0.0, len(way) - 1.0)
    height = np.interp(node, np.arange(len(way)), way[:, 2])
    return np.column_stack([places, height])[node < len(way) - 1.0]


def _word(found: Candidates, plan: Plans) -> str:
    if plan.collides[0]:
        return "every path is blocked: brakes"
    return f"cost {found.cost[found.chosen[0]]:.2f}, cheapest of {len(found.cost)}"


OVERLAY = Overlay(
    draw,
    legend=(
        (_PLAN, "chosen path"),
        (_DOT, "position after 0.5 s, 1 s, ..."),
        (_CHEAP, "costs a little more"),
        (_DEAR, "costs much more"),
        (_DROPPED[Reason.COLLIDES], "hits an obstacle"),
        (_DROPPED[Reason.OUTSIDE], "leaves the path width"),
        (_DROPPED[Reason.TOO_SHARP], "beyond the centre of a bend"),
        (_SPARED, "not needed"),
    ),
)
