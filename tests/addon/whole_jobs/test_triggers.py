# SPDX-License-Identifier: GPL-3.0-or-later
"""Triggers from the panel to the baked file: read with their zones, objects and properties, baked, and left out."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from ..street import select


@pytest.fixture
def plaza(street, make):
    """A straight path of 16 m, and an empty in its middle."""
    points = street.path.data.splines[0].points
    for point, x in zip(points, (0.0, 8.0, 16.0), strict=True):
        point.co = (x, 0.0, 0.0, 1.0)
    street.scene.frame_start, street.scene.frame_end = 1, 120
    street.crowd.count, street.crowd.spawn.mode = 4, "SPREAD"
    street.crowd.characters, street.crowd.forward_axis = make.collection("Props", make.cube("Box", 0.4)), "POS_X"
    street.bang = bpy.data.objects.new("Bang", None)
    street.bang.location = (8.0, 0.0, 0.0)
    make.link(street.bang)
    bpy.context.view_layer.update()
    return street


def add_trigger(street, **values):
    trigger = street.settings.triggers.add()
    for name, value in values.items():
        setattr(trigger, name, value)
    return trigger


def read(street, addon):
    bpy.context.view_layer.update()
    return addon.module("blender_addon.reading").read_scene(street.scene)


def test_triggers_reach_the_core_with_what_they_name(plaza, addon, make):
    zone = make.cube("Zone", 2.0)
    make.link(zone)
    other = bpy.data.objects.new("Meeting", None)
    make.link(other)
    add_trigger(plaza, name="Panic", frame=60, then="FLEE", mark=plaza.bang, within=8.0, who=plaza.crowd.name)
    add_trigger(plaza, name="Wave", when="ZONE", zone=zone, then="PERFORM", activity="WAVE", share=0.5)
    add_trigger(plaza, name="Meet", when="NEAR", near=plaza.bang, distance=2.0, then="GATHER", to=other)
    add_trigger(plaza, name="Out", when="CROWD", crowd=plaza.crowd.name, does="REACTS", then="LEAVE", to=zone)
    scene = read(plaza, addon).scene
    panic, wave, meet, out = scene.triggers
    assert (panic.when.frames, panic.then, panic.mark, panic.within) == ((60,), "flee", "Bang", 8.0)
    assert panic.crowds == (plaza.crowd.name,)
    assert (wave.when.area, wave.activity, wave.share) == ("Zone", "wave", 0.5)
    assert (meet.when.mark, meet.when.distance, meet.to) == ("Bang", 2.0, "Meeting")
    assert (out.when.crowd, out.when.does, out.to) == (plaza.crowd.name, "reacts", "Zone")
    assert [area.name for area in scene.areas] == ["Zone"]
    assert [place.name for place in scene.places] == ["Meeting"]
    assert [(mark.name, mark.motion.x[0]) for mark in scene.marks] == [("Bang", 8.0)]


def test_people_flee_from_where_a_mesh_is_wherever_its_origin(plaza, addon, make):
    kiosk = make.cube("Kiosk", 1.0)
    make.link(kiosk)
    kiosk.data.transform(Matrix.Translation((7.0, -3.0, 0.0)))
    middle = np.mean([corner[:] for corner in kiosk.bound_box], axis=0)
    add_trigger(plaza, name="Panic", frame=60, then="FLEE", mark=kiosk)
    (mark,) = read(plaza, addon).scene.marks
    assert (mark.motion.x[0], mark.motion.y[0]) == pytest.approx(middle[:2])
    assert middle[0] > 6.0


def test_an_animated_property_sets_a_trigger_off_whenever_it_rises(plaza, addon):
    plaza.bang["alarm"] = 0.0
    for frame, value in ((1, 0.0), (40, 0.0), (41, 1.0), (60, 1.0), (61, 0.0), (90, 0.0), (91, 1.0)):
        plaza.bang["alarm"] = value
        plaza.bang.keyframe_insert('["alarm"]', frame=frame)
    trigger = add_trigger(plaza, when="PROPERTY", source=plaza.bang, then="RUN")
    assert read(plaza, addon).scene.triggers[0].when.frames == (41, 91)
    trigger.data_path = '["alert"]'
    found = read(plaza, addon)
    assert found.scene.triggers == ()
    assert "'Bang' has no number '[\"alert\"]'" in found.notices[0]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"then": "FLEE"}, "has no object to flee from. Choose one"),
        ({"then": "TURN_TO"}, "has no object to turn to. Choose one"),
        (
            {"when": "CROWD", "crowd": "Walkers", "does": "PASSES", "then": "RUN"},
            "no object that comes near or is passed",
        ),
        ({"when": "ZONE", "then": "RUN"}, "has no zone. Choose a mesh or an empty"),
        ({"then": "GATHER"}, "has no place to go to"),
        ({"then": "PERFORM", "activity": "CLIP"}, "has no clip to play"),
        ({"then": "RUN", "who": "Nobody"}, "names the crowd 'Nobody', which does not exist"),
    ],
)
def test_a_trigger_that_lacks_something_is_left_out_with_a_sentence_and_the_others_stay(plaza, addon, values, message):
    add_trigger(plaza, name="Panic", **values)
    add_trigger(plaza, name="Race", then="RUN")
    found = read(plaza, addon)
    (told,) = (notice for notice in found.notices if message in notice)
    assert told.startswith("Trigger 'Panic': ")
    assert told.endswith("Until then nobody reacts to it.")
    assert [trigger.name for trigger in found.scene.triggers] == ["Race"]


def test_a_bake_goes_on_without_a_trigger_on_a_deleted_object(plaza, addon):
    add_trigger(plaza, name="Panic", frame=40, then="FLEE", mark=plaza.bang)
    bpy.context.scene.collection.objects.unlink(plaza.bang)
    assert bpy.ops.footfall.bake() == {"FINISHED"}
    assert "Trigger 'Panic': names 'Bang', which is no longer in the scene. Choose" in plaza.settings.report


@pytest.mark.parametrize("values", [{"when": "ZONE", "then": "RUN"}, {"then": "GATHER"}, {"then": "GO_TO"}])
def test_a_trigger_whose_place_covers_no_ground_is_left_out(plaza, addon, make, values):
    bare = bpy.data.objects.new("Bare", bpy.data.meshes.new("Bare"))
    make.link(bare)
    add_trigger(plaza, name="Panic", **values, **{"zone" if "when" in values else "to": bare})
    found = read(plaza, addon)
    assert found.scene.triggers == ()
    assert "Trigger 'Panic': names 'Bare', which covers no ground. Choose another object." in " ".join(found.notices)


@pytest.mark.each_blender("a bake with a trigger")
def test_people_flee_in_the_baked_file(plaza, make, addon):
    add_trigger(plaza, name="Panic", frame=40, then="FLEE", mark=plaza.bang, delay_variation=0.0)
    assert bpy.ops.footfall.bake() == {"FINISHED"}
    people = [each for each in plaza.scene.objects if each.get("footfall_crowd") == plaza.crowd.uid]
    before, after = (make.matrices(people, frame)[:, :2, 3] for frame in (40, 120))
    assert (np.hypot(*(after - (8, 0)).T) > np.hypot(*(before - (8, 0)).T) + 2.0).all()
    reasons = addon.module("blender_addon.bakes.stored_reasons").read_reasons(plaza.scene, plaza.crowd.uid)
    assert (reasons.doing[80] == addon.module("core.simulation.world.doing").Doing.FLEEING).all()


def test_triggers_are_added_and_removed_and_set_by_words(plaza, addon):
    bpy.ops.footfall.trigger_add()
    bpy.ops.footfall.trigger_add()
    assert [trigger.name for trigger in plaza.settings.triggers] == ["Trigger", "Trigger.001"]
    addon.module("blender_addon.headless.overrides").set_by_words(plaza.scene, ["triggers.Trigger.frame=77"])
    assert plaza.settings.triggers[0].frame == 77
    bpy.ops.footfall.trigger_remove()
    assert [trigger.name for trigger in plaza.settings.triggers] == ["Trigger"]


def test_people_flee_from_the_object_that_was_selected_when_the_trigger_was_added(plaza):
    for chosen in (plaza.bang, plaza.path):
        select(chosen)
        bpy.ops.footfall.trigger_add()
    plaza.bang.select_set(False)
    bpy.context.view_layer.objects.active = plaza.bang
    bpy.ops.footfall.trigger_add()
    assert [trigger.then for trigger in plaza.settings.triggers] == ["FLEE"] * 3
    assert [trigger.mark for trigger in plaza.settings.triggers] == [plaza.bang, None, None]
