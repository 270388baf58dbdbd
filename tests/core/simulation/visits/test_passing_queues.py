# SPDX-License-Identifier: GPL-3.0-or-later
"""Others go round the queue at a counter that stands across their path: not through it, nor up to the counter."""

from __future__ import annotations

import numpy as np
import pytest

from core.scene import Crowd, Obstacle, Place, Route, Scene, Spawn, Stop, StopDuration
from core.simulation import simulate
from core.simulation.world.doing import Doing
from core.trajectories import Trajectories
from tests.core.simulation.runs import box
from tests.sweeps import sweep

pytestmark = pytest.mark.once

COUNTER = 2.6  # where it begins, above a path of 4 m [m]
HEAD = COUNTER - 0.5
IN_LINE = 6


def walked_past(seed: int, count: int = 5) -> Trajectories:
    """Six people queue, and are served one after the other; then some come from either side."""
    line = np.array([(-24.0, 0.0, 0.0), (24.0, 0.0, 0.0)])
    paths = tuple(Route(name, points, width=4.0) for name, points in (("East", line), ("West", line[::-1].copy())))
    near = Route("Near", line * 0.25, width=4.0)
    place = Place("Counter", lines=(np.array([(0.0, HEAD), (0.0, HEAD - 8.0)]),))
    stop = Stop("Counter", "queue", duration=StopDuration(7.0, 1.0))
    others = (
        Crowd(path.name, count=count, route=path.name, spawn=Spawn("flow", rate=0.04 * count), arrival="leave")
        for path in paths
    )
    queue = Crowd("Queue", count=IN_LINE, route="Near", spawn=Spawn("flow", rate=1.0), arrival="leave", stops=(stop,))
    counter = Obstacle("Counter", box(0.0, COUNTER + 0.3, 0.9, 0.3))
    return simulate(
        Scene(
            seed=seed,
            frames=(1, 1000),
            routes=(near, *paths),
            obstacles=(counter,),
            places=(place,),
            crowds=(queue, *others),
        )
    )


@pytest.mark.parametrize("seed", sweep([1, 7, 3, 4, 5, 6, 0, 2], usual=2))
def test_others_go_round_a_queue_and_hardly_slow_down(seed: int) -> None:
    made = walked_past(seed)
    in_line = np.isin(made.doing, (Doing.IN_QUEUE, Doing.SERVED)) & (np.abs(made.position[..., 0]) < 0.4)
    slow, through, round_it = [], 0, 0
    for other in np.flatnonzero(made.crowd > 0):
        frames = np.flatnonzero(made.present[:, other])
        slow.append((np.hypot(*made.velocity[frames, other, :2].T) < 0.5).sum() / made.fps)
        side = np.sign(made.position[frames, other, 0])
        if side[-1] == side[0]:
            continue
        crosses = frames[np.argmax(side != side[0])]
        members = made.position[crosses, in_line[crosses], 1]
        if len(members) > 1:
            between = bool(members.min() < made.position[crosses, other, 1] < members.max())
            through, round_it = through + between, round_it + (not between)
    assert through == 0
    assert round_it >= 5
    assert np.mean(slow) < 0.4


def test_nobody_who_stands_is_said_to_overtake() -> None:
    made = walked_past(1, count=9)
    speed = np.hypot(*made.velocity[..., :2].transpose(2, 0, 1))
    overtakes = made.present & (made.doing == Doing.OVERTAKING)
    assert overtakes.sum() > 50
    assert (overtakes & (speed < 0.05)).sum() == 0
