# SPDX-License-Identifier: GPL-3.0-or-later
"""How soon people touch others along each heading: numpy kernel.

Everything that is met is one over the time until then, the urgency [1/s], 0 if never: the worst of several is then
their maximum, and no heading costs a division.

Source: Moussaid et al. 2011, f(alpha); the article on small robots, g(alpha) for those already in contact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Fan, Float64, HeadingAims, Int64, SortedAgents

Vector = tuple[Float64, Float64]


class Discs(NamedTuple):
    """Round bodies as one formula over headings e; float64 (n,) each, or (K, n).

    With m = a.e, the urgency is m - a0 + sqrt((m - a0)^2 - b0 + b.e) where m > bound and the root is real, else 0.

    Attributes:
        a_x, a_y, a0, b_x, b_y, b0, bound: of the formula.
        recede_x, recede_y: velocity of the body where it counts for the speed behind it [m/s].
    """

    a_x: Float64
    a_y: Float64
    a0: Float64
    b_x: Float64
    b_y: Float64
    b0: Float64
    bound: Float64
    recede_x: Float64
    recede_y: Float64


def bodies(agents: SortedAgents, aims: HeadingAims, rows: slice, other: Int64, creep: float) -> Discs:
    """The neighbours of `rows`, int64 (K, n), -1 where there is none, as seen by them."""
    gap = agents.position.T[:, other] - agents.position[rows].T[:, None]  # (2, K, n)
    velocity = agents.velocity.T[:, other]
    reach = agents.radius[other] + agents.radius[rows]
    # Who comes from behind has to see to it, unless it sees to nothing.
    bound = np.where(agents.share[other] == 1.0, -np.inf, 0.0)
    tie = np.where(np.arange(rows.start, rows.stop) < other, 1.0, -1.0)
    speed, reaction = aims.speed[rows], aims.reaction[rows]
    found = discs((gap[0], gap[1]), (velocity[0], velocity[1]), reach, bound, tie, (speed, reaction, creep))
    nobody = other < 0
    return found._replace(bound=np.where(nobody, np.inf, found.bound)) if nobody.any() else found


def discs(
    gap: Vector,
    velocity: Vector,
    reach: Float64,
    bound: Float64,
    tie: Float64 | float,
    own: tuple[Float64, Float64, float],
) -> Discs:
    """Round bodies as formulas over headings.

    Args:
        gap: from one's own centre to theirs [m].
        velocity: theirs [m/s].
        reach: sum of the radii [m].
        bound: -inf for those that are minded also where they come from behind, else 0.
        tie: to which side they are, 1 or -1, if they are in one's own place.
        own: one's own speed [m/s] and reaction time [s], and how fast those who touch may go deeper [m/s].

    Returns:
        The formulas, of the shape of `reach`.
    """
    (x, y), (w_x, w_y), (speed, reaction, creep) = gap, velocity, own
    distance2 = x * x + y * y
    outside = distance2 - reach * reach
    touching = outside <= 0.0
    inverse = 1.0 / np.where(touching, 1.0, outside)
    near = np.sqrt(distance2)
    heap = near == 0.0
    inverse_near = 1.0 / np.where(heap, 1.0, near)
    unit_x, unit_y = np.where(heap, tie, x * inverse_near), y * inverse_near
    away = w_x * unit_x + w_y * unit_y
    press = 0.5 * speed / (reaction * (np.maximum(away, 0.0) + creep))
    scale = speed * inverse
    a0 = np.where(touching, 0.0, (x * w_x + y * w_y) * inverse)
    twice = np.where(touching, 0.0, 2.0 * scale)
    return Discs(
        np.where(touching, unit_x * press, x * scale),
        np.where(touching, unit_y * press, y * scale),
        a0,
        twice * w_x,
        twice * w_y,
        np.where(touching, 0.0, (speed * speed + (w_x * w_x + w_y * w_y)) * inverse),
        np.where(touching, 0.0, np.maximum(a0, bound)),
        np.where(touching, 0.0, w_x),
        np.where(touching, 0.0, w_y),
    )


def disc_urgency(disc: Discs, e_x: Float64, e_y: Float64) -> Float64:
    """How soon headings lead into round bodies [1/s]; shapes as they broadcast."""
    m = disc.a_x * e_x
    m += disc.a_y * e_y
    ahead = m > disc.bound
    m -= disc.a0
    root = disc.b_x * e_x
    root += disc.b_y * e_y
    root -= disc.b0
    root += m * m
    ahead &= root > 0.0
    m += np.sqrt(np.maximum(root, 0.0, out=root), out=root)
    return np.where(ahead, m, 0.0)


def fan_of(aims: HeadingAims, rows: slice, fan: Fan) -> Vector:
    """All headings of some agents, (1 + M, n) each of x and y: first to the target, then from the right to the left."""
    e_x, e_y = np.empty((2, 1 + fan.cos.size, rows.stop - rows.start))
    x, y = aims.heading[rows].T
    e_x[0], e_y[0] = aims.direction[rows].T
    e_x[1:] = fan.cos[:, None] * x - fan.sin[:, None] * y
    e_y[1:] = fan.sin[:, None] * x + fan.cos[:, None] * y
    return e_x, e_y


def chosen_of(e: Vector, choice: Int64) -> Vector:
    """The chosen ones of headings (1 + M, n), (n,) each of x and y."""
    columns = np.arange(choice.size)
    return e[0][choice, columns], e[1][choice, columns]
