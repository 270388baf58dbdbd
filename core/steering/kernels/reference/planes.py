# SPDX-License-Identifier: GPL-3.0-or-later
"""Half planes of velocities that keep clear of other agents: numpy kernel.

Source: van den Berg et al. 2011, section 4.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bool, Float64, Horizons, Int64, SortedAgents
from .linear_program import NO_LINE

CHUNK = 1024


def agent_planes(agents: SortedAgents, rows: slice, neighbours: Int64, horizons: Horizons) -> Float64:
    """The half planes that `rows` of the agents owe to their neighbours, who take the rest of the change.

    Args:
        agents: everybody.
        rows: N of them, whose half planes.
        neighbours: int64 (K, N), nearest first, -1 where there is none.
        horizons: looked ahead [s].

    Returns:
        float64 (4, K, N): point x, y and direction x, y.
    """
    lines = np.empty((4, *neighbours.shape))
    bodies = np.stack((agents.radius, agents.share, agents.precedence))
    moves = np.ascontiguousarray(np.concatenate((agents.position, agents.velocity), axis=1).T)  # (4, A)
    with np.errstate(divide="ignore", invalid="ignore"):
        for begin in range(0, neighbours.shape[1], CHUNK):
            part = slice(begin, min(begin + CHUNK, neighbours.shape[1]))
            own = slice(rows.start + part.start, rows.start + part.stop)
            other = np.ascontiguousarray(neighbours[:, part])
            _write_planes(moves, bodies, own, other, horizons, lines[:, :, part])
    return lines


def _write_planes(
    moves: Float64, bodies: Float64, rows: slice, other: Int64, horizons: Horizons, lines: Float64
) -> None:
    own = moves[:, None, rows]  # (4, 1, N)
    gap = moves[:2].take(other, axis=1)  # (2, K, N)
    gap -= own[:2]
    velocity = own[2:] - moves[2:].take(other, axis=1)
    reach, share, precedence = bodies.take(other, axis=1)
    reach += bodies[0, rows]
    distance2, reach2 = _dot(gap, gap), reach * reach
    touching = distance2 <= reach2
    inverse = np.where(touching, 1.0 / horizons.step, 1.0 / horizons.agents)
    off = inverse * gap
    np.subtract(velocity, off, out=off)  # from the middle of the round end of the velocity obstacle
    off2, toward = _dot(off, off), _dot(off, gap)
    rounded = (toward < 0.0) & (toward * toward > reach2 * off2)
    rounded |= touching

    leg = np.sqrt(np.maximum(distance2 - reach2, 0.0))
    leg = -np.copysign(leg, gap[1] * off[0] - gap[0] * off[1] + 0.0)  # the right leg, too, if straight ahead
    along = gap * leg
    gap *= reach
    along[0] -= gap[1]
    along[1] += gap[0]
    along /= distance2
    change = along * _dot(velocity, along)
    change -= velocity

    length = np.sqrt(off2)
    off /= length
    still = rounded & (length == 0.0)
    if still.any():  # two in one place part all the same
        off[:, still] = np.array(
            (np.where(np.arange(rows.start, rows.stop) < other, 1.0, -1.0)[still], np.zeros(still.sum()))
        )
    reach *= inverse
    reach -= length
    _put(change, reach * off, rounded)
    _put(along, np.array((off[1], -off[0])), rounded)

    precedence -= bodies[2, rows]
    share += precedence
    change *= np.minimum(share, 1.0)
    np.add(change, own[2:], out=lines[:2])
    lines[2:] = along
    nobody = other < 0
    if nobody.any():
        lines[:, nobody] = NO_LINE[:, None]


def _dot(a: Float64, b: Float64) -> Float64:
    product = a * b
    return product[0] + product[1]


def _put(array: Float64, value: Float64, where: Bool) -> None:
    """Overwrite the elements of `array` by bits: no branches, which cost the most where a mask looks random."""
    bits, other = array.view(np.int64), value.view(np.int64)
    other ^= bits
    other &= -where.astype(np.int64)
    bits ^= other
