# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of distance fields."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FieldSettings:
    """Size and fineness of the grid of cells; chosen by trial for speed.

    Attributes:
        margin: least width of the free border round all obstacles that has cells [m].
        margin_share: and as a share of the mean extent of the obstacles.
        finest_limit: samples of the finest level hold distances up to this [m].
        cells_per_segment: the number of cells grows with the number of segments, between
        fewest_cells, most_cells: powers of 4, as cells are halved along both axes.
        longest_row: so many times as long as wide a grid may be.
    """

    margin: float = 3.0
    margin_share: float = 0.2
    finest_limit: float = 0.6
    cells_per_segment: int = 8
    fewest_cells: int = 4**5
    most_cells: int = 4**8
    longest_row: int = 64


@dataclass(frozen=True)
class DiscFieldSettings:
    """Up to where discs are looked for; chosen by trial for speed.

    Attributes:
        reach: discs that are farther than this from a point do not count for its distance [m].
        far_share: up to so many times the reach it is known whether a disc may be near; beyond, their bounding box
            counts.
    """

    reach: float = 1.0
    far_share: float = 4.0

    @property
    def far_reach(self) -> float:
        """Up to this distance it is known whether a disc may be near [m]."""
        return self.far_share * self.reach


FIELD, DISC_FIELD = FieldSettings(), DiscFieldSettings()
