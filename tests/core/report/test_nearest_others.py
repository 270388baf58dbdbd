# SPDX-License-Identifier: GPL-3.0-or-later
"""How near to others people stand."""

import numpy as np
import pytest

from core import Scene, simulate
from core.motion.acting.elbow_room import ELBOW_ROOM, step_of
from core.report.nearest_others import find_elbow_room
from core.scene import Agent, Crowd


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
