# SPDX-License-Identifier: GPL-3.0-or-later
"""Why the selected person goes where it goes: the velocities that others and obstacles leave it, and which it takes.

Velocities are drawn from where the person stands, a metre for a metre per second. Each other and each obstacle forbids
a half plane of them (ORCA); what is allowed by all lies in no shade.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ....core.steering.half_planes import OBSTACLE, HalfPlanes
from . import marks
from .marks import Colour, Mark
from .overlay import Need, Overlay

if TYPE_CHECKING:
    from .view import View

Float64 = NDArray[np.float64]

_LIFT = 0.03  # [m] above the ground
_ARC = 24  # pieces of an arc
_LIMIT: Colour = (0.7, 0.7, 0.75, 0.8)
_FORBIDDEN: Colour = (0.95, 0.2, 0.15, 0.16)
_BORDER: Colour = (0.95, 0.3, 0.2, 0.9)
_WANTED: Colour = (1.0, 0.8, 0.25, 1.0)
_TAKEN: Colour = (0.3, 0.95, 0.4, 1.0)
_MET: Colour = (0.95, 0.3, 0.2, 0.9)
_MINDED: Colour = (0.35, 0.75, 1.0, 0.5)


def draw(view: View) -> list[Mark]:
    """The forbidden velocities in red, the wanted and the taken one as arrows, and who is in the way."""
    people, agent = view.selected
    place = people.moment.position[agent] + (0.0, 0.0, _LIFT)
    agents = people.replay.agents
    if not agents.avoids[agent]:
        return [_label(place, "takes no notice of others")]
    steering = people.replay.steering(agent, people.moment)
    fastest = people.replay.fastest(agent)
    others = np.unique(steering.planes.other[steering.planes.other != OBSTACLE])
    in_the_way = np.isin(others, steering.planes.other[_forbids(steering.planes, steering.wanted)])
    return [
        *_forbidden(place, steering.planes, fastest),
        marks.circles(place[None], fastest, _LIMIT, sides=2 * _ARC),
        marks.circles(
            people.moment.position[others] + (0.0, 0.0, _LIFT),
            agents.radius[others],
            np.where(in_the_way[:, None], _MET, _MINDED),
        ),
        marks.arrows(place[None], steering.wanted[None], _WANTED, width=3.0),
        marks.arrows(place[None], steering.taken[None], _TAKEN, width=3.0),
    ]


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
    angle = last[:, None] - sweep[:, None] * np.linspace(0.0, 1.0, _ARC + 1)
    rim = fastest * np.stack([np.cos(angle), np.sin(angle)], axis=-1)  # (K, arc, 2)
    middle = np.broadcast_to(foot[:, None], rim[:, 1:].shape)
    corners = _on_ground(place, np.stack([middle, rim[:, 1:], rim[:, :-1]], axis=2))
    ends = _on_ground(place, np.stack([foot - half, foot + half]))
    return [marks.surface(corners.reshape(-1, 3, 3), _FORBIDDEN), marks.segments(ends[0], ends[1], _BORDER)]


def _on_ground(place: Float64, velocities: Float64) -> Float64:
    """Velocities (..., 2) as points round a place, float64 (..., 3) [m]."""
    level = np.zeros((*velocities.shape[:-1], 1))
    return place + np.concatenate([velocities, level], axis=-1)


def _label(place: Float64, text: str) -> marks.Label:
    return marks.Label((float(place[0]), float(place[1]), float(place[2]) + 0.1), text)


OVERLAY = Overlay(
    name="steering",
    label="Avoidance",
    description=(
        "Why the selected person goes where it goes at this frame: the velocities that others and obstacles forbid it, "
        "the one it wants, and the one it takes"
    ),
    needs=Need.SELECTED,
    draw=draw,
    legend=(
        (_WANTED, "velocity it wants"),
        (_TAKEN, "velocity it takes"),
        (_BORDER, "forbidden by somebody or something"),
        (_MET, "is in its way"),
        (_MINDED, "is minded too"),
        (_LIMIT, "as fast as it goes"),
    ),
)
