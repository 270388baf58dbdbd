# SPDX-License-Identifier: GPL-3.0-or-later
"""What is moved along something that it touches changes the edges of that, as far as they reach."""

from __future__ import annotations

import numpy as np
import pytest

from core.scene import Area, Crowd, Obstacle, Scene

from ..runs import box, differences, run

SLANTED = np.array([[-9.0, 11.1], [4.7, 12.3], [4.7, 12.7], [-9.0, 11.5]])


def _leaning_on_a_wall(x: float) -> Scene:
    """A crate at the wall that people pass at its other end, many metres away."""
    return Scene(
        fps=12.0,
        frames=(1, 24),
        seed=4,
        bounds=np.array([[-10.0, 0.0], [10.0, 0.0], [10.0, 24.0], [-10.0, 24.0]]),
        obstacles=(Obstacle("Wall", SLANTED), Obstacle("Crate", box(x, 11.3, 0.5))),
        areas=(Area("In", box(0.0, 3.0, 3.0, 1.5)), Area("Out", box(0.0, 21.0, 3.0, 1.5))),
        crowds=(Crowd("People", count=5, start="In", goal="Out"),),
    )


@pytest.mark.once
@pytest.mark.parametrize(("before", "after"), [(-4.0, -4.3), (-8.0, -7.2), (-9.0, -2.1)])
def test_a_crate_that_leans_on_a_wall_is_moved_along_it(before: float, after: float) -> None:
    first, new = run(_leaning_on_a_wall(before), remembers=True), run(_leaning_on_a_wall(after))
    again = run(_leaning_on_a_wall(after), remembers=True, earlier=first)
    assert differences(again, new) == []
