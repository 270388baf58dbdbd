# SPDX-License-Identifier: GPL-3.0-or-later
"""What looking along headings does for people."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.errors import GeometryError
from core.steering import human_like, orca
from core.steering.bodies import Bodies, prepared_obstacles
from core.steering.kernels.arrays import HeadingAims, Ragged, SortedAgents, rows_of
from core.steering.kernels.reference import human_like as human_like_numpy
from core.steering.kernels.reference import view
from core.steering.kernels.reference import walls as walls_numpy

VIEW = {"time_horizon": 3.0, "neighbour_distance": 6.0, "max_neighbours": 10}


def street(side):
    """A bent block, one that drifts, and a wall."""
    block = [[0.1, 0.1], [0.4, 0.12], [0.3, 0.2], [0.35, 0.4], [0.1, 0.4]]
    return orca.prepare_obstacles(
        [side * np.array(block), side * np.array([[0.6, 0.6], [0.8, 0.6], [0.7, 0.8]])],
        walls=[side * np.array([[0.0, 0.5], [0.5, 0.52], [0.9, 0.45]])],
        velocities=[None, [0.4, -0.3]],
    )


def varied(state, seed):
    """All arguments that may differ from agent to agent."""
    agents = len(state[0])
    rng = np.random.default_rng(seed)
    return {
        **VIEW,
        "time_horizon": rng.uniform(1.0, 4.0, agents),
        "reaction_time": rng.uniform(0.3, 0.7, agents),
        "max_turn_rate": np.where(np.arange(agents) % 3 == 0, np.inf, rng.uniform(0.5, 4.0, agents)),
        "heading": rng.uniform(-9.0, 9.0, agents),
        "target": state[0] + rng.normal(0.0, 5.0, (agents, 2)),
        "flees": np.arange(agents) % 5 == 0,
        "avoids": np.arange(agents) % 7 > 0,
        "symmetry": orca.SymmetryBreaking(),
    }


def model(settings=None, symmetry=None, backend="auto", **options):
    """The model and the bodies' arguments, of all options that tests give."""
    given = {name: options.pop(name) for name in ("heading", "avoids") if name in options}
    view = human_like.Vision(**options)
    settings = settings or human_like.HumanLikeSettings()
    return human_like.HumanLike(view, settings, symmetry, backend), given


def new_velocity(position, velocity, preferred, radius, max_speed, *, obstacles=(), **options):
    chosen, given = model(**options)
    bodies = Bodies(position, velocity, preferred, radius, max_speed, **given)
    return chosen.new_velocity(bodies, prepared_obstacles(obstacles, None), 0.05)


def headings(agent, position, velocity, preferred, radius, max_speed, **options):
    chosen, given = model(backend="numpy", **options)
    bodies = Bodies(position, velocity, preferred, radius, max_speed, **given)
    return chosen.headings(agent, bodies, orca.prepare_obstacles())


@pytest.fixture
def fan():
    """The headings that people look along if nothing else is said."""
    return human_like.fan_of(human_like.HumanLikeSettings())


@pytest.mark.parametrize("density", [0.3, 1.5, 6.0])
def test_twins_give_the_same_bits(density, numba, crowd, few):
    agents = 60 if few else 500
    position, velocity, *rest = crowd(agents, density=density, seed=3)
    position[1] = position[0]
    options = varied((position,), seed=4)
    obstacles = street(np.sqrt(agents / density))
    for _ in range(1 if few else 10):
        found = [
            new_velocity(position, velocity, *rest, obstacles=obstacles, backend=name, **options)
            for name in ("numpy", numba)
        ]
        assert found[0].tobytes() == found[1].tobytes()
        velocity = found[0]
        position = position + 0.05 * velocity


@pytest.mark.parametrize("threads", ["1", "2", "3"])
def test_neither_threads_nor_chunks_nor_order_change_a_bit(threads, numba, crowd, monkeypatch, few):
    from core.compiled import compiling

    agents = 50 if few else 300
    state, obstacles = crowd(agents, density=1.5, seed=5), street(14.0)
    options = varied(state, seed=6)
    expected = new_velocity(*state, obstacles=obstacles, backend="numpy", **options)
    monkeypatch.setenv("FOOTFALL_THREADS", threads)
    monkeypatch.setattr(compiling, "HAND_OVER", 1e-6)
    monkeypatch.setattr(human_like_numpy, "CHUNK", 37)
    monkeypatch.setattr(walls_numpy, "CHUNK", 41)
    order = np.random.default_rng(int(threads)).permutation(agents)
    each = {name: value[order] if isinstance(value, np.ndarray) else value for name, value in options.items()}
    for name in ("numpy", numba):
        found = new_velocity(*(part[order] for part in state), obstacles=obstacles, backend=name, **each)
        assert found.tobytes() == expected[order].tobytes()


def contact_by_marching(place, heading, speed, radius, others, edges):
    """When a body that goes along a heading first touches discs (x, y, vx, vy, reach) or edges (a, b, velocity)."""
    time = np.linspace(0.0, 3.0, 3_001)[:, None]
    own = place + time * (speed * heading)
    clear = np.full(time.size, np.inf)
    for x, y, v_x, v_y, reach in others:
        gap = np.array([x, y]) + time * np.array([v_x, v_y]) - own
        clear = np.minimum(clear, np.hypot(*gap.T) - reach)
    for start, end, velocity in edges:
        off, along = own - time * velocity - start, end - start
        share = np.clip(off @ along / (along @ along), 0.0, 1.0)
        clear = np.minimum(clear, np.hypot(*(off - share[:, None] * along).T) - radius)
    touched = np.flatnonzero(clear <= 0.0)
    return (time[touched[0], 0] if touched.size else np.inf), clear.min()


def seen_from(state, aims, edges, segments, fan):
    """Headings (2, M) and the time (M,) for which each is free, for the first of the agents."""
    e = view.fan_of(aims, slice(0, 1), fan)
    urgency = walls_numpy.wall_urgency(state, aims, slice(0, 1), edges, segments, e, fan.creep)
    people = view.bodies(state, aims, slice(0, 1), np.arange(1, state.radius.size)[:, None], fan.creep)
    for rank in range(state.radius.size - 1):
        urgency = np.maximum(urgency, view.disc_urgency(rows_of(people, rank), *e))
    with np.errstate(divide="ignore"):
        return np.array(e)[:, :, 0], 1.0 / urgency[:, 0]


def test_free_times_are_those_found_by_marching(fan):
    """f(alpha): agents and walls that stand and move, from outside all of them; nobody is overtaken from behind."""
    rng = np.random.default_rng(11)
    square = np.array([[1.0, 1.0], [2.5, 1.2], [2.3, 2.4], [1.1, 2.0]])
    compared = 0
    for _ in range(12):
        place, drift = rng.uniform(-1.5, 0.5, 2), rng.normal(0.0, 0.3, 2)
        others = place + rng.uniform(0.8, 3.0, (4, 1)) * np.array([np.cos(a := rng.uniform(0, 7, 4)), np.sin(a)]).T
        velocity = rng.normal(0.0, 0.8, (5, 2))
        radius, speed, angle = rng.uniform(0.2, 0.3, 5), rng.uniform(0.5, 1.8), rng.uniform(0.0, 7.0)
        obstacles = orca.prepare_obstacles([square], velocities=[drift])
        segments = obstacles.segments
        state = SortedAgents(
            np.vstack((place, others)),
            velocity,
            velocity,
            radius,
            np.full(5, 2.0),
            np.ones(5),
            np.zeros(5),
            np.full(5, np.nan),
        )
        heading = np.array([[np.cos(angle), np.sin(angle)]])
        one = np.ones(1)
        aims = HeadingAims(heading, heading, 3.0 * one, speed * one, 3.0 * one, 0.5 * one, np.inf * one)
        off = place - segments.start
        outside = segments.unit[:, 0] * off[:, 1] - segments.unit[:, 1] * off[:, 0] < 0.0
        edges = Ragged(np.array([0, outside.sum()]), np.flatnonzero(outside))
        headings, free = seen_from(state, aims, edges, segments, fan)
        walls = [(segments.start[i], segments.end[i], drift) for i in range(4)]
        discs = np.column_stack((others, velocity[1:], radius[1:] + radius[0]))
        for way, found in zip(headings.T, free, strict=True):
            expected, closest = contact_by_marching(place, way, speed, radius[0], discs, walls)
            if abs(closest) < 2e-3:  # a graze, which marching may miss
                continue
            compared += 1
            if found > 3.0:
                assert not np.isfinite(expected)
            else:
                assert expected == pytest.approx(found, abs=2e-3)
    assert compared > 500


def alone(settings=None, **options):
    """The velocity of somebody at the origin who wants to go 1.3 m/s along x."""
    given = {"radius": 0.25, "max_speed": 2.0, "obstacles": (), **VIEW, **options}
    radius, max_speed = given.pop("radius"), given.pop("max_speed")
    return new_velocity([[0.0, 0.0]], [[1.0, 0.0]], [[1.3, 0.0]], radius, max_speed, settings=settings, **given)[0]


def beside(position, velocity, **options):
    """The velocity of somebody at the origin who goes 1.3 m/s along x, with others beside."""
    places = np.vstack(([[0.0, 0.0]], position))
    moves = np.vstack(([[1.3, 0.0]], velocity))
    return new_velocity(places, moves, moves, 0.25, 2.0, **{**VIEW, **options})[0]


def test_somebody_alone_goes_as_preferred(backend):
    np.testing.assert_array_equal(alone(backend=backend), [1.3, 0.0])


def test_nobody_goes_faster_than_possible(backend):
    np.testing.assert_allclose(alone(max_speed=0.8, backend=backend), [0.8, 0.0])


def test_a_target_near_behind_is_turned_to(backend):
    found = alone(target=[[-0.3, 0.0]], heading=[0.0], backend=backend)
    assert found[0] < -0.5


def test_who_flees_goes_the_other_way(backend):
    np.testing.assert_allclose(alone(target=[[2.0, 0.0]], flees=[True], backend=backend), [-1.3, 0.0])


def test_who_meets_somebody_turns_aside(backend):
    found = beside([[2.0, 0.05]], [[-1.3, 0.0]], backend=backend)
    assert abs(found[1]) > 0.1
    assert found[0] > 0.5


def test_whoever_comes_from_behind_sees_to_it_unless_it_heeds_nobody(backend):
    behind = [[-0.8, 0.0]], [[2.0, 0.0]]
    np.testing.assert_array_equal(beside(*behind, backend=backend), [1.3, 0.0])
    hero = beside(*behind, avoids=np.array([True, False]), backend=backend)
    assert abs(hero[1]) > 0.1


def test_the_headings_told_are_those_that_are_chosen_from():
    state = [[0.0, 0.0], [-0.8, 0.0]], [[1.3, 0.0], [2.0, 0.0]], [[1.3, 0.0], [2.0, 0.0]], 0.25, 2.0
    for options in (
        {"avoids": np.array([True, False])},
        {"target": np.array([[1.0, 2.0], [3.0, 0.0]])},
        {"flees": np.array([True, False])},
        {"symmetry": orca.SymmetryBreaking()},
        {"reaction_time": 0.9},
    ):
        given = {**VIEW, **options}
        taken = new_velocity(*state, **given)[0]
        seen = headings(0, *state, **given)
        best = seen.direction[seen.time.argmin()]
        np.testing.assert_allclose(best, taken / np.hypot(*taken), atol=1e-9, err_msg=str(options))
    hero = headings(0, *state, **VIEW, avoids=np.array([True, False]))
    assert hero.free[0] < headings(0, *state, **VIEW).free[0]


def test_behind_somebody_slower_one_goes_as_fast_where_there_is_no_way_round(backend):
    walls = [np.array([[-5.0, 0.3], [20.0, 0.3], [20.0, 0.5], [-5.0, 0.5]])]
    walls.append(walls[0][::-1] * [1.0, -1.0])
    found = beside([[0.51, 0.0]], [[0.6, 0.0]], obstacles=walls, backend=backend)
    assert found[0] == pytest.approx(0.6, abs=0.05)
    assert found[1] == pytest.approx(0.0, abs=0.06)


def test_those_in_contact_may_part_but_not_go_deeper(backend):
    """g(alpha): into whom one touches only at the creeping speed, away at any."""
    creep = human_like.HumanLikeSettings().creep
    narrow = human_like.HumanLikeSettings(headings=1, behind=0)
    into = beside([[0.4, 0.0]], [[0.0, 0.0]], settings=narrow, backend=backend)
    np.testing.assert_allclose(into, [creep, 0.0], atol=1e-12)
    np.testing.assert_allclose(beside([[-0.4, 0.0]], [[0.0, 0.0]], settings=narrow, backend=backend), [1.3, 0.0])


def test_who_touches_a_wall_slides_along_it(backend):
    wall = [np.array([[-5.0, -0.24], [-5.0, -1.0], [5.0, -1.0], [5.0, -0.24]])]
    found = alone(target=[[3.0, -0.2]], obstacles=wall, backend=backend)
    assert found[0] > 1.2
    assert found[1] > -0.06


def test_who_turns_slowly_goes_slowly_into_a_turn(backend):
    """Before a wall, 0.65 m from touching it, only so large a circle fits."""
    block = [np.array([[0.9, -3.0], [2.0, -3.0], [2.0, 3.0], [0.9, 3.0]])]
    quick = alone(target=[[0.0, 4.0]], heading=[0.0], obstacles=block, backend=backend)
    slow = alone(target=[[0.0, 4.0]], heading=[0.0], obstacles=block, max_turn_rate=0.8, backend=backend)
    assert np.hypot(*quick) == pytest.approx(1.3)
    angle = np.linspace(0.01, 1.57, 1000)
    largest = ((0.65 / np.cos(angle)).clip(max=3.9) + 0.2) / (2.0 * np.sin(angle))
    assert np.hypot(*slow) == pytest.approx(0.8 * largest.min(), rel=0.01)


@pytest.mark.parametrize("agents", [0, 1, 2])
def test_few_or_none_without_speed_or_size(agents, backend):
    nothing = np.zeros((agents, 2))
    found = new_velocity(nothing, nothing, nothing, 0.0, 0.0, max_turn_rate=2.0, backend=backend, **VIEW)
    np.testing.assert_array_equal(found, nothing)


def test_those_in_one_place_part(backend):
    here = np.full((2, 2), 3.0)
    found = new_velocity(here, np.ones((2, 2)), np.ones((2, 2)), 0.25, 2.0, backend=backend, **VIEW)
    assert np.isfinite(found).all()
    assert (found[0] != found[1]).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"time_horizon": 0.0}, "time_horizon must be above 0"),
        ({"reaction_time": [0.5, 0.5]}, "reaction_time must be one number"),
        ({"max_turn_rate": math.nan}, "max_turn_rate must be finite"),
        ({"heading": [0.0, 1.0]}, "heading must be a finite number"),
        ({"target": [[math.inf, 0.0]]}, "target must be finite"),
        ({"target": np.zeros((2, 2))}, "target must have the shape"),
        ({"flees": [1]}, "flees must be True or False"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises(GeometryError, match=message):
        alone(**options)


@pytest.mark.parametrize(
    "settings", [{"field_of_view": 4.0}, {"headings": 10}, {"behind": -1}, {"creep": 0.0}, {"detour": math.inf}]
)
def test_settings_without_meaning_are_refused(settings):
    with pytest.raises(GeometryError, match=next(iter(settings))):
        human_like.HumanLikeSettings(**settings)
