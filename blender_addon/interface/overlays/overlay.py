# SPDX-License-Identifier: GPL-3.0-or-later
"""What an overlay is."""

from __future__ import annotations

import enum
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .marks import Colour, Mark

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


if TYPE_CHECKING:
    from .view import View


class Need(enum.IntEnum):
    """What must be known before an overlay can be drawn; each includes those before it."""

    SCENE = enum.auto()
    BAKE = enum.auto()
    SELECTED = enum.auto()


@dataclass(frozen=True)
class Overlay:
    """Something to be drawn over the viewport.

    Attributes:
        name: of its toggle in `scene.footfall.overlays`.
        label: what the panel calls it.
        description: what it shows, for the tooltip.
        needs: what `draw` cannot do without.
        draw: makes the marks for a view; pure.
        legend: what its colours mean, shown in the corner of the viewport.
        options: names of settings in `scene.footfall.overlays` that say how it is drawn.
        each_frame: it draws something else at each frame; else once for a bake.
        version: another value when it would draw something else, though all that it is shown is the same.
    """

    name: str
    label: str
    description: str
    needs: Need
    draw: Callable[[View], Sequence[Mark]]
    legend: tuple[tuple[Colour, str], ...] = ()
    options: tuple[str, ...] = ()
    each_frame: bool = True
    version: Callable[[], Hashable] = lambda: None
