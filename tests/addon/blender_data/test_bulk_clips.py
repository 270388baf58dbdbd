# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions that begin as copies of alike ones, as those of all but the first of a crowd do."""

import bpy
import numpy as np
import pytest

pytestmark = pytest.mark.each_blender("actions are layered from Blender 4.4 on")


@pytest.fixture
def actions(addon):
    return addon.module("blender_addon.blender_data.animation")


@pytest.fixture
def noted():
    """The Actions of which the writer has told, and what they are to be called."""
    return []


@pytest.fixture
def writer(addon, noted):
    return addon.module("blender_addon.blender_data.bulk_clips").ClipWriter(lambda *told: noted.append(told))


@pytest.fixture
def content(addon, actions):
    """Makes the content of an Action: a place at each of some frames, and since when it is seen."""
    grouped = addon.module("blender_addon.blender_data.bulk_clips").Grouped

    def make(places, seen_from=2):
        frames = np.arange(len(places)) + 1
        path = [actions.Channel("location", axis, frames, np.array(places)[:, axis]) for axis in range(3)]
        hidden = actions.Channel("hide_render", 0, [1, seen_from], [True, False], "CONSTANT")
        return [grouped("Transforms", path), grouped("Visibility", [hidden])]

    return make


def player(actions, name, clip):
    thing = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(thing)
    actions.assign_clip(thing, clip)
    return thing


def seen(thing, frame):
    bpy.context.scene.frame_set(frame)
    found = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [*found.location, found.hide_render]


def test_each_plays_what_was_written_for_it(actions, writer, content):
    rng = np.random.default_rng(3)
    written = [rng.normal(size=(frames, 3)) for frames in (5, 5, 4, 5)]
    clips = [writer.new_clip(f"Path {k}", content(places, 2 + k)) for k, places in enumerate(written)]
    writer.name_slots()
    players = [player(actions, f"Thing {k}", clip) for k, clip in enumerate(clips)]
    for k, (thing, places) in enumerate(zip(players, written, strict=True)):
        for frame in range(1, len(places) + 1):
            assert seen(thing, frame) == pytest.approx([*places[frame - 1], frame < 2 + k], abs=1e-6)


def test_copies_have_groups_and_joints_and_digests_as_if_made_anew(actions, writer, content):
    places = np.random.default_rng(4).normal(size=(6, 3))
    fresh, copy = (writer.new_clip("Path", content(k + places)).action for k in range(2))
    told = []
    for action in (fresh, copy):
        (clip,) = actions.clips_of_action(action)
        curves = actions.curves_of(clip)
        assert [curve.group.name for curve in curves] == [*["Transforms"] * 3, "Visibility"]
        assert {key.interpolation for key in curves[3].keyframe_points} == {"CONSTANT"}
        assert action[actions.KEYS] == actions.digest(action)
        told.append(action[actions.KEYS])
    assert told[0] != told[1]


@pytest.mark.skipif(bpy.app.version < (4, 4, 0), reason="Actions have no slots yet")
def test_slots_are_called_as_was_asked_also_by_strips_that_play_them(actions, writer, content):
    clips = [writer.new_clip(f"Path {k}", content(np.zeros((3, 3)))) for k in range(3)]
    writer.name_slots()
    assert [clip.slot.name_display for clip in clips] == ["Path 0", "Path 1", "Path 2"]
    thing = bpy.data.objects.new("Thing", None)
    strip = actions.add_strip(thing.animation_data_create().nla_tracks.new(), "Strip", clips[2], 1)
    assert strip.last_slot_identifier == "OBPath 2"


def test_each_is_told_of_when_it_is_made_also_when_it_does_not_get_its_keys(actions, writer, content, noted):
    clips = [writer.new_clip(f"Path {k}", content(np.zeros((3, 3)))) for k in range(2)]
    assert noted == [(clips[0].action, "Path 0"), (clips[1].action, "Path 1")]
    for frames, values in (([1, 2, 3], [1.0, 2.0]), ([1, 2, 3], [1.0] * 4)):
        whole, broken = content(np.zeros((3, 3)))[0], [actions.Channel("scale", 0, frames, values)]
        with pytest.raises(ValueError, match="broadcast"):
            writer.new_clip("Broken", [whole, whole._replace(channels=broken)])
        assert set(bpy.data.actions) == {action for action, _ in noted}


def bag_of(clip):
    return clip.action.layers[0].strips[0].channelbag(clip.slot)


def lose_a_curve(curves):
    curves.remove(curves.find("location", index=1))


def gain_a_curve(curves):
    curves.new("scale", index=0).keyframe_points.add(1)


def lose_a_key(curves):
    points = curves.find("location", index=1).keyframe_points
    points.remove(points[1])


@pytest.mark.parametrize("edit", [lose_a_curve, gain_a_curve, lose_a_key])
def test_one_that_was_edited_meanwhile_is_not_copied(actions, writer, content, edit):
    places = np.random.default_rng(6).normal(size=(4, 3))
    edited = writer.new_clip("Path 0", content(places))
    edit(edited.action.fcurves if edited.slot is None else bag_of(edited).fcurves)
    clips = [writer.new_clip(f"Path {k}", content(k + places)) for k in (1, 2)]
    writer.name_slots()
    assert len(bpy.data.actions) == 3
    for k, clip in enumerate(clips, start=1):
        assert [curve.data_path for curve in actions.curves_of(clip)] == [*["location"] * 3, "hide_render"]
        assert clip.action[actions.KEYS] == actions.digest(clip.action)
        thing = player(actions, f"Thing {k}", clip)
        assert seen(thing, 3) == pytest.approx([*(k + places[2]), False], abs=1e-6)


def test_a_copy_that_cannot_get_its_keys_is_not_left_in_the_file(writer, content):
    path, seen_from = content(np.zeros((3, 3)))
    writer.new_clip("Path", [path, seen_from])
    before = set(bpy.data.actions)
    broken = path._replace(channels=[channel._replace(frames=[1, 2]) for channel in path.channels])
    with pytest.raises(ValueError, match="broadcast"):
        writer.new_clip("Broken", [broken, seen_from])
    assert set(bpy.data.actions) == before


def test_keys_that_the_user_makes_bezier_have_handles_that_lie_by_their_neighbours(actions, writer, content):
    places = np.cumsum(np.random.default_rng(8).uniform(0.1, 1.0, size=(8, 3)), axis=0)
    places[5:] = places[5]  # comes to a stand
    clips = [writer.new_clip(f"Path {k}", content(places)) for k in range(2)]
    for clip in clips:
        curve = actions.curves_of(clip)[0]
        for thinned in (False, True):
            for key in curve.keyframe_points:
                key.interpolation = "BEZIER"
                assert {key.handle_left_type, key.handle_right_type} == {"AUTO_CLAMPED"}
                assert key.handle_left.x < key.co.x - 0.2 < key.co.x + 0.2 < key.handle_right.x
            along = [curve.evaluate(frame) for frame in np.linspace(1, 8, 71)]
            assert np.all(np.diff(along) >= 0.0)
            assert along[-1] == pytest.approx(places[5, 0], abs=1e-6)
            np.testing.assert_allclose(along[50:], places[5, 0], atol=1e-6)  # and stands still
            if not thinned:
                for number in (3, 1):
                    curve.keyframe_points.remove(curve.keyframe_points[number])
                curve.update()
