# SPDX-License-Identifier: GPL-3.0-or-later
"""Everybody as the simulation sees them: the space of a body, and its motion in the next second."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .....core.array_types import Float64
from . import marks
from .marks import Colour, Mark
from .overlay import Overlay, View


@dataclass(frozen=True)
class PeopleStyle:
    """How people are drawn; chosen for legibility.

    Attributes:
        lift: height of marks above the ground, so that they do not flicker [m].
        body, selected, motion, hero: colours of bodies, of the selected person's, of arrows, and of who stays as it is.
        circle_sides: straight pieces of a circle.
    """

    lift: float = 0.02
    body: Colour = (0.35, 0.75, 1.0, 0.9)
    selected: Colour = (1.0, 1.0, 1.0, 1.0)
    motion: Colour = (0.55, 0.95, 0.9, 0.9)
    hero: Colour = (1.0, 0.7, 0.25, 0.95)
    circle_sides: int = 24


PEOPLE_STYLE = PeopleStyle()


def draw(view: View) -> list[Mark]:
    """A circle round everybody present, and an arrow to their position in a second."""
    people = view.people
    if people is None:
        return []
    moment = people.moment
    here = np.flatnonzero(moment.present)
    centres = moment.position[here] + (0.0, 0.0, PEOPLE_STYLE.lift)
    colours = np.tile(PEOPLE_STYLE.body, (len(here), 1))
    colours[here == people.selected] = PEOPLE_STYLE.selected
    return [
        marks.circles(centres, people.replay.agents.radius[here], colours, sides=PEOPLE_STYLE.circle_sides),
        marks.arrows(centres, moment.velocity[here], PEOPLE_STYLE.motion),
        *_heroes(view),
    ]


def _heroes(view: View) -> list[Mark]:
    """A circle round heroes and pinned people, with the name."""
    here = [each for each in view.reading.scene.heroes if each.is_present(view.frame)]
    if not here:
        return []
    places = np.array([[np.interp(view.frame, each.motion.frames, way) for way in (each.motion.x, each.motion.y)]
                       for each in here])  # fmt: skip
    centres = np.column_stack([places, _heights(view, places) + PEOPLE_STYLE.lift])
    colours = np.tile(PEOPLE_STYLE.hero, (len(here), 1))
    radius = np.array([each.radius for each in here])
    labels = [
        marks.Label(tuple(place), each.name, PEOPLE_STYLE.hero)
        for place, each in zip(centres.tolist(), here, strict=True)
    ]
    return [marks.circles(centres, radius, colours, sides=PEOPLE_STYLE.circle_sides), *labels]


def _heights(view: View, places: Float64) -> Float64:
    """Return float64 (H,), the height of the ground there, or else of the nearest route [m]."""
    walked = view.reading.sources.walked
    if not len(walked):
        return np.zeros(len(places))
    nearest = [int(np.argmin(((walked[:, :2] - place) ** 2).sum(axis=1))) for place in places]
    ground = view.reading.ground
    return walked[nearest, 2] if ground is None else ground.heights(places, walked[nearest, 2])


OVERLAY = Overlay(
    draw,
    legend=(
        (PEOPLE_STYLE.body, "body size"),
        (PEOPLE_STYLE.motion, "motion in the next second"),
        (PEOPLE_STYLE.hero, "heroes and pinned people"),
    ),
)
