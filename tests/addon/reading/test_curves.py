# SPDX-License-Identifier: GPL-3.0-or-later
"""Routes lie on the curve that the animator drew, whatever kind it is and whatever is done to it."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Vector, geometry

pytestmark = pytest.mark.each_blender("curves are read as they are evaluated")

ZIGZAG = [(0, 0, 0), (4, 0, 1), (8, 4, 0), (12, 0, 2)]


def _points(reading):
    (route,) = reading.scene.routes
    return route.points


def _distance_to_line(points, line):
    """Largest distance of points from a polyline."""
    start, run = line[:-1], np.diff(line, axis=0)
    length2 = (run**2).sum(axis=1)
    share = np.clip(((points[:, None] - start) * run).sum(axis=2) / np.where(length2 > 0, length2, 1.0), 0.0, 1.0)
    return np.linalg.norm(points[:, None] - start - share[..., None] * run, axis=2).min(axis=1).max()


def _bezier_points(item, count=400):
    spline = item.data.splines[0]
    knots = list(spline.bezier_points)
    pairs = zip(knots, knots[1:] + (knots[:1] if spline.use_cyclic_u else []), strict=False)
    pieces = [geometry.interpolate_bezier(a.co, a.handle_right, b.handle_left, b.co, count) for a, b in pairs]
    return np.array([item.matrix_world @ Vector(point) for piece in pieces for point in piece])


@pytest.mark.parametrize("closed", [False, True])
def test_a_bezier_route_lies_on_its_curve(bench, closed):
    item = bench.curve("Path", ZIGZAG, kind="BEZIER", closed=closed)
    bench.crowd(item)
    bpy.context.view_layer.update()
    reading = bench.read()
    true = _bezier_points(item)
    assert reading.scene.routes[0].closed == closed
    assert _distance_to_line(_points(reading), true) < 1e-3
    drawn = _points(reading)
    assert _distance_to_line(true, np.concatenate([drawn, drawn[:1]]) if closed else drawn) < 5e-3
    np.testing.assert_allclose(drawn[0], ZIGZAG[0], atol=1e-5)
    if not closed:
        np.testing.assert_allclose(drawn[-1], ZIGZAG[-1], atol=1e-5)


def test_a_large_circle_is_fine_enough_to_follow(bench):
    item = bench.curve("Path", [(40, 0, 0), (0, 40, 0), (-40, 0, 0), (0, -40, 0)], kind="BEZIER", closed=True)
    item.data.splines[0].resolution_u = 2
    bench.crowd(item)
    points = _points(bench.read())
    step = np.linalg.norm(np.diff(points, axis=0), axis=1)
    assert step.max() < 0.5
    assert item.data.splines[0].resolution_u == 2


@pytest.mark.parametrize("kind", ["BEZIER", "NURBS"])
def test_a_curve_whose_end_is_dragged_is_the_same_before_to_the_last_digit(bench, kind):
    places = [(0, 0, 0), (4, 2, 0), (8, -1, 0), (12, 1, 0), (16, 0, 0), (20, 1, 0), (24, 0, 0)]
    item = bench.curve("Path", places, kind=kind)
    bench.crowd(item)
    before = _points(bench.read())
    spline = item.data.splines[0]
    (spline.bezier_points if kind == "BEZIER" else spline.points)[-1].co.y += 4.0
    after = _points(bench.read())
    common = before[before[:, 0] < (15.9 if kind == "BEZIER" else 9.0)]
    assert after[: len(common)].tobytes() == common.tobytes()
    assert len(common) > 30
    assert abs(after[-1, 1] - before[-1, 1]) == pytest.approx(4.0, abs=1e-5)


@pytest.mark.parametrize("closed", [False, True])
def test_a_nurbs_route_is_the_curve_that_blender_shows(bench, closed):
    item = bench.curve("Path", ZIGZAG, kind="NURBS", closed=closed)
    item.data.splines[0].resolution_u = 200
    bench.crowd(item)
    evaluated = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    shown = np.array([vertex.co[:] for vertex in mesh.vertices])
    evaluated.to_mesh_clear()
    points = _points(bench.read())
    assert _distance_to_line(points, np.concatenate([shown, shown[:1]]) if closed else shown) < 1e-3


def test_a_poly_route_keeps_its_corners(bench):
    bench.crowd(bench.curve("Path", ZIGZAG))
    np.testing.assert_allclose(_points(bench.read()), ZIGZAG)


def test_a_route_is_in_the_world_in_metres(bench):
    bench.scene.unit_settings.system, bench.scene.unit_settings.scale_length = "METRIC", 0.01
    parent = bench.link(bpy.data.objects.new("Parent", None))
    parent.location, parent.rotation_euler = (100, 0, 50), (0, 0, math.pi / 2)
    bench.crowd(bench.curve("Path", ZIGZAG, parent=parent, scale=(10, 20, 5)))
    expected = np.array([(100 - 20 * y, 10 * x, 50 + 5 * z) for x, y, z in ZIGZAG]) * 0.01
    np.testing.assert_allclose(_points(bench.read()), expected, atol=1e-5)


def test_without_a_unit_system_one_unit_is_a_metre(bench):
    bench.scene.unit_settings.system, bench.scene.unit_settings.scale_length = "NONE", 0.01
    bench.crowd(bench.curve("Path", ZIGZAG))
    np.testing.assert_allclose(_points(bench.read()), ZIGZAG)


@pytest.mark.parametrize("dimensions", ["2D", "3D"])
@pytest.mark.parametrize("closed", [False, True])
def test_thickness_does_not_turn_a_route_into_a_tube(bench, closed, dimensions):
    flat = [(0, 0, 0), (6, 0, 0), (6, 6, 0), (0, 6, 0)]
    item = bench.curve("Path", flat, closed=closed, dimensions=dimensions)
    item.data.bevel_depth, item.data.extrude = 0.4, 0.2
    item.data.taper_object = bench.curve("Taper", [(0, 1, 0), (1, 0.5, 0)])
    bench.crowd(item)
    reading = bench.read()
    np.testing.assert_allclose(_points(reading), flat, atol=1e-6)
    assert reading.scene.routes[0].closed == closed
    assert item.data.bevel_depth == pytest.approx(0.4)


def test_a_bevel_by_a_profile_does_neither(bench):
    item = bench.curve("Path", ZIGZAG)
    item.data.bevel_mode = "OBJECT"
    item.data.bevel_object = bench.curve("Profile", [(0, 0, 0), (1, 0, 0), (1, 1, 0)], closed=True, dimensions="2D")
    bench.crowd(item)
    np.testing.assert_allclose(_points(bench.read()), ZIGZAG)


def test_modifiers_that_bend_a_route_bend_it(bench):
    item = bench.curve("Path", [(x, 0, 0) for x in range(11)])
    bend = item.modifiers.new("Bend", "SIMPLE_DEFORM")
    bend.deform_method, bend.deform_axis, bend.angle = "BEND", "Z", math.pi / 2
    bench.crowd(item)
    points = _points(bench.read())
    assert np.ptp(points[:, 1]) > 3.0
    assert len(points) == 11


def test_hooks_pull_a_route(bench):
    item = bench.curve("Path", ZIGZAG)
    hand = bench.link(bpy.data.objects.new("Hand", None))
    hook = item.modifiers.new("Hook", "HOOK")
    hook.object = hand
    hook.vertex_indices_set([3])
    hand.keyframe_insert("location", frame=1)
    hand.location = (0, 0, 100)
    hand.keyframe_insert("location", frame=50)
    bench.scene.frame_start = 50
    bench.crowd(item)
    np.testing.assert_allclose(_points(bench.read())[-1], (12, 0, 102), atol=1e-4)


def test_a_curve_that_moves_is_read_at_the_first_frame(bench):
    item = bench.curve("Path", ZIGZAG)
    item.driver_add("location", 1).driver.expression = "frame"
    bench.scene.frame_start, bench.scene.frame_end = 20, 40
    bench.crowd(item)
    np.testing.assert_allclose(_points(bench.read()), np.add(ZIGZAG, (0, 20, 0)), atol=1e-5)


@pytest.mark.parametrize("kind", ["SOLIDIFY", "SCREW", "BUILD", "REMESH", "BEVEL"])
def test_modifiers_that_make_a_body_leave_the_line(bench, kind):
    item = bench.curve("Path", ZIGZAG)
    item.modifiers.new("Body", kind)
    bench.crowd(item)
    np.testing.assert_allclose(_points(bench.read()), ZIGZAG)


def _node_modifier(item, build):
    """A geometry nodes modifier; `build(nodes, links, geometry)` returns the socket that goes out."""
    group = bpy.data.node_groups.new("Nodes", "GeometryNodeTree")
    group.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    start, end = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    group.links.new(build(group.nodes, group.links, start.outputs[0]), end.inputs[0])
    item.modifiers.new("Nodes", "NODES").node_group = group


def test_nodes_that_move_a_curve_move_the_route(bench):
    item = bench.curve("Path", ZIGZAG)

    def lift(nodes, links, geometry):
        move = nodes.new("GeometryNodeSetPosition")
        move.inputs["Offset"].default_value = (0, 0, 3)
        links.new(geometry, move.inputs[0])
        return move.outputs[0]

    _node_modifier(item, lift)
    bench.crowd(item)
    np.testing.assert_allclose(_points(bench.read()), np.add(ZIGZAG, (0, 0, 3)), atol=1e-5)


def test_nodes_that_build_a_road_on_a_curve_leave_the_line(bench):
    item = bench.curve("Path", ZIGZAG)

    def pave(nodes, links, geometry):
        road, profile = nodes.new("GeometryNodeCurveToMesh"), nodes.new("GeometryNodeCurvePrimitiveCircle")
        links.new(geometry, road.inputs[0])
        links.new(profile.outputs[0], road.inputs[1])
        return road.outputs[0]

    _node_modifier(item, pave)
    bench.crowd(item)
    np.testing.assert_allclose(_points(bench.read()), ZIGZAG)


def test_a_mesh_of_edges_is_a_route(bench):
    item = bench.mesh("Path", ZIGZAG, edges=[(1, 2), (0, 1), (2, 3)])
    bench.crowd(item)
    np.testing.assert_allclose(_points(bench.read()), ZIGZAG)


def test_points_that_lie_on_each_other_count_once(bench):
    bench.crowd(bench.curve("Path", [ZIGZAG[0], *ZIGZAG, ZIGZAG[-1]]))
    np.testing.assert_allclose(_points(bench.read()), ZIGZAG)


def test_two_points_that_are_cyclic_are_walked_once_and_told(bench):
    bench.crowd(bench.curve("Path", [(0.0, 0.0, 0.0), (9.0, 1.0, 0.0)], closed=True))
    reading = bench.read()
    assert not reading.scene.routes[0].closed
    np.testing.assert_allclose(_points(reading)[[0, -1]], [(0.0, 0.0, 0.0), (9.0, 1.0, 0.0)], atol=1e-6)
    (told,) = [notice for notice in reading.notices if "cyclic" in notice]
    assert told.startswith("Path: is cyclic, but has only two points")


def test_a_curve_in_edit_mode_is_read_as_it_is_edited(bench):
    item = bench.curve("Path", ZIGZAG)
    bench.crowd(item)
    bpy.context.view_layer.objects.active = item
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.curve.select_all(action="SELECT")
    bpy.ops.curve.subdivide()
    points = _points(bench.read())
    assert item.mode == "EDIT"
    bpy.ops.object.mode_set(mode="OBJECT")
    assert len(points) == 7


@pytest.mark.parametrize(
    ("splines", "words"),
    [
        ([ZIGZAG[:1]], "Path: the curve has only one point"),
        ([], "Path: the curve has no points"),
        ([[(1, 1, 1)] * 3], "Path: all its points lie at one place"),
        ([[(0, 0, 0), (math.nan, 0, 0)]], "Path: the curve has a point that is not a finite number"),
        ([[(0, 0, 0), (math.inf, 0, 0)]], "Path: the curve has a point that is not a finite number"),
        ([ZIGZAG[:1], ZIGZAG[1:2]], "Path: the curve has only separate points"),
    ],
)
def test_a_curve_that_leads_nowhere_is_refused_by_name(bench, splines, words):
    bench.crowd(bench.curve("Path", *splines))
    assert words in bench.refusal()


def test_a_scale_of_nothing_is_refused(bench):
    bench.crowd(bench.curve("Path", ZIGZAG, scale=(0, 0, 0)))
    assert "Path: all its points lie at one place" in bench.refusal()


def test_a_mesh_with_faces_is_no_route(bench):
    bench.crowd(bench.box("Block"))
    assert "Block: the mesh has faces" in bench.refusal()
    assert "edges only: draw a curve and choose it. To convert this mesh" in bench.refusal()


def test_the_curves_to_choose_from_are_told_but_not_all_of_a_hundred(bench):
    bench.crowd(bench.box("Block"))
    bench.curve("Path", ZIGZAG)
    assert "edges only: choose a curve; there is 'Path'. To convert" in bench.refusal()
    for number in range(10):
        bench.curve(f"Way {number}", ZIGZAG)
    assert (
        "there are 'Path', 'Way 0', 'Way 1', 'Way 2', 'Way 3', 'Way 4', 'Way 5', 'Way 6' and 3 more." in bench.refusal()
    )


def test_a_mesh_that_branches_is_no_route(bench):
    bench.crowd(bench.mesh("Fork", [(0, 0, 0), (1, 0, 0), (2, 1, 0), (2, -1, 0)], edges=[(0, 1), (1, 2), (1, 3)]))
    assert "Fork: the mesh branches" in bench.refusal()


def test_a_lamp_is_no_route(bench):
    bench.crowd(bench.link(bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))))
    assert "Lamp: is of the type LIGHT" in bench.refusal()


def test_every_curve_at_fault_is_told_at_once(bench):
    bench.crowd(bench.curve("First", ZIGZAG[:1]), name="A")
    bench.crowd(bench.curve("Second"), name="B")
    refusal = bench.refusal()
    assert "First: " in refusal
    assert "Second: " in refusal


def test_several_splines_share_the_people_by_length(bench):
    bench.crowd(bench.curve("Path", [(0, 0, 0), (10, 0, 0)], [(0, 5, 0), (30, 5, 0)], [(0, 9, 0)]), count=10)
    reading = bench.read()
    assert [(r.name, len(r.points)) for r in reading.scene.routes] == [("Path", 2), ("Path.2", 2)]
    told = [(c.name, c.count, c.route) for c in reading.scene.crowds]
    assert told in (
        [("Walkers", 2, "Path"), ("Walkers.2", 8, "Path.2")],
        [("Walkers", 3, "Path"), ("Walkers.2", 7, "Path.2")],
    )
    assert [(c.index, c.name) for c in reading.crowds] == [(0, "Walkers"), (0, "Walkers.2")]
    assert any(n.startswith("'Path' has 2 splines; the 10 people of 'Walkers' are shared") for n in reading.notices)
    assert "Path: 1 of its 3 splines has no length and was left out." in reading.notices


@pytest.mark.parametrize("seed", range(5))
def test_shares_add_up_and_are_as_even_as_whole_people_can_be(addon, seed):
    share_out = addon.module("blender_addon.reading.crowds").share_out
    rng = np.random.default_rng(seed)
    lengths, count = rng.uniform(0.1, 50, rng.integers(1, 9)), int(rng.integers(0, 200))
    shares = share_out(count, lengths.tolist())
    assert sum(shares) == count
    assert np.abs(np.array(shares) - count * lengths / lengths.sum()).max() < 1.0


def test_a_route_for_two_crowds_is_one_route_unless_they_use_it_at_different_widths(bench):
    item = bench.curve("Path", ZIGZAG)
    bench.crowd(item, name="A", path_width=3.0)
    bench.crowd(item, name="B", path_width=3.0)
    bench.crowd(item, name="C", path_width=1.0)
    scene = bench.read().scene
    assert [(r.name, r.width) for r in scene.routes] == [("Path", 3.0), ("Path.2", 1.0)]
    assert [c.route for c in scene.crowds] == ["Path", "Path", "Path.2"]


def test_a_curve_whose_points_differ_only_in_height_is_named(bench):
    bench.crowd(bench.curve("Flagpole", [(1, 2, 0), (1, 2, 3), (1, 2, 6)]))
    assert bench.refusal() == "Flagpole: is vertical: a route needs points that differ in x or y, not only in height."


def test_one_upright_spline_among_others_is_named(bench):
    bench.crowd(bench.curve("Paths", [(0, 0, 0), (9, 0, 0)], [(1, 2, 0), (1, 2, 3)]))
    assert bench.refusal().startswith("Paths: is vertical")
