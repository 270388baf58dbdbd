# SPDX-License-Identifier: GPL-3.0-or-later
"""A ground that does not lie where people walk."""

import pytest

LINE = [(0, 0, 0), (20, 0, 0)]


def _ground(bench, low, high):
    corners = [(low, -5, 0), (high, -5, 0), (high, 5, 0), (low, 5, 0)]
    bench.settings.ground = bench.mesh("Hills", corners, [(0, 1, 2, 3)])


EDGE = "beyond the ground, people stand at the height of its nearest edge."


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        (0, 20, []),
        (50, 90, [f"'Hills' does not lie under 'Path': {EDGE}"]),
        (0, 15, [f"'Hills' lies under only a part of 'Path': {EDGE}"]),
    ],
)
def test_a_ground_that_is_not_under_the_route_is_told(bench, low, high, told):
    bench.crowd(bench.curve("Path", LINE))
    _ground(bench, low, high)
    assert bench.read().notices == told


def test_a_route_that_leaves_the_ground_between_its_points_is_told(bench):
    bench.crowd(bench.curve("Path", LINE))
    corners = [(x, y, 0) for a, b in ((-1, 8), (12, 21)) for x, y in ((a, -5), (b, -5), (b, 5), (a, 5))]
    bench.settings.ground = bench.mesh("Hills", corners, [(0, 1, 2, 3), (4, 5, 6, 7)])
    assert bench.read().notices == [f"'Hills' lies under only a part of 'Path': {EDGE}"]


def test_a_ground_that_is_not_under_a_place_is_told(bench):
    square = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]
    start, goal = (bench.mesh(name, square, [(0, 1, 2, 3)], location=(x, 0, 0)) for name, x in (("A", 1), ("B", 30)))
    bench.crowd(None, mode="AREAS", start=start, goal=goal)
    _ground(bench, 0, 20)
    assert bench.read().notices == [f"'Hills' does not lie under 'B': {EDGE}"]
