# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of distance fields."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FieldSettings:
    """Size and fineness of the grid of cells; chosen by trial for speed.

    Attributes:
        margin: least width of the free border round all obstacles that has cells [m].
        margin_share: and as a share of the extent of the obstacles.
        finest_limit: samples of the finest level hold distances up to this [m].
        cells_per_segment: the number of cells grows with the number of segments.
        fewest_levels, most_levels: halvings of the grid.
    """

    margin: float = 3.0
    margin_share: float = 0.2
    finest_limit: float = 0.6
    cells_per_segment: int = 8
    fewest_levels: int = 5
    most_levels: int = 8


FIELD = FieldSettings()
