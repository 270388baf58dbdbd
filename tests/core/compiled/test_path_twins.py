# SPDX-License-Identifier: GPL-3.0-or-later
"""Places on paths and plans along them are the same bits, compiled and not."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from core.geometry.distance_field import ObstacleField
from core.planning import FrenetPlanner, PlannerInput, ReferencePath, ReferenceSet
from core.planning.paths.path_tables import walk_open_lines
from core.planning.paths.path_windows import PathWindows
from core.planning.paths.reference_settings import ReferenceSettings

from .answers import both, outlines

pytest.importorskip("numba")


@pytest.fixture
def paths(rng):
    """Open paths and closed ones, of bends, a hairpin and a reversal."""
    lines = [np.cumsum(rng.normal(0.6, 1.5, (9, 2)), axis=0) for _ in range(6)]
    lines += [[[0, 0], [8, 0], [8, 0.4], [0, 0.4]], [[0, 0], [5, 0], [1, 0]], [[0, 0], [6, 0], [6, 5], [0, 5]]]
    return ReferenceSet.from_polylines(lines, [*[False] * 8, True])


@pytest.mark.parametrize("count", [3, 400])
def test_places_on_paths_are_the_same_bits(rng, paths, count):
    path, s = rng.integers(0, len(paths), count), rng.uniform(-4.0, 60.0, count)
    for name in ("frame", "heading", "curvature", "limits", "free_width"):
        for expected, found in zip(*both(lambda ask=name: np.array(getattr(paths, ask)(path, s))), strict=True):
            assert found.tobytes() == expected.tobytes(), name
    grid = both(lambda: np.array(paths.frame(path[:, None], s[:, None] + np.arange(3.0))))
    assert grid[1].tobytes() == grid[0].tobytes()


@pytest.mark.parametrize("off", [0.05, 1.0, 6.0])
def test_projections_are_the_same_bits(rng, paths, off):
    path, s = rng.integers(0, len(paths), 600), rng.uniform(-2.0, 25.0, 600)
    points = paths.to_cartesian(path, s, rng.normal(0.0, off, 600))
    near = s + rng.normal(0.0, 0.4, 600)
    for expected, found in zip(*both(lambda: paths.to_frenet(path, points, near)), strict=True):
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("count", [1, 3, 90])
def test_lines_are_walked_to_the_same_bits(rng, count):
    """Bends, zigzags, a hairpin, a reversal, and points twice."""
    lines = [np.cumsum(rng.normal(0.6, 1.5, (9, 2)), axis=0) for _ in range(count)]
    lines[-1:] = [np.array([[0, 0], [8, 0], [8, 0.4], [0, 0.4]]), np.array([[0, 0], [5, 0], [1, 0]])]
    lines.append(np.repeat(np.round(lines[0]), 2, axis=0))
    sides, settings = [tuple(rng.uniform(0.0, 2.0, (2, len(line)))) for line in lines], ReferenceSettings()
    for one, other in zip(*both(lambda: walk_open_lines(lines, sides, settings)), strict=True):
        for field in fields(one):
            if field.name != "bends":
                found, expected = np.array(getattr(other, field.name)), np.array(getattr(one, field.name))
                assert found.tobytes() == expected.tobytes(), field.name


def test_rounded_corners_are_the_same_bits():
    """Compiled code rounds none, so that numpy's code has to."""
    line, side = np.array([[0.0, 0.0], [9.0, 0.0], [17.0, 4.0]]), np.ones(3)
    settings = ReferenceSettings(corner_rounding=0.13)
    table = ReferencePath.from_points(line, settings=settings).table
    for (kept,) in both(lambda: walk_open_lines([line], [(side, side)], settings)):
        assert kept.length == table.length
        assert kept.curvature.tobytes() == table.curvature.tobytes()


def test_rows_of_paths_are_the_same_bits(rng):
    """From before the start, of the middle, and up to behind the end; level lines and stairs."""
    lines = [np.cumsum(rng.normal(0.8, 1.5, (size, 3)), axis=0) for size in (2, 9, 40, 40)]
    sides = [tuple(rng.uniform(0.0, 2.0, (2, len(line)))) for line in lines]
    made = walk_open_lines(lines, sides, ReferenceSettings())
    cells, number = np.array([path.cells for path in made]), np.arange(len(made))

    def ask():
        windows = PathWindows(made)
        for low in (np.full(len(made), -1), cells // 2, cells):
            windows.include(number, low, np.minimum(low + 30, cells))
        return windows.columns

    expected, found = both(ask)
    assert found.tobytes() == expected.tobytes()
    assert found[5].any()


@pytest.mark.parametrize("near_obstacles", [False, True])
def test_plans_and_motions_along_them_are_the_same_bits(rng, paths, near_obstacles):
    """People of all paces on bends, on the spot and before the end of their path; also past what is planned."""
    count = 120
    path, s = rng.integers(0, len(paths), count), rng.uniform(0.0, 12.0, count)
    field = ObstacleField(outlines(rng, snapped=False)) if near_obstacles else ObstacleField()
    agents = PlannerInput(
        path=path,
        s=s,
        s_dot=rng.uniform(0.0, 1.6, count) * (rng.random(count) < 0.8),
        s_ddot=rng.normal(0.0, 0.4, count),
        d=rng.normal(0.0, 0.4, count),
        d_prime=rng.normal(0.0, 0.3, count),
        d_second=rng.normal(0.0, 0.5, count),
        wanted_speed=rng.uniform(0.8, 1.6, count),
        wanted_offset=rng.normal(0.0, 0.3, count),
        radius=np.full(count, 0.25),
        stop_at_end=rng.random(count) < 0.7,
    )
    rows, time = rng.integers(0, count, 500), rng.uniform(-0.1, 5.0, 500)

    def ask():
        plans = FrenetPlanner(paths).plan(agents, field)
        position, velocity, state = plans.motion(rows, time)
        return [
            *vars(plans.tables).values(),
            position,
            velocity,
            *vars(state).values(),
            plans.at(np.arange(count) < 60, 0.3)[0],
        ]

    expected, found = both(ask)
    for one, other in zip(expected, found, strict=True):
        assert np.ascontiguousarray(other).tobytes() == np.ascontiguousarray(one).tobytes()
    assert expected[8].any()  # some courses are uneven
