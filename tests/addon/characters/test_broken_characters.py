# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters that are broken in one way each, in one bake: a sentence about each of them, and the others walk."""

import math

import bpy
import numpy as np
import pytest

from .statues import Statue
from .strangers import dancer, stances

pytestmark = pytest.mark.each_blender("what is evaluated of invalid values")


def in_edit_mode(rig, change):
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    change(rig.data.edit_bones)
    bpy.ops.object.mode_set(mode="OBJECT")


def whole(make, rig, body):
    return [rig, body]


def no_bones(make, rig, body):
    rig.data = bpy.data.armatures.new("Boneless")
    return [rig, body]


def two_armatures(make, rig, body):
    second, other = rig.copy(), body.copy()
    second.data, second.name = rig.data.copy(), "Second"
    second.animation_data_clear()
    make.link(second, other)
    second.parent, other.parent, other.modifiers[0].object = rig, second, second
    return [rig, body, second, other]


def shape_keys_only(make, rig, body):
    bpy.data.objects.remove(rig)
    body.modifiers.clear()
    body.shape_key_add(name="Basis")
    body.shape_key_add(name="Smile").value = 0.5
    return [body]


def one_leg(make, rig, body):
    in_edit_mode(rig, lambda bones: [bones.remove(bones[name]) for name in ("toe.R", "foot.R", "shin.R", "thigh.R")])
    return [rig, body]


def lost_key(make, rig, body):
    clip = next(clip for clip in make.actions.clips_in_strips(rig.animation_data) if "walk" in clip.action.name)
    curves = make.actions.curves_of(clip)
    next(curve for curve in curves if "thigh.R" in curve.data_path).keyframe_points[3].co.y = math.nan
    return [rig, body]


def lost_pose(make, rig, body):
    rig.pose.bones["thigh.R"].location.x = math.nan
    return [rig, body]


def lost_scale(make, rig, body):
    rig.scale.x = math.nan
    return [rig, body]


def lost_rest(make, rig, body):
    def lose(bones):
        bones["shin.L"].tail = (math.nan,) * 3

    in_edit_mode(rig, lose)
    return [rig, body]


def short_walk(make, rig, body):
    clip = next(clip for clip in make.actions.clips_in_strips(rig.animation_data) if "walk" in clip.action.name)
    channel = make.addon.module("blender_addon.blender_data.fcurves").Channel
    make.actions.add_channels(clip, [channel("location", 2, [1.0], [0.0])], group="Object")  # as glTF files have it
    for curve in make.actions.curves_of(clip):
        while len(curve.keyframe_points) > 1:
            curve.keyframe_points.remove(curve.keyframe_points[-1])
    return [rig, body]


def lost_vertex(make, rig, body):
    body.data.vertices[0].co.x = math.nan
    return [rig, body]


def one_key(make, rig, body):
    rig.animation_data_clear()
    rig.pose.bones["thigh.R"].keyframe_insert("rotation_quaternion", frame=1)
    rig.animation_data.action.name = "Walk of one frame"
    return [rig, body]


TOLD = {
    no_bones: "has no bones; add bones, or choose another armature",
    lost_rest: "has a position that is not a number",
    two_armatures: "and 'Second' keeps its pose: join them",
    shape_keys_only: "has shape keys and no armature",
    one_leg: "only the leg of 'shin.L' is planted",
    lost_key: "for bone 'thigh.R' is not a number; delete that key in the Graph Editor, or choose another clip",
    lost_pose: "bone 'thigh.R' has a position that is not a number",
    lost_scale: "has a position that is not a number",
    short_walk: "no bone moves in it, as none has two keys; choose another clip. It walks with 'walk",
    lost_vertex: "has a coordinate that is not a number: delete that vertex; until then",
}


@pytest.mark.once
def test_a_sentence_is_said_about_each_and_the_others_walk(make, stage):
    people = make.collection("People")
    for number, spoil in enumerate([None, *TOLD]):
        rig, body = dancer(make, stage.addon, None)
        rig.name, body.name = (f"{number} {spoil.__name__ if spoil else 'whole'} {part}" for part in ("rig", "body"))
        rig["weight"] = 1.0 if spoil else 5.0
        parts = [rig, body] if spoil is None else spoil(make, rig, body)
        make.collection(f"Character {number}", *parts, parent=people)
    stage.crowd.characters = people
    movers = stage.bake(make.walk(agents=12, frames=(1, 96), speed=1.2))
    for spoil, told in TOLD.items():
        own = [sentence for sentence in stage.notices if spoil.__name__ in sentence]
        assert any(told in sentence for sentence in own), (spoil.__name__, own)
        assert not any("nan" in sentence.replace("'", " ").split() for sentence in own), own
    assert not [sentence for sentence in stage.notices if "whole" in sentence]
    whole = [mover for mover in movers if mover.data == people.children["Character 0"].objects["0 whole rig"].data]
    stance, _ = stances(whole[0], whole[0])
    assert np.mean(stance) > 0.4


@pytest.mark.once
def test_the_cast_table_says_it_too(make, stage):
    people = make.collection("People")
    for name, spoil in (("Whole", whole), ("Lost", lost_rest)):
        rig, body = dancer(make, stage.addon, None)
        rig.name = name
        make.collection(name, *spoil(make, rig, body), parent=people)
    stage.crowd.characters = people
    bpy.ops.footfall.find_clips()
    problems = {row.name: row.problem for row in bpy.context.scene.footfall.cast}
    assert "not a number" in problems["Lost"]
    assert "not a number" not in problems["Whole"]


STILL = {
    no_bones: "the armature '{rig}' has no bones; add bones, or choose another armature",
    lost_rest: "bone 'shin.L' of '{rig}' has a rest position that is not a number; correct it in Edit Mode",
    lost_scale: "the location, rotation or scale of '{rig}' is not a number; type it again in the Item tab",
    one_key: "does not play 'Walk of one frame': no bone moves in it",
    one_leg: "Choose a clip for its Walk in the cast table, or name its legs in Parts of the Body",
}


def test_without_clips_they_are_told_of_too(make, stage):
    people, names = make.collection("People"), {}
    for number, spoil in enumerate([None, *STILL]):
        statue = Statue(make, stage.addon)
        names[spoil] = statue.rig.name = f"{number} rig"
        parts = [statue.rig, statue.body] if spoil is None else spoil(make, statue.rig, statue.body)
        make.collection(f"Character {number}", *parts, parent=people)
    stage.crowd.characters = people
    stage.bake(make.walk(agents=6))
    for spoil, told in STILL.items():
        own = [sentence for sentence in stage.notices if sentence.startswith(f"'{names[spoil]}'")]
        assert any(told.format(rig=names[spoil]) in sentence for sentence in own), (spoil.__name__, own)
    assert f"'{names[None]}' has no clip of its own: it walks with Footfall's" in stage.notices


def test_one_fault_is_reported_once(make, stage):
    rig = bpy.data.objects.new("Nothing", bpy.data.armatures.new("Nothing"))
    make.link(rig)
    bpy.context.view_layer.update()
    stage.crowd.characters = make.collection("People", rig)
    stage.bake(make.walk(agents=1))
    (told,) = [sentence for sentence in stage.notices if "Nothing" in sentence]
    assert told.endswith("the armature 'Nothing' has no bones; add bones, or choose another armature")
