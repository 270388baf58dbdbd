# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs whose feet follow IK controls: keys on the controls plant them, measured on evaluated bones."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from tests.sweeps import sweep

from ...contents import all_values, differing
from ...street import new_path
from .ways import balls, on_a_way, slides

STRIDE = 0.9
FRAMES = 120
DEFORMING = ("foot.L", "foot.R")


def bend_of_a_metre(make):
    """Two people in a left-hand bend of 1 m radius at 0.6 to 1.2 m/s, coming and going."""
    speed = 0.9 + 0.3 * np.sin(np.linspace(0.0, 3.0 * np.pi, FRAMES))
    return on_a_way(make, speed / 1.0, speed)


def ik_person(make, *, rotation_mode="XYZ", local_location=True, turned=0.0):
    """A rig with legs of thigh, shin and foot that IK bends towards `target.L` and `target.R`, keyed by its walk."""
    rig = bpy.data.objects.new("Puppet", bpy.data.armatures.new("Puppet"))
    make.link(rig)
    rig.rotation_euler.z = turned
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bones = {"root": ((0, 0, 0), (0, 0.3, 0), None, False), "hips": ((0, 0, 0.9), (0, 0, 1.1), "root", True)}
    bones["spine"] = ((0, 0, 1.1), (0, 0, 1.7), "hips", True)
    for side, x in (("L", 0.1), ("R", -0.1)):
        bones[f"thigh.{side}"] = (x, 0.0, 0.9), (x, -0.02, 0.48), "hips", True
        bones[f"shin.{side}"] = (x, -0.02, 0.48), (x, 0.0, 0.09), f"thigh.{side}", True
        bones[f"foot.{side}"] = (x, 0.0, 0.09), (x, -0.14, 0.02), f"shin.{side}", True
        bones[f"target.{side}"] = (x, 0.0, 0.09), (x, 0.2, 0.09), "root", False
        bones[f"sole.{side}"] = *bones[f"foot.{side}"][:2], f"target.{side}", False
    for name, (head, tail, parent, deforms) in bones.items():
        bone = rig.data.edit_bones.new(name)
        bone.head, bone.tail, bone.use_deform = head, tail, deforms
        if parent is not None:
            bone.parent = rig.data.edit_bones[parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    for side in "LR":
        ik = rig.pose.bones[f"shin.{side}"].constraints.new("IK")
        ik.target, ik.subtarget, ik.chain_count = rig, f"target.{side}", 2
        turn = rig.pose.bones[f"foot.{side}"].constraints.new("COPY_ROTATION")
        turn.target, turn.subtarget = rig, f"sole.{side}"
        rig.pose.bones[f"target.{side}"].rotation_mode = rotation_mode
        rig.data.bones[f"target.{side}"].use_local_location = local_location
    key_a_walk(make, rig)
    body = make.cube("Puppet body", 1.6)
    make.link(body)
    body.parent = rig
    return rig, body


def key_a_walk(make, rig):
    """Controls that go back with the ground for half of the run, and forth through the air."""
    phase = np.arange(make.WALK_FRAMES + 1) / make.WALK_FRAMES
    frames, channels = np.arange(len(phase)) + 1, []
    for side, shift in (("L", 0.0), ("R", 0.5)):
        own = (phase + shift) % 1.0
        swing = np.clip(2.0 * own - 1.0, 0.0, 1.0)
        ahead = np.where(own < 0.5, STRIDE / 4 - STRIDE * own, -STRIDE / 4 + STRIDE / 2 * swing)
        bone = rig.data.bones[f"target.{side}"]
        axes = bone.matrix_local.to_3x3() if bone.use_local_location else Matrix.Identity(3)
        places = np.column_stack([0.0 * ahead, -ahead, 0.12 * np.sin(np.pi * swing)]) @ np.array(axes)
        path = f'pose.bones["{bone.name}"].location'
        channels += [make.actions.Channel(path, axis, frames, places[:, axis]) for axis in range(3)]
    low = make.actions.Channel('pose.bones["hips"].location', 1, frames[:1], [-0.07])
    make.actions.assign_clip(rig, make.actions.new_clip("Walk", [*channels, low], group="Bones"))


def baked_in_a_bend(make, stage, person):
    """What plays the two people in a bend of a metre's radius when they look like a person of these objects."""
    stage.crowd.characters = make.collection("People", *person)
    return stage.bake(bend_of_a_metre(make))


def feet_stand(make, stage, feet, person):
    """Bakes a bend with a metre's radius, and tells how far evaluated feet slide in each contact [m]."""
    figures = baked_in_a_bend(make, stage, person)
    found = np.concatenate([slides(each) for each in balls(make, figures, FRAMES, feet)])
    assert len(found) >= 10
    return figures, found


@pytest.mark.each_blender("constraints are evaluated")
@pytest.mark.parametrize("mode", ["XYZ", "QUATERNION", "AXIS_ANGLE"])
@pytest.mark.parametrize("local_location", sweep([True, False], everywhere=1))
def test_feet_that_follow_controls_stand_in_bends(make, stage, mode, local_location):
    person = ik_person(make, rotation_mode=mode, local_location=local_location, turned=0.5)
    figures, found = feet_stand(make, stage, DEFORMING, person)
    assert found.mean() < 0.01
    assert np.percentile(found, 99) < 0.03
    assert stage.notices == []
    clip = figures[0].animation_data.nla_tracks["Footfall feet"].strips[0]
    paths = {curve.data_path for curve in make.actions.curves_of(make.actions.clips_of_action(clip.action)[0])}
    assert {path.split('"')[1] for path in paths} == {"target.L", "target.R"}


def test_feet_slide_when_ik_feet_are_not_to_be_keyed_and_that_is_told(make, stage):
    stage.crowd.motion.keys_ik_feet = False
    figures, found = feet_stand(make, stage, DEFORMING, ik_person(make))
    assert found.mean() > 0.02
    assert not any("Footfall feet" in figure.animation_data.nla_tracks for figure in figures)
    assert stage.notices == ["'Puppet': its feet are not planted, because they follow IK controls: turn on Key IK Feet"]


def test_a_control_that_does_not_move_its_foot_is_left_alone(make, stage):
    rig, body = ik_person(make)
    for side in "LR":
        still = rig.pose.bones[f"shin.{side}"].constraints["IK"]
        still.influence = 0.3
    figures = baked_in_a_bend(make, stage, (rig, body))
    assert not any("Footfall feet" in figure.animation_data.nla_tracks for figure in figures)
    assert any("its feet are not planted, because constraints move its legs" in notice for notice in stage.notices)


def keyed_bones(make, figure):
    """Names of the bones that are keyed so that feet stand."""
    tracks = figure.animation_data.nla_tracks
    actions = {strip.action for track in tracks if track.name == "Footfall feet" for strip in track.strips}
    curves = [curve for each in actions for curve in make.actions.curves_of(make.actions.clips_of_action(each)[0])]
    return {curve.data_path.split('"')[1] for curve in curves}


def bones_keyed_for(make, stage, person):
    """Names of the bones that are keyed so that the feet of a person stand in that bend."""
    return keyed_bones(make, baked_in_a_bend(make, stage, person)[0])


def key_in_place(make, rig, bones):
    """Put keys on bones that turn them as constraints do now, and take their constraints off."""
    turns = {name: [] for name in bones}
    frames = np.arange(make.WALK_FRAMES + 1) + 1
    for frame in frames:
        seen = make.evaluated(rig, frame).pose.bones
        for name in bones:
            bone = seen[name]
            own = bone.bone.convert_local_to_pose(
                bone.matrix,
                bone.bone.matrix_local,
                parent_matrix=bone.parent.matrix,
                parent_matrix_local=bone.parent.bone.matrix_local,
                invert=True,
            )
            turns[name].append(own.to_quaternion())
    clip = make.actions.clips_of_action(rig.animation_data.action)[0]
    for name in bones:
        bone = rig.pose.bones[name]
        for constraint in list(bone.constraints):
            bone.constraints.remove(constraint)
        bone.rotation_mode = "QUATERNION"
        values, path = np.array(turns[name]), f'pose.bones["{name}"].rotation_quaternion'
        own = [make.actions.Channel(path, axis, frames, values[:, axis]) for axis in range(4)]
        make.actions.add_channels(clip, own, group="Bones")


LEFT = ("thigh.L", "shin.L", "foot.L")


def test_what_moves_the_whole_body_is_no_control_of_a_foot(make, stage):
    """The target of the right foot follows another bone, and so the only keyed bone over it is the root of all."""
    rig, body = ik_person(make)
    key_in_place(make, rig, LEFT)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    ghost, target = rig.data.edit_bones.new("ghost.R"), rig.data.edit_bones["target.R"]
    ghost.head, ghost.tail, ghost.roll, ghost.parent = target.head, target.tail, target.roll, target.parent
    bpy.ops.object.mode_set(mode="OBJECT")
    follow = rig.pose.bones["target.R"].constraints.new("COPY_LOCATION")
    follow.target, follow.subtarget = rig, "ghost.R"
    clip = make.actions.clips_of_action(rig.animation_data.action)[0]
    for curve in make.actions.curves_of(clip):
        curve.data_path = curve.data_path.replace("target.R", "ghost.R")
    phase = np.arange(make.WALK_FRAMES + 1) / make.WALK_FRAMES
    sway = make.actions.Channel(
        'pose.bones["root"].location', 0, np.arange(len(phase)) + 1, 0.02 * np.sin(2.0 * np.pi * phase)
    )
    make.actions.add_channels(clip, [sway], group="Bones")
    assert bones_keyed_for(make, stage, (rig, body)) == set(LEFT)
    (notice,) = (each for each in stage.notices if "planted" in each)
    assert notice.startswith("'Puppet': the leg of 'shin.R' is not planted, because constraints move it")


def test_a_control_that_takes_the_hips_along_is_left_alone(make, stage):
    """The hips stand half way between the targets of the feet, as in rigs that find their balance by themselves."""
    rig, body = ik_person(make)
    for side in "LR":
        follow = rig.pose.bones["hips"].constraints.new("COPY_LOCATION")
        follow.target, follow.subtarget = rig, f"target.{side}"
        follow.use_z, follow.influence = False, 0.4
    assert bones_keyed_for(make, stage, (rig, body)) == set()
    assert any("'Puppet': its feet are not planted" in notice for notice in stage.notices)


def follow_sideways(rig, bone, target, influence):
    follow = rig.pose.bones[bone].constraints.new("COPY_LOCATION")
    follow.target, follow.subtarget, follow.influence = rig, target, influence
    follow.use_y = follow.use_z = False
    follow.owner_space = follow.target_space = "POSE"  # in which the person looks along -Y


def test_a_control_that_takes_the_chest_along_is_left_alone(make, stage):
    rig, body = ik_person(make)
    follow_sideways(rig, "spine", "target.L", 0.5)
    assert bones_keyed_for(make, stage, (rig, body)) == {"target.R"}
    (notice,) = stage.notices
    assert notice.startswith("'Puppet': the leg of 'shin.L' is not planted, because constraints move it")


def test_a_control_that_takes_a_leg_with_keys_along_is_left_alone(make, stage):
    """The left leg has keys on its bones, and hangs on a bone that goes with the right foot."""
    rig, body = ik_person(make)
    key_in_place(make, rig, LEFT)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    pelvis, thigh = rig.data.edit_bones.new("pelvis.L"), rig.data.edit_bones["thigh.L"]
    pelvis.head, pelvis.tail, pelvis.parent = thigh.head, thigh.tail, thigh.parent
    thigh.parent = pelvis
    bpy.ops.object.mode_set(mode="OBJECT")
    follow_sideways(rig, "pelvis.L", "target.R", 0.5)
    assert bones_keyed_for(make, stage, (rig, body)) == set(LEFT)
    (notice,) = (each for each in stage.notices if "planted" in each)
    assert notice.startswith("'Puppet': the leg of 'shin.R' is not planted, because constraints move it")


def test_the_one_foot_that_cannot_be_planted_is_named(make, stage):
    rig, body = ik_person(make)
    rig.pose.bones["shin.R"].constraints["IK"].influence = 0.3
    assert bones_keyed_for(make, stage, (rig, body)) == {"target.L"}
    (notice,) = stage.notices
    assert notice.startswith("'Puppet': the leg of 'shin.R' is not planted, because constraints move it: bake its ")


def test_legs_of_two_kinds_are_both_planted(make, stage):
    """The left leg has keys on its bones, the right one follows a control."""
    rig, body = ik_person(make)
    key_in_place(make, rig, LEFT)
    figures, found = feet_stand(make, stage, DEFORMING, (rig, body))
    assert found.mean() < 0.01
    assert np.percentile(found, 99) < 0.03
    assert keyed_bones(make, figures[0]) == {*LEFT, "target.R"}
    assert stage.notices == []
    stage.crowd.motion.keys_ik_feet = False
    figures = stage.bake(bend_of_a_metre(make))
    assert keyed_bones(make, figures[0]) == set(LEFT)
    assert stage.notices == [
        "'Puppet': the leg of 'shin.R' is not planted, because it follows IK controls: turn on Key IK Feet"
    ]


def test_nothing_is_left_behind_of_keyed_controls(make, stage):
    rig, body = ik_person(make)
    stage.crowd.characters = make.collection("People", rig, body)
    before, own = make.data_blocks(), rig.animation_data.action
    once = None
    for _ in range(2):
        stage.bake(bend_of_a_metre(make))
        assert once in (None, make.data_blocks())
        once = make.data_blocks()
    assert rig.animation_data.action == own
    assert not rig.animation_data.nla_tracks
    assert all(tuple(bone.location) == (0.0, 0.0, 0.0) for bone in rig.pose.bones if bone.name != "hips")
    stage.clear()
    assert make.data_blocks() == before


@pytest.mark.once
def test_a_bake_with_keyed_ik_feet_is_one_undo_step_and_comes_back_key_by_key(make, stage):
    """Twice, with a bake of keyed feet in the place of another; the user's rig is as it was each time."""
    angles = np.linspace(0.0, np.pi, 30)
    places = np.column_stack([1.5 * np.sin(angles), -1.5 * np.cos(angles), 0.0 * angles])
    bend = new_path("Bend", stage.scene.collection, places)
    stage.crowd.route, stage.crowd.count = bend, 2
    stage.crowd.characters = make.collection("People", *ik_person(make))
    stage.scene.frame_start, stage.scene.frame_end = 1, 60

    def tracks():
        return [each for rig in bpy.data.objects if rig.animation_data for each in rig.animation_data.nla_tracks]

    def feet(frame):
        people = [bpy.data.objects[f"Walkers 00{number}"] for number in (1, 2)]
        return np.array(
            [each.pose.bones[foot].tail[:] for each in make.all_evaluated(people, frame) for foot in DEFORMING]
        )

    def must_be(state):
        """All of it, but whether Blender counts a scene among its own users, which undo settles anew."""
        assert [each for each in differing(state, all_values()) if not each.startswith("scenes['Scene'].used by")] == []

    bpy.ops.ed.undo_push(message="before")
    states = [all_values()]
    for count in (2, 3):
        bpy.context.scene.footfall.crowds[0].count = count
        bpy.ops.ed.undo_push(message="count")
        states.append(all_values())
        assert bpy.ops.footfall.bake("EXEC_DEFAULT", True) == {"FINISHED"}
        assert sum(track.name == "Footfall feet" for track in tracks()) == count
        states.append(all_values())
    stood = feet(30)
    for state in reversed(states[:-1]):
        bpy.ops.ed.undo()
        must_be(state)
    assert not any(track.name == "Footfall feet" for track in tracks())
    for state in states[1:]:
        bpy.ops.ed.redo()
        must_be(state)
    np.testing.assert_allclose(feet(30), stood, atol=1e-6)


def test_feet_on_controls_that_never_stand_are_told_of_as_such(make, stage):
    stage.crowd.stride_length = 4.0 * STRIDE
    baked_in_a_bend(make, stage, ik_person(make))
    (told,) = (notice for notice in stage.notices if "planted" in notice)
    assert told.startswith("'Puppet': its feet are not planted, because none of them stands still on the ground")
