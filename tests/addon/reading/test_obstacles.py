# SPDX-License-Identifier: GPL-3.0-or-later
"""Obstacles of every kind, as Blender shows them, cut to what stands in a walker's way."""

import math

import bpy
import numpy as np
import pytest

pytestmark = pytest.mark.each_blender("objects of every kind are read as they are evaluated")


@pytest.fixture
def street(bench):
    """A crowd far from everything else."""
    bench.crowd(bench.curve("Path", [(-90, -90, 0), (90, -90, 0)]))
    return bench


def _area(ring):
    x, y = ring.T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def _covered(scene):
    return sum(_area(o.outline) + sum(map(_area, o.holes)) for o in scene.obstacles)


def _boxes(scene):
    """Least and largest corner of each outline, rounded."""
    return sorted(
        tuple(np.round(np.concatenate([o.outline.min(axis=0), o.outline.max(axis=0)]), 3)) for o in scene.obstacles
    )


def test_a_box_is_its_footprint_at_its_place(street):
    street.box(collection=street.obstacles(), location=(5, 7, 0), rotation_euler=(0, 0, math.pi / 4), scale=(2, 2, 1))
    (obstacle,) = street.read().scene.obstacles
    expected = {(5 + dx, 7 + dy) for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0))}
    told = {tuple(np.round((p - (5, 7)) / (2 * math.sqrt(2)) + (5, 7), 4)) for p in obstacle.outline}
    assert told == expected
    assert obstacle.motion is None


def test_negative_scale_and_parents_count(street):
    parent = street.link(bpy.data.objects.new("Parent", None))
    parent.location, parent.scale = (10, 0, 0), (2, 1, 1)
    street.box(collection=street.obstacles(), parent=parent, scale=(-1, 1, 1), location=(3, 0, 0))
    assert _boxes(street.read().scene) == [(14.0, -1.0, 18.0, 1.0)]


def test_modifiers_count(street):
    box = street.box(collection=street.obstacles())
    array = box.modifiers.new("Array", "ARRAY")
    array.count, array.relative_offset_displace = 3, (2, 0, 0)
    assert _boxes(street.read().scene) == [(-1.0, -1.0, 1.0, 1.0), (3.0, -1.0, 5.0, 1.0), (7.0, -1.0, 9.0, 1.0)]


def test_parts_have_names_that_differ_from_all_others(street):
    box = street.box("Kiosk", street.obstacles())
    box.modifiers.new("Array", "ARRAY").relative_offset_displace = (2, 0, 0)
    street.box("Kiosk.2", street.obstacles(), location=(0, 20, 0))
    assert sorted(o.name for o in street.read().scene.obstacles) == ["Kiosk", "Kiosk.2", "Kiosk.3"]


def test_what_hangs_above_head_height_is_no_obstacle(street):
    street.box("Balcony", street.obstacles(), location=(0, 0, 2.5))
    reading = street.read()
    assert reading.scene.obstacles == ()
    assert reading.notices == [
        "'Balcony': no part of it is between the ground and head height (2 m), so it is not an obstacle."
    ]
    street.settings.head_height = 3.0
    assert len(street.read().scene.obstacles) == 1


def test_a_tree_counts_by_its_trunk(street):
    trunk, crown = 0.25, 3.0
    points = [(x * trunk, y * trunk, z) for z in (0, 4) for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    points += [(x * crown, y * crown, z) for z in (4, 7) for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    sides = [(k, (k + 1) % 4, 4 + (k + 1) % 4, 4 + k) for k in range(4)]
    faces = [(0, 1, 2, 3), *sides, (8, 9, 10, 11), (12, 13, 14, 15), *(tuple(8 + c for c in side) for side in sides)]
    street.mesh("Tree", points, faces, collection=street.obstacles())
    assert _boxes(street.read().scene) == [(-0.25, -0.25, 0.25, 0.25)]


def test_the_ground_under_an_obstacle_says_how_high_it_stands(street):
    street.settings.ground = street.mesh(
        "Hill", [(-100, -99, -25), (100, -99, 75), (100, 99, 75), (-100, 99, -25)], [(0, 1, 2, 3)]
    )
    street.box("On it", street.obstacles(), location=(20, 0, 35))
    street.box("Under it", street.obstacles(), location=(20, 30, 20))
    street.box("Over it", street.obstacles(), location=(-20, 0, 35))
    reading = street.read()
    assert [o.name for o in reading.scene.obstacles] == ["On it"]
    assert len(reading.notices) == 2


def test_a_long_fence_follows_the_hill_that_it_stands_on(street):
    street.settings.ground = street.mesh(
        "Hill", [(-100, -99, -25), (100, -99, 75), (100, 99, 75), (-100, 99, -25)], [(0, 1, 2, 3)]
    )
    street.mesh(
        "Fence", [(-40, 0, 5), (40, 0, 45), (40, 0, 46), (-40, 0, 6)], [(0, 1, 2, 3)], collection=street.obstacles()
    )
    reading = street.read()
    (wall,) = [
        wall for wall, source in zip(reading.scene.walls, reading.sources.walls, strict=True) if source == "Fence"
    ]
    assert sorted(np.round(wall, 3).tolist()) == [[-40.0, 0.0], [40.0, 0.0]]


def test_of_two_storeys_the_one_that_an_obstacle_stands_on_counts(street):
    ground = [(x, y, z) for z in (0.0, 4.0) for x, y in ((-99, -99), (99, -99), (99, 99), (-99, 99))]
    street.settings.ground = street.mesh("Deck", ground, [(0, 1, 2, 3), (4, 5, 6, 7)])
    street.box("Below", street.obstacles(), location=(5, 0, 0))
    street.box("Above", street.obstacles(), location=(-5, 0, 4))
    street.box(
        "Lamp between", street.obstacles(), location=(0, 9, 2.2), size=(1, 1, 0.2)
    )  # neither, 2 m over the lower
    assert sorted(o.name for o in street.read().scene.obstacles) == ["Above", "Below"]


def test_without_a_ground_the_height_of_the_route_is_the_ground(bench):
    bench.crowd(bench.curve("Path", [(-9, -5, 30), (9, -5, 30)]))
    bench.box("Up here", bench.obstacles(), location=(0, 0, 30))
    bench.box("Down there", bench.obstacles(), location=(4, 0, 0))
    assert [o.name for o in bench.read().scene.obstacles] == ["Up here"]


def test_units_hold_for_obstacles(street):
    street.scene.unit_settings.system, street.scene.unit_settings.scale_length = "METRIC", 0.01
    street.box(collection=street.obstacles(), size=(100, 100, 100), location=(500, 0, 0))
    street.box("Above heads", street.obstacles(), size=(100, 100, 100), location=(0, 0, 210))
    assert _boxes(street.read().scene) == [(4.0, -1.0, 6.0, 1.0)]


def test_a_single_plane_is_a_wall(street):
    street.mesh("Hoarding", [(0, 0, 0), (5, 5, 0), (5, 5, 2), (0, 0, 2)], [(0, 1, 2, 3)], collection=street.obstacles())
    scene = street.read().scene
    assert scene.obstacles == ()
    assert sorted(np.round(scene.walls[0], 3).tolist()) == [[0.0, 0.0], [5.0, 5.0]]


def test_a_box_scaled_flat_is_a_wall(street):
    street.box(collection=street.obstacles(), scale=(3, 0, 1))
    scene = street.read().scene
    assert scene.obstacles == ()
    assert len(scene.walls) == 1
    assert sorted(np.round(scene.walls[0], 3).tolist()) == [[-3.0, 0.0], [3.0, 0.0]]


def test_a_mesh_of_edges_and_a_wire_curve_are_walls(street):
    street.mesh("Rope", [(0, 0, 1), (4, 0, 1)], edges=[(0, 1)], collection=street.obstacles())
    rail = street.curve("Rail", [(0, 5, 1), (4, 5, 1), (4, 9, 1)])
    street.scene.collection.objects.unlink(rail)
    street.obstacles().objects.link(rail)
    scene = street.read().scene
    assert scene.obstacles == ()
    assert sorted(len(wall) for wall in scene.walls) == [2, 3]


def test_a_pavilion_with_a_yard_keeps_its_yard(street):
    ring = [(x * s, y * s, z) for s in (5.0, 3.0) for z in (0.0, 3.0) for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    faces = []
    for first, second in ((0, 4), (4, 12), (12, 8), (8, 0)):
        faces += [(first + k, first + (k + 1) % 4, second + (k + 1) % 4, second + k) for k in range(4)]
    street.mesh("Pavilion", ring, faces, collection=street.obstacles())
    (obstacle,) = street.read().scene.obstacles
    assert _area(obstacle.outline) == pytest.approx(100.0, abs=1e-3)
    assert [abs(_area(hole)) for hole in obstacle.holes] == pytest.approx([36.0], abs=1e-3)


def test_faces_that_were_split_apart_still_make_a_solid(street):
    box = street.box(collection=street.obstacles())
    faces = [[box.data.vertices[v].co[:] for v in face.vertices] for face in box.data.polygons][:4]  # no floor, no roof
    apart = bpy.data.meshes.new("Apart")
    apart.from_pydata([p for face in faces for p in face], [], [tuple(range(4 * k, 4 * k + 4)) for k in range(4)])
    box.data = apart
    scene = street.read().scene
    assert _covered(scene) == pytest.approx(4.0, abs=1e-3)
    assert scene.walls == ()


def _converted(street, kind):
    if kind == "text":
        data = bpy.data.curves.new("Sign", "FONT")
        data.body, data.extrude, data.size = "I", 0.5, 4.0
    elif kind == "metaball":
        data = bpy.data.metaballs.new("Sign")
        data.elements.new().radius = 2.0
    else:
        item = street.curve("Sign", [(0, 0, 0.5), (6, 0, 0.5)])
        item.data.bevel_depth = 0.3
        return item
    return street.link(bpy.data.objects.new("Sign", data))


@pytest.mark.parametrize(("kind", "width"), [("text", 0.5), ("metaball", 1.5), ("thick curve", 6.0)])
def test_what_converts_to_a_mesh_is_an_obstacle(street, kind, width):
    item = _converted(street, kind)
    street.scene.collection.objects.unlink(item)
    street.obstacles().objects.link(item)
    reading = street.read()
    assert [o.name for o in reading.scene.obstacles] == ["Sign"]
    assert np.ptp(reading.scene.obstacles[0].outline, axis=0)[0] > width * 0.5
    assert reading.notices == []


def test_an_empty_that_instances_a_collection_is_an_obstacle(street):
    source = bpy.data.collections.new("Bench set")
    street.box("Bench", source)
    other = street.box("Table", source, location=(5, 0, 0))
    other.hide_viewport = True
    empty = street.link(bpy.data.objects.new("Set", None), street.obstacles())
    empty.instance_type, empty.instance_collection = "COLLECTION", source
    empty.location, empty.rotation_euler = (20, 0, 0), (0, 0, math.pi / 2)
    bench = street.read().scene.obstacles
    assert [o.name for o in bench] == ["Set"]
    np.testing.assert_allclose(bench[0].outline.min(axis=0), (19, -1), atol=1e-5)
    empty.hide_viewport = True
    assert len(street.read().scene.obstacles) == 1


def test_instances_by_geometry_nodes_are_obstacles(street):
    item = street.mesh("Bollards", [(0, 0, 0), (4, 0, 0), (8, 0, 0)], collection=street.obstacles())
    group = bpy.data.node_groups.new("Nodes", "GeometryNodeTree")
    group.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    start, end = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    place, cube = group.nodes.new("GeometryNodeInstanceOnPoints"), group.nodes.new("GeometryNodeMeshCube")
    group.links.new(start.outputs[0], place.inputs["Points"])
    group.links.new(cube.outputs[0], place.inputs["Instance"])
    group.links.new(place.outputs[0], end.inputs[0])
    item.modifiers.new("Nodes", "NODES").node_group = group
    scene = street.read().scene
    assert _boxes(scene) == [(x - 0.5, -0.5, x + 0.5, 0.5) for x in (0.0, 4.0, 8.0)]
    assert [o.name for o in scene.obstacles] == ["Bollards", "Bollards.2", "Bollards.3"]


def test_instances_on_vertices_are_obstacles(street):
    posts = street.mesh("Posts", [(0, 0, 0), (6, 0, 0)], collection=street.obstacles())
    posts.instance_type = "VERTS"
    street.box("Post", size=(0.25, 0.25, 0.5), parent=posts)
    assert _boxes(street.read().scene) == [(-0.25, -0.25, 0.25, 0.25), (5.75, -0.25, 6.25, 0.25)]


def test_particles_that_show_objects_are_obstacles(street):
    post = street.box("Post", size=(0.1, 0.1, 0.5))
    lawn = street.mesh(
        "Lawn", [(0, 0, 0), (9, 0, 0), (9, 9, 0), (0, 9, 0)], [(0, 1, 2, 3)], collection=street.obstacles()
    )
    lawn.modifiers.new("Posts", "PARTICLE_SYSTEM")
    settings = lawn.particle_systems[0].settings
    settings.type, settings.count, settings.render_type, settings.instance_object = "HAIR", 4, "OBJECT", post
    lawn.show_instancer_for_viewport = False
    scene = street.read().scene
    assert 1 <= len(scene.obstacles) <= 4
    assert 0.0 < _covered(scene) < 9.0


def test_an_object_in_two_collections_counts_once(street):
    box = street.box(collection=street.obstacles())
    street.collection("Inner", street.obstacles()).objects.link(box)
    assert [o.name for o in street.read().scene.obstacles] == ["Kiosk"]


def test_what_serves_another_purpose_is_no_obstacle(street):
    obstacles = street.obstacles()
    people = street.collection("People", obstacles)
    street.box("Person", people, location=(0, 9, 0))
    street.settings.crowds[0].characters = people
    street.settings.ground = street.mesh(
        "Lawn", [(-99, -99, 0), (99, -99, 0), (99, 99, 0), (-99, 99, 0)], [(0, 1, 2, 3)]
    )
    for item in (street.settings.ground, street.settings.crowds[0].route):
        obstacles.objects.link(item)
    street.box("Baked", obstacles)[street.addon.module("blender_addon.bakes.ownership").TAG] = "x"
    street.box("Kiosk", obstacles, location=(9, 0, 0))
    reading = street.read()
    assert [o.name for o in reading.scene.obstacles] == ["Kiosk"]
    assert set(reading.notices) == {
        "'Person' is a character of 'Walkers', so it does not count as an obstacle.",
        "'Lawn' is the ground, so it does not count as an obstacle.",
        "'Path' is the route of 'Walkers', so it does not count as an obstacle.",
        "'Baked' is made by a bake, so it does not count as an obstacle.",
    }


def test_lamps_among_the_obstacles_are_passed_over(street):
    street.link(bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT")), street.obstacles())
    street.box(collection=street.obstacles())
    reading = street.read()
    assert len(reading.scene.obstacles) == 1
    assert reading.notices == []


def test_an_empty_collection_needs_no_words(street):
    street.obstacles()
    assert street.read().notices == []


def test_a_collection_with_nothing_to_bump_into_is_told(street):
    street.link(bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT")), street.obstacles())
    assert street.read().notices == ["The collection 'Obstacles' contains no object that can be an obstacle."]


def test_a_mesh_without_faces_or_edges_is_told(street):
    street.mesh("Dust", [(0, 0, 0), (1, 0, 0)], collection=street.obstacles())
    assert street.read().notices == ["'Dust' has neither faces nor edges, so it is not an obstacle."]


@pytest.mark.parametrize("wrong", [math.nan, math.inf, 1e30])
def test_points_that_are_nowhere_are_refused_by_name(street, wrong):
    street.mesh("Broken", [(0, 0, 0), (1, 0, 0), (wrong, 1, 0)], [(0, 1, 2)], collection=street.obstacles())
    assert street.refusal().startswith("Broken: 1 of its 3 points are not finite numbers")


def test_obstacles_that_overlap_stay_apart_as_objects(street):
    street.box("A", street.obstacles())
    street.box("B", street.obstacles(), location=(1, 0, 0))
    assert [o.name for o in street.read().scene.obstacles] == ["A", "B"]


def test_a_mesh_of_many_triangles_is_read_as_its_outline(street):
    x, y = np.meshgrid(np.linspace(-3, 3, 250), np.linspace(-3, 3, 250))
    z = 1.5 - 0.25 * np.hypot(x, y) ** 2  # a dome, 2.45 m wide where it meets the ground
    row = np.arange(x.size).reshape(x.shape)
    faces = np.stack([row[:-1, :-1], row[:-1, 1:], row[1:, 1:], row[1:, :-1]], axis=-1).reshape(-1, 4)
    street.mesh("Dome", np.stack([x, y, z], axis=-1).reshape(-1, 3), faces.tolist(), collection=street.obstacles())
    (obstacle,) = street.read().scene.obstacles
    radius = math.sqrt(1.55 / 0.25)
    assert np.abs(np.hypot(*obstacle.outline.T) - radius).max() < 5e-3
    assert len(obstacle.outline) < 500


def test_planes_of_a_crowded_mesh_become_thin_outlines(street, monkeypatch):
    module = street.addon.module("blender_addon.reading.shapes.footprints")
    monkeypatch.setattr(module, "_CROWDED", module.CrowdedEdges(most=0, longest=math.inf))
    street.mesh("Wall", [(0, 0, 0), (5, 5, 0), (5, 5, 3), (0, 0, 3)], [(0, 1, 2, 3)], collection=street.obstacles())
    scene = street.read().scene
    assert scene.walls == ()
    ((low_x, low_y, high_x, high_y),) = _boxes(scene)
    assert (low_x, low_y, high_x, high_y) == pytest.approx((0, 0, 5, 5), abs=0.02)
    assert _area(scene.obstacles[0].outline) < 5 * math.sqrt(2) * 0.03


def test_a_mesh_that_takes_long_to_read_is_named_with_what_to_do(street, monkeypatch):
    module = street.addon.module("blender_addon.reading.obstacles")
    monkeypatch.setattr(module, "_SETTINGS", module.FootprintSettings(most_triangles=11))
    street.mesh("Sign", [(4, 4, 0), (5, 4, 0), (5, 4, 3)], [(0, 1, 2)], collection=street.obstacles())
    street.box("Scan", collection=street.obstacles())
    reading = street.read()
    assert len(reading.scene.obstacles) == 1
    (notice,) = reading.notices
    assert notice.startswith("'Scan' has 12 triangles, which take long to read at every bake.")
    assert "add a Decimate modifier" in notice


@pytest.mark.parametrize("scale", [(0, 0, 0), (0, 0, 1)])
def test_an_obstacle_scaled_to_nothing_is_told(street, scale):
    street.box(collection=street.obstacles(), scale=scale)
    reading = street.read()
    assert (reading.scene.obstacles, reading.scene.walls) == ((), ())
    assert reading.notices == ["'Kiosk' has no footprint (scale 0?), so it is not an obstacle."]
