# SPDX-License-Identifier: GPL-3.0-or-later
"""A changed map is the map that would have been built: obstacles inserted, removed and moved, overlapping ones too."""

import numpy as np
import pytest

from core.errors import GeometryError
from core.geometry.segments import nearest_on_segments
from core.routing import CorridorMap
from core.routing.medial_axis import building
from tests.sweeps import sweep

from .conftest import box, edges_of_all, regular

ROOM = box(0.0, 0.0, 10.0, 10.0)
SAME = 3e-5


def arcs_of(corridors):
    """Every stretch between two event points: its middle, how far it runs in x and y, the clearance at its ends."""
    sampled = corridors.sampled_edges(1e9)
    last = np.zeros(len(sampled.points), dtype=bool)
    last[sampled.first[1:] - 1] = True
    a = np.flatnonzero(~last)
    ends = np.column_stack((sampled.points, sampled.clearance))
    return np.column_stack((0.5 * (ends[a] + ends[a + 1]), np.abs(ends[a] - ends[a + 1])))


def assert_same(changed, fresh):
    """Equal, arc for arc."""
    assert len(changed.vertices) == len(fresh.vertices)
    assert len(changed.edges) == len(fresh.edges)
    found, expected = arcs_of(changed), arcs_of(fresh)
    assert found.shape == expected.shape
    for rows, others in ((found, expected), (expected, found)):
        assert np.max(apart_from_nearest(rows, others)) < SAME


def apart_from_nearest(rows, others):
    """How far each row is from the nearest of the others, as far as that is less than SAME."""
    weights = np.array([1.0, 0.731, 0.3127, 0.5813, 0.9143, 0.4669])  # rows that are near have near sums
    sums = np.sort(others @ weights)
    others = others[np.argsort(others @ weights)]
    first, last = (np.searchsorted(sums, rows @ weights + side * SAME * weights.sum()) for side in (-1.0, 1.0))
    assert np.all(last > first)
    counts = last - first
    whose = np.repeat(np.arange(len(rows)), counts)
    begin = np.cumsum(counts) - counts
    other = first[whose] + np.arange(len(whose)) - begin[whose]
    return np.minimum.reduceat(np.abs(rows[whose] - others[other]).max(axis=1), begin)


def random_shape(rng):
    """Outlines, some of them crossing themselves, walls that may cross anything, and single points."""
    centre = rng.random(2) * 10.0
    kind = rng.random()
    if kind < 0.1:
        return centre[None]
    if kind < 0.25:
        return np.stack((centre, rng.random(2) * 10.0))
    if kind < 0.35:  # on whole metres: touching others, in line with them, on the bounds
        return box(*np.floor(centre), *rng.integers(1, 4, 2))
    if kind < 0.4:
        return regular(centre, rng.uniform(0.5, 1.5), 5)[[0, 2, 4, 1, 3]]
    return regular(centre, rng.uniform(0.2, 1.5), int(rng.integers(3, 8)), rng.random())


def change_at_random(corridors, shapes, rng):
    kind = rng.integers(3) if len(shapes) < 14 else rng.integers(1, 3)
    chosen = int(rng.choice(list(shapes))) if shapes else None
    if kind == 0 or chosen is None:
        shape = random_shape(rng)
        shapes[corridors.insert(shape)] = shape
    elif kind == 1:
        corridors.remove(chosen)
        del shapes[chosen]
    else:
        shape = random_shape(rng)
        corridors.move(chosen, shape)
        shapes[chosen] = shape


@pytest.mark.parametrize("seed", sweep(range(250), usual=8, everywhere=2))  # of 40 changes each
def test_random_changes_end_in_the_map_that_would_have_been_built(seed):
    rng = np.random.default_rng(seed)
    shapes = {k: random_shape(rng) for k in range(6)}
    corridors = CorridorMap(list(shapes.values()), ROOM)
    for _ in range(40):
        change_at_random(corridors, shapes, rng)
        assert set(corridors.ids) == set(shapes)
        assert_same(corridors, CorridorMap([shapes[number] for number in corridors.ids], ROOM))


def test_open_walls_come_and_move():
    bend, hook = [[2, 2], [5, 2], [5, 5]], [[3, 7], [7, 7], [7, 3], [6, 3]]
    corridors = CorridorMap([box(8, 8, 1, 1)], ROOM)
    wall = corridors.insert(bend, closed=False)
    assert_same(corridors, CorridorMap([box(8, 8, 1, 1)], ROOM, walls=[bend]))
    np.testing.assert_allclose(corridors.nearest_obstacle([[4.0, 3.0]])[0], [1.0])
    corridors.move(wall, hook, closed=False)
    assert_same(corridors, CorridorMap([box(8, 8, 1, 1)], ROOM, walls=[hook]))


def test_a_map_of_ever_more_obstacles_outgrows_its_rows():
    corridors, shapes = CorridorMap([], ROOM), []
    for k in range(12):
        shapes.append(regular(np.array([0.4 + 0.8 * k, 5.0]), 0.3, 100))
        corridors.insert(shapes[-1])
    assert_same(corridors, CorridorMap(shapes, ROOM))


def test_ids_are_never_given_twice():
    corridors = CorridorMap([box(1, 1, 1, 1)], ROOM)
    first = corridors.insert(box(4, 4, 1, 1))
    corridors.remove(first)
    assert corridors.insert(box(4, 4, 1, 1)) not in {0, first}


def test_a_door_that_closes_sends_people_the_other_way():
    walls = [box(-1, 4, 3, 0.5), box(3, 4, 4, 0.5), box(8, 4, 3, 0.5)]
    corridors = CorridorMap(walls, ROOM)
    open_way = corridors.path([2.5, 1], [2.5, 9], 0.3)
    door = corridors.insert([[1.5, 4.2], [3.5, 4.2]])
    detour = corridors.path([2.5, 1], [2.5, 9], 0.3)
    assert detour[:, 0].max() > 7.0 > open_way[:, 0].max()
    corridors.remove(door)
    np.testing.assert_array_equal(corridors.path([2.5, 1], [2.5, 9], 0.3), open_way)


def test_the_nearest_obstacle_follows_a_move():
    corridors = CorridorMap([box(1, 1, 1, 1)], ROOM)
    corridors.move(0, box(7, 7, 1, 1))
    distance, closest = corridors.nearest_obstacle([[5.0, 7.5]])
    np.testing.assert_allclose(distance, [2.0])
    np.testing.assert_allclose(closest, [[7.0, 7.5]])


def test_the_nearest_obstacle_is_that_of_brute_force_after_any_changes():
    rng = np.random.default_rng(5)
    shapes = {k: random_shape(rng) for k in range(8)}
    corridors = CorridorMap(list(shapes.values()), ROOM)
    for _ in range(80):
        change_at_random(corridors, shapes, rng)
        points = rng.uniform(-1.0, 11.0, (60, 2))
        distance, closest = corridors.nearest_obstacle(points)
        expected, _, _ = nearest_on_segments(points, *edges_of_all([*shapes.values(), ROOM]))
        np.testing.assert_allclose(distance, expected, atol=1e-9)
        np.testing.assert_allclose(np.hypot(*(closest - points).T), expected, atol=1e-9)


@pytest.mark.parametrize("change", ["remove", "move"])
def test_an_obstacle_that_is_not_there_cannot_be_changed(change):
    corridors = CorridorMap([box(1, 1, 1, 1)], ROOM)
    with pytest.raises(GeometryError, match="no obstacle 7"):
        corridors.remove(7) if change == "remove" else corridors.move(7, box(3, 3, 1, 1))


@pytest.mark.parametrize("outline", [[[0.0, np.nan], [1, 1], [2, 0]], np.zeros((0, 2)), box(-1, -1, 12, 12)])
def test_a_refused_change_leaves_the_map_as_it_was(outline):
    corridors = CorridorMap([box(1, 1, 1, 1)], ROOM)
    before = corridors.vertices
    for change in (lambda: corridors.insert(outline), lambda: corridors.move(0, outline)):
        with pytest.raises(GeometryError):
            change()
    np.testing.assert_array_equal(corridors.vertices, before)
    assert corridors.ids == (0,)


@pytest.mark.parametrize("name", ["military", "city2x2"])
def test_changes_in_a_town_build_nothing_anew(built, town, name, monkeypatch):
    outlines, bounds = town(name)
    corridors = CorridorMap(outlines, bounds)
    shapes = dict(enumerate(outlines))
    rng = np.random.default_rng(3)
    with monkeypatch.context() as without:
        without.setattr(building, "build", None)
        for _ in range(20):
            centre = rng.random(2) * bounds.max(axis=0)  # houses and the bounds may be in the way
            shape = regular(centre, rng.uniform(1.0, 15.0), 5, rng.random())
            new = corridors.insert(shape)
            shapes[new] = shape
            chosen = int(rng.choice(list(shapes)))
            corridors.remove(chosen)
            del shapes[chosen]
    assert_same(corridors, CorridorMap([shapes[number] for number in corridors.ids], bounds))


def test_a_change_that_cannot_be_spliced_is_built_anew(monkeypatch):
    corridors = CorridorMap([box(1, 1, 1, 1), box(7, 7, 1, 1)], ROOM)

    def refuse(*_):
        raise GeometryError("not today")

    monkeypatch.setattr(building, "splice", refuse)
    corridors.move(0, box(3, 3, 2, 2))
    assert_same(corridors, CorridorMap([box(3, 3, 2, 2), box(7, 7, 1, 1)], ROOM))
