# SPDX-License-Identifier: GPL-3.0-or-later
"""People who meet on drawn routes, or on the way to places of their own, step aside in time."""

import numpy as np
import pytest

from core import simulate
from core.scene import MODEL_NAMES, Agent, Crowd, Obstacle, Route, Scene, Speed
from tests.scenes.whole_walks import walk_to_the_end
from tests.sweeps import sweep

from ..runs import box

ALIKE = Speed(1.34, 0.0)


def straight(name, start, end, width=2.0):
    return Route(name, np.array([(*start, 0.0), (*end, 0.0)]), width=width)


def of_both(model, angle, drawn):
    """Two who would meet at the middle of a plaza, on courses that differ by an angle [rad]."""
    ends = [np.array([12.0, 0.0]), 12.0 * np.array([np.cos(angle), np.sin(angle)])]
    if not drawn:
        people = tuple(Agent(tuple(-end), tuple(end), radius=0.23, speed=1.34) for end in ends)
        return Scene(frames=(1, 310), crowds=(Crowd("Two", agents=people, arrival="leave", avoidance=model),))
    routes = tuple(straight(name, -end, end) for name, end in zip("AB", ends, strict=True))
    crowds = tuple(Crowd(r.name, route=r.name, arrival="leave", avoidance=model, speed=ALIKE) for r in routes)
    return Scene(frames=(1, 310), routes=routes, crowds=crowds)


@pytest.mark.parametrize("drawn", [False, True])
@pytest.mark.parametrize("angle", sweep([180.0, 135.0, 90.0], usual=1))
@pytest.mark.parametrize("model", MODEL_NAMES)
def test_two_who_meet_alone_begin_in_time_and_pass_smoothly(model, angle, drawn):
    made = simulate(of_both(model, np.radians(angle), drawn))
    place = made.position[made.present.all(axis=1)][:, :, :2]
    apart = np.hypot(*(place[:, 0] - place[:, 1]).T)
    met = int(apart.argmin())
    assert 0.7 <= apart[met] <= 1.0
    velocity = np.gradient(place, axis=0) * made.fps
    speed = np.hypot(velocity[..., 0], velocity[..., 1])
    course = np.unwrap(np.arctan2(velocity[..., 1], velocity[..., 0]), axis=0)
    walking = slice(36, met + 48)  # after the start
    turned = np.abs(course[walking] - course[36])
    assert apart[36 + np.flatnonzero((turned > np.radians(5.0)).any(axis=1))[0]] > 4.0
    sideways = np.abs(np.gradient(course, axis=0) * made.fps * speed)[walking]
    assert sideways.max() < 1.0
    assert turned.max() < np.radians(25.0)
    assert speed[walking].min() > 1.1


@pytest.mark.parametrize("model", sweep(MODEL_NAMES, usual=1))
def test_streams_on_two_drawn_lines_in_a_street_pass_without_standing(model):
    walls = tuple(Obstacle(name, box(0.0, y, 25.0, 0.1)) for name, y in (("N", 2.6), ("S", -2.6)))
    routes = straight("E", (-15.0, 0.0), (15.0, 0.0)), straight("W", (15.0, 0.0), (-15.0, 0.0))
    crowds = tuple(Crowd(r.name, count=12, route=r.name, arrival="leave", avoidance=model) for r in routes)
    made = walk_to_the_end(Scene(frames=(1, 1100), obstacles=walls, routes=routes, crowds=crowds))
    assert (made.arrived_frame >= 0).all()
    stands = made.present & (np.hypot(made.velocity[..., 0], made.velocity[..., 1]) < 0.15)
    assert stands[24:].sum(axis=0).max() < 2.0 * made.fps
