# SPDX-License-Identifier: GPL-3.0-or-later
"""A moving obstacle that presses people pushes, through them, the others who are in their way.

A door does not wait until bodies have been separated slowly, and nothing else moves people who stand behind those whom
it presses. Bodies and obstacles are corrected in turn until none overlap, or until there is no more room.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Bool, Float64
from ...geometry.reproducible_math import length, length2
from ...steering import neighbours
from ..settings.pedestrian_settings import PressingSettings
from ..world.environment import Environment


def clear_obstacles(
    position: Float64,
    radius: Float64,
    *,
    movable: Bool,
    world: Environment,
    time: float,
    dt: float,
    settings: PressingSettings,
) -> tuple[Float64, bool]:
    """Return positions out of all obstacles at the end of a step, and, where one that moves presses, out of each other.

    Args:
        position: float64 (A, 2), [m].
        radius: float64 (A,), [m].
        movable: bool (A,), which bodies may be moved by others.
        world: the obstacles.
        time: end of the step [s].
        dt: its length [s].
        settings: how exactly.

    Returns:
        positions: float64 (A, 2), [m].
        has_pressed: bool, whether an obstacle that moves has pressed somebody.
    """
    has_pressed = False
    for moment in world.moments_of_motion(time, dt, settings.longest_push, settings.most_moments):
        pressed = world.pressed(position, radius, moment, dt)
        if moment == time:
            position = world.push_out(position, radius, time)
        if pressed.any():
            position, has_pressed = _make_room(position, radius, pressed, movable, world, moment, settings), True
    return position, has_pressed


def _make_room(
    position: Float64,
    radius: Float64,
    pressed: Bool,
    movable: Bool,
    world: Environment,
    time: float,
    settings: PressingSettings,
) -> Float64:
    """Return positions in which bodies that are pressed, bool (A,), have pushed others aside.

    Who is nearer to the obstacle, by the number of bodies between, yields less: so a push runs through a queue.
    """
    pairs = neighbours.close_pairs(position, radius + settings.reach)
    first, second = pairs[np.logical_or(*movable[pairs.T])].T
    far = len(position)
    bodies_between = np.where(pressed, 0, far)
    moved = position.copy()
    for _ in range(settings.iterations):
        apart = moved[first] - moved[second]
        distance = length(apart)
        overlap = radius[first] + radius[second] - distance
        nearer = np.minimum(bodies_between[first], bodies_between[second])
        touch = np.flatnonzero((overlap > settings.tolerance) & (nearer < far))
        one, other = first[touch], second[touch]
        np.minimum.at(bodies_between, one, nearer[touch] + 1)
        np.minimum.at(bodies_between, other, nearer[touch] + 1)
        share = 0.5 + settings.precedence * np.sign(bodies_between[one] - bodies_between[other])
        share = np.where(movable[other], np.where(movable[one], share, 0.0), 1.0)
        width = distance[touch, None]
        unit = np.where(width > 1e-9, apart[touch] / np.maximum(width, 1e-9), (1.0, 0.0))
        change = overlap[touch, None] * unit
        np.add.at(moved, one, change * share[:, None])
        np.subtract.at(moved, other, change * (1.0 - share)[:, None])
        rows = np.flatnonzero(bodies_between < far)
        out = world.push_out(moved[rows], radius[rows], time)
        shift = out - moved[rows]
        moved[rows] = out
        if len(touch) == 0 and length2(shift).max() < settings.tolerance**2:
            break
    return moved
