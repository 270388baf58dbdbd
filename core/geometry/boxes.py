# SPDX-License-Identifier: GPL-3.0-or-later
"""Oriented boxes: corners, how deep two overlap, and when two that move touch.

Two convex shapes are apart exactly if some line along a side of one of them parts them (separating axes). A box's
support function along an axis, the farthest it reaches from its centre, turns each axis into two intervals on a line.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .reproducible_math import cos_sin

Float64 = NDArray[np.float64]

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

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Boxes:
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
        """How far each reaches from its centre along unit axes x, y (N,): float64 (N,) [m]."""
        return self.half_length * np.abs(self.cos * x + self.sin * y) + self.half_width * np.abs(
            self.cos * y - self.sin * x
        )


def _axes(first: Boxes, second: Boxes) -> tuple[tuple[Float64, Float64], ...]:
    """The four directions that sides of the two boxes are square to."""
    return (
        (first.cos, first.sin),
        (-first.sin, first.cos),
        (second.cos, second.sin),
        (-second.sin, second.cos),
    )


def overlap_depth(first: Boxes, second: Boxes) -> Float64:
    """How far boxes reach into each other, pair by pair.

    Args:
        first: N boxes.
        second: N boxes.

    Returns:
        float64 (N,), the least shift that parts them; negative where they are apart, and then no more than the
        distance between them in size [m].
    """
    apart_x, apart_y = second.x - first.x, second.y - first.y
    depth = np.full(len(first.x), np.inf)
    for x, y in _axes(first, second):
        depth = np.minimum(depth, first.support(x, y) + second.support(x, y) - np.abs(apart_x * x + apart_y * y))
    return depth


def disc_depth(boxes: Boxes, centre: Float64, radius: Float64) -> Float64:
    """How far discs reach into boxes, pair by pair.

    Args:
        boxes: N boxes.
        centre: float64 (N, 2) [m].
        radius: float64 (N,) [m].

    Returns:
        float64 (N,), negative where they are apart [m].
    """
    apart_x, apart_y = centre[:, 0] - boxes.x, centre[:, 1] - boxes.y
    ahead = np.abs(apart_x * boxes.cos + apart_y * boxes.sin) - boxes.half_length
    aside = np.abs(apart_y * boxes.cos - apart_x * boxes.sin) - boxes.half_width
    outside = np.hypot(np.maximum(ahead, 0.0), np.maximum(aside, 0.0))
    return radius - np.where(outside > 0.0, outside, np.maximum(ahead, aside))


def time_to_contact(first: Boxes, second: Boxes, velocity: Float64) -> Float64:
    """When boxes that move without turning touch, pair by pair, exactly.

    Along each axis the two reach over each other during one interval of time; they touch when the last of the four
    intervals begins, if none has ended by then. Vehicles do not drive by it: bodies that are expected to go straight on
    seem to meet wherever a road bends. The benchmark of traffic measures what comes of that.

    Args:
        first: N boxes.
        second: N boxes.
        velocity: float64 (N, 2), of the first less that of the second [m/s].

    Returns:
        float64 (N,), 0 where they overlap now, inf where they never touch [s].
    """
    apart_x, apart_y = second.x - first.x, second.y - first.y
    begin, end = np.zeros(len(first.x)), np.full(len(first.x), np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        for x, y in _axes(first, second):
            reach = first.support(x, y) + second.support(x, y)
            apart, closing = apart_x * x + apart_y * y, velocity[:, 0] * x + velocity[:, 1] * y
            one, other = (apart - reach) / closing, (apart + reach) / closing
            still = closing == 0.0
            within = np.abs(apart) <= reach
            begin = np.maximum(begin, np.where(still, np.where(within, 0.0, np.inf), np.minimum(one, other)))
            end = np.minimum(end, np.where(still, np.inf, np.maximum(one, other)))
    return np.where(begin <= end, begin, np.inf)
