# SPDX-License-Identifier: GPL-3.0-or-later
"""Joining, growing and repairing outlines."""

from __future__ import annotations

import builtins

import numpy as np
import pytest

from core.errors import FootfallError, GeometryError
from core.geometry import polygons
from core.geometry.segments import contains, signed_area


def box(left, low, right, high):
    return np.array([(left, low), (right, low), (right, high), (left, high)], dtype=np.float64)


def covered(shapes, points):
    inside = np.zeros(len(points), dtype=bool)
    for outline, holes in shapes:
        within = contains(outline, points)
        for hole in holes:
            within &= ~contains(hole, points)
        inside |= within
    return inside


def area(shapes):
    return sum(signed_area(outline) + sum(signed_area(hole) for hole in holes) for outline, holes in shapes)


def test_union_covers_what_its_parts_cover_whatever_their_direction():
    rng = np.random.default_rng(2)
    boxes = [box(x, y, x + w, y + h) for x, y, w, h in rng.uniform((0, 0, 0.5, 0.5), (8, 8, 3, 3), size=(15, 4))]
    mixed = [outline[::-1] if k % 2 else outline for k, outline in enumerate(boxes)]
    shapes = polygons.union(mixed)
    points = rng.uniform(-1, 12, size=(4000, 2))
    np.testing.assert_array_equal(covered(shapes, points), np.any([contains(b, points) for b in boxes], axis=0))
    for outline, holes in shapes:
        assert signed_area(outline) > 0.0
        assert all(signed_area(hole) < 0.0 for hole in holes)


def test_a_hole_takes_away_its_own_outline_only():
    shapes = polygons.union([box(0, 0, 10, 10), box(4, 4, 5, 5)], holes=[box(2, 2, 8, 8)])
    assert covered(shapes, np.array([(1.0, 1.0), (3.0, 3.0), (4.5, 4.5)])).tolist() == [True, False, True]
    assert len(shapes) == 2  # the ring, and what stands in its courtyard


def test_quarters_of_a_metre_stay_exact_far_from_the_origin():
    outline = box(100_000.25, -50_000.5, 100_003.75, -49_998.0)
    ((joined, _),) = polygons.union([outline])
    assert sorted(map(tuple, joined)) == sorted(map(tuple, outline))


def test_small_things_keep_their_size_to_a_hundredth_of_a_millimetre():
    angle = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    disc = 0.03 * np.stack((np.cos(angle), np.sin(angle)), axis=-1) + (812.3, 77.7)
    ((joined, _),) = polygons.union([disc])
    apart = np.hypot(*(joined[:, None] - disc[None]).T)
    assert apart.min(axis=0).max() < 1e-5
    assert apart.min(axis=1).max() < 1e-5


def test_nothing_and_what_has_no_area_give_nothing():
    assert polygons.union([]) == []
    assert polygons.union([[(0, 0), (1, 0), (2, 0)], [(0, 0), (1, 1)], []]) == []
    assert polygons.union([[(0, 0), (1e-7, 0), (0, 1e-7)]]) == []
    assert polygons.clean([(0, 0), (1, 1)]) == []
    assert polygons.offset([], 1.0) == []


def test_clean_fills_both_lobes_of_a_bow_tie():
    shapes = polygons.clean([(0, 0), (2, 2), (2, 0), (0, 2)])
    assert area(shapes) == pytest.approx(2.0)


def test_offset_grows_outlines_and_shrinks_holes():
    shapes = polygons.union([box(0, 0, 10, 10)], holes=[box(3, 3, 7, 7)])
    assert area(polygons.offset(shapes, 0.5, rounded=False)) == pytest.approx(11.0**2 - 3.0**2)
    assert area(polygons.offset(shapes, 0.5)) == pytest.approx(11.0**2 - 3.0**2 - (4.0 - np.pi) * 0.25, abs=5e-3)
    assert area(polygons.offset(shapes, -0.5)) == pytest.approx(9.0**2 - 5.0**2 + (4.0 - np.pi) * 0.25, abs=5e-3)
    assert polygons.offset(shapes, -2.0) == []


def test_a_number_that_is_not_finite_is_told_with_its_place():
    with pytest.raises(GeometryError, match="point 1"):
        polygons.union([[(0, 0), (np.nan, 0), (0, 1)]])


def test_without_pyclipper_the_message_says_what_is_missing_and_the_way_out(monkeypatch):
    imported = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name == "pyclipper":
            raise ImportError(name)
        return imported(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(FootfallError, match=r"pyclipper is missing.*pip install pyclipper"):
        polygons.union([box(0, 0, 1, 1)])
