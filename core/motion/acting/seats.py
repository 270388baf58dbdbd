# SPDX-License-Identifier: GPL-3.0-or-later
"""Seats that people take: when, and where the body is meanwhile, so that its feet stay where it stood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...array_types import Bool, Float64
from ...geometry.ragged import runs_of
from ...geometry.reproducible_math import length
from .cues import ACTING, ONCE, SIT, Cue, activity_of


@dataclass(frozen=True, eq=False)
class Seat:
    """A time for which somebody sits.

    Attributes:
        first: row of the first frame, in which they begin to sit down.
        last: row of the last frame, in which they have stood up.
        place: float64 (3,), the top of the seat under the hips.
        heading: the direction that they face there [rad].
        from_start: they sit as they appear.
        to_end: they sit until they are gone.
    """

    first: int
    last: int
    place: Float64
    heading: float
    from_start: bool
    to_end: bool


def hold_seated(position: Float64, sits: Bool, present: Bool) -> Float64:
    """Positions of people who stay where they stand before a seat, instead of sliding onto it.

    Args:
        position: float64 (F, A, 3).
        sits: bool (F, A), whether each sits, sits down or stands up.
        present: bool (F, A).

    Returns:
        float64 (F, A, 3).
    """
    if not sits.any():
        return position
    frames = np.arange(len(sits))[:, None]
    before = np.zeros_like(sits)
    before[1:] = sits[1:] & ~sits[:-1] & present[:-1]  # somebody begins to sit who was there already
    begun = np.maximum.accumulate(np.where(before | ~sits, frames, -1), axis=0)
    after = np.zeros_like(sits)
    after[:-1] = sits[:-1] & ~sits[1:] & present[1:]
    ends = np.minimum.accumulate(np.where(after | ~sits, frames, len(sits))[::-1], axis=0)[::-1]
    stood = np.take_along_axis(before, np.maximum(begun, 0), axis=0) & (begun >= 0)
    rises = np.take_along_axis(after, np.minimum(ends, len(sits) - 1), axis=0) & (ends < len(sits))
    row = np.where(sits & stood, begun, np.where(sits & rises, ends, frames))
    return np.take_along_axis(position, row[..., None], axis=0)


def find_seats(sits: Bool, position: Float64, height: Float64, heading: Float64, present: Bool) -> tuple[Seat, ...]:
    """Find when and where one person sits.

    Args:
        sits: bool (F,).
        position: float64 (F, 3), as recorded: on the seat, but for the beginning and the end.
        height: float64 (F,), of the seat.
        heading: float64 (F,) [rad].
        present: bool (F,).
    """
    found = []
    for first, end in runs_of(sits & present).tolist():
        from_start = first == 0 or not present[first - 1]
        to_end = end == len(sits) or not present[end]
        way = position[first:end, :2] - position[first, :2]
        row = first if from_start else first + int((way * way).sum(axis=1).argmax())  # they may still rise at the end
        place = np.array([*position[row, :2], height[row]])
        found.append(Seat(first, end - 1, place, float(heading[row]), from_start, to_end))
    return tuple(found)


def settle(
    location: Float64, seats: Sequence[Seat], targets: Sequence[Float64], fps: float, unit: float = 1.0
) -> Float64:
    """Move somebody to the places from which they reach their seats, in the steps before and after.

    Args:
        location: float64 (F, 3).
        seats: of the person.
        targets: float64 (3,) for each, where the body is while they sit.
        fps: frames per second.
        unit: metres per unit of the places.

    Returns:
        float64 (F, 3).
    """
    found, early = location.copy(), round(ACTING.settled * fps)
    for seat, target in zip(seats, targets, strict=True):
        found[seat.first : seat.last + 1] = target
        for edge, step, wait, is_whole in (
            (seat.first, -1, early, seat.from_start),
            (seat.last, 1, 0, seat.to_end),
        ):
            way = target - location[edge if step < 0 or is_whole else edge + 1]  # who rises may stand elsewhere
            slow = float(length(way[:2])) * unit / ACTING.settling_speed
            ease = max(1, round(max(ACTING.settling, slow) * fps))
            rows = edge + step * np.arange(1, min(ease + wait, len(location)))
            rows = rows[(rows >= 0) & (rows < len(location))]
            if is_whole or not len(rows):
                continue
            part = np.clip(1.0 - (np.abs(rows - edge) - wait) / ease, 0.0, 1.0)
            part = part * part * (3.0 - 2.0 * part)
            found[rows] += part[:, None] * way
    return found


def at_seat(cues: Sequence[Cue], seats: Sequence[Seat], heights: Sequence[str]) -> tuple[Cue, ...]:
    """Cues whose seated clips are those for the height of the seat: `heights` is what is added to their names."""
    found = []
    for cue in cues:
        if cue.act in ONCE or activity_of(cue.act) == SIT:
            here = zip(seats, heights, strict=True)
            own = next((added for seat, added in here if seat.first <= cue.first <= seat.last), "")
            found.append(cue._replace(act=cue.act + own))
        else:
            found.append(cue)
    return tuple(found)
