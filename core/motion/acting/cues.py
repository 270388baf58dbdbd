# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that somebody plays, one after the other, and how much of what is seen each of them is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...array_types import Float64, Int64

NONE, STAND, SIT, PLAY_CLIP = "none", "stand", "sit", "play_clip"
"""Activities as they are recorded; the last one is followed by the name of the clip, as "play_clip:Dance"."""

SIT_DOWN, STAND_UP = "sit_down", "stand_up"
"""Clips that are played once, at the beginning and the end of sitting."""

ONCE = (SIT_DOWN, STAND_UP)


@dataclass(frozen=True)
class ActingSettings:
    """How clips follow each other; chosen by eye.

    Attributes:
        fade: time over which one clip is blended into the next [s].
        slow_fades: the same of activities in which a hand moves far, as to the ear [s].
        fade_in_place: the same between two clips of somebody who stays: arms that hardly move before and after are
            crossed no faster than is inconspicuous [s].
        fade_seated: the same of somebody who goes on sitting, whose arms rest [s].
        hurry: activities too short for both their fades are blended so much faster at most, and then only in part:
            hands go up less far, not faster.
        once_fade: the same of clips that are played once, which begin as those before them end [s].
        fade_risen: the least of clips after standing up [s].
        fade_behind: the least of clips with a hand behind the back, which goes round the hip [s].
        aside: greatest weight of an arm held aside on the way round the hip: below 1, so that it does not stop there.
        raise_hands: activities for which hands go up.
        hands_up: who rises for one of these begins with it during the rise: earliest and latest, as shares of the rise.
        shortest: shorter activities, and those shorter than their fade, are not played [s].
        shortest_stand: people who stand for less keep the clip that the walk ends in, or what they did before [s],
        short_stand: and for less than this, unless they appear or are seen last so, only the first clip is played, each
            from another part of it: nobody crosses the arms for a moment [s].
        last: and nobody begins anything else so long before the last frame [s].
        shortest_turn: no clip is played for less between two others [s].
        rate: share by which people play faster or slower than others.
        steady: clips that last longer are played at their own speed, so that those who have to share one stay apart in
            it [s].
        once_rate: the same of clips that are played once, so that those who rise together do not rise as one.
        hurry_once: who has no time for sitting down and standing up does so faster by this at most.
        arms_down: arms that were raised come down while somebody sits down; it takes at least so many times the fade of
            what they did before.
        settling: time before they sit down in which people step to the place from which they reach the seat, and the
            time after they rose in which they leave it [s].
        settling_speed: those with further to go take longer [m/s].
        settled: so long before they sit down they are there, so that their feet have followed [s].
        resting: people who come to a stop begin to act when they are slower than this [m/s].
    """

    fade: float = 0.5
    slow_fades: tuple[tuple[str, float], ...] = (
        ("phone", 1.4),
        ("wave", 1.6),
        ("cheer", 1.8),
        ("point", 1.6),
        ("clap", 1.2),
        ("talk", 1.1),
        ("listen", 1.1),
        ("look_round", 1.0),
        ("sit", 0.8),
    )
    fade_in_place: float = 2.8
    fade_seated: float = 5.5
    hurry: float = 1.15
    once_fade: float = 0.6
    fade_risen: float = 1.0
    fade_behind: float = 1.2
    aside: float = 0.8
    raise_hands: tuple[str, ...] = ("cheer", "wave", "point", "phone")
    hands_up: tuple[float, float] = (0.2, 0.8)
    shortest: float = 0.8
    shortest_stand: float = 1.5
    short_stand: float = 3.0
    last: float = 3.5
    shortest_turn: float = 1.5
    rate: float = 0.06
    steady: float = 4.0
    once_rate: float = 0.25
    hurry_once: float = 1.35
    arms_down: float = 1.35
    settling: float = 0.8
    settling_speed: float = 0.35
    settled: float = 0.5
    resting: float = 0.15


ACTING = ActingSettings()

_SLOW_FADES = dict(ACTING.slow_fades)


class Cue(NamedTuple):
    """One clip that somebody plays for a while.

    Attributes:
        act: what is played, as "talk_2": the activity and the number of the variant.
        first: row of the first frame.
        last: row of the last frame, at which the next one, or the walk, has taken over.
        fade_in: rows from the first, over which it is blended in; 0: it begins at once.
        fade_out: rows up to the last, over which it is blended out, where nothing follows; 0: it ends at once.
        start: part of the clip that has passed at the first row.
        rate: of the clip's own.
        covered: rows at its end in which the next one is blended over it.
        most: its greatest weight.
    """

    act: str
    first: int
    last: int
    fade_in: int
    fade_out: int
    start: float
    rate: float
    covered: int = 0
    most: float = 1.0

    @property
    def rows(self) -> Int64:
        """All rows of its time."""
        return np.arange(self.first, self.last + 1)

    @property
    def weight(self) -> Float64:
        """How much of what is seen it is, over that of those before; float64 (last - first + 1,)."""
        rows = self.rows
        rising = (rows - self.first) / self.fade_in if self.fade_in else np.ones(len(rows))
        falling = (self.last - rows) / self.fade_out if self.fade_out else np.ones(len(rows))
        part = np.clip(np.minimum(rising, falling), 0.0, 1.0)
        return self.most * part * part * (3.0 - 2.0 * part)


def activity_of(act: str) -> str:
    """Return the activity that a clip shows: "talk" of "talk_2"; none of those that are played once."""
    return "" if act in ONCE else act.rpartition("_")[0]


def fade_of(act: str) -> float:
    """Return the time over which a clip is blended in and out [s]."""
    return ACTING.once_fade if act in ONCE else _SLOW_FADES.get(activity_of(act), ACTING.fade)
