# SPDX-License-Identifier: GPL-3.0-or-later
"""Distance that everybody has walked, which gives the phase of their stride, and how walks begin and end.

The stride advances with the distance, never with time: a foot that is planted in the clip is then planted on the
ground at any speed, and people who stand do not move their feet. Who steps back plays the walk backwards: joints and
muscles of people who walk backwards do nearly what they do ahead, in reverse (Winter et al. 1989, "Backward walking: a
simple reversal of forward walking?").

Who starts to walk takes the weight on one foot and lifts the other one ahead; who stops sets one foot beside the other.
So a walk begins and ends while one foot passes the other: there the clip has its feet where people who stand have
them. At any other phase the blend of standing and walking would first drag a foot to where the clip has it. Who turns
as they start steps first with the foot on that side: the other one would cross it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..array_types import Bool, Float64, Int64
from ..geometry.ragged import Runs, runs_in
from ..geometry.reproducible_math import heading_vector, length
from .blending import Strides


@dataclass(frozen=True)
class StepSettings:
    """How walks begin and end; chosen by trial on the built-in figures.

    Attributes:
        standing_gait: people of a lower gait stand.
        shortest_pause: shorter stands and shorter walks are not made [s].
        first_gait: with less at the first frame a person has just begun to walk, and has not entered walking.
        first_step: a person who turns within this time of starting to walk steps first with the inner foot [s].
        least_turn: smaller turns do not matter for that [rad].
        variety: a walk begins up to this share of a step later than feet pass, so that no two people begin alike.
        last_steps: the strides of so many steps are changed so that the last one ends the walk.
        shortening: of the steps that are added or left out at the end, up to this share is left out: short steps look
            better than long ones.
    """

    standing_gait: float = 0.1
    shortest_pause: float = 0.35
    first_gait: float = 0.5
    first_step: float = 0.5
    least_turn: float = 0.15
    variety: float = 0.1
    last_steps: float = 3.0
    shortening: float = 0.25


STEPS = StepSettings()


def distance_walked(position: Float64, present: Bool, *, counts_climbs: bool = False) -> Float64:
    """Sum up the horizontal distance of each agent, or that along slopes.

    Args:
        position: float64 (F, A, 2 or 3), places [m]; values of absent agents are ignored.
        present: bool (F, A).
        counts_climbs: sum up the distance along slopes, as wheels roll.

    Returns:
        float64 (F, A): distance since the agent's first present frame [m], 0 before it and held while absent. The gap
        between two periods of presence counts as no distance.
    """
    places = position if counts_climbs else position[..., :2]
    return _summed_up(length(np.diff(places, axis=0)), present)


def distance_ahead(position: Float64, heading: Float64, present: Bool) -> Float64:
    """Sum up the distance of each agent along its heading: sideways counts 0, backwards is negative.

    Args:
        position: float64 (F, A, 2 or 3), places [m]; values of absent agents are ignored.
        heading: float64 (F, A) [rad]; finite for absent agents, too.
        present: bool (F, A).

    Returns:
        float64 (F, A) [m]; `distance_walked` is the full distance.
    """
    step = np.diff(position[..., :2], axis=0)
    return _summed_up((step * heading_vector(heading[1:])).sum(axis=-1), present)


@dataclass(frozen=True)
class ClimbSettings:
    """How steps are shorter on steep ground; chosen so that on stairs a step is one tread.

    Attributes:
        shortening: a slope s (rise over run) divides the length of steps by 1 + shortening * s ** 2: on stairs of 17 cm
            over 29 cm by 1.75, on a ramp of 1 : 8 by 1.03.
        steepest: on steeper ground they are no shorter: the treads of a steep stair are not [rise over run].
        window: the slope is taken from so long before to so long after a moment [s].
        shortest: and over at least this distance [m].
        riser: who is that much higher or lower from a frame to the next, and more steeply than `steepest`, has passed
            the edge of a step [m].
        treads: least and largest distance between edges that counts as a tread [m].
        level: a tread rises or falls by less than this share of the lower of its two steps.
        two_treads: who would make steps longer than so many treads on level ground takes two at once.
    """

    shortening: float = 2.2
    steepest: float = 0.6
    window: float = 0.5
    shortest: float = 0.2
    riser: float = 0.08
    treads: tuple[float, float] = (0.2, 0.5)
    level: float = 0.25
    two_treads: float = 2.6


CLIMB = ClimbSettings()


def distance_in_steps(
    walked: Float64,
    ahead: Float64,
    height: Float64,
    usual: Float64 | float,
    fps: float,
    settings: ClimbSettings = CLIMB,
) -> Float64:
    """Distance by which strides advance: more where people go up or down steeply; it falls where they walk backwards.

    On stairs each step takes one tread, or two of who would make long steps.

    Args:
        walked: float64 (F, A), from `distance_walked` [m].
        ahead: float64 (F, A), speed along the heading, smoothed [m/s].
        height: float64 (F, A), of the ground under the bodies [m].
        usual: float64 (F, A), length of their steps on level ground, or one for all [m].
        fps: frames per second.
        settings: how much shorter.

    Returns:
        float64 (F, A) [m], the way that as many strides take ahead on level ground.
    """
    half = max(1, round(settings.window * fps))
    rise, run = (_across(each, half) for each in (height, walked))
    slope = np.minimum(np.abs(rise) / np.maximum(run, settings.shortest), settings.steepest)
    shorter = 1.0 + settings.shortening * slope**2
    tread = _treads(walked, height, settings)
    at_once = np.where(usual > settings.two_treads * tread, 2.0, 1.0)
    shorter = np.where(np.isfinite(tread), usual / (at_once * tread), shorter)
    step = np.diff(walked, axis=0, prepend=walked[:1])
    step = np.where(ahead < 0.0, -step, step)
    return np.cumsum(step * shorter, axis=0)


def _treads(walked: Float64, height: Float64, settings: ClimbSettings) -> Float64:
    """Length of the way over the tread on which a body is, float64 (F, A) [m]; infinite elsewhere.

    Both its edges lead up, or both down, and it is level: rough ground is none.
    """
    moved, up = (np.diff(each, axis=0, prepend=each[:1]) for each in (walked, height))
    rise = np.abs(up)
    edge, found = (rise > settings.riser) & (rise > settings.steepest * np.abs(moved)), np.full(walked.shape, np.inf)
    who = np.flatnonzero(edge.any(axis=0))
    edge, walked, height, up, frames = edge[:, who], walked[:, who], height[:, who], up[:, who], len(walked)
    rows = np.arange(frames)[:, None]
    before = np.maximum.accumulate(np.where(edge, rows, 0), axis=0)
    after = np.minimum.accumulate(np.where(edge, rows, frames)[::-1], axis=0)[::-1]
    after = np.concatenate([after[1:], np.full((1, len(who)), frames)])
    last, first = (np.take_along_axis(walked, np.maximum(each - 1, 0), axis=0) for each in (after, before))
    least, largest = settings.treads
    length = last - first
    is_tread = (before > 0) & (after < frames) & (length > least) & (length < largest)
    top = np.minimum(after, frames - 1)
    (came, goes), (low, high) = (
        [np.take_along_axis(values, rows, axis=0) for rows in ends]
        for values, ends in ((up, (before, top)), (height, (before, np.maximum(top - 1, 0))))
    )
    is_tread &= (came * goes > 0.0) & (np.abs(high - low) < settings.level * np.minimum(np.abs(came), np.abs(goes)))
    found[:, who] = np.where(is_tread, length, np.inf)
    return found


def _across(values: Float64, half: int) -> Float64:
    """Difference of values (F, A) from `half` frames before to as many after, the ends held."""
    padded = np.pad(values, ((half, half), (0, 0)), mode="edge")
    return padded[2 * half :] - padded[: -2 * half]


def find_standing(gait: Float64, present: Bool, fps: float, settings: StepSettings = STEPS) -> Bool:
    """Find who stands: both feet are on the ground, except for small steps.

    Args:
        gait: float64 (A, F), 0 stands, 1 walks.
        present: bool (A, F).
        fps: frames per second.
        settings: when a person stands.

    Returns:
        bool (A, F); nobody stands, or walks, for a moment only.
    """
    stands = present & (gait < settings.standing_gait)
    shortest = settings.shortest_pause * fps
    stands &= ~_moments(stands, present & ~stands, shortest)
    return stands | _moments(present & ~stands, stands, shortest)


def _moments(mask: Bool, others: Bool, shortest: float) -> Bool:
    """The short runs of True in a mask (A, F) that lie between two frames of the others."""
    runs, frames, found = runs_in(mask), mask.shape[1], np.zeros(mask.size, dtype=bool)
    short = (runs.length < shortest) & (runs.first % frames != 0) & (runs.last % frames != 0)
    first, last, beside = runs.first[short], runs.last[short], others.ravel()
    between = beside[first - 1] & beside[last]
    found[Runs(first[between], last[between]).inside()[0]] = True
    return found.reshape(mask.shape)


def fit_steps(
    phase: Float64,
    gait: Float64,
    motion: tuple[Float64, Bool],
    strides: Strides,
    fps: float,
    settings: StepSettings = STEPS,
) -> Float64:
    """Shift phases so that all walks begin, and end, while one foot passes the other.

    The shift of a beginning is made while people stand and the phase is not seen, that of an end in the last steps.

    Args:
        phase: float64 (F, A), continuous [runs of the walk].
        gait: float64 (F, A), 0 stands, 1 walks.
        motion: continuous headings float64 (F, A) [rad], and who is present, bool (F, A).
        strides: of the clips; without a standing clip, or a known phase, nothing is shifted.
        fps: frames per second.
        settings: how walks begin and end.

    Returns:
        float64 (F, A) [runs], from 0 on.
    """
    (heading, present), count = motion, phase.shape[1]
    steps, passing = (np.broadcast_to(each, count) for each in (strides.steps, strides.passing))
    walks = (present & ~find_standing(gait.T, present.T, fps, settings).T) & np.isfinite(passing) & strides.stands
    edges = np.diff(walks, axis=0, prepend=False, append=False).T
    agent, edge = np.nonzero(edges)
    if not len(edge):
        return phase
    agent, first, last = agent[::2], edge[::2], edge[1::2] - 1
    begins, ends = phase[first, agent], phase[last, agent]
    passed = np.cumsum(np.abs(np.diff(phase, axis=0, prepend=phase[:1])), axis=0)  # who walks back goes on, too
    way = passed[last, agent] - passed[first, agent]
    starts = (first > 0) | (gait[first, agent] < settings.first_gait)
    stops = last < len(phase) - 1
    soon = np.minimum(first + round(settings.first_step * fps), len(phase) - 1)
    turn = heading[soon, agent] - heading[first, agent]
    before, after = _shifts(begins, ends, agent, (starts, stops, turn), (steps, passing), settings)

    # number of the last walk that has begun, or of the first of all
    own = np.cumsum(np.bincount(agent, minlength=count)) - np.bincount(agent, minlength=count)
    seen = np.cumsum(edges[:, :-1] & walks.T, axis=1).T
    number = np.minimum(own + np.maximum(seen - 1, 0), len(agent) - 1)
    taper = np.minimum(settings.last_steps / steps[agent], np.maximum(way, 1e-9))
    part = np.clip((passed - passed[last, agent][number]) / taper[number] + 1.0, 0.0, 1.0)
    shift = before[number] + (after - before)[number] * part * part * (3.0 - 2.0 * part)
    pause = np.append(agent[1:] == agent[:-1], False)
    onward = np.where(pause, np.roll(before, -1) - after, 0.0)
    stood = np.where(pause, np.roll(first, -1) - last, 1)
    rows = np.arange(len(phase))[:, None]
    shift += onward[number] * np.clip((rows - last[number]) / stood[number], 0.0, 1.0)
    shifted = phase + np.where(walks.any(axis=0), shift, 0.0)
    return shifted - np.minimum(np.floor(shifted.min(axis=0)), 0.0)


def _shifts(
    begins: Float64,
    ends: Float64,
    agent: Int64,
    kinds: tuple[Bool, Bool, Float64],
    walk: tuple[Int64, Float64],
    settings: StepSettings,
) -> tuple[Float64, Float64]:
    """Shift at the beginning and at the end of each walk, float64 (W,).

    Args:
        begins: float64 (W,), phase at the beginning of each walk, in the order of people and time.
        ends: float64 (W,), at its end.
        agent: int64 (W,), the person who walks.
        kinds: whether each starts from standing, whether it ends so, and by how much it turns at once to the left.
        walk: int64 (A,), steps in a run, and float64 (A,), phase at which the right foot passes.
        settings: how walks begin and end.
    """
    starts, stops, turn = kinds
    left = np.where(turn > 0.0, 1.0, 0.0)
    turns = np.abs(turn) > settings.least_turn
    steps, passing = walk
    before, after = np.zeros(len(agent)), np.zeros(len(agent))
    order = np.arange(len(agent)) - np.searchsorted(agent, agent)
    last = np.zeros(len(steps))
    for number in range(int(order.max()) + 1):  # the first walk of everybody, the second, ...
        own = np.flatnonzero(order == number)
        who = agent[own]
        begin = begins[own] + last[who]
        passes = _nearest(begin, steps[who], passing[who])
        inner = _nearest(begin, steps[who] / 2.0, passing[who] + left[own] / steps[who])
        passes = np.where(turns[own], inner, passes)
        late = settings.variety * np.mod(begin - passes + 0.5 / steps[who], 1.0 / steps[who])
        way = np.where(ends[own] < begins[own], -1.0, 1.0)
        begin = np.where(starts[own], passes + way * late, begin)
        before[own] = begin - begins[own]
        end = ends[own] + before[own] + way * (0.5 - settings.shortening) / steps[who]
        end = way * np.maximum(way * end, way * begin + 0.6 / steps[who])
        end = _nearest(end, steps[who], passing[who])
        after[own] = np.where(stops[own], end - ends[own], before[own])
        last[who] = after[own]
    return before, after


def _nearest(phase: Float64, steps: Int64 | Float64, passing: Float64) -> Float64:
    """The phases nearest to those given at which a foot passes the other."""
    return passing + np.floor((phase - passing) * steps + 0.5) / steps


def _summed_up(step: Float64, present: Bool) -> Float64:
    walked = np.zeros(present.shape)
    walked[1:] = np.where(present[1:] & present[:-1], step, 0.0)
    return np.cumsum(walked, axis=0)
