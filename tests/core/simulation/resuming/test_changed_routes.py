# SPDX-License-Identifier: GPL-3.0-or-later
"""What changes somebody's way is simulated anew, wherever along it that is; what changes nobody's way is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.geometry.distance_field import ObstacleField
from core.scene import Area, Crowd, Motion, Obstacle, Route, Scene, Spawn
from core.simulation import SharedMap, Simulation
from core.simulation.population.personal_routes import Travellers, find_routes
from core.simulation.world.environment import Environment
from tests.sweeps import sweep

from ..runs import box, differences, run

pytestmark = pytest.mark.once

FRAMES = (1, 80)


def _two_halls(*posts: tuple[float, float], count: int = 5, doors: bool = False, passage: float = 8.0) -> Scene:
    """A hall whose only way out, 24 m away, leads through a passage to a second one, where the goal lies aside."""
    slides = Motion(frames=np.array([1.0, 40.0]), x=np.array([-9.0, -6.0]), y=np.array([1.0, 1.0]), yaw=np.zeros(2))
    return Scene(
        fps=12.0,
        frames=FRAMES,
        seed=4,
        bounds=np.array([[-10.0, 0.0], [10.0, 0.0], [10.0, 48.0], [-10.0, 48.0]]),
        obstacles=(
            Obstacle("West of the passage", box(-1.0, 29.0, 9.0, 0.5 * passage)),
            Obstacle("East of it", box(9.95, 29.0, 0.05, 0.5 * passage)),
            *(Obstacle("Post", box(x, y, 0.4)) for x, y in posts),
            *((Obstacle("Door", box(0.0, 0.0, 0.3), motion=slides),) if doors else ()),
        ),
        areas=(Area("In", box(8.0, 2.0, 1.5)), Area("Out", box(-7.0, 40.0, 1.5))),
        crowds=(
            Crowd("First", count=count, start="In", goal="Out"),
            Crowd("Then", count=3, start="In", goal="Out", spawn=Spawn("flow", rate=0.5), arrival="stop"),
        ),
    )


def test_what_is_moved_behind_a_passage_and_changes_the_ways_there_is_simulated_anew() -> None:
    before, after = (replace(_two_halls(post, count=3), frames=(1, 60)) for post in ((5.0, 35.0), (5.0, 35.6)))
    first = run(before, remembers=True)
    again, new = run(after, remembers=True, earlier=first), run(after)
    assert differences(again, new) == []
    assert (again.taken_over, again.why_anew) == (0, "somebody starts elsewhere or takes another route")
    longer = again.result().unhindered_time != first.result().unhindered_time
    assert longer.any()
    once_more = run(before, remembers=True, earlier=again)
    assert differences(once_more, first) == []


@pytest.mark.parametrize(("seed", "rounds"), sweep([(1, 1), (1, 4), (0, 4), (2, 4)], usual=1))
def test_whatever_changes_there_the_result_is_that_of_a_new_simulation(seed: int, rounds: int) -> None:
    rng = np.random.default_rng(seed)
    posts = [(3.0, 39.0), (0.0, 36.0)]
    scene = _two_halls(*posts, count=4, doors=bool(seed % 2))
    before, shared_map = run(scene, remembers=True), SharedMap()
    for _ in range(rounds):
        place = (rng.uniform(-8.0, 8.5), rng.uniform(34.0, 47.0) if rng.random() < 0.8 else rng.uniform(8.0, 24.0))
        match rng.integers(3):
            case 0:
                posts.append(place)
            case 1 if len(posts) > 1:
                del posts[int(rng.integers(len(posts)))]
            case _:
                posts[int(rng.integers(len(posts)))] = place
        scene = _two_halls(*posts, count=4, doors=bool(seed % 2))
        before = run(scene, remembers=True, earlier=before, shared_map=shared_map)
        assert differences(before, run(scene)) == [], posts


@pytest.fixture(scope="module")
def first() -> Simulation:
    """Eight people in the halls, where no wall leaves a door behind the passage."""
    return run(replace(_two_halls((3.0, 38.0), count=8), frames=(1, 100)), remembers=True)


@pytest.mark.parametrize("gap", sweep([1.2, 2.8, 1.6, 2.4], usual=0))
def test_where_a_door_comes_to_be_ahead_people_wait_their_turn_at_it_from_when_they_see_it(
    first: Simulation, gap: float
) -> None:
    walls = tuple(Obstacle("Wall", box(x, 34.0, half, 0.2)) for x, half in ((-1.0 - 0.5 * gap, 9.0 - 0.5 * gap),))
    after = replace(first.scene, obstacles=(*first.scene.obstacles, *walls))
    again, new = run(after, remembers=True, earlier=first), run(after)
    assert differences(again, new) == []
    assert (again.taken_over, again.why_anew) == (0, "somebody starts elsewhere or takes another route")


def test_who_sets_out_elsewhere_is_simulated_anew() -> None:
    before = _two_halls((3.0, 39.0), count=3)
    first = run(replace(before, frames=(1, 20)), remembers=True)
    after = replace(before, frames=(1, 20), obstacles=(*before.obstacles, Obstacle("Post", box(8.0, 2.0, 0.4))))
    again = run(after, remembers=True, earlier=first)
    assert again.taken_over == 0
    assert differences(again, run(after)) == []


def _lane(y: np.ndarray, **settings: object) -> Scene:
    """A lane, some metres wide, that bends as told every six metres, and another one that it crosses."""
    points = np.stack((6.0 * np.arange(len(y)), y, 0.3 * y), axis=1)
    crossing = np.array([[9.0, -9.0, 0.0], [9.0, 9.0, 0.0]])
    shared: dict[str, object] = {"avoidance": "orca"} | settings
    return Scene(
        fps=12.0,
        frames=(1, 72),
        seed=2,
        bounds=box(20.0, 0.0, 32.0, 14.0),
        obstacles=(Obstacle("Post", box(21.0, 0.6, 0.3)), Obstacle("Wall", box(15.0, 0.0, 0.1, 1.4))),
        routes=(Route("Lane", points, width=2.0), Route("Across", crossing, width=2.0)),
        crowds=(
            Crowd("Lane", count=4, route="Lane", spawn=Spawn("flow", rate=1.0), **shared),
            Crowd("Across", count=3, route="Across", spawn=Spawn("spread")),
        ),
    )


def test_a_curve_on_which_people_walk_that_is_drawn_otherwise_far_along_is_simulated_anew() -> None:
    before, after = (replace(_lane(np.array([0.0, 1.0, -1.0, bend, 0.0, 0.0])), frames=(1, 100)) for bend in (0.5, 2.0))
    first = run(before, remembers=True)
    again = run(after, remembers=True, earlier=first)
    assert differences(again, run(after)) == []
    assert (again.taken_over, again.why_anew) == (0, "somebody starts elsewhere or takes another route")
    assert again.result().position.tobytes() != first.result().position.tobytes()


def test_a_curve_that_nobody_walks_along_costs_no_frame_when_it_is_drawn_otherwise() -> None:
    scene = _lane(np.zeros(6))
    before, after = (
        replace(scene, routes=(*scene.routes, Route("Aside", np.array([[0.0, y, 0.0], [18.0, y, 0.0]]))))
        for y in (9.0, 10.5)
    )
    again = run(after, remembers=True, earlier=run(before, remembers=True))
    assert again.taken_over == len(again.frames)
    assert differences(again, run(after)) == []


@pytest.mark.parametrize(("seed", "rounds"), sweep([(0, 1), (0, 4), (3, 4), (1, 4), (2, 4)], usual=1))
def test_wherever_a_curve_is_drawn_otherwise_the_result_is_that_of_a_new_simulation(seed: int, rounds: int) -> None:
    rng = np.random.default_rng(seed)
    bends = rng.uniform(-1.2, 1.2, 9)
    settings = {"avoidance": "human_like"} if seed == 3 else {}
    before = run(_lane(bends, **settings), remembers=True)
    for _ in range(rounds):
        match rng.integers(4):
            case 0 if len(bends) > 6:
                bends = bends[:-1]
            case 1:
                bends = np.append(bends, rng.uniform(-2.0, 2.0))
            case _:
                bends = bends.copy()
                bends[rng.integers(3, len(bends))] = rng.uniform(-3.0, 3.0)
        scene = _lane(bends, **settings)
        before = run(scene, remembers=True, earlier=before, shared_map=SharedMap())
        assert differences(before, run(scene)) == [], bends


def test_a_curve_that_is_drawn_otherwise_where_people_set_out_or_as_a_road_is_simulated_anew() -> None:
    scene = _lane(np.zeros(6))
    first = run(scene, remembers=True)
    near = _lane(np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0]))
    assert run(near, remembers=True, earlier=first).taken_over <= 1
    wide = replace(scene, routes=(replace(scene.routes[0], width=3.0), scene.routes[1]))
    assert run(wide, remembers=True, earlier=first).taken_over == 0


def test_who_may_not_go_straight_depends_only_on_where_the_way_is_closed_most() -> None:
    scene = replace(_two_halls(), crowds=())
    environment = Environment(scene, remembers=True)
    notes, still = environment.journal, environment.passages_at(0.0, 3.0)
    radius, lane = np.array([0.25]), np.array([0.5])
    notes.now = 5
    closed = find_routes(Travellers(np.array([[5.0, 5.0]]), np.array([[5.0, 45.0]]), radius, lane), still)
    assert len(closed.lines[0]) > 2  # round the wall in the middle, which is 8 m thick
    assert notes.first_touched_later(ObstacleField([(box(5.0, y, 0.2), ()) for y in (8.0, 15.0, 35.0, 43.0)])) is None
    assert notes.first_touched_later(ObstacleField([(box(-1.0, 29.0, 9.0, 4.0), ())])) == 5  # that wall itself
    notes.now = 6
    free = find_routes(Travellers(np.array([[-8.0, 5.0]]), np.array([[8.0, 5.0]]), radius, lane), still)
    assert len(free.lines[0]) == 2
    assert notes.first_touched_later(ObstacleField([(box(3.0, 5.3, 0.1), ())])) == 6
    assert notes.first_touched_later(ObstacleField([(box(3.0, 6.3, 0.1), ())])) is None
