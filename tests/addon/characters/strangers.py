# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters of other makers that have clips of their own, and how much their feet stand."""

import math

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from .statues import Statue

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


def stretched(rig, factor):
    """Give all bones another length, as importers do who know only joints; their axes stay."""
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in rig.data.edit_bones:
        bone.use_connect = False
    for bone in rig.data.edit_bones:
        bone.length *= factor
    bpy.ops.object.mode_set(mode="OBJECT")


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


def foreign_rig(make, addon, mode):
    """A rig as of another maker: other names, angles instead of quaternions, another size, looking along +X."""
    figure = addon.module("blender_addon.figures.figure").ensure_figures([0])[0]
    rig = bpy.data.objects.new("Stranger", figure.armature.data.copy())
    names = {bone.name: f"mixamorig:{bone.name.replace('.', '_')}" for bone in rig.data.bones}
    for bone in rig.data.bones:
        bone.name = names[bone.name]
    make.link(rig)
    bpy.context.view_layer.update()
    for bone in rig.pose.bones:
        bone.rotation_mode = mode
    rig.rotation_euler.z, rig.scale = math.radians(90.0), (0.8, 0.8, 0.8)
    keys = {}
    for curve in make.actions.curves_of(figure.walk):
        values = [curve.evaluate(frame) for frame in range(33)]
        keys.setdefault(curve.data_path, {})[curve.array_index] = values
    channels = []
    for path, values in keys.items():
        bone = path.split('"')[1]
        if path.endswith("rotation_quaternion"):
            turns = [Quaternion(turn).to_euler(mode) for turn in zip(*values.values(), strict=True)]
            values = dict(enumerate(zip(*turns, strict=True)))  # noqa: PLW2901
        own = path.replace(bone, names[bone]).replace("_quaternion", "_euler")
        channels += [make.actions.Channel(own, axis, np.arange(33), each) for axis, each in values.items()]
    make.actions.assign_clip(rig, make.actions.new_clip("Stranger walk", channels, group="Bones"))
    body = make.cube("Stranger body")
    make.link(body)
    body.parent = rig
    return rig, body


def rigify_person(make, stride):
    """A generated Rigify rig whose foot controls walk by `stride`, and a body on its deforming bones."""
    bpy.ops.object.armature_basic_human_metarig_add()
    meta = bpy.context.object
    bpy.ops.pose.rigify_generate()
    rig = next(each for each in bpy.data.objects if each.type == "ARMATURE" and each != meta)
    bpy.data.objects.remove(meta)
    phase = np.arange(make.WALK_FRAMES + 1) / make.WALK_FRAMES
    channels = []
    for side, shift in (("L", 0.0), ("R", 0.5)):
        own = (phase + shift) % 1.0
        swing = np.clip(2.0 * own - 1.0, 0.0, 1.0)
        ahead = np.where(own < 0.5, stride / 4 - stride * own, -stride / 4 + stride / 2 * swing)
        control = f"foot_ik.{side}"
        channels += make._bone_channels(rig, control, rig.matrix_world, ahead, 0.15 * np.sin(np.pi * swing), 1)
    low = make._bone_channels(rig, "torso", rig.matrix_world, 0.0 * phase, 0.0 * phase - 0.06, 1)
    make.actions.assign_clip(rig, make.actions.new_clip("Walk", channels + low, group="Bones"))
    body = make.cube("Person body", 1.8)
    make.link(body)
    body.parent = rig
    group = body.vertex_groups.new(name="DEF-spine")
    group.add(list(range(8)), 1.0, "REPLACE")
    body.modifiers.new("Armature", "ARMATURE").object = rig
    return rig, body


def walking(make, addon, scheme=None):
    """An armature without meshes with the bones of a scheme that plays the walk of the figures, named a walk."""
    statue = Statue(make, addon, scheme)
    give_walk(make, addon, statue)
    bpy.data.objects.remove(statue.body)
    statue.rig.name = "Motion"
    return statue


def give_walk(make, addon, statue, name="Walking"):
    """Have a statue play the walk of the figures under some name."""
    figure = addon.module("blender_addon.figures.figure").ensure_figures([0])[0]
    walk = make.actions.copy_clip(figure.walk)
    walk.action.name = name
    del walk.action["footfall_figure"]
    for curve in make.actions.curves_of(walk):
        bone = curve.data_path.split('"')[1]
        curve.data_path = curve.data_path.replace(f'"{bone}"', f'"{statue.names[bone]}"')
    make.actions.assign_clip(statue.rig, walk)
    statue.walk = walk


def ways_of_feet(mover, rig, feet, frames):
    """Where the bones of two feet begin, (2, 2, F, 3), and the body is, (F, 3), in the world at frames from 1 on."""
    ways, body = np.zeros((2, 2, frames, 3)), np.zeros((frames, 3))
    for each in bpy.context.scene.objects:
        each.hide_viewport = each not in (mover, rig)  # what these depend on is evaluated all the same
    for frame in range(frames):
        bpy.context.scene.frame_set(frame + 1)
        graph = bpy.context.view_layer.depsgraph
        seen = rig.evaluated_get(graph)
        body[frame] = mover.evaluated_get(graph).matrix_world.translation
        for side, bones in enumerate(feet):
            for part, bone in enumerate(bones):
                ways[side, part, frame] = seen.matrix_world @ seen.pose.bones[bone].head
    return ways, body


def stances(mover, rig):
    """Share of the time that each foot stands, at ankle or toe, while the body walks; and how far the feet swing."""
    feet, body = ways_of_feet(mover, rig, FEET, FRAMES)
    speed = np.linalg.norm(np.diff(body, axis=0), axis=1)
    stands = (np.linalg.norm(np.diff(feet, axis=2), axis=3) < 0.15 * speed).any(axis=1)
    ahead = np.diff(body, axis=0)[0] / speed[0]
    return stands.mean(axis=1), np.ptp((feet[0, 0] - feet[1, 0]) @ ahead)
