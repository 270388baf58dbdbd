# SPDX-License-Identifier: GPL-3.0-or-later
"""What a change is known not to matter to need not be asked again: the answer is the same, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from core.geometry.distance_field import ObstacleField
from core.routing import CorridorMap, Question, WatchedMap
from core.routing.fringe import Exits, fringe_of, goes_into
from core.routing.holds import Holds
from core.routing.looked import BESIDE, NOT_AT_ALL, TOUCHED, Change, touched_by
from core.routing.search import Spot

from .conftest import box

SIDE = 40.0
BOUNDS = np.array([[0.0, 0.0], [SIDE, 0.0], [SIDE, SIDE], [0.0, SIDE]])


class Notes:
    """What a map was asked, and which bodies it had to tell apart for the last answer."""

    def __init__(self) -> None:
        self.questions: list[Question] = []
        self.widths: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def note_question(self, question: Question) -> None:
        self.questions.append(question)

    def note_widths(self, needed: np.ndarray, told_apart: np.ndarray) -> None:
        self.widths[len(self.questions) - 1] = needed, told_apart

    def told_apart_alike(self, after: WatchedMap) -> np.ndarray:
        """Whether another map tells the same bodies apart, bool (Q,)."""
        alike = np.ones(len(self.questions), dtype=bool)
        for number, (needed, told_apart) in self.widths.items():
            alike[number] = np.array_equal(after.told_apart(needed), told_apart)
        return alike


def _blocks(rng: np.random.Generator) -> list[np.ndarray]:
    """Blocks that leave gaps of many widths, some none at all."""
    corners = [(x, y) for x in np.arange(3.0, SIDE - 3.0, 6.0) for y in np.arange(3.0, SIDE - 3.0, 6.0)]
    sizes = rng.uniform(0.5, 5.9, (len(corners), 2))
    return [box(x, y, *size) for (x, y), size in zip(corners, sizes.tolist(), strict=True)]


def _asked(corridors: CorridorMap, rng: np.random.Generator) -> Notes:
    """Ways of many, in crowds and alone, some of them from or to where nobody can stand."""
    notes = Notes()
    watched = WatchedMap(corridors, notes)
    for number in range(12):
        starts, goals = rng.uniform(-0.5, SIDE + 0.5, (2, 8, 2))
        goals[1::2] = goals[::2]
        people = rng.uniform(0.0, SIDE, 2) + rng.normal(0.0, 2.0, (60, 2)) if number % 2 else None
        watched.paths(starts, goals, rng.uniform(0.1, 0.5, 8), crowded_by=people)
    return notes


def _change(shapes: list[np.ndarray], others: list[np.ndarray]) -> Change:
    """What is another, with all that it touches: the map has other edges there, too."""
    boxes = [(shape.min(axis=0), shape.max(axis=0)) for shape in shapes]
    joined = [
        each
        for each in others
        if any(((each.max(axis=0) >= low) & (each.min(axis=0) <= high)).all() for low, high in boxes)
    ]
    lines = [*shapes, *joined]
    return Change(ObstacleField([(line, ()) for line in lines]), lines)


NOWHERE_ELSE = 3


def _how_it_matters(
    notes: Notes, change: Change, make_it: Callable[[], object], corridors: CorridorMap
) -> tuple[np.ndarray, np.ndarray]:
    """How a change touches questions, and whether they are answered the same; what is known is checked against that."""
    how = touched_by([question.looked for question in notes.questions], change)
    make_it()
    after = WatchedMap(corridors)
    same = np.array(after.answer_the_same(notes.questions))
    beside = np.flatnonzero(how == BESIDE)
    elsewhere = after.go_elsewhere([notes.questions[number] for number in beside], change)
    how[beside[~elsewhere]] = NOWHERE_ELSE
    alike = notes.told_apart_alike(after)
    assert same[alike & np.isin(how, (NOT_AT_ALL, NOWHERE_ELSE))].all()
    return how, same


@pytest.mark.parametrize("seed", range(8))
def test_what_does_not_go_elsewhere_is_answered_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    blocks = _blocks(rng)
    number = int(rng.integers(len(blocks)))
    moved = blocks[number] + rng.uniform(-1.0, 1.0, 2)
    corridors = CorridorMap(blocks, BOUNDS)
    notes = _asked(corridors, rng)
    change = _change([blocks[number], moved], [*blocks[:number], *blocks[number + 1 :]])
    how, _ = _how_it_matters(notes, change, partial(corridors.move, number, moved), corridors)
    assert (how == TOUCHED).any()


def test_a_small_change_is_known_not_to_matter_to_most_searches_that_came_by() -> None:
    known = beside = others = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        blocks = _blocks(rng)
        corridors = CorridorMap(blocks, BOUNDS)
        notes = _asked(corridors, rng)
        crate = box(*rng.uniform(4.0, SIDE - 4.0, 2).tolist(), 0.3, 0.3)
        how, same = _how_it_matters(notes, _change([crate], blocks), partial(corridors.insert, crate), corridors)
        known, beside = known + (how == NOWHERE_ELSE).sum(), beside + (how == BESIDE).sum()
        others += (~same).sum()
    assert known > 2 * beside
    assert known > 30
    assert others > 0  # some of these crates do matter


def test_a_search_goes_into_the_exits_that_it_went_along_and_into_no_others() -> None:
    """What a search went along promised no more than what it reached; the other exits it came by promised more."""
    rng = np.random.default_rng(3)
    corridors = CorridorMap(_blocks(rng), BOUNDS)
    layout = corridors.layout
    net, roads = layout.net, layout.guide._wayfinder._roads
    numbers = net.graph.flat.numbers[net.graph.flat.leads_on]
    checked = 0
    for _ in range(40):
        places, needed = rng.uniform(1.0, SIDE - 1.0, (2, 2)), float(rng.uniform(0.1, 0.5))
        holds = layout.standing.anchors(places - layout.origin, np.full(2, needed))
        if None in holds:
            continue
        spots = [_spot(layout, hold) for hold in holds]
        found = roads.shortest(*spots, needed, {}, trailed=True)
        if found.walk is None or found.trail is None:
            continue
        fringe = fringe_of([found.trail], net)
        gone, nodes = {step >> 1 for step in found.trail.steps}, found.nodes
        for edge in numbers.tolist():
            into = goes_into(fringe, roads.exits_into([edge])).any()
            if edge in gone:
                assert into
            elif nodes.isdisjoint(net.graph.ends[edge]):
                assert not into
            else:
                # it came by: had it promised less, the search would have gone along it
                assert not into or _is_too_narrow(roads.exits_into([edge]), needed)
                checked += 1
    assert checked > 200


def _spot(layout: Any, hold: Any) -> Spot:
    return Holds.of([hold], layout.net).spots[0]


def _is_too_narrow(exits: Exits, needed: float) -> bool:
    return bool((exits.clearance < needed).all())
