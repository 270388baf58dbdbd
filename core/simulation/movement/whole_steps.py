# SPDX-License-Identifier: GPL-3.0-or-later
"""Who creeps stands and takes steps: nobody glides at 0.1 m/s for seconds.

Avoidance lets people who are held up move at any small speed, and whoever has to stand still instead may block others
who need little room. Their recorded motion is therefore redrawn as a body would do it: they stand at places along
their way, and take a step from one to the next when they have got half as far.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64
from ...geometry.ragged import runs_of
from ...geometry.reproducible_math import length
from ..settings.pedestrian_settings import WholeStepSettings
from .smoothing import bump_mean, faded


def shift_to_steps(motion: Float64, walks: Bool, fps: float, settings: WholeStepSettings) -> Float64:
    """Return by how much people who creep are moved so that they stand and step instead.

    What is done in a frame depends on the frames before it and on those within about one and a half times of a step
    after it: what changes later changes nothing here.

    Args:
        motion: float64 (F, A, C), x, y [m] and other columns, of which the third is moved, too [m]; NaN where absent.
        walks: bool (F, A), who is on their feet and wants to walk, or waits for it.
        fps: frames per second.
        settings: what creeping is, and how large steps are.

    Returns:
        float64 (F, A, C).
    """
    shift = np.zeros(motion.shape)
    speed = np.zeros(motion.shape[:2])
    speed[1:] = length(motion[1:, :, :2] - motion[:-1, :, :2]) * fps
    on_foot = walks & np.isfinite(speed)
    on_foot[1:] &= walks[:-1]
    on_foot[:1] = False  # nobody starts elsewhere
    creeps = on_foot & (speed > settings.still_speed) & (speed < settings.walking_speed)
    begins = _last_for(creeps, max(1, round(settings.longest_creeping * fps)))
    rows = np.flatnonzero(begins.any(axis=0))
    if not len(rows):
        return shift
    slow = on_foot & (speed < settings.slow_speed)
    off = np.zeros((len(motion), len(rows), 3))
    for number, row in enumerate(rows.tolist()):
        place, since = motion[:, row, :3], np.flatnonzero(begins[:, row])
        for begin, end in runs_of(slow[:, row]).tolist():
            first = int(np.searchsorted(since, begin))
            if first < len(since) and since[first] < end:
                some = slice(since[first], end)
                off[some, number] = _stands(place[some], fps, settings) - place[some]
    reach = max(1, round(0.5 * settings.step_time * fps))
    found = bump_mean(off, reach)  # the bump is the speed within a step
    shift[:, rows, :3] = faded(on_foot[:, rows].astype(np.float64), reach)[..., None] * found
    return shift


def _last_for(marked: Bool, count: int) -> Bool:
    """Return from which places on so many are marked, bool (F - count + 1, ...) of bool (F, ...)."""
    found, known = marked, 1
    while known < count and len(found):
        more = min(known, count - known)
        found, known = found[:-more] & found[more:], known + more
    return found


def _stands(place: Float64, fps: float, own: WholeStepSettings) -> Float64:
    """Return where somebody who creeps stands, float64 (N, 3) for as many places on their way [m].

    They step to where they would be soon, when they are half a step from where they stand. Who comes from walking needs
    half a step to stop.
    """
    stands, period = np.empty(place.shape), max(1, round(own.step_time * fps))
    stand, frame = place[min(round(0.25 * period), len(place) - 1)], 0
    while True:
        away = length(place[frame:, :2] - stand[:2])
        later = np.flatnonzero(away >= 0.5 * own.step_length)
        if not len(later):
            stands[frame:] = stand
            return stands
        begin = frame + int(later[0])
        stands[frame:begin] = stand
        ahead = place[begin : begin + period + 1]
        far = length(ahead[:, :2] - stand[:2])
        enough = np.flatnonzero(far >= 2.0 * far[0])
        stand = ahead[int(enough[0]) if len(enough) else -1]
        frame = min(begin + period, len(place))
        stands[begin:frame] = stand
