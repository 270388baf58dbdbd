# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves that begin or end inside an obstacle: both are told, and people begin and end at its edge."""

import bpy
import numpy as np
import pytest

from tests.sweeps import sweep

LINE = [(0, 0, 0), (10, 0, 0), (20, 0, 0)]
BEGINS = (
    "'Path' begins inside 'House': people start 1.4 m farther on. Move the first point out of the "
    "obstacle, or remove it from the obstacles. Choose it as Ground if people walk on it."
)
ENDS = (
    "'Path' ends inside 'House': people stop 1.4 m before its end. Move the last point out of the "
    "obstacle, or remove it from the obstacles. Choose it as Ground if people walk on it."
)


@pytest.mark.parametrize(("x", "told", "ends"), [(0, BEGINS, (1.35, 20.0)), (20, ENDS, (0.0, 18.65))])
def test_an_end_in_an_obstacle_is_told_alike_and_lies_before_it(bench, x, told, ends):
    bench.crowd(bench.curve("Path", LINE))
    bench.box("House", bench.obstacles(), location=(x, 0, 0), size=(1, 2, 1.5))
    reading = bench.read()
    assert reading.notices == [told]
    points = reading.scene.routes[0].points
    np.testing.assert_allclose(points[[0, -1], 0], ends, atol=0.051)
    np.testing.assert_allclose(points[1], (10, 0, 0), atol=1e-6)


def test_both_ends_are_shortened_past_all_that_lies_over_them(bench):
    bench.crowd(bench.curve("Path", LINE))
    for x in (0, 20):
        bench.box("House", bench.obstacles(), location=(x, 0, 0), size=(1, 2, 1.5))
    bench.box("Porch", bench.obstacles(), location=(1.5, 0, 0), size=(1, 1, 1.5))
    reading = bench.read()
    assert [told.partition(":")[0] for told in reading.notices] == [
        "'Path' begins inside 'House'",
        "'Path' ends inside 'House.001'",
    ]
    np.testing.assert_allclose(reading.scene.routes[0].points[[0, -1], 0], (2.85, 18.65), atol=0.051)


@pytest.mark.parametrize("mode", sweep(["FLOW", "AT_ONCE"], usual=1))
def test_people_come_out_of_a_house_and_go_into_one(bench, one_figure, mode):
    crowd = bench.crowd(bench.curve("Path", [(0, 0, 0), (6, 0, 0)]), count=3, arrival="LEAVE")
    crowd.spawn.mode, crowd.spawn.rate, crowd.output = mode, 2.0, "INSTANCES"
    for x in (0, 6):
        bench.box("House", bench.obstacles(), location=(x, 0, 0), size=(1, 2, 1.5))
    bench.scene.frame_end = 200
    made = bench.addon.module("blender_addon.baking.bake").bake(bench.scene)
    assert made.report["total"]["arrived"] == 3
    assert made.report["total"]["deepest_wall_penetration"] < 0.02
    assert not made.trajectories.present[-1].any()


def test_an_end_beside_an_obstacle_or_in_a_hole_of_it_stays(bench):
    ring = [(x * s, y * s, z) for s in (9.0, 6.0) for z in (0.0, 3.0) for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    faces = []
    for first, second in ((0, 4), (4, 12), (12, 8), (8, 0)):
        faces += [(first + k, first + (k + 1) % 4, second + (k + 1) % 4, second + k) for k in range(4)]
    bench.mesh("Cloister", ring, faces, collection=bench.obstacles())
    bench.box("Post", bench.obstacles(), location=(5.5, 0, 0), size=(0.5, 0.5, 1))
    bench.crowd(bench.curve("Path", [(-5, 0, 0), (4.95, 0, 0)]))
    reading = bench.read()
    assert reading.notices == []
    np.testing.assert_allclose(reading.scene.routes[0].points[[0, -1], 0], (-5, 4.95), atol=1e-6)


def test_a_closed_curve_stays(bench):
    path = bench.curve("Path", [(0, 0, 0), (10, 0, 0), (10, 10, 0), (0, 10, 0)])
    path.data.splines[0].use_cyclic_u = True
    bpy.context.view_layer.update()
    bench.crowd(path, arrival="LOOP")
    bench.box("House", bench.obstacles(), size=(1, 1, 1.5))
    assert len(bench.read().scene.routes[0].points) == 4
