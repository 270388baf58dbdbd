# SPDX-License-Identifier: GPL-3.0-or-later
"""What people wait for at a stop."""

from __future__ import annotations

from dataclasses import dataclass

from ..basics.value_checks import FARTHEST_FRAME, Checker

AT_FRAME, MARK_COMES, MARK_MOVES = "frame", "comes", "moves"
AWAITED = (AT_FRAME, MARK_COMES, MARK_MOVES)


@dataclass(frozen=True)
class Awaited:
    """What people wait for.

    Attributes:
        what: `frame`; `comes`: a mark comes near, and rests; or `moves`: a mark has moved away from where it was when
            they came.
        frame: the frame until which they wait.
        mark: the name of a mark.
        distance: of the mark from the place when it has come, or from where it was when it has moved [m].
    """

    what: str = AT_FRAME
    frame: int = 1
    mark: str = ""
    distance: float = 2.0


def check_awaited(check: Checker, spot: str, awaited: Awaited) -> None:
    """Find the faults of what people wait for, except a mark that is not there.

    Args:
        check: collects the faults.
        spot: its place in the scene file.
        awaited: what they wait for.
    """
    if check.choice(f"{spot}.what", awaited.what, AWAITED) and awaited.what != AT_FRAME:
        check.name(f"{spot}.mark", awaited.mark)
    check.whole_number(f"{spot}.frame", awaited.frame, least=-FARTHEST_FRAME, most=FARTHEST_FRAME)
    check.number(f"{spot}.distance", awaited.distance, above=0.0)
