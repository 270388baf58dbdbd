# SPDX-License-Identifier: GPL-3.0-or-later
"""Upright planes and bare edges become lines, each once; what a solid covers anyway does not."""

import numpy as np
import pytest

SLAB = (-0.05, 2.0)


@pytest.fixture
def walls(addon):
    slab = addon.module("blender_addon.reading.shapes.slab")
    module = addon.module("blender_addon.reading.shapes.walls")
    plan = addon.module("blender_addon.reading.shapes.footprints")

    def draw(points, faces=(), edges=()):
        triangles = np.array([(f[0], f[k], f[k + 1]) for f in faces for k in range(1, len(f) - 1)]).reshape(-1, 3)
        points = np.asarray(points, dtype=float)
        surface = slab.make_surface(points, triangles.astype(np.int64), np.zeros(len(triangles), dtype=np.int64))
        upright, _ = module.vertical_segments(surface, *SLAB)
        bare, _ = module.edge_segments(
            points[np.array(edges, dtype=np.int64).reshape(-1, 2)], np.zeros(len(edges)), *SLAB
        )
        shapes = plan.find_footprints(surface, *SLAB).get(0, [])
        return shapes, module.trace_walls(np.concatenate([upright, bare]), shapes)

    return draw


def _ends(wall):
    return sorted([tuple(np.round(wall[0], 4)), tuple(np.round(wall[-1], 4))])


def _upright(*line, low=0.0, high=3.0, rows=1):
    """A vertical band along a line, in rows of quads."""
    heights = np.linspace(low, high, rows + 1)
    points = [(x, y, z) for z in heights for x, y in line]
    n = len(line)
    faces = [
        (r * n + k, r * n + k + 1, (r + 1) * n + k + 1, (r + 1) * n + k) for r in range(rows) for k in range(n - 1)
    ]
    return points, faces


@pytest.mark.parametrize("rows", [1, 7])
@pytest.mark.parametrize("line", [[(0, 0), (3, 4)], [(0, 1), (2, 1), (5, 1), (9, 1)], [(4, -3), (4, 6)]])
def test_a_plane_is_one_wall_of_two_points(walls, line, rows):
    shapes, found = walls(*_upright(*line, rows=rows))
    assert shapes == []
    assert len(found) == 1
    assert len(found[0]) == 2
    assert _ends(found[0]) == sorted([tuple(map(float, line[0])), tuple(map(float, line[-1]))])


def test_a_bent_wall_is_one_line_with_its_corners(walls):
    _, found = walls(*_upright((0, 0), (3, 0), (3, 2), (7, 5), rows=3))
    assert len(found) == 1
    assert {tuple(np.round(p, 4)) for p in found[0]} == {(0, 0), (3, 0), (3, 2), (7, 5)}


def test_a_curved_wall_keeps_its_shape(walls):
    angle = np.linspace(0.0, 2.5, 40)
    line = np.stack([5 * np.cos(angle), 5 * np.sin(angle)], axis=1)
    _, found = walls(*_upright(*line.tolist(), rows=2))
    assert len(found) == 1
    assert np.abs(np.hypot(*found[0].T) - 5.0).max() < 1e-3
    assert _ends(found[0]) == sorted([tuple(np.round(line[0], 4)), tuple(np.round(line[-1], 4))])


def test_a_gable_counts_as_wide_as_it_is_below_head_height(walls):
    _, found = walls([(0, 0, 2.5), (2, 0, -1.5), (4, 0, 2.5)], [(0, 1, 2)])  # on its tip: 0.25 wider each 0.5 m up
    assert _ends(found[0]) == [(0.25, 0.0), (3.75, 0.0)]


def test_a_wall_above_head_height_is_none(walls):
    assert walls(*_upright((0, 0), (4, 0), low=2.0, high=4.0)) == ([], [])


def test_a_curb_that_no_cut_at_half_height_would_meet_is_a_wall(walls):
    assert len(walls(*_upright((0, 0), (4, 0), low=0.0, high=0.1))[1]) == 1


def test_a_fence_all_round_whose_ends_are_not_joined_is_one_line(walls):
    shapes, found = walls(*_upright((0, 0), (4, 0), (4, 4), (0, 4), (0, 0)))
    assert shapes == []
    assert len(found) == 1
    assert np.linalg.norm(np.diff(found[0], axis=0), axis=1).sum() == pytest.approx(16.0, abs=1e-3)


def test_an_open_box_has_an_outline_and_no_walls(walls):
    points = [(x, y, z) for x in (0, 2) for y in (0, 2) for z in (0, 1)]
    shapes, found = walls(points, [(0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6)])
    assert len(shapes) == 1
    assert found == []


def test_a_fin_on_a_box_is_a_wall(walls):
    points = [(x, y, z) for x in (0, 2) for y in (0, 2) for z in (0, 1)] + [(6, 0, 0), (6, 0, 1)]
    box = [(0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5)]
    shapes, found = walls(points, [*box, (4, 5, 9, 8)])
    assert len(shapes) == 1
    assert [_ends(wall) for wall in found] == [[(2.0, 0.0), (6.0, 0.0)]]


def test_bare_edges_count_as_far_as_they_are_in_the_slab(walls):
    _, found = walls([(0, 0, 1), (4, 0, 1), (0, 1, 0), (4, 1, 4), (0, 2, 3), (4, 2, 3)], edges=[(0, 1), (2, 3), (4, 5)])
    assert sorted(map(_ends, found)) == [[(0.0, 0.0), (4.0, 0.0)], [(0.0, 1.0), (2.0, 1.0)]]


def test_a_pole_of_one_upright_edge_covers_no_ground(walls):
    assert walls([(0, 0, 0), (0, 0, 2)], edges=[(0, 1)]) == ([], [])
