# SPDX-License-Identifier: GPL-3.0-or-later
"""What people wait for at stops: a frame, a mark that comes or moves, or a crowd that does something."""

from __future__ import annotations

import numpy as np

from ...array_types import Float64
from ...scene import AT_FRAME, MARK_COMES, OF_CROWD, Awaited, Scene, Track
from .crowd_deeds import CrowdDeeds


class AwaitedEvents:
    """Whether what people wait for has happened.

    Args:
        scene: with the marks.
        deeds: what crowds do.
        rests: a mark that moves slower than this rests [m/s].
    """

    def __init__(self, scene: Scene, deeds: CrowdDeeds, rests: float) -> None:
        self._deeds = deeds
        self._first_frame, self._fps, self._rests = scene.frames[0], scene.fps, rests
        self._tracks = {mark.name: mark.motion for mark in scene.marks}

    def has_happened(self, awaited: Awaited, time: float, came: float, place: Float64) -> bool:
        """Return whether what somebody waits for has happened.

        Args:
            awaited: what they wait for.
            time: now [s].
            came: when they came [s].
            place: float64 (2,), where they wait [m].
        """
        if awaited.what == AT_FRAME:
            return self._first_frame + time * self._fps >= awaited.frame - 1e-6
        if awaited.what == OF_CROWD:
            passed = self._place(self._tracks[awaited.mark], time) if awaited.mark else place
            return self._deeds.does(awaited.crowd, awaited.does, passed, awaited.distance)
        track = self._tracks[awaited.mark]
        here, before = self._place(track, time), self._place(track, time - 1.0 / self._fps)
        if awaited.what == MARK_COMES:
            moved = (here - before) * self._fps
            near = float(((here - place) ** 2).sum()) < awaited.distance**2
            return near and float((moved * moved).sum()) < self._rests**2
        return float(((here - self._place(track, came)) ** 2).sum()) >= awaited.distance**2

    def _place(self, track: Track, time: float) -> Float64:
        frame = self._first_frame + time * self._fps
        return np.array([np.interp(frame, track.frames, each) for each in (track.x, track.y)])
