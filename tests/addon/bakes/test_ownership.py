# SPDX-License-Identifier: GPL-3.0-or-later
"""Clear and re-bake take what was baked, all of it, and nothing else."""

from itertools import product

import bpy
import pytest

from tests.sweeps import sweep

pytestmark = pytest.mark.each_blender("data are copied, saved, linked and undone")


def everything(scene):
    return {each.name for each in scene.objects}


def test_clear_takes_everything_that_the_bake_made(make, stage, cast, mixed):
    before = make.data_blocks()
    baked = stage.bake(mixed)
    assert make.data_blocks() != before
    assert len(baked) == 6
    assert stage.clear() == []
    assert make.data_blocks() == before


def test_clear_takes_the_built_in_figures_too(make, stage, mixed, two_figures):
    before = make.data_blocks()
    stage.bake(mixed)
    stage.clear()
    assert make.data_blocks() == before


def test_nothing_loose_is_left_beside_a_bake(stage, cast, mixed):
    stage.bake(mixed)
    kinds = (bpy.data.objects, bpy.data.meshes, bpy.data.armatures, bpy.data.actions, bpy.data.collections)
    assert [block for kind in kinds for block in kind if block.users == 0] == []


def test_all_that_is_made_carries_the_tag(make, stage, cast, mixed):
    before = make.data_blocks()
    stage.bake(mixed)
    for kind, names in make.data_blocks().items():
        for name in set(names) - set(before[kind]):
            assert getattr(bpy.data, kind)[name][stage.ownership.TAG] == stage.uid
    for kind, names in before.items():
        for name in names:
            assert stage.ownership.TAG not in getattr(bpy.data, kind)[name]


def test_a_second_bake_takes_the_place_of_the_first(make, stage, cast, mixed):
    stage.bake(mixed)
    first = make.data_blocks()
    stage.bake(mixed)
    assert make.data_blocks() == first


def test_renamed_and_moved_objects_are_still_owned(make, stage, cast, mixed):
    before = make.data_blocks()
    baked = stage.bake(mixed)
    baked[0].name = "Hero"
    baked[0].animation_data.action.name = "Hero's path"
    bpy.data.collections["Footfall Walkers"].name = "Crowd"
    shots = make.collection("Shot", parent=stage.scene.collection)
    shots.objects.link(baked[1])
    bpy.data.collections["Crowd"].objects.unlink(baked[1])
    stage.crowd.name = "Others"
    stage.clear()
    bpy.data.collections.remove(shots)
    assert make.data_blocks() == before


def test_clear_works_after_the_bakes_collection_was_deleted(make, stage, cast, mixed):
    before = make.data_blocks()
    stage.bake(mixed)
    collection = bpy.data.collections["Footfall Walkers"]
    for each in collection.objects:
        stage.scene.collection.objects.link(each)
    bpy.data.collections.remove(collection)
    stage.clear()
    assert make.data_blocks() == before


def test_what_the_user_put_into_the_collection_survives(make, stage, cast, mixed):
    stage.bake(mixed)
    collection = bpy.data.collections["Footfall Walkers"]
    lamp = bpy.data.objects.new("Lamp", None)
    collection.objects.link(lamp)
    inner = make.collection("Inner", make.cube("Inside"), parent=collection)
    stage.bake(mixed)
    assert lamp.name in bpy.data.collections["Footfall Walkers"].objects
    (notice,) = stage.clear()
    assert "'Lamp', 'Inner'" in notice
    assert {"Lamp", "Inside"} <= everything(stage.scene)
    assert inner.name in stage.scene.collection.children


def test_copies_that_the_user_made_survive_as_the_users_own(make, stage, cast, mixed):
    baked = stage.bake(mixed)
    rig = next(each for each in baked if each.type == "ARMATURE")
    copy = rig.copy()
    copy.name = "Mine"
    stage.scene.collection.objects.link(copy)
    stage.bake(mixed)
    assert copy.name in stage.scene.objects
    assert stage.ownership.TAG not in copy
    assert copy.animation_data.action is not None
    stage.clear()
    assert "Mine" in stage.scene.objects
    assert len(copy.animation_data.nla_tracks[0].strips) == 1
    assert not stage.ownership.is_baked(stage.scene, stage.uid)


USUAL_COPIES = [  # any two choices meet in one of them
    ("", "ARMATURE", "constraint", False),
    ("renamed", "MESH", "parent", True),
    ("", "MESH", "constraint", True),
    ("renamed", "ARMATURE", "constraint", True),
    ("renamed", "MESH", "constraint", False),
    ("", "ARMATURE", "parent", True),
    ("", "MESH", "parent", False),
]
OTHER_COPIES = product(
    ("", "renamed", "without animation", "renamed original"),
    ("ARMATURE", "MESH"),
    ("constraint", "parent"),
    (False, True),
)


@pytest.mark.parametrize(
    ("changed", "kind", "aimed_by", "beside"),
    sweep(
        [*USUAL_COPIES, *(each for each in OTHER_COPIES if each not in USUAL_COPIES)],
        usual=len(USUAL_COPIES),
        everywhere=2,
    ),
)
def test_copies_survive_when_something_aims_at_their_original(
    make, stage, cast, mixed, kind, aimed_by, beside, changed
):
    original = next(each for each in stage.bake(mixed) if each.type == kind)
    name = original.name
    watcher, copy = bpy.data.objects.new("Watcher", None), original.copy()
    make.link(watcher)
    if aimed_by == "constraint":
        watcher.constraints.new("TRACK_TO").target = original
    else:
        watcher.parent = original
    holder = bpy.data.collections["Footfall Walkers"] if beside else stage.scene.collection
    holder.objects.link(copy)
    if changed == "without animation":
        copy.animation_data_clear()
    elif changed:
        (copy if changed == "renamed" else original).name = "Mine"
    for _ in range(2):
        stage.bake(mixed)
        assert set(copy.users_collection) == {holder}
        assert set(watcher.users_collection) == {stage.scene.collection}
        assert len(stage.baked()) == 6
        (successor,) = [each for each in stage.baked() if each.name == name or each[stage.ownership.MADE_AS] == name]
        assert [each.name for each in successor.users_collection] == ["Footfall Walkers"]
        assert successor != copy
        assert (watcher.constraints[0].target if aimed_by == "constraint" else watcher.parent) == successor
    stage.clear()
    assert {copy.name, "Watcher"} <= everything(stage.scene)
    assert not stage.ownership.is_baked(stage.scene, stage.uid)


def test_copies_of_a_rig_and_of_its_mesh_alone_survive(stage, cast, mixed):
    rig = next(each for each in stage.bake(mixed) if each.type == "ARMATURE")
    copies = [rig.copy(), rig.children[0].copy()]
    for copy in copies:
        stage.scene.collection.objects.link(copy)
    assert copies[1].parent == rig
    stage.bake(mixed)
    assert [set(copy.users_collection) for copy in copies] == [{stage.scene.collection}] * 2
    assert copies[1].parent in stage.baked()


def test_duplicates_made_with_the_operator_survive_a_renamed_original(stage, cast, mixed):
    baked = stage.bake(mixed)
    baked[0].name = "Original"
    for each in baked:
        each.select_set(each == baked[0])
    bpy.context.view_layer.objects.active = baked[0]
    bpy.ops.object.duplicate()
    copy = bpy.context.view_layer.objects.active
    assert copy != baked[0]
    stage.clear()
    assert copy.name in stage.scene.objects
    assert "Original" not in stage.scene.objects


def test_a_kept_collection_keeps_its_name_and_place(make, stage, cast, mixed):
    stage.bake(mixed)
    collection = bpy.data.collections["Footfall Walkers"]
    shot = make.collection("Shot", parent=stage.scene.collection)
    shot.children.link(collection)
    stage.scene.collection.children.unlink(collection)
    collection.name = "My crowd"
    stage.bake(mixed)
    assert [each.name for each in shot.children] == ["My crowd"]
    assert len(stage.baked()) == 6
    assert all(each.name in collection.objects for each in stage.baked())


def test_the_collection_follows_the_name_of_the_crowd(stage, cast, mixed):
    stage.bake(mixed)
    stage.crowd.name = "Pilgrims"
    stage.bake(mixed)
    assert "Footfall Pilgrims" in bpy.data.collections
    assert "Footfall Walkers" not in bpy.data.collections


def test_what_aims_at_baked_people_aims_at_their_successors(stage, cast, mixed):
    baked = stage.bake(mixed)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    stage.scene.collection.objects.link(camera)
    camera.constraints.new("TRACK_TO").target = baked[2]
    stage.bake(mixed)
    assert camera.constraints[0].target == stage.baked()[2]
    stage.clear()
    assert camera.constraints[0].target is None


@pytest.mark.once
def test_clear_of_one_crowd_leaves_the_other(make, stage, cast, mixed, one_figure):
    stage.bake(mixed)
    first = make.data_blocks()
    other = stage.scene.footfall.crowds.add()
    other.name = "Others"
    stage.addon.module("blender_addon.settings.scene_settings").ensure_identities(stage.scene)
    other_cast = stage.casting.Cast(other, scene=stage.scene, frames=(1, 50), unit=1.0, seed=0)
    stage.fill(other_cast, mixed)
    other_cast.replace_bake()
    assert len(stage.ownership.owned_objects(stage.scene, other.uid)) > 0
    stage.ownership.clear(stage.scene, other.uid)
    assert make.data_blocks() == first


def test_a_full_copy_of_the_scene_keeps_its_own_bake(make, stage, cast, mixed):
    stage.bake(mixed)
    bpy.ops.scene.new(type="FULL_COPY")
    copy = bpy.context.scene
    people = everything(copy)
    stage.clear()
    assert everything(copy) == people
    assert not stage.ownership.is_baked(stage.scene, stage.uid)
    assert len(stage.baked(copy)) == 6
    moved = make.matrix(stage.baked(copy)[0], 40, copy)
    assert abs(moved[0, 3]) > 0.1
    original = everything(stage.scene)
    stage.clear(copy)
    assert not stage.ownership.is_baked(copy, stage.uid)
    assert everything(stage.scene) == original


def test_a_linked_copy_of_the_scene_keeps_what_it_shows(make, stage, cast, mixed):
    before = make.data_blocks()
    stage.bake(mixed)
    bpy.ops.scene.new(type="LINK_COPY")
    copy = bpy.context.scene
    lone = stage.baked()[0]
    for scene in (stage.scene, copy):
        scene.collection.objects.link(lone)
    bpy.data.collections["Footfall Walkers"].objects.unlink(lone)
    people = everything(copy)
    stage.clear()
    assert everything(copy) == people
    assert not stage.ownership.is_baked(stage.scene, stage.uid)
    stage.bake(mixed)
    assert len(stage.baked()) == 6
    assert everything(copy) == people
    stage.clear(copy)
    assert not stage.ownership.is_baked(copy, stage.uid)
    assert len(stage.baked()) == 6
    stage.clear()
    bpy.data.scenes.remove(copy)
    assert make.data_blocks() == before


def test_a_copy_stays_in_a_linked_copy_of_the_scene_when_its_original_leaves(stage, cast, mixed):
    copy = stage.bake(mixed)[0].copy()
    stage.scene.collection.objects.link(copy)
    name, original = copy.name, stage.baked()[0].name
    bpy.ops.scene.new(type="LINK_COPY")
    shown = bpy.context.scene
    stage.ownership.clear(shown, stage.uid)
    assert original not in shown.objects
    assert name in shown.objects
    assert {original, name} <= everything(stage.scene)


def test_a_bake_inside_a_shared_collection_is_not_torn_out(make, stage, cast, mixed, addon):
    stage.bake(mixed)
    shot = make.collection("Shot", parent=stage.scene.collection)
    collection = bpy.data.collections["Footfall Walkers"]
    shot.children.link(collection)
    stage.scene.collection.children.unlink(collection)
    bpy.ops.scene.new(type="LINK_COPY")
    state = make.data_blocks()
    with pytest.raises(addon.errors.FootfallError, match=r"'Shot', which the scene 'Scene\.001' also uses"):
        stage.clear()
    assert make.data_blocks() == state
    rebake = stage.cast(mixed)
    stage.fill(rebake, mixed)
    with pytest.raises(addon.errors.FootfallError, match="'Shot'"):
        rebake.replace_bake()
    rebake.discard()
    assert make.data_blocks() == state


@pytest.mark.parametrize("mode", ["EDIT", "POSE"])
def test_a_bake_that_is_being_edited_stays(make, stage, cast, mixed, addon, mode):
    baked = stage.bake(mixed)
    rig = next(each for each in baked if each.type == "ARMATURE")
    state = make.data_blocks()
    stage.scene.frame_set(30)  # everybody is there
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode=mode)
    with pytest.raises(addon.errors.FootfallError, match=f"'{rig.name}' is being edited"):
        stage.clear()
    assert make.data_blocks() == state
    bpy.ops.object.mode_set(mode="OBJECT")
    stage.clear()
    assert not stage.ownership.is_baked(stage.scene, stage.uid)


@pytest.mark.parametrize("overridden", [False, True])
def test_a_bake_linked_from_a_file_of_the_same_descent_is_not_ours(make, stage, cast, mixed, tmp_path, overridden):
    stage.bake(mixed)
    path = str(tmp_path / "shot_1.blend")
    bpy.data.libraries.write(path, {bpy.data.collections["Footfall Walkers"]})
    stage.clear()
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.collections = ["Footfall Walkers"]
    linked = wanted.collections[0]
    stage.scene.collection.children.link(linked)
    if overridden:
        linked = linked.override_hierarchy_create(stage.scene, stage.scene.view_layers[0])
    shown = len(linked.all_objects)
    stage.clear()
    assert len(linked.all_objects) == shown
    stage.bake(mixed)
    stage.clear()
    assert len(linked.all_objects) == shown > 0
    assert all(each.name in stage.scene.objects for each in linked.all_objects)
    assert not stage.ownership.is_baked(stage.scene, stage.uid)


def test_a_bake_is_owned_after_saving_and_opening(make, stage, cast, mixed, tmp_path):
    uid = stage.uid
    stage.baked()
    before = make.data_blocks()
    stage.bake(mixed)
    stage.baked()[0].name = "Hero"
    path = str(tmp_path / "baked.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    scene = bpy.context.scene
    assert len([each for each in stage.ownership.owned_objects(scene, uid) if each.parent is None]) == 6
    stage.ownership.clear(scene, uid)
    assert make.data_blocks() == before


def test_a_bake_is_owned_after_undo(make, stage, cast, mixed):
    uid = stage.uid
    bpy.ops.ed.undo_push(message="before")
    before = make.data_blocks()
    stage.bake(mixed)
    bpy.ops.ed.undo_push(message="baked")
    baked = make.data_blocks()
    stage.ownership.clear(stage.scene, uid)
    bpy.ops.ed.undo_push(message="cleared")
    bpy.ops.ed.undo()
    assert make.data_blocks() == baked
    stage.ownership.clear(bpy.context.scene, uid)
    assert make.data_blocks() == before


def test_clearing_what_was_never_baked_does_nothing(make, stage, cast):
    before = make.data_blocks()
    assert stage.clear() == []
    assert stage.ownership.clear(stage.scene, "") == []
    assert make.data_blocks() == before
