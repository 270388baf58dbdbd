# SPDX-License-Identifier: GPL-3.0-or-later
"""What animators do next with a baked crowd: export it, push its actions into NLA tracks, edit its keys."""

import bpy
import numpy as np
import pytest

pytestmark = pytest.mark.each_blender("exporters, NLA tracks and the editing of keys")

FRAMES = (1, 24)

WAYS = {
    "usd": (
        lambda path: bpy.ops.wm.usd_export(filepath=path, export_animation=True),
        lambda path: bpy.ops.wm.usd_import(filepath=path),
    ),
    "abc": (
        lambda path: bpy.ops.wm.alembic_export(filepath=path, start=FRAMES[0], end=FRAMES[1], as_background_job=False),
        lambda path: bpy.ops.wm.alembic_import(filepath=path, as_background_job=False),
    ),
    "fbx": (
        lambda path: bpy.ops.export_scene.fbx(
            filepath=path,
            bake_anim_simplify_factor=0.0,
            bake_anim_use_all_actions=False,
            bake_anim_use_nla_strips=False,
        ),
        lambda path: bpy.ops.import_scene.fbx(filepath=path, anim_offset=0.0),
    ),
    "glb": (
        lambda path: bpy.ops.export_scene.gltf(
            filepath=path, export_animation_mode="SCENE", export_anim_scene_split_object=False
        ),
        lambda path: bpy.ops.import_scene.gltf(filepath=path),
    ),
}


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")  # Blender's own, of FBX in 5.2
@pytest.mark.parametrize("way", WAYS)
def test_an_exported_crowd_comes_back_at_the_same_places(make, stage, tmp_path, way):
    stage.scene.frame_start, stage.scene.frame_end = FRAMES
    stage.crowd.characters = make.collection("Boxes", make.cube("Box", 0.5))
    stage.crowd.forward_axis = "POS_X"
    trajectories = make.walk(agents=3, frames=FRAMES, speed=1.4, turn=1.5)
    stage.bake(trajectories)
    path = str(tmp_path / f"crowd.{way}")
    write, read = WAYS[way]
    assert write(path) == {"FINISHED"}
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = 24
    assert read(path) == {"FINISHED"}
    for row in (0, 9, 22):
        bpy.context.scene.frame_set(row + 1)
        there = np.array([list(each.matrix_world.translation) for each in bpy.context.scene.objects])
        away = np.linalg.norm(trajectories.position[row][:, None] - there[None], axis=2).min(axis=1)
        assert away.max() < 1e-3


def test_actions_and_tracks_have_names_to_find_them_by(make, stage):
    (figure,) = stage.bake(make.walk(agents=1, turn=1.0))
    clip = make.actions.active_clip(figure.animation_data)
    assert clip.action.name == "Walkers 001"
    assert clip.slot is None or clip.slot.name_display == "Walkers 001"
    tracks = list(figure.animation_data.nla_tracks)
    assert tracks
    assert all(track.name.startswith("Footfall ") for track in tracks)
    assert all(strip.action.name in bpy.data.actions for track in tracks for strip in track.strips)


def test_a_path_that_is_pushed_into_a_track_plays_as_before(make, stage):
    (figure,) = stage.bake(make.walk(agents=1, turn=1.0))
    before = [make.matrix(figure, frame) for frame in (1, 20, 33.5)]
    clip = make.actions.active_clip(figure.animation_data)
    make.actions.add_strip(figure.animation_data.nla_tracks.new(), "Path", clip, 1)
    figure.animation_data.action = None
    after = [make.matrix(figure, frame) for frame in (1, 20, 33.5)]
    np.testing.assert_allclose(after, before, atol=1e-5)


def test_a_key_can_be_moved_by_hand(make, stage):
    stage.crowd.characters = make.collection("Boxes", make.cube("Box", 0.5))
    box = stage.bake(make.walk(agents=1))[0]
    x = make.matrix(box, 20)[0, 3]
    curve = make.curves(box, "location")[0]
    curve.keyframe_points[19].co.y += 0.5
    curve.update()
    assert make.matrix(box, 20)[0, 3] == pytest.approx(x + 0.5, abs=1e-5)
