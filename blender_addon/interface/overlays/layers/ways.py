# SPDX-License-Identifier: GPL-3.0-or-later
"""The way that the selected person has ahead at the current frame, and how far beside it there is room."""

from __future__ import annotations

import numpy as np

from .. import marks
from ..marks import Mark
from ..overlay import Overlay, View
from .people import LIFT

_AHEAD = (0.3, 1.0, 0.45, 1.0)
_ROOM = (0.3, 1.0, 0.45, 0.25)
_REFUSED = (1.0, 0.15, 0.1, 1.0)


def draw(view: View) -> list[Mark]:
    """The line ahead to the goal with its room on both sides; or why there is none."""
    people, selected = view.selected
    way = people.replay.way_ahead(selected, people.moment)
    place = people.moment.position[selected]
    height = float(place[2]) + LIFT
    if isinstance(way, str):
        return [marks.Label((float(place[0]), float(place[1]), height), way, _REFUSED)]
    line, left, right = (np.column_stack([part, np.full(len(part), height)]) for part in way)
    corners = np.stack([left[:-1], right[:-1], right[1:], left[:-1], right[1:], left[1:]], axis=1).reshape(-1, 3, 3)
    return [marks.surface(corners, _ROOM), marks.chains(line, _AHEAD, width=3.0)]


OVERLAY = Overlay(
    draw,
    legend=((_AHEAD, "way ahead"), (_ROOM, "room beside it")),
)
