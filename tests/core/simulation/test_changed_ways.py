# SPDX-License-Identifier: GPL-3.0-or-later
"""What is moved behind a door changes the ways there, and matters only from when somebody looks so far along theirs."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from core.geometry.distance_field import ObstacleField
from core.planning import ReferenceSet
from core.scene import Area, Crowd, Motion, Obstacle, Route, Scene, Spawn
from core.simulation import GroundMap, Simulation, ways_read
from core.simulation.changed_scene import ground_of
from core.simulation.doorways import NoDoor, doors_elsewhere
from core.simulation.glances import Sight, Unseen, sights_elsewhere
from core.simulation.ground_read import GroundRead
from core.simulation.lanes import resampled
from core.simulation.surroundings import Surroundings
from core.simulation.ways import Travellers, find_ways
from core.simulation.ways_read import Likeness, WaysRead, alike_for
from tests.sweeps import sweep

from .runs import box, differences, run

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


def test_what_is_moved_behind_a_passage_costs_only_the_frames_from_when_somebody_sees_it() -> None:
    before, after = (replace(_two_halls(post, count=3), frames=(1, 130)) for post in ((5.0, 35.0), (5.0, 35.6)))
    first = run(before, remembers=True)
    again, new = run(after, remembers=True, earlier=first), run(after)
    assert differences(again, new) == []
    assert 32 <= again.taken_over < len(again.frames)
    longer = again.result().unhindered_time != first.result().unhindered_time
    assert longer.any()  # the ways are others, although nobody has noticed for long
    once_more = run(before, remembers=True, earlier=again)
    assert once_more.taken_over >= 32
    assert differences(once_more, first) == []


@pytest.mark.parametrize("seed", sweep(range(3), usual=1))
def test_whatever_changes_there_the_result_is_that_of_a_new_simulation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    posts = [(3.0, 39.0), (0.0, 36.0)]
    scene = _two_halls(*posts, count=4, doors=bool(seed % 2))
    before, ground_map, spared = run(scene, remembers=True), GroundMap(), 0
    for _ in range(4):
        place = (rng.uniform(-8.0, 8.5), rng.uniform(34.0, 47.0) if rng.random() < 0.8 else rng.uniform(8.0, 24.0))
        match rng.integers(3):
            case 0:
                posts.append(place)
            case 1 if len(posts) > 1:
                del posts[int(rng.integers(len(posts)))]
            case _:
                posts[int(rng.integers(len(posts)))] = place
        scene = _two_halls(*posts, count=4, doors=bool(seed % 2))
        before = run(scene, remembers=True, earlier=before, ground_map=ground_map)
        assert differences(before, run(scene)) == [], posts
        spared += before.taken_over
    assert spared > 0


def test_to_look_for_doors_where_there_are_none_costs_no_frames() -> None:
    before, after = (replace(_two_halls((x, 37.0), count=3), frames=(1, 200)) for x in (4.0, 4.3))
    again = run(after, remembers=True, earlier=run(before, remembers=True))
    assert differences(again, run(after)) == []
    assert again.taken_over > 184  # at 176 the room beside the way is measured that is another, and is wide as ever


@pytest.mark.parametrize("gap", sweep([1.2, 2.8, 1.6, 2.4], usual=2))
def test_where_a_door_comes_to_be_ahead_people_wait_their_turn_at_it_from_when_they_see_it(gap: float) -> None:
    before = replace(_two_halls((3.0, 38.0), count=8), frames=(1, 180))
    walls = tuple(Obstacle("Wall", box(x, 34.0, half, 0.2)) for x, half in ((-1.0 - 0.5 * gap, 9.0 - 0.5 * gap),))
    after = replace(before, obstacles=(*before.obstacles, *walls))
    first = run(before, remembers=True)
    again, new = run(after, remembers=True, earlier=first), run(after)
    assert differences(again, new) == []
    assert 0 < again.taken_over < 180


def test_a_door_is_seen_elsewhere_only_where_the_way_is_another() -> None:
    width = np.full(60, 4.0)
    narrow = np.where(np.arange(60) == 30, 1.0, width)
    line = np.column_stack((np.arange(60.0), np.zeros(60)))
    here, there = (ReferenceSet.from_polylines([line], left=[w / 2], right=[w / 2]) for w in (width, narrow))
    looked = [NoDoor(np.array([0]), np.array([s]), np.array([True])) for s in (2.0, 12.0, 23.0, 40.0)]
    alike = Likeness().of(here.tables, there.tables)
    assert 27.0 < alike[0] < 30.0
    assert doors_elsewhere(looked, there, alike).tolist() == [False, False, True, False]
    assert doors_elsewhere(looked, here, Likeness().of(here.tables, here.tables)).tolist() == [False] * 4
    assert doors_elsewhere([], there, alike).tolist() == []


def test_states_that_are_taken_over_know_what_is_not_in_sight_as_it_lies_now() -> None:
    first = run(replace(_two_halls((5.0, 35.0), count=3), frames=(1, 130)), remembers=True)
    again = run(
        replace(_two_halls((5.0, 35.6), count=3), frames=(1, 130)),
        remembers=True,
        earlier=first,
        ground_map=GroundMap(),
    )
    states = [each.state[0].guidance.read for each in again.past.checkpoints.up_to(130)]
    now = states[-1].unseen
    assert len(states) > 5
    assert len(states[4].unseen) > 3
    for state in states[1:]:
        assert all(mine is theirs for mine, theirs in zip(state.unseen, now, strict=False))
    kept = [each.state[0].guidance.read for each in first.past.checkpoints.up_to(130)]
    assert all(mine is theirs for mine, theirs in zip(kept[4].unseen, kept[-1].unseen, strict=False))  # as they were


def _not_in_sight(simulation: Simulation, made: int) -> Sight:
    """What nobody had seen after so many frames, though they looked for it on the ways that they set out on."""
    unseen = simulation.past.checkpoints.up_to(made)[-1].state[0].guidance.read.unseen
    places = [each for each in unseen if isinstance(each, Unseen) and not each.ways]
    parts = [[getattr(each.sight, field.name) for each in places] for field in fields(Sight)]
    return Sight(*map(np.concatenate, parts))


def test_places_that_nobody_sees_lie_where_they_would_in_a_new_simulation_and_again_when_all_is_put_back() -> None:
    here, there = (replace(_two_halls((x, 32.3), count=3, passage=4.0), frames=(1, 160)) for x in (4.0, 4.4))
    first, new = run(here, remembers=True), run(there, remembers=True)
    moved = run(there, remembers=True, earlier=first)
    back = run(here, remembers=True, earlier=moved)
    made = min(moved.taken_over, back.taken_over)
    assert made >= 96
    before, after = _not_in_sight(first, made), _not_in_sight(new, made)
    assert (before.point != after.point).any(axis=1).sum() >= 5  # round the corner the way is another
    for taken_over, simulated in ((moved, after), (back, before)):
        known = _not_in_sight(taken_over, made)
        np.testing.assert_array_equal(known.place, simulated.place)
        np.testing.assert_array_equal(known.point, simulated.point)


def test_what_is_not_in_sight_on_a_way_that_came_between_is_looked_for_anew_on_the_first_one() -> None:
    straight, turned = (
        ReferenceSet.from_polylines([np.array(line)])
        for line in ([[0.0, 0.0], [30.0, 0.0]], [[0.0, 0.0], [12.0, 0.0], [14.0, -8.0], [30.0, -8.0]])
    )
    post, pillar = box(8.0, 2.5, 0.3), box(4.0, 2.75, 0.25)  # the post hides the one place, the pillar the other
    sight = Sight(
        path=np.array([0]),
        start=np.array([0.0]),
        place=np.array([16.0]),
        point=np.array([[16.0, 0.0]]),
        goal=np.array([[30.0, 0.0]]),
        position=np.array([[0.0, 5.0]]),
        room=np.array([0.27]),
    )
    read = WaysRead(straight)
    read.put(Unseen(0.0, sight, np.array([16.0]), (), np.array([False]), 0.27, 16.0))

    def still_unseen(read: WaysRead, ways: ReferenceSet, *things: np.ndarray) -> list[Unseen]:
        field, alike = ObstacleField([(each, ()) for each in things]), Likeness().of(read.unseen_on, ways.tables)
        return sights_elsewhere(read.unseen, [post], ways, alike, lambda _: field)

    assert len(still_unseen(read, straight, post, pillar)) == 1
    assert len(still_unseen(read, straight, pillar)) == 0
    unseen = still_unseen(read, turned, post, pillar)
    assert unseen[0].sight.point[0, 1] < -1.0
    read.take_unseen(unseen, turned.tables)
    assert len(still_unseen(read, turned, pillar)) == 1
    assert len(still_unseen(read, straight, pillar)) == 0


def test_what_is_not_in_sight_is_written_down_up_to_so_much_and_then_counts_as_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before, after = (replace(_two_halls(post, count=3), frames=(1, 100)) for post in ((5.0, 35.0), (5.0, 35.6)))
    new = run(after)
    monkeypatch.setattr(ways_read, "MOST_UNSEEN", 40)
    first = run(before, remembers=True)
    unseen = first.past.checkpoints.up_to(100)[-1].state[0].guidance.read.unseen
    assert 20 < sum(len(each.sought) for each in unseen) <= 40
    assert differences(run(after, remembers=True, earlier=first), new) == []


def test_who_sets_out_elsewhere_is_simulated_anew() -> None:
    before = _two_halls((3.0, 39.0), count=3)
    first = run(replace(before, frames=(1, 20)), remembers=True)
    after = replace(before, frames=(1, 20), obstacles=(*before.obstacles, Obstacle("Post", box(8.0, 2.0, 0.4))))
    again = run(after, remembers=True, earlier=first)
    assert again.taken_over == 0
    assert differences(again, run(after)) == []


def test_ways_that_begin_alike_are_walked_alike_up_to_where_they_part() -> None:
    common = [[0.0, 0.0], [9.0, 1.0], [14.0, 6.0]]
    lines = [resampled(np.array([*common, end]))[0] for end in ([20.0, 5.0], [17.0, 14.0])]
    one, other = (ReferenceSet.from_polylines([line]) for line in lines)
    apart = alike_for(one.tables[0], other.tables[0])
    corner = np.hypot(9.0, 1.0) + np.hypot(5.0, 5.0)
    assert corner - 1.5 < apart <= corner
    by_bends = alike_for(one.tables[0], other.tables[0], bends=True)
    assert apart - 5.0 < by_bends < apart  # these are told of ahead
    s = np.linspace(-1.0, apart, 400)
    path = np.zeros(len(s), dtype=int)
    for ask in ("pose", "limits", "room", "height"):
        seen = s[s <= by_bends] if ask == "limits" else s
        answers = (getattr(each, ask)(path[: len(seen)], seen) for each in (one, other))
        for mine, theirs in zip(*answers, strict=True):
            np.testing.assert_array_equal(mine, theirs)
    assert not np.array_equal(
        one.to_cartesian([0], [corner + 1.0], [0.0]), other.to_cartesian([0], [corner + 1.0], [0.0])
    )


def test_paths_that_are_the_same_are_alike_for_ever_and_those_that_begin_elsewhere_nowhere() -> None:
    line = np.array([[0.0, 0.0], [5.0, 0.0], [9.0, 3.0]])
    one, same, other = (
        ReferenceSet.from_polylines([each]).tables[0] for each in (line, line, line + np.array([0.0, 1e-9]))
    )
    assert alike_for(one, same) == np.inf
    assert alike_for(one, other) <= 0.0


def test_how_far_people_look_along_their_ways_is_known_even_on_others_later() -> None:
    line = np.array([[0.0, 0.0], [20.0, 0.0]])
    references = ReferenceSet.from_polylines([line, line + 1.0])
    read = WaysRead(references)
    read.follow(references)
    references.pose(np.array([0, 0, 1]), np.array([3.0, 5.0, 1.0]))
    references.room(np.array([[0], [1]]), np.array([[2.0, 4.0], [0.5, 0.7]]))
    np.testing.assert_array_equal(read.reach, [5.0, 1.0])
    references.bend_limits(np.array([0, 1, 0]), np.array([2.05, 1.13, 7.34]))
    np.testing.assert_array_equal(read.reach_of_bends, [7.34, 1.13])
    with references.unwatched():
        references.pose(np.array([0]), np.array([19.0]))
    later = ReferenceSet(
        [ReferenceSet.from_polylines([line + 2.0]).tables[0], references.tables[1], references.tables[0]]
    )
    read.follow(later)
    later.pose(np.array([0, 1, 2]), np.array([15.0, 6.0, 15.0]))  # the first and the last are ways that came later
    np.testing.assert_array_equal(read.reach, [7.34, 6.0])


def _lane(y: np.ndarray, **settings: object) -> Scene:
    """A lane, some metres wide, that bends as told every six metres, and another one that it crosses."""
    points = np.stack((6.0 * np.arange(len(y)), y, 0.3 * y), axis=1)
    crossing = np.array([[9.0, -9.0, 0.0], [9.0, 9.0, 0.0]])
    shared: dict[str, object] = {"avoidance": "orca"} | settings
    return Scene(
        fps=12.0,
        frames=(1, 100),
        seed=2,
        bounds=box(20.0, 0.0, 32.0, 14.0),
        obstacles=(Obstacle("Post", box(21.0, 0.6, 0.3)), Obstacle("Wall", box(15.0, 0.0, 0.1, 1.4))),
        routes=(Route("Lane", points, width=2.0), Route("Across", crossing, width=2.0)),
        crowds=(
            Crowd("Lane", count=4, route="Lane", spawn=Spawn("flow", rate=1.0), **shared),  # pyright: ignore[reportArgumentType]
            Crowd("Across", count=3, route="Across", spawn=Spawn("spread")),
        ),
    )


def test_a_curve_that_is_drawn_otherwise_far_along_costs_the_frames_from_when_somebody_comes_near() -> None:
    before, after = (_lane(np.array([0.0, 1.0, -1.0, bend, 0.0, 0.0])) for bend in (0.5, 2.0))
    first = run(before, remembers=True)
    again = run(after, remembers=True, earlier=first)
    assert differences(again, run(after)) == []
    assert 32 <= again.taken_over < len(again.frames)
    assert again.result().position.tobytes() != first.result().position.tobytes()


@pytest.mark.parametrize("seed", sweep(range(4), usual=1))
def test_wherever_a_curve_is_drawn_otherwise_the_result_is_that_of_a_new_simulation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bends = rng.uniform(-1.2, 1.2, 9)
    settings = {"avoidance": "human_like"} if seed == 3 else {}
    before, spared = run(_lane(bends, **settings), remembers=True), 0
    for _ in range(4):
        match rng.integers(4):
            case 0 if len(bends) > 6:
                bends = bends[:-1]
            case 1:
                bends = np.append(bends, rng.uniform(-2.0, 2.0))
            case _:
                bends = bends.copy()
                bends[rng.integers(3, len(bends))] = rng.uniform(-3.0, 3.0)
        scene = _lane(bends, **settings)
        before = run(scene, remembers=True, earlier=before, ground_map=GroundMap())
        assert differences(before, run(scene)) == [], bends
        spared += before.taken_over
    assert spared > 0


def test_a_curve_that_is_drawn_otherwise_where_people_set_out_or_as_a_road_is_simulated_anew() -> None:
    scene = _lane(np.zeros(6))
    first = run(scene, remembers=True)
    near = _lane(np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0]))
    assert run(near, remembers=True, earlier=first).taken_over <= 1
    wide = replace(scene, routes=(replace(scene.routes[0], width=3.0), scene.routes[1]))
    assert run(wide, remembers=True, earlier=first).taken_over == 0


def test_who_may_not_go_straight_depends_only_on_where_the_way_is_closed_most() -> None:
    scene = replace(_two_halls(), crowds=())
    notes = GroundRead(ground_of(scene))
    still = Surroundings(scene, None, notes).passages_at(0.0, 3.0)
    radius, lane = np.array([0.25]), np.array([0.5])
    notes.now = 5
    closed = find_ways(Travellers(np.array([[5.0, 5.0]]), np.array([[5.0, 45.0]]), radius, lane), still)
    assert len(closed.lines[0]) > 2  # round the wall in the middle, which is 8 m thick
    assert notes.next_touch(ObstacleField([(box(5.0, y, 0.2), ()) for y in (8.0, 15.0, 35.0, 43.0)])) is None
    assert notes.next_touch(ObstacleField([(box(-1.0, 29.0, 9.0, 4.0), ())])) == 5  # that wall itself
    notes.now = 6
    free = find_ways(Travellers(np.array([[-8.0, 5.0]]), np.array([[8.0, 5.0]]), radius, lane), still)
    assert len(free.lines[0]) == 2
    assert notes.next_touch(ObstacleField([(box(3.0, 5.3, 0.1), ())])) == 6
    assert notes.next_touch(ObstacleField([(box(3.0, 6.3, 0.1), ())])) is None
