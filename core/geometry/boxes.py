# SPDX-License-Identifier: GPL-3.0-or-later
"""Oriented boxes: corners, and the depth of their overlap.

Two convex shapes are disjoint exactly if a line along a side of one of them separates them (separating axes). The
support function of a box along an axis, its extent from the centre, turns each axis into two intervals on a line.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..array_types import Bool, Float64, Int64
from .reproducible_math import cos_sin

_CORNERS = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])


class Boxes(NamedTuple):
    """N boxes.

    Attributes:
        x, y: float64 (N,), centres [m].
        cos, sin: float64 (N,), of the headings.
        half_length, half_width: float64 (N,), along the heading and across [m].
    """

    x: Float64
    y: Float64
    cos: Float64
    sin: Float64
    half_length: Float64
    half_width: Float64

    @classmethod
    def of(cls, position: Float64, heading: Float64, length: Float64, width: Float64) -> Boxes:
        """Boxes of lengths and widths (N,) [m] at positions (N, 2) [m], turned by headings (N,) [rad]."""
        return cls(position[:, 0], position[:, 1], *cos_sin(heading), 0.5 * length, 0.5 * width)

    def take(self, rows: Int64 | Bool) -> Boxes:
        """Some of the boxes."""
        return Boxes(*(column[rows] for column in self))

    def corners(self) -> Float64:
        """Corners counter-clockwise from the front left, float64 (N, 4, 2) [m]."""
        along, across = self.half_length[:, None] * _CORNERS[:, 0], self.half_width[:, None] * _CORNERS[:, 1]
        cos, sin = self.cos[:, None], self.sin[:, None]
        return np.stack(
            (self.x[:, None] + along * cos - across * sin, self.y[:, None] + along * sin + across * cos), axis=-1
        )

    def support(self, x: Float64, y: Float64) -> Float64:
        """Extent of each from its centre along unit axes x, y (N,): float64 (N,) [m]."""
        return self.half_length * np.abs(self.cos * x + self.sin * y) + self.half_width * np.abs(
            self.cos * y - self.sin * x
        )


def signed_distance(
    ahead: Float64, aside: Float64, half_length: Float64 | float, half_width: Float64 | float
) -> Float64:
    """Distance of points to a box, negative inside; arguments broadcast.

    Args:
        ahead: float64, of the points along the axis of the box, from its centre [m].
        aside: float64, to the left of it [m].
        half_length: of the box [m].
        half_width: of the box [m].
    """
    over, beside = np.abs(ahead) - half_length, np.abs(aside) - half_width
    past_end, past_side = np.maximum(over, 0.0), np.maximum(beside, 0.0)
    outside = np.sqrt(past_end * past_end + past_side * past_side)
    return np.where(outside > 0.0, outside, np.maximum(over, beside))


def separating_axes(first: Boxes, second: Boxes) -> tuple[tuple[Float64, Float64], ...]:
    """The four directions normal to the sides of two boxes."""
    return (
        (first.cos, first.sin),
        (-first.sin, first.cos),
        (second.cos, second.sin),
        (-second.sin, second.cos),
    )


def overlap_depth(first: Boxes, second: Boxes) -> Float64:
    """Return the depth of the overlap of boxes, pair by pair.

    Args:
        first: N boxes.
        second: N boxes.

    Returns:
        float64 (N,), the least shift that separates them; negative where they are disjoint, and then at most their
        distance in size [m].
    """
    apart_x, apart_y = second.x - first.x, second.y - first.y
    depth = np.full(len(first.x), np.inf)
    for x, y in separating_axes(first, second):
        depth = np.minimum(depth, first.support(x, y) + second.support(x, y) - np.abs(apart_x * x + apart_y * y))
    return depth


def disc_depth(boxes: Boxes, centre: Float64, radius: Float64) -> Float64:
    """Return the depth of discs in boxes, pair by pair.

    Args:
        boxes: N boxes.
        centre: float64 (N, 2) [m].
        radius: float64 (N,) [m].

    Returns:
        float64 (N,), negative where they are disjoint [m].
    """
    apart_x, apart_y = centre[:, 0] - boxes.x, centre[:, 1] - boxes.y
    ahead = np.abs(apart_x * boxes.cos + apart_y * boxes.sin) - boxes.half_length
    lateral = np.abs(apart_y * boxes.cos - apart_x * boxes.sin) - boxes.half_width
    outside = np.sqrt(np.maximum(ahead, 0.0) ** 2 + np.maximum(lateral, 0.0) ** 2)
    return radius - np.where(outside > 0.0, outside, np.maximum(ahead, lateral))
