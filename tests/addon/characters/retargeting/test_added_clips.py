# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips of a folder: of every format, without anything else that importers bring, and played by other bodies."""

import json

import bpy
import numpy as np
import pytest

from ..statues import Statue, t_pose
from ..strangers import anew, walking
from .gait import angles, check_walk, joints, walked

pytestmark = [
    pytest.mark.each_blender("importers and slots"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),  # Blender leaves BVH files open
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture
def folder(make, addon, tmp_path):
    """A walk as each exporter writes it at 30 frames a second, and files that are none."""
    scene = bpy.context.scene
    source = walking(make, addon, "Mixamo")
    bpy.data.batch_remove([action for action in bpy.data.actions if action != source.walk.action])
    source.walk.action.name = "mixamo.com"
    first, last = (int(frame) for frame in make.actions.clip_range(source.walk))
    moving = joints(make, source.rig, source.names, range(first, last + 1))
    scene.render.fps, scene.frame_start, scene.frame_end = 30, first, last
    source.rig.select_set(True)
    bpy.context.view_layer.objects.active = source.rig
    only = {"bake_anim_use_all_actions": False, "bake_anim_use_nla_strips": False, "bake_anim_simplify_factor": 0.0}
    bpy.ops.export_scene.gltf(filepath=str(tmp_path / "Walking.glb"), use_selection=True)
    bpy.ops.export_scene.fbx(filepath=str(tmp_path / "Walk Forward.fbx"), use_selection=True, **only)
    bpy.ops.export_anim.bvh(filepath=str(tmp_path / "Stroll.bvh"), frame_start=first, frame_end=last)
    without_skin(tmp_path / "Walking.glb", tmp_path / "Amble.glb")
    (tmp_path / "Broken.glb").write_bytes(b"nothing")
    (tmp_path / "Notes.txt").write_bytes(b"nothing")
    anew()
    scene.render.fps, scene.frame_start, scene.frame_end = 24, 5, 77
    scene.frame_set(9)
    return tmp_path, moving, (last - first) / 30.0


def without_skin(path, bare):
    """Write a binary glTF file without its skins: its joints are nodes like others."""
    content = path.read_bytes()
    end = 20 + int.from_bytes(content[12:16], "little")
    scene = json.loads(content[20:end])
    assert scene.pop("skins")
    scene.pop("meshes", None)
    scene["nodes"] = [{k: v for k, v in node.items() if k not in {"skin", "mesh"}} for node in scene["nodes"]]
    text = json.dumps(scene).encode()
    text += b" " * (-len(text) % 4)
    sizes = b"".join(size.to_bytes(4, "little") for size in (20 + len(text) + len(content) - end, len(text)))
    bare.write_bytes(content[:8] + sizes + b"JSON" + text + content[end:])


def state():
    scene, layer = bpy.context.scene, bpy.context.view_layer
    chosen = [each.name for each in bpy.context.selected_objects], layer.objects.active.name, bpy.context.mode
    return scene.render.fps, scene.frame_start, scene.frame_end, scene.frame_current, scene.name, layer.name, chosen


def test_only_the_clips_of_a_folder_are_kept(make, addon, folder, capfd, cast_told):
    path, moving, seconds = folder
    cube = make.cube("Mine")
    make.link(cube)
    cube.select_set(True)
    bpy.context.view_layer.objects.active = cube
    bpy.ops.object.mode_set(mode="EDIT")
    blocks, before = make.data_blocks(), state()
    assert bpy.ops.footfall.add_clips(directory=str(path)) == {"FINISHED"}
    assert state() == before
    assert cast_told == [bpy.context.scene], "the cast table is filled again"
    bpy.ops.object.mode_set(mode="OBJECT")
    assert make.data_blocks() == blocks | {"actions": ["Amble", "Stroll", "Walk Forward", "Walking"]}
    assert "'Broken.glb' could not be read: Bad glTF" in capfd.readouterr().out
    foreign = addon.module("blender_addon.characters.retargeting.foreign_clips")
    statue = Statue(make, addon, "VRM")
    t_pose(statue)
    for action in [each for each in bpy.data.actions if "footfall_skeleton" in each]:
        assert action.use_fake_user
        (clip,) = make.actions.clips_of_action(action)
        assert np.diff(make.actions.clip_range(clip))[0] / 24.0 == pytest.approx(seconds, abs=1e-3)
        adapted = foreign.adapted_to(clip, statue.rig, statue.rig, bpy.context.scene)
        make.actions.assign_clip(statue.rig, adapted)
        _, last = make.actions.clip_range(adapted)
        ends = joints(make, statue.rig, statue.names, [0.0, last])
        whole = {name: points[[0, -1]] for name, points in moving.items()}
        assert max(angles(whole, ends).values()) < 3.0, action.name


def test_who_has_no_clip_walks_as_the_folder_says(make, stage, folder):
    path, _, _ = folder
    bpy.ops.footfall.add_clips(directory=str(path))
    statue = Statue(make, stage.addon, "Unreal")
    check_walk(*walked(make, stage, statue))
    assert "made for other bones" in stage.notices[0]


def test_a_folder_without_files_is_refused(addon, tmp_path):
    with pytest.raises(RuntimeError, match="There is no FBX, glTF or BVH file in"):
        bpy.ops.footfall.add_clips(directory=str(tmp_path))
