# SPDX-License-Identifier: GPL-3.0-or-later
"""The denser the crowd ahead, the slower people want to walk.

    crowd_ahead(position, direction, group) -> (R,)  people ahead who go the same way [1/m2]
    share_of_speed(density) -> (R,)                  of the speed of somebody alone
    keep_pace(agents, rows, preferred, dt)           sets the pace of some, smoothly

Avoidance alone keeps people apart without slowing them: a stream in which all walk alike would keep up any speed.
People in a stream leave room for steps. Those who come the other way or cross do not count: they are passed. Nor do
friends, who walk close because they like to, and together as fast as they like.
Only those on drawn routes are slowed. Those with ways of their own meet at doors and in corridors, and slowed likewise
fewer of them got through in the same time.

Source: Weidmann 1993, "Transporttechnik der Fussgaenger": walking speed over density.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...geometry.reproducible_math import exp
from ...steering.neighbours import close_pairs
from ..world.agents import WALKING, Agents

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

REACH, BREADTH = 2.0, 0.8
"""People so far ahead, and so far to each side, are of account [m]."""

SAME_WAY, OTHER_WAY = 0.8, 0.5
"""Cosines of the angles between the directions of two up to which they go the same way, and from which they do not."""

JAM = 5.4
"""Density at which nobody moves any more [1/m2] (Weidmann 1993)."""

STEEPNESS = 1.913
"""How fast speed falls with density [1/m2] (Weidmann 1993)."""

DENSEST = 2.5
"""Nobody wants to walk more slowly than at this density [1/m2]: a throng before a door presses on."""

SMOOTHING = 0.5
"""The pace follows the density within this time [s]."""

_GROUND = np.pi * REACH * BREADTH / 4.0
"""What the weights come to over the ellipse: people per m2 are their sum over this [m2]."""


def crowd_ahead(position: Float64, direction: Float64, group: Int64) -> Float64:
    """Return float64 (R,), the density of strangers ahead who go much the same way [1/m2].

    Those in an ellipse count that begins at oneself: most in its middle and less towards its edge, so that nobody comes
    in with a jump.

    Args:
        position: float64 (R, 2) [m].
        direction: float64 (R, 2), unit vectors; zero for those who stand and count for nobody.
        group: int64 (R,), whoever has the same number is no stranger; -1 for those who walk alone.
    """
    pairs = close_pairs(position, 0.5 * REACH)
    pairs = pairs[(group[pairs[:, 0]] < 0) | (group[pairs[:, 0]] != group[pairs[:, 1]])]
    cosine = (direction[pairs[:, 0]] * direction[pairs[:, 1]]).sum(axis=1)
    alike = np.minimum((cosine - OTHER_WAY) / (SAME_WAY - OTHER_WAY), 1.0)
    pairs, alike = pairs[alike > 0.0], alike[alike > 0.0]
    who, other = np.concatenate([pairs, pairs[:, ::-1]]).T
    apart, way = position[other] - position[who], direction[who]
    ahead = (apart * way).sum(axis=1)
    beside = apart[:, 1] * way[:, 0] - apart[:, 0] * way[:, 1]
    weight = np.maximum(1.0 - (2.0 * ahead / REACH - 1.0) ** 2 - (beside / BREADTH) ** 2, 0.0)
    return np.bincount(who, np.tile(alike, 2) * weight, len(position)) / _GROUND


def share_of_speed(density: Float64) -> Float64:
    """Return float64 (R,), the share of their free speed at which people walk at a density [1/m2]."""
    dense = np.clip(density, 1e-3, DENSEST)
    return 1.0 - exp(-STEEPNESS * (1.0 / dense - 1.0 / JAM))


def keep_pace(
    agents: Agents,
    rows: Int64,
    preferred: Float64,
    dt: float,
    *,
    together: Float64 | None = None,
    on_slope: Float64 | None = None,
) -> None:
    """Let the pace of those on routes follow the crowd ahead of them, and everybody's their group and the slope.

    Args:
        agents: everybody; sets `pace`.
        rows: int64 (R,), who is present.
        preferred: float64 (R, 2), where each would go [m/s].
        dt: [s]; infinite to have at once the pace that it comes to.
        together: float64 (R,), the share of their speed with which groups keep together; None where there are none.
        on_slope: float64 (R,), the share of their speed that slopes leave; None where all is level.
    """
    streaming = agents.avoids[rows] & np.isnan(agents.goal[rows, 0])
    if together is None and on_slope is None and not streaming.any():
        return
    speed = np.sqrt((preferred * preferred).sum(axis=1))
    walking = (agents.status[rows] == WALKING) & (speed > 0.0)
    direction = np.where(walking[:, None], preferred / np.maximum(speed, 1e-9)[:, None], 0.0)
    ahead = crowd_ahead(agents.position[rows], direction, agents.group[rows])
    share = np.where(streaming, share_of_speed(ahead), 1.0)
    wanted = share * agents.wanted_speed[rows] * (1.0 if together is None else together)
    if on_slope is not None:
        wanted *= on_slope
    agents.pace[rows] += (wanted - agents.pace[rows]) * (1.0 - exp(-dt / SMOOTHING))
