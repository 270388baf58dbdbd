# SPDX-License-Identifier: GPL-3.0-or-later
"""The room beside lines: with edges in bins it is that of trying all edges, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from core.routing.corridors import side_clearance
from core.routing.corridors.edge_bins import EdgeBins


def some_edges(rng, count):
    """Short edges in any direction, two long ones across, and one of no length."""
    begin = rng.uniform(0.0, 60.0, (count, 2))
    end = begin + rng.normal(0.0, 2.0, (count, 2))
    more = np.array([[-10.0, -10.0], [-10.0, 70.0], [5.0, 5.0]]), np.array([[70.0, 65.0], [70.0, 70.0], [5.0, 5.0]])
    return np.concatenate((begin, more[0])), np.concatenate((end, more[1]))


@pytest.mark.parametrize("snapped", [False, True])
def test_edges_in_bins_leave_the_same_room_as_all_edges(monkeypatch, snapped):
    rng = np.random.default_rng(4)
    edges = some_edges(rng, 150)
    lines = [np.cumsum(rng.normal(0.3, 0.5, (length, 2)), axis=0) + rng.uniform(0, 50, 2) for length in (2, 17, 90)]
    if snapped:
        edges, lines = tuple(np.round(end) for end in edges), [np.round(2.0 * line) / 2.0 for line in lines]
    radii, at_most = np.array([0.0, 0.25, 0.3]), np.array([2.0, 1.0, 3.0])
    rooms = []
    for most in (10**9, 0):
        monkeypatch.setattr(side_clearance, "_PAIRS_WITHOUT_BINS", most)
        rooms.append(side_clearance.clearance_beside(lines, edges, radii, at_most))
    for expected, found in zip(*rooms, strict=True):
        np.testing.assert_array_equal(found, expected)
    assert any((left < most).any() for (left, _), most in zip(rooms[0], at_most, strict=True))


def test_bins_find_the_edges_whose_boxes_touch():
    rng = np.random.default_rng(5)
    edges = some_edges(rng, 80)
    low = rng.uniform(-20.0, 70.0, (120, 2))
    high = low + rng.uniform(0.0, 8.0, (120, 2))
    box, edge = EdgeBins(edges).near(low, high)
    lowest, highest = np.minimum(*edges), np.maximum(*edges)
    touch = np.all((lowest <= high[:, None]) & (highest >= low[:, None]), axis=2)
    found = np.zeros_like(touch)
    found[box, edge] = True
    apart = touch & ~found  # a box may touch that of a slanted edge without coming near the edge itself
    run = edges[1] - edges[0]
    for number, missed in np.argwhere(apart):
        along = np.linspace(0.0, 1.0, 2001)[:, None]
        points = edges[0][missed] + along * run[missed]
        assert not np.any(np.all((points >= low[number]) & (points <= high[number]), axis=1))
    assert not (found & ~touch).any()
    assert found.sum() > 60
