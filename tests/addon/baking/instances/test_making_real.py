# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances made characters: the same people at the same places, and each of them only once."""

import json
import zlib

import bpy
import numpy as np
import pytest

from tests.sweeps import sweep

from ...characters.acts.acting import acting
from ...makers import Stage
from ...street import new_path

pytestmark = pytest.mark.usefixtures("two_figures")


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """The file with the crowd, once it has been baked."""
    return tmp_path_factory.mktemp("crowd") / "crowd.blend"


@pytest.fixture
def crowd(addon, make, kept):
    """Six people as instances, and the trajectories that they are of: baked once, and opened from then on."""
    if kept.exists():
        bpy.ops.wm.open_mainfile(filepath=str(kept))
    stage = Stage(addon)
    stage.trajectories = make.walk(agents=6, speed=1.3, turn=0.5)
    if kept.exists():
        (stage.shown,) = stage.baked()
    else:
        stage.shown = stage.bake_instances(stage.trajectories)
        bpy.ops.wm.save_as_mainfile(filepath=str(kept))
    bpy.context.view_layer.objects.active = stage.shown
    return stage


def instances(shown):
    graph = bpy.context.evaluated_depsgraph_get()
    return sum(each.is_instance and each.parent.original == shown for each in graph.object_instances)


@pytest.mark.each_blender("geometry nodes and actions are evaluated")
@pytest.mark.parametrize("frame", sweep([20.5, 50, 1], usual=2, everywhere=1))
def test_characters_stand_where_the_instances_stood(make, crowd, frame):
    bpy.ops.footfall.make_real(agents="2-3, 6")
    made = make.matrices([bpy.data.objects[f"Walkers 00{number}"] for number in (2, 3, 6)], frame)
    row, part = int(frame) - 1, frame % 1
    after = min(row + 1, 49)
    position = (1 - part) * crowd.trajectories.position[row] + part * crowd.trajectories.position[after]
    assert np.abs(made[:, :3, 3] - position[[1, 2, 5]]).max() < 1e-4
    assert instances(crowd.shown) == 3


def test_a_real_person_is_who_a_bake_of_characters_would_have_made(make, crowd):
    bpy.ops.footfall.make_real(agents="1-6")
    real = [bpy.data.objects[f"Walkers 00{n}"] for n in range(1, 7)]
    feet = [each.pose.bones["foot.L"].head.copy() for each in make.all_evaluated(real, 30)]
    colours = [tuple(bpy.data.objects[f"Walkers 00{n}"].color) for n in range(1, 7)]
    lots = [each.value for each in crowd.shown.data.attributes["variation"].data]
    assert [bpy.data.objects[f"Walkers 00{n}"]["variation"] for n in range(1, 7)] == pytest.approx(lots)
    figures = crowd.bake(crowd.trajectories)
    assert [tuple(child.color) for each in figures for child in each.children] == colours
    for seen, foot in zip(make.all_evaluated(figures, 30), feet, strict=True):
        assert (seen.pose.bones["foot.L"].head - foot).length < 1e-4


def test_who_is_near_the_cursor_is_made_real(make, crowd):
    crowd.scene.frame_set(10)
    crowd.scene.cursor.location = crowd.trajectories.position[9, 4]
    bpy.ops.footfall.make_real(reach=0.4)
    assert [each.name for each in crowd.scene.objects if each.type == "ARMATURE"] == ["Walkers 005"]


def test_who_is_selected_is_made_real(crowd):
    chosen = np.zeros(len(crowd.shown.data.vertices), dtype=bool)
    chosen[[6 * 20 + 1, 6 * 30 + 3]] = True
    crowd.shown.data.vertices.foreach_set("select", chosen)
    bpy.ops.footfall.make_real()
    names = sorted(each.name for each in crowd.scene.objects if each.type == "ARMATURE")
    assert names == ["Walkers 002", "Walkers 004"]


def test_nobody_is_made_real_twice(crowd):
    bpy.ops.footfall.make_real(agents="2")
    with pytest.raises(RuntimeError, match="all of these people of 'Walkers' are characters already"):
        bpy.ops.footfall.make_real(agents="2")


@pytest.mark.parametrize(("agents", "message"), [("two", "not a number"), ("-3", "not a number")])
def test_wrong_numbers_are_refused(crowd, agents, message):
    with pytest.raises(RuntimeError, match=message):
        bpy.ops.footfall.make_real(agents=agents)


def test_what_was_made_real_is_cleared_with_the_bake(make, crowd):
    crowd.clear()
    before = make.data_blocks()
    bpy.context.view_layer.objects.active = crowd.bake_instances(crowd.trajectories)
    bpy.ops.footfall.make_real(agents="1, 4")
    crowd.clear()
    assert make.data_blocks() == before


def test_only_crowds_of_instances_can_be_made_real(make, crowd):
    cube = make.cube("Cube")
    make.link(cube)
    bpy.context.view_layer.objects.active = cube
    assert not bpy.ops.footfall.make_real.poll()


@pytest.fixture
def hill(make, stage):
    """Two people who walk up a slope of 15 %, with a ground under them."""
    path = new_path("Up", stage.scene.collection, [(0, 0, 0), (6.0, 0.0, 0.9)])
    ground = bpy.data.meshes.new("Hill")
    corners = [(-5.0, -5.0, -0.75), (15.0, -5.0, 2.25), (15.0, 5.0, 2.25), (-5.0, 5.0, -0.75)]
    ground.from_pydata(corners, [], [(0, 1, 2, 3)])
    hill = bpy.data.objects.new("Hill", ground)
    make.link(hill)
    stage.scene.frame_start, stage.scene.frame_end = 1, 60
    stage.scene.footfall.ground = hill
    stage.crowd.route, stage.crowd.count, stage.crowd.output = path, 2, "INSTANCES"
    edit = stage.crowd.edits.add()
    edit.name, edit.character = "Walkers 001", "Footfall man"  # one of those of whom instances are made
    assert bpy.ops.footfall.bake() == {"FINISHED"}
    bpy.context.view_layer.objects.active = next(each for each in stage.baked() if "footfall_people" in each)
    return stage


@pytest.mark.thorough
def test_on_a_slope_a_real_person_stands_as_a_baked_one(make, hill):
    bpy.ops.footfall.make_real(agents="1")

    def feet(character):
        return np.array(
            [make.evaluated(character, frame).pose.bones[name].head[:] for frame in (20, 40) for name in LEGS]
        )

    real = feet(bpy.data.objects["Walkers 001"])
    hill.crowd.output = "CHARACTERS"
    assert bpy.ops.footfall.bake() == {"FINISHED"}
    np.testing.assert_allclose(real, feet(bpy.data.objects["Walkers 001"]), atol=2e-3)


LEGS = ("foot.L", "foot.R")


def test_a_few_of_more_than_can_be_characters_are_made_real(crowd):
    crowd.crowd.count = 20_001
    bpy.ops.footfall.make_real(agents="1")
    assert sum(each.type == "ARMATURE" for each in crowd.scene.objects) == 1


@pytest.mark.parametrize("agents", ["0", "7", "1-9999999999", "5-2"])
def test_numbers_that_there_are_not_are_refused(crowd, agents):
    with pytest.raises(RuntimeError, match="1 to 6"):
        bpy.ops.footfall.make_real(agents=agents)


def test_who_is_real_stays_so_when_the_crowd_is_baked_again(make, crowd):
    bpy.ops.footfall.make_real(agents="2, 5")
    camera = bpy.data.objects.new("Camera", None)
    make.link(camera)
    camera.constraints.new("TRACK_TO").target = bpy.data.objects["Walkers 005"]
    moved = make.walk(agents=6, speed=0.8, turn=-0.4)
    shown = crowd.bake_instances(moved, of_many=True)
    assert sorted(each.name for each in crowd.scene.objects if each.type == "ARMATURE") == [
        "Walkers 002",
        "Walkers 005",
    ]
    for number in (2, 5):
        place = make.matrix(bpy.data.objects[f"Walkers 00{number}"], 30)[:3, 3]
        assert np.abs(place - moved.position[29, number - 1]).max() < 1e-4
    assert instances(shown) == 4
    assert camera.constraints[0].target == bpy.data.objects["Walkers 005"]
    crowd.clear()
    assert not [each for each in bpy.data.objects if each.name.startswith("Walkers")]


def test_the_real_who_are_gone_after_a_bake_are_told_of(make, crowd):
    bpy.ops.footfall.make_real(agents="2, 6")
    crowd.bake_instances(make.walk(agents=3), of_many=True)
    assert sum(each.type == "ARMATURE" for each in crowd.scene.objects) == 1
    assert any("1 of the people who were made real no longer exist" in notice for notice in crowd.notices)


def test_the_real_of_a_mixed_collection_walk_by_their_own_clips_also_when_baked_again(make, stage):
    """A rig without a body is no instance: others are drawn for its people, by whose strides they walk."""
    ghost, body = make.rig("D ghost", stride=0.5)
    bpy.data.objects.remove(body)
    short, long = make.rig("B short", stride=0.9), make.rig("C long", stride=1.7)
    stage.crowd.characters = make.collection("People", ghost, *short, *long)
    way = make.walk(agents=6, speed=1.3)
    bpy.context.view_layer.objects.active = stage.bake_instances(way)
    assert any("'D ghost' has no geometry" in notice for notice in stage.notices)
    bpy.ops.footfall.make_real(agents="1-6")

    def feet():
        people = [bpy.data.objects[f"Walkers 00{number}"] for number in range(1, 7)]
        return np.array([each.pose.bones[leg].head[:] for each in make.all_evaluated(people, 30) for leg in LEGS])

    before = feet()
    stage.bake_instances(way, of_many=True)
    np.testing.assert_allclose(feet(), before, atol=1e-4)


def test_who_is_made_real_goes_on_with_what_they_do(make, stage, one_figure):
    trajectories = acting(make, ("sit", "phone", "talk"))
    stage.crowd.motion.looks_about = False  # instances know no gaze
    bpy.context.view_layer.objects.active = stage.bake_instances(trajectories)
    bpy.ops.footfall.make_real(agents="1-3")

    def seen(names):
        found = make.all_evaluated([bpy.data.objects[name] for name in names], 72)
        return [{bone.name: each.matrix_world @ bone.head for bone in each.pose.bones} for each in found]

    real = seen([f"Walkers 00{number}" for number in (1, 2, 3)])
    baked = seen([each.name for each in stage.bake(trajectories)])
    for one, other in zip(real, baked, strict=True):
        assert max((one[bone] - other[bone]).length for bone in one) < 0.02
    assert real[0]["hips"].z < real[1]["hips"].z - 0.2  # they sit


_SEAT = {"first": 2, "last": 5, "place": [1, 2.5, 0.4], "heading": 0.5, "from_start": False, "to_end": True, "floor": 0}
_DAMAGED_SEATS = [
    {"last": 8}, {"first": -1}, {"first": 6}, {"first": "2"}, {"first": True}, {"place": [1, 2]}, {"place": None},
    {"place": [1, 2, float("nan")]}, {"heading": "north"}, {"to_end": 1}, {"floor": 1e300}, {"floor": 10**400},
]  # fmt: skip
_DAMAGED_ACTS = [
    *({"seats": {"1": [_SEAT | each]}} for each in _DAMAGED_SEATS),
    *({"seats": each} for each in (None, [[]], {"7": []}, {"1": None}, {"1": [_SEAT, _SEAT]})),
    *({"names": each} for each in (None, [1, 2], ["walk"])),
    b"[" * 50_000,
    {"more": " " * 20_000_000},  # nothing wrong, but 20 KB in the file become a thousand times as much
]


def test_damaged_acts_in_a_file_are_ignored(addon):
    stored = addon.module("blender_addon.characters.acts.stored_acts")

    def kept(changed):
        mesh = bpy.data.meshes.new("Samples")
        mesh.from_pydata([(0, 0, 0)] * 4, [(0, 1), (2, 3)], [])
        header = changed
        if isinstance(changed, dict):
            header = json.dumps({"names": ["walk", "sit"], "seats": {"1": [_SEAT]}} | changed).encode()
        packed = zlib.compress(header + b"\n" + bytes([0, 0, 1, 1, 1, 1, 0, 0]))
        mesh["footfall_acts"] = np.frombuffer(packed + bytes(-len(packed) % 4), dtype=np.int32)
        return stored.kept_acts(mesh, 8)

    (done, floors, variants) = kept({})[1]
    assert done.seats[0].last == 5
    assert floors.tolist() == [0.0]
    assert not len(variants)
    assert [str(each)[:200] for each in _DAMAGED_ACTS if kept(each)] == []
