# SPDX-License-Identifier: GPL-3.0-or-later
"""Lives as the saved and opened file plays them: seats that fill, talkers in rings, a flight round a wall, a wave."""

import math
from itertools import pairwise

import addon_utils
import bpy
import numpy as np
import pytest

from tests.sweeps import sweep

from ..street import new_box, new_wall

SEAT_THICKNESS = 0.13  # from the joint of the hips down to the seat, over the length of the leg
SEAT = 0.45  # height of seats above the floor on which their row stands [m]
WAVE_SPEED, WAVE_FRAME = 12.0, 6  # [m/s], and the frame at which the wave begins


@pytest.fixture
def square(street):
    """A path of 16 m along a square, and a crowd of boxes."""
    points = street.path.data.splines[0].points
    for point, x in zip(points, (0.0, 8.0, 16.0), strict=True):
        point.co = (x, 0.0, 0.0, 1.0)
    street.settings.obstacles = None
    street.crowd.forward_axis = "POS_X"
    return street


def mesh_of(make, name, points, faces=()):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], list(faces))
    made = bpy.data.objects.new(name, mesh)
    make.link(made)
    return made


def present_on(crowd, place, count, *activities):
    """Have a crowd simply be in a place."""
    crowd.mode, crowd.count = "PLACE", count
    crowd.presence.place, crowd.presence.activities = place, set(activities)


def played(street, tmp_path):
    """Bake, save, open; the opened scene."""
    bpy.context.view_layer.update()
    assert bpy.ops.footfall.bake() == {"FINISHED"}, street.settings.status
    path = str(tmp_path / "played.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    return bpy.context.scene


def people_of(scene, uid):
    return sorted((each for each in scene.objects if each.get("footfall_crowd") == uid), key=lambda each: each.name)


def turned_from(matrix, point):
    """By how much somebody who looks along their own X axis faces away from a point [rad]."""
    ahead, there = matrix[:2, 0], point - matrix[:2, 3]
    return abs(math.remainder(math.atan2(there[1], there[0]) - math.atan2(ahead[1], ahead[0]), math.tau))


def lowest_of(body):
    """The height of the lowest point of an evaluated body."""
    mesh = body.to_mesh()
    points = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", points)
    turned = np.array(body.matrix_world)
    found = (points.reshape(-1, 3) @ turned[:3, :3].T)[:, 2].min() + turned[2, 3]
    body.to_mesh_clear()
    return found


@pytest.mark.parametrize(("benches", "come", "start", "last"), sweep([(1, 2, 9.0, 300), (5, 14, 0.0, 700)], usual=1))
def test_four_of_five_seats_are_taken_once_each_with_feet_on_the_floor(
    square, make, only_figures, tmp_path, benches, come, start, last
):
    """On benches of ten seats: most are there from the beginning, the others come and sit down between them."""
    only_figures(0, 1, 8)  # the last of them is a child
    front = 3.0 + 1.5 * (benches - 1)
    places = np.array([(14.0 - 0.9 * k, front - 1.5 * row, SEAT) for row in range(benches) for k in range(10)])
    seats = mesh_of(make, "Seats", places)
    seats.rotation_euler.z = math.pi  # they face the path
    seats.data.transform(seats.rotation_euler.to_matrix().to_4x4())
    square.settings.obstacles = bpy.data.collections.new("Benches")
    square.scene.collection.children.link(square.settings.obstacles)
    for row in range(benches):
        bench = new_box(f"Bench {row}", square.settings.obstacles, (9.95, front - 1.5 * row, 0.0), SEAT)
        bench.scale = (9.0, 0.45, 1.0)
    square.path.data.splines[0].points[0].co.x = start
    square.scene.frame_end = last
    bpy.ops.footfall.crowd_add()
    guests, fans = square.settings.crowds
    guests.characters, fans.characters = None, None
    present_on(fans, seats, 8 * benches - come, "SIT")
    guests.count, guests.spawn.mode = come, "AT_ONCE"
    stop = guests.stops.add()
    stop.name, stop.place, stop.do, stop.stay, stop.stay_variation = "Seat", seats, "SIT", 60.0, 0.0
    uids = (guests.uid, fans.uid)
    scene = played(square, tmp_path)
    people = [each for uid in uids for each in people_of(scene, uid) if each.type == "ARMATURE"]
    taken, off, children, shins, lowest = [], [], [], [], []
    for person, seen in zip(people, make.all_evaluated(people, last), strict=True):
        joints = {bone.name: np.array(seen.matrix_world @ bone.head) for bone in seen.pose.bones}
        hips = (joints["thigh.L"] + joints["thigh.R"]) / 2
        taken.append(int(np.hypot(*(places - hips)[:, :2].T).argmin()))
        leg = sum(float(np.linalg.norm(joints[a] - joints[b])) for a, b in pairwise(("thigh.L", "shin.L", "foot.L")))
        off.append(hips - places[taken[-1]] - (0.0, 0.0, SEAT_THICKNESS * leg))
        children.append(person.scale[0] < 0.8)
        shins.append(places[taken[-1]][1] - joints["shin.L"][1])
        bodies = [each for each in person.children_recursive if each.type == "MESH" and each.visible_get()]
        lowest += [lowest_of(body.evaluated_get(scene.view_layers[0].depsgraph)) for body in bodies]
    assert len(set(taken)) == len(people) == 8 * benches
    assert sum(children) >= benches
    assert np.abs(off).max() < 0.03
    assert min(shins) > 0.45 / 2 + 0.03  # before the edge of the bench
    assert len(lowest) >= len(people)
    assert min(lowest) > -0.01


def test_thirty_talkers_stand_in_rings_inside_the_field_and_face_each_other(square, make, tmp_path):
    field = mesh_of(make, "Field", [(0, 4, 0), (14, 4, 0), (14, 12, 0), (0, 12, 0)], [(0, 1, 2, 3)])
    present_on(square.crowd, field, 30, "TALK")
    square.scene.frame_end = 40
    uid = square.crowd.uid
    scene = played(square, tmp_path)
    seen = make.matrices(people_of(scene, uid), 30)
    place = seen[:, :2, 3]
    assert len(place) == 30
    assert (place > (0.0, 4.0)).all()
    assert (place < (14.0, 12.0)).all()
    ahead = place + 0.55 * seen[:, :2, 0] / np.hypot(*seen[:, :2, 0].T)[:, None]  # near the middle of the ring
    apart = np.hypot(*(ahead[:, None] - ahead).transpose(2, 0, 1))
    ring = np.where(apart < 0.6, np.arange(30), 30).min(axis=1)
    sizes = np.bincount(ring)
    assert set(sizes[sizes > 0].tolist()) <= {2, 3, 4, 5}
    off = [turned_from(matrix, place[ring == own].mean(axis=0)) for matrix, own in zip(seen, ring, strict=True)]
    assert max(off) < math.radians(15.0)


def test_people_turn_within_a_second_and_flee_round_a_wall(square, make, tmp_path):
    crowd, frames = square.crowd, range(1, 151)
    walls = bpy.data.collections.new("Walls")
    square.scene.collection.children.link(walls)
    new_wall("Wall", walls, (11.0, -2.0), (11.0, 3.0))
    square.settings.obstacles = walls
    field = mesh_of(make, "Field", [(5, -3, 0), (10, -3, 0), (10, 3, 0), (5, 3, 0)], [(0, 1, 2, 3)])
    present_on(crowd, field, 12, "LOOK_ROUND")
    bang = bpy.data.objects.new("Bang", None)
    bang.location = (4.0, 0.0, 0.0)
    make.link(bang)
    trigger = square.settings.triggers.add()
    trigger.name, trigger.frame, trigger.then, trigger.mark, trigger.within = "Panic", 25, "FLEE", bang, 12.0
    trigger.delay = trigger.delay_variation = 0.0
    uid = crowd.uid
    square.scene.frame_end = frames[-1]
    scene = played(square, tmp_path)
    people = people_of(scene, uid)
    seen = np.array([make.matrices(people, frame) for frame in frames])
    place, ahead = seen[..., :2, 3], seen[..., :2, 0]
    distance = np.hypot(*(place - (4.0, 0.0)).transpose(2, 0, 1))
    soon = 24 + 24
    motion = place[soon + 6] - place[soon]
    away = place[soon] - (4.0, 0.0)
    looks = ahead[soon] / np.hypot(*ahead[soon].T)[:, None]
    assert ((looks * away).sum(axis=1) > 0.0).all()
    assert ((motion * away).sum(axis=1) > math.cos(math.radians(60.0)) * np.hypot(*motion.T) * distance[soon]).all()
    assert (distance[-1] > 10.0).all()
    assert (distance[-1] > distance[24] + 6.0).all()
    beyond = np.maximum(np.maximum(-2.0 - place[..., 1], place[..., 1] - 3.0), 0.0)  # the ends of the wall
    assert np.hypot(place[..., 0] - 11.0, beyond).min() > 0.2
    assert (place[-1, :, 0] > 11.0).sum() > 6  # on the other side of the wall


@pytest.mark.parametrize("rows", sweep([2, 20], usual=1))
def test_a_wave_passes_through_rows_of_a_hundred_seats_at_its_speed(square, make, one_figure, tmp_path, rows):
    places = [(0.5 * x, 4.0 + 0.8 * y, SEAT + 0.4 * y) for y in range(rows) for x in range(100)]
    stand = mesh_of(make, "Stand", places)
    crowd = square.crowd
    crowd.characters, crowd.output = None, "INSTANCES"
    present_on(crowd, stand, 100 * rows, "SIT")
    start = bpy.data.objects.new("Start", None)
    start.location = (0.0, 4.0 + 0.4 * (rows - 1), 0.0)
    make.link(start)
    start_place = tuple(start.location[:2])
    trigger = square.settings.triggers.add()
    trigger.name, trigger.frame, trigger.then, trigger.mark = "Wave", WAVE_FRAME, "PERFORM", start
    trigger.activity, trigger.spreads, trigger.stay = "CHEER", WAVE_SPEED, 1.0
    trigger.delay = trigger.delay_variation = trigger.stay_variation = 0.0
    square.scene.frame_end = 150
    scene = played(square, tmp_path)
    (shown,) = [each for each in scene.objects if each.get("footfall_crowd")]
    graph, frames = scene.view_layers[0].depsgraph, range(1, 151, 3)
    heights = []
    for frame in frames:
        make.evaluated(shown, frame)
        found = [
            (*each.matrix_world.translation[:2], each.object.bound_box[1][2])
            for each in graph.object_instances
            if each.is_instance and each.parent.original == shown
        ]
        heights.append(np.array(found)[:, 2])
    place, heights = np.array(found)[:, :2], np.array(heights)
    assert heights.shape == (len(frames), 100 * rows)
    up = heights > heights[0] + 0.15
    assert up.any(axis=0).all()
    rises = np.array(frames)[up.argmax(axis=0)] / scene.render.fps
    distance = np.hypot(*(place - start_place).T)
    pace, delay = np.polyfit(distance, rises, 1)
    assert 1.0 / pace == pytest.approx(WAVE_SPEED, rel=0.03)
    off = rises - delay - pace * distance
    assert np.abs(off).max() < 1.0  # some have far to reach with their arms down
    assert off.std() > 0.1, "nobody rises just as all others"


@pytest.mark.thorough
def test_instances_with_four_activities_play_out_of_step_without_the_add_on(square, make, addon, tmp_path):
    """169 on a stand, as a saved file shows them: a pose has a box of its own, and the box says what somebody does."""
    activities = ("SIT", "CHEER", "STAND", "PHONE")
    stand = mesh_of(make, "Stand", [(0.9 * x, 4.0 + 0.9 * y, SEAT) for y in range(13) for x in range(13)])
    square.crowd.characters, square.crowd.output = None, "INSTANCES"
    present_on(square.crowd, stand, 169, *activities)
    square.scene.frame_end = 40
    bpy.context.view_layer.update()
    made = addon.module("blender_addon.baking.bake").bake(square.scene).trajectories
    path = str(tmp_path / "stand.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    addon_utils.disable(addon.package.__name__)
    try:
        bpy.ops.wm.open_mainfile(filepath=path)
        scene = bpy.context.scene
        (shown,) = [each for each in scene.objects if each.get("footfall_crowd")]
        seen = [boxes_of(make, shown, frame) for frame in (20, 26)]
    finally:
        addon_utils.enable(addon.package.__name__, default_set=True)
    (place, box), (_, later) = seen
    np.testing.assert_allclose(place, made.position[19, :, :2], atol=0.45)  # seats are 0.9 m apart
    assert (np.abs(later - box).max(axis=1) > 1e-4).mean() > 0.5  # they move
    does = made.activity[19]
    pose = np.unique(box.round(4), axis=0, return_inverse=True)[1].reshape(-1)
    top = {name: np.median(box[does == made.activity_names.index(name.lower()), 1]) for name in activities}
    assert top["CHEER"] > top["STAND"] + 0.1 > top["SIT"] + 0.3
    for number in (made.activity_names.index(name.lower()) for name in activities):
        own = pose[does == number]
        assert len(own) > 20
        assert np.bincount(own).max() < 0.25 * len(own)
    near = np.triu(np.hypot(*(place[:, None] - place).transpose(2, 0, 1)) < 1.0, 1)
    same = near & (does[:, None] == does)
    assert (pose[:, None] == pose)[same].mean() < 0.02


def boxes_of(make, shown, frame):
    """Where the instances of a crowd are at a frame, (N, 2), and the corners of the boxes of their poses, (N, 6)."""
    make.evaluated(shown, frame)
    graph = bpy.context.scene.view_layers[0].depsgraph
    found = [
        (each.matrix_world.translation[:2], np.array(each.object.bound_box))
        for each in graph.object_instances
        if each.is_instance and each.parent.original == shown
    ]
    boxes = np.array([box for _, box in found])
    return np.array([place for place, _ in found]), np.concatenate(
        [boxes.max(axis=1)[:, [0, 2, 1]], boxes.min(axis=1)], axis=1
    )


def test_neighbours_never_look_alike_and_no_change_of_clips_is_a_jolt(square, make, only_figures, tmp_path):
    """Ten stand close together and six sit, all of two figures: what is seen of their bones."""
    only_figures(0, 1)
    field = mesh_of(make, "Field", [(0, 4, 0), (3, 4, 0), (3, 7, 0), (0, 7, 0)], [(0, 1, 2, 3)])
    seats = mesh_of(make, "Seats", [(8.0 + 0.6 * k, 6.0 + 1.1 * row, SEAT) for row in range(2) for k in range(3)])
    bpy.ops.footfall.crowd_add()
    standing, sitting = square.settings.crowds
    standing.characters, sitting.characters = None, None
    present_on(standing, field, 10, "STAND", "LOOK_ROUND", "PHONE", "POINT")
    present_on(sitting, seats, 6, "SIT")
    square.scene.frame_end = 322
    uids = standing.uid, sitting.uid
    scene = played(square, tmp_path)
    people = [each for uid in uids for each in people_of(scene, uid) if each.type == "ARMATURE"]
    frames = range(1, 323, 3)
    place, joints, turns = watch_bones(make, people, frames)
    shares = [shares_of_clips(person, np.array(frames)) for person in people]
    same = np.triu(np.hypot(*(place[:, None] - place).transpose(2, 0, 1)) < 2.0, 1)
    assert same.sum() > 25
    alike = np.abs((turns[:, :, None] * turns[:, None]).sum(axis=-1)).min(axis=-1) > math.cos(math.radians(10.0) / 2.0)
    for_long = alike[:-2] & alike[1:-1] & alike[2:] & same  # a quarter of a second, (F - 2, N, N)
    assert not for_long.any(), np.argwhere(for_long)[:5]
    speed = np.linalg.norm(np.diff(joints, axis=0), axis=-1).max(axis=-1) * scene.render.fps / 3  # (F - 1, N)
    inside = speeds_inside_clips(make, people)
    jolts, changes = [], 0
    for column, own in enumerate(shares):
        shown = np.array([np.maximum(share[1:], share[:-1]) for share in own.values()])
        mixed = (shown.max(axis=0) < 0.999) | ((shown > 0.001).sum(axis=0) > 1)
        for first, end in np.flatnonzero(np.diff(mixed, prepend=False, append=False)).reshape(-1, 2):
            parts = [name for name, share in zip(own, shown, strict=True) if share[first:end].max() > 0.001]
            ratio = speed[first:end, column].max() / max(inside[name] for name in parts)
            changes += 1
            if ratio > 1.5:
                jolts.append((ratio, people[column].name, frames[first], parts))
    assert changes > 8
    assert not jolts, "no faster than one and a half times as within the clips that take part"


def speeds_inside_clips(make, people):
    """The greatest joint speed in each clip that is played besides walking [m/s], by the name of its Action."""
    found = {}
    for each in people:  # whoever is hidden is not evaluated, and one alone is watched
        each.hide_viewport = True
    for person in people:
        tracks = person.animation_data.nla_tracks
        strips = [strip for track in tracks for strip in track.strips if track.name.startswith("Footfall acts")]
        lengths = {strip.action.name: strip.action_frame_end for strip in strips}
        clips = {clip.action.name: clip for clip in make.actions.clips_in_strips(person.animation_data)}
        for track in tracks:
            track.mute = True
        person.hide_viewport = False
        for name in lengths.keys() - found.keys():
            make.actions.assign_clip(person, clips[name])
            _, joints, _ = watch_bones(make, [person], range(0, round(lengths[name]) + 1, 3))
            steps = np.linalg.norm(np.diff(joints, axis=0), axis=-1)
            found[name] = float(steps.max()) * bpy.context.scene.render.fps / 3
        person.hide_viewport = True
    return found


def watch_bones(make, people, frames):
    """Where people are, (N, 2), and of their bones the joints seen from there, (F, N, B, 3), and turns (F, N, B, 4)."""
    for body in [body for person in people for body in person.children_recursive if body.type == "MESH"]:
        body.hide_viewport = True
    names = sorted(bone.name for bone in people[0].pose.bones if "phone" not in bone.name)
    joints, turns = (np.empty((len(frames), len(people), len(names), size)) for size in (3, 4))
    for row, frame in enumerate(frames):
        for column, seen in enumerate(make.all_evaluated(people, frame)):
            joints[row, column] = [seen.pose.bones[name].head for name in names]
            turns[row, column] = [seen.pose.bones[name].matrix.to_quaternion() for name in names]
    return make.matrices(people, 1)[:, :2, 3], joints, turns


def shares_of_clips(person, frames):
    """How much of what is seen of somebody each clip is, float (F,), by its name."""
    found: dict[str, np.ndarray] = {}
    upper = np.zeros(len(frames))
    tracks = [track for track in person.animation_data.nla_tracks if track.name.startswith("Footfall acts")]
    for track in reversed(tracks):
        for strip in track.strips:
            keys = [
                key.co for curve in strip.fcurves if curve.data_path == "influence" for key in curve.keyframe_points
            ]
            share = np.interp(frames, *np.array(keys).T) if keys else np.ones(len(frames))
            share = np.where((frames >= strip.frame_start) & (frames <= strip.frame_end), share, 0.0)
            name = strip.action.name
            found[name] = np.maximum(found.get(name, 0.0), share * (1.0 - upper))
        upper = np.sum(list(found.values()), axis=0)
    return found
