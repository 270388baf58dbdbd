# SPDX-License-Identifier: GPL-3.0-or-later
"""Doors on people's ways: where the free width falls off to less than `WIDEST`, there is one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...planning import ReferenceSet
from ..settings.population_settings import PreferredLineSettings

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]
Bool = NDArray[np.bool_]

WIDEST = 2.6
"""What is wider is no door [m]."""

FALLS_TO = 0.75
"""A door is narrower than the way before it by this share at least."""

BEFORE, AHEAD, STEP = 3.0, 8.0, 0.2
"""The way is looked at from so far behind oneself to so far ahead, in such steps [m]."""

EVEN = 1.05
"""What is so many times as wide as the narrowest place within the next metre is the beginning of it."""

_METRE = round(1.0 / STEP)


@dataclass(frozen=True, eq=False)
class Outlook:
    """The room along the ways of N people, at P places from behind them to ahead of them.

    Attributes:
        places: float64 (N, P), how far along the way they are [m].
        right, left: float64 (N, P), the room there [m].
        at: int64 (N,), at which of them the next door is narrowest; -1 where there is none.
        wide: bool (N,), where the way is everywhere as wide as room is measured.
    """

    places: Float64
    right: Float64
    left: Float64
    at: Int64
    wide: Bool


def look_ahead(path: Int64, s: Float64, end: Float64, references: ReferenceSet) -> Outlook:
    """Measure the room along people's ways, and find the next doors.

    Args:
        path: int64 (N,), whose way.
        s: float64 (N,), how far along it they are [m].
        end: float64 (N,), where it ends [m].
        references: the paths.
    """
    number = np.floor(s / STEP)[:, None] + np.arange(-round(BEFORE / STEP), round((AHEAD + 1.0) / STEP))
    places = np.minimum(np.maximum(STEP * number, 0.0), end[:, None])
    right, left = references.free_width(np.broadcast_to(path[:, None], places.shape).ravel(), places.ravel())
    right, left = right.reshape(places.shape), left.reshape(places.shape)
    width = right + left
    at = next_narrowest(width, places > s[:, None])
    return Outlook(places, right, left, at, np.all(width >= 2.0 * PreferredLineSettings.half_width, axis=1))


def next_narrowest(width: Float64, ahead: Bool) -> Int64:
    """Return int64 (R,), at which of the places along ways, float64 (R, P), the next door is narrowest; -1 for none."""
    behind = round(BEFORE / STEP)
    windows = np.lib.stride_tricks.sliding_window_view
    count = width.shape[1] - _METRE
    next_metre = windows(width, _METRE + 1, axis=1)  # (R, count, _METRE + 1)
    most = np.zeros((len(width), count))
    most[:, behind:] = windows(width, behind + 1, axis=1).max(axis=2)[:, : count - behind]
    here = width[:, :count]
    narrow = (here <= EVEN * next_metre.min(axis=2)) & (here < WIDEST) & (here < FALLS_TO * most)
    begins = narrow & ahead[:, :count]
    begins[:, 1:] &= ~narrow[:, :-1]
    first = begins.argmax(axis=1)
    narrowest = first + next_metre[np.arange(len(width)), first].argmin(axis=1)
    return np.where(begins.any(axis=1), narrowest, -1)
