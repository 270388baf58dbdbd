# SPDX-License-Identifier: GPL-3.0-or-later
"""A corridor map that records questions and answers, and can repeat questions.

Recorded questions can be asked again after the ground has changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ..array_types import Float64
from ..errors import NoRoute
from ..geometry.ragged import rows_of_each
from .corridor_map import CorridorMap


@dataclass(frozen=True, eq=False)
class Question:
    """A question to a map, with its answer.

    Attributes:
        name: of the method of `CorridorMap`.
        arguments: by their names.
        answer: as it was given; a `NoRoute` counts by its message.
    """

    name: str
    arguments: dict[str, Any]
    answer: Any


class QuestionJournal(Protocol):
    """Records what a map was asked."""

    def note_question(self, question: Question) -> None:
        """Record a question that the map has answered."""
        ...


class RecordedMap:
    """A map whose questions and answers are recorded.

    Args:
        corridors: the map.
        journal: where they are recorded; None for nowhere.
    """

    def __init__(self, corridors: CorridorMap, journal: QuestionJournal | None = None) -> None:
        self._map, self._journal = corridors, journal
        self._crowding: dict[int, tuple[Float64, Float64]] = {}

    @property
    def unrecorded(self) -> CorridorMap:
        """The map itself, unrecorded."""
        return self._map

    @property
    def lattice(self) -> tuple[float, ...]:
        """Origin and step of the grid: on the same grid, unchanged parts of maps have the same bits."""
        grid = self._map.map_state.partition.grid
        return (*grid.origin, grid.steps, grid.extent)

    def path(self, start: ArrayLike, goal: ArrayLike, radius: float) -> Float64:
        """Find a short route for a round body; see `CorridorMap.path`."""
        answer: Any = None
        try:
            answer = self._map.path(start, goal, radius)
        except NoRoute as reason:
            answer = reason
            raise
        finally:
            ends = {"start": np.array(start), "goal": np.array(goal)}  # the caller's arrays may change later
            self._record("path", {**ends, "radius": radius}, answer)
        return answer

    def paths(
        self, starts: Float64, goals: Float64, radii: Float64, *, crowded_by: Float64 | None = None
    ) -> list[Float64 | NoRoute]:
        """Find routes for many; see `CorridorMap.paths`.

        Args:
            starts: float64 (N, 2) [m].
            goals: float64 (N, 2) [m].
            radii: float64 (N,) [m].
            crowded_by: float64 (M, 2), people who crowd corridors, None for nobody [m].
        """
        if not len(starts):
            return []
        crowding = None if crowded_by is None else self._crowding_by(crowded_by)
        found = self._map.paths(starts, goals, radii, crowding=crowding)
        if self._journal is not None:
            whose = np.unique(goals, axis=0, return_inverse=True)[1].ravel()
            for rows in rows_of_each(whose):
                asked = {"starts": starts[rows], "goals": goals[rows], "radii": radii[rows], "crowded_by": crowded_by}
                self._record("paths", asked, [found[row] for row in rows])
        return found

    def is_crowded(self, people: Float64) -> bool:
        """Return whether people, float64 (N, 2) [m], crowd any corridor."""
        answer = bool(self._crowding_by(people).max(initial=1.0) > 1.0)
        self._record("is_crowded", {"people": people}, answer)
        return answer

    def corridors(self, routes: Sequence[Float64], radii: Float64, at_most: Float64) -> list[tuple[Float64, Float64]]:
        """Return how far round bodies may deviate from each of many routes; see `CorridorMap.corridors`.

        Args:
            routes: float64 (P, 2) each, of N [m].
            radii: float64 (N,) [m].
            at_most: float64 (N,), larger clearances are not measured [m].
        """
        answers = self._map.corridors(routes, radii, at_most)
        for route, radius, most, answer in zip(routes, radii.tolist(), at_most.tolist(), answers, strict=True):
            self._record("corridor", {"way": route, "radius": radius, "at_most": most}, answer)
        return answers

    def _crowding_by(self, people: Float64) -> Float64:
        """Return the factor on each corridor's length; many callers pass the same people."""
        if id(people) not in self._crowding:
            self._map.look_ahead(people)
            self._crowding[id(people)] = people, self._map.crowding(people)
        return self._crowding[id(people)][1]

    def answer_the_same(self, questions: Sequence[Question]) -> list[bool]:
        """Ask again, and return for each whether the answer is the same, bit for bit.

        Routes are searched together, except those to one goal, which could share a search.
        """
        self._look_ahead_of_crowds(questions)
        together: dict[tuple[object, ...], list[int]] = {}
        times: Counter[tuple[object, ...]] = Counter()
        for number, question in enumerate(questions):
            kind: tuple[object, ...] = (question.name, number)
            if question.name == "corridor":
                kind = (question.name,)
            elif question.name == "paths":
                kind = id(question.arguments["crowded_by"]), tuple(question.arguments["goals"][0].tolist())
                times[kind] += 1
                kind = question.name, kind[0], times[kind]
            together.setdefault(kind, []).append(number)
        same = [False] * len(questions)
        for numbers in together.values():
            asked = [questions[number] for number in numbers]
            for number, question, answer in zip(numbers, asked, self._answers_to(asked), strict=True):
                same[number] = _is_same(answer, question.answer)
        return same

    def _look_ahead_of_crowds(self, questions: Sequence[Question]) -> None:
        """Locate all people by whom corridors are crowded, at once."""
        names = {"paths": "crowded_by", "is_crowded": "people"}
        named = [question.arguments[names[question.name]] for question in questions if question.name in names]
        crowds = {id(people): people for people in named if people is not None}
        if crowds:
            self._map.look_ahead(np.concatenate(list(crowds.values())))

    def _answers_to(self, questions: Sequence[Question]) -> list[Any]:
        """Return the answers to questions of one kind: a single one, or corridors, or routes in one crowd."""
        asked = [question.arguments for question in questions]
        if questions[0].name == "corridor":
            sizes = [np.array([each[name] for each in asked]) for name in ("radius", "at_most")]
            return list(self.corridors([each["way"] for each in asked], *sizes))
        if questions[0].name == "paths":
            ends = [np.concatenate([each[name] for each in asked]) for name in ("starts", "goals", "radii")]
            routes = iter(self.paths(*ends, crowded_by=asked[0]["crowded_by"]))
            return [list(islice(routes, len(question.answer))) for question in questions]
        try:
            return [getattr(self, questions[0].name)(**asked[0])]
        except NoRoute as reason:
            return [reason]

    def _record(self, name: str, arguments: dict[str, Any], answer: Any) -> None:
        if self._journal is not None:
            self._journal.note_question(Question(name, arguments, answer))


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two answers are the same."""
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_is_same, one, other))
    if isinstance(one, NoRoute) or isinstance(other, NoRoute):
        return type(one) is type(other) and str(one) == str(other)
    return bool(np.array_equal(one, other))
