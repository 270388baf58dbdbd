# SPDX-License-Identifier: GPL-3.0-or-later
"""Arms of a bake that the report says are in walls are so as meshes, and arms over something low are not told of."""

from dataclasses import replace

import bpy
import numpy as np
import pytest

from ..street import new_box, new_path

LAST, GAP = 220, 0.2
HIGH, LOW = (3.0, 6.0), (9.0, 12.0)


def rails(scene, name, along, height, y=0.0):
    """Two boxes on both sides of the path, so near that arms do not fit between them."""
    for side in (-1, 1):
        box = new_box(
            f"{name} {side}", scene.footfall.obstacles, (0.5 * sum(along), y + side * (GAP + 0.5), 0.0), height
        )
        box.scale.x = along[1] - along[0]


def depth_of_mesh(rig, scene, frame, along):
    """How deep the vertices of a character are in the rails at a frame [m]."""
    scene.frame_set(frame)
    (body,) = rig.children
    evaluated = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    points = np.array([evaluated.matrix_world @ vertex.co for vertex in mesh.vertices])
    evaluated.to_mesh_clear()
    beside = np.minimum.reduce([points[:, 0] - along[0], along[1] - points[:, 0], np.abs(points[:, 1]) - GAP])
    return float(beside.max())


@pytest.fixture
def passage(addon, only_figures):
    """A person who is told to be slim walks between high rails, then between low ones."""
    only_figures(0)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, LAST
    scene.footfall.obstacles = bpy.data.collections.new("Obstacles")
    scene.collection.children.link(scene.footfall.obstacles)
    rails(scene, "High", HIGH, 2.0)
    rails(scene, "Low", LOW, 0.3)
    bpy.ops.footfall.crowd_add()
    crowd = scene.footfall.crowds[0]
    crowd.route, crowd.count, crowd.path_width = new_path("Path", scene.collection, [(0, 0, 0), (14, 0, 0)]), 1, 0.3
    crowd.radius, crowd.radius_variation, crowd.speed.mean, crowd.speed.sd = 0.12, 0.0, 1.4, 0.0
    crowd.spawn.sets_off_within = 0.0
    return scene


def test_arms_in_walls_are_told_of_as_deep_as_they_are(passage, addon):
    bake = addon.module("blender_addon.baking.bake").bake
    report = bake(passage).report
    total = report["total"]
    assert total["deepest_wall_penetration"] == 0.0
    (told,) = [each for each in report["events"] if each["kind"] == "limb"]
    assert HIGH[0] - 0.5 < told["place"][0] < HIGH[1] + 0.5
    assert told["amount"] == total["deepest_limb_in_wall"] > 0.04
    rig = bpy.data.objects["Crowd 001"]
    true = [depth_of_mesh(rig, passage, frame, HIGH) for frame in range(1, LAST + 1, 2)]
    assert told["amount"] == pytest.approx(max(true), abs=0.025)
    (count,) = [int(word) for word in told["reason"].split() if word.isdigit()]
    assert count == pytest.approx(2 * np.count_nonzero(np.array(true) > 0.01), rel=0.2)


def test_moving_rails_are_where_they_are_and_a_rebake_says_the_same(passage, remembered_bakes):
    for side in (-1, 1):
        rail = bpy.data.objects[f"High {side}"]
        rail.location.y += 5.0
        rail.keyframe_insert("location", frame=1)
        rail.location.y -= 5.0
        rail.keyframe_insert("location", frame=20)
    first = remembered_bakes.bake(passage).report
    assert first["total"]["deepest_limb_in_wall"] > 0.04
    again = remembered_bakes.bake(passage).report
    assert (again["total"], again["events"]) == (first["total"], first["events"])
    bpy.data.objects["Low 1"].scale.z = 6.0  # 1.8 m: nobody moves differently, but there is more to see
    higher = remembered_bakes.bake(passage).report
    remembered_bakes.forget()
    fresh = remembered_bakes.bake(passage).report
    assert (higher["total"], higher["events"]) == (fresh["total"], fresh["events"])
    assert higher["motion"] == first["motion"]
    (one,), (more,) = ([each for each in made["events"] if each["kind"] == "limb"] for made in (first, higher))
    assert one["reason"] != more["reason"]


def depths(report):
    return [each["amount"] for each in report["events"] if each["kind"] == "limb"]


def test_normals_that_lead_inwards_change_nothing(passage, addon):
    bake = addon.module("blender_addon.baking.bake").bake
    before = depths(bake(passage).report)
    for side in (-1, 1):
        bpy.data.objects[f"High {side}"].data.flip_normals()
    assert depths(bake(passage).report) == pytest.approx(before, abs=1e-4)


@pytest.mark.parametrize("why", ["not rendered", "rises", "tilts"])
def test_obstacles_that_are_not_seen_where_they_are_known_hold_no_limbs(passage, addon, why):
    for side in (-1, 1):
        rail = bpy.data.objects[f"High {side}"]
        if why == "not rendered":
            rail.hide_render = True
            continue
        path = "location" if why == "rises" else "rotation_euler"
        rail.keyframe_insert(path, frame=1)
        getattr(rail, path)[2 if why == "rises" else 0] += 6.0 if why == "rises" else 1.0
        rail.keyframe_insert(path, frame=20)
    report = addon.module("blender_addon.baking.bake").bake(passage).report
    assert depths(report) == []
    assert report["total"]["deepest_limb_in_wall"] == 0.0


def test_who_sits_is_in_no_obstacle_as_the_bench_may_be_one(passage, addon, monkeypatch):
    module = addon.module("blender_addon.baking.bake")
    find = module.find_seen_in_obstacles

    def find_among_seated(t, *rest):
        return find(replace(t, seat_height=np.full(t.present.shape, 0.45, dtype=np.float32)), *rest)

    monkeypatch.setattr(module, "find_seen_in_obstacles", find_among_seated)
    assert depths(module.bake(passage).report) == []
