# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies as solids: balls that fill the mesh of a character and move with its bones, as in sphere trees.

A ball touches the mesh at a face and is as large as the mesh opposite lets it be (the shrinking ball of Ma, Bae and
Choi 2012); the largest come first, until all faces are near some ball (Bradshaw and O'Sullivan 2004).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..array_types import Bool, Float32, Float64, Int64
from ..geometry.reproducible_math import cos_sin, dot, length2
from .pose_tables import PoseTable


@dataclass(frozen=True)
class SolidSettings:
    """How finely bodies are filled, in shares of their height; chosen by trial against the meshes themselves.

    Attributes:
        spacing: between the faces that are looked at.
        largest: radius of a ball; larger parts take several.
        slack: how far a face may be off all balls.
        within: as deep may faces be in a ball.
        most: balls of a body.
    """

    spacing: float = 0.016
    largest: float = 0.08
    slack: float = 0.015
    within: float = 0.005
    most: int = 300


SOLID = SolidSettings()

_PAIRS_AT_ONCE = 256
_FACES_AT_ONCE = 64
_BEHIND, _FAR = 1e-9, np.float32(1e9)  # faces that are no farther inwards count as if so far away [m, m2]
_SLACK = 1e-3  # round a box, so that no rounding leaves anybody out [m]


class MeshSurface(NamedTuple):
    """The faces of a mesh: their middles and unit normals outwards float64 (N, 3), and areas float64 (N,)."""

    points: Float64
    normals: Float64
    areas: Float64

    def holds(self, point: Float64) -> bool:
        """Whether a point (3,) is inside, by the winding number (Jacobson et al. 2013): the mesh may have openings."""
        to = self.points - point
        squares = np.maximum(length2(to), 1e-12)
        around = (dot(to, self.normals) * self.areas / (squares * np.sqrt(squares))).sum()
        return bool(around > 0.5 * 4.0 * np.pi)


def fill_with_balls(surface: MeshSurface, settings: SolidSettings = SOLID) -> tuple[Float64, Float64, Int64]:
    """Fill a mesh with balls.

    Args:
        surface: of the mesh.
        settings: how finely.

    Returns:
        Centres (B, 3) and radii (B,); and int64 (B,), the face that each touches.
    """
    points = surface.points
    height = float(np.ptp(points[:, 2])) if len(points) else 0.0
    if not height > 0.0:
        return np.zeros((0, 3)), np.zeros(0), np.zeros(0, dtype=np.int64)
    kept = _thinned(points, settings.spacing * height)
    own, inwards = points[kept], -surface.normals[kept]
    radius = _radii(own, inwards, settings.largest * height, settings.within * height)
    centre = own + radius[:, None] * inwards
    by_axes = MeshSurface(*map(np.asfortranarray, surface))  # of which `holds` is several times as fast
    left, chosen, slack = np.argsort(-radius, kind="stable"), list[int](), settings.slack * height
    while len(left) and len(chosen) < settings.most:
        ball, left = left[0], left[1:]
        if by_axes.holds(centre[ball]):
            chosen.append(ball)
            to = own[left] - centre[ball]
            left = left[length2(to) > (radius[ball] + slack) ** 2]
    return centre[chosen], radius[chosen], kept[chosen]


def _radii(own: Float64, inwards: Float64, largest: float, within: float) -> Float64:
    """How large balls are that touch faces (N, 3) from inside, as far as the faces opposite let them be, (N,)."""
    upwards = np.argsort(own[:, 2])  # what is farther up or down than a ball is wide does not touch it
    near, towards = (np.asfortranarray(each[upwards], dtype=np.float32) for each in (own, inwards))
    square, wide = (near * near).sum(axis=1), np.float32(2.0 * largest)
    radius = np.full(len(own), largest)
    for first in range(0, len(own), _FACES_AT_ONCE):
        some = slice(first, first + _FACES_AT_ONCE)
        low, high = near[some][[0, -1], 2]
        beside = slice(*np.searchsorted(near[:, 2], (low - wide, high + wide)))
        inside = _products(towards[some], near[beside])
        inside -= (towards[some] * near[some]).sum(axis=1)[:, None] + np.float32(within)
        squares = _products(-2.0 * near[some], near[beside])
        squares += square[beside] - np.float32(within * within)
        squares += square[some, None]
        squares += (inside <= _BEHIND) * _FAR
        squares /= np.maximum(inside, _BEHIND, out=inside)
        faces = upwards[some]
        radius[faces] = np.minimum(radius[faces], 0.5 * squares.min(axis=1))
    return np.maximum(radius, 0.0)


def _products(first: Float32, second: Float32) -> Float32:
    """Scalar products of each of some vectors (..., N, 3) with each of others (..., M, 3), float32 (..., N, M)."""
    total = first[..., 0, None] * second[..., None, :, 0]
    for k in (1, 2):
        total += first[..., k, None] * second[..., None, :, k]
    return total


def _thinned(points: Float64, spacing: float) -> Int64:
    """Numbers of points, one in each cell of a grid."""
    cells = np.floor(points / spacing).astype(np.int64)
    order = np.lexsort(cells.T)
    is_first = np.append(True, (np.diff(cells[order], axis=0) != 0).any(axis=1))
    return np.sort(order[is_first])


class SolidPoses(NamedTuple):
    """Where a body is in clips.

    Attributes:
        balls: the middles of its balls, as joints.
        box: the least and the greatest corner of all its balls, as two joints. Between poses of the table no ball
            leaves the box there, as both are linear.
    """

    balls: PoseTable
    box: PoseTable

    @classmethod
    def of(cls, balls: PoseTable, radius: Float64) -> SolidPoses:
        """Put boxes round balls of these radii, float64 (B,)."""

        def corners(middles: Float64) -> Float64:
            by_axes = np.ascontiguousarray(middles.swapaxes(-1, -2))
            return np.stack([(by_axes - radius).min(axis=-1), (by_axes + radius).max(axis=-1)], axis=-2)

        standing = None if balls.standing is None else (corners(balls.standing[0]), balls.standing[1])
        return cls(balls, replace(balls, joints=corners(balls.joints), standing=standing))


class BodyBoxes(NamedTuple):
    """Upright boxes round N bodies that look and lean as these do.

    Attributes:
        middle: float64 (N, 3), in the world [m].
        half: float64 (N, 3), half of their lengths ahead, to the left and up [m].
        ahead: float64 (N, 2), unit vectors: where the bodies look.
    """

    middle: Float64
    half: Float64
    ahead: Float64

    @classmethod
    def of(cls, corners: Float64, place: Float64, heading: Float64, lean: Float64) -> BodyBoxes:
        """Put boxes round bodies.

        Args:
            corners: float64 (2, 3, N), least and greatest corners in the axes of the bodies [m].
            place: float64 (N, 3), where the bodies stand [m].
            heading: float64 (N,) [rad].
            lean: float64 (N,), to the left [rad].
        """
        middle, half = 0.5 * (corners[0] + corners[1]), 0.5 * (corners[1] - corners[0]) + _SLACK
        ahead = np.stack(cos_sin(heading), axis=-1)
        upright = half.copy()
        cos, sin = np.abs(cos_sin(lean))
        upright[1], upright[2] = cos * half[1] + sin * half[2], cos * half[2] + sin * half[1]
        return cls(in_world(middle, heading, lean) + place, upright.T, ahead)

    def meet(self, first: Int64, second: Int64) -> Bool:
        """Which pairs (M,) of boxes intersect (separating axes, Gottschalk, Lin and Manocha 1996)."""
        to = self.middle[second] - self.middle[first]
        apart = np.abs(to[:, 2]) > self.half[first, 2] + self.half[second, 2]
        (cos, sin), (other_cos, other_sin) = self.ahead[first].T, self.ahead[second].T
        along, across = np.abs(cos * other_cos + sin * other_sin), np.abs(sin * other_cos - cos * other_sin)
        for own, other in ((first, second), (second, first)):
            (cos, sin), (deep, wide) = self.ahead[own].T, self.half[other, :2].T
            apart |= np.abs(cos * to[:, 0] + sin * to[:, 1]) > self.half[own, 0] + along * deep + across * wide
            apart |= np.abs(cos * to[:, 1] - sin * to[:, 0]) > self.half[own, 1] + along * wide + across * deep
        return ~apart


def in_world(points: Float64, heading: Float64, lean: Float64) -> Float64:
    """Turn points float64 (..., 3, N) of bodies as these look and lean, (N,) each [rad]: float64 (..., N, 3)."""
    x, y, z = np.moveaxis(points, -2, 0)
    cos, sin = cos_sin(lean)
    y, z = cos * y + sin * z, cos * z - sin * y
    cos, sin = cos_sin(heading)
    return np.stack([cos * x - sin * y, sin * x + cos * y, z], axis=-1)


class Balls(NamedTuple):
    """Balls of N bodies.

    Attributes:
        centre: float32 (N, B, 3), in the world [m].
        radius: float32 (N, B); far below zero for those that a body does not have [m].
        low: float32 (N, 3), the least corners of the boxes round them [m].
        high: float32 (N, 3), the greatest corners [m].
    """

    centre: Float32
    radius: Float32
    low: Float32
    high: Float32

    def depth(self, first: Int64, second: Int64) -> Float32:
        """Depth to which bodies are in each other, pair by pair (M,); negative infinity where they are far apart [m].

        It is that of the two balls that are deepest in each other; only balls within the box round the other body can.
        """
        depth = np.full(len(first), -np.inf, dtype=np.float32)
        one, other = (self._within(a, b) for a, b in ((first, second), (second, first)))
        count = np.stack([one.sum(axis=1), other.sum(axis=1)])
        touching = np.flatnonzero(count.all(axis=0))
        for some in np.array_split(
            touching[np.argsort(count[:, touching].prod(axis=0), kind="stable")], _batches(touching)
        ):
            if len(some):
                most = count[:, some].max(axis=1)
                a, b = (
                    self._first(who[some], of[some], k)
                    for who, of, k in zip((first, second), (one, other), most, strict=True)
                )
                near = a[0][:, :1]  # a ball as origin: far from that of the world, squares have too few digits
                own, others = a[0] - near, b[0] - near
                squares = (own * own).sum(axis=-1)[:, :, None] + (others * others).sum(axis=-1)[:, None]
                squares -= 2.0 * _products(own, others)
                deep = a[1][:, :, None] + b[1][:, None] - np.sqrt(np.maximum(squares, 0.0))
                depth[some] = deep.max(axis=(1, 2))
        return depth

    def _within(self, one: Int64, other: Int64) -> Bool:
        """Bool (M, B), which balls of bodies reach into the boxes round others."""
        centre, radius = self.centre[one], self.radius[one][..., None]
        low, high = self.low[other][:, None], self.high[other][:, None]
        return np.asarray(((centre + radius > low) & (centre - radius < high)).all(axis=-1))

    def _first(self, who: Int64, some: Bool, most: int) -> tuple[Float32, Float32]:
        """Centres and radii of `most` balls of bodies (M,): those of `some`, bool (M, B), first."""
        chosen = np.argsort(~some, axis=1, kind="stable")[:, :most]
        rows = who[:, None]
        return self.centre[rows, chosen], self.radius[rows, chosen]


def _batches(pairs: Int64) -> int:
    return max(1, -(-len(pairs) // _PAIRS_AT_ONCE))
