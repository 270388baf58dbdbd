# SPDX-License-Identifier: GPL-3.0-or-later
"""What people wait for at stops: a frame, a mark that comes or moves, or a crowd that does something."""

from __future__ import annotations

from ...array_types import Float64
from ...geometry.reproducible_math import length2
from ...scene import AT_FRAME, MARK_COMES, OF_CROWD, Awaited
from ..world.environment import Environment
from .crowd_events import CrowdEvents


class AwaitedEvents:
    """Whether what people wait for has happened.

    Args:
        environment: with the marks.
        crowd_events: what happens to crowds.
        rests: a mark that moves slower than this rests [m/s].
    """

    def __init__(self, environment: Environment, crowd_events: CrowdEvents, rests: float) -> None:
        self._environment, self._crowd_events, self._rests = environment, crowd_events, rests

    def has_happened(self, awaited: Awaited, time: float, came: float, place: Float64, row: int) -> bool:
        """Return whether what somebody waits for has happened.

        Args:
            awaited: what they wait for.
            time: now [s].
            came: when they came [s].
            place: float64 (2,), where they wait [m].
            row: the person who waits.
        """
        clock, mark_at = self._environment.clock, self._environment.mark_at
        if awaited.what == AT_FRAME:
            return clock.frame_at(time) >= awaited.frame - 1e-6
        if awaited.what == OF_CROWD:
            passed = mark_at(awaited.mark, time) if awaited.mark else place
            return self._crowd_events.does(awaited.crowd, awaited.does, passed, awaited.distance, row=row)
        mark = awaited.mark
        here, before = mark_at(mark, time), mark_at(mark, time - clock.interval)
        if awaited.what == MARK_COMES:
            moved = (here - before) * clock.fps
            near = float(((here - place) ** 2).sum()) < awaited.distance**2
            return near and float((moved * moved).sum()) < self._rests**2
        if float(((here - mark_at(mark, came)) ** 2).sum()) >= awaited.distance**2:
            return True
        return self._had_moved(awaited, time, here)

    def _had_moved(self, awaited: Awaited, time: float, here: Float64) -> bool:
        """Return whether a mark had moved for good before somebody came: a door that is open, not a bus that stops.

        Args:
            awaited: what they wait for.
            time: now [s].
            here: float64 (2,), where the mark is [m].
        """
        least2, first = awaited.distance**2, self._environment.mark_at(awaited.mark, 0.0)
        if float(((here - first) ** 2).sum()) < least2:
            return False
        after = self._environment.mark_after(awaited.mark, time)
        goes_on = (length2(after - here) >= least2) & (length2(after - first) >= least2)  # and not only back: it shuts
        return not goes_on.any()
