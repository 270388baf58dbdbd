# SPDX-License-Identifier: GPL-3.0-or-later
"""Built-in figures that sit and stand, from close by."""

import numpy as np
import pytest
from mathutils.bvhtree import BVHTree

SEAT = 0.45
ARM = {"clavicle", "upper_arm", "forearm", "hand"}
WAYS_TO_SIT = [f"sit_{number}" for number in range(1, 7)]


def played(stage, figure, act, frame):
    """Show a figure at a frame of an act: its armature, its body and the points of that, in the size of its mesh."""
    rig, body = stage.show(figure)
    stage.actions.assign_clip(rig, stage.module.ensure_act(figure.name, act, SEAT if act.startswith("sit") else 0.0))
    return rig, body, stage.points(body, frame)


@pytest.mark.parametrize("name", ["woman in a skirt", "old woman", "girl"])
def test_a_skirt_lies_on_the_lap(stage, name):
    """Over the thighs by no more than they are thick, and it hardly comes out under a plank on which somebody sits."""
    figure = stage.figure(name)
    rig, body, points = played(stage, figure, "sit_1", 10.0)
    slots = [k for k, each in enumerate(body.data.materials) if "trousers" in each.name]
    used = sorted({v for face in body.data.polygons if face.material_index in slots for v in face.vertices})
    hip, knee = (stage.joint(rig, 10.0, f"{part}.L") for part in ("thigh", "shin"))
    skirt = points[used]
    share = (skirt[:, 1] - hip[1]) / (knee - hip)[1]
    lap = (share > 0.4) & (share < 1.1) & (np.abs(skirt[:, 0]) < 0.11)
    over = (skirt[:, 2] - hip[2] - share * (knee - hip)[2])[lap]
    assert lap.sum() > 8
    assert 0.04 < over.max() < 0.14
    assert skirt[:, 2].min() > SEAT - 0.05


@pytest.mark.parametrize("size", [None, 0.5], ids=["girl", "smaller"])
def test_shins_that_do_not_reach_the_floor_hang_before_the_seat(stage, addon, size):
    """Half a calf and more before the edge of a seat 0.45 m deep."""
    (girl,) = [each for each in stage.module.PEOPLE if each.name == "Footfall girl"]
    size = size or girl.size
    figure, seat = stage.figure("girl"), SEAT / size
    rig, _ = stage.show(figure)
    stage.actions.assign_clip(rig, stage.module.ensure_act(figure.name, "sit_1", seat))
    ahead = addon.module("blender_addon.figures.motion.repertoire").distance_from_seat(girl.body, seat, size)
    for joint in ("shin.L", "shin.R", "foot.L", "foot.R"):
        assert size * (ahead - stage.joint(rig, 10.0, joint)[1]) > 0.225 + 0.05


@pytest.mark.parametrize("act", WAYS_TO_SIT)
def test_hands_are_out_of_the_lap_in_all_ways_to_sit(stage, act):
    """No wrist is lower than the upper side of the thighs, nor ahead of the knees by more than a hand."""
    figure = stage.figure("man")
    rig, _, _ = played(stage, figure, act, 0.0)
    for frame in (0.0, 60.0, 120.0, 180.0):
        for side in "LR":
            hip, knee, wrist = (stage.joint(rig, frame, f"{part}.{side}") for part in ("thigh", "shin", "hand"))
            share = (wrist[1] - hip[1]) / (knee - hip)[1]
            assert wrist[2] - hip[2] - np.clip(share, 0.0, 1.0) * (knee - hip)[2] > 0.06
            assert share < 1.3


def test_who_stands_at_ease_has_straight_knees(stage):
    figure = stage.figure("woman")
    rig, _ = stage.show(figure)
    stage.actions.assign_clip(rig, figure.idle)
    for frame in range(0, 96, 12):
        for side in "LR":
            hip, knee, ankle = (stage.joint(rig, frame, f"{part}.{side}") for part in ("thigh", "shin", "foot"))
            upper, lower = knee - hip, ankle - knee
            cosine = upper @ lower / np.linalg.norm(upper) / np.linalg.norm(lower)
            assert np.degrees(np.arccos(cosine)) < 17.5


def inside(points, body):
    """How deep the deepest point of a hand is in trunk, clothes, legs or bag [m]."""
    names = {group.index: group.name for group in body.vertex_groups}
    carried = [names[max(v.groups, key=lambda group: group.weight).group].split(".")[0] for v in body.data.vertices]
    others = [p.vertices for p in body.data.polygons if not {carried[v] for v in p.vertices} & ARM]
    tree = BVHTree.FromPolygons(points.tolist(), [tuple(vertices) for vertices in others])
    depth = 0.0
    for number in [k for k, name in enumerate(carried) if name == "hand"]:
        place, normal, _, away = tree.find_nearest(points[number].tolist(), 0.07)
        if place is None:
            continue
        if (points[number] - np.array(place)) @ np.array(normal) < -0.93 * away:  # else it is beside an edge
            depth = max(depth, away)
    return depth


@pytest.mark.parametrize("name", ["man", "old woman"])
def test_hands_that_hang_are_beside_the_body(stage, name):
    """Not in trousers or a skirt, whichever leg carries the weight, nor in the bag while walking: before, 3 to 7 cm."""
    figure = stage.figure(name)
    rig, body, _ = played(stage, figure, "stand_1", 0.0)
    assert max(inside(stage.points(body, frame), body) for frame in range(0, 240, 30)) < 0.025
    rig, body, _ = played(stage, figure, "point_1", 0.0)
    assert max(inside(stage.points(body, frame), body) for frame in range(0, 120, 30)) < 0.025
    stage.actions.assign_clip(rig, figure.walk)
    assert max(inside(stage.points(body, frame), body) for frame in range(0, 32, 4)) < 0.01


def test_an_elbow_is_where_its_act_says(stage, addon):
    """Room is kept for as much as the skin of the elbow needs, beside the joint."""
    figure = stage.figure("man")
    acts = addon.module("blender_addon.figures.motion.repertoire").ACTS
    far = {}
    for act in (act for act in acts if act.startswith("stand_") and act != "stand_up"):
        rig, _, _ = played(stage, figure, act, 0.0)
        elbows = [stage.joint(rig, frame, f"forearm.{side}")[:2] for frame in range(0, 240, 24) for side in "LR"]
        far[act] = float(np.linalg.norm(elbows, axis=1).max())
    assert {act for act, reach in far.items() if reach > 0.32} == {act for act in far if acts[act].reach}
    assert 0.03 < acts["stand_3"].reach - far["stand_3"] < 0.08
