# SPDX-License-Identifier: GPL-3.0-or-later
"""Corners of drawn lines become arcs: as wide as the line may be left and its pieces allow, and nothing else moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.planning import ReferencePath, ReferenceSettings
from core.planning.paths.rounded_corners import arcs_at_corners, rounded

LEAVES, AHEAD = 0.13, 0.55  # [m]


def _rounded(points, *, leaves=LEAVES, closed=False, spacing=0.01):
    """Samples of a line with rounded corners, and without; complex128 (M,) each."""
    drawn = np.array([complex(*point) for point in points])
    drawn = np.append(drawn, drawn[0]) if closed else drawn
    u = np.append(0.0, np.cumsum(np.abs(np.diff(drawn))))
    along = np.arange(0.0, u[-1], spacing)
    raw = np.interp(along, u, drawn)
    return rounded(raw, along, arcs_at_corners(u, drawn, leaves, AHEAD, closed=closed)), raw


def _corner(degrees, piece=16.0):
    turn = np.radians(degrees)
    return [(0.0, 0.0), (piece, 0.0), (piece + piece * np.cos(turn), piece * np.sin(turn))]


def _settings(leaves=LEAVES):
    return ReferenceSettings(look_ahead=AHEAD, corner_rounding=leaves)


@pytest.mark.parametrize(
    ("degrees", "leaves"), [(2, LEAVES), (20, LEAVES), (-35, LEAVES), (60, LEAVES), (90, LEAVES), (-120, 1.0)]
)
def test_an_arc_touches_both_pieces_and_leaves_the_corner_as_far_as_it_may(degrees, leaves):
    points = _corner(degrees)
    samples, raw = _rounded(points, leaves=leaves)
    on_arc, turn = samples[samples != raw] - points[1][0], np.radians(degrees)
    middle = _middle_of_circle(*on_arc[[0, len(on_arc) // 2, -1]])
    radius = np.abs(middle - on_arc[0])
    np.testing.assert_allclose(np.abs(on_arc - middle), radius, rtol=1e-6)
    assert abs(middle.imag) == pytest.approx(radius, rel=1e-5)  # its distance from the first piece
    assert abs((middle * np.exp(-1j * turn)).imag) == pytest.approx(radius, rel=1e-5)  # and from the second
    if degrees == 2:  # wider would reach beyond half of the pieces
        assert len(on_arc) * 0.01 == pytest.approx(16.0, abs=0.02)
        assert np.abs(on_arc).min() < leaves
    else:
        cut = 0.236 * AHEAD * np.sin(0.5 * turn) ** 2  # by who follows it
        assert np.abs(on_arc).min() == pytest.approx(leaves - cut, rel=1e-3)


def _middle_of_circle(a, b, c):
    """The middle of the circle through three places."""
    across = 2.0 * ((b - a).conjugate() * (c - a)).imag
    return -1j * (abs(a) ** 2 * (b - c) + abs(b) ** 2 * (c - a) + abs(c) ** 2 * (a - b)) / across


def test_a_drawn_polygon_becomes_the_circle_inside_it():
    angle = 2.0 * np.pi * np.arange(24) / 24
    samples, _ = _rounded(np.column_stack((3.0 * np.cos(angle), 3.0 * np.sin(angle))), leaves=1.0, closed=True)
    np.testing.assert_allclose(np.abs(samples), 3.0 * np.cos(np.pi / 24), atol=1e-9)


def test_a_point_on_a_straight_piece_is_no_corner_and_one_twice_is_one():
    whole = _rounded(_corner(40))[0]
    points = _corner(40)
    points[1:1] = [(5.0, 0.0), (15.9, 0.0)]
    points[-1:-1] = [points[-2]]
    np.testing.assert_allclose(_rounded(points)[0], whole, atol=1e-9)


@pytest.mark.parametrize(
    "points",
    [[(0, 0), (9, 0)], [(0, 0), (9, 0), (0, 0.01)], [(0, 0), (9, 0), (0, 0)], [(0, 0), (0.15, 0), (0.15, 0.15)]],
)
def test_straight_lines_reversals_and_tiny_ones_stay_as_they_are(points):
    samples, raw = _rounded(points)
    assert np.array_equal(samples, raw)


@pytest.mark.parametrize(("degrees", "least"), [(10, 25.0), (20, 7.0), (35, 2.2), (60, 0.65), (90, 0.3)])
def test_the_path_at_a_corner_is_a_bend_of_some_metres_within_15_centimetres(farthest_from_line, degrees, least):
    points = np.array(_corner(degrees))
    path = ReferencePath.from_points(points, settings=_settings())
    s = np.linspace(0.0, path.length, 2000)
    places, _, curvature, _ = path.pose(s)
    assert max(farthest_from_line(places, points, False)) < 0.15
    assert np.abs(curvature).max() < 1.0 / least
    np.testing.assert_allclose(places[[0, -1]], points[[0, -1]], atol=0.02)


def test_a_closed_line_is_rounded_where_it_was_begun_too():
    square = np.array([(0.0, 0.0), (8.0, 1.0), (7.0, 9.0), (-1.0, 8.0)])
    path = ReferencePath.from_points(square, closed=True, settings=_settings(0.5))
    s = np.arange(0.0, path.length, 0.01)
    places = path.to_cartesian(s, 0.0 * s)
    nearest = [np.linalg.norm(places - corner, axis=1).min() for corner in square]
    np.testing.assert_allclose(nearest, nearest[0], atol=0.03)
    assert nearest[0] > 0.2


@pytest.mark.parametrize("radius", [60.0, 200.0])
@pytest.mark.parametrize("kink", [0.0, 0.02, 0.09])
def test_a_slight_corner_before_a_wide_curve_keeps_to_the_curve(farthest_from_line, radius, kink):
    """Its points turn less than is a corner; an arc along their tangents would leave them by metres."""
    angle = kink + np.arange(0.0, 60.0, 0.05) / radius
    curve = 30.0 + radius * np.column_stack((np.sin(angle) - np.sin(kink), np.cos(kink) - np.cos(angle)))
    points = np.vstack(([[0.0, 30.0]], curve)).astype(np.float32).astype(np.float64)
    path = ReferencePath.from_points(points, settings=_settings())
    s = np.linspace(0.0, path.length, 3000)
    places, _, curvature, _ = path.pose(s)
    assert max(farthest_from_line(places, points, False)) < 0.03
    assert np.abs(curvature).max() < 1.0 / 3.0


@pytest.mark.parametrize("points", [_corner(60), [(0.0, 0.0), (5.0, 0.0), (0.5, 0.5), (6.0, 1.0)]])
def test_rounding_counts_as_leaving_the_line_and_sharper_turns_are_not_rounded(farthest_from_line, points):
    settings = replace(_settings(0.6), farthest=0.36)
    path = ReferencePath.from_points(points, settings=settings)
    s = np.linspace(0.0, path.length, 3000)
    away = max(farthest_from_line(path.to_cartesian(s, 0.0 * s), np.array(points), False))
    assert away < settings.farthest  # else 0.57 and 0.41 m
