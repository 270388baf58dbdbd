# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters as importers leave them: clips in NLA tracks, bones of any length, armatures of any scale.

A figure is exported by Blender's own exporters and imported again, and must walk at the first bake.
"""

import bpy
import numpy as np
import pytest

from tests.sweeps import sweep

from .strangers import FRAMES, by_gltf, dancer, stances, stretched

pytestmark = pytest.mark.each_blender("importers and slots")


@pytest.mark.parametrize("factor", sweep([100.0, 0.02], everywhere=1))
def test_the_length_of_bones_means_nothing(make, stage, tmp_path, factor):
    rig, body = dancer(make, stage.addon, tmp_path, names=("Take 1", "Take 2", "Take 3"))
    stretched(rig, factor)
    stage.crowd.characters = make.collection("Stretched", rig, body)
    (mover, _) = stage.bake(make.walk(agents=2, frames=(1, FRAMES), speed=1.2))
    stance, swing = stances(mover, mover)
    assert stance.mean() > 0.4
    assert 0.9 < swing < 1.6
    assert stage.notices == []


def test_the_spheres_that_the_importer_shows_for_bones_do_not_hide_the_people(make, stage, tmp_path):
    dancer(make, stage.addon, tmp_path)
    by_gltf(tmp_path / "dancer")
    rig = next(each for each in bpy.data.objects if each.type == "ARMATURE")
    shapes = [tuple(bone.custom_shape_scale_xyz) for bone in rig.pose.bones]
    assert all(bone.custom_shape is not None for bone in rig.pose.bones)
    stage.crowd.characters = make.collection("Imported", rig, *rig.children)
    people = stage.bake(make.walk(agents=2, frames=(1, 5)))
    for bone in (bone for person in people if person.pose is not None for bone in person.pose.bones):
        assert tuple(bone.custom_shape_scale_xyz) == (0.0, 0.0, 0.0)
    assert [tuple(bone.custom_shape_scale_xyz) for bone in rig.pose.bones] == shapes  # the user's stay


def test_an_action_with_slots_of_others_keeps_its_range(make, stage, tmp_path):
    rig, body = dancer(make, stage.addon, tmp_path)
    if bpy.app.version < (4, 4, 0):
        pytest.skip("Actions have slots since 4.4")
    walk = bpy.data.actions["walk"]
    walk.slots.new("KEY", "Face")
    (clip, *_) = make.actions.clips_of_action(walk)
    (mover, _) = stage_with(stage, make, rig, body)
    strip = next(track for track in mover.animation_data.nla_tracks if track.name == "Footfall walk").strips[0]
    assert strip.action_frame_end - strip.action_frame_start == pytest.approx(np.diff(make.actions.clip_range(clip))[0])
    assert stances(mover, mover)[0].mean() > 0.4


def stage_with(stage, make, *parts):
    stage.crowd.characters = make.collection("Parts", *parts)
    return stage.bake(make.walk(agents=2, frames=(1, FRAMES), speed=1.2))
