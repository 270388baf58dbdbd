# SPDX-License-Identifier: GPL-3.0-or-later
"""Why the selected person goes where it goes: what others and obstacles leave to it, and what it takes.

Velocities are drawn from where the person stands, a metre for a metre per second. By ORCA, each other and each obstacle
forbids a half plane of them; what is allowed by all lies in no shade. Who looks along headings sees how far each is
free, from green for the one that leads to the target soonest to red.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .....core.steering.half_planes import OBSTACLE, HalfPlanes
from .....core.steering.human_like import Headings
from .. import marks
from ..marks import Colour, Mark
from ..overlay import BakedPeople, Overlay, View

Float64 = NDArray[np.float64]


@dataclass(frozen=True)
class AvoidanceStyle:
    """How the avoidance of a person is drawn; chosen for legibility.

    Attributes:
        lift: height of marks above the ground [m].
        arc_pieces: straight pieces of an arc.
        limit, forbidden, border, wish, taken, in_conflict, avoided: colours of the circle of the maximum speed, of
            forbidden velocities and their border, of both arrows, and of circles round others.
        early_heading, late_heading: colours of headings that lead to the target early and late.
        arrow_width: [pixels].
    """

    lift: float = 0.03
    arc_pieces: int = 24
    limit: Colour = (0.7, 0.7, 0.75, 0.8)
    forbidden: Colour = (0.95, 0.2, 0.15, 0.16)
    border: Colour = (0.95, 0.3, 0.2, 0.9)
    wish: Colour = (1.0, 0.8, 0.25, 1.0)
    taken: Colour = (0.3, 0.95, 0.4, 1.0)
    in_conflict: Colour = (0.95, 0.3, 0.2, 0.9)
    early_heading: Colour = (0.3, 0.9, 0.4, 0.7)
    late_heading: Colour = (0.9, 0.25, 0.2, 0.35)
    avoided: Colour = (0.7, 0.6, 1.0, 0.6)
    arrow_width: float = 3.0


STYLE = AvoidanceStyle()


def draw(view: View) -> list[Mark]:
    """The forbidden velocities in red, the wanted and the taken one as arrows, and who is in the way."""
    people, agent = view.selected
    place = people.moment.position[agent] + (0.0, 0.0, STYLE.lift)
    agents = people.replay.agents
    if not agents.avoids[agent]:
        return [marks.label_above(place, "avoids nobody")]
    steering = people.replay.steering(agent, people.moment)
    drawn: list[Mark] = []
    if steering.headings is not None:
        drawn += _seen(place, steering.headings, float(agents.wanted_speed[agent]))
    if steering.planes is not None:
        drawn += _owed(place, steering.planes, steering.wanted, people, people.replay.fastest(agent))
    return [
        *drawn,
        marks.arrows(place[None], steering.wanted[None], STYLE.wish, width=STYLE.arrow_width),
        marks.arrows(place[None], steering.taken[None], STYLE.taken, width=STYLE.arrow_width),
    ]


def _owed(place: Float64, planes: HalfPlanes, wanted: Float64, people: BakedPeople, fastest: float) -> list[Mark]:
    """The forbidden velocities, and circles round those who forbid them."""
    others = np.unique(planes.other[planes.other != OBSTACLE])
    in_the_way = np.isin(others, planes.other[_forbids(planes, wanted)])
    return [
        *_forbidden(place, planes, fastest),
        marks.circles(place[None], fastest, STYLE.limit, sides=2 * STYLE.arc_pieces),
        marks.circles(
            people.moment.position[others] + (0.0, 0.0, STYLE.lift),
            people.replay.agents.radius[others],
            np.where(in_the_way[:, None], STYLE.in_conflict, STYLE.avoided),
        ),
    ]


def _seen(place: Float64, seen: Headings, speed: float) -> list[Mark]:
    """A ray along each heading, as far as it is free at the wanted speed."""
    best = seen.time.min()
    dearness = np.clip((seen.time - best) / np.maximum(best, 1.0), 0.0, 1.0)[:, None]
    colours = (1.0 - dearness) * np.array(STYLE.early_heading) + dearness * np.array(STYLE.late_heading)
    ends = _on_ground(place, seen.direction * (speed * seen.free)[:, None])
    return [marks.segments(place, ends, colours)]


def _forbids(planes: HalfPlanes, velocity: Float64) -> NDArray[np.bool_]:
    """Bool (K,), which half planes a velocity breaks."""
    off = velocity - planes.point
    return planes.direction[:, 0] * off[:, 1] - planes.direction[:, 1] * off[:, 0] < 0.0


def _forbidden(place: Float64, planes: HalfPlanes, fastest: float) -> list[Mark]:
    """The part of the disc of velocities that each half plane forbids, with its border."""
    along = (planes.point * planes.direction).sum(axis=1)
    foot = planes.point - along[:, None] * planes.direction
    off = np.hypot(*foot.T)
    cuts = off < fastest
    if not cuts.any():
        return []
    foot, unit = foot[cuts], planes.direction[cuts]
    half = np.sqrt(fastest**2 - off[cuts] ** 2)[:, None] * unit
    last = np.arctan2(*(foot + half).T[::-1])
    sweep = np.mod(
        last - np.arctan2(*(foot - half).T[::-1]), 2.0 * np.pi
    )  # clockwise from there lies what is forbidden
    angle = last[:, None] - sweep[:, None] * np.linspace(0.0, 1.0, STYLE.arc_pieces + 1)
    rim = fastest * np.stack([np.cos(angle), np.sin(angle)], axis=-1)  # (K, arc, 2)
    middle = np.broadcast_to(foot[:, None], rim[:, 1:].shape)
    corners = _on_ground(place, np.stack([middle, rim[:, 1:], rim[:, :-1]], axis=2))
    ends = _on_ground(place, np.stack([foot - half, foot + half]))
    return [marks.surface(corners.reshape(-1, 3, 3), STYLE.forbidden), marks.segments(ends[0], ends[1], STYLE.border)]


def _on_ground(place: Float64, velocities: Float64) -> Float64:
    """Velocities (..., 2) as points round a place, float64 (..., 3) [m]."""
    level = np.zeros((*velocities.shape[:-1], 1))
    return place + np.concatenate([velocities, level], axis=-1)


OVERLAY = Overlay(
    draw,
    legend=(
        (STYLE.wish, "preferred velocity"),
        (STYLE.taken, "velocity taken"),
        (STYLE.early_heading, "free heading, near the target soon"),
        (STYLE.border, "forbidden by a person or an obstacle"),
        (STYLE.in_conflict, "prevents the preferred velocity"),
        (STYLE.avoided, "is avoided too"),
        (STYLE.limit, "maximum speed"),
    ),
)
