# SPDX-License-Identifier: GPL-3.0-or-later
"""The avoidance of the selected person: the velocities that others and obstacles forbid, its wish, and its velocity.

The wish and the velocity are those that the simulation recorded; half-planes and headings are computed for the drawing.
Velocities are drawn from the person, a metre for each metre per second. With ORCA, each person and obstacle forbids
a half-plane of velocities; the unshaded ones are allowed. With the human-like model, rays show how far each heading is
free, from green for the one that leads to the target soonest to red. With the power law, the redder the circle round
another person, the sooner the wish would lead into them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .....core.array_types import Bool, Float64
from .....core.steering.half_planes import OBSTACLE, HalfPlanes
from .....core.steering.human_like import Headings
from .....core.steering.power_law import ContactTimes
from . import marks
from .marks import Colour, Mark
from .overlay import BakedPeople, Overlay, View


@dataclass(frozen=True)
class AvoidanceStyle:
    """How the avoidance of a person is drawn; chosen for legibility.

    Attributes:
        lift: height of marks above the ground [m].
        arc_pieces: straight pieces of an arc.
        limit, forbidden, border, wish, taken, in_conflict, avoided: colours of the circle of the maximum speed, of
            forbidden velocities and their border, of both arrows, and of circles round others.
        late_contact: a contact as late as this, or later, has the colour of those who are also avoided [s].
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
    late_contact: float = 4.0


STYLE = AvoidanceStyle()


def draw(view: View) -> list[Mark]:
    """The forbidden velocities in red, the recorded wish and the velocity taken as arrows, and who is avoided."""
    people, agent = view.selected
    place = people.moment.position[agent] + (0.0, 0.0, STYLE.lift)
    agents = people.replay.agents
    if not agents.avoids[agent]:
        return [marks.label_above(place, "avoids nobody")]
    steering = people.replay.steering(agent, people.moment)
    drawn: list[Mark] = []
    if steering.headings is not None:
        drawn += _heading_rays(place, steering.headings, float(agents.wanted_speed[agent]))
    if steering.planes is not None:
        drawn += _half_planes(place, steering.planes, steering.wanted, people, people.replay.fastest(agent))
    if steering.contacts is not None:
        drawn.append(_contact_circles(steering.contacts, people))
    arrows = [(steering.wanted, STYLE.wish), (steering.taken, STYLE.taken)]
    drawn += [
        marks.arrows(place[None], velocity[None], colour, width=STYLE.arrow_width)
        for velocity, colour in arrows
        if velocity is not None
    ]
    return drawn


def _half_planes(
    place: Float64, planes: HalfPlanes, wish: Float64 | None, people: BakedPeople, fastest: float
) -> list[Mark]:
    """The forbidden velocities, and circles round those who forbid them."""
    others = np.unique(planes.other[planes.other != OBSTACLE])
    in_conflict = np.zeros(len(others), dtype=bool)
    if wish is not None:
        in_conflict = np.isin(others, planes.other[_forbids(planes, wish)])
    return [
        *_forbidden(place, planes, fastest),
        marks.circles(place[None], fastest, STYLE.limit, sides=2 * STYLE.arc_pieces),
        marks.circles(
            people.moment.position[others] + (0.0, 0.0, STYLE.lift),
            people.replay.agents.radius[others],
            np.where(in_conflict[:, None], STYLE.in_conflict, STYLE.avoided),
        ),
    ]


def _heading_rays(place: Float64, seen: Headings, speed: float) -> list[Mark]:
    """A ray along each heading, as far as it is free at the preferred speed."""
    best = seen.time.min()
    delay = np.clip((seen.time - best) / np.maximum(best, 1.0), 0.0, 1.0)[:, None]
    colours = (1.0 - delay) * np.array(STYLE.early_heading) + delay * np.array(STYLE.late_heading)
    ends = _on_ground(place, seen.direction * (speed * seen.free)[:, None])
    return [marks.segments(place, ends, colours)]


def _contact_circles(contacts: ContactTimes, people: BakedPeople) -> Mark:
    """A circle round each person considered, in the colour of how soon the preferred velocity would lead into them."""
    kept = contacts.other != OBSTACLE
    others, time = contacts.other[kept], contacts.time[kept]
    soon = np.maximum(1.0 - time / STYLE.late_contact, 0.0)[:, None]
    return marks.circles(
        people.moment.position[others] + (0.0, 0.0, STYLE.lift),
        people.replay.agents.radius[others],
        soon * np.array(STYLE.in_conflict) + (1.0 - soon) * np.array(STYLE.avoided),
    )


def _forbids(planes: HalfPlanes, velocity: Float64) -> Bool:
    """Bool (K,), which half-planes a velocity violates."""
    off = velocity - planes.point
    return planes.direction[:, 0] * off[:, 1] - planes.direction[:, 1] * off[:, 0] < 0.0


def _forbidden(place: Float64, planes: HalfPlanes, fastest: float) -> list[Mark]:
    """The part of the disc of velocities that each half-plane forbids, with its border."""
    along = (planes.point * planes.direction).sum(axis=1)
    foot = planes.point - along[:, None] * planes.direction
    off = np.hypot(*foot.T)
    cuts = off < fastest
    if not cuts.any():
        return []
    foot, unit = foot[cuts], planes.direction[cuts]
    half = np.sqrt(fastest**2 - off[cuts] ** 2)[:, None] * unit
    last = np.arctan2(*(foot + half).T[::-1])
    sweep = np.mod(last - np.arctan2(*(foot - half).T[::-1]), 2.0 * np.pi)  # the forbidden part lies clockwise
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
        (STYLE.in_conflict, "blocks the preferred velocity"),
        (STYLE.avoided, "also avoided"),
        (STYLE.limit, "maximum speed"),
    ),
)
