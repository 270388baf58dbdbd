# SPDX-License-Identifier: GPL-3.0-or-later
"""Handwork on copies of the user's own characters, and what of these may change without being handwork."""

import bpy
import pytest

from ..street import own_figures
from .crowded import Crowded, Person


def in_strips(rig):
    """The Actions in the strips of a character, by the names of their tracks."""
    return {track.name: track.strips[0].action for track in rig.animation_data.nla_tracks}


def dressed(rig):
    """A character with all that can be changed on its copies but is no handwork on the character itself."""
    scene = bpy.context.scene
    body = rig.children[0]
    for name in ("Target", "Widget", "Other Widget"):
        scene.collection.objects.link(bpy.data.objects.new(name, bpy.data.meshes.new(name)))
    rig.pose.bones[0].constraints.new("COPY_SCALE").target = bpy.data.objects["Target"]
    rig.pose.bones[3].custom_shape = bpy.data.objects["Widget"]
    curve = body.driver_add("pass_index")
    variable = curve.driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = bpy.data.objects["Target"], "pass_index"
    bevel = body.modifiers.new("Bevel", "BEVEL")
    bevel.profile_type, bevel.show_viewport = "CUSTOM", False  # of all edges at each frame, it would take long
    edit = body.modifiers.new("Weights", "VERTEX_WEIGHT_EDIT")
    edit.vertex_group = "hips"
    own = body.material_slots[-1]
    own.link = "OBJECT"
    own.material = bpy.data.materials.new("Own")


class OnCharacters(Crowded):
    """A bake of three copies of one dressed character."""

    @property
    def source(self):
        return next(each for each in self.crowd.characters.all_objects if each.type == "ARMATURE")


@pytest.fixture
def crowded(street, addon):
    together = own_figures(street.crowd, 1)
    dressed(next(each for each in together.all_objects if each.type == "ARMATURE"))
    return OnCharacters(street, addon, 3, together)


def bend(person):
    person.body.modifiers["Bevel"].custom_profile.points[0].location.x += 0.1


def ease(person):
    person.body.modifiers["Weights"].map_curve.curves[0].points[0].location = (0.0, 0.5)


def swap(person):
    person.rig.pose.bones[3].custom_shape = bpy.data.objects["Other Widget"]


@pytest.mark.thorough
def test_handwork_on_what_a_character_brings(crowded, tmp_path):
    assert not crowded.found()
    for number, edit in enumerate((bend, ease, swap)):
        edit(crowded.person(number))
    edited = {"Crowd 001": {"modifiers"}, "Crowd 002": {"modifiers"}, "Crowd 003": {"pose bones"}}
    assert crowded.found() == edited
    crowded.reopen(tmp_path / "edited.blend")
    assert crowded.found() == edited
    with pytest.raises(RuntimeError, match="edited by hand"):
        bpy.ops.footfall.bake()


def new_channel(crowded):
    walk = crowded.source.animation_data.action
    person = Person(crowded._addon.module("blender_addon.blender_data.animation"), crowded.source.name)
    for path in ('pose.bones["head"].scale', "delta_location"):
        bag = person.actions._ensure_bag(person.clip)
        bag.fcurves.new(path, index=0).keyframe_points.insert(1.0, 1.3)
    assert walk == person.clip.action
    bpy.context.scene.frame_set(3)


def fewer_channels(crowded):
    person = Person(crowded._addon.module("blender_addon.blender_data.animation"), crowded.source.name)
    bag = person.actions._ensure_bag(person.clip)
    for curve in [each for each in bag.fcurves if '"head"' in each.data_path]:
        bag.fcurves.remove(curve)


def no_run(crowded):
    bpy.data.actions.remove(in_strips(crowded.source)["Run"])
    bpy.context.scene.frame_set(3)


def no_target(crowded):
    bpy.data.objects.remove(bpy.data.objects["Aim"])


def no_widget(crowded):
    bpy.data.objects.remove(bpy.data.objects["WGT"])


def renamed(crowded):
    bpy.data.objects["Widget"].name = "WGT"
    bpy.data.objects["Target"].name = "Aim"


def no_material(crowded):
    bpy.data.materials.remove(bpy.data.materials["Own"])


def fewer_slots(crowded):
    crowded.source.children[0].data.materials.pop(index=0)


def addon_writes(crowded):
    for number, each in enumerate(bpy.context.scene.objects):
        each["studio_id"] = number


CHANGES = [fewer_channels, new_channel, no_run, renamed, no_target, no_widget, no_material, fewer_slots, addon_writes]


@pytest.mark.once
def test_changes_of_characters_and_scene_are_no_handwork(crowded, tmp_path):
    for change in CHANGES:  # one after the other
        change(crowded)
        assert not crowded.found(), change.__name__
    crowded.reopen(tmp_path / "changed.blend")
    assert not crowded.found()
    person = crowded.person(1)
    person.rig.scale = person.rig.pose.bones[1].scale = (2.0, 2.0, 2.0)
    person.rig["mood"] = 1.0
    found = crowded.found()
    assert found == {"Crowd 002": {"transform", "pose", "custom properties"}}
    bpy.ops.footfall.bake(edited="OVERWRITE")
