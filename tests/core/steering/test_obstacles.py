# SPDX-License-Identifier: GPL-3.0-or-later
"""What ORCA does for people among obstacles that stand or move."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import GeometryError
from core.steering import orca
from core.steering.backends import kernels_of

RADIUS = 0.3
SQUARE = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
CORNER = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 3.0], [2.0, 3.0], [2.0, 1.0], [0.0, 1.0]])  # an L, one corner inward


def distance_to_edges(points, outline, *, closed=True):
    """The least distance of points (N, 2) to the edges of an outline."""
    start = outline if closed else outline[:-1]
    along = (np.roll(outline, -1, axis=0) if closed else outline[1:]) - start
    gap = points[:, None] - start
    s = np.clip((gap * along).sum(axis=-1) / (along * along).sum(axis=-1), 0.0, 1.0)
    return np.linalg.norm(gap - s[..., None] * along, axis=-1).min(axis=1)


def encloses(outline, points):
    """Whether points (N, 2) lie inside an outline, by counting crossings."""
    after = np.roll(outline, -1, axis=0)
    x, y = points[:, :1], points[:, 1:]
    spans = (outline[:, 1] > y) != (after[:, 1] > y)
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = outline[:, 0] + (y - outline[:, 1]) * (after - outline)[:, 0] / (after - outline)[:, 1]
    return (spans & (x < crossing)).sum(axis=1) % 2 == 1


def walk(position, goal, *, steps, settings, obstacles, backend="numpy"):
    """Everybody's places at all steps; `obstacles` may be a function of the step."""
    position, velocity = np.array(position, dtype=float), np.zeros(np.shape(position))
    places = [position]
    for step in range(steps):
        to_goal = goal - position
        distance = np.linalg.norm(to_goal, axis=1, keepdims=True)
        preferred = to_goal / np.maximum(distance, 1e-9) * np.minimum(1.3, distance)
        now = obstacles(step) if callable(obstacles) else obstacles
        velocity = orca.new_velocity(
            position, velocity, preferred, RADIUS, 2.0, obstacles=now, backend=backend, **settings
        )
        position = position + velocity * settings["dt"]
        places.append(position)
    return np.array(places)


@pytest.mark.parametrize("outline", [SQUARE, CORNER, SQUARE[:3]], ids=["square", "L", "triangle"])
def test_new_velocity_stays_off_the_obstacle_for_the_horizon(outline, settings, backend):
    """The half planes are exact: whoever goes straight on with the new velocity does not touch within the horizon."""
    rng = np.random.default_rng(21)
    horizon = settings["time_horizon_obstacles"]
    position = rng.uniform(-3.0, 5.0, (400, 2))
    free = ~encloses(outline, position) & (distance_to_edges(position, outline) > RADIUS + 1e-6)
    position = position[free][:120]
    velocity, preferred = rng.normal(0.0, 1.5, (2, position.shape[0], 2))
    settings["max_neighbours"] = 0
    found = orca.new_velocity(
        position, velocity, preferred, RADIUS, 3.0, obstacles=[outline], backend=backend, **settings
    )
    time = np.linspace(0.0, horizon, 60)

    def nearest(chosen):
        return np.min([distance_to_edges(position + chosen * t, outline) for t in time], axis=0)

    assert (nearest(preferred) < RADIUS - 1e-3).sum() > 5  # else nothing was shown
    assert (nearest(found) >= RADIUS - 1e-9).all()


def test_an_obstacle_out_of_the_way_changes_nothing(settings, backend):
    preferred = np.array([[1.0, 0.5]])
    found = orca.new_velocity(
        [[-5.0, 0.0]], [[1.0, 0.0]], preferred, RADIUS, 2.0, obstacles=[SQUARE], backend=backend, **settings
    )
    np.testing.assert_array_equal(found, preferred)


def test_nobody_passes_a_wall_from_either_side(settings, backend):
    wall = np.array([[0.0, -2.0], [0.3, 0.0], [0.0, 2.0]])
    start = np.array([[-1.0, 0.2], [1.2, 0.1], [-1.0, -1.0], [1.2, -1.1]])
    obstacles = orca.prepare_obstacles(walls=[wall])
    places = walk(start, start * [-1.0, 1.0], steps=80, settings=settings, obstacles=obstacles, backend=backend)
    for position in places:
        assert (distance_to_edges(position, wall, closed=False) >= RADIUS - 1e-9).all()
    assert (np.sign(places[-1, :, 0] - 0.15) == np.sign(start[:, 0])).all()
    assert (np.abs(places[-1, :2, 0]) < 0.8).all()  # they did come close


def test_people_get_round_a_corner_of_an_obstacle(settings, backend):
    goal = np.array([[3.0, 1.4]])
    places = walk([[-3.0, 0.9]], goal, steps=160, settings=settings, obstacles=[SQUARE], backend=backend)
    assert distance_to_edges(places[:, 0], SQUARE).min() >= RADIUS - 1e-9
    np.testing.assert_allclose(places[-1], goal, atol=0.05)


def test_a_clockwise_outline_keeps_people_inside(settings, backend):
    room = 2.0 * SQUARE[::-1]
    rng = np.random.default_rng(3)
    start = rng.uniform(-1.0, 1.0, (3, 2))
    places = walk(start, 10.0 * start, steps=80, settings=settings, obstacles=[room], backend=backend)
    assert (np.abs(places) <= 2.0 - RADIUS + 1e-9).all()
    assert np.abs(places[-1]).max() > 1.6


def test_a_moving_obstacle_pushes_people_out_of_its_way(settings, backend):
    """It comes at 0.8 m/s on three who would rather stand; they may do 2 m/s."""
    start = np.array([[4.0, 0.1], [5.0, -0.8], [4.5, 0.9]])
    settings["time_horizon_obstacles"] = 2.0

    def tram(step):
        return orca.prepare_obstacles([SQUARE + np.array([0.8 * settings["dt"] * step, 0.0])], velocities=[[0.8, 0.0]])

    places = walk(start, start, steps=200, settings=settings, obstacles=tram, backend=backend)
    for step, position in enumerate(places):
        outline = SQUARE + np.array([0.8 * settings["dt"] * step, 0.0])
        assert not encloses(outline, position).any()
        assert (distance_to_edges(position, outline) >= RADIUS - 1e-6).all()
    assert np.abs(places[100:140] - start).max() > 0.3


def test_only_relative_motion_counts(settings, backend, crowd):
    """Seen from a train everything is the same: people, obstacle and wishes."""
    position, velocity, preferred, radius, _ = crowd(20, density=0.5, seed=8)
    train = np.array([0.7, -0.4])
    position, velocity, preferred = position[:1], velocity[:1], preferred[:1]
    outline = position + np.array([0.9, 0.0]) + 0.5 * SQUARE
    rest = orca.new_velocity(
        position, velocity, preferred, radius[:1], 9.0, obstacles=[outline], backend=backend, **settings
    )
    ride = orca.new_velocity(
        position,
        velocity + train,
        preferred + train,
        radius[:1],
        9.0,
        obstacles=[outline],
        obstacle_velocities=[train],
        backend=backend,
        **settings,
    )
    assert not np.allclose(rest, preferred)
    np.testing.assert_allclose(ride, rest + train, atol=1e-12)


def test_a_turning_obstacle_counts_with_the_velocity_of_its_nearest_point(settings, backend):
    """A door turns about one end; who stands near its middle meets half of the velocity of its other end."""
    door = np.array([[0.0, 0.0], [0.0, -0.1], [2.0, -0.1], [2.0, 0.0]])
    spin = 1.0
    corners = spin * np.stack((-door[:, 1], door[:, 0]), axis=1)
    person = np.array([[1.0, 0.4]])
    settings["max_neighbours"] = 0
    turning, sliding = (
        orca.new_velocity(
            person,
            np.zeros((1, 2)),
            np.zeros((1, 2)),
            RADIUS,
            5.0,
            obstacles=[door],
            obstacle_velocities=[velocity],
            backend=backend,
            **settings,
        )
        for velocity in (corners, [0.0, spin * 1.0])
    )
    assert turning[0, 1] > 0.5
    np.testing.assert_allclose(turning, sliding, atol=1e-12)


def test_standing_obstacles_hold_when_moving_ones_leave_no_way_out(settings, backend):
    """Between a wall and something that comes too fast to escape, nobody is pressed through the wall."""
    found = orca.new_velocity(
        [[0.0, 0.0]],
        np.zeros((1, 2)),
        np.zeros((1, 2)),
        RADIUS,
        2.0,
        obstacles=[
            [[0.4, -50.0], [0.8, -50.0], [0.8, 50.0], [0.4, 50.0]],
            [[-2.0, -50.0], [-0.5, -50.0], [-0.5, 50.0], [-2.0, 50.0]],
        ],
        obstacle_velocities=[None, [9.0, 0.0]],
        backend=backend,
        **settings,
    )
    np.testing.assert_allclose(found[0, 0] * settings["time_horizon_obstacles"], 0.4 - RADIUS, atol=1e-9)


def test_moving_obstacles_join_those_that_are_prepared(settings, backend, crowd):
    state = crowd(60, density=1.0, seed=9)
    standing, moving = [SQUARE + 3.0, 0.5 * SQUARE + [6.0, 2.0]], [0.7 * SQUARE + [2.0, 6.0]]
    drift = [[0.3, -0.2]]
    once = orca.prepare_obstacles(standing + moving, velocities=[None, None, *drift])
    joined = orca.prepare_obstacles(standing).with_moving(moving, drift)
    assert len(joined) == len(once) == 12
    expected = orca.new_velocity(*state, obstacles=once, backend=backend, **settings)
    found = orca.new_velocity(*state, obstacles=joined, backend=backend, **settings)
    assert found.tobytes() == expected.tobytes()
    elsewhere = [0.7 * SQUARE + [6.0, 6.0]]  # a step later, beside the same prepared ones
    once = orca.prepare_obstacles(standing + elsewhere, velocities=[None, None, *drift])
    joined = orca.prepare_obstacles(standing)
    for polygons in (moving, elsewhere):
        found = orca.new_velocity(*state, obstacles=joined.with_moving(polygons, drift), backend=backend, **settings)
    assert found.tobytes() == orca.new_velocity(*state, obstacles=once, backend=backend, **settings).tobytes()


@pytest.mark.parametrize("reach", [0.5, 3.0, 12.0])
def test_edges_near_people_are_all_those_seen_from_outside(reach, backend):
    rng = np.random.default_rng(30)
    outlines = [rng.uniform(0.5, 2.0) * SQUARE + rng.uniform(0.0, 40.0, 2) for _ in range(40)]
    long_wall = np.array([[-5.0, 3.0], [45.0, 30.0]])
    drifts = [None if number % 3 else [0.1, 0.0] for number in range(len(outlines))]
    obstacles = orca.prepare_obstacles(outlines[:20], walls=[long_wall], velocities=drifts[:20])
    obstacles = obstacles.with_moving(outlines[20:], drifts[20:])
    position, reaches = rng.uniform(-10.0, 50.0, (300, 2)), rng.uniform(0.5, 1.0, 300) * reach
    segments = obstacles.segments
    found = kernels_of(backend).edges.edges_near(position, reaches, obstacles.grid_for(reaches.max()), segments)
    assert found.items.size > 15
    for agent, (place, limit) in enumerate(zip(position, reaches, strict=True)):
        along, gap = segments.end - segments.start, place - segments.start
        s = np.clip((gap * along).sum(axis=1) / (along * along).sum(axis=1), 0.0, 1.0)
        distance = np.linalg.norm(gap - s[:, None] * along, axis=1)
        seen = along[:, 0] * gap[:, 1] - along[:, 1] * gap[:, 0] < 0.0
        near = found.items[found.first[agent] : found.first[agent + 1]]
        assert set(near) == set(np.flatnonzero(seen & (distance < limit)))
        stands = segments.stands[near]
        assert (stands == np.sort(stands)[::-1]).all()
        assert (np.diff(distance[near][stands]) >= -1e-12).all()
        assert (np.diff(distance[near][~stands]) >= -1e-12).all()


def test_repeated_points_are_dropped():
    assert len(orca.prepare_obstacles([np.repeat(SQUARE, 2, axis=0)])) == 4
    assert len(orca.prepare_obstacles([np.concatenate((SQUARE, SQUARE[:1]))])) == 4
    assert len(orca.prepare_obstacles(walls=[[[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]])) == 4


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"polygons": [SQUARE, [1.0, 2.0]]}, r"polygons\[1\] must be an array of shape \(points, 2\), got \(2,\)"),
        ({"polygons": [[[1.0, 1.0], [1.0, 1.0]]]}, r"polygons\[0\] must have at least two different points"),
        ({"walls": [[[1.0, 1.0]]]}, r"walls\[0\] must have at least two different points"),
        ({"walls": [[[1.0, np.inf], [0.0, 0.0]]]}, r"walls\[0\] has points that are not finite"),
        ({"polygons": [SQUARE], "velocities": []}, "a velocity for each polygon: 1, got 0"),
        (
            {"polygons": [SQUARE], "velocities": [[1.0, 2.0, 3.0]]},
            r"velocities\[0\] must have the shape \(2,\) or \(4, 2\)",
        ),
        ({"polygons": [SQUARE], "velocities": [[np.nan, 0.0]]}, r"velocities\[0\] has numbers that are not finite"),
    ],
)
def test_obstacles_without_meaning_are_refused(given, message):
    with pytest.raises(GeometryError, match=message):
        orca.prepare_obstacles(**given)


def test_velocities_go_with_plain_polygons_only(settings):
    nothing = np.zeros((1, 2))
    with pytest.raises(GeometryError, match="give them to prepare_obstacles"):
        orca.new_velocity(
            nothing,
            nothing,
            nothing,
            0.3,
            1.0,
            obstacles=orca.prepare_obstacles([SQUARE]),
            obstacle_velocities=[None],
            **settings,
        )


def test_edges_of_thousands_of_kilometres_are_entered_in_a_grid_of_bounded_size():
    far = 5e6
    obstacles = orca.prepare_obstacles([[[-far, 0.0], [1.0, -1.0], [1.0, 0.0]]])
    grid = obstacles.grid_for(5.0)
    assert grid.edges.size < 2**23
    edges_near = kernels_of("numpy").edges.edges_near
    found = edges_near(np.array([[-4e6, 2.0], [-4e6, 9.0]]), np.full(2, 5.0), grid, obstacles.segments)
    assert np.diff(found.first).tolist() == [1, 0]
