# SPDX-License-Identifier: GPL-3.0-or-later
"""The played file shows what was simulated at each frame: under Time Remapping, at any frame rate, between frames."""

import bpy
import numpy as np
import pytest

from tests.sweeps import sweep

pytestmark = pytest.mark.usefixtures("one_figure")

TIMINGS = {
    "slowed": {"frame_map_old": 100, "frame_map_new": 250},
    "sped up": {"frame_map_old": 100, "frame_map_new": 40},
    "from 24 to 60": {"frame_map_old": 24, "frame_map_new": 60, "fps": 60},
    "of television": {"fps": 30, "fps_base": 1.001},
    "every third frame": {"frame_step": 3},
}


def walking(street, output="CHARACTERS"):
    """Three people, the last of whom comes after a while, all of whom walk on when they are there."""
    street.scene.frame_start, street.scene.frame_end = 11, 50
    crowd = street.crowd
    crowd.characters, crowd.count, crowd.output = None, 3, output
    crowd.spawn.mode, crowd.spawn.rate = "FLOW", 5.0
    return crowd


def set_timing(scene, timing):
    for name, value in timing.items():
        setattr(scene if name == "frame_step" else scene.render, name, value)


def bodies(scene, frame, subframe=0.0):
    """Where the objects and the bones of everybody are at a frame, and who is seen."""
    scene.frame_set(frame, subframe=subframe)
    graph = bpy.context.evaluated_depsgraph_get()
    found = {}
    for each in scene.objects:
        if "footfall_crowd" in each and each.type == "ARMATURE":
            evaluated = each.evaluated_get(graph)
            bones = [np.array(evaluated.matrix_world @ bone.matrix) for bone in evaluated.pose.bones]
            found[each.name] = evaluated.hide_render, np.array([np.array(evaluated.matrix_world), *bones])
    return found


def same_people(one, other, tolerance=0.01):
    """But for their breath, which runs with the keys."""
    assert one.keys() == other.keys()
    for name, (hidden, places) in one.items():
        assert other[name][0] == hidden, name
        if not hidden:
            np.testing.assert_allclose(other[name][1][:, :3, 3], places[:, :3, 3], atol=tolerance)


def is_in_time(trajectories, scene, frame):
    """Everybody stands where the simulation had them."""
    row = frame - trajectories.frames[0]
    for agent, (hidden, places) in enumerate(bodies(scene, frame).values()):
        assert hidden != trajectories.present[row, agent]
        if not hidden:
            np.testing.assert_allclose(places[0][:2, 3], trajectories.position[row, agent, :2], atol=1e-3)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("slowed", marks=pytest.mark.each_blender("keys are played")),
        *sweep(["from 24 to 60", "every third frame", "sped up", "of television"], usual=2),
    ],
)
def test_people_are_where_they_were_simulated_and_their_feet_too(street, remembered_bakes, name):
    scene, timing = street.scene, TIMINGS[name]
    walking(street)
    if "frame_map_old" in timing:  # as it would be played without
        scene.render.fps = timing.get("fps", 24)
        remembered_bakes.bake(scene)
        plain = {frame: bodies(scene, frame) for frame in (11, 24, 37, 50)}
        set_timing(scene, timing)
        assert remembered_bakes.bake(scene).report["changes"] == "everybody moves as before"
        for frame, seen in plain.items():
            same_people(seen, bodies(scene, frame))
    set_timing(scene, timing)
    result = remembered_bakes.bake(scene)
    assert result.trajectories.fps == pytest.approx(scene.render.fps / scene.render.fps_base)
    for frame in range(11, 51, 13 if scene.frame_step == 1 else scene.frame_step):
        is_in_time(result.trajectories, scene, frame)
    entered = [int(np.argmax(result.trajectories.present[:, agent])) + 11 for agent in range(3)]
    for frame in {*entered, *(each - 1 for each in entered if each > 11)}:
        is_in_time(result.trajectories, scene, frame)
    assert max(entered) > 11 or scene.render.fps == 60  # in so short a time nobody else comes


@pytest.mark.parametrize("name", sweep(["slowed", "of television", "sped up"], usual=2))
def test_between_frames_people_are_between(street, remembered_bakes, name):
    walking(street)
    set_timing(street.scene, TIMINGS[name])
    found = remembered_bakes.bake(street.scene).trajectories
    middle = bodies(street.scene, 30, subframe=0.5)
    for agent, (hidden, places) in enumerate(middle.values()):
        if not hidden:
            between = (found.position[19, agent, :2] + found.position[20, agent, :2]) / 2
            np.testing.assert_allclose(places[0][:2, 3], between, atol=2e-3)


@pytest.mark.parametrize("name", sweep(["slowed", "sped up", "from 24 to 60"], usual=1))
def test_instances_are_where_they_were_simulated(street, remembered_bakes, name):
    walking(street, "INSTANCES")
    set_timing(street.scene, TIMINGS[name])
    found = remembered_bakes.bake(street.scene).trajectories
    for frame in (11, 30, 49, 50):
        street.scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        shown = sorted(tuple(each.matrix_world.translation[:2]) for each in graph.object_instances if each.is_instance)
        there = found.present[frame - 11]
        expected = sorted(map(tuple, found.position[frame - 11, there, :2]))
        np.testing.assert_allclose(shown, expected, atol=0.03)  # feet are held on the ground; a frame is 5 cm


def test_what_was_pinned_or_moved_under_time_remapping_stays_in_time(street, remembered_bakes):
    walking(street)
    set_timing(street.scene, TIMINGS["slowed"])
    found = remembered_bakes.bake(street.scene).trajectories
    bpy.ops.object.select_all(action="DESELECT")
    bpy.data.objects["Crowd 001"].select_set(True)
    bpy.ops.footfall.retime_people(frames=5.0)
    (_, places) = bodies(street.scene, 40)["Crowd 001"]
    np.testing.assert_allclose(places[0][:2, 3], found.position[24, 0, :2], atol=2e-3)
    (hero,) = remembered_bakes.bake(street.scene).reading.scene.heroes
    at = np.interp(40, hero.motion.frames, hero.motion.x)
    assert at == pytest.approx(found.position[24, 0, 0], abs=0.02)


def test_a_bake_is_out_of_date_when_time_is_remapped(street, remembered_bakes):
    walking(street)
    first = remembered_bakes.bake(street.scene).reading.fingerprint
    set_timing(street.scene, TIMINGS["slowed"])
    assert remembered_bakes.bake(street.scene).reading.fingerprint != first


def street_obstacles(addon, street):
    return addon.module("blender_addon.reading").read_scene(street.scene).scene.obstacles


def test_moving_obstacles_are_read_as_they_are_played(street, addon):
    post = street.kiosk
    for frame, x in ((0, 0.0), (100, 10.0)):
        post.location = (x, 3.0, 0.0)
        post.keyframe_insert("location", frame=frame)
    for curve in addon.module("blender_addon.blender_data.animation").clips_of_action(post.animation_data.action):
        for each in addon.module("blender_addon.blender_data.animation").curves_of(curve):
            for point in each.keyframe_points:
                point.interpolation = "LINEAR"
    street.scene.frame_start, street.scene.frame_end = 1, 60
    street.scene.render.frame_map_old, street.scene.render.frame_map_new = 100, 200
    (moving,) = [each.motion for each in street_obstacles(addon, street) if each.motion is not None]
    assert np.interp(60, moving.frames, moving.x) - np.interp(20, moving.frames, moving.x) == pytest.approx(
        2.0, abs=0.01
    )
