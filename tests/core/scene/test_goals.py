# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals, ends of routes and areas must be where people can come: not in an obstacle, not outside the bounds."""

import numpy as np
import pytest

from core.scene import (
    Agent,
    Area,
    Crowd,
    Obstacle,
)
from core.scene.goal_checks import lies_in

from .made_scenes import SQUARE, faults, motion, outline, points, route


def pair(goal, **obstacle):
    block = Obstacle("Block", outline(SQUARE), **obstacle)
    return faults(obstacles=(block,), crowds=(Crowd("a", agents=(Agent((-5, 0), goal),)),))


def test_a_goal_inside_a_standing_obstacle_is_told():
    assert pair((2, 2)) == {"crowds[0].agents[0].goal": "the goal lies inside the obstacle 'Block' (obstacles[0])"}
    assert pair((0.001, 3.999)) != {}
    assert pair((5, 2)) == {}
    assert pair((4, 2)) == {}  # on the edge
    assert pair((2, 2), motion=motion()) == {}
    hole = outline(SQUARE, scale=0.5, shift=(1, 1))
    assert pair((2, 2), holes=(hole,)) == {}
    assert pair((0.5, 0.5), holes=(hole,)) != {}


def test_a_start_inside_an_obstacle_is_for_the_simulation_to_move():
    assert (
        faults(
            obstacles=(Obstacle("Block", outline(SQUARE)),),
            crowds=(Crowd("a", agents=(Agent((2, 2), (9, 9)),)),),
        )
        == {}
    )


def test_the_end_of_a_route_that_is_followed_must_be_free():
    block = (Obstacle("Block", outline(SQUARE, shift=(7, -2))),)
    ring = ((0, 0, 0), (8, 5, 0), (9, 0, 0))
    assert list(faults(obstacles=block, routes=(route(),), crowds=(Crowd("a", route="Path"),))) == [
        "routes[0].points[1]"
    ]
    assert faults(obstacles=block, routes=(route(),)) == {}
    assert faults(obstacles=block, routes=(route(closed=True, ends=ring),), crowds=(Crowd("a", route="Path"),)) == {}


def test_an_area_must_not_lie_wholly_outside_the_bounds():
    def of(shift, scale=1.0):
        return faults(
            bounds=outline(SQUARE, scale=3.0),
            areas=(Area("Start", outline(SQUARE)), Area("End", outline(SQUARE, scale=scale, shift=shift))),
            crowds=(Crowd("a", start="Start", goal="End"),),
        )

    apart = {"crowds[0].goal": "the area 'End' lies outside the bounds"}
    assert of((90, 0)) == apart
    assert of((0, -90)) == apart
    assert of((1, 1)) == {}
    assert of((0, 0), scale=9.0) == {}


def test_an_area_must_not_lie_wholly_in_an_obstacle():
    def of(area, holes=(), start=None):
        start = outline(SQUARE, shift=(-9, 0)) if start is None else start
        return faults(
            obstacles=(Obstacle("Block", outline(SQUARE), holes),),
            areas=(Area("Start", start), Area("End", area)),
            crowds=(Crowd("a", start="Start", goal="End"),),
        )

    assert of(outline(SQUARE, scale=0.5)) == {
        "crowds[0].goal": "the area 'End' lies inside the obstacle 'Block' (obstacles[0])"
    }
    assert of(outline(SQUARE)) != {}
    assert of(outline(SQUARE), start=outline(SQUARE, scale=0.5))["crowds[0].start"].startswith("the area 'Start' lies")
    assert of(outline(SQUARE, shift=(0.1, 0))) == {}
    assert of(outline(SQUARE, scale=2)) == {}
    assert of(outline(SQUARE, scale=0.5, shift=(1, 1)), (outline(SQUARE, scale=0.1, shift=(2, 2)),)) == {}


def _star(rng, spread):
    count = rng.integers(4, 12)
    angles = (np.arange(count) + rng.uniform(0, 0.8, count)) * (2 * np.pi / count)
    reach = rng.uniform(0.3, 1.0, len(angles)) * spread
    return np.stack((np.cos(angles), np.sin(angles)), axis=1) * reach[:, None]


def _inside(ring, x, y):
    """Even-odd rule, one edge at a time."""
    inside = np.zeros(x.shape, dtype=bool)
    for (x0, y0), (x1, y1) in zip(ring, np.roll(ring, -1, axis=0), strict=True):
        if y0 != y1:
            inside ^= ((y0 > y) != (y1 > y)) & (x < x0 + (y - y0) / (y1 - y0) * (x1 - x0))
    return inside


def _all_inside(inner, outer, hole):
    x, y = np.meshgrid(*(np.linspace(*ends, 80) for ends in np.stack((inner.min(axis=0), inner.max(axis=0))).T))
    there = _inside(inner, x, y)
    return there.any() and bool(np.all(_inside(outer, x, y)[there] & ~_inside(hole, x, y)[there]))


@pytest.mark.once
def test_lying_in_a_polygon_with_a_hole_agrees_with_a_fine_raster():
    rng = np.random.default_rng(7)
    answers = []
    for _ in range(400):
        inner = _star(rng, 0.5) + rng.uniform(-0.9, 0.9, 2)
        outer, hole = _star(rng, 2.5), _star(rng, 0.2) + rng.uniform(-0.5, 0.5, 2)
        middle = inner.mean(axis=0)
        truth = {_all_inside(middle + grow * (inner - middle), outer, hole) for grow in (0.9, 1.0, 1.1)}
        if len(truth) == 1:  # not so close that the raster could not tell
            answers.append(truth.pop())
            assert lies_in(inner, outer, (hole,)) == answers[-1]
    assert 40 < sum(answers) < len(answers) - 40


def test_an_area_that_bridges_a_notch_does_not_lie_in_the_obstacle():
    horseshoe = points((0, 0), (6, 0), (6, 4), (4, 4), (4, 1), (2, 1), (2, 4), (0, 4))
    assert not lies_in(points((0, 3), (6, 3), (6, 4), (0, 4)), horseshoe, ())
    assert not lies_in(points((2, 1), (4, 1), (4, 4), (2, 4)), horseshoe, ())
    assert lies_in(points((0, 0), (6, 0), (6, 1), (0, 1)), horseshoe, ())
    assert lies_in(horseshoe, horseshoe, ())


@pytest.mark.once
def test_many_obstacles_and_long_outlines_are_no_trouble():
    angles = np.linspace(0, 2 * np.pi, 1000, endpoint=False)
    ring = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    many = tuple(Obstacle(f"o{k}", outline(SQUARE, scale=0.1, shift=(k, 5))) for k in range(1000))
    people = tuple(Agent((0, 0), (k + 0.2, 5.2)) for k in range(500))
    found = faults(bounds=1e4 * ring, obstacles=many, crowds=(Crowd("a", count=500, agents=people),))
    assert len(found) == 500
