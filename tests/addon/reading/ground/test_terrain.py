# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground under those who go from place to place."""

import numpy as np
import pytest

SQUARE = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]


def read_slope(bench, rise, scale=1.0, way=30.0, **crowd):
    """Somebody goes from A to B, `way` metres away, over ground that rises along x by `rise` to the metre."""
    bench.scene.unit_settings.scale_length = scale
    unit = 1.0 / scale
    square = [(unit * x, unit * y, 0) for x, y, _ in SQUARE]
    start, goal = (
        bench.mesh(name, square, [(0, 1, 2, 3)], location=(unit * x, 0, 0)) for name, x in (("A", 0), ("B", way))
    )
    made = bench.crowd(None, mode="AREAS", start=start, goal=goal)
    for name, value in crowd.items():
        setattr(made.motion, name, value)
    ends = (-40, -40), (way + 40, -40), (way + 40, 40), (-40, 40)
    corners = [(unit * x, unit * y, unit * rise * x) for x, y in ends]
    bench.settings.ground = bench.mesh("Hill", corners, [(0, 1, 2, 3)])
    return bench.read()


@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_the_ground_between_places_is_read_in_metres(bench, scale):
    terrain = read_slope(bench, 0.2, scale).scene.terrain
    low, high = (
        np.array(terrain.corner),
        np.array(terrain.corner) + terrain.cell * (np.array(terrain.heights.shape) - 1),
    )
    assert (low < -3.0).all()
    assert (high > (33.0, 3.0)).all()
    assert terrain.cell <= 0.5
    places = np.array([[0.0, 0.0], [12.3, 4.5], [30.0, -2.0]])
    np.testing.assert_allclose(terrain.height(places), 0.2 * places[:, 0], atol=2e-3)


def test_ground_that_was_changed_is_read_anew(bench):
    flat = read_slope(bench, 0.1).scene.terrain
    bench.settings.ground.data.vertices[1].co.z += 2.0
    steeper = bench.read().scene.terrain
    assert steeper.heights.max() > flat.heights.max() + 0.5
    bench.settings.ground.data.vertices[1].co.z -= 2.0
    again = bench.read().scene.terrain
    np.testing.assert_array_equal(again.heights, flat.heights)


def test_level_ground_and_people_who_do_not_mind_slopes_need_no_terrain(bench):
    assert read_slope(bench, 0.0).scene.terrain is None
    bench.settings.crowds.clear()
    assert read_slope(bench, 0.2, slope_effect=0.0).scene.terrain is None


def test_people_on_curves_have_the_ground_in_their_routes(bench):
    bench.crowd(bench.curve("Path", [(0, 0, 0), (20, 0, 0)]))
    corners = [(-5, -5, 0), (25, -5, 3), (25, 5, 3), (-5, 5, 0)]
    bench.settings.ground = bench.mesh("Hill", corners, [(0, 1, 2, 3)])
    scene = bench.read().scene
    assert scene.terrain is None
    assert np.ptp(scene.routes[0].points[:, 2]) == pytest.approx(2.0, abs=1e-3)


@pytest.mark.parametrize(("way", "told"), [(30.0, False), (900.0, False), (4000.0, True)])
def test_it_is_told_when_ground_is_so_wide_that_stairs_are_evened_out(bench, way, told):
    reading = read_slope(bench, 0.2, way=way)
    notices = [notice for notice in reading.notices if "feel slopes only every" in notice]
    assert len(notices) == told
    assert all(notice.startswith("'Hill' is so wide") for notice in notices)
    assert (reading.scene.terrain.cell > 1.0) == told
    assert reading.scene.terrain.heights.size < 45_000
