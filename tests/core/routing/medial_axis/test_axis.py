# SPDX-License-Identifier: GPL-3.0-or-later
"""The check of every build notices a medial axis that was broken on purpose."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import GeometryError
from core.routing.graph.corridor_graph import CorridorGraph
from core.routing.medial_axis.axis import check_axis, medial_axis
from core.routing.medial_axis.free_space import Grid, ground_of, read_obstacle, rings_between
from core.routing.medial_axis.partition import EditablePartition, Partition

from ..conftest import box, regular


@pytest.fixture
def made():
    bounds = box(0.0, 0.0, 20.0, 20.0)
    grid = Grid.round(bounds, 24)
    shapes = [read_obstacle(regular(np.array([6.0, 7.0]), 2.0, 5)), read_obstacle(box(12, 11, 3, 2))]
    ground = ground_of(rings_between(shapes, bounds, grid))
    return ground, grid, *medial_axis(ground, grid)


def without_arc(axis, arc):
    rest = np.delete(np.arange(len(axis.tail)), arc)
    return replace(axis, tail=axis.tail[rest], head=axis.head[rest], left=axis.left[rest], right=axis.right[rest])


def test_a_sound_axis_passes(made):
    ground, grid, sites, axis = made
    check_axis(axis, sites, ground, grid)


def test_any_missing_arc_is_noticed(made):
    ground, grid, sites, axis = made
    for arc in range(len(axis.tail)):
        with pytest.raises(GeometryError, match="loops"):
            check_axis(without_arc(axis, arc), sites, ground, grid)


def test_any_moved_vertex_is_noticed(made):
    ground, grid, sites, axis = made
    for vertex in range(len(axis.vertices)):
        moved = axis.vertices.copy()
        moved[vertex] += [1e-6, 2e-6]
        with pytest.raises(GeometryError, match="equally far"):
            check_axis(replace(axis, vertices=moved), sites, ground, grid)


def test_a_vertex_at_infinity_is_noticed(made):
    ground, grid, sites, axis = made
    broken = axis.vertices.copy()
    broken[3, 0] = np.nan
    with pytest.raises(GeometryError, match="not finite"):
        check_axis(replace(axis, vertices=broken), sites, ground, grid)


def test_a_corner_without_its_arc_is_noticed(made):
    ground, grid, sites, axis = made
    degree = np.bincount(np.concatenate((axis.tail, axis.head)))
    leaf = int(np.flatnonzero(degree == 1)[0])
    arc = int(np.flatnonzero((axis.tail == leaf) | (axis.head == leaf))[0])
    kept = np.delete(np.arange(len(axis.vertices)), leaf)
    numbers = np.zeros(len(axis.vertices), dtype=np.int64)
    numbers[kept] = np.arange(len(kept))
    shorter = without_arc(axis, arc)
    shorter = replace(
        shorter,
        vertices=axis.vertices[kept],
        clearance=axis.clearance[kept],
        tail=numbers[shorter.tail],
        head=numbers[shorter.head],
    )
    with pytest.raises(GeometryError, match="ends"):
        check_axis(shorter, sites, ground, grid)


def test_arcs_are_as_narrow_and_as_long_as_their_points(made):
    """The waist and the length of each arc, beside a thousand points of it."""
    ground, grid, sites, axis = made
    partition = EditablePartition(Partition(grid, ground, sites, axis))
    graph, sites, axis = CorridorGraph(partition), partition.sites, partition.axis
    assert len(graph.flat.arcs) == partition.arcs
    for arc in graph.flat.arcs:
        a, b = axis.vertices[axis.tail[arc]], axis.vertices[axis.head[arc]]
        points = points_on_arc(a, b, sites, int(axis.left[arc]), int(axis.right[arc]))
        clearance = np.hypot(*(sites.feet(points, np.full(len(points), axis.left[arc])) - points).T)
        assert graph.narrowest[arc] == pytest.approx(clearance.min(), abs=1e-5)
        assert graph.length[arc] == pytest.approx(np.hypot(*np.diff(points, axis=0).T).sum(), rel=1e-5)


def points_on_arc(a, b, sites, left, right, count=1000):
    """Points of an arc from a to b: on spokes of one site, moved by bisection until the other is as near."""
    feet = [np.linspace(*sites.feet(np.stack((a, b)), np.array([site, site])), count) for site in (left, right)]
    base = 0 if np.hypot(*(feet[0][-1] - feet[0][0])) > 0 else 1
    if np.hypot(*(feet[base][-1] - feet[base][0])) == 0:
        return np.linspace(a, b, count)  # two corners: straight
    own = (left, right)[base]
    along = sites.along[own]
    normal = np.array([-along[1], along[0]])
    other = np.full(count, (left, right)[1 - base])
    low, high = np.zeros(count), np.full(count, 100.0)
    for _ in range(60):
        middle = 0.5 * (low + high)
        points = feet[base] + middle[:, None] * normal
        nearer = np.hypot(*(sites.feet(points, other) - points).T) > middle
        low, high = np.where(nearer, middle, low), np.where(nearer, high, middle)
    return feet[base] + low[:, None] * normal
