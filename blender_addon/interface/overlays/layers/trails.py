# SPDX-License-Identifier: GPL-3.0-or-later
"""Where people have come from: their ways up to the current frame, one colour for each crowd."""

from __future__ import annotations

import numpy as np

from ....settings.overlay_catalogue import SELECTED
from .. import marks
from ..marks import Colour, Mark
from ..overlay import Overlay, View
from .people import LIFT

_SELECTED: Colour = (1.0, 1.0, 1.0, 1.0)
_CROWDS: tuple[Colour, ...] = (  # told apart by all kinds of sight (Okabe and Ito 2008, Color universal design)
    (0.9, 0.62, 0.0, 0.8),
    (0.0, 0.62, 0.45, 0.8),
    (0.8, 0.47, 0.65, 0.8),
    (0.94, 0.89, 0.26, 0.8),
    (0.34, 0.71, 0.91, 0.8),
)
_FASTEST = 15.0
"""Who is farther away after a frame than this speed leads did not walk there [m/s]."""


def draw(view: View) -> list[Mark]:
    """The steps of everybody or of the selected person, as far back as the options say; the same for all frames."""
    people = view.people
    if people is None:
        return []
    position = people.replay.position + np.array([0.0, 0.0, LIFT])
    crowd, scene = people.replay.agents.crowd, people.replay.scene
    seconds = view.options.trail_seconds
    span = round(seconds * scene.fps) if seconds else len(position)
    crowds = [] if view.options.trails_of == SELECTED else np.unique(crowd).tolist()
    groups = [(np.flatnonzero(crowd == number), _CROWDS[number % len(_CROWDS)]) for number in crowds]
    if people.selected is not None:
        groups.append((np.array([people.selected]), _SELECTED))
    longest = _FASTEST / scene.fps
    first = scene.frames[0]
    return [
        marks.trails(position[:, who], colour, first_frame=first, span=span, longest=longest) for who, colour in groups
    ]


OVERLAY = Overlay(
    draw,
    legend=((_SELECTED, "trail of the selected person"), (_CROWDS[0], "trails, a colour for each crowd")),
    each_frame=False,
)
