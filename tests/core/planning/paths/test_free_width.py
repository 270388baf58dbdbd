# SPDX-License-Identifier: GPL-3.0-or-later
"""Room beside a line, given point by point."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import GeometryError
from core.planning import ReferencePath, ReferenceSet

LINE = [(0, 0), (5, 0), (10, 0), (20, 0)]


def test_room_is_linear_between_the_points_and_goes_on_past_the_ends():
    path = ReferencePath.from_points(LINE, left=[2.0, 2.0, 1.0, 0.5], half_width=1.5)
    right, left = path.limits([-3.0, 2.0, 7.5, 15.0, 30.0])
    np.testing.assert_allclose(left, [2.0, 2.0, 1.5, 0.75, 0.5], atol=1e-6)
    np.testing.assert_allclose(right, -1.5)
    np.testing.assert_allclose(path.free_width([7.5]), [[1.5], [1.5]], atol=1e-6)
    assert path.half_width == 2.0


def test_room_of_points_that_are_left_out_is_left_out_with_them():
    dirty = ReferencePath.from_points(
        [(0, 0), (0, 0), (np.nan, 0), (10, 0), (20, 0)], left=[1.0, 9.0, 9.0, 2.0, 1.0], right=0.4
    )
    right, left = dirty.limits([0.0, 5.0, 10.0, 20.0])
    np.testing.assert_allclose(left, [1.0, 1.5, 2.0, 1.0], atol=1e-6)
    np.testing.assert_allclose(right, -0.4)


def test_room_on_closed_paths_joins_up():
    square = [(0, 0), (8, 0), (8, 8), (0, 8)]
    path = ReferencePath.from_points(square, closed=True, left=[1.0, 2.0, 2.0, 3.0])
    _, left = path.free_width([4.0, path.length - 4.0, path.length + 4.0])
    np.testing.assert_allclose(left, [1.5, 2.0, 1.5], atol=0.05)


def test_many_lines_with_room_of_their_own_are_the_same_as_each_alone():
    lines = [np.array(LINE, dtype=float), np.array(LINE[:3], dtype=float) + 3.0]
    sides = [np.array([2.0, 1.0, 1.0, 2.0]), np.array([0.5, 0.6, 0.7])]
    together = ReferenceSet.from_polylines(lines, left=sides, half_width=[1.0, 0.9])
    for number, (line, side, width) in enumerate(zip(lines, sides, (1.0, 0.9), strict=True)):
        alone = ReferencePath.from_points(line, left=side, half_width=width)
        s = np.linspace(0.0, alone.length, 40)
        np.testing.assert_array_equal(alone.limits(s), together.limits(np.full(40, number), s))


def test_people_with_wide_offsets_close_in_where_the_room_narrows_and_spread_again(follow):
    line = [(0, 0), (8, 0), (10, 0), (13, 0), (15, 0), (24, 0)]
    room = [2.0, 2.0, 0.7, 0.7, 2.0, 2.0]
    references = ReferenceSet.from_polylines([line], left=[room], right=[room])
    offsets = np.array([-1.5, -0.5, 0.0, 0.6, 1.6])
    result = follow(references, np.zeros(5, dtype=int), seconds=24.0, d=offsets, wanted_offset=offsets)
    middle = (result.s > 10.2) & (result.s < 12.8)
    assert np.abs(result.d[middle]).max() < 0.7 - 0.24 + 0.06
    np.testing.assert_allclose(result.d[-1], offsets, atol=0.02)
    assert result.peak.max() < 2.0


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"left": [1.0, 2.0]}, "one number for each"),
        ({"right": [1.0, -1.0, 1.0, 1.0]}, "not negative"),
        ({"left": [1.0, np.nan, 1.0, 1.0]}, "not negative"),
        ({"left": np.inf}, "finite"),
        ({"half_width": 0.0}, "positive"),
    ],
)
def test_room_that_is_none_is_refused(wrong, told):
    with pytest.raises(GeometryError, match=told):
        ReferencePath.from_points(LINE, **wrong)


def test_as_many_sides_as_lines_are_needed():
    with pytest.raises(GeometryError, match="2 paths need"):
        ReferenceSet.from_polylines([LINE, LINE], left=[[1.0, 1.0, 1.0, 1.0]])
