# SPDX-License-Identifier: GPL-3.0-or-later
"""People leave their path for a stop, stand, look or queue there as long as drawn, and go on."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from core.geometry.distance_field import ObstacleField
from core.scene import Crowd, Place, Scene, Stop, StopDuration
from core.simulation.places.viewing_spots import ViewingSpots
from core.simulation.population.drawn_crowd import DrawnCrowd
from core.simulation.settings.stop_settings import SpotSettings, ViewingSettings
from core.simulation.visits.itineraries import draw_itineraries
from core.simulation.world.doing import Doing
from core.trajectories import Trajectories
from tests.scenes.whole_walks import walk_to_the_end
from tests.sweeps import sweep

from ..runs import differences, run
from ..stop_scenes import STANDS, longest_halt, random_scene, scene, time_of

pytestmark = pytest.mark.once

WINDOW = {"name": "Window", "points": [[10.0, 2.5]]}
SHOP = {"name": "Shop", "outline": [[8, 3.5], [12, 3.5], [12, 5], [8, 5]]}
LOOK = {"place": "Window", "do": "look_at", "look_at": [10.0, 4.0], "duration": {"mean": 2.0, "sd": 0.5}}
LONG_SHOP = {"name": "Shop", "outline": [[4, 3], [16, 3], [16, 4], [4, 4]]}
QUEUERS = 12


@pytest.fixture(scope="module")
def street() -> tuple[Scene, Trajectories]:
    """Six people along a route, of whom some look into a window beside it."""
    crowd = {"count": 6, "stops": [LOOK | {"share": 0.5}]}
    made = scene(crowd, [WINDOW], frames=480, obstacles=[SHOP])
    return made, run(made).result()


@pytest.mark.parametrize("seed", [2, 3, 4])
def test_runners_brake_before_they_reach_a_stop(seed):
    """They left their path a metre before it, came at up to 2.7 m/s, and some ran into each other there."""
    drink = {"place": "Drink", "do": "stand", "duration": {"mean": 3.0, "sd": 0.5}}
    crowd = {"count": 5, "speed": {"mean": 3.0, "sd": 0.2}, "stops": [drink]}
    made = run(scene(crowd, [{"name": "Drink", "points": [[14.0, 0.0]]}], frames=300, seed=seed)).result()
    stands = made.doing == Doing.AT_STOP
    assert stands.any(axis=0).all()
    speed = np.hypot(*np.moveaxis(made.velocity, 2, 0))
    assert speed[stands.argmax(axis=0), np.arange(5)].max() <= 1.6  # who is nearer than 0.35 m is there


def test_those_who_are_drawn_stop_as_long_as_drawn_and_all_arrive(street: tuple[Scene, Trajectories]) -> None:
    made, result = street
    drawn = draw_itineraries([DrawnCrowd(crowd, "", made.seed) for crowd in made.crowds])
    stops = drawn.stop[:, 0] >= 0
    assert 0 < stops.sum() < 6
    assert np.array_equal((result.stop >= 0).any(axis=0), stops)
    assert time_of(result, Doing.LOOKING)[stops] == pytest.approx(drawn.duration[stops, 0], abs=0.11)
    assert (result.arrived_frame > 0).all()
    assert result.notices == ()
    assert result.stop_names == ("Window",)


def test_who_looks_faces_the_window_and_is_not_pushed_off(street: tuple[Scene, Trajectories]) -> None:
    result = street[1]
    settled = np.flatnonzero((result.doing == Doing.LOOKING).sum(axis=0) > 32)
    assert len(settled) >= 2
    for agent in settled:
        frames = np.flatnonzero(result.doing[:, agent] == Doing.LOOKING)[30:]  # having come to the spot and turned
        place = result.position[frames, agent, :2]
        assert np.ptp(place, axis=0).max() < 0.1
        assert np.hypot(*(place[0] - (10.0, 2.5))) < 2.5
        apart = np.array((10.0, 4.0)) - place
        off = result.heading[frames, agent] - np.arctan2(apart[:, 1], apart[:, 0])
        assert np.abs(np.arctan2(np.sin(off), np.cos(off))).max() < np.radians(15.0)
        assert result.gaze[frames, agent, :2] == pytest.approx(np.tile((10.0, 4.0), (len(frames), 1)))
    looking = np.isin(result.doing, Doing.LOOKING)
    assert np.array_equal(result.activity > 0, looking)
    assert np.array_equal(np.isfinite(result.gaze[..., 0]), looking)
    assert result.activity_names[result.activity.max()] == "stand"


def test_a_queue_is_served_in_order_and_keeps_its_gaps() -> None:
    starts = [{"start": [2.0 + 1.1 * k, 6.0 + 1.5 * (k % 3)], "goal": [20.0, 12.0]} for k in range(9)]
    stop = {"place": "Kiosk", "do": "queue", "duration": {"mean": 1.0, "sd": 0.2}, "room": 9}
    kiosk = {"name": "Kiosk", "points": [[14.0, 2.0]], "headings": [np.pi]}
    made = run(scene({"agents": starts, "stops": [stop]}, [kiosk], frames=740)).result()
    in_line = np.isin(made.doing, (Doing.IN_QUEUE, Doing.SERVED))
    assert in_line.any(axis=0).all()
    assert in_line.sum(axis=1).max() >= 6
    joined = in_line.argmax(axis=0)
    served = (made.doing == Doing.SERVED).argmax(axis=0)
    order = np.lexsort((served, joined))
    assert np.all(np.diff(served[order]) > 0) or len(set(joined)) < 9  # two may join in one frame
    speed = np.hypot(made.velocity[..., 0], made.velocity[..., 1])
    row, agent = np.nonzero(in_line & (made.because_of >= 0))
    ahead = made.because_of[row, agent]
    still = np.pad(speed < 0.05, ((4, 4), (0, 0)))
    rests = np.all([still[k : k + len(speed)] for k in range(9)], axis=0)  # not between two steps, or while they turn
    stand = rests[row, agent] & rests[row, ahead]
    row, agent, ahead = row[stand], agent[stand], ahead[stand]
    gap = np.hypot(*(made.position[row, agent, :2] - made.position[row, ahead, :2]).T)
    assert len(gap) > 100
    assert gap.min() > 0.5
    assert gap.max() < 0.9
    assert (made.doing == Doing.SERVED).any(axis=0).all()
    together = (made.doing == Doing.SERVED).sum(axis=1)
    assert together.max() == 1


def test_draws_are_as_asked_and_one_more_stop_changes_no_other() -> None:
    stops = (
        Stop("Window", share=0.3, duration=StopDuration(8.0, 2.0)),
        Stop("Kiosk", "queue", share=0.6, duration=StopDuration(4.0, 1.0)),
    )
    crowd = Crowd("Walkers", count=2000, route="Path", stops=stops)
    drawn = draw_itineraries([DrawnCrowd(crowd, "", 3)])
    for number, stop in enumerate(stops):
        there = drawn.stop == number
        assert there.sum() == round(2000 * stop.share)
        assert drawn.duration[there].mean() == pytest.approx(stop.duration.mean, rel=0.03)
        assert drawn.duration[there].std() == pytest.approx(stop.duration.sd, rel=0.1)
    in_order = drawn.stop[(drawn.stop >= 0).all(axis=1)]
    assert np.array_equal(in_order, np.tile([0, 1], (len(in_order), 1)))
    more = replace(crowd, stops=(Stop("Bench"), *stops))
    again = draw_itineraries([DrawnCrowd(more, "", 3)])
    for number in range(len(stops)):
        first, second = drawn.stop == number, again.stop == number + 1
        assert np.array_equal(first.any(axis=1), second.any(axis=1))
        assert np.array_equal(drawn.duration[first], again.duration[second])
    shuffled = draw_itineraries([DrawnCrowd(replace(crowd, stop_order="random"), "", 3)]).stop
    assert 0.4 < (shuffled[(shuffled >= 0).all(axis=1)][:, 0] == 0).mean() < 0.6


@pytest.mark.parametrize("groups", [(1, 1), (2, 4)])
def test_one_more_person_changes_at_most_one_other_group_who_stops(groups: tuple[int, int]) -> None:
    stops = (Stop("Window", share=0.4), Stop("Bench", share=0.15))
    before = np.zeros((0, 2), dtype=bool)
    for count in range(1, 60):
        crowd = DrawnCrowd(Crowd("Walkers", count=count, route="Path", stops=stops, groups=groups), "", 5)
        stop = draw_itineraries([crowd]).stop
        there = np.stack([(stop == number).any(axis=1) for number in (0, 1)], axis=1)
        assert np.array_equal(there, there[crowd.first])
        assert (np.abs(there.sum(axis=0) - count * np.array([0.4, 0.15])) < groups[1]).all()
        last = crowd.first[-1]  # whoever comes may make a group larger
        changed = np.flatnonzero((there[:-1] != before)[:last].any(axis=1))
        assert len(np.unique(crowd.first[changed])) <= 2  # one for each stop
        before = there


def test_in_a_crowd_of_one_the_share_is_a_probability() -> None:
    crowds = [Crowd("Walkers", count=1, route="Path", stops=(Stop("Window", share=0.3),)) for _ in range(400)]
    stops = [draw_itineraries([DrawnCrowd(crowd, "", seed)]).stop[0, 0] >= 0 for seed, crowd in enumerate(crowds)]
    assert np.mean(stops) == pytest.approx(0.3, abs=0.06)


def test_people_between_places_stop_too_and_a_rebake_reuses_what_it_can() -> None:
    agents = [{"start": [2, 3], "goal": [9, 1]}, {"start": [3.2, 3], "goal": [9, 0.3]}]
    crowd = {"agents": agents, "stops": [LOOK]}
    made = scene(crowd, [{"name": "Window", "points": [[5, 8]]}], frames=300)
    first = run(made, remembers=True)
    assert (time_of(first.result(), Doing.LOOKING) > 1.0).all()
    assert (first.result().arrived_frame > 0).all()
    longer = replace(made, frames=(1, 310))
    again = run(longer, remembers=True, earlier=first)
    assert again.taken_over == 300, again.why_anew
    assert differences(again, run(longer)) == []


def test_somebody_in_the_way_of_others_lets_them_through() -> None:
    """A door of one body's width, and a stop right in it."""
    walls = [[[10, -6], [10, -0.45]], [[10, 0.45], [10, 6]]]
    stop = {"place": "Door", "duration": {"mean": 12.0, "sd": 0.0}}
    agents = [{"start": [7, 0], "goal": [14, 0]}, {"start": [2, 0], "goal": [14, 0]}]
    place = {"name": "Door", "points": [[10.0, 0.0]]}
    made = walk_to_the_end(scene({"agents": agents, "stops": [stop]}, [place], frames=900, walls=walls))
    assert (made.arrived_frame > 0).all(), made.notices


# In the first, those who were served disappear at the counter. Of the next three, one trigger comes while somebody is
# about to sit, and the other makes people flee into a corner; in the third somebody makes way between a wall and those
# who come. In the fifth somebody starts a hand's breadth from their goal; in the sixth a hairpin lies before a door.
SEEDS = [range(seed, seed + 1) for seed in (42014, 983, 1427, 1447, 61316, 60524)]
SEEDS += [range(first, first + 27) for first in range(0, 2000, 27)]


@pytest.mark.parametrize("seeds", sweep(SEEDS, usual=3, everywhere=1))
def test_in_random_scenes_nobody_is_stuck(seeds: range) -> None:
    for seed in seeds:
        made = walk_to_the_end(random_scene(seed))
        assert longest_halt(made) < 20.0, seed
        begins_in_a_box = any("could not enter: there is no room" in notice for notice in made.notices)
        assert np.isin(made.doing, STANDS).any() or (made.arrived_frame > 0).all() or begins_in_a_box, seed


def test_who_looks_into_a_window_stands_in_a_row_along_it_and_faces_the_glass() -> None:
    crowd = {"count": 12, "stops": [{"place": "Glass", "do": "look_at", "duration": {"mean": 60.0, "sd": 0.0}}]}
    made = run(scene(crowd, [{"name": "Glass", "points": [[10, 2.8]]}], frames=340, obstacles=[LONG_SHOP])).result()
    looks = made.doing[-1] == Doing.LOOKING
    place = made.position[-1, looks, :2]
    assert looks.sum() >= 9
    apart = np.hypot(*(place[:, None] - place).transpose(2, 0, 1)) + 9.0 * np.eye(len(place))
    assert apart.min() > 0.6
    front = place[:, 1] > 2.2
    assert (~front).sum() <= 3
    assert np.ptp(place[front, 1]) < 0.25
    np.testing.assert_allclose(np.sin(made.heading[-1, looks]), 1.0, atol=0.1)
    np.testing.assert_allclose(made.gaze[-1, looks, 0], place[:, 0], atol=0.5)


SQUARE = np.array([[-9.0, -9.0], [9.0, -9.0], [9.0, 9.0], [-9.0, 9.0]])


def test_a_wider_pane_has_room_for_no_fewer_people() -> None:
    room = []
    for side in np.arange(0.2, 6.0, 0.1):
        for off in (0.0, 0.3, 0.5):  # the point of the place is anywhere on it
            wall = ObstacleField([(np.array([[-side, 0.0], [side, 0.0], [side, 1.0], [-side, 1.0]]), ())])
            place = Place("Glass", np.array([[off * side, -0.2]]))
            spots = ViewingSpots(place, None, ViewingSettings(), SpotSettings())
            spots.is_free(0.25, SimpleNamespace(field=wall, resting=(), builder=SimpleNamespace(field=wall)), SQUARE)
            room.append(len(spots.point))
    assert (np.diff(np.array(room).reshape(-1, 3), axis=0) >= 0).all(), room
    assert max(room) == 16


@pytest.mark.parametrize(("side", "most"), [(6.0, 16), (1.9, 8), (1.2, 8), (0.9, 8), (0.3, 5)])
def test_a_row_ends_where_the_wall_does_and_nobody_stands_close_behind_others(side: float, most: int) -> None:
    wall = ObstacleField([(np.array([[-side, 0.0], [side, 0.0], [side, 1.0], [-side, 1.0]]), ())])
    spots = ViewingSpots(Place("Glass", np.array([[0.0, -0.2]])), None, ViewingSettings(), SpotSettings())
    ground = SimpleNamespace(field=wall, resting=(), builder=SimpleNamespace(field=wall))
    free = spots.is_free(0.25, ground, SQUARE)
    assert free.all()
    assert len(free) == most
    behind = spots.point[:, 1] < -0.6
    assert (np.abs(spots.point[~behind, 0]) < side).all()
    np.testing.assert_allclose(spots.point[~behind, 1], -0.5, atol=1e-9)
    apart = np.hypot(*(spots.point[:, None] - spots.point).transpose(2, 0, 1)) + 9.0 * np.eye(most)
    assert apart.min() > 0.75
    assert apart[np.ix_(behind, behind)].min() > 1.0  # who leaves the row passes between them
    np.testing.assert_allclose(spots.seen[:, 1], 0.0, atol=1e-9)
    assert (np.abs(spots.seen[:, 0]) < side).all()
    np.testing.assert_allclose(spots.seen[~behind, 0], spots.point[~behind, 0], atol=1e-9)


@pytest.mark.parametrize("y", [-0.05, 1e-7, 0.02])
def test_people_stand_before_a_pane_also_where_the_place_lies_in_the_glass(y: float) -> None:
    pane = ObstacleField([(np.array([[-2.0, 0.0], [2.0, 0.0], [2.0, 0.06], [-2.0, 0.06]]), ())])
    spots = ViewingSpots(Place("Glass", np.array([[0.0, y]])), None, ViewingSettings(), SpotSettings())
    spots.is_free(0.25, SimpleNamespace(field=pane, resting=(), builder=SimpleNamespace(field=pane)), SQUARE)
    assert len(spots.point) > 4
    assert (spots.point[:, 1] < -0.4).all()


def test_people_stand_on_an_arc_round_what_they_look_at_in_the_open() -> None:
    target = np.array([0.0, 3.0])
    spots = ViewingSpots(Place("Statue", np.zeros((1, 2))), target, ViewingSettings(), SpotSettings())
    nothing = ObstacleField([])
    ground = SimpleNamespace(field=nothing, resting=(), builder=SimpleNamespace(field=nothing))
    assert spots.is_free(0.25, ground, np.array([[-9.0, -9.0], [9.0, -9.0], [9.0, 9.0], [-9.0, 9.0]])).all()
    off = np.hypot(*(spots.point - target).T)
    assert set(off.round(6).tolist()) == {3.0, 3.9}
    assert (spots.point[0] == 0.0).all()


def test_who_looks_at_something_else_from_the_same_place_changes_nobody_else() -> None:
    place = {"name": "Corner", "points": [[10, 2.5]]}
    one = {"place": "Corner", "do": "look_at", "look_at": [10, 6], "duration": {"mean": 60.0, "sd": 0.0}, "share": 1.0}
    other = one | {"look_at": [16, 2.5], "share": 0.0, "known_as": "Other"}
    alone, both = (
        run(scene({"count": 5, "stops": some}, [place], frames=260)).result() for some in ([one], [one, other])
    )
    looks = both.doing[-1] == Doing.LOOKING
    assert looks.sum() >= 3
    np.testing.assert_array_equal(alone.position, both.position)
    off = np.hypot(*(both.position[-1, looks, :2] - (10, 6)).T)
    assert np.abs(off[:, None] - (3.5, 4.4)).min(axis=1).max() < 0.3  # on arcs round their own target


@pytest.mark.parametrize("seed", sweep([1, 5, 11, 16], usual=1))
def test_nobody_who_comes_to_a_queue_with_many_walks_back_before_those_ahead(seed: int) -> None:
    stall = {"name": "Stall", "points": [[7.0, -2.5]], "headings": [0.0]}
    stop = {"place": "Stall", "do": "queue", "duration": {"mean": 1.0, "sd": 0.0}, "room": QUEUERS}
    crowd = {"count": QUEUERS, "stops": [stop]}
    made = run(replace(scene(crowd, [stall], frames=1200), seed=seed)).result()
    served = made.doing == Doing.SERVED
    assert served.any(axis=0).all()
    assert np.diff(np.sort(served.argmax(axis=0))).max() < 7.5 * 20  # it was 9.6 s
    for agent in range(QUEUERS):
        along = made.position[np.isin(made.doing[:, agent], (Doing.IN_QUEUE, Doing.SERVED)), agent, 0]
        assert along.max() - along[0] < 2.5  # it was 6.5 m


def test_two_views_from_one_place_share_its_ground() -> None:
    place = {"name": "Corner", "points": [[10, 2.5]]}
    one = {"place": "Corner", "do": "look_at", "look_at": [10, 6], "duration": {"mean": 60.0, "sd": 0.0}, "share": 0.5}
    stops = [one, one | {"look_at": [16, 2.5], "share": 1.0, "known_as": "Other"}]
    made = run(scene({"count": 8, "stops": stops}, [place], frames=400)).result()
    assert (made.doing[-1] == Doing.LOOKING).all()  # nobody makes way any more for those who came later
    stand = made.position[-1, :, :2]
    apart = np.hypot(*(stand[:, None] - stand).transpose(2, 0, 1)) + 9.0 * np.eye(len(stand))
    assert apart.min() > 0.45


def before(box: list[float], point: list[float], *walls: list[list[float]]) -> ViewingSpots:
    """Spots before an object, which is an obstacle, as are the walls; as many as have room."""
    x, y, angle, width, depth, _ = box
    axes = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * 0.5 * np.array([width, depth])
    field = ObstacleField([(corners @ axes + (x, y), ()), *((np.array(wall, dtype=np.float64), ()) for wall in walls)])
    place = Place("Picture", np.array([point]), objects=np.array([box]))
    spots = ViewingSpots(place, None, ViewingSettings(), SpotSettings())
    free = spots.is_free(0.25, SimpleNamespace(field=field, resting=(), builder=SimpleNamespace(field=field)), SQUARE)
    spots.point, spots.rank, spots.seen = spots.point[free], spots.rank[free], spots.seen[free]
    return spots


WALL = [[-8.0, 0.0], [8.0, 0.0], [8.0, 0.3], [-8.0, 0.3]]


@pytest.mark.parametrize("width", [0.6, 1.0, 1.4, 1.5])
def test_who_looks_at_a_picture_stands_before_it_as_far_as_it_is_wide_and_looks_at_it(width: float) -> None:
    """Half of them stood beside the frame, half a metre before the bare wall, and looked at that."""
    for point in ([0.5 * width + 0.03, -0.13], [0.0, -0.15]):  # nearest to a route: beside its end, or before it
        spots = before([0.0, -0.05, np.pi, width, 0.1, 1.0], point, WALL)
        np.testing.assert_allclose(spots.point[0], (0.0, -0.1 - max(width, 1.0)), atol=1e-9)
        front = spots.point[:, 1] > spots.point[0, 1] - 0.1
        assert front.sum() == (3 if width > 1.3 else 1)
        assert (np.abs(spots.point[front, 0]) <= 0.5 * width + 1e-6).all()
        assert len(spots.point) > front.sum()  # others look over their shoulders
        assert (np.abs(spots.seen[:, 0]) < 0.2).all()
        off = np.abs(np.arctan2(spots.point[:, 0], -spots.point[:, 1]))
        assert off.max() < np.radians(35.0)


def test_the_first_stands_before_the_middle_of_a_window_and_all_look_straight_ahead() -> None:
    spots = before([0.0, 0.05, 0.0, 6.0, 0.1, 2.5], [2.9, -0.05], WALL)
    front = spots.point[:, 1] > -1.0
    np.testing.assert_allclose(spots.point[:3], [(0.0, -0.7), (0.8, -0.7), (-0.8, -0.7)], atol=1e-9)
    assert front.sum() == 7
    np.testing.assert_allclose(spots.seen[front, 0], spots.point[front, 0], atol=0.1)


def test_nobody_looks_at_the_back_of_a_picture_from_behind_its_wall() -> None:
    beside = [[0.3, -3.0], [0.6, -3.0], [0.6, 3.0], [0.3, 3.0]]
    end = [0.25, -0.55]  # nearest to a route that passes the end of the picture
    spots = before([0.25, 0.0, 0.5 * np.pi, 1.0, 0.1, 1.0], end, beside)
    np.testing.assert_allclose(spots.point[0], (-0.8, 0.0), atol=1e-9)
    assert (spots.point[:, 0] < 0.0).all()


def test_where_there_is_little_room_people_stand_nearer_to_a_picture() -> None:
    opposite = [[-8.0, -1.4], [8.0, -1.4], [8.0, -1.2], [-8.0, -1.2]]
    spots = before([0.0, -0.05, 0.0, 1.4, 0.1, 1.0], [0.0, -0.15], WALL, opposite)
    assert 0.5 <= -0.1 - spots.point[0, 1] <= 0.8
    assert (np.abs(spots.point[:, 0]) <= 0.71).all()


def test_who_looks_at_a_picture_turns_to_it() -> None:
    picture = {"name": "Picture", "outline": [[9.3, 3.4], [10.7, 3.4], [10.7, 3.5], [9.3, 3.5]]}
    wall = {"name": "Wall", "outline": [[2, 3.5], [18, 3.5], [18, 3.7], [2, 3.7]]}
    place = {"name": "Picture", "points": [[9.3, 3.35]], "objects": [[10, 3.45, 0, 1.4, 0.1, 1.0]]}
    crowd = {"count": 5, "stops": [{"place": "Picture", "do": "look_at", "duration": {"mean": 60.0, "sd": 0.0}}]}
    made = run(scene(crowd, [place], frames=400, obstacles=[wall, picture])).result()
    looks = made.doing[-1] == Doing.LOOKING
    assert looks.sum() == 5
    stand, seen = made.position[-1, looks, :2], made.gaze[-1, looks, :2]
    np.testing.assert_allclose(seen[:, 0], 10.0, atol=0.2)
    off = made.heading[-1, looks] - np.arctan2(*(seen - stand).T[::-1])
    assert np.abs(np.sin(off)).max() < np.sin(np.radians(15.0))
    front = stand[:, 1] > 1.8
    assert (np.abs(stand[front, 0] - 10.0) < 0.75).all()


def test_who_comes_when_the_place_before_the_middle_is_free_again_stands_there() -> None:
    """They stood at the edge of a picture before which nobody was."""
    picture = {"name": "Picture", "outline": [[9.3, 3.4], [10.7, 3.4], [10.7, 3.5], [9.3, 3.5]]}
    place = {"name": "Picture", "points": [[9.3, 3.35]], "objects": [[10, 3.45, 0, 1.4, 0.1, 1.0]]}
    agents = [{"start": [x, 0], "goal": [19.0, 0.0]} for x in (5.0, -3.0)]
    stop = {"place": "Picture", "do": "look_at", "duration": {"mean": 2.0, "sd": 0.0}}
    made = run(scene({"agents": agents, "stops": [stop]}, [place], frames=400, obstacles=[picture])).result()
    for agent in range(2):
        looks = made.doing[:, agent] == Doing.LOOKING
        assert made.position[looks, agent, 0][-10:] == pytest.approx(10.0, abs=0.15)
