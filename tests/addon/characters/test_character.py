# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a collection belongs together, and that a copy of it stands on its own."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from .statues import Statue

pytestmark = pytest.mark.each_blender("objects of every kind are copied")


@pytest.fixture
def find(addon):
    """Finds characters; gives back the names of their parts, the mover first and the rest sorted."""
    find_characters = addon.module("blender_addon.characters.character").find_characters

    def found(collection):
        names = [[part.name for part in character.parts] for character in find_characters(collection)]
        return [[mover, *sorted(rest)] for mover, *rest in names]

    return found


def test_each_object_is_a_character_with_its_children(make, find):
    a, b, hat, feather = (make.cube(name) for name in ("A", "B", "Hat", "Feather"))
    hat.parent, feather.parent = a, hat
    assert find(make.collection("People", a, b)) == [["A", "Feather", "Hat"], ["B"]]


def test_each_child_collection_is_a_character(make, find):
    people = make.collection("People")
    make.collection("One", make.cube("Small", 0.1), make.cube("Body", 2.0), parent=people)
    make.collection("Two", make.cube("Alone"), parent=people)
    make.collection("Three", parent=people)
    assert find(people) == [["Alone"], ["Body", "Small"]]


def test_meshes_belong_to_the_armature_that_deforms_them(make, find):
    rig, body = make.rig()
    body.parent = None
    coat = make.cube("Coat")
    coat.modifiers.new("Armature", "ARMATURE").object = rig
    assert find(make.collection("People", coat, body, rig)) == [["Rig", "Coat", "Rig body"]]


def test_a_child_collection_that_only_sorts_is_no_character(make, find):
    one, one_body = make.rig("One")
    two, two_body = make.rig("Two")
    people = make.collection("People", one, two)
    make.collection("Meshes", one_body, two_body, parent=people)
    assert find(people) == [["One", "One body"], ["Two", "Two body"]]


def test_shapes_of_bones_are_no_characters(make, find):
    rig, body = make.rig()
    shape = make.cube("WGT-foot")
    rig.pose.bones["foot.L"].custom_shape = shape
    people = make.collection("People", rig, body)
    make.collection("WGTS", shape, parent=people)
    assert find(people) == [["Rig", "Rig body"]]


def test_cameras_lights_and_empties_beside_a_body_are_no_characters(make, find):
    rig, body = make.rig()
    helpers = [bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera")), bpy.data.objects.new("Target", None)]
    assert find(make.collection("People", rig, body, *helpers)) == [["Rig", "Rig body"]]
    assert find(make.collection("Props", *helpers)) == [["Camera"], ["Target"]]


def test_of_two_armatures_the_one_that_walks_moves_the_other(make, find):
    rig, body = make.rig()
    cape, cape_body = make.rig("Cape")
    cape.animation_data_clear()
    bpy.data.actions.remove(bpy.data.actions["Cape walk"])
    people = make.collection("People")
    make.collection("One", cape, cape_body, rig, body, parent=people)
    assert find(people) == [["Rig", "Cape", "Cape body", "Rig body"]]


def test_collections_that_are_hidden_or_excluded_are_read(make, find, stage):
    people = make.collection("People", make.cube("Box"), parent=stage.scene.collection)
    people.hide_viewport = people.hide_render = True
    stage.scene.view_layers[0].layer_collection.children["People"].exclude = True
    assert find(people) == [["Box"]]


def bake_two(make, stage, *objects):
    stage.crowd.characters = make.collection("People", *objects)
    return stage.bake(make.walk(agents=2, turn=0.6))


def test_a_copy_refers_to_nothing_of_the_original(make, stage, addon):
    references_in = addon.module("blender_addon.blender_data.object_references").references_in
    rig, body = make.rig()
    body.parent = None
    eye, target = make.cube("Eye"), bpy.data.objects.new("Target", None)
    make.link(eye, target)
    target.parent = rig
    eye.parent, eye.parent_type, eye.parent_bone = rig, "BONE", "spine"
    eye.constraints.new("TRACK_TO").target = target
    rig.pose.bones["spine"].constraints.new("DAMPED_TRACK").target = target
    armature_constraint = rig.pose.bones["foot.L"].constraints.new("ARMATURE")
    armature_constraint.targets.new().target = rig
    armature_constraint.mute = True
    body.modifiers.new("Mirror", "MIRROR").mirror_object = eye
    body.modifiers.new("Hook", "HOOK").object = target
    driver = body.driver_add("delta_scale", 0).driver
    variable = driver.variables.new()
    variable.type = "TRANSFORMS"
    variable.targets[0].id = eye
    group = bpy.data.node_groups.new("Nodes", "GeometryNodeTree")
    for kind in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=kind, socket_type="NodeSocketGeometry")
    socket = group.interface.new_socket("Object", in_out="INPUT", socket_type="NodeSocketObject")
    nodes = body.modifiers.new("Nodes", "NODES")
    nodes.node_group = group
    if bpy.app.version >= (5, 2, 0):
        nodes.properties.inputs[socket.identifier]["value"] = eye
    else:
        nodes[socket.identifier] = eye
    originals = {rig, body, eye, target}
    count = sum(len(references_in(each)) for each in originals)
    first, second = bake_two(make, stage, *originals)
    for mover in (first, second):
        family = {mover, *mover.children_recursive}
        found = [reference for part in family for reference in references_in(part)]
        assert {reference.target for reference in found} <= family
        assert len(found) == count + 1  # the mesh without a parent now has one
    assert not {part.data for part in first.children_recursive if part.data} - {each.data for each in originals}


def test_a_mesh_without_parent_is_deformed_where_its_armature_walks(make, stage):
    rig, body = make.rig()
    body.parent = None
    body.location, rig.location = (3.0, 1.0, 0.2), (3.0, 1.0, 0.0)
    first, _ = bake_two(make, stage, rig, body)
    offset = np.linalg.inv(np.array(rig.matrix_basis)) @ np.array(body.matrix_basis)
    (copy,) = first.children
    for frame in (1, 40):
        np.testing.assert_allclose(make.matrix(copy, frame), make.matrix(first, frame) @ offset, atol=1e-4)


def test_children_keep_their_place_on_the_body(make, stage):
    box, hat = make.cube("Box"), make.cube("Hat")
    make.link(box, hat)
    box.location, box.rotation_euler = (2.0, 3.0, 1.0), (0.2, 0.0, 0.5)
    hat.parent, hat.location = box, (0.1, 0.2, 1.1)
    hat.matrix_parent_inverse = Matrix.Rotation(0.4, 4, "X")
    offset = np.array(hat.matrix_parent_inverse @ hat.matrix_basis)
    first, _ = bake_two(make, stage, box)
    np.testing.assert_allclose(make.matrix(first.children[0], 20), make.matrix(first, 20) @ offset, atol=1e-5)


def test_what_hangs_on_a_bone_goes_with_it(make, stage):
    rig, body = make.rig()
    lamp = make.cube("Lamp", 0.1)
    make.link(lamp)
    lamp.parent, lamp.parent_type, lamp.parent_bone = rig, "BONE", "foot.L"
    lamp.matrix_parent_inverse = Matrix.Translation((0.0, 0.1, 0.0))
    first, _ = bake_two(make, stage, rig, body)
    (copy,) = (each for each in first.children if each.parent_type == "BONE")
    assert copy.parent_bone == "foot.L"
    for frame in (3, 21):
        seen = make.evaluated(first, frame)
        tail = seen.matrix_world @ seen.pose.bones["foot.L"].matrix @ Matrix.Translation((0.0, 0.1, 0.0))
        length = seen.pose.bones["foot.L"].length
        tail = tail @ Matrix.Translation((0.0, length, 0.0))
        np.testing.assert_allclose(make.matrix(copy, frame), np.array(tail), atol=1e-4)


def test_a_character_whose_parent_lies_outside_stands_as_it_is_seen(make, stage):
    stand, box = bpy.data.objects.new("Stand", None), make.cube("Box")
    make.link(stand, box)
    stand.scale, stand.rotation_euler.x = (2.0, 2.0, 2.0), 0.5
    box.parent = stand
    bpy.context.view_layer.update()
    people = make.collection("People", box)
    stage.crowd.characters, stage.crowd.forward_axis = people, "POS_X"
    trajectories = make.walk(turn=0.6)
    (first, *_) = stage.bake(trajectories)
    heading = trajectories.heading[29, 0]
    expected = np.array(Matrix.Rotation(heading, 3, "Z") @ box.matrix_world.to_3x3())
    np.testing.assert_allclose(make.matrix(first, 30)[:3, :3], expected, atol=1e-4)
    np.testing.assert_allclose(make.matrix(first, 30)[:3, 3], trajectories.position[29, 0], atol=1e-4)


def test_shape_keys_that_follow_the_original_are_told(make, stage):
    rig, body = make.rig()
    for name in ("Basis", "Bulge"):
        body.shape_key_add(name=name)
    curve = body.data.shape_keys.driver_add('key_blocks["Bulge"].value')
    curve.driver.variables.new().targets[0].id = rig
    bake_two(make, stage, rig, body)
    assert stage.notices == ["'Rig body': its shape keys are driven by the original, and all copies share them"]


def linked_cast(make, stage, tmp_path, overridden):
    """The crowd's characters: a collection with a walking rig, linked from another file, perhaps overridden."""
    rig, body = make.rig(stride=1.2)
    cast = make.collection("Cast", rig, body)
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {cast})
    bpy.data.batch_remove([cast, rig, body, rig.data, body.data, bpy.data.actions["Rig walk"]])
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.collections = ["Cast"]
    linked = wanted.collections[0]
    stage.scene.collection.children.link(linked)
    if overridden:
        linked = linked.override_hierarchy_create(stage.scene, stage.scene.view_layers[0])
    stage.crowd.characters = linked
    return linked


@pytest.mark.parametrize("overridden", [False, True])
def test_characters_of_a_library_are_copied_and_stay_linked(make, stage, tmp_path, overridden):
    cast = linked_cast(make, stage, tmp_path, overridden)
    trajectories = make.walk(agents=3, turn=0.5)
    baked = stage.bake(trajectories)
    assert len(baked) == 3
    for agent, each in enumerate(baked):
        family = [each, *each.children]
        assert all(part.library is None and part.override_library is None for part in family)
        np.testing.assert_allclose(make.matrix(each, 30)[:3, 3], trajectories.position[29, agent], atol=1e-4)
        assert each.children[0].modifiers[0].object == each
    assert {part.name for part in cast.all_objects} == {"Rig", "Rig body"}
    assert stage.notices == []
    stage.clear()
    assert [each.name for each in bpy.data.objects if each.library is None and not overridden] == []


@pytest.mark.parametrize("overridden", [False, True])
def test_characters_of_a_library_become_instances(make, stage, tmp_path, overridden):
    """Their poses are the bake's own meshes; nothing of the library is changed, and nothing is left by Clear."""
    linked_cast(make, stage, tmp_path, overridden)
    before = make.data_blocks()
    trajectories = make.walk(agents=3, turn=0.5)
    shown = stage.bake_instances(trajectories)
    assert stage.notices == []
    poses = [each for each in bpy.data.objects if " pose " in each.name and not each.modifiers]
    assert len(poses) == 24
    assert all(each.library is None and each.data.library is None for each in poses)
    make.evaluated(shown, 30)
    graph = bpy.context.evaluated_depsgraph_get()
    places = [tuple(each.matrix_world.translation) for each in graph.object_instances if each.is_instance]
    np.testing.assert_allclose(places, trajectories.position[29], atol=0.03)  # their feet are held on the ground
    stage.clear()
    assert make.data_blocks() == before


def hat_on_bones(make, x=0.0):
    """A hat with an armature of its own, that hangs on nothing, over x."""
    hat, its_mesh = make.cube("Hat", 0.3), bpy.data.objects.new("Hat bones", bpy.data.armatures.new("Hat bones"))
    make.link(hat, its_mesh)
    bpy.context.view_layer.objects.active = its_mesh
    bpy.ops.object.mode_set(mode="EDIT")
    bone = its_mesh.data.edit_bones.new("brim")
    bone.head, bone.tail = (x, 0.0, 1.6), (x, 0.0, 1.9)
    bpy.ops.object.mode_set(mode="OBJECT")
    hat.parent = its_mesh
    return its_mesh, hat


def test_a_hat_with_bones_of_its_own_belongs_to_whom_it_is_on(make, find, addon):
    statue = Statue(make, addon)
    people = make.collection("People", statue.rig, statue.body, *hat_on_bones(make))
    assert find(people) == [["Statue", "Hat", "Hat bones", "Statue body"]]


def test_bones_without_legs_beside_a_body_are_a_character_of_their_own(make, find, addon):
    statue = Statue(make, addon)
    people = make.collection("People", statue.rig, statue.body, *hat_on_bones(make, 3.0))
    assert find(people) == [["Hat bones", "Hat"], ["Statue", "Statue body"]]


def test_bones_that_the_user_keeps_apart_are_a_character_of_their_own(make, find, addon):
    """By a child collection, or by a weight."""
    statue = Statue(make, addon)
    its_bones, hat = hat_on_bones(make)
    people = make.collection("People")
    make.collection("Man", statue.rig, statue.body, parent=people)
    make.collection("Drone", its_bones, hat, parent=people)
    apart = [["Hat bones", "Hat"], ["Statue", "Statue body"]]
    assert find(people) == apart
    its_bones["weight"] = 5.0
    assert find(make.collection("Crowd", statue.rig, statue.body, its_bones, hat)) == apart


def test_a_body_with_legs_may_have_a_face_whose_name_comes_first(make, find, addon):
    statue = Statue(make, addon)
    face, its_mesh = hat_on_bones(make)
    face.name, face.parent = "A face", statue.rig
    helmet = bpy.data.objects.new("Helmet", face.data)
    make.link(helmet)
    bpy.context.view_layer.update()
    people = make.collection("People", statue.rig, statue.body, face, its_mesh, helmet)
    assert find(people) == [["Statue", "A face", "Hat", "Helmet", "Statue body"]]


def test_who_was_joined_to_a_body_is_told(make, stage, addon):
    statue = Statue(make, addon)
    bake_two(make, stage, statue.rig, statue.body, *hat_on_bones(make))
    assert any("'Hat bones' keeps its pose: join them" in notice for notice in stage.notices)
