# SPDX-License-Identifier: GPL-3.0-or-later
"""What is written down of the ground that was looked at: where no disc is touched, every answer is the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from core.compiled.twins import compiled
from core.geometry.distance_field import ObstacleField
from core.simulation.world.ground_journal import GroundJournal, RecordedField
from tests.sweeps import sweep

from ..runs import box

pytestmark = pytest.mark.once

ROUND = np.array([[0.0, 0.0], [40.0, 0.0], [40.0, 30.0], [0.0, 30.0], [0.0, 0.0]])
QUESTIONS = ("signed_distance", "signed_distance up to", "about", "about, farther", "any_may_be_within", "nearest")


def _answer(field: ObstacleField | RecordedField, question: str, points: np.ndarray, distance: np.ndarray) -> list:
    if question == "signed_distance":
        return [field.signed_distance(points)]
    if question == "signed_distance up to":
        return [field.signed_distance(points, float(distance[0]))]
    if question.startswith("about"):
        return [field.about(points, distance * (1.0 if question == "about" else 3.0))]
    if question == "any_may_be_within":
        return [field.any_may_be_within(points.reshape(-1, 4, 2), distance[::4])]
    return list(field.nearest(points))


def _fields(rng: np.random.Generator) -> tuple[ObstacleField, ObstacleField, ObstacleField]:
    """A field, the same with one solid or wall elsewhere, and what is another in the two."""
    things = [box(*rng.uniform(2.0, 28.0, 2), *rng.uniform(0.1, 1.5, 2)) for _ in range(rng.integers(1, 12))]
    walls = [rng.uniform(2.0, 28.0, 2) + rng.uniform(-2.0, 2.0, (2, 2)) for _ in range(rng.integers(0, 3))]
    before, after = [*things], [*things]
    moved = box(*rng.uniform(2.0, 28.0, 2), *rng.uniform(0.1, 1.5, 2))
    number, kind = int(rng.integers(len(things))), rng.integers(3)
    if kind == 0:  # moved
        changed = [after[number], moved]
        after[number] = moved
    elif kind == 1:  # there is one more
        changed = [moved]
        after.insert(number, moved)
    else:  # there is one less
        changed = [after.pop(number)]
    fields = (ObstacleField([(each, ()) for each in some], [*walls, ROUND]) for some in (before, after))
    one, other = fields
    return one, other, ObstacleField([(each, ()) for each in changed])


@pytest.mark.parametrize("rounds", sweep([25, 150], usual=1))
@pytest.mark.parametrize("question", QUESTIONS)
def test_where_no_disc_is_touched_the_answers_are_the_same(question: str, rounds: int) -> None:
    rng = np.random.default_rng(len(question))
    touched = other_answers = 0
    for _ in range(rounds):
        before, after, changes = _fields(rng)
        if before.lattice != after.lattice:  # is simulated anew
            continue
        notes = GroundJournal(ROUND)
        points = rng.uniform(0.0, 30.0, 2) + rng.uniform(-2.0, 2.0, (8, 2))
        distance = np.repeat(rng.uniform(0.2, 1.5, 2), 4)
        told = _answer(RecordedField(before, notes), question, points, distance)
        now = _answer(after, question, points, distance)
        is_touched = notes.first_touched(changes) is not None
        is_another = any(one.tobytes() != other.tobytes() for one, other in zip(told, now, strict=True))
        assert is_touched or not is_another
        touched, other_answers = touched + is_touched, other_answers + is_another
    assert 0 < other_answers <= touched < 0.8 * rounds


def test_how_deep_in_solid_something_lies_hangs_on_what_stands_there() -> None:
    hall, crate = box(10.0, 10.0, 3.0), box(11.3, 10.0, 0.2)
    before, after = ObstacleField([(hall, ())], [ROUND]), ObstacleField([(hall, ()), (crate, ())], [ROUND])
    notes, middle = GroundJournal(ROUND), np.array([[10.0, 10.0]])
    assert RecordedField(before, notes).about(middle, 0.4) != after.about(middle, 0.4)
    assert notes.first_touched(ObstacleField([(crate, ())])) == 0


def test_where_nothing_may_be_within_and_no_disc_is_touched_nothing_comes_to_be() -> None:
    rng = np.random.default_rng(5)
    touched = came = 0
    for _ in range(80):
        before, after, changes = _fields(rng)
        notes = GroundJournal(ROUND)
        points = rng.uniform(0.0, 30.0, 2) + rng.uniform(-2.0, 2.0, (8, 2))
        distance = rng.uniform(0.2, 1.5, 8)
        clear = ~RecordedField(before, notes).may_be_within(points, distance)
        is_touched = notes.first_touched(changes) is not None
        comes = bool(np.any(clear & (after.signed_distance(points) < distance)))
        assert is_touched or not comes
        touched, came = touched + is_touched, came + comes
    assert 0 < came <= touched < 64


def test_of_all_that_may_be_within_one_thing_is_enough_and_matters_until_it_goes() -> None:
    post, crate = box(5.0, 5.0, 0.2), box(9.0, 5.0, 0.2)
    field = ObstacleField([(post, ()), (crate, ())], [ROUND])
    places = np.array([[[5.0, 5.5], [7.0, 5.5], [9.0, 5.5]]])
    notes = GroundJournal(ROUND)
    assert RecordedField(field, notes).any_may_be_within(places, np.array([1.0])).all()
    assert notes.first_touched(ObstacleField([(crate, ())])) is None
    assert notes.first_touched(ObstacleField([(post, ())])) == 0


def test_what_looks_closer_is_noted_by_those_who_look() -> None:
    crate = box(9.0, 5.0, 0.2)
    notes = GroundJournal(ROUND)
    field = RecordedField(ObstacleField([(crate, ())], [ROUND]), notes)
    points, aside = np.array([[9.0, 5.5], [9.0, 14.0]]), ObstacleField([(box(9.0, 12.0, 0.2), ())])
    assert field.may_be_within(points, 1.0).tolist() == [True, False]
    assert notes.first_touched(ObstacleField([(crate, ())])) is None
    assert notes.first_touched(aside) is None
    assert notes.first_touched(ObstacleField([(box(9.0, 13.2, 0.2), ())])) == 0
    field.about(points, 0.4)
    assert notes.first_touched(ObstacleField([(crate, ())])) == 0


@pytest.mark.parametrize("half", [30.0, 5000.0])
def test_discs_are_noted_alike_in_numpy_and_compiled(half: float) -> None:
    """Of radii at, just beside and between the levels, also beyond the ground, far away, and nowhere."""
    noted = []
    for is_compiled in (False, True):
        rng = np.random.default_rng(3)
        journal = GroundJournal(np.array([[-half, -half], [half, half]]))
        with compiled(is_compiled):
            for journal.now in range(0, 12, 3):
                points, radius = rng.uniform(-1.3 * half, 1.3 * half, (60, 2)), np.exp(rng.uniform(-3.0, 9.0, 60))
                points[::9], points[1, 0], points[2, 1] = np.nan, 1e300, np.inf
                radius[:20] = 0.25 * 2.0 ** (np.arange(20) / 8.0)
                radius[20:30] = np.nextafter(0.25 * 2.0 ** np.arange(10), np.inf)
                journal.note_disc(points, radius)
                journal.note_disc(points[:5], 1.0)
        noted.append([*journal._at_first.by_level(), *journal._first.by_level()])
    assert len(noted[0]) == len(noted[1]) > 20
    for (level, frames), (other_level, other_frames) in zip(*noted, strict=True):
        assert level == other_level
        np.testing.assert_array_equal(frames, other_frames)
