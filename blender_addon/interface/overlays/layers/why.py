# SPDX-License-Identifier: GPL-3.0-or-later
"""In words and lines, why the selected person does what it does: what it is doing because of whom, whom it minds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .....core.inspection.reasons import Doing, Why, explain
from .. import marks
from ..marks import Colour, Mark
from ..overlay import Overlay, View
from .people import PEOPLE_STYLE

_BECAUSE: Colour = (1.0, 0.35, 0.75, 1.0)
_IN_THE_WAY: Colour = (0.95, 0.3, 0.2, 0.9)
_MINDED: Colour = (0.7, 0.6, 1.0, 0.6)
_HEAD = 2.0  # [m] above the ground

_WORDS = {
    Doing.WALKING: "walking",
    Doing.MAKING_WAY: "avoiding {who}",
    Doing.QUEUEING: "queueing behind {who}",
    Doing.HELD_UP: "held up by {who}",
    Doing.WAITING: "waiting: the path is blocked at ({x:.1f}, {y:.1f})",
    Doing.STANDING: "standing",
    Doing.NO_ROUTE: "standing: no route",
    Doing.ARRIVED: "arrived",
}


def sentence(titles: Sequence[str], found: Why) -> str:
    """Say what somebody is doing, with the names of people in `titles`."""
    who = titles[found.because_of] if found.because_of is not None else ""
    x, y = found.place if found.place is not None else (np.nan, np.nan)
    return _WORDS[found.doing].format(who=who, x=x, y=y)


def draw(view: View) -> list[Mark]:
    """A line to everybody whom the selected person minds, and what it is doing above its head."""
    people, agent = view.selected
    found = explain(people.replay, agent, people.moment)
    here = people.moment.position[agent] + np.array([0.0, 0.0, PEOPLE_STYLE.lift])
    drawn: list[Mark] = []
    because = () if found.because_of is None else (found.because_of,)
    for others, colour, width in (
        (found.minded, _MINDED, 1.5),
        (found.in_the_way, _IN_THE_WAY, 2.0),
        (because, _BECAUSE, 3.5),
    ):
        if others:
            ends = people.moment.position[list(others)] + np.array([0.0, 0.0, PEOPLE_STYLE.lift])
            drawn.append(marks.segments(np.broadcast_to(here, ends.shape), ends, colour, width=width))
    if found.place is not None:
        closed = np.array([*found.place, here[2]])
        drawn += [
            marks.segments(here[None], closed[None], _BECAUSE, width=3.5),
            marks.circles(closed[None], 0.3, _BECAUSE),
        ]
    above = people.moment.position[agent] + np.array([0.0, 0.0, _HEAD])
    return [*drawn, marks.label_above(above, sentence(people.titles, found))]


OVERLAY = Overlay(
    draw,
    legend=((_BECAUSE, "because of"), (_IN_THE_WAY, "prevents the preferred velocity"), (_MINDED, "is avoided too")),
)
