# SPDX-License-Identifier: GPL-3.0-or-later
"""People on a bridge and people under it: each on the storey that their route leads along."""

import bpy
import numpy as np
import pytest

from ..street import new_path

DECK, RAMP, HALF_DECK, HALF_WIDTH = 3.0, 6.0, 4.0, 1.5  # [m]


def bridge_height(x):
    return DECK * np.clip((HALF_DECK + RAMP - np.abs(x)) / RAMP, 0.0, 1.0)


@pytest.fixture
def crossing(make, stage):
    """A street and a bridge over it, one ground; a crowd for each, drawn as roughly as people draw."""
    across = [-HALF_DECK - RAMP, -HALF_DECK, HALF_DECK, HALF_DECK + RAMP]
    corners = [(x, y, bridge_height(x)) for x in across for y in (-HALF_WIDTH, HALF_WIDTH)]
    corners += [(x, y, 0.0) for x, y in ((-20, -20), (20, -20), (20, 20), (-20, 20))]
    mesh = bpy.data.meshes.new("Ground")
    mesh.from_pydata(corners, [], [(0, 2, 3, 1), (2, 4, 5, 3), (4, 6, 7, 5), (8, 9, 10, 11)])
    ground = bpy.data.objects.new("Ground", mesh)
    make.link(ground)
    stage.scene.frame_start, stage.scene.frame_end = 1, 250
    settings = stage.scene.footfall
    settings.ground = ground
    over, under = stage.crowd, settings.crowds.add()
    over.name, under.name = "Over", "Under"
    stage.addon.module("blender_addon.settings.scene_settings").ensure_identities(stage.scene)
    over.route = new_path("Over", stage.scene.collection, [(-11, 0, 0.2), (-4, 0, 3.4), (4, 0, 2.8), (11, 0, 0.1)])
    under.route = new_path("Under", stage.scene.collection, [(0, -9, 0.5), (0, 9, 0.5)])
    people = make.collection("People", make.cube("Box", 0.4))
    for crowd in (over, under):
        crowd.count, crowd.characters, crowd.speed.mean = 3, people, 2.0
    return stage


def places(stage, crowd):
    """Where a baked crowd is, float64 (F, A, 3)."""
    figures = sorted(stage.ownership.owned_objects(stage.scene, crowd.uid), key=lambda each: each.name)
    found = []
    for frame in range(1, 251, 8):
        stage.scene.frame_set(frame)
        found.append([figure.matrix_world.translation[:] for figure in figures])
    return np.array(found)


def test_people_on_a_bridge_and_under_it_keep_to_their_storeys(crossing):
    assert bpy.ops.footfall.bake() == {"FINISHED"}
    over, under = (places(crossing, crowd) for crowd in crossing.scene.footfall.crowds)
    np.testing.assert_allclose(under[..., 2], 0.0, atol=1e-4)
    assert np.ptp(under[..., 1]) > 14.0  # all the way under it
    assert np.abs(over[..., 1]).max() < HALF_WIDTH
    np.testing.assert_allclose(over[..., 2], bridge_height(over[..., 0]), atol=1e-3)
    assert over[..., 2].max() == pytest.approx(DECK)


def test_people_without_a_curve_climb_a_bridge_and_do_not_sink_through_its_deck(stage):
    """Ten solid steps up, a thin deck, ten steps down; the floor goes on below."""
    boxes = [((-20, -6, -0.2), (20, 6, 0.0)), ((-3, -HALF_WIDTH, 1.6), (3, HALF_WIDTH, 1.7))]
    for step in range(10):
        for low, high in ((-6 + 0.3 * step, -5.7 + 0.3 * step), (5.7 - 0.3 * step, 6 - 0.3 * step)):
            boxes.append(((low, -HALF_WIDTH, 0.0), (high, HALF_WIDTH, 0.17 * (step + 1))))
    sides = [(3, 2, 1, 0), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
    corners = [
        (x, y, z)
        for (x0, y0, z0), (x1, y1, z1) in boxes
        for z in (z0, z1)
        for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
    ]
    mesh = bpy.data.meshes.new("Bridge")
    mesh.from_pydata(
        corners, [], [[8 * box + corner for corner in side] for box in range(len(boxes)) for side in sides]
    )
    heights = stage.addon.module("blender_addon.characters.performances").heights_along
    ground_class = stage.addon.module("blender_addon.reading.ground.ground").GroundMesh
    triangles = np.array([triangle.vertices[:] for triangle in _triangles(mesh)])
    x = np.linspace(-9.0, 9.0, 361)
    places = np.stack([x, np.zeros_like(x), np.zeros_like(x)], axis=1)[:, None]
    found = heights(ground_class(np.array(corners), triangles), places)[:, 0]
    assert np.abs(np.diff(found)).max() < 0.2
    np.testing.assert_allclose(found[np.abs(x) < 3.2], 1.7, atol=1e-6)
    beside = heights(ground_class(np.array(corners), triangles), places + np.array((0.0, 4.0, 0.0)))
    np.testing.assert_allclose(beside, 0.0, atol=1e-6)


def _triangles(mesh):
    mesh.calc_loop_triangles()
    return mesh.loop_triangles
