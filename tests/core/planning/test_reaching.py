# SPDX-License-Identifier: GPL-3.0-or-later
"""Every curve is walked to its end: 1,000 random polylines, corners, and curves of all kinds, also when disturbed."""

from __future__ import annotations

import numpy as np
import pytest

from core.planning import ReferenceSet
from tests.sweeps import sweep

from .paths.other_curves import other_curves

pytestmark = pytest.mark.once

BORNE = 3.0  # [m/s2]
AT_CORNERS, AT_REVERSALS = 0.15, 0.6  # [m]
PACE = 1.34


def beside_the_start(references):
    """s and d of places half a metre to the left or to the right of the starts."""
    rows, zeros = np.arange(len(references)), np.zeros(len(references))
    places = references.to_cartesian(rows, zeros, np.where(rows % 2, 0.5, -0.5))
    s, d = references.to_frenet(rows, places, zeros)
    return {"s": s, "d": d}


def walk(references, follow, *, seconds, **wishes):
    """Follow every path; what holds for all, whatever disturbs them: finite, gentle, nothing skipped, end reached."""
    rows, noise = np.arange(len(references)), wishes.get("noise", 0.0)
    lap = np.where(references.closed, np.minimum(1.2 * references.lengths, 0.4 * PACE * seconds), references.lengths)
    enough = np.where(references.closed, 1.2 * references.lengths, np.inf)
    result = follow(references, rows, seconds=seconds, enough=enough, **wishes)
    assert np.isfinite(result.position).all()
    assert result.peak.max() < BORNE
    forward = np.diff(result.s, axis=0)
    assert forward.max() < 1.6 * PACE * 0.05 + 5 * noise  # [m] in a tick: no lap and no hairpin is skipped
    assert forward.min() > -1e-3 - 5 * noise
    late = np.flatnonzero(result.s[-1] < lap - (0.3 if noise else 1e-3))
    assert not len(late), (late, result.s[-1, late], lap[late])
    return result


def deviation(result, number, references, line, farthest_from_line, *, joined=0):
    """Largest distance between a drawn line and the way along it, once round or until one first stands at its end.

    From the tick on when it was joined: before that only the line's distance from the way counts.
    """
    length, closed, s = references.lengths[number], references.closed[number], result.s[:, number]
    there = s > length if closed else (s > length - 0.1) & (np.diff(s, append=s[-1]) < 1e-3)
    until = np.argmax(there) if there.any() else len(s)
    way = result.position[:until, number]
    return max(
        farthest_from_line(way[joined:], line[:, :2], closed)[0], farthest_from_line(way, line[:, :2], closed)[1]
    )


@pytest.mark.parametrize("count", sweep([40, 1000], usual=1))
def test_random_polylines_are_walked_within_60_cm_of_the_line(random_polylines, follow, farthest_from_line, count):
    lines, closed = random_polylines(7, count)
    references = ReferenceSet.from_polylines(lines, closed)
    result = walk(references, follow, seconds=66.0)
    away = [deviation(result, k, references, line, farthest_from_line) for k, line in enumerate(lines)]
    assert max(away) < AT_REVERSALS, np.argsort(away)[-5:]


@pytest.mark.parametrize(
    ("disturbed", "count"), sweep([("beside", 15), ("noise", 25), ("beside", 200), ("noise", 200)], usual=1)
)
def test_random_polylines_are_walked_to_their_end_when_disturbed(
    random_polylines, follow, farthest_from_line, disturbed, count
):
    lines, closed = random_polylines(8, count)
    references = ReferenceSet.from_polylines(lines, closed)
    wishes = {"noise": 0.02} if disturbed == "noise" else beside_the_start(references)
    result = walk(references, follow, seconds=69.0, **wishes)
    joined = np.argmax(np.abs(result.d) < 0.1, axis=0)
    away = [
        deviation(result, k, references, line, farthest_from_line, joined=joined[k]) for k, line in enumerate(lines)
    ]
    assert max(away) < AT_REVERSALS, np.argsort(away)[-5:]


def test_corners_up_to_a_right_angle_are_cut_by_15_cm_at_most(follow, farthest_from_line):
    rng, lines = np.random.default_rng(9), []
    for _ in range(40):
        heading = np.cumsum(np.append(0.0, rng.uniform(-0.5 * np.pi, 0.5 * np.pi, 5)))
        legs = rng.uniform(1.0, 4.0, 6)[:, None] * np.stack((np.cos(heading), np.sin(heading)), axis=1)
        lines.append(np.concatenate((np.zeros((1, 2)), np.cumsum(legs, axis=0))))
    references = ReferenceSet.from_polylines(lines)
    result = walk(references, follow, seconds=30.0)
    away = [deviation(result, k, references, line, farthest_from_line) for k, line in enumerate(lines)]
    assert max(away) < AT_CORNERS


@pytest.mark.parametrize("disturbed", sweep(["", "noise", "beside"], usual=1))
def test_curves_of_all_kinds_are_walked_to_their_end(follow, farthest_from_line, disturbed):
    curves = other_curves()
    lines, closed = zip(*curves.values(), strict=True)
    references = ReferenceSet.from_polylines(lines, closed)
    wishes = {"": {}, "beside": beside_the_start(references), "noise": {"noise": 0.02}}[disturbed]
    result = walk(references, follow, seconds=69.0, **wishes)
    if not disturbed:
        for number, (name, (line, _)) in enumerate(curves.items()):
            assert deviation(result, number, references, line, farthest_from_line) < AT_REVERSALS, name


def test_heights_of_stairs_are_climbed_from_the_first_to_the_last():
    curves = other_curves()
    for name, top in (("stairs", 3.42), ("spiral stairs", 6.0)):
        references = ReferenceSet.from_polylines([curves[name][0]])
        s = np.linspace(0.0, references.lengths[0], 100)
        height = references.height(np.zeros(100, dtype=int), s)
        assert np.all(np.diff(height) > 0.0)
        np.testing.assert_allclose(height[[0, -1]], [0.0, top], atol=0.03)
