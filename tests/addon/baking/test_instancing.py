# SPDX-License-Identifier: GPL-3.0-or-later
"""Crowds as instances, measured on what Blender evaluates: where everybody is, in which pose, in what colour."""

import math

import bpy
import numpy as np
import pytest


@pytest.fixture
def people(make, stage):
    """A crowd of boxes, each in one pose."""
    stage.crowd.characters = make.collection("Boxes", make.cube("Box", 0.5))
    stage.crowd.forward_axis = "POS_X"
    return stage


def shown_at(make, shown, frame):
    """All instances of a crowd at a frame: place (N, 3), heading (N,), name of the pose."""
    make.evaluated(shown, frame)
    graph = bpy.context.evaluated_depsgraph_get()
    found = [
        (each.matrix_world.copy(), each.object.name)
        for each in graph.object_instances
        if each.is_instance and each.parent.original == shown
    ]
    place = np.array([matrix.translation for matrix, _ in found]).reshape(-1, 3)
    heading = np.array([matrix.to_euler().z for matrix, _ in found])
    return place, heading, [name for _, name in found]


def expected_at(trajectories, frame):
    """Place and heading on the straight line between two frames."""
    row, part = int(frame) - int(trajectories.frames[0]), frame % 1
    after = min(row + 1, len(trajectories.frames) - 1)
    heading = np.unwrap(trajectories.heading, axis=0)
    return tuple((1 - part) * each[row] + part * each[after] for each in (trajectories.position, heading))


def turn_between(one, other):
    return np.abs((np.asarray(one) - other + math.pi) % (2 * math.pi) - math.pi)


@pytest.mark.parametrize("frame", [10, 10.25, 31.5, 58.9, 59])
def test_everybody_is_where_they_are_between_frames_too(make, people, frame):
    trajectories = make.walk(agents=7, frames=(10, 59), speed=1.4, turn=2.5)
    shown = people.bake_instances(trajectories)
    place, heading, _ = shown_at(make, shown, frame)
    expected_place, expected_heading = expected_at(trajectories, frame)
    assert np.abs(place - expected_place).max() < 1e-4
    assert turn_between(heading, expected_heading).max() < 1e-3


@pytest.mark.parametrize(("frame", "row"), [(3, 0), (80, -1)])
def test_before_and_after_the_bake_everybody_stands(make, people, frame, row):
    trajectories = make.walk(frames=(10, 59))
    place, _, _ = shown_at(make, people.bake_instances(trajectories), frame)
    assert np.abs(place - trajectories.position[row]).max() < 1e-4


def test_a_single_frame_is_shown(make, people):
    trajectories = make.walk(frames=(5, 5))
    place, _, _ = shown_at(make, people.bake_instances(trajectories), 5)
    assert np.abs(place - trajectories.position[0]).max() < 1e-4


def test_samples_are_counted_in_whole_numbers(make, addon):
    """Beyond 2**24 floats leave numbers out; the last row of 1,001 people over 17,000 frames lies there."""
    build = addon.module("blender_addon.baking.node_building").NodeBuilder("Count")
    nodes = addon.module("blender_addon.baking.playback_nodes")
    number = nodes.number_in_row(build, 16_999, build.add("InputIndex").outputs[0])
    tree = build.finish(build.store(build.geometry, "number", number, "INT"))
    mesh = bpy.data.meshes.new("People")
    mesh.vertices.add(1001)
    people = bpy.data.objects.new("People", mesh)
    people.modifiers.new("Count", "NODES").node_group = tree
    make.link(people)
    counted = make.evaluated(people, 1).data.attributes["number"].data
    assert [each.value for each in counted] == list(range(16_999 * 1001, 17_000 * 1001))


def test_who_is_absent_is_not_shown(make, people):
    there = np.ones((50, 3), dtype=bool)
    there[:20, 1] = False
    there[30:, 2] = False
    trajectories = make.walk(agents=3, present=there)
    shown = people.bake_instances(trajectories)
    for row, count in ((0, 2), (19, 2), (20, 3), (29, 3), (30, 2)):
        assert len(shown_at(make, shown, row + 1)[0]) == count


def test_the_pose_is_the_nearest_of_the_stride(make, stage):
    rig, body = make.rig(stride=1.2)
    stage.crowd.characters, stage.crowd.stride_length = make.collection("People", rig, body), 1.2
    trajectories = make.walk(agents=4, speed=1.0)
    shown = stage.bake_instances(trajectories)
    randomness = stage.addon.module("core.simulation.randomness")
    start = randomness.uniform(0, "Walkers", "stride", 4)
    for frame in (1, 7, 20.5, 50):
        names = shown_at(make, shown, frame)[2]
        phase = start + 1.0 * (frame - 1) / 24.0 / 1.2
        expected = np.floor(phase % 1.0 * 24 + 0.5) % 24
        assert [int(name[-5:]) for name in names] == expected.astype(int).tolist()


def test_a_pose_is_what_the_character_looks_like(make, stage):
    """Legs of mesh vertices: the ankles of the poses are those of the rig, with +X ahead."""
    rig, body = make.rig(stride=1.2)
    group = body.vertex_groups.new(name="foot.L")
    group.add(range(8), 1.0, "REPLACE")
    stage.crowd.characters = make.collection("People", rig, body)
    shown = stage.bake_instances(make.walk())
    poses = shown.modifiers[0].node_group
    (collection,) = {
        socket.default_value for node in poses.nodes for socket in node.inputs if socket.type == "COLLECTION"
    }
    ahead = []
    for pose in sorted(collection.objects, key=lambda each: each.name):
        corners = np.array([vertex.co for vertex in pose.data.vertices])
        ahead.append(corners[:, 0].mean())
    moved = np.array(ahead) - np.mean(ahead)
    phase = np.arange(24) / 24
    expected = np.where(phase < 0.5, 0.3 - 1.2 * phase, -0.3 + 0.6 * np.clip(2 * phase - 1, 0, 1))
    assert np.abs(moved - expected).max() < 0.01


def test_several_parts_are_one_pose_with_all_materials(make, stage):
    rig, body = make.rig()
    hat = make.cube("Hat", 0.2)
    make.link(hat)
    hat.parent = rig
    for part, name in ((body, "Cloth"), (hat, "Felt")):
        part.data.materials.append(bpy.data.materials.new(name))
    stage.crowd.characters = make.collection("People", rig, body, hat)
    stage.bake_instances(make.walk())
    pose = bpy.data.objects["Walkers pose 00003"].data
    assert len(pose.vertices) == 16
    assert sorted(material.name for material in pose.materials) == ["Cloth", "Felt"]
    assert {face.material_index for face in pose.polygons} == {0, 1}


def test_instances_are_cleared_and_baked_again_like_characters(make, people):
    before = make.data_blocks()
    people.bake_instances(make.walk())
    once = make.data_blocks()
    assert once != before
    groups = len(bpy.data.node_groups)
    people.bake_instances(make.walk())
    assert make.data_blocks() == once
    assert len(bpy.data.node_groups) == groups == 1
    people.bake(make.walk())
    assert not bpy.data.node_groups
    people.bake_instances(make.walk())
    people.clear()
    assert make.data_blocks() == before
    assert not bpy.data.node_groups


def test_nothing_stays_of_instances_that_are_given_up(make, people):
    before = make.data_blocks()
    cast = people.addon.module("blender_addon.baking.instancing").InstanceCast(
        people.crowd, scene=people.scene, frames=(1, 50), unit=1.0, seed=0
    )
    performances = people.performances.Performances(make.walk(), ground=None, unit=1.0)
    work = cast.write(performances, [(people.casting.Role("Walkers", 0, 1), 0)])
    next(work)
    cast.discard()
    assert make.data_blocks() == before


def test_built_in_figures_wear_the_colour_of_their_instance(make, stage, tmp_path):
    shirt_colour = stage.addon.module("blender_addon.baking.figure").shirt_colour
    shown = stage.bake_instances(make.walk(agents=5))
    colours = stage.addon.module("blender_addon.baking.samples").read(shown.data, "colour")
    palette = np.array([shirt_colour(number) for number in range(60)])
    assert all((np.abs(palette - colour).max(axis=1) < 1e-6).any() for colour in colours)
    assert len(np.unique(colours, axis=0)) == 5
    pose = bpy.data.objects["Walkers pose 00000"]
    assert any("shirt" in material.name for material in pose.data.materials)
    assert not any("footfall_figure" in mesh for mesh in bpy.data.meshes)


def test_a_character_without_a_body_is_refused(make, stage):
    rig, body = make.rig()
    bpy.data.objects.remove(body)
    stage.crowd.characters = make.collection("People", rig)
    with pytest.raises(stage.addon.errors.FootfallError, match="no body that can be shown as instances"):
        stage.bake_instances(make.walk())
