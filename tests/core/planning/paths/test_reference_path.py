# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawn lines made walkable: bounds, consistency, the frame, closed curves, heights and limits."""

from __future__ import annotations

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

from core.errors import GeometryError
from core.planning import ReferencePath, ReferenceSet, ReferenceSettings

from .other_curves import other_curves

NAMES = (
    "straight",
    "gentle_S",
    "multi_bend",
    "corner90",
    "stairs_1m",
    "hairpin_r.3",
    "cusp_bezier",
    "figure8",
    "square_closed",
    "out_and_back",
)
AT_REVERSALS, AT_CORNERS = 0.6, 0.15  # [m]
NEAR_REVERSALS = 0.5  # [m] from a drawn line of any kind

TURNED_SHARPER = {"out_and_back"}  # else it would leave the drawn line by more than settings.farthest


@pytest.fixture(scope="module")
def references(curves):
    assert set(curves) == set(NAMES)
    lines, closed = zip(*(curves[name] for name in NAMES), strict=True)
    return ReferenceSet.from_polylines(lines, closed)


@pytest.mark.parametrize("name", NAMES)
def test_the_line_stays_near_the_drawn_one_and_within_its_bounds(references, curves, farthest_from_line, name):
    number, (points, closed) = NAMES.index(name), curves[name]
    s = np.linspace(0.0, references.lengths[number], 2000)
    path = np.full(len(s), number)
    position, _, curvature, rate = references.pose(path, s)
    away, missed = farthest_from_line(position, points, closed)
    allowed = AT_REVERSALS if name in {"cusp_bezier", "out_and_back"} else AT_CORNERS
    assert max(away, missed) < allowed
    settings = ReferenceSettings()
    sharper = settings.sharper[0] if name in TURNED_SHARPER else 1.0
    assert np.abs(curvature).max() <= settings.max_curvature * sharper * 1.1
    assert np.abs(rate).max() <= settings.max_curvature_rate * sharper**2 * 1.1
    if not closed:
        assert np.hypot(*(position[0] - points[0])) < 1e-3
        assert np.hypot(*(position[-1] - points[-1])) < 0.02


@pytest.mark.parametrize("name", NAMES)
def test_heading_curvature_and_rate_are_the_derivatives_of_the_place(references, name):
    number = NAMES.index(name)
    rng = np.random.default_rng(1)
    s = rng.uniform(0.01, references.lengths[number] * (2.5 if references.closed[number] else 1.0) - 0.01, 2000)
    path, step = np.full(len(s), number), 1e-5
    _, heading, curvature, _ = references.pose(path, s)
    before, after = references.pose(path, s - step), references.pose(path, s + step)
    direction = np.stack((np.cos(heading), np.sin(heading)), axis=-1)
    left_out = 3e-6 if name in TURNED_SHARPER else 1e-6  # of the series for places, in the sharpest turns
    np.testing.assert_allclose((after[0] - before[0]) / (2 * step), direction, atol=left_out)
    # at a node the rate changes, so that the difference over it is off by as much as step x rate
    np.testing.assert_allclose((after[1] - before[1]) / (2 * step), curvature, atol=3e-4)
    same_cell = after[3] == before[3]
    slope = (after[2] - before[2]) / (2 * step)
    np.testing.assert_allclose(slope[same_cell], before[3][same_cell], atol=1e-5)
    assert same_cell.mean() > 0.99


@pytest.mark.parametrize("name", NAMES)
def test_round_trip_through_the_plane(references, name):
    number = NAMES.index(name)
    rng = np.random.default_rng(2)
    length = references.lengths[number]
    laps = 3.0 if references.closed[number] else 1.0
    s = rng.uniform(0.0, laps * length, 20_000) if laps > 1 else rng.uniform(-2.0, length + 2.0, 20_000)
    path = np.full(len(s), number)
    right, left = references.limits(path, s)
    d = right + (left - right) * rng.random(len(s))
    found_s, found_d = references.to_frenet(
        path, references.to_cartesian(path, s, d), s + rng.uniform(-0.1, 0.1, len(s))
    )
    np.testing.assert_allclose(found_s, s, atol=1e-9)
    np.testing.assert_allclose(found_d, d, atol=1e-9)


def test_every_random_polyline_becomes_a_line_near_it(random_polylines, farthest_from_line):
    settings = ReferenceSettings()
    lines, closed = random_polylines(5, 150)
    references = ReferenceSet.from_polylines(lines, closed)
    for number, (line, loop) in enumerate(zip(lines, closed, strict=True)):
        s = np.linspace(0.0, references.lengths[number], 600)
        places = references.to_cartesian(np.full(600, number), s, np.zeros(600))
        assert max(farthest_from_line(places, line, loop)) < NEAR_REVERSALS
        assert np.abs(references.tables[number].curvature).max() <= 1.1 * max(settings.sharper) * settings.max_curvature


def test_a_closed_path_is_smooth_across_its_seam(references):
    for name in ("figure8", "square_closed"):
        number = NAMES.index(name)
        length = references.lengths[number]
        path = np.array([number, number])
        position, heading, curvature, _ = references.pose(path, [length - 1e-9, length + 1e-9])
        np.testing.assert_allclose(position[0], position[1], atol=1e-8)
        np.testing.assert_allclose(heading[0], heading[1], atol=1e-7)
        np.testing.assert_allclose(curvature[0], curvature[1], atol=1e-7)


def test_the_turns_of_a_lap_add_up():
    square = ReferencePath.from_points([(0, 0), (4, 0), (4, 4), (0, 4)], closed=True)
    _, heading, _, _ = square.pose([0.5, 0.5 + square.length, 0.5 + 2.0 * square.length])
    np.testing.assert_allclose(np.diff(heading), 2.0 * np.pi, atol=1e-9)


def test_passing_one_place_twice_the_predicted_s_says_which_time_is_meant(curves):
    points, closed = curves["out_and_back"]
    path = ReferencePath.from_points(points, closed)
    out, _ = path.to_frenet([(3.0, 0.0)], [2.8])
    back, _ = path.to_frenet([(3.0, 0.0)], [path.length - 3.2])
    assert abs(out[0] - 3.0) < 0.05
    assert abs(back[0] - (path.length - 3.0)) < 0.05


def test_an_open_path_goes_straight_on_before_and_after():
    path = ReferencePath.from_points([(0, 0), (3, 0), (3, 3)])
    places = path.to_cartesian([-2.0, path.length + 2.0], [0.0, 0.0])
    np.testing.assert_allclose(places, [(-2.0, 0.0), (3.0, 5.0)], atol=0.03)
    s, d = path.to_frenet([(-1.5, 0.25), (2.5, 5.0)], [-1.4, path.length + 2.0])
    np.testing.assert_allclose(s, [-1.5, path.length + 2.0], atol=0.03)
    np.testing.assert_allclose(d, [0.25, 0.5], atol=0.03)


def test_heights_follow_the_drawn_line():
    ramp = ReferencePath.from_points([(0, 0, 0), (4, 0, 0), (8, 0, 2), (8, 6, 2)])
    np.testing.assert_allclose(ramp.height([0.0, 4.0, 6.0, 8.0, 12.0]), [0.0, 0.0, 1.0, 2.0, 2.0], atol=0.1)
    stairs = ReferencePath.from_points([(0, 0, 0), (2, 0, 0), (2, 0, 3), (4, 0, 3)])  # straight up in between
    np.testing.assert_allclose(stairs.height([1.5, 2.5]), [0.0, 3.0], atol=1e-9)
    loop = ReferencePath.from_points([(0, 0, 0), (4, 0, 1), (4, 4, 2), (0, 4, 1)], closed=True)
    np.testing.assert_allclose(loop.height([2.0, 2.0 + loop.length]), [0.5, 0.5], atol=0.1)


def test_limits_are_the_width_and_narrow_in_bends_without_ever_reaching_the_centre(references):
    for number in range(len(references)):
        s = np.linspace(0.0, references.lengths[number], 1000)
        path = np.full(len(s), number)
        right, left = references.limits(path, s)
        _, _, curvature, _ = references.pose(path, s)
        assert np.all((right >= -1.0) & (right <= 0.0) & (left >= 0.0) & (left <= 1.0))
        assert np.all(1.0 - curvature * left >= 0.2)
        assert np.all(1.0 - curvature * right >= 0.2)
    path = ReferencePath.from_points([(0, 0), (20, 0)], half_width=1.7)
    np.testing.assert_allclose(path.limits([10.0]), [[-1.7], [1.7]])


def test_speed_limit_keeps_the_lateral_acceleration(references):
    number = NAMES.index("corner90")
    s = np.linspace(0.0, references.lengths[number], 500)
    path = np.full(len(s), number)
    speed = references.speed_limit(path, s, 1.2)
    _, _, curvature, _ = references.pose(path, s)
    bent = curvature != 0.0
    np.testing.assert_allclose(speed[bent] ** 2 * np.abs(curvature[bent]), 1.2)
    assert np.isinf(references.speed_limit([NAMES.index("straight")], [3.0], 1.2)[0])


def test_one_path_and_the_same_path_among_many_are_the_same(curves, references):
    for number, name in enumerate(NAMES):
        points, closed = curves[name]
        alone = ReferencePath.from_points(points, closed)
        s = np.linspace(0.0, alone.length, 77)
        np.testing.assert_array_equal(alone.pose(s)[0], references.pose(np.full(77, number), s)[0])


def test_any_line_alone_and_the_same_line_among_many_are_the_same_to_the_bit(random_polylines):
    lines, closed = random_polylines(3, 60)
    odd = other_curves().values()
    lines, closed = [*lines, *(line for line, _ in odd)], [*closed, *(loop for _, loop in odd)]
    together = ReferenceSet.from_polylines(lines, closed).tables
    for line, loop, among in zip(lines, closed, together, strict=True):
        alone = ReferencePath.from_points(line, loop).table
        for name in ("place", "heading", "curvature", "height", "left", "right", "length", "cell"):
            np.testing.assert_array_equal(getattr(alone, name), getattr(among, name))


def test_repeats_and_what_is_not_finite_are_left_out():
    clean = ReferencePath.from_points([(0, 0), (2, 0), (2, 3)])
    dirty = ReferencePath.from_points([(0, 0), (0, 0), (np.nan, 1), (2, 0), (2, 0), (np.inf, 0), (2, 3), (2, 3)])
    s = np.linspace(0.0, clean.length, 50)
    np.testing.assert_allclose(dirty.to_cartesian(s, 0.0 * s), clean.to_cartesian(s, 0.0 * s), atol=1e-12)


@pytest.mark.parametrize(
    ("points", "closed"), [([], False), ([(1, 1)], False), ([(1, 1), (1, 1)], False), ([(np.nan, 0), (1, 0)], True)]
)
def test_fewer_than_two_places_are_no_path(points, closed):
    with pytest.raises(GeometryError, match="two points that differ"):
        ReferencePath.from_points(np.array(points, dtype=np.float64).reshape(-1, 2), closed)


def test_bad_widths_and_shapes_are_refused():
    with pytest.raises(GeometryError, match="half width"):
        ReferencePath.from_points([(0, 0), (1, 0)], half_width=0.0)
    with pytest.raises(GeometryError, match="shape"):
        ReferencePath.from_points(np.zeros((3, 4)))


def test_tiny_paths_and_loops_too_small_to_walk_still_become_paths():
    short = ReferencePath.from_points([(0, 0), (0.01, 0)])
    assert 0.0 < short.length < 0.1
    loop = ReferencePath.from_points([(5, 5), (5.1, 5), (5.1, 5.1), (5, 5.1)], closed=True)
    places = loop.to_cartesian(np.linspace(0.0, loop.length, 40), np.zeros(40))
    assert np.hypot(*(places - (5.05, 5.05)).T).max() < 0.6


@hypothesis.given(
    st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=2, max_size=8), st.booleans(), st.floats(0, 1)
)
@hypothesis.settings(max_examples=40)
def test_any_line_gives_a_finite_path_on_which_the_frame_holds(points, closed, share):
    line = np.round(np.array(points), 3)
    hypothesis.assume(len(np.unique(line, axis=0)) > 1)
    path = ReferencePath.from_points(line, closed)
    s = np.linspace(0.0, path.length, 50)
    right, left = path.limits(s)
    d = right + share * (left - right)
    places = path.to_cartesian(s, d)
    assert np.isfinite(places).all()
    found_s, found_d = path.to_frenet(places, s)
    np.testing.assert_allclose(found_s, s, atol=1e-7)
    np.testing.assert_allclose(found_d, d, atol=1e-7)
