# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters that are hardly any: a bake makes what it can of them, and says what it could not do."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Quaternion

pytestmark = pytest.mark.each_blender("rigs as odd as Blender allows them")


def stands_on_its_way(make, trajectories, mover, agent=0, frames=(1, 30, 50)):
    for frame in frames:
        expected = trajectories.position[frame - 1, agent]
        np.testing.assert_allclose(make.matrix(mover, frame)[:3, 3], expected, atol=1e-4)


def baked(make, stage, *objects):
    stage.crowd.characters = make.collection("People", *objects)
    trajectories = make.walk(agents=1)
    (first, *_) = stage.bake(trajectories)
    stands_on_its_way(make, trajectories, first)
    return first


def test_an_armature_without_a_clip(make, stage):
    rig, body = make.rig()
    bpy.data.actions.remove(bpy.data.actions["Rig walk"])
    baked(make, stage, rig, body)
    (told,) = stage.notices
    assert told.startswith("'Rig' has no walk clip: it slides along in its current pose")
    assert told.endswith("Choose a clip for its Walk in the cast table, or name its legs in Parts of the Body")


def test_a_body_whose_armature_was_removed(make, stage):
    rig, body = make.rig()
    if not any(modifier.type == "ARMATURE" for modifier in body.modifiers):
        body.modifiers.new("Armature", "ARMATURE").object = rig
    bpy.data.objects.remove(rig)
    baked(make, stage, body)
    (told,) = [notice for notice in stage.notices if "Armature modifier" in notice]
    assert f"the Armature modifier of '{body.name}' has no armature; choose one in the modifier" in told


def test_a_figure_whose_parts_are_objects_with_a_walk(make, stage):
    torso, leg = make.cube("Torso", 1.7), make.cube("Leg", 0.4)
    leg.parent = torso
    leg.rotation_euler.y = 0.5
    leg.keyframe_insert("rotation_euler", frame=1)
    leg.animation_data.action.name = "walk"
    make.link(torso, leg)
    baked(make, stage, torso, leg)
    (told,) = [notice for notice in stage.notices if "walk" in notice]
    assert told.startswith("'Torso' slides along: its walk 'walk' moves objects and not bones")


@pytest.mark.parametrize("angle", [0.0, 0.5])
def test_a_rig_whose_lower_joints_are_objects(make, stage, angle):
    """Importers make no bones of joints that the skin does not name; of those that rest nothing is said."""
    rig, body = make.rig()
    joint = bpy.data.objects.new("Knee", None)
    joint.parent, joint.parent_type, joint.parent_bone = rig, "BONE", rig.data.bones[0].name
    for frame, turn in ((1, 0.0), (10, angle)):
        joint.rotation_euler.x = turn
        joint.keyframe_insert("rotation_euler", frame=frame)
    make.link(joint)
    baked(make, stage, rig, body, joint)
    told = [notice for notice in stage.notices if "which are no bones" in notice]
    assert len(told) == (1 if angle else 0)
    assert all("also move 'Knee'" in each for each in told)


def test_a_clip_without_motion(make, stage):
    rig, body = make.rig()
    for curve in make.actions.curves_of(make.actions.active_clip(rig.animation_data)):
        for point in curve.keyframe_points:
            point.co.y = point.handle_left.y = point.handle_right.y = 0.0
        curve.update()
    baked(make, stage, rig, body)
    assert any("'Rig'" in notice and "no steps found in 'Rig walk'" in notice for notice in stage.notices)


def test_a_rig_with_no_feet(make, stage):
    rig, body = make.rig()
    clip = make.actions.new_clip("Wave walk", [], group="Bones")
    path = 'pose.bones["spine"].rotation_quaternion'
    turns = np.sin(np.linspace(0.0, 2.0 * np.pi, 25))
    make.actions.add_channels(clip, [make.actions.Channel(path, 3, np.arange(25), 0.3 * turns)], group="Bones")
    make.actions.assign_clip(rig, clip)
    baked(make, stage, rig, body)
    assert any("'Rig'" in notice and "no steps found" in notice for notice in stage.notices)


@pytest.mark.parametrize("kind", ["armature", "mesh"])
def test_a_character_of_no_size(make, stage, kind):
    if kind == "armature":
        rig, body = make.rig()
        rig.scale = (0.0, 0.0, 0.0)
        parts = rig, body
    else:
        parts = (make.cube("Dot"),)
        make.link(*parts)
        parts[0].scale = (0.0, 0.0, 0.0)
    baked(make, stage, *parts)
    assert any(f"'{parts[0].name}'" in notice and "no size" in notice for notice in stage.notices)


def test_a_collection_of_mixed_things(make, stage):
    rig, body = make.rig()
    others = [
        make.cube("Box"),
        bpy.data.objects.new("Empty", None),
        bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT")),
        bpy.data.objects.new("Eye", bpy.data.cameras.new("Eye")),
        bpy.data.objects.new("Line", bpy.data.curves.new("Line", "CURVE")),
        bpy.data.objects.new("Cage", bpy.data.lattices.new("Cage")),
    ]
    make.link(*others)
    stage.crowd.characters = make.collection("People", rig, body, *others)
    trajectories = make.walk(agents=24)
    movers = stage.bake(trajectories)
    assert len(movers) == 24
    for agent, mover in enumerate(movers):
        stands_on_its_way(make, trajectories, mover, agent, frames=(1, 50))
        assert mover.type in {"ARMATURE", "MESH", "CURVE"}  # and no helper
    assert "'Line' has nothing visible" in " ".join(stage.notices)


def test_overridden_characters_of_another_file(make, stage, tmp_path):
    rig, body = make.rig(stride=1.3)
    cast = make.collection("Cast", rig, body)
    path = str(tmp_path / "cast.blend")
    bpy.data.libraries.write(path, {cast})
    bpy.data.batch_remove([cast, rig, body, rig.data, body.data, bpy.data.actions["Rig walk"]])
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.collections = ["Cast"]
    linked = bpy.data.collections["Cast"]
    scene = bpy.context.scene
    own = linked.override_hierarchy_create(scene, bpy.context.view_layer, do_fully_editable=True)
    stage.crowd.characters = own
    trajectories = make.walk(agents=1)
    cast = stage.cast(trajectories)
    assert cast.stride_length(stage.casting.Role("Walkers", 0, 1)) == pytest.approx(1.3, rel=0.01)
    cast.discard()
    (first, *_) = stage.bake(trajectories)
    assert first.library is None
    assert first.override_library is None
    stands_on_its_way(make, trajectories, first)


@pytest.mark.parametrize("scale", [1.0, 0.01])
@pytest.mark.parametrize("degrees", [0.0, 90.0, 180.0, -90.0, 40.0])
def test_which_way_a_rig_looks_is_seen_from_its_walk(make, stage, degrees, scale):
    """Also of one that lies on its back in its own axes, and is a hundred times as large, as FBX files have them."""
    rig, body = make.rig(turned=Matrix.Rotation(math.radians(90.0), 3, "X"), scale=scale)
    rig.rotation_quaternion = Quaternion((0.0, 0.0, 1.0), math.radians(degrees)) @ rig.rotation_quaternion
    stage.crowd.characters, stage.crowd.motion.lean = make.collection("People", rig, body), 0.0
    trajectories = make.walk(agents=1, turn=0.5)
    (first, *_) = stage.bake(trajectories)
    assert stage.notices == []
    for frame in (1, 40):
        ahead = make.matrix(first, frame)[:3, 2] / scale  # of one that lies on its back
        heading = trajectories.heading[frame - 1, 0]
        np.testing.assert_allclose(ahead, [math.cos(heading), math.sin(heading), 0.0], atol=2e-2)
