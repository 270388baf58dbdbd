# SPDX-License-Identifier: GPL-3.0-or-later
"""The mathematics under the built-in figures."""

import math
from itertools import pairwise

import numpy as np
import pytest
from mathutils import Quaternion


def test_quaternions_of_rotations_agree_with_blender(addon):
    walk = addon.module("blender_addon.figures.motion.walk")
    rng = np.random.default_rng(3)
    given = [Quaternion(q).normalized() for q in rng.normal(size=(200, 4))]
    half_turns = [Quaternion(axis, math.pi) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    for quaternion in [*given, *half_turns]:
        found = walk.quaternions(np.array([quaternion.to_matrix()], dtype=np.float64))[0]
        assert abs(np.dot(found, quaternion)) == pytest.approx(1.0, abs=1e-6)


def test_quaternions_follow_each_other_without_jumps(addon):
    walk = addon.module("blender_addon.figures.motion.walk")
    angles = np.linspace(0.0, 4.0 * np.pi, 200)
    found = walk.quaternions(walk.turn(np.array([0.6, 0.0, 0.8]), angles))
    assert np.sum(found[1:] * found[:-1], axis=1).min() > 0.99
    np.testing.assert_allclose(
        found, np.outer(np.cos(angles / 2), [1, 0, 0, 0]) + np.outer(np.sin(angles / 2), [0, 0.6, 0, 0.8]), atol=1e-9
    )


def test_a_clamped_spline_of_a_cubic_is_that_cubic(addon):
    gait = addon.module("blender_addon.figures.motion.gait")
    cubic, slope = np.poly1d([2.0, -1.0, 0.5, 3.0]), np.poly1d([6.0, -2.0, 0.5])
    times = np.array([0.0, 0.3, 0.45, 1.0])
    at = np.linspace(0.0, 1.0, 50)
    found = gait.clamped_spline(times, cubic(times), (slope(0.0), slope(1.0)), at)
    np.testing.assert_allclose(found, cubic(at), atol=1e-12)


def test_rows_between_sections_never_overshoot(addon):
    surface = addon.module("blender_addon.figures.mesh.surface")
    rng = np.random.default_rng(5)
    for _ in range(50):
        table = np.column_stack([np.cumsum(rng.uniform(0.1, 1.0, 6)), rng.normal(size=6)])
        np.testing.assert_allclose(surface.interpolate_rows(table, table[:, 0]), table[:, 1:], atol=1e-12)
        for low, high in pairwise(table):
            between = surface.interpolate_rows(table, np.linspace(low[0], high[0], 30))[:, 0]
            assert between.min() >= min(low[1], high[1]) - 1e-9
            assert between.max() <= max(low[1], high[1]) + 1e-9
