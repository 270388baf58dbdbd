# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges in order, against plain walks and a union-find."""

from itertools import pairwise

import numpy as np
import pytest


@pytest.fixture
def chains(addon):
    return addon.module("blender_addon.reading.shapes.chains")


def test_a_line_is_followed_from_its_end_of_the_lower_number(chains):
    assert chains.trace_chains(np.array([(5, 2), (0, 5), (2, 9)])) == [([0, 5, 2, 9], False)]


def test_a_loop_runs_the_way_of_its_first_edge(chains):
    assert chains.trace_chains(np.array([(0, 1), (1, 2), (2, 3), (3, 0)])) == [([0, 1, 2, 3], True)]


def test_a_midpoint_that_comes_last_is_found_in_its_place(chains):
    assert chains.trace_chains(np.array([(0, 3), (3, 1), (1, 4), (4, 2)])) == [([0, 3, 1, 4, 2], False)]


def test_nothing_gives_nothing(chains):
    assert chains.trace_chains(np.empty((0, 2), dtype=np.int64)) == []
    assert chains.trace_loops(np.empty((0, 2), dtype=np.int64)) == []
    assert chains.connected_parts(0, np.empty((0, 2), dtype=np.int64)).tolist() == []


@pytest.mark.parametrize("seed", range(5))
def test_every_edge_of_a_tangle_is_in_one_chain(chains, seed):
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, 12, (40, 2))
    ends = ends[ends[:, 0] != ends[:, 1]]
    told = []
    for points, closed in chains.trace_chains(ends):
        ring = points + points[:1] if closed else points
        told += [tuple(sorted(pair)) for pair in pairwise(ring)]
    assert sorted(told) == sorted(tuple(sorted(pair)) for pair in ends.tolist())
    odd = np.flatnonzero(np.bincount(ends.reshape(-1)) % 2)
    free = [end for points, closed in chains.trace_chains(ends) if not closed for end in (points[0], points[-1])]
    assert sorted(free) == odd.tolist()  # lines end only where an odd number of edges meets


@pytest.mark.parametrize("seed", range(5))
def test_directed_loops_use_every_edge_once_and_in_its_direction(chains, seed):
    rng = np.random.default_rng(seed)
    walks = [rng.integers(0, 10, rng.integers(2, 9)) for _ in range(6)]
    edges = np.concatenate([np.stack([walk, np.roll(walk, -1)], axis=1) for walk in walks])
    loops = chains.trace_loops(edges)
    told = [pair for loop in loops for pair in zip(loop, loop[1:] + loop[:1], strict=True)]
    assert all(len(set(loop)) == len(loop) for loop in loops)
    assert sorted(told) == sorted(map(tuple, edges.tolist()))


@pytest.mark.parametrize("seed", range(5))
def test_parts_are_those_of_a_union_find(chains, seed):
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, 300, (220, 2))
    parent = list(range(300))

    def root(k):
        while parent[k] != k:
            k = parent[k]
        return k

    for a, b in ends:
        low, high = sorted((root(a), root(b)))
        parent[high] = low
    assert chains.connected_parts(300, ends).tolist() == [root(k) for k in range(300)]


def test_a_long_chain_is_one_part_whatever_its_order(chains):
    order = np.random.default_rng(0).permutation(20_000)
    ends = np.stack([order[:-1], order[1:]], axis=1)
    assert not chains.connected_parts(20_000, ends).any()


def test_rooms_of_a_floor_plan(addon):
    enclosures = addon.module("blender_addon.reading.shapes.enclosures")
    # Two rooms side by side, a peninsula into the left one, and a wall that stands alone.
    points = np.array([(0, 0), (1, 0), (2, 0), (2, 1), (1, 1), (0, 1), (0.5, 0.5), (5, 5), (6, 5)], dtype=float)
    ends = np.array([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (1, 4), (5, 6), (7, 8)])
    rooms = sorted(sorted(face) for face in enclosures.enclosed_faces(points, ends))
    assert rooms == [[0, 1, 4, 5], [1, 2, 3, 4]]
