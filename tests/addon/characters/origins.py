# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters of all sources, each as (objects, bones of the feet).

They come from Blender's own importers and exporters, from Rigify, or have the bones of other programs.
"""

import bpy
import numpy as np
from mathutils import Matrix, Vector

from .statues import Statue, a_pose, long_tails, loosen_feet, t_pose, upward_bones
from .strangers import FEET, anew, by_fbx, by_gltf, dancer, rigify_person, stretched


def gltf(make, addon, path, enable):
    dancer(make, addon, path)
    by_gltf(path / "dancer")
    return imported(), FEET


def small_gltf(make, addon, path, enable):
    dancer(make, addon, path, names=("Take 1", "Take 2", "Take 3"), scale=0.01)
    by_gltf(path / "dancer")
    return imported(), FEET


def fbx(make, addon, path, enable):
    dancer(make, addon, path, scale=0.01)
    by_fbx(path / "dancer")
    return imported(), FEET


def fast_fbx(make, addon, path, enable):
    dancer(make, addon, path, names=("Dance", "Walking", "Jog"))
    by_fbx(path / "dancer")
    bpy.context.scene.render.fps = 24  # importers take over the rate of the file
    return imported(), FEET


def stands_after_its_walk(make, addon, path, enable):
    """As exporters do that give all clips the length of the longest one."""
    rig, _ = dancer(make, addon, path)
    clips = [track.strips[0].action for track in rig.animation_data.nla_tracks]
    next(clip for clip in clips if clip.name.startswith("walk")).frame_end += 30
    return imported(), FEET


def bvh(make, addon, path, enable):
    enable("io_anim_bvh")
    rig, _ = dancer(make, addon, path)
    for track in rig.animation_data.nla_tracks:
        track.mute = track.strips[0].action.name != "walk"
    bpy.context.view_layer.objects.active = rig
    file = str(path / "walk.bvh")
    bpy.ops.export_anim.bvh(filepath=file, frame_start=1, frame_end=33)
    anew()
    bpy.ops.import_anim.bvh(filepath=file, axis_forward="Y", axis_up="Z")  # as Blender writes them
    return imported(), FEET


def take(make, addon, path, enable):
    """A recording: somebody stands, and walks four strides then."""
    enable("io_anim_bvh")
    rig, _ = dancer(make, addon, path)
    for track in rig.animation_data.nla_tracks:
        (strip,) = track.strips
        track.mute = strip.action.name != "walk"
        strip.repeat, strip.frame_start = 4.0, 20
    frames = strip.action_frame_end - strip.action_frame_start
    bpy.context.view_layer.objects.active = rig
    file = path / "take.bvh"
    bpy.ops.export_anim.bvh(filepath=str(file), frame_start=1, frame_end=100)
    stride = addon.module("blender_addon.figures.figure").ensure_figures([0])[0].stride
    head, times, moments = file.read_text(encoding="ascii").partition("Frame Time:")
    first, *rows = moments.splitlines()
    for number, row in enumerate(rows):
        x, y, *rest = row.split()
        rows[number] = " ".join([x, str(float(y) - stride * max(number - 19, 0) / frames), *rest])
    file.write_text("\n".join([head + times + first, *rows]), encoding="ascii")
    anew()
    bpy.ops.import_anim.bvh(filepath=str(file), axis_forward="Y", axis_up="Z")  # as Blender writes them
    return imported(), FEET


def rigify(make, addon, path, enable):
    enable("rigify")
    return rigify_person(make, 1.25), (("DEF-foot.L", "DEF-toe.L"), ("DEF-foot.R", "DEF-toe.R"))


def rigify_without_a_clip(make, addon, path, enable):
    found, feet = rigify(make, addon, path, enable)
    found[0].animation_data.action = None
    bpy.data.actions.remove(bpy.data.actions["Walk"])
    return found, feet


def no_bone_means_its_length(make, addon, path, enable):
    rig, body = dancer(make, addon, path, names=("Idle", "Walk_Loop", "Run_Loop"))
    stretched(rig, 100.0)
    return (rig, body), FEET


def with_scaled_parent(make, addon, path, enable):
    rig, body = dancer(make, addon, path, scale=100.0)
    parent = bpy.data.objects.new("Root", None)
    make.link(parent)
    parent.scale = (0.01,) * 3
    rig.parent = parent
    for block in (rig, body):
        block.data.transform(Matrix.Scale(100.0, 4))
    clips = make.actions.clips_in_strips(rig.animation_data)
    for curve in (curve for clip in clips for curve in make.actions.curves_of(clip)):
        for key in curve.keyframe_points if curve.data_path.endswith(".location") else ():
            for point in (key.co, key.handle_left, key.handle_right):
                point.y *= 100.0
    return (parent, rig, body), FEET


def named(statue):
    feet = [[statue.names[f"{part}.{side}"] for part in ("foot", "toe")] for side in "LR"]
    return (statue.rig, statue.body), feet


def vrm(make, addon, path, enable):
    statue = Statue(make, addon, "VRM")
    t_pose(statue)
    hair_and_skirt(statue)
    return named(statue)


def unreal(make, addon, path, enable):
    statue = Statue(make, addon, "Unreal")
    a_pose(statue)
    with_ik_bones(statue)
    return named(statue)


def bones_that_all_point_up(make, addon, path, enable):
    statue = Statue(make, addon, "Unreal")
    upward_bones(statue)
    return named(statue)


def resting_in_a_leap(make, addon, path, enable):
    """Its legs are swung back at rest, so that its feet are high above its origin."""
    statue = Statue(make, addon, "Unreal")

    def change(bones):
        for side in "LR":
            pivot = bones[f"thigh.{side}"].head.copy()
            turn = Matrix.Translation(pivot) @ Matrix.Rotation(0.8, 4, "X") @ Matrix.Translation(-pivot)
            for part in ("thigh", "shin", "foot", "toe"):
                bones[f"{part}.{side}"].transform(turn)

    return named(statue.edit(change))


def posed_large(make, addon, path, enable):
    """As a glTF file whose root joint is scaled is imported: the scale is in the pose, not at rest."""
    statue = Statue(make, addon, "VRM")
    for data in (statue.rig.data, statue.body.data):
        data.transform(Matrix.Scale(0.01, 4))

    def change(bones):
        root = statue.rig.data.edit_bones.new("Root")
        root.head, root.tail = (0.0, 0.0, 0.0), (0.0, 0.002, 0.0)
        bones["hips"].parent = root

    statue.edit(change)
    statue.rig.pose.bones["Root"].scale = (100.0,) * 3
    return named(statue)


def mixamo_without_clips(make, addon, path, enable):
    statue = Statue(make, addon, "Mixamo")
    t_pose(statue)
    long_tails(statue)
    return named(statue)


def make_human(make, addon, path, enable):
    statue = Statue(make, addon, "MakeHuman")
    in_two_pieces(statue)
    pelvis_shoulders_and_toes(statue)
    return named(statue)


def make_human_on_its_back(make, addon, path, enable):
    """As the FBX importer shows files of MakeHuman: it lies at rest, and the poses of root and hips stand it up."""
    statue = Statue(make, addon, "Unreal")
    for data in (statue.rig.data, statue.body.data):
        data.transform(Matrix.Rotation(-np.pi / 2.0, 4, "X"))

    def change(bones):
        root = statue.rig.data.edit_bones.new("Root")
        root.head, root.tail = (0.0, 0.0, 0.0), (0.2, 0.0, 0.0)
        bones["hips"].parent = root

    statue.edit(change)
    root, hips = (statue.rig.pose.bones[name] for name in ("Root", statue.names["hips"]))
    root.matrix = Matrix.Rotation(1.0, 4, "Z") @ root.bone.matrix_local
    bpy.context.view_layer.update()
    hips.matrix = Matrix.Rotation(np.pi / 2.0, 4, "X") @ hips.bone.matrix_local
    bpy.context.view_layer.update()
    return named(statue)


def feet_on_the_root(make, addon, path, enable):
    statue = Statue(make, addon)
    loosen_feet(statue)
    return named(statue)


def bare_bones_that_lie(make, addon, path, enable):
    """As BVH files are often imported: in a unit of 2.5 cm, on the back, and with the origin at the hips."""
    statue = Statue(make, addon, "BVH")
    bpy.data.objects.remove(statue.body)
    hips = statue.rig.data.bones[statue.names["hips"]].head_local
    rig = statue.rig.data
    rig.transform(Matrix.Scale(40.0, 4) @ Matrix.Rotation(-np.pi / 2.0, 4, "X") @ Matrix.Translation(-hips))
    return (statue.rig,), [[statue.names[f"{part}.{side}"] for part in ("foot", "toe")] for side in "LR"]


def hair_and_skirt(statue):
    def change(bones):
        edit = statue.rig.data.edit_bones
        for name, carrier, x in (("Hair1", "head", 0.0), ("Skirt_L", "hips", 0.2), ("Skirt_R", "hips", -0.2)):
            before = bones[carrier]
            for number in range(3):
                bone = edit.new(f"J_Sec_{name}_{number}")
                bone.parent = before
                _, y, z = bones[carrier].head
                bone.head, bone.tail = (x, y + 0.1, z - 0.2 * number), (x, y + 0.1, z - 0.2 * number - 0.2)
                before = bone

    statue.edit(change)


def with_ik_bones(statue):
    def change(bones):
        edit = statue.rig.data.edit_bones
        root = edit.new("ik_foot_root")
        root.head, root.tail = (0.0, 0.0, 0.0), (0.0, 0.1, 0.0)
        for side in "LR":
            bone = edit.new(f"ik_foot_{side.lower()}")
            bone.parent, bone.head = root, bones[f"foot.{side}"].head
            bone.tail = bone.head + bones[f"foot.{side}"].vector

    statue.edit(change)


def in_two_pieces(statue):
    """As MakeHuman has thighs and shins: a second bone carries what follows."""

    def change(bones):
        edit = statue.rig.data.edit_bones
        for side in "LR":
            for part, following in (("thigh", "shin"), ("shin", "foot")):
                first, after = bones[f"{part}.{side}"], bones[f"{following}.{side}"]
                second = edit.new(first.name.replace("01", "02"))
                end, first.tail = first.tail.copy(), first.head.lerp(first.tail, 0.5)
                second.head, second.tail, second.parent, second.roll = first.tail, end, first, first.roll
                after.parent = second

    statue.edit(change)


def pelvis_shoulders_and_toes(statue):
    """The bones that MakeHuman's default rig has between trunk and limbs, and five toes on each foot."""

    def change(bones):
        edit = statue.rig.data.edit_bones

        def add(name, parent, head, tail):
            bone = edit.new(name)
            bone.parent, bone.head, bone.tail = parent, head, tail
            return bone

        for side in "LR":
            hips, thigh, arm, toe = (
                bones[name] for name in ("hips", f"thigh.{side}", f"upper_arm.{side}", f"toe.{side}")
            )
            thigh.parent = add(f"pelvis.{side}", hips, hips.head, thigh.head)
            clavicle = bones[f"clavicle.{side}"]
            arm.parent = add(f"shoulder01.{side}", clavicle, clavicle.head.lerp(arm.head, 0.6), arm.head)
            for number in range(2, 6):
                aside = Vector((0.015 * (number - 2) * (1.0 if side == "L" else -1.0), 0.0, 0.0))
                first = add(f"toe{number}-1.{side}", bones[f"foot.{side}"], toe.head + aside, toe.center + aside)
                add(f"toe{number}-2.{side}", first, toe.center + aside, toe.tail + aside)

    statue.edit(change)


def imported():
    found = [each for each in bpy.context.scene.objects if each.type in {"ARMATURE", "MESH", "EMPTY"}]
    rig = next(each for each in found if each.type == "ARMATURE")
    if not any(each.type == "MESH" for each in found):
        body = bpy.data.objects.new("Body", bpy.data.meshes.new("Body"))
        body.data.from_pydata([(0, 0, 0), (0.2, 0, 0), (0, 0, 1.7)], [], [(0, 1, 2)])
        bpy.context.scene.collection.objects.link(body)
        body.parent = rig
        found.append(body)
    return found


SOURCES = [
    *(gltf, fbx, rigify_without_a_clip, bones_that_all_point_up),
    *(take, bvh, vrm, posed_large, resting_in_a_leap, mixamo_without_clips, make_human, feet_on_the_root),
    make_human_on_its_back,
]
MORE_SOURCES = [
    *(rigify, small_gltf, fast_fbx, no_bone_means_its_length, with_scaled_parent, unreal, stands_after_its_walk),
]
"""Those of which each differs in one more thing from one of the others."""
