# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters that cannot be right are refused or told, by name, and the file stays as it was."""

import bpy
import pytest


def test_a_body_beside_a_light_is_a_character_without_a_word(make, stage):
    rig, body = make.rig()
    lantern = bpy.data.objects.new("Lantern", bpy.data.lights.new("Lantern", "POINT"))
    make.link(lantern)
    lantern.parent = rig
    stage.crowd.characters = make.collection("People", rig, body, lantern)
    stage.bake(make.walk())
    assert stage.notices == []


def test_a_body_that_is_hidden_at_the_first_frame_is_a_body(make, stage):
    rig, body = make.rig()
    body.hide_viewport = True
    body.keyframe_insert("hide_viewport", frame=1)
    body.hide_viewport = False
    body.keyframe_insert("hide_viewport", frame=2)
    stage.crowd.characters = make.collection("People", rig, body)
    stage.bake(make.walk())
    assert stage.notices == []


def test_a_vertex_without_a_place_is_refused(make, stage, addon):
    rig, body = make.rig()
    body.data.vertices[5].co.z = float("nan")
    stage.crowd.characters = make.collection("People", rig, body)
    before = make.data_blocks()
    with pytest.raises(
        addon.errors.FootfallError, match="vertex 5 of its mesh 'Rig body' has a coordinate that is not"
    ):
        stage.cast(make.walk())
    assert make.data_blocks() == before


@pytest.mark.parametrize(
    ("size", "unit", "told"),
    [
        (1.7, 0.01, "1.7 cm"),
        (0.2, 1.0, "20 cm"),
        (0.31, 1.0, None),
        (9.9, 1.0, None),
        (11.0, 1.0, "11 m"),
        (170.0, 0.01, None),
        (170.0, 1.0, "170 m"),
    ],
)
def test_unlikely_sizes_are_told(make, stage, size, unit, told):
    stage.crowd.characters = make.collection("People", make.cube("Person", size))
    cast = stage.cast(make.walk(), unit=unit)
    assert [notice.split(";")[0] for notice in cast.notices] == (
        [f"'Person' is {told} tall in this scene's units"] if told else []
    )


def test_the_size_is_that_of_all_parts_with_scale_and_modifiers(make, stage):
    body, hat = make.cube("Body", 0.1), make.cube("Hat", 0.1)
    make.link(body, hat)
    hat.parent, hat.location.z = body, 6.0
    hat.modifiers.new("Array", "ARRAY").relative_offset_displace = (0.0, 0.0, 1.0)
    hat.modifiers["Array"].count = 20
    body.scale = (2.0, 2.0, 2.0)
    stage.crowd.characters = make.collection("People", body)
    cast = stage.cast(make.walk())
    assert [notice.split(";")[0] for notice in cast.notices] == ["'Body' is 16 m tall in this scene's units"]


def save_linked(make, stage, tmp_path, *, collection):
    """Save a file whose characters are linked, as a whole collection or each, from another; gives that one's path."""
    cast = make.collection("Cast", *make.rig())
    path = tmp_path / "people.blend"
    bpy.data.libraries.write(str(path), {cast})
    bpy.data.batch_remove([cast, *bpy.data.objects, *bpy.data.actions])
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        if collection:
            wanted.collections = ["Cast"]
        else:
            wanted.objects = ["Rig", "Rig body"]
    stage.crowd.characters = wanted.collections[0] if collection else make.collection("People", *wanted.objects)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    return path


@pytest.mark.parametrize("collection", [True, False])
@pytest.mark.parametrize("emptied", [True, False])
def test_a_missing_library_is_told_with_its_path(addon, make, stage, tmp_path, collection, emptied):
    path = save_linked(make, stage, tmp_path, collection=collection)
    path.unlink()
    if emptied:
        bpy.data.libraries.write(str(path), {bpy.data.worlds.new("Nobody")})
    try:
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    except RuntimeError as error:  # how a script hears of what Blender could not find
        assert "people.blend" in str(error) or "missing" in str(error)  # noqa: PT017 - the file is open all the same
    characters = bpy.context.scene.footfall.crowds[0].characters
    find = addon.module("blender_addon.characters.character").find_characters
    name = "collection 'Cast'" if collection else "object 'Rig"
    why = "has no such" if emptied else "is missing: put it back"
    with pytest.raises(
        addon.errors.FootfallError, match=rf"{name}.* is linked from '.*people\.blend', and that file {why}"
    ):
        find(characters)
