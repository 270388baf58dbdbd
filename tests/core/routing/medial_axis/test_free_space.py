# SPDX-License-Identifier: GPL-3.0-or-later
"""Free ground on the grid: never more than there is, and never much less."""

import numpy as np
import pytest

from core.geometry.segments import nearest_on_segments, signed_area
from core.routing.medial_axis.free_space import OBSTACLE_GROWTH, Grid, ground_of, read_obstacle, rings_between

from ..conftest import box, edges_of_all

ROOM = box(0.0, 0.0, 10.0, 10.0)


def rings_in_metres(shapes, bounds):
    grid = Grid.round(bounds, 24)
    rings = rings_between([read_obstacle(shape) for shape in shapes], bounds, grid)
    return [ring / grid.steps + np.array(grid.origin) for ring in rings], grid


def test_ground_and_obstacles_share_the_room():
    rings, _ = rings_in_metres([box(2, 2, 3, 1), box(4, 2, 3, 1), box(8, 8, 5, 5)], ROOM)
    assert sum(map(signed_area, rings)) == pytest.approx(100 - 5 - 4, abs=1e-3)


def test_no_free_corner_is_nearer_to_an_obstacle_than_rounding_left(random_scene):
    for seed in range(30):
        obstacles, bounds = random_scene(seed)
        rings, grid = rings_in_metres(obstacles, bounds)
        starts, ends = edges_of_all([*obstacles, bounds])
        distance, _, _ = nearest_on_segments(np.concatenate(rings), starts, ends)
        assert distance.min() * grid.steps > OBSTACLE_GROWTH - 2.2
        assert distance.max() * grid.steps < 2.0 * OBSTACLE_GROWTH + 2.2


def test_a_shape_that_crosses_itself_is_filled():
    bow_tie = np.array([[2, 2], [6, 6], [6, 2], [2, 6]], dtype=np.float64)
    rings, _ = rings_in_metres([bow_tie], ROOM)
    assert sum(map(signed_area, rings)) == pytest.approx(100 - 8, abs=1e-3)


def test_the_direction_of_an_outline_does_not_matter():
    for shape in (box(2, 2, 3, 1), np.array([[2, 2], [6, 6], [6, 2], [2, 6]], dtype=np.float64)):
        both = [rings_in_metres([outline], ROOM)[0] for outline in (shape, shape[::-1])]
        assert sum(map(signed_area, both[0])) == pytest.approx(sum(map(signed_area, both[1])), abs=1e-6)


def test_shapes_are_told_by_their_points():
    assert read_obstacle([[1.0, 2.0]]).line is not None
    assert read_obstacle([[1.0, 2.0], [3.0, 2.0]]).line is not None
    assert read_obstacle([[1.0, 2.0], [3.0, 2.0], [9.0, 2.0]]).line is not None
    assert read_obstacle([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]).line is not None
    assert read_obstacle(box(0, 0, 1, 1)).line is None
    assert read_obstacle([[0, 0], [2, 2], [2, 0], [0, 2]]).line is None  # its lobes cancel, and yet it has an area
    assert len(read_obstacle((box(0, 0, 3, 3), [box(1, 1, 1, 1)])).rings) == 2
    assert read_obstacle(box(0, 0, 1, 1), closed=False).line is not None


def test_ground_knows_its_regions_and_holes():
    grid = Grid.round(ROOM, 24)
    shapes = [read_obstacle(shape) for shape in ((box(1, 1, 4, 4), [box(2, 2, 2, 2)]), box(7, 7, 1, 1))]
    ground = ground_of(rings_between(shapes, ROOM, grid))
    assert (ground.regions, ground.holes) == (2, 2)
    np.testing.assert_array_equal(ground.before[ground.following], np.arange(len(ground.corners)))


@pytest.mark.parametrize("extent", [1e-3, 0.7, 10.0, 2000.0, 1e6])
def test_a_grid_has_between_2_to_the_23_and_2_to_the_24_steps_unless_that_is_too_fine(extent):
    grid = Grid.round(box(3.0, -7.0, extent, extent / 2), 24)
    assert np.log2(grid.steps) == int(np.log2(grid.steps))
    assert extent * grid.steps <= 2.0**24 * (1 + 1e-9)
    assert extent * grid.steps > 2.0**23 or grid.steps == 2.0**20


def test_corners_in_which_a_ring_goes_straight_on_are_left_out():
    ring = np.array([[0, 0], [4, 0], [9, 0], [9, 9], [5, 9], [3, 9], [0, 9]], dtype=np.int64)
    np.testing.assert_array_equal(ground_of([ring]).corners, [[0, 0], [9, 0], [9, 9], [0, 9]])
