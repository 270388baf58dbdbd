# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorded motion of people is smoothed: steps of a simulation are not steps of a body.

Avoidance decides anew in each time step, so that recorded velocities have corners which no body makes. A filter without
delay (zero phase) takes out what is faster than people move; the field treats recordings in the same way before it
takes velocities from them. Nobody is moved into another person or into an obstacle by it: where that would happen, both
are moved apart again by as much, smoothly, too. Where that is not enough, the filter fades out and in again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.boxes import signed_distance
from ...geometry.ragged import runs_of
from ...geometry.reproducible_math import cos_sin, exp, length
from ...steering.neighbours import close_pairs
from ..settings.pedestrian_settings import SmoothingSettings

Clearance = Callable[[Int64, Float64], Float64]
"""Of frames (N,) and points (N, 2): signed distances to obstacles, float64 (N,) [m]; exact below a body's radius."""

_PROBE = 1e-3
"""Distance at which the slope of the clearance is measured [m]."""


def smooth_motion(
    motion: Float64, some: Bool, radius: Float64, fps: float, clearance: Clearance, settings: SmoothingSettings
) -> Float64:
    """Return motion in which fast changes of the velocity of some people are smoothed.

    Args:
        motion: float64 (F, A, C), x, y [m] and other columns that change with them, such as the heading, of everybody
            whom people may not be moved into; NaN where absent.
        some: bool (A,), whose motion is smoothed.
        radius: float64 (A,) [m].
        fps: frames per second.
        clearance: to obstacles.
        settings: how much.

    Returns:
        float64 (F, A, C).
    """
    return shift_where_free(motion, _shift(motion, some, fps, settings), radius, fps, clearance, settings)


def shift_where_free(
    motion: Float64, shift: Float64, radius: Float64, fps: float, clearance: Clearance, settings: SmoothingSettings
) -> Float64:
    """Return motion, float64 (F, A, C), shifted as far as it leads nobody into a person or an obstacle.

    Args:
        motion: float64 (F, A, C), x, y [m] and other columns of everybody; NaN where absent.
        shift: float64 (F, A, C), by how much each is changed; limited in place.
        radius: float64 (A,) [m].
        fps: frames per second.
        clearance: to obstacles.
        settings: how far at most, and how a shift fades out and in.
    """
    size = _size(shift)
    most, tolerance = settings.greatest_shift, settings.tolerance
    shift *= np.minimum(1.0, most / np.maximum(size, 1e-12))[..., None]
    place, move = motion[..., :2], shift[..., :2]
    movable = np.asarray((size > tolerance).any(axis=0))
    moved = movable & np.isfinite(place[..., 0])
    pairs = _NearPeople(place, moved, radius, most)
    walls = _NearObstacles(place, moved, radius, clearance, most)
    reach = round(settings.fading_time * fps)
    _keep_apart(place, move, _around(size > tolerance, 2 * reach), (pairs, walls), reach, settings)
    share, allowed = np.ones(place.shape[:2]), np.ones(place.shape[:2])
    for fraction in settings.fractions:
        there = place + share[..., None] * move
        worse = pairs.worse(there, tolerance) | walls.worse(there, tolerance)
        if not worse.any():
            break
        allowed[worse] = fraction * share[worse]
        share = faded(allowed, reach)
    return motion + share[..., None] * shift


def _shift(motion: Float64, some: Bool, fps: float, settings: SmoothingSettings) -> Float64:
    """Return float64 (F, A, C), by how much the filter changes each column.

    Before somebody appears and after they disappear their motion is taken to go on steadily: so the filter has no delay
    there either, and people begin and end where they did.
    """
    rows = np.flatnonzero(some & (motion[1:] != motion[:-1]).any(axis=0).any(axis=1))
    present, count, reach = np.isfinite(motion[:, rows, 0]), len(motion), round(settings.reach * fps)
    begin, end = runs_of(np.pad(present, ((0, 1), (0, 0))).T.ravel()).T  # row after row
    who, begin, last = begin // (count + 1), begin % (count + 1), end % (count + 1) - 1
    x = _prolonged(motion[:, rows[who]], begin, last, reach)
    found, twice = np.zeros((count, len(who), motion.shape[2])), 2.0 * x[reach : reach + count]
    change = np.empty_like(found)
    for k, weight in enumerate(_weights(settings.width * fps, reach).tolist(), 1):
        np.add(x[reach + k : reach + k + count], x[reach - k : reach - k + count], out=change)
        change -= twice
        change *= weight
        found += change
    number = np.arange(len(who))
    first = length(motion[np.minimum(begin + 1, last), rows[who], :2] - motion[begin, rows[who], :2]) * fps
    part = np.clip((np.arange(count)[:, None] - begin) / max(reach // 2, 1), 0.0, 1.0)
    part[:, first > settings.entering_speed] = 1.0  # who starts from rest does so at once
    found *= (part * part * (3.0 - 2.0 * part))[..., None]
    found[begin, number] = found[last, number] = 0.0
    shift = np.zeros(motion.shape)
    frame, run = np.nonzero(np.isfinite(found[..., 0]))
    shift[frame, rows[who[run]]] = found[frame, run]
    return shift


def _prolonged(motion: Float64, begin: Int64, last: Int64, reach: int) -> Float64:
    """Return motion that goes on before its first and after its last frame, with the acceleration that it has there.

    Args:
        motion: float64 (F, R, C).
        begin: int64 (R,), the first frame of each.
        last: int64 (R,), the last one.
        reach: for so many frames.

    Returns:
        float64 (F + 2 reach, R, C), NaN farther away.
    """
    wide = np.pad(motion, ((reach, reach), (0, 0), (0, 0)), constant_values=np.nan)
    frame = np.arange(-reach, len(motion) + reach)[:, None]
    wide[(frame < begin) | (frame > last)] = np.nan
    steps, run, numbers = last - begin, np.arange(len(begin)), np.arange(1, reach + 1)[:, None]
    for edge, way in ((begin, 1), (last, -1)):
        final, mirrored = motion[edge, run], motion[edge + way * np.minimum(numbers, steps), run]
        steady = _steady_change(motion, edge, way * (steps >= max(2, reach)), reach)
        wide[edge + reach - way * numbers, run] = 2.0 * final - mirrored + (numbers * numbers)[..., None] * steady
    return wide


def _steady_change(motion: Float64, edge: Int64, way: Int64, reach: int) -> Float64:
    """Return float64 (R, C), how velocities change from frame to frame near one end, at least; 0 where `way` is 0.

    Who stands there, or walks evenly, even if only for a moment, has no such change.
    """
    run, least = np.arange(len(edge)), np.full(motion.shape[1:], np.inf)
    for apart in range(max(1, reach // 8), max(1, reach // 2) + 1):
        change = motion[edge, run] - 2.0 * motion[edge + way * apart, run] + motion[edge + 2 * way * apart, run]
        change /= apart * apart
        least = np.where(np.abs(change) < np.abs(least), change, least)
    return least


def _weights(width: float, reach: int) -> Float64:
    """Return float64 (reach,), the weights of frames to both sides.

    A Gaussian filter applied twice is subtracted from twice the filter ("twicing", Tukey 1977): what is left changes no
    steady acceleration, and so cuts no bend.
    """
    numbers = np.arange(-2 * reach, 2 * reach + 1)
    once = exp(-0.5 * (numbers / width) ** 2)
    once /= once.sum()
    middle, twice = slice(reach, 3 * reach + 1), np.zeros(2 * reach + 1)
    for k in range(2 * reach + 1):
        twice[k] = (once[middle] * once[k : k + 2 * reach + 1][::-1]).sum()
    found, numbers = (2.0 * once[middle] - twice)[reach + 1 :], np.arange(1, reach + 1)
    found[-1:] -= (found * numbers * numbers).sum() / max(reach, 1) ** 2  # what the ends of the filter lack
    return found


def clearance_to_boxes(frame: Int64, points: Float64, states: Float64, sizes: Float64) -> Float64:
    """Return float64 (N,), signed distances of points to moving boxes, infinite where there are none [m].

    Args:
        frame: int64 (N,), the frame of each point.
        points: float64 (N, 2) [m].
        states: float64 (F, V, 3), x, y [m] and heading [rad] of the boxes; NaN where absent.
        sizes: float64 (V, 2), length and width [m].
    """
    distance = np.full(len(points), np.inf)
    for box, (long, wide) in enumerate(sizes.tolist()):
        x, y, heading = states[frame, box].T
        there = np.flatnonzero(np.isfinite(x))
        apart = points[there] - np.stack((x[there], y[there]), axis=1)
        cos, sin = cos_sin(heading[there])
        ahead, aside = apart[:, 0] * cos + apart[:, 1] * sin, apart[:, 1] * cos - apart[:, 0] * sin
        distance[there] = np.minimum(distance[there], signed_distance(ahead, aside, 0.5 * long, 0.5 * wide))
    return distance


class Pushes(NamedTuple):
    """By how much people are to move: in which frame and who, int64 (N,) each, and float64 (N, 2) [m]."""

    frame: Int64
    agent: Int64
    by: Float64


class _NearPeople:
    """All pairs of people who are near each other in some frame, of whom one is moved: `moved` bool (F, A)."""

    def __init__(self, position: Float64, moved: Bool, radius: Float64, most: float) -> None:
        reach = 2.0 * (float(radius.max(initial=0.0)) + most)
        frame, agent = np.nonzero(_are_near(position, moved, reach))
        places = position[frame, agent]
        span = float(np.ptp(places[:, 0])) + 2.0 * reach if len(places) else 0.0
        side_by_side = places + np.column_stack([frame * span, np.zeros(len(frame))])  # the frames
        first, second = close_pairs(side_by_side, radius[agent] + most).T
        counts = moved[frame[first], agent[first]] | moved[frame[second], agent[second]]
        first, second = first[counts], second[counts]
        self._frame, self._first, self._second = frame[first], agent[first], agent[second]
        self._one, self._other = (self._frame * len(radius) + each for each in (self._first, self._second))  # in a row
        self._both = radius[self._first] + radius[self._second]
        self._before = self._distance(position)

    def worse(self, position: Float64, tolerance: float) -> Bool:
        """Return bool (F, A), whether each overlaps somebody by more than before [m]."""
        found = np.zeros(position.shape[:2], dtype=bool)
        now = self._distance(position) < np.minimum(self._both, self._before) - tolerance
        frame = self._frame[now]
        found[frame, self._first[now]] = found[frame, self._second[now]] = True
        return found

    def push(self, position: Float64, some: Bool, tolerance: float) -> Pushes:
        """Return by how much `some`, bool (F, A), are to move to overlap no more than before."""
        now = self._distance(position)
        lack = np.minimum(self._both, self._before) - now
        bad = np.flatnonzero(lack > tolerance)
        frame, first, second = self._frame[bad], self._first[bad], self._second[bad]
        apart = position[frame, first] - position[frame, second]
        one, other = some[frame, first], some[frame, second]
        alone = 0.5 + 0.5 * (one != other)  # of two who may be moved, each is by half
        apart *= (alone * lack[bad] / np.maximum(now[bad], 1e-9))[:, None]
        by = np.concatenate((np.where(one[:, None], apart, 0.0), np.where(other[:, None], -apart, 0.0)))
        return Pushes(np.concatenate((frame, frame)), np.concatenate((first, second)), by)

    def _distance(self, position: Float64) -> Float64:
        in_a_row = position.reshape(-1, 2)
        return length(in_a_row.take(self._one, axis=0) - in_a_row.take(self._other, axis=0))


def _are_near(position: Float64, moved: Bool, reach: float) -> Bool:
    """Return bool (F, A), whether each, or somebody in the neighbourhood, is moved in some frame."""
    near = np.isfinite(position[..., 0])
    never = np.flatnonzero(~moved.any(axis=0))
    cells = np.floor(position[moved] / reach).astype(np.int64)
    width = int(np.ptp(cells[:, 0])) + 3 if len(cells) else 1
    visited = np.unique(cells[:, 0] + width * cells[:, 1])
    around = np.unique(visited[:, None] + np.add.outer((-1, 0, 1), (-width, 0, width)).ravel())
    frame, agent = np.nonzero(near[:, never])
    own = np.floor(position[frame, never[agent]] / reach).astype(np.int64)
    near[frame, never[agent]] = np.isin(own[:, 0] + width * own[:, 1], around)
    return near


class _NearObstacles:
    """Who is near an obstacle in some frame, of those who are moved, bool (F, A)."""

    def __init__(self, position: Float64, moved: Bool, radius: Float64, clearance: Clearance, most: float) -> None:
        self._clearance = clearance
        self._frame, self._agent = np.nonzero(moved)
        before = clearance(self._frame, position[self._frame, self._agent])
        near = before < radius[self._agent] + most
        self._frame, self._agent, self._now = self._frame[near], self._agent[near], before[near]
        self._least = np.minimum(self._now, radius[self._agent])
        self._asked = position[self._frame, self._agent]

    def worse(self, position: Float64, tolerance: float) -> Bool:
        """Return bool (F, A), whether each reaches into an obstacle by more than before [m]."""
        now = self._clearances(position)
        found = np.zeros(position.shape[:2], dtype=bool)
        bad = now < self._least - tolerance
        found[self._frame[bad], self._agent[bad]] = True
        return found

    def push(self, position: Float64, tolerance: float) -> Pushes:
        """Return by how much each is to move to reach no deeper into obstacles."""
        lack = self._least - self._clearances(position)
        bad = np.flatnonzero(lack > tolerance)
        frame, here, slope = self._frame[bad], self._asked[bad], np.zeros((len(bad), 2))
        if len(bad):
            slope = np.stack([self._clearance(frame, here + off) for off in _PROBE * np.eye(2)], axis=1)
            slope = slope - (self._least[bad] - lack[bad])[:, None]
        return Pushes(frame, self._agent[bad], slope * (lack[bad] / np.maximum(length(slope), 1e-9))[:, None])

    def _clearances(self, position: Float64) -> Float64:
        """Return their clearances, float64 (N,), asked anew only of those who were moved since the last time [m]."""
        there = position[self._frame, self._agent]
        moved = np.flatnonzero((there != self._asked).any(axis=1))
        if len(moved):
            self._now[moved] = self._clearance(self._frame[moved], there[moved])
            self._asked = there
        return self._now


def _keep_apart(
    place: Float64,
    move: Float64,
    some: Bool,
    near: tuple[_NearPeople, _NearObstacles],
    reach: int,
    settings: SmoothingSettings,
) -> None:
    """Change in place how people are moved, so that they overlap nobody and no obstacle by more than before.

    Args:
        place: float64 (F, A, 2), where everybody is [m].
        move: float64 (F, A, 2), by how much everybody is moved [m].
        some: bool (F, A), who may be moved; nobody changes who is moved only much earlier or later.
        near: who is near whom, and near obstacles.
        reach: within so many frames a correction fades in and out.
        settings: how much they may be moved, and how often that is corrected.
    """
    pairs, walls = near
    there, push = place + move, np.zeros(place.shape)
    for _ in range(settings.corrections):
        parts = pairs.push(there, some, settings.tolerance), walls.push(there, settings.tolerance)
        for part in parts:
            np.add.at(push, (part.frame, part.agent), part.by)
        pushed = np.unique(np.concatenate([part.agent for part in parts]))
        rows = pushed[push[:, pushed].any(axis=(0, 2))]
        if not len(rows):
            return
        within = np.isfinite(place[:, rows, 0]).astype(np.float64)  # nobody begins or ends elsewhere
        within[1:] *= np.isfinite(place[:-1, rows, 0])
        within[:-1] *= np.isfinite(place[1:, rows, 0])
        within[[0, -1]] = 0.0
        more = faded(within, reach)[..., None] * _spread(push[:, rows], reach)
        corrected = move[:, rows] + more
        share = np.minimum(1.0, settings.greatest_shift / np.maximum(_size(corrected), 1e-12))
        share[~more.any(axis=2)] = 1.0
        move[:, rows] = share[..., None] * corrected
        there[:, rows], push[:, rows] = place[:, rows] + move[:, rows], 0.0


def _spread(push: Float64, reach: int) -> Float64:
    """Return pushes, float64 (F, A, 2), that fade over so many frames; no shorter ones, unless they change sides."""
    size, wide = _size(push), 2 * reach  # what has faded out over so many frames begins as many before those
    around = bump_mean(push, wide)
    return around * ((1.0 - faded(1.0 - size, reach)) / np.maximum(bump_mean(size, wide), 1e-12))[..., None]


def _around(marked: Bool, reach: int) -> Bool:
    """Return bool (F, A), whether somebody is marked within so many frames before or after."""
    near = np.pad(np.cumsum(marked, axis=0), ((reach + 1, reach), (0, 0)), mode="edge")
    near[: reach + 1] = 0
    return near[2 * reach + 1 :] > near[: -2 * reach - 1]


def _size(vectors: Float64) -> Float64:
    """Return float64 (F, A), lengths of float64 (F, A, 2)."""
    return length(vectors[..., :2])


def faded(allowed: Float64, reach: int) -> Float64:
    """Return shares, float64 (F, A), nowhere above the allowed ones, that fade over so many frames."""
    least = allowed.copy()
    for k in range(1, reach + 1):
        np.minimum(least[k:], allowed[:-k], out=least[k:])
        np.minimum(least[:-k], allowed[k:], out=least[:-k])
    return np.minimum(bump_mean(least, reach), allowed)


def bump_mean(values: Float64, reach: int) -> Float64:
    """Return means of float64 (F, ..) over so many frames to both sides, by a smooth bump; the ends go on for ever."""
    padded = np.concatenate([np.repeat(values[:1], reach, axis=0), values, np.repeat(values[-1:], reach, axis=0)])
    numbers = np.arange(-reach, reach + 1) / (reach + 1)
    weights = (1.0 - numbers * numbers) ** 2
    weights /= weights.sum()
    found, part = np.zeros(values.shape), np.empty(values.shape)
    for k, weight in enumerate(weights.tolist()):
        found += np.multiply(weight, padded[k : k + len(values)], out=part)
    return found
