# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways of many at once are those that each would get alone, whatever was asked of the map before."""

from itertools import pairwise

import numpy as np
import pytest

from core.errors import GeometryError
from core.routing import CorridorMap, NoRoute
from tests.sweeps import sweep

from ..conftest import box, regular

pytestmark = pytest.mark.once

ROOM = box(0.0, 0.0, 10.0, 10.0)


def alone(corridors, start, goal, radius):
    try:
        return corridors.path(start, goal, radius)
    except NoRoute:
        return None


def assert_alike(found, expected):
    assert [way is None for way in found] == [way is None for way in expected]
    for one, other in zip(found, expected, strict=True):
        if one is not None:
            np.testing.assert_array_equal(one, other)


def errands(rng, count, bounds):
    """Starts, goals and radii: some set out close together, some go to the same place, some stand in houses."""
    starts, goals = rng.random((2, count, 2)) * bounds.max(axis=0)
    starts[: count // 4] = starts[0] + rng.normal(0.0, 1.0, (count // 4, 2))
    goals[count // 4 : count // 2] = goals[0]
    return starts, goals, rng.uniform(0.2, 2.0, count)


@pytest.mark.parametrize("name", ["military", "city", "city2x2"])
def test_each_of_many_gets_the_way_of_one_who_is_alone(built, town, name):
    corridors, (_, bounds) = built(name), town(name)
    asked = errands(np.random.default_rng(7), 60, bounds)
    found = corridors.own_paths(*asked)
    assert sum(way is not None for way in found) > 15
    assert_alike(found, [alone(corridors, *each) for each in zip(*asked, strict=True)])


@pytest.mark.parametrize("seed", range(12))
def test_each_of_many_gets_the_way_of_one_who_is_alone_in_troublesome_scenes(random_scene, seed):
    obstacles, bounds = random_scene(seed)
    corridors = CorridorMap(obstacles, bounds)
    asked = errands(np.random.default_rng(seed), 30, bounds)
    assert_alike(corridors.own_paths(*asked), [alone(corridors, *each) for each in zip(*asked, strict=True)])


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("seed", sweep(range(6), usual=2))
def test_what_was_asked_before_a_change_does_not_show_in_later_answers(town, seed, quick):
    outlines, bounds = town("city")
    rng = np.random.default_rng(seed)
    asked = errands(rng, 40, bounds)
    asks, waits = CorridorMap(outlines, bounds), CorridorMap(outlines, bounds)
    shape, place = regular(np.zeros(2), rng.uniform(2.0, 20.0), 5), rng.random(2) * bounds.max(axis=0)
    crate = [corridors.insert(place + shape) for corridors in (asks, waits)]
    for _ in range(12):
        place = place + rng.normal(0.0, 6.0, 2)
        for corridors, number in zip((asks, waits), crate, strict=True):
            corridors.move(number, place + shape)
            corridors.edge_at(place[None])  # both number their edges anew at each change
        asks.own_paths(*asked, quick=quick)
        if quick:
            asks.own_paths(*asked)
    assert_alike(asks.own_paths(*asked, quick=quick), waits.own_paths(*asked, quick=quick))


@pytest.mark.parametrize("seed", sweep(range(4), usual=1))
def test_ways_round_a_crowd_that_were_asked_before_a_change_do_not_show_in_later_answers(town, seed):
    outlines, bounds = town("city")
    rng = np.random.default_rng(seed)
    starts, goals, radii = errands(rng, 25, bounds)
    maps = [CorridorMap(outlines, bounds) for _ in range(4)]  # the first is asked all the time, each other once
    free = [way for way in maps[0].paths(starts, goals, radii) if not isinstance(way, NoRoute)]
    along = np.concatenate([np.linspace(one, other, 40) for way in free for one, other in pairwise(way)])
    spots = [np.repeat(rng.permutation(along)[:count], 400, axis=0) for count in (30, 60)]
    crowds = [np.zeros((0, 2)), *(each + rng.normal(0.0, 1.0, each.shape) for each in spots)]
    shape, place = regular(np.zeros(2), rng.uniform(2.0, 20.0), 5), rng.random(2) * bounds.max(axis=0)
    crate = [corridors.insert(place + shape) for corridors in maps]

    def asked(corridors, people):
        return corridors.paths(starts, goals, radii, crowding=corridors.crowding(people) if len(people) else None)

    for _ in range(8):
        place = place + rng.normal(0.0, 6.0, 2)
        for corridors, number in zip(maps, crate, strict=True):
            corridors.move(number, place + shape)
            corridors.edge_at(place[None])  # all number their edges anew at each change
        found = [asked(maps[0], people) for people in crowds]
    expected = [asked(corridors, people) for corridors, people in zip(maps[1:], crowds, strict=True)]
    for ways, others in zip(found, expected, strict=True):
        assert_same(ways, others)
    assert sum(str(one) != str(other) for one, other in zip(expected[0], expected[2], strict=True)) > 1


def assert_same(ones, others):
    """Ways, or why there are none, to the bit."""
    for one, other in zip(ones, others, strict=True):
        assert str(one) == str(other) if isinstance(one, NoRoute) else one.tobytes() == other.tobytes()


def test_nobody_has_no_way_and_one_goal_serves_all():
    corridors = CorridorMap([box(4.0, 0.0, 2.0, 5.0)], ROOM)
    assert corridors.own_paths(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0)) == []
    ways = corridors.own_paths([[1.0, 1.0], [2.0, 1.0]], [9.0, 1.0], 0.3)
    assert all(way is not None and np.allclose(way[-1], (9.0, 1.0)) for way in ways)
    with pytest.raises(GeometryError, match="as many goals and radii"):
        corridors.own_paths([[1.0, 1.0], [2.0, 1.0]], [[9.0, 1.0]] * 3, 0.3)


def test_who_is_shut_in_has_no_way_and_those_beside_have_theirs():
    wall = box(5.0, -1.0, 0.5, 12.0)
    corridors = CorridorMap([wall], ROOM)
    starts, goals = [[1.0, 1.0], [1.0, 3.0], [1.0, 5.0]], [[9.0, 1.0], [3.0, 9.0], [9.0, 9.0]]
    ways = corridors.own_paths(starts, goals, 0.3)
    assert [way is None for way in ways] == [True, False, True]
    corridors.move(0, box(5.0, -1.0, 0.5, 8.0))
    assert all(way is not None for way in corridors.own_paths(starts, goals, 0.3))
