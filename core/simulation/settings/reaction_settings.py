# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of reactions: how people flee, stop and perform when something happens.

Unless a source is named, a value was chosen by trial.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ReactionSettings:
    """How people react.

    Attributes:
        running: factor on the speed of people who run or flee, where the trigger does not say how fast: people jog and
            run for their lives at 2 to 4 m/s (Weidmann 1993 for walking at 1.34 m/s).
        safe: people flee until they are so far from what they flee from, or as far as people react to it [m].
        stages: they look for the next place so far away [m], the farthest first.
        directions: in so many directions.
        clearance: with so much room beside the body there [m].
        weight_turn: a direction straight on counts as much as one straight back that gains this much more distance [m].
        near: nearer to that place than this they look for the next one [m].
        turning_round: who flees and has stood for so long turns round to what they flee from [s].
        stopping: people come to rest within about this time [s].
        spacing: between the places in an area to which people go [m].
    """

    running: float = 2.2
    safe: float = 15.0
    stages: tuple[float, ...] = (12.0, 8.0, 5.0, 3.0)
    directions: int = 24
    clearance: float = 0.15
    weight_turn: float = 2.0
    near: float = 1.5
    turning_round: float = 0.5
    stopping: float = 0.4
    spacing: float = 0.8
