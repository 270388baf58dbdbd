# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans followed to the letter: along every curve, round what stands there, to rest where they should."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.distance_field import ObstacleField
from core.planning import FrenetPlanner, PlannerInput, PlannerSettings, Plans, ReferenceSet
from tests.sweeps import sweep

pytestmark = pytest.mark.once

RADIUS = 0.24
BORNE = 3.0  # [m/s2]


def disc(x, y, radius, corners=12):
    angle = np.linspace(0.0, 2.0 * np.pi, corners, endpoint=False)
    return np.stack((x + radius * np.cos(angle), y + radius * np.sin(angle)), axis=-1)


def box(left, low, right, high):
    return np.array([(left, low), (right, low), (right, high), (left, high)])


def field(*outlines):
    return ObstacleField([(outline, []) for outline in outlines])


def straight(length=20.0, **kwargs):
    return ReferenceSet.from_polylines([[(0, 0), (length, 0)]], **kwargs)


def agents(count=1, **values):
    preferences = values.pop("preferences", None)
    names = [name for name in PlannerInput.__dataclass_fields__ if name != "preferences"]
    given = dict.fromkeys(names, 0.0) | {"wanted_speed": 1.34, "radius": RADIUS} | values
    arrays = {name: np.broadcast_to(np.asarray(value, dtype=np.float64), count) for name, value in given.items()}
    return PlannerInput(
        **{**arrays, "path": arrays["path"].astype(int), "stop_at_end": arrays["stop_at_end"].astype(bool)},
        preferences=preferences,
    )


@pytest.fixture(scope="module")
def references(curves):
    lines, closed = zip(*curves.values(), strict=True)
    return ReferenceSet.from_polylines(lines, closed)


@pytest.mark.parametrize("wishes", sweep([{}, {"wanted_offset": 0.5}, {"noise": 0.02}, {"d": 0.4}], usual=3), ids=str)
def test_every_curve_is_followed_to_its_end(references, curves, follow, farthest_from_line, wishes):
    if "d" in wishes:
        right, left = references.bend_limits(np.arange(len(references)), np.zeros(len(references)))
        wishes = {"d": np.clip(wishes["d"], right, left)}
    enough = np.where(references.closed, 1.2 * references.lengths, np.inf) + 0.01
    result = follow(references, np.arange(len(references)), seconds=36.0, enough=enough, **wishes)
    assert np.isfinite(result.position).all()
    forward = np.diff(result.s, axis=0)
    assert forward.max() < 0.9  # [m] in a tick: no lap and no hairpin is skipped
    assert np.all(result.peak < BORNE)
    for number, (name, (points, closed)) in enumerate(curves.items()):
        if closed:
            assert result.s[-1, number] > 1.2 * references.lengths[number], name
        else:
            assert abs(result.s[-1, number] - references.lengths[number]) < (0.3 if "noise" in wishes else 1e-6), name
        if not wishes:
            sharp = name in {"cusp_bezier", "out_and_back"}
            places = result.position[:, number]
            if closed:
                places = places[result.s[:, number] < references.lengths[number]]
            assert max(farthest_from_line(places, points, closed)) < (0.6 if sharp else 0.15), name


def test_who_starts_beside_the_line_goes_over_to_it(follow):
    result = follow(straight(), [0, 0, 0], seconds=9.0, d=[0.5, -0.8, 0.0], wanted_offset=[0.0, 0.0, 0.6], s_dot=1.34)
    np.testing.assert_allclose(result.d[-1], [0.0, 0.0, 0.6], atol=0.01)
    assert result.peak.max() < 1.8
    assert np.abs(result.d[:, :2]).max(axis=0)[0] < 0.52
    assert result.d[:, 0].min() > -0.03


def test_who_is_far_beside_the_line_returns_at_a_gentle_angle(follow):
    result = follow(straight(30.0), [0, 0], seconds=15.0, d=[2.4, -1.6], s_dot=1.34)
    step = np.diff(result.position, axis=0)
    angle = np.degrees(np.arctan2(np.abs(step[..., 1]), step[..., 0]))
    assert (angle.max(axis=0) > 12.0).all()
    assert angle.max() < 25.0
    np.testing.assert_allclose(result.d[-1], 0.0, atol=0.01)


def test_people_abreast_stay_abreast_within_the_width(follow):
    offsets = np.array([-3.0, -0.5, 0.5, 3.0])
    result = follow(straight(half_width=1.0), np.zeros(4, dtype=int), seconds=9.0, wanted_offset=offsets)
    np.testing.assert_allclose(result.d[-1], [-0.76, -0.5, 0.5, 0.76], atol=0.01)


def test_coming_to_rest_exactly_at_the_end_in_good_time(follow):
    result = follow(straight(6.0), [0], seconds=9.0, s_dot=1.34)
    np.testing.assert_allclose(result.s[-1], 6.0, atol=1e-9)
    assert np.ptp(result.s[-10:]) < 1e-9
    assert result.s.max() < 6.0 + 1e-3
    assert result.s[round(6.5 / 0.05), 0] > 5.95
    assert result.peak[0] < 1.5


def test_who_does_not_stop_walks_on_past_the_end(follow):
    result = follow(straight(6.0), [0], seconds=9.0, stop_at_end=False)
    assert result.s[-1, 0] > 8.0
    np.testing.assert_allclose(result.position[-1, 0, 1], 0.0, atol=1e-6)


def test_standing_slow_and_fast_agents(follow):
    wanted = np.array([0.0, 0.05, 0.5, 1.34, 3.0])
    result = follow(straight(60.0), np.zeros(5, dtype=int), seconds=9.0, wanted_speed=wanted, wanted_offset=0.3)
    speed = (result.s[-1] - result.s[-21]) / 1.0
    np.testing.assert_allclose(speed, wanted, atol=0.02)
    assert result.s[-1, 0] == 0.0
    assert result.peak.max() < BORNE


OBSTACLES = {
    "disc": [disc(8, 0, 0.5)],
    "disc to the left": [disc(8, 0.3, 0.5)],
    "pole": [disc(8, 0, 0.05, 6)],
    "two": [disc(6, 0.2, 0.5), disc(9, -0.3, 0.6)],
    "slalom": [disc(5, 0, 0.4), disc(7.5, 0.7, 0.4), disc(10, 0, 0.4), disc(12.5, -0.5, 0.4)],
    "gap": [box(8, 0.33, 9, 4), box(8, -4, 9, -0.33)],
    "gap aside": [box(8, -0.5, 9, 4), box(8, -4, 9, -1.15)],
    "wider than the way": [box(8, -1.5, 9, 1.2)],
    "pocket": [np.array([(8, -1.2), (9, -1.2), (9, 1.4), (6, 1.4), (6, 1.2), (8, 1.2)])],
}


@pytest.mark.parametrize("name", OBSTACLES)
def test_obstacles_are_passed_without_a_touch_and_the_line_is_rejoined(follow, name):
    standing = field(*OBSTACLES[name])
    offsets = np.array([0.0, 0.4, -0.6])
    result = follow(
        straight(), np.zeros(3, dtype=int), seconds=24.0, obstacles=standing, wanted_offset=offsets, d=offsets
    )
    np.testing.assert_allclose(result.s[-1], 20.0, atol=1e-6)
    np.testing.assert_allclose(result.d[-1], offsets, atol=0.01)
    clear = standing.signed_distance(result.position.reshape(-1, 2)) - RADIUS
    assert clear.min() > 0.015
    assert result.peak.max() < BORNE
    assert not result.collides[-1].any()


@pytest.mark.parametrize("name", sweep(["corner90", "multi_bend", "figure8", "gentle_S"], usual=1))
def test_obstacles_on_bending_curves_are_passed(curves, follow, name):
    points, closed = curves[name]
    reference = ReferenceSet.from_polylines([points], closed)
    length = reference.lengths[0]
    middles = reference.to_cartesian([0, 0], [0.3 * length, 0.75 * length], [0.05, -0.1])
    standing = field(*(disc(*middle, 0.3) for middle in middles))
    result = follow(reference, [0], seconds=36.0, obstacles=standing)
    assert standing.signed_distance(result.position.reshape(-1, 2)).min() > RADIUS + 0.01
    assert result.s[-1, 0] > length - 0.05
    assert result.peak.max() < BORNE


def test_obstacles_on_any_curve_touch_nobody(curves, follow):
    lines = [points[:, :2] + (100.0 * number, 0.0) for number, (points, _) in enumerate(curves.values())]
    references = ReferenceSet.from_polylines(lines, [closed for _, closed in curves.values()])
    path = np.repeat(np.arange(len(references)), 2)
    s = references.lengths[path] * np.tile([0.35, 0.75], len(references))
    middles = references.to_cartesian(path, s, np.tile([0.15, -0.1], len(references)))
    standing = field(*(disc(*middle, 0.3) for middle in middles))
    enough = np.where(references.closed, references.lengths, np.inf)
    result = follow(references, np.arange(len(references)), seconds=42.0, obstacles=standing, enough=enough)
    assert np.isfinite(result.position).all()
    assert standing.signed_distance(result.position.reshape(-1, 2)).min() > RADIUS
    for number, name in enumerate(curves):
        assert result.s[-1, number] > references.lengths[number] - 0.05, name
        assert result.peak[number] < BORNE, name


def test_the_nearer_side_is_taken(follow):
    for side in (1.0, -1.0):
        result = follow(straight(), [0], seconds=15.0, obstacles=field(disc(8.0, 0.25 * side, 0.4)))
        at_obstacle = np.argmin(np.abs(result.s[:, 0] - 8.0))
        assert result.d[at_obstacle, 0] * side < -0.3


def test_a_way_that_is_closed_makes_one_stop_before_it_and_says_so(follow):
    wall = field(box(8, -6, 9, 6))
    result = follow(straight(), [0, 0], seconds=15.0, obstacles=wall, wanted_offset=[0.0, 0.5])
    clear = wall.signed_distance(result.position.reshape(-1, 2)) - RADIUS
    assert 0.0 < clear.min() < 0.15
    assert np.ptp(result.s[-20:], axis=0).max() < 1e-3
    assert result.collides[-1].all()
    assert not result.collides[0].any()
    assert result.peak.max() < BORNE


def test_who_stands_in_front_of_an_obstacle_walks_round_it(follow):
    standing = field(box(8, -0.5, 9, 0.5))
    result = follow(straight(), [0], seconds=24.0, obstacles=standing, s=7.2)
    assert result.s[-1, 0] == pytest.approx(20.0, abs=1e-6)
    assert standing.signed_distance(result.position.reshape(-1, 2)).min() > RADIUS


def test_who_was_pressed_against_a_wall_gets_away_from_it(follow):
    wall = ObstacleField(walls=[[(0.0, 0.5), (20.0, 0.5)]])
    result = follow(straight(), [0], seconds=21.0, obstacles=wall, d=0.35)
    assert result.s[-1, 0] == pytest.approx(20.0, abs=1e-6)
    clear = wall.signed_distance(result.position[:, 0])
    assert clear.min() > 0.13
    assert clear[60:].min() > RADIUS


def test_settings_change_what_is_done(follow):
    careful = PlannerSettings(clearance=0.4, lateral_acceleration=0.5)
    standing = field(disc(8, 0, 0.5))
    near, far = (follow(straight(), [0], seconds=15.0, obstacles=standing, settings=s) for s in (None, careful))
    clear = [standing.signed_distance(r.position[:, 0]).min() - RADIUS for r in (near, far)]
    assert clear[1] > clear[0] + 0.15


def random_agents(references, count, seed):
    rng = np.random.default_rng(seed)
    path = rng.integers(0, len(references), count)
    s = rng.random(count) * references.lengths[path]
    right, left = references.limits(path, s)
    return agents(
        count,
        path=path,
        s=s,
        d=right + (left - right) * rng.random(count),
        s_dot=rng.uniform(0.0, 1.3, count),
        s_ddot=rng.normal(0.0, 0.5, count),
        d_prime=rng.normal(0.0, 0.2, count),
        d_second=rng.normal(0.0, 0.2, count),
        wanted_offset=rng.uniform(-0.7, 0.7, count),
        wanted_speed=rng.uniform(0.5, 2.0, count),
        radius=np.where(rng.random(count) < 0.1, 0.9, rng.uniform(0.2, 0.3, count)),
        stop_at_end=rng.random(count) < 0.5,
    )


def test_a_plan_does_not_depend_on_who_else_is_planned_for(references):
    many = random_agents(references, 1100, 3)  # more than are planned for at once
    rng = np.random.default_rng(4)
    middles = references.to_cartesian(many.path[:25], many.s[:25] + 2.0, rng.uniform(-0.5, 0.5, 25))
    standing = field(*(disc(*middle, 0.3) for middle in middles))
    planner = FrenetPlanner(references)
    together = planner.plan(many, standing)
    order = rng.permutation(1100)
    shuffled = planner.plan(many.rows(order), standing)
    for name in together.tables.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(together.tables, name)[order], getattr(shuffled.tables, name), name)
    for row in range(0, 1100, 157):
        alone = planner.plan(many.rows(np.array([row])), standing)
        for name in together.tables.__dataclass_fields__:
            np.testing.assert_array_equal(getattr(together.tables, name)[row], getattr(alone.tables, name)[0], name)


def test_a_plan_begins_where_and_as_the_agent_moves(references):
    some = random_agents(references, 200, 5)
    plans = FrenetPlanner(references).plan(some)
    state = plans.state(np.arange(200), np.zeros(200))
    np.testing.assert_allclose(state.s, some.s, atol=1e-12)
    np.testing.assert_allclose(state.d, some.d, atol=1e-12)
    moving = some.s_dot > 0.3  # who stands turns on the spot
    np.testing.assert_allclose(state.s_dot[moving], some.s_dot[moving], atol=1e-9)
    np.testing.assert_allclose(state.d_prime[moving], some.d_prime[moving], atol=1e-9)


def test_velocities_of_plans_are_the_derivatives_of_their_places(references):
    plans = FrenetPlanner(references).plan(random_agents(references, 200, 6))
    rows, step = np.arange(200), 1e-5
    # velocities are exact; places are told by cubics, of nodes nearer to each other as far as the plan is walked; right
    # after the start one who turns sharply is off by 0.0125 m/s
    for time, apart in ((0.03, 0.015), (0.15, 0.01), (0.3, 0.01), (0.6, 0.01), (1.3, 0.05), (2.6, 0.05), (7.0, 0.05)):
        before, now, after = (plans.at(rows, np.full(200, time + k * step)) for k in (-1, 0, 1))
        np.testing.assert_allclose((after[0] - before[0]) / (2 * step), now[1], atol=apart)


def test_plans_are_stored_taken_and_replaced_by_rows(references):
    plans = FrenetPlanner(references).plan(random_agents(references, 20, 8))
    store = Plans.empty(50, references)
    assert len(store) == 50
    assert not store.collides.any()
    rows = np.arange(10, 50, 2)
    store.put(rows, plans)
    time = np.linspace(0.0, 2.0, 20)
    for stored, planned in zip(store.at(rows, time), plans.at(np.arange(20), time), strict=True):
        np.testing.assert_array_equal(stored, planned)
    position, velocity, s, d, _ = store.at([11], [1.0])
    np.testing.assert_array_equal(position, references.to_cartesian([0], [0.0], [0.0]))
    assert not velocity.any()
    assert s[0] == d[0] == 0.0
    np.testing.assert_array_equal(store.take(rows).take([3, 4]).tables.s, plans.tables.s[3:5])


def test_the_course_drawn_is_the_way_taken(references):
    plans = FrenetPlanner(references).plan(random_agents(references, 20, 9))
    course = plans.course(5, 400)
    position, *_ = plans.at(np.full(20, 5), np.linspace(0.0, 2.0, 20))
    assert np.hypot(*(position[:, None] - course[None]).T).min(axis=0).max() < 0.02


def test_nobody_to_plan_for_is_no_fault(references):
    plans = FrenetPlanner(references).plan(agents(0), field(disc(0, 0, 1)))
    assert len(plans) == 0


def test_plans_are_the_same_whoever_is_thought_to_be_blocked():
    walls, count = field(box(2.0, -5.0, 2.3, 5.0), box(9.0, 0.05, 9.3, 2.0)), 40
    references = straight(half_width=1.5)
    rng = np.random.default_rng(3)
    s, s_dot, d = rng.uniform(0.0, 12.0, count), rng.uniform(0.0, 1.3, count), rng.normal(0.0, 0.2, count)
    people = agents(count, s=s, s_dot=s_dot, d=d)
    planner = FrenetPlanner(references)
    plans = planner.plan(people, walls)
    blocked = planner.were_blocked(plans)
    assert 5 < blocked.sum() < count  # some of them at the wall, some before a closer look
    assert (blocked & ~plans.collides).any()
    for likely in (blocked, ~blocked, np.ones(count, dtype=bool), rng.random(count) < 0.5):
        again = planner.plan(people, walls, likely)
        for name, column in vars(plans.tables).items():
            np.testing.assert_array_equal(column, getattr(again.tables, name), err_msg=name)
