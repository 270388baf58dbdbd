# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths that were made before are those that would be made anew, whoever else's are made with them."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from core.planning import KnownPaths, ReferenceSet
from core.planning.paths.path_tables import PathTable
from core.planning.paths.walked_path import WalkedPath, nodes_of


def _lines(count: int) -> tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]]:
    """Lines of 2 to 40 points with bends of all kinds, and the room on both sides of them."""
    rng = np.random.default_rng(5)
    lines, left, right = [], [], []
    for _ in range(count):
        points = int(rng.integers(2, 40))
        turns = np.cumsum(rng.normal(0.0, rng.uniform(0.0, 1.2), points))
        steps = rng.uniform(0.1, 1.5, points)[:, None] * np.column_stack((np.cos(turns), np.sin(turns)))
        lines.append(rng.uniform(-50.0, 50.0, 2) + np.cumsum(steps, axis=0))
        left.append(rng.uniform(0.1, 2.0, points))
        right.append(rng.uniform(0.1, 2.0, points))
    return lines, left, right


def _is_same(one: PathTable, other: PathTable) -> bool:
    pairs = [(getattr(one, field.name), getattr(other, field.name)) for field in fields(PathTable)]
    return all(np.array_equal(np.atleast_1d(a).view(np.uint8), np.atleast_1d(b).view(np.uint8)) for a, b in pairs)


def _tabulated(path: WalkedPath) -> PathTable:
    """The table of a path that is kept small."""
    nodes = nodes_of([path], np.array([0]), np.array([path.cells]))
    columns = {field.name: getattr(nodes, field.name) for field in fields(nodes) if field.name != "first"}
    return PathTable(**columns, cell=path.cell, length=path.length, closed=path.closed)


def test_a_path_is_the_same_bit_for_bit_whoever_elses_are_made_with_it() -> None:
    lines, left, right = _lines(60)
    together = ReferenceSet.from_polylines(lines, left=left, right=right).tables
    for rows in ([k] for k in range(60)), (range(0, 60, 7), range(3, 60, 2)):
        for some in rows:
            chosen = [[values[k] for k in some] for values in (lines, left, right)]
            made = ReferenceSet.from_polylines(chosen[0], left=chosen[1], right=chosen[2]).tables
            assert all(_is_same(table, together[k]) for table, k in zip(made, some, strict=True))


def test_paths_of_lines_that_others_have_made_are_theirs_and_the_rest_are_made() -> None:
    lines, left, right = _lines(6)
    others, own = KnownPaths(), KnownPaths()
    theirs = others.tables_of(lines, left=left, right=right)
    wider = [*left[:2], left[2] + 0.5, *left[3:]]
    with own.recalling(others):
        mine = own.tables_of(lines, left=wider, right=right)
    new = ReferenceSet.from_polylines(lines, left=wider, right=right)
    for number, (table, known, fresh) in enumerate(zip(mine, theirs, new.tables, strict=True)):
        assert (table is known) == (number != 2)
        assert isinstance(fresh, PathTable)
        assert _is_same(_tabulated(table), fresh)
        assert (table.half_width, table.turn, table.is_level) == (fresh.half_width, fresh.turn, fresh.is_level)
    again = own.tables_of(lines[:1], left=left[:1], right=right[:1])
    assert again[0] is theirs[0]  # it is its own now
    assert KnownPaths().tables_of(lines[:1], left=left[:1], right=right[:1])[0] is not theirs[0]


def test_rows_made_when_they_are_needed_have_the_bits_of_whole_tables() -> None:
    lines, left, right = _lines(12)
    onwards = np.cumsum(np.tile([[3.0, 1.0], [2.5, -2.0]], (12, 1)), axis=0)
    long = [np.concatenate([line, line[-1] + onwards]) for line in lines]
    sides = [[np.full(len(line), 1.5) for line in long] for _ in range(2)]
    whole = ReferenceSet.from_polylines(long, left=sides[0], right=sides[1])
    small = ReferenceSet(KnownPaths().tables_of(long, left=sides[0], right=sides[1]))
    rng, before = np.random.default_rng(1), (whole, small)
    for turn in range(40):
        if turn == 20:  # one path more, and another one instead of the first
            more = ReferenceSet.from_polylines(lines[:2], left=left[:2], right=right[:2]).tables
            before = whole, small
            whole = ReferenceSet([more[0], *whole.tables[1:], more[1]])
            small = ReferenceSet([more[0], *small.tables[1:], more[1]], small)
        if turn == 30:  # the set of before, which has handed its rows over, and the new one once more
            before, (whole, small) = (whole, small), before
        if turn == 35:
            whole, small = before
        count = int(rng.integers(1, 30))
        path = rng.integers(0, len(whole), count)
        s = rng.uniform(-2.0, 1.0 + whole.lengths[path]) if turn % 3 else np.full(count, 0.4 * turn)
        for name in ("pose", "limits", "bend_limits", "free_width", "heading"):
            for expected, found in zip(getattr(whole, name)(path, s), getattr(small, name)(path, s), strict=True):
                assert found.tobytes() == expected.tobytes()
        points = whole.to_cartesian(path, s, rng.normal(0.0, 0.5, count))
        for expected, found in zip(whole.to_frenet(path, points, s), small.to_frenet(path, points, s), strict=True):
            assert found.tobytes() == expected.tobytes()
