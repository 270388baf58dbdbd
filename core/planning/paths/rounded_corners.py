# SPDX-License-Identifier: GPL-3.0-or-later
"""Corners of a drawn line, rounded by arcs as wide as the line may be left and its pieces beside them allow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...array_types import Complex128, Float64, Int64
from ...geometry.reproducible_math import arctan2, complex_product, cos_sin, modulus

_STRAIGHT = 1e-3  # drawn points where the line turns less are none of its corners [rad]
_CUT = 0.236  # share of their distance ahead by which those who follow a line cut it where it turns back
_OFF_LINE, _HALVINGS = 1e-3, 8  # pieces may bend too: shorter tangents are tried until their ends are so near [m]
_LEAST_TANGENT = 0.1  # shorter arcs are not worth while: all of the line is smoothed anyway [m]


@dataclass(frozen=True, eq=False)
class Arcs:
    """The arcs of K corners.

    Attributes:
        corner: complex128 (K,), x + iy of the drawn point [m].
        u: float64 (K,), arc length there [m].
        along: complex128 (K,), unit vector of the direction at the middle of the arc.
        half: float64 (K,), half the angle by which it turns, positive to the left [rad].
        tangent: float64 (K,), from the corner to the ends of the arc [m].
    """

    corner: Complex128
    u: Float64
    along: Complex128
    half: Float64
    tangent: Float64

    def places(self, k: Int64, u: Float64) -> Complex128:
        """Places, complex128 (N,) [m], on arcs k at arc lengths u of the drawn line, within the tangents."""
        half, (cos, sin) = self.half[k], cos_sin(self.half[k])
        radius = self.tangent[k] * cos / sin  # positive to the left
        turned_cos, turned_sin = cos_sin(half * (u - self.u[k]) / self.tangent[k])
        apart = radius * (turned_sin + 1j * (1.0 / cos - turned_cos))
        return self.corner[k] + complex_product(self.along[k], apart)


def rounded(samples: Complex128, u: Float64, arcs: Arcs) -> Complex128:
    """Move samples near corners to their arcs.

    Args:
        samples: complex128 (M,), of the drawn line [m].
        u: float64 (M,), arc length at them, of a closed line within one lap [m].
        arcs: of its corners.
    """
    if not len(arcs.u):
        return samples
    k = np.searchsorted(0.5 * (arcs.u[1:] + arcs.u[:-1]), u)
    near = np.flatnonzero(np.abs(u - arcs.u[k]) < arcs.tangent[k])
    samples = samples.copy()
    samples[near] = arcs.places(k[near], u[near])
    return samples


def arcs_at_corners(u: Float64, drawn: Complex128, leaves: float, look_ahead: float, *, closed: bool) -> Arcs:
    """Return the widest arcs that touch the nearer halves of a corner's two pieces and leave it by no more than this.

    Args:
        u: float64 (Q,), arc length at the drawn points [m].
        drawn: complex128 (Q,), these points, the first of a closed line once more behind the others [m].
        leaves: greatest distance of those who follow the line from its corners, about [m].
        look_ahead: at which they aim [m]; it makes them cut sharp corners by themselves.
        closed: the first point is a corner too.
    """
    if closed:  # a lap before and one after
        lap = u[-1]
        u, drawn = np.concatenate((u[:-1] - lap, u[:-1], u + lap)), np.concatenate((drawn[:-1], drawn[:-1], drawn))
    apart = np.append(True, np.diff(u) > 0.0)  # points one above the other are one place
    u, drawn = u[apart], drawn[apart]
    directions = np.diff(drawn) / modulus(np.diff(drawn))
    turn = complex_product(directions[1:], directions[:-1].conj())
    angle = arctan2(turn.imag, turn.real)
    bends = np.flatnonzero(np.abs(angle) > _STRAIGHT)
    pieces = np.diff(np.concatenate((u[:1], u[1:-1][bends], u[-1:])))
    half, along = 0.5 * angle[bends], directions[1:][bends] + directions[:-1][bends]
    cos, sin = cos_sin(half)
    # An arc leaves the corner by radius / cos - radius.
    most = np.maximum(leaves - _CUT * look_ahead * sin * sin, 0.0)
    widest = most * (1.0 + cos) / np.abs(sin)
    tangent = np.minimum(widest, 0.5 * np.minimum(pieces[1:], pieces[:-1]))
    place, at, before, after = drawn[1:-1][bends], u[1:-1][bends], directions[:-1][bends], directions[1:][bends]
    for _ in range(_HALVINGS):
        begins = modulus(np.interp(at - tangent, u, drawn) - place + tangent * before)
        ends = modulus(np.interp(at + tangent, u, drawn) - place - tangent * after)
        off = np.maximum(begins, ends)
        tangent = np.where(off > _OFF_LINE, 0.5 * tangent, tangent)
    kept = (tangent >= _LEAST_TANGENT) & (off <= _OFF_LINE)
    along = along[kept]
    return Arcs(place[kept], at[kept], along / modulus(along), half[kept], tangent[kept])
