# SPDX-License-Identifier: GPL-3.0-or-later
"""Who stands where at the first frame."""

import numpy as np
import pytest

from core.errors import SceneError
from core.scene import Agent, Area, Crowd, Obstacle, Route, Scene, Spawn
from core.scene.file import scene_from_json
from core.simulation import Simulation, simulate

ROAD = Route("Road", np.array([[0.0, 0, 0], [30, 0, 0]]), width=4.0)


@pytest.mark.parametrize("radii", [(0.5, 0.15), (0.15, 0.5)])
def test_crowds_of_different_bodies_start_apart(radii, first_gap):
    crowds = tuple(
        Crowd(f"Crowd {number}", count=10, route="Road", radius=(radius, radius)) for number, radius in enumerate(radii)
    )
    assert first_gap(simulate(Scene(frames=(1, 1), routes=(ROAD,), crowds=crowds))) > 0


@pytest.mark.parametrize("width", [1.5, 2.0, 3.0, 4.0])
@pytest.mark.parametrize("mode", ["at_once", "spread", "flow"])
def test_people_do_not_walk_in_files(width, mode):
    """On paths of 2, 3 and 4 m they walked in two, three and four files, many of them on the very same line."""
    line = np.array([[0.0, 0, 0], [60, 0, 0]])
    crowd = Crowd("Walkers", count=50, route="Path", spawn=Spawn(mode))
    agents = Simulation(Scene(frames=(1, 2), routes=(Route("Path", line, width=width),), crowds=(crowd,))).agents
    band = 0.5 * width - 0.25
    lines = np.sort(agents.wanted_offset / band)
    assert np.diff(lines, prepend=-1.0, append=1.0).max() <= 0.3
    assert (np.diff(lines) > 0.0).all()


def test_nobody_is_placed_on_somebody_who_was_placed_by_hand(first_gap):
    listed = Crowd(
        "Listed",
        count=9,
        agents=tuple(Agent((1.0 * k, 0.3 * (k % 3)), (20.0, 0.0)) for k in range(9)),
        radius=(0.3, 0.3),
    )
    crowds = (Crowd("Walkers", count=20, route="Road"), listed)
    assert first_gap(simulate(Scene(frames=(1, 1), routes=(ROAD,), crowds=crowds))) > 0


def test_people_spread_over_ways_of_their_own_start_apart_and_outside_obstacles(first_gap):
    west = Area("West", np.array([[0.0, 0], [4, 0], [4, 8], [0, 8]]))
    east = Area("East", np.array([[26.0, 0], [30, 0], [30, 8], [26, 8]]))
    kiosk = Obstacle("Kiosk", np.array([[12.0, 2], [16, 2], [16, 6], [12, 6]]))
    crowd = Crowd("Commuters", count=40, start="West", goal="East", spawn=Spawn("spread"))
    made = simulate(Scene(frames=(1, 1), areas=(west, east), obstacles=(kiosk,), crowds=(crowd,)))
    assert first_gap(made) > 0
    x, y = made.position[0, :, 0], made.position[0, :, 1]
    assert not ((x > 12) & (x < 16) & (y > 2) & (y < 6)).any()
    assert np.ptp(x) > 15


def test_a_route_inside_an_obstacle_is_told_as_such():
    block = Obstacle("Block", np.array([[-5.0, -5], [35, -5], [35, 5], [-5, 5]]))
    loop = Route("Road", np.array([[0.0, 0, 0], [10, 0, 0], [10, 2, 0]]), closed=True)
    with pytest.raises(SceneError, match="has room for 0 at once; check whether the route is inside an obstacle"):
        simulate(
            Scene(frames=(1, 1), routes=(loop,), obstacles=(block,), crowds=(Crowd("Walkers", count=3, route="Road"),))
        )


def test_who_is_too_wide_for_a_route_is_reported_with_the_width():
    road = Route("Road", np.array([[0.0, 0, 0], [10, 0, 0]]), width=3.0)
    wide = "they are up to 2.1 m wide: use smaller bodies, fewer people, "
    for radius, way_out in ((1.04, wide), (0.25, "use fewer people, ")):
        crowd = Crowd("Walkers", count=400, route="Road", radius=(0.24, radius))
        with pytest.raises(SceneError, match=f"at once; {way_out}"):
            simulate(Scene(frames=(1, 1), routes=(road,), crowds=(crowd,)))


def test_who_is_listed_inside_an_obstacle_is_moved_out_and_told():
    kiosk = Obstacle("Kiosk", np.array([[2.0, -1], [4, -1], [4, 1], [2, 1]]))
    crowd = Crowd("Pair", count=2, agents=(Agent((3, 0.2), (9, 0)), Agent((0, 0), (9, 2))))
    made = simulate(Scene(frames=(1, 30), obstacles=(kiosk,), crowds=(crowd,)))
    assert "Pair: 1 of 2 started in an obstacle or outside the bounds and were moved to free ground." in made.notices
    x, y = made.position[..., 0], made.position[..., 1]
    assert not ((x > 2) & (x < 4) & (y > -1) & (y < 1)).any()


def test_a_sum_of_frames_and_people_that_no_memory_holds_is_refused():
    crowd = Crowd("Walkers", count=100_000, route="Road", spawn=Spawn("flow"))
    with pytest.raises(SceneError, match=r"^frames: 1000000 frames of 100000 people need \d+ GiB"):
        simulate(Scene(frames=(1, 1_000_000), routes=(ROAD,), crowds=(crowd,)))


def test_a_route_longer_than_any_walk_is_refused():
    far = Route("Road", np.array([[0.0, 0, 0], [2e6, 0, 0]]))
    with pytest.raises(SceneError, match=r"routes\[0\].points: the route is 2000 km long"):
        simulate(Scene(frames=(1, 1), routes=(far,), crowds=(Crowd("Walkers", count=1, route="Road"),)))


@pytest.mark.parametrize(("size", "count"), [(2, 24), (3, 24), (4, 20)])
def test_groups_are_spread_over_routes_that_have_room_for_them(size: int, count: int) -> None:
    """Between two areas 40 m apart and 6 m wide; those of a group are near each other."""
    areas = [{"name": name, "outline": [[x, -3], [x + 2, -3], [x + 2, 3], [x, 3]]} for name, x in (("A", 0), ("B", 40))]
    crowd = {"name": "Groups", "count": count, "start": "A", "goal": "B", "spawn": {"mode": "spread"}}
    data = {
        "footfall_scene": 1,
        "fps": 24,
        "frames": [1, 2],
        "areas": areas,
        "crowds": [crowd | {"groups": [size] * 2}],
    }
    made = simulate(scene_from_json(data | {"bounds": [[-5, -10], [50, -10], [50, 10], [-5, 10]]}))
    place = made.position[0, :, :2]
    apart = np.sqrt(((place[:, None] - place) ** 2).sum(axis=2))
    assert apart[~np.eye(count, dtype=bool)].min() > 0.5
    same = made.group[:, None] == made.group
    assert apart[same].max() < 3.0
    assert place[:, 0].max() - place[:, 0].min() > 20.0


@pytest.mark.parametrize("mode", ["at_once", "spread"])
def test_nobody_starts_behind_a_long_wall_beside_the_line_but_behind_a_pillar_some_do(mode):
    fence = np.array([[-2.0, 0.8], [32.0, 0.8]])
    pillars = tuple(
        Obstacle(f"Pillar {k}", np.array([[x, -0.8], [x + 0.3, -0.8], [x + 0.3, -0.5], [x, -0.5]]))
        for k, x in enumerate(range(30))
    )
    crowd = Crowd("Walkers", count=20, route="Road", spawn=Spawn(mode))

    def sides(**scene):
        return simulate(Scene(frames=(1, 1), routes=(ROAD,), crowds=(crowd,), **scene)).position[0, :, 1]

    assert (sides() > 0.8).any()
    assert (sides(walls=(fence,)) < 0.8).all()
    assert (sides(obstacles=pillars) < -0.8).any()


@pytest.mark.parametrize("count", [24, 60])
def test_groups_are_spread_over_the_whole_area_where_they_start_and_stay_side_by_side(count):
    start, goal = (np.array([[x, -5.0], [x + 8.0, -5.0], [x + 8.0, 5.0], [x, 5.0]]) for x in (-16.0, 10.0))
    crowd = Crowd("Friends", count=count, start="Start", goal="Goal", groups=(1, 3))
    agents = Simulation(Scene(crowds=(crowd,), areas=(Area("Start", start), Area("Goal", goal)), frames=(1, 2))).agents
    thirds = np.histogram(agents.position[:, 1], bins=3, range=(-5.0, 5.0))[0]
    assert thirds.min() >= count // 6
    for group in np.unique(agents.group[agents.group >= 0]):
        members = agents.position[agents.group == group]
        assert np.hypot(*(members - members[0]).T).max() < 3.0


@pytest.mark.parametrize("mode", ["at_once", "spread"])
@pytest.mark.parametrize(("width", "size"), [(1.2, 2), (1.5, 2), (2.0, 2), (2.6, 3)])
def test_friends_begin_side_by_side_on_a_drawn_path(mode, width, size):
    route = Route("Aisle", np.array([[0.0, 0, 0], [50, 0, 0]]), width=width)
    crowd = Crowd("Pairs", count=6 * size, route="Aisle", groups=(size, size), spawn=Spawn(mode))
    made = simulate(Scene(frames=(1, 2), seed=3, routes=(route,), crowds=(crowd,)))
    place = made.position[0, :, :2].reshape(6, size, 2)
    assert np.ptp(place[..., 0], axis=1).max() < 0.01
    assert np.diff(np.sort(place[..., 1], axis=1), axis=1).min() > 0.6


@pytest.mark.parametrize("mode", ["at_once", "spread"])
def test_groups_that_no_row_has_room_for_begin_all_the_same(mode):
    route = Route("Aisle", np.array([[0.0, 0, 0], [40, 0, 0]]), width=1.2)
    crowd = Crowd("Fives", count=33, route="Aisle", groups=(1, 5), spawn=Spawn(mode))
    made = simulate(Scene(frames=(1, 2), seed=3, routes=(route,), crowds=(crowd,)))
    place = made.position[0, :, :2]
    apart = np.linalg.norm(place[:, None] - place, axis=-1)[~np.eye(33, dtype=bool)]
    assert apart.min() > 0.5
