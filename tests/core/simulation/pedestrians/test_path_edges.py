# SPDX-License-Identifier: GPL-3.0-or-later
"""People who follow a drawn path stay within its width where others push them, as on a pavement."""

import numpy as np
import pytest

from core import simulate
from core.scene import Crowd, Hero, Motion, Obstacle, Route, Scene, Speed, Track
from tests.core.simulation.runs import box

EAST = np.array([[0.0, 0, 0], [30, 0, 0]])


def stroll(*streams, frames=1000, obstacles=(), seed=0):
    """Simulate streams of so many people each along lines, on paths of one width."""
    routes = tuple(Route(f"Path {k}", line, width=width) for k, (line, width, _) in enumerate(streams))
    crowds = tuple(
        Crowd(f"Crowd {k}", count=count, route=f"Path {k}", arrival="leave") for k, (*_, count) in enumerate(streams)
    )
    return simulate(Scene(frames=(1, frames), routes=routes, crowds=crowds, obstacles=obstacles, seed=seed))


def beyond(made, width):
    """How far people are beside a path along the x axis, float64 (F, A) [m]."""
    return np.where(made.present, np.abs(made.position[..., 1]) - 0.5 * width, -np.inf)


@pytest.mark.parametrize(("width", "count"), [(3.0, 30), (1.0, 8)])
def test_two_streams_that_meet_stay_on_their_path(width, count):
    runs = [stroll((EAST, width, count), (EAST[::-1], width, count), seed=seed) for seed in range(3)]
    off = np.concatenate([beyond(made, width)[made.present] for made in runs])
    assert (off > 0.05).mean() <= 0.06  # where nobody minds the edge 0.18 and 0.31, and as far as 2.5 and 1.8 m
    assert off.max() <= 0.8
    assert all((made.arrived_frame > 0).all() for made in runs)


def test_two_who_meet_on_a_path_as_wide_as_one_of_them_pass_close_beside_it():
    made = stroll((EAST, 0.3, 6), (EAST[::-1], 0.3, 6))
    assert 0.1 <= beyond(made, 0.3).max() <= 0.7
    assert (made.arrived_frame > 0).all()


def test_streams_that_cross_do_not_lock():
    """On the edges alone, four streams of 15 stood at the crossing for ever."""
    east, north = EAST - (15.0, 0.0, 0.0), np.array([[0.0, -15, 0], [0, 15, 0]])
    made = stroll(*((line, 2.0, 15) for line in (east, east[::-1], north, north[::-1])), frames=1300)
    assert (made.arrived_frame > 0).all()


def test_nobody_slows_down_for_one_who_stands_on_a_narrow_path():
    """At the edge, who was alone with somebody animated slowed down to half their speed."""
    stands = Hero("Stands", 0.25, Track(np.ones(1), np.array([15.0]), np.zeros(1)))
    walker = Crowd("Walker", count=1, route="Path", arrival="leave", speed=Speed(1.35, 0.0))
    routes = (Route("Path", EAST, width=1.0),)
    made = simulate(Scene(frames=(1, 580), routes=routes, crowds=(walker,), heroes=(stands,)))
    speed = np.hypot(*made.velocity[48:, 0].T)[made.present[48:, 0]]
    assert made.arrived_frame[0] > 0
    assert speed.min() >= 0.9


def test_people_leave_the_path_where_something_blocks_all_of_it():
    made = stroll((EAST, 2.0, 6), obstacles=(Obstacle("Block", box(14, 0, 0.7, 1.6)),))
    assert (made.arrived_frame > 0).all()


def test_people_leave_the_path_before_what_comes_along_it():
    came = Motion(np.array([1.0, 200.0]), np.array([24.0, -6.0]), np.zeros(2), np.zeros(2))
    made = stroll((EAST, 1.6, 6), frames=200, obstacles=(Obstacle("Cart", box(0, 0, 0.5, 0.7), motion=came),))
    x = np.interp(made.frames, came.frames, came.x)[:, None]
    off = np.maximum(np.abs(made.position[..., :2] - np.stack((x, 0.0 * x), axis=2)) - (0.5, 0.7), 0.0)
    assert np.hypot(*np.moveaxis(off, 2, 0))[made.present].min() >= 0.2
    assert beyond(made, 1.6).max() >= 0.1


def test_people_leave_the_path_for_a_hero():
    routes = (Route("Path", EAST, width=1.0),)
    hero = Hero("Hero", 0.5, Track(np.array([1.0, 300.0]), np.array([28.0, 4.0]), np.zeros(2)))
    crowd = Crowd("Crowd", count=6, route="Path", arrival="leave")
    made = simulate(Scene(frames=(1, 300), routes=routes, crowds=(crowd,), heroes=(hero,)))
    x = np.interp(made.frames, hero.motion.frames, hero.motion.x)[:, None]
    apart = np.hypot(made.position[..., 0] - x, made.position[..., 1]) - 0.5 - made.radius
    assert apart[made.present].min() >= -0.02
    assert beyond(made, 1.0).max() >= 0.1
