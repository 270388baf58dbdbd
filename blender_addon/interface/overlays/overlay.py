# SPDX-License-Identifier: GPL-3.0-or-later
"""What an overlay is."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .marks import Colour, Mark

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
    """

    name: str
    label: str
    description: str
    needs: Need
    draw: Callable[[View], Sequence[Mark]]
    legend: tuple[tuple[Colour, str], ...] = ()
