# SPDX-License-Identifier: GPL-3.0-or-later
"""Doors on people's ways: where the free width falls off to less than `WIDEST`, there is one.

Most look ahead and there is none. Whoever is to know how far along a way somebody has looked need not count these
looks: they are written down, so that it can be asked again whether there is a door where the way is another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..planning import ReferenceSet
from .lanes import HALF_WIDTH

if TYPE_CHECKING:
    from .ways_read import WaysRead

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


@dataclass(frozen=True, eq=False)
class NoDoor:
    """That there was no door ahead of N people, on the ways that they set out on.

    Attributes:
        path: int64 (N,), whose way.
        start: float64 (N,), how far along it they were [m].
        wide: see `Outlook`.
    """

    path: Int64
    start: Float64
    wide: Bool

    @property
    def sought(self) -> Float64:
        """Float64 (N,), how far along their ways that was looked for [m]."""
        return self.start + (AHEAD + 1.0)


def look_ahead(path: Int64, s: Float64, end: Float64, references: ReferenceSet, read: WaysRead | None) -> Outlook:
    """Look for the next doors of people on their ways.

    Args:
        path: int64 (N,), whose way.
        s: float64 (N,), how far along it they are [m].
        end: float64 (N,), where it ends [m].
        references: the paths.
        read: where to write down how far was looked, or that there was none; None for nowhere.
    """
    with references.unwatched():
        outlook = _outlook(path, s, end, references)
    if read is not None:
        none = (outlook.at < 0) & read.on_first[path]
        none &= none.sum() <= read.room
        farthest = outlook.places.shape[1] - 1
        last = np.where(outlook.at < 0, farthest, np.minimum(outlook.at + _METRE, farthest))  # beyond nothing matters
        read.note(path[~none], outlook.places[~none, last[~none]])
        if none.any():
            read.put(NoDoor(path[none], s[none], outlook.wide[none]))
    return outlook


def doors_elsewhere(looked: Sequence[NoDoor], references: ReferenceSet, alike: Float64) -> Bool:
    """Tell when somebody who saw no door would see one, or not all of the width, on other ways.

    Args:
        looked: who saw none.
        references: the ways that the same people have there.
        alike: float64 (P,), how far these are the same as those on which this was last looked for [m].

    Returns:
        bool (L,), for which of `looked` that is so.
    """
    found = np.zeros(len(looked), dtype=bool)
    if not looked:
        return found
    path, start, wide, sought = (
        np.concatenate([getattr(each, name) for each in looked]) for name in ("path", "start", "wide", "sought")
    )
    rows = np.flatnonzero(sought >= alike[path])
    there = _outlook(path[rows], start[rows], references.lengths[path[rows]], references)
    moment = np.repeat(np.arange(len(looked)), [len(each.path) for each in looked])
    found[moment[rows[(there.at >= 0) | (there.wide != wide[rows])]]] = True
    return found


def _outlook(path: Int64, s: Float64, end: Float64, references: ReferenceSet) -> Outlook:
    """Measure the room along ways, and find the next doors."""
    number = np.floor(s / STEP)[:, None] + np.arange(-round(BEFORE / STEP), round((AHEAD + 1.0) / STEP))
    places = np.minimum(np.maximum(STEP * number, 0.0), end[:, None])
    right, left = references.room(np.broadcast_to(path[:, None], places.shape).ravel(), places.ravel())
    right, left = right.reshape(places.shape), left.reshape(places.shape)
    width = right + left
    at = next_narrowest(width, places > s[:, None])
    return Outlook(places, right, left, at, np.all(width >= 2.0 * HALF_WIDTH, axis=1))


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
