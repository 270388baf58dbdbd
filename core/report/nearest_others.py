# SPDX-License-Identifier: GPL-3.0-or-later
"""How near to others people stand, so that nobody holds an elbow where somebody else is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..geometry.reproducible_math import length, length2
from ..motion.acting.elbow_room import ELBOW_ROOM, step_of
from ..steering.neighbours import close_pairs_at_a_time, moments_together
from ..trajectories import Trajectories


def find_elbow_room(t: Trajectories) -> NDArray[np.float32]:
    """How far the nearest other is from everybody who stands.

    Returns:
        float32 (S, A), a row for each `step_of(t.fps)` frames: infinity beyond `ELBOW_ROOM.watched`, and for those who
        walk [m].
    """
    some = slice(None, None, step_of(t.fps))
    present, position, velocity = t.present[some], t.position[some], t.velocity[some]
    stands = present & (length2(velocity[..., :2]) < ELBOW_ROOM.slow * ELBOW_ROOM.slow)
    room = np.full(present.shape, np.inf, dtype=np.float32)
    for row, who in moments_together(present, present.shape[1]):
        places = position[row, who]
        first, second = close_pairs_at_a_time(places[:, :2], row, 0.5 * ELBOW_ROOM.watched).T
        apart = places[second] - places[first]
        distance = length(apart[:, :2])
        for each in (first, second):
            met = (np.abs(apart[:, 2]) < ELBOW_ROOM.storey) & stands[row[each], who[each]]
            np.minimum.at(room, (row[each[met]], who[each[met]]), distance[met].astype(np.float32))
    return room
