# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects are marked as what they are to a crowd, or released.

What is none, such as a mesh that has nothing to walk round or to stand on, is refused when it is marked, not when it is
baked.
"""

import bpy
import pytest

from ...street import rig_with_body, select

pytestmark = pytest.mark.each_blender("operators, undo and reports")

ops = bpy.ops


def test_marking_makes_the_collection_and_keeps_objects_where_they_are(street):
    bpy.data.collections.remove(street.obstacles)
    street.scene.collection.objects.link(street.kiosk)
    select(street.kiosk, street.path)
    ops.footfall.mark_obstacle()
    assert [obj.name for obj in street.settings.obstacles.objects] == ["Kiosk"]
    assert street.settings.obstacles.name in street.scene.collection.children
    assert street.kiosk.name in street.scene.collection.objects
    ops.footfall.mark_obstacle()
    assert len(street.settings.obstacles.objects) == 1


def test_unmarking_keeps_the_object_in_the_scene(street):
    inner = bpy.data.collections.new("Inner")
    street.obstacles.children.link(inner)
    inner.objects.link(street.kiosk)
    street.obstacles.objects.unlink(street.kiosk)
    select(street.kiosk)
    ops.footfall.unmark_obstacle()
    assert len(street.obstacles.all_objects) == 0
    assert street.kiosk.name in street.scene.objects
    with pytest.raises(RuntimeError, match="among the obstacles"):
        ops.footfall.unmark_obstacle()


def test_marking_brings_a_lost_collection_back_into_the_scene(street, capfd):
    street.scene.collection.children.unlink(street.obstacles)
    bench = bpy.data.objects.new("Bench", street.kiosk.data)
    street.scene.collection.objects.link(bench)
    select(bench)
    ops.footfall.mark_obstacle()
    assert street.obstacles in set(street.scene.collection.children)
    assert (
        "'Bench' added to 'Obstacles', which has 2 now; the collection is back in the scene" in capfd.readouterr().out
    )
    assert ops.footfall.bake() == {"FINISHED"}


@pytest.fixture
def linked_set(street, tmp_path):
    """A collection with one box, linked from another file into the obstacles' collection."""
    source = bpy.data.collections.new("Set")
    source.objects.link(bpy.data.objects.new("Bench", bpy.data.meshes.new("Bench")))
    library = str(tmp_path / "library.blend")
    bpy.data.libraries.write(library, {source})
    bpy.data.batch_remove([source.objects[0], source])
    with bpy.data.libraries.load(library, link=True) as (_, target):
        target.collections = ["Set"]
    return target.collections[0]


def test_what_another_file_holds_cannot_be_unmarked(street, linked_set, capfd):
    street.obstacles.children.link(linked_set)
    (bench,) = linked_set.objects
    select(bench)
    with pytest.raises(RuntimeError, match="'Bench' is in 'Set', which is linked from another file"):
        ops.footfall.unmark_obstacle()
    select(bench, street.kiosk)
    ops.footfall.unmark_obstacle()
    assert list(street.obstacles.all_objects) == [bench]
    assert "1 removed from 'Obstacles'; kept" in capfd.readouterr().out


def test_nothing_is_unmarked_in_a_linked_collection(street, linked_set):
    street.settings.obstacles = linked_set
    street.scene.collection.children.link(linked_set)
    select(linked_set.objects[0])
    with pytest.raises(RuntimeError, match="Collection 'Set' is linked from another file"):
        ops.footfall.unmark_obstacle()


def test_only_bodies_can_be_marked(street):
    empty = bpy.data.objects.new("Empty", None)
    fence = bpy.data.objects.new("Fence", street.path.data.copy())
    for obj in (empty, fence):
        street.scene.collection.objects.link(obj)
    for nothing in (empty, fence, street.path):
        select(nothing)
        with pytest.raises(RuntimeError, match="No selected object can be an obstacle"):
            ops.footfall.mark_obstacle()
    fence.data.extrude = 1.0
    empty.instance_type, empty.instance_collection = "COLLECTION", street.crowd.characters
    select(fence, empty)
    ops.footfall.mark_obstacle()
    assert {obj.name for obj in street.obstacles.objects} == {"Kiosk", "Fence", "Empty"}


def test_baked_characters_cannot_be_marked(street):
    ops.footfall.bake()
    select(*(obj for obj in street.scene.objects if obj.get("footfall_crowd") == street.crowd.uid))
    assert not ops.footfall.mark_obstacle.poll()


@pytest.mark.parametrize(("role", "where"), [("GROUND", "ground"), ("BOUNDS", "bounds")])
def test_the_active_mesh_is_marked_as_ground_or_bounds(street, role, where):
    select(street.kiosk)
    ops.footfall.mark_selected(role=role)
    assert getattr(street.settings, where) == street.kiosk
    select(street.path)
    with pytest.raises(RuntimeError, match="'Path' is not a mesh of yours"):
        ops.footfall.mark_selected(role=role)


def test_the_active_object_is_marked_as_start_or_goal_of_the_crowd(street):
    for role in ("START", "GOAL"):
        select(street.kiosk)
        ops.footfall.mark_selected(role=role)
    assert (street.crowd.mode, street.crowd.start, street.crowd.goal) == ("AREAS", street.kiosk, street.kiosk)
    select()
    with pytest.raises(RuntimeError, match="Nothing is selected"):
        ops.footfall.mark_selected(role="GOAL")
    select(street.path)
    with pytest.raises(RuntimeError, match="'Path' cannot be a goal"):
        ops.footfall.mark_selected(role="GOAL")


@pytest.mark.parametrize(("role", "where"), [("OBSTACLE", "obstacles"), ("HERO", "heroes"), ("CROSSING", "crossings")])
def test_selected_objects_are_marked_by_one_menu(street, role, where):
    post = street.kiosk.copy()
    street.scene.collection.objects.link(post)
    select(post)
    ops.footfall.mark_selected(role=role)
    assert post in set(getattr(street.settings, where).objects)
    select()
    with pytest.raises(RuntimeError, match="No selected object can be"):
        ops.footfall.mark_selected(role=role)


def test_selected_characters_are_marked_for_the_active_crowd(street):
    street.crowd.characters = None
    select(street.path)
    with pytest.raises(RuntimeError, match="No selected object is a character"):
        ops.footfall.mark_selected(role="CHARACTER")
    parts = rig_with_body(street)
    select(parts[1])
    ops.footfall.mark_selected(role="CHARACTER")
    assert set(street.crowd.characters.objects) == set(parts)


def select_mesh(points, edges=(), faces=()):
    """Make a mesh of these under the route, the only selected object."""
    mesh = bpy.data.meshes.new("Bare")
    mesh.from_pydata(points, edges, faces)
    bare = bpy.data.objects.new("Bare", mesh)
    bpy.context.scene.collection.objects.link(bare)
    select(bare)
    return bare


@pytest.mark.parametrize("role", ["OBSTACLE", "GROUND", "BOUNDS"])
def test_a_mesh_without_faces_is_refused_when_it_is_marked(street, role):
    select_mesh([])
    street.settings.ground = None
    with pytest.raises(RuntimeError, match="'Bare' has no faces: add some, or select another mesh"):
        ops.footfall.mark_selected(role=role)
    assert street.settings.ground is None
    assert "Bare" not in street.obstacles.objects


def test_an_empty_mesh_is_left_out_where_another_is_marked(street):
    bench = street.kiosk.copy()
    street.scene.collection.objects.link(bench)
    select_mesh([])
    bench.select_set(True)
    ops.footfall.mark_obstacle()
    assert {obj.name for obj in street.obstacles.objects} == {"Kiosk", bench.name}


def test_a_flat_line_of_edges_is_an_obstacle_and_not_the_ground(street):
    street.settings.ground = None
    line = select_mesh([(-50, -50, 0), (50, 50, 0)], [(0, 1)])
    ops.footfall.mark_obstacle()
    assert street.settings.ground is None
    assert line.name in street.obstacles.objects


def test_modifiers_may_give_a_mesh_its_faces(street):
    wall = select_mesh([(0, 5, 0), (1, 5, 0)], [(0, 1)])
    wall.data.clear_geometry()
    wall.modifiers.new("Made", "NODES")
    ops.footfall.mark_obstacle()
    assert wall.name in street.obstacles.objects
