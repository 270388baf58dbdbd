# SPDX-License-Identifier: GPL-3.0-or-later
"""The floor that people walk on is no obstacle: neither when it is marked nor when it is part of a room."""

import bpy
import pytest

from ...street import new_box


def new_mesh(name, collection, vertices, faces):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, [], faces)
    thing = bpy.data.objects.new(name, mesh)
    collection.objects.link(thing)
    return thing


def new_plane(name, collection, low, high, z=0.0, *, flipped=False):
    (x0, y0), (x1, y1) = low, high
    corners = [(x0, y0, z), (x1, y0, z), (x1, y1, z), (x0, y1, z)]
    return new_mesh(name, collection, corners, [(3, 2, 1, 0) if flipped else (0, 1, 2, 3)])


def read(addon, street):
    reading = addon.module("blender_addon.reading").read_scene(street.scene)
    return reading, {each.name for each in reading.scene.obstacles}


@pytest.mark.parametrize("flipped", [False, True])
def test_a_plane_under_the_route_is_floor(street, addon, flipped):
    new_plane("Street", street.obstacles, (-20, -20), (20, 20), flipped=flipped)
    reading, names = read(addon, street)
    assert "Street" not in names
    assert "Kiosk" in names
    assert any("'Street' lies flat where people walk, so it is floor" in notice for notice in reading.notices)
    bpy.ops.footfall.bake()


def test_a_rug_on_the_way_is_floor_and_a_flower_bed_beside_it_is_not(street, addon):
    new_plane("Rug", street.obstacles, (4.2, -0.3), (4.8, 0.3), z=0.02)
    new_plane("Bed", street.obstacles, (2, 2), (4, 4), z=0.02)
    _, names = read(addon, street)
    assert "Rug" not in names
    assert "Bed" in names


def test_of_a_room_the_floor_is_no_obstacle_and_the_walls_are(street, addon):
    wall = [(4, -2, 0), (4, -0.8, 0), (4, -0.8, 2.5), (4, -2, 2.5), (4, 0.8, 0), (4, 2, 0), (4, 2, 2.5), (4, 0.8, 2.5)]
    floor = [(-2, -2, 0), (12, -2, 0), (12, 2, 0), (-2, 2, 0)]
    new_mesh("Room", street.obstacles, [*floor, *wall], [(0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11)])
    reading, names = read(addon, street)
    assert "Room" not in names
    assert len(reading.scene.walls) == 2
    assert any("A part of 'Room' lies flat where people walk" in notice for notice in reading.notices)


@pytest.mark.parametrize("lid", [False, True])
def test_a_closed_room_has_walls_where_people_walk_in_it(street, addon, lid):
    corners = [(-2, -2), (12, -2), (12, 5), (-2, 5), (-2, 1.5), (12, 1.5)]
    low, high = [(*corner, 0) for corner in corners], [(*corner, 2.5) for corner in corners]
    faces = [(0, 1, 2, 3), *((i, j, j + 6, i + 6) for i, j in ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5)))]
    new_mesh("Room", street.obstacles, [*low, *high], [*faces, *([(9, 8, 7, 6)] if lid else [])])
    reading, names = read(addon, street)
    assert "Room" not in names
    assert len(reading.scene.walls) == 2  # round the room, and within it


@pytest.mark.parametrize("height", [1.0, 3.0])
def test_a_box_on_the_way_is_an_obstacle_with_its_bottom(street, addon, height):
    new_box("Column", street.obstacles, (5.0, 0.4, 0.0), height)
    reading, names = read(addon, street)
    assert "Column" in names
    assert not reading.scene.walls


def test_a_slab_that_people_step_on_is_floor_and_a_high_one_is_not(street, addon):
    new_box("Slab", street.obstacles, (3.0, 0.0, 0.0), 0.04)
    new_box("Plinth", street.obstacles, (7.0, 0.0, 0.0), 0.3)
    _, names = read(addon, street)
    assert "Slab" not in names
    assert "Plinth" in names


def test_of_all_that_is_marked_the_floor_becomes_the_ground(street, addon):
    for each in list(street.obstacles.objects):
        street.obstacles.objects.unlink(each)
        street.scene.collection.objects.link(each)
    street.settings.obstacles = None
    floor = new_plane("Street", street.scene.collection, (-20, -20), (20, 20))
    bpy.context.view_layer.update()
    bpy.ops.object.select_all(action="SELECT")
    before = set(bpy.context.selected_objects)
    bpy.ops.footfall.mark_selected(role="OBSTACLE")
    assert street.settings.ground == floor
    assert set(street.settings.obstacles.objects) == {street.kiosk}
    assert set(bpy.context.selected_objects) == before
    bpy.ops.footfall.mark_selected(role="OBSTACLE")  # again: nothing more
    assert set(street.settings.obstacles.objects) == {street.kiosk}


def test_a_street_of_many_tiles_has_one_notice(street, addon):
    for number in range(5):
        new_plane(f"Tile {number}", street.obstacles, (2 * number - 2, -2), (2 * number, 2))
    reading, _ = read(addon, street)
    (told,) = [notice for notice in reading.notices if "Tile" in notice]
    assert told.startswith("'Tile 0' and 4 more obstacles lie flat where people walk, so they are floor")
