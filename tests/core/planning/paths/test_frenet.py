# SPDX-License-Identifier: GPL-3.0-or-later
"""The geometry of a course beside a path, against differences of the course."""

from __future__ import annotations

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

from core.planning.paths import frenet

small, shares = st.floats(-3.0, 3.0), st.floats(-0.8, 0.8)


@hypothesis.given(small, small, shares, small, small)
def test_rate_and_curvature_are_those_of_any_course_along_any_bend(bend, bend_rate, share, d_prime, d_second):
    step, d = 1e-5, share / max(abs(bend), 1.0)

    def at(way):
        """The geometry a little farther on, with bend_rate and d'' held."""
        offset = d + way * (d_prime + 0.5 * way * d_second)
        slope = d_prime + way * d_second
        return frenet.course_geometry(bend + way * bend_rate, bend_rate, offset, slope, d_second), slope

    (before, slope_before), (now, _), (after, slope_after) = (at(way) for way in (-step, 0.0, step))
    assert (after.rate - before.rate) / (2 * step) == pytest.approx(now.rate_prime, abs=1e-4, rel=1e-4)
    error = [np.arctan2(slope, geometry.scale) for slope, geometry in ((slope_before, before), (slope_after, after))]
    turned = bend + (error[1] - error[0]) / (2 * step)
    assert turned / now.rate == pytest.approx(now.curvature, abs=1e-4, rel=1e-4)
