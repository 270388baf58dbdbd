# SPDX-License-Identifier: GPL-3.0-or-later
"""What people wait for at stops: a frame, a mark that comes or moves, or a crowd that does something."""

from __future__ import annotations

from ...array_types import Float64
from ...scene import AT_FRAME, MARK_COMES, OF_CROWD, Awaited
from ..settings.stop_settings import StopSettings
from ..world.environment import Environment
from .crowd_events import CrowdEvents


class AwaitedEvents:
    """Whether what people wait for has happened.

    Args:
        environment: with the marks.
        crowd_events: what happens to crowds.
        settings: how slow a mark that rests is, and how near one was that has opened.
    """

    def __init__(self, environment: Environment, crowd_events: CrowdEvents, settings: StopSettings) -> None:
        self._environment, self._crowd_events, self._settings = environment, crowd_events, settings

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
            return near and float((moved * moved).sum()) < self._settings.rests**2
        if float(((here - mark_at(mark, came)) ** 2).sum()) >= awaited.distance**2:
            return True
        return self._had_opened(awaited, here, place)

    def _had_opened(self, awaited: Awaited, here: Float64, place: Float64) -> bool:
        """Return whether a mark has moved away from where it was at the first frame: a door, not a bus that stops here.

        Only from where it has been: nobody knows whether it will move again.

        Args:
            awaited: what they wait for.
            here: float64 (2,), where the mark is [m].
            place: float64 (2,), where they wait [m].
        """
        first = self._environment.mark_at(awaited.mark, 0.0)
        was_near = float(((first - place) ** 2).sum()) < self._settings.opened_within**2
        return was_near and float(((here - first) ** 2).sum()) >= awaited.distance**2
