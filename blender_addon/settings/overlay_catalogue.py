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
        "A circle for the space that each baked person takes, and an arrow to their position in one second",
        Need.BAKE,
    ),
    OverlayRow(
        "why",
        "Activity",
        "What the selected person is doing at this frame, with lines to the people who cause it",
        Need.SELECTED,
    ),
    OverlayRow(
        "plan",
        "Plan",
        "The paths that the selected person considers at this frame, coloured by cost or by the reason "
        "why they were rejected, and the chosen one, with a dot for each half second",
        Need.SELECTED,
    ),
    OverlayRow(
        "steering",
        "Avoidance",
        "The avoidance of the selected person at this frame: the velocities that others and obstacles "
        "forbid, the preferred velocity, and the one taken",
        Need.SELECTED,
    ),
    OverlayRow(
        "ways",
        "Route of Selected",
        "The route ahead of the selected baked person at this frame, and the free width on both sides",
        Need.SELECTED,
    ),
    OverlayRow(
        "routes",
        "Routes",
        "The routes of all people without a curve, each as if alone, the paths along the curves, and "
        "the bypasses of obstacles on a curve; updated while you drag an obstacle or a curve",
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
        "People per square metre, at this frame, on average or at the maximum",
        Need.BAKE,
        options=("density_over",),
    ),
    OverlayRow(
        "trails",
        "Trails",
        "The trajectory of each person up to this frame, one colour per crowd",
        Need.BAKE,
        options=("trails_of", "trail_seconds"),
    ),
    OverlayRow(
        "lanes",
        "Lanes",
        "The lanes of all roads before a bake: directions, entries and exits, priority where roads "
        "cross, and crossings for people",
        Need.SCENE,
    ),
)
"""In the order of the panel."""
