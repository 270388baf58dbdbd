# SPDX-License-Identifier: GPL-3.0-or-later
"""Crowds as instances, measured on what Blender evaluates: where everybody is, in which pose, in what colour."""

import math
import os
import re
import subprocess
import sys
from itertools import pairwise

import bpy
import numpy as np
import pytest

from tests.sweeps import sweep

pytestmark = pytest.mark.each_blender("geometry nodes are built and evaluated")


@pytest.fixture
def people(make, stage):
    """A crowd of boxes, each in one pose."""
    stage.crowd.characters = make.collection("Boxes", make.cube("Box", 0.5))
    stage.crowd.forward_axis = "POS_X"
    return stage


def shown_at(make, shown, frame):
    """All instances of a crowd at a frame: place (N, 3), heading (N,), number of the pose."""
    found = instances_at(make, shown, frame, lambda each: (each.matrix_world.copy(), each.object.data.name))
    place = np.array([matrix.translation for matrix, _ in found]).reshape(-1, 3)
    heading = np.array([matrix.to_euler().z for matrix, _ in found])
    return place, heading, [int(re.search(r"pose (\d+)", name)[1]) for _, name in found]


def instances_at(make, shown, frame, look):
    """What is seen of each instance of a crowd at a frame."""
    make.evaluated(shown, frame)
    graph = bpy.context.evaluated_depsgraph_get()
    return [look(each) for each in graph.object_instances if each.is_instance and each.parent.original == shown]


def expected_at(trajectories, frame):
    """Place and heading on the straight line between two frames."""
    row, part = int(frame) - int(trajectories.frames[0]), frame % 1
    after = min(row + 1, len(trajectories.frames) - 1)
    heading = np.unwrap(trajectories.heading, axis=0)
    return tuple((1 - part) * each[row] + part * each[after] for each in (trajectories.position, heading))


def turn_between(one, other):
    return np.abs((np.asarray(one) - other + math.pi) % (2 * math.pi) - math.pi)


@pytest.mark.parametrize("frame", sweep([10.25, 59, 10, 31.5, 58.9], everywhere=2))
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


@pytest.mark.once
def test_samples_are_counted_in_whole_numbers(make, addon):
    """Beyond 2**24 floats leave numbers out; the last row of 1,001 people over 17,000 frames lies there."""
    build = addon.module("blender_addon.blender_data.node_builder").NodeBuilder("Count")
    nodes = addon.module("blender_addon.baking.instances.playback_nodes")
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
    randomness = stage.addon.module("core.simulation.world.randomness")
    start = randomness.uniform(0, "Walkers", "stride", 4)
    for frame in (1, 7, 20.5, 50):
        poses = shown_at(make, shown, frame)[2]
        phase = start + 1.0 * (frame - 1) / 24.0 / 1.2
        expected = np.floor(phase % 1.0 * 24 + 0.5) % 24
        assert poses == expected.astype(int).tolist()


@pytest.mark.once
@pytest.mark.parametrize("speed", sweep([1.1, 0.6], usual=1))
def test_a_foot_of_the_built_in_people_stands(make, stage, two_figures, speed):
    """Of all that is near the ground, something hardly moves from one frame to the next, while the body does."""
    stage.crowd.characters = None
    shown = stage.bake_instances(make.walk(agents=4, frames=(1, 20), speed=speed))

    def vertices(each):
        own = np.empty(3 * len(each.object.data.vertices))
        each.object.data.vertices.foreach_get("co", own)
        matrix = np.array(each.matrix_world)
        return own.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3] - (0.0, 0.0, 0.5)

    seen = [instances_at(make, shown, frame, vertices) for frame in range(1, 21)]
    for person in zip(*seen, strict=True):
        slips = []
        for before, after in pairwise(person):
            low = (before[:, 2] < 0.03) & (after[:, 2] < 0.03)
            slips.append(np.linalg.norm((after - before)[low, :2], axis=1).min())
        assert np.median(slips) < 0.002
        assert np.quantile(slips, 0.8) < 0.01


def test_a_pose_is_what_the_character_looks_like(make, stage):
    """Legs of mesh vertices: the ankles of the poses are those of the rig, with +X ahead."""
    rig, body = make.rig(stride=1.2)
    group = body.vertex_groups.new(name="foot.L")
    group.add(range(8), 1.0, "REPLACE")
    stage.crowd.characters = make.collection("People", rig, body)
    stage.bake_instances(make.walk())
    ahead = []
    stills = [each for each in bpy.data.objects if each.name.startswith("Walkers pose ")]
    for pose in sorted(stills, key=lambda each: each.name):
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
    assert len(bpy.data.node_groups) == groups == 4  # of the crowd and its poses, each with a group that does the work
    people.bake(make.walk())
    assert not bpy.data.node_groups
    people.bake_instances(make.walk())
    people.clear()
    assert make.data_blocks() == before
    assert not bpy.data.node_groups


def test_nothing_stays_of_instances_that_are_given_up(make, people):
    before = make.data_blocks()
    cast = people.addon.module("blender_addon.baking.instances.instance_cast").InstanceCast(
        people.crowd, scene=people.scene, frames=(1, 50), unit=1.0, seed=0
    )
    performances = people.performances.Performances(make.walk(), ground=None, unit=1.0)
    work = cast.write(performances, [(people.casting.Role("Walkers", 0, 1), 0)])
    next(work)
    assert make.data_blocks() != before
    cast.discard()
    assert make.data_blocks() == before


def test_built_in_figures_wear_the_colour_of_their_instance(make, stage, two_figures):
    shirt_colour = stage.addon.module("blender_addon.figures.figure").shirt_colour
    shown = stage.bake_instances(make.walk(agents=5))
    colours = stage.addon.module("blender_addon.bakes.sampled_crowd").read(shown.data, "colour")
    palette = np.array([shirt_colour(number) for number in range(60)])
    assert all((np.abs(palette - colour).max(axis=1) < 1e-6).any() for colour in colours)
    assert len(np.unique(colours, axis=0)) == 5
    pose = next(each for each in bpy.data.objects if each.name.startswith("Walkers pose"))
    assert any("shirt" in material.name for material in pose.data.materials)
    assert not any("footfall_figure" in mesh for mesh in bpy.data.meshes)


@pytest.mark.once
def test_a_character_without_a_body_is_refused(make, stage):
    rig, body = make.rig()
    bpy.data.objects.remove(body)
    stage.crowd.characters = make.collection("People", rig)
    before = make.data_blocks()
    with pytest.raises(stage.addon.errors.FootfallError, match="no geometry for instances"):
        stage.bake_instances(make.walk())
    assert make.data_blocks() == before


@pytest.mark.once
def test_of_mixed_things_those_with_a_body_are_shown(make, stage):
    lamp = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    empty = bpy.data.objects.new("Nothing", None)
    rig, body = make.rig()
    bare = bpy.data.objects.new("Bare", rig.data.copy())
    stage.crowd.characters = make.collection("Things", lamp, empty, bare, make.cube("Box"), rig, body)
    bpy.context.view_layer.update()
    shown = stage.bake_instances(make.walk(agents=40))
    poses = shown_at(make, shown, 10)[2]
    assert len(poses) == 40
    assert 0 in poses
    assert max(poses) > 0
    told = [notice for notice in stage.notices if "is left out" in notice]
    assert len(told) == 1  # lamps and empties, as importers leave them beside a body, are no people
    assert "'Bare'" in told[0]
    bpy.context.view_layer.objects.active = shown
    seen = dict(zip(range(1, 41), shown_at(make, shown, 10)[0], strict=True))
    bpy.ops.footfall.make_real(agents="1-40")
    for number, place in seen.items():
        apart = np.abs(make.matrix(bpy.data.objects[f"Walkers {number:03d}"], 10)[:3, 3] - place)
        assert apart.max() < 0.03  # as the feet of a pose are moved by up to half the way to the next


@pytest.mark.once
def test_nobody_shows_nothing(make, stage):
    stage.crowd.count = 0
    before = make.data_blocks()
    instancing = stage.addon.module("blender_addon.baking.instances.instance_cast")
    cast = instancing.InstanceCast(stage.crowd, scene=stage.scene, frames=(1, 50), unit=1.0, seed=0)
    assert any("its count is 0" in notice for notice in cast.notices)
    cast.discard()
    assert make.data_blocks() == before


@pytest.mark.once
def test_the_random_number_of_a_person_is_theirs_for_good(make, stage, one_figure):
    """What Object Info gives to shaders neither changes with the pose nor when others come and go."""
    there = np.ones((50, 12), dtype=bool)
    there[:20, 4] = False
    there[35:, 1] = False
    shown = stage.bake_instances(make.walk(agents=12, speed=1.3, present=there))

    def numbers(frame):
        return instances_at(make, shown, frame, lambda each: (tuple(each.persistent_id), each.random_id))

    seen = [dict(numbers(frame)) for frame in (1, 8.5, 21, 30, 45)]
    assert [len(each) for each in seen] == [11, 11, 12, 12, 11]
    everybody = {key: value for each in seen for key, value in each.items()}
    assert len(everybody) == len(set(everybody.values())) == 12
    assert all(each.items() <= everybody.items() for each in seen)


def test_instances_carry_what_materials_may_ask_for(make, stage, one_figure):
    trajectories = make.walk(agents=5, speed=1.3, turn=1.0)
    shown = stage.bake_instances(trajectories)
    tree = bpy.data.node_groups.new("To points", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    chain = [tree.nodes.new(kind) for kind in (
        "NodeGroupInput", "GeometryNodeInstancesToPoints", "GeometryNodePointsToVertices", "NodeGroupOutput"
    )]  # fmt: skip
    for one, other in pairwise(chain):
        tree.links.new(one.outputs[0], other.inputs[0])
    shown.modifiers.new("To points", "NODES").node_group = tree
    seen = make.evaluated(shown, 20).data
    values = {
        key: np.array([each.value for each in seen.attributes[key].data]) for key in ("heading", "phase", "variation")
    }
    assert turn_between(values["heading"], trajectories.heading[19]).max() < 1e-3
    start = stage.addon.module("core.simulation.world.randomness").uniform(0, "Walkers", "stride", 5)
    assert (values["phase"] > start).all()
    assert len(set(values["variation"].tolist())) == 5
    assert len({tuple(each.color) for each in seen.attributes["colour"].data}) == 5


def test_poses_have_no_weights_but_all_that_shaders_read(make, stage):
    rig, body = make.rig()
    body.vertex_groups.new(name="foot.L").add(range(8), 1.0, "REPLACE")
    body.data.uv_layers.new(name="Print")
    body.data.attributes.new("dirt", "FLOAT", "POINT")
    stage.crowd.characters = make.collection("People", rig, body)
    stage.bake_instances(make.walk())
    pose = bpy.data.objects["Walkers pose 00003"]
    assert not pose.vertex_groups
    assert not any(len(vertex.groups) for vertex in pose.data.vertices)
    assert {"Print", "dirt"} <= set(pose.data.attributes.keys())
    assert body.data.vertices[0].groups


RENDER = """
import bpy, os, sys
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
assert not hasattr(bpy.types.Scene, "footfall")
scene = bpy.context.scene
scene.frame_set(20)
shown = sum(each.is_instance for each in bpy.context.evaluated_depsgraph_get().object_instances)
scene.render.engine, scene.cycles.samples, scene.cycles.device = "CYCLES", 1, "CPU"
scene.render.resolution_x = scene.render.resolution_y = 48
scene.render.film_transparent = True
scene.render.filepath = sys.argv[2]
bpy.ops.render.render(write_still=True)
pixels = bpy.data.images.load(sys.argv[2]).pixels[:]
print("instances", shown, "covered", sum(alpha > 0.5 for alpha in pixels[3::4]), flush=True)
os._exit(0)
"""


def test_a_blender_without_the_add_on_shows_and_renders_them(make, stage, one_figure, tmp_path):
    stage.bake_instances(make.walk(agents=6, speed=1.3))
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    make.link(camera)
    camera.location, camera.rotation_euler = (-6.0, 3.0, 1.4), (math.radians(90.0), 0.0, math.radians(-90.0))
    stage.scene.camera = camera
    path, picture = tmp_path / "crowd.blend", tmp_path / "crowd.png"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    profile = tmp_path / "empty"
    profile.mkdir()
    variables = {**os.environ, "BLENDER_USER_RESOURCES": str(profile)}
    command = [sys.executable, "-c", "import bpy\n" + RENDER, str(path), str(picture)]
    done = subprocess.run(
        command, env=variables, capture_output=True, text=True, timeout=900, check=False, encoding="utf-8"
    )
    (told,) = [line for line in done.stdout.splitlines() if line.startswith("instances")] or [done.stderr]
    shown, covered = map(int, re.fullmatch(r"instances (\d+) covered (\d+)", told).groups())
    assert shown == 6
    assert covered > 60
