# SPDX-License-Identifier: GPL-3.0-or-later
"""What somebody does while they do not walk, and where they look: recorded with each frame."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...array_types import Float64, Int64
from ...scene import BYSTANDER_ACTIVITIES, PERFORM, PLAY_CLIP, SIT, STAND, TALK, SceneContent
from ...scene.lives.activities import LISTEN

ACTIVITY_NAMES = ("none", *BYSTANDER_ACTIVITIES, PLAY_CLIP)
"""What each recorded number of an activity means; further ones are the clips of a scene, in the order of `clips_of`."""


class Activity(IntEnum):
    """The recorded numbers of those activities that the simulation knows by name."""

    NONE = ACTIVITY_NAMES.index("none")
    STAND = ACTIVITY_NAMES.index(STAND)
    TALK = ACTIVITY_NAMES.index(TALK)
    LISTEN = ACTIVITY_NAMES.index(LISTEN)
    SIT = ACTIVITY_NAMES.index(SIT)


def activity_numbers(names: Sequence[Sequence[str]], clips: Sequence[str] = ()) -> Int64:
    """Return the numbers of activities, int64 (S, K): one row for each list of names, the rest -1.

    Args:
        names: of activities, or of clips.
        clips: of the scene.
    """
    known = {name: number for number, name in enumerate((*ACTIVITY_NAMES, *clips))}
    table = np.full((len(names), max(map(len, names), default=1)), -1)
    for row, each in enumerate(names):
        table[row, : len(each)] = [known[name] for name in each]
    return table


def choose(table: Int64, row: Int64, draw: Float64) -> Int64:
    """Return int64 (N,), one of the choices of each row of a table, by numbers from 0 to 1, float64 (N,)."""
    count = (table >= 0).sum(axis=1)[row]
    return table[row, (draw * count).astype(np.int64)]


def clips_of(scene: SceneContent) -> list[str]:
    """Return what is recorded of the clips that people play, each once, in the order in which the scene names them."""
    clips = [stop.clip for stop in scene.all_stops if stop.do == PLAY_CLIP]
    clips += [trigger.clip for trigger in scene.triggers if trigger.then == PERFORM and not trigger.activity]
    return [f"play_clip:{clip}" for clip in dict.fromkeys(clips)]


class ShownActivities(NamedTuple):
    """What N people do besides walking.

    Attributes:
        activity: int8 (N,), places in `ACTIVITY_NAMES`.
        gaze: float32 (N, 3), the points at which they look [m]; NaN for nowhere in particular.
        seat_height: float32 (N,), of the seats on which they sit [m]; NaN for others.
    """

    activity: NDArray[np.int8]
    gaze: NDArray[np.float32]
    seat_height: NDArray[np.float32]

    @classmethod
    def none(cls, count: int) -> ShownActivities:
        """Return those of people who walk."""
        nowhere = np.full((count, 3), np.nan, dtype=np.float32)
        return cls(np.zeros(count, dtype=np.int8), nowhere, nowhere[:, 0].copy())

    def take(self, rows: Int64) -> ShownActivities:
        """Return those of some people."""
        return ShownActivities(self.activity[rows], self.gaze[rows], self.seat_height[rows])
