# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlays of the corridor map and of the selected person's way draw."""

import bpy
import numpy as np
import pytest

from ...street import new_box


@pytest.fixture
def overlays(addon):
    """A door to the overlays' modules."""
    return lambda name: addon.module(f"blender_addon.interface.overlays.{name}")


@pytest.fixture
def hall(street):
    """Two places with a wall between them that has a door of 1 m at y = -4 and a slit of 40 cm at y = 4."""
    places = bpy.data.collections.new("Places")
    street.scene.collection.children.link(places)
    west, east = (bpy.data.objects.new(name, None) for name in ("West", "East"))
    for mark, x in ((west, 0.0), (east, 10.0)):
        mark.location, mark.empty_display_size = (x, 0.0, 0.0), 1.5
        places.objects.link(mark)
    street.kiosk.location, street.kiosk.scale = (5.0, -9.5, 0.0), (0.4, 10.0, 2.0)  # from -14.5 to -4.5
    for name, y, width in (("Middle", 0.15, 7.3), ("North", 9.2, 10.0)):
        new_box(name, street.obstacles, (5.0, y, 0.0), 2.0).scale = (0.4, width, 1.0)
    bounds = bpy.data.meshes.new("Bounds")
    bounds.from_pydata([(-3, -14, 0), (13, -14, 0), (13, 14, 0), (-3, 14, 0)], [], [(0, 1, 2, 3)])
    street.settings.bounds = bpy.data.objects.new("Bounds", bounds)
    places.objects.link(street.settings.bounds)
    street.crowd.mode, street.crowd.start, street.crowd.goal = "AREAS", west, east
    bpy.context.view_layer.update()
    return street


def test_the_map_shows_its_axis_and_the_gap_that_is_too_narrow(hall, addon, overlays):
    addon.module("blender_addon.runtime.freshness").compare(hall.scene)
    view = overlays("view").look(hall.scene, None, overlays("layers.overlay").Need.SCENE)
    axis, gaps, label = overlays("layers.corridors").draw(view)
    assert len(axis.points) > 50
    assert np.abs(axis.points[:, :2] - (5.0, -4.0)).sum(axis=1).min() < 0.3  # it leads through the door
    assert len(gaps.points) == 2
    assert gaps.points[:, 1].mean() == pytest.approx(4.0, abs=0.01)
    assert label.text == "40 cm"


def test_the_way_of_the_selected_leads_through_the_door_to_the_goal(hall, overlays):
    hall.scene.frame_end = 24
    bpy.ops.footfall.bake()
    hall.scene.frame_set(12)
    look, need = overlays("view").look, overlays("layers.overlay").Need
    chosen = bpy.data.objects["Crowd 002"]
    view = look(hall.scene, chosen, need.SELECTED)
    room, line = overlays("layers.ways").draw(view)
    np.testing.assert_allclose(line.points[0, :2], np.array(chosen.matrix_world.translation)[:2], atol=0.05)
    np.testing.assert_allclose(line.points[-1, :2], view.people.replay.agents.goal[1], atol=0.1)
    at_wall = line.points[np.abs(line.points[:, 0] - 5.0).argmin()]
    assert -4.5 < at_wall[1] < -3.5
    assert len(room.points) == 3 * (len(line.points) // 2) * 2


def test_who_has_no_way_is_told_why(hall, overlays):
    hall.kiosk.scale.y = 12.0  # closes the door
    hall.scene.frame_end = 12
    bpy.ops.footfall.bake()
    view = overlays("view").look(hall.scene, bpy.data.objects["Crowd 001"], overlays("layers.overlay").Need.SELECTED)
    (label,) = overlays("layers.ways").draw(view)
    assert "gap 0.40 m, needs 0.5" in label.text


def test_a_bake_after_an_obstacle_was_moved_corrects_the_map_and_says_so(hall, remembered_bakes):
    hall.scene.frame_end = 24
    assert "corridor map built in" in remembered_bakes.bake(hall.scene).summary
    assert "corridor map reused from the last bake" in remembered_bakes.bake(hall.scene).summary
    hall.kiosk.location.y += 0.2
    corrected = remembered_bakes.bake(hall.scene)
    assert "corridor map corrected for 1 obstacle in" in corrected.summary
    assert corrected.report["corridor_map"] in corrected.summary
    remembered_bakes.forget()
    anew = remembered_bakes.bake(hall.scene)
    assert "corridor map built in" in anew.summary
    np.testing.assert_array_equal(corrected.trajectories.position, anew.trajectories.position)
