# SPDX-License-Identifier: GPL-3.0-or-later
"""How near to others and to obstacles people may hold an elbow out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ElbowRoomSettings:
    """When an arm that is held away from the body finds somebody in its way.

    Attributes:
        body: from the middle of the other one to the outside of an arm that hangs, and the thickness of the elbow;
            measured on the built-in figures [m].
        arm: from there to the outside of an arm that hangs: an obstacle leaves as much room as somebody whose middle is
            so far behind its surface [m].
        watched: others at this distance and beyond count as nobody; more than any elbow's reach and a body [m].
        wide: an elbow is held out on a hip where nobody is nearer; for the largest of the built-in figures [m].
        every: time between the moments at which distances are taken [s].
        storey: people so far above or below are on another floor [m].
        slow: who is slower stands [m/s].
    """

    body: float = 0.33
    arm: float = 0.25
    watched: float = 0.95
    wide: float = 0.9
    every: float = 0.25
    storey: float = 1.5
    slow: float = 0.2


ELBOW_ROOM = ElbowRoomSettings()


def step_of(fps: float) -> int:
    """Frames from one moment at which distances are taken to the next."""
    return max(1, round(ELBOW_ROOM.every * fps))
