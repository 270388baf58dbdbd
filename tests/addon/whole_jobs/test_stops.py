# SPDX-License-Identifier: GPL-3.0-or-later
"""Stops from the panel to the baked file: read, walked to, looked at, queued for, and left out with a sentence."""

import json
import math

import bpy
import numpy as np
import pytest

from tests.sweeps import sweep

from ..market import FRAMES, add_stop, empty


def read(street, addon):
    bpy.context.view_layer.update()
    return addon.module("blender_addon.reading").read_scene(street.scene)


def test_stops_reach_the_core_with_the_places_that_crowds_share(market, addon):
    bpy.ops.footfall.crowd_add()
    other = market.settings.crowds[1]
    other.route = market.path
    add_stop(other, market.stall, do="STAND", share=0.5)
    scene = read(market, addon).scene
    assert [place.name for place in scene.places] == ["Spot", "Stall"]
    assert scene.places[1].points == pytest.approx(np.array([[13.0, -2.5]]))
    assert scene.places[1].headings == pytest.approx([0.0], abs=1e-6)
    look, queue = scene.crowds[0].stops
    assert (look.do, look.place, look.duration.mean) == ("look_at", "Spot", 3.0)
    assert look.look_at == pytest.approx((12.0, 4.0, 0.5))
    assert (queue.do, queue.place, queue.room) == ("queue", "Stall", 3)
    assert [(stop.place, stop.share) for stop in scene.crowds[1].stops] == [("Stall", 0.5)]


def test_a_collection_a_curve_and_a_mesh_are_places_too(market, addon, make):
    two = make.collection("Benches", empty("A", 3.0, 3.0), empty("B", 5.0, 3.0))
    stop = add_stop(market.crowd, None, places=two)
    square = make.cube("Square", 2.0)
    square.location = (6.0, -3.0, 0.0)
    make.link(square)
    add_stop(market.crowd, square)
    rail = bpy.data.objects.new("Rail", market.path.data.copy())
    rail.location = (0.0, 3.0, 0.0)
    make.link(rail)
    add_stop(market.crowd, rail, do="QUEUE")
    assert stop.name == "Stop"
    found = {place.name: place for place in read(market, addon).scene.places}
    assert found["Benches"].points == pytest.approx(np.array([[3.0, 3.0], [5.0, 3.0]]))
    assert np.ptp(found["Square"].outlines[0], axis=0) == pytest.approx([2.0, 2.0])
    assert found["Rail"].lines[0][0] == pytest.approx([0.0, 3.0])


def test_seats_are_empties_points_of_meshes_and_what_is_scattered_as_they_are_evaluated(market, addon, make):
    bench = bpy.data.objects.new("Bench", bpy.data.meshes.new("Bench"))
    bench.data.from_pydata([(3.0, 2.0, 0.5), (4.0, 2.0, 0.5)], [], [])
    array = bench.modifiers.new("Array", "ARRAY")
    array.count, array.use_relative_offset, array.use_constant_offset = 2, False, True
    array.constant_offset_displace = (0.0, 1.0, 0.0)
    make.link(bench)
    add_stop(market.crowd, bench, do="SIT", then="BACK")
    stool = empty("Stool", 5.0, 3.0, math.pi / 2.0)
    stool.location.z = 0.4
    add_stop(market.crowd, stool, do="SIT")
    scene = read(market, addon).scene
    found = {place.name: place for place in scene.places}
    assert found["Bench"].points[:4] == pytest.approx(np.array([[3, 2], [4, 2], [3, 3], [4, 3]], dtype=float))
    assert found["Bench"].heights == pytest.approx(np.full(4, 0.5))
    assert found["Bench"].headings == pytest.approx(np.full(4, math.pi / 2.0))  # the Y axis of the object
    assert np.cos(found["Stool"].headings) == pytest.approx([-1.0])
    assert found["Stool"].heights == pytest.approx([0.4])
    assert [stop.then for stop in scene.crowds[0].stops] == ["on", "on", "back", "on"]


def test_what_people_wait_for_play_and_are_seen_to_do_reaches_the_core(market, addon, make):
    bus = make.cube("Bus", 2.0)
    make.link(bus)
    for frame, x in ((1, -20.0), (100, 10.0)):
        bus.location = (x, 6.0, 0.0)
        bus.keyframe_insert("location", frame=frame)
    add_stop(market.crowd, market.spot, do="WAIT_UNTIL", awaits="COMES", awaited=bus, awaited_distance=6.0)
    add_stop(market.crowd, market.stall, do="PLAY_CLIP", clip=bpy.data.actions.new("Dance"), then="LEAVE")
    add_stop(market.crowd, market.stall, activities={"PHONE", "CLAP"})
    crowd = {"awaits": "CROWD", "awaited_crowd": market.crowd.name, "awaited": bus}
    add_stop(market.crowd, market.spot, do="WAIT_UNTIL", awaited_deed="PASSES", **crowd)
    add_stop(market.crowd, market.spot, do="WAIT_UNTIL", awaited_deed="ARRIVES", **crowd)
    scene = read(market, addon).scene
    waits, plays, stands, passes, arrives = scene.crowds[0].stops[2:]
    assert (passes.awaits.crowd, passes.awaits.does, passes.awaits.mark) == (market.crowd.name, "passes", "Bus")
    assert (arrives.awaits.what, arrives.awaits.does, arrives.awaits.mark) == ("crowd", "arrives", "")
    assert (waits.awaits.what, waits.awaits.mark, waits.awaits.distance) == ("comes", "Bus", 6.0)
    assert scene.marks[0].motion.x[[0, -1]] == pytest.approx([-20.0, 10.0])
    assert (plays.clip, plays.then, stands.activities) == ("Dance", "leave", ("clap", "phone"))


def test_people_stop_facing_the_window_and_the_file_says_so_after_loading(market, addon, make, tmp_path):
    assert bpy.ops.footfall.bake() == {"FINISHED"}
    looks = []
    people = [each for each in market.scene.objects if each.get("footfall_crowd") == market.crowd.uid]
    watched = np.array([make.matrices(people, frame) for frame in range(1, FRAMES + 1, 6)])
    for places in watched.swapaxes(0, 1):
        speed = np.hypot(*np.diff(places[:, :2, 3], axis=0).T) * 4.0
        near = np.hypot(*(places[1:, :2, 3] - (12.0, 2.5)).T) < 1.5
        for matrix in places[1:][near & (speed < 0.02)]:
            apart = np.array((12.0, 4.0)) - matrix[:2, 3]
            off = math.atan2(apart[1], apart[0]) - math.atan2(matrix[1, 0], matrix[0, 0])
            looks.append(abs(math.remainder(off, 2.0 * math.pi)))
    assert len(looks) > 10
    assert np.median(looks) < math.radians(15.0)  # the first of them are still turning
    reasons = addon.module("blender_addon.bakes.stored_reasons").read_reasons(market.scene, market.crowd.uid)
    assert (reasons.stop >= 0).any()
    frame, agent = np.argwhere(reasons.doing == addon.module("core.simulation.world.doing").Doing.LOOKING)[30]
    market.scene.frame_set(int(frame) + 1)
    person = sorted(each.name for each in market.scene.objects if each.get("footfall_crowd") == market.crowd.uid)
    bpy.ops.footfall.explain_person(person=person[agent])
    told = json.loads(market.settings.explanation)
    assert (told["sentence"], told["stop"]) == ("looks at Spot", "Spot")
    path = tmp_path / "market.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))
    scene = bpy.context.scene
    bpy.ops.footfall.compare_bake()
    assert scene.footfall.bake_state == "UP_TO_DATE"
    bpy.data.objects["Spot"].location.x = 11.0
    bpy.context.view_layer.update()
    bpy.ops.footfall.compare_bake()
    assert scene.footfall.bake_state == "OUT_OF_DATE"


def gone(market):
    bpy.context.scene.collection.objects.unlink(market.spot)
    market.scene.collection.children.link(bpy.data.collections.new("Elsewhere"))


def bare(name):
    """A mesh of nothing."""
    made = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    bpy.context.scene.collection.objects.link(made)
    return made


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda market: bpy.data.objects.remove(market.spot), "its stop 'Spot' has no place: choose an object"),
        (gone, "its stop 'Spot' names 'Spot', which is no longer in the scene"),
        (lambda market: setattr(market.crowd.stops[1], "place", market.window), "is a queue at the mesh 'Window'"),
        (lambda market: setattr(market.crowd.stops[1], "do", "PLAY_CLIP"), "has no clip to play: choose an action"),
        (lambda market: add_stop(market.crowd, market.path, do="SIT"), "has seats on the curve 'Path'"),
        (lambda market: add_stop(market.crowd, market.spot, do="WAIT_UNTIL", awaits="MOVES"), "waits for an object"),
        (lambda market: add_stop(market.crowd, bare("Bench"), do="SIT"), "has no seats: 'Bench' has no points"),
        (lambda market: add_stop(market.crowd, bare("Lawn")), "has nothing to stand on: 'Lawn' has no faces"),
        (lambda market: add_stop(market.crowd, market.spot, do="WAIT_UNTIL", awaits="CROWD"), "waits for a crowd"),
        (
            lambda market: add_stop(market.crowd, market.spot, do="WAIT_UNTIL", awaits="CROWD", awaited_crowd="Nobody"),
            "waits for the crowd 'Nobody', which does not exist",
        ),
    ],
)
def test_a_stop_that_cannot_be_read_is_left_out_with_a_sentence_and_the_others_stay(market, addon, spoil, message):
    market.crowd.stops[0].look_at = None
    known = {stop.known_as or stop.place for stop in read(market, addon).scene.crowds[0].stops}
    spoil(market)
    found = read(market, addon)
    (told,) = (notice for notice in found.notices if message in notice)
    assert told.startswith(f"{market.crowd.name}: its stop '")
    assert told.endswith("Until then nobody stops there.")
    left = {stop.known_as or stop.place for stop in found.scene.crowds[0].stops}
    assert left <= known
    assert len(left) >= len(known) - 1


def test_a_bake_goes_on_without_a_stop_whose_place_was_deleted(market, addon):
    market.crowd.stops[0].stay = 1.0
    bpy.data.objects.remove(market.spot)
    assert bpy.ops.footfall.bake() == {"FINISHED"}
    assert "its stop 'Spot' has no place" in market.settings.report
    reasons = addon.module("blender_addon.bakes.stored_reasons").read_reasons(market.scene, market.crowd.uid)
    doing = addon.module("core.simulation.world.doing").Doing
    assert (reasons.doing == doing.SERVED).any()
    assert not (reasons.doing == doing.LOOKING).any()


def test_a_stop_is_set_by_words(market, addon):
    addon.module("blender_addon.headless.overrides").set_by_words(
        market.scene, [f"crowds.{market.crowd.name}.stops.Stall.share=0.25"]
    )
    assert market.crowd.stops[1].share == 0.25


def test_people_who_are_simply_there_are_read_on_points_in_areas_and_along_lines(market, addon, make):
    crowd = market.crowd
    crowd.mode, crowd.presence.look_at = "PLACE", market.window
    plaza = make.cube("Plaza", 8.0)
    make.link(plaza)
    crowd.presence.place, crowd.presence.activities = plaza, {"TALK"}
    scene = read(market, addon).scene
    assert (scene.crowds[0].place, scene.crowds[0].route, scene.crowds[0].stops) == ("Plaza", None, ())
    assert scene.crowds[0].look_at == pytest.approx((12.0, 4.0, 0.5))
    assert len(scene.places[0].outlines) == 1
    crowd.presence.activities = {"SIT", "CHEER"}
    scene = read(market, addon).scene
    assert scene.crowds[0].activities == ("cheer", "sit")
    assert (len(scene.places[0].points), scene.places[0].outlines) == (8, ())
    crowd.presence.place = None
    with pytest.raises(addon.errors.SceneError, match="it has no place: choose an object or a collection"):
        read(market, addon)


def test_what_geometry_nodes_scatter_are_places(market, addon, make, node_points):
    market.crowd.mode = "PLACE"
    market.crowd.presence.place, market.crowd.presence.spots = node_points, "POINTS"
    place = read(market, addon).scene.places[0]
    assert place.points == pytest.approx(np.array([[0.0, 5.0], [2.0, 5.0], [4.0, 5.0]]))
    assert place.heights == pytest.approx([1.0, 1.0, 1.0])  # half of each cube is under its point: no chair


@pytest.mark.each_blender("points of geometry nodes that are no instances")
@pytest.mark.parametrize("are_there", [True, False])
def test_points_without_instances_are_places_too(market, addon, node_points, are_there):
    """Blender shows a point cloud of a mesh as if it were an instance at the origin of the object."""
    tree = node_points.modifiers[0].node_group
    points = tree.nodes.new("GeometryNodeMeshToPoints")
    line, out = (
        next(n for n in tree.nodes if n.bl_idname == kind) for kind in ("GeometryNodeMeshLine", "NodeGroupOutput")
    )
    tree.links.new(line.outputs["Mesh"], points.inputs["Mesh"])
    tree.links.new(points.outputs["Points"], out.inputs[0])
    market.crowd.mode = "PLACE"
    market.crowd.presence.place, market.crowd.presence.spots = node_points, "POINTS"
    if not are_there:
        points.inputs["Selection"].default_value = False
        with pytest.raises(addon.errors.FootfallError, match=node_points.name):
            read(market, addon)
        return
    assert read(market, addon).scene.places[0].points == pytest.approx(np.array([[0.0, 5.0], [2.0, 5.0], [4.0, 5.0]]))


def test_instances_of_chairs_are_seats_above_the_floor_on_which_they_stand(market, addon, make, node_points):
    tree = node_points.modifiers[0].node_group
    raise_up = tree.nodes.new("GeometryNodeTransform")
    chair = next(node for node in tree.nodes if node.bl_idname == "GeometryNodeMeshCube")
    chair.inputs["Size"].default_value = (0.5, 0.5, 0.9)
    raise_up.inputs["Translation"].default_value = (0.0, 0.0, 0.45)
    instances = next(node for node in tree.nodes if node.bl_idname == "GeometryNodeInstanceOnPoints")
    tree.links.new(chair.outputs["Mesh"], raise_up.inputs["Geometry"])
    tree.links.new(raise_up.outputs["Geometry"], instances.inputs["Instance"])
    market.crowd.mode = "PLACE"
    market.crowd.presence.place, market.crowd.presence.spots = node_points, "POINTS"
    market.crowd.presence.activities = {"SIT"}
    assert read(market, addon).scene.places[0].heights == pytest.approx([1.45, 1.45, 1.45])
    market.crowd.presence.activities = {"CLAP"}  # they stand where the chairs do
    assert read(market, addon).scene.places[0].heights == pytest.approx([1.0, 1.0, 1.0])


@pytest.mark.each_blender("a bake of people who are simply there")
def test_people_who_are_simply_there_are_baked_where_they_are(market, make, addon):
    crowd = market.crowd
    stand = bpy.data.objects.new("Stand", bpy.data.meshes.new("Stand"))
    stand.data.from_pydata([(x, 8.0 + y, 0.45 + 0.4 * y) for x in range(3) for y in range(2)], [], [])
    make.link(stand)
    crowd.mode, crowd.presence.place, crowd.presence.activities, crowd.count = "PLACE", stand, {"SIT"}, 6
    market.scene.frame_end = 5
    assert bpy.ops.footfall.bake() == {"FINISHED"}
    people = [each for each in market.scene.objects if each.get("footfall_crowd") == crowd.uid]
    found = np.array(sorted(tuple(place) for place in make.matrices(people, 3)[:, :3, 3].round(2)))
    assert found == pytest.approx(np.array([(x, 8.0 + y, 0.4 * y) for x in range(3) for y in range(2)]), abs=0.02)


@pytest.mark.parametrize(("count", "last"), sweep([(5, 660), (12, 1560)], usual=1))
def test_a_queue_is_served_in_order_and_nobody_jumps_in_the_baked_file(market, make, addon, count, last):
    crowd = market.crowd
    crowd.stops.clear()
    market.stall.location.x = 7.0
    add_stop(crowd, market.stall, do="QUEUE", stay=1.0, room=count)
    crowd.count, crowd.spawn.mode, market.scene.frame_end = count, "AT_ONCE", last
    bpy.context.view_layer.update()
    assert bpy.ops.footfall.bake() == {"FINISHED"}
    doing = addon.module("core.simulation.world.doing").Doing
    reasons = addon.module("blender_addon.bakes.stored_reasons").read_reasons(market.scene, crowd.uid)
    people = [each for each in market.scene.objects if each.get("footfall_crowd") == crowd.uid]
    people.sort(key=lambda each: each.name)
    frames = range(120, market.scene.frame_end, 6)
    places = np.array([make.matrices(people, frame)[:, :2, 3] for frame in frames])
    steps = np.hypot(*np.diff(places, axis=0).transpose(2, 0, 1))
    gaps = []
    for row, frame in enumerate(frames[2:], start=2):
        still = (steps[row - 2 : row] < 0.02).all(axis=0)  # for half a second: not who comes and lets somebody pass
        waits = np.flatnonzero((reasons.doing[frame - 1] == doing.IN_QUEUE) & still)
        ahead = reasons.because_of[frame - 1, waits]
        pairs = [(one, other) for one, other in zip(waits, ahead, strict=True) if other >= 0 and still[other]]
        gaps += [np.hypot(*(places[row, one] - places[row, other])) for one, other in pairs]
    assert steps.max() < 0.6, "nobody jumps: 2.4 m/s"
    assert len(gaps) > 20
    assert 0.5 < min(gaps) < max(gaps) < 0.9
    joined = np.isin(reasons.doing, (doing.IN_QUEUE, doing.SERVED))
    served = [np.flatnonzero(column)[0] for column in (reasons.doing == doing.SERVED).T if column.any()]
    order = [joined[:, k].argmax() for k in range(count) if (reasons.doing[:, k] == doing.SERVED).any()]
    assert len(served) == count
    comes, served = np.array(order), np.array(served)  # of those who come at once the nearer one goes first
    assert (served[None] > served[:, None])[comes[None] > comes[:, None] + 3.0 * market.scene.render.fps].all()
    assert np.diff(np.sort(served)).max() < 6.0 * market.scene.render.fps, "nobody keeps the others waiting"
    assert (np.diff(reasons.doing == doing.SERVED, axis=0).sum(axis=1) >= 0).all()
