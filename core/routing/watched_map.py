# SPDX-License-Identifier: GPL-3.0-or-later
"""A corridor map that tells somebody what it is asked, what it answers, and what of the ground that depends on.

    WatchedMap(corridors, watch)
        .path, .paths, .is_crowded, .corridor, .unwatched              as of the map itself
        .lattice ; .told_apart(needed)
        .answer_the_same(questions) -> list of bool

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
        self._map.layout.traces.clear()
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
        self._map.layout.traces.clear()
        if self._watch is not None:
            self._crowding.pop(id(people), None)  # looked at once more, to be told of
        answer = bool(self._crowding_by(people).max(initial=1.0) > 1.0)
        self._tell("is_crowded", {"people": people}, answer)
        return answer

    def corridor(self, way: Float64, radius: float, *, at_most: float = 5.0) -> tuple[Float64, Float64]:
        """Tell how far a round body may leave a way at each of its points; see `CorridorMap.corridor`."""
        known = self._recalled("corridor", {"way": way, "radius": radius, "at_most": at_most})
        if known is not None:
            return known
        answer = self._map.corridor(way, radius, at_most=at_most)
        traces = self._map.layout.traces
        traces.clear()
        traces.add_place(way - self._map.layout.origin, at_most + radius)
        self._tell("corridor", {"way": way, "radius": radius, "at_most": at_most}, answer)
        return answer

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
        same = [question.name != "paths" and self._answers_the_same(question) for question in questions]
        times: Counter[tuple[object, ...]] = Counter()
        together: dict[tuple[int, int], list[int]] = {}
        for number, question in enumerate(questions):
            if question.name == "paths":
                crowd, goal = id(question.arguments["crowded_by"]), tuple(question.arguments["goals"][0].tolist())
                times[crowd, goal] += 1
                together.setdefault((crowd, times[crowd, goal]), []).append(number)
        for numbers in together.values():
            asked = [questions[number].arguments for number in numbers]
            ends = [np.concatenate([each[name] for each in asked]) for name in ("starts", "goals", "radii")]
            ways = iter(self.paths(*ends, crowded_by=asked[0]["crowded_by"]))
            for number in numbers:
                known = questions[number].answer
                same[number] = _is_same(list(islice(ways, len(known))), known)
        return same

    def _answers_the_same(self, question: Question) -> bool:
        try:
            answer = getattr(self, question.name)(**question.arguments)
        except NoRoute as reason:
            answer = reason
        return _is_same(answer, question.answer)

    def _tell(self, name: str, arguments: dict[str, Any], answer: Any) -> None:
        if self._watch is None:
            return
        layout = self._map.layout
        points, reach = layout.traces.discs(layout.net)
        self._watch.note_question(Question(name, arguments, answer, points + layout.origin, reach))
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
