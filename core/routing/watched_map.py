# SPDX-License-Identifier: GPL-3.0-or-later
"""A corridor map that tells somebody what it is asked, what it answers, and what of the ground that depends on.

    WatchedMap(corridors, watch)
        .path, .paths, .is_crowded, .corridors, .unwatched             as of the map itself
        .lattice ; .told_apart(needed)
        .answer_the_same(questions) -> list of bool
        .go_elsewhere(questions, change) -> bool (N,)

Whoever has kept the questions can tell which of them a change of the ground does not touch, and ask the others again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import NoRoute
from .answers import Answers
from .corridor_map import CorridorMap
from .fringe import goes_into
from .looked import Change
from .traces import Question, Watch, told_apart

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]


class WatchedMap:
    """What people ask a map, under watch.

    Args:
        corridors: the map.
        watch: is told; None for nobody.
        known: what it is known to answer, of ways and of the room beside them.
    """

    def __init__(self, corridors: CorridorMap, watch: Watch | None = None, known: Answers | None = None) -> None:
        self._map, self._watch, self._known = corridors, watch, known
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

    def told_apart(self, needed: Float64) -> NDArray[np.bool_]:
        """Tell between which neighbours of ascending clearances, float64 (K,), the widths of the edges tell."""
        graph = self._map.layout.net.graph
        return told_apart(needed, np.minimum.reduceat(graph.narrowest[graph.flat.arcs], graph.flat.first[:-1]))

    def path(self, start: ArrayLike, goal: ArrayLike, radius: float) -> Float64:
        """Find a short way for a round body; see `CorridorMap.path`."""
        self._begin()
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

        def asked(rows: Int64) -> dict[str, Any]:
            return {"starts": starts[rows], "goals": goals[rows], "radii": radii[rows], "crowded_by": crowded_by}

        found: list[Float64 | NoRoute] = [NoRoute()] * len(starts)
        rest = np.arange(len(starts))
        self._begin()
        if self._known is not None and len(starts):
            whose = np.unique(goals, axis=0, return_inverse=True)[1].ravel()
            for rows in (np.flatnonzero(whose == each) for each in range(whose.max() + 1)):
                ways = self._recalled("paths", asked(rows))
                if ways is not None:
                    whose[rows] = -1
                    for row, way in zip(rows.tolist(), ways, strict=True):
                        found[row] = way
            rest = np.flatnonzero(whose >= 0)
        if len(rest):
            crowding = None if crowded_by is None else self._crowding_by(crowded_by)
            ways = self._map.paths(
                starts[rest],
                goals[rest],
                radii[rest],
                crowding=crowding,
                told=lambda rows, ways: self._tell("paths", asked(rest[rows]), ways),
            )
            for row, way in zip(rest.tolist(), ways, strict=True):
                found[row] = way
        return found

    def is_crowded(self, people: Float64) -> bool:
        """Tell whether any corridor counts as longer because of some people, float64 (N, 2) [m]."""
        self._begin()
        if self._watch is not None:
            self._crowding.pop(id(people), None)  # looked at once more, to be told of
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
        bodies = zip(ways, radii.tolist(), at_most.tolist(), strict=True)
        asked = [{"way": way, "radius": radius, "at_most": most} for way, radius, most in bodies]
        answers = [self._recalled("corridor", each) for each in asked]
        rest = [number for number, answer in enumerate(answers) if answer is None]
        found = self._map.corridors([ways[number] for number in rest], radii[rest], at_most[rest])
        traces = self._map.layout.traces
        for number, answer in zip(rest, found, strict=True):
            answers[number] = answer
            traces.clear()
            reach = asked[number]["at_most"] + asked[number]["radius"]
            traces.add_place(ways[number] - self._map.layout.origin, reach)
            self._tell("corridor", asked[number], answer)
        return answers

    def _crowding_by(self, people: Float64) -> Float64:
        """Tell how many times as long each corridor counts; many ask with the same people, and soon with some more."""
        if id(people) not in self._crowding:
            self._map.look_ahead(people)
            self._crowding[id(people)] = people, self._map.crowding(people)
        return self._crowding[id(people)][1]

    def _recalled(self, name: str, arguments: dict[str, Any]) -> Any:
        """What is known to be the answer; the watch is told as if it had been looked for. None where it is not."""
        known = None if self._known is None else self._known.find(name, arguments)
        if known is None or (len(known.needed) and not np.array_equal(self.told_apart(known.needed), known.told_apart)):
            return None
        if self._watch is not None:
            self._watch.note_question(known.question)
            self._watch.note_widths(known.needed, known.told_apart)
        return known.question.answer

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

    def go_elsewhere(self, questions: Sequence[Question], change: Change) -> NDArray[np.bool_]:
        """Tell of questions that a change lies `BESIDE` whether searches for them might go otherwise now.

        Args:
            questions: that were answered on another map on the same grid.
            change: see `core.routing.looked`.

        Returns:
            bool (N,); where it is False, the answer is the same.
        """
        layout = self._map.layout
        touched = layout.traces.discs_on(layout.net, layout.origin).touched(change)
        exits = layout.guide.exits_into(layout.net.graph.flat.numbers[touched].tolist())
        fringes = [question.looked.fringe for question in questions]
        whose = np.repeat(np.arange(len(questions)), [len(fringe) for fringe in fringes])
        elsewhere = np.zeros(len(questions), dtype=bool)
        if fringes:
            elsewhere[whose[goes_into(np.concatenate(fringes), exits)]] = True
        return elsewhere

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

    def _begin(self) -> None:
        """Write down what is looked at from now on, if somebody is to be told."""
        traces = self._map.layout.traces
        traces.clear()
        traces.wanted = self._watch is not None

    def _tell(self, name: str, arguments: dict[str, Any], answer: Any) -> None:
        if self._watch is None:
            return
        layout = self._map.layout
        looked = layout.traces.looked(layout.net, layout.origin)
        self._watch.note_question(Question(name, arguments, answer, looked))
        if layout.traces.needed:
            needed = np.unique(np.concatenate(layout.traces.needed))
            self._watch.note_widths(needed, self.told_apart(needed))


def _is_same(one: Any, other: Any) -> bool:
    """Tell whether two answers are the same."""
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_is_same, one, other))
    if isinstance(one, NoRoute) or isinstance(other, NoRoute):
        return type(one) is type(other) and str(one) == str(other)
    return bool(np.array_equal(one, other))
