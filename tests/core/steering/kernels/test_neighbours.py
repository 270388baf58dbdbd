# SPDX-License-Identifier: GPL-3.0-or-later
"""Neighbours beside those found by comparing everybody with everybody."""

from __future__ import annotations

import numpy as np
import pytest

from core.compiled.twins import compiled
from core.errors import GeometryError
from core.steering import neighbours
from core.steering.backends import kernels_of
from core.steering.bodies import Bodies
from core.steering.symmetry import SymmetryBreaking, checked_turn


def squared_distances(position):
    gap = position[:, None] - position
    return gap[..., 0] * gap[..., 0] + gap[..., 1] * gap[..., 1]


def scenes():
    rng = np.random.default_rng(40)
    yield rng.uniform(0.0, 10.0, (200, 2)), 1.5
    yield rng.uniform(-3.0, 3.0, (90, 2)), 50.0
    yield rng.normal(0.0, 1.0, (150, 2)) ** 3, 0.7
    yield np.stack(np.meshgrid(np.arange(9.0), np.arange(9.0)), axis=-1).reshape(-1, 2), 2.0
    yield np.stack((np.linspace(0.0, 40.0, 70), np.zeros(70)), axis=1), 3.0
    yield 1e6 + rng.uniform(0.0, 5.0, (80, 2)), 1.0
    yield rng.uniform(0.0, 1.0, (40, 2)) * [1e-3, 1e4], 300.0
    yield np.repeat(rng.uniform(0.0, 3.0, (12, 2)), 4, axis=0), 1.0
    yield np.zeros((1, 2)), 1.0


@pytest.mark.parametrize("count", [1, 6, 40])
def test_nearest_are_those_of_a_full_comparison(count):
    for position, reach in scenes():
        distance2 = squared_distances(position)
        np.fill_diagonal(distance2, np.inf)
        expected = np.sort(np.where(distance2 < reach * reach, distance2, np.inf), axis=1)[:, :count]
        expected = np.pad(expected, ((0, 0), (0, count - expected.shape[1])), constant_values=np.inf)
        found = neighbours.nearest(position, reach, count)
        assert found.index.shape == found.distance.shape == (len(position), count)
        np.testing.assert_allclose(found.distance, np.sqrt(expected), rtol=1e-7)
        np.testing.assert_array_equal(found.count, np.isfinite(expected).sum(axis=1))
        np.testing.assert_array_equal(found.index >= 0, np.isfinite(expected))
        for agent, index in enumerate(found.index):
            listed = index[index >= 0]
            assert agent not in listed
            assert np.unique(listed).size == listed.size
            np.testing.assert_allclose(np.sqrt(distance2[agent, listed]), found.distance[agent, : listed.size])


def test_order_of_agents_does_not_change_who_is_near_even_at_equal_distances():
    grid = np.stack(np.meshgrid(np.arange(7.0), np.arange(7.0)), axis=-1).reshape(-1, 2)
    shuffled = np.random.default_rng(41).permutation(len(grid))
    expected = neighbours.nearest(grid, 3.0, 6)
    found = neighbours.nearest(grid[shuffled], 3.0, 6)
    np.testing.assert_array_equal(shuffled[found.index], expected.index[shuffled])


def test_backends_find_the_same_for_all_and_for_those_who_ask(backend):
    for position, reach in scenes():
        order, strips = neighbours.order_along_strips(position, reach, reach)
        everybody, some = np.ones(len(position), dtype=bool), np.arange(len(position)) % 3 == 1
        expected = kernels_of("numpy").neighbours.nearest(position[order], strips, reach, 7, everybody)
        found = kernels_of(backend).neighbours.nearest(position[order], strips, reach, 7, everybody)
        np.testing.assert_array_equal(found, expected)
        found = kernels_of(backend).neighbours.nearest(position[order], strips, reach, 7, some)
        np.testing.assert_array_equal(found, np.where(some, expected, -1))


@pytest.mark.usefixtures("numba")
def test_compiled_pairs_are_those_of_numpy():
    for position, reach in scenes():
        near = []
        for wanted in (False, True):
            with compiled(wanted):
                near.append(neighbours.NearPairs(position, len(position) * 2 // 3, reach).searched(reach))
        for expected, found in zip(*near, strict=True):
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("count", [1, 6, 40])
def test_backends_turn_aside_of_the_same_people(backend, count):
    rng, turn = np.random.default_rng(44), checked_turn(SymmetryBreaking())
    turned = 0
    for position, reach in scenes():
        order, strips = neighbours.order_along_strips(position, reach, reach)
        agents = Bodies(position[order], position, rng.normal(0.0, 1.0, position.shape), 0.05, 1.0).checked
        search = agents, strips, reach, count, turn
        all_turn, some_turn = np.ones(len(position), dtype=bool), rng.random(len(position)) < 0.7
        expected = kernels_of("numpy").symmetry.turn_aside(*search, all_turn)
        for who in (all_turn, some_turn):
            found = kernels_of(backend).symmetry.turn_aside(*search, who)
            np.testing.assert_array_equal(found, np.where(who[:, None], expected, agents.preferred))
        turned += (expected != agents.preferred).any()
    assert turned > 5


@pytest.mark.parametrize("few", [0, neighbours.FEW])
def test_close_pairs_are_those_of_a_full_comparison(few, monkeypatch):
    monkeypatch.setattr(neighbours, "FEW", few)
    rng = np.random.default_rng(42)
    for position, size in scenes():
        for reach in (rng.uniform(0.0, size, len(position)), 0.3 * size):
            both = np.broadcast_to(reach, len(position))[:, None] + np.broadcast_to(reach, len(position))
            expected = np.argwhere(np.triu(squared_distances(position) < both * both, 1))
            found = neighbours.close_pairs(position, reach)
            assert found.shape[1] == 2
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("few", [0, 100])
def test_others_near_a_few_are_those_of_a_full_comparison(few, monkeypatch):
    monkeypatch.setattr(neighbours, "FEW", few)
    for position, reach in scenes():
        near = squared_distances(position) < reach * reach
        np.fill_diagonal(near, val=False)
        for some in (np.arange(0, len(position), 3), np.arange(0)):
            expected = np.nonzero(near[some])
            for one, other in zip(expected, neighbours.near_some(position, some, reach), strict=True):
                assert other.tolist() == one.tolist()


def test_what_is_searched_once_is_found_by_all_who_ask_for_less_or_more():
    rng = np.random.default_rng(43)
    for position, size in scenes():
        people = len(position) * 2 // 3
        near = neighbours.NearPairs(position, people, 0.5 * size)
        for reach in (rng.uniform(0.0, 0.2 * size, len(position)), 0.1 * size, 0.4 * size):
            expected = neighbours.close_pairs(position, reach)
            expected = expected[expected[:, 0] < people]
            np.testing.assert_array_equal(np.stack(near.within(reach, others=True), axis=1), expected)
            among = expected[expected[:, 1] < people]
            np.testing.assert_array_equal(np.stack(near.within(reach), axis=1), among)


@pytest.mark.parametrize("agents", [0, 1])
def test_few_or_none_have_no_neighbours(agents):
    position = np.zeros((agents, 2))
    assert neighbours.nearest(position, 1.0, 3).index.shape == (agents, 3)
    assert neighbours.close_pairs(position, 1.0).shape == (0, 2)


def test_search_without_meaning_is_refused():
    position = np.zeros((3, 2))
    with pytest.raises(GeometryError, match="radius_of_search must be a finite number, 0 or more, got -1"):
        neighbours.nearest(position, -1.0, 3)
    with pytest.raises(GeometryError, match="max_neighbours must be 0 or more, got -3"):
        neighbours.nearest(position, 1.0, -3)
    with pytest.raises(GeometryError, match="position must be finite"):
        neighbours.nearest(position + np.nan, 1.0, 3)
    with pytest.raises(GeometryError, match=r"reach must be one number or have the shape \(3,\), got \(2,\)"):
        neighbours.close_pairs(position, np.ones(2))
    with pytest.raises(GeometryError, match="reach must be finite and 0 or more"):
        neighbours.close_pairs(position, -1.0)
