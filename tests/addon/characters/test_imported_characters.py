# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters as importers leave them: clips in NLA tracks, bones of any length, armatures of any scale.

A figure is exported by Blender's own exporters and imported again, and must walk at the first bake.
"""

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from tests.sweeps import sweep

pytestmark = pytest.mark.each_blender("importers and slots")

FRAMES = 96
FEET = (("foot.L", "toe.L"), ("foot.R", "toe.R"))


def dancer(make, addon, tmp_path, *, names=("agree", "walk", "run"), scale=1.0):
    """A figure with three clips in NLA tracks, whose armature has a scale, and an active Action that is no walk."""
    figure = addon.module("blender_addon.figures.figure").ensure_figures([0])[0]
    rig = bpy.data.objects.new("Dancer", figure.armature.data.copy())
    body = bpy.data.objects.new("Dancer body", figure.meshes[0].data.copy())
    for group in figure.meshes[0].vertex_groups:
        body.vertex_groups.new(name=group.name)
    make.link(rig, body)
    body.parent = rig
    body.modifiers.new("Armature", "ARMATURE").object = rig
    rig.data.transform(Matrix.Scale(1.0 / scale, 4))
    body.data.transform(Matrix.Scale(1.0 / scale, 4))
    rig.scale = (scale, scale, scale)
    bpy.context.view_layer.update()
    rig.animation_data_create()
    for name, clip in zip(names, (figure.idle, figure.walk, figure.run), strict=True):
        own = make.actions.copy_clip(clip)
        own.action.name = name
        del own.action["footfall_figure"]
        for curve in make.actions.curves_of(own):
            if curve.data_path.endswith(".location"):
                for key in curve.keyframe_points:
                    for point in (key.co, key.handle_left, key.handle_right):
                        point.y /= scale
        track = rig.animation_data.nla_tracks.new()
        make.actions.add_strip(track, name, own, 1)
    bpy.context.view_layer.objects.active = rig
    for each in (rig, body):
        each.select_set(True)
    return rig, body


def anew():
    """Remove all that was exported, so that only what is imported is there."""
    bpy.data.batch_remove([*bpy.data.objects, *bpy.data.actions, *bpy.data.armatures, *bpy.data.meshes])


def by_gltf(path):
    path = str(path.with_suffix(".glb"))
    bpy.ops.export_scene.gltf(filepath=path, export_animation_mode="NLA_TRACKS", use_selection=True)
    anew()
    bpy.ops.import_scene.gltf(filepath=path)


def by_fbx(path):
    path = str(path.with_suffix(".fbx"))
    bpy.ops.export_scene.fbx(filepath=path, use_selection=True, bake_anim_use_all_actions=False)
    anew()
    bpy.ops.import_scene.fbx(filepath=path)


def stretched(rig, factor):
    """Give all bones another length, as importers do who know only joints; their axes stay."""
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in rig.data.edit_bones:
        bone.use_connect = False
    for bone in rig.data.edit_bones:
        bone.length *= factor
    bpy.ops.object.mode_set(mode="OBJECT")


def stances(mover, rig):
    """Share of the time that each foot stands, at ankle or toe, while the body walks; and how far the feet swing."""
    feet, body = np.zeros((2, 2, FRAMES, 3)), np.zeros((FRAMES, 3))
    for each in bpy.context.scene.objects:
        each.hide_viewport = each.type == "MESH"
    for frame in range(FRAMES):
        bpy.context.scene.frame_set(frame + 1)
        graph = bpy.context.view_layer.depsgraph
        seen = rig.evaluated_get(graph)
        body[frame] = mover.evaluated_get(graph).matrix_world.translation
        for side, bones in enumerate(FEET):
            for part, bone in enumerate(bones):
                feet[side, part, frame] = seen.matrix_world @ seen.pose.bones[bone].head
    speed = np.linalg.norm(np.diff(body, axis=0), axis=1)
    stands = (np.linalg.norm(np.diff(feet, axis=2), axis=3) < 0.15 * speed).any(axis=1)
    ahead = np.diff(body, axis=0)[0] / speed[0]
    return stands.mean(axis=1), np.ptp((feet[0, 0] - feet[1, 0]) @ ahead)


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
