# SPDX-License-Identifier: GPL-3.0-or-later
"""Which way an edge runs depends on where it lies alone: of places that are equally narrow its first one counts."""

import numpy as np

from core.routing import CorridorMap

from ..conftest import box

SIDE = 20.0
BOUNDS = np.array([[0.0, 0.0], [SIDE, 0.0], [SIDE, SIDE], [0.0, SIDE]])


def _directed(blocks: list[np.ndarray], doors: list[np.ndarray]) -> set[tuple[float, ...]]:
    """Where the edges begin and end of a map in which doors have come to rest, float (4,) each [m]."""
    corridors = CorridorMap(blocks, BOUNDS)
    corridors.put_in_order()
    for door in doors:
        corridors.insert(door)
    ends = corridors.vertices[corridors.edges]  # (E, 2, 2)
    return set(map(tuple, np.round(ends.reshape(-1, 4), 4).tolist()))


def test_edges_run_the_same_way_whatever_stands_far_from_them_when_doors_come():
    blocks = [box(x, y, 4.0, 4.0) for x in (2.0, 8.0, 14.0) for y in (2.0, 8.0, 14.0)]
    rng = np.random.default_rng(4)
    kept = turned = 0
    for _ in range(12):
        crate = box(*rng.uniform(0.2, 1.3, 2).tolist(), 0.3, 0.4)
        doors = [box(*rng.uniform(0.0, SIDE - 1.0, 2).tolist(), 1.0, 0.9), box(rng.uniform(3.0, 16.0), 19.2, 0.8, 0.8)]
        one, other = _directed(blocks, doors), _directed([*blocks, crate], doors)
        kept += len(one & other)
        turned += len(one & {(*edge[2:], *edge[:2]) for edge in other})
    assert kept > 300
    assert not turned
