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

Ground = tuple[tuple[float, ...], Float64]
"""The lattice of a map, and float64 (S, 4), all edges round its free ground [m from the grid's origin]."""

_POINTS_PER_BOX = 16
"""So many neighbouring points of a line are compared with changed edges at once."""

_TOLERANCE = 1e-6
"""Edges this much farther away than is asked for do not matter: covers rounding [m]."""


@dataclass(frozen=True, eq=False)
class Question:
    """A question to a map, with its answer.

    Attributes:
        name: of the method of `CorridorMap`.
        arguments: by their names.
        answer: as it was given; a `NoRoute` counts by its message.
        ground: where it depends on nothing but near edges, the lattice and all edges of the map; else None.
    """

    name: str
    arguments: dict[str, Any]
    answer: Any
    ground: Ground | None = None


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
        self._changed: dict[int, Float64] = {}

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
        if self._journal is not None:
            ground = self.lattice, self._map.map_state.edges
            for route, radius, most, answer in zip(routes, radii.tolist(), at_most.tolist(), answers, strict=True):
                self._record("corridor", {"way": route, "radius": radius, "at_most": most}, answer, ground)
        return answers

    def _crowding_by(self, people: Float64) -> Float64:
        """Return the factor on each corridor's length; many callers pass the same people."""
        if id(people) not in self._crowding:
            self._map.look_ahead(people)
            self._crowding[id(people)] = people, self._map.crowding(people)
        return self._crowding[id(people)][1]

    def answer_the_same(self, questions: Sequence[Question]) -> list[bool]:
        """Ask again, and return for each whether the answer is the same, bit for bit.

        Routes are searched together, except those to one goal, which could share a search. Corridors far from all
        edges that changed are known to be the same.
        """
        same = [question.ground is not None and self._is_unchanged_round(question) for question in questions]
        self._look_ahead_of_crowds(questions)
        together: dict[tuple[object, ...], list[int]] = {}
        times: Counter[tuple[object, ...]] = Counter()
        for number in np.flatnonzero(~np.array(same, dtype=bool)).tolist():
            question = questions[number]
            kind: tuple[object, ...] = (question.name, number)
            if question.name == "corridor":
                kind = (question.name,)
            elif question.name == "paths":
                kind = id(question.arguments["crowded_by"]), tuple(question.arguments["goals"][0].tolist())
                times[kind] += 1
                kind = question.name, kind[0], times[kind]
            together.setdefault(kind, []).append(number)
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

    def _is_unchanged_round(self, corridor: Question) -> bool:
        """Return whether the map has the same edges, on the same lattice, wherever a corridor was measured."""
        assert corridor.ground is not None
        lattice, edges = corridor.ground
        if lattice != self.lattice:
            return False
        if id(edges) not in self._changed:
            before, now = ({edge.tobytes() for edge in each} for each in (edges, self._map.map_state.edges))
            self._changed[id(edges)] = np.frombuffer(b"".join(before ^ now)).reshape(-1, 2, 2)
        changed, asked = self._changed[id(edges)], corridor.arguments
        line = asked["way"] - self._map.map_state.origin
        first, reach = np.arange(0, len(line), _POINTS_PER_BOX), asked["radius"] + asked["at_most"] + _TOLERANCE
        low, high = np.minimum.reduceat(line, first) - reach, np.maximum.reduceat(line, first) + reach
        near = (changed.min(axis=1) <= high[:, None]) & (changed.max(axis=1) >= low[:, None])  # (B, K, 2)
        return not near.all(axis=2).any()

    def _record(self, name: str, arguments: dict[str, Any], answer: Any, ground: Ground | None = None) -> None:
        if self._journal is not None:
            self._journal.note_question(Question(name, arguments, answer, ground))


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two answers are the same."""
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_is_same, one, other))
    if isinstance(one, NoRoute) or isinstance(other, NoRoute):
        return type(one) is type(other) and str(one) == str(other)
    return bool(np.array_equal(one, other))
