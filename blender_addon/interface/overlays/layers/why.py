# SPDX-License-Identifier: GPL-3.0-or-later
"""What the selected person is doing, because of whom, and what it wishes: as the simulation recorded it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .....core.inspection.reasons import Why, explain
from .....core.simulation.world.doing import DOING_NAMES, Doing
from . import marks
from .marks import Colour, Mark
from .overlay import Overlay, View
from .people import PEOPLE_STYLE


@dataclass(frozen=True)
class ActivityStyle:
    """How the activity of a person is drawn; chosen for legibility.

    Attributes:
        because, wish: colours.
        line_width: of the line to whom it is because of [pixels].
        arrow_width: of the preferred velocity [pixels].
        label_height: of the words above the ground [m].
        place_radius: of the circle at what blocks the path [m].
    """

    because: Colour = (1.0, 0.35, 0.75, 1.0)
    wish: Colour = (1.0, 0.8, 0.25, 1.0)
    line_width: float = 3.5
    arrow_width: float = 2.0
    label_height: float = 2.0
    place_radius: float = 0.3


STYLE = ActivityStyle()

NOT_RECORDED = "this bake has no recorded reasons: re-bake to record them"

_BECAUSE_OF = {
    Doing.FOLLOWING: "following {who}",
    Doing.WITH_GROUP: "keeping with {who}",
    Doing.MAKING_WAY: "avoiding {who}",
    Doing.HELD_UP: "held up by {who}",
    Doing.QUEUEING: "queueing at a door behind {who}",
    Doing.LETTING_THROUGH: "letting {who} through",
    Doing.DODGING: "avoiding {who}",
    Doing.SIDE_STEPPING: "side-stepping {who}",
    Doing.ON_DETOUR: "on a detour round {who}",
}

_AT_STOP = {
    Doing.GOING_TO_STOP: "walks to {stop}",
    Doing.AT_STOP: "stands at {stop}",
    Doing.LOOKING: "looks at {stop}",
    Doing.TALKING: "talks at {stop}",
    Doing.SITTING: "sits at {stop}",
    Doing.WAITING_FOR_EVENT: "waits at {stop} for something to happen",
    Doing.PLAYING_CLIP: "plays a clip at {stop}",
    Doing.IN_QUEUE: "waits in the queue at {stop}, {place}",
    Doing.SERVED: "is served at {stop}",
}

_ORDINALS = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def sentence(titles: Sequence[str], found: Why) -> str:
    """Say what somebody is doing, with the names of people in `titles`."""
    if found.doing is None:
        return NOT_RECORDED
    if found.stop and found.doing in _AT_STOP:
        place = _ORDINALS[found.queue_place] if found.queue_place < len(_ORDINALS) else f"number {found.queue_place}"
        return _AT_STOP[found.doing].format(stop=found.stop, place=place)
    if found.because_of is not None and found.doing in _BECAUSE_OF:
        return _BECAUSE_OF[found.doing].format(who=titles[found.because_of])
    where = "" if found.place is None else " at ({:.1f}, {:.1f})".format(*found.place)
    return DOING_NAMES[found.doing] + where


def draw(view: View) -> list[Mark]:
    """What the person is doing above its head, its preferred velocity, and a line to whom it is because of."""
    people, agent = view.selected
    found = explain(people.replay, agent, people.moment)
    here = people.moment.position[agent] + np.array([0.0, 0.0, PEOPLE_STYLE.lift])
    drawn: list[Mark] = []
    if found.wish is not None:
        drawn.append(marks.arrows(here[None], found.wish[None], STYLE.wish, width=STYLE.arrow_width))
    if found.because_of is not None:
        end = people.moment.position[found.because_of] + np.array([0.0, 0.0, PEOPLE_STYLE.lift])
        if np.isfinite(end[0]):
            drawn.append(marks.segments(here[None], end[None], STYLE.because, width=STYLE.line_width))
    if found.place is not None:
        closed = np.array([*found.place, here[2]])
        drawn += [
            marks.segments(here[None], closed[None], STYLE.because, width=STYLE.line_width),
            marks.circles(closed[None], STYLE.place_radius, STYLE.because),
        ]
    above = people.moment.position[agent] + np.array([0.0, 0.0, STYLE.label_height])
    return [*drawn, marks.label_above(above, sentence(people.titles, found))]


OVERLAY = Overlay(draw, legend=((STYLE.because, "because of this person"), (STYLE.wish, "preferred velocity")))
