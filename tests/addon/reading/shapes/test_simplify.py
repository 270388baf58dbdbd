# SPDX-License-Identifier: GPL-3.0-or-later
"""What is left out can be put back within the tolerance."""

import numpy as np
import pytest


@pytest.fixture
def simplify(addon):
    return addon.module("blender_addon.reading.shapes.simplify")


def _distance(points, ring, segments):
    return segments.nearest_on_segments(points, ring, np.roll(ring, -1, axis=0))[0]


@pytest.mark.parametrize("tolerance", [1e-4, 1e-2, 0.2])
@pytest.mark.parametrize("seed", range(4))
def test_no_dropped_corner_is_farther_away_than_the_tolerance(addon, simplify, seed, tolerance):
    rng = np.random.default_rng(seed)
    angle = np.linspace(0.0, 2.0 * np.pi, 400, endpoint=False)
    size = 3.0 + np.cos(rng.integers(2, 6) * angle) + rng.normal(0.0, 1e-3, 400)
    ring = size[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    kept = simplify.simplify_ring(ring, tolerance)
    assert _distance(ring, kept, addon.module("core.geometry.segments")).max() <= tolerance
    assert len(kept) < len(ring)
    assert {tuple(p) for p in kept} <= {tuple(p) for p in ring}


@pytest.mark.parametrize("turn", [0.0, 0.3, np.pi / 4])
def test_corners_on_straight_edges_go_wherever_the_ring_begins(simplify, turn):
    square = np.array([(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1)], dtype=float)
    turned = square @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    for shift in range(8):
        kept = simplify.simplify_ring(np.roll(turned, shift, axis=0), 1e-6)
        assert sorted(map(tuple, kept)) == sorted(map(tuple, turned[::2]))


def test_a_line_keeps_its_ends(simplify):
    line = np.array([(0, 0), (1, 1e-5), (2, 0), (2, 5)], dtype=float)
    assert simplify.simplify_line(line, 1e-4).tolist() == [[0, 0], [2, 0], [2, 5]]


@pytest.mark.parametrize("seed", range(4))
def test_samples_left_out_are_interpolated_within_the_tolerance(simplify, seed):
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.integers(1, 4, 200)).astype(float)
    values = np.column_stack([np.sin(times / 40), np.where(times > 100, 5.0, times / 20), np.full(200, 3.0)])
    rows = simplify.needed_samples(times, values, 1e-2)
    for column in values.T:
        assert np.abs(np.interp(times, times[rows], column[rows]) - column).max() <= 1e-2
    assert rows[0] == 0
    assert rows[-1] == 199
    assert len(rows) < 60


def test_steady_motion_needs_two_samples(simplify):
    times = np.arange(1.0, 251.0)
    assert simplify.needed_samples(times, np.column_stack([times * 0.1, -times]), 1e-9).tolist() == [0, 249]
