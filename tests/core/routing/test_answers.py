# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions that are asked again get the answers that they would get alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.routing import CorridorMap, Question, RecordedMap

from .conftest import box

BOUNDS = np.array([[0.0, 0.0], [30.0, 0.0], [30.0, 12.0], [0.0, 12.0]])
WALLS = (box(10.0, 0.0, 0.4, 5.0), box(10.0, 6.0, 0.4, 6.0), box(20.0, 1.0, 0.4, 10.0))
STARTS = np.array([[2.0, 3.0], [2.5, 8.0], [4.0, 5.0], [5.0, 9.0]])
GOALS = np.array([[26.0, 4.0], [26.0, 4.0], [14.0, 9.0], [26.0, 4.0]])
RADII = np.array([0.2, 0.3, 0.25, 0.35])
WAY = np.array([[2.0, 5.5], [9.0, 5.5], [15.0, 5.5]])


class Notes:
    """What a map was asked."""

    def __init__(self) -> None:
        self.questions: list[Question] = []

    def note_question(self, question: Question) -> None:
        self.questions.append(question)


def test_what_is_asked_again_together_is_answered_as_if_each_were_asked_alone() -> None:
    notes, rng = Notes(), np.random.default_rng(2)
    before = RecordedMap(CorridorMap(WALLS, BOUNDS), notes)
    people = np.array([[10.2, 5.5], [9.0, 5.5], [9.5, 5.0]])
    for _ in range(12):
        starts = rng.uniform((1.0, 1.0), (9.0, 11.0), (4, 2))
        before.is_crowded(people)
        before.paths(starts, GOALS, RADII, crowded_by=people if rng.random() < 0.5 else None)
        before.corridors([WAY], np.array([0.2]), np.array([5.0]))
    questions = notes.questions
    assert len(questions) == 12 * 4  # the crowd, two goals and a corridor
    moved = CorridorMap((*WALLS[:2], box(20.0, 1.3, 0.4, 9.7)), BOUNDS)
    together = RecordedMap(moved).answer_the_same(questions)
    assert together == [RecordedMap(moved).answer_the_same([question])[0] for question in questions]
    assert len(set(together)) == 2  # some ways are others, some are not
    assert all(RecordedMap(CorridorMap(WALLS, BOUNDS)).answer_the_same(questions))


def test_a_question_is_kept_as_it_was_asked_also_where_the_arrays_of_the_caller_change() -> None:
    notes, places = Notes(), np.array([[3.0, 4.0], [8.0, 9.0]])
    corridors = CorridorMap(WALLS, BOUNDS)
    RecordedMap(corridors, notes).path(places[0], places[1], 0.2)
    places += 0.5
    assert RecordedMap(corridors).answer_the_same(notes.questions) == [True]


def test_corridors_far_from_what_has_changed_are_known_to_be_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    notes, rng = Notes(), np.random.default_rng(5)
    before = RecordedMap(CorridorMap((*WALLS, box(4.0, 9.0, 0.3, 0.3)), BOUNDS), notes)
    ways = [WAY, WAY + np.array([0.0, 1.5]), np.array([[24.0, 2.0], [28.0, 9.0]])]
    before.corridors(ways, np.full(3, 0.2), np.array([1.0, 4.0, 2.0]))
    answers = []
    for x, y in rng.uniform((1.0, 0.0), (28.0, 11.5), (40, 2)).tolist():
        corridors = RecordedMap(CorridorMap((*WALLS, box(x, y, 0.3, 0.3)), BOUNDS))
        answers.append(corridors.answer_the_same(notes.questions))
        assert answers[-1] == corridors.answer_the_same([replace(each, ground=None) for each in notes.questions])
    assert len({*map(tuple, answers)}) > 2
    far = RecordedMap(CorridorMap((*WALLS, box(4.0, 9.5, 0.3, 0.3)), BOUNDS))
    monkeypatch.setattr(CorridorMap, "corridors", lambda _, routes, *_2: pytest.fail(f"{len(routes)} are measured"))
    assert far.answer_the_same([notes.questions[0], notes.questions[2]]) == [True, True]
