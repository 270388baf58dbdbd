# SPDX-License-Identifier: GPL-3.0-or-later
"""The choices of the selected person at this frame: the paths considered, why they were rejected, and the plan.

The planner is run again with the position and velocity of this frame. In the bake a plan is renewed every 0.3 s and
continues the accelerations of the last one, so its paths may differ by some centimetres.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .....core.array_types import Float64
from .....core.planning import Candidates, Plans, Reason
from . import marks
from .marks import Colour, Mark
from .overlay import BakedPeople, Overlay, View


@dataclass(frozen=True)
class PlanStyle:
    """How the choices of a person are drawn; chosen for legibility.

    Attributes:
        lift, plan_lift: height of candidates and of the plan above the ground [m].
        plan_width, candidate_width: of lines [pixels].
        tick_interval: time between dots on the plan [s].
        tick_count, tick_radius, tick_sides: number of dots, their radius [m], and straight pieces of their rim.
        plan, tick, cheap, costly, spared: colours; candidates that cost more than the plan go from cheap to costly.
    """

    lift: float = 0.03
    plan_lift: float = 0.04
    plan_width: float = 4.0
    candidate_width: float = 1.5
    tick_interval: float = 0.5
    tick_count: int = 6
    tick_radius: float = 0.07
    tick_sides: int = 16
    plan: Colour = (1.0, 1.0, 1.0, 1.0)
    tick: Colour = (1.0, 0.55, 0.1, 1.0)
    cheap: Colour = (0.25, 0.9, 0.3, 0.9)
    costly: Colour = (0.95, 0.85, 0.15, 0.8)
    spared: Colour = (0.6, 0.6, 0.65, 0.35)


STYLE = PlanStyle()


_DROPPED: dict[Reason, Colour] = {
    Reason.COLLIDES: (0.95, 0.2, 0.15, 0.8),
    Reason.OUTSIDE: (0.7, 0.35, 0.95, 0.8),
    Reason.TOO_SHARP: (0.2, 0.5, 1.0, 0.8),
}


def draw(view: View) -> list[Mark]:
    """The candidates of the selected agent, its plan with a dot for each half second, and its cost."""
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
    chosen = points[found.chosen[0]] + (0.0, 0.0, STYLE.plan_lift - STYLE.lift)
    return [
        marks.chains(points[others], colours[others], width=STYLE.candidate_width),
        marks.chains(chosen, STYLE.plan, width=STYLE.plan_width),
        marks.discs(_ticks(plan, chosen), STYLE.tick_radius, STYLE.tick, sides=STYLE.tick_sides),
        marks.label_above(chosen[-1], _word(found, plan)),
    ]


def _raised(people: BakedPeople, agent: int, plan: Plans, points: Float64) -> Float64:
    """Float64 (M, K, 3): paths at the height of the agent, rising and falling with its reference path."""
    nodes = np.arange(points.shape[1])
    path = np.full(len(nodes), plan.tables.path[0])
    rise = people.replay.references.height(path, plan.tables.s[0] + nodes * plan.tables.step[0])
    height = people.moment.position[agent, 2] + STYLE.lift + rise - rise[0]
    return np.concatenate([points, np.broadcast_to(height[:, None], (*points.shape[:2], 1))], axis=2)


def _colours(found: Candidates) -> Float64:
    """Float64 (M, 4): why a candidate was rejected, or how much more than the plan it costs, green to yellow."""
    extra = np.maximum(found.cost - found.cost[found.chosen[0]], 0.0)
    share = (extra / (1.0 + extra))[:, None]
    colours = (1.0 - share) * np.array(STYLE.cheap) + share * np.array(STYLE.costly)
    colours[found.reason == Reason.NOT_NEEDED] = STYLE.spared
    for reason, colour in _DROPPED.items():
        colours[found.reason == reason] = colour
    return colours


def _ticks(plan: Plans, way: Float64) -> Float64:
    """Float64 (N, 3), where the plan is after each half second, as far as its path is drawn."""
    times = STYLE.tick_interval * np.arange(1.0, STYLE.tick_count + 1.0)
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
        (STYLE.plan, "chosen path"),
        (STYLE.tick, "position after 0.5 s, 1 s, ..."),
        (STYLE.cheap, "costs a little more"),
        (STYLE.costly, "costs much more"),
        (_DROPPED[Reason.COLLIDES], "hits an obstacle"),
        (_DROPPED[Reason.OUTSIDE], "leaves the path width"),
        (_DROPPED[Reason.TOO_SHARP], "beyond the centre of a bend"),
        (STYLE.spared, "not needed"),
    ),
)
