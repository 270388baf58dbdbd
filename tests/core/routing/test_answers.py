# SPDX-License-Identifier: GPL-3.0-or-later
"""What a map is known to answer, it need not look for: the answers are those that it would find."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.routing import Answer, Answers, CorridorMap, Question, WatchedMap

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
        self.answers: list[Answer] = []

    def note_question(self, question: Question) -> None:
        self.answers.append(Answer(question, np.zeros(0), np.zeros(0, dtype=bool)))

    def note_widths(self, needed: np.ndarray, told_apart: np.ndarray) -> None:
        self.answers[-1] = Answer(self.answers[-1].question, needed, told_apart)


def _asked(corridors: WatchedMap) -> list[Any]:
    ways = corridors.paths(STARTS, GOALS, RADII)
    crowded = corridors.paths(STARTS, GOALS, RADII, crowded_by=np.array([[10.2, 5.5], [9.0, 5.5], [9.5, 5.0]]))
    return [*ways, *crowded, *corridors.corridors([WAY], np.array([0.2]), np.array([5.0]))[0]]


def _known(notes: Notes, without: int | None = None) -> Answers:
    known = Answers()
    for number, answer in enumerate(notes.answers):
        if number != without:
            known.add(answer)
    return known


def _same(ones: list[Any], others: list[Any]) -> bool:
    return len(ones) == len(others) and all(map(np.array_equal, ones, others))


def test_whatever_is_known_and_whatever_is_not_the_answers_are_those_of_the_map() -> None:
    notes = Notes()
    plain = _asked(WatchedMap(CorridorMap(WALLS, BOUNDS), notes))
    assert len(notes.answers) == 5  # two goals, twice, and a corridor
    for without in (None, *range(5)):
        again = Notes()
        found = _asked(WatchedMap(CorridorMap(WALLS, BOUNDS), again, _known(notes, without)))
        assert _same(found, plain)
        asked = [answer.question for answer in notes.answers]
        assert sum(any(each.question is one for one in asked) for each in again.answers) == 5 - (without is not None)
        assert len(again.answers) == 5  # what was known is told as what was looked for


def test_what_is_known_holds_only_where_bodies_are_told_apart_as_they_were() -> None:
    notes = Notes()
    _asked(WatchedMap(CorridorMap(WALLS, BOUNDS), notes))
    narrower = (*WALLS, box(28.0, 11.0, 1.0, 0.48))  # far from all ways: a gap for some of them only
    again = Notes()
    found = _asked(WatchedMap(CorridorMap(narrower, BOUNDS), again, _known(notes)))
    assert _same(found, _asked(WatchedMap(CorridorMap(narrower, BOUNDS))))
    shared = [answer for answer in notes.answers if len(answer.told_apart)]
    assert shared
    kept = [answer.question for answer in again.answers]
    assert not any(answer.question is each for answer in shared for each in kept)


def test_what_is_asked_again_together_is_answered_as_if_each_were_asked_alone() -> None:
    notes, rng = Notes(), np.random.default_rng(2)
    before = WatchedMap(CorridorMap(WALLS, BOUNDS), notes)
    people = np.array([[10.2, 5.5], [9.0, 5.5], [9.5, 5.0]])
    for _ in range(12):
        starts = rng.uniform((1.0, 1.0), (9.0, 11.0), (4, 2))
        before.is_crowded(people)
        before.paths(starts, GOALS, RADII, crowded_by=people if rng.random() < 0.5 else None)
    questions = [answer.question for answer in notes.answers]
    moved = CorridorMap((*WALLS[:2], box(20.0, 1.3, 0.4, 9.7)), BOUNDS)
    together = WatchedMap(moved).answer_the_same(questions)
    assert together == [WatchedMap(moved).answer_the_same([question])[0] for question in questions]
    assert len(set(together)) == 2  # some ways are others, some are not
    assert all(WatchedMap(CorridorMap(WALLS, BOUNDS)).answer_the_same(questions))
