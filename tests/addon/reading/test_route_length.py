# SPDX-License-Identifier: GPL-3.0-or-later
"""Routes so long that only a wrong unit can have made them."""

import numpy as np
import pytest


def test_a_route_of_a_wrong_unit_is_refused_with_its_length(bench):
    bench.crowd(bench.curve("Path", [(0, 0, 0), (20, 0, 0)], scale=(1500, 1500, 1500)))
    assert bench.refusal() == (
        "Path: is 30.0 km long, and a route is 20 km at most: check the scene's unit scale and the "
        "scale of the curve, or choose a shorter curve."
    )


def test_only_a_single_line_is_ever_too_long(bench):
    bench.crowd(bench.curve("Path", *([(0, y, 0), (15_000, y, 0)] for y in (0, 9, 18))))
    assert len(bench.read().scene.routes) == 3


def test_the_unit_scale_makes_a_long_curve_short(bench):
    bench.scene.unit_settings.system, bench.scene.unit_settings.scale_length = "METRIC", 0.001
    bench.crowd(bench.curve("Path", [(0, 0, 0), (30_000, 0, 0)]))
    assert np.ptp(bench.read().scene.routes[0].points[:, 0]) == pytest.approx(30.0)
