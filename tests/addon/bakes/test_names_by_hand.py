# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user calls baked people is kept, and tells them from copies of them."""

import bpy
import pytest


def test_a_person_whom_the_user_renames_keeps_that_name_in_every_bake(stage, cast, mixed):
    stage.bake(mixed)
    bpy.data.objects["Walkers 002"].name = "Hero"
    for _ in range(3):  # the second re-bake has only the first one's word for it
        stage.bake(mixed)
        assert bpy.data.objects["Hero"]["footfall_made_as"] == "Walkers 002"
        assert "Walkers 002" not in bpy.data.objects
    stage.crowd.name = "Pilgrims"
    stage.bake(mixed)
    assert bpy.data.objects["Hero"]["footfall_made_as"] == "Walkers 002"
    bpy.data.objects["Hero"].name = "Walkers 002"  # as at first: it is as all others again
    stage.bake(mixed)
    assert "Walkers 002" in bpy.data.objects


def test_parts_are_named_by_hand_each_for_itself(stage, cast, mixed):
    stage.bake(mixed)
    (part, *_) = [each for each in stage.scene.objects if each.parent is not None and "footfall_crowd" in each]
    known = part["footfall_made_as"]
    part.name = "Coat"
    stage.bake(mixed)
    assert bpy.data.objects["Coat"]["footfall_made_as"] == known


def test_a_copy_with_a_name_of_its_own_gives_nobody_that_name(stage, cast, mixed):
    stage.bake(mixed)
    copy = bpy.data.objects["Walkers 002"].copy()
    copy.name = "Double"
    stage.scene.collection.objects.link(copy)
    stage.bake(mixed)
    assert "footfall_crowd" not in bpy.data.objects["Double"]
    assert bpy.data.objects["Walkers 002"]["footfall_made_as"] == "Walkers 002"


@pytest.fixture
def opened(stage, tmp_path):
    """Saves the file and opens it again; returns its scene."""

    def opened():
        path = str(tmp_path / "opened.blend")
        bpy.ops.wm.save_as_mainfile(filepath=path)
        bpy.ops.wm.open_mainfile(filepath=path)
        return bpy.context.scene

    return opened


def rename_bake_and_copy(stage, trajectories, copy_name):
    """Call somebody Zoe, in a second bake too, and make a copy of her that comes before her in the file."""
    stage.bake(trajectories)
    bpy.data.objects["Walkers 002"].name = "Zoe"
    stage.bake(trajectories)
    copy = bpy.data.objects["Zoe"].copy()
    copy.name = copy_name
    stage.scene.collection.objects.link(copy)


@pytest.mark.parametrize("copy_name", ["Alfred", "Walkers 002", "Zoe.001"])
def test_in_a_file_that_was_opened_a_renamed_person_is_told_from_a_copy(stage, cast, mixed, opened, copy_name):
    uid = stage.uid
    rename_bake_and_copy(stage, mixed, copy_name)
    scene = opened()
    owned = {each.name for each in stage.ownership.owned_objects(scene, uid)}
    assert "Zoe" in owned
    assert copy_name not in owned
    assert stage.ownership.names_by_hand(scene, uid) == {"Walkers 002": "Zoe"}
    stage.ownership.clear(scene, uid)
    assert copy_name in scene.objects
    assert "Zoe" not in bpy.data.objects
    marks = {"footfall_crowd", "footfall_made_as", "footfall_named", "footfall_shown_as"}
    assert not marks & set(bpy.data.objects[copy_name].keys())


def test_in_a_file_that_was_opened_a_bake_replaces_whom_the_user_renamed_and_not_a_copy(stage, cast, mixed, opened):
    uid = stage.uid
    rename_bake_and_copy(stage, mixed, "Alfred")
    scene = opened()
    old = {each.name: each.session_uid for each in scene.objects if each.name in {"Alfred", "Zoe"}}
    again = stage.casting.Cast(scene.footfall.crowds[0], scene=scene, frames=(1, 50), unit=1.0, seed=0)
    stage.fill(again, mixed)
    again.replace_bake()
    assert bpy.data.objects["Alfred"].session_uid == old["Alfred"]
    assert stage.ownership.TAG not in bpy.data.objects["Alfred"]
    assert bpy.data.objects["Zoe"].session_uid != old["Zoe"]
    assert bpy.data.objects["Zoe"]["footfall_made_as"] == "Walkers 002"
    assert len([each for each in stage.ownership.owned_objects(scene, uid) if each.parent is None]) == 6


def test_in_a_file_that_was_opened_a_renamed_collection_is_told_from_a_copy(stage, cast, mixed, opened):
    uid = stage.uid
    stage.bake(mixed)
    bpy.data.collections["Footfall Walkers"].name = "My crowd"
    for _ in range(2):
        stage.bake(mixed)
        assert "My crowd" in bpy.data.collections
    copy = bpy.data.collections["My crowd"].copy()
    copy.name = "Another"
    stage.scene.collection.children.link(copy)
    scene = opened()
    assert stage.ownership.bake_collection(scene, uid).name == "My crowd"
    stage.ownership.clear(scene, uid)
    assert "Another" in scene.collection.children
    assert "My crowd" not in bpy.data.collections


@pytest.mark.parametrize("copy_name", ["Alfred", "Zoe.001"])
def test_in_a_file_that_was_opened_a_person_renamed_since_the_bake_is_told_from_a_copy(
    stage, cast, mixed, opened, copy_name
):
    uid = stage.uid
    stage.bake(mixed)
    person = bpy.data.objects["Walkers 002"]
    person.name = "Zoe"
    copy = person.copy()
    copy.name = copy_name
    stage.scene.collection.objects.link(copy)
    bpy.data.collections["Footfall Walkers"].name = "My crowd"
    another = bpy.data.collections["My crowd"].copy()
    another.name = "Another"
    stage.scene.collection.children.link(another)
    scene = opened()
    owned = {each.name for each in stage.ownership.owned_objects(scene, uid)}
    assert "Zoe" in owned
    assert copy_name not in owned
    assert stage.ownership.bake_collection(scene, uid).name == "My crowd"
    stage.ownership.clear(scene, uid)
    assert copy_name in scene.objects
    assert "Zoe" not in bpy.data.objects
    assert "Another" in bpy.data.collections


@pytest.mark.parametrize("baked_since", [False, True])
def test_a_person_renamed_once_more_in_a_file_that_was_opened_is_told_from_a_copy(
    stage, cast, mixed, opened, baked_since
):
    uid = stage.uid
    stage.bake(mixed)
    bpy.data.objects["Walkers 002"].name = "Zoe"
    if baked_since:
        stage.bake(mixed)
    copy = bpy.data.objects["Zoe"].copy()
    copy.name = "Alfred"  # comes before her in the file
    stage.scene.collection.objects.link(copy)
    scene = opened()
    bpy.data.objects["Zoe"].name = "Yara"
    owned = {each.name for each in stage.ownership.owned_objects(scene, uid)}
    assert "Yara" in owned
    assert "Alfred" not in owned
    stage.ownership.clear(scene, uid)
    assert "Alfred" in scene.objects
    assert "Yara" not in bpy.data.objects


@pytest.mark.parametrize("baked_since", [False, True])
def test_a_full_copy_of_the_scene_has_the_names_that_the_user_gave_and_no_numbers(stage, cast, mixed, baked_since):
    stage.bake(mixed)
    bpy.data.objects["Walkers 002"].name = "Hero"
    if baked_since:
        stage.bake(mixed)
    bpy.ops.scene.new(type="FULL_COPY")
    copy = bpy.context.scene
    assert "Hero.001" in copy.objects
    for _ in range(2):
        assert stage.ownership.names_by_hand(copy, stage.uid) == {"Walkers 002": "Hero"}
        assert stage.ownership.names_by_hand(stage.scene, stage.uid) == {"Walkers 002": "Hero"}
        again = stage.casting.Cast(copy.footfall.crowds[0], scene=copy, frames=(1, 50), unit=1.0, seed=0)
        stage.fill(again, mixed)
        again.replace_bake()
    assert "Hero" in stage.scene.objects
    assert "Hero.001" in copy.objects


def test_a_full_copy_of_the_scene_alone_has_the_names_that_the_user_gave(stage, cast, mixed):
    stage.bake(mixed)
    bpy.data.objects["Walkers 002"].name = "Hero"
    stage.bake(mixed)
    bpy.ops.scene.new(type="FULL_COPY")
    copy = bpy.context.scene
    stage.clear()
    assert stage.ownership.names_by_hand(copy, stage.uid) == {"Walkers 002": "Hero"}


def test_a_number_that_the_user_gave_is_kept(stage, cast, mixed):
    stage.bake(mixed)
    bpy.data.objects["Walkers 002"].name = "Zoe.001"
    for _ in range(2):
        stage.bake(mixed)
        assert bpy.data.objects["Zoe.001"]["footfall_made_as"] == "Walkers 002"
    bpy.data.objects["Zoe.001"].name = "Zoe"
    stage.bake(mixed)
    assert bpy.data.objects["Zoe"]["footfall_made_as"] == "Walkers 002"


def test_a_number_that_blender_put_behind_a_name_is_not_kept(stage, cast, mixed):
    stage.bake(mixed)
    bpy.data.objects["Walkers 002"].name = "Walkers 002.001"
    stage.bake(mixed)
    assert "Walkers 002" in bpy.data.objects
