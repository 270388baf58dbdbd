# SPDX-License-Identifier: GPL-3.0-or-later
"""The trajectory of each person up to the current frame, one colour per crowd."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....settings.overlay_catalogue import SELECTED
from . import marks
from .marks import Colour, Mark
from .overlay import Overlay, View
from .people import PEOPLE_STYLE


@dataclass(frozen=True)
class TrailStyle:
    """How trails are drawn.

    Attributes:
        selected: colour of the selected person's trail.
        crowds: colours of crowds, distinguishable with any colour vision (Okabe and Ito 2008, Color universal design).
        top_speed: a person who moved faster than this between two frames appeared elsewhere [m/s] (chosen: far above
            any walking speed).
    """

    selected: Colour = (1.0, 1.0, 1.0, 1.0)
    crowds: tuple[Colour, ...] = (
        (0.9, 0.62, 0.0, 0.8),
        (0.0, 0.62, 0.45, 0.8),
        (0.8, 0.47, 0.65, 0.8),
        (0.94, 0.89, 0.26, 0.8),
        (0.34, 0.71, 0.91, 0.8),
    )
    top_speed: float = 15.0


STYLE = TrailStyle()


def draw(view: View) -> list[Mark]:
    """The steps of everybody or of the selected person, as far back as the options say; the same for all frames."""
    people = view.people
    if people is None:
        return []
    position = people.replay.position + np.array([0.0, 0.0, PEOPLE_STYLE.lift])
    crowd, scene = people.replay.agents.crowd, people.replay.scene
    seconds = view.options.trail_seconds
    span = round(seconds * scene.fps) if seconds else len(position)
    crowds = [] if view.options.trails_of == SELECTED else np.unique(crowd).tolist()
    groups = [(np.flatnonzero(crowd == number), STYLE.crowds[number % len(STYLE.crowds)]) for number in crowds]
    if people.selected is not None:
        groups.append((np.array([people.selected]), STYLE.selected))
    longest = STYLE.top_speed / scene.fps
    first = scene.frames[0]
    return [
        marks.trails(position[:, who], colour, first_frame=first, span=span, longest=longest) for who, colour in groups
    ]


OVERLAY = Overlay(
    draw,
    legend=((STYLE.selected, "trail of the selected person"), (STYLE.crowds[0], "trails, one colour per crowd")),
    each_frame=False,
)
