# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips whose rotations are written differently, as in files of several clips, are blended the short way round."""

import bpy
import numpy as np
import pytest

from tests.sweeps import sweep

from ..strangers import dancer

pytestmark = pytest.mark.each_blender("strips are blended")


def negate(make, *actions):
    """Write the same rotations with the other sign."""
    for action in actions:
        (clip,) = make.actions.clips_of_action(action)
        for curve in make.actions.curves_of(clip):
            if curve.data_path.endswith("rotation_quaternion"):
                for key in curve.keyframe_points:
                    key.co.y = -key.co.y
                curve.update()


def poses(figure, frames):
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        seen = figure.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append([np.array(bone.matrix) for bone in seen.pose.bones])
    return np.array(found)


@pytest.mark.parametrize("speed", [0.5, 2.6])
@pytest.mark.once
def test_the_sign_of_quaternions_changes_nothing(make, stage, tmp_path, speed):
    rig, body = dancer(make, stage.addon, tmp_path, names=("idle", "walk", "run"))
    stage.crowd.characters = make.collection("Dancers", rig, body)
    walk = make.walk(agents=1, frames=(1, 40), speed=speed)
    (before,) = [poses(each, range(1, 41, 3)) for each in stage.bake(walk)]
    stage.clear()
    negate(make, bpy.data.actions["idle"], bpy.data.actions["run"])
    digests = [make.actions.digest(bpy.data.actions[name]) for name in ("idle", "walk", "run")]
    (after,) = [poses(each, range(1, 41, 3)) for each in stage.bake(walk)]
    np.testing.assert_allclose(after, before, atol=1e-3)
    assert [make.actions.digest(bpy.data.actions[name]) for name in ("idle", "walk", "run")] == digests


def test_angles_a_whole_turn_apart_are_brought_together(make, addon):
    blendable = addon.module("blender_addon.characters.clips.blendable")
    path, frames = 'pose.bones["Arm"].rotation_euler', [0, 10]

    def clip(*angles):
        channels = [make.actions.Channel(path, axis, frames, each) for axis, each in enumerate(angles)]
        return make.actions.new_clip("Clip", channels, group="Arm")

    own = clip((6.2, 6.4), (0.1, 0.3), (-3.1, -3.3))
    found = blendable.make_blendable(own, clip((0.0, 0.1), (0.2, 0.2), (3.1, 3.2)), is_copy=False)
    assert found.action != own.action
    values = [[key.co.y for key in curve.keyframe_points] for curve in make.actions.curves_of(found)]
    expected = [[6.2 - 2 * np.pi, 6.4 - 2 * np.pi], [0.1, 0.3], [-3.1 + 2 * np.pi, -3.3 + 2 * np.pi]]
    np.testing.assert_allclose(values, expected, atol=1e-5)
    assert blendable.make_blendable(found, found, is_copy=False) == found


def test_a_part_of_a_quaternion_keeps_its_sign(make, addon):
    """With keys on three components only, their negatives are the inverse rotation; whole ones compare first keys."""
    blendable = addon.module("blender_addon.characters.clips.blendable")

    def clip(**parts):
        path, frames = 'pose.bones["Arm"].rotation_quaternion', [0, 10, 11]
        channels = [make.actions.Channel(path, "wxyz".index(each), frames, keys) for each, keys in parts.items()]
        return make.actions.new_clip("Clip", channels, group="Arm")

    still = dict.fromkeys("yz", (0.0, 0.0, 0.0))
    model = clip(w=(0.1, 0.1, 0.1), x=(-0.99, -0.99, -0.99), **still)
    part = clip(x=(0.7, 0.7, 0.7), **still)
    assert blendable.make_blendable(part, model, is_copy=False) == part
    turning = clip(w=(1.0, 0.0, 0.0), x=(0.0, 1.0, 1.0), **still)
    assert blendable.make_blendable(turning, model, is_copy=False) == turning


@pytest.mark.parametrize(
    "posed_by", sweep(["its Action", "a strip", "what was played before", "a walk of ours"], everywhere=2)
)
def test_who_stands_does_not_keep_the_feet_of_the_walk(make, stage, tmp_path, posed_by):
    """Exporters leave out what does not move: an idle that keys the head alone, and a walk that has posed the rig."""
    rig, body = dancer(make, stage.addon, tmp_path, names=("idle", "walk", "run"))
    bpy.data.actions.remove(bpy.data.actions["idle"])
    turns = np.array([[1.0, 0.0, 0.0, 0.0], [0.995, 0.1, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]).T
    path, frames = 'pose.bones["head"].rotation_quaternion', np.array([0.0, 24.0, 48.0])
    channels = [make.actions.Channel(path, axis, frames, values) for axis, values in enumerate(turns)]
    idle = make.actions.new_clip("idle", channels, group="Head")
    idle.action.use_fake_user = True
    (walk,) = make.actions.clips_of_action(bpy.data.actions["walk"])
    make.actions.assign_clip(rig, walk)
    bpy.context.scene.frame_set(7)  # in mid-step
    if posed_by == "a strip":
        rig.animation_data.nla_tracks.new().strips.new("walk", 1, walk.action)
    if posed_by != "its Action":
        rig.animation_data.action = None
    if posed_by == "a walk of ours":
        for name in ("walk", "run"):
            bpy.data.actions.remove(bpy.data.actions[name])
    stage.crowd.characters = make.collection("Dancers", rig, body)
    (figure,) = stage.bake(make.walk(agents=1, frames=(1, 40), speed=0.0))
    names = [bone.name for bone in figure.pose.bones]
    (standing,) = poses(figure, [20])
    at_rest = np.array([bone.matrix_local for bone in rig.data.bones])
    legs = [names.index(f"{part}.{side}") for part in ("thigh", "shin", "foot") for side in "LR"]
    np.testing.assert_allclose(standing[legs], at_rest[legs], atol=1e-3)
    assert len(make.actions.curves_of(idle)) == 4  # the user's own
