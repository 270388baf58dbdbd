# SPDX-License-Identifier: GPL-3.0-or-later
"""Who has a walk, but no clip for standing and no body like ours, stands on all feet instead of in mid-step."""

import bpy
import numpy as np
import pytest

LEGS = {"fore.L": (-0.5, 0.15), "fore.R": (-0.5, -0.15), "hind.L": (0.5, 0.15), "hind.R": (0.5, -0.15)}


@pytest.fixture
def hound(make):
    """A quadruped that trots on the spot, turned by quaternions; it looks along -X."""
    rig = bpy.data.objects.new("Hound", bpy.data.armatures.new("Hound"))
    make.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    trunk = rig.data.edit_bones.new("trunk")
    trunk.head, trunk.tail = (0.5, 0.0, 0.8), (-0.5, 0.0, 0.8)
    for name, (x, y) in LEGS.items():
        carrier = trunk
        for part, high, low, ahead in (("upper", 0.75, 0.4, 0.0), ("lower", 0.4, 0.05, 0.0), ("paw", 0.05, 0.0, 0.1)):
            bone = rig.data.edit_bones.new(f"{name} {part}")
            bone.head, bone.tail, bone.parent = (x, y, high), (x - ahead, y, low), carrier
            carrier = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    phase, channels = np.arange(25) / 24.0, []
    for name in LEGS:
        own = 2.0 * np.pi * (phase + 0.5 * (name in {"fore.R", "hind.L"}))
        axis = np.array(rig.data.bones[f"{name} upper"].matrix_local.to_3x3().inverted())[:, 1]
        for part, angle in (("upper", 0.4 * np.sin(own)), ("lower", -0.5 * np.maximum(np.cos(own), 0.0))):
            turns = np.column_stack([np.cos(angle / 2.0), np.sin(angle / 2.0)[:, None] * axis])
            path = f'pose.bones["{name} {part}"].rotation_quaternion'
            channels += [make.actions.Channel(path, k, np.arange(25), turns[:, k]) for k in range(4)]
    make.actions.assign_clip(rig, make.actions.new_clip("Hound walk", channels, group="Bones"))
    body = make.cube("Hound body", 0.3)
    make.link(body)
    body.parent = rig
    return rig, body


def paws(make, figure, frame):
    seen = make.evaluated(figure, frame)
    return np.array([seen.matrix_world @ seen.pose.bones[f"{name} paw"].head for name in LEGS])


@pytest.mark.each_blender("quaternions in Actions")
def test_a_quadruped_stands_on_all_fours(make, stage, hound):
    stage.crowd.characters = make.collection("Hounds", *hound)
    stage.crowd.motion.plants_feet = False
    walking = make.walk(agents=1, frames=(1, 24), speed=1.0)
    (figure,) = stage.bake(walking)
    ground = min(paws(make, figure, frame)[:, 2].min() for frame in range(1, 25)) - walking.position[0, 0, 2]
    lifted = max(np.ptp(paws(make, figure, frame)[:, 2]) for frame in range(1, 25))
    assert lifted > 0.03
    standing = make.walk(agents=1, frames=(1, 24), speed=0.0)
    (figure,) = stage.bake(standing)
    heights = paws(make, figure, 12)[:, 2] - standing.position[0, 0, 2]
    assert np.ptp(heights) < 0.005
    assert heights.min() == pytest.approx(ground, abs=0.02)
    named = {action.name for action in bpy.data.actions}
    assert "Hound idle" in {name.removeprefix("Walkers ") for name in named}
    stage.clear()
    assert [action.name for action in bpy.data.actions] == ["Hound walk"]


@pytest.mark.once
def test_a_clip_is_moved_from_where_its_root_is_posed(make, addon, hound):
    rig, _ = hound
    rig.pose.bones["trunk"].location = (0.1, 0.2, 0.3)
    animation, clips, standing = (
        addon.module(f"blender_addon.{name}")
        for name in ("blender_data.animation", "characters.clips.clips", "characters.retargeting.standing")
    )
    before = paws(make, rig, 6)
    walk = clips.WalkCycle("Walk", animation.active_clip(rig.animation_data), is_copy=False, length=24.0)
    moved = standing.moved_cycle(walk, np.array([0.0, 0.0, 0.1]), rig, rig)
    animation.assign_clip(rig, moved.clip)
    assert paws(make, rig, 6) - before == pytest.approx(np.tile([0.0, 0.0, 0.1], (4, 1)), abs=1e-5)


@pytest.mark.once
def test_bones_that_follow_the_root_by_constraints_are_moved_once(make, addon, hound):
    rig, _ = hound
    bpy.ops.object.mode_set(mode="EDIT")
    control = rig.data.edit_bones.new("control")
    control.head, control.tail = (0.0, 0.0, 1.0), (0.0, 0.0, 1.2)
    bpy.ops.object.mode_set(mode="OBJECT")
    carried = rig.pose.bones["control"].constraints.new("ARMATURE").targets.new()
    carried.target, carried.subtarget = rig, "trunk"
    animation, clips, standing = (
        addon.module(f"blender_addon.{name}")
        for name in ("blender_data.animation", "characters.clips.clips", "characters.retargeting.standing")
    )

    def height_of_control():
        seen = make.evaluated(rig, 6)
        return (seen.matrix_world @ seen.pose.bones["control"].head).z

    before = height_of_control()
    walk = clips.WalkCycle("Walk", animation.active_clip(rig.animation_data), is_copy=False, length=24.0)
    moved = standing.moved_cycle(walk, np.array([0.0, 0.0, 0.1]), rig, rig)
    animation.assign_clip(rig, moved.clip)
    assert height_of_control() - before == pytest.approx(0.1, abs=1e-5)
