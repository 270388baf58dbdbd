# SPDX-License-Identifier: GPL-3.0-or-later
"""The half planes of one agent: what they forbid and what ORCA takes of the rest."""

import numpy as np
import pytest

from core.steering import orca
from core.steering.bodies import Bodies
from core.steering.half_planes import OBSTACLE, half_planes

SETTINGS = {
    "dt": 0.05,
    "time_horizon": 2.5,
    "time_horizon_obstacles": 1.0,
    "neighbour_distance": 6.0,
    "max_neighbours": 10,
}


def planes_of(agent, position, velocity, radius, fastest, obstacles=()):
    settings = {name: value for name, value in SETTINGS.items() if name != "dt"}
    bodies = Bodies(position, velocity, velocity, radius, fastest)
    prepared = orca.prepare_obstacles(obstacles)
    return half_planes(agent, bodies, orca.OrcaSettings(**settings), prepared, SETTINGS["dt"])


def crowd(seed, count=12):
    rng = np.random.default_rng(seed)
    position = rng.uniform(-3.0, 3.0, (count, 2))
    velocity = rng.normal(0.0, 0.8, (count, 2))
    return position, velocity


def depth(planes, velocity):
    """How far a velocity lies on the allowed side of each half plane, negative where it is forbidden."""
    off = velocity - planes.point
    return planes.direction[:, 0] * off[:, 1] - planes.direction[:, 1] * off[:, 0]


@pytest.mark.parametrize("seed", range(8))
def test_the_velocity_that_orca_takes_is_the_allowed_one_nearest_to_the_preferred(seed):
    """Against brute force: of a fine grid of velocities no allowed one is nearer."""
    position, velocity = crowd(seed)
    preferred, radius, fastest = np.array([1.2, 0.3]), 0.2, 1.6
    taken = orca.new_velocity(position, velocity, np.tile(preferred, (12, 1)), radius, fastest, **SETTINGS)[4]
    planes = planes_of(4, position, velocity, radius, fastest)
    axis = np.linspace(-fastest, fastest, 81)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    grid = grid[np.hypot(*grid.T) <= fastest]
    allowed = [velocity for velocity in grid if (depth(planes, velocity) >= 0.0).all()]
    if not allowed:
        return  # too crowded: the 3D fallback decides, and nothing is allowed
    nearest = min(np.hypot(*(each - preferred)) for each in allowed)
    assert np.hypot(*(taken - preferred)) <= nearest + 1e-9
    assert (depth(planes, taken) >= -1e-9).all()


def test_each_half_plane_says_whom_it_keeps_clear_of():
    position = np.array([[0.0, 0.0], [2.0, 0.0], [30.0, 0.0]])
    velocity = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0]])
    wall = np.array([[-5.0, 1.0], [5.0, 1.0], [5.0, 2.0], [-5.0, 2.0]])
    planes = planes_of(0, position, velocity, 0.25, 1.5, obstacles=[wall])
    assert planes.other.tolist() == [OBSTACLE, 1]
    towards_wall = np.array([0.0, 1.4])
    assert depth(planes, towards_wall)[0] < 0.0 < depth(planes, -towards_wall)[0]
    np.testing.assert_allclose(np.hypot(*planes.direction.T), 1.0)


def test_somebody_alone_owes_nothing():
    planes = planes_of(0, [[0.0, 0.0]], [[1.0, 0.0]], 0.25, 1.5)
    assert len(planes.point) == 0
