# SPDX-License-Identifier: GPL-3.0-or-later
import bpy
import numpy as np
import pytest

pytestmark = pytest.mark.each_blender("actions are layered from Blender 4.4 on")


@pytest.fixture
def actions(addon):
    return addon.module("blender_addon.blender_data.animation")


@pytest.fixture
def empty(addon):
    thing = bpy.data.objects.new("Thing", None)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def evaluated(thing, frame, subframe=0.0):
    bpy.context.scene.frame_set(frame, subframe=subframe)
    return thing.evaluated_get(bpy.context.evaluated_depsgraph_get())


def test_what_is_written_plays_at_and_between_frames(actions, empty):
    rng = np.random.default_rng(5)
    frames, values = np.arange(1, 101), rng.normal(size=100) * 50.0
    clip = actions.new_clip("Path", [actions.Channel("location", 1, frames, values)], group="Transforms")
    actions.assign_clip(empty, clip)
    for frame in (1, 7, 60, 100):
        assert evaluated(empty, frame).location.y == pytest.approx(values[frame - 1], abs=1e-5)
    between = 0.75 * values[10] + 0.25 * values[11]
    assert evaluated(empty, 11, 0.25).location.y == pytest.approx(between, abs=1e-4)


def test_constant_keys_hold(actions, empty):
    channel = actions.Channel("hide_render", 0, [1, 10], [True, False], "CONSTANT")
    actions.assign_clip(empty, actions.new_clip("Presence", [channel], group="Visibility"))
    assert [evaluated(empty, frame).hide_render for frame in (1, 9, 10, 20)] == [True, True, False, False]


def test_channels_are_added_to_what_plays_and_replace_the_same_property(actions, empty):
    clip = actions.new_clip("Path", [actions.Channel("location", 0, [1, 2], [3.0, 3.0])], group="Transforms")
    actions.assign_clip(empty, clip)
    more = [actions.Channel("location", 0, [1], [5.0]), actions.Channel("location", 2, [1], [7.0])]
    actions.add_channels(clip, more, group="Transforms")
    assert tuple(evaluated(empty, 1).location) == (5.0, 0.0, 7.0)
    assert [curve.group.name for curve in actions.curves_of(clip)] == ["Transforms", "Transforms"]


def test_keys_become_smooth_when_the_user_makes_them_so(actions, empty):
    frames, values = np.arange(1, 6), np.array([0.0, 1.0, 4.0, 9.0, 16.0])
    clip = actions.new_clip("Path", [actions.Channel("location", 0, frames, values)], group="Transforms")
    actions.assign_clip(empty, clip)
    curve = actions.curves_of(clip)[0]
    for key in curve.keyframe_points:
        key.interpolation = "BEZIER"
    curve.update()
    samples = [curve.evaluate(frame) for frame in np.linspace(1, 5, 41)]
    assert np.all(np.diff(samples) > 0)
    assert max(samples) <= 16.0 + 1e-4


def test_active_clip_is_what_is_assigned(actions, empty):
    assert actions.active_clip(empty.animation_data) is None
    clip = actions.new_clip("Path", [actions.Channel("location", 0, [1], [5.0])], group="Transforms")
    actions.assign_clip(empty, clip)
    found = actions.active_clip(empty.animation_data)
    assert found.action == clip.action
    assert [curve.data_path for curve in actions.curves_of(found)] == ["location"]
    assert [each.action for each in actions.clips_of_action(clip.action)] == [clip.action]


def test_strips_play_and_are_found(actions, empty):
    clip = actions.new_clip("Path", [actions.Channel("location", 0, [0, 10], [0.0, 10.0])], group="Transforms")
    strip = actions.add_strip(empty.animation_data_create().nla_tracks.new(), "Strip", clip, 21)
    assert evaluated(empty, 26).location.x == pytest.approx(5.0)
    assert [each.action for each in actions.clips_in_strips(empty.animation_data)] == [strip.action]


def test_a_copied_clip_is_independent(actions, empty):
    clip = actions.new_clip("Path", [actions.Channel("location", 0, [1], [5.0])], group="Transforms")
    copy = actions.copy_clip(clip)
    actions.add_channels(copy, [actions.Channel("location", 0, [1], [9.0])], group="Transforms")
    actions.assign_clip(empty, copy)
    assert evaluated(empty, 1).location.x == 9.0
    actions.assign_clip(empty, clip)
    assert evaluated(empty, 2).location.x == 5.0


def test_keys_made_in_blenders_own_way_are_read(actions, empty):
    empty.location.x = 4.0
    empty.keyframe_insert("location", index=0, frame=3)
    clip = actions.active_clip(empty.animation_data)
    (curve,) = actions.curves_of(clip)
    assert (curve.data_path, curve.array_index, curve.evaluate(3)) == ("location", 0, 4.0)


def test_the_digest_of_keys_is_known_from_their_writing(actions):
    path = [actions.Channel("location", axis, [1, 2, 5], [0.1, 0.2, axis]) for axis in range(3)]
    clip = actions.new_clip("Path", path, group="Transforms")
    first = actions.written_digest(clip.action)
    shown = actions.Channel("hide_render", 0, [1, 2], [False, True], "CONSTANT")
    actions.add_channels(clip, [shown, actions.Channel("location", 2, [3], [7.0])], group="Visibility")
    written = actions.written_digest(clip.action)
    assert clip.action[actions.KEYS] == written == actions.digest(clip.action) != first
    actions.curves_of(clip)[0].keyframe_points[1].interpolation = "BEZIER"
    assert actions.digest(clip.action) != written == actions.written_digest(clip.action)
    copy = actions.copy_clip(clip)
    assert actions.written_digest(copy.action) == actions.digest(clip.action)


def test_handles_belong_to_the_digest_where_they_are_played(actions, empty):
    clip = actions.new_clip("Path", [actions.Channel("location", 0, [1, 11, 21], [0.0, 1.0, 0.0])], group="Transforms")
    actions.assign_clip(empty, clip)
    (curve,) = actions.curves_of(clip)
    for interpolation, is_played in (("LINEAR", False), ("BEZIER", True)):
        seen = []
        for key in curve.keyframe_points:
            key.interpolation = interpolation
            key.handle_right_type = key.handle_left_type = "FREE"
        for height in (0.0, 3.0):
            curve.keyframe_points[1].handle_right = (14.0, height)
            seen.append((evaluated(empty, 13).location.x, actions.digest_with_handles(clip)))
        assert [one != other for one, other in zip(*seen, strict=True)] == [is_played, is_played]


def test_an_action_that_cannot_be_written_is_not_left_in_the_file(actions):
    before = set(bpy.data.actions)
    channel = actions.Channel("location", 0, [1, 2], [0.0, 1.0, 2.0])
    with pytest.raises(ValueError, match="broadcast"):
        actions.new_clip("Path", [channel], group="Transforms")
    assert set(bpy.data.actions) == before
