# SPDX-License-Identifier: GPL-3.0-or-later
"""The main job, from a curve and obstacles to a file that plays where the add-on is absent."""

import os
import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest

pytestmark = pytest.mark.each_blender("the main job")

KIOSK = (5.0, 6.2, -0.7, 0.3)  # x and y, lower and upper [m]
CART_HALF = (0.9, 0.5)
FRAMES = (1, 110)
CART_KEYS = ((1, 11.0, -5.0), (110, 11.0, 5.0))


def add_box(name, low, high, into):
    corners = [(x, y, z) for z in (low[2], high[2]) for y in (low[1], high[1]) for x in (low[0], high[0])]
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], faces)
    box = bpy.data.objects.new(name, mesh)
    into.objects.link(box)
    return box


def build_scene():
    """A path with two bends, a kiosk on it, and a cart that drives across it."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FRAMES
    data = bpy.data.curves.new("Path", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("BEZIER")
    spline.bezier_points.add(3)
    for knot, (x, y) in zip(spline.bezier_points, ((-6, 0), (6, 0), (14, 3), (24, 0)), strict=True):
        knot.co = (x, y, 0)
        knot.handle_left_type = knot.handle_right_type = "AUTO"
    path = bpy.data.objects.new("Path", data)
    scene.collection.objects.link(path)
    obstacles = bpy.data.collections.new("Obstacles")
    scene.collection.children.link(obstacles)
    add_box("Kiosk", (KIOSK[0], KIOSK[2], 0), (KIOSK[1], KIOSK[3], 2.4), obstacles)
    cart = add_box("Cart", (-CART_HALF[0], -CART_HALF[1], 0.1), (*CART_HALF, 1.5), obstacles)
    for frame, x, y in CART_KEYS:
        cart.location = (x, y, 0)
        cart.keyframe_insert("location", frame=frame)
    scene.footfall.obstacles = obstacles
    bpy.ops.footfall.crowd_add()
    crowd = scene.footfall.crowds[0]
    crowd.name, crowd.route, crowd.count, crowd.path_width = "Walkers", path, 9, 3.0
    crowd.spawn.mode = "SPREAD"
    return scene


@pytest.fixture(scope="module")
def baked_file(tmp_path_factory):
    return tmp_path_factory.mktemp("baked") / "baked.blend"


@pytest.fixture
def measured(addon, two_figures, baked_file):
    """The bake, and what a Blender without the add-on makes of the saved file; baked once for all tests here."""
    target = baked_file.with_suffix(".npz")
    kept = baked_file.with_suffix(".baked.npz")
    if not target.exists():
        scene = build_scene()
        result = addon.module("blender_addon.baking.bake").bake(scene)
        bpy.ops.wm.save_as_mainfile(filepath=str(baked_file))
        result.trajectories.save(kept)
        environment = {**os.environ, "BLENDER_USER_RESOURCES": str(baked_file.parent / "empty profile")}
        script = Path(__file__).with_name("measure_baked.py")
        subprocess.run([sys.executable, script, baked_file, target], check=True, timeout=900, env=environment)
    trajectories = addon.core.Trajectories.load(kept)
    with np.load(target) as arrays:
        found = {name: arrays[name] for name in arrays.files}
    # Names do not tell who is whom: everybody is found again where they stand at the first frame.
    apart = np.linalg.norm(trajectories.position[0][:, None] - found["root"][0][None], axis=2)
    order = apart.argmin(axis=1)
    assert len(set(order)) == len(order) == found["root"].shape[1]
    found = {name: values[order] if name == "shown" else values[:, order] for name, values in found.items()}
    return trajectories, found


def test_everybody_is_there_as_a_rig_with_a_body(measured):
    trajectories, found = measured
    assert found["root"].shape[:2] == trajectories.present.shape
    assert (found["shown"] >= 1).all()


def test_the_file_plays_what_was_simulated(measured):
    trajectories, found = measured
    np.testing.assert_allclose(found["root"], trajectories.position, atol=1e-4)


def test_everybody_gets_on_along_the_curve_and_looks_where_they_walk(measured):
    _, found = measured
    root = found["root"]
    got_on = root[-1, :, 0] - root[0, :, 0] > 2.5
    assert (got_on | (root[-1, :, 0] > 23.0)).all()
    way = np.diff(root[..., :2], axis=0)
    facing = found["yaw"][1:] - np.pi / 2  # the built-in figures look along -Y
    ahead = way[..., 0] * np.cos(facing) + way[..., 1] * np.sin(facing)
    walking = np.linalg.norm(way, axis=2) > 0.02
    assert np.median(ahead[walking] / np.linalg.norm(way, axis=2)[walking]) > 0.99


def test_nobody_touches_anybody(measured):
    trajectories, found = measured
    radius = trajectories.radius
    for place in found["root"][..., :2]:
        apart = np.linalg.norm(place[:, None] - place[None], axis=2) - radius[:, None] - radius[None]
        assert apart[~np.eye(len(radius), dtype=bool)].min() > -0.02


def test_nobody_is_inside_an_obstacle(measured):
    _, found = measured
    x, y = found["root"][..., 0], found["root"][..., 1]
    assert not ((x > KIOSK[0]) & (x < KIOSK[1]) & (y > KIOSK[2]) & (y < KIOSK[3])).any()
    cart_y = np.interp(
        np.arange(FRAMES[0], FRAMES[1] + 1), [key[0] for key in CART_KEYS], [key[2] for key in CART_KEYS]
    )
    assert not ((abs(x - 11.0) < CART_HALF[0]) & (abs(y - cart_y[:, None]) < CART_HALF[1])).any()


def test_planted_feet_stay_where_they_are(measured):
    """While a foot is down it moves far less than the body above it: the stride is bound to the distance."""
    _, found = measured
    feet, root = found["feet"], found["root"]
    low = feet[..., 2] < feet[..., 2].min(axis=0) + 0.01
    planted = low[1:] & low[:-1]  # (F - 1, A, 2)
    slide = np.linalg.norm(np.diff(feet[..., :2], axis=0), axis=3)
    body = np.linalg.norm(np.diff(root[..., :2], axis=0), axis=2)[..., None].repeat(2, axis=2)
    walking = planted & (body > 0.03)
    assert walking.sum() > 200
    assert np.median(slide[walking]) < 0.1 * np.median(body[walking])
