# SPDX-License-Identifier: GPL-3.0-or-later
"""Everybody as the simulation sees them: the room that a body takes, and where it is going."""

from __future__ import annotations

import numpy as np

from .. import marks
from ..marks import Mark
from ..overlay import Overlay, View

LIFT = 0.02  # [m] above the ground, not to flicker on it
_ROOM = (0.35, 0.75, 1.0, 0.9)
_SELECTED = (1.0, 1.0, 1.0, 1.0)
_GOING = (0.55, 0.95, 0.9, 0.9)


def draw(view: View) -> list[Mark]:
    """A circle round everybody who is there, and an arrow to where they will be in a second."""
    people = view.people
    if people is None:
        return []
    moment = people.moment
    here = np.flatnonzero(moment.present)
    centres = moment.position[here] + (0.0, 0.0, LIFT)
    colours = np.tile(_ROOM, (len(here), 1))
    colours[here == people.selected] = _SELECTED
    return [
        marks.circles(centres, people.replay.agents.radius[here], colours, sides=24),
        marks.arrows(centres, moment.velocity[here], _GOING),
    ]


OVERLAY = Overlay(
    draw,
    legend=((_ROOM, "room a body takes"), (_GOING, "way of the next second")),
)
