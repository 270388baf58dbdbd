# SPDX-License-Identifier: GPL-3.0-or-later
"""Everybody as the simulation sees them: the space of a body, and its motion in the next second."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import marks
from .marks import Colour, Mark
from .overlay import Overlay, View


@dataclass(frozen=True)
class PeopleStyle:
    """How people are drawn; chosen for legibility.

    Attributes:
        lift: height of marks above the ground, so that they do not flicker [m].
        body, selected, motion: colours of bodies, of the selected person's, and of arrows.
        circle_sides: straight pieces of a circle.
    """

    lift: float = 0.02
    body: Colour = (0.35, 0.75, 1.0, 0.9)
    selected: Colour = (1.0, 1.0, 1.0, 1.0)
    motion: Colour = (0.55, 0.95, 0.9, 0.9)
    circle_sides: int = 24


PEOPLE_STYLE = PeopleStyle()


def draw(view: View) -> list[Mark]:
    """A circle round everybody who is present, and an arrow to where they will be in a second."""
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
    ]


OVERLAY = Overlay(
    draw,
    legend=((PEOPLE_STYLE.body, "body size"), (PEOPLE_STYLE.motion, "motion in the next second")),
)
