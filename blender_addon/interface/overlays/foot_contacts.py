# SPDX-License-Identifier: GPL-3.0-or-later
"""A character that is checked: its joints walk in front of the original; the ground moves at its stride's speed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...characters.ready.checked_walk import CheckedWalk
from .layers import marks
from .layers.marks import Colour, Mark


@dataclass(frozen=True)
class ContactStyle:
    """How a checked character is drawn; chosen for legibility.

    Attributes:
        limb: colour of bones.
        stands: colour under a foot that stands.
        ground: colour of the lines on the ground, which moves.
        ahead: distance from the original, relative to the stride.
        mark_radius: of the disc under a foot, relative to the stride.
        lines: on the ground, in one stride.
        reach: of the ground, ahead and behind, in strides.
    """

    limb: Colour = (1.0, 1.0, 1.0, 0.9)
    stands: Colour = (0.0, 0.8, 0.45, 0.9)
    ground: Colour = (0.6, 0.6, 0.6, 0.5)
    ahead: float = 1.0
    mark_radius: float = 0.06
    lines: int = 4
    reach: float = 0.75


STYLE = ContactStyle()


def draw(checked: CheckedWalk, phase: float) -> list[Mark]:
    """The limbs, a disc under each foot that stands, and the ground below.

    Args:
        checked: the walk.
        phase: of its cycle, from 0 to 1.
    """
    moment = int(phase * len(checked.limbs)) % len(checked.limbs)
    across = np.array([-checked.ahead[1], checked.ahead[0], 0.0])
    away = STYLE.ahead * checked.stride * checked.ahead
    limbs = checked.limbs[moment] + away
    drawn: list[Mark] = [marks.segments(limbs[:, 0], limbs[:, 1], STYLE.limb, width=2.5)]
    under = checked.feet[moment][checked.stands[moment]] + away
    if len(under):
        drawn.append(marks.discs(under, STYLE.mark_radius * checked.stride, STYLE.stands))
    count = round(2 * STYLE.reach * STYLE.lines)
    along = (np.arange(count) - phase * STYLE.lines) % count / STYLE.lines - STYLE.reach
    middle = checked.place + away + (along * checked.stride)[:, None] * checked.ahead
    half = 0.25 * checked.stride * across
    drawn.append(marks.segments(middle - half, middle + half, STYLE.ground))
    return drawn
