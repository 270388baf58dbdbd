# SPDX-License-Identifier: GPL-3.0-or-later
"""How far feet slide while they are planted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ....core.array_types import Float64, Int64
from ....core.motion.feet.foot_planting import FootCorrection


@dataclass(frozen=True)
class SlideSettings:
    """In which contacts slides are measured.

    Attributes:
        shortest_contact: not in shorter ones [frames]; chosen.
    """

    shortest_contact: int = 3


_SETTINGS = SlideSettings()


class Slides(NamedTuple):
    """How far feet slide.

    Attributes:
        length: float64 (C,), the largest distance from the planted position in each contact.
        row: int64 (C,), the row of frames at which it occurs.
    """

    length: Float64
    row: Int64

    @classmethod
    def joined(cls, parts: list[Slides]) -> Slides:
        """Join the contacts of several feet."""
        none = cls(np.empty(0), np.empty(0, dtype=np.int64))
        return cls(*(np.concatenate(column) for column in zip(none, *parts, strict=True)))


def find_slides(wanted: FootCorrection, off: Float64) -> list[Slides]:
    """Find the largest slide in each contact, for each agent."""
    contact, off = wanted.contact.ravel(), off.ravel()
    places = np.flatnonzero(contact >= 0)
    places = places[np.lexsort((-off[places], contact[places]))]  # the worst place of each contact comes first
    _, first, length = np.unique(contact[places], return_index=True, return_counts=True)
    worst = places[first[length >= _SETTINGS.shortest_contact]]
    agents, frames = wanted.contact.shape
    ends = np.searchsorted(worst, frames * np.arange(1, agents))
    return [Slides(off[own], own % frames) for own in np.split(worst, ends)]


def slide_figures(slides: Float64) -> dict[str, float | int]:
    """Return the report's figures for slides float64 (C,) [m]: contacts, mean, 99th percentile and most [cm]."""
    return {
        "foot_contacts": len(slides),
        "foot_slide_mean_cm": round(100.0 * float(slides.mean()), 3),
        "foot_slide_p99_cm": round(100.0 * float(np.percentile(slides, 99)), 3),
        "foot_slide_max_cm": round(100.0 * float(slides.max()), 3),
    }
