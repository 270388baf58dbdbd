# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands joined to something that is another: a corridor map knows all that touches by the outline of the whole.

Where a crate leans on a wall, that wall's edge ends at the crate; moved along, it ends elsewhere. Then places far from
the crate, too, lie beside an edge that is another, and the map may tell their distance from it by another last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..scene import Scene
from .movers import Resting
from .surroundings import bounds_of

Float64 = NDArray[np.float64]

NEARLY = 1e-3
"""What is nearer to each other than this counts as touching [m]: the map rounds all places a little."""

_AT_ONCE = 1 << 20  # pairs of edges


def joined_to(changed: Sequence[Float64], others: Sequence[Float64]) -> list[Float64]:
    """Return those of other lines that touch some, or touch one that does, and so on; perhaps more that are near by.

    Args:
        changed: float64 (V, 2) each, closed ones with their first corner again at their end [m].
        others: likewise.
    """
    boxes = [_boxes(line) for line in others]
    around = np.array([_around(each) for each in boxes]).reshape(-1, 4)
    joined = np.zeros(len(others), dtype=bool)
    new = [_boxes(line) for line in changed]
    while new:
        edges = new.pop()
        for number in np.flatnonzero(~joined & _touch(around, _around(edges))).tolist():
            if _any_touch(edges, boxes[number]):
                joined[number] = True
                new.append(boxes[number])
    return [others[number] for number in np.flatnonzero(joined).tolist()]


def lines_on_map(scene: Scene, resting: Iterable[Resting]) -> list[Float64]:
    """Return the outlines of all that corridor maps of a scene show, float64 (V, 2) each, as for `joined_to` [m].

    Args:
        scene: whose maps.
        resting: the movers that rest in them.
    """
    lines = [closed(bounds_of(scene)), *scene.walls]
    movers = [each for each in scene.obstacles if each.motion is not None]
    for each in scene.obstacles:
        lines += [closed(ring) for ring in (each.outline, *each.holes) if each.motion is None]
    for number, pose in {rest for each in resting for rest in each}:
        lines += [closed(pose.to_world(ring)) for ring in (movers[number].outline, *movers[number].holes)]
    return lines


def closed(ring: Float64) -> Float64:
    """Return a ring, float64 (V, 2), with its first corner again at its end."""
    return np.concatenate((ring, ring[:1]))


def _boxes(line: Float64) -> Float64:
    """The boxes round edges, a little larger, float64 (E, 4): least x and y, and the negative of the greatest."""
    low, high = np.minimum(line[:-1], line[1:]), np.maximum(line[:-1], line[1:])
    return np.concatenate((low, -high), axis=1) - 0.5 * NEARLY


def _around(boxes: Float64) -> Float64:
    """The box round boxes, float64 (4,)."""
    return boxes.min(axis=0)


def _touch(boxes: Float64, box: Float64) -> NDArray[np.bool_]:
    """Bool, which boxes touch one; or each of some, where they broadcast."""
    return np.all(boxes <= -np.roll(box, 2, axis=-1), axis=-1)


def _any_touch(ones: Float64, others: Float64) -> bool:
    """Whether any of some boxes touches any of others."""
    ones, others = ones[_touch(ones, _around(others))], others[_touch(others, _around(ones))]
    if not (len(ones) and len(others)):
        return False
    step = max(1, _AT_ONCE // len(others))
    return any(bool(_touch(ones[k : k + step, None], others).any()) for k in range(0, len(ones), step))
