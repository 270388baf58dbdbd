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
from .smoothing import bump_mean


def shift_to_steps(motion: Float64, walks: Bool, fps: float, settings: WholeStepSettings) -> Float64:
    """Return by how much people who creep are moved so that they stand and step instead.

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
    creeps = on_foot & (speed > settings.still_speed) & (speed < settings.walking_speed)
    longest = max(1, round(settings.longest_creeping * fps))
    rows = np.flatnonzero(_last_for(creeps, longest).any(axis=0))
    if not len(rows):
        return shift
    off = np.zeros((len(motion), len(rows), 3))
    for number, row in enumerate(rows.tolist()):
        place = motion[:, row, :3]
        for begin, end in _stretches(speed[:, row], on_foot[:, row], fps, settings):
            if _last_for(creeps[begin:end, row], longest).any():
                stands = _stands(place[begin:end], fps, settings)
                off[begin:end, number] = stands - place[begin:end]
    reach = max(1, round(0.5 * settings.step_time * fps))
    around = ((reach, reach), (0, 0), (0, 0))
    found = bump_mean(np.pad(off, around), reach)[reach:-reach]  # the bump is the speed within a step
    shift[:, rows, :3] = np.where(on_foot[:, rows, None], found, 0.0)
    return shift


def _last_for(marked: Bool, count: int) -> Bool:
    """Return from which places on so many are marked, bool (F - count + 1, ...) of bool (F, ...)."""
    found, known = marked, 1
    while known < count and len(found):
        more = min(known, count - known)
        found, known = found[:-more] & found[more:], known + more
    return found


def _stretches(speed: Float64, on_foot: Bool, fps: float, settings: WholeStepSettings) -> list[tuple[int, int]]:
    """Return from where and up to where somebody is slow without a long rest, by speed, float64 (F,) [m/s]."""
    rests = on_foot & (speed <= settings.still_speed)
    for begin, end in runs_of(rests).tolist():
        rests[begin:end] = end - begin > settings.rest_time * fps
    slow = on_foot & (speed < settings.slow_speed) & ~rests
    return [(begin, end) for begin, end in runs_of(slow).tolist()]


def _stands(place: Float64, fps: float, own: WholeStepSettings) -> Float64:
    """Return where somebody who creeps stands, float64 (N, 3) for as many places on their way [m].

    Who comes from walking needs half a step to stop, and half a one to walk on after it.
    """
    moves = length(place[1:, :2] - place[:-1, :2])
    if not len(moves):
        return place
    walked = np.concatenate((np.zeros(1), np.cumsum(moves)))
    whole, near = walked[-1], min(max(1, round(0.25 * own.step_time * fps)), len(moves))
    half = 0.25 * own.step_time * fps / near
    first, last = half * walked[near], half * (whole - walked[len(moves) - near])
    rest = whole - first - last
    if rest < min(own.least_way, 2.0 * (first + last)):
        stops, turns = np.array([whole * first / max(first + last, 1e-9)]), np.zeros(0)
    else:
        count = max(1, min(int(np.ceil(rest / own.longest_step)), int((len(place) - 1) / (own.step_time * fps))))
        count -= count > 1 and rest < count * own.least_step
        step = max(min(rest / count, own.longest_step), (rest - own.leeway) / count)
        first += 0.5 * (rest - step * count)
        stops, turns = first + step * np.arange(count + 1), first + step * (np.arange(count) + 0.5)
    at = np.minimum(np.searchsorted(walked, stops - 1e-12), len(place) - 1)
    return place[at][np.searchsorted(turns, walked)]
