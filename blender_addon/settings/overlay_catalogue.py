# SPDX-License-Identifier: GPL-3.0-or-later
"""Which overlays there are, in the order of the panel, as data: settings know them without knowing how they draw."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import NamedTuple

NOW, MEAN, MOST = "NOW", "MEAN", "MOST"
EVERYBODY, SELECTED = "EVERYBODY", "SELECTED"


@dataclass(frozen=True)
class Options:
    """How overlays are drawn, as the user has set it.

    Attributes:
        trails_of: `EVERYBODY` or `SELECTED`.
        trail_seconds: so far back trails reach [s]; 0: to the first frame.
        density_over: `NOW`, `MEAN` over all frames, or the `MOST` of all frames.
    """

    trails_of: str = EVERYBODY
    trail_seconds: float = 4.0
    density_over: str = NOW


class Need(enum.IntEnum):
    """What must be known before an overlay can be drawn; each includes those before it."""

    SCENE = enum.auto()
    BAKE = enum.auto()
    SELECTED = enum.auto()


class OverlayRow(NamedTuple):
    """One overlay.

    Attributes:
        name: of its toggle in `scene.footfall.overlays`, and of the file that draws it.
        label: what the panel calls it.
        description: what it shows, for the tooltip.
        needs: what cannot be done without.
        options: names of settings in `scene.footfall.overlays` that say how it is drawn.
    """

    name: str
    label: str
    description: str
    needs: Need
    options: tuple[str, ...] = ()


CATALOGUE = (
    OverlayRow(
        "people",
        "Bodies and Velocities",
        "A circle for the room that each baked person takes, and an arrow to where they are in a second",
        Need.BAKE,
    ),
    OverlayRow(
        "why",
        "What It Is Doing",
        "What the selected person is doing at this frame, and lines to those because of whom",
        Need.SELECTED,
    ),
    OverlayRow(
        "plan",
        "Plan",
        "What the selected person chooses from at this frame: every way considered, coloured by what it costs or "
        "by why it is out, and the one taken, with a dot for each half second",
        Need.SELECTED,
    ),
    OverlayRow(
        "steering",
        "Avoidance",
        "Why the selected person goes where it goes at this frame: the velocities that others and obstacles forbid"
        " it, the one it wants, and the one it takes",
        Need.SELECTED,
    ),
    OverlayRow(
        "ways",
        "Way of the Selected",
        "The way that the selected baked person has ahead at this frame, and the room beside it",
        Need.SELECTED,
    ),
    OverlayRow(
        "routes",
        "Routes",
        "The ways of all who find their own, each as if they were alone, the paths along the curves, and the way "
        "past what stands on a curve; they follow an obstacle or a curve while you drag it",
        Need.SCENE,
    ),
    OverlayRow(
        "corridors",
        "Corridor Map",
        "Where people can walk between obstacles at this frame: the middle of every passage, coloured by its "
        "width, and in red the gaps that are too narrow",
        Need.SCENE,
    ),
    OverlayRow(
        "density",
        "Density",
        "How crowded it is: people to the square metre, at this frame, on average or at the worst",
        Need.BAKE,
        options=("density_over",),
    ),
    OverlayRow(
        "trails",
        "Trails",
        "Where people have come from: the way of each up to this frame, one colour for each crowd",
        Need.BAKE,
        options=("trails_of", "trail_seconds"),
    ),
    OverlayRow(
        "lanes",
        "Lanes",
        "The lanes of all roads before anything is baked: which way they lead, where vehicles come in and go out, "
        "who goes first where roads cross, and where people do",
        Need.SCENE,
    ),
)
"""In the order of the panel."""
