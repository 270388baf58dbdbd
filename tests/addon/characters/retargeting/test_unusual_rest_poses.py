# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies without bones for their feet, and bodies that stand only in their pose, walk with the gait of the figures."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from ..statues import Statue
from .gait import FRAMES, walked

LEG = ("thigh", "shin", "foot", "toe")


def test_shins_without_feet_stand_with_their_ends(make, stage):
    statue = Statue(make, stage.addon)
    names = [statue.names[f"{part}{side}"] for part in LEG[2:] for side in (".L", ".R")]
    statue.edit(lambda _: [statue.rig.data.edit_bones.remove(statue.rig.data.edit_bones[name]) for name in names])
    stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
    stage.crowd.forward_axis = "AUTO"
    (mover,) = stage.bake(make.walk(agents=1, frames=(1, FRAMES), speed=1.2))
    ends, place = np.zeros((2, FRAMES, 3)), np.zeros((FRAMES, 3))
    for frame in range(FRAMES):
        seen = make.evaluated(mover, frame + 1)
        place[frame] = seen.matrix_world.translation
        for side, name in enumerate((statue.names["shin.L"], statue.names["shin.R"])):
            ends[side, frame] = seen.matrix_world @ seen.pose.bones[name].tail
    speed = np.linalg.norm(np.diff(place, axis=0), axis=1)
    moved = np.linalg.norm(np.diff(ends, axis=1), axis=2)
    stance = (moved < 0.15 * speed).mean(axis=1)
    assert stance.mean() > 0.4
    assert stance.min() > 0.3
    assert stance.max() < 0.75


def lying(make, addon):
    """A statue with legs that lie at rest and hang as they are posed."""
    statue = Statue(make, addon)
    aside = Matrix.Rotation(np.pi / 2.0, 4, "Y")

    def lay(bones):
        for side in (".L", ".R"):
            chain = [bones[f"{part}{side}"] for part in LEG]
            hip = chain[0].head.copy()
            turn = Matrix.Translation(hip) @ aside @ Matrix.Translation(-hip)
            ends = [(turn @ bone.head, turn @ bone.tail, turn @ bone.matrix) for bone in chain]
            for bone, (head, tail, matrix) in zip(chain, ends, strict=True):
                bone.head, bone.tail = head, tail
                bone.align_roll(matrix.to_3x3().col[2])

    statue.edit(lay)
    for side in (".L", ".R"):
        thigh = statue.rig.pose.bones[statue.names[f"thigh{side}"]]
        hip = thigh.bone.head_local
        back = Matrix.Translation(hip) @ aside.inverted() @ Matrix.Translation(-hip)
        thigh.matrix = back @ thigh.bone.matrix_local
    bpy.context.view_layer.update()
    return statue


def test_legs_that_lie_at_rest_and_hang_in_the_pose_walk(make, stage):
    joints, place = walked(make, stage, lying(make, stage.addon))
    speed = np.linalg.norm(np.diff(place, axis=0), axis=1)
    hips = (joints["thigh.L"] + joints["thigh.R"])[:, 2] / 2.0
    for side in (".L", ".R"):
        ankle, toe = joints[f"foot{side}"], joints[f"toe{side}"]
        moved = np.linalg.norm(np.diff(np.stack([ankle, toe]), axis=1), axis=2)
        assert 0.4 < (moved < 0.15 * speed).any(axis=0).mean() < 0.75
        assert (hips - ankle[:, 2] > 0.6 * hips).all()
    assert (joints["head"][:, 2] > hips + 0.4).all()


def test_copies_are_posed_as_their_action_begins_whatever_frame_is_shown(make, addon):
    """Whether a body is known by its pose, and how large bare bones are, had depended on the current frame."""
    statue = lying(make, addon)
    thigh = statue.rig.pose.bones[statue.names["thigh.L"]]
    hanging = thigh.matrix_basis.copy()
    for frame in (1, 60):
        for channel in ("rotation_quaternion", "location"):
            thigh.keyframe_insert(channel, frame=frame)
        thigh.matrix_basis.identity()
    local_copy = addon.module("blender_addon.characters.templates")._local_copy
    for frame in (1, 60):
        bpy.context.scene.frame_set(frame)
        posed = local_copy(statue.rig).pose.bones[thigh.name].matrix_basis
        assert np.allclose(np.array(posed), np.array(hanging), atol=1e-5)


def leaping(make, addon):
    """A statue that floats at rest, its body with it, toes up by 35 degrees."""
    statue = Statue(make, addon)
    up, tip = Matrix.Translation((0.0, 0.0, 0.4)), Matrix.Rotation(np.radians(-35.0), 4, "X")
    turns, data = {}, statue.body.data
    for side in (".L", ".R"):
        ankle = statue.rig.data.bones[f"foot{side}"].head_local
        turn = up @ Matrix.Translation(ankle) @ tip @ Matrix.Translation(-ankle)
        turns |= {f"{part}{side}": turn for part in LEG[2:]}

    def leap(bones):
        ends = {role: [turns.get(role, up) @ end for end in (bone.head, bone.tail)] for role, bone in bones.items()}
        for role, bone in bones.items():
            bone.head, bone.tail = ends[role]

    names = [group.name for group in statue.body.vertex_groups]
    for vertex in data.vertices:
        most = max(vertex.groups, key=lambda each: each.weight)
        vertex.co = turns.get(names[most.group], up) @ vertex.co
    return statue.edit(leap)


def without_toes(statue):
    """The meshes of the toes follow the feet."""
    for side in (".L", ".R"):
        foot, toe = (statue.body.vertex_groups[f"{part}{side}"] for part in LEG[2:])
        for vertex in statue.body.data.vertices:
            weight = sum(each.weight for each in vertex.groups if each.group in (foot.index, toe.index))
            if weight:
                foot.add([vertex.index], weight, "REPLACE")
        statue.body.vertex_groups.remove(toe)
        statue.edit(lambda bones, side=side: statue.rig.data.edit_bones.remove(bones[f"toe{side}"]))
        del statue.names[f"toe{side}"]


@pytest.mark.parametrize("has_toes", [True, False])
def test_soles_of_a_body_that_rests_in_a_leap_are_level_on_the_ground(make, stage, has_toes):
    statue = leaping(make, stage.addon)
    if not has_toes:
        without_toes(statue)
    joints, place = walked(make, stage, statue)
    (walker,) = [each for each in bpy.context.scene.objects if each.get("footfall_crowd") and each.type == "MESH"]
    walker.hide_viewport = False
    for side in (".L", ".R"):
        group = walker.vertex_groups[f"foot{side}"].index
        own = [v.index for v in walker.data.vertices if any(g.group == group and g.weight > 0.9 for g in v.groups)]
        stands = np.argsort(joints[f"foot{side}"][:, 2])[: FRAMES // 4]
        for frame in stands[:: len(stands) // 3].tolist():
            seen = make.evaluated(walker, frame + 1)
            points = np.array([seen.matrix_world @ seen.data.vertices[number].co for number in own])
            ahead = points[:, 0] - points[:, 0].mean()
            heel, ball = (points[part, 2].min() for part in (ahead < -0.03, ahead > 0.03))
            assert abs(np.degrees(np.arctan2(ball - heel, np.ptp(ahead)))) < 4.0
            assert abs(min(heel, ball) - place[frame, 2]) < 0.015


def test_feet_without_meshes_of_a_body_that_rests_in_a_leap_are_level_on_the_ground(make, stage):
    statue = leaping(make, stage.addon)
    statue.body.vertex_groups.clear()
    joints, _ = walked(make, stage, statue)
    for side in (".L", ".R"):
        above = joints[f"foot{side}"][:, 2] - joints[f"toe{side}"][:, 2]
        level = above[np.argsort(joints[f"toe{side}"][:, 2])[: FRAMES // 4]]
        assert np.median(level) > 0.03


def test_a_body_that_rests_in_a_leap_and_has_no_bones_for_feet_walks(make, stage):
    statue = leaping(make, stage.addon)
    without_toes(statue)
    for side in (".L", ".R"):
        statue.edit(lambda bones, side=side: statue.rig.data.edit_bones.remove(bones[f"foot{side}"]))
        del statue.names[f"foot{side}"]
    stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
    (mover,) = stage.bake(make.walk(agents=1, frames=(1, FRAMES), speed=1.2))
    apart = []
    for frame in range(1, FRAMES, 3):
        bones = make.evaluated(mover, frame).pose.bones
        left, right = (bones[statue.names[f"shin{side}"]].tail for side in (".L", ".R"))
        apart.append(left - right)
    assert np.ptp(np.array(apart), axis=0).max() > 0.5  # one before the other, and back


def test_legs_that_stand_stretched_are_as_long_in_a_walk_that_is_made(make, stage):
    """An idle that scales bones was blended with none: legs got shorter the faster their body walked."""
    statue = Statue(make, stage.addon)
    thigh, size = f'pose.bones["{statue.names["thigh.L"]}"]', (1.0, 1.05, 1.0)
    nod = f'pose.bones["{statue.names["head"]}"].rotation_quaternion'
    channels = [make.actions.Channel(f"{thigh}.scale", axis, [0, 40], [each] * 2) for axis, each in enumerate(size)]
    channels += [make.actions.Channel(nod, 1, [0, 20, 40], [0.0, 0.02, 0.0])]
    make.actions.assign_clip(statue.rig, make.actions.new_clip("Idle", channels, group="Idle"))
    stage.crowd.characters = make.collection("Statues", statue.rig, statue.body)
    (mover,) = stage.bake(make.walk(agents=1, frames=(1, FRAMES), speed=1.2))
    for frame in (1, FRAMES // 2, FRAMES):
        scale = make.evaluated(mover, frame).pose.bones[statue.names["thigh.L"]].scale
        assert list(scale) == pytest.approx(size, abs=1e-3)
