# SPDX-License-Identifier: GPL-3.0-or-later
"""The route ahead of the selected person at the current frame, and the free width beside it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import marks
from .marks import Colour, Mark
from .overlay import Overlay, View
from .people import PEOPLE_STYLE


@dataclass(frozen=True)
class RouteAheadStyle:
    """How the route ahead is drawn; chosen for legibility.

    Attributes:
        route, free_width, refused: colours of the route, of the free width beside it, and of the reason for none.
        line_width: [pixels].
    """

    route: Colour = (0.3, 1.0, 0.45, 1.0)
    free_width: Colour = (0.3, 1.0, 0.45, 0.25)
    refused: Colour = (1.0, 0.15, 0.1, 1.0)
    line_width: float = 3.0


STYLE = RouteAheadStyle()


def draw(view: View) -> list[Mark]:
    """The route to the goal with the free width on both sides; or why there is none."""
    people, selected = view.selected
    route = people.replay.way_ahead(selected, people.moment)
    place = people.moment.position[selected]
    height = float(place[2]) + PEOPLE_STYLE.lift
    if isinstance(route, str):
        return [marks.Label((float(place[0]), float(place[1]), height), route, STYLE.refused)]
    line, left, right = (np.column_stack([part, np.full(len(part), height)]) for part in route)
    corners = np.stack([left[:-1], right[:-1], right[1:], left[:-1], right[1:], left[1:]], axis=1).reshape(-1, 3, 3)
    return [marks.surface(corners, STYLE.free_width), marks.chains(line, STYLE.route, width=STYLE.line_width)]


OVERLAY = Overlay(
    draw,
    legend=((STYLE.route, "route ahead"), (STYLE.free_width, "free width")),
)
