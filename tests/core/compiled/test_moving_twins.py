# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies move and turn to the same bits, compiled and not."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from core.compiled.twins import compiled
from core.geometry.distance_field import ObstacleField
from core.geometry.joined_field import JoinedField
from core.planning import ReferenceSet
from core.scene import Scene
from core.simulation.guidance.aiming import Aims
from core.simulation.guidance.doors import Stretch, doors_by_route, doors_on_ground
from core.simulation.movement.movement import Intents, Movement
from core.simulation.settings import SimulationSettings
from core.simulation.settings.door_settings import DoorSettings
from core.simulation.settings.guidance_settings import AimSettings
from core.simulation.world.agents import ARRIVED, STOPPED, WALKING
from core.simulation.world.environment import Environment
from core.simulation.world.ground_journal import GroundJournal, RecordedField

pytest.importorskip("numba")

COUNT = 300


class People:
    """As many arrays of agents as moving needs."""

    def __init__(self, **arrays: Any) -> None:
        self.__dict__.update(arrays)

    def __len__(self) -> int:
        return COUNT


@pytest.fixture
def rng():
    return np.random.default_rng(9)


@pytest.fixture
def people(rng) -> Any:
    """Some stand, some roll, some want to face a direction, and some of the velocities are 0."""
    speed = np.where(rng.random(COUNT) < 0.2, 0.0, rng.uniform(0.0, 1.6, COUNT))
    angle = rng.uniform(-9.0, 9.0, COUNT)
    return People(
        path=rng.integers(0, 3, COUNT),
        s=rng.uniform(0.0, 30.0, COUNT),
        d=rng.normal(0.0, 0.4, COUNT),
        end=rng.uniform(0.0, 40.0, COUNT),
        status=rng.choice([*[WALKING] * 8, ARRIVED, STOPPED], COUNT).astype(np.int8),
        rolls=rng.random(COUNT) < 0.1,
        faces=np.where(rng.random(COUNT) < 0.3, rng.uniform(-3.0, 3.0, COUNT), np.nan),
        heading=angle + rng.normal(0.0, 1.0, COUNT),
        velocity=speed[:, None] * np.stack((np.cos(angle), np.sin(angle)), axis=1),
        position=np.zeros((COUNT, 2)),
        wanted_speed=rng.uniform(0.8, 1.6, COUNT),
        radius=rng.uniform(0.2, 0.4, COUNT),
        avoids=rng.random(COUNT) < 0.9,
        firm=rng.random(COUNT) < 0.1,
        delay=np.zeros(COUNT),
        seat_height=np.where(rng.random(COUNT) < 0.1, 0.4, np.nan),
    )


@pytest.fixture
def paths(rng):
    lines = [np.cumsum(rng.normal((0.9, 0.0), 1.0, (30, 2)), axis=0) for _ in range(2)]
    circle = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    ring = 3.0 * np.stack((np.cos(circle), np.sin(circle)), axis=1)
    return ReferenceSet.from_polylines([*lines, ring], [False, False, True])


@pytest.mark.parametrize("rolling", [False, True])
def test_people_move_to_the_same_bits(rng, people, paths, rolling):
    people.position = paths.to_cartesian(people.path, people.s, people.d)
    people.rolls &= rolling
    wishes, rows = people.velocity + rng.normal(0.0, 0.8, (5, COUNT, 2)), np.flatnonzero(rng.random(COUNT) < 0.8)
    wishes[:, ::9] = 0.0
    danger, hurries, at_door = rng.random((3, COUNT)) < 0.1
    grip = np.where(rng.random(COUNT) < 0.5, np.inf, 2.0)
    corners = np.array([[-90.0, -90.0], [90.0, -90.0], [90.0, 90.0], [-90.0, 90.0]])
    world, results = Environment(Scene(frames=(1, 9), bounds=corners)), []
    for wanted_compiled in (False, True):
        own = deepcopy(people)
        movement = Movement(own, world, SimulationSettings())
        with compiled(wanted_compiled):
            for number, wish in enumerate(wishes):
                intents = Intents(wish, wish[::-1], wishes[0], grip, danger, hurries, at_door)
                movement.intents.put(np.arange(COUNT), intents)
                movement.advance(rows[number:], paths, 0.04 * number, 0.04)
        results.append((own.position, own.velocity, own.heading, own.s, own.d, *movement.facing.state))
    for expected, found in zip(*results, strict=True):
        assert found.tobytes() == expected.tobytes()
    assert (results[0][3] != people.s).sum() > COUNT // 2


def test_people_turn_where_rows_of_their_paths_stay_missing(people, paths, monkeypatch):
    people.position, results = paths.to_cartesian(people.path, people.s, people.d), []
    monkeypatch.setattr("core.compiled.moving.turn", lambda _paths, rows, *_: np.ones(len(rows), dtype=bool))
    corners = np.array([[-90.0, -90.0], [90.0, -90.0], [90.0, 90.0], [-90.0, 90.0]])
    for wanted_compiled in (False, True):
        own = deepcopy(people)
        movement = Movement(own, Environment(Scene(frames=(1, 9), bounds=corners)), SimulationSettings())
        with compiled(wanted_compiled):
            movement.keep_velocities(np.arange(COUNT))
            movement.advance(np.arange(COUNT), paths, 0.0, 0.04)
        results.append((own.s, own.heading))
    assert (results[0][0] != people.s).any()
    assert np.array_equal(results[0], results[1])


def test_doors_on_paths_are_the_same(rng, people):
    lines = [np.column_stack((np.arange(0.0, 40.0, 0.5), np.zeros(80))) for _ in range(3)]
    sides = [[np.where(rng.random(80) < 0.15, rng.uniform(0.4, 1.2, 80), 3.0) for _ in lines] for _ in "lr"]
    paths = ReferenceSet.from_polylines(lines, left=sides[0], right=sides[1])
    found = []
    for wanted in (False, True):
        with compiled(wanted):
            found.append(doors_by_route(Stretch(people.path, people.s, people.end), paths, DoorSettings()))
    for expected, other in zip(*found, strict=True):
        assert other.tobytes() == expected.tobytes()
    assert COUNT // 10 < len(found[0].row) < COUNT


@pytest.mark.parametrize("leaves", [[], [(np.array([[14.0, 0.2], [16.0, 0.2], [16.0, 6.0], [14.0, 6.0]]), ())]])
@pytest.mark.parametrize("recorded", [False, True])
def test_doors_between_obstacles_are_the_same(rng, people, recorded, leaves):
    """Rows of walls with gaps of all widths, some slanted, across straight paths."""
    walls = []
    for x in np.arange(3.0, 60.0, 6.0):
        gap, slant = rng.uniform(0.8, 3.2), rng.uniform(-1.0, 1.0)
        walls += [np.array([[x, gap / 2.0], [x + slant, 9.0]]), np.array([[x, -gap / 2.0], [x - slant, -9.0]])]
    lines = [np.array([[0.0, y], [60.0, y]]) for y in (-0.3, 0.0, 0.4)]
    paths, field = ReferenceSet.from_polylines(lines, half_width=3.0), ObstacleField(boxes_of(rng, 3), walls)
    stretches, found = Stretch(people.path, people.s, people.end + people.s), []
    for wanted in (False, True):
        own = RecordedField(field, GroundJournal(np.array([[0.0, -9.0], [60.0, 9.0]]))) if recorded else field
        with compiled(wanted):
            found.append(doors_on_ground(stretches, paths, JoinedField(own, leaves) if leaves else own, DoorSettings()))
    for expected, other in zip(*found, strict=True):
        assert other.tobytes() == expected.tobytes()
    assert COUNT // 3 < len(found[0].row) < COUNT


def boxes_of(rng, count):
    """Houses as solids."""
    return [(outline, ()) for outline in boxes(rng, count)]


def boxes(rng, count):
    """Houses of all sizes."""
    corners = rng.uniform((-6.0, -20.0), (30.0, 20.0), (count, 1, 2))
    return corners + rng.uniform(0.4, 5.0, (count, 1, 2)) * np.array([[0, 0], [1, 0], [1, 1], [0, 1]])


def aims_of(people, paths, field, wanted):
    """Where people aim, and who has room as far as there."""
    aims = Aims(COUNT, AimSettings())
    with compiled(wanted):
        aims.find_aims(people, np.arange(0, COUNT, 2), paths, field)
    return aims.point, aims.place, aims.clear


@pytest.fixture
def walkers(rng, people, paths):
    """The same with bodies and goals, beside bent paths that are not closed."""
    people.path %= 2
    people.position = paths.to_cartesian(people.path, people.s, people.d)
    people.end = np.minimum(people.end + people.s, paths.lengths[people.path])
    people.goal = paths.to_cartesian(people.path, people.end, np.zeros(COUNT))
    return people


@pytest.mark.parametrize("houses", [0, 25])
def test_people_aim_at_the_same_places(rng, walkers, paths, houses):
    walls = [np.array([[-30.0, -30.0], [60.0, -30.0], [60.0, 30.0]])]
    field = ObstacleField(boxes_of(rng, houses), walls)
    expected = aims_of(walkers, paths, field, wanted=False)
    for own in (field, RecordedField(field, GroundJournal(walls[0]))):
        for one, other in zip(expected, aims_of(walkers, paths, own, wanted=True), strict=True):
            assert other.tobytes() == one.tobytes()
    doors = boxes_of(rng, 30)
    alone = aims_of(walkers, paths, JoinedField(field, doors), wanted=False)
    for own in (field, RecordedField(field, GroundJournal(walls[0]))):
        with compiled(True):
            joined = JoinedField(own, doors)
            assert joined.kernel_grid is not None
        for one, other in zip(alone, aims_of(walkers, paths, joined, wanted=True), strict=True):
            assert other.tobytes() == one.tobytes()
    assert houses or not np.array_equal(alone[0], expected[0], equal_nan=True)
    if houses:
        far, near = (np.isfinite(expected[0][:, 0]) & (expected[2] == clear) for clear in (True, False))
        assert far.sum() > near.sum() > 0


def test_aims_stay_where_no_disc_that_they_hang_on_is_touched(rng, walkers, paths):
    square = np.array([[-40.0, -40.0], [60.0, -40.0], [60.0, 40.0], [-40.0, 40.0], [-40.0, -40.0]])
    houses, changed, touched = boxes(rng, 12), 0, 0
    for _ in range(24):
        notes, extra = GroundJournal(square), boxes(rng, 1)
        before, after = (ObstacleField([(each, ()) for each in some], [square]) for some in (houses, [*houses, *extra]))
        assert before.lattice == after.lattice
        doors = boxes_of(rng, 2)
        one = aims_of(walkers, paths, JoinedField(RecordedField(before, notes), doors), wanted=True)
        other = aims_of(walkers, paths, JoinedField(after, doors), wanted=True)
        is_touched = notes.first_touched(ObstacleField([(extra[0], ())])) is not None
        differs = any(each.tobytes() != then.tobytes() for each, then in zip(one, other, strict=True))
        assert is_touched or not differs
        touched, changed = touched + is_touched, changed + differs
    assert 0 < changed <= touched < 24
