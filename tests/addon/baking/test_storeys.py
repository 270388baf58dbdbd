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
    stage.scene.frame_start, stage.scene.frame_end = 1, 360
    settings = stage.scene.footfall
    settings.ground = ground
    over, under = stage.crowd, settings.crowds.add()
    over.name, under.name = "Over", "Under"
    stage.addon.module("blender_addon.settings.scene_settings").ensure_identities(stage.scene)
    over.route = new_path("Over", stage.scene.collection, [(-11, 0, 0.2), (-4, 0, 3.4), (4, 0, 2.8), (11, 0, 0.1)])
    under.route = new_path("Under", stage.scene.collection, [(0, -9, 0.5), (0, 9, 0.5)])
    people = make.collection("People", make.cube("Box", 0.4))
    for crowd in (over, under):
        crowd.count, crowd.characters = 3, people
    return stage


def places(stage, crowd):
    """Where a baked crowd is, float64 (F, A, 3)."""
    figures = sorted(stage.ownership.owned_objects(stage.scene, crowd.uid), key=lambda each: each.name)
    found = []
    for frame in range(1, 361, 8):
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
