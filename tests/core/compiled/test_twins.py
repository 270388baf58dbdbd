# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled twins give the bits of numpy's code, and what is warmed up is what runs."""

from __future__ import annotations

import inspect
from dataclasses import fields
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core import Simulation
from core.compiled import twins
from core.compiled.twins import compiled
from core.geometry.disc_field import DiscField, StandingDiscs
from core.geometry.distance_field import ObstacleField
from core.planning import FrenetPlanner, PlannerInput, ReferenceSet
from core.planning.paths.path_tables import walk_open_lines
from core.planning.paths.path_windows import PathWindows
from core.planning.paths.reference_settings import ReferenceSettings
from core.routing import CorridorMap
from core.routing.corridors.side_clearance import clearance_beside
from core.scene import Agent, Crowd, Obstacle, Route, Scene, Spawn
from core.simulation.behaviours.density_speed import crowd_ahead
from core.simulation.behaviours.overtaking import lean_past
from core.simulation.behaviours.precedence import find_leads
from core.simulation.guidance.bypasses import find_points_beside
from core.simulation.guidance.doors import Openings, shares_through_near
from core.simulation.pedestrians.avoidance_reasons import record_avoidance
from core.simulation.pedestrians.headway import keep_headway
from core.simulation.settings.behaviour_settings import DensitySpeedSettings, OvertakingSettings, PrecedenceSettings
from core.simulation.settings.guidance_settings import BypassSettings
from core.simulation.settings.pedestrian_settings import AvoidanceReasonSettings, HeadwaySettings
from core.simulation.world.agents import ARRIVED, WALKING
from core.simulation.world.doing import Doing
from core.simulation.world.heroes import HeroBodies
from core.steering import warm_up
from core.steering.neighbours import NearPairs, order_along_strips

pytest.importorskip("numba")


@pytest.fixture
def rng():
    return np.random.default_rng(8)


def outlines(rng, *, snapped):
    """Stars with and without a courtyard, some overlapping; on a lattice, many points lie on edges and corners."""
    shapes = []
    for number in range(25):
        angle = np.sort(rng.uniform(0.0, 2.0 * np.pi, 6))
        star = rng.uniform(0.5, 4.0) * np.stack((np.cos(angle), np.sin(angle)), axis=1)
        middle = rng.uniform(0.0, 40.0, 2)
        ring = middle + star
        shapes.append((np.round(ring) if snapped else ring, [middle + 0.3 * star] if number % 5 == 0 else []))
    return shapes


def both(question):
    """The answers of numpy's code and of the twins."""
    answers = []
    for wanted in (False, True):
        with compiled(wanted):
            answers.append(question())
    return answers


@pytest.mark.parametrize("snapped", [False, True])
def test_distances_are_the_same_bits(rng, snapped):
    field = ObstacleField(outlines(rng, snapped=snapped), [rng.uniform(0.0, 40.0, (4, 2))])
    points = rng.uniform(-8.0, 48.0, (3000, 2))
    if snapped:
        points = np.round(2.0 * points) / 2.0
    points = np.concatenate((points, [[np.nan, 1.0], [1e9, -1e9]]))
    for at_most in (0.0, 0.3, 2.0, np.inf):
        expected, found = both(lambda most=at_most: field.signed_distance(points, most))
        assert found.tobytes() == expected.tobytes()
    assert (expected < 0.0).any()
    for expected, found in zip(*both(lambda: field.nearest(points[:-2])), strict=True):
        assert found.tobytes() == expected.tobytes()


def test_samples_are_the_same_bits_whoever_fills_them(rng):
    shapes, points = outlines(rng, snapped=False), rng.uniform(-8.0, 48.0, (3000, 2))
    expected, found = both(lambda: ObstacleField(shapes).about(points, 0.5))
    assert found.tobytes() == expected.tobytes()
    field = ObstacleField(shapes)
    expected, found = both(lambda: field.about(points, 0.5))
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("snapped", [False, True])
@pytest.mark.parametrize("count", [3, 600])
def test_the_room_beside_lines_is_the_same_bits(rng, snapped, count):
    """Lines of all lengths, some that turn back or repeat a point; few edges and many."""
    begins = rng.uniform(0.0, 60.0, (count, 2))
    edges = begins, begins + rng.normal(0.0, 2.0, (count, 2))
    lines = [rng.uniform(0.0, 50.0, 2) + np.cumsum(rng.normal(0.3, 0.5, (size, 2)), axis=0) for size in (2, 17, 90)]
    lines.append(np.array([[1.0, 1.0], [1.0, 1.0], [4.0, 1.0], [2.0, 1.0]]))
    if snapped:
        edges, lines = (np.round(edges[0]), np.round(edges[1])), [np.round(line) for line in lines]
    radii, at_most = np.array([0.0, 0.25, 0.3, 0.2]), np.array([2.0, 1.0, 3.0, 2.0])
    for expected, found in zip(*both(lambda: clearance_beside(lines, edges, radii, at_most)), strict=True):
        assert [side.tobytes() for side in found] == [side.tobytes() for side in expected]


@pytest.mark.parametrize("snapped", [False, True])
def test_distances_to_people_who_stand_are_the_same_bits(rng, snapped):
    centre, points = rng.uniform(0.0, 30.0, (40, 2)), rng.uniform(-20.0, 50.0, (400, 2))
    if snapped:  # on edges of cells, and on discs
        centre, points = np.round(centre), np.round(points)
    discs = StandingDiscs(centre, rng.uniform(0.2, 1.5, 40))
    field, reach = DiscField(ObstacleField(outlines(rng, snapped=snapped)), discs), rng.uniform(-1.0, 8.0, 400)
    for one, other in zip(
        *both(lambda: (field.signed_distance(points), field.may_be_within(points, reach))), strict=True
    ):
        np.testing.assert_array_equal(one, other)
    near = discs.may_be_within(points, reach)
    assert near.any()
    assert not near.all()


@pytest.mark.parametrize("count", [3, 40])
def test_bypasses_of_people_who_stand_are_the_same_bits(rng, count):
    discs = StandingDiscs(rng.uniform(0.0, 30.0, (count, 2)), np.full(count, 0.25))
    bystanders = StandingDiscs(rng.uniform(0.0, 30.0, (9, 2)), np.full(9, 0.3))
    field = DiscField(DiscField(ObstacleField(outlines(rng, snapped=False)), bystanders), discs)
    start, off = np.repeat(discs.centre, 9, axis=0), rng.normal(0.0, 2.0, (2, 9 * count, 2))
    lines, room = (start + off[0], start - off[1]), rng.uniform(0.2, 0.35, 9 * count)
    expected, found = both(lambda: find_points_beside(*lines, room, field, BypassSettings()))
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_array_equal(one, other)
    assert 0 < np.isfinite(expected[0][:, 0]).sum() < expected[1].sum(), "some find a bypass and some none"


def test_no_obstacle_needs_no_kernel():
    expected, found = both(lambda: ObstacleField().signed_distance(np.zeros((2, 2)), 3.0))
    assert found.tobytes() == expected.tobytes()


@pytest.fixture
def paths(rng):
    """Open paths and closed ones, of bends, a hairpin and a reversal."""
    lines = [np.cumsum(rng.normal(0.6, 1.5, (9, 2)), axis=0) for _ in range(6)]
    lines += [[[0, 0], [8, 0], [8, 0.4], [0, 0.4]], [[0, 0], [5, 0], [1, 0]], [[0, 0], [6, 0], [6, 5], [0, 5]]]
    return ReferenceSet.from_polylines(lines, [*[False] * 8, True])


@pytest.mark.parametrize("count", [3, 400])
def test_places_on_paths_are_the_same_bits(rng, paths, count):
    path, s = rng.integers(0, len(paths), count), rng.uniform(-4.0, 60.0, count)
    for name in ("frame", "heading", "curvature", "limits", "free_width"):
        for expected, found in zip(*both(lambda ask=name: np.array(getattr(paths, ask)(path, s))), strict=True):
            assert found.tobytes() == expected.tobytes(), name
    grid = both(lambda: np.array(paths.frame(path[:, None], s[:, None] + np.arange(3.0))))
    assert grid[1].tobytes() == grid[0].tobytes()


@pytest.mark.parametrize("off", [0.05, 1.0, 6.0])
def test_projections_are_the_same_bits(rng, paths, off):
    path, s = rng.integers(0, len(paths), 600), rng.uniform(-2.0, 25.0, 600)
    points = paths.to_cartesian(path, s, rng.normal(0.0, off, 600))
    near = s + rng.normal(0.0, 0.4, 600)
    for expected, found in zip(*both(lambda: paths.to_frenet(path, points, near)), strict=True):
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("count", [1, 3, 90])
def test_lines_are_walked_to_the_same_bits(rng, count):
    """Bends, zigzags, a hairpin, a reversal, and points twice."""
    lines = [np.cumsum(rng.normal(0.6, 1.5, (9, 2)), axis=0) for _ in range(count)]
    lines[-1:] = [np.array([[0, 0], [8, 0], [8, 0.4], [0, 0.4]]), np.array([[0, 0], [5, 0], [1, 0]])]
    lines.append(np.repeat(np.round(lines[0]), 2, axis=0))
    sides, settings = [tuple(rng.uniform(0.0, 2.0, (2, len(line)))) for line in lines], ReferenceSettings()
    for one, other in zip(*both(lambda: walk_open_lines(lines, sides, settings)), strict=True):
        for field in fields(one):
            if field.name != "bends":
                found, expected = np.array(getattr(other, field.name)), np.array(getattr(one, field.name))
                assert found.tobytes() == expected.tobytes(), field.name


def test_rows_of_paths_are_the_same_bits(rng):
    """From before the start, of the middle, and up to behind the end; level lines and stairs."""
    lines = [np.cumsum(rng.normal(0.8, 1.5, (size, 3)), axis=0) for size in (2, 9, 40, 40)]
    sides = [tuple(rng.uniform(0.0, 2.0, (2, len(line)))) for line in lines]
    made = walk_open_lines(lines, sides, ReferenceSettings())
    cells, number = np.array([path.cells for path in made]), np.arange(len(made))

    def ask():
        windows = PathWindows(made)
        for low in (np.full(len(made), -1), cells // 2, cells):
            windows.include(number, low, np.minimum(low + 30, cells))
        return windows.columns

    expected, found = both(ask)
    assert found.tobytes() == expected.tobytes()
    assert found[5].any()


@pytest.mark.parametrize("near_obstacles", [False, True])
def test_plans_and_motions_along_them_are_the_same_bits(rng, paths, near_obstacles):
    """People of all paces on bends, on the spot and before the end of their path; also past what is planned."""
    count = 120
    path, s = rng.integers(0, len(paths), count), rng.uniform(0.0, 12.0, count)
    field = ObstacleField(outlines(rng, snapped=False)) if near_obstacles else ObstacleField()
    agents = PlannerInput(
        path=path,
        s=s,
        s_dot=rng.uniform(0.0, 1.6, count) * (rng.random(count) < 0.8),
        s_ddot=rng.normal(0.0, 0.4, count),
        d=rng.normal(0.0, 0.4, count),
        d_prime=rng.normal(0.0, 0.3, count),
        d_second=rng.normal(0.0, 0.5, count),
        wanted_speed=rng.uniform(0.8, 1.6, count),
        wanted_offset=rng.normal(0.0, 0.3, count),
        radius=np.full(count, 0.25),
        stop_at_end=rng.random(count) < 0.7,
    )
    rows, time = rng.integers(0, count, 500), rng.uniform(-0.1, 5.0, 500)

    def ask():
        plans = FrenetPlanner(paths).plan(agents, field)
        position, velocity, state = plans.motion(rows, time)
        return [
            *vars(plans.tables).values(),
            position,
            velocity,
            *vars(state).values(),
            plans.at(np.arange(count) < 60, 0.3)[0],
        ]

    expected, found = both(ask)
    for one, other in zip(expected, found, strict=True):
        assert np.ascontiguousarray(other).tobytes() == np.ascontiguousarray(one).tobytes()
    assert expected[8].any()  # some courses are uneven


@pytest.mark.parametrize("snapped", [False, True])
def test_routes_are_the_same_bits(rng, snapped):
    """Also between equal blocks, where many routes are equally long; with crowding, and after a change of the map."""
    if snapped:
        outlines_of = [
            np.array([[x, y], [x + 2, y], [x + 2, y + 2], [x, y + 2]]) for x in (4, 8, 12, 16) for y in (4, 8, 12, 16)
        ]
    else:
        outlines_of = [ring for ring, _ in outlines(rng, snapped=False)]
    starts, goals = rng.uniform(0.0, 40.0, (2, 300, 2))
    starts[:100], goals[:100] = np.round(starts[:100]), np.round(goals[:100])

    def ask():
        corridors = CorridorMap(outlines_of, [[-1.0, -1.0], [41.0, -1.0], [41.0, 41.0], [-1.0, 41.0]])
        crowding = 1.0 + np.arange(len(corridors.edges)) % 3
        found = corridors.paths(starts, goals, 0.3) + corridors.paths(starts, goals, 0.3, crowding=crowding)
        triangle = corridors.insert([[20.0, 20.0], [24.0, 20.0], [24.0, 26.0]])
        found += corridors.paths(starts, goals, 0.3)
        corridors.remove(triangle)
        return found + corridors.paths(goals, starts, 0.5)

    expected, found = both(ask)
    assert sum(not isinstance(way, Exception) for way in expected) > 600
    for one, other in zip(expected, found, strict=True):
        assert str(other) == str(one) if isinstance(one, Exception) else other.tobytes() == one.tobytes()


@pytest.mark.parametrize("count", [1, 90, 700])
def test_what_people_do_because_of_others_nearby_is_the_same_bits(rng, count):
    """Speeds in a crowd and leaning past slower people, with groups, and others who stand among them."""
    place = rng.uniform(0.0, 20.0, (count, 2))
    place[: count // 3] = np.round(place[: count // 3])
    people, others = count - count // 5, rng.integers(-1, 9, count)
    turned = rng.uniform(0.0, 2.0 * np.pi, people)
    forward = np.stack((np.cos(turned), np.sin(turned)), axis=1) * (rng.random(people) < 0.9)[:, None]
    pace = rng.uniform(0.2, 0.4, people), *rng.uniform(0.5, 1.8, (2, people)), rng.uniform(0.0, 0.5, people)

    def ask():
        near = NearPairs(place, people, 5.0)
        found = [*near.searched(5.0), *near.within(reaches), *near.within(1.0, others=True)]
        found += crowd_ahead(place[:people], near, forward, others[:people], DensitySpeedSettings())
        found.append(find_leads(agents, np.arange(people), near, forward * pace[1][:, None], PrecedenceSettings()))
        return [
            *found,
            *lean_past(place[:people], near, forward, np.stack(pace), others[:people], OvertakingSettings()),
        ]

    reaches = rng.uniform(0.0, 2.0, count)
    agents: Any = SimpleNamespace(
        position=place, radius=pace[0], status=np.where(rng.random(people) < 0.9, WALKING, ARRIVED)
    )
    for expected, found in zip(*both(ask), strict=True):
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("count", [1, 90, 700])
def test_the_order_along_strips_is_the_same_bits(rng, count):
    """Of people on a lattice, too, in one place, and in so tall a place that strips have to be higher."""
    place = rng.uniform(-20.0, 20.0, (count, 2))
    scenes = place, np.round(place), np.zeros((count, 2)), place * (1.0, 1e8)
    for position, reach in product(scenes, (0.0, 3.0, 8.0)):
        (order, strips), (found, others) = both(lambda at=position, far=reach: order_along_strips(at, far, far))
        np.testing.assert_array_equal(found, order)
        for one, other in zip(strips, others, strict=True):
            np.testing.assert_array_equal(other, one)


@pytest.mark.parametrize(("count", "doors"), [(1, 1), (90, 7)])
def test_which_doors_lines_lead_through_is_the_same_bits(rng, count, doors):
    """Along axes of coordinates, too, and for people who stand in a door or have no way ahead."""
    begin, end = np.round(rng.uniform(0.0, 8.0, (2, count, 2)))
    end[::5] = begin[::5]
    angle = rng.uniform(0.0, 2.0 * np.pi, doors)
    axis = np.stack((np.cos(angle), np.sin(angle)), axis=1)
    axis[::2] = (1.0, 0.0)
    openings = Openings(np.round(rng.uniform(0.0, 8.0, (doors, 2))), axis, rng.uniform(0.7, 3.0, doors))
    expected, found = both(lambda: shares_through_near(begin, end, openings))
    assert found.tobytes() == expected.tobytes()
    assert doors == 1 or np.isfinite(found).sum() > 10


@pytest.mark.parametrize("count", [2, 90, 400])
def test_behind_whom_people_slow_down_and_whom_they_avoid_is_the_same_bits(rng, count):
    """With groups, people on a lattice at equal distances, heroes among them, and who is as slow as nobody slows."""
    place = rng.uniform(0.0, 0.8 * np.sqrt(count), (count, 2))
    place[: count // 2] = np.round(2.0 * place[: count // 2]) / 2.0
    given, people = count // 8, count - count // 8
    velocity, wish = rng.normal(0.0, 0.8, (2, count, 2))
    velocity[::3], wish[::3] = (1.0, 0.0), (1.0, 0.0)
    wish[::10] = 0.0
    agents = SimpleNamespace(
        position=place[:people],
        velocity=velocity[:people],
        radius=np.where(rng.random(people) < 0.5, 0.25, rng.uniform(0.2, 0.4, people)),
        group=rng.integers(-1, 5, people),
        status=np.where(rng.random(people) < 0.9, WALKING, ARRIVED),
        avoids=rng.random(people) < 0.9,
        time_gap=np.where(rng.random(people) < 0.1, 0.0, 0.7),
        wanted_speed=np.full(people, 1.3),
    )
    chosen, exempt = velocity[:people] * rng.uniform(0.2, 1.2, (people, 1)), rng.random(people) < 0.1

    def ask():
        recorded = []
        bodies = HeroBodies(place[people:], velocity[people:], np.full(given, 0.5))
        step: Any = SimpleNamespace(
            agents=agents,
            rows=np.arange(people),
            preferred=wish[:people],
            doing=np.full(people, Doing.WALKING),
            around=SimpleNamespace(
                near=NearPairs(place, people, 3.0), given=bodies, in_heroes_path=np.zeros(people, dtype=bool)
            ),
            record=lambda who, _, *others: recorded.extend((np.asarray(who), *others)),
        )
        slowed = keep_headway(step, chosen, exempt, HeadwaySettings())
        record_avoidance(step, slowed, AvoidanceReasonSettings(), 4.0)
        return [slowed, *recorded]

    expected, found = both(ask)
    assert len(found) == len(expected)
    for one, other in zip(expected, found, strict=True):
        assert other.tobytes() == one.tobytes()
    if count > 2:
        assert (expected[0] != chosen).any()
        assert len(expected[-1]) + len(expected[-3]) > count // 8


def walks():
    """People on a drawn line beside a block, and others with goals behind it."""
    agents = tuple(Agent((float(x), -6.0), (float(x), 6.0)) for x in range(8))
    return Scene(
        frames=(1, 12),
        obstacles=(Obstacle("Block", np.array([[1.0, -1.0], [6.0, -1.0], [6.0, 1.5], [1.0, 1.5]])),),
        routes=(Route("Line", np.array([[-2.0, 2.5, 0.0], [4.0, 3.0, 0.5], [9.0, 2.5, 0.0]])),),
        crowds=(Crowd("Own", agents=agents), Crowd("Drawn", count=6, route="Line", spawn=Spawn("spread"))),
    )


def run(backend):
    simulation = Simulation(walks(), backend=backend)
    while not simulation.done:
        simulation.step()
    return simulation.result().position


def test_kernels_that_are_warmed_up_are_those_that_run():
    warm_up("numba")
    kernels = [
        function
        for name in twins.ALL
        for _, function in inspect.getmembers(twins._kernels(name), lambda each: hasattr(each, "signatures"))
    ]
    if not any(kernel.signatures for kernel in kernels):
        pytest.skip("numba's compiler is off")
    before = [list(kernel.signatures) for kernel in kernels]
    found = run("numba")
    assert [list(kernel.signatures) for kernel in kernels] == before
    assert found.tobytes() == run("numpy").tobytes()


def test_nothing_is_compiled_unless_it_is_wanted():
    assert twins.twin(twins.FRAMES) is None
    with compiled(True):
        assert twins.twin(twins.FRAMES) is not None
        with compiled(False):
            assert twins.twin(twins.FRAMES) is None
        assert twins.twin(twins.FRAMES) is not None
    assert twins.twin(twins.FRAMES) is None
