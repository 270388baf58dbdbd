# SPDX-License-Identifier: GPL-3.0-or-later
"""A corridor map that reports what it is asked and what it answers, and can be asked the same again.

    RecordedMap(corridors, watch)
        .path, .paths, .is_crowded, .corridors, .unwatched             as of the map itself
        .lattice
        .answer_the_same(questions) -> list of bool

Whoever has kept the questions can ask them again after the ground has changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import NoRoute
from .corridor_map import CorridorMap

Float64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Question:
    """Something that a map was asked, with its answer.

    Attributes:
        name: of the method of `CorridorMap`.
        arguments: by their names.
        answer: as it was given; of a refusal its words.
    """

    name: str
    arguments: dict[str, Any]
    answer: Any


class Watch(Protocol):
    """Whoever wants to know what a map was asked."""

    def note_question(self, question: Question) -> None:
        """The map has just answered."""
        ...


class RecordedMap:
    """What people ask a map, under watch.

    Args:
        corridors: the map.
        watch: is told; None for nobody.
    """

    def __init__(self, corridors: CorridorMap, watch: Watch | None = None) -> None:
        self._map, self._watch = corridors, watch
        self._crowding: dict[int, tuple[Float64, Float64]] = {}

    @property
    def unwatched(self) -> CorridorMap:
        """The map itself, for those who only want to see it."""
        return self._map

    @property
    def lattice(self) -> tuple[float, ...]:
        """Where the points of the grid lie: maps on the same grid know what has not changed by the same bits."""
        grid = self._map.layout.chart.grid
        return (*grid.origin, grid.steps, grid.extent)

    def path(self, start: ArrayLike, goal: ArrayLike, radius: float) -> Float64:
        """Find a short way for a round body; see `CorridorMap.path`."""
        answer: Any = None
        try:
            answer = self._map.path(start, goal, radius)
        except NoRoute as reason:
            answer = reason
            raise
        finally:
            self._tell("path", {"start": start, "goal": goal, "radius": radius}, answer)
        return answer

    def paths(
        self, starts: Float64, goals: Float64, radii: Float64, *, crowded_by: Float64 | None = None
    ) -> list[Float64 | NoRoute]:
        """Find ways for many; see `CorridorMap.paths`.

        Args:
            starts: float64 (N, 2) [m].
            goals: float64 (N, 2) [m].
            radii: float64 (N,) [m].
            crowded_by: float64 (M, 2), people whose corridors count as longer, None for nobody [m].
        """
        if not len(starts):
            return []
        crowding = None if crowded_by is None else self._crowding_by(crowded_by)
        found = self._map.paths(starts, goals, radii, crowding=crowding)
        if self._watch is not None:
            whose = np.unique(goals, axis=0, return_inverse=True)[1].ravel()
            for rows in (np.flatnonzero(whose == goal) for goal in range(whose.max() + 1)):
                asked = {"starts": starts[rows], "goals": goals[rows], "radii": radii[rows], "crowded_by": crowded_by}
                self._tell("paths", asked, [found[row] for row in rows])
        return found

    def is_crowded(self, people: Float64) -> bool:
        """Tell whether any corridor counts as longer because of some people, float64 (N, 2) [m]."""
        answer = bool(self._crowding_by(people).max(initial=1.0) > 1.0)
        self._tell("is_crowded", {"people": people}, answer)
        return answer

    def corridors(self, ways: Sequence[Float64], radii: Float64, at_most: Float64) -> list[tuple[Float64, Float64]]:
        """Tell how far round bodies may leave each of many ways; see `CorridorMap.corridors`.

        Args:
            ways: float64 (P, 2) each, of N [m].
            radii: float64 (N,) [m].
            at_most: float64 (N,), more than this is not told [m].
        """
        answers = self._map.corridors(ways, radii, at_most)
        for way, radius, most, answer in zip(ways, radii.tolist(), at_most.tolist(), answers, strict=True):
            self._tell("corridor", {"way": way, "radius": radius, "at_most": most}, answer)
        return answers

    def _crowding_by(self, people: Float64) -> Float64:
        """Tell how many times as long each corridor counts; many ask with the same people, and soon with some more."""
        if id(people) not in self._crowding:
            self._map.look_ahead(people)
            self._crowding[id(people)] = people, self._map.crowding(people)
        return self._crowding[id(people)][1]

    def answer_the_same(self, questions: Sequence[Question]) -> list[bool]:
        """Ask again, and tell of each whether the answer is the same, bit for bit.

        Ways are looked for together, but for those to one goal: who asks for such at once may share a search.
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
        """Find out at once where all people lie by whom corridors are crowded."""
        names = {"paths": "crowded_by", "is_crowded": "people"}
        named = [question.arguments[names[question.name]] for question in questions if question.name in names]
        crowds = {id(people): people for people in named if people is not None}
        if crowds:
            self._map.look_ahead(np.concatenate(list(crowds.values())))

    def _answers_to(self, questions: Sequence[Question]) -> list[Any]:
        """Return the answers to questions of one kind: one alone, or corridors, or ways in one crowd."""
        asked = [question.arguments for question in questions]
        if questions[0].name == "corridor":
            sizes = [np.array([each[name] for each in asked]) for name in ("radius", "at_most")]
            return list(self.corridors([each["way"] for each in asked], *sizes))
        if questions[0].name == "paths":
            ends = [np.concatenate([each[name] for each in asked]) for name in ("starts", "goals", "radii")]
            ways = iter(self.paths(*ends, crowded_by=asked[0]["crowded_by"]))
            return [list(islice(ways, len(question.answer))) for question in questions]
        try:
            return [getattr(self, questions[0].name)(**asked[0])]
        except NoRoute as reason:
            return [reason]

    def _tell(self, name: str, arguments: dict[str, Any], answer: Any) -> None:
        if self._watch is not None:
            self._watch.note_question(Question(name, arguments, answer))


def _is_same(one: Any, other: Any) -> bool:
    """Tell whether two answers are the same."""
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_is_same, one, other))
    if isinstance(one, NoRoute) or isinstance(other, NoRoute):
        return type(one) is type(other) and str(one) == str(other)
    return bool(np.array_equal(one, other))
