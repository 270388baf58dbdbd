# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters as they come out of a bake, measured on the evaluated scene."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from tests.sweeps import sweep

pytestmark = pytest.mark.each_blender("objects and their animation are copied, hidden and evaluated")

TURN = {"POS_X": 0.0, "POS_Y": 90.0, "NEG_X": 180.0, "NEG_Y": -90.0}


def turned(heading):
    return np.array(Matrix.Rotation(heading, 3, "Z"))


@pytest.mark.parametrize("turn", [0.0, 2.5])
def test_plain_objects_stand_where_the_trajectories_say(make, stage, turn):
    stage.crowd.characters = make.collection("Props", make.cube("Box"))
    stage.crowd.forward_axis = "POS_X"
    trajectories = make.walk(agents=3, turn=turn)
    baked = stage.bake(trajectories)
    assert [each.name for each in baked] == ["Walkers 001", "Walkers 002", "Walkers 003"]
    for agent, each in enumerate(baked):
        for frame in (1, 2, 17, 50):
            matrix = make.matrix(each, frame)
            np.testing.assert_allclose(matrix[:3, 3], trajectories.position[frame - 1, agent], atol=1e-4)
            np.testing.assert_allclose(matrix[:3, :3], turned(trajectories.heading[frame - 1, agent]), atol=1e-4)


def test_between_frames_the_place_is_linear(make, stage):
    stage.crowd.characters = make.collection("Props", make.cube("Box"))
    trajectories = make.walk(turn=2.5)
    (first, *_) = stage.bake(trajectories)
    for frame in (1.5, 20.25, 49.9):
        before = int(frame) - 1
        mix = frame % 1
        expected = (1 - mix) * trajectories.position[before, 0] + mix * trajectories.position[before + 1, 0]
        np.testing.assert_allclose(make.matrix(first, frame)[:3, 3], expected, atol=1e-4)


@pytest.mark.parametrize("axis", TURN)
def test_the_forward_axis_looks_along_the_heading(make, stage, axis):
    stage.crowd.characters = make.collection("Props", make.cube("Box"))
    stage.crowd.forward_axis = axis
    trajectories = make.walk(turn=1.0)
    (first, *_) = stage.bake(trajectories)
    angle = math.radians(TURN[axis])
    for frame in (1, 33):
        forward = make.matrix(first, frame)[:3, :3] @ (math.cos(angle), math.sin(angle), 0.0)
        heading = trajectories.heading[frame - 1, 0]
        np.testing.assert_allclose(forward, (math.cos(heading), math.sin(heading), 0.0), atol=1e-4)


def test_heading_keys_never_spin(make, stage):
    stage.crowd.characters = make.collection("Props", make.cube("Box"))
    trajectories = make.walk(turn=3.0, frames=(1, 150))
    assert np.abs(np.diff(trajectories.heading[:, 0])).max() > 6.0  # wrapped as given
    (first, *_) = stage.bake(trajectories)
    angles = [make.evaluated(first, frame).rotation_euler.z for frame in range(1, 151)]
    np.testing.assert_allclose(np.diff(angles), 3.0 / 24.0, atol=1e-4)


def test_scene_units_are_honoured(make, stage):
    stage.crowd.characters = make.collection("Props", make.cube("Box", 50.0))
    trajectories = make.walk()
    (first, *_) = stage.bake(trajectories, unit=0.01)
    np.testing.assert_allclose(make.matrix(first, 30)[:3, 3], 100.0 * trajectories.position[29, 0], atol=1e-2)


def test_the_ground_carries_the_characters(make, stage):
    class Slope:
        def heights(self, xy, near_z):
            return 0.2 * xy[:, 0] + 3.0

    stage.crowd.characters = make.collection("Props", make.cube("Box"))
    trajectories = make.walk()
    (first, *_) = stage.bake(trajectories, ground=Slope())
    place = make.matrix(first, 40)[:3, 3]
    assert place[2] == pytest.approx(0.2 * trajectories.position[39, 0, 0] + 3.0, abs=1e-4)


def test_where_the_original_stands_does_not_matter_but_its_turn_and_size_do(make, stage):
    original = make.cube("Box")
    original.location = (30.0, -4.0, 9.0)
    original.rotation_euler = (0.3, -0.2, 1.0)
    original.scale = (1.0, 2.0, 0.5)
    original.delta_location = (1.0, 1.0, 1.0)
    original.delta_rotation_euler = (0.1, 0.0, 0.4)
    original.delta_scale = (2.0, 2.0, 2.0)
    stage.crowd.characters = make.collection("Props", original)
    stage.crowd.forward_axis = "POS_X"
    trajectories = make.walk(turn=1.0)
    (first, *_) = stage.bake(trajectories)
    matrix = make.matrix(first, 25)
    np.testing.assert_allclose(matrix[:3, 3], trajectories.position[24, 0], atol=1e-4)
    expected = turned(trajectories.heading[24, 0]) @ np.array(original.matrix_basis)[:3, :3]
    np.testing.assert_allclose(matrix[:3, :3], expected, atol=1e-4)


def test_a_mirrored_original_stays_mirrored(make, stage):
    original = make.cube("Box")
    original.scale = (-1.0, 1.0, 1.0)
    stage.crowd.characters = make.collection("Props", original)
    (first, *_) = stage.bake(make.walk())
    assert np.linalg.det(make.matrix(first, 10)[:3, :3]) == pytest.approx(-1.0, abs=1e-4)


def test_copies_share_meshes_and_the_original_is_untouched(make, stage):
    original = make.cube("Box")
    make.link(original)
    original.location = (30.0, -4.0, 9.0)
    stage.crowd.characters = make.collection("Props", original)
    baked = stage.bake(make.walk())
    assert {each.data for each in baked} == {original.data}
    assert tuple(original.location) == (30.0, -4.0, 9.0)
    assert original.animation_data is None
    assert set(original.users_collection) == {stage.scene.collection, stage.crowd.characters}


def test_an_empty_that_instances_a_collection_is_a_character(make, stage):
    tree = make.collection("Tree", make.cube("Trunk"))
    empty = bpy.data.objects.new("Instance", None)
    empty.instance_type, empty.instance_collection = "COLLECTION", tree
    stage.crowd.characters = make.collection("Props", empty)
    trajectories = make.walk()
    stage.bake(trajectories)
    stage.scene.frame_set(20)
    depsgraph = stage.scene.view_layers[0].depsgraph
    places = sorted(tuple(each.matrix_world.translation) for each in depsgraph.object_instances if each.is_instance)
    np.testing.assert_allclose(places, sorted(map(tuple, trajectories.position[19])), atol=1e-4)


def test_absent_people_are_hidden_and_hold_their_place(make, stage):
    rig, body = make.rig()
    stage.crowd.characters = make.collection("People", rig, body)
    present = np.ones((50, 2), dtype=bool)
    present[:10, 0] = False
    present[40:, 0] = False
    trajectories = make.walk(agents=2, present=present)
    first, second = stage.bake(trajectories)
    for frame, hidden in ((1, True), (10, True), (11, False), (40, False), (41, True), (50, True)):
        for part in (first, *first.children):
            seen = make.evaluated(part, frame)
            assert (seen.hide_viewport, seen.hide_render) == (hidden, hidden), (part.name, frame)
        assert not make.evaluated(second, frame).hide_render
    for frame, at in ((5, 10), (50, 39)):  # Blender does not evaluate what is hidden: ask the keys
        held = [curve.evaluate(frame) for curve in make.curves(first, "location")]
        np.testing.assert_allclose(held, trajectories.position[at, 0], atol=1e-4)
    assert second.children[0].animation_data is None


def test_the_same_seed_casts_the_same_and_more_people_change_nobody(make, stage):
    stage.crowd.characters = make.collection("Props", make.cube("A"), make.cube("B"), make.cube("C"))

    def kinds(agents, seed):
        return [each.data.name for each in stage.bake(make.walk(agents=agents), seed=seed)]

    few, many = kinds(12, 0), kinds(30, 0)
    assert many[:12] == few
    assert set(many) == {"A", "B", "C"}
    assert kinds(30, 1) != many


def test_hidden_originals_give_visible_copies(make, stage):
    original = make.cube("Box")
    original.hide_viewport = original.hide_render = True
    stage.crowd.characters = make.collection("Props", original)
    (first, *_) = stage.bake(make.walk())
    assert (first.hide_viewport, first.hide_render) == (False, False)


def test_a_part_that_is_hidden_alone_stays_hidden(make, stage):
    box, helper = make.cube("Box"), make.cube("Helper")
    helper.parent, helper.hide_render = box, True
    stage.crowd.characters = make.collection("Props", box)
    (first, *_) = stage.bake(make.walk())
    assert (first.hide_render, first.children[0].hide_render) == (False, True)


def test_what_would_fight_the_path_is_left_out_and_told(make, stage):
    target, original = make.cube("Target"), make.cube("Box")
    make.link(target)
    original.constraints.new("COPY_LOCATION").target = target
    original.driver_add("location", 2).driver.expression = "7"
    stage.crowd.characters = make.collection("Props", original)
    trajectories = make.walk()
    (first, *_) = stage.bake(trajectories)
    np.testing.assert_allclose(make.matrix(first, 25)[:3, 3], trajectories.position[24, 0], atol=1e-4)
    assert sum("'Box'" in notice for notice in stage.notices) == 2


def test_animation_of_a_plain_object_is_replaced_and_told(make, stage):
    original = make.cube("Box")
    original.keyframe_insert("location", frame=1)
    stage.crowd.characters = make.collection("Props", original)
    stage.bake(make.walk())
    assert stage.notices == ["'Box': its animation is replaced by its path"]


@pytest.mark.parametrize("kind", ["EMPTY", "LIGHT", "CAMERA", "CURVE", "FONT"])
def test_objects_of_every_kind_are_carried_and_those_without_a_body_told(make, stage, kind):
    data = {"EMPTY": lambda: None, "LIGHT": lambda: bpy.data.lights.new("Thing", "POINT")}
    data |= {"CAMERA": lambda: bpy.data.cameras.new("Thing"), "FONT": lambda: bpy.data.curves.new("Thing", "FONT")}
    data |= {"CURVE": lambda: bpy.data.curves.new("Thing", "CURVE")}
    thing = bpy.data.objects.new("Thing", data[kind]())
    if kind == "CURVE":
        thing.data.splines.new("POLY").points.add(3)
    stage.crowd.characters = make.collection("Props", thing)
    trajectories = make.walk()
    (first, *_) = stage.bake(trajectories)
    np.testing.assert_allclose(make.matrix(first, 30)[:3, 3], trajectories.position[29, 0], atol=1e-4)
    told = f"'Thing' has nothing visible, only: {kind.lower()};"
    assert [notice.startswith(told) for notice in stage.notices] == ([] if kind == "FONT" else [True])


def test_an_origin_in_the_middle_is_told(make, stage):
    box = make.cube("Box")
    box.data.transform(Matrix.Translation((0.0, 0.0, -0.5)))
    stage.crowd.characters = make.collection("Props", box)
    stage.bake(make.walk())
    assert any("0.50 m below its origin" in notice for notice in stage.notices)


def test_too_many_characters_are_refused(make, stage, addon):
    before = make.data_blocks()
    stage.crowd.count = 100_000
    with pytest.raises(addon.errors.SceneError, match="Walkers: 100,000 characters"):
        stage.cast(make.walk())
    assert make.data_blocks() == before


def test_an_empty_collection_is_refused(make, stage, addon):
    stage.crowd.characters = make.collection("Nobody")
    before = make.data_blocks()
    with pytest.raises(addon.errors.FootfallError, match="'Nobody' contains no characters"):
        stage.cast(make.walk())
    assert make.data_blocks() == before


def test_the_bakes_own_collection_is_no_cast(make, stage, addon):
    stage.crowd.characters = make.collection("Props", make.cube("Box"))
    stage.bake(make.walk())
    stage.crowd.characters = bpy.data.collections["Footfall Walkers"]
    with pytest.raises(addon.errors.FootfallError, match="was made by a bake"):
        stage.cast(make.walk())


def test_the_built_in_figures_walk_when_nobody_is_chosen(make, stage, two_figures):
    trajectories = make.walk(agents=4, turn=0.5)
    baked = stage.bake(trajectories)
    assert len(baked) == 4
    for agent, (each, matrix) in enumerate(zip(baked, make.matrices(baked, 30), strict=True)):
        np.testing.assert_allclose(matrix[:3, 3], trajectories.position[29, agent], atol=1e-4)
        forward = matrix[:3, :3] @ (0.0, -1.0, 0.0) / each.scale.x
        heading = trajectories.heading[29, agent]
        np.testing.assert_allclose(forward, (math.cos(heading), math.sin(heading), 0.0), atol=1e-4)
    assert stage.notices == []


def test_cancelling_before_the_end_leaves_the_file_as_it_was(make, stage, two_figures):
    rig, body = make.rig(first_frame=10, root_motion=True)
    stage.crowd.characters = make.collection("People", rig, body)
    trajectories = make.walk()
    for characters in (stage.crowd.characters, None):
        stage.crowd.characters = characters
        before = make.data_blocks()
        cast = stage.cast(trajectories)
        stage.fill(cast, trajectories)
        cast.discard()
        assert make.data_blocks() == before


@pytest.mark.once
def test_whenever_writing_is_given_up_the_file_is_as_it_was(make, stage, two_figures):
    trajectories = make.walk(agents=3)
    stage.bake(trajectories)
    before = make.data_blocks()
    for pauses in range(1, 7):
        cast = stage.cast(trajectories)
        stage.fill(cast, trajectories, pauses=pauses)
        cast.discard()
        assert make.data_blocks() == before


FAILING = {
    "a later foot": ("baking.casting.character_keys", "key_feet"),
    "when somebody is seen": ("baking.casting.character_keys", "_visibility"),
    "strips of feet": ("baking.casting.character_keys", "put_feet_on"),
    "curves": ("blender_data.animation", "add_channels"),
    "who plays what": ("blender_data.animation", "assign_clip"),
    "a copy's references": ("characters.templates", "set_reference"),
}


@pytest.mark.once
@pytest.mark.parametrize("what", sweep(FAILING, usual=3))
def test_whatever_fails_in_writing_the_file_is_as_it_was(make, stage, addon, two_figures, monkeypatch, what):
    present = np.ones((50, 3), dtype=bool)
    present[:10, :2] = False
    trajectories = make.walk(agents=3, turn=2.5, present=present)
    before = make.data_blocks()
    for number in (1, 2, 3):
        cast = stage.cast(trajectories)
        with monkeypatch.context() as patched:
            fail_at_call(patched, addon, *FAILING[what], number)
            with pytest.raises(MemoryError):
                stage.fill(cast, trajectories)
        cast.discard()
        assert make.data_blocks() == before


BREAKING_OFF = {
    "the second part": ("characters.templates", "_local_copy", 2),
    "its meshes": ("characters.templates", "check_meshes", 1),
    "its clip made to stay in place": ("characters.clips.walk_cycles", "_sample_bones", 2),
    "its legs": ("characters.legs.find", "find_legs", 1),
    "its size": ("characters.templates", "judge_size", 1),
}


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt, GeneratorExit])
@pytest.mark.parametrize("place", BREAKING_OFF)
def test_nothing_is_left_of_a_character_that_is_not_made_ready(make, stage, addon, monkeypatch, place, error):
    rig, body = make.rig(root_motion=True)
    stage.crowd.characters = make.collection("People", rig, body)
    trajectories = make.walk()
    before = make.data_blocks()
    with monkeypatch.context() as patched:
        fail_at_call(patched, addon, *BREAKING_OFF[place], error=error)
        with pytest.raises(error):
            stage.cast(trajectories)
    assert make.data_blocks() == before
    stage.cast(trajectories).discard()
    assert make.data_blocks() == before


def fail_at_call(monkeypatch, addon, module, name, number, error=MemoryError):
    """Let a function of the baking raise when it is called for the `number`-th time."""
    module = addon.module(f"blender_addon.{module}")
    works, calls = getattr(module, name), iter(range(1, number))

    def fails(*given, **named):
        if next(calls, None) is None:
            raise error
        return works(*given, **named)

    monkeypatch.setattr(module, name, fails)


def test_crowds_of_one_do_not_all_wear_the_same(make, stage):
    roles = stage.addon.module("blender_addon.bakes.roles")
    lots = roles.RandomDraws(0)
    colours = {lots.shirt(roles.Role(f"Person {number}", 0, 1)) for number in range(20)}
    assert len(colours) > 5
