# SPDX-License-Identifier: GPL-3.0-or-later
"""What people wait for at a stop."""

from __future__ import annotations

from dataclasses import dataclass

from ..basics.value_checks import FARTHEST_FRAME, Checker

AT_FRAME, MARK_COMES, MARK_MOVES, OF_CROWD = "frame", "comes", "moves", "crowd"
AWAITED = (AT_FRAME, MARK_COMES, MARK_MOVES, OF_CROWD)
ARRIVES, STOPS, REACTS, PASSES = "arrives", "stops", "reacts", "passes"
CROWD_EVENTS = (ARRIVES, STOPS, REACTS, PASSES)
"""What somebody of a crowd can do that others wait for, or react to."""


@dataclass(frozen=True)
class Awaited:
    """What people wait for.

    Attributes:
        what: `frame`; `comes`: a mark comes near, and rests; `moves`: a mark has moved away from where it was when they
            came, or before that, like a door, from where it was at the first frame near them; or `crowd`: somebody of a
            crowd does something.
        frame: the frame until which they wait.
        mark: the name of a mark; where somebody `passes`, it may be empty: they pass who waits.
        distance: of the mark from the place when it has come, or from where it was when it has moved; of somebody who
            passes from the mark, or from who waits [m].
        crowd: the name of a crowd, of people or of vehicles.
        does: `arrives`, `stops` at a stop (vehicles: stand anywhere), `reacts` to a trigger, or `passes`: is that near,
            and does not stop there, too.
    """

    what: str = AT_FRAME
    frame: int = 1
    mark: str = ""
    distance: float = 2.0
    crowd: str = ""
    does: str = ARRIVES


def check_awaited(check: Checker, spot: str, awaited: Awaited) -> None:
    """Find the faults of what people wait for, except a mark or a crowd that is not there.

    Args:
        check: collects the faults.
        spot: its place in the scene file.
        awaited: what they wait for.
    """
    if check.choice(f"{spot}.what", awaited.what, AWAITED) and awaited.what != AT_FRAME:
        key = "crowd" if awaited.what == OF_CROWD else "mark"
        check.name(f"{spot}.{key}", getattr(awaited, key))
    if awaited.what == OF_CROWD and awaited.mark != "":
        check.name(f"{spot}.mark", awaited.mark)
    check.choice(f"{spot}.does", awaited.does, CROWD_EVENTS)
    check.whole_number(f"{spot}.frame", awaited.frame, least=-FARTHEST_FRAME, most=FARTHEST_FRAME)
    check.number(f"{spot}.distance", awaited.distance, above=0.0)
