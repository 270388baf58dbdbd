# SPDX-License-Identifier: GPL-3.0-or-later
"""A map in order answers by the ground alone, whatever was handed over first and changed since."""

import numpy as np
import pytest

from core.routing import CorridorMap, NoRoute
from tests.sweeps import sweep

BOUNDS = np.array([[0.0, 0], [24, 0], [24, 24], [0, 24]])


def box(x, y, width=2.0, height=2.0):
    return np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]], dtype=float)


def squares():
    """Square blocks along streets of one width: many ways are equally long, many gates equally narrow."""
    return [box(3.0 + 4 * i, 3.0 + 4 * j) for i in range(5) for j in range(5)]


def in_order(obstacles):
    corridors = CorridorMap(obstacles, BOUNDS)
    corridors.put_in_order()
    return corridors


def answers(corridors):
    """Bytes of all that a map tells."""
    rng = np.random.default_rng(7)
    starts, goals = rng.integers(0, 25, (2, 40, 2)).astype(float)
    crowding = corridors.crowding(rng.uniform(0, 24, (30, 2)))
    found = [*corridors.paths(starts, goals, 0.3), *corridors.paths(starts, goals, 0.3, crowding=crowding)]
    gaps = corridors.refused_gaps(1.2)
    arrays = [corridors.vertices, corridors.edges, crowding, corridors.edge_at(starts), gaps.place, gaps.left]
    arrays += [*corridors.sampled_edges(0.5).points, *corridors.nearest_obstacle(goals)]
    ways = [str(way).encode() if isinstance(way, NoRoute) else way.tobytes() for way in found]
    return [*(array.tobytes() for array in arrays), *ways]


@pytest.mark.parametrize("by", [(1.0, 0.0), (1.0, 1.0), (0.5, 0.25), (0.1, 0.0)])
def test_a_moved_block_of_a_regular_layout_leaves_the_map_that_is_built_of_it(by):
    blocks = squares()
    changed = CorridorMap(blocks, BOUNDS)
    blocks[12] = blocks[12] + by
    changed.move(12, blocks[12])
    changed.put_in_order()
    assert answers(changed) == answers(in_order(blocks))


def test_a_block_that_went_and_came_back_leaves_no_trace():
    blocks = squares()
    changed = in_order(blocks)
    changed.move(6, blocks[6] + 0.3)
    changed.move(6, blocks[6])
    plain = answers(in_order(blocks))
    assert answers(changed) != plain  # so the layout is one in which the order counts
    changed.put_in_order()
    assert answers(changed) == plain
    assert sorted(changed.ids) == list(range(25))


def test_the_order_in_which_obstacles_are_handed_over_counts_for_nothing():
    blocks = [*squares(), np.array([[0.5, 20.0], [0.5, 23.0]]), box(3, 3, 2, 1)]
    shuffled = [blocks[k] for k in np.random.default_rng(2).permutation(len(blocks))]
    assert answers(in_order(shuffled)) == answers(in_order(blocks))


@pytest.mark.parametrize("seed", sweep(range(12), everywhere=3))
def test_boxes_on_whole_metres_that_moved_leave_the_map_that_is_built_of_them(seed):
    rng = np.random.default_rng(seed)
    blocks = [box(*rng.integers(1, 21, 2), *rng.integers(1, 4, 2)) for _ in range(14)]
    changed = CorridorMap(blocks, BOUNDS)
    for number in rng.integers(0, 14, 5).tolist():
        blocks[number] = blocks[number] + rng.integers(-2, 3, 2)
        changed.move(number, blocks[number])
    changed.put_in_order()
    assert answers(changed) == answers(in_order([blocks[k] for k in rng.permutation(14)]))


def test_an_empty_ground_can_be_put_in_order():
    corridors = in_order([])
    assert corridors.ids == ()
    corridors.insert(box(10, 10))
    corridors.put_in_order()
    assert answers(corridors) == answers(in_order([box(10, 10)]))
