# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses are sampled once for all characters of one skeleton that play the same, and anew for whoever differs."""

import bpy
import numpy as np
import pytest

from tests.sweeps import sweep

from ..strangers import foreign_rig


@pytest.fixture
def poses(addon):
    """The module that samples them, which knows of none yet."""
    module = addon.module("blender_addon.characters.legs.bone_poses")
    module._kept.clear()
    return module


def tables(legs):
    return [np.concatenate([leg.table.joints.ravel(), leg.table.turns.ravel()]) for leg in legs]


def test_figures_of_one_skeleton_are_sampled_once_and_each_is_as_if_it_were_alone(make, stage, poses, monkeypatch):
    way = make.walk(agents=1)

    def legs_of(figure):
        stage.crowd.edits.clear()
        edit = stage.crowd.edits.add()
        edit.name, edit.character = "Walkers 001", figure
        cast = stage.cast(way)
        stage.fill(cast, way)
        found = tables(cast._templates[0].legs)
        cast.discard()
        return found

    alone = legs_of("Footfall heavy man")
    poses._kept.clear()
    man = legs_of("Footfall man")
    sample, frames = poses._sample, []
    monkeypatch.setattr(poses, "_sample", lambda *given: frames.append(given[-1]) or sample(*given))
    heavy = legs_of("Footfall heavy man")
    assert frames == [1, 1]  # where its armature is, for its legs and for its body
    np.testing.assert_array_equal(heavy, alone)
    assert not np.array_equal(heavy, man)


def in_edit_mode(rig):
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["mixamorig:foot_L"].tail.z += 0.02
    bpy.ops.object.mode_set(mode="OBJECT")


def posed(rig):
    rig.pose.bones["mixamorig:shin_L"].scale.y = 0.9


def turns_alone(rig):
    rig.data.bones["mixamorig:thigh_R"].use_inherit_rotation = False
    rig.data.bones["mixamorig:spine"].inherit_scale = "NONE"


def driven(rig):
    rig.driver_add('pose.bones["mixamorig:hips"].scale', 0).driver.expression = "1.1"


def held(rig):
    limit = rig.pose.bones["mixamorig:hips"].constraints.new("LIMIT_LOCATION")
    limit.use_min_y, limit.min_y, limit.owner_space = True, -0.01, "LOCAL"


def other_keys(curve):
    curve.keyframe_points[7].co.y += 0.2


def other_steps(curve):
    curve.keyframe_points[7].interpolation = "CONSTANT"


def eased(curve):
    key = curve.keyframe_points[7]
    if key.interpolation == "ELASTIC":
        key.amplitude = 2.0
    key.interpolation = "ELASTIC"


def muted(curve):
    curve.group.mute = True


def noisy(curve):
    curve.modifiers.new("NOISE").strength = 0.1


OF_CLIPS = [other_keys, other_steps, eased, muted, noisy]


@pytest.mark.parametrize(
    "change", sweep([in_edit_mode, posed, held, other_keys, turns_alone, driven, *OF_CLIPS[1:]], usual=4)
)
def test_who_differs_is_sampled_anew(make, stage, poses, change):
    rig, body = foreign_rig(make, stage.addon, "XYZ")
    stage.crowd.characters, stage.crowd.forward_axis = make.collection("People", rig, body), "POS_X"

    def legs():
        cast = stage.cast(make.walk(agents=1))
        found = tables(cast._templates[0].legs)
        cast.discard()
        return found

    curves = make.actions.curves_of(make.actions.active_clip(rig.animation_data))
    curve = next(each for each in curves if "shin" in each.data_path)
    if change == eased:  # and other settings of it
        eased(curve)
    before = legs()
    change(curve if change in OF_CLIPS else rig)
    bpy.context.view_layer.update()
    changed = legs()
    poses._kept.clear()
    np.testing.assert_array_equal(changed, legs())
    assert not np.array_equal(changed, before)
