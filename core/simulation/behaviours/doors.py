# SPDX-License-Identifier: GPL-3.0-or-later
"""Doors on people's paths: there is one where the free width drops below that of a door."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...planning import ReferenceSet
from ..settings.behaviour_settings import DoorSettings


@dataclass(frozen=True, eq=False)
class WidthAhead:
    """The free width along the paths of N people, at P places from behind them to ahead of them.

    Attributes:
        places: float64 (N, P), their arc lengths [m].
        right, left: float64 (N, P), the free width there [m].
        at: int64 (N,), at which of them the next door is narrowest; -1 where there is none.
    """

    places: Float64
    right: Float64
    left: Float64
    at: Int64


def measure_width_ahead(
    path: Int64, s: Float64, end: Float64, references: ReferenceSet, settings: DoorSettings
) -> WidthAhead:
    """Measure the free width along people's paths, and find the next doors.

    Args:
        path: int64 (N,), their paths.
        s: float64 (N,), their arc lengths [m].
        end: float64 (N,), where the paths end [m].
        references: the paths.
        settings: what counts as a door.
    """
    spacing = settings.spacing
    behind, ahead = round(settings.look_behind / spacing), round((settings.look_ahead + 1.0) / spacing)
    number = np.floor(s / spacing)[:, None] + np.arange(-behind, ahead)
    places = np.minimum(np.maximum(spacing * number, 0.0), end[:, None])
    right, left = references.free_width(np.broadcast_to(path[:, None], places.shape).ravel(), places.ravel())
    right, left = right.reshape(places.shape), left.reshape(places.shape)
    return WidthAhead(places, right, left, next_narrowest(right + left, places > s[:, None], settings))


def next_narrowest(width: Float64, ahead: Bool, settings: DoorSettings) -> Int64:
    """Return int64 (R,), at which place along paths, float64 (R, P), the next door is narrowest; -1 for none."""
    behind, metre = round(settings.look_behind / settings.spacing), settings.steps_a_metre
    windows = np.lib.stride_tricks.sliding_window_view
    count = width.shape[1] - metre
    next_metre = windows(width, metre + 1, axis=1)  # (R, count, metre + 1)
    most = np.zeros((len(width), count))
    most[:, behind:] = windows(width, behind + 1, axis=1).max(axis=2)[:, : count - behind]
    here = width[:, :count]
    narrow = (here <= settings.width_tolerance * next_metre.min(axis=2)) & (here < settings.greatest_width)
    narrow &= here < settings.narrowing * most
    begins = narrow & ahead[:, :count]
    begins[:, 1:] &= ~narrow[:, :-1]
    first = begins.argmax(axis=1)
    narrowest = first + next_metre[np.arange(len(width)), first].argmin(axis=1)
    return np.where(begins.any(axis=1), narrowest, -1)
