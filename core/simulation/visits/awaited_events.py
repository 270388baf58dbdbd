# SPDX-License-Identifier: GPL-3.0-or-later
"""What people wait for at stops: a frame, a mark that comes or moves, or a crowd that does something."""

from __future__ import annotations

from ...array_types import Float64
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
        return float(((here - mark_at(mark, came)) ** 2).sum()) >= awaited.distance**2
