# SPDX-License-Identifier: GPL-3.0-or-later
"""Vehicles as people perceive them: moving boxes that nobody may enter."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...array_types import Bool, Float64, Int64
from ...geometry.boxes import Boxes, signed_distance
from ...geometry.ragged import places_in
from .heroes import HeroBodies

_TOUCH_TOLERANCE = 1e-6  # [m]
_INSET = 0.1  # [m]
_LEAST_RADIUS = 0.15  # [m]: before the inset; that of a bicycle
_LEAST_LEFT = 0.02  # [m]: and what is left of it at least, where a vehicle is shorter than that


class VehiclesNow(NamedTuple):
    """All vehicles of a scene, as those see them who wait for one.

    Attributes:
        crowd: int64 (V,), numbers in the scene.
        present: bool (V,), which are there.
        arrived: bool (V,), which are at the end of their road, or have left there.
        place: float64 (V, 2), the middles of those that are there [m].
        speed, fastest: float64 (V,), now, and the greatest so far [m/s].
        half_length: float64 (V,) [m].
    """

    crowd: Int64
    present: Bool
    arrived: Bool
    place: Float64
    speed: Float64
    fastest: Float64
    half_length: Float64


class MovingBoxes(NamedTuple):
    """M boxes: `boxes`, and `velocity` float64 (M, 2) [m/s]."""

    boxes: Boxes
    velocity: Float64

    def distance(self, points: Float64) -> Float64:
        """Signed distance of points (N, 2) to the nearest box, negative inside, float64 (N,) [m]."""
        return signed_distance(*self._in_own_axes(points), self.boxes.half_length, self.boxes.half_width).min(axis=1)

    def push_out(self, points: Float64, radius: Float64) -> Float64:
        """Return points (N, 2) moved the shortest way out of the boxes, so that discs of radii (N,) touch none [m]."""
        moved = points
        near = np.flatnonzero(self.distance(points) < radius)
        for box in range(len(self.boxes.x) if len(near) else 0):
            moved = _out_of(self.boxes.take(np.array([box])), moved, radius, near)
        return moved

    def discs(self) -> HeroBodies:
        """Return discs that cover the boxes: in two rows, so that little of their corners is left.

        They end a hand's breadth within, so that whoever stands right beside a vehicle finds a way along it.
        """
        boxes, half = self.boxes, 0.5 * self.boxes.half_width
        # No smaller for thin vehicles, which would need thousands, and not beyond the ends of short ones.
        radius = np.minimum(np.maximum(half, _LEAST_RADIUS), boxes.half_length)
        reach = boxes.half_length - radius
        count = 1 + np.ceil(2.0 * reach / radius).astype(np.int64)
        box, number = places_in(count)
        along = reach[box] * (2.0 * number / np.maximum(count[box] - 1, 1) - 1.0)
        cos, sin, aside = boxes.cos[box], boxes.sin[box], half[box] * np.array([[-1.0], [1.0]])  # (2, D)
        x, y = boxes.x[box] + along * cos - aside * sin, boxes.y[box] + along * sin + aside * cos
        centre = np.stack((x, y), axis=-1).reshape(-1, 2)
        left = np.maximum(radius - _INSET, _LEAST_LEFT)
        return HeroBodies(centre, np.tile(self.velocity[box], (2, 1)), np.tile(left[box], 2))

    def _in_own_axes(self, points: Float64) -> tuple[Float64, Float64]:
        """Points ahead of and to the left of the middles of boxes, float64 (N, M) each [m]."""
        apart_x, apart_y = points[:, :1] - self.boxes.x, points[:, 1:] - self.boxes.y
        cos, sin = self.boxes.cos, self.boxes.sin
        return apart_x * cos + apart_y * sin, apart_y * cos - apart_x * sin


def _out_of(box: Boxes, points: Float64, radius: Float64, rows: Int64) -> Float64:
    """Points with those of some rows moved out of one box."""
    apart_x, apart_y = points[rows, 0] - box.x, points[rows, 1] - box.y
    ahead, aside = apart_x * box.cos + apart_y * box.sin, apart_y * box.cos - apart_x * box.sin
    on_x = np.clip(ahead, -box.half_length, box.half_length)
    on_y = np.clip(aside, -box.half_width, box.half_width)
    inside = (on_x == ahead) & (on_y == aside)
    over, beside = np.abs(ahead) - box.half_length, np.abs(aside) - box.half_width
    to_end = inside & (over > beside)
    on_x = np.where(to_end, np.copysign(box.half_length, ahead), on_x)
    on_y = np.where(inside & ~to_end, np.copysign(box.half_width, aside), on_y)
    out_x, out_y = np.where(inside, on_x - ahead, ahead - on_x), np.where(inside, on_y - aside, aside - on_y)
    distance = np.sqrt(out_x**2 + out_y**2)
    touches = inside | (distance < radius[rows])
    unit = np.maximum(distance, 1e-12)
    new_x = on_x + out_x / unit * (radius[rows] + _TOUCH_TOLERANCE)
    new_y = on_y + out_y / unit * (radius[rows] + _TOUCH_TOLERANCE)
    moved = points.copy()
    hit = rows[touches]
    moved[hit, 0] = (box.x + new_x * box.cos - new_y * box.sin)[touches]
    moved[hit, 1] = (box.y + new_x * box.sin + new_y * box.cos)[touches]
    return moved


def is_near(boxes: Boxes, points: Float64, reach: float, meet: Bool) -> Bool:
    """Return bool (M,), which boxes have a point (N, 2) within reach of their centre that they may meet, (M, N)."""
    apart_x, apart_y = boxes.x[:, None] - points[:, 0], boxes.y[:, None] - points[:, 1]
    return np.any(meet & (apart_x * apart_x + apart_y * apart_y < reach * reach), axis=1)
