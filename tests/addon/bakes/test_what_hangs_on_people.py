# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user hangs on baked people, and the parts of the built-in figures, outlive these people."""

import json

import bpy
import pytest

from tests.sweeps import sweep

from .crowded import Crowded


def linked(name):
    thing = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def props(person):
    """A hat on the head of a person and a bag on the person, both at places of their own."""
    hat, bag = linked("Hat"), linked("Bag")
    bag.parent = person.rig
    hat.parent, hat.parent_type, hat.parent_bone = person.rig, "BONE", "head"
    hat.location = bag.location = (0.1, 0.2, 0.3)
    bpy.context.view_layer.update()
    return hat, bag


def places_of(things):
    return [value for each in things for row in each.matrix_world for value in row]


def fewer(crowded):
    crowded.crowd.count = 1


def instances(crowded):
    crowded.crowd.output = "INSTANCES"


@pytest.mark.each_blender("removing what others are parented to")
@pytest.mark.parametrize("vanish", sweep([fewer, instances], everywhere=1))
def test_props_of_people_who_vanish_are_asked_about_and_keep_their_place(street, addon, two_figures, vanish):
    crowded = Crowded(street, addon, 3)
    hung = props(crowded.person(2))
    places = places_of(hung)
    assert not crowded.found()
    vanish(crowded)
    assert crowded.found() == {"Crowd 003": {"carries"}}
    with pytest.raises(RuntimeError, match=r"'Crowd 003' \(carries 'Bag', carries 'Hat'\) was edited by hand"):
        bpy.ops.footfall.bake()
    bpy.ops.footfall.bake(edited="OVERWRITE")
    assert places_of(hung) == pytest.approx(places, abs=1e-5)
    assert "'Hat' was parented to 'Crowd 003': it keeps its place" in json.loads(street.settings.report)["notices"]


def test_who_carries_props_can_be_kept_in_a_smaller_crowd(street, addon, two_figures):
    crowded = Crowded(street, addon, 3)
    hat, bag = props(crowded.person(2))
    fewer(crowded)
    bpy.ops.footfall.bake(edited="KEEP")
    assert hat.parent == bag.parent == bpy.data.objects["Crowd 003"]
    bpy.ops.footfall.bake()


@pytest.mark.parametrize("how", ["hide", "delete", "clear"])
def test_props_of_people_who_are_put_away_keep_their_place(street, addon, two_figures, how):
    crowded = Crowded(street, addon, 3)
    hung = props(crowded.person(2))
    places = places_of(hung)
    bpy.ops.object.select_all(action="DESELECT")
    crowded.person(2).rig.select_set(True)
    if how == "hide":
        with pytest.raises(RuntimeError, match="'Bag' is parented to a selected person"):
            bpy.ops.footfall.hide_people()
        return
    bpy.ops.footfall.delete_people() if how == "delete" else bpy.ops.footfall.clear()
    bpy.context.view_layer.update()
    assert places_of(hung) == pytest.approx(places, abs=1e-5)


def point_at(person):
    """References of all kinds from the user's things to the body and the rig of a person."""
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    bpy.context.scene.collection.objects.link(camera)
    camera.data.dof.focus_object = person.body
    follower = linked("Follower")
    follower.constraints.new("COPY_LOCATION").target = person.body
    follower["seen"] = person.body
    bpy.context.scene["star"] = person.body
    collection = bpy.data.collections.new("Shots")
    collection["star"] = person.rig
    scene = bpy.context.scene
    scene["distance"] = 0.0
    scene.driver_add('["distance"]').driver.variables.new().targets[0].id = person.rig
    editor = scene.sequence_editor_create()
    strips = editor.strips if hasattr(editor, "strips") else editor.sequences
    strips.new_scene("Shot", scene, 1, 1).scene_camera = person.rig
    scene.keying_sets.new(idname="Mine", name="Mine").paths.add(person.rig, "location")
    driver = scene.animation_data.drivers[0].driver
    return lambda: [
        driver.variables[0].targets[0].id,
        strips[0].scene_camera,
        scene.keying_sets[0].paths[0].id,
        collection["star"],
        camera.data.dof.focus_object,
        follower.constraints[0].target,
        follower["seen"],
        scene["star"],
    ]


@pytest.mark.each_blender("what counts the users of an object")
def test_references_stay_on_a_person_who_becomes_the_other_figure(street, addon, two_figures):
    crowded = Crowded(street, addon, 3)
    pointed = point_at(crowded.person(1))
    before = pointed()
    other = "Footfall woman" if "woman" not in crowded.person(1).body.data.name else "Footfall man"
    bpy.ops.object.select_all(action="DESELECT")
    crowded.person(1).rig.select_set(True)
    bpy.ops.footfall.replace_character(character=other)
    bpy.ops.footfall.bake()
    body, rig = crowded.person(1).body, crowded.person(1).rig
    assert other == body.data.name
    assert pointed() == [rig] * 4 + [body] * 4
    assert body not in before
    names = {each.name for each in street.scene.collection.all_objects}
    bpy.ops.footfall.bake()
    assert {each.name for each in street.scene.collection.all_objects} == names
    assert pointed()[:4] == [bpy.data.objects["Crowd 002"]] * 4


def sculpt(figure):
    figure.body.data.vertices[0].co.z += 0.5
    return figure.body.data


def paint(figure):
    figure.body.data.vertices[0].groups[0].weight *= 0.5
    return figure.body.data


def colour(figure):
    material = figure.body.data.materials[0]
    material.node_tree.nodes[0].inputs[0].default_value = (0.1, 0.2, 0.3, 1.0)
    return material


def limp(figure):
    action = figure.strip.action
    figure.actions.curves_of(figure.actions.clips_of_action(action)[0])[0].keyframe_points[3].co.y += 0.4
    return action


@pytest.mark.each_blender("what a reopened file has of meshes, materials and Actions")
# A mesh that is kept keeps its materials.
@pytest.mark.parametrize("edits", [(sculpt, paint), pytest.param((colour, limp), marks=pytest.mark.once)])
def test_edited_parts_of_the_built_in_figures_are_kept_when_nobody_uses_them(street, addon, edits, tmp_path):
    crowded = Crowded(street, addon, 2)
    names = sorted(edit(crowded.person(number)).name for number, edit in enumerate(edits))
    bpy.data.collections["Boxes"].use_fake_user = True
    crowded.reopen(tmp_path / "edited.blend")
    assert not crowded.found()
    bpy.ops.footfall.bake()
    crowded.crowd.characters = bpy.data.collections["Boxes"]
    bpy.ops.footfall.bake()
    notices = json.loads(crowded.scene.footfall.report)["notices"]
    assert sorted(each for each in notices if "was edited by hand: it is kept" in each) == [
        f"'{name}' was edited by hand: it is kept, and the next bake uses it" for name in names
    ]
    parts = [*bpy.data.meshes, *bpy.data.actions, *bpy.data.armatures, *bpy.data.materials]
    kept = [each for each in parts if each.name in names]
    assert len(kept) == 2
    assert all(each.use_fake_user for each in kept)
    assert [each.name for each in parts
            if each.name.startswith("Footfall") and each not in kept and not isinstance(each, bpy.types.Material)
            ] == []  # fmt: skip
    crowded.crowd.characters = None
    bpy.ops.footfall.bake()
    parts = [*bpy.data.meshes, *bpy.data.actions, *bpy.data.armatures, *bpy.data.materials]
    assert sorted(each.name for each in parts if each.name.startswith(tuple(names))) == names


def test_what_a_newer_blender_knows_otherwise_is_no_handwork_and_the_rest_is(
    street, addon, two_figures, tmp_path, monkeypatch
):
    """The file of an older version, which had other defaults, and a property that there is no more."""
    crowded = Crowded(street, addon, 4)
    collection = bpy.data.collections["Footfall Crowd"]
    ((version, names),) = json.loads(collection["footfall_names"]).items()
    single = [each for each in names["Object"][0] if each[0] != "pass_index"]
    names["Object"][0] = [*single, ("extra_recalc", True)]
    collection["footfall_names"] = json.dumps({"4.1": names})
    for each in (each for each in street.scene.objects if "footfall_as_made" in each):
        each["footfall_as_made"]["version"] = "4.1"
    crowded.person(0).body.visible_shadow = False
    crowded.reopen(tmp_path / "older.blend")
    assert crowded.found() == {"Crowd 001": {"object settings"}}
    crowded.person(1).bone.ik_stiffness_x = 0.5
    crowded.person(2).body.modifiers[0].use_deform_preserve_volume = True
    crowded.person(3).body.pass_index = 7  # which the older one did not know
    assert crowded.found() == {
        "Crowd 001": {"object settings"},
        "Crowd 002": {"pose bones"},
        "Crowd 003": {"modifiers"},
    }
    bpy.ops.footfall.bake(edited="OVERWRITE")
    assert json.loads(bpy.data.collections["Footfall Crowd"]["footfall_names"]).keys() == {"4.1", version}


def test_other_materials_of_the_poses_of_instances_are_asked_about(street, addon, two_figures):
    street.crowd.characters, street.crowd.output = None, "INSTANCES"
    bpy.ops.footfall.bake()
    edited = addon.module("blender_addon.bakes.edited_people")
    assert not edited.find_handwork(street.scene, street.crowd)
    mesh = next(each for each in bpy.data.meshes if "footfall_crowd" in each and len(each.materials))
    mesh.materials[0] = bpy.data.materials.new("Uniform")
    (found,) = edited.find_handwork(street.scene, street.crowd)
    assert found.what == ("materials of poses",)
