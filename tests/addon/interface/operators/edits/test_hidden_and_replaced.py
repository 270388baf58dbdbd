# SPDX-License-Identifier: GPL-3.0-or-later
"""People who are hidden, deleted or played by another character are so in all bakes, also as instances."""

import bpy
import numpy as np
import pytest


@pytest.mark.parametrize("output", ["CHARACTERS", "INSTANCES"])
def test_hidden_people_are_walked_round_and_deleted_ones_are_not(baked, output):
    baked.of("Crowd 001", "hide_people")
    baked.of("Crowd 004", "delete_people")
    baked.crowd.output = output
    bpy.ops.footfall.bake()
    reading = baked.core_crowd()
    assert reading.scene.crowds[0].absent == (3,)
    if output == "CHARACTERS":
        assert not {"Crowd 001", "Crowd 004"} & set(bpy.data.objects.keys())
        assert {"Crowd 002", "Crowd 003"} <= set(bpy.data.objects.keys())
    else:
        shown = next(each for each in baked.scene.objects if "footfall_people" in each)
        assert len(shown.data.edges) == 2
    for name in ("Crowd 001", "Crowd 004"):
        bpy.ops.footfall.restore_person(person=name)
    baked.crowd.output = "CHARACTERS"
    bpy.ops.footfall.bake()
    assert {"Crowd 001", "Crowd 004"} <= set(bpy.data.objects.keys())


def test_a_character_can_be_replaced_for_all_bakes(baked):
    wanted = {"Box": "Small", "Small": "Box"}
    played = {name: bpy.data.objects[name].data.name for name in ("Crowd 001", "Crowd 002")}
    baked.of("Crowd 002", "replace_character", character=wanted[played["Crowd 002"]])
    for _ in range(2):
        bpy.ops.footfall.bake()
        assert bpy.data.objects["Crowd 002"].data.name == wanted[played["Crowd 002"]]
        assert bpy.data.objects["Crowd 001"].data.name == played["Crowd 001"]
    with pytest.raises(RuntimeError, match="no character 'Nobody'"):
        baked.of("Crowd 002", "replace_character", character="Nobody")


def poses_played(street):
    """Which character plays each person of a crowd of instances, by number."""
    shown = next(each for each in street.scene.objects if "footfall_people" in each)
    values = np.empty(len(shown.data.edges), dtype=np.int32)
    shown.data.attributes["character"].data.foreach_get("value", values)
    return shown, values


def test_a_character_can_be_replaced_for_instances_too(baked):
    baked.crowd.output = "INSTANCES"
    bpy.ops.footfall.bake()
    shown, drawn = poses_played(baked)
    assert set(drawn) <= {0, 1}
    where = ["Box", "Small"]
    for person, number in ((2, drawn[1]), (4, drawn[3])):
        baked.scene.footfall.overlays.person = person
        baked.of(shown.name, "replace_character", character=where[1 - number])
    for _ in range(2):
        bpy.ops.footfall.bake()
        shown, played = poses_played(baked)
        np.testing.assert_array_equal(played, [drawn[0], 1 - drawn[1], drawn[2], 1 - drawn[3]])
    bpy.context.view_layer.objects.active = shown
    bpy.ops.footfall.make_real(agents="2")
    assert bpy.data.objects["Crowd 002"].data.name == where[1 - drawn[1]]


def test_who_is_to_be_an_instance_of_what_has_no_body_is_told_of(baked):
    baked.of("Crowd 002", "replace_character", character="Small")
    bpy.data.objects["Small"].data = bpy.data.meshes.new("Nothing")
    baked.crowd.output = "INSTANCES"
    bpy.ops.footfall.bake()
    assert "'Crowd': 'Small' cannot be shown: its people use other characters" in baked.scene.footfall.report
    assert set(poses_played(baked)[1]) == {0}  # the box


def test_instances_say_what_must_be_done_first(baked):
    baked.crowd.output = "INSTANCES"
    bpy.ops.footfall.bake()
    shown = next(each for each in baked.scene.objects if "footfall_people" in each)
    baked.settings.overlays.person = 2
    for what in ("pin_people", "retime_people"):
        with pytest.raises(RuntimeError, match="press 'Make People Real' first"):
            baked.of(shown.name, what)
    baked.of(shown.name, "delete_people")
    assert [edit.name for edit in baked.crowd.edits] == ["Crowd 002"]
    bpy.ops.footfall.bake()
    shown = next(each for each in baked.scene.objects if "footfall_people" in each)
    assert len(shown.data.edges) == 3
