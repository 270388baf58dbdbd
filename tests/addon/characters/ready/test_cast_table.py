# SPDX-License-Identifier: GPL-3.0-or-later
"""The cast table: what was found is shown, what the user chooses is kept, and what is impossible is said."""

import json
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from tests.sweeps import sweep

from ..statues import Statue
from ..strangers import dancer, walking

pytestmark = pytest.mark.each_blender("pointers to Actions")


@pytest.fixture
def table(addon, monkeypatch):
    """The operators and the rows, of a crowd whose characters are given; without their pictures."""
    cast_table = addon.module("blender_addon.characters.ready.cast_table")
    monkeypatch.setattr(cast_table, "draw_portrait", lambda *given: "")

    class Table:
        crowd = None

        def of(self, make, *objects):
            settings = bpy.context.scene.footfall
            self.crowd = settings.crowds.add()
            settings.active_crowd_index = 0
            self.crowd.characters = make.collection("People", *objects)
            return self.look()

        def look(self):
            assert bpy.ops.footfall.find_clips() == {"FINISHED"}
            return bpy.context.scene.footfall.cast[0]

    return Table()


def blocks():
    kinds = (bpy.data.objects, bpy.data.actions, bpy.data.scenes, bpy.data.collections, bpy.data.meshes)
    return {block.name_full for kind in kinds for block in kind}


def test_a_row_shows_what_was_found_and_leaves_nothing(make, table, addon, tmp_path):
    rig, body = dancer(make, addon, tmp_path)
    before = blocks() | {"People"}
    row = table.of(make, rig, body)
    assert blocks() == before
    assert (row.mover, row.armature, row.name) == (rig, rig, "Dancer")
    assert 1.5 < row.height < 2.0
    assert (row.seen_facing, row.problem, row.walk.problem) == ("-Y", "", "")
    assert (row.walk.clip.name, row.run.clip.name) == ("walk", "run")
    assert 1.0 < row.walk.stride < 1.8
    assert row.walk.speed == pytest.approx(row.walk.stride * bpy.context.scene.render.fps / row.walk.frames)
    assert row.idle.clip is None
    assert row.idle.is_made  # "agree" does not stand
    assert not any(clip.locked for clip in (row.walk, row.idle, row.run))


@pytest.mark.once
def test_a_clip_of_another_skeleton_is_named_and_called_retargeted(make, table, addon):
    walking(make, addon, "BVH")
    statue = Statue(make, addon, "VRM")
    row = table.of(make, statue.rig, statue.body)
    assert (row.walk.clip, row.walk.is_made, row.walk.retargeted) == (None, True, "Walking")
    assert (row.idle.is_made, row.idle.retargeted) == (True, "")  # ours


@pytest.mark.once
def test_who_is_wide_keeps_more_room_until_a_radius_is_typed(make, street, addon):
    (rig, *_), head = make.rig(height=1.8), make.cube("Head", 1.0)
    head.parent, head.location.z = rig, 0.5
    make.link(head)
    crowd = street.crowd
    crowd.characters = make.collection("Robots", rig, head)
    bake, read = addon.module("blender_addon.baking.bake").bake, addon.module("blender_addon.reading").read_scene
    for _ in ("found by the bake itself", "known from the table"):
        result = bake(street.scene)
        (row,) = street.settings.cast
        assert 0.35 < row.body_radius < 0.44
        away = np.abs(result.trajectories.radius / row.body_radius - 1.0)
        assert away.max() < crowd.radius_variation + 1e-6
        (read_crowd,) = result.reading.scene.crowds
        assert read_crowd.reach == pytest.approx(0.5 - row.body_radius, abs=0.03)  # half a metre of head on each side
        assert result.reading.fingerprint == read(street.scene).fingerprint
    row.height = 3.0 * row.height
    assert crowd.body_radius == pytest.approx(0.22 * crowd.path_width)  # two pass on their path
    crowd.radius = 0.2
    assert crowd.widths == pytest.approx((0.2, 0.0))


@pytest.mark.once
def test_people_are_no_wider_than_people(make, table, addon, tmp_path):
    row = table.of(make, *dancer(make, addon, tmp_path))
    assert row.natural_half_width > 0.15
    assert row.body_radius == 0.0
    assert table.crowd.body_radius == pytest.approx(table.crowd.radius)


@pytest.mark.once
def test_a_typed_height_is_that_of_the_people_and_not_of_the_original(make, table, addon, tmp_path):
    rig, body = dancer(make, addon, tmp_path)
    row = table.of(make, rig, body)
    found, stride = row.height, row.walk.stride
    row.height = 2.0 * found
    row = table.look()
    assert (row.height, row.walk.stride) == pytest.approx((2.0 * found, 2.0 * stride), rel=1e-3)
    assert rig.scale[:] == (1.0, 1.0, 1.0)
    row.height = 20.0
    assert bpy.ops.footfall.set_height(name="Dancer") == {"FINISHED"}
    assert table.look().height == pytest.approx(1.75, abs=0.01)
    row.height = 0.0  # as found
    assert table.look().height == pytest.approx(found)


def test_what_is_chosen_is_locked_and_kept(make, table, addon, tmp_path):
    row = table.of(make, *dancer(make, addon, tmp_path))
    found = row.walk.stride
    row.walk.clip = bpy.data.actions["run"]
    row.walk.clip.name = "Renamed"
    row = table.look()
    assert row.walk.locked
    assert row.walk.clip.name == "Renamed"
    assert row.walk.stride > 1.2 * found  # measured
    row.walk.speed = 2.0
    typed = row.walk.stride
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "cast.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "cast.blend"))
    row = table.look()
    assert row.walk.locked
    assert (row.walk.clip.name, row.walk.stride) == ("Renamed", pytest.approx(typed))
    row.walk.locked = False
    row = table.look()
    assert (row.walk.clip.name, row.walk.stride) == ("walk", pytest.approx(found, rel=1e-3))


@pytest.mark.once
def test_a_choice_changes_the_fingerprint_and_a_find_does_not(make, table, addon, tmp_path):
    of = addon.module("blender_addon.characters.fingerprint").fingerprint_of
    settings = addon.module("blender_addon.settings.values").values_of
    row = table.of(make, *dancer(make, addon, tmp_path))
    before, values = of(table.crowd), [*settings(bpy.context.scene.footfall)]
    row = table.look()
    assert of(table.crowd) == before
    seen = [before]
    for name, value in (("facing", "POS_X"), ("stride", 1.1), ("clip", bpy.data.actions["run"]), ("clip", None)):
        setattr(row if name == "facing" else row.walk, name, value)
        assert of(table.crowd) not in seen
        seen.append(of(table.crowd))
    row.facing, row.walk.locked = "CROWD", False
    assert of(table.crowd) == before
    assert [*settings(bpy.context.scene.footfall)] == values


def test_the_bake_walks_as_chosen(make, stage, addon, tmp_path):
    rig, body = dancer(make, addon, tmp_path)
    stage.crowd.characters = make.collection("People", rig, body)
    row = bpy.context.scene.footfall.cast.add()
    row.mover, row.facing, row.walk.clip, row.walk.stride = rig, "POS_X", bpy.data.actions["walk"], 0.7
    (mover,) = stage.bake(make.walk(agents=1, frames=(1, 24), speed=1.2))
    strip = next(track.strips[0] for track in mover.animation_data.nla_tracks if "walk" in track.name.lower())
    rows = [np.array([key.co.y for key in curve.keyframe_points]) for curve in strip.fcurves]
    way = 1.2 * 23 / bpy.context.scene.render.fps
    cycles = max(np.ptp(values) for values in rows) / strip.action.frame_range[1]
    assert cycles == pytest.approx(way / 0.7, rel=0.05)


def no_bones(make, rig, body):
    rig.data = bpy.data.armatures.new("Empty")


def deleted(make, rig, body):
    row = bpy.context.scene.footfall.cast.add()
    row.mover, row.walk.clip = rig, bpy.data.actions["run"]
    bpy.data.actions.remove(bpy.data.actions["run"])


def other_bones(make, rig, body):
    spider = make.actions.new_clip(
        "Spider", [make.actions.Channel('pose.bones["leg 7"].location', 0, [1.0, 20.0], [0.0, 1.0])], group="x"
    )
    row = bpy.context.scene.footfall.cast.add()
    row.mover, row.walk.clip = rig, spider.action


def no_length(make, rig, body):
    row = bpy.context.scene.footfall.cast.add()
    short = make.actions.new_clip(
        "Short", [make.actions.Channel('pose.bones["thigh.L"].location', 0, [1.0], [0.0])], group="x"
    )
    row.mover, row.walk.clip = rig, short.action


def long_stride(make, rig, body):
    row = bpy.context.scene.footfall.cast.add()
    row.mover, row.walk.clip, row.walk.stride = rig, bpy.data.actions["walk"], 40.0


def one_pose(make, rig, body):
    pose = make.actions.new_clip(
        "T-Pose", [make.actions.Channel('pose.bones["hips"].location', 0, [1.0, 20.0], [0.0, 0.0])], group="x"
    )
    row = bpy.context.scene.footfall.cast.add()
    row.mover, row.walk.clip = rig, pose.action


def no_steps(make, rig, body):
    row = bpy.context.scene.footfall.cast.add()
    row.mover, row.walk.clip = rig, bpy.data.actions["agree"]


def at_rest(make, rig, body):
    rig.data.pose_position = "REST"


@pytest.mark.once
@pytest.mark.parametrize(
    ("spoil", "told"),
    sweep(
        [
            (deleted, "The locked clip 'run' was deleted"),
            (no_bones, "has no bones"),
            (other_bones, "moves other bones"),
            (no_length, "The locked clip 'Short' has no length"),
            (long_stride, "A stride of 40 m is 2"),
            (one_pose, "'T-Pose' is a single pose without motion"),
            (no_steps, "No foot stands in 'agree'"),
            (at_rest, "is in Rest Position"),
        ],
        everywhere=2,
    ),
)
def test_what_is_impossible_is_said(make, table, addon, tmp_path, spoil, told):
    rig, body = dancer(make, addon, tmp_path)
    spoil(make, rig, body)
    row = table.of(make, rig, body)
    assert told in f"{row.problem} {row.walk.problem}"


@pytest.mark.once
def test_check_character_tells_figures_and_leaves_nothing(make, table, addon, tmp_path):
    rig, body = dancer(make, addon, tmp_path)
    table.of(make, rig, body)
    before, frame = blocks(), bpy.context.scene.frame_current
    assert bpy.ops.footfall.check_character() == {"FINISHED"}
    assert (blocks(), bpy.context.scene.frame_current) == (before, frame)
    figures = json.loads(bpy.context.scene.footfall.cast[0].checked)
    assert all(0.45 < stance < 0.75 for stance in figures["stance"])
    assert figures["slide"] < 0.02
    assert figures["stride"] == pytest.approx(bpy.context.scene.footfall.cast[0].walk.stride)
    checked = addon.module("blender_addon.interface.overlays.foot_contacts")
    walk = addon.module("blender_addon.characters.ready.checked_walk")
    choice = addon.module("blender_addon.characters.choice")
    crowd, known = bpy.context.scene.footfall.crowds[0], choice.KnownTemplates()
    given = {"scene": bpy.context.scene, "frames": (1, 24), "unit": 1.0}
    (found,) = choice.choose_characters(crowd, known, **given)
    seen = walk.check_walk(*found)
    drawn = [len(checked.draw(seen, phase / 8)) for phase in range(8)]
    assert max(drawn) == 3  # limbs, discs, ground
    rig.data.pose_position, crowd.characters = "POSE", None
    with pytest.raises(RuntimeError, match="built-in figures"):
        bpy.ops.footfall.check_character()


@pytest.mark.once
def test_undo_takes_back_what_was_chosen_and_the_table_goes_on(make, table, addon, tmp_path):
    row = table.of(make, *dancer(make, addon, tmp_path))
    found = row.walk.stride
    bpy.ops.ed.undo_push(message="found")
    row.walk.stride, row.idle.clip, row.facing = 0.7, bpy.data.actions["agree"], "POS_X"
    bpy.ops.ed.undo_push(message="chosen")
    bpy.ops.ed.undo()
    row = bpy.context.scene.footfall.cast["Dancer"]
    assert (row.walk.stride, row.walk.locked, row.facing) == (pytest.approx(found), False, "CROWD")
    assert (row.idle.clip, row.idle.locked) == (None, False)
    bpy.ops.ed.redo()
    row = bpy.context.scene.footfall.cast["Dancer"]
    assert (row.walk.stride, row.walk.locked, row.idle.clip.name) == (pytest.approx(0.7), True, "agree")
    bpy.ops.footfall.find_clips()
    assert row.walk.stride == pytest.approx(0.7)


@pytest.mark.once
@pytest.mark.parametrize(
    ("root", "others", "known"),
    [
        ("RootNode.001", {"Beach_Body": 9, "Beach_Head": 5}, "Beach"),
        ("Armature", {"Witch": 9}, "Witch"),
        ("Rig", {"1H_Axe": 4, "Barbarian_ArmLeft": 5, "Barbarian_Body": 9, "Round_Shield": 6}, "Barbarian"),
        ("RobotArmature", {"George": 9, "Pistol": 3}, "George"),
        ("RootNode", {"RobotArmature": None, "Arm.L": 9, "Head_4": 5}, "RobotArmature"),
        ("RootNode", {"RobotArmature": None, "LowerLegL": 9, "Foot.L": 5, "PalmR": 4}, "RobotArmature"),
        ("CharacterArmature", {"FinnTheFrog.001": 9}, "FinnTheFrog"),
        ("Armature", {"李小龍": 9}, "李小龍"),
        ("Rig", {"Rig body": 9}, ""),
        ("Armature", {"Body": 9, "Hat": 4}, ""),
        ("Anna", {"Witch": 9}, ""),
        ("Rig.002", {}, ""),
    ],
)
def test_whom_the_name_of_an_importer_means_is_said_by_the_meshes(addon, root, others, known):
    def part(vertices):
        data = SimpleNamespace(vertices=range(vertices or 0))
        return SimpleNamespace(type="MESH" if vertices else "ARMATURE", data=data)

    parts = [part(vertices) for vertices in (None, *others.values())]
    assert addon.module("blender_addon.characters.ready.known_as").known_as([root, *others], parts) == known


@pytest.mark.once
def test_the_table_shows_whom_the_name_of_an_importer_means(make, table, addon, tmp_path):
    rig, body = dancer(make, addon, tmp_path)
    shown_name = addon.module("blender_addon.settings.cast_rows").shown_name
    assert shown_name(table.of(make, rig, body)) == "Dancer"
    rig.name, body.name = "Armature.003", "Witch_Body"
    assert shown_name(table.look()) == "Witch_Body (Armature.003)"
    for name in ("Witch_Body (Armature.003)", "Witch_Body", "Armature.003"):
        bpy.context.scene.footfall.cast[0].height = 20.0
        assert bpy.ops.footfall.set_height(name=name) == {"FINISHED"}
        assert table.look().height == pytest.approx(1.75, abs=0.01)
    with pytest.raises(RuntimeError, match="no character 'Witch'"):
        bpy.ops.footfall.set_height(name="Witch")
