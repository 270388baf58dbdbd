# SPDX-License-Identifier: GPL-3.0-or-later
"""A corridor map comes back from a file as it was, and a damaged file is noticed."""

import sys

import numpy as np
import pytest

from core.errors import FootfallError
from core.routing import CorridorMap

from .conftest import box, regular

ROOM = box(0.0, 0.0, 10.0, 10.0)


@pytest.fixture
def corridors():
    made = CorridorMap(
        [(box(2, 2, 3, 3), [box(3, 3, 1, 1)]), [[7.0, 7.0]], regular(np.array([7.0, 3.0]), 1.0, 5)],
        ROOM,
        walls=[[[1, 8], [3, 8], [4, 9]]],
    )
    made.remove(1)
    made.insert(box(7, 7, 1, 1))
    return made


def test_a_map_comes_back_as_it_was(corridors, tmp_path):
    corridors.save(tmp_path / "map.npz")
    back = CorridorMap.load(tmp_path / "map.npz")
    np.testing.assert_array_equal(back.vertices, corridors.vertices)
    np.testing.assert_array_equal(back.edges, corridors.edges)
    np.testing.assert_array_equal(back.path([1, 1], [9, 9], 0.3), corridors.path([1, 1], [9, 9], 0.3))
    points = np.random.default_rng(3).random((100, 2)) * 10
    for found, expected in zip(back.nearest_obstacle(points), corridors.nearest_obstacle(points), strict=True):
        np.testing.assert_array_equal(found, expected)
    assert back.ids == corridors.ids


def test_a_map_that_came_back_changes_as_before(corridors, tmp_path):
    corridors.save(tmp_path / "map.npz")
    back = CorridorMap.load(tmp_path / "map.npz")
    for other in (back, corridors):
        other.remove(0)
        assert other.insert(box(4, 4, 1, 1)) == 5
    np.testing.assert_array_equal(back.vertices, corridors.vertices)


def test_loading_does_without_pyvoronoi(corridors, tmp_path, monkeypatch):
    corridors.save(tmp_path / "map.npz")
    monkeypatch.setitem(sys.modules, "pyvoronoi", None)
    assert len(CorridorMap.load(tmp_path / "map.npz").path([1, 1], [9, 9], 0.3)) >= 2


def test_a_damaged_axis_is_noticed(corridors, tmp_path):
    corridors.save(tmp_path / "map.npz")
    with np.load(tmp_path / "map.npz") as file:
        arrays = dict(file)
    arrays["vertices"][4] += 0.01
    np.savez(tmp_path / "map.npz", **arrays)
    with pytest.raises(FootfallError, match="damaged corridor map: A vertex"):
        CorridorMap.load(tmp_path / "map.npz")


def test_what_is_no_map_is_refused(tmp_path):
    with pytest.raises(FootfallError, match="cannot read"):
        CorridorMap.load(tmp_path / "none.npz")
    (tmp_path / "text.npz").write_text("not a map")
    with pytest.raises(FootfallError, match="holds no corridor map"):
        CorridorMap.load(tmp_path / "text.npz")
    np.savez(tmp_path / "other.npz", format=9)
    with pytest.raises(FootfallError, match="format 9"):
        CorridorMap.load(tmp_path / "other.npz")
