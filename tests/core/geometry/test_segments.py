# SPDX-License-Identifier: GPL-3.0-or-later
"""Exact tests on segments and outlines."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry import segments

SQUARE = np.array([(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)])


def test_signed_area_tells_the_direction():
    assert segments.signed_area(SQUARE) == 16.0
    assert segments.signed_area(SQUARE[::-1]) == -16.0
    assert segments.signed_area(SQUARE + 1e7) == 16.0
    assert segments.signed_area(SQUARE[:2]) == 0.0


@pytest.mark.parametrize(
    ("outline", "crosses"),
    [
        (SQUARE, False),
        ([(0, 0), (1, 1), (1, 0), (0, 1)], True),  # bow tie
        ([(0, 0), (1, 1), (2, 0), (2, 2), (1, 1), (0, 2)], False),  # two triangles that touch at a corner
        ([(0, 0), (1, 1), (2, 2), (2, 0), (1, 1), (0, 2)], True),  # passes through that corner
        ([(0, 0), (4, 0), (4, 4), (2, -1)], True),
        ([(0, 0), (4, 0), (4, 4), (2, 0)], False),  # a corner on an edge
        ([(0, 0), (4, 0), (4, 4), (2, 0), (1, -2)], True),  # passes through an edge at a corner
        ([(0, 0), (4, 0), (4, 0), (4, 4), (0, 4), (0, 4)], False),  # repeated points
        ([(0, 0), (4, 0), (4, 4), (4, 6), (4, 4), (0, 4)], False),  # a needle
        ([(0, 0), (4, 0), (4, 4)], False),
        ([(0, 0), (1, 0)], False),
        ([], False),
    ],
)
def test_crosses_itself(outline, crosses):
    points = np.array(outline, dtype=np.float64).reshape(-1, 2)
    for turned in (points, points[::-1], np.roll(points, 1, axis=0), points @ [[0.6, 0.8], [-0.8, 0.6]] + (3e3, -7.0)):
        assert segments.crosses_itself(turned) == crosses


def test_crosses_itself_agrees_with_trying_all_pairs_of_edges():
    rng = np.random.default_rng(3)
    seen = set()
    for _ in range(200):
        outline = rng.normal(size=(rng.integers(4, 8), 2))
        a, b = segments.edges_of(outline)
        count = len(a)
        pairs = [(i, j) for i in range(count) for j in range(i + 2, count) if (j + 1) % count != i]
        meet = any(bool(segments.segments_meet(a[i], b[i], a[j], b[j])) for i, j in pairs)
        assert segments.crosses_itself(outline) == meet
        seen.add(meet)
    assert seen == {True, False}


def test_a_large_round_outline_does_not_cross_itself_and_one_flipped_edge_makes_it():
    angle = np.linspace(0.0, 2.0 * np.pi, 3000, endpoint=False)
    ring = np.stack((np.cos(angle), np.sin(angle)), axis=-1)
    assert not segments.crosses_itself(ring)
    ring[[1500, 1501]] = ring[[1501, 1500]]
    assert segments.crosses_itself(ring)


def test_contains_agrees_with_the_angles_under_which_edges_are_seen():
    rng = np.random.default_rng(5)
    outline = np.array([(0, 0), (5, 0), (5, 4), (3, 1.5), (2, 4), (0, 3)], dtype=np.float64)
    points = rng.uniform(-1, 6, size=(500, 2))
    ray = outline[None] - points[:, None]
    angle = np.arctan2(ray[..., 1], ray[..., 0])
    swept = np.diff(np.concatenate((angle, angle[:, :1]), axis=1), axis=1)
    turns = np.sum((swept + np.pi) % (2.0 * np.pi) - np.pi, axis=1) / (2.0 * np.pi)
    inside = np.abs(turns) > 0.5
    assert 50 < inside.sum() < 450
    np.testing.assert_array_equal(segments.contains(outline, points), inside)
    np.testing.assert_array_equal(segments.contains(outline[::-1], points), inside)


def test_nearest_on_segments_agrees_with_fine_sampling():
    rng = np.random.default_rng(6)
    starts, ends = rng.uniform(-5, 5, size=(2, 20, 2))
    ends[3] = starts[3]  # a segment without length
    points = rng.uniform(-6, 6, size=(100, 2))
    distance, closest, which = segments.nearest_on_segments(points, starts, ends)
    share = np.linspace(0.0, 1.0, 2001)[:, None, None]
    sampled = starts + share * (ends - starts)  # (2001, 20, 2)
    for point, here, place, number in zip(points, distance, closest, which, strict=True):
        apart = np.hypot(*(sampled - point).T).T
        half_gap = 0.5 * np.hypot(10.0, 10.0) / 2000
        assert here - 1e-12 <= apart.min() <= np.hypot(here, half_gap)
        assert apart[:, number].min() <= np.hypot(here, half_gap)
        np.testing.assert_allclose(np.hypot(*(place - point)), here, atol=1e-12)


def test_nearest_on_no_segments_is_infinitely_far():
    distance, closest, which = segments.nearest_on_segments([(0.0, 0.0)], np.zeros((0, 2)), np.zeros((0, 2)))
    assert np.isinf(distance[0])
    assert np.isnan(closest).all()
    assert which[0] == -1


def test_segments_meet_where_they_touch_and_where_they_overlap():
    a, b = (0.0, 0.0), (2.0, 0.0)
    assert segments.segments_meet(a, b, (1.0, -1.0), (1.0, 1.0))
    assert segments.segments_meet(a, b, (2.0, 0.0), (3.0, 5.0))
    assert segments.segments_meet(a, b, (1.0, 0.0), (7.0, 0.0))
    assert not segments.segments_meet(a, b, (2.1, 0.0), (7.0, 0.0))
    assert not segments.segments_meet(a, b, (0.0, 0.1), (2.0, 0.1))
