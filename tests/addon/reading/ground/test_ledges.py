# SPDX-License-Identifier: GPL-3.0-or-later
"""Nobody walks off the ground, nor up or down what is higher than a step; where a route leads over it, people pass."""

from itertools import pairwise

import bpy
import numpy as np
import pytest

from ...street import new_path
from .test_floors import new_mesh, new_plane

FACES = [(3, 2, 1, 0), (4, 5, 6, 7), *((i, (i + 1) % 4, (i + 1) % 4 + 4, i + 4) for i in range(4))]


def set_ground(street, *boxes):
    """Boxes, each from its lowest corner to its highest, as one mesh, which is the ground."""
    vertices, faces = [], []
    for (x0, y0, z0), (x1, y1, z1) in boxes:
        faces += [[len(vertices) + corner for corner in face] for face in FACES]
        vertices += [(x, y, z) for z in (z0, z1) for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))]
    street.settings.ground = new_mesh("Floor", street.scene.collection, vertices, faces)
    bpy.context.view_layer.update()


def cross(a, b, c, d):
    """Whether the segment a to b crosses c to d."""

    def side(p, q, r):
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


@pytest.fixture
def stopped(addon, street):
    """Whether the ground stops people between two places, as read."""

    def is_stopped(start, end):
        reading = addon.module("blender_addon.reading").read_scene(street.scene)
        return any(cross(start, end, *pair) for wall in reading.scene.walls for pair in pairwise(wall))

    return is_stopped


def test_the_sides_of_a_bridge_stop_people(street, stopped):
    street.settings.ground = new_plane("Bridge", street.scene.collection, (-4, -1.5), (14, 1.5))
    assert stopped((5, 1), (5, 2))
    assert stopped((5, -1), (5, -2))
    assert stopped((-3, 0), (-5, 0))
    assert not stopped((-3, -1), (13, 1))


def test_the_sides_of_a_bridge_whose_faces_are_doubled_stop_people(street, stopped):
    corners = [(-4, -1.5, 0), (14, -1.5, 0), (14, 1.5, 0), (-4, 1.5, 0)]
    street.settings.ground = new_mesh("Bridge", street.scene.collection, corners * 2, [(0, 1, 2, 3), (7, 6, 5, 4)])
    bpy.context.view_layer.update()
    assert stopped((5, 1), (5, 2))
    assert stopped((-3, 0), (-5, 0))
    assert not stopped((-3, -1), (13, 1))


def test_where_a_path_ends_with_the_ground_people_come_and_go(street, stopped):
    street.settings.ground = new_plane("Bridge", street.scene.collection, (-0.5, -1.5), (10.5, 1.5))
    assert stopped((5, 1), (5, 2))
    assert not stopped((0, 0), (-1, 0))
    assert not stopped((10, 0.5), (11, 0.5))


@pytest.mark.parametrize(("height", "stops"), [(0.15, False), (0.45, False), (0.6, True), (3.0, True)])
def test_people_step_on_a_kerb_and_not_on_a_stage(street, stopped, height, stops):
    set_ground(street, ((-9, -9, -1), (19, 9, 0)), ((2, 2, -1), (6, 6, height)))
    assert stopped((4, 1), (4, 3)) == stops
    assert stopped((4, 3), (4, 1)) == stops


def test_stairs_of_boxes_are_walked_and_their_sides_are_not(street, stopped):
    set_ground(
        street, *(((0.3 * step, -1, 0), (12, 1, 0.17 * (step + 1))) for step in range(12)), ((-9, -1, -1), (0, 1, 0))
    )
    assert not stopped((-2, 0.5), (6, 0.5))
    assert stopped((3, 0.5), (3, 1.5))


def test_a_path_opens_the_ledge_that_it_crosses(street, stopped):
    set_ground(street, ((-9, -9, -1), (5, 9, 0)), ((5, -9, -1), (19, 9, 1.2)))
    assert not stopped((4, 0.5), (6, 0.5))
    assert stopped((4, 5), (6, 5))


def test_under_a_bridge_nothing_stops_people_and_on_it_its_sides_do(street, stopped):
    set_ground(street, ((-9, -9, -1), (19, 9, 0)), ((4, -9, 4), (7, 9, 4.3)))
    assert not stopped((1, 1), (9, 1))
    street.crowd.route = new_path("Above", street.scene.collection, [(5.5, -8, 4.3), (5.5, 8, 4.3)])
    assert stopped((5.5, 1), (9, 1))


def test_the_sides_of_a_ramp_over_a_floor_stop_people_though_its_path_has_two_points_only(street, stopped):
    floor = [(-20, -20, 0), (30, -20, 0), (30, 20, 0), (-20, 20, 0)]
    ramp = [(0, -2, 0), (12, -2, 4), (12, 2, 4), (0, 2, 0)]
    street.settings.ground = new_mesh("Ramp", street.scene.collection, [*floor, *ramp], [(0, 1, 2, 3), (4, 5, 6, 7)])
    street.crowd.route = new_path("Up", street.scene.collection, [(0, 0, 0), (12, 0, 4)])
    bpy.context.view_layer.update()
    assert all(stopped((x, 1), (x, 3)) for x in range(3, 11))


def test_people_step_over_the_gap_before_a_train(street, stopped):
    set_ground(street, ((-9, -9, -1), (4, 9, 0)), ((4.2, -9, -1), (19, 9, 0.1)))
    assert not stopped((3, 4), (6, 4))


def test_the_walls_of_a_house_whose_floor_is_the_ground_stop_people_and_its_lintels_do_not(street, stopped):
    def upright(low, high, x, bottom, top):
        return [(x, low, bottom), (x, high, bottom), (x, high, top), (x, low, top)]

    parts = [upright(-9, 3, 8, 0, 2.6), upright(4, 9, 8, 0, 2.6), upright(3, 4, 8, 2.1, 2.6)]
    parts += [[(-9, -9, z), (19, -9, z), (19, 9, z), (-9, 9, z)] for z in (0.0, 2.6)]
    faces = [tuple(range(4 * part, 4 * part + 4)) for part in range(len(parts))]
    street.crowd.route = new_path("Along", street.scene.collection, [(4, -8, 0), (4, 8, 0)])
    street.settings.ground = new_mesh(
        "House", street.scene.collection, [corner for part in parts for corner in part], faces
    )
    bpy.context.view_layer.update()
    assert stopped((7, 0), (9, 0))
    assert not stopped((7, 3.5), (9, 3.5))


def test_hills_have_no_ledge(street, stopped):
    side = np.linspace(-12.0, 22.0, 60)
    x, y = np.meshgrid(side, side)
    rows = np.arange(3600).reshape(60, 60)
    faces = np.stack([rows[:-1, :-1], rows[:-1, 1:], rows[1:, 1:], rows[1:, :-1]], axis=-1).reshape(-1, 4)
    vertices = np.stack([x, y, np.sin(x / 4) + 0.1 * y], axis=-1).reshape(-1, 3)
    street.settings.ground = new_mesh("Hills", street.scene.collection, vertices.tolist(), faces.tolist())
    assert not stopped((-11, -11), (21, 21))


def test_beyond_the_bounds_no_ledges_are_read(street, stopped):
    set_ground(street, ((-60, -60, -1), (60, 60, 0)), ((2, 2, -1), (6, 6, 1)), ((30, 30, -1), (40, 40, 1)))
    assert stopped((4, 1), (4, 3))
    assert not stopped((35, 29), (35, 31))  # nobody comes there
    street.settings.bounds = new_plane("Bounds", street.scene.collection, (-50, -50), (50, 50))
    bpy.context.view_layer.update()
    assert stopped((35, 29), (35, 31))


def test_the_bounds_end_with_the_ground_that_all_paths_lie_on(street, addon):
    def low_and_high():
        bounds = addon.module("blender_addon.reading").read_scene(street.scene).scene.bounds
        return None if bounds is None else [*bounds.min(axis=0), *bounds.max(axis=0)]

    assert low_and_high() is None
    street.settings.ground = new_plane("Plaza", street.scene.collection, (-1, -3), (200, 3))
    bpy.context.view_layer.update()
    assert low_and_high()[:2] == [-1.0, -3.0]
    assert 10.0 < low_and_high()[2] < 30.0
    assert low_and_high()[3] == 3.0
    street.settings.ground = new_plane("Half", street.scene.collection, (5, -3), (200, 3))
    bpy.context.view_layer.update()
    assert low_and_high() is None


def test_beside_the_end_of_a_path_the_sides_of_a_bridge_still_stop_people(street, stopped):
    set_ground(street, ((-0.5, -2, -0.2), (13, 2, 0)), ((13, -9, -0.2), (25, 9, 0)))  # it leads to a square
    assert not stopped((0, 0.5), (-1, 0.5))
    assert stopped((3, 1), (3, 3))
