# SPDX-License-Identifier: GPL-3.0-or-later
"""Where people are along strips of the ground: a twin of `core.steering.neighbours`.

At the end stand the parts with which kernels of `core.steering` walk along them.
"""

from __future__ import annotations

import math

import numpy as np

from ..array_types import Float64, Int64
from .compiling import entry, part

INDEX = 0xFFFFFFFF
"""The bits of the index in what `pack` returns."""


def places_in_strips(
    position: Float64, height: float, reach: float, most: int
) -> tuple[Float64, Int64, tuple[float, ...], Int64]:
    """Where people are along strips.

    Args:
        position: float64 (N, 2), at least one [m].
        height: wanted of a strip [m].
        reach: the farthest that anybody will look [m].
        most: so many strips at most: else they are higher.

    Returns:
        float64 (N,), the key of each; int64 (N,), the strip of each; the lower edge of strip 0, the height of a strip,
        what lies between keys in one strip and the next, and the greatest coordinate or extent [m]; and int64 (N,),
        their rows in the order of keys.
    """
    key, number = np.empty(len(position)), np.empty(len(position), dtype=np.int64)
    sizes = _place(position, height, reach, most, key, number)
    return key, number, sizes, _sort(key.view(np.int64))


def warm_up() -> None:
    """Compile."""
    places_in_strips(np.ones((1, 2)), 1.0, 1.0, 1)


@entry
def _place(position, height, reach, most, key, number):
    left, low, right, high = math.inf, math.inf, -math.inf, -math.inf
    for row in range(number.size):
        x, y = position[row, 0], position[row, 1]
        left, low, right, high = min(left, x), min(low, y), max(right, x), max(high, y)
    wide, tall = right - left, high - low
    height = max(height, tall / most)
    if height == 0.0:
        height = 1.0
    width = wide + 2.0 * reach + height
    for row in range(number.size):
        number[row] = int((position[row, 1] - low) / height)
        key[row] = number[row] * width + (position[row, 0] - left)
    return low, height, width, max(abs(left), abs(low), wide, tall)


@entry
def _sort(key):
    """Rows in the order of the bits of numbers of 0 or more, which is theirs: byte by byte, the last one first."""
    order, sorted_key = np.arange(key.size), key.copy()
    next_order, next_key = np.empty_like(order), np.empty_like(key)
    first = np.zeros((8, 257), dtype=np.int64)
    for row in range(key.size):
        for byte in range(8):
            first[byte, ((key[row] >> (8 * byte)) & 255) + 1] += 1
    for byte in range(8):
        if key.size and first[byte, ((key[0] >> (8 * byte)) & 255) + 1] == key.size:  # all have the same
            continue
        for value in range(256):
            first[byte, value + 1] += first[byte, value]
        for row in range(key.size):
            value = (sorted_key[row] >> (8 * byte)) & 255
            at = first[byte, value]
            first[byte, value] += 1
            next_order[at], next_key[at] = order[row], sorted_key[row]
        order, next_order, sorted_key, next_key = next_order, order, next_key, sorted_key
    return order


@part
def enter(strips, number, span, windows):
    """Set the windows to the strips around a strip."""
    for row in range(windows.shape[0]):
        first = np.searchsorted(strips.number, number + row - span)
        windows[row, 0], windows[row, 2] = first, first
        windows[row, 1] = np.searchsorted(strips.number, number + row - span + 1)


@part
def advance(key, window, wanted):
    """Move on to where a key falls within a window."""
    at = window[2]
    while at < window[1] and key[at] < wanted:
        at += 1
    window[2] = at


@part
def strip_gap(strips, y, number):
    """How far a strip is away at least."""
    bottom = strips.low + number * strips.height - y
    return max(max(bottom, -(bottom + strips.height)) - strips.slack, 0.0)


@part
def pack(distance2, index):
    """Distance and index in one integer that sorts like the pair of them."""
    return (np.int64(np.float32(distance2).view(np.int32)) << 32) | index
