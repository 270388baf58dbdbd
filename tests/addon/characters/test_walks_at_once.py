# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters of all sources walk at the first bake, no setting touched: judged by what is seen of their feet."""

import bpy
import numpy as np
import pytest

from tests.sweeps import sweep

from .origins import MORE_SOURCES, SOURCES, bare_bones_that_lie, named, rigify_without_a_clip
from .statues import Statue
from .strangers import dancer, walking, ways_of_feet

pytestmark = pytest.mark.each_blender("importers, Rigify, and what is evaluated")

FRAMES, SPEED = 84, 1.3


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Blender's own reader leaves it open
@pytest.mark.parametrize(
    "source",
    sweep([*SOURCES, *MORE_SOURCES], usual=len(SOURCES), everywhere=3),
    ids=lambda source: source.__name__,
)
def test_who_comes_from_there_walks_at_once(make, stage, enabled, tmp_path, source):
    objects, feet = source(make, stage.addon, tmp_path, enabled)
    stage.crowd.characters = make.collection("Characters", *objects)
    stage.crowd.forward_axis = "AUTO"
    (mover,) = stage.bake(make.walk(agents=1, frames=(1, FRAMES), speed=SPEED))
    stance, swing, slide = walked(mover, feet)
    assert 0.5 < stance.mean() < 0.65
    assert np.ptp(stance) < 0.1
    assert 0.6 < swing < 0.85
    assert slide < 0.01


@pytest.mark.once
def test_bones_without_a_mesh_stand_up_on_the_ground_in_the_size_of_people(make, stage, enabled, tmp_path):
    objects, feet = bare_bones_that_lie(make, stage.addon, tmp_path, enabled)
    stage.crowd.characters = make.collection("Characters", *objects)
    stage.crowd.forward_axis = "AUTO"
    (mover,) = stage.bake(make.walk(agents=1, frames=(1, FRAMES), speed=SPEED))
    stance, swing, slide = walked(mover, feet)
    assert 0.5 < stance.mean() < 0.65
    assert 0.6 < swing < 0.85
    assert slide < 0.01
    ground = mover.matrix_world.translation.z
    heights = [(mover.matrix_world @ bone.head).z - ground for bone in mover.pose.bones]
    assert 0.0 < min(heights) < 0.05
    assert 1.4 < max(heights) < 1.8
    lie, measure, *_ = stage.notices
    assert lie.startswith("'Statue' has no mesh, and its bones lie:")
    assert measure.startswith("'Statue' has no mesh, and its bones measure 69.")
    assert objects[0].scale[:] == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("behind", sweep([2.0, 0.15], usual=1, everywhere=0))
def test_a_body_walks_where_it_stands(make, stage, tmp_path, behind):
    """Whose walk is behind its origin would hop back as it starts."""
    rig, body = dancer(make, stage.addon, tmp_path)
    (walk,) = (clip for clip in make.actions.clips_in_strips(rig.animation_data) if clip.action.name == "walk")
    curve = next(
        each
        for each in make.actions.curves_of(walk)
        if each.data_path == 'pose.bones["hips"].location' and each.array_index == 2
    )
    for key in curve.keyframe_points:
        for point in (key.co, key.handle_left, key.handle_right):
            point.y -= behind  # the bone points up, and the body looks along -Y
    values = [key.co.y for key in curve.keyframe_points]
    stage.crowd.characters = make.collection("Characters", rig, body)
    (mover,) = stage.bake(make.walk(agents=1, frames=(1, FRAMES), speed=SPEED))
    hips = np.zeros((FRAMES, 3))
    for frame in range(FRAMES):
        bpy.context.scene.frame_set(frame + 1)
        seen = mover.evaluated_get(bpy.context.view_layer.depsgraph)
        hips[frame] = (seen.matrix_world @ seen.pose.bones["hips"].head) - seen.matrix_world.translation
    assert np.abs(hips[24:].mean(axis=0)[:2]).max() < 0.05
    assert [key.co.y for key in curve.keyframe_points] == values  # the user's stay


@pytest.mark.once
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_rig_of_controls_plays_the_clip_of_another_skeleton(make, stage, enabled, tmp_path):
    objects, feet = rigify_without_a_clip(make, stage.addon, tmp_path, enabled)
    walking(make, stage.addon, "Mixamo")
    stage.crowd.characters = make.collection("Characters", *objects)
    stage.crowd.forward_axis = "AUTO"
    (mover,) = stage.bake(make.walk(agents=1, frames=(1, FRAMES), speed=SPEED))
    stance, swing, slide = walked(mover, feet)
    assert stage.notices == ["'rig' (Person body) has no walk of its own: it plays 'Walking', made for other bones"]
    assert 0.45 < stance.mean() < 0.65  # 0.49; with the gait that is made for its own legs 0.57
    assert 0.6 < swing < 0.85
    assert slide < 0.01


@pytest.mark.once
def test_legs_are_planted_that_are_too_short_to_be_known_by_their_place(make, stage):
    """As cartoons have them: hips lower than a quarter of the height, and carrying both legs."""
    statue = Statue(make, stage.addon, "Unreal")

    def change(bones):
        low = 0.3 * bones["thigh.L"].head.z
        for name, bone in bones.items():
            is_leg = name[:-2] in ("thigh", "shin", "foot", "toe")
            bone.head.z, bone.tail.z = (0.3 * z if is_leg else z - 0.7 / 0.3 * low for z in (bone.head.z, bone.tail.z))

    statue.edit(change)
    objects, feet = named(statue)
    stage.crowd.characters = make.collection("Characters", *objects)
    (mover,) = stage.bake(make.walk(agents=1, frames=(1, FRAMES), speed=0.5))
    stance, _, slide = walked(mover, feet)
    assert 0.5 < stance.mean() < 0.65
    assert slide < 0.01


def walked(mover, feet):
    """Share of the time that each foot stands, how far they are apart over the height, and how far they slide [m]."""
    rig = next(each for each in (mover, *mover.children_recursive) if each.type == "ARMATURE")
    bpy.context.scene.frame_set(1)
    seen = rig.evaluated_get(bpy.context.view_layer.depsgraph)
    top = 1.04 * max((seen.matrix_world @ bone.head).z for bone in seen.pose.bones)
    joints, body = ways_of_feet(mover, rig, feet, FRAMES)
    height = top - body[0, 2]
    steps = np.diff(joints[..., :2], axis=2)
    moved, speed = np.linalg.norm(steps, axis=3), np.linalg.norm(np.diff(body, axis=0), axis=1)
    stands = moved < 0.15 * speed
    ahead = (body[-1] - body[0]) / np.linalg.norm(body[-1] - body[0])
    apart = np.ptp((joints[0, 0] - joints[1, 0]) @ ahead)
    down = joints[..., 2] < joints[..., 2].min(axis=2, keepdims=True) + 0.01
    stands_on_ball = stands[:, 1] & down[:, 1, 1:] & down[:, 1, :-1]
    slides = [
        np.linalg.norm(np.ptp(joints[side, 1, first : last + 1, :2], axis=0))
        for side in (0, 1)
        for first, last in runs(stands_on_ball[side])
        if last - first > 3
    ]
    shares = np.array([share_in_strides(each) for each in stands.any(axis=1)])
    return shares, apart / height, np.median(slides or [np.inf])


def share_in_strides(stands):
    """Share of the time that a foot stands in whole strides, from its first landing to its last."""
    landings = np.flatnonzero(np.diff(stands.astype(int)) > 0) + 1
    return stands[landings[0] : landings[-1]].mean() if len(landings) > 1 else stands.mean()


def runs(mask):
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return edges.reshape(-1, 2)
