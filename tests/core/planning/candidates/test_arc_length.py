# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances along a path of courses beside it, also where these nearly stand still at the centre of a bend."""

from __future__ import annotations

import numpy as np

from core.planning.candidates.arc_length import path_distance_at, walked_distance_at
from core.planning.candidates.course_tracing import walked_over

STEP = 0.08  # [m]


def random_courses(count=200, nodes=12):
    """Rates, and the distances walked: some courses nearly stand still at a node."""
    rng = np.random.default_rng(4)
    rate = rng.uniform(0.3, 3.0, (count, nodes))
    rate[np.arange(count // 2), rng.integers(0, nodes, count // 2)] = rng.uniform(0.001, 0.05, count // 2)
    step = np.full(count, STEP)
    return step, walked_over(rate, step), rate


def test_who_walks_on_never_gets_back_along_the_path():
    step, walked, rate = random_courses()
    shares = np.linspace(0.0, 1.0, 300)
    along = np.array([path_distance_at(step, walked, rate, share * walked[:, -1]) for share in shares])
    assert np.all(np.diff(along, axis=0) > -1e-12)
    np.testing.assert_allclose(along[-1], STEP * (walked.shape[1] - 1))


def test_the_walked_distance_is_the_inverse():
    step, walked, rate = random_courses()
    for share in (0.13, 0.5, 0.81):
        along = np.full(len(step), share * STEP * (walked.shape[1] - 1))
        back = path_distance_at(step, walked, rate, walked_distance_at(step, walked, rate, along))
        np.testing.assert_allclose(back, along, atol=1e-6)
