# SPDX-License-Identifier: GPL-3.0-or-later
"""How near to others and to obstacles people stand."""

from dataclasses import replace

import numpy as np
import pytest

from core import Scene, simulate
from core.motion.acting.elbow_room import ELBOW_ROOM, step_of
from core.report.nearest_others import find_elbow_room, find_room_to_obstacles
from core.scene import Agent, Crowd, Obstacle


@pytest.mark.once
def test_the_nearest_other_counts_while_somebody_stands():
    """Two stand 0.7 m apart, a third far away; a fourth walks past all of them."""
    still = [(0.0, 0.0), (0.7, 0.0), (5.0, 0.0)]
    agents = (*(Agent(place, place) for place in still), Agent((-2.0, 0.9), (8.0, 0.9)))
    crowd = Crowd("All", count=4, agents=agents, avoidance="none")
    t = simulate(Scene(frames=(1, 240), crowds=(crowd,)), backend="numpy")
    room = find_elbow_room(t)
    position = t.position[:: step_of(t.fps), :, :2]
    assert room.shape == position.shape[:2]
    apart = np.linalg.norm(position[:, :, None] - position[:, None], axis=3)
    apart[:, range(4), range(4)] = np.inf
    nearest = apart.min(axis=2)
    nearest[nearest >= ELBOW_ROOM.watched] = np.inf
    np.testing.assert_allclose(room[:, :3], nearest[:, :3], rtol=1e-6)
    assert np.isfinite(room[:, 0]).all()
    assert np.isinf(room[:, 2]).any()
    assert np.isfinite(room[:, 2]).any()
    walks = np.linalg.norm(t.velocity[:: step_of(t.fps), 3], axis=1) > ELBOW_ROOM.slow
    assert walks.any()
    assert np.isinf(room[walks, 3]).all()


@pytest.mark.once
def test_a_wall_leaves_as_much_room_as_somebody_who_touches_its_surface():
    """One stands 0.5 m before a wall, one far from it; a third walks past it."""
    agents = (Agent((0.0, 0.0), (0.0, 0.0)), Agent((0.0, -5.0), (0.0, -5.0)), Agent((-3.0, -0.2), (9.0, -0.2)))
    wall = Obstacle("Wall", np.array([(-3.0, 0.5), (3.0, 0.5), (3.0, 0.7), (-3.0, 0.7)]))
    crowd = Crowd("All", count=3, agents=agents, avoidance="none")
    scene = Scene(frames=(1, 96), obstacles=(wall,), crowds=(crowd,))
    t = simulate(scene, backend="numpy")
    distance = find_room_to_obstacles(t, scene)
    assert distance[:, 0] == pytest.approx(0.5, abs=1e-3)
    assert np.isinf(distance[:, 1]).all()
    walks = np.linalg.norm(t.velocity[:: step_of(t.fps), 2], axis=1) > ELBOW_ROOM.slow
    assert np.isinf(distance[walks, 2]).all()
    on_a_seat = replace(t, seat_height=np.full(t.present.shape, 0.45, dtype=np.float32))
    assert np.isinf(find_room_to_obstacles(on_a_seat, scene)).all(), "the seat may be an obstacle"
    room = find_elbow_room(replace(t, to_obstacles=distance))
    assert room[-1, 0] == pytest.approx(0.5 + ELBOW_ROOM.arm, abs=1e-3)
    assert np.isinf(room[:, 1]).all()
    assert np.isinf(find_elbow_room(t)[-1, 0])
