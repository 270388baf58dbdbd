# SPDX-License-Identifier: GPL-3.0-or-later
"""Stops on benches, sofas and chairs: their seats, where these are, and where people look who sit there."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Vector

from ...street import select


def furniture(make, name, *boxes):
    """Furniture of boxes, each with its size and the middle, which is linked."""
    made = make.cube(name, 1.0)
    points = np.array([vertex.co[:] for vertex in made.data.vertices])
    points = points / np.ptp(points, axis=0)
    points -= points.mean(axis=0)
    quads = [tuple(face.vertices) for face in made.data.polygons]
    faces = [tuple(8 * part + corner for corner in quad) for part in range(len(boxes)) for quad in quads]
    made.data.clear_geometry()
    made.data.from_pydata(np.concatenate([points * size + np.array(middle) for size, middle in boxes]), [], faces)
    make.link(made)
    return made


def put_seats_on(chosen):
    """Select only that, and add a bench there."""
    bpy.context.view_layer.update()
    select(chosen)
    bpy.ops.footfall.stop_add(kind="BENCH")
    bpy.context.view_layer.update()


@pytest.mark.parametrize("has_back", [True, False])
@pytest.mark.parametrize("turn", [0.0, 2.5])
def test_a_selected_bench_gets_seats_on_its_top_and_no_seat_at_its_corners(market, make, has_back, turn):
    back = ((1.8, 0.05, 0.9), (0.0, 0.2, 0.45))
    bench = furniture(make, "Old Oak", ((1.8, 0.4, 0.45), (0.0, 0.0, 0.225)), *[back] * has_back)
    bench.location, bench.rotation_euler = (3.0, -8.0, 0.0), (0.0, 0.0, turn)
    put_seats_on(bench)
    stop = market.crowd.stops[2]
    assert (stop.name, stop.place.name, stop.place.parent) == ("Old Oak", "Bench", bench)
    assert bench in set(market.settings.obstacles.all_objects)
    seats = np.array([bench.matrix_world.inverted() @ stop.place.matrix_world @ v.co for v in stop.place.data.vertices])
    assert len(seats) == 3
    assert seats[:, 2] == pytest.approx(0.45, abs=1e-4)
    assert sorted(seats[:, 0]) == pytest.approx([-0.55, 0.0, 0.55], abs=0.03)
    ahead = bench.matrix_world.inverted().to_3x3() @ stop.place.matrix_world.to_3x3() @ Vector((0.0, 1.0, 0.0))
    if has_back:
        assert ahead.y == pytest.approx(-1.0, abs=1e-3), "away from the backrest"
    else:
        route = bench.matrix_world.inverted().to_3x3() @ Vector((0.0, 1.0, 0.0))
        assert abs(ahead.y) == pytest.approx(1.0, abs=1e-3)
        assert ahead.dot(route) > 0.0, "towards the route"


@pytest.mark.parametrize("kind", ["BEVEL", "ARRAY"])
def test_a_bench_with_modifiers_gets_its_seats_on_its_top_too(market, make, kind):
    bench = furniture(make, "Old Oak", ((1.8, 0.4, 0.45), (0.0, 0.0, 0.225)))
    bench.location.y = -8.0
    added = bench.modifiers.new("Round", kind)
    if kind == "BEVEL":
        added.width = 0.02
    put_seats_on(bench)
    place = market.crowd.stops[2].place
    assert place.parent == bench
    assert len(place.data.vertices) == (3 if kind == "BEVEL" else 6), "as it is evaluated"


def test_what_geometry_nodes_scatter_is_no_furniture(market, node_points):
    put_seats_on(node_points)
    assert market.crowd.stops[2].place == node_points


@pytest.mark.parametrize("kind", ["corner sofa", "two legs", "three legs"])
@pytest.mark.parametrize("turn", [0.0, 0.6, 2.5])
def test_a_sofa_has_seats_on_each_leg_that_face_its_inside(market, make, capfd, kind, turn):
    """Its legs are along its top and its right, and its left; a corner sofa has backrests."""
    parts = [((3.0, 0.8, 0.45), (0.0, 0.0, 0.225)), ((0.8, 2.2, 0.45), (1.1, -1.5, 0.225))]
    if kind == "corner sofa":
        parts += [((3.0, 0.2, 0.8), (0.0, 0.5, 0.4)), ((0.2, 3.2, 0.8), (1.6, -1.0, 0.4))]
    if kind == "three legs":
        parts += [((0.8, 2.2, 0.45), (-1.1, -1.5, 0.225))]
    sofa = furniture(make, "Sofa", *parts)
    sofa.location, sofa.rotation_euler = (30.0, 20.0, 0.0), (0.0, 0.0, turn)
    put_seats_on(sofa)
    assert "beside its top" not in "".join(capfd.readouterr())
    stop = market.crowd.stops[2]
    rows = list(stop.places.objects)
    assert len(rows) == (3 if kind == "three legs" else 2)
    assert all(row.parent == sofa for row in rows)
    to_own = sofa.matrix_world.inverted()
    seats = [
        (to_own @ row.matrix_world @ v.co, to_own.to_3x3() @ row.matrix_world.to_3x3() @ Vector((0.0, 1.0, 0.0)))
        for row in rows
        for v in row.data.vertices
    ]
    wanted = {"corner sofa": 2, "two legs": 2, "three legs": 1}  # on the long leg, where no other is before it
    for where, facing in seats:
        assert where.z == pytest.approx(0.45, abs=1e-3)
        on_long = where.y > -0.4
        on_right = not on_long and where.x > 0.0
        assert facing.dot(Vector((0, -1, 0)) if on_long else Vector((-1 if on_right else 1, 0, 0))) > 0.99
        front = where.y + 0.4 if on_long else where.x - 0.7 if on_right else -0.7 - where.x
        assert front == pytest.approx(0.21, abs=0.06), "behind the front edge"
        assert abs(where.x if on_long else where.y + 1.5) < (1.5 if on_long else 1.1)
    assert sum(where.y > -0.4 for where, _ in seats) >= wanted[kind]
    assert all(
        sum(where.y < -0.4 and side * where.x > 0 for where, _ in seats) >= 2 for side in (-1, 1)[-len(rows) + 1 :]
    )
    knees = np.array([where + 0.45 * facing for where, facing in seats])
    apart = np.linalg.norm(knees[:, None] - knees, axis=2)
    assert apart[np.triu_indices(len(knees), 1)].min() > 0.45
    places = stop.places.name
    market.crowd.active_stop_index = 2
    bpy.ops.footfall.stop_remove()
    assert places not in bpy.data.collections
    assert len(sofa.children) == 0


def test_all_rows_of_a_sofa_are_shared_by_two_crowds_and_stay_until_both_have_left(market, make):
    sofa = furniture(make, "Sofa", ((3.0, 0.8, 0.45), (0.0, 0.0, 0.225)), ((0.8, 2.2, 0.45), (1.1, -1.5, 0.225)))
    sofa.location = (30.0, 20.0, 0.0)
    put_seats_on(sofa)
    places = market.crowd.stops[2].places
    rows = list(places.objects)
    bpy.ops.footfall.crowd_add()
    second = market.settings.crowds[-1]
    second.route = market.path
    put_seats_on(sofa)
    assert second.stops[0].places == places
    assert list(places.objects) == list(sofa.children) == rows
    bpy.ops.footfall.stop_remove()
    assert list(places.objects) == rows, "the other crowd needs them"
    market.settings.active_crowd_index, market.crowd.active_stop_index = 0, 2
    bpy.ops.footfall.stop_remove()
    assert len(sofa.children) == 0


def test_seats_beside_the_top_of_a_round_bench_are_told(market, make, capfd):
    angles = np.arange(12) * math.tau / 12
    parts = [((0.3, 0.3, 0.45), (2 * math.cos(angle), 2 * math.sin(angle), 0.225)) for angle in angles]
    put_seats_on(furniture(make, "Ring", *parts))
    assert "'Ring' is neither straight" in "".join(capfd.readouterr())


@pytest.mark.parametrize("metre", [1.0, 0.01])
def test_a_square_chair_is_sat_on_away_from_its_back_in_scenes_of_any_unit(market, make, metre):
    boxes = np.array([((0.45, 0.45, 0.45), (0.0, 0.0, 0.225)), ((0.45, 0.04, 0.9), (0.0, 0.2, 0.45))]) / metre
    chair = furniture(make, "Chair", *boxes)
    chair.rotation_euler.z = 0.5
    market.scene.unit_settings.scale_length = metre
    put_seats_on(chair)
    place = market.crowd.stops[2].place
    assert len(place.data.vertices) == 1
    ahead = chair.matrix_world.inverted().to_3x3() @ place.matrix_world.to_3x3() @ Vector((0.0, 1.0, 0.0))
    assert ahead.normalized().y == pytest.approx(-1.0, abs=0.01)
    at = chair.matrix_world.inverted() @ place.matrix_world @ place.data.vertices[0].co
    assert metre * at.z == pytest.approx(0.45, abs=1e-3)


def test_four_seats_without_a_bench_are_as_wide_in_scenes_of_any_unit(market):
    bpy.ops.object.select_all(action="DESELECT")
    market.scene.unit_settings.scale_length = 0.01
    bpy.ops.footfall.stop_add(kind="BENCH")
    x = sorted(vertex.co.x for vertex in market.crowd.stops[2].place.data.vertices)
    assert 0.01 * np.diff(x) == pytest.approx([0.55] * 3)


def test_furniture_without_a_seat_at_the_height_of_one_is_told(market, make, capfd):
    chair = make.cube("Chair of Giants", 2.0)
    chair.location.y = -8.0
    make.link(chair)
    put_seats_on(chair)
    assert market.crowd.stops[2].place == chair
    assert "'Chair of Giants' has nothing level 0.2 to 0.75 m above its foot" in "".join(capfd.readouterr())


def test_seats_that_were_put_on_a_bench_move_with_it(market, make):
    bench = make.cube("Bench", 1.0)
    bench.location, bench.scale = (3.0, -8.0, 0.0), (2.4, 0.4, 0.45)
    make.link(bench)
    bpy.context.view_layer.update()
    bpy.ops.object.select_all(action="DESELECT")
    top = Vector((*bench.location[:2], max((bench.matrix_world @ Vector(corner)).z for corner in bench.bound_box)))
    market.scene.cursor.location = top
    bpy.ops.footfall.stop_add(kind="BENCH")
    seats = market.crowd.stops[2].place
    assert market.crowd.stops[2].name == seats.name == "Seats on Bench", "told from the bench itself"
    bpy.context.view_layer.update()
    assert (seats.matrix_world.translation - top).length < 1e-4
    bench.location.x += 5.0
    bench.rotation_euler.z = math.pi / 2.0
    bpy.context.view_layer.update()
    assert (seats.matrix_world.translation - top - Vector((5.0, 0.0, 0.0))).length < 1e-4
    first, last = (seats.matrix_world @ seats.data.vertices[number].co for number in (0, 3))
    assert abs((last - first).y) == pytest.approx(1.65, abs=1e-4), "a row of four, turned, of the same length"
