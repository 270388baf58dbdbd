# SPDX-License-Identifier: GPL-3.0-or-later
"""The report looks at the feet of whoever was written: how long they stand, and that nobody glides."""

import json
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from ..characters.statues import Statue
from ..street import own_figures


@pytest.fixture
def alike(street):
    """The street with copies of one of the built-in figures as characters, long enough to be looked at."""
    own_figures(street.crowd, 1)
    street.scene.frame_end = 48
    return street


@pytest.fixture
def walkers(street):
    """The same with two of the figures."""
    own_figures(street.crowd, 2)
    street.scene.frame_end = 48
    return street


def total(street):
    return json.loads(street.settings.report)["total"]


def test_who_walks_has_a_foot_on_the_ground_half_of_the_time_and_no_line(walkers):
    bpy.ops.footfall.bake()
    assert 0.5 <= total(walkers)["foot_stance"] <= 0.68
    assert not {"glide", "sunk", "aloft"} & {problem.kind for problem in walkers.settings.problems}
    walkers.crowd.motion.plants_feet = False
    bpy.ops.footfall.bake()
    assert 0.4 <= total(walkers)["foot_stance"] <= 0.68  # looked at, not planned
    assert not any("slide while they stand" in problem.name for problem in walkers.settings.problems)


def test_gliding_is_the_first_line_and_names_the_character_and_its_clip(walkers):
    walkers.crowd.stride_length = 40.0
    bpy.ops.footfall.bake()
    first = walkers.settings.problems[0]
    assert first.kind == "glide"
    assert first.severity >= 1.0
    assert first.has_place
    assert "set Stride" in first.name
    assert any(f"'{obj.name}'" in first.name for obj in walkers.crowd.characters.all_objects)
    told = {
        person for problem in walkers.settings.problems if problem.kind == "glide" for _, person in problem.characters
    }
    assert told == {"Crowd 001", "Crowd 002", "Crowd 003"}
    walkers.crowd.motion.lean += 0.1  # another bake of the same people, of whom some may be left as they are
    bpy.ops.footfall.bake()
    assert walkers.settings.problems[0].kind == "glide"


def test_feet_that_slide_slowly_while_they_stand_are_a_line_of_their_character(alike):
    """They are slower than what glides, over the ground for less than a tenth of the way of the body."""
    alike.crowd.motion.plants_feet, alike.crowd.stride_length = False, 1.53
    bpy.ops.footfall.bake()
    assert not any(problem.kind == "glide" for problem in alike.settings.problems)
    lines = [problem for problem in alike.settings.problems if "slide while they stand" in problem.name]
    assert lines
    assert all(line.kind == "feet" and "turn on Planted Feet" in line.name for line in lines)


def test_who_has_no_bones_has_no_row_for_feet(street):
    street.scene.frame_end = 60
    bpy.ops.footfall.bake()
    assert "foot_stance" not in total(street)


def test_of_a_moment_nothing_is_said(alike):
    alike.scene.frame_end = 6
    bpy.ops.footfall.bake()
    assert total(alike)["foot_stance"] is None


def test_a_character_whom_nobody_plays_any_more_is_not_spoken_of(walkers):
    walkers.crowd.stride_length = 40.0
    bpy.ops.footfall.bake()
    lines = [problem for problem in walkers.settings.problems if problem.kind == "glide"]
    assert len(lines) == 2
    gone = min(([person for _, person in line.characters] for line in lines), key=len)
    for obj in bpy.context.selected_objects:
        obj.select_set(False)
    for person in gone:
        bpy.data.objects[person].select_set(True)
    bpy.ops.footfall.hide_people()
    bpy.ops.footfall.bake()
    (line,) = [problem for problem in walkers.settings.problems if problem.kind == "glide"]
    assert not {person for _, person in line.characters}.intersection(gone)


def test_feet_are_looked_at_where_the_scene_shows_them(alike):
    alike.scene.render.frame_map_old, alike.scene.render.frame_map_new = 100, 200
    alike.crowd.stride_length = 40.0
    bpy.ops.footfall.bake()
    frames = {problem.frame for problem in alike.settings.problems if problem.kind == "glide"}
    alike.scene.render.frame_map_new = 100
    bpy.ops.footfall.bake()
    assert {problem.frame for problem in alike.settings.problems if problem.kind == "glide"} == frames


@pytest.mark.thorough
def test_instances_are_looked_at_in_the_poses_that_are_shown(street):
    """Their feet stand, and nobody glides but by a wrong stride."""
    street.crowd.characters, street.crowd.output, street.scene.frame_end = None, "INSTANCES", 60
    bpy.ops.footfall.bake()
    seen = total(street)
    assert 0.5 <= seen["foot_stance"] <= 0.68
    assert seen["foot_slide_mean_cm"] <= 1.5
    assert not any(problem.kind == "glide" for problem in street.settings.problems)
    street.crowd.stride_length = 40.0
    bpy.ops.footfall.bake()
    assert street.settings.problems[0].kind == "glide"


def test_feet_are_looked_at_that_were_planted_and_not_those_that_the_rest_pose_suggests(make, addon):
    """Of dogs it suggests the hocks."""
    statue = Statue(make, addon)
    seen, legs = (addon.module(f"blender_addon.characters.{name}") for name in ("ready.seen_feet", "legs.bone_legs"))
    names, count = [bone.name for bone in statue.rig.data.bones], len(statue.rig.data.bones)

    def looked_at(*planted):
        found = seen.feet_of_joints(statue.rig, statue.rig, count, planted)
        return {name for name, foot in zip(names, found, strict=True) if foot >= 0}

    assert looked_at() == {"foot.L", "foot.R", "toe.L", "toe.R"}
    toes = [legs.Leg((f"shin.{side}", f"foot.{side}", f"toe.{side}"), None, None, 1.0) for side in "LR"]
    assert looked_at(*toes) == {"toe.L", "toe.R"}
    foot_of = dict(zip(names, seen.feet_of_joints(statue.rig, statue.rig, count).tolist(), strict=True))
    assert foot_of["foot.L"] == foot_of["toe.L"] != foot_of["foot.R"] == foot_of["toe.R"]


def test_who_glides_is_told_what_helps(addon):
    told = addon.module("blender_addon.baking.reporting").why_it_glides
    seen = addon.module("blender_addon.baking.casting.crowd_feet").SeenCharacter
    giant, man, crab = (told("X", seen(None, 0, "Walk", *each)) for each in ((660.0,), (1.8,), (1.8, False)))
    assert giant.startswith("'X' is 660 m tall, and its feet hardly stand in its walk 'Walk'")
    assert "Height" in giant
    assert "Height" not in man
    assert "to use Footfall's own" in man
    assert "and Footfall's does not fit its body; choose a clip" in crab
    assert "has a knee" not in crab
    assert "Parts of the Body" not in crab
    stilts = told("X", seen(None, 0, "Walk", 1.8, may_walk_as_ours=False, has_legs=False))
    assert "in its walk 'Walk', none of its legs has a knee that could be bent to hold them, and Footfall's" in stilts
    assert stilts.endswith("set Stride, or name its legs in Parts of the Body and press Check Character")
    ours = told("X", seen(None, 0, "X walk", 1.8, walks_as_ours=True))
    assert ours.startswith("the feet of 'X' hardly stand in Footfall's own walk; choose a clip with steps")
    assert "empty its Walk" not in ours
    slides = addon.module("blender_addon.baking.reporting").why_it_slides
    figure = slides("X", seen(None, 0, "X walk", 1.8, walks_as_ours=True, is_figure=True))
    assert figure == "the feet of 'X' slide while they stand in Footfall's own walk; set Stride"
    assert "the feet of 'X' (Beach) hardly" in told("X", seen(None, 0, "Walk", 1.8, hint=" (Beach)"))


def test_feet_of_instances_are_planted_as_those_of_characters(alike):
    """With a stride that is not the clip's own, feet glide unless legs are bent."""
    alike.crowd.output, alike.crowd.stride_length = "INSTANCES", 1.9
    bpy.ops.footfall.bake()
    assert 0.5 <= total(alike)["foot_stance"] <= 0.75
    assert total(alike)["foot_slide_mean_cm"] <= 1.5
    alike.crowd.motion.plants_feet = False
    bpy.ops.footfall.bake()
    assert total(alike)["foot_stance"] < 0.4


def test_feet_that_stand_close_are_two_where_bones_reach_far(make, stage):
    statue = Statue(make, stage.addon)

    def hang_a_train(bones):
        train = statue.rig.data.edit_bones.new("Train")
        train.head, train.tail = (0.0, 0.5, 60.0), (0.0, 0.5, 61.0)

    statue.edit(hang_a_train)
    looked = stage.addon.module("blender_addon.characters.ready.seen_feet")
    found = looked.feet_of_joints(statue.rig, statue.rig, 2 * len(statue.rig.data.bones))
    assert found is not None
    assert len(set(found[found >= 0])) == 2


def moved_by(crowd, height):
    """Move the meshes of a crowd's characters up or down within their rigs; their bones stay."""
    for mesh in {each.data for each in crowd.characters.all_objects if each.type == "MESH"}:
        for vertex in mesh.vertices:
            vertex.co.z += height


def height_of_lowest_vertex(scene, frame, person):
    """Of the meshes of a baked person, in the world at a frame."""
    scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    parts = [each.evaluated_get(graph) for each in bpy.data.objects[person].children if each.type == "MESH"]
    return min((part.matrix_world @ vertex.co).z for part in parts for vertex in part.data.vertices)


@pytest.mark.parametrize(("kind", "way", "other"), [("sunk", -0.17, "aloft"), ("aloft", 0.17, "sunk")])
def test_soles_in_the_ground_or_over_it_have_a_line_with_their_true_height(alike, kind, way, other):
    """Farther from the ground than clips are moved by themselves."""
    moved_by(alike.crowd, way)
    bpy.ops.footfall.bake()
    lines = [event for event in json.loads(alike.settings.report)["events"] if event["kind"] == kind]
    assert lines
    for line in lines:
        (_, person), *_ = line["people"]
        height = height_of_lowest_vertex(alike.scene, line["frame"], person)
        assert line["amount"] == pytest.approx(abs(height), abs=1e-3)
        assert abs(abs(way) - line["amount"]) < 0.03
        walker = bpy.data.objects[person].matrix_world.translation
        assert np.hypot(*(np.array(line["place"]) - walker)[:2]) < 0.1  # who was looked at, where they are then
        assert line["severity"] >= 1.0
        assert f"move its meshes {'up' if kind == 'sunk' else 'down'}" in line["reason"]  # no clip would help
    assert kind in {problem.kind for problem in alike.settings.problems}
    assert other not in {problem.kind for problem in alike.settings.problems}


@pytest.mark.thorough
def test_a_long_skirt_is_no_sole(alike):
    """What hangs from other bones than those of feet may drag on the ground."""
    (armature, *_) = [each for each in alike.crowd.characters.all_objects if each.type == "ARMATURE"]
    train = bpy.data.meshes.new("Train")
    train.from_pydata([(-0.2, 0.3, -0.3), (0.2, 0.3, -0.3), (0.2, 0.3, 0.9), (-0.2, 0.3, 0.9)], [], [(0, 1, 2, 3)])
    skirt = bpy.data.objects.new("Train", train)
    skirt.vertex_groups.new(name="hips").add(range(4), 1.0, "REPLACE")
    skirt.parent = armature
    skirt.modifiers.new("Armature", "ARMATURE").object = armature
    armature.users_collection[0].objects.link(skirt)
    bpy.ops.footfall.bake()
    assert "sunk" not in {problem.kind for problem in alike.settings.problems}


@pytest.mark.thorough
def test_soles_of_giants_are_judged_by_their_size(walkers, addon):
    """Of a robot of 4 m a few centimetres are not seen; of children they are."""
    larger = addon.module("blender_addon.baking.casting.crowd_feet").visible_size
    assert [larger(height) for height in (0.0, 1.1, 1.75, 3.5)] == [1.0, 1.0, 1.0, 2.0]
    moved_by(walkers.crowd, -0.17)
    severity = {}
    for scale in (1.0, 3.0):
        for rig in (each for each in walkers.crowd.characters.all_objects if each.type == "ARMATURE"):
            rig.scale = (scale, scale, scale)
        bpy.ops.footfall.bake()
        events = json.loads(walkers.settings.report)["events"]
        severity[scale] = max(event["severity"] / event["amount"] for event in events if event["kind"] == "sunk")
    assert severity[3.0] < 0.5 * severity[1.0]


def test_a_moment_without_a_ground_hides_no_other(addon):
    looked = addon.module("blender_addon.characters.ready.seen_soles")
    lowest = np.array([[0.0, 0.0, 0.02], [1.0, 0.0, -0.05], [2.0, 0.0, 0.0]])[:, None]

    def ground(points):
        return np.where(points[:, 0] < 0.5, np.nan, 0.0)

    stands = SimpleNamespace(location=lowest[:, 0] * [1.0, 1.0, 0.0], ground=ground)
    found = looked._worst(lowest, stands, np.arange(3))
    assert found == (pytest.approx(0.05), 1, 0.0, 2, False)


def test_on_stairs_nobody_is_in_the_air_whose_higher_foot_stands(addon):
    """The free foot is lower than the tread on which the other one stands, and over a lower one."""
    looked = addon.module("blender_addon.characters.ready.seen_soles")
    lowest = np.array([[[0.0, 0.0, 0.16], [0.5, 0.0, 0.06]], [[0.1, 0.0, 0.2], [0.5, 0.0, 0.03]]])
    body = SimpleNamespace(
        location=np.array([[0.3, 0.0, 0.1]] * 2), ground=lambda points: np.where(points[:, 0] < 0.25, 0.16, 0.0)
    )
    assert looked._worst(lowest, body, np.arange(2))[2:4] == (pytest.approx(0.03), 1)


def test_slides_of_who_is_taller_than_people_are_seen_from_farther_away(addon):
    reporting = addon.module("blender_addon.baking.reporting")
    giant, man, seen = ("Crowd", 0), ("Crowd", 1), {"Rex": SimpleNamespace(height=14.0)}
    feet = SimpleNamespace(
        seen=seen, plays={giant: "Rex", man: "Man"}, faults={}, worst={giant: (0.3, 0), man: (0.3, 0)}
    )
    people = [SimpleNamespace(role=(*key, 2)) for key in (giant, man)]
    t = SimpleNamespace(frames=np.arange(1, 4), position=np.zeros((3, 2, 3)))
    found = list(reporting._feet_events(t, [SimpleNamespace(feet=feet)], people))
    assert [each["amount"] for each in found] == [0.3, 0.3]
    assert [each["severity"] for each in found] == pytest.approx([0.3 / 0.03 / 8.0, 0.3 / 0.03])
