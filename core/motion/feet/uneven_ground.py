# SPDX-License-Identifier: GPL-3.0-or-later
"""How people walk over steps, kerbs and rough ground: bodies rise and sink evenly, and feet clear the edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.ragged import runs_in
from ..windows import ease

_CREEP = 1e-9
"""Added to the way of a foot in each frame, so that it increases where the foot rests."""


class Footholds(NamedTuple):
    """The frames of A agents at which bodies are over a foot on the ground.

    Attributes:
        frame: int64 (K,), in the flat array (A, F).
        ground: float64 (K,), height of the ground under the foot.
    """

    frame: Int64
    ground: Float64


def carry_bodies(height: Float64, footholds: Footholds, *, half: int) -> Float64:
    """Return the height at which bodies are carried from foothold to foothold, float64 (A, F).

    A body over steps follows the line through the places of the feet; where left and right are higher in turn they are
    averaged, so that on a slope to one side it does not sway.

    Args:
        height: float64 (A, F), of the ground under the bodies; kept by who has no foothold.
        footholds: of both feet.
        half: frames to both sides over which its velocity changes.
    """
    frames = height.shape[1]
    order = np.argsort(footholds.frame, kind="stable")
    place, ground = footholds.frame[order], footholds.ground[order]
    if not len(place):
        return height
    agent = place // frames
    ground = ground - _sway(ground, agent) / 2.0
    at = place + agent * frames  # a row apart, so that agents do not mix
    rows = np.arange(len(height))
    first, last = np.searchsorted(agent, rows), np.searchsorted(agent, rows, side="right") - 1
    knows = last >= first
    ends = rows[knows] * 2 * frames
    at = np.concatenate([at, ends, ends + frames - 1])
    ground = np.concatenate([ground, ground[first[knows]], ground[last[knows]]])
    order = np.argsort(at, kind="stable")
    moments = 2 * frames * rows[:, None] + np.arange(frames)
    carried = np.where(knows[:, None], np.interp(moments, at[order], ground[order]), height)
    return ease(carried, half)


def _sway(ground: Float64, agent: Int64) -> Float64:
    """Return by how much footholds, in the order of agents and time, are higher or lower in turn, float64 (K,).

    A single step, or the end of a flight of stairs, is no sway: it stands out in one foothold only, or two.
    """
    same = agent[1:] == agent[:-1]
    before, after = _beside(ground, same)
    off = ground - (before + after) / 2.0
    before, after = _beside(off, same)
    side = np.sign(off)
    return side * np.clip(np.minimum(-side * before, -side * after), 0.0, np.abs(off))


def _beside(values: Float64, same: Bool) -> tuple[Float64, Float64]:
    """Return the values before and after each of the same agent, float64 (K,); at its ends both are the one it has."""
    before, after = np.concatenate([values[:1], values[:-1]]), np.concatenate([values[1:], values[-1:]])
    first, last = np.append(True, ~same), np.append(~same, True)
    before = np.where(first, np.where(last, values, after), before)
    return before, np.where(last, before, after)


@dataclass(frozen=True)
class GlideSettings:
    """How bodies without planted feet go over steps; chosen by eye.

    Attributes:
        fastest: who rises or sinks faster goes over steps [m/s].
        window: their height is averaged over so much of their way, two treads [m].
        easing: time over which who stands is put on the ground below [s].
    """

    fastest: float = 1.2
    window: float = 0.6
    easing: float = 0.2


GLIDE = GlideSettings()


HIGHEST_STEP = 0.5
"""People step up or down by no more than this at once [m]; chosen: over a high kerb, or two risers of a steep stair."""


def smooth_steps(
    height: Float64, walked: Float64, walks: Float64, fps: float, settings: GlideSettings = GLIDE
) -> Float64:
    """Return the heights of bodies that go over steps evenly, on average as high as the ground; others stay.

    Args:
        height: float64 (F, A), of the ground under the bodies [m].
        walked: float64 (F, A), distance since the first frame [m].
        walks: float64 (F, A), 0 who stands, 1 who walks.
        fps: frames per second.
        settings: what counts as steps.
    """
    found = height.copy()
    over = np.flatnonzero((np.abs(np.diff(height, axis=0)) > settings.fastest / fps).any(axis=0))
    half = max(1, round(settings.easing * fps / 2))
    aside = settings.window / 2.0
    for agent in over.tolist():
        way, own = walked[:, agent], height[:, agent]
        along = np.concatenate([way[:1] - aside, way, way[-1:] + aside])  # on as high as it begins and ends
        levels = np.concatenate([own[:1], own, own[-1:]])
        area = np.concatenate([[0.0], np.cumsum(np.diff(along) * (levels[1:] + levels[:-1]) / 2.0)])
        mean = (np.interp(way + aside, along, area) - np.interp(way - aside, along, area)) / settings.window
        share = ease(np.clip(walks[None, :, agent], 0.0, 1.0), half)[0]
        found[:, agent] += share * (mean - own)
    return found


def clear_edges(
    ground: Float64,
    places: Float64,
    planted: Bool,
    present: Bool,
    *,
    least: float,
    half: int,
    tips: Float64 | None = None,
) -> Float64:
    """Return the heights over which feet swing: a foot that would go through an edge is led over it on a bow.

    Args:
        ground: float64 (A, F), height of the ground under a foot.
        places: float64 (A, F, 2), where the foot is.
        planted: bool (A, F), when it stands.
        present: bool (A, F).
        least: swings over ground that is even but for this stay as they are.
        half: frames to both sides over which the velocity of a foot changes.
        tips: float64 (A, F), of the ground under the tip of its toes and under its heel, the higher; None: not known.
    """
    swings, frames = runs_in(~planted & present), ground.shape[1]
    first = np.where(swings.first % frames, swings.first - 1, swings.first)
    last = np.where(swings.last % frames, swings.last, swings.last - 1)
    step = np.diff(places, axis=1, prepend=places[:, :1])
    way = np.cumsum(np.sqrt((step**2).sum(axis=-1)) + _CREEP, axis=1).ravel()
    flat, found = ground.ravel(), ground.copy().ravel()
    inside, number = swings.inside()
    share = (way[inside] - way[first][number]) / np.maximum(way[last] - way[first], _CREEP)[number]
    chord = flat[first][number] + share * (flat[last] - flat[first])[number]
    uneven = np.unique(number[np.abs(flat[inside] - chord) > least])
    for begin, end in zip(first[uneven].tolist(), last[uneven].tolist(), strict=True):
        under = flat[begin : end + 1]
        if tips is not None:  # but toes over the next step do not lift the foot on to it
            over = np.minimum(tips.ravel()[begin + 1 : end], max(under[0], under[-1]))
            under = np.concatenate([under[:1], np.maximum(under[1:-1], over), under[-1:]])
        bow = _upper_hull(way[begin : end + 1], under)
        eased = ease(bow[None], half)[0]
        near = np.clip(1.0 - np.arange(len(bow)) / (2.0 * half + 1.0), 0.0, 1.0)  # or it would fall as it lands
        eased += near * (bow[0] - eased[0]) + near[::-1] * (bow[-1] - eased[-1])
        found[begin + 1 : end] = eased[1:-1]
    return found.reshape(ground.shape)


@dataclass(frozen=True)
class SoleSettings:
    """What soles are kept out of.

    Attributes:
        steepest: between two points of a sole, what is steeper is a riser [rise over run]; as of `SlopeSettings`.
        least: lower edges are stepped on, as a share of the leg; chosen.
        margin: soles end so far before a riser, as a share of the leg; chosen.
    """

    steepest: float = 0.6
    least: float = 0.06
    margin: float = 0.01


SOLES = SoleSettings()


def keep_off_risers(ground: Float64, points: Float64, *, leg: float, settings: SoleSettings = SOLES) -> Float64:
    """Return how far ahead feet are set down, float64 (K,), so that their soles do not reach into risers.

    Toes are kept out of a step that goes up ahead, and heels out of that from which somebody steps down; between two
    risers that are nearer than the foot is long it stands in the middle.

    Args:
        ground: float64 (K, N), height of the ground under points of each sole.
        points: float64 (N,), places of these from heel to toes, not decreasing; 0 is the ball of the foot.
        leg: length of the leg.
        settings: what is a riser.
    """
    rises = np.diff(ground, axis=1)
    steep, level = settings.steepest * np.diff(points), ground[:, [np.searchsorted(points, 0.0)]]
    high = ground > level + settings.least * leg
    ahead, behind = points[:-1] >= 0.0, points[1:] <= 0.0
    before = (rises > steep) & ahead & (np.cumsum(high[:, 1:] & ahead, axis=1) > 0)
    after = (rises < -steep) & behind & (np.cumsum((high[:, :-1] & behind)[:, ::-1], axis=1)[:, ::-1] > 0)
    room_ahead = np.where(before, points[:-1], np.inf).min(axis=1) - settings.margin * leg
    room_behind = np.where(after, -points[1:], np.inf).min(axis=1) - settings.margin * leg
    back, on = np.maximum(points[-1] - room_ahead, 0.0), np.maximum(-points[0] - room_behind, 0.0)
    return np.where((back > 0.0) & (on > 0.0), (on - back) / 2.0, on - back)


def _upper_hull(way: Float64, values: Float64) -> Float64:
    """The least concave line over values (N,) along an increasing way (N,), at their places (Andrew 1979)."""
    corners: list[int] = []
    for place in range(len(values)):
        while len(corners) > 1:
            start, middle = corners[-2:]
            rise, run = values[[middle, place]] - values[start], way[[middle, place]] - way[start]
            if rise[0] * run[1] > rise[1] * run[0]:
                break
            corners.pop()
        corners.append(place)
    return np.interp(way, way[corners], values[corners])
