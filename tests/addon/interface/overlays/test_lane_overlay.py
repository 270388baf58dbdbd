# SPDX-License-Identifier: GPL-3.0-or-later
"""The lanes of roads over the viewport: drawn from the curve and the crowd's settings, before anything is baked."""

import bpy
import numpy as np
import pytest

from ...street import new_path


@pytest.fixture
def road(street):
    """The street as a road of 100 m along X, with two lanes each way and cars."""
    spline = street.path.data.splines[0]
    spline.points[1].co[0], spline.points[2].co[0] = 50.0, 100.0
    for point in spline.points:
        point.co[1] = 0.0
    street.kiosk.location.y = 30.0
    street.crowd.kind = "VEHICLE"
    street.crowd.vehicle.lanes, street.crowd.vehicle.two_way = 2, True
    return street


@pytest.fixture
def drawn(road, addon):
    """What the overlay draws of the road: lines, surfaces and labels, by their class."""
    overlay = addon.module("blender_addon.interface.overlays.layers.lanes").OVERLAY
    view = addon.module("blender_addon.interface.overlays.layers.overlay").View
    reading = addon.module("blender_addon.reading")

    def draw():
        bpy.context.view_layer.update()
        made = overlay.draw(view(1, reading.read_scene(road.scene), None))
        return {
            name: [each for each in made if type(each).__name__ == name] for name in ("LineMarks", "Triangles", "Label")
        }

    return draw


def colour_of(mark, colour):
    """The points of a mark that have a colour."""
    return mark.points[np.all(np.abs(mark.colours[:, :3] - colour[:3]) < 1e-3, axis=1)]


def test_lanes_lie_to_both_sides_of_the_curve_and_arrows_lead_as_vehicles_drive(drawn, addon):
    lanes = addon.module("blender_addon.interface.overlays.layers.lanes")
    made = drawn()
    surface = made["Triangles"][0]
    along, against = colour_of(surface, lanes.STYLE.along), colour_of(surface, lanes.STYLE.against)
    assert along[:, 1].min() == pytest.approx(-7.0, abs=0.3)
    assert along[:, 1].max() < 0.0 < against[:, 1].min()
    assert against[:, 1].max() == pytest.approx(7.0, abs=0.3)
    assert np.ptp(along[:, 0]) == pytest.approx(100.0, abs=1.0)
    arrows = made["LineMarks"][2].points.reshape(-1, 3, 2, 3)[:, 0]  # each is a shaft and two barbs
    ahead = np.sign(arrows[:, 1, 0] - arrows[:, 0, 0])
    np.testing.assert_array_equal(ahead, -np.sign(arrows[:, 0, 1]))
    assert len(arrows) == 4 * 7


def test_vehicles_come_in_and_go_out_at_the_ends_of_their_lanes(drawn, addon):
    lanes = addon.module("blender_addon.interface.overlays.layers.lanes")
    entries, exits = drawn()["LineMarks"][3:5]
    for bars, colour, at in ((entries, lanes.STYLE.entry, 0.0), (exits, lanes.STYLE.exit, 100.0)):
        points = colour_of(bars, colour)
        assert len(points) == 8
        np.testing.assert_allclose(points[points[:, 1] < 0.0][:, 0], at, atol=0.6)
        np.testing.assert_allclose(points[points[:, 1] > 0.0][:, 0], 100.0 - at, atol=0.6)


def test_who_goes_first_is_shown_where_roads_cross_and_people_do(drawn, road, addon):
    lanes = addon.module("blender_addon.interface.overlays.layers.lanes")
    assert len(drawn()["Triangles"]) == 1
    side = new_path("Side", road.scene.collection, [(60, -60, 0), (60, 60, 0)])
    bpy.ops.footfall.crowd_add()
    crowd = road.settings.crowds[-1]
    crowd.kind, crowd.route, crowd.vehicle.priority = "VEHICLE", side, "STOP"
    road.crowd.vehicle.priority = "MAIN"
    marked = bpy.data.collections.new("Crossings")
    mesh = bpy.data.meshes.new("Zebra")
    mesh.from_pydata([(28, -8, 0), (32, -8, 0), (32, 8, 0), (28, 8, 0)], [], [(0, 1, 2, 3)])
    marked.objects.link(bpy.data.objects.new("Zebra", mesh))
    road.scene.collection.children.link(marked)
    road.settings.crossings = marked
    made = drawn()
    _, crossing, walk = made["Triangles"]
    first, waits = colour_of(crossing, lanes._RANKS[2]), colour_of(crossing, lanes._RANKS[0])
    assert 56.0 < first[:, 0].min() < first[:, 0].max() < 64.0
    assert np.ptp(first[:, 1]) == pytest.approx(14.0, abs=0.5)
    assert -10.0 < waits[:, 1].min() < waits[:, 1].max() < 10.0
    assert 27.0 < walk.points[:, 0].min() < walk.points[:, 0].max() < 33.0
    assert {label.text for label in made["Label"]} == {
        "Path: 2 lanes in each direction, main road",
        "Side: 1 lane, stops",
    }


def test_a_road_that_goes_round_has_no_ends(drawn, road):
    bpy.ops.curve.primitive_bezier_circle_add(radius=30.0)
    road.crowd.route = bpy.context.object
    made = drawn()
    entries, exits = made["LineMarks"][3:5]
    assert len(entries.points) == len(exits.points) == 0
    radii = np.hypot(*made["Triangles"][0].points[:, :2].T)
    assert (radii.min(), radii.max()) == pytest.approx((23.0, 37.0), abs=0.5)


def test_why_a_road_cannot_be_driven_on_is_said_at_its_curve(drawn, road):
    road.crowd.vehicle.lane_width = 1.0
    made = drawn()
    (label,) = made["Label"]
    assert "wider than the lanes of 1 m" in label.text
    assert not made["Triangles"]


def test_nothing_is_drawn_where_nobody_drives(drawn, road):
    road.crowd.kind = "PEDESTRIAN"
    assert not any(drawn().values())
