# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths that were made before are those that would be made anew, whoever else's are made with them."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from core.planning import KnownPaths, ReferenceSet
from core.planning.paths.path_tables import PathTable


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
        assert _is_same(table, fresh)
    again = own.tables_of(lines[:1], left=left[:1], right=right[:1])
    assert again[0] is theirs[0]  # it is its own now
    assert KnownPaths().tables_of(lines[:1], left=left[:1], right=right[:1])[0] is not theirs[0]
