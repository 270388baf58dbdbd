# SPDX-License-Identifier: GPL-3.0-or-later
"""Others go round the queue at a counter that stands across their path: not through it, nor up to the counter."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from core.scene import Crowd, Obstacle, Place, Route, Scene, Spawn, Stop, StopDuration
from core.simulation import Simulation, simulate
from core.simulation.world.doing import Doing
from core.trajectories import Trajectories
from tests.core.simulation.runs import box
from tests.core.simulation.stop_scenes import scene
from tests.scenes.whole_walks import walk_to_the_end
from tests.sweeps import sweep

pytestmark = pytest.mark.once

COUNTER = 2.6  # where it begins, above a path of 4 m [m]
HEAD = COUNTER - 0.5
IN_LINE = 6


@cache
def walked_past(seed: int, count: int) -> Trajectories:
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


def passed(made: Trajectories) -> tuple[int, int, np.ndarray]:
    """How many of the others crossed between members of the queue, how many beside it, how long each was slow [s]."""
    in_line = np.isin(made.doing, (Doing.IN_QUEUE, Doing.SERVED)) & (np.abs(made.position[..., 0]) < 0.4)
    others = np.flatnonzero(made.crowd > 0)
    slow = made.present[:, others] & (np.hypot(*made.velocity[:, others, :2].transpose(2, 0, 1)) < 0.5)
    through, beside = 0, 0
    for other in others:
        frames = np.flatnonzero(made.present[:, other])
        side = np.sign(made.position[frames, other, 0])
        crosses = frames[np.argmax(side != side[0])]
        members = made.position[crosses, in_line[crosses], 1]
        if side[-1] != side[0] and len(members) > 1:
            between = bool(members.min() < made.position[crosses, other, 1] < members.max())
            through, beside = through + between, beside + (not between)
    return through, beside, slow.sum(axis=0) / made.fps


@pytest.mark.parametrize("seeds", sweep([[1], list(range(8))], usual=1))
def test_others_go_round_a_queue_and_hardly_slow_down(seeds: list[int]) -> None:
    found = [passed(walked_past(seed, 5)) for seed in seeds]
    assert sum(through for through, _, _ in found) == 0
    assert sum(beside for _, beside, _ in found) >= 7 * len(seeds)
    assert np.mean([slow for _, _, slow in found]) < 0.6


@pytest.mark.parametrize("count", sweep([5, 9], usual=1))
def test_nobody_who_stands_is_said_to_overtake(count: int) -> None:
    made = walked_past(1, count)
    speed = np.hypot(*made.velocity[..., :2].transpose(2, 0, 1))
    overtakes = made.present & (made.doing == Doing.OVERTAKING)
    assert overtakes.sum() > 50
    assert (overtakes & (speed < 0.05)).sum() == 0


def test_who_is_served_sets_off_at_once() -> None:
    """Their own place in the queue is no obstacle to them."""
    crowd = {"agents": [{"start": [0.5 * k, 0.3 * k - 1.0], "goal": [20.0, 4.0 - 2.0 * k]} for k in range(5)]}
    stop = {"place": "Counter", "do": "queue", "duration": {"mean": 3.0, "sd": 0.0}}
    counter = {"name": "Counter", "points": [[10.0, 2.5]], "headings": [-np.pi / 2.0]}
    made = walk_to_the_end(scene(crowd | {"stops": [stop]}, [counter], frames=960))
    assert (made.arrived_frame > 0).all()
    for person in range(5):
        after = np.flatnonzero(made.doing[:, person] == Doing.AT_STOP)[-1] + 1
        soon = slice(after, after + round(0.5 * made.fps))
        assert not (made.doing[soon, person] == Doing.STANDING).any()
        assert np.hypot(*made.velocity[soon, person, :2].T).max() > 0.4


def test_who_comes_to_a_queue_that_fills_a_corridor_passes_between_two_and_counts_as_stopped_by_nothing() -> None:
    stop = {"place": "Counter", "do": "queue", "duration": {"mean": 200.0, "sd": 0.0}}
    walls = [[[-14.0, y], [14.0, y]] for y in (-1.2, 1.2)]
    routes = [{"name": name, "points": [[-x, 0], [x, 0]], "width": 2.0} for name, x in (("Near", 3), ("Path", 12))]
    flow = {"spawn": {"mode": "flow", "rate": 1.0}, "arrival": "leave"}
    queue = {"name": "Queue", "route": "Near", "count": 3, "stops": [stop]} | flow
    other = {"name": "Other", "route": "Path", "count": 1} | flow
    place = {"name": "Counter", "lines": [[[0.0, 0.9], [0.0, -1.0]]]}
    made = Simulation(scene({}, [place], frames=640, walls=walls, routes=routes, crowds=[queue, other]))
    stands = 0
    while not made.done and made._recording.arrived_frame[-1] < 0:
        made.step()
        speed = float(np.hypot(*made.agents.velocity[-1]))
        if speed > 0.7 and made.frame % 12 == 0:
            assert not [each for each in made.result().notices if "Other: 1 of 1" in each and "not arrived" not in each]
        stands += bool(made.agents.present[-1]) and speed < 0.15
    assert made.result().arrived_frame[-1] > 0
    assert stands < 1.5 * made.result().fps
