# SPDX-License-Identifier: GPL-3.0-or-later
"""The linear programs of ORCA beside solutions found by trying all that could be one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from core.steering.kernels.reference.linear_program import NO_LINE, solve


def excess(lines, point):
    """How far a point lies on the forbidden side of each line, (M,) or, for many points, (M, P)."""
    x, y, along_x, along_y = lines
    return along_x * (y - point[1]) - along_y * (x - point[0])


def corners_of(lines, max_speed):
    """All places where the nearest allowed point can lie but for its projections: crossings of lines and circle."""
    points = []
    for line in lines.T:
        along = line[2:] @ line[:2]
        inside = along * along + max_speed**2 - line[:2] @ line[:2]
        if inside >= 0.0:
            points += [line[:2] + (sign * np.sqrt(inside) - along) * line[2:] for sign in (-1.0, 1.0)]
    for one, other in combinations(lines.T, 2):
        determinant = one[2] * other[3] - one[3] * other[2]
        if abs(determinant) > 1e-9:
            gap = other[:2] - one[:2]
            points.append(one[:2] + (gap[0] * other[3] - gap[1] * other[2]) / determinant * one[2:])
    return points


def nearest_by_trial(lines, preferred, max_speed):
    """The allowed point nearest to the preferred one, or None if no point is allowed."""
    points = [preferred, preferred / np.linalg.norm(preferred) * max_speed]
    points += [line[:2] + (line[2:] @ (preferred - line[:2])) * line[2:] for line in lines.T]
    points += corners_of(lines, max_speed)
    allowed = [
        point for point in points if np.linalg.norm(point) <= max_speed + 1e-9 and (excess(lines, point) <= 1e-9).all()
    ]
    return min(allowed, key=lambda point: np.linalg.norm(point - preferred), default=None)


def random_lines(rng, count, spread):
    angle = rng.uniform(0.0, 2.0 * np.pi, count)
    return np.concatenate((rng.normal(0.0, spread, (2, count)), [np.cos(angle), np.sin(angle)]))


@pytest.mark.parametrize("count", [1, 2, 5, 10])
def test_solution_is_the_nearest_allowed_point(count):
    rng = np.random.default_rng(count)
    solved = 0
    for _ in range(150):
        lines, preferred, max_speed = random_lines(rng, count, 0.5), rng.normal(0.0, 1.0, 2), rng.uniform(0.5, 2.0)
        lines[:2] += 0.1 * count * np.array([lines[3], -lines[2]])  # the more lines, the farther away
        expected = nearest_by_trial(lines, preferred, max_speed)
        if expected is None:
            continue
        found = solve(lines[:, :, None], 0, preferred[:, None], np.array([max_speed]))[:, 0]
        np.testing.assert_allclose(found, expected, atol=1e-9)
        solved += 1
    assert solved > 50


def test_without_a_solution_the_worst_line_is_broken_least():
    rng = np.random.default_rng(11)
    speed, angle = np.meshgrid(np.linspace(0.0, 1.0, 80) ** 0.5, np.linspace(0.0, 2.0 * np.pi, 240))
    disc = np.stack((speed * np.cos(angle), speed * np.sin(angle))).reshape(2, -1)
    unsolvable = 0
    for _ in range(60):
        lines, preferred, max_speed = random_lines(rng, 6, 0.6), rng.normal(0.0, 1.0, 2), 1.4
        worst = excess(lines[:, :, None], max_speed * disc).max(axis=0)
        if worst.min() <= 0.02:
            continue
        found = solve(lines[:, :, None], 0, preferred[:, None], np.array([max_speed]))[:, 0]
        assert np.linalg.norm(found) <= max_speed + 1e-9
        assert excess(lines, found).max() <= worst.min() + 1e-9
        assert excess(lines, found).max() >= worst.min() - 0.05  # as fine as the sampling
        unsolvable += 1
    assert unsolvable > 20


def test_hard_lines_hold_when_soft_ones_cannot():
    rng = np.random.default_rng(12)
    given_up = 0
    for _ in range(100):
        hard, soft = random_lines(rng, 2, 0.3), random_lines(rng, 6, 0.6)
        hard[:2] -= np.array([-hard[3], hard[2]]) * np.maximum(excess(hard, np.zeros(2)), 0.0)  # standing is allowed
        lines = np.concatenate((hard, soft), axis=1)
        found = solve(lines[:, :, None], 2, rng.normal(0.0, 1.0, (2, 1)), np.array([1.4]))[:, 0]
        assert (excess(hard, found) <= 1e-9).all()
        given_up += excess(soft, found).max() > 1e-6
    assert given_up > 30


def test_many_agents_are_solved_as_one_by_one():
    rng = np.random.default_rng(13)
    lines = np.stack([random_lines(rng, 8, 0.5) for _ in range(200)], axis=2)
    preferred, max_speed = rng.normal(0.0, 1.0, (2, 200)), rng.uniform(0.5, 2.0, 200)
    together = solve(lines, 2, preferred, max_speed)
    for agent in range(200):
        alone = solve(lines[:, :, [agent]], 2, preferred[:, [agent]], max_speed[[agent]])
        assert alone.tobytes() == together[:, [agent]].tobytes()


def test_unused_rows_change_nothing():
    rng = np.random.default_rng(14)
    lines = np.stack([random_lines(rng, 7, 0.6) for _ in range(100)], axis=2)
    preferred, max_speed = rng.normal(0.0, 1.0, (2, 100)), rng.uniform(0.5, 2.0, 100)
    gap = np.broadcast_to(NO_LINE[:, None, None], (4, 1, 100))
    spread = np.concatenate((lines[:, :1], gap, lines[:, 1:4], gap, gap, lines[:, 4:], gap), axis=1)
    assert solve(spread, 2, preferred, max_speed).tobytes() == solve(lines, 1, preferred, max_speed).tobytes()
