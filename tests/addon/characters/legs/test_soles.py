# SPDX-License-Identifier: GPL-3.0-or-later
"""Shoes that reach beyond the bones of their feet are lifted as they push off, so that no sole is in the ground."""

import bmesh
import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from tests.sweeps import sweep

from ...street import own_figures
from ..acts.acting import FRAMES, acting, joints_of
from ..strangers import dancer


def lowest_of(scene, person):
    """Lowest vertex of a baked person at each frame, in the world."""
    return lowest_of_all(scene, [person])[0]


def lowest_of_all(scene, people):
    """The same of several people, whom each frame moves at once."""
    lowest = [[] for _ in people]
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        bodies = [(own, each) for own, one in zip(lowest, people, strict=True) for each in one.children]
        for own, part in ((own, each.evaluated_get(graph)) for own, each in bodies if each.type == "MESH"):
            points = np.empty(3 * len(part.data.vertices), dtype=np.float32)
            part.data.vertices.foreach_get("co", points)
            matrix = np.array(part.matrix_world)
            own.append(float((points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3])[:, 2].min()))
    return np.array(lowest)


def walk_in(street, *, shoes):
    """Bake somebody of the user's own whose shoes are so many times as long, without clips: they walk as ours do."""
    (figure, *_) = own_figures(street.crowd, 1).all_objects
    armature = figure if figure.type == "ARMATURE" else figure.parent
    for mesh in {each.data for each in armature.children if each.type == "MESH"}:
        for vertex in mesh.vertices:
            if vertex.co.z < 0.1:
                vertex.co.y = 0.02 + shoes * (vertex.co.y - 0.02)
    street.crowd.count, street.scene.frame_end = 1, 40
    street.crowd.speed.sd = 0.0
    return armature


def take_toes_off(armature):
    """Remove the bones of the toes; their vertices follow the feet."""
    for mesh in (each for each in armature.children if each.type == "MESH"):
        for side in "LR":
            mesh.vertex_groups[f"foot.{side}"].name = f"old.{side}"
            mesh.vertex_groups[f"toe.{side}"].name = f"foot.{side}"
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for side in "LR":
        armature.data.edit_bones.remove(armature.data.edit_bones[f"toe.{side}"])
    bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize("has_toes", [True, False])
def test_no_sole_is_in_the_ground(street, has_toes):
    armature = walk_in(street, shoes=1.6)
    armature.animation_data_clear()
    if not has_toes:
        take_toes_off(armature)
    bpy.ops.footfall.bake()
    (person,) = [each for each in bpy.data.objects if each.get("footfall_crowd") and each.type == "ARMATURE"]
    lowest = lowest_of(street.scene, person)
    assert lowest.min() > -0.02
    assert not any(problem.kind == "sunk" for problem in street.settings.problems)
    street.crowd.motion.plants_feet = False
    bpy.ops.footfall.bake()
    (person,) = [each for each in bpy.data.objects if each.get("footfall_crowd") and each.type == "ARMATURE"]
    assert lowest_of(street.scene, person).min() < -0.03


def barefoot(street):
    """Somebody of the user's own without clips, whose shoes are as long as ours."""
    armature = walk_in(street, shoes=1.0)
    armature.animation_data_clear()
    return armature


@pytest.mark.parametrize("rise", sweep([-0.05, 0.03], usual=1))
def test_soles_that_are_beside_their_bones_stand_on_the_ground(street, rise):
    armature = barefoot(street)
    for mesh in {each.data for each in armature.children if each.type == "MESH"}:
        mesh.transform(Matrix.Translation((0.0, 0.0, rise)))
    lowest = lowest_of(street.scene, person_of(street))
    assert abs(np.median(lowest)) < 0.006
    assert not any(problem.kind in {"sunk", "aloft"} for problem in street.settings.problems)


def person_of(street):
    bpy.ops.footfall.bake()
    return next(each for each in bpy.data.objects if each.get("footfall_crowd") and each.type == "ARMATURE")


def test_soles_of_who_talks_stand_on_the_ground(street, make):
    barefoot(street)
    hall = make.cube("Hall", 8.0)
    hall.location = (6.0, 14.0, 0.0)
    make.link(hall)
    crowd = street.crowd
    crowd.mode, crowd.count, crowd.presence.place, crowd.presence.activities = "PLACE", 6, hall, {"TALK"}
    bpy.context.view_layer.update()
    person_of(street)
    people = [each for each in bpy.data.objects if each.get("footfall_crowd") and each.type == "ARMATURE"]
    heights = [float(np.median(lowest)) for lowest in lowest_of_all(street.scene, people)]
    assert len(heights) == 6
    assert min(heights) > -0.005
    assert max(heights) < 0.012


def under_the_soles(armature, name, **weights):
    """Let somebody wear a mesh that is 6 cm under the ground below both feet; weights are of a foot and other bones."""
    mesh = bpy.data.meshes.new(name)
    heads = [armature.data.bones[f"foot.{side}"].head_local for side in "LR"]
    corners = [(-0.05, 0.1), (0.05, 0.1), (0.05, -0.3), (-0.05, -0.3)]
    points = [(head.x + x, head.y + y, -0.06) for head in heads for x, y in corners]
    mesh.from_pydata(points, [], [range(4), range(4, 8)])
    worn = bpy.data.objects.new(name, mesh)
    for first, side in ((0, ".L"), (4, ".R")):
        for part, weight in weights.items():
            bone = part if part in armature.data.bones else part + side
            group = worn.vertex_groups.get(bone) or worn.vertex_groups.new(name=bone)
            group.add(range(first, first + 4), weight, "REPLACE")
    worn.parent = armature
    worn.modifiers.new("Armature", "ARMATURE").object = armature
    armature.users_collection[0].objects.link(worn)
    return worn


def lowest_without(street, worn):
    """Lowest vertex of who is baked at each frame, but for what is worn under the soles."""
    person = person_of(street)
    bpy.data.batch_remove([each for each in person.children if each.name.endswith(worn)])
    return lowest_of(street.scene, person)


def test_soles_that_are_not_rendered_are_not_planted(street):
    under_the_soles(barefoot(street), "Boots", foot=1.0).hide_render = True
    lowest = lowest_without(street, "Boots")
    assert lowest.max() < 0.015
    assert lowest.min() > -0.02


def test_a_hem_that_hardly_follows_the_feet_does_not_lift_them(street):
    """As of a long dress that trails on the ground."""
    under_the_soles(barefoot(street), "Dress", foot=0.2, hips=0.8)
    lowest = lowest_without(street, "Dress")
    assert lowest.max() < 0.015
    assert lowest.min() > -0.02


def test_shoes_that_are_changed_are_planted_anew(street):
    armature = barefoot(street)
    person_of(street)
    for mesh in {each.data for each in armature.children if each.type == "MESH"}:
        for vertex in mesh.vertices:
            if vertex.co.z < 0.1:
                vertex.co.y = 0.02 + 1.8 * (vertex.co.y - 0.02)
    assert lowest_of(street.scene, person_of(street)).min() > -0.02


def test_soles_of_a_mirrored_half_are_planted(street):
    armature = walk_in(street, shoes=1.6)
    armature.animation_data_clear()
    for part in [each for each in armature.children if each.type == "MESH"]:
        half = bmesh.new()
        half.from_mesh(part.data)
        bmesh.ops.delete(half, geom=[vertex for vertex in half.verts if vertex.co.x < -1e-5], context="VERTS")
        half.to_mesh(part.data)
        half.free()
        part.modifiers.new("Mirror", "MIRROR")
        part.modifiers.move(len(part.modifiers) - 1, 0)
    assert lowest_of(street.scene, person_of(street)).min() > -0.02


@pytest.mark.parametrize("is_relative", [True, False])
def test_shoes_on_bones_are_where_they_are_shown(street, make, addon, is_relative):
    armature = barefoot(street)
    foot, shoe = armature.data.bones["foot.L"], make.cube("Shoe", 0.1)
    armature.users_collection[0].objects.link(shoe)
    foot.use_relative_parent = is_relative
    shoe.parent, shoe.parent_type, shoe.parent_bone = armature, "BONE", "foot.L"
    armature.data.pose_position = "REST"
    bpy.context.view_layer.update()
    shoes = addon.module("blender_addon.characters.clips.shin_ends")
    (found,) = shoes.find_soles([armature, shoe], armature, [foot], np.eye(4), street.scene)
    to_bone = foot.matrix_local.inverted() @ armature.matrix_world.inverted() @ shoe.matrix_world
    corners = np.array([to_bone @ vertex.co for vertex in shoe.data.vertices])
    assert len(found) >= 4
    assert np.linalg.norm(found[:, None] - corners, axis=2).min(axis=1).max() < 1e-5


def test_acts_of_the_users_own_are_moved_as_their_idle_is(make, stage, tmp_path):
    """Soles that are in the ground in all clips: nobody squats who begins to talk, and the user's clips stay."""
    rig, body = dancer(make, stage.addon, tmp_path, names=("idle", "walk", "run"))
    for name in ("Talking", "Sitting"):
        (talk,) = make.actions.clips_of_action(bpy.data.actions["idle"])
        make.actions.copy_clip(talk).action.name = name
    theirs = "idle", "walk", "run", "Talking", "Sitting"
    digests = [make.actions.digest(bpy.data.actions[name]) for name in theirs]
    stage.crowd.motion.looks_about = False
    hips = {}
    for drop in (0.0, 0.05):
        body.data.transform(Matrix.Translation((0.0, 0.0, -drop)))
        stage.crowd.characters = make.collection("Dancers", rig, body)
        people = stage.bake(acting(make, ("talk", "sit")))
        joints, _ = joints_of(make, people, range(2, FRAMES, 3))
        hips[drop] = joints[:, :, [bone.name for bone in people[0].pose.bones].index("hips"), 2]
        strips = [strip.name for track in people[0].animation_data.nla_tracks for strip in track.strips]
        assert any("Talking" in name for name in strips)
        stage.clear()
    talks = hips[0.05][:, 0] - hips[0.0][:, 0]
    assert np.abs(talks - 0.05).max() < 0.004
    sits = hips[0.05][12:-12, 1] - hips[0.0][12:-12, 1]
    assert np.abs(sits).max() < 0.004, "the seat is where it was"
    assert [make.actions.digest(bpy.data.actions[name]) for name in theirs] == digests


def test_a_foot_of_which_only_the_ankle_is_known_rolls_over_its_sole(street):
    """Its bone ends above the ankle, as after many imports: soles turned about ankles that stood, and slid back."""
    armature, street.scene.frame_end = barefoot(street), 60
    take_toes_off(armature)
    for mesh in (each for each in armature.children if each.type == "MESH"):
        for side in "LR":  # heel and toes are one
            mesh.vertex_groups[f"foot.{side}"].add(followers(mesh, f"old.{side}"), 1.0, "REPLACE")
            mesh.vertex_groups.remove(mesh.vertex_groups[f"old.{side}"])
    bpy.ops.object.mode_set(mode="EDIT")
    for side in "LR":
        bone = armature.data.edit_bones[f"foot.{side}"]
        bone.tail = bone.head + Vector((0.0, 0.0, 0.001))
    bpy.ops.object.mode_set(mode="OBJECT")
    person = person_of(street)
    for side in "LR":
        sole = np.stack(list(soles_of(street.scene, person, f"foot.{side}")))
        lowest = np.arange(len(sole) - 1), (sole[1:, :, 2] + sole[:-1, :, 2]).argmin(axis=1)
        slips = np.hypot(*np.diff(sole[..., :2], axis=0)[lowest].T)
        stands = (sole[:-1][lowest][:, 2] < 0.01) & (slips < 0.05)  # on the ground, and not in the swing
        assert stands.sum() > 30
        assert np.percentile(slips[stands], 90) < 0.02  # turned about its ankle, 2.4 to 2.8 cm a frame


def followers(mesh, bone):
    """Numbers of the vertices that mostly follow a bone."""
    group = mesh.vertex_groups.find(bone)
    return [
        vertex.index
        for vertex in mesh.data.vertices
        if any(each.group == group and each.weight > 0.5 for each in vertex.groups)
    ]


def soles_of(scene, person, foot):
    """Where the vertices of a shoe of a baked person are in each frame, in the world."""
    parts = [(part, followers(part, foot)) for part in person.children if part.type == "MESH"]
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        seen = [(part.evaluated_get(graph), own) for part, own in parts]
        yield np.array([part.matrix_world @ part.data.vertices[number].co for part, own in seen for number in own])
